"""A reading: a text in another form, with a map back to its bytes.

A form is made by changes, each of which replaces a span by other bytes. Only the lines near a
change are kept, because the rest is the same as in the text itself.

Units: `here` are offsets into the reading, `there` are offsets into the text that it reads.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import attrs

from sightline.text import Span

Change = tuple[int, int, bytes]
"""Start, end and the replacement in the reading."""

_NEAR = 320
"""The bytes that are kept on either side of a change: the evidence for a secret is close to it."""
_EDGE = 400
"""The additional bytes that are searched for the end of a line or word at which to cut."""
_LINE_START = re.compile(rb"\n")
_WORD_END = re.compile(rb"[\s\"'`,;{}()<>]")


@attrs.frozen
class Reading:
    data: bytes
    _here: list[int]
    """Where each piece begins in `data`, ascending."""
    _there: list[int]
    """Where it begins in the text."""
    _ends: list[int]
    """Where it ends in the text, for a replaced piece; -1 for a verbatim one."""
    _before: Reading | None = None
    """The reading from which this one was made."""

    def span_of(self, span: Span) -> Span:
        """Return the bytes of the text for a span of this reading, including hidden ones inside."""
        first = bisect_right(self._here, span.start) - 1
        last = bisect_right(self._here, span.end - 1) - 1
        start, end = self._there[first], self._ends[last]
        if self._ends[first] < 0:
            start += span.start - self._here[first]
        if end < 0:
            end = self._there[last] + span.end - self._here[last]
        behind = Span(start, max(end, start + 1))
        return self._before.span_of(behind) if self._before else behind


def changed(data: bytes, changes: Sequence[Change], before: Reading | None) -> Reading:
    """Return the reading of a text with every change, limited to the text near the changes.

    Changes are in order and do not overlap; there is at least one.
    """
    pieces: list[bytes] = []
    there: list[int] = []
    ends: list[int] = []
    position = -1
    """The end of the text that is in the pieces; -1 before the first piece."""
    reach = -1
    """The end of the text that is to be kept."""
    for start, end, plain in changes:
        if position < 0 or start - _NEAR > reach:
            if position >= 0:
                _close(data, pieces, there, ends, position, reach)
            position = _first_kept(data, start, max(0, position))
            if pieces:
                pieces.append(b"\n")
                there.append(position)
                ends.append(position)
        pieces.append(data[position:start])
        there.append(position)
        ends.append(-1)
        pieces.append(plain)
        there.append(start)
        ends.append(end)
        position = end
        reach = end + _NEAR
    _close(data, pieces, there, ends, position, reach)
    here = [0, *accumulate(map(len, pieces))]
    here.pop()
    return Reading(b"".join(pieces), here, there, ends, before)


def _close(
    data: bytes,
    pieces: list[bytes],
    there: list[int],
    ends: list[int],
    position: int,
    reach: int,
) -> None:
    """Add the text that is kept after the last change of a group."""
    end = len(data)
    if reach < end:
        found = _LINE_START.search(data, reach, reach + _EDGE)
        if found is None:
            found = _WORD_END.search(data, reach, reach + _EDGE)
        end = min(end, found.start() if found else reach + _EDGE)
    pieces.append(data[position:end])
    there.append(position)
    ends.append(-1)


def _first_kept(data: bytes, start: int, least: int) -> int:
    """Return where to begin before a change: at a line, otherwise after a word, within bounds."""
    latest = start - _NEAR
    if latest <= least:
        return least
    earliest = max(least, latest - _EDGE)
    line = data.rfind(b"\n", earliest, latest)
    if line >= 0:
        return line + 1
    found = _WORD_END.search(data, earliest, latest)
    return found.end() if found else latest
