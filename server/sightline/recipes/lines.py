"""Cut a file by lines: windows around the lines that matter, and lines that are too long.

A line ends at `\n`; a `\r` before it belongs to the line. Line numbers are 1-based.

Invariant: `kept` counts the lines that stand in the result as they stand in the file, so something
was cut if and only if fewer lines were kept than there were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

MARKER = "..."
LONGEST_LINE = 2_000
NO_LIMIT = 1 << 62
CONTEXT_LINES = 10


@attrs.frozen
class CutText:
    text: str
    lines: int
    """The number of lines of the whole text."""
    kept: int
    """The number of lines that are in `text` unchanged."""

    @property
    def is_cut(self) -> bool:
        return self.kept < self.lines


def truncate_file(
    content: str,
    max_lines: int,
    around_lines: Sequence[int] | None = None,
    *,
    context_lines: int = CONTEXT_LINES,
) -> str:
    """Return a file with at most `max_lines` of its lines, and `...` for each piece left out.

    A file that is short enough is returned whole. Otherwise `context_lines` before and after each
    of `around_lines` are kept, fewer if these windows have more than `max_lines` lines; without
    such lines, the beginning is kept. A line of more than 2,000 characters is cut.
    """
    return cut_file(content, max_lines, around_lines or (), context_lines).text


def truncate_line(line: str, max_chars: int = LONGEST_LINE) -> str:
    """Return a line with at most `max_chars` of its characters, and `...` if there were more."""
    return line if len(line) <= max_chars else line[: max(0, max_chars)] + MARKER


def cut_file(
    content: str, max_lines: int, around_lines: Iterable[int], context_lines: int = CONTEXT_LINES
) -> CutText:
    """Do what `truncate_file` does, and say how much was kept."""
    ranges = kept_ranges(count_lines(content), max_lines, around_lines, context_lines)
    return cut_to(content, ranges)


def kept_ranges(
    count: int, max_lines: int, around_lines: Iterable[int], context_lines: int = CONTEXT_LINES
) -> list[tuple[int, int]]:
    """Return the first and last line of each piece that is kept, in order."""
    if count <= max_lines:
        return [(1, count)] if count else []
    most = max(0, max_lines)
    # A compiler may name the line after the last one.
    targets = sorted({min(line, count) for line in around_lines if line >= 1})
    if not targets:
        return [(1, most)] if most else []
    context = max(0, context_lines)
    while context and _size(_windows(targets, count, context)) > most:
        context -= 1
    if not context:
        targets = targets[:most]
    return _windows(targets, count, context)


def cut_to(content: str, ranges: Sequence[tuple[int, int]]) -> CutText:
    """Return the given pieces of a text, with `...` for the lines before,
    between and after them.
    """
    lines = content.split("\n")
    pieces = [(first, last, "\n".join(lines[first - 1 : last])) for first, last in ranges]
    return joined_pieces(pieces, count_lines(content), ends_line=content.endswith("\n"))


def joined_pieces(
    pieces: Sequence[tuple[int, int, str]],
    count: int,
    *,
    ends_line: bool,
    longest_line: int = LONGEST_LINE,
) -> CutText:
    """Return pieces of a text of `count` lines as one text: first line, last line and text of each.

    The text of a piece may have fewer lines than the piece, if something in it was replaced.
    """
    parts: list[str] = []
    kept = 0
    next_line = 1
    for first, last, text in pieces:
        if first > next_line:
            parts.append(MARKER)
        lines = text.split("\n")
        short = [truncate_line(line, longest_line) for line in lines]
        kept += (
            last - first + 1 - sum(one != other for one, other in zip(short, lines, strict=True))
        )
        parts += short
        next_line = last + 1
    if next_line <= count:
        parts.append(MARKER)
    elif ends_line:
        parts.append("")
    return CutText("\n".join(parts), count, kept)


def count_lines(content: str) -> int:
    """Return the number of lines of a text; a line break at its end begins no further line."""
    if not content:
        return 0
    return content.count("\n") + (not content.endswith("\n"))


def _windows(targets: Sequence[int], count: int, context: int) -> list[tuple[int, int]]:
    windows: list[tuple[int, int]] = []
    for line in targets:
        first, last = max(1, line - context), min(count, line + context)
        if windows and first <= windows[-1][1] + 1:
            windows[-1] = (windows[-1][0], max(last, windows[-1][1]))
        else:
            windows.append((first, last))
    return windows


def _size(windows: Sequence[tuple[int, int]]) -> int:
    return sum(last - first + 1 for first, last in windows)
