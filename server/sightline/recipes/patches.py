"""Read the text of a diff: which files it changes, and which lines of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import attrs

_HEADER = re.compile(r"^diff --git ", re.MULTILINE)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_OLD_NEW = re.compile(r"^diff --git (\"?a/.+?\"?) (\"?b/.+\"?)$", re.MULTILINE)
_NEW = re.compile(r"^\+\+\+ (.+?)\t?$", re.MULTILINE)
_OLD = re.compile(r"^--- (.+?)\t?$", re.MULTILINE)
_RENAMED = re.compile(r"^rename (from|to) (.+)$", re.MULTILINE)
_SUBMODULE = re.compile(r"^(?:(?:new file )?mode|index \S+) 160000$", re.MULTILINE)
_ESCAPED = re.compile(r"\\([0-7]{3}|.)")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_NOWHERE = "/dev/null"


@attrs.frozen
class FilePatch:
    text: str
    old_path: str | None
    """None for a new file, or where the patch does not say."""
    path: str | None
    """None for a deleted file, or where the patch does not say."""
    is_binary: bool
    changed_lines: tuple[int, ...]
    """The lines after the change that are new, and the line before each piece that is gone."""

    @property
    def is_submodule(self) -> bool:
        return _SUBMODULE.search(self.text) is not None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each for each in (self.path, self.old_path) if each))


def split_patches(diff: str) -> tuple[str, list[FilePatch]]:
    """Return what stands before the first file of a diff, and the patch of each file."""
    starts = [each.start() for each in _HEADER.finditer(diff)]
    if not starts:
        starts = [each.start() for each in _OLD.finditer(diff) if "\n+++ " in diff[each.end() :]]
    if not starts:
        return diff, []
    bounds = [*starts, len(diff)]
    pieces = [diff[start:end] for start, end in pairwise(bounds)]
    return diff[: starts[0]], [_file_patch(piece) for piece in pieces]


def _file_patch(text: str) -> FilePatch:
    head = text[: found.start()] if (found := _HUNK.search(text)) else text
    old = _named(_OLD.search(head), "a/")
    new = _named(_NEW.search(head), "b/")
    both = _OLD_NEW.search(head)
    if both is not None:
        old = old if old is not None else _bare(both[1], "a/")
        new = new if new is not None else _bare(both[2], "b/")
    for which, path in _RENAMED.findall(head):
        if which == "from":
            old = _bare(path, "")
        else:
            new = _bare(path, "")
    is_binary = "\nBinary files " in head or "\nGIT binary patch" in head
    return FilePatch(
        text,
        None if old == _NOWHERE or "\nnew file mode " in head else old,
        None if new == _NOWHERE or "\ndeleted file mode " in head else new,
        is_binary,
        tuple(dict.fromkeys(_changed_lines(text))),
    )


def _named(match: re.Match[str] | None, prefix: str) -> str | None:
    return None if match is None else _bare(match[1], prefix)


def _bare(written: str, prefix: str) -> str:
    """Return a path as a diff writes it without its quotes and its prefix."""
    if written.startswith('"') and written.endswith('"'):
        raw = bytearray()
        position = 1
        for escape in _ESCAPED.finditer(written, 1, len(written) - 1):
            raw += written[position : escape.start()].encode()
            code = escape[1]
            raw += (
                bytes([int(code, 8) & 0xFF])
                if code.isdigit()
                else _LETTERS.get(code, code).encode()
            )
            position = escape.end()
        raw += written[position : len(written) - 1].encode()
        written = raw.decode("utf-8", "replace")
    return written.removeprefix(prefix)


def removed_and_added(patch: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the lines before a change that are gone, and the lines after it that are new."""
    removed: list[int] = []
    added: list[int] = []
    old = new = 0
    for row in patch.split("\n"):
        hunk = _HUNK.match(row)
        if hunk is not None:
            old, new = int(hunk[1]), int(hunk[3])
        elif new == old == 0:
            continue
        elif row.startswith("+"):
            added.append(new)
            new += 1
        elif row.startswith("-"):
            removed.append(old)
            old += 1
        elif not row.startswith("\\"):
            old += 1
            new += 1
    return tuple(removed), tuple(added)


def _changed_lines(text: str) -> Iterator[int]:
    line = 0
    for row in text.split("\n"):
        hunk = _HUNK.match(row)
        if hunk is not None:
            line = int(hunk[3])
        elif line == 0:
            continue
        elif row.startswith("+"):
            yield line
            line += 1
        elif row.startswith("-"):
            yield max(1, line - 1)
        elif not row.startswith("\\"):
            line += 1
