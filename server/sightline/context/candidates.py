"""Which files stand in relation to the targets, and how they rank.

Weights, penalties and tie-breakers are the contract's, in whole numbers. A relation that is not
resolved has no weight: it ranks below every resolved one and is optional where its only evidence
is a name. Third-party and generated files, as their paths tell, are optional in any case.

Invariants: each path is one candidate, whatever leads to it; every order is total and bytewise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import attrs

from sightline.bundle import BlockRelation, EvidenceLine, Priority, Reason
from sightline.context.nearness import nearest
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
_MOST_NEAR = 140
_TIER = 10
_MOST_USING = 120
"""Files that name a symbol are looked at for its users, the nearest first; a name that more have
says little, and what it means is costly to make out."""
_NEAR = "near"
_FOREIGN = re.compile(
    # Folders that hold other projects' code by convention.
    r"(?:^|/)(?:_?vendor|vendored|third[_-]?party|node_modules|bower_components|__pypackages__)/"
    # Names that generators give.
    r"|[._]min\.(?:js|mjs|css)$|\.pb\.(?:go|cc|h)$|_pb2(?:_grpc)?\.pyi?$|\.designer\.cs$|\.g\.cs$"
    r"|[._]generated\.[^./]{1,12}$|(?:^|/)zz_generated[._][^/]{1,80}$",
    re.IGNORECASE,
)
_MOST_SYMBOLS_OF_FILE = 64
_WORD = re.compile(rb"\w+")
_CONFIDENCE_ORDER = {"resolved": 0, "ambiguous": 1, "textual": 2}
_INTERFACES = frozenset(["interface", "trait"])
_NAMESPACE = "module"


@attrs.frozen
class Lead:
    """One reason to include a file."""

    path: str
    weight: int
    priority: Priority
    reason: Reason
    relation: BlockRelation
    line: int
    """Of the name of the symbol it is about; 1 for the whole file."""


@attrs.frozen
class Candidate:
    path: str
    reason: Reason
    weight: int
    hops: int
    priority: Priority
    relations: tuple[BlockRelation, ...]
    """The best first."""
    symbols: tuple[tuple[str, int], ...]
    """Symbols of the file that are meant, by qualified name and line of the name."""
    is_whole: bool
    """Some relation is about the file itself."""


@attrs.frozen
class Ranked:
    candidate: Candidate
    document: ScannedDocument
    score: int


def find_candidates(
    snapshot: Snapshot, targets: Targets, documents: Sequence[ScannedDocument], max_hops: int
) -> list[Candidate]:
    """Every file that relates to the targets, in bytewise order; no target is among them.

    `documents` are those of the target files, in their order.
    """
    leads: list[Lead] = []
    for file, document in zip(targets.files, documents, strict=True):
        if file.symbols:
            for symbol in file.symbols:
                leads.extend(_of_symbol(snapshot, symbol, document, max_hops))
        else:
            leads.extend(_of_file(snapshot, file))
        leads.extend(_of_configs(snapshot, file.path))
    own = {each.path for each in (*targets.files, *targets.selected)}
    by_path: dict[str, list[Lead]] = {}
    for lead in leads:
        if lead.path not in own:
            by_path.setdefault(lead.path, []).append(lead)
    tiers: dict[str, int] = {}
    for file, document in zip(targets.files, documents, strict=True):
        for symbol in file.symbols:
            for lead in list(_of_nearness(snapshot, symbol, document, tiers)):
                known = by_path.get(lead.path)
                # What a relation leads to needs no other reason.
                if lead.path not in own and (known is None or known[0].relation.kind == _NEAR):
                    by_path.setdefault(lead.path, []).append(lead)
    return [
        _candidate(path, by_path[path], tiers.get(path, 2 + _MOST_NEAR // _TIER))
        for path in sorted(by_path, key=bytewise)
    ]


def _of_nearness(
    snapshot: Snapshot, target: SymbolId, document: ScannedDocument, tiers: dict[str, int]
) -> Iterator[Lead]:
    """Files that no relation leads to; every ten of them count as one hop more."""
    near = nearest(snapshot, target, document.text.data, _MOST_NEAR)
    for rank, each in enumerate(near):
        hops = 2 + rank // _TIER
        tiers[each.path] = min(hops, tiers.get(each.path, hops))
        evidence = EvidenceLine(each.path, each.line, each.name)
        for symbol, line in each.symbols or ((None, 1),):
            relation = BlockRelation(_NEAR, "textual", hops, symbol, evidence)
            yield Lead(each.path, OTHER, Priority.P3, Reason.DEPENDENCY, relation, line)


def score(candidate: Candidate, byte_size: int, *, is_represented: bool) -> int:
    return (
        candidate.weight
        - min(_LARGEST_SIZE_PENALTY, byte_size // _PENALTY_BYTES)
        - _HOP_PENALTY * max(0, candidate.hops - 1)
        - (_DUPLICATE_PENALTY if is_represented else 0)
    )


def ranked(
    candidates: Iterable[tuple[Candidate, ScannedDocument]], represented: frozenset[str]
) -> list[Ranked]:
    """The best first. `represented` are paths that another block shows a part of."""
    scored = [
        Ranked(
            candidate,
            document,
            score(candidate, document.byte_size, is_represented=candidate.path in represented),
        )
        for candidate, document in candidates
    ]
    return sorted(
        scored,
        key=lambda each: (
            -each.score,
            each.candidate.hops,
            each.document.byte_size,
            bytewise(each.candidate.path),
        ),
    )


def before_reading(candidate: Candidate) -> tuple[str, int, int, bytes]:
    """The order before documents are read: where there are too many, the last are dropped."""
    unpenalised = candidate.weight - _HOP_PENALTY * max(0, candidate.hops - 1)
    return candidate.priority.value, -unpenalised, candidate.hops, bytewise(candidate.path)


def bytewise(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _of_symbol(
    snapshot: Snapshot, target: SymbolId, document: ScannedDocument, max_hops: int
) -> Iterator[Lead]:
    """What a symbol uses, extends, and is used by."""
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
                yield from _leads(relation, OTHER, Priority.P3, Reason.DEPENDENCY)
    for owner in _types_around(snapshot, target):
        for relation in snapshot.relations.bases(owner):
            yield from _base_leads(relation)
    for relation in snapshot.relations.values_used(target):
        yield from _leads(relation, CALLER, Priority.P2, Reason.DEPENDENCY)
    for relation in snapshot.relations.callees(target, max_hops):
        yield from _leads(relation, CALLER, Priority.P2, Reason.DEPENDENCY)
    for relation in _users(snapshot, target, max_hops):
        yield from _user_leads(relation)


def _of_file(snapshot: Snapshot, file: TargetFile) -> Iterator[Lead]:
    """What a file imports, what its types extend, and who uses what it declares at the top."""
    for relation in snapshot.relations.dependencies(file.path):
        yield from _leads(relation, DEPENDENCY, Priority.P1, Reason.DEPENDENCY)
    scope = snapshot.scope(file.path)
    if scope is None:
        return
    for index in _outermost(scope)[:_MOST_SYMBOLS_OF_FILE]:
        if scope.definitions[index].kind in TYPE_KINDS:
            for relation in snapshot.relations.bases((file.path, index)):
                yield from _base_leads(relation)
        for relation in _users(snapshot, (file.path, index), 1):
            yield from _user_leads(relation)


def _outermost(scope: FileScope) -> list[int]:
    """What a file declares at the top; a namespace around it is no top of its own."""
    found: set[int] = set()
    for index, parent in enumerate(scope.nesting.parents):
        if parent < 0 or (parent in found and scope.definitions[parent].kind == _NAMESPACE):
            found.add(index)
    return sorted(found)


def _users(snapshot: Snapshot, target: SymbolId, hops: int) -> Iterator[Relation]:
    yield from snapshot.relations.callers(target, hops, _MOST_USING)
    place = snapshot.place(target)
    if place.kind in TYPE_KINDS or place.kind == "type":
        yield from snapshot.relations.implementers(target, _MOST_USING)
        yield from snapshot.relations.type_users(target, _MOST_USING)
    yield from snapshot.relations.value_users(target, _MOST_USING)
    yield from snapshot.relations.importers(target, _MOST_USING)


def _types_around(snapshot: Snapshot, target: SymbolId) -> list[SymbolId]:
    """The symbol itself if it is a type, else the type that it is a member of."""
    scope = snapshot.scope(target[0])
    index = target[1]
    while scope is not None and index >= 0:
        if scope.definitions[index].kind in TYPE_KINDS:
            return [(target[0], index)]
        index = scope.nesting.parents[index]
    return []


def _of_configs(snapshot: Snapshot, path: str) -> Iterator[Lead]:
    for relation in snapshot.relations.configs(path):
        # How far up it stands says nothing about how well it fits.
        yield from _leads(attrs.evolve(relation, hops=1), CONFIG, Priority.P2, Reason.CONFIG)


def _base_leads(relation: Relation) -> Iterator[Lead]:
    for place in relation.targets:
        reason = Reason.INTERFACE if place.kind in _INTERFACES else Reason.BASE_TYPE
        yield _lead(relation, place, BASE_TYPE, Priority.P1, reason)


def _user_leads(relation: Relation) -> Iterator[Lead]:
    is_implementer = relation.kind is RelationKind.IMPLEMENTER
    reason = Reason.INTERFACE if is_implementer else Reason.CALLER
    yield from _leads(relation, CALLER, Priority.P2, reason)


def _leads(relation: Relation, weight: int, priority: Priority, reason: Reason) -> Iterator[Lead]:
    for place in relation.targets:
        yield _lead(relation, place, weight, priority, reason)


def _lead(
    relation: Relation, place: SymbolLocation, weight: int, priority: Priority, reason: Reason
) -> Lead:
    if relation.confidence is not Confidence.RESOLVED:
        weight = OTHER
        priority = max(priority, Priority.P2)
    if relation.confidence is Confidence.TEXTUAL or relation.hops > 1:
        priority = Priority.P3
    evidence = relation.evidence
    return Lead(
        place.path,
        weight,
        priority,
        reason,
        BlockRelation(
            relation.kind.value,
            relation.confidence.value,
            relation.hops,
            place.symbol or None,
            EvidenceLine(evidence.path, evidence.line, evidence.name),
        ),
        place.line,
    )


def _candidate(path: str, leads: Sequence[Lead], tier: int) -> Candidate:
    """One candidate from all the reasons to include it; optional if it is not the project's own."""
    candidate = _combined(path, leads, tier)
    if candidate.priority is Priority.P3 or not is_foreign(path):
        return candidate
    return attrs.evolve(candidate, weight=OTHER, hops=tier, priority=Priority.P3)


def _combined(path: str, leads: Sequence[Lead], tier: int) -> Candidate:
    """One candidate from all the reasons to include it: the strongest decides.

    `tier` is the number of hops of an optional file: only nearness tells those apart.
    """
    ordered = sorted(leads, key=_strength)
    best = ordered[0]
    symbols = {
        (lead.relation.symbol, lead.line)
        for lead in ordered
        if lead.relation.symbol is not None and lead.priority == best.priority
    }
    relations = tuple(dict.fromkeys(lead.relation for lead in ordered))
    return Candidate(
        path,
        best.reason,
        best.weight,
        tier if best.priority is Priority.P3 else best.relation.hops,
        best.priority,
        relations[:_MOST_RELATIONS],
        tuple(sorted(symbols, key=lambda each: (each[1], each[0]))),
        any(lead.relation.symbol is None for lead in ordered),
    )


def is_foreign(path: str) -> bool:
    """Return True if a path is one of third-party code or of a generated file."""
    return _FOREIGN.search(path) is not None


def _strength(lead: Lead) -> tuple[int, str, int, int, str, bytes, int, str]:
    relation = lead.relation
    return (
        -lead.weight,
        lead.priority.value,
        relation.hops,
        _CONFIDENCE_ORDER[relation.confidence],
        relation.kind,
        bytewise(relation.evidence.path),
        relation.evidence.line,
        relation.symbol or "",
    )
