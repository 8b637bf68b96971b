"""Pieces: base64 that is split into lines or strings, with any decoration.

Arrays, concatenations, comments, lists, quotes, calls that append: a piece follows another if there
is only punctuation between them, if it is as long as the one before, or if the text between them is
the same as between the two before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

_RUN = re.compile(rb"[A-Za-z0-9+/]{4,}={0,2}")
_WORD = re.compile(rb"[A-Za-z0-9]")
_DIGITS = re.compile(rb"[0-9]+")
_LEAD = b"+/"
_END_MARKER = b"-----END "
_WIDEST_GAP = 120
_MOST_WORDS = 12
"""Between two pieces."""
_SHORTEST_PIECE = 16
_MOST_PIECES = 20_000
_LONGEST = 1 << 18


@attrs.frozen
class Base64Chain:
    content: bytes
    """The pieces, joined."""
    end: int
    """Where the last one ends."""


def chained(data: bytes, start: int, size: int = 0) -> Base64Chain:
    """Return the base64 that begins at an offset, with all its pieces.

    `size` is its number of characters without padding, if that is known.
    """
    first = _RUN.match(data, start)
    if first is None:
        return Base64Chain(b"", start)
    runs = [first.group()]
    total, end = len(runs[0].rstrip(b"=")), first.end()
    lead = data[start - _lead_size(data, start) : start]
    gap: bytes | None = None
    while len(runs) < _MOST_PIECES and total < (size or _LONGEST) and end - start < _LONGEST:
        if runs[-1][-1:] == b"=" and len(b"".join(runs[-1:]).rstrip(b"=")) % 4:
            break
        missing = size - total
        found = _next(data, end, len(runs[0]), missing, gap, lead)
        if found is None:
            break
        begin, stop = found
        gap = _shape(data[end:begin])
        runs.append(data[begin:stop])
        total += len(runs[-1].rstrip(b"="))
        end = stop
    return Base64Chain(b"".join(runs), end)


def _next(
    data: bytes, position: int, width: int, missing: int, gap: bytes | None, lead: bytes
) -> tuple[int, int] | None:
    """Return where the next piece begins and ends."""
    fitting: tuple[int, int] | None = None
    for start, end in _runs(data, position, lead):
        size = len(data[start:end].rstrip(b"="))
        between = data[position:start]
        if _END_MARKER in between:
            # The next text belongs to another block.
            return None
        if _shape(between) == gap and size <= width:
            return start, end
        if fitting is None and size >= _SHORTEST_PIECE:
            is_next = _WORD.search(between) is None
            if is_next or size in (width, missing):
                fitting = start, end
                if gap is None:
                    break
        elif fitting is None and size == missing and _WORD.search(between) is None:
            fitting = start, end
    return fitting


def _runs(data: bytes, position: int, lead: bytes) -> Iterator[tuple[int, int]]:
    """Yield runs of base64 close after an offset, without the beginning that all lines share."""
    for _ in range(_MOST_WORDS):
        found = _RUN.search(data, position, position + _WIDEST_GAP)
        if found is None:
            return
        start = found.start()
        whole = _RUN.match(data, start, start + _LONGEST)
        end = whole.end() if whole is not None else found.end()
        if lead and data[start : start + len(lead)] == lead:
            start += len(lead)
        yield start, end
        position = end


def _shape(gap: bytes) -> bytes:
    """Return a gap with all numbers replaced by one: lines may be numbered."""
    return _DIGITS.sub(b"0", gap)


def _lead_size(data: bytes, start: int) -> int:
    """Return how many signs before a run could be part of it: `//` of a comment."""
    size = 0
    while size < 3 and start - size > 0 and data[start - size - 1] in _LEAD:
        size += 1
    return size
