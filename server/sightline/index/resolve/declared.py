"""What is declared, and where: found by name, file, folder and package alone.

The lowest of the rooms that resolve names: nothing here asks what any name means where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from sightline.index.name_table import NameTable
from sightline.index.resolve.modules import Modules
from sightline.index.resolve.scopes import NAMED_KINDS, SCOPE_KINDS, FileScope, SymbolId
from sightline.languages import ModuleRules
from sightline.symbols import CALLABLE_KINDS, TYPE_KINDS
from sightline.symbols.facts import Reference, defined

_MOST_INCLUDED = 400


class Declared:
    """The definitions of one snapshot, each looked for once."""

    def __init__(
        self,
        scope_of: Callable[[str], FileScope | None],
        name_table: NameTable,
        modules: Modules,
    ) -> None:
        self.scope_of = scope_of
        self.name_table = name_table
        self.modules = modules
        self._closures: dict[str, frozenset[str]] = {}
        self._members_by_owner: dict[tuple[str, str], dict[str, list[SymbolId]]] = {}
        self._full_names: dict[tuple[str, str], list[SymbolId]] = {}
        self._named: dict[tuple[str, str], list[SymbolId]] = {}
        self._alike: dict[tuple[str, bool, str, bool, str], list[SymbolId]] = {}

    def is_one(self, found: Sequence[SymbolId]) -> bool:
        """Whether definitions are of one thing.

        That is one definition; several that one file gives one name, overloads or one for each
        condition; one that is announced in files which the file that has it includes; one that is
        announced once and that several files define of which a build takes one; or all the files
        of one package.
        """
        if len(found) == 1:
            return True
        paths = list(dict.fromkeys(path for path, _ in found))
        scopes = [scope for path in paths if (scope := self.scope_of(path)) is not None]
        if len(scopes) != len(paths) or not scopes:
            return False
        rules = scopes[0].rules
        if any(index < 0 for _, index in found):
            return rules.scheme == "folders" and len({scope.folder for scope in scopes}) == 1
        names = {self.scope(each).definitions[each[1]].qualified_name for each in found}
        longest = max(names, key=len)
        if not all(longest == name or longest.endswith(f".{name}") for name in names):
            return False
        if len(paths) == 1:
            return len(names) == 1
        if rules.scheme == "folders" and len({scope.folder for scope in scopes}) == 1:
            # A package has a name twice only where a build takes one file or the other.
            return len(names) == 1 and len({scope.package for scope in scopes}) == 1
        if rules.scheme == "packages" and rules.scattered_members:
            # The parts of one type.
            return all(self.kind(each) in TYPE_KINDS for each in found) and len(names) == 1
        if rules.imports_all:
            are_functions = all(self.kind(each) in CALLABLE_KINDS for each in found)
            bodies = [each for each in found if self._has_body(each)]
            if len(bodies) == 1:
                # What is defined once and announced elsewhere.
                return are_functions
            announced = set(paths) - {path for path, _ in bodies}
            if (
                are_functions
                and bodies
                and announced
                and not any(announced.isdisjoint(self.closure(self.scope(each))) for each in bodies)
            ):
                # Every file that defines it includes what announces it. No program has two of
                # them, so they are alternatives: one for each system, or a stand-in.
                return True
        return rules.imports_all and any(
            self.closure(scope).issuperset(each for each in paths if each != scope.path)
            for scope in scopes
        )

    def is_foreign(self, scope: FileScope, name: str) -> bool:
        """Whether a name that nothing in sight has cannot be of the workspace."""
        rules = scope.rules
        if rules.scheme == "folders":
            return True
        if not rules.capital_types or not name[:1].isupper() or len(name) == 1:
            return False
        return rules.visible == "file" or not any(self.called(rules, name))

    def by_name(self, scope: FileScope, reference: Reference) -> list[SymbolId]:
        """Definitions that have nothing but the name in common with a use."""
        rules = scope.rules
        if reference.receiver and reference.name in rules.constructors:
            # Every type has one.
            return []
        key = (
            rules.family,
            rules.implicit_members,
            reference.kind if reference.kind in ("call", "value") else "type",
            bool(reference.receiver),
            reference.name,
        )
        if key not in self._alike:
            is_value = reference.kind == "value"
            self._alike[key] = (
                self._values_of_that_name(rules, reference)
                if is_value
                else self._of_that_name(rules, reference)
            )
        return self._alike[key]

    def _values_of_that_name(self, rules: ModuleRules, reference: Reference) -> list[SymbolId]:
        """Functions and types that a value may be of which nothing but the name is known.

        A name alone that no scope has is a variable, unless whole files are brought in. Behind a
        receiver it is data wherever something that holds data has the name.
        """
        if not reference.receiver and not rules.imports_all and rules.visible != "workspace":
            return []
        found = []
        for target in self.called(rules, reference.name):
            kind = self.kind(target)
            is_member = self.is_member(self.scope(target), target[1])
            if is_member != bool(reference.receiver):
                continue
            if kind not in NAMED_KINDS:
                return []
            found.append(target)
        return found

    def _of_that_name(self, rules: ModuleRules, reference: Reference) -> list[SymbolId]:
        found: list[SymbolId] = []
        free: list[SymbolId] = []
        for target in self.called(rules, reference.name):
            other = self.scope(target)
            each = other.definitions[target[1]]
            if reference.kind != "call":
                if each.kind in SCOPE_KINDS:
                    found.append(target)
                continue
            if each.kind not in CALLABLE_KINDS and each.kind not in TYPE_KINDS:
                continue
            is_member = self.is_member(other, target[1])
            # A method of a value that has no name.
            is_member = is_member or (rules.open_values and each.kind == "method")
            if reference.receiver:
                suits = is_member or each.kind in TYPE_KINDS or self.binds_receiver(target)
                if not suits:
                    free.append(target)
            else:
                suits = not is_member or rules.implicit_members
            if suits:
                found.append(target)
        # What holds functions need not be a type: a module that is loaded late, a table.
        return found if found or not rules.open_values else free

    def free(self, rules: ModuleRules, name: str) -> Iterator[SymbolId]:
        """Every definition of a name that is no member of a type."""
        for target in self.called(rules, name):
            if not self.is_member(self.scope(target), target[1]):
                yield target

    def with_linked(self, found: list[SymbolId], others: Iterable[SymbolId]) -> list[SymbolId]:
        """Definitions, and where what they only announce is defined by files that include them."""
        announced = {path for path, _ in found}
        if not announced:
            return found
        known = frozenset(found)
        defined_elsewhere = [
            target
            for target in others
            if target not in known and self.kind(target) in CALLABLE_KINDS
        ]
        linked = [
            target
            for target in defined_elsewhere
            if not announced.isdisjoint(self.closure(self.scope(target)))
        ]
        if not any(map(self._has_body, [*found, *linked])):
            # A file need not include the header of what it defines.
            linked += [each for each in defined_elsewhere if self._has_body(each)]
        return found + linked

    def _has_body(self, target: SymbolId) -> bool:
        return self.scope(target).definitions[target[1]].body >= 0

    def closure(self, scope: FileScope) -> frozenset[str]:
        """The files that a file includes, and those that they include."""
        known = self._closures.get(scope.path)
        if known is not None:
            return known
        seen: dict[str, None] = {}
        pending = [scope]
        while pending and len(seen) < _MOST_INCLUDED:
            each = pending.pop(0)
            for imported in each.view.imports:
                for path in self.modules.files(each, imported.module):
                    other = self.scope_of(path)
                    if path not in seen and other is not None:
                        seen[path] = None
                        pending.append(other)
        self._closures[scope.path] = frozenset(seen)
        return self._closures[scope.path]

    def by_full_name(self, rules: ModuleRules, full: str) -> list[SymbolId]:
        key = (rules.family, full)
        if key not in self._full_names:
            name = full.rpartition(".")[2]
            self._full_names[key] = [
                target
                for target in self.called(rules, name)
                if self.scope(target).full_name(target[1]) == full
            ]
        return self._full_names[key]

    def members_called(self, rules: ModuleRules, owner: str, name: str) -> Sequence[SymbolId]:
        """Every member of a name whose type has the last name of an owner."""
        key = (rules.family, name)
        if key not in self._members_by_owner:
            by_owner: dict[str, list[SymbolId]] = {}
            for target in self.called(rules, name):
                container = self.scope(target).definitions[target[1]].container
                if container:
                    by_owner.setdefault(container.rpartition(".")[2], []).append(target)
            self._members_by_owner[key] = by_owner
        return self._members_by_owner[key].get(owner.rpartition(".")[2], ())

    def suiting(self, found: list[SymbolId], use: str) -> list[SymbolId]:
        """Those that a use of some kind can mean."""
        suiting = []
        for target in found:
            scope = self.scope(target)
            each = scope.definitions[target[1]]
            if each.kind == "constructor" and each.name == each.container.rpartition(".")[2]:
                # It is called by the name of its type, which is what is meant.
                continue
            if use == "call" and each.kind == "module" and not scope.rules.bare_calls:
                continue
            if use == "call":
                suits = (
                    not scope.rules.calls_apart
                    or each.kind in TYPE_KINDS
                    or (each.kind in CALLABLE_KINDS and each.kind != "property")
                )
            else:
                suits = not use or not scope.rules.types_apart or each.kind in SCOPE_KINDS
            if suits:
                suiting.append(target)
        return suiting

    def binds_receiver(self, target: SymbolId) -> bool:
        scope = self.scope(target)
        return bool(
            scope.rules.extension and scope.bindings.bound(scope.rules.extension, target[1])
        )

    def is_near(self, scope: FileScope, other: FileScope) -> bool:
        """Whether a member of a type in one file may stand in the other."""
        if scope.rules.scheme == "folders":
            return scope.folder == other.folder
        if scope.rules.scheme == "packages":
            return scope.package == other.package
        if scope.rules.imports_all:
            return scope.path == other.path or scope.path in self.closure(other)
        module = self.modules.module_folder(scope.rules, scope.path)
        if module and module != self.modules.module_folder(other.rules, other.path):
            name = module.rpartition("/")[2]
            return any(each.module == name for each in other.imports)
        return True

    def is_called(self, scope: FileScope, index: int, qualified: str) -> bool:
        """Whether a definition goes by a name, which may leave out namespaces that are used."""
        own = scope.definitions[index].qualified_name
        return own == qualified or (scope.rules.imports_all and own.endswith(f".{qualified}"))

    def is_extension(self, target: SymbolId) -> bool:
        return target[1] in self.scope(target).extensions

    def is_open(self, target: SymbolId) -> bool:
        """Whether a value has members of its own, as a type has."""
        scope = self.scope(target)
        return scope.rules.open_values and scope.qualified(target[1]) in scope.members

    def apart(self, types: list[SymbolId]) -> list[SymbolId]:
        """Types, and of a namespace that is open in many files one part: all have its members."""
        rules = self.scope(types[0]).rules
        if len(types) == 1 or not rules.scattered_members or rules.visible != "workspace":
            return types
        chosen: dict[object, SymbolId] = {}
        for target in types:
            each = self.scope(target).definitions[target[1]]
            chosen.setdefault(each.qualified_name if each.kind == "module" else target, target)
        return list(chosen.values())

    def callable_among(self, found: Sequence[SymbolId]) -> Sequence[SymbolId]:
        """Functions where a field has the name of one; all where there are none."""
        return [each for each in found if self.kind(each) in CALLABLE_KINDS] or found

    def types_among(self, found: Sequence[SymbolId]) -> list[SymbolId]:
        return [target for target in found if self.kind(target) in SCOPE_KINDS]

    def called(self, rules: ModuleRules, name: str) -> Iterator[SymbolId]:
        """Every definition of a name in languages that may mean each other's."""
        key = (rules.family, name)
        if key not in self._named:
            self._named[key] = [
                (path, index)
                for path in self.name_table.files(defined(name))
                if (scope := self.scope_of(path)) is not None and scope.rules.family == rules.family
                for named in scope.members.values()
                for index in named.get(name, ())
            ]
        return iter(self._named[key])

    def is_member(self, scope: FileScope, index: int) -> bool:
        each = scope.definitions[index]
        if not each.container:
            return False
        around = scope.nesting.parents[index]
        if around < 0 or scope.definitions[around].kind != "module":
            return True
        # What a module holds directly; a scope in it may have an owner of its own (`impl`).
        return scope.qualified(around) != each.container.replace(scope.rules.separator, ".")

    def kind(self, target: SymbolId) -> str:
        return self.scope(target).definitions[target[1]].kind

    def scope(self, target: SymbolId) -> FileScope:
        scope = self.scope_of(target[0])
        assert scope is not None, "a target stands in a file of the snapshot"
        return scope
