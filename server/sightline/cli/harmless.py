"""`sightline harmless PATH:LINE`: mark values that look like secrets but are harmless."""

from __future__ import annotations

import argparse
import re

from sightline.cli.marking import open_for_marking
from sightline.cli.output import DONE, Output
from sightline.engine.harmless import list_marks, mark_harmless, remove_harmless
from sightline.engine.host import Host
from sightline.engine.results import HarmlessResult, refused
from sightline.refusals import Refusal, RefusalKind

_PLACE = re.compile(r"(.+?):([0-9]{1,9})(?::([0-9]{1,9}))?", re.DOTALL)


def run(options: argparse.Namespace, output: Output) -> int:
    place = _PLACE.fullmatch(options.written or "")
    host = open_for_marking(options, output, place[1] if place else None)
    if isinstance(host, Refusal):
        return output.refuse(host)
    with host:
        if options.remove is not None:
            result, done = remove_harmless(host, options.remove), "no longer harmless"
        elif options.list:
            result, done = list_marks(host), ""
        else:
            result, done = _marked(host, place), "marked as harmless"
    if result.refusal is not None:
        return output.refuse(result.refusal, result)
    if output.json:
        output.result(result)
    elif result.changed is not None:
        changed = result.changed
        output.line(
            (f"a value of {changed.file} ({changed.detector}) is {done} in {result.root}", ""),
            (f"  [{changed.id}]", "dim"),
        )
    else:
        _show(output, result)
    return DONE


def _marked(host: Host, place: re.Match[str] | None) -> HarmlessResult:
    if place is None:
        return refused(HarmlessResult, _no_place())
    path = host.path_of(place[1])
    if isinstance(path, Refusal):
        return refused(HarmlessResult, path)
    column = int(place[3]) if place[3] is not None else None
    return mark_harmless(host, path, int(place[2]), column)


def _show(output: Output, result: HarmlessResult) -> None:
    if not result.marks:
        output.note(f"nothing is marked as harmless in {result.root}")
    for each in result.marks:
        output.line(
            (f"{each.id}  ", "bold"),
            (f"{each.date}  ", "dim"),
            (f"{each.file}  ", ""),
            (each.detector, "dim"),
        )


def _no_place() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "usage",
        None,
        "this does not name a line of a file",
        "give PATH:LINE or PATH:LINE:COLUMN; a refusal names the place",
    )
