"""`sightline allow RULE|PATH`: let a workspace see what a default rule hides."""

from __future__ import annotations

import argparse

from sightline.cli.marking import open_for_marking
from sightline.cli.output import DONE, Output, padded
from sightline.engine.allow import allow, list_allowances, names_rule, remove_allowance
from sightline.engine.results import AllowResult
from sightline.refusals import Refusal


def run(options: argparse.Namespace, output: Output) -> int:
    written = options.written or options.remove
    # A rule does not tell the workspace, although a folder may have the same name.
    path = None if written is None or names_rule(written) else written
    host = open_for_marking(options, output, path)
    if isinstance(host, Refusal):
        return output.refuse(host)
    with host:
        if options.remove is not None:
            result, done = remove_allowance(host, options.remove), "no longer allowed"
        elif options.list:
            result, done = list_allowances(host), ""
        else:
            result, done = allow(host, options.written), "allowed"
    if result.refusal is not None:
        return output.refuse(result.refusal, result)
    if output.json:
        output.result(result)
    elif result.changed is not None:
        output.line((result.changed.rule, "bold"), (f" is {done} in {result.root}", ""))
    else:
        _show(output, result)
    return DONE


def _show(output: Output, result: AllowResult) -> None:
    if not result.allowances:
        output.note(f"nothing is allowed in {result.root}")
    for each in result.allowances:
        kind = "file" if each.is_file else "rule"
        output.line((f"{each.date}  {padded(kind, 4)}  ", "dim"), (each.rule, "bold"))
