"""The members of types, own, inherited and added from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sightline.index.resolve import type_texts
from sightline.index.resolve.lookups import Lookups
from sightline.index.resolve.meaning import DEEPEST, UNKNOWN, Found, Outcome
from sightline.index.resolve.scopes import SCOPE_KINDS, FileScope, SymbolId
from sightline.languages import ModuleRules
from sightline.symbols import TYPE_KINDS
from sightline.symbols.facts import Reference, used

_MOST_REMEMBERED = 50_000
_MOST_SEARCHED = 256


class Members:
    """Types with their bases, and what is called on them."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self._declared = lookups.declared
        self._modules = lookups.declared.modules
        self._bases: dict[SymbolId, tuple[list[SymbolId], bool]] = {}
        self._open_bases = 0
        self._implementations: dict[tuple[str, int], Sequence[SymbolId]] = {}
        self._known_members: dict[tuple[tuple[SymbolId, ...], str, str], list[SymbolId]] = {}

    def base_types(self, target: SymbolId) -> tuple[list[SymbolId], bool]:
        """The definitions of a type's bases, and whether all of them are known."""
        if target in self._bases:
            return self._bases[target]
        # A type that is its own base, through whatever detour, has none.
        self._bases[target] = ([], False)
        self._open_bases += 1
        # What is remembered must not depend on who asked first.
        values = self._lookups.values
        asked_from, values.asked_from = values.asked_from, None
        bases: list[SymbolId] = []
        complete = True
        for path, reference in self.base_references(target):
            scope = self._declared.scope_of(path)
            found = self._lookups.resolve(scope, reference) if scope else UNKNOWN
            if isinstance(found, Outcome):
                complete = False
            else:
                bases.extend(each for each in found if each != target)
        if self._declared.kind(target) == "type" and (
            alias := self._declared.scope(target).bindings.result(target[1])
        ):
            # Another name for a type has the members of that type.
            found = self._lookups.values.written_type(
                self._declared.scope(target), alias.type, alias.start
            )
            bases.extend(() if isinstance(found, Outcome) else found)
        self._bases[target] = (list(dict.fromkeys(bases)), complete)
        self._open_bases -= 1
        values.asked_from = asked_from
        return self._bases[target]

    def base_references(self, target: SymbolId) -> list[tuple[str, Reference]]:
        """Where a type's bases are named, in its own header or in a scope elsewhere."""
        scope = self._declared.scope(target)
        each = scope.definitions[target[1]]
        found = [(scope.path, base) for base in scope.bases(target[1])]
        if scope.rules.scattered_members and scope.rules.scheme == "packages":
            for path, index in self._declared.by_full_name(scope.rules, scope.full_name(target[1])):
                other = self._declared.scope((path, index))
                if path != scope.path and each.kind in TYPE_KINDS:
                    found.extend((path, base) for base in other.bases(index))
        found.extend((scope.path, base) for base in scope.scope_bases(each.qualified_name))
        if scope.rules.scattered_members and each.kind in TYPE_KINDS:
            found.extend(self._scattered_bases(target))
        return found

    def _scattered_bases(self, target: SymbolId) -> Iterator[tuple[str, Reference]]:
        """Base types that other files give to a type, in extensions or scopes of their own."""
        scope = self._declared.scope(target)
        each = scope.definitions[target[1]]
        if scope.rules.relative == "words":
            paths = self._declared.name_table.files(used(each.name))
            for path in paths if len(paths) <= _MOST_SEARCHED else ():
                other = self._declared.scope_of(path)
                if path == scope.path or other is None or other.rules != scope.rules:
                    continue
                for base in other.base_references:
                    if target in self._implemented(other, base.start):
                        yield path, base
            return
        for path, index in self._declared.called(scope.rules, each.name):
            other = self._declared.scope((path, index))
            if (
                index in other.extensions
                and (path, index) != target
                and other.definitions[index].qualified_name == each.qualified_name
                and self._declared.is_near(scope, other)
            ):
                for base in other.bases(index):
                    yield path, base

    def member(self, types: Sequence[SymbolId], name: str, use: str = "") -> Found:
        """A member of one of some types, its own before an inherited one."""
        key = (tuple(types), name, use)
        found = self._known_members.get(key)
        if found is None:
            found = self._members(types, name, use, {})
            if len(self._known_members) > _MOST_REMEMBERED:
                self._known_members.clear()
            # While bases are being looked for, not all of them are known.
            if not self._open_bases:
                self._known_members[key] = found
        return found or UNKNOWN

    def _members(
        self, types: Sequence[SymbolId], name: str, use: str, known: dict[SymbolId, list[SymbolId]]
    ) -> list[SymbolId]:
        for target in types:
            if target in known:
                continue
            # A type that is its own base inherits nothing from itself.
            known[target] = []
            own = self._declared.suiting(self._own_members(target, name), use)
            rules = self._declared.scope(target).rules
            inherits = use == "call" and rules.overloads and not rules.hides_overloads
            if (not own or inherits) and len(known) < 64:
                inherited = self._members(self.base_types(target)[0], name, use, known)
                own = own + self._not_overridden(inherited, own)
            known[target] = own
        found = [found for target in types for found in known[target]]
        if found and len(types) > 1 and self._have_rivals(types, known):
            return []
        return list(dict.fromkeys(found))

    def _not_overridden(self, inherited: list[SymbolId], own: list[SymbolId]) -> list[SymbolId]:
        """Inherited members that none of a type's own overrides: overloads stay."""
        are_alike = self._lookups.overloads.are_alike
        return [
            each
            for each in inherited
            if each not in own and not any(are_alike(each, other) for other in own)
        ]

    def _have_rivals(
        self, types: Sequence[SymbolId], known: dict[SymbolId, list[SymbolId]]
    ) -> bool:
        """Whether files give one full name to types of which some have a member and some lack it.

        Any of them may be meant, so that what one of them has says nothing.
        """
        has: dict[str, dict[str, bool]] = {}
        for target in types:
            scope = self._declared.scope(target)
            if scope.rules.scheme == "packages" and not scope.rules.scattered_members:
                files = has.setdefault(scope.full_name(target[1]), {})
                files[scope.path] = files.get(scope.path, False) or bool(known[target])
        return any(len(set(files.values())) > 1 for files in has.values())

    def _own_members(self, target: SymbolId, name: str) -> list[SymbolId]:
        scope = self._declared.scope(target)
        owner = scope.definitions[target[1]].qualified_name
        members = scope.members
        found = [(scope.path, index) for index in members.get(owner, {}).get(name, ())]
        for companion in scope.rules.companions:
            inner = members.get(f"{owner}.{companion}", {}).get(name, ())
            found.extend((scope.path, index) for index in inner)
        if scope.definitions[target[1]].kind == "module" and scope.rules.imports_all:
            # Every file that opens a namespace has a part of it; who asks has them all.
            return self._declared.with_linked(found, self._declared.free(scope.rules, name))
        if scope.rules.scattered_members and scope.rules.scheme == "packages":
            found.extend(
                self._declared.by_full_name(scope.rules, f"{scope.full_name(target[1])}.{name}")
            )
        elif scope.rules.scattered_members:
            for other_target in self._declared.members_called(scope.rules, owner, name):
                if other_target[0] != scope.path and self._belongs(other_target, target):
                    found.append(other_target)
        return list(dict.fromkeys(found))

    def _belongs(self, member: SymbolId, owner: SymbolId) -> bool:
        """Whether a definition in another file is a member of a type."""
        scope, other = self._declared.scope(owner), self._declared.scope(member)
        container = other.definitions[member[1]].container
        if scope.rules.relative == "words":
            return owner in self._implemented(other, other.definitions[member[1]].start)
        return self._declared.is_called(scope, owner[1], container) and self._declared.is_near(
            scope, other
        )

    def _implemented(self, scope: FileScope, offset: int) -> Sequence[SymbolId]:
        """The types that a scope of their own (`impl Owner`) around an offset adds to."""
        around = [block for block in scope.view.scopes if block[0] <= offset < block[1]]
        if not around:
            return ()
        start, end, owner = max(around)
        key = (scope.path, start)
        if key not in self._implementations:
            name = owner.rpartition(".")[2]
            first = min(
                (each.start for each in scope.definitions if each.start > start), default=end
            )
            # Of all types in the header the one it is for stands last.
            named = [use for use in scope.references.get(name, ()) if start <= use.start < first]
            found = self._lookups.resolve(scope, named[-1]) if named else UNKNOWN
            self._implementations[key] = () if isinstance(found, Outcome) else found
        return self._implementations[key]

    def added_to(
        self, scope: FileScope, receiver: str, offset: int, name: str, depth: int
    ) -> list[SymbolId]:
        """The method that the workspace adds to a type that is not of it: `impl Trait for [u8]`.

        Empty where it adds none or several of that name.
        """
        methods = [
            target
            for target in self._declared.called(scope.rules, name)
            if self._declared.kind(target) == "method"
        ]
        written = methods and self._lookups.written.of(scope, receiver, offset, depth)
        if not methods or not written:
            return []
        owner = type_texts.owner(written.text)
        if written.scope.bindings.bounds(owner, written.offset):
            return []
        own: list[SymbolId] = []
        provided: list[SymbolId] = []
        for target in methods:
            other = self._declared.scope(target)
            each = other.definitions[target[1]]
            around = other.nesting.parents[target[1]]
            if around >= 0 and other.definitions[around].kind == "trait":
                if self._is_implemented((target[0], around), owner):
                    provided.append(target)
            elif self._adds(other, each.container, owner, each.start):
                own.append(target)
        found = own or provided
        return found if len(found) == 1 else []

    def _adds(self, scope: FileScope, container: str, owner: str, offset: int) -> bool:
        """Whether a scope around an offset adds to a type from elsewhere that has a name."""
        if owner not in (container, container.rpartition(".")[2]):
            return False
        return not scope.bindings.bounds(owner, offset) and not self._implemented(scope, offset)

    def _is_implemented(self, trait: SymbolId, owner: str) -> bool:
        """Whether a scope implements a trait for a type of that name that is from elsewhere."""
        name = self._declared.scope(trait).definitions[trait[1]].name
        for path in self._declared.name_table.files(used(name))[:_MOST_SEARCHED]:
            other = self._declared.scope_of(path)
            for base in other.references.get(name, ()) if other else ():
                if other is None or base.kind != "base":
                    continue
                owners = {
                    each for start, end, each in other.view.scopes if start <= base.start < end
                }
                if owner not in owners or self._implemented(other, base.start):
                    continue
                found = self._lookups.resolve(other, base)
                if not isinstance(found, Outcome) and trait in found:
                    return True
        return False

    def own(self, target: SymbolId, name: str) -> list[SymbolId]:
        """The members of a name that a type has itself."""
        return self._declared.suiting(self._own_members(target, name), "call")

    def traits_around(self, scope: FileScope, offset: int) -> Sequence[SymbolId] | None:
        """The types that a scope of its own around an offset implements; None without one."""
        around = [block for block in scope.view.scopes if block[0] <= offset < block[1]]
        if scope.rules.relative != "words" or not around:
            return None
        start, end, _ = max(around)
        traits: list[SymbolId] = []
        for base in scope.base_references:
            if start <= base.start < end:
                found = self._lookups.resolve(scope, base)
                traits.extend(() if isinstance(found, Outcome) else found)
        return traits

    def derived(self, target: SymbolId) -> list[SymbolId]:
        """The types that name a type as their base, in path order."""
        scope = self._declared.scope(target)
        name = scope.definitions[target[1]].name
        found: list[SymbolId] = []
        for path in self._declared.name_table.files(used(name))[:_MOST_SEARCHED]:
            other = self._declared.scope_of(path)
            if other is None or other.rules.family != scope.rules.family:
                continue
            for base in other.references.get(name, ()):
                index = other.nesting.user(base.start) if base.kind == "base" else -1
                if index < 0 or (path, index) == target:
                    continue
                bases = self._lookups.resolve(other, base)
                if not isinstance(bases, Outcome) and target in bases:
                    found.append((path, index))
        return list(dict.fromkeys(found))

    def extension(
        self, rules: ModuleRules, types: Sequence[SymbolId], name: str, depth: int
    ) -> list[SymbolId]:
        """Functions that are called on some types, or on their bases, without being members."""
        if depth > DEEPEST:
            return []
        extended = self._with_bases(types)
        return [
            target
            for target in self._declared.called(rules, name)
            if not extended.isdisjoint(self._extended(target, depth + 1))
        ]

    def without_receiver(
        self, scope: FileScope, found: Sequence[SymbolId], offset: int
    ) -> list[SymbolId]:
        """Those that can be called where they are: an extension only inside what it extends."""
        if not all(self._declared.binds_receiver(target) for target in found):
            # What is around may be a block that is run on something: that is not known here.
            return list(found)
        around: list[SymbolId] = []
        for index in scope.nesting.chain(offset):
            if scope.definitions[index].kind in TYPE_KINDS:
                around.append((scope.path, index))
            around.extend(self._extended((scope.path, index), 0))
        extended = self._with_bases(around)
        return [target for target in found if not extended.isdisjoint(self._extended(target, 0))]

    def extends_elsewhere(self, rules: ModuleRules, name: str) -> bool:
        """Whether a name is that of a function on types that are not of the workspace."""
        if rules.relative == "words":
            return any(
                not self._implemented(other, other.definitions[target[1]].start)
                for target in self._declared.called(rules, name)
                if (other := self._declared.scope(target)).definitions[target[1]].kind == "method"
                and any(
                    start <= other.definitions[target[1]].start < end
                    for start, end, _ in other.view.scopes
                )
            )
        return bool(rules.extension) and any(
            self._declared.binds_receiver(target) and not self._extended(target, 0)
            for target in self._declared.called(rules, name)
        )

    def _extended(self, target: SymbolId, depth: int) -> list[SymbolId]:
        """The types on which a function is called that is no member of them."""
        if not self._declared.binds_receiver(target):
            return []
        scope = self._declared.scope(target)
        bound = scope.bindings.bound(scope.rules.extension, target[1])
        types = self._lookups.values.type_of(scope, bound, bound[0].start, depth + 1)
        return [] if isinstance(types, Outcome) else types

    def _with_bases(self, types: Sequence[SymbolId]) -> set[SymbolId]:
        extended = set(types)
        pending = list(types)
        while pending and len(extended) < 64:
            bases = [each for each in self.base_types(pending.pop())[0] if each not in extended]
            extended.update(bases)
            pending.extend(bases)
        return extended

    def types(self, scope: FileScope, qualified: str) -> list[SymbolId]:
        """The types of a qualified name that a file may mean, its own first."""
        container, _, name = qualified.rpartition(".")
        own = [
            (scope.path, index)
            for index in scope.members.get(container, {}).get(name, ())
            if scope.definitions[index].kind in SCOPE_KINDS or scope.rules.open_values
        ]
        if own and not all(self._declared.is_extension(target) for target in own):
            return own
        if scope.rules.relative == "words":
            blocks = [start for start, _, owner in scope.view.scopes if owner == qualified]
            return list(self._implemented(scope, blocks[0])) if blocks else []
        others = [
            target
            for target in self._declared.called(scope.rules, name)
            if self._declared.kind(target) in SCOPE_KINDS
            and target[0] != scope.path
            and self._declared.is_near(self._declared.scope(target), scope)
            and self._declared.is_called(self._declared.scope(target), target[1], qualified)
        ]
        return own + others
