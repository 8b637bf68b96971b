"""Files and symbols of a workspace with their counted terms, and BM25F over them.

A symbol is a function or method, or a type without its methods; a constructor belongs to its type.
Code outside of every symbol counts only for its file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache, cached_property
from typing import TYPE_CHECKING, TypeVar, cast

import attrs

from sightline.index.finding.path_words import is_test, own_name, terms_of
from sightline.index.likeness.fixed_point import ONE, rarity
from sightline.index.likeness.model import FIELDS
from sightline.index.likeness.postings import FileCounts, Likeness

if TYPE_CHECKING:
    from sightline.index.snapshot import Snapshot

Place = tuple[int, int]
"""The number of a file, and of a symbol in it."""


@attrs.frozen
class LevelWeights:
    """How terms are weighed in files, or in symbols. Times `ONE`, in the order of `Field`."""

    fields: tuple[int, ...]
    flatness: tuple[int, ...]
    """How much the length of a field counts: at 0 not at all, at `ONE` fully."""
    saturation: int
    own_name: int
    """The value of a term that occurs in the name of the file."""
    folder: int
    """The value of a term that occurs in the name of a folder; for symbols, of the last folder."""
    owner: int = 0
    """The value of a term that occurs in the name of the type."""


FILE_LEVEL = LevelWeights(
    fields=tuple(ONE * each for each in (4, 2, 1, 1, 1, 1, 1)),
    flatness=tuple(ONE * each // 20 for each in (6, 15, 15, 15, 15, 15, 15)),
    saturation=2 * ONE,
    own_name=6 * ONE,
    folder=3 * ONE,
)
SYMBOL_LEVEL = LevelWeights(
    fields=tuple(ONE * each // 2 for each in (4, 1, 1, 2, 2, 3, 2)),
    flatness=tuple(ONE * each // 20 for each in (12, 15, 15, 15, 15, 15, 10)),
    saturation=ONE,
    own_name=ONE,
    folder=ONE * 2 // 5,
    owner=ONE * 3 // 5,
)
_COMMON_SHARE = 2
"""A term that occurs in more than one of so many files does not say which of them is meant."""
_COMMON_SYMBOLS = 10
_FEW_SYMBOLS = 1_000
"""So many symbols are considered, whatever the term."""
_KEPT = "corpus"
_MOST_KEPT = 50_000

_Value = TypeVar("_Value")


class _AnswerFile:
    """A file that may be an answer."""

    def __init__(self, number: int, path: str, counts: FileCounts, constructors: Set[str]) -> None:
        self.number = number
        self.path = path
        self.counts = counts
        self._constructors = constructors

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The number of words in each field of the file."""
        return tuple(sum(self.counts.lengths[field::FIELDS]) for field in range(FIELDS))

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The symbols of the file, in order."""
        return tuple(self.number_of)

    @cached_property
    def members(self) -> Mapping[str, Sequence[Place]]:
        """By symbol, the symbols directly inside it."""
        found: dict[str, list[Place]] = {}
        for place, name in zip(self.places, self.symbols, strict=True):
            owner = name.rpartition(".")[0]
            if owner:
                found.setdefault(owner, []).append(place)
        return found

    @cached_property
    def number_of(self) -> Mapping[str, int]:
        """The number of each symbol, by its qualified name."""
        numbered: dict[str, int] = {}
        for unit in range(self.counts.unit_count):
            symbol = self._symbol_of(unit)
            if symbol:
                numbered.setdefault(symbol, len(numbered))
        return numbered

    @cached_property
    def symbol_by_unit(self) -> tuple[int, ...]:
        """The number of the symbol that each unit is part of, or -1."""
        return tuple(
            self.number_of.get(self._symbol_of(unit), -1) for unit in range(self.counts.unit_count)
        )

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The place of each symbol."""
        return tuple((self.number, symbol) for symbol in range(len(self.symbols)))

    @cached_property
    def place_by_unit(self) -> tuple[Place | None, ...]:
        """The place of the symbol that each unit is part of."""
        places = self.places
        return tuple(places[each] if each >= 0 else None for each in self.symbol_by_unit)

    def _symbol_of(self, unit: int) -> str:
        symbol = self.counts.symbol(unit) or ""
        owner, _, name = symbol.rpartition(".")
        is_constructor = name in self._constructors or name == owner.rpartition(".")[2]
        return owner if owner and is_constructor else symbol

    @cached_property
    def line_counts(self) -> tuple[int, ...]:
        """The number of lines of each symbol."""
        found = [0] * len(self.symbols)
        for unit, symbol in enumerate(self.symbol_by_unit):
            if symbol >= 0:
                first, last = self.counts.lines[2 * unit], self.counts.lines[2 * unit + 1]
                found[symbol] += last - first + 1
        return tuple(found)

    @cached_property
    def symbol_lengths(self) -> Sequence[Sequence[int]]:
        """The number of words in each field of each symbol."""
        found = [[0] * FIELDS for _ in self.symbols]
        for unit, symbol in enumerate(self.symbol_by_unit):
            if symbol >= 0:
                lengths = self.counts.lengths[unit * FIELDS : (unit + 1) * FIELDS]
                for field, length in enumerate(lengths):
                    found[symbol][field] += length
        return found


@attrs.frozen
class Spread:
    """Where a term occurs, and how much, times `ONE`."""

    files: Mapping[int, int]
    symbols: Mapping[Place, int]
    file_rarity: int
    symbol_rarity: int


class Corpus:
    """The files of a workspace that may be answers."""

    def __init__(
        self,
        likeness: Likeness,
        is_answer: Callable[[str], bool],
        constructors: Callable[[str], Set[str]],
    ) -> None:
        self._likeness = likeness
        self.files: dict[int, _AnswerFile] = {
            number: _AnswerFile(number, path, counts, constructors(path))
            for number, path, counts in likeness.counted_files()
            if is_answer(path)
        }
        self.numbers = {each.path: number for number, each in self.files.items()}
        self.symbol_count = sum(len(each.symbols) for each in self.files.values())
        self._file_factors: dict[int, tuple[int, ...]] = {}
        self._unit_factors: dict[int, tuple[int, ...]] = {}
        self._kept: dict[object, object] = {}

    def kept(self, key: object, make: Callable[[], _Value]) -> _Value:
        """Return a cached value for a key; it must depend on the snapshot alone."""
        if key not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[key] = make()
        return cast("_Value", self._kept[key])

    @cached_property
    def _usual_file(self) -> tuple[int, ...]:
        return self._averages(len(self.files))

    @cached_property
    def _usual_symbol(self) -> tuple[int, ...]:
        return self._averages(self.symbol_count)

    def _averages(self, count: int) -> tuple[int, ...]:
        totals = [0] * FIELDS
        for each in self.files.values():
            for field, length in enumerate(each.lengths):
                totals[field] += length
        return tuple(max(1, total // max(1, count)) for total in totals)

    @cached_property
    def by_own_name(self) -> Mapping[str, Sequence[int]]:
        """The files, by the name under which each is known."""
        found: dict[str, list[int]] = {}
        for number, each in self.files.items():
            found.setdefault(own_name(each.path), []).append(number)
        return found

    @cached_property
    def _by_own_name(self) -> Mapping[bytes, Sequence[int]]:
        return self._by_term(lambda path: own_name(path))

    @cached_property
    def _by_folder(self) -> Mapping[bytes, Sequence[int]]:
        return self._by_term(lambda path: path.rpartition("/")[0])

    @cached_property
    def _by_last_folder(self) -> Mapping[bytes, Sequence[int]]:
        return self._by_term(lambda path: path.rpartition("/")[0].rpartition("/")[2])

    def _by_term(self, name: Callable[[str], str]) -> Mapping[bytes, Sequence[int]]:
        found: dict[bytes, list[int]] = {}
        for number, each in self.files.items():
            for term in terms_of(name(each.path)):
                found.setdefault(term, []).append(number)
        return found

    @cached_property
    def _by_owner(self) -> Mapping[bytes, Sequence[Place]]:
        found: dict[bytes, list[Place]] = {}
        for number, each in self.files.items():
            for symbol, name in enumerate(each.symbols):
                owner = name.rpartition(".")[0].rpartition(".")[2]
                for term in terms_of(owner) if owner else ():
                    found.setdefault(term, []).append((number, symbol))
        return found

    def spread(self, term: bytes, *, is_needed: bool) -> Spread | None:
        """Return where a term occurs; None if it is too frequent to help and is not needed."""
        known = self.files
        rows = [
            (known[number], row) for number, row in self._likeness.having(term) if number in known
        ]
        if not is_needed and len(rows) * _COMMON_SHARE > len(known):
            return None
        files: dict[int, int] = {}
        symbols: dict[Place, int] = {}
        for file, row in rows:
            files[file.number] = self._count(file, row, symbols)
        if not is_needed and len(symbols) * _COMMON_SYMBOLS > self.symbol_count > _FEW_SYMBOLS:
            return None
        symbol_rarity = rarity(self.symbol_count, min(len(symbols), self.symbol_count))
        for named, worth in (
            (self._by_own_name, FILE_LEVEL.own_name),
            (self._by_folder, FILE_LEVEL.folder),
        ):
            for number in named.get(term, ()):
                files[number] = files.get(number, 0) + worth
        for place in self._by_owner.get(term, ()):
            symbols[place] = symbols.get(place, 0) + SYMBOL_LEVEL.owner
        for named, worth in (
            (self._by_own_name, SYMBOL_LEVEL.own_name),
            (self._by_last_folder, SYMBOL_LEVEL.folder),
        ):
            for number in named.get(term, ()):
                for place in known[number].places:
                    symbols[place] = symbols.get(place, 0) + worth
        file_rarity = rarity(len(known), min(len(files), len(known)))
        return Spread(files, symbols, file_rarity, symbol_rarity)

    def _count(self, file: _AnswerFile, row: int, symbols: dict[Place, int]) -> int:
        """Add the counts of a term for the symbols of a file; return the count for the file."""
        places = file.place_by_unit
        in_file = self._file_factors.get(file.number) or self._factors_of_file(file)
        in_units = self._unit_factors.get(file.number) or self._factors_of_units(file)
        total = 0
        for posting in file.counts.postings(row):
            count, field = posting & 31, posting >> 5
            total += count * in_file[field & 7]
            place = places[field >> 3]
            if place is not None:
                symbols[place] = symbols.get(place, 0) + count * in_units[field]
        return total

    def _factors_of_file(self, file: _AnswerFile) -> tuple[int, ...]:
        found = (*_factors(FILE_LEVEL, file.lengths, self._usual_file), 0)
        self._file_factors[file.number] = found
        return found

    def _factors_of_units(self, file: _AnswerFile) -> tuple[int, ...]:
        """Return the factors of each field of each unit's symbol, eight numbers per unit."""
        by_symbol = [
            (*_factors(SYMBOL_LEVEL, lengths, self._usual_symbol), 0)
            for lengths in file.symbol_lengths
        ]
        none = (0,) * (FIELDS + 1)
        found = tuple(
            factor
            for symbol in file.symbol_by_unit
            for factor in (by_symbol[symbol] if symbol >= 0 else none)
        )
        self._unit_factors[file.number] = found
        return found


def corpus_of(snapshot: Snapshot) -> Corpus:
    """Return the files that have a language and are not tests. The result is cached."""
    known = snapshot.kept.get(_KEPT)
    if not isinstance(known, Corpus):
        known = snapshot.kept[_KEPT] = _make_corpus(snapshot)
    return known


def _make_corpus(snapshot: Snapshot) -> Corpus:

    @cache
    def constructors(language: str) -> frozenset[str]:
        known = snapshot.languages_by_name.get(language)
        return frozenset(known.modules.constructors[:1]) if known else frozenset()

    files = snapshot.files
    return Corpus(
        snapshot.likeness,
        lambda path: bool(files[path].language) and not is_test(path),
        lambda path: constructors(files[path].language),
    )


def _factors(level: LevelWeights, lengths: Sequence[int], usual: Sequence[int]) -> tuple[int, ...]:
    """Return the value of one occurrence in each field."""
    return tuple(
        weight * ONE * average // ((ONE - flat) * average + flat * length)
        for weight, flat, average, length in zip(
            level.fields, level.flatness, usual, lengths, strict=True
        )
    )
