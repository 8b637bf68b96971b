"""Lines of files: as a person names one, and as evidence."""

from __future__ import annotations

import re

from sightline.refusals import Refusal, RefusalKind
from sightline.text import Text
from sightline.workspace import Workspace

_LINE = re.compile(r"(?P<path>.+?):(?P<line>[0-9]{1,9})(?::[0-9]{1,9})?", re.DOTALL)
_LONGEST_LINE = 120


def split_line(written: str) -> tuple[str, int | None]:
    """`PATH` or `PATH:LINE[:COLUMN]` as a person types it."""
    found = _LINE.fullmatch(written)
    return (found["path"], int(found["line"])) if found else (written, None)


class Lines:
    """Lines of files as evidence, each file read once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._texts: dict[str, Text | None] = {}

    def line(self, path: str, number: int) -> str:
        if path not in self._texts:
            document = self._workspace.read(path)
            self._texts[path] = None if isinstance(document, Refusal) else document.text
        text = self._texts[path]
        if text is None or number > text.line_count:
            return "(the file can no longer be read)"
        start, end = text.line_start(number - 1), text.line_end(number - 1)
        line = text.data[start:end].decode("utf-8").strip()
        return line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "…"


def no_line(path: str, line: int, last: int) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "no_such_line",
        path,
        f"it has no line {line}",
        f"its last line is {last}",
    )
