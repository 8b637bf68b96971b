"""The evidence for a file or symbol other than the words that it shares with a task.

Each is a table from a file's number, or a symbol's place, to a whole number times `ONE`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

from sightline.index.finding.corpus import Corpus, Place
from sightline.index.finding.task_text import Mention, TaskSection, TaskText
from sightline.index.likeness.fixed_point import ONE, log2
from sightline.index.likeness.words import split, stem
from sightline.index.resolve import FileScope
from sightline.index.snapshot import Snapshot
from sightline.symbols import CALLABLE_KINDS, TYPE_KINDS

_ANSWERS = (CALLABLE_KINDS | TYPE_KINDS | {"type"}) - {"property"}
_MOST_DECLARATIONS = 60
_MOST_VARIABLES = 30
_MOST_DOTTED = 8
_MOST_FRAME_FILES = 3
_MOST_CALLERS = 60
_MOST_CALLED = 3
_FRAME_DECAY = (4, 5)
_TENTHS: Mapping[TaskSection, int] = {
    TaskSection.TITLE: 20,
    TaskSection.PROSE: 10,
    TaskSection.INLINE: 15,
    TaskSection.CODE: 10,
    TaskSection.TRACE: 5,
    TaskSection.ERROR: 10,
    TaskSection.ENVIRONMENT: 0,
}
"""The value of a mention of a name in each section, in tenths."""
_OWN_TENTHS = 3


_Declarations = tuple[Sequence[Place], Sequence[tuple[int, Place | None]]]
"""The symbols of a name, and its variables with the symbol that contains each."""


def logarithm(tenths: int) -> int:
    """Return the logarithm of one plus a number of tenths, times `ONE`."""
    return log2(10 + tenths, 10)


class Clues:
    """What a task mentions of a workspace."""

    def __init__(self, snapshot: Snapshot, corpus: Corpus, task: TaskText) -> None:
        self._snapshot = snapshot
        self._corpus = corpus
        self._task = task
        self.code: dict[Place, int] = {}
        """Symbols whose name the task writes as code."""
        self.plain: dict[Place, int] = {}
        """Symbols whose name is a word of the task."""
        self.variables: dict[Place, int] = {}
        self.file_variables: dict[int, int] = {}
        self.names: dict[Place, list[tuple[int, str]]] = {}
        """By symbol: the value of each name that leads to it."""
        self.dotted: dict[Place, int] = {}
        self.in_trace: dict[Place, int] = {}
        self.file_in_trace: dict[int, int] = {}
        self.frames: dict[int, list[str]] = {}
        self.last_files: frozenset[int] = frozenset()
        self.last_symbols: frozenset[Place] = frozenset()
        self.mentioned: dict[int, int] = {}
        self.told_paths: frozenset[int] = frozenset()
        """Files whose paths the task mentions in full."""
        self.pointed: dict[Place, int] = {}
        """Symbols whose name stands alone between backticks in the task and is unique."""
        self._take_names()
        self._take_dotted()
        self._take_pointed()
        self._take_frames()
        self._take_paths()

    # Names

    def _take_names(self) -> None:
        largest = log2(1 + max(1, self._corpus.symbol_count))
        for name, mention in self._task.mentions.items():
            amount = _amount(mention)
            if not amount:
                continue
            symbols, variables = self._declarations(name)
            if symbols and len(symbols) <= _MOST_DECLARATIONS:
                value = self._worth(amount, len(symbols), largest)
                table = self.code if mention.is_code else self.plain
                for place in symbols:
                    table[place] = table.get(place, 0) + value
                    self.names.setdefault(place, []).append((value, name))
            if variables and len(variables) <= _MOST_VARIABLES:
                value = self._worth(amount, len(variables), largest)
                value = value if mention.is_code else value * 3 // 10
                for number, holder in variables:
                    self.file_variables[number] = max(self.file_variables.get(number, 0), value)
                    if holder is not None:
                        self.variables[holder] = self.variables.get(holder, 0) + value

    def _worth(self, amount: int, count: int, largest: int) -> int:
        rare = log2(count + self._corpus.symbol_count, count) * ONE // max(1, largest)
        return logarithm(amount) * rare // math.isqrt(count * ONE * ONE)

    def _declarations(self, name: str) -> _Declarations:
        return self._corpus.kept(("declarations", name), lambda: self._find_declarations(name))

    def _find_declarations(self, name: str) -> _Declarations:
        symbols: list[Place] = []
        variables: list[tuple[int, Place | None]] = []
        paths = [
            path for path in self._snapshot.files_declaring(name) if path in self._corpus.numbers
        ]
        if len(paths) > _MOST_DECLARATIONS:
            return (), ()
        for path in paths:
            scope = self._snapshot.scope(path)
            if scope is None:
                continue
            number = self._corpus.numbers[path]
            for each in scope.definitions:
                if each.name != name:
                    continue
                place = self._place(number, each.qualified_name)
                if each.kind in _ANSWERS:
                    if place is not None:
                        symbols.append(place)
                else:
                    variables.append((number, self._place(number, each.container)))
        return tuple(dict.fromkeys(symbols)), tuple(dict.fromkeys(variables))

    def _place(self, number: int, symbol: str) -> Place | None:
        """Return the symbol of a file that has a qualified name, or whose name contains it."""
        known = self._corpus.files[number].number_of
        while symbol:
            if symbol in known:
                return number, known[symbol]
            symbol = symbol.rpartition(".")[0]
        return None

    def _take_dotted(self) -> None:
        for (owner, name), told in self._task.dotted.items():
            amount = sum(_TENTHS[section] * count for section, count in told.items())
            if not amount:
                continue
            symbols, _ = self._declarations(name)
            hits = [
                place for place in symbols if f".{self._name(place)}".endswith(f".{owner}.{name}")
            ]
            if 0 < len(hits) <= _MOST_DOTTED:
                for place in hits:
                    value = logarithm(amount) // len(hits)
                    self.dotted[place] = self.dotted.get(place, 0) + value

    def _take_pointed(self) -> None:
        for named in self._task.pointed:
            symbols, _ = self._declarations(named.rpartition(".")[2])
            hits = [place for place in symbols if f".{self._name(place)}".endswith(f".{named}")]
            if len(hits) == 1:
                self.pointed[hits[0]] = ONE

    def _name(self, place: Place) -> str:
        return self._corpus.files[place[0]].symbols[place[1]]

    # Tracebacks and paths

    @property
    def _paths_by_name(self) -> Mapping[str, Sequence[str]]:
        return self._corpus.kept("paths", lambda: _group_paths(self._corpus.numbers))

    def _matching(self, written: str) -> tuple[list[str], int]:
        """Return the files whose paths share the longest tail with a path, and the length of the
        tail.
        """
        parts = [part for part in written.split("/") if part not in ("", ".", "..")]
        if not parts:
            return [], 0
        best: list[str] = []
        longest = 0
        for path in self._paths_by_name.get(parts[-1], ()):
            own = path.split("/")
            common = 0
            while common < min(len(own), len(parts)) and own[-1 - common] == parts[-1 - common]:
                common += 1
            if common > longest:
                best, longest = [], common
            if common == longest:
                best.append(path)
        return best, longest

    def _take_frames(self) -> None:
        inside: list[tuple[list[str], int, str]] = []
        for frame in self._task.frames:
            paths, length = self._matching(frame.path)
            # Another library may have a file of the same name, so two parts of the path must match.
            if paths and (length >= 2 or len(paths) == 1) and len(paths) <= _MOST_FRAME_FILES:
                inside.append((paths, frame.line, frame.function))
        weight = ONE
        for place_from_end, (paths, line, function) in enumerate(reversed(inside)):
            numbers = [self._corpus.numbers[path] for path in paths]
            symbols: list[Place] = []
            for path, number in zip(paths, numbers, strict=True):
                at = self._symbol_at(path, line, function)
                place = self._place(number, at) if at else None
                if place is not None:
                    symbols.append(place)
                value = self.file_in_trace.get(number, 0)
                self.file_in_trace[number] = value + weight
                self.frames.setdefault(number, []).append(f"{path}:{line}" if line else path)
            for place in symbols:
                self.in_trace[place] = self.in_trace.get(place, 0) + weight
            if place_from_end == 0:
                self.last_files, self.last_symbols = frozenset(numbers), frozenset(symbols)
            weight = weight * _FRAME_DECAY[0] // _FRAME_DECAY[1]

    def _symbol_at(self, path: str, line: int, function: str) -> str:
        """Return the symbol of a frame: the nearest to the line with its name, otherwise the one
        around the line.
        """
        scope = self._snapshot.scope(path)
        if scope is None:
            return ""
        best: tuple[int, str] | None = None
        around: tuple[int, str] | None = None
        for each in scope.definitions:
            if each.kind not in _ANSWERS:
                continue
            first = scope.view.line_number(each.start)
            last = scope.view.line_number(max(each.start, each.end - 1))
            if each.name == function:
                distance = 0 if first <= line <= last else min(abs(first - line), abs(last - line))
                found = (distance, each.qualified_name)
                best = found if best is None or found < best else best
            if first <= line <= last:
                inner = (last - first, each.qualified_name)
                around = inner if around is None or inner < around else around
        chosen = best or (around if not function else None)
        return chosen[1] if chosen else ""

    def _take_paths(self) -> None:
        for written in self._task.paths:
            paths, length = self._matching(written)
            if not paths or len(paths) > _MOST_FRAME_FILES:
                continue
            is_full = length == paths[0].count("/") + 1
            value = ONE if length >= 2 or is_full else ONE // 2
            if is_full:
                self.told_paths |= {self._corpus.numbers[paths[0]]}
            for path in paths:
                number = self._corpus.numbers[path]
                self.mentioned[number] = max(self.mentioned.get(number, 0), value)

    # Names of files and folders

    def file_names(self) -> dict[int, int]:
        """Return, by file, how much of its name occurs among the words of the task."""
        named = self._corpus.by_own_name
        return {
            number: value * log2(len(named) + len(same), len(same)) // log2(1 + len(named))
            for name, same in named.items()
            if (value := self._told_names.of(name))
            for number in same
        }

    def folder_names(self) -> dict[int, int]:
        """Return, by file, the best value among the names of its folders."""
        by_folder = self._corpus.kept("folders", self._group_folders)
        count = len(self._corpus.numbers)
        found: dict[int, int] = {}
        for name, having in by_folder.items():
            told = self._told_names.of(name)
            if told:
                value = told * log2(count + len(having), len(having)) // log2(1 + count)
                for number in having:
                    found[number] = max(found.get(number, 0), value)
        return {number: value for number, value in found.items() if value}

    def _group_folders(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for path, number in self._corpus.numbers.items():
            for name in dict.fromkeys(path.split("/")[:-1]):
                found.setdefault(name, []).append(number)
        return found

    @cached_property
    def _told_names(self) -> _ToldNames:
        return _ToldNames(self._task)

    # Calls and bases

    def called(self, ranked: Sequence[tuple[int, Place]]) -> dict[Place, int]:
        """Return, by symbol, how strongly symbols that share words with the task call it."""
        found: dict[Place, int] = {}
        for value, place in ranked[:_MOST_CALLERS]:
            scope = self._snapshot.scope(self._corpus.files[place[0]].path)
            if scope is None:
                continue
            callees = [
                called
                for name in self._calls(scope, self._name(place))
                if (called := self._called(place[0], name))
            ]
            for targets in callees:
                for target in targets:
                    if target != place:
                        users = len(self._snapshot.files_using(self._last_name(target)))
                        worth = value * ONE // len(targets) // math.isqrt((1 + users) * ONE * ONE)
                        found[target] = found.get(target, 0) + worth
        return found

    def _calls(self, scope: FileScope, symbol: str) -> Iterable[str]:
        """Return the names that a symbol calls, each once."""
        key = ("calls", scope.path, symbol)
        return self._corpus.kept(key, lambda: _find_calls(scope, symbol))

    def _called(self, number: int, name: str) -> Sequence[Place]:
        symbols, _ = self._declarations(name)
        near = [place for place in symbols if place[0] == number]
        chosen = near or symbols
        return chosen if len(chosen) <= _MOST_CALLED else []

    def _last_name(self, place: Place) -> str:
        return self._name(place).rpartition(".")[2]

    def owners(self) -> dict[Place, int]:
        """Return, by member, the value of the name of its type."""
        found: dict[Place, int] = {}
        for (number, symbol), value in self.code.items():
            file = self._corpus.files[number]
            for member in file.members.get(file.symbols[symbol], ()):
                found[member] = max(found.get(member, 0), value)
        return found

    def heirs(self) -> dict[Place, int]:
        """Return, by type, the value of the name of one of its bases."""
        found: dict[Place, int] = {}
        for place, value in self.code.items():
            path, name = self._corpus.files[place[0]].path, self._last_name(place)
            if not name[:1].isupper():
                continue
            for target in self._snapshot.find(f"{path}::{self._name(place)}")[:1]:
                for relation in self._snapshot.relations.implementers(target, 40):
                    for heir in relation.targets:
                        number = self._corpus.numbers.get(heir.path)
                        known = self._place(number, heir.symbol) if number is not None else None
                        if known is not None:
                            found[known] = max(found.get(known, 0), value)
        return found


def _group_paths(paths: Iterable[str]) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(path.rpartition("/")[2], []).append(path)
    return found


def _find_calls(scope: FileScope, symbol: str) -> tuple[str, ...]:
    spans = [(each.start, each.end) for each in scope.definitions if each.qualified_name == symbol]
    return tuple(
        dict.fromkeys(
            each.name
            for each in scope.view.references
            if each.kind == "call" and any(start <= each.start < end for start, end in spans)
        )
    )


def _amount(mention: Mention) -> int:
    """Return the combined value of the mentions of a name, in tenths."""
    told = sum(_TENTHS[section] * count for section, count in mention.sections.items())
    return told + _OWN_TENTHS * mention.own


class _ToldNames:
    """How much of a name occurs among the words of a task."""

    def __init__(self, task: TaskText) -> None:
        self._whole: dict[str, int] = {}
        self._stems: dict[bytes, int] = {}
        for word, sections in task.words.items():
            value = _told(sections)
            whole = word.strip("_").lower()
            self._whole[whole] = max(self._whole.get(whole, 0), value)
            for part in split(word.encode())[1]:
                small = stem(part.lower())
                self._stems[small] = max(self._stems.get(small, 0), value)

    def of(self, name: str) -> int:
        """Return a value from 0 to `ONE`."""
        whole, parts = _parts(name)
        if len(whole) < 2:
            return 0
        if whole in self._whole:
            return self._whole[whole] * ONE // 9
        values = [self._stems.get(part, 0) for part in parts]
        if not values or not min(values):
            return 0
        return min(values) * ONE * (8 if len(parts) == 1 else 7) // 90


@lru_cache(maxsize=16_384)
def _parts(name: str) -> tuple[str, tuple[bytes, ...]]:
    """Return a name in lower case, and its parts in the form that is compared."""
    parts = split(name.encode("utf-8", "replace"))[1]
    return name.strip("_").lower(), tuple(stem(part.lower()) for part in parts)


def _told(sections: Mapping[TaskSection, int]) -> int:
    """Return in halves up to 9: 6 for the title, 2 for prose, 1 for anything else."""
    value = 6 if sections.get(TaskSection.TITLE) else 0
    value += 2 if sections.get(TaskSection.PROSE) or sections.get(TaskSection.INLINE) else 0
    others = (TaskSection.CODE, TaskSection.TRACE, TaskSection.ERROR)
    return value + (1 if any(sections.get(each) for each in others) else 0)
