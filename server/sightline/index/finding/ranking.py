"""Rank files and symbols by how well they fit a task.

The value of each is a weighted sum of features: its words, its name and place, and its relations.
Weights are hundredths, fitted with `benchmarks/find.py`. Words count in three readings: all of
them, the title alone, and prose alone. Files add value to their symbols, and symbols to their
files.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import attrs

from sightline.index.finding.clues import Clues, logarithm
from sightline.index.finding.corpus import (
    FILE_LEVEL,
    SYMBOL_LEVEL,
    Corpus,
    LevelWeights,
    Place,
    corpus_of,
)
from sightline.index.finding.model import Clue, ClueKind, FileProposal, Proposals, SymbolProposal
from sightline.index.finding.path_words import is_beside
from sightline.index.finding.task_text import TaskSection, TaskText, read_task
from sightline.index.likeness.fixed_point import ONE, log2
from sightline.index.likeness.words import spelled_terms
from sightline.index.path_names import bytewise
from sightline.index.snapshot import Snapshot

_MOST_TERMS = 1_500
_MOST_UNITS = 400
_MOST_SHAPED = 600
_MOST_SHARED = 5
_MOST_DETAILS = 3

_Key = TypeVar("_Key")

_READINGS = 3
"""All words, the title alone, prose alone."""
_FILE_TENTHS: Mapping[TaskSection, Sequence[int]] = {
    TaskSection.TITLE: (80, 10, 0),
    TaskSection.PROSE: (10, 0, 10),
    TaskSection.INLINE: (25, 0, 15),
    TaskSection.CODE: (5, 0, 0),
    TaskSection.TRACE: (5, 0, 0),
    TaskSection.ERROR: (15, 0, 0),
    TaskSection.ENVIRONMENT: (0, 0, 0),
}
_SYMBOL_TENTHS: Mapping[TaskSection, Sequence[int]] = {
    **_FILE_TENTHS,
    TaskSection.TITLE: (50, 10, 0),
    TaskSection.PROSE: (7, 0, 10),
    TaskSection.ERROR: (25, 0, 0),
}
_COMPOUND_IN_FILE = (3, 2)
"""The value of a compound in files, relative to other terms."""


@attrs.frozen
class FileWeights:
    """The weights of features, in hundredths."""

    all_words: int = 175
    title: int = 180
    prose: int = 140
    symbols: int = 200
    code: int = 50
    variable: int = 40
    base: int = 25
    called: int = 40
    trace: int = 100
    last_frame: int = 70
    path: int = 100
    told_path: int = 400
    pointed: int = 100
    file_name: int = 35
    folder: int = 100
    beside: int = -40


@attrs.frozen
class SymbolWeights:
    """The weights of features, in hundredths."""

    all_words: int = 240
    title: int = 145
    prose: int = 195
    file_rank: int = 100
    code: int = 40
    plain: int = 40
    dotted: int = 15
    owner: int = 30
    base: int = 70
    trace: int = 140
    last_frame: int = 300
    called: int = 80
    pointed: int = 200
    told_path: int = 100
    is_type: int = 30
    length: int = 13
    special: int = 70
    private: int = 35


FILE_WEIGHTS = FileWeights()
SYMBOL_WEIGHTS = SymbolWeights()


def find(snapshot: Snapshot, text: str, *, most_files: int, most_symbols: int) -> Proposals:
    """Return the files and symbols that a task is about, the best first."""
    task = read_task(text)
    finder = Finder(snapshot, task)
    files = finder.ranked_files()
    symbols = finder.ranked_symbols(files)
    return Proposals(
        tuple(finder.found_file(value, number) for value, number in files[:most_files]),
        tuple(finder.found_symbol(value, place) for value, place in symbols[:most_symbols]),
    )


class Finder:
    """One task in one workspace."""

    def __init__(self, snapshot: Snapshot, task: TaskText) -> None:
        self._snapshot = snapshot
        self.corpus = corpus_of(snapshot)
        self.clues = Clues(snapshot, self.corpus, task)
        self._words = _WordValues(self.corpus, task)
        self.file_words = [_normalised(each) for each in self._words.files]
        self.symbol_words = [_normalised(each) for each in self._words.symbols]
        self.best = self._highest(self.symbol_words[0], _MOST_UNITS)[:_MOST_UNITS]
        self.called = _normalised(self.clues.called(self.best))
        self.owners = self.clues.owners()
        self.heirs = self.clues.heirs()
        self.file_names = self.clues.file_names()
        self.folder_names = self.clues.folder_names()
        self.top_symbols = _normalised(_top_three(self.best))

    def _highest(self, values: Mapping[Place, int], most: int) -> list[tuple[int, Place]]:
        """Return the highest values in order, including all that equal the last one."""
        least = min(heapq.nlargest(most, values.values()), default=0)
        files = self.corpus.files
        return sorted(
            ((value, place) for place, value in values.items() if value >= least),
            key=lambda each: (-each[0], bytewise(files[each[1][0]].path), each[1][1]),
        )

    def file_features(self) -> dict[str, Mapping[int, int]]:
        """Return the features of each file by name, times `ONE`."""
        clues = self.clues
        return {
            "all_words": self.file_words[0],
            "title": self.file_words[1],
            "prose": self.file_words[2],
            "symbols": self.top_symbols,
            "code": _by_file(clues.code),
            "variable": clues.file_variables,
            "base": _by_file(self.heirs),
            "called": _by_file(self.called),
            "trace": clues.file_in_trace,
            "last_frame": dict.fromkeys(clues.last_files, ONE),
            "path": clues.mentioned,
            "told_path": dict.fromkeys(clues.told_paths, ONE),
            "pointed": _by_file(clues.pointed),
            "file_name": self.file_names,
            "folder": self.folder_names,
        }

    def ranked_files(self, weights: FileWeights = FILE_WEIGHTS) -> list[tuple[int, int]]:
        """Return the value and the number of every file that has any evidence."""
        values: dict[int, int] = {}
        _add_weighed(values, self.file_features(), weights)
        files = self.corpus.files
        for number in values:
            if is_beside(files[number].path):
                values[number] += weights.beside * ONE
        return sorted(
            ((value, number) for number, value in values.items()),
            key=lambda each: (-each[0], bytewise(files[each[1]].path)),
        )

    def symbol_features(self, files: Sequence[tuple[int, int]]) -> dict[str, Mapping[Place, int]]:
        """Return the features of each symbol by name, times `ONE`."""
        clues = self.clues
        ranks = {number: rank for rank, (_, number) in enumerate(files, 1)}
        found: dict[str, Mapping[Place, int]] = {
            "all_words": self.symbol_words[0],
            "title": self.symbol_words[1],
            "prose": self.symbol_words[2],
            "code": clues.code,
            "plain": clues.plain,
            "dotted": clues.dotted,
            "owner": self.owners,
            "base": self.heirs,
            "trace": clues.in_trace,
            "last_frame": dict.fromkeys(clues.last_symbols, ONE),
            "called": self.called,
            "pointed": clues.pointed,
        }
        places = {place for table in found.values() for place in table}
        by_rank = {number: ONE // rank for number, rank in ranks.items() if rank <= ONE}
        found["file_rank"] = {place: by_rank[place[0]] for place in places if place[0] in by_rank}
        found["told_path"] = {place: ONE for place in places if place[0] in clues.told_paths}
        return found

    def shapes(self, places: Iterable[Place]) -> dict[str, Mapping[Place, int]]:
        types: dict[Place, int] = {}
        lengths: dict[Place, int] = {}
        special: dict[Place, int] = {}
        private: dict[Place, int] = {}
        for place in places:
            file = self.corpus.files[place[0]]
            name = file.symbols[place[1]].rpartition(".")[2]
            if name[:1].isupper():
                types[place] = ONE
            # In characters: a line has about forty.
            lengths[place] = log2(max(20, 40 * file.line_counts[place[1]])) * 7 // 10
            if name.startswith("__") and name.endswith("__"):
                special[place] = ONE
            elif name.startswith("_"):
                private[place] = ONE
        return {"is_type": types, "length": lengths, "special": special, "private": private}

    def ranked_symbols(
        self, files: Sequence[tuple[int, int]], weights: SymbolWeights = SYMBOL_WEIGHTS
    ) -> list[tuple[int, Place]]:
        values: dict[Place, int] = {}
        _add_weighed(values, self.symbol_features(files), weights)
        # The form of a symbol only decides between symbols that have other clues.
        chosen = {place: value for value, place in self._highest(values, _MOST_SHAPED)}
        _add_weighed(chosen, self.shapes(chosen), weights)
        return self._highest(chosen, len(chosen))

    # Answers

    def found_file(self, value: int, number: int) -> FileProposal:
        path = self.corpus.files[number].path
        clues = self.clues
        weights = FILE_WEIGHTS
        names = [
            pair
            for place, pairs in clues.names.items()
            if place[0] == number and place in clues.code
            for pair in pairs
        ]
        told: list[tuple[int, Clue]] = [
            (weights.all_words * self.file_words[0].get(number, 0), self._shared(number, None)),
            (
                weights.trace * clues.file_in_trace.get(number, 0),
                Clue(ClueKind.TRACEBACK, tuple(clues.frames.get(number, ())[:_MOST_DETAILS])),
            ),
            (
                weights.path * clues.mentioned.get(number, 0)
                + weights.told_path * ONE * (number in clues.told_paths),
                Clue(ClueKind.PATH, (path,)),
            ),
            (
                weights.code * max((each for each, _ in names), default=0),
                Clue(ClueKind.NAME, _heaviest(names)),
            ),
            (
                weights.file_name * self.file_names.get(number, 0)
                + weights.folder * self.folder_names.get(number, 0),
                Clue(ClueKind.FILE_NAME, (path,)),
            ),
            (
                weights.symbols * self.top_symbols.get(number, 0),
                Clue(ClueKind.CONTENT, self._best_in(number)),
            ),
        ]
        return FileProposal(path, value, _ordered(told))

    def _best_in(self, number: int) -> tuple[str, ...]:
        symbols = self.corpus.files[number].symbols
        return tuple(symbols[place[1]] for _, place in self.best if place[0] == number)[
            :_MOST_DETAILS
        ]

    def found_symbol(self, value: int, place: Place) -> SymbolProposal:
        file = self.corpus.files[place[0]]
        symbol = file.symbols[place[1]]
        clues = self.clues
        weights = SYMBOL_WEIGHTS
        own = clues.names.get(place, ())
        told: list[tuple[int, Clue]] = [
            (weights.all_words * self.symbol_words[0].get(place, 0), self._shared(*place)),
            (
                weights.trace * clues.in_trace.get(place, 0),
                Clue(ClueKind.TRACEBACK, tuple(clues.frames.get(place[0], ())[:_MOST_DETAILS])),
            ),
            (
                weights.code * clues.code.get(place, 0)
                + weights.plain * clues.plain.get(place, 0)
                + weights.pointed * clues.pointed.get(place, 0),
                Clue(ClueKind.NAME, _heaviest(own)),
            ),
            (
                weights.owner * self.owners.get(place, 0),
                Clue(ClueKind.OWNER, (symbol.rpartition(".")[0],)),
            ),
            (weights.base * self.heirs.get(place, 0), Clue(ClueKind.BASE, (symbol,))),
            (weights.called * self.called.get(place, 0), Clue(ClueKind.CALLED, (symbol,))),
        ]
        kind, line = self._declared(file.path, symbol)
        return SymbolProposal(file.path, symbol, kind, line, value, _ordered(told))

    def _declared(self, path: str, symbol: str) -> tuple[str, int]:
        scope = self._snapshot.scope(path)
        for each in scope.definitions if scope is not None else ():
            if scope is not None and each.qualified_name == symbol:
                return each.kind, scope.view.line_number(each.name_start)
        return "type", 1

    def _shared(self, number: int, symbol: int | None) -> Clue:
        return Clue(ClueKind.WORDS, self._words.shared(number, symbol))


class _WordValues:
    """The values of words, by reading, in files and in symbols."""

    def __init__(self, corpus: Corpus, task: TaskText) -> None:
        self.files: list[dict[int, int]] = [{} for _ in range(_READINGS)]
        self.symbols: list[dict[Place, int]] = [{} for _ in range(_READINGS)]
        self._by_term: list[tuple[str, dict[int, int], dict[Place, int]]] = []
        for term, (written, sections) in _terms_of(task).items():
            spread = corpus.spread(term, is_needed=TaskSection.TITLE in sections)
            if spread is None:
                continue
            by_file = _query_values(sections, _FILE_TENTHS)
            by_symbol = _query_values(sections, _SYMBOL_TENTHS)
            if term.startswith(b"="):
                by_file = [
                    value * _COMPOUND_IN_FILE[0] // _COMPOUND_IN_FILE[1] for value in by_file
                ]
            in_files = _saturated(spread.files, FILE_LEVEL, spread.file_rarity)
            in_symbols = _saturated(spread.symbols, SYMBOL_LEVEL, spread.symbol_rarity)
            _add(self.files, by_file, in_files)
            _add(self.symbols, by_symbol, in_symbols)
            self._by_term.append((written, in_files, in_symbols))

    def shared(self, number: int, symbol: int | None) -> tuple[str, ...]:
        """Return the words that weigh most in a file or symbol."""
        weighed = [
            (
                in_files.get(number, 0) if symbol is None else in_symbols.get((number, symbol), 0),
                written,
            )
            for written, in_files, in_symbols in self._by_term
        ]
        return _heaviest([each for each in weighed if each[0]], _MOST_SHARED)


def _saturated(amounts: Mapping[_Key, int], level: LevelWeights, rarity: int) -> dict[_Key, int]:
    """Return the value of a term that occurs so often, times `ONE`."""
    flat = level.saturation
    top = (flat + ONE) * rarity // ONE
    return {key: amount * top // (flat + amount) for key, amount in amounts.items()}


def _add(
    tables: Sequence[dict[_Key, int]], factors: Sequence[int], worth: Mapping[_Key, int]
) -> None:
    for table, factor in zip(tables, factors, strict=True):
        if factor:
            for key, value in worth.items():
                table[key] = table.get(key, 0) + factor * value


def _add_weighed(
    values: dict[_Key, int],
    features: Mapping[str, Mapping[_Key, int]],
    weights: FileWeights | SymbolWeights,
) -> None:
    for name, table in features.items():
        weight: int = getattr(weights, name)
        for key, value in table.items():
            values[key] = values.get(key, 0) + weight * value


def _query_values(
    sections: Mapping[TaskSection, int], tenths: Mapping[TaskSection, Sequence[int]]
) -> list[int]:
    """Return the value of a term in each reading, times `ONE`."""
    return [
        logarithm(sum(tenths[section][reading] * count for section, count in sections.items()))
        for reading in range(_READINGS)
    ]


def _terms_of(task: TaskText) -> dict[bytes, tuple[str, dict[TaskSection, int]]]:
    """Return, by term, how it is written and how often it occurs in each section."""
    found: dict[bytes, tuple[str, dict[TaskSection, int]]] = {}
    for word, sections in task.words.items():
        if not sections:
            continue
        for term, written in spelled_terms(word.encode("utf-8", "replace")):
            known = found.setdefault(term, (written.decode("utf-8", "replace"), {}))[1]
            for section, count in sections.items():
                known[section] = known.get(section, 0) + count
        if len(found) >= _MOST_TERMS:
            break
    return found


def _normalised(values: Mapping[_Key, int]) -> dict[_Key, int]:
    """Return the values scaled so that the largest is `ONE`."""
    largest = max(values.values(), default=0)
    return {key: value * ONE // largest for key, value in values.items()} if largest else {}


def _top_three(ranked: Sequence[tuple[int, Place]]) -> dict[int, int]:
    """Return, by file, the value of the best symbol, plus half of the second and a third of the
    third.
    """
    found: dict[int, list[int]] = {}
    for value, (number, _) in ranked:
        found.setdefault(number, []).append(value)
    return {
        number: sum(value // rank for rank, value in enumerate(values[:3], 1))
        for number, values in found.items()
    }


def _by_file(values: Mapping[Place, int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for (number, _), value in values.items():
        found[number] = max(found.get(number, 0), value)
    return found


def _ordered(told: Sequence[tuple[int, Clue]]) -> tuple[Clue, ...]:
    heaviest = heapq.nlargest(len(told), told, key=lambda each: each[0])
    return tuple(clue for weight, clue in heaviest if weight > 0 and clue.detail)


def _heaviest(weighed: Sequence[tuple[int, str]], most: int = _MOST_DETAILS) -> tuple[str, ...]:
    """Return the heaviest words, without parts of a word that is listed as a whole."""
    chosen: list[str] = []
    for _, word in sorted(weighed, key=lambda each: (-each[0], each[1])):
        small = word.lower()
        if any(small in each.lower() for each in chosen):
            continue
        chosen = [each for each in chosen if each.lower() not in small]
        chosen.append(word)
        if len(chosen) == most:
            break
    return tuple(chosen)
