"""The fused rank: one order of everything that could be shown besides what the targets need.

A unit is a symbol, or statements outside of every symbol. Its value is a sum of whole numbers:
how like the target its words are, whether a relation leads to it or to its file, and how near its
file is to the target's by name, by folder and by imports. The order does not depend on the budget:
a larger one takes a longer prefix of it. The weights are tuned with `benchmarks/context.py`.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Mapping, Sequence

import attrs

from sightline.bundle import BlockRelation, Priority
from sightline.context.candidates import IMPORT, Candidate, FilePart, bytewise, is_foreign
from sightline.context.sources import ScannedDocument
from sightline.context.targets import Targets
from sightline.egress import ScanFailure
from sightline.index import Like, Snapshot, Unit, query_words

_UNIT = 1_000_000
_RANK = 18
_RELATED = _UNIT // 30
_DISTANT = _UNIT // 120
_TEXTUAL = _UNIT // 60
_SAME_NAME = _UNIT // 80
"""For a symbol that bears a target's name: what it overrides, or its like for another platform."""
_FILE = _UNIT // 120
_FOLDER = _UNIT // 240
_PATH = _UNIT // 120
"""For a file below all folders of the target; less where fewer are the same."""
_STEM = _UNIT // 48
"""For a file of the same name, but for its extension and for words such as `test`."""
_STEM_WORDS = _UNIT // 60
"""For a file whose name shares a rare word; times the share of words that are the same."""
_MOST_FILES_OF_RARE_WORD = 10
_IMPORTS_TARGET = _UNIT // 60
_IMPORTED = _UNIT // 240
_NAME_COUNT = 2
"""How often the names of a target count as words, besides where they stand."""
_OWN_FILE = _UNIT // 40
_FOREIGN_UNIT = _UNIT // 60
_LEAST = _UNIT // 1_000
"""Nothing optional is added whose value is below it."""
_MOST_LIKE = 500
_MOST_SHARED = 5
_MOST_WORDS = 4_000

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TEST_WORDS = frozenset(["test", "tester", "testing", "tests", "spec", "specs"])


@attrs.frozen
class Step:
    """One step of enrichment: a part of a file to show."""

    path: str
    part: FilePart | None
    """None for the file itself."""
    value: int
    candidates: tuple[Candidate, ...]
    relation: BlockRelation | None
    """Where the words of the target stand in it."""
    priority: Priority

    @property
    def is_related(self) -> bool:
        return bool(self.candidates)


def target_words(
    snapshot: Snapshot, targets: Targets, documents: Mapping[str, ScannedDocument], task: str
) -> list[tuple[str, int]]:
    """The words of what was asked for, with how often each stands there.

    No word is among them that stands in a secret.
    """
    found: dict[str, int] = dict(query_words(task.encode("utf-8"), None))
    for target in targets.files:
        document = documents[target.path]
        scope = snapshot.scope(target.path)
        if isinstance(document.findings, ScanFailure):
            continue
        data = bytearray(document.text.data)
        for each in document.findings:
            data[each.span.start : each.span.end] = b" " * each.span.size
        extents = [(0, len(data))]
        if target.symbols and scope is not None:
            own = [scope.definitions[index] for _, index in target.symbols]
            extents = [(each.start, each.end) for each in own]
            names = [posixpath.basename(target.path).partition(".")[0]]
            for symbol in own:
                names += [symbol.name, symbol.container.rpartition(".")[2]]
            for name in names:
                found[name] = found.get(name, 0) + _NAME_COUNT
        for start, end in extents:
            for word, count in query_words(bytes(data[start:end]), document.language):
                found[word] = found.get(word, 0) + count
    return list(found.items())[:_MOST_WORDS]


def enrichment_steps(
    snapshot: Snapshot,
    targets: Targets,
    candidates: Sequence[Candidate],
    words: Sequence[tuple[str, int]],
) -> list[Step]:
    """Everything that could be shown besides, the most valuable first."""
    likes = snapshot.like(words, _MOST_LIKE)
    by_path: dict[str, list[tuple[int, Like]]] = {}
    for number, like in enumerate(likes):
        by_path.setdefault(like.unit.path, []).append((number, like))
    attached: dict[int, list[Candidate]] = {}
    alone: list[Candidate] = []
    for each in candidates:
        holding = _unit_of(by_path.get(each.path, ()), each)
        if holding is None:
            alone.append(each)
        else:
            attached.setdefault(holding, []).append(each)
    place = _UnitWorth(snapshot, targets, candidates)
    steps: list[Step] = []
    for number, like in enumerate(likes):
        related = attached.get(number, [])
        unit = like.unit
        value = _UNIT // (_RANK + number) + place.value(unit.path, unit.symbol or "", related)
        relation = BlockRelation(
            "similar", "textual", None, unit.symbol or None, None, like.shared[:_MOST_SHARED]
        )
        if place.is_target(unit):
            continue
        own = [each for each in related if each.symbol or not unit.symbol]
        part = next(
            (each.part for each in own if each.symbol),
            FilePart(unit.start_line, unit.symbol or "", unit.end_line),
        )
        steps.append(_step(unit.path, part, value, own, relation))
    steps += [
        _step(each.path, each.part, place.value(each.path, each.symbol or "", [each]), [each], None)
        for each in alone
    ]
    steps.sort(key=_order)
    return [each for each in steps if each.value >= _LEAST or each.priority is not Priority.P3]


def _step(
    path: str,
    part: FilePart | None,
    value: int,
    candidates: Sequence[Candidate],
    relation: BlockRelation | None,
) -> Step:
    priority = min((each.priority for each in candidates), default=Priority.P3)
    return Step(path, part, value, tuple(candidates), relation, priority)


def _order(step: Step) -> tuple[object, ...]:
    part = step.part or FilePart(0, "")
    return -step.value, bytewise(step.path), part.line, part.last_line, part.symbol


def _unit_of(units: Sequence[tuple[int, Like]], candidate: Candidate) -> int | None:
    """The number of the smallest unit that a candidate stands in."""
    found = [
        (like.unit.end_line - like.unit.start_line, number)
        for number, like in units
        if like.unit.start_line <= candidate.line <= like.unit.end_line
        and (not candidate.symbol or like.unit.symbol == candidate.symbol)
        and candidate.line
    ]
    return min(found)[1] if found else None


class _UnitWorth:
    """What speaks for a unit besides its words."""

    def __init__(
        self, snapshot: Snapshot, targets: Targets, candidates: Sequence[Candidate]
    ) -> None:
        paths = [each.path for each in targets.files]
        self._folders = {posixpath.dirname(path) for path in paths}
        self._own = frozenset(paths)
        self._files = {each.path for each in candidates if each.is_direct}
        self._nearness = _Nearness(snapshot, paths)
        self._names: set[str] = set()
        self._targets: dict[str, list[tuple[int, int]]] = {}
        for target in targets.files:
            scope = snapshot.scope(target.path)
            own = [scope.definitions[index] for _, index in target.symbols] if scope else []
            self._names.update(each.name for each in own)
            if scope is not None:
                line = scope.view.line_number
                self._targets[target.path] = [
                    (line(each.start), line(max(each.start, each.end - 1))) for each in own
                ]

    def is_target(self, unit: Unit) -> bool:
        """Return True for a unit that a target stands in, or that stands in one."""
        return any(
            unit.start_line <= last and first <= unit.end_line
            for first, last in self._targets.get(unit.path, ())
        )

    def value(self, path: str, symbol: str, related: Sequence[Candidate]) -> int:
        worth = max(map(_relation_value, related), default=0)
        if path in self._own:
            # Its signatures and what relates to the target are shown already.
            return worth - _OWN_FILE
        return (
            worth
            + (_SAME_NAME if symbol.rpartition(".")[2] in self._names else 0)
            + (_FILE if path in self._files else 0)
            + self._nearness.of(path)
            + (_FOLDER if posixpath.dirname(path) in self._folders else 0)
            - (_FOREIGN_UNIT if is_foreign(path) else 0)
        )


class _Nearness:
    """How near a file is to those of the targets: by name, by folder and by imports."""

    def __init__(self, snapshot: Snapshot, targets: Sequence[str]) -> None:
        self._snapshot = snapshot
        self._targets = targets
        self._known: dict[str, int] = {}
        self._files_by_word: Counter[str] = Counter()
        for path in snapshot.paths:
            if snapshot.files[path].language:
                self._files_by_word.update(_stem_words(path))
        self._imported = {path for each in targets for path in _imports(snapshot, each)}

    def of(self, path: str) -> int:
        known = self._known.get(path)
        if known is None:
            known = max((self._to(path, each) for each in self._targets), default=0)
            known += _IMPORTED if path in self._imported else 0
            imports = _imports(self._snapshot, path)
            known += _IMPORTS_TARGET if any(each in imports for each in self._targets) else 0
            self._known[path] = known
        return known

    def _to(self, path: str, target: str) -> int:
        words, others = _stem_words(path), _stem_words(target)
        shared = words & others
        value = _STEM if shared and words == others else 0
        if any(self._files_by_word[each] <= _MOST_FILES_OF_RARE_WORD for each in shared):
            value += _STEM_WORDS * len(shared) // len(words | others)
        folders = target.split("/")[:-1]
        same = len(posixpath.commonprefix([path.split("/")[:-1], folders]))
        return value + (_PATH * same // len(folders) if folders else 0)


def _stem_words(path: str) -> frozenset[str]:
    """The words of a file's name without its extension; none that says that it is a test."""
    stem = posixpath.basename(path).rpartition(".")[0]
    return frozenset(each.lower() for each in _WORD.findall(stem)) - _TEST_WORDS


def _imports(snapshot: Snapshot, path: str) -> set[str]:
    relations = snapshot.relations.dependencies(path)
    return {place.path for relation in relations for place in relation.targets}


def _relation_value(candidate: Candidate) -> int:
    if not candidate.is_direct:
        return _TEXTUAL
    if candidate.relations[0].kind == IMPORT:
        return 0
    return _RELATED if candidate.hops == 1 else _DISTANT
