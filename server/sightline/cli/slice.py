"""`sightline slice PATH --level …`: print one file at one level."""

from __future__ import annotations

import argparse

from sightline.cli.opening import open_workspace
from sightline.cli.output import DONE, Output
from sightline.engine.requests import SliceRequest
from sightline.engine.results import SliceResult
from sightline.engine.slice import slice_file
from sightline.refusals import Refusal, RefusalKind


def run(options: argparse.Namespace, output: Output) -> int:
    refusal = _wrong_use(options)
    if refusal is not None:
        return output.refuse(refusal, path=options.path)
    host = open_workspace(options, options.path, output, {"index.jobs": 1})
    if isinstance(host, Refusal):
        return output.refuse(host, path=options.path)
    with host:
        path = host.path_of(options.path)
        if isinstance(path, Refusal):
            return output.refuse(path, path=options.path)
        request = SliceRequest(path, options.level, tuple(options.symbol), docs=options.docs)
        result = slice_file(host, request)
    if result.refusal is not None:
        return output.refuse(result.refusal, result, path=options.path)
    if output.json:
        output.result(result)
    else:
        _show(output, result)
    return DONE


def _show(output: Output, result: SliceResult) -> None:
    content = result.content or ""
    start = 0
    for piece in result.pieces:
        end = start + piece.characters
        output.contents(content[start:end].encode("utf-8"), inserted=piece.inserted is not None)
        start = end
    output.contents(content[start:].encode("utf-8"), inserted=False)
    if result.check is not None:
        output.note(f"{result.check.declarations} declarations, checked")
    if result.redactions:
        output.note(f"secrets replaced: {len(result.redactions)} in the file")
    if result.weak_redactions:
        output.note(f"weak secrets replaced: {len(result.weak_redactions)} in the file")


def _wrong_use(options: argparse.Namespace) -> Refusal | None:
    symbols = options.symbol
    if options.level == "region" and not symbols:
        message = "--level region needs a symbol"
        advice = "name it with --symbol NAME; 'sightline outline PATH' lists the names"
    elif options.level != "region" and symbols:
        message = "--symbol goes with --level region only"
        advice = "leave --symbol out, or ask for --level region"
    elif options.level != "signatures" and options.docs != "none":
        message = "--docs goes with --level signatures only"
        advice = "leave --docs out, or ask for --level signatures"
    else:
        return None
    return Refusal(RefusalKind.INVALID_REQUEST, "usage", None, message, advice)
