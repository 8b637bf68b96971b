"""What a name means where it stands: through scopes, imports and plain types, or not at all.

Every answer is one of three: the definitions that are meant, `ELSEWHERE` for what is known not to
be in the workspace (an import that leads out of it), and `UNKNOWN` for what cannot be told. Only
for the last is a name alone taken as a hint, and then said to be one.

Nothing here guesses: where rules lead to several definitions, all are given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from fnmatch import fnmatchcase

import attrs

from sightline.index.expressions import (
    CAST,
    CHOSEN,
    NAMED_SUPER,
    PLAIN,
    REQUIRED,
    SEPARATOR,
    bare_type,
    callee_of,
    dotted,
    last_step,
    unwrapped,
)
from sightline.index.modules import Modules
from sightline.index.names import NameTable
from sightline.index.scopes import SCOPE_KINDS, FileScope, Target
from sightline.languages import ModuleRules
from sightline.symbols import CALLABLE_KINDS, TYPE_KINDS
from sightline.symbols.facts import COMPLEX, Binding, Imported, Reference, defined, used

_DEEPEST = 24
_MOST_STEPS = 400
_MOST_PASSED_ON = 1000
_MOST_REMEMBERED = 50_000
_MOST_INCLUDED = 400
_MOST_SEARCHED = 256
_MOST_PASSING = 8


class Outcome(Enum):
    ELSEWHERE = "elsewhere"
    UNKNOWN = "unknown"


ELSEWHERE = Outcome.ELSEWHERE
UNKNOWN = Outcome.UNKNOWN

Found = Sequence[Target] | Outcome


@attrs.frozen
class _Module:
    """A module as a value: what `a` is after `import a`."""

    importer: FileScope
    name: str


class Resolver:
    """Resolves names over the files of one snapshot."""

    def __init__(
        self,
        scope_of: Callable[[str], FileScope | None],
        names: NameTable,
        modules: Modules,
    ) -> None:
        self._scope_of = scope_of
        self._names = names
        self._modules = modules
        self._bases: dict[Target, tuple[list[Target], bool]] = {}
        self._closures: dict[str, frozenset[str]] = {}
        self._members_by_owner: dict[tuple[str, str], dict[str, list[Target]]] = {}
        self._implementations: dict[tuple[str, int], Sequence[Target]] = {}
        self._full_names: dict[tuple[str, str], list[Target]] = {}
        self._imported_names: dict[tuple[str, str], Found] = {}
        self._known_members: dict[tuple[tuple[Target, ...], str, str], list[Target]] = {}
        self._open_bases = 0
        self._visible_names: dict[tuple[str, str], dict[str, list[Target]]] = {}
        self._exports: dict[tuple[str, str], list[Target]] = {}
        self._steps = 0
        self._modules_as_types: dict[tuple[str, str], list[Target]] = {}
        self._named: dict[tuple[str, str], list[Target]] = {}
        self._alike: dict[tuple[str, bool, bool, bool, str], list[Target]] = {}

    def resolve(self, scope: FileScope, reference: Reference) -> Found:
        """The definitions that a use means."""
        name, receiver, start = reference.name, reference.receiver, reference.start
        if reference.kind == "base" and start in scope.extension_names:
            # An extension is of the type it names, and not a type of its kind.
            return ELSEWHERE
        steps, self._steps = self._steps, 0
        found = self._resolve(scope, name, receiver, start, 0, reference.kind)
        if found is UNKNOWN and reference.kind == "call" and scope.rules.calls_apart:
            found = self._resolve(scope, name, receiver, start, 0)
        self._steps = steps
        if found is UNKNOWN and not receiver and self._is_foreign(scope, name):
            return ELSEWHERE
        if found is UNKNOWN and receiver and name in scope.rules.makers:
            # Every type has one, whether it declares it or not.
            return ELSEWHERE
        if isinstance(found, Outcome):
            return found
        if scope.rules.extension and not receiver and not scope.rules.plain_extensions:
            found = self._without_receiver(scope, found, start)
            if not found:
                return UNKNOWN
        extensions = [target for target in found if self._is_extension(target)]
        if extensions:
            found = [target for target in found if target not in extensions]
            if not found:
                return ELSEWHERE
        kinds = [self._kind(target) for target in found]
        if reference.kind != "call":
            wanted = [
                target
                for target, kind in zip(found, kinds, strict=True)
                if kind in SCOPE_KINDS or (reference.kind == "base" and self._is_open(target))
            ]
            return wanted or UNKNOWN
        callable_ = [
            target
            for target, kind in zip(found, kinds, strict=True)
            if kind in CALLABLE_KINDS or kind in TYPE_KINDS
        ]
        # A module is not called: that is an attribute, or a keyword of another name space.
        return (
            callable_
            or [
                target
                for target, kind in zip(found, kinds, strict=True)
                if kind != "module" or scope.rules.bare_calls
            ]
            or UNKNOWN
        )

    def is_one(self, found: Sequence[Target]) -> bool:
        """Whether definitions are of one thing.

        That is one definition; several that one file gives one name, overloads or one for each
        condition; one that is announced in files which the file that has it includes; or all the
        files of one package.
        """
        if len(found) == 1:
            return True
        paths = list(dict.fromkeys(path for path, _ in found))
        scopes = [scope for path in paths if (scope := self._scope_of(path)) is not None]
        if len(scopes) != len(paths) or not scopes:
            return False
        rules = scopes[0].rules
        if any(index < 0 for _, index in found):
            return rules.scheme == "folders" and len({scope.folder for scope in scopes}) == 1
        names = {self._scope(each).definitions[each[1]].qualified_name for each in found}
        longest = max(names, key=len)
        if not all(longest == name or longest.endswith(f".{name}") for name in names):
            return False
        if len(paths) == 1:
            return len(names) == 1
        if rules.scheme == "packages" and rules.scattered_members:
            # The parts of one type.
            return all(self._kind(each) in TYPE_KINDS for each in found) and len(names) == 1
        return rules.imports_all and any(
            self._closure(scope).issuperset(each for each in paths if each != scope.path)
            for scope in scopes
        )

    def _is_foreign(self, scope: FileScope, name: str) -> bool:
        """Whether a name that nothing in sight has cannot be of the workspace."""
        rules = scope.rules
        if rules.scheme == "folders":
            return True
        if not rules.capital_types or not name[:1].isupper() or len(name) == 1:
            return False
        return rules.visible == "file" or not any(self._called(rules, name))

    def imported(self, scope: FileScope, each: Imported) -> list[Target]:
        """What an import brings in: definitions, or whole files, given with the index -1."""
        each = scope.import_from_top(each)
        rules = scope.rules
        if rules.relative == "words":
            return self._imported_path(scope, each)
        if each.name not in ("", "*") or (rules.default_export and each.alias and not each.name):
            found = self._import(scope, each, set())
            if not isinstance(found, Outcome | _Module):
                return list(found)
        if rules.scheme == "folders":
            folder = self._modules.folder(scope, each.module)
            return [(path, -1) for path in self._package_files(rules, folder)] if folder else []
        if rules.scheme == "packages":
            return []
        inner = f"{each.module}{rules.separator}{each.name}"
        if each.module.endswith(rules.separator):
            inner = f"{each.module}{each.name}"
        files = self._modules.files(scope, inner) if each.name and each.name != "*" else ()
        return [(path, -1) for path in files or self._modules.files(scope, each.module)]

    def _imported_path(self, scope: FileScope, each: Imported) -> list[Target]:
        separator = scope.rules.separator
        is_named = each.name and each.name != "*"
        path = f"{each.module}{separator}{each.name}" if is_named else each.module
        value = self._path(scope, path)
        if isinstance(value, _Module):
            return [(file, -1) for file in self._modules.files(value.importer, value.name)]
        return [] if isinstance(value, Outcome) else value

    def by_name(self, scope: FileScope, reference: Reference) -> list[Target]:
        """Definitions that have nothing but the name in common with a use."""
        rules = scope.rules
        if reference.receiver and reference.name in rules.constructors:
            # Every type has one.
            return []
        is_call, has_receiver = reference.kind == "call", bool(reference.receiver)
        key = (rules.family, rules.implicit_members, is_call, has_receiver, reference.name)
        if key not in self._alike:
            self._alike[key] = self._of_that_name(rules, reference)
        return self._alike[key]

    def _of_that_name(self, rules: ModuleRules, reference: Reference) -> list[Target]:
        found = []
        for target in self._called(rules, reference.name):
            other = self._scope(target)
            each = other.definitions[target[1]]
            if reference.kind != "call":
                if each.kind in SCOPE_KINDS:
                    found.append(target)
                continue
            if each.kind not in CALLABLE_KINDS and each.kind not in TYPE_KINDS:
                continue
            is_member = self._is_member(other, target[1])
            if reference.receiver:
                suits = is_member or each.kind in TYPE_KINDS or self._binds_receiver(target)
            else:
                suits = not is_member or rules.implicit_members
            if suits:
                found.append(target)
        return found

    def base_types(self, target: Target) -> tuple[list[Target], bool]:
        """The definitions of a type's bases, and whether all of them are known."""
        if target in self._bases:
            return self._bases[target]
        # A type that is its own base, through whatever detour, has none.
        self._bases[target] = ([], False)
        self._open_bases += 1
        bases: list[Target] = []
        complete = True
        for path, reference in self.base_references(target):
            scope = self._scope_of(path)
            found = self.resolve(scope, reference) if scope else UNKNOWN
            if isinstance(found, Outcome):
                complete = False
            else:
                bases.extend(each for each in found if each != target)
        if self._kind(target) == "type" and (alias := self._scope(target).result(target[1])):
            # Another name for a type has the members of that type.
            found = self.written_type(self._scope(target), alias.type, alias.start)
            bases.extend(() if isinstance(found, Outcome) else found)
        self._bases[target] = (list(dict.fromkeys(bases)), complete)
        self._open_bases -= 1
        return self._bases[target]

    def base_references(self, target: Target) -> list[tuple[str, Reference]]:
        """Where a type's bases are named, in its own header or in a scope elsewhere."""
        scope = self._scope(target)
        each = scope.definitions[target[1]]
        found = [(scope.path, base) for base in scope.bases(target[1])]
        if scope.rules.scattered_members and scope.rules.scheme == "packages":
            for path, index in self._by_full_name(scope.rules, scope.full_name(target[1])):
                other = self._scope((path, index))
                if path != scope.path and each.kind in TYPE_KINDS:
                    found.extend((path, base) for base in other.bases(index))
        found.extend((scope.path, base) for base in scope.scope_bases(each.qualified_name))
        if scope.rules.scattered_members and each.kind in TYPE_KINDS:
            found.extend(self._scattered_bases(target))
        return found

    def _scattered_bases(self, target: Target) -> Iterator[tuple[str, Reference]]:
        """Base types that other files give to a type, in extensions or scopes of their own."""
        scope = self._scope(target)
        each = scope.definitions[target[1]]
        if scope.rules.relative == "words":
            paths = self._names.files(used(each.name))
            for path in paths if len(paths) <= _MOST_SEARCHED else ():
                other = self._scope_of(path)
                if path == scope.path or other is None or other.rules != scope.rules:
                    continue
                for base in other.base_references:
                    if target in self._implemented(other, base.start):
                        yield path, base
            return
        for path, index in self._called(scope.rules, each.name):
            other = self._scope((path, index))
            if (
                index in other.extensions
                and (path, index) != target
                and other.definitions[index].qualified_name == each.qualified_name
                and self._is_near(scope, other)
            ):
                for base in other.bases(index):
                    yield path, base

    def _resolve(
        self, scope: FileScope, name: str, receiver: str, offset: int, depth: int, use: str = ""
    ) -> Found:
        """What a name behind a receiver means; `use` is the kind of the reference, if it is one."""
        if depth > _DEEPEST or receiver == COMPLEX:
            return UNKNOWN
        if not receiver:
            return self._name(scope, name, offset, depth, use)
        thing = self._value(scope, receiver, offset, depth + 1)
        if thing is UNKNOWN and scope.rules.scheme == "packages" and PLAIN.fullmatch(receiver):
            return self._by_path(scope, f"{dotted(receiver)}.{name}", offset) or UNKNOWN
        if thing is ELSEWHERE and use == "call" and self._extends_elsewhere(scope.rules, name):
            return UNKNOWN
        if isinstance(thing, Outcome):
            return thing
        if isinstance(thing, _Module):
            return self._in_module(thing.importer, thing.name, name)
        found = self._member(thing, name, use)
        if found is UNKNOWN and scope.rules.extension and use == "call":
            return self._extension(scope.rules, thing, name, depth + 1) or UNKNOWN
        return found

    # Names without a receiver.

    def _name(self, scope: FileScope, name: str, offset: int, depth: int, use: str = "") -> Found:
        rules = scope.rules
        inside = True
        is_hidden = not (rules.calls_apart if use == "call" else rules.types_apart and use)
        chain = scope.chain(offset)
        if use == "base" and chain and scope.definitions[chain[0]].kind in TYPE_KINDS:
            # The header of a type is not inside it.
            chain = chain[1:]
        for index in chain:
            each = scope.definitions[index]
            own = self._suiting(
                [
                    (scope.path, inner)
                    for inner in scope.members.get(scope.qualified(index), {}).get(name, ())
                    if not scope.is_anonymous(inner)
                ],
                use,
            )
            if each.kind in TYPE_KINDS or (each.kind == "module" and rules.implicit_members):
                is_whole = each.kind == "module" and rules.scheme != "packages"
                if own and (is_whole or (inside and not rules.implicit_members)):
                    return own
                if rules.implicit_members:
                    found = self._member([(scope.path, index)], name, use)
                    if not isinstance(found, Outcome):
                        return found
                # The names of a class are not seen from inside its functions.
            elif own:
                return own
            elif (
                each.kind in CALLABLE_KINDS
                and is_hidden
                and self._bound(scope, name, index, offset)
            ):
                # It is a value that is known here alone.
                return ELSEWHERE
            elif rules.implicit_members:
                found = self._unnamed_member(scope, index, name, use, depth)
                if not isinstance(found, Outcome):
                    return found
            inside = inside and each.kind in TYPE_KINDS
        if rules.implicit_members and (owner := scope.owner(offset)) and use != "base":
            found = self._member(self._types(scope, owner), name, use)
            if not isinstance(found, Outcome):
                return found
        top = self._suiting([(scope.path, index) for index in scope.top.get(name, ())], use)
        if top and not all(self._is_extension(target) for target in top):
            if rules.imports_all and self._kind(top[0]) == "module":
                top = [*top, *self._brought_in(scope, name)]
            if rules.imports_all:
                return self._with_linked(top, self._free(rules, name))
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

    def _unnamed_member(
        self, scope: FileScope, index: int, name: str, use: str, depth: int
    ) -> Found:
        """A member of what a function is called on without its name being said.

        That is an anonymous class or what an extension extends.
        """
        if depth > _DEEPEST:
            return UNKNOWN
        rules = scope.rules
        if rules.extension and (bound := scope.bound(rules.extension, index)):
            types = self._type_of(scope, bound, bound[0].start, depth + 1)
            return types if isinstance(types, Outcome) else self._member(types, name, use)
        if not scope.is_anonymous(index):
            return UNKNOWN
        around = scope.definitions[scope.parents[index]].qualified_name
        own = self._suiting(
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
        found = self._resolve(scope, base.name, base.receiver, base.start, depth + 1, "base")
        return found if isinstance(found, Outcome) else self._member(found, name, use)

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
        found: list[Target] = []
        is_imported = False
        for each in scope.imported.get(name, ()):
            is_imported = True
            outcome = self._import(scope, each, seen)
            if not isinstance(outcome, Outcome | _Module):
                found.extend(outcome)
        if found:
            return list(dict.fromkeys(found))
        if is_imported:
            return ELSEWHERE
        for each in scope.imported.get("*", ()):
            outcome = self._in_module(scope, each.module, name, seen)
            if not isinstance(outcome, Outcome):
                found.extend(outcome)
        if not found and (scope.rules.imports_all or scope.rules.scheme == "packages"):
            found = self._brought_in(scope, name)
        return list(dict.fromkeys(found)) or UNKNOWN

    def _import(
        self, scope: FileScope, each: Imported, seen: set[tuple[str, str]]
    ) -> Found | _Module:
        """What an import's own name stands for."""
        if each.name and each.name not in ("*", "default"):
            return self._in_module(scope, each.module, each.name, seen)
        if scope.rules.scheme == "packages" and each.alias and not each.name:
            found = self._seen_from(scope, dotted(each.module))
            return found or _Module(scope, each.module)
        rules = scope.rules
        if each.name == "*" or not (rules.exports or rules.default_export):
            return _Module(scope, each.module)
        for path in self._modules.files(scope, each.module):
            found = self._exported(path, rules.default_export) or self._whole(path)
            if found:
                return found
            # Where nothing says what the file is: the one thing that it calls by that name.
            other = self._scope_of(path)
            own = other.members.get("", {}).get(each.alias) if other else None
            if own:
                return [(path, index) for index in own]
        return _Module(scope, each.module) if self._exists(scope, each.module) else ELSEWHERE

    def _whole(self, path: str) -> list[Target]:
        """What a file is as a whole, where it says so."""
        scope = self._scope_of(path)
        names = scope.rules.exports if scope else ()
        return [target for name in names for target in self._exported(path, name)]

    def _exported(self, path: str, name: str) -> list[Target]:
        """The definitions that a file exports under a name it does not declare by itself."""
        scope = self._scope_of(path)
        if scope is None or not name:
            return []
        key = (path, name)
        if key not in self._exports:
            # What is being looked for is not found by way of itself.
            self._exports[key] = []
            found = [(path, index) for index in scope.members.get("", {}).get(name, ())]
            for binding in scope.exported(name) if not found else ():
                receiver, last = last_step(binding.type)
                outcome: Found = UNKNOWN
                if not binding.is_call:
                    outcome = self._resolve(scope, last, receiver, binding.start, 0)
                found.extend(() if isinstance(outcome, Outcome) else outcome)
            self._exports[key] = list(dict.fromkeys(found))
        return self._exports[key]

    def _brought_in(self, scope: FileScope, name: str) -> list[Target]:
        """What imports bring in whole: an included file, a namespace that is used."""
        rules = scope.rules
        if rules.scheme == "packages":
            modules = [each.module for each in scope.imports if not each.name]
            return [
                target
                for module in dict.fromkeys(modules)
                for target in self._seen_from(scope, f"{dotted(module)}.{name}")
            ]
        closure = self._closure(scope)
        free = list(self._free(rules, name))
        return self._with_linked([target for target in free if target[0] in closure], free)

    def _free(self, rules: ModuleRules, name: str) -> Iterator[Target]:
        """Every definition of a name that is no member of a type."""
        for target in self._called(rules, name):
            if not self._is_member(self._scope(target), target[1]):
                yield target

    def _with_linked(self, found: list[Target], others: Iterable[Target]) -> list[Target]:
        """Definitions, and where what they only announce is defined by files that include them."""
        announced = {path for path, _ in found}
        if not announced:
            return found
        linked = [
            target
            for target in others
            if target not in found
            and self._kind(target) in CALLABLE_KINDS
            and not announced.isdisjoint(self._closure(self._scope(target)))
        ]
        return found + linked

    def _closure(self, scope: FileScope) -> frozenset[str]:
        """The files that a file includes, and those that they include."""
        known = self._closures.get(scope.path)
        if known is not None:
            return known
        seen: dict[str, None] = {}
        pending = [scope]
        while pending and len(seen) < _MOST_INCLUDED:
            each = pending.pop(0)
            for imported in each.view.imports:
                for path in self._modules.files(each, imported.module):
                    other = self._scope_of(path)
                    if path not in seen and other is not None:
                        seen[path] = None
                        pending.append(other)
        self._closures[scope.path] = frozenset(seen)
        return self._closures[scope.path]

    def _without_import(self, scope: FileScope, name: str, offset: int) -> Found:
        rules = scope.rules
        if rules.visible == "file":
            return UNKNOWN
        if rules.visible == "workspace":
            visible = self._visible(rules, name)
            for prefix in self._namespaces(scope, offset):
                if prefix in visible:
                    return self._nearest(scope, visible[prefix])
            return UNKNOWN
        if rules.scheme == "folders":
            return self._in_folder(scope, scope.folder, name) or UNKNOWN
        for prefix in self._namespaces(scope, offset):
            found = self._seen_from(scope, f"{prefix}.{name}" if prefix else name)
            if found:
                return found
        return UNKNOWN

    def _visible(self, rules: ModuleRules, name: str) -> dict[str, list[Target]]:
        """What the workspace calls by a name and is no member of a type, by the name around it."""
        key = (rules.family, name)
        if key not in self._visible_names:
            visible: dict[str, list[Target]] = {}
            for target in self._free(rules, name):
                container = self._scope(target).definitions[target[1]].container
                visible.setdefault(container, []).append(target)
            self._visible_names[key] = visible
        return self._visible_names[key]

    def _nearest(self, scope: FileScope, found: list[Target]) -> list[Target]:
        """Of what the workspace calls by a name, that of the own module, then of imported ones."""
        own = self._modules.module_folder(scope.rules, scope.path)
        if not own:
            return found
        imported = {each.module for each in scope.imports}
        modules = [self._modules.module_folder(scope.rules, path) for path, _ in found]
        for wanted in ({own}, imported, self._passed_on(scope, own, imported)):
            nearest = [
                target
                for target, module in zip(found, modules, strict=True)
                if module in wanted or module.rpartition("/")[2] in wanted
            ]
            if any(not self._is_extension(target) for target in nearest):
                return nearest
        # Extensions are seen wherever they stand; of other modules' names no more is.
        return [
            target
            for target, module in zip(found, modules, strict=True)
            if not module or self._is_extension(target)
        ]

    def _passed_on(self, scope: FileScope, own: str, imported: set[str]) -> set[str]:
        """Modules that imported ones may pass on, where those are little more than that."""
        found: set[str] = set()
        beside = own.rpartition("/")[0]
        around = beside.rpartition("/")[0]
        parents = [f"{around}/{each}".lstrip("/") for each in scope.rules.module_folders]
        for name in sorted(imported):
            for parent in parents:
                paths = self._modules.files_in(f"{parent}/{name}")
                for path in paths if len(paths) <= _MOST_PASSING else ():
                    other = self._scope_of(path)
                    found.update(each.module for each in (other.imports if other else ()))
        return found

    def _namespaces(self, scope: FileScope, offset: int) -> Iterator[str]:
        """Packages whose names are visible at an offset, the innermost first."""
        inner = [
            scope.full_name(index)
            for index in scope.chain(offset)
            if scope.definitions[index].kind == "module"
        ]
        yield from inner
        if inner:
            outer = inner[-1]
            while "." in outer:
                outer = outer.rpartition(".")[0]
                yield outer
        yield from scope.packages

    # Modules.

    def _in_module(
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
            found = self._seen_from(scope, full)
            if not found and module:
                member = self._member(self._module_types(scope, module), name)
                found = [] if isinstance(member, Outcome) else list(member)
            return found or ELSEWHERE
        if rules.scheme == "folders":
            folder = self._modules.folder(scope, module)
            if folder is None:
                return ELSEWHERE
            return self._in_folder(scope, folder, name) or UNKNOWN
        if rules.scheme == "none":
            return UNKNOWN
        if rules.imports_all and not self._modules.files(scope, module):
            return self._in_namespace(scope, module, name) or ELSEWHERE
        if rules.relative == "words":
            value = self._path(scope, module, seen)
            if isinstance(value, Outcome):
                return value
            if not isinstance(value, _Module):
                return self._member(value, name)
            scope, module = value.importer, value.name
        files = self._modules.files(scope, module)
        if not files:
            return ELSEWHERE
        found = []
        for path in files:
            other = self._scope_of(path)
            if other is None:
                continue
            whole = self._whole(path) if rules.exports else []
            member = self._member(whole, name) if whole else UNKNOWN
            if not isinstance(member, Outcome):
                found.extend(member)
                continue
            own = other.members.get("", {}).get(name)
            if own:
                found.extend((path, index) for index in own)
                is_module = all(other.definitions[index].kind == "module" for index in own)
                # A module and what it has by its own name may go by that name both, and what is
                # declared or imported is one or the other, as it turns out.
                if not is_module and not other.is_imported_too(name):
                    continue
            outcome = self._imported_name(other, name, seen)
            if not isinstance(outcome, Outcome):
                found.extend(outcome)
        return list(dict.fromkeys(found)) or UNKNOWN

    def _in_namespace(self, scope: FileScope, module: str, name: str) -> list[Target]:
        """What a namespace that is open in a file, or in what it includes, calls by a name."""
        qualified = f"{dotted(module).strip('.')}.{name}"
        seen = {scope.path, *self._closure(scope)}
        found = [
            target
            for target in self._called(scope.rules, name)
            if target[0] in seen
            and self._kind(target) != "constructor"
            and self._is_called(self._scope(target), target[1], qualified)
        ]
        return self._with_linked(found, self._free(scope.rules, name))

    def _path(
        self, scope: FileScope, path: str, seen: set[tuple[str, str]] | None = None
    ) -> list[Target] | _Module | Outcome:
        """What a path of words leads to: a file's module, or what stands in one or passes by it."""
        if self._modules.files(scope, path):
            return _Module(scope, path)
        first, *rest = path.split(scope.rules.separator)
        value: Sequence[Target] | _Module | Outcome
        if first in ("crate", "self", "super"):
            while rest and rest[0] == "super":
                first = f"{first}{scope.rules.separator}{rest.pop(0)}"
            value = _Module(scope, first)
        else:
            own = scope.members.get("", {}).get(first)
            value = [(scope.path, index) for index in own] if own else ELSEWHERE
            if not own:
                value = self._imported_name(scope, first, seen)
            if isinstance(value, Outcome):
                is_project = bool(self._modules.files(scope, first))
                value = _Module(scope, first) if is_project else ELSEWHERE
        for name in rest:
            if isinstance(value, Outcome):
                return value
            if not isinstance(value, _Module):
                value = self._declared_module(value[0]) or value
            if isinstance(value, _Module):
                value = self._in_module(value.importer, value.name, name, seen)
            else:
                value = self._member(value, name)
        if isinstance(value, Outcome | _Module):
            return value
        return self._declared_module(value[0]) or list(value)

    def _in_folder(self, scope: FileScope, folder: str, name: str) -> list[Target]:
        return [
            target
            for target in self._called(scope.rules, name)
            if target[0].rpartition("/")[0] == folder
            and not self._is_member(self._scope(target), target[1])
            and self._is_seen(scope, folder, target[0])
        ]

    def _is_seen(self, scope: FileScope, folder: str, path: str) -> bool:
        """Whether a file of a package's folder is of it, as seen from a file."""
        other = self._scope_of(path)
        if folder == scope.folder and other is not None and other.package == scope.package:
            return True
        return path in self._package_files(scope.rules, folder)

    def _package_files(self, rules: ModuleRules, folder: str) -> list[str]:
        """The files of a folder that an import of it brings in."""
        return [
            path
            for path in self._modules.files_in(folder)
            if (scope := self._scope_of(path)) is not None
            and scope.rules.family == rules.family
            and not any(fnmatchcase(path.rpartition("/")[2], each) for each in rules.private_files)
        ]

    def _exists(self, scope: FileScope, module: str) -> bool:
        if scope.rules.scheme == "folders":
            return self._modules.folder(scope, module) is not None
        return bool(self._modules.files(scope, module))

    def _seen_from(self, scope: FileScope, full: str) -> list[Target]:
        """What has a full name: where sources that hold the file do, only they are asked."""
        found = self._by_full_name(scope.rules, full)
        if len(found) < 2 or scope.rules.scattered_members:
            return found
        root = scope.source_root
        own = [target for target in found if self._scope(target).source_root == root]
        return own or found

    def _by_full_name(self, rules: ModuleRules, full: str) -> list[Target]:
        key = (rules.family, full)
        if key not in self._full_names:
            name = full.rpartition(".")[2]
            self._full_names[key] = [
                target
                for target in self._called(rules, name)
                if self._scope(target).full_name(target[1]) == full
            ]
        return self._full_names[key]

    def _by_path(self, scope: FileScope, path: str, offset: int) -> list[Target]:
        """What a name with its packages in front means, whole or as seen from a package."""
        for prefix in ("", *self._namespaces(scope, offset)):
            found = self._seen_from(scope, f"{prefix}.{path}" if prefix else path)
            if found:
                return found
        return []

    def _module_types(self, scope: FileScope, module: str) -> list[Target]:
        """The types that the path of an import may end in, and what they inherit."""
        key = (scope.path, module)
        if key not in self._modules_as_types:
            found = self._by_path(scope, dotted(module), 0)
            self._modules_as_types[key] = self._types_among(found)
        return self._modules_as_types[key]

    # Values and their types.

    def _value(
        self, scope: FileScope, expression: str, offset: int, depth: int
    ) -> list[Target] | _Module | Outcome:
        """The type of an expression, or the type or module that it names."""
        self._steps += 1
        if depth > _DEEPEST or self._steps > _MOST_STEPS:
            return UNKNOWN
        expression = unwrapped(expression)
        cast = CAST.search(expression)
        if cast:
            return self.written_type(scope, cast[1], offset, depth + 1)
        rules = scope.rules
        if expression in rules.super_names:
            return self._super(scope, offset)
        chosen = CHOSEN.fullmatch(expression)
        if chosen and chosen[1] in (*rules.super_names, *rules.self_names):
            return self.written_type(scope, chosen[2], offset, depth + 1)
        named = NAMED_SUPER.match(expression)
        if named and f"{named[1]}()" in rules.super_names:
            # `super(Type, self)` begins behind the type it names.
            behind = self.written_type(scope, named[2], offset, depth + 1)
            return behind if isinstance(behind, Outcome) else self._bases_of(behind)
        required = REQUIRED.fullmatch(expression)
        if required and required[1] in rules.import_calls:
            thing = self._import(scope, Imported(offset, required[3], "", "", False), set())
            if isinstance(thing, Outcome | _Module):
                return thing
            return self._value_of(thing, depth + 1)
        if expression.endswith(")"):
            callee = callee_of(expression)
            # What is left of an expression is shorter, which is bound enough.
            return self._called_value(scope, callee, offset, depth) if callee else UNKNOWN
        if expression.startswith(("(", "*", "&")):
            expression = expression.strip("(*&)")
        if expression.startswith(("::", "\\")):
            full = ".".join(SEPARATOR.split(expression)[1:])
            return self._types_among(self._by_full_name(rules, full)) or UNKNOWN
        if not PLAIN.fullmatch(expression):
            receiver, name = last_step(expression)
            before = self._value(scope, receiver, offset, depth) if receiver else UNKNOWN
            if isinstance(before, Outcome):
                return before
            return self._attribute(before, name, depth + 1)
        first, *rest = SEPARATOR.split(expression.rstrip("!"))
        value = self._first_value(scope, first, offset, depth)
        for position, name in enumerate(rest):
            if isinstance(value, Outcome):
                if rules.scheme == "packages" and value is UNKNOWN:
                    full = ".".join([first, *rest[: position + 1]])
                    found = self._by_path(scope, full, offset)
                    value = self._types_among(found) or UNKNOWN
                    continue
                return value
            if name in rules.self_names and not isinstance(value, _Module):
                # `Outer.this`: of several objects the one of this type.
                continue
            if name in rules.super_names and not isinstance(value, _Module):
                value = self._bases_of(value)
                continue
            value = self._attribute(value, name, depth + 1)
        return value

    def _first_value(
        self, scope: FileScope, name: str, offset: int, depth: int
    ) -> list[Target] | _Module | Outcome:
        rules = scope.rules
        if name in rules.self_names:
            for index in scope.chain(offset) if rules.extension else ():
                if bindings := scope.bound(rules.extension, index):
                    return self._type_of(scope, bindings, bindings[0].start, depth + 1)
            owner = scope.owner(offset)
            if owner or rules.relative != "words" or name not in ("self", "super"):
                return (self._types(scope, owner) if owner else []) or UNKNOWN
        if name in rules.super_names:
            return self._super(scope, offset)
        if rules.relative == "words" and name in ("crate", "self", "super"):
            return self._word(scope, name, offset, depth)
        for index in (*scope.chain(offset), -1):
            is_type = index >= 0 and scope.definitions[index].kind in TYPE_KINDS
            if is_type and not rules.implicit_members:
                continue
            bindings = self._bound(scope, name, index, offset)
            if is_type:
                bindings = scope.fields(index, name)
            if bindings:
                return self._type_of(scope, bindings, offset, depth + 1)
        found = self._name(scope, name, offset, depth + 1)
        if not isinstance(found, Outcome):
            return self._value_of(found, depth + 1)
        for each in scope.imported.get(name, ()):
            if rules.scheme == "files" and each.name and each.name != "*":
                inner = f"{each.module}{rules.separator}{each.name}"
                if each.module.endswith(rules.separator) and rules.relative == "dots":
                    inner = f"{each.module}{each.name}"
                if self._modules.files(scope, inner):
                    return _Module(scope, inner)
                continue
            if rules.scheme == "packages" and each.name and each.name != "*":
                return _Module(scope, f"{each.module}.{each.name}")
            if not each.name or each.name == "*":
                module = each.module
                if not each.alias and rules.separator != "/" and name != module:
                    # `import a.b` and then `a.…`: the path is followed part by part.
                    last = module.rpartition(rules.separator)[2]
                    module = module if name == last else name
                if self._exists(scope, module) or rules.scheme == "packages":
                    return _Module(scope, module)
                if each.alias and rules.imports_all:
                    # Another name for a namespace.
                    return _Module(scope, module)
        if rules.relative == "words" and self._modules.files(scope, name):
            return _Module(scope, name)
        if rules.scheme == "folders" and found is UNKNOWN:
            return self._package_called(scope, name) or found
        if found is UNKNOWN and rules.capital_types and self._is_foreign(scope, name):
            return ELSEWHERE
        return found

    def _package_called(self, scope: FileScope, name: str) -> _Module | None:
        """The imported package that calls itself by a name its path does not end in."""
        for each in scope.imports:
            folder = None if each.alias else self._modules.folder(scope, each.module)
            for path in self._package_files(scope.rules, folder)[:1] if folder is not None else ():
                if self._scope((path, -1)).package == name:
                    return _Module(scope, each.module)
        return None

    def _word(
        self, scope: FileScope, word: str, offset: int, depth: int
    ) -> list[Target] | _Module | Outcome:
        """The module that `self`, `super` or `crate` is where it is said."""
        path = scope.path_from_top(word, offset)
        if self._modules.files(scope, path):
            return _Module(scope, path)
        value: list[Target] | _Module | Outcome = _Module(scope, "self")
        for name in path.split(scope.rules.separator)[1:]:
            if isinstance(value, Outcome):
                return value
            value = self._attribute(value, name, depth + 1)
        return value

    def _attribute(
        self, value: list[Target] | _Module, name: str, depth: int
    ) -> list[Target] | _Module | Outcome:
        if depth > _DEEPEST:
            return UNKNOWN
        if isinstance(value, _Module):
            found = self._in_module(value.importer, value.name, name)
            if isinstance(found, Outcome):
                inner = f"{value.name}{value.importer.rules.separator}{name}"
                if self._exists(value.importer, inner):
                    return _Module(value.importer, inner)
                return found
            return self._value_of(found, depth + 1)
        found = self._member(value, name)
        if not isinstance(found, Outcome):
            types = self._value_of(found, depth + 1)
            if not isinstance(types, Outcome):
                return types
        held: list[Target] = []
        for path, index in value:
            scope = self._scope((path, index))
            bindings = scope.fields(index, name)
            if bindings:
                types = self._type_of(scope, bindings, bindings[0].start, depth + 1)
                held.extend(() if isinstance(types, Outcome) else types)
        if held:
            return list(dict.fromkeys(held))
        for path, base_reference in self.base_references(value[0]) if value else ():
            if base_reference.name == name and (scope_ := self._scope_of(path)) is not None:
                # What is embedded is a field that is called as its type.
                embedded = self.resolve(scope_, base_reference)
                return embedded if isinstance(embedded, Outcome) else list(embedded)
        for base in self.base_types(value[0])[0] if value else ():
            inherited = self._attribute([base], name, depth + 1)
            if not isinstance(inherited, Outcome):
                return inherited
        if found is UNKNOWN and value and name in self._scope(value[0]).rules.makers:
            return value
        return UNKNOWN

    def _value_of(self, found: Sequence[Target], depth: int) -> list[Target] | _Module | Outcome:
        """The type or module that definitions are, or the type that the value they name has."""
        types = self._types_among(found) or [each for each in found if self._is_open(each)]
        if types:
            return self._declared_module(types[0]) or self._apart(types)
        for target in found:
            scope = self._scope(target)
            each = scope.definitions[target[1]]
            if (
                each.kind in CALLABLE_KINDS
                and each.kind != "property"
                and not scope.rules.bare_calls
            ):
                continue
            binding = scope.result(target[1])
            bindings = [binding] if binding else scope.bound(each.name, scope.parents[target[1]])
            if bindings:
                outcome = self._type_of(scope, bindings, each.start, depth + 1)
                if isinstance(outcome, Outcome):
                    return outcome
                types.extend(outcome)
        return list(dict.fromkeys(types)) or UNKNOWN

    def _declared_module(self, target: Target) -> _Module | None:
        """The module that a definition only announces, since it stands in a file of its own."""
        scope = self._scope(target)
        each = scope.definitions[target[1]]
        if scope.rules.relative != "words" or each.kind != "module":
            return None
        separator = scope.rules.separator
        path = f"self{separator}{each.qualified_name.replace('.', separator)}"
        return _Module(scope, path) if self._modules.files(scope, path) else None

    def _called_value(
        self, scope: FileScope, callee: str, offset: int, depth: int
    ) -> list[Target] | Outcome:
        """The type of what a call gives: the type that is called, or what a function returns."""
        if depth > _DEEPEST:
            return UNKNOWN
        if callee in scope.rules.super_names or f"{callee}()" in scope.rules.super_names:
            return self._super(scope, offset)
        receiver, name = last_step(callee)
        if receiver in scope.rules.wrappers:
            # Only what it wraps could tell, and that stands between the brackets.
            return UNKNOWN
        found = self._resolve(scope, name, receiver, offset, depth, "call")
        if found is UNKNOWN and name in scope.rules.makers:
            return self._made(scope, receiver, offset, depth + 1)
        if isinstance(found, Outcome):
            return found
        types = self._types_among(found)
        if types:
            return types
        if name in scope.rules.makers:
            return self._made(scope, receiver, offset, depth + 1)
        results: list[Target] = []
        for target in found:
            other = self._scope(target)
            binding = other.result(target[1])
            if binding is None:
                return UNKNOWN
            outcome = self._type_of(other, [binding], binding.start, depth + 1)
            if isinstance(outcome, Outcome):
                return outcome
            results.extend(outcome)
        return list(dict.fromkeys(results)) or UNKNOWN

    def _made(
        self, scope: FileScope, receiver: str, offset: int, depth: int
    ) -> list[Target] | Outcome:
        """What a call of a maker gives: one of what it is called on."""
        value = self._value(scope, receiver, offset, depth) if receiver else UNKNOWN
        return UNKNOWN if isinstance(value, _Module) else value

    def _bound(self, scope: FileScope, name: str, index: int, offset: int) -> list[Binding]:
        """What is said about a variable of a definition where it is used."""
        bindings = scope.bound(name, index)
        if not scope.rules.declared_first or index < 0:
            return bindings
        if scope.definitions[index].kind not in CALLABLE_KINDS:
            return bindings
        return [each for each in bindings if each.start < offset][-1:]

    def _type_of(
        self, scope: FileScope, bindings: Sequence[Binding], offset: int, depth: int
    ) -> list[Target] | Outcome:
        """The type that what is said about a variable agrees on."""
        if depth > _DEEPEST:
            return UNKNOWN
        # A name that is bound to itself is a parameter of which nothing is said.
        said = [
            each
            for each in bindings
            if each.is_call or each.type != each.name or scope.rules.types_apart
        ]
        before = [each for each in said if each.start <= offset] or said
        written = [each for each in before if not each.is_call]
        chosen = {(each.type, each.is_call): each for each in written or before}
        found: list[Target] = []
        outcomes: set[Outcome] = set()
        for each in chosen.values():
            if each.is_call:
                types = self._called_value(scope, each.type, each.start, depth + 1)
            else:
                types = self.written_type(scope, each.type, each.start, depth + 1)
            if isinstance(types, Outcome):
                outcomes.add(types)
            else:
                found.extend(types)
        if outcomes:
            return ELSEWHERE if outcomes == {ELSEWHERE} and not found else UNKNOWN
        return list(dict.fromkeys(found)) or UNKNOWN

    def written_type(
        self, scope: FileScope, written: str, offset: int, depth: int = 0
    ) -> list[Target] | Outcome:
        name = bare_type(written, scope.rules.wrappers)
        if not name or depth > _DEEPEST:
            return UNKNOWN
        if scope.rules.types_apart and name not in scope.rules.self_names:
            receiver, name = last_step(name)
            found = self._resolve(scope, name, receiver, offset, depth + 1, "type")
            return found if isinstance(found, Outcome) else self._types_among(found) or UNKNOWN
        value = self._value(scope, name, offset, depth + 1)
        return UNKNOWN if isinstance(value, _Module) else value

    def _super(self, scope: FileScope, offset: int) -> list[Target] | Outcome:
        owner = scope.owner(offset)
        return self._bases_of(self._types(scope, owner) if owner else [])

    def _bases_of(self, types: Sequence[Target]) -> list[Target] | Outcome:
        bases = [base for target in types for base in self.base_types(target)[0]]
        return list(dict.fromkeys(bases)) or UNKNOWN

    # Members.

    def _member(self, types: Sequence[Target], name: str, use: str = "") -> Found:
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
        self, types: Sequence[Target], name: str, use: str, known: dict[Target, list[Target]]
    ) -> list[Target]:
        for target in types:
            if target in known:
                continue
            # A type that is its own base inherits nothing from itself.
            known[target] = []
            own = self._suiting(self._own_members(target, name), use)
            if not own and len(known) < 64:
                own = self._members(self.base_types(target)[0], name, use, known)
            known[target] = own
        found = [found for target in types for found in known[target]]
        if found and len(types) > 1 and self._have_rivals(types, known):
            return []
        return list(dict.fromkeys(found))

    def _have_rivals(self, types: Sequence[Target], known: dict[Target, list[Target]]) -> bool:
        """Whether files give one full name to types of which some have a member and some lack it.

        Any of them may be meant, so that what one of them has says nothing.
        """
        has: dict[str, dict[str, bool]] = {}
        for target in types:
            scope = self._scope(target)
            if scope.rules.scheme == "packages" and not scope.rules.scattered_members:
                files = has.setdefault(scope.full_name(target[1]), {})
                files[scope.path] = files.get(scope.path, False) or bool(known[target])
        return any(len(set(files.values())) > 1 for files in has.values())

    def _own_members(self, target: Target, name: str) -> list[Target]:
        scope = self._scope(target)
        owner = scope.definitions[target[1]].qualified_name
        members = scope.members
        found = [(scope.path, index) for index in members.get(owner, {}).get(name, ())]
        for companion in scope.rules.companions:
            inner = members.get(f"{owner}.{companion}", {}).get(name, ())
            found.extend((scope.path, index) for index in inner)
        if scope.definitions[target[1]].kind == "module" and scope.rules.imports_all:
            # Every file that opens a namespace has a part of it; who asks has them all.
            return self._with_linked(found, self._free(scope.rules, name))
        if scope.rules.scattered_members and scope.rules.scheme == "packages":
            found.extend(self._by_full_name(scope.rules, f"{scope.full_name(target[1])}.{name}"))
        elif scope.rules.scattered_members:
            for other_target in self._members_called(scope.rules, owner, name):
                if other_target[0] != scope.path and self._belongs(other_target, target):
                    found.append(other_target)
        return list(dict.fromkeys(found))

    def _members_called(self, rules: ModuleRules, owner: str, name: str) -> Sequence[Target]:
        """Every member of a name whose type has the last name of an owner."""
        key = (rules.family, name)
        if key not in self._members_by_owner:
            by_owner: dict[str, list[Target]] = {}
            for target in self._called(rules, name):
                container = self._scope(target).definitions[target[1]].container
                if container:
                    by_owner.setdefault(container.rpartition(".")[2], []).append(target)
            self._members_by_owner[key] = by_owner
        return self._members_by_owner[key].get(owner.rpartition(".")[2], ())

    def _belongs(self, member: Target, owner: Target) -> bool:
        """Whether a definition in another file is a member of a type."""
        scope, other = self._scope(owner), self._scope(member)
        container = other.definitions[member[1]].container
        if scope.rules.relative == "words":
            return owner in self._implemented(other, other.definitions[member[1]].start)
        return self._is_called(scope, owner[1], container) and self._is_near(scope, other)

    def _implemented(self, scope: FileScope, offset: int) -> Sequence[Target]:
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
            found = self.resolve(scope, named[-1]) if named else UNKNOWN
            self._implementations[key] = () if isinstance(found, Outcome) else found
        return self._implementations[key]

    def _suiting(self, found: list[Target], use: str) -> list[Target]:
        """Those that a use of some kind can mean."""
        suiting = []
        for target in found:
            scope = self._scope(target)
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

    def _extension(
        self, rules: ModuleRules, types: Sequence[Target], name: str, depth: int
    ) -> list[Target]:
        """Functions that are called on some types, or on their bases, without being members."""
        if depth > _DEEPEST:
            return []
        extended = self._with_bases(types)
        return [
            target
            for target in self._called(rules, name)
            if not extended.isdisjoint(self._extended(target, depth + 1))
        ]

    def _without_receiver(
        self, scope: FileScope, found: Sequence[Target], offset: int
    ) -> list[Target]:
        """Those that can be called where they are: an extension only inside what it extends."""
        if not all(self._binds_receiver(target) for target in found):
            # What is around may be a block that is run on something: that is not known here.
            return list(found)
        around: list[Target] = []
        for index in scope.chain(offset):
            if scope.definitions[index].kind in TYPE_KINDS:
                around.append((scope.path, index))
            around.extend(self._extended((scope.path, index), 0))
        extended = self._with_bases(around)
        return [target for target in found if not extended.isdisjoint(self._extended(target, 0))]

    def _extends_elsewhere(self, rules: ModuleRules, name: str) -> bool:
        """Whether a name is that of a function on types that are not of the workspace."""
        return bool(rules.extension) and any(
            self._binds_receiver(target) and not self._extended(target, 0)
            for target in self._called(rules, name)
        )

    def _binds_receiver(self, target: Target) -> bool:
        scope = self._scope(target)
        return bool(scope.rules.extension and scope.bound(scope.rules.extension, target[1]))

    def _extended(self, target: Target, depth: int) -> list[Target]:
        """The types on which a function is called that is no member of them."""
        if not self._binds_receiver(target):
            return []
        scope = self._scope(target)
        bound = scope.bound(scope.rules.extension, target[1])
        types = self._type_of(scope, bound, bound[0].start, depth + 1)
        return [] if isinstance(types, Outcome) else types

    def _with_bases(self, types: Sequence[Target]) -> set[Target]:
        extended = set(types)
        pending = list(types)
        while pending and len(extended) < 64:
            bases = [each for each in self.base_types(pending.pop())[0] if each not in extended]
            extended.update(bases)
            pending.extend(bases)
        return extended

    def _is_near(self, scope: FileScope, other: FileScope) -> bool:
        """Whether a member of a type in one file may stand in the other."""
        if scope.rules.scheme == "folders":
            return scope.folder == other.folder
        if scope.rules.scheme == "packages":
            return scope.package == other.package
        if scope.rules.imports_all:
            return scope.path == other.path or scope.path in self._closure(other)
        module = self._modules.module_folder(scope.rules, scope.path)
        if module and module != self._modules.module_folder(other.rules, other.path):
            name = module.rpartition("/")[2]
            return any(each.module == name for each in other.imports)
        return True

    def _types(self, scope: FileScope, qualified: str) -> list[Target]:
        """The types of a qualified name that a file may mean, its own first."""
        container, _, name = qualified.rpartition(".")
        own = [
            (scope.path, index)
            for index in scope.members.get(container, {}).get(name, ())
            if scope.definitions[index].kind in SCOPE_KINDS or scope.rules.open_values
        ]
        if own and not all(self._is_extension(target) for target in own):
            return own
        if scope.rules.relative == "words":
            blocks = [start for start, _, owner in scope.view.scopes if owner == qualified]
            return list(self._implemented(scope, blocks[0])) if blocks else []
        others = [
            target
            for target in self._called(scope.rules, name)
            if self._kind(target) in SCOPE_KINDS
            and target[0] != scope.path
            and self._is_near(self._scope(target), scope)
            and self._is_called(self._scope(target), target[1], qualified)
        ]
        return own + others

    def _is_called(self, scope: FileScope, index: int, qualified: str) -> bool:
        """Whether a definition goes by a name, which may leave out namespaces that are used."""
        own = scope.definitions[index].qualified_name
        return own == qualified or (scope.rules.imports_all and own.endswith(f".{qualified}"))

    def _is_extension(self, target: Target) -> bool:
        return target[1] in self._scope(target).extensions

    def _is_open(self, target: Target) -> bool:
        """Whether a value has members of its own, as a type has."""
        scope = self._scope(target)
        return scope.rules.open_values and scope.qualified(target[1]) in scope.members

    def _apart(self, types: list[Target]) -> list[Target]:
        """Types, and of a namespace that is open in many files one part: all have its members."""
        rules = self._scope(types[0]).rules
        if len(types) == 1 or not rules.scattered_members or rules.visible != "workspace":
            return types
        chosen: dict[object, Target] = {}
        for target in types:
            each = self._scope(target).definitions[target[1]]
            chosen.setdefault(each.qualified_name if each.kind == "module" else target, target)
        return list(chosen.values())

    def _types_among(self, found: Sequence[Target]) -> list[Target]:
        return [target for target in found if self._kind(target) in SCOPE_KINDS]

    # Definitions.

    def _called(self, rules: ModuleRules, name: str) -> Iterator[Target]:
        """Every definition of a name in languages that may mean each other's."""
        key = (rules.family, name)
        if key not in self._named:
            self._named[key] = [
                (path, index)
                for path in self._names.files(defined(name))
                if (scope := self._scope_of(path)) is not None
                and scope.rules.family == rules.family
                for named in scope.members.values()
                for index in named.get(name, ())
            ]
        return iter(self._named[key])

    def _is_member(self, scope: FileScope, index: int) -> bool:
        each = scope.definitions[index]
        if not each.container:
            return False
        around = scope.parents[index]
        return around < 0 or scope.definitions[around].kind != "module"

    def _kind(self, target: Target) -> str:
        return self._scope(target).definitions[target[1]].kind

    def _scope(self, target: Target) -> FileScope:
        scope = self._scope_of(target[0])
        assert scope is not None, "a target stands in a file of the snapshot"
        return scope
