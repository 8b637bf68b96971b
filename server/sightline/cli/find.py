"""`sightline find TEXT`: list the files and symbols that a task in words is about."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from sightline.cli.delivery import read_given
from sightline.cli.opening import open_indexed
from sightline.cli.output import DONE, Output
from sightline.engine.find import find
from sightline.engine.find_results import FoundClue
from sightline.engine.requests import FindRequest
from sightline.refusals import Refusal, RefusalKind

_ADVICE = "give the task in quotes, with --from FILE, or through a pipe"
_SAYINGS = {
    "words": "shares {}",
    "name": "the task names {}",
    "variable": "the task names {}",
    "path": "the task mentions its path",
    "traceback": "in the traceback: {}",
    "file_name": "its path is in the task's words",
    "called": "called by code that shares words with the task",
    "base": "extends a type that the task names",
    "owner": "belongs to {}, which the task names",
    "content": "contains {}",
}


def run(options: argparse.Namespace, output: Output) -> int:
    text = _task(options)
    if isinstance(text, Refusal):
        return output.refuse(text)
    with open_indexed(options, None, output) as host:
        if isinstance(host, Refusal):
            return output.refuse(host)
        result = find(host, FindRequest(text, options.limit))
    if result.refusal is not None:
        return output.refuse(result.refusal, result)
    if output.json:
        output.result(result)
        return DONE
    output.line(("files", "bold"))
    for number, file in enumerate(result.files, 1):
        output.line((f"{number:4}  ", "dim"), (file.path, ""))
        _show_clues(output, file.clues)
    output.line(("symbols", "bold"))
    for number, symbol in enumerate(result.symbols, 1):
        output.line(
            (f"{number:4}  ", "dim"),
            (f"{symbol.path}::{symbol.symbol}", ""),
            (f"  {symbol.kind}, line {symbol.line}", "dim"),
        )
        _show_clues(output, symbol.clues)
    if not result.files and not result.symbols:
        output.line(("  nothing in the workspace shares a telling word with the task", "dim"))
    for note in result.notes:
        output.reason(note)
    for hidden in result.hidden:
        output.reason(f"not searched: {hidden.sentence()}")
    return DONE


def _show_clues(output: Output, clues: Iterable[FoundClue]) -> None:
    said = [_SAYINGS[each.kind].format(", ".join(each.detail)) for each in clues]
    if said:
        output.paragraph("      ", "; ".join(said), "dim")


def _task(options: argparse.Namespace) -> str | Refusal:
    if options.file is not None and options.text is not None:
        return _wrong("the task is given twice", "give either a text or --from FILE")
    if options.file is None and options.text not in (None, "-"):
        return str(options.text)
    given = read_given(options.file or "-", _ADVICE)
    return given if isinstance(given, Refusal) else given.decode("utf-8", "replace")


def _wrong(message: str, advice: str) -> Refusal:
    return Refusal(RefusalKind.INVALID_REQUEST, "usage", None, message, advice)
