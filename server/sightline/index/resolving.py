"""What a name means where it stands: through scopes, imports and plain types, or not at all.

Every answer is one of three: the definitions that are meant, `ELSEWHERE` for what is known not to
be in the workspace (an import that leads out of it), and `UNKNOWN` for what cannot be told. Only
for the last is a name alone taken as a hint, and then said to be one.

Nothing here guesses: where rules lead to several definitions, all are given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum

import attrs

from sightline.index.modules import Modules
from sightline.index.names import NameTable
from sightline.index.scopes import SCOPE_KINDS, FileScope, Target
from sightline.languages import ModuleRules
from sightline.symbols import CALLABLE_KINDS, TYPE_KINDS
from sightline.symbols.facts import COMPLEX, Binding, Imported, Reference, defined

_DEEPEST = 8
_MOST_INCLUDED = 400
_SEPARATOR = re.compile(r"\s*(?:\?\.|!!?\.|->|::|\.|\\)\s*")
_PLAIN = re.compile(r"[\w$@]+(?:(?:\?\.|!!?\.|->|::|\.|\\)[\w$@]+)*!?")
_DECORATION = re.compile(
    r"^(?:[*&\s(]+|(?:mut|const|ref|dyn|impl|final|readonly|struct|class|enum|out|in|inout|volatile|"
    r"unsigned|static|typename|some|any|keyof|typeof)\s+|'\w+\s+)+|[?!*&\s)]+$|\[\s*\d*\s*\]$"
)
_NOTHING = frozenset(["None", "null", "undefined", "nil", "void", "never", "NoneType"])


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
        self._full_names: dict[tuple[str, str], list[Target]] = {}

    def resolve(self, scope: FileScope, reference: Reference) -> Found:
        """The definitions that a use means."""
        found = self._resolve(scope, reference.name, reference.receiver, reference.start, 0)
        if isinstance(found, Outcome):
            return found
        kinds = [self._kind(target) for target in found]
        if reference.kind != "call":
            wanted = [
                target for target, kind in zip(found, kinds, strict=True) if kind in SCOPE_KINDS
            ]
            return wanted or UNKNOWN
        callable_ = [
            target
            for target, kind in zip(found, kinds, strict=True)
            if kind in CALLABLE_KINDS or kind in TYPE_KINDS
        ]
        return callable_ or found

    def imported(self, scope: FileScope, each: Imported) -> list[Target]:
        """What an import brings in: definitions, or whole files, given with the index -1."""
        if each.name and each.name != "*":
            found = self._in_module(scope, each.module, each.name, 0)
            if not isinstance(found, Outcome):
                return list(found)
        rules = scope.rules
        if rules.scheme == "folders":
            folder = self._modules.folder(scope, each.module)
            return [(path, -1) for path in self._modules.files_in(folder)] if folder else []
        if rules.scheme == "packages":
            return []
        inner = f"{each.module}{rules.separator}{each.name}"
        if each.module.endswith(rules.separator):
            inner = f"{each.module}{each.name}"
        files = self._modules.files(scope, inner) if each.name and each.name != "*" else ()
        return [(path, -1) for path in files or self._modules.files(scope, each.module)]

    def by_name(self, scope: FileScope, reference: Reference) -> list[Target]:
        """Definitions that have nothing but the name in common with a use."""
        rules = scope.rules
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
                suits = is_member or each.kind in TYPE_KINDS
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
        bases: list[Target] = []
        complete = True
        for path, reference in self.base_references(target):
            scope = self._scope_of(path)
            found = self.resolve(scope, reference) if scope else UNKNOWN
            if isinstance(found, Outcome):
                complete = False
            else:
                bases.extend(each for each in found if each != target)
        self._bases[target] = (list(dict.fromkeys(bases)), complete)
        return self._bases[target]

    def base_references(self, target: Target) -> list[tuple[str, Reference]]:
        """Where a type's bases are named, in its own header or in a scope elsewhere."""
        scope = self._scope(target)
        each = scope.definitions[target[1]]
        found = [(scope.path, base) for base in scope.bases(target[1])]
        for other in self._scattered(scope):
            found.extend((other.path, base) for base in other.scope_bases(each.qualified_name))
        return found

    def _resolve(
        self, scope: FileScope, name: str, receiver: str, offset: int, depth: int
    ) -> Found:
        if depth > _DEEPEST or receiver == COMPLEX:
            return UNKNOWN
        if not receiver:
            return self._name(scope, name, offset, depth)
        thing = self._value(scope, receiver, offset, depth + 1)
        if isinstance(thing, Outcome):
            return thing
        if isinstance(thing, _Module):
            return self._in_module(thing.importer, thing.name, name, depth + 1)
        return self._member(thing, name)

    # Names without a receiver.

    def _name(self, scope: FileScope, name: str, offset: int, depth: int) -> Found:
        rules = scope.rules
        inside = True
        for index in scope.chain(offset):
            each = scope.definitions[index]
            own = scope.members.get(each.qualified_name, {}).get(name)
            if each.kind in TYPE_KINDS:
                if own and inside and not rules.implicit_members:
                    return [(scope.path, index) for index in own]
                if rules.implicit_members:
                    found = self._member([(scope.path, index)], name)
                    if not isinstance(found, Outcome):
                        return found
                # The names of a class are not seen from inside its functions.
            elif own:
                return [(scope.path, index) for index in own]
            elif each.kind in CALLABLE_KINDS and scope.bound(name, index):
                return UNKNOWN
            inside = inside and each.kind in TYPE_KINDS
        if rules.implicit_members and (owner := scope.owner(offset)):
            found = self._member(self._types(scope, owner), name)
            if not isinstance(found, Outcome):
                return found
        top = scope.members.get("", {}).get(name)
        if top:
            return [(scope.path, index) for index in top]
        found = self._imported_name(scope, name, depth)
        if found is not UNKNOWN:
            return found
        return self._without_import(scope, name, offset)

    def _imported_name(self, scope: FileScope, name: str, depth: int) -> Found:
        if depth > _DEEPEST:
            return UNKNOWN
        found: list[Target] = []
        is_imported = False
        for each in scope.imported.get(name, ()):
            is_imported = True
            outcome = self._import(scope, each, depth + 1)
            if not isinstance(outcome, Outcome | _Module):
                found.extend(outcome)
        if found:
            return list(dict.fromkeys(found))
        if is_imported:
            return ELSEWHERE
        for each in scope.imported.get("*", ()):
            outcome = self._in_module(scope, each.module, name, depth + 1)
            if not isinstance(outcome, Outcome):
                found.extend(outcome)
        if not found and (scope.rules.imports_all or scope.rules.scheme == "packages"):
            found = self._brought_in(scope, name)
        return list(dict.fromkeys(found)) or UNKNOWN

    def _import(self, scope: FileScope, each: Imported, depth: int) -> Found | _Module:
        """What an import's own name stands for."""
        if each.name and each.name not in ("*", "default"):
            return self._in_module(scope, each.module, each.name, depth)
        if each.name == "*" or scope.rules.relative != "slashes":
            return _Module(scope, each.module)
        # A default import: the one thing that the module calls by that name, if any.
        for path in self._modules.files(scope, each.module):
            other = self._scope_of(path)
            own = other.members.get("", {}).get(each.alias) if other else None
            if own:
                return [(path, index) for index in own]
        return _Module(scope, each.module) if self._exists(scope, each.module) else ELSEWHERE

    def _brought_in(self, scope: FileScope, name: str) -> list[Target]:
        """What imports bring in whole: an included file, a namespace that is used."""
        rules = scope.rules
        if rules.scheme == "packages":
            modules = [each.module for each in scope.view.imports if not each.name]
            return [
                target
                for module in dict.fromkeys(modules)
                for target in self._by_full_name(rules, f"{_dotted(module)}.{name}")
            ]
        closure = self._closure(scope)
        return [
            target
            for target in self._called(rules, name)
            if target[0] in closure and not self._is_member(self._scope(target), target[1])
        ]

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
            found = [
                target
                for target in self._called(rules, name)
                if not self._is_member(self._scope(target), target[1])
            ]
            return found or UNKNOWN
        if rules.scheme == "folders":
            return self._in_folder(scope, scope.folder, name) or UNKNOWN
        for prefix in self._namespaces(scope, offset):
            found = self._by_full_name(rules, f"{prefix}.{name}" if prefix else name)
            if found:
                return found
        return UNKNOWN

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
        yield scope.package

    # Modules.

    def _in_module(self, scope: FileScope, module: str, name: str, depth: int) -> Found:
        """What a module calls by a name; through what it imports itself, too."""
        if depth > _DEEPEST:
            return UNKNOWN
        rules = scope.rules
        if rules.scheme == "packages":
            full = f"{_dotted(module)}.{name}" if module else name
            return self._by_full_name(rules, full) or ELSEWHERE
        if rules.scheme == "folders":
            folder = self._modules.folder(scope, module)
            if folder is None:
                return ELSEWHERE
            return self._in_folder(scope, folder, name) or UNKNOWN
        if rules.scheme == "none":
            return UNKNOWN
        files = self._modules.files(scope, module)
        if not files:
            return ELSEWHERE
        found: list[Target] = []
        for path in files:
            other = self._scope_of(path)
            if other is None:
                continue
            own = other.members.get("", {}).get(name)
            if not own and rules.separator in module:
                # The end of the path may name a type or an inline module of the file.
                last = module.rpartition(rules.separator)[2]
                own = other.members.get(last, {}).get(name)
            if own:
                found.extend((path, index) for index in own)
                continue
            outcome = self._imported_name(other, name, depth + 1)
            if not isinstance(outcome, Outcome):
                found.extend(outcome)
        return list(dict.fromkeys(found)) or UNKNOWN

    def _in_folder(self, scope: FileScope, folder: str, name: str) -> list[Target]:
        return [
            target
            for target in self._called(scope.rules, name)
            if target[0].rpartition("/")[0] == folder
            and not self._is_member(self._scope(target), target[1])
        ]

    def _exists(self, scope: FileScope, module: str) -> bool:
        if scope.rules.scheme == "folders":
            return self._modules.folder(scope, module) is not None
        return bool(self._modules.files(scope, module))

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

    # Values and their types.

    def _value(
        self, scope: FileScope, expression: str, offset: int, depth: int
    ) -> list[Target] | _Module | Outcome:
        """The type of an expression, or the type or module that it names."""
        if depth > _DEEPEST:
            return UNKNOWN
        expression = expression.strip().removeprefix("await ").removeprefix("new ").strip()
        rules = scope.rules
        if expression in rules.super_names:
            return self._super(scope, offset)
        if expression.endswith(")"):
            callee = _callee(expression)
            return self._called_value(scope, callee, offset, depth + 1) if callee else UNKNOWN
        if expression.startswith(("(", "*", "&")):
            expression = expression.strip("(*&)")
        if not _PLAIN.fullmatch(expression):
            return UNKNOWN
        first, *rest = _SEPARATOR.split(expression.rstrip("!"))
        value = self._first_value(scope, first, offset, depth)
        for position, name in enumerate(rest):
            if isinstance(value, Outcome):
                if rules.scheme == "packages" and value is UNKNOWN:
                    full = ".".join([first, *rest[: position + 1]])
                    found = self._by_full_name(rules, full)
                    value = self._types_among(found) or UNKNOWN
                    continue
                return value
            value = self._attribute(value, name, depth + 1)
        return value

    def _first_value(
        self, scope: FileScope, name: str, offset: int, depth: int
    ) -> list[Target] | _Module | Outcome:
        rules = scope.rules
        if name in rules.self_names:
            owner = scope.owner(offset)
            return (self._types(scope, owner) if owner else []) or UNKNOWN
        if name in rules.super_names:
            return self._super(scope, offset)
        for index in (*scope.chain(offset), -1):
            is_type = index >= 0 and scope.definitions[index].kind in TYPE_KINDS
            if is_type and not rules.implicit_members:
                continue
            bindings = scope.bound(name, index)
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
            if not each.name or each.name == "*":
                module = each.module
                if not each.alias and rules.separator != "/" and name != module:
                    # `import a.b` and then `a.…`: the path is followed part by part.
                    last = module.rpartition(rules.separator)[2]
                    module = module if name == last else name
                if self._exists(scope, module) or rules.scheme == "packages":
                    return _Module(scope, module)
        return found

    def _attribute(
        self, value: list[Target] | _Module, name: str, depth: int
    ) -> list[Target] | _Module | Outcome:
        if depth > _DEEPEST:
            return UNKNOWN
        if isinstance(value, _Module):
            found = self._in_module(value.importer, value.name, name, depth)
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
        for path, index in value:
            scope = self._scope((path, index))
            bindings = scope.fields(index, name)
            if bindings:
                return self._type_of(scope, bindings, bindings[0].start, depth + 1)
        for base in self.base_types(value[0])[0] if value else ():
            inherited = self._attribute([base], name, depth + 1)
            if not isinstance(inherited, Outcome):
                return inherited
        return UNKNOWN

    def _value_of(self, found: Sequence[Target], depth: int) -> list[Target] | Outcome:
        """The type that definitions are, or that the value they name has."""
        types = self._types_among(found)
        if types:
            return types
        for target in found:
            scope = self._scope(target)
            each = scope.definitions[target[1]]
            if each.kind in CALLABLE_KINDS and each.kind != "property":
                continue
            binding = scope.result(target[1])
            bindings = [binding] if binding else scope.bound(each.name, scope.parents[target[1]])
            if bindings:
                return self._type_of(scope, bindings, each.start, depth + 1)
        return UNKNOWN

    def _called_value(
        self, scope: FileScope, callee: str, offset: int, depth: int
    ) -> list[Target] | Outcome:
        """The type of what a call gives: the type that is called, or what a function returns."""
        if depth > _DEEPEST:
            return UNKNOWN
        if callee in scope.rules.super_names or f"{callee}()" in scope.rules.super_names:
            return self._super(scope, offset)
        parts = _SEPARATOR.split(callee)
        name = parts[-1]
        receiver = callee[: len(callee) - len(name)].rstrip("?!.:->\\ ")
        found = self._resolve(scope, name, receiver, offset, depth + 1)
        if isinstance(found, Outcome):
            return found
        types = self._types_among(found)
        if types:
            return types
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

    def _type_of(
        self, scope: FileScope, bindings: Sequence[Binding], offset: int, depth: int
    ) -> list[Target] | Outcome:
        """The type that what is said about a variable agrees on."""
        if depth > _DEEPEST:
            return UNKNOWN
        before = [each for each in bindings if each.start <= offset] or list(bindings)
        written = [each for each in before if not each.is_call]
        chosen = written or before
        if len({(each.type, each.is_call) for each in chosen}) > 1:
            return UNKNOWN
        each = chosen[-1]
        if each.is_call:
            return self._called_value(scope, each.type, each.start, depth + 1)
        return self.written_type(scope, each.type, each.start, depth + 1)

    def written_type(
        self, scope: FileScope, written: str, offset: int, depth: int = 0
    ) -> list[Target] | Outcome:
        name = _bare_type(written, scope.rules.wrappers)
        if not name or depth > _DEEPEST:
            return UNKNOWN
        value = self._value(scope, name, offset, depth + 1)
        return UNKNOWN if isinstance(value, _Module) else value

    def _super(self, scope: FileScope, offset: int) -> list[Target] | Outcome:
        owner = scope.owner(offset)
        bases: list[Target] = []
        for target in self._types(scope, owner) if owner else ():
            bases.extend(self.base_types(target)[0])
        return bases or UNKNOWN

    # Members.

    def _member(self, types: Sequence[Target], name: str) -> Found:
        """A member of one of some types, its own before an inherited one."""
        found: list[Target] = []
        seen: set[Target] = set()
        pending = list(types)
        while pending:
            target = pending.pop(0)
            if target in seen:
                continue
            seen.add(target)
            own = self._own_members(target, name)
            if own:
                found.extend(own)
            elif len(seen) < 64:
                pending.extend(self.base_types(target)[0])
        return list(dict.fromkeys(found)) or UNKNOWN

    def _own_members(self, target: Target, name: str) -> list[Target]:
        scope = self._scope(target)
        owner = scope.definitions[target[1]].qualified_name
        found = [(scope.path, index) for index in scope.members.get(owner, {}).get(name, ())]
        if scope.rules.scattered_members:
            for other_target in self._called(scope.rules, name):
                other = self._scope(other_target)
                if other.path == scope.path or not self._is_near(scope, other):
                    continue
                container = other.definitions[other_target[1]].container
                if container and (
                    container == owner or container.rpartition(".")[2] == owner.rpartition(".")[2]
                ):
                    found.append(other_target)
        return list(dict.fromkeys(found))

    def _scattered(self, scope: FileScope) -> Iterable[FileScope]:
        yield scope

    def _is_near(self, scope: FileScope, other: FileScope) -> bool:
        """Whether a member of a type in one file may stand in the other."""
        if scope.rules.scheme == "folders":
            return scope.folder == other.folder
        if scope.rules.scheme == "packages":
            return scope.package == other.package
        return True

    def _types(self, scope: FileScope, qualified: str) -> list[Target]:
        """The types of a qualified name that a file may mean, its own first."""
        container, _, name = qualified.rpartition(".")
        own = [
            (scope.path, index)
            for index in scope.members.get(container, {}).get(name, ())
            if scope.definitions[index].kind in SCOPE_KINDS
        ]
        if own:
            return own
        return [
            target
            for target in self._called(scope.rules, name)
            if self._kind(target) in SCOPE_KINDS
            and self._is_near(scope, self._scope(target))
            and self._scope(target).definitions[target[1]].qualified_name == qualified
        ]

    def _types_among(self, found: Sequence[Target]) -> list[Target]:
        return [target for target in found if self._kind(target) in SCOPE_KINDS]

    # Definitions.

    def _called(self, rules: ModuleRules, name: str) -> Iterator[Target]:
        """Every definition of a name in languages that may mean each other's."""
        for path in self._names.files(defined(name)):
            scope = self._scope_of(path)
            if scope is None or scope.rules.family != rules.family:
                continue
            for named in scope.members.values():
                for index in named.get(name, ()):
                    yield path, index

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


def _dotted(module: str) -> str:
    return module.strip("\\").replace("\\", ".").replace("::", ".")


def _callee(expression: str) -> str:
    """What stands before the brackets of a call at the end of an expression."""
    depth = 0
    for position in range(len(expression) - 1, -1, -1):
        if expression[position] == ")":
            depth += 1
        elif expression[position] == "(":
            depth -= 1
            if not depth:
                callee = expression[:position].strip()
                return callee if _PLAIN.fullmatch(callee) else ""
    return ""


def _bare_type(written: str, wrappers: Sequence[str]) -> str:
    """The one name in a type as written; "" where there is not one alone."""
    for _ in range(_DEEPEST):
        written = written.strip().strip("\"'`").strip()
        before = written
        written = _DECORATION.sub("", written)
        if "|" in written and not _bracket(written):
            kept = [each.strip() for each in written.split("|") if each.strip() not in _NOTHING]
            if len(kept) != 1:
                return ""
            written = kept[0]
        opening = _bracket(written)
        if opening:
            head = written[: opening - 1].strip()
            if head in wrappers or head.rpartition(".")[2] in wrappers:
                inner = written[opening:].rstrip(">] ")
                written = inner.split(",")[0]
            elif written.rstrip().endswith((">", "]")):
                written = head
            else:
                return ""
        if written == before:
            break
    return written if _PLAIN.fullmatch(written) else ""


def _bracket(written: str) -> int:
    """The position after the first bracket of type arguments; 0 without one."""
    found = re.search(r"[<\[]", written)
    return found.end() if found else 0
