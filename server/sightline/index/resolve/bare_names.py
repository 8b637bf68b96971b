"""What a name means that stands alone: through scopes, imports and what is seen without one."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.index.resolve.expressions import dotted, last_step
from sightline.index.resolve.lookups import Lookups
from sightline.index.resolve.meaning import DEEPEST, ELSEWHERE, UNKNOWN, Found, Module, Outcome
from sightline.index.resolve.scopes import FileScope, SymbolId
from sightline.symbols import CALLABLE_KINDS, TYPE_KINDS
from sightline.symbols.facts import WRITTEN, Imported

_MOST_PASSED_ON = 1000


class BareNames:
    """Names without a receiver, and what modules call by a name."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self._declared = lookups.declared
        self._namespaces = lookups.namespaces
        self._modules = lookups.declared.modules
        self._imported_names: dict[tuple[str, str], Found] = {}
        self._exports: dict[tuple[str, str], list[SymbolId]] = {}

    def bare(self, scope: FileScope, name: str, offset: int, depth: int, use: str = "") -> Found:
        """What a name means at an offset; `use` is the kind of the reference, if it is one."""
        if use == "call" and name in scope.rules.self_names and (owner := scope.owner(offset)):
            return self._lookups.members.types(scope, owner) or UNKNOWN
        if use in ("type", "base") and scope.bindings.bounds(name, offset):
            # It is a parameter, and no type of that name.
            return ELSEWHERE
        found = self._around(scope, name, offset, depth, use)
        if found is not UNKNOWN:
            return found
        rules = scope.rules
        if rules.implicit_members and (owner := scope.owner(offset)) and use != "base":
            found = self._lookups.members.member(
                self._lookups.members.types(scope, owner), name, use
            )
            if not isinstance(found, Outcome):
                return found
        top = self._declared.suiting(
            [(scope.path, index) for index in scope.top.get(name, ())], use
        )
        if top and not all(self._declared.is_extension(target) for target in top):
            if rules.imports_all and self._declared.kind(top[0]) == "module":
                top = [*top, *self._brought_in(scope, name)]
            if rules.imports_all:
                return self._declared.with_linked(top, self._declared.free(rules, name))
            if rules.scheme == "files" and scope.is_imported_too(name):
                # It is what is declared or what is imported, as it turns out.
                found = self._imported_name(scope, name)
                return top if isinstance(found, Outcome) else list(dict.fromkeys([*top, *found]))
            return top
        if rules.package_first and name not in scope.imported:
            found = self._without_import(scope, name, offset)
            if found is not UNKNOWN:
                return found
        found = self._imported_name(scope, name)
        if found is not UNKNOWN:
            return found
        return self._without_import(scope, name, offset)

    def _around(self, scope: FileScope, name: str, offset: int, depth: int, use: str) -> Found:
        """What a name means by the definitions around an offset, the innermost first."""
        rules = scope.rules
        inside = True
        is_hidden = not (rules.calls_apart if use == "call" else rules.types_apart and use)
        definitions, members = scope.definitions, scope.members
        chain = scope.nesting.chain(offset)
        if use == "base" and chain and definitions[chain[0]].kind in TYPE_KINDS:
            # The header of a type is not inside it.
            chain = chain[1:]
        for index in chain:
            each = definitions[index]
            own = [
                (scope.path, inner)
                for inner in members.get(scope.qualified(index), {}).get(name, ())
                if not scope.is_anonymous(inner)
            ]
            if own:
                own = self._declared.suiting(own, use)
            if each.kind in TYPE_KINDS or (each.kind == "module" and rules.implicit_members):
                is_whole = each.kind == "module" and rules.scheme != "packages"
                if own and (is_whole or (inside and not rules.implicit_members)):
                    return own
                if rules.implicit_members:
                    found = self._lookups.members.member([(scope.path, index)], name, use)
                    if not isinstance(found, Outcome):
                        return found
                # The names of a class are not seen from inside its functions.
            elif own:
                return own
            elif (
                each.kind in CALLABLE_KINDS
                and is_hidden
                and (
                    scope.bindings.known(name, index, offset)
                    or scope.bindings.hides(name, index, offset)
                )
            ):
                # It is a value that is known here alone.
                return ELSEWHERE
            elif rules.implicit_members:
                found = self._unnamed_member(scope, index, name, use, depth)
                if not isinstance(found, Outcome):
                    return found
            inside = inside and each.kind in TYPE_KINDS
        return UNKNOWN

    def _unnamed_member(
        self, scope: FileScope, index: int, name: str, use: str, depth: int
    ) -> Found:
        """A member of what a function is called on without its name being said.

        That is an anonymous class or what an extension extends.
        """
        if depth > DEEPEST:
            return UNKNOWN
        rules = scope.rules
        if rules.extension and (bound := scope.bindings.bound(rules.extension, index)):
            types = self._lookups.values.type_of(scope, bound, bound[0].start, depth + 1)
            return (
                types
                if isinstance(types, Outcome)
                else self._lookups.members.member(types, name, use)
            )
        if not scope.is_anonymous(index):
            return UNKNOWN
        around = scope.definitions[scope.nesting.parents[index]].qualified_name
        own = self._declared.suiting(
            [
                (scope.path, inner)
                for inner in scope.members.get(around, {}).get(name, ())
                if scope.is_anonymous(inner)
            ],
            use,
        )
        if own:
            return own
        base = scope.anonymous_base(index)
        if base is None:
            return UNKNOWN
        found = self._lookups.look_up(
            scope, base.name, base.receiver, base.start, depth + 1, "base"
        )
        return (
            found if isinstance(found, Outcome) else self._lookups.members.member(found, name, use)
        )

    def _imported_name(
        self, scope: FileScope, name: str, seen: set[tuple[str, str]] | None = None
    ) -> Found:
        """What imports of a file, and of those it passes names on from, call by a name.

        `seen` is what one look-up has asked already: files may pass on each other's names.
        """
        if seen is None:
            key = (scope.path, name)
            if key not in self._imported_names:
                self._imported_names[key] = self._imported_name(scope, name, set())
            return self._imported_names[key]
        if (scope.path, name) in seen or len(seen) > _MOST_PASSED_ON:
            return UNKNOWN
        seen.add((scope.path, name))
        found: list[SymbolId] = []
        is_imported = False
        for each in scope.imported.get(name, ()):
            is_imported = True
            outcome = self.import_(scope, each, seen)
            if not isinstance(outcome, Outcome | Module):
                found.extend(outcome)
        if found:
            return list(dict.fromkeys(found))
        if is_imported:
            return ELSEWHERE
        for each in scope.imported.get("*", ()):
            outcome = self.in_module(scope, each.module, name, seen)
            if not isinstance(outcome, Outcome):
                found.extend(outcome)
        if not found and (scope.rules.imports_all or scope.rules.scheme == "packages"):
            found = self._brought_in(scope, name)
        return list(dict.fromkeys(found)) or UNKNOWN

    def import_(
        self, scope: FileScope, each: Imported, seen: set[tuple[str, str]]
    ) -> Found | Module:
        """What an import's own name stands for."""
        if each.name and each.name not in ("*", "default"):
            return self.in_module(scope, each.module, each.name, seen)
        if scope.rules.scheme == "packages" and each.alias and not each.name:
            found = self._namespaces.seen_from(scope, dotted(each.module))
            return found or Module(scope, each.module)
        rules = scope.rules
        if each.name == "*" or not (rules.exports or rules.default_export):
            return Module(scope, each.module)
        for path in self._modules.files(scope, each.module):
            found = self._exported(path, rules.default_export) or self._whole(path)
            if found:
                return found
            # Where nothing says what the file is: the one thing that it calls by that name.
            other = self._declared.scope_of(path)
            own = other.members.get("", {}).get(each.alias) if other else None
            if own:
                return [(path, index) for index in own]
        return (
            Module(scope, each.module) if self._namespaces.exists(scope, each.module) else ELSEWHERE
        )

    def _whole(self, path: str) -> list[SymbolId]:
        """What a file is as a whole, where it says so."""
        scope = self._declared.scope_of(path)
        names = scope.rules.exports if scope else ()
        return [target for name in names for target in self._exported(path, name)]

    def _exported(self, path: str, name: str) -> list[SymbolId]:
        """The definitions that a file exports under a name it does not declare by itself."""
        scope = self._declared.scope_of(path)
        if scope is None or not name:
            return []
        key = (path, name)
        if key not in self._exports:
            # What is being looked for is not found by way of itself.
            self._exports[key] = []
            found = [(path, index) for index in scope.members.get("", {}).get(name, ())]
            for binding in scope.bindings.exported(name) if not found else ():
                receiver, last = last_step(binding.type)
                outcome: Found = UNKNOWN
                if binding.form == WRITTEN:
                    outcome = self._lookups.look_up(scope, last, receiver, binding.start, 0)
                found.extend(() if isinstance(outcome, Outcome) else outcome)
            self._exports[key] = list(dict.fromkeys(found))
        return self._exports[key]

    def _brought_in(self, scope: FileScope, name: str) -> list[SymbolId]:
        """What imports bring in whole: an included file, a namespace that is used."""
        rules = scope.rules
        if rules.scheme == "packages":
            modules = [each.module for each in scope.imports if not each.name]
            return [
                target
                for module in dict.fromkeys(modules)
                for target in self._namespaces.seen_from(scope, f"{dotted(module)}.{name}")
            ]
        closure = self._declared.closure(scope)
        free = list(self._declared.free(rules, name))
        return self._declared.with_linked([target for target in free if target[0] in closure], free)

    def _without_import(self, scope: FileScope, name: str, offset: int) -> Found:
        rules = scope.rules
        if rules.visible == "file":
            return UNKNOWN
        if rules.visible == "workspace":
            visible = self._namespaces.visible(rules, name)
            for prefix in self._namespaces.enclosing(scope, offset):
                if prefix in visible:
                    return self._namespaces.nearest(scope, visible[prefix])
            return UNKNOWN
        if rules.scheme == "folders":
            return self._namespaces.in_folder(scope, scope.folder, name) or UNKNOWN
        for prefix in self._namespaces.enclosing(scope, offset):
            found = self._namespaces.seen_from(scope, f"{prefix}.{name}" if prefix else name)
            if found:
                return found
        return UNKNOWN

    def in_module(
        self,
        scope: FileScope,
        module: str,
        name: str,
        seen: set[tuple[str, str]] | None = None,
    ) -> Found:
        """What a module calls by a name; through what it imports itself, too."""
        rules = scope.rules
        if rules.scheme == "packages":
            full = f"{dotted(module)}.{name}" if module else name
            found = self._namespaces.seen_from(scope, full)
            if not found and module:
                member = self._lookups.members.member(
                    self._namespaces.module_types(scope, module), name
                )
                found = [] if isinstance(member, Outcome) else list(member)
            return found or ELSEWHERE
        if rules.scheme == "folders":
            folder = self._modules.folder(scope, module)
            if folder is None:
                return ELSEWHERE
            return self._namespaces.in_folder(scope, folder, name) or UNKNOWN
        if rules.scheme == "none":
            return UNKNOWN
        if rules.imports_all and not self._modules.files(scope, module):
            return self._namespaces.in_namespace(scope, module, name) or ELSEWHERE
        if rules.relative == "words":
            value = self.path(scope, module, seen)
            if isinstance(value, Outcome):
                return value
            if not isinstance(value, Module):
                return self._in_types(value, name, seen)
            scope, module = value.importer, value.name
        files = self._modules.files(scope, module)
        if not files:
            return ELSEWHERE
        found = [target for path in files for target in self._in_file(path, name, seen)]
        return list(dict.fromkeys(found)) or UNKNOWN

    def _in_file(
        self, path: str, name: str, seen: set[tuple[str, str]] | None
    ) -> Sequence[SymbolId]:
        """What a file calls by a name: its own, what it passes on and what it exports so."""
        other = self._declared.scope_of(path)
        if other is None:
            return ()
        whole = self._whole(path) if other.rules.exports else []
        member = self._lookups.members.member(whole, name) if whole else UNKNOWN
        if not isinstance(member, Outcome):
            return member
        own = [(path, index) for index in other.members.get("", {}).get(name, ())]
        is_module = all(self._declared.kind(target) == "module" for target in own)
        # A module and what it has by its own name may go by that name both, and what is
        # declared or imported is one or the other, as it turns out.
        if own and not is_module and not other.is_imported_too(name):
            return own
        outcome = self._imported_name(other, name, seen)
        if not isinstance(outcome, Outcome):
            return [*own, *outcome]
        if outcome is UNKNOWN and not own and other.rules.default_export:
            return self._exported(path, name)
        return own

    def _in_types(
        self, types: Sequence[SymbolId], name: str, seen: set[tuple[str, str]] | None
    ) -> Found:
        """A member of types, or what a module among them has imported."""
        member = self._lookups.members.member(types, name)
        if not isinstance(member, Outcome):
            return member
        passed_on = self.imported_within(types, name, seen)
        return member if isinstance(passed_on, Module) else passed_on

    def module_passed_on(
        self, module: Module, name: str, seen: set[tuple[str, str]] | None = None
    ) -> Module | None:
        """The module that a module has imported under a name, for whoever imports it in turn."""
        seen = set() if seen is None else seen
        for path in self._modules.files(module.importer, module.name):
            other = self._declared.scope_of(path)
            # Modules may pass on each other's.
            key = (f"{path}>", name)
            if key in seen or len(seen) > _MOST_PASSED_ON:
                continue
            seen.add(key)
            for each in other.imported.get(name, ()) if other else ():
                found = self.import_(other, each, seen) if other else UNKNOWN
                if isinstance(found, Module) and self._namespaces.exists(
                    found.importer, found.name
                ):
                    return found
        return None

    def imported_within(
        self, found: Sequence[SymbolId], name: str, seen: set[tuple[str, str]] | None = None
    ) -> Found | Module:
        """What a module that stands in a file has imported under a name."""
        seen = set() if seen is None else seen
        for target in found:
            scope = self._declared.scope(target)
            key = (f"{target[0]}>{target[1]}", name)
            if scope.rules.relative != "words" or self._declared.kind(target) != "module":
                continue
            if key in seen or len(seen) > _MOST_PASSED_ON:
                continue
            seen.add(key)
            for each in (*scope.imported.get(name, ()), *scope.imported.get("*", ())):
                if scope.nesting.enclosing(each.start) != target[1]:
                    continue
                if each.name == "*":
                    outcome: Found | Module = self.in_module(scope, each.module, name, seen)
                else:
                    outcome = self.import_(scope, each, seen)
                if outcome is ELSEWHERE and each.name:
                    path = f"{each.module}{scope.rules.separator}{name}"
                    outcome = self.path(scope, path, seen)
                if not isinstance(outcome, Outcome):
                    return outcome
        return UNKNOWN

    def path(
        self, scope: FileScope, path: str, seen: set[tuple[str, str]] | None = None
    ) -> list[SymbolId] | Module | Outcome:
        """What a path of words leads to: a file's module, or what stands in one or passes by it."""
        if self._modules.files(scope, path):
            return Module(scope, path)
        first, *rest = path.split(scope.rules.separator)
        if not first and rest:
            # `::name` is a package, whatever else has the name.
            return self._path_from(Module(scope, rest[0]), rest[1:], seen)
        value: Sequence[SymbolId] | Module | Outcome
        if first in ("crate", "self", "super"):
            while rest and rest[0] == "super":
                first = f"{first}{scope.rules.separator}{rest.pop(0)}"
            value = Module(scope, first)
        else:
            own = scope.members.get("", {}).get(first)
            value = [(scope.path, index) for index in own] if own else ELSEWHERE
            if not own:
                value = self._imported_name(scope, first, seen)
            if isinstance(value, Outcome):
                is_project = bool(self._modules.files(scope, first))
                value = Module(scope, first) if is_project else ELSEWHERE
        return self._path_from(value, rest, seen)

    def _path_from(
        self,
        value: Sequence[SymbolId] | Module | Outcome,
        rest: Sequence[str],
        seen: set[tuple[str, str]] | None,
    ) -> list[SymbolId] | Module | Outcome:
        """What the further words of a path lead to from what its first one is."""
        for name in rest:
            if isinstance(value, Outcome):
                return value
            if not isinstance(value, Module):
                value = self._lookups.values.declared_module(value[0]) or value
            if isinstance(value, Module):
                within = value
                value = self.in_module(within.importer, within.name, name, seen)
                if isinstance(value, Outcome):
                    value = self.module_passed_on(within, name, seen) or value
            else:
                types, value = value, self._lookups.members.member(value, name)
                if isinstance(value, Outcome):
                    value = self.imported_within(types, name, seen)
        if isinstance(value, Outcome | Module):
            return value
        return self._lookups.values.declared_module(value[0]) or list(value)
