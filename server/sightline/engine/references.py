"""Find who uses a symbol, and what a name can mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

import attrs

from sightline.bundle import EvidenceLine
from sightline.egress.names import may_be_secret
from sightline.engine.host import Host
from sightline.engine.requests import ReferencesRequest
from sightline.engine.results import (
    ReferencesDefinition,
    ReferencesResult,
    RelatedSymbol,
    Status,
    SymbolRelation,
    refused,
)
from sightline.engine.shown import Concealer, conceal_names, concealed
from sightline.index import Relation, Snapshot, SymbolId, SymbolLocation
from sightline.refusals import Refusal, RefusalKind

_MOST_DEFINITIONS = 20
_MOST_FILES = 400
_MOST_HOPS = 64
MOST_SYMBOLS = 200
"""The most symbols that a search returns."""


def references(host: Host, request: ReferencesRequest) -> ReferencesResult:
    """Return the users of every declaration that a name can mean."""
    refusal = wrong_hops(request.hops)
    if refusal is not None:
        return refused(ReferencesResult, refusal)
    snapshot = host.snapshot
    targets = snapshot.find(request.symbol) if _is_text(request.symbol) else []
    if not targets:
        return refused(
            ReferencesResult, concealed(host, _unknown(snapshot, request.symbol), request.symbol)
        )
    if len(targets) > _MOST_DEFINITIONS:
        about = _too_many(snapshot, request.symbol, targets)
        return refused(ReferencesResult, concealed(host, about, request.symbol))
    found = [(snapshot.place(target), _users(snapshot, target, request.hops)) for target in targets]
    names = conceal(
        host,
        [place for place, _ in found],
        [relation for _, relations in found for relation in relations],
        request.symbol,
    )
    return ReferencesResult(
        status=Status.OK,
        symbol=names.text(request.symbol),
        definitions=tuple(
            _definition(related_symbol(place, names), symbol_relations(relations, names))
            for place, relations in found
        ),
        index_complete=snapshot.index_complete,
    )


@attrs.frozen
class FoundSymbol:
    """A symbol that a search found."""

    path: str
    name: str
    container: str | None
    kind: str
    line: int


def find_symbols(host: Host, query: str, left_out: Set[str] = frozenset()) -> list[FoundSymbol]:
    """Return symbols whose name contains a query in any case, the shortest names first.

    Symbols of the paths in `left_out` are excluded.
    """
    snapshot = host.snapshot
    wanted = query.casefold()
    found: list[FoundSymbol] = []
    looked_at = 0
    for path in snapshot.paths_naming(wanted):
        scope = snapshot.scope(path)
        if scope is None or path in left_out:
            continue
        looked_at += 1
        if looked_at > _MOST_FILES:
            break
        for each in scope.definitions:
            if wanted in each.name.casefold():
                line = scope.view.line_number(each.name_start)
                found.append(FoundSymbol(path, each.name, each.container or None, each.kind, line))
    found.sort(key=lambda each: (len(each.name), each.name, each.path.encode("utf-8")))
    shown = found[:MOST_SYMBOLS]
    names = conceal_names(
        host,
        # A name that looks random may be a secret that only its file reveals; other names need no
        # check.
        {each.path for each in shown} if any(may_be_secret(each.name) for each in shown) else (),
        [name for each in shown for name in (each.name, each.container or "")],
    )
    return [
        attrs.evolve(
            each,
            name=names.text(each.name),
            container=names.text(each.container) if each.container else None,
        )
        for each in shown
    ]


def conceal(
    host: Host,
    places: Iterable[SymbolLocation],
    relations: Iterable[Relation],
    *names: str,
) -> Concealer:
    """Return a function that replaces secrets in places and relations, given the files that they
    are in.
    """
    paths: set[str] = set()
    named: set[str] = {*names}
    for place in places:
        paths.add(place.path)
        named.add(place.symbol)
    for relation in relations:
        paths.add(relation.evidence.path)
        named.add(relation.evidence.name)
        for place in relation.targets:
            paths.add(place.path)
            named.add(place.symbol)
    return conceal_names(host, paths, named)


def wrong_hops(hops: int) -> Refusal | None:
    """Return a refusal if relations cannot be followed for so many steps."""
    if 1 <= hops <= _MOST_HOPS:
        return None
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "usage",
        None,
        f"hops must be a number from 1 to {_MOST_HOPS}",
        "give a number in this range",
    )


def related_symbol(place: SymbolLocation, names: Concealer) -> RelatedSymbol:
    return RelatedSymbol(
        names.text(place.path), names.text(place.symbol) or None, place.kind, place.line
    )


def symbol_relations(relations: Iterable[Relation], names: Concealer) -> tuple[SymbolRelation, ...]:
    return tuple(
        SymbolRelation(
            kind=relation.kind.value,
            confidence=relation.confidence.value,
            hops=relation.hops,
            left_out=relation.left_out,
            targets=tuple(related_symbol(place, names) for place in relation.targets),
            evidence=EvidenceLine(
                names.text(relation.evidence.path),
                relation.evidence.line,
                names.text(relation.evidence.name),
            ),
        )
        for relation in relations
    )


def _definition(
    place: RelatedSymbol, relations: tuple[SymbolRelation, ...]
) -> ReferencesDefinition:
    return ReferencesDefinition(place.path, place.symbol, place.kind, place.line, relations)


def _users(snapshot: Snapshot, target: SymbolId, hops: int) -> list[Relation]:
    return [
        *snapshot.relations.callers(target, hops),
        *snapshot.relations.dispatch_callers(target),
        *snapshot.relations.overridden_by(target),
        *snapshot.relations.implementers(target),
        *snapshot.relations.type_users(target),
        *snapshot.relations.value_users(target),
        *snapshot.relations.importers(target),
    ]


def _unknown(snapshot: Snapshot, symbol: str) -> Refusal:
    advice = "check the name; 'sightline outline PATH' lists the symbols of a file"
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "unknown_symbol",
        None,
        f"nothing visible in the workspace declares '{symbol[:200]}'",
        "; ".join([advice, *(each.sentence() for each in snapshot.hidden)]),
        rule=snapshot.hidden[0].rule if snapshot.hidden else None,
        source="default:never_send" if snapshot.hidden else None,
    )


def _too_many(snapshot: Snapshot, symbol: str, targets: Sequence[SymbolId]) -> Refusal:
    return Refusal(
        RefusalKind.AMBIGUOUS_TARGET,
        "several_matches",
        None,
        f"'{symbol[:200]}' names {len(targets)} symbols",
        "choose one of them as PATH::SYMBOL",
        candidates=tuple(dict.fromkeys(str(snapshot.place(target)) for target in targets)),
    )


def _is_text(symbol: str) -> bool:
    """Return False for half a character, which no name contains."""
    try:
        symbol.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
