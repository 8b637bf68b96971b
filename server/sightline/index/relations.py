"""Relations between symbols, resolved when somebody asks: nothing was linked beforehand.

Invariants:

* Every list of relations is in a total order.
* What cannot be told is given as what it may be, and said to be that; see `Confidence`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import attrs

from sightline.index.candidate_order import CandidateOrder
from sightline.index.dispatch import Dispatch
from sightline.index.model import Confidence, Evidence, Relation, RelationKind, SymbolLocation
from sightline.index.name_table import NameTable
from sightline.index.path_names import bytewise, folders_between
from sightline.index.project_files import ProjectFiles
from sightline.index.resolve import FileScope, Found, Outcome, Resolver, SymbolId
from sightline.index.uses import NameUses
from sightline.symbols.facts import Reference

_RANKS = {
    Confidence.RESOLVED: 0,
    Confidence.DISPATCH: 1,
    Confidence.AMBIGUOUS: 2,
    Confidence.TEXTUAL: 3,
}
_MOST_LISTED = 100
"""Methods that override one, and calls that may lead to it."""


class Relations:
    """How the symbols and files of one snapshot are related."""

    def __init__(
        self,
        scope_of: Callable[[str], FileScope | None],
        find: Callable[[str], list[SymbolId]],
        place: Callable[[SymbolId], SymbolLocation],
        name_table: NameTable,
        resolver: Resolver,
        project_files: ProjectFiles,
    ) -> None:
        self._scope_of = scope_of
        self._find = find
        self._place = place
        self._resolver = resolver
        self._project_files = project_files
        self._dispatch = Dispatch(resolver)
        self.order = CandidateOrder(scope_of, place, resolver)
        self._uses = NameUses(scope_of, name_table, self.meaning)

    def callees(self, target: SymbolId, hops: int = 1) -> list[Relation]:
        return self._walk(target, hops, self._direct_callees)

    def callers(
        self, target: SymbolId, hops: int = 1, most_files: int | None = None
    ) -> list[Relation]:
        """Who calls a definition; of more than so many files that name it, the nearest."""
        return self._walk(
            target, hops, lambda each: self._users(each, "call", RelationKind.CALLER, most_files)
        )

    def bases(self, target: SymbolId) -> list[Relation]:
        """The types that a type extends or implements."""
        relations: list[Relation] = []
        for path, reference in self._resolver.members.base_references(target):
            scope = self._scope_of(path)
            if scope is not None:
                relations.extend(self._relation(RelationKind.BASE, scope, reference))
        return _ordered(relations)

    def implementers(self, target: SymbolId, most_files: int | None = None) -> list[Relation]:
        """The types that extend or implement a type."""
        return self._users(target, "base", RelationKind.IMPLEMENTER, most_files)

    def type_users(self, target: SymbolId, most_files: int | None = None) -> list[Relation]:
        """The definitions that name a type."""
        return self._users(target, "type", RelationKind.DEPENDENT, most_files)

    def value_users(self, target: SymbolId, most_files: int | None = None) -> list[Relation]:
        """The definitions that name a function or a type as a value, without calling it."""
        return self._users(target, "value", RelationKind.DEPENDENT, most_files)

    def importers(self, target: SymbolId, most_files: int | None = None) -> list[Relation]:
        """The files that import a definition by its name."""
        scope = self._scope_of(target[0])
        if scope is None:
            return []
        name = scope.definitions[target[1]].name
        relations: list[Relation] = []
        for path in self._uses.files_using(name, target[0], most_files):
            other = self._scope_of(path)
            if other is None or other.rules.family != scope.rules.family:
                continue
            for each in other.view.imports:
                if each.name != name:
                    continue
                found = self._resolver.imported(other, each)
                if target in found:
                    relations.append(
                        Relation(
                            RelationKind.DEPENDENT,
                            self._confidence(found),
                            (SymbolLocation(path, "", "file", 1),),
                            Evidence(path, other.view.line_number(each.start), name),
                        )
                    )
        return _ordered(relations)

    def dependencies(self, path: str) -> list[Relation]:
        """What a file imports from the workspace."""
        scope = self._scope_of(path)
        if scope is None:
            return []
        relations: list[Relation] = []
        for each in scope.view.imports:
            found = self._resolver.imported(scope, each)
            if not found:
                continue
            relations.append(
                Relation(
                    RelationKind.DEPENDENCY,
                    self._confidence(found),
                    tuple(sorted(self._place(target) for target in found)),
                    Evidence(
                        path,
                        scope.view.line_number(each.start),
                        each.name or each.alias or each.module,
                    ),
                )
            )
        return _ordered(relations)

    def types_used(self, target: SymbolId) -> list[Relation]:
        """The types that a definition names, in its header and in its body."""
        return self._used(target, "type")

    def values_used(self, target: SymbolId) -> list[Relation]:
        """The functions and types that a definition names as values."""
        return self._used(target, "value")

    def _used(self, target: SymbolId, kind: str) -> list[Relation]:
        scope = self._scope_of(target[0])
        if scope is None:
            return []
        relations: list[Relation] = []
        for reference in scope.references_in(target[1]):
            if reference.kind == kind:
                relations.extend(self._relation(RelationKind.DEPENDENCY, scope, reference))
        return _ordered(relations)

    def configs(self, path: str) -> list[Relation]:
        """Project files that say how a file is built or checked, the nearest first."""
        return _ordered(self._project_files.configs(path))

    def overrides(self, target: SymbolId) -> list[Relation]:
        """The methods of base types that a method overrides or implements."""
        scope = self._scope_of(target[0])
        if scope is None:
            return []
        found = self._dispatch.overridden(target)
        evidence = _own_line(scope, target[1])
        return [
            Relation(RelationKind.OVERRIDES, Confidence.RESOLVED, (self._place(each),), evidence)
            for each in found
        ]

    def overridden_by(self, target: SymbolId) -> list[Relation]:
        """The methods that override or implement a method, the nearest where they are many."""
        found = self.order.nearest(target[0], self._dispatch.overriding(target))
        relations: list[Relation] = []
        for each in found[:_MOST_LISTED]:
            scope = self._scope_of(each[0])
            assert scope is not None, "what overrides stands in a file of the snapshot"
            evidence = _own_line(scope, each[1])
            places = (self._place(each),)
            relations.append(
                Relation(RelationKind.OVERRIDDEN_BY, Confidence.RESOLVED, places, evidence)
            )
        return _cut(_ordered(relations), len(found) - len(relations))

    def may_dispatch_to(self, target: SymbolId) -> list[Relation]:
        """The methods that calls in a definition may lead to besides those that they name."""
        scope = self._scope_of(target[0])
        relations: list[Relation] = []
        for reference in scope.references_in(target[1]) if scope is not None else ():
            assert scope is not None
            if reference.kind != "call" or reference.receiver in scope.rules.super_names:
                continue
            named, confidence = self.meaning(scope, reference)
            if confidence is Confidence.TEXTUAL:
                continue
            others = [other for each in named for other in self._dispatch.overriding(each)]
            found = [each for each in dict.fromkeys(others) if each not in (*named, target)]
            if found:
                relations.append(
                    self.order.listed(
                        RelationKind.MAY_DISPATCH_TO,
                        Confidence.DISPATCH,
                        found,
                        _evidence(scope, reference),
                    )
                )
        return _ordered(relations)

    def dispatch_callers(self, target: SymbolId, most_files: int | None = None) -> list[Relation]:
        """Who calls a method by the name of one that it overrides or implements."""
        known = {
            each.evidence: None
            for each in self._users(target, "call", RelationKind.CALLER, most_files)
        }
        found: list[Relation] = []
        for base in self._dispatch.overridden(target):
            for relation in self._users(base, "call", RelationKind.CALLER, most_files):
                if relation.confidence is Confidence.TEXTUAL or relation.evidence in known:
                    continue
                known[relation.evidence] = None
                found.append(attrs.evolve(relation, confidence=Confidence.DISPATCH))
        if len(found) > _MOST_LISTED:
            found.sort(
                key=lambda each: (
                    folders_between(target[0], each.evidence.path),
                    bytewise(each.evidence.path),
                    each.evidence.line,
                )
            )
        return _cut(_ordered(found[:_MOST_LISTED]), len(found) - _MOST_LISTED)

    def around(self, path: str, target: SymbolId | None, hops: int = 1) -> list[Relation]:
        """Everything that a file, or a symbol of it, stands in relation to."""
        if target is None:
            return [*self.dependencies(path), *self.configs(path)]
        return [
            *self.bases(target),
            *self.implementers(target),
            *self.overrides(target),
            *self.overridden_by(target),
            *self.callers(target, hops),
            *self.dispatch_callers(target),
            *self.callees(target, hops),
            *self.may_dispatch_to(target),
            *self.types_used(target),
            *self.value_users(target),
            *self.values_used(target),
            *self.configs(path),
        ]

    def meaning(
        self, scope: FileScope, reference: Reference
    ) -> tuple[Sequence[SymbolId], Confidence]:
        """What a use means or may mean, and how sure that is."""
        found: Found = self._resolver.resolve(scope, reference)
        if found is Outcome.ELSEWHERE:
            return (), Confidence.TEXTUAL
        if isinstance(found, Outcome):
            named = self._resolver.declared.by_name(scope, reference)
            return self._resolver.overloads.fitting(scope, reference, named), Confidence.TEXTUAL
        return found, self._confidence(found)

    def _walk(
        self, target: SymbolId, hops: int, direct: Callable[[SymbolId], list[Relation]]
    ) -> list[Relation]:
        relations: list[Relation] = []
        seen = {target}
        level = [target]
        for hop in range(1, hops + 1):
            following: list[SymbolId] = []
            for each in level:
                for relation in direct(each):
                    relations.append(attrs.evolve(relation, hops=hop))
                    if relation.confidence is Confidence.TEXTUAL:
                        continue
                    for place in relation.targets:
                        if not place.symbol:
                            continue
                        for found in self._find(f"{place.path}::{place.symbol}"):
                            if found not in seen:
                                seen.add(found)
                                following.append(found)
            level = following
        return _ordered(relations)

    def _direct_callees(self, target: SymbolId) -> list[Relation]:
        scope = self._scope_of(target[0])
        if scope is None:
            return []
        relations: list[Relation] = []
        calls = (each for each in scope.references_in(target[1]) if each.kind == "call")
        found = self._uses.of((scope, each) for each in calls)
        for use in found.uses:
            if use.found:
                evidence = _evidence(scope, use.reference)
                listed = self.order.listed(RelationKind.CALLEE, use.confidence, use.found, evidence)
                relations.append(listed)
        return _cut(relations, found.left_out)

    def _users(
        self, target: SymbolId, kind: str, relation: RelationKind, most_files: int | None
    ) -> list[Relation]:
        """Who uses a definition: every use of its name that does, or may, mean it."""
        scope = self._scope_of(target[0])
        if scope is None:
            return []
        each = scope.definitions[target[1]]
        if each.name in scope.rules.constructors or each.kind == "constructor":
            # Who calls a type calls its constructor.
            around = scope.nesting.parents[target[1]]
            if around >= 0:
                target, each = (scope.path, around), scope.definitions[around]
        uses = self._uses.of_name(scope, each.name, kind, most_files)
        relations: list[Relation] = []
        for use in uses.uses:
            if target in use.targets:
                user = (use.scope.path, use.scope.nesting.user(use.reference.start))
                evidence = _evidence(use.scope, use.reference)
                place = (self._place(user),)
                relations.append(Relation(relation, use.confidence, place, evidence))
        return _cut(_ordered(relations), uses.left_out)

    def _confidence(self, found: Sequence[SymbolId]) -> Confidence:
        is_one = self._resolver.declared.is_one(found)
        is_one = is_one and not self._resolver.overloads.are_several(found)
        return Confidence.RESOLVED if is_one else Confidence.AMBIGUOUS

    def _relation(
        self, kind: RelationKind, scope: FileScope, reference: Reference
    ) -> Iterator[Relation]:
        found, confidence = self.meaning(scope, reference)
        if found:
            yield self.order.listed(kind, confidence, found, _evidence(scope, reference))


def _own_line(scope: FileScope, index: int) -> Evidence:
    each = scope.definitions[index]
    return Evidence(scope.path, scope.view.line_number(each.name_start), each.name)


def _cut(relations: list[Relation], left_out: int) -> list[Relation]:
    """A list that says in its last relation how many it leaves out."""
    if left_out > 0 and relations:
        relations[-1] = attrs.evolve(relations[-1], left_out=left_out)
    return relations


def _evidence(scope: FileScope, reference: Reference) -> Evidence:
    return Evidence(scope.path, scope.view.line_number(reference.start), reference.name)


def _ordered(relations: Iterable[Relation]) -> list[Relation]:
    return sorted(
        relations,
        key=lambda each: (
            each.hops,
            _RANKS[each.confidence],
            bytewise(each.evidence.path),
            each.evidence.line,
            each.evidence.name,
            each.targets,
        ),
    )
