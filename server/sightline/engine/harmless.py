"""Mark values that look like secrets as harmless in one workspace; list and remove the marks.

A mark belongs to the user, and is stored in their own settings together with the workspace: a keyed
hash of the value with file, detector and date. Nothing is asked here: the caller has made sure that
a person wants it. No value leaves this module.
"""

from __future__ import annotations

import datetime
import os

import attrs

from sightline.bundle import Status
from sightline.egress import ScanFailure, keyed_hash
from sightline.engine.host import Host
from sightline.engine.results import HarmlessEntry, HarmlessResult, refused
from sightline.engine.shown import Concealer, conceal_names, concealed
from sightline.refusals import Refusal, RefusalKind
from sightline.settings.editing import add_mark, read_marks, remove_mark
from sightline.settings.marks import HarmlessMark, key_file, made_key
from sightline.text import Text

_LEAST_OF_ID = 6


@attrs.frozen
class ProposedMark:
    """A value that could be marked: where it is and what found it."""

    path: str
    line: int
    column: int
    """In characters, 1-based."""
    detector: str
    value: bytes = attrs.field(repr=False)


def propose_marks(
    host: Host,
    path: str,
    line: int,
    column: int | None = None,
    detector: str | None = None,
) -> tuple[ProposedMark, ...] | Refusal:
    """Return the values on a line of a file that look like secrets and can be marked.

    `line` and `column` are 1-based; with a column, only the value there.
    """
    text = host.text_of(path)
    if isinstance(text, Refusal):
        return text
    found = host.cache.scanned(text.data, host.harmless)
    if isinstance(found, ScanFailure):
        return _nothing_there(path, line)
    proposed = []
    for each in found:
        if each.is_flood:
            continue
        first = text.line_of(each.span.start) + 1
        last = text.line_of(max(each.span.start, each.span.end - 1)) + 1
        if not first <= line <= last or detector not in (None, each.detector):
            continue
        at = each.span.start if column is None else _offset(text, line, column)
        if not each.span.start <= at < each.span.end:
            continue
        start = text.line_start(first - 1)
        before = text.data[start : each.span.start].decode("utf-8", "replace")
        value = text.data[each.span.start : each.span.end]
        proposed.append(ProposedMark(path, first, len(before) + 1, each.detector, value))
    return tuple(proposed) or _nothing_there(path, line)


def write_mark(host: Host, proposed: ProposedMark) -> HarmlessResult:
    """Record a mark for this workspace in the user's settings."""
    key = made_key(os.environ)
    if key is None:
        return refused(HarmlessResult, _no_key())
    mark = HarmlessMark(
        keyed_hash(key, proposed.value),
        proposed.path,
        proposed.detector,
        datetime.date.today().isoformat(),
    )
    refusal = add_mark(os.environ, str(host.workspace.root), mark)
    return refused(HarmlessResult, refusal) if refusal is not None else _result(host, mark)


def mark_harmless(host: Host, path: str, line: int, column: int | None = None) -> HarmlessResult:
    """Mark the one value on a line, or at a column of it, as harmless in this workspace."""
    proposed = propose_marks(host, path, line, column)
    if isinstance(proposed, Refusal):
        return refused(HarmlessResult, concealed(host, proposed))
    if len({each.value for each in proposed}) > 1:
        return refused(HarmlessResult, _several(host, proposed))
    return write_mark(host, proposed[0])


def list_marks(host: Host) -> HarmlessResult:
    """List what the user marked as harmless in this workspace."""
    return _result(host, None)


def remove_harmless(host: Host, name: str) -> HarmlessResult:
    """Remove a mark of this workspace, by its id."""
    marks = read_marks(os.environ, str(host.workspace.root))
    if isinstance(marks, Refusal):
        return refused(HarmlessResult, marks)
    found = [each for each in marks.harmless if each.hash.startswith(name)]
    if len(name) < _LEAST_OF_ID or len(found) != 1:
        return refused(HarmlessResult, _no_such_mark())
    refusal = remove_mark(os.environ, str(host.workspace.root), found[0])
    return refused(HarmlessResult, refusal) if refusal is not None else _result(host, found[0])


def _result(host: Host, changed: HarmlessMark | None) -> HarmlessResult:
    marks = read_marks(os.environ, str(host.workspace.root))
    if isinstance(marks, Refusal):
        return refused(HarmlessResult, marks)
    names = [each.file for each in (*marks.harmless, *([changed] if changed else []))]
    concealer = conceal_names(host, names=[*names, host.workspace.root.name])
    return HarmlessResult(
        status=Status.OK,
        root=concealer.text(host.workspace.root.name),
        changed=_entry(changed, concealer) if changed is not None else None,
        marks=tuple(_entry(each, concealer) for each in marks.harmless),
    )


def _entry(mark: HarmlessMark, concealer: Concealer) -> HarmlessEntry:
    return HarmlessEntry(mark.id, concealer.text(mark.file), mark.detector, mark.date)


def _offset(text: Text, line: int, column: int) -> int:
    """Return the byte offset of a column in characters; past the end of the line, its end."""
    start, end = text.line_start(line - 1), text.line_end(line - 1)
    before = text.data[start:end].decode("utf-8", "replace")[: column - 1]
    return start + len(before.encode("utf-8"))


def _several(host: Host, proposed: tuple[ProposedMark, ...]) -> Refusal:
    concealer = conceal_names(host, names=[each.path for each in proposed])
    return Refusal(
        RefusalKind.AMBIGUOUS_TARGET,
        "several_secrets",
        concealer.text(proposed[0].path),
        f"{len(proposed)} values on line {proposed[0].line} look like secrets",
        "name one by its column",
        candidates=tuple(
            concealer.text(f"{each.path}:{each.line}:{each.column}") for each in proposed
        ),
    )


def _nothing_there(path: str, line: int) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "no_secret_there",
        path,
        f"nothing on line {line} looks like a secret that could be marked",
        "name the line that a refusal or a diagnostic names",
    )


def _no_such_mark() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "not_marked",
        None,
        "no mark of this workspace has that id",
        "'sightline harmless --list' lists the marks with their ids",
    )


def _no_key() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "settings_not_written",
        None,
        "nothing was marked: the key for marks cannot be read or made",
        f"if {key_file(os.environ)} is damaged, restore it, or delete it: then earlier marks have"
        " no effect; otherwise make its directory writable, or set SIGHTLINE_CONFIG_DIR",
    )
