"""Find where the units of a file begin and end.

A unit is a function or method with the comment above it, or a piece of at most 40 lines of the code
around them. Pieces end at blank lines if possible, and at the edges of types.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence, Set
from itertools import accumulate

import attrs

from sightline.symbols import CALLABLE_KINDS, TYPE_KINDS, Definition

LONGEST_PIECE = 40
_SHORTEST_PIECE = 16
_BRACKETS = b" \t\r\n\f\v(){}[];,"


@attrs.frozen
class Lines:
    """The lines of a text: where each starts, and which contain only brackets or blanks."""

    starts: Sequence[int]
    is_blank: Sequence[bool]
    size: int

    @property
    def count(self) -> int:
        return len(self.starts)

    def at(self, offset: int) -> int:
        """Return the 0-based line of an offset."""
        return bisect_right(self.starts, offset) - 1

    def start(self, line: int) -> int:
        return self.starts[line] if line < self.count else self.size


@attrs.frozen
class Cut:
    """A unit as lines of its file, 0-based, the last one exclusive."""

    first: int
    end: int
    definition: int
    """The function, or the definition that contains the piece; -1 for none."""
    is_function: bool


def lines_of(data: bytes) -> Lines:
    # Split bytes as a `Text` does: only at `\n`, `\r\n` and `\r`.
    pieces = data.splitlines(keepends=True)
    starts = list(accumulate(map(len, pieces), initial=0))
    starts.pop()
    return Lines(starts, [not piece.strip(_BRACKETS) for piece in pieces], len(data))


def cut_units(
    lines: Lines, definitions: Sequence[Definition], comment_ends: Sequence[tuple[int, int]]
) -> list[Cut]:
    """Return the units of a text. `comment_ends` are start and end line of each comment."""
    above = {end: start for start, end in comment_ends}
    functions: list[tuple[int, int, int]] = []
    edges: list[tuple[int, int, int]] = []
    walls: set[int] = set()
    reached = 0
    for number, each in enumerate(definitions):
        first, end = lines.at(each.start), lines.at(max(each.start, each.end - 1)) + 1
        if (each.kind in CALLABLE_KINDS and each.body >= 0) or each.kind in _FUNCTIONS:
            if first < reached:
                continue
            start = _with_comments(above, first, reached)
            functions.append((start, end, number))
            reached = end
        elif end - first > 1 and first >= reached:
            start = _with_comments(above, first, reached)
            edges.append((start, end, number))
            if each.kind in TYPE_KINDS:
                walls |= {start, end}
    return _fill(lines, functions, _Holders(edges, walls))


_FUNCTIONS = frozenset(["function", "method", "constructor"])


def _with_comments(above: dict[int, int], first: int, lowest: int) -> int:
    """Return where the comments directly above a line start."""
    while first > lowest:
        start = above.get(first - 1, -1)
        if start < lowest or start < 0:
            break
        first = start
    return first


class _Holders:
    """The type or namespace that contains lines. Must be asked from the top of
    a file to its end.
    """

    def __init__(self, edges: Sequence[tuple[int, int, int]], walls: Set[int]) -> None:
        self._edges = sorted(edges, key=lambda each: (each[0], -each[1], each[2]))
        self._next = 0
        self._around: list[tuple[int, int]] = []
        self.lines = frozenset(line for start, end, _ in edges for line in (start, end))
        self.walls = sorted(walls)
        """Lines where types begin and end: no piece crosses one."""

    def of(self, first: int, end: int) -> int:
        """Return the innermost definition around some lines, or the first one in them, or -1."""
        edges = self._edges
        while self._next < len(edges) and edges[self._next][0] <= first:
            _, last, number = edges[self._next]
            self._around.append((last, number))
            self._next += 1
        ended = -1
        while self._around and self._around[-1][0] < end:
            last, ended = self._around.pop()
            ended = ended if last > first else -1
        if self._around:
            return self._around[-1][1]
        if ended >= 0:
            return ended
        if self._next < len(edges) and edges[self._next][1] <= end:
            return edges[self._next][2]
        return -1


def _fill(lines: Lines, functions: Sequence[tuple[int, int, int]], holders: _Holders) -> list[Cut]:
    units: list[Cut] = []
    position = 0
    for start, end, number in functions:
        _add_pieces(units, lines, position, start, holders)
        units.append(Cut(start, end, number, True))
        position = end
    _add_pieces(units, lines, position, lines.count, holders)
    return units


def _add_pieces(units: list[Cut], lines: Lines, first: int, end: int, holders: _Holders) -> None:
    """Cut lines between functions into pieces."""
    blank = lines.is_blank
    while first < end:
        if blank[first]:
            first += 1
            continue
        last = _end_of_piece(lines, first, end, holders)
        while last > first and blank[last - 1]:
            last -= 1
        units.append(Cut(first, last, holders.of(first, last), False))
        first = last


def _end_of_piece(lines: Lines, first: int, end: int, holders: _Holders) -> int:
    where = bisect_right(holders.walls, first)
    if where < len(holders.walls):
        end = min(end, holders.walls[where])
    most = first + LONGEST_PIECE
    if end <= most:
        return end
    for line in range(most, first + _SHORTEST_PIECE, -1):
        if lines.is_blank[line] or line in holders.lines:
            return line
    return most
