"""Values that are secrets wherever they occur, and one search for all of them.

If one document shows that a value is certainly a secret, it is a secret in every document, path and
report of the same answer.

How the search stays linear: a long value is cut into pieces of 64 bytes, each a value of its own.
Every value has at least eight bytes. So one of the five groups of four bytes that begin in its
first five bytes is at a multiple of five, wherever the value is: only those groups are looked up. A
group leads to at most 64 beginnings to compare, however many values there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import attrs

from sightline.egress.model import Certainty, Finding
from sightline.egress.randomness import is_random
from sightline.egress.views import readings
from sightline.text import Span

SHORTEST_KNOWN = 8
"""In bytes. Shorter values occur in other texts by chance."""

_COUNTS_IN_NAMES = 12
"""In bytes. A value of this length is recognised even in the middle of a longer name."""
_PIECE = 64
_GROUP = 4
_STRIDE = SHORTEST_KNOWN - _GROUP + 1

_WORD = re.compile(rb"[A-Za-z_]{1,15}")
_ALPHANUMERIC = re.compile(rb"[A-Za-z0-9]{2}")
_TOKEN = re.compile(rb"[A-Za-z0-9+/_-]{12,}")


@attrs.frozen
class KnownSecrets:
    """Values, with the detector that found each. Only spans ever leave this object."""

    _values: Mapping[bytes, Finding]
    _lengths: Mapping[bytes, tuple[int, ...]]
    """By each beginning of a value whose size is a multiple of eight: the lengths of the values
    that begin so and are at most seven bytes longer; the longest first.
    """
    _groups: Mapping[bytes, tuple[int, ...]]
    """The positions of each group of four bytes in the beginnings of values."""

    def __bool__(self) -> bool:
        return bool(self._values)

    def places(self, data: bytes) -> list[Finding]:
        """Return where any of the values occurs in a text, ordered, without overlaps."""
        merged: list[tuple[int, int, Finding, bool]] = []
        for start, end, finding in sorted(self._matches(data), key=lambda each: each[:2]):
            if merged and start <= merged[-1][1]:
                first, before, name, is_bounded = merged[-1]
                is_bounded = is_bounded and finding.is_bounded
                merged[-1] = (first, max(before, end), name, is_bounded)
            else:
                merged.append((start, end, finding, finding.is_bounded))
        return [
            attrs.evolve(finding, span=Span(start, end), is_bounded=is_bounded)
            for start, end, finding, is_bounded in merged
        ]

    def _matches(self, data: bytes) -> Iterator[tuple[int, int, Finding]]:
        groups = self._groups
        if not groups:
            return
        for position in range(0, len(data) - _GROUP + 1, _STRIDE):
            offsets = groups.get(data[position : position + _GROUP])
            if offsets is not None:
                for offset in offsets:
                    if offset <= position:
                        yield from self._longest(data, position - offset)

    def _longest(self, data: bytes, start: int) -> Iterator[tuple[int, int, Finding]]:
        """Return the longest value that begins at an offset, if there is one."""
        left = len(data) - start
        candidates: list[int] = []
        size = 8
        while size <= left:
            lengths = self._lengths.get(data[start : start + size])
            if lengths is None:
                break
            candidates[:0] = lengths
            size += 8
        for length in candidates:
            end = start + length
            found = self._values.get(data[start:end]) if length <= left else None
            if found is None:
                continue
            if length < _COUNTS_IN_NAMES and (_goes_on(data, start) or _goes_on(data, end)):
                continue
            yield start, end, found
            return


def known_secrets(
    scanned: Iterable[tuple[bytes, Iterable[Finding]]], *, with_uncertain: bool = False
) -> KnownSecrets:
    """Return the values that are secret in other texts too: certain secrets that are not words.

    Uncertain secrets with known bounds count only in their own text, and only if the caller says
    so; weak ones never. Of two findings of one value the first is kept.
    """
    values: dict[bytes, Finding] = {}
    for data, findings in scanned:
        for finding in findings:
            if finding.certainty is Certainty.CERTAIN or (
                with_uncertain and finding.certainty is Certainty.UNCERTAIN and finding.is_bounded
            ):
                value = data[finding.span.start : finding.span.end]
                for form in (value, *(reading.data for reading in readings(value))):
                    for piece in _pieces(form):
                        values.setdefault(piece, finding)
    return _searchable(values)


def _searchable(values: Mapping[bytes, Finding]) -> KnownSecrets:
    groups: dict[bytes, set[int]] = {}
    lengths: dict[bytes, set[int]] = {}
    for value in values:
        for offset in range(_STRIDE):
            groups.setdefault(value[offset : offset + _GROUP], set()).add(offset)
        for size in range(8, len(value) + 1, 8):
            reached = lengths.setdefault(value[:size], set())
            if len(value) < size + 8:
                reached.add(len(value))
    return KnownSecrets(
        values,
        {start: tuple(sorted(each, reverse=True)) for start, each in lengths.items()},
        {group: tuple(sorted(offsets)) for group, offsets in groups.items()},
    )


NOTHING_KNOWN = known_secrets(())


def _pieces(value: bytes) -> Iterator[bytes]:
    """Return what is searched for a value: the value, its pieces, or the lines of a key."""
    if b"\n" in value:
        # A key is found by its lines: elsewhere they may be wrapped or quoted differently. A list
        # of too many secrets is found by each of them.
        for token in _TOKEN.findall(value):
            if is_random(token, 12):
                yield from _pieces(token)
    elif len(value) > _PIECE:
        starts = [*range(0, len(value) - _PIECE, _PIECE), len(value) - _PIECE]
        yield from (value[start : start + _PIECE] for start in starts)
    elif len(value) >= SHORTEST_KNOWN and not _is_word(value):
        yield value


def _is_word(value: bytes) -> bool:
    """True if it may well have another meaning elsewhere."""
    return _WORD.fullmatch(value) is not None and not is_random(value, SHORTEST_KNOWN)


def _goes_on(data: bytes, offset: int) -> bool:
    """True if letters or digits continue across an offset."""
    return _ALPHANUMERIC.fullmatch(data[max(0, offset - 1) : offset + 1]) is not None
