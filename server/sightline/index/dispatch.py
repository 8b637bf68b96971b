"""Find which methods override or implement others, and so may be reached by a call of them.

A method overrides the methods of the same name in the types that its own type is based on, if both
take the same parameters. In a language with structural interfaces, a type implements an interface
if it has all its methods, including those of embedded types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sightline.index.resolve import FileScope, Outcome, Resolver, SymbolId
from sightline.symbols import CALLABLE_KINDS, TYPE_KINDS

_MOST_BASES = 64
_MOST_NAMESAKES = 2000
_METHOD_KINDS = CALLABLE_KINDS - {"constructor", "macro"}


class Dispatch:
    """The overriding methods of one snapshot, computed on first use and kept."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._declared = resolver.declared
        self._overridden: dict[SymbolId, tuple[SymbolId, ...]] = {}
        self._implemented: dict[tuple[SymbolId, SymbolId], bool] = {}
        self._interface_methods: dict[SymbolId, dict[str, SymbolId]] = {}
        self._embedding: dict[SymbolId, list[SymbolId]] = {}

    def overridden(self, target: SymbolId) -> tuple[SymbolId, ...]:
        """Return the methods of base types that a method overrides or implements, the nearest
        first.
        """
        known = self._overridden.get(target)
        if known is None:
            known = self._overridden[target] = tuple(self._find_overridden(target))
        return known

    def overriding(self, target: SymbolId) -> list[SymbolId]:
        """Return the methods that override or implement a method, in path order."""
        scope = self._declared.scope(target)
        if not self._is_method(scope, target[1]):
            return []
        name = scope.definitions[target[1]].name
        found = []
        for number, other in enumerate(self._declared.called(scope.rules, name)):
            if number >= _MOST_NAMESAKES:
                break
            if other != target and target in self.overridden(other):
                found.append(other)
        return found

    def _find_overridden(self, target: SymbolId) -> Iterable[SymbolId]:
        scope = self._declared.scope(target)
        if not self._is_method(scope, target[1]):
            return ()
        name = scope.definitions[target[1]].name
        found: dict[SymbolId, None] = {}
        owners = self._owners(scope, target[1])
        for base in self._bases(scope, target[1], owners):
            for method in self._resolver.members.own(base, name):
                other = self._declared.scope(method)
                if (
                    method != target
                    and self._is_method(other, method[1])
                    and self._resolver.overloads.are_alike(target, method)
                ):
                    found[method] = None
        if scope.rules.structural:
            found |= dict.fromkeys(self._structural(target, owners))
        return found

    def _is_method(self, scope: FileScope, index: int) -> bool:
        each = scope.definitions[index]
        return (
            each.kind in _METHOD_KINDS
            and bool(each.container)
            and each.name not in scope.rules.constructors
            and (each.kind != "function" or self._declared.is_member(scope, index))
        )

    def _owners(self, scope: FileScope, index: int) -> list[SymbolId]:
        """Return the types that a method belongs to: several if files share the type."""
        around = scope.nesting.parents[index]
        if around >= 0 and scope.definitions[around].kind in TYPE_KINDS:
            return [(scope.path, around)]
        return self._resolver.members.types(scope, scope.definitions[index].container)

    def _bases(self, scope: FileScope, index: int, owners: list[SymbolId]) -> Iterator[SymbolId]:
        """Return the types above those that a method belongs to, the nearest first, each once."""
        members = self._resolver.members
        level: list[SymbolId] = []
        if scope.is_anonymous(index):
            named = scope.anonymous_base(index)
            found = self._resolver.resolve(scope, named) if named is not None else ()
            level = [] if isinstance(found, Outcome) else list(found)
        elif (block := members.traits_around(scope, scope.definitions[index].start)) is not None:
            level = list(block)
        else:
            level = [base for owner in owners for base in members.base_types(owner)[0]]
        seen = set(owners)
        while level and len(seen) < _MOST_BASES:
            following: list[SymbolId] = []
            for base in level:
                if base not in seen:
                    seen.add(base)
                    yield base
                    following.extend(members.base_types(base)[0])
            level = following

    def _structural(self, target: SymbolId, owners: list[SymbolId]) -> Iterator[SymbolId]:
        """Return the interface methods that a type implements by having all methods of the
        interface.
        """
        scope = self._declared.scope(target)
        if any(self._declared.kind(owner) == "interface" for owner in owners):
            return
        name = scope.definitions[target[1]].name
        for other in self._declared.called(scope.rules, name):
            other_scope = self._declared.scope(other)
            around = other_scope.nesting.parents[other[1]]
            if around < 0 or other_scope.definitions[around].kind != "interface":
                continue
            interface = (other[0], around)
            if self._resolver.overloads.are_alike(target, other) and any(
                self._implements(each, interface)
                for owner in owners
                for each in (owner, *self._embedders(owner))
            ):
                yield other

    def _implements(self, type_: SymbolId, interface: SymbolId) -> bool:
        key = (type_, interface)
        if key not in self._implemented:
            self._implemented[key] = all(
                any(
                    self._resolver.overloads.are_alike(own, method)
                    for own in self._methods_of(type_, name)
                )
                for name, method in self._methods(interface).items()
            )
        return self._implemented[key]

    def _methods_of(self, type_: SymbolId, name: str) -> list[SymbolId]:
        found = self._resolver.members.member([type_], name, "call")
        if isinstance(found, Outcome):
            return []
        return [each for each in found if self._is_method(self._declared.scope(each), each[1])]

    def _methods(self, interface: SymbolId) -> dict[str, SymbolId]:
        """Return the methods that an interface and its embedded interfaces require."""
        known = self._interface_methods.get(interface)
        if known is not None:
            return known
        found: dict[str, SymbolId] = {}
        pending, seen = [interface], {interface}
        while pending and len(seen) < _MOST_BASES:
            each = pending.pop()
            scope = self._declared.scope(each)
            owner = scope.definitions[each[1]].qualified_name
            for name, indexes in scope.members.get(owner, {}).items():
                for index in indexes:
                    if scope.definitions[index].kind in _METHOD_KINDS:
                        found[name] = (scope.path, index)
            bases = self._resolver.members.base_types(each)[0]
            pending.extend(base for base in bases if base not in seen)
            seen.update(bases)
        self._interface_methods[interface] = found
        return found

    def _embedders(self, type_: SymbolId) -> list[SymbolId]:
        """Return the types that have a type's methods because they embed it."""
        known = self._embedding.get(type_)
        if known is None:
            known = self._embedding[type_] = self._resolver.members.derived(type_)
        return known
