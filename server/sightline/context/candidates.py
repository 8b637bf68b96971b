"""Find the symbols that relate to the targets, and rank them.

A candidate is a symbol, or a file if the relation is to the file. Each relation is kept with its
evidence line. Weights, penalties and tie-breakers are the contract's, in whole numbers: a score
follows from the reported relation, its hops and the size of the file. A relation that is not
resolved has no weight: it ranks below every resolved one, and is optional if its only evidence is a
name. Third-party and generated files, recognised by their paths, are always optional.

Invariants: each symbol is one candidate, whatever leads to it; every order is total and bytewise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import attrs

from sightline.bundle import BlockRelation, EvidenceLine, Priority, Reason
from sightline.context.sources import ScannedDocument
from sightline.context.targets import TargetFile, Targets
from sightline.index import (
    Confidence,
    FileScope,
    Relation,
    RelationKind,
    Snapshot,
    SymbolId,
    SymbolLocation,
)
from sightline.symbols import TYPE_KINDS
from sightline.symbols.facts import Definition

TARGET_FILE = 100
TARGET_SYMBOL_FILE = 90
DEPENDENCY = 60
BASE_TYPE = 55
CALLER = 40
CONFIG = 30
OTHER = 0

_PENALTY_BYTES = 200_000
_LARGEST_SIZE_PENALTY = 30
_HOP_PENALTY = 10
_DUPLICATE_PENALTY = 5

_MOST_RELATIONS = 12
_MOST_USING = 120
"""The most files naming a symbol that are searched for its users, the nearest first. A name in more
files says little, and resolving it is expensive.
"""
_FOREIGN = re.compile(
    # Folders that by convention contain code of other projects.
    r"(?:^|/)(?:_?vendor|vendored|third[_-]?party|node_modules|bower_components|__pypackages__)/"
    # Names that generators use.
    r"|[._]min\.(?:js|mjs|css)$|\.pb\.(?:go|cc|h)$|_pb2(?:_grpc)?\.pyi?$|\.designer\.cs$|\.g\.cs$"
    r"|[._]generated\.[^./]{1,12}$|(?:^|/)zz_generated[._][^/]{1,80}$",
    re.IGNORECASE,
)
_MOST_SYMBOLS_OF_FILE = 64
_WORD = re.compile(rb"\w+")
_CONFIDENCE_ORDER = {"resolved": 0, "dispatch": 1, "ambiguous": 2, "textual": 3}
_INTERFACES = frozenset(["interface", "trait"])
_NAMESPACE = "module"
_VALUE = "value"
IMPORT = "import"
"""The kind for files that the target's file imports and the target itself does not use."""


@attrs.frozen(order=True)
class FilePart:
    """A part of a file that is meant: a symbol, or the statements on some lines."""

    line: int
    """The line of the symbol's name; with `last_line`, the first of a range of lines. 1-based."""
    symbol: str
    """Its qualified name; "" for statements."""
    last_line: int = 0
    """The last line, for statements, and for a symbol whose name is on any of several lines."""

    def means(self, symbol: str, line: int) -> bool:
        """True for the symbol of this name and line."""
        return self.symbol == symbol and self.line <= line <= max(self.line, self.last_line)


@attrs.frozen
class Lead:
    """One reason to include a symbol or a file."""

    path: str
    weight: int
    priority: Priority
    reason: Reason
    relation: BlockRelation
    line: int
    """The line of the symbol's name, or of the statement; 0 for the whole file."""


@attrs.frozen
class Candidate:
    path: str
    symbol: str | None
    """The qualified name; None for the file, or for a statement in it."""
    line: int
    """The line of the symbol's name, or of the statement; 0 for the whole file."""
    reason: Reason
    weight: int
    hops: int
    priority: Priority
    relations: tuple[BlockRelation, ...]
    """The best first."""

    @property
    def part(self) -> FilePart | None:
        """Return the part of its file that is meant; None for the whole file."""
        if self.symbol is not None:
            return FilePart(self.line, self.symbol)
        return FilePart(self.line, "", self.line) if self.line else None

    @property
    def is_direct(self) -> bool:
        """True if the evidence is more than a name."""
        return self.relations[0].confidence != "textual"


@attrs.frozen
class FoundCandidates:
    """The candidates of a build, and notes on what was not searched."""

    candidates: tuple[Candidate, ...]
    """In bytewise order of their paths, then by line."""
    notes: tuple[str, ...]
    """One sentence for each list that was cut, with a count."""


def find_candidates(
    snapshot: Snapshot, targets: Targets, documents: Sequence[ScannedDocument], max_hops: int
) -> FoundCandidates:
    """Find every symbol and file that relates to the targets, without the targets themselves.

    `documents` are those of the target files, in their order.
    """
    leads: list[Lead] = []
    notes: list[str] = []
    for file, document in zip(targets.files, documents, strict=True):
        if file.symbols:
            for symbol in file.symbols:
                leads.extend(_of_symbol(snapshot, symbol, document, max_hops))
                notes.extend(_cut_users(snapshot, symbol))
        else:
            leads.extend(_of_file(snapshot, file, notes))
        leads.extend(_of_configs(snapshot, file.path))
    shown = _Shown(snapshot, targets)
    found: dict[tuple[str, str | None, int], list[Lead]] = {}
    for lead in leads:
        if not shown.holds(lead):
            key = (lead.path, lead.relation.symbol, lead.line)
            found.setdefault(key, []).append(lead)
    return FoundCandidates(
        tuple(
            _candidate(found[key])
            for key in sorted(found, key=lambda each: (bytewise(each[0]), each[2], each[1] or ""))
        ),
        tuple(dict.fromkeys(notes)),
    )


class _Shown:
    """What the targets themselves show."""

    def __init__(self, snapshot: Snapshot, targets: Targets) -> None:
        self._snapshot = snapshot
        self._whole = {
            each.path for each in (*targets.files, *targets.selected) if not each.symbols
        }
        self._selected = {each.path for each in targets.selected}
        self._parts = {each.path: each.symbols for each in targets.files if each.symbols}

    def holds(self, lead: Lead) -> bool:
        """True if a target shows it: a whole file, or what is in or around a symbol."""
        if lead.path in self._whole or lead.path in self._selected:
            return True
        own = self._parts.get(lead.path)
        if own is None:
            return False
        scope = self._snapshot.scope(lead.path)
        if scope is None or lead.relation.symbol is None:
            return True
        at = definition_at(scope, lead.relation.symbol, lead.line)
        return at is None or any(
            at.start < other.end and other.start < at.end
            for other in (scope.definitions[index] for _, index in own)
        )


def definition_at(scope: FileScope, symbol: str, line: int) -> Definition | None:
    """Return the definition with a qualified name whose name is on a line."""
    for each in scope.definitions:
        if each.qualified_name == symbol and scope.view.line_number(each.name_start) == line:
            return each
    return None


def score(candidate: Candidate, byte_size: int, *, is_represented: bool) -> int:
    return (
        candidate.weight
        - min(_LARGEST_SIZE_PENALTY, byte_size // _PENALTY_BYTES)
        - _HOP_PENALTY * max(0, candidate.hops - 1)
        - (_DUPLICATE_PENALTY if is_represented else 0)
    )


def target_score(weight: int, byte_size: int) -> int:
    return weight - min(_LARGEST_SIZE_PENALTY, byte_size // _PENALTY_BYTES)


def similar_score(byte_size: int, *, is_represented: bool) -> int:
    """Return the score of a file that no relation leads to: zero, less the penalties."""
    return -min(_LARGEST_SIZE_PENALTY, byte_size // _PENALTY_BYTES) - (
        _DUPLICATE_PENALTY if is_represented else 0
    )


def rank(candidate: Candidate, byte_size: int, *, is_represented: bool) -> tuple[object, ...]:
    """Sort key: the contract's order, the best first; symbols of one file by line."""
    return (
        -score(candidate, byte_size, is_represented=is_represented),
        candidate.hops,
        byte_size,
        bytewise(candidate.path),
        candidate.symbol is None,
        candidate.line,
        candidate.symbol or "",
    )


def bytewise(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _of_symbol(
    snapshot: Snapshot, target: SymbolId, document: ScannedDocument, max_hops: int
) -> Iterator[Lead]:
    """Return what a symbol uses, extends, and is used by."""
    for relation in snapshot.relations.types_used(target):
        yield from _leads(relation, DEPENDENCY, Priority.P1, Reason.DEPENDENCY)
    scope = snapshot.scope(target[0])
    if scope is not None:
        own = scope.definitions[target[1]]
        words = frozenset(_WORD.findall(document.text.data, own.start, own.end))
        for relation in snapshot.relations.dependencies(target[0]):
            is_used = relation.evidence.name.rpartition(".")[2].encode() in words
            if is_used:
                yield from _leads(relation, DEPENDENCY, Priority.P1, Reason.DEPENDENCY)
            else:
                yield from _leads(relation, OTHER, Priority.P3, Reason.DEPENDENCY, IMPORT)
    for owner in _types_around(snapshot, target):
        for relation in snapshot.relations.bases(owner):
            yield from _base_leads(relation)
    for relation in snapshot.relations.overrides(target):
        yield from _leads(relation, BASE_TYPE, Priority.P1, Reason.BASE_TYPE)
    for relation in snapshot.relations.overridden_by(target):
        yield from _leads(relation, CALLER, Priority.P2, Reason.INTERFACE)
    for relation in snapshot.relations.may_dispatch_to(target):
        yield from _leads(relation, CALLER, Priority.P2, Reason.DEPENDENCY)
    for relation in snapshot.relations.values_used(target):
        yield from _leads(relation, CALLER, Priority.P2, Reason.DEPENDENCY, _VALUE)
    for relation in snapshot.relations.callees(target, max_hops):
        yield from _leads(relation, CALLER, Priority.P2, Reason.DEPENDENCY)
    for relation in _users(snapshot, target, max_hops):
        yield from _user_leads(relation)


def _of_file(snapshot: Snapshot, file: TargetFile, notes: list[str]) -> Iterator[Lead]:
    """Return what a file imports, what its types extend, and who uses its
    top-level declarations.
    """
    for relation in snapshot.relations.dependencies(file.path):
        yield from _leads(relation, DEPENDENCY, Priority.P1, Reason.DEPENDENCY)
    scope = snapshot.scope(file.path)
    if scope is None:
        return
    outermost = _outermost(scope)
    if len(outermost) > _MOST_SYMBOLS_OF_FILE:
        more = len(outermost) - _MOST_SYMBOLS_OF_FILE
        notes.append(
            f"users of the first {_MOST_SYMBOLS_OF_FILE} declarations of {file.path} were looked "
            f"for, and not those of {more} more"
        )
    for index in outermost[:_MOST_SYMBOLS_OF_FILE]:
        if scope.definitions[index].kind in TYPE_KINDS:
            for relation in snapshot.relations.bases((file.path, index)):
                yield from _base_leads(relation)
        for relation in _users(snapshot, (file.path, index), 1):
            yield from _user_leads(relation)
        notes.extend(_cut_users(snapshot, (file.path, index)))


def _outermost(scope: FileScope) -> list[int]:
    """Return the top-level declarations of a file; those in a namespace count as top-level."""
    found: set[int] = set()
    for index, parent in enumerate(scope.nesting.parents):
        if parent < 0 or (parent in found and scope.definitions[parent].kind == _NAMESPACE):
            found.add(index)
    return sorted(found)


def _cut_users(snapshot: Snapshot, target: SymbolId) -> list[str]:
    """Note that more files name a symbol than were searched."""
    name = snapshot.place(target).symbol
    count = len(snapshot.files_using(name.rpartition(".")[2]))
    if count <= _MOST_USING:
        return []
    return [
        f"{count} files name {name}: the nearest {_MOST_USING} were looked at for its users, "
        f"{count - _MOST_USING} were not"
    ]


def _users(snapshot: Snapshot, target: SymbolId, hops: int) -> Iterator[Relation]:
    yield from snapshot.relations.callers(target, hops, _MOST_USING)
    place = snapshot.place(target)
    if place.kind in TYPE_KINDS or place.kind == "type":
        yield from snapshot.relations.implementers(target, _MOST_USING)
        yield from snapshot.relations.type_users(target, _MOST_USING)
    yield from snapshot.relations.value_users(target, _MOST_USING)
    yield from snapshot.relations.importers(target, _MOST_USING)


def _types_around(snapshot: Snapshot, target: SymbolId) -> list[SymbolId]:
    """Return the symbol itself if it is a type, otherwise the type that it is a member of."""
    scope = snapshot.scope(target[0])
    index = target[1]
    while scope is not None and index >= 0:
        if scope.definitions[index].kind in TYPE_KINDS:
            return [(target[0], index)]
        index = scope.nesting.parents[index]
    return []


def _of_configs(snapshot: Snapshot, path: str) -> Iterator[Lead]:
    for relation in snapshot.relations.configs(path):
        # The distance to the base type does not make it less relevant.
        yield from _leads(attrs.evolve(relation, hops=1), CONFIG, Priority.P2, Reason.CONFIG)


def _base_leads(relation: Relation) -> Iterator[Lead]:
    for place in relation.targets:
        reason = Reason.INTERFACE if place.kind in _INTERFACES else Reason.BASE_TYPE
        yield _lead(relation, place, BASE_TYPE, Priority.P1, reason)


def _user_leads(relation: Relation) -> Iterator[Lead]:
    is_implementer = relation.kind is RelationKind.IMPLEMENTER
    reason = Reason.INTERFACE if is_implementer else Reason.CALLER
    yield from _leads(relation, CALLER, Priority.P2, reason)


def _leads(
    relation: Relation, weight: int, priority: Priority, reason: Reason, kind: str | None = None
) -> Iterator[Lead]:
    for place in relation.targets:
        yield _lead(relation, place, weight, priority, reason, kind)


def _lead(
    relation: Relation,
    place: SymbolLocation,
    weight: int,
    priority: Priority,
    reason: Reason,
    kind: str | None = None,
) -> Lead:
    if relation.confidence is not Confidence.RESOLVED:
        weight = OTHER
        priority = max(priority, Priority.P2)
    if relation.confidence is Confidence.TEXTUAL or relation.hops > 1 or is_foreign(place.path):
        priority = Priority.P3
    if is_foreign(place.path):
        weight = OTHER
    evidence = relation.evidence
    line = place.line
    if not place.symbol:
        # A use outside of every symbol is shown with the statement around it.
        is_use = evidence.path == place.path and relation.kind is not RelationKind.CONFIG
        line = evidence.line if is_use else 0
    return Lead(
        place.path,
        weight,
        priority,
        reason,
        BlockRelation(
            kind or relation.kind.value,
            relation.confidence.value,
            relation.hops,
            place.symbol or None,
            EvidenceLine(evidence.path, evidence.line, evidence.name),
        ),
        line,
    )


def _candidate(leads: Sequence[Lead]) -> Candidate:
    """Return one candidate for all reasons to include it: the strongest decides."""
    ordered = sorted(leads, key=_strength)
    best = ordered[0]
    relations = tuple(dict.fromkeys(lead.relation for lead in ordered))
    return Candidate(
        best.path,
        best.relation.symbol,
        best.line,
        best.reason,
        best.weight,
        best.relation.hops or 1,
        best.priority,
        relations[:_MOST_RELATIONS],
    )


def is_foreign(path: str) -> bool:
    """True if a path is one of third-party code or of a generated file."""
    return _FOREIGN.search(path) is not None


def merged_relations(candidates: Iterable[Candidate]) -> tuple[BlockRelation, ...]:
    """Return the relations of some candidates, each once; the best candidate's first."""
    found = dict.fromkeys(each for candidate in candidates for each in candidate.relations)
    return tuple(found)[:_MOST_RELATIONS]


def _strength(lead: Lead) -> tuple[object, ...]:
    relation = lead.relation
    evidence = relation.evidence
    assert evidence is not None, "a relation has a line that speaks for it"
    return (
        -lead.weight,
        lead.priority.value,
        relation.hops,
        _CONFIDENCE_ORDER[relation.confidence],
        relation.kind,
        bytewise(evidence.path),
        evidence.line,
        relation.symbol or "",
    )
