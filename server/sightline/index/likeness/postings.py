"""The terms of a workspace: where each occurs, and which units share most with a query.

The value of a unit is BM25F. The counts of each term in the fields are weighted, divided by a
factor for the length of the field, and added up. The sum is flattened, then multiplied by the
rarity of the term and by its weight in the query. Lengths are compared with fixed values and not
with the average of the workspace, so that a file's contribution depends on that file alone.

Invariants:

* Whole numbers; the order is total: value, path as bytes, line.
* The answer depends only on the counts of the given files. What was assembled earlier only decides
  how fast it is.
"""

from __future__ import annotations

import heapq
from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

import attrs

from sightline.index.likeness.fixed_point import ONE, log2, rarity
from sightline.index.likeness.model import FIELDS, FileTerms, Like, Matches, Unit
from sightline.index.likeness.words import TermHasher, spelled_terms
from sightline.index.path_names import bytewise

MOST_SHARED = 5
_MOST_CHANGED = 48
"""If more files than this differ from the assembled counts, everything is assembled again."""
_RARE_SHARE = 40
_FEW = 400
"""A term is rare if at most so many units have it, or one in `_RARE_SHARE`."""
_LOOK_AHEAD = 3
"""For the terms that are not rare, so many times the requested number of units is considered."""
_UNIT_BITS = 24
_UNIT_MASK = (1 << _UNIT_BITS) - 1
_ROW_MASK = (1 << 32) - 1


@attrs.frozen
class Weights:
    """The weights of fields, times `ONE`, in the order of `Field`."""

    fields: tuple[int, ...] = tuple(ONE * each // 4 for each in (8, 2, 2, 4, 4, 6, 4))
    flatness: tuple[int, ...] = tuple(ONE * each // 20 for each in (12, 15, 15, 15, 15, 15, 10))
    """How much the length of a field counts: at 0 not at all, at `ONE` fully."""
    lengths: tuple[int, ...] = (2, 4, 6, 6, 20, 10, 6)
    """The number of words in a field of a typical unit."""
    saturation: int = ONE
    """How much of a term gives half of its maximal weight in a unit."""


UNIT_WEIGHTS = Weights()
_USUAL_FILE = 1_000
"""The number of words in a typical file, and how much the length of a file counts."""
_FILE_FLATNESS = ONE * 7 // 10


class FileCounts:
    """The counts of one file, unpacked as far as needed."""

    def __init__(self, packed: FileTerms) -> None:
        self._packed = packed
        self.terms = memoryview(packed.terms).cast("Q")
        self.lines = memoryview(packed.lines).cast("I")
        self.unit_count = len(packed.symbols)
        self._factors: dict[Weights, list[tuple[int, ...] | None]] = {}

    @cached_property
    def _offsets(self) -> list[int]:
        return [0, *accumulate(_column(self._packed.sizes, len(self.terms)))]

    @cached_property
    def _postings(self) -> memoryview[int]:
        return _column(self._packed.postings, self._offsets[-1])

    def symbol(self, unit: int) -> str | None:
        return self._packed.symbols[unit] or None

    @cached_property
    def length(self) -> int:
        """The number of words in the file."""
        return sum(self.lengths)

    @cached_property
    def lengths(self) -> memoryview[int]:
        """The number of words in each field of each unit, `FIELDS` numbers per unit."""
        return memoryview(self._packed.lengths).cast("H")

    def postings(self, row: int) -> memoryview[int]:
        """Return where in the file a term occurs; see `FileTerms.postings`."""
        return self._postings[self._offsets[row] : self._offsets[row + 1]]

    def row(self, term: int) -> int:
        """Return the index of a term among those of the file, or -1."""
        row = bisect_left(self.terms, term)
        return row if row < len(self.terms) and self.terms[row] == term else -1

    def size(self, row: int) -> int:
        """Return in how many fields of units a term occurs."""
        return self._offsets[row + 1] - self._offsets[row]

    def share(
        self,
        row: int,
        term: int,
        factor: int,
        weights: Weights,
        shares: Mapping[int, list[tuple[int, int]]],
    ) -> None:
        """Add what some units share through a term."""
        factors = self._unit_factors(weights)
        totals: dict[int, int] = {}
        for posting in self._postings[self._offsets[row] : self._offsets[row + 1]]:
            unit = posting >> 8
            if unit in shares:
                each = factors[unit] or self._factors_of(unit, weights)
                totals[unit] = totals.get(unit, 0) + (posting & 31) * each[posting >> 5 & 7]
        flat = weights.saturation
        top = factor * (flat + ONE)
        for unit, total in totals.items():
            shares[unit].append((top * total // (flat + total) // ONE, term))

    def totals(self, row: int, weights: Weights) -> list[tuple[int, int]]:
        """Return the units that have a term, each with the weight of its
        occurrences, times `ONE`.
        """
        factors = self._unit_factors(weights)
        found: list[tuple[int, int]] = []
        last = -1
        # The fields of one unit follow one another.
        for posting in self._postings[self._offsets[row] : self._offsets[row + 1]]:
            unit = posting >> 8
            each = factors[unit] or self._factors_of(unit, weights)
            amount = (posting & 31) * each[posting >> 5 & 7]
            if unit == last:
                amount += found.pop()[1]
            found.append((unit, amount))
            last = unit
        return found

    def _unit_factors(self, weights: Weights) -> list[tuple[int, ...] | None]:
        found = self._factors.get(weights)
        if found is None:
            found = self._factors[weights] = [None] * self.unit_count
        return found

    def _factors_of(self, unit: int, weights: Weights) -> tuple[int, ...]:
        """Return the value of one occurrence in each field of a unit."""
        lengths = self.lengths[unit * FIELDS : (unit + 1) * FIELDS]
        found = tuple(
            weight * ONE * usual // ((ONE - flat) * usual + flat * length)
            for weight, flat, usual, length in zip(
                weights.fields, weights.flatness, weights.lengths, lengths, strict=True
            )
        )
        self._unit_factors(weights)[unit] = found
        return found


def _column(data: bytes, count: int) -> memoryview[int]:
    """Return so many numbers of the width that the data has."""
    numbers = memoryview(data)
    width = len(data) // count if count else 1
    return numbers.cast("I") if width == 4 else numbers.cast("H") if width == 2 else numbers


class _Assembled:
    """Where each term of some files occurs."""

    def __init__(self, files: Mapping[str, tuple[bytes, FileCounts]]) -> None:
        self.files = files
        """By path: the content that was counted, and its counts."""
        self.paths = list(files)
        self.counts = [counts for _, counts in files.values()]
        found: dict[int, list[int]] = {}
        for number, counts in enumerate(self.counts):
            for row, term in enumerate(counts.terms, number << 32):
                known = found.get(term)
                if known is None:
                    found[term] = [row]
                else:
                    known.append(row)
        ordered = sorted(found)
        self._terms = array("Q", ordered)
        self._ends = array("I", accumulate(len(found[term]) for term in ordered))
        self._rows = array("Q")
        for term in ordered:
            self._rows.extend(found[term])

    def rows(self, term: int) -> Sequence[int]:
        """Return the files that have a term: the number of each, 32 bits, and the row in it."""
        at = bisect_left(self._terms, term)
        if at == len(self._terms) or self._terms[at] != term:
            return ()
        return self._rows[self._ends[at - 1] if at else 0 : self._ends[at]]


class TermCache:
    """The most recently unpacked and assembled counts, of any snapshot."""

    def __init__(self, key: bytes) -> None:
        self.hasher = TermHasher(key)
        self.assembled = _Assembled({})
        self.recent: dict[str, tuple[bytes, FileCounts]] = {}
        """Files that have changed since; by path: the content that was counted, and its counts."""


class Likeness:
    """The counts of one snapshot."""

    def __init__(
        self,
        cache: TermCache,
        contents: Mapping[str, bytes],
        load: Callable[[str], FileTerms | None],
    ) -> None:
        """`contents` maps each file whose terms are counted to the content that was counted."""
        self._hasher = cache.hasher
        self._load = load
        self._base = cache.assembled
        changed = self._changed(contents)
        if len(changed) > _MOST_CHANGED:
            cache.assembled = self._base = _Assembled(self._all(contents))
            cache.recent = {}
            changed = {}
        self._gone = {
            number
            for number, path in enumerate(self._base.paths)
            if path in changed or path not in contents
        }
        self._gone_paths = frozenset(self._base.paths[number] for number in self._gone)
        self._recent = self._counts_of(changed, cache)
        self._paths = [*self._base.paths, *self._recent]
        self._counts = [*self._base.counts, *self._recent.values()]

    def _changed(self, contents: Mapping[str, bytes]) -> dict[str, bytes]:
        known = self._base.files
        missing: tuple[bytes, FileCounts | None] = (b"", None)
        return {
            path: content
            for path, content in contents.items()
            if known.get(path, missing)[0] != content
        }

    def _all(self, contents: Mapping[str, bytes]) -> dict[str, tuple[bytes, FileCounts]]:
        known = self._base.files
        found: dict[str, tuple[bytes, FileCounts]] = {}
        for path in sorted(contents, key=bytewise):
            content = contents[path]
            each = known.get(path)
            if each is None or each[0] != content:
                packed = self._load(path)
                if packed is None:
                    continue
                each = (content, FileCounts(packed))
            found[path] = each
        return found

    def _counts_of(self, changed: Mapping[str, bytes], cache: TermCache) -> dict[str, FileCounts]:
        found: dict[str, FileCounts] = {}
        for path, content in changed.items():
            each = cache.recent.get(path)
            if each is None or each[0] != content:
                packed = self._load(path)
                if packed is None:
                    continue
                each = cache.recent[path] = (content, FileCounts(packed))
            found[path] = each[1]
        return found

    @cached_property
    def unit_count(self) -> int:
        return sum(
            counts.unit_count
            for number, counts in enumerate(self._counts)
            if number not in self._gone
        )

    def counted_files(self) -> list[tuple[int, str, FileCounts]]:
        """Return every counted file, with the number that `having` uses for it."""
        return [
            (number, path, counts)
            for number, (path, counts) in enumerate(zip(self._paths, self._counts, strict=True))
            if number not in self._gone
        ]

    def having(self, term: bytes) -> list[tuple[int, int]]:
        """Return the files that have a term: the number of each, and the row in it."""
        rows = self._rows(self._hasher.hash(term))
        return [(start >> _UNIT_BITS, row) for start, _, row in rows]

    def units(self, path: str) -> Sequence[Unit]:
        """Return the units of a file, in order."""
        counts = self._recent.get(path)
        if counts is None:
            known = self._base.files.get(path)
            if known is None or path in self._gone_paths:
                return ()
            counts = known[1]
        return tuple(_unit(path, counts, each) for each in range(counts.unit_count))

    def like(
        self, query: Sequence[tuple[str, int]], limit: int, weights: Weights = UNIT_WEIGHTS
    ) -> Sequence[Like]:
        """Return the units that share most with a query, at most `limit` of them."""
        return self.matches(query, limit, weights).units

    def matches(
        self, query: Sequence[tuple[str, int]], limit: int, weights: Weights = UNIT_WEIGHTS
    ) -> Matches:
        """Return the units that share most with a query, at most `limit`, and what files share.

        A query contains words as they are written, and the weight of each. Units are found by its
        rare terms; the other terms only add to the units that the rare ones find first. For a file,
        it counts which rare terms occur in it, not how often.
        """
        if limit <= 0:
            return Matches((), {})
        by_file: dict[int, int] = {}
        factors: dict[int, int] = {}
        spelled: dict[int, str] = {}
        found: dict[int, int] = {}
        most_rare = max(_FEW, self.unit_count // _RARE_SHARE)
        for term, (amount, word) in _terms_of(query).items():
            kept = self._hasher.hash(term)
            rows = self._rows(kept)
            having = sum(counts.size(row) for _, counts, row in rows)
            totals: list[tuple[int, int]] = []
            if having <= most_rare:
                totals = [
                    (start + unit, total)
                    for start, counts, row in rows
                    for unit, total in counts.totals(row, weights)
                ]
                having = len(totals)
            factor = log2(1 + amount) * rarity(self.unit_count, min(having, self.unit_count)) // ONE
            if rows and factor:
                factors[kept], spelled[kept] = factor, word
                top, flat = factor * (weights.saturation + ONE), weights.saturation
                for unit, total in totals:
                    found[unit] = found.get(unit, 0) + top * total // (flat + total) // ONE
                if totals:
                    for start, _, _ in rows:
                        by_file[start] = by_file.get(start, 0) + factor
        chosen = self._best(found, _LOOK_AHEAD * limit)
        return Matches(
            self._answers(chosen, limit, factors, spelled, weights),
            {
                self._paths[start >> _UNIT_BITS]: self._file_value(start >> _UNIT_BITS, shared)
                for start, shared in by_file.items()
            },
        )

    def _file_value(self, number: int, shared: int) -> int:
        """Return the value of the rare terms of a file; a longer file has a lower value."""
        long_ = _FILE_FLATNESS * self._counts[number].length // _USUAL_FILE
        return shared * 2 * ONE // (2 * ONE - _FILE_FLATNESS + long_)

    def _rows(self, term: int) -> list[tuple[int, FileCounts, int]]:
        """Return the files that have a term: the first number of their units, and the row."""
        gone, files = self._gone, self._counts
        rows = [
            (number << _UNIT_BITS, files[number], each & _ROW_MASK)
            for each in self._base.rows(term)
            if (number := each >> 32) not in gone
        ]
        first = len(self._base.paths)
        for number, counts in enumerate(self._recent.values(), first):
            row = counts.row(term)
            if row >= 0:
                rows.append((number << _UNIT_BITS, counts, row))
        return rows

    def _best(self, values: Mapping[int, int], limit: int) -> list[int]:
        """Return the units with the highest values, in any order."""
        if len(values) <= limit:
            return list(values)
        least = heapq.nlargest(limit, values.values())[-1]
        above = [unit for unit, value in values.items() if value > least]
        equal = [unit for unit, value in values.items() if value == least]
        equal.sort(key=self._place)
        return above + equal[: limit - len(above)]

    def _place(self, unit: int) -> tuple[bytes, int]:
        return bytewise(self._paths[unit >> _UNIT_BITS]), unit & _UNIT_MASK

    def _answers(
        self,
        units: Sequence[int],
        limit: int,
        factors: Mapping[int, int],
        spelled: Mapping[int, str],
        weights: Weights,
    ) -> list[Like]:
        """Return what the best units share with a query, by every term that has a factor."""
        by_file: dict[int, dict[int, list[tuple[int, int]]]] = {}
        for unit in units:
            by_file.setdefault(unit >> _UNIT_BITS, {})[unit & _UNIT_MASK] = []
        ranks: list[tuple[int, bytes, int, int]] = []
        for number, shares in by_file.items():
            counts = self._counts[number]
            place = bytewise(self._paths[number])
            for row, term in enumerate(counts.terms):
                if term in factors:
                    counts.share(row, term, factors[term], weights, shares)
            ranks += [
                (-sum(share for share, _ in found), place, unit, number)
                for unit, found in shares.items()
            ]
        answers: list[Like] = []
        for value, _, unit, number in sorted(ranks)[:limit]:
            words = sorted((-share, spelled[term]) for share, term in by_file[number][unit])
            place_of = _unit(self._paths[number], self._counts[number], unit)
            answers.append(Like(place_of, -value, _heaviest(words)))
        return answers


def _terms_of(query: Sequence[tuple[str, int]]) -> dict[bytes, tuple[int, str]]:
    """Return, by term of a query, its weight and how it is written in the query."""
    found: dict[bytes, tuple[int, str]] = {}
    for word, amount in query:
        for term, written in spelled_terms(word.encode("utf-8", "replace")):
            known = found.get(term)
            total = amount + (known[0] if known else 0)
            found[term] = (total, known[1] if known else written.decode("utf-8", "replace"))
    return found


def _heaviest(shares: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """Return the heaviest words, without the parts of a word that is listed as a whole."""
    chosen: list[str] = []
    for _, word in shares:
        small = word.lower()
        if any(small in each.lower() for each in chosen):
            continue
        chosen = [each for each in chosen if each.lower() not in small]
        chosen.append(word)
        if len(chosen) == MOST_SHARED:
            break
    return tuple(chosen)


def _unit(path: str, counts: FileCounts, unit: int) -> Unit:
    first, last = counts.lines[2 * unit], counts.lines[2 * unit + 1]
    return Unit(path, first, last, counts.symbol(unit))
