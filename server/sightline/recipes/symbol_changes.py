"""Find the symbols of a file that a change touches: added, deleted, renamed or modified.

Lines are 1-based. Invariant: every changed line after the change is in the region of a reported
symbol, or in `loose_lines`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import attrs

_LEAST_LIKENESS = 60
"""The percentage of lines that a renamed symbol must share with its old version."""
_LONGEST_REGION = 200
_LONGEST_USER = 80
_USER_HEADER = 3
_WIDE, _NARROW = 10, 3


@attrs.frozen
class SymbolRegion:
    name: str
    """Qualified."""
    kind: str
    first: int
    last: int
    number: int = 0
    """The number of symbols with that name before it in the file."""
    has_parts: bool = False
    """True if it contains other symbols."""

    @property
    def key(self) -> tuple[str, int]:
        return self.name, self.number


@attrs.frozen
class SymbolChange:
    change: str
    """`added`, `deleted`, `modified` or `renamed`."""
    old: SymbolRegion | None
    new: SymbolRegion | None
    old_lines: tuple[int, ...]
    """Its deleted lines."""
    new_lines: tuple[int, ...]
    """Its new lines."""


@attrs.frozen
class ChangedLines:
    """The lines of a file that a change deletes, and those that it adds."""

    old: tuple[int, ...]
    new: tuple[int, ...]


def symbol_regions(found: Sequence[tuple[str, str, int, int]]) -> list[SymbolRegion]:
    """Return regions for names, kinds, first and last lines, in source order."""
    numbers: Counter[str] = Counter()
    regions = []
    for index, (name, kind, first, last) in enumerate(found):
        follows = found[index + 1] if index + 1 < len(found) else None
        has_parts = follows is not None and follows[2] >= first and follows[3] <= last
        has_parts = has_parts and (follows[2], follows[3]) != (first, last) if follows else False
        regions.append(SymbolRegion(name, kind, first, last, numbers[name], has_parts))
        numbers[name] += 1
    return regions


def symbol_changes(
    old: Sequence[SymbolRegion],
    new: Sequence[SymbolRegion],
    changed: ChangedLines,
    old_text: Sequence[str],
    new_text: Sequence[str],
) -> tuple[list[SymbolChange], tuple[int, ...]]:
    """Return the symbols that a change touches, and its new lines that are in none of them."""
    gone, _ = _touched(old, changed.old, len(old_text))
    come, loose = _touched(new, changed.new, len(new_text))
    olds, news = {each.key: each for each in old}, {each.key: each for each in new}
    deleted = _outermost([each for each in old if each.key in gone and each.key not in news])
    added = _outermost([each for each in new if each.key in come and each.key not in olds])
    renamed = _renamed(deleted, added, old_text, new_text)
    renamed_from = {one.key for one, _ in renamed}
    renamed_to = {other.key: one for one, other in renamed}
    whole = {each.key: each for each in added}
    changes = []
    for each in new:
        if each.key in renamed_to:
            was = renamed_to[each.key]
            changes.append(_change("renamed", was, whole[each.key], changed))
        elif each.key in whole:
            changes.append(_change("added", None, whole[each.key], changed))
        elif each.key in olds and (each.key in gone or each.key in come):
            lines = tuple(sorted(gone.get(each.key, ()))), tuple(sorted(come.get(each.key, ())))
            changes.append(SymbolChange("modified", olds[each.key], each, *lines))
    for each in deleted:
        if each.key not in renamed_from:
            changes.append(_change("deleted", each, None, changed))
    return changes, loose


def shown_lines(region: SymbolRegion, lines: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pieces of a symbol to show, given its changed lines.

    A symbol is shown whole, unless it is very long or contains other symbols.
    """
    if not region.has_parts and region.last - region.first < _LONGEST_REGION:
        return [(region.first, region.last)]
    around = _NARROW if region.has_parts else _WIDE
    pieces = windows(lines, region.first, region.last, around)
    if not pieces or pieces[0][0] > region.first + 1:
        return [(region.first, region.first), *pieces]
    return [(region.first, pieces[0][1]), *pieces[1:]]


def user_lines(region: SymbolRegion, use: int | None) -> list[tuple[int, int]]:
    """Return the pieces to show of a symbol that uses a changed one, in the line `use`.

    A test suite may be one function of thousands of lines: of a long symbol, the beginning and the
    lines around the use are shown.
    """
    if region.last - region.first < _LONGEST_USER:
        return [(region.first, region.last)]
    header = (region.first, region.first + _USER_HEADER - 1)
    if use is None or not region.first <= use <= region.last:
        return [header]
    return [header, *windows([use], region.first, region.last, _WIDE)]


def windows(lines: Sequence[int], first: int, last: int, around: int) -> list[tuple[int, int]]:
    """Return merged windows around some lines, between a first and a last line."""
    pieces: list[tuple[int, int]] = []
    for line in sorted(lines):
        start, end = max(first, line - around), min(last, line + around)
        if pieces and start <= pieces[-1][1] + 1:
            pieces[-1] = (pieces[-1][0], max(end, pieces[-1][1]))
        elif start <= end:
            pieces.append((start, end))
    return pieces


def _touched(
    regions: Sequence[SymbolRegion], lines: Sequence[int], count: int
) -> tuple[dict[tuple[str, int], set[int]], tuple[int, ...]]:
    """Return, for some lines, those in each innermost symbol, and the other ones."""
    innermost: list[SymbolRegion | None] = [None] * (count + 2)
    for each in regions:
        for line in range(each.first, min(each.last, count) + 1):
            innermost[line] = each
    found: dict[tuple[str, int], set[int]] = {}
    loose = []
    for line in lines:
        around = innermost[line] if line <= count else None
        if around is None:
            loose.append(line)
        else:
            found.setdefault(around.key, set()).add(line)
    return found, tuple(loose)


def _outermost(regions: Sequence[SymbolRegion]) -> list[SymbolRegion]:
    """Return regions without those inside another one of them."""
    kept: list[SymbolRegion] = []
    for each in regions:
        if not kept or each.last > kept[-1].last:
            kept.append(attrs.evolve(each, has_parts=False))
    return kept


def _renamed(
    deleted: Sequence[SymbolRegion],
    added: Sequence[SymbolRegion],
    old_text: Sequence[str],
    new_text: Sequence[str],
) -> list[tuple[SymbolRegion, SymbolRegion]]:
    """Return pairs of a deleted and an added symbol that are mostly the same, the most similar
    first.
    """
    pairs = []
    for one in deleted:
        lines = _lines(one, old_text)
        for other in added:
            if one.kind == other.kind:
                likeness = _likeness(lines, _lines(other, new_text))
                if likeness >= _LEAST_LIKENESS:
                    pairs.append((-likeness, one.first, other.first, one, other))
    found: list[tuple[SymbolRegion, SymbolRegion]] = []
    for *_, one, other in sorted(pairs, key=lambda each: each[:3]):
        if all(one != was and other != now for was, now in found):
            found.append((one, other))
    return found


def _lines(region: SymbolRegion, text: Sequence[str]) -> Counter[str]:
    # The first line contains the name.
    lines = [line.strip() for line in text[region.first : region.last]]
    return Counter(line for line in lines if line)


def _likeness(one: Counter[str], other: Counter[str]) -> int:
    most = max(one.total(), other.total())
    return 100 * (one & other).total() // most if most else 0


def _change(
    change: str, old: SymbolRegion | None, new: SymbolRegion | None, changed: ChangedLines
) -> SymbolChange:
    def inside(region: SymbolRegion | None, lines: Sequence[int]) -> tuple[int, ...]:
        if region is None:
            return ()
        return tuple(each for each in lines if region.first <= each <= region.last)

    return SymbolChange(change, old, new, inside(old, changed.old), inside(new, changed.new))
