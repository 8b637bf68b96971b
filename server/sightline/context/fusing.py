"""The fused rank: one order of everything that could be shown besides what the targets need.

A unit is a symbol, or statements outside of every symbol. Its value is a sum of whole numbers:
how like the target its words and those of its file are, whether a relation leads to it or to its
file, how near its file is to the target's by name, by folder and by imports, and how short it is.
All units of a file take part if any of them is like the target: a change often goes to what stands
beside. The order does not depend on the budget: a larger one takes a longer prefix of it. The
weights are tuned with `benchmarks/context.py`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import isqrt

import attrs

from sightline.bundle import BlockRelation, Priority, Reason
from sightline.context.candidates import IMPORT, Candidate, FilePart, bytewise, is_foreign
from sightline.context.nearness import UNIT, Nearness, is_test
from sightline.context.sources import ScannedDocument
from sightline.context.targets import Targets
from sightline.egress import ScanFailure
from sightline.index import Confidence, Snapshot, Unit, query_words
from sightline.index.likeness.fixed_point import ONE, log2

_RANK = 18
_FIRST = UNIT * 2 // 3
"""Divided by the place among the units that are most like the target, counted from `_RANK`."""
_LIKE = UNIT * 3 // 100
"""For the unit that is most like the target; for others in proportion."""
_LIKE_FILE = UNIT * 22 // 1_000
"""For the file that is most like the target; for others as the root of their proportion."""
_LIKE_BESIDE = UNIT * 8 // 1_000
"""For a unit in front of or behind the one that is most like the target; for others in
proportion. What stands together changes together."""
_LIKE_TEST = UNIT * 3 // 1_000
"""Taken off what is like the target and stands in a test: tests share set-up and calls."""
_NEAR_PERCENT = 115
_RELATED = UNIT // 30
_FEW_USERS = 20
"""Of more callers than these each is worth less: a change is seldom about all of them."""
_DISTANT = UNIT // 120
_TEXTUAL = UNIT // 60
_INDIRECT = UNIT // 60
"""For what a callee of a target calls."""
_SAME_NAME = UNIT // 80
"""For a symbol that bears a target's name: what it overrides, or its like for another platform."""
_OWN = UNIT * 16 // 1_000
"""For what stands in a target's file."""
_FILE = UNIT // 120
_FOLDER = UNIT // 240
_HEAD = UNIT * 9 // 1_000
"""For what stands at the top of a file before all symbols: a change often needs another import."""
_NO_LANGUAGE = UNIT // 50
_HALF_AS_LONG = UNIT // 480
"""For each time that a unit is half as long as `_LONG` lines."""
_HALF_BESIDE = UNIT // 830
"""The same, for what is like the target only by its file."""
_LONG = 256
_TOO_LONG = UNIT * 8 // 1_000
"""Taken off a unit of more than `_MOST_LINES` lines: for its price there are many others."""
_MOST_LINES = 120
_NAME_COUNT = 2
"""How often the names of a target count as words, besides where they stand."""
_FOREIGN_UNIT = UNIT // 60
_CUSTOMARY = UNIT * 8 // 1_000
"""Taken off members that types have by custom: they are seldom what a change is about."""
_CUSTOMARY_NAMES = frozenset(
    [
        *("__eq__", "__ne__", "__hash__", "__repr__", "__str__"),
        *("equals", "hashCode", "toString", "Equals", "GetHashCode", "ToString"),
    ]
)
_CROWD = UNIT // 400
"""Taken off what is like the target only by its file, for each time that the file has twice as
many units as `_FEW_UNITS`."""
_FEW_UNITS = 4
_LEAST = UNIT // 50
"""Nothing optional is added whose value is below it."""
_LIKELY = UNIT * 35 // 1_000
"""What is worth less comes behind everything else, and only where there is much room."""
_MUCH_ROOM = 40_000
"""In tokens. In less room what is unlikely costs more than it helps."""
_MOST_LIKE = 800
_MOST_BESIDE = 1_500
"""So many units are added that are not like the target themselves."""
_MOST_SHARED = 5
_MOST_WORDS = 4_000


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

    @property
    def is_unlikely(self) -> bool:
        """True for what comes behind everything else."""
        return self.priority is Priority.P3 and self.value < _LIKELY


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


@attrs.frozen
class _Ranked:
    """A unit that could be shown."""

    unit: Unit
    likeness: int
    """What its words are worth; 0 where they say nothing."""
    share: int
    """Of `ONE`, how like the target it is; the unit that is most like it has all of it."""
    shared: tuple[str, ...]
    """Words of the target that stand in it, or else in the part of its file that is most alike."""


def enrichment_steps(
    snapshot: Snapshot,
    targets: Targets,
    candidates: Sequence[Candidate],
    words: Sequence[tuple[str, int]],
    room: int,
) -> list[Step]:
    """Everything that could be shown besides in `room` tokens, the most valuable first.

    The steps for less room are the first ones of those for more.
    """
    least = _LEAST if room > _MUCH_ROOM else _LIKELY
    ranked, shares = _ranked(snapshot, words)
    by_path: dict[str, list[tuple[int, Unit]]] = {}
    for number, each in enumerate(ranked):
        by_path.setdefault(each.unit.path, []).append((number, each.unit))
    attached: dict[int, list[Candidate]] = {}
    alone: list[Candidate] = []
    for candidate in candidates:
        holding = _unit_of(by_path.get(candidate.path, ()), candidate)
        if holding is None:
            alone.append(candidate)
        else:
            attached.setdefault(holding, []).append(candidate)
    worth = _UnitWorth(snapshot, targets, candidates, shares)
    neighbours = _neighbours(snapshot, ranked, worth)
    steps: list[Step] = []
    beside: list[tuple[tuple[object, ...], int, _Ranked]] = []
    for number, each in enumerate(ranked):
        unit, related = each.unit, attached.get(number, ())
        if worth.is_target(unit):
            continue
        value = worth.value(unit.path, unit.symbol or "", related) + each.likeness
        value += neighbours.get(unit, 0) - worth.custom(unit, related)
        if each.likeness:
            value -= worth.test(unit.path)
        if each.likeness or related:
            steps.append(_unit_step(each, value + _shape(unit, _HALF_AS_LONG), related))
            continue
        value += _shape(unit, _HALF_BESIDE) - worth.crowd(unit.path)
        if value >= least:
            # There may be many thousands, and most are not kept: a step is made of those that are.
            beside.append((_unit_order(unit, value), value, each))
    beside.sort(key=lambda each: each[0])
    steps += [_unit_step(each, value, ()) for _, value, each in beside[:_MOST_BESIDE]]
    steps += [
        _step(each.path, each.part, worth.value(each.path, each.symbol or "", [each]), [each], None)
        for each in alone
    ]
    steps.sort(key=_order)
    return [each for each in steps if each.value >= least or each.priority is not Priority.P3]


def _ranked(
    snapshot: Snapshot, words: Sequence[tuple[str, int]]
) -> tuple[list[_Ranked], Mapping[str, int]]:
    """The units that are most like the target, then the others of their files.

    Beside them, how much each file has of the target's words.
    """
    matches = snapshot.matches(words, _MOST_LIKE)
    likes = matches.units
    # Where every word is everywhere, no value is above zero.
    top = max((each.value for each in likes), default=0) or 1
    ranked = [
        _Ranked(
            each.unit,
            _FIRST // (_RANK + number) + _LIKE * each.value // top,
            ONE * each.value // top,
            each.shared[:_MOST_SHARED],
        )
        for number, each in enumerate(likes)
    ]
    known = {each.unit for each in ranked}
    shared_in = {each.unit.path: each.shared for each in reversed(ranked)}
    ranked += [
        _Ranked(unit, 0, 0, shared)
        for path, shared in shared_in.items()
        for unit in snapshot.units(path)
        if unit not in known
    ]
    return ranked, matches.files


def _neighbours(
    snapshot: Snapshot, ranked: Sequence[_Ranked], worth: _UnitWorth
) -> dict[Unit, int]:
    """Return what the units in front of and behind each unit are worth to it."""
    shares = {each.unit: each.share for each in ranked if each.share}
    found: dict[Unit, int] = {}
    for path in dict.fromkeys(each.path for each in shares):
        for one, other in pairwise(snapshot.units(path)):
            for unit, beside in ((one, other), (other, one)):
                share = shares.get(beside, 0)
                if share and not worth.is_target(beside):
                    found[unit] = max(found.get(unit, 0), _LIKE_BESIDE * share // ONE)
    return found


def _unit_step(ranked: _Ranked, value: int, related: Sequence[Candidate]) -> Step:
    unit = ranked.unit
    relation = BlockRelation(
        "similar", "textual", None, unit.symbol or None, None, ranked.shared[:_MOST_SHARED]
    )
    own = [each for each in related if each.symbol or not unit.symbol]
    part = next(
        (each.part for each in own if each.symbol),
        FilePart(unit.start_line, unit.symbol or "", unit.end_line),
    )
    return _step(unit.path, part, value, own, relation)


def _shape(unit: Unit, half: int) -> int:
    """Return what the length of a unit is worth, and its place."""
    lines = unit.end_line - unit.start_line + 1
    value = _shortness(min(lines, _LONG), half) - (_TOO_LONG if lines > _MOST_LINES else 0)
    return value + (_HEAD if unit.start_line == 1 and not unit.symbol else 0)


@lru_cache(maxsize=2 * _LONG)
def _shortness(lines: int, half: int) -> int:
    return half * log2(_LONG, lines) // ONE


def _unit_order(unit: Unit, value: int) -> tuple[object, ...]:
    """As `_order` has it for the optional step of a unit."""
    return -value, bytewise(unit.path), unit.start_line, unit.end_line, unit.symbol or ""


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
    return (
        step.is_unlikely,
        -step.value,
        bytewise(step.path),
        part.line,
        part.last_line,
        part.symbol,
    )


def _unit_of(units: Sequence[tuple[int, Unit]], candidate: Candidate) -> int | None:
    """The number of the smallest unit that a candidate stands in."""
    found = [
        (unit.end_line - unit.start_line, number)
        for number, unit in units
        if unit.start_line <= candidate.line <= unit.end_line
        and (not candidate.symbol or unit.symbol == candidate.symbol)
        and candidate.line
    ]
    return min(found)[1] if found else None


class _UnitWorth:
    """What speaks for a unit besides its words."""

    def __init__(
        self,
        snapshot: Snapshot,
        targets: Targets,
        candidates: Sequence[Candidate],
        shares: Mapping[str, int],
    ) -> None:
        """`shares` says how much each file has of the targets' words."""
        paths = [each.path for each in targets.files]
        self._shares = shares
        most = max((share for path, share in shares.items() if path not in paths), default=0)
        self._most_shared = max(1, most)
        self._snapshot = snapshot
        self._folders = {posixpath.dirname(path) for path in paths}
        self._own = frozenset(paths)
        self._files = {each.path for each in candidates if each.is_direct}
        self._users = sum(each.is_direct and each.reason is Reason.CALLER for each in candidates)
        self._names: set[str] = set()
        self._by_path: dict[str, int] = {}
        self._crowds: dict[str, int] = {}
        self._targets: dict[str, list[tuple[int, int]]] = {}
        around: list[str] = []
        self._indirect = {
            (place.path, place.symbol)
            for target in targets.files
            for symbol in target.symbols
            for relation in snapshot.relations.callees(symbol, 2)
            if relation.hops > 1 and relation.confidence is Confidence.RESOLVED
            for place in relation.targets
        }
        for target in targets.files:
            scope = snapshot.scope(target.path)
            own = [scope.definitions[index] for _, index in target.symbols] if scope else []
            self._names.update(each.name for each in own)
            if scope is not None:
                line = scope.view.line_number
                self._targets[target.path] = [
                    (line(each.start), line(max(each.start, each.end - 1))) for each in own
                ]
                around += [each.container.rpartition(".")[2] for each in own]
        self._nearness = Nearness(snapshot, paths, sorted({*self._names, *around}))

    def is_target(self, unit: Unit) -> bool:
        """Return True for a unit that a target stands in, or that stands in one."""
        return any(
            unit.start_line <= last and first <= unit.end_line
            for first, last in self._targets.get(unit.path, ())
        )

    def value(self, path: str, symbol: str, related: Sequence[Candidate]) -> int:
        name = symbol.rpartition(".")[2]
        worth = max(map(self._related, related), default=0)
        if symbol and not related and (path, symbol) in self._indirect:
            worth = _INDIRECT
        if path in self._own:
            return worth + _FOLDER + _OWN
        known = self._by_path.get(path)
        if known is None:
            known = self._by_path[path] = self._of_file(path)
        return worth + known + (_SAME_NAME if name in self._names else 0)

    def _related(self, candidate: Candidate) -> int:
        if not candidate.is_direct:
            return _TEXTUAL
        if candidate.relations[0].kind == IMPORT:
            return 0
        value = _RELATED if candidate.hops == 1 else _DISTANT
        if candidate.reason is Reason.CALLER:
            return value * _FEW_USERS // max(_FEW_USERS, self._users)
        return value

    def _of_file(self, path: str) -> int:
        """Return what is the same for all that stands in a file."""
        return (
            (_FILE if path in self._files else 0)
            + self._file_likeness(path)
            + self._nearness.of(path) * _NEAR_PERCENT // 100
            + (_FOLDER if posixpath.dirname(path) in self._folders else 0)
            - (_FOREIGN_UNIT if is_foreign(path) else 0)
            - (0 if self._snapshot.files[path].language else _NO_LANGUAGE)
        )

    def test(self, path: str) -> int:
        """Return what is taken off a unit of a test that is like the target."""
        return _LIKE_TEST if path not in self._own and is_test(path) else 0

    def custom(self, unit: Unit, related: Sequence[Candidate]) -> int:
        """Return what is taken off a unit that types have by custom, unless it is related."""
        if related or unit.path in self._own or not unit.symbol:
            return 0
        return _CUSTOMARY if unit.symbol.rpartition(".")[2] in _CUSTOMARY_NAMES else 0

    def crowd(self, path: str) -> int:
        """Return what is taken off a unit of a file that speaks for it alone.

        Of many units of a file a change is about a few.
        """
        if path in self._own:
            return 0
        known = self._crowds.get(path)
        if known is None:
            units = max(_FEW_UNITS, len(self._snapshot.units(path)))
            known = self._crowds[path] = _CROWD * log2(units, _FEW_UNITS) // ONE
        return known

    def _file_likeness(self, path: str) -> int:
        share = min(self._shares.get(path, 0), self._most_shared)
        return _LIKE_FILE * isqrt(share * ONE * ONE // self._most_shared) // ONE
