"""`sightline doctor`: check that everything works which Sightline depends on."""

from __future__ import annotations

import argparse

from sightline.cli.opening import open_workspace
from sightline.cli.output import DONE, REFUSED, Output
from sightline.engine.doctor import doctor
from sightline.refusals import Refusal


def run(options: argparse.Namespace, output: Output) -> int:
    host = open_workspace(options, None, output)
    if isinstance(host, Refusal):
        # The installation is checked anyway.
        result = doctor()
    else:
        with host:
            result = doctor(host)
    if output.json:
        output.result(result)
    else:
        width = max(len(check.name) for check in result.checks)
        for check in result.checks:
            mark = ("ok    ", "green") if check.passed else ("FAILED", "bold red")
            columns = mark, ("  " + check.name.ljust(width) + "  ", "bold")
            # A person needs all of a failure.
            show = output.row if check.passed else output.line
            show(*columns, (check.detail, ""))
    return DONE if result.ok else REFUSED
