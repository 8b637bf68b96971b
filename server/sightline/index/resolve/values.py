"""What an expression is, as far as plain types tell: a value of a type, a type, or a module."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.index.resolve import type_texts
from sightline.index.resolve.expressions import (
    CAST,
    CHOSEN,
    LINK,
    NAMED_SUPER,
    PLAIN,
    QUALIFIED,
    REQUIRED,
    SEPARATOR,
    bare_type,
    callee_of,
    last_step,
    passed_to,
    unwrapped,
)
from sightline.index.resolve.links import Links, place_of
from sightline.index.resolve.lookups import Lookups
from sightline.index.resolve.meaning import (
    DEEPEST,
    ELSEWHERE,
    MOST_STEPS,
    UNKNOWN,
    Module,
    Outcome,
)
from sightline.index.resolve.module_names import imported_module, package_called
from sightline.index.resolve.scopes import FileScope, SymbolId
from sightline.symbols import CALLABLE_KINDS, TYPE_KINDS
from sightline.symbols.facts import (
    BOUND,
    CALLED,
    HIDING,
    LINKED,
    PART,
    VALUE,
    WRITTEN,
    Binding,
    Imported,
)
from sightline.symbols.model import VARIABLE_KINDS


class Values:
    """Expressions and their types."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self._declared = lookups.declared
        self._namespaces = lookups.namespaces
        self._modules = lookups.declared.modules
        self._links = Links(lookups)
        self.steps = 0
        """Expressions looked at for the use that is being resolved."""
        self.asked_from: tuple[FileScope, int] | None = None
        """Where that use stands."""

    def value(
        self, scope: FileScope, expression: str, offset: int, depth: int
    ) -> list[SymbolId] | Module | Outcome:
        """The type of an expression, or the type or module that it names."""
        self.steps += 1
        if depth > DEEPEST or self.steps > MOST_STEPS:
            return UNKNOWN
        expression = unwrapped(expression)
        if expression.startswith(LINKED) and (link := LINK.fullmatch(expression)):
            return self._links.value(scope, link[1], offset)
        cast = QUALIFIED.match(expression) or CAST.search(expression)
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
            module = Imported(offset, required[3], "", "", False)
            thing = self._lookups.names.import_(scope, module, set())
            return (
                thing if isinstance(thing, Outcome | Module) else self._value_of(thing, depth + 1)
            )
        if expression.endswith(")"):
            callee = callee_of(expression)
            # What is left of an expression is shorter, which is bound enough.
            if not callee:
                return UNKNOWN
            return self._called_value(scope, callee, offset, depth, passed_to(expression))
        if expression.endswith("]"):
            return self._by_text(scope, expression, offset, depth)
        if expression.endswith("}") and "{" in expression:
            made = expression.partition("{")[0]
            return self.written_type(scope, made, offset, depth + 1) if made else UNKNOWN
        if expression.startswith(("(", "*", "&")):
            expression = expression.strip("(*&)").removeprefix("mut ")
        if expression.startswith(("::", "\\")):
            full = ".".join(SEPARATOR.split(expression)[1:])
            return self._declared.types_among(self._declared.by_full_name(rules, full)) or UNKNOWN
        if not PLAIN.fullmatch(expression):
            receiver, name = last_step(expression)
            before = self.value(scope, receiver, offset, depth) if receiver else UNKNOWN
            if isinstance(before, Outcome):
                return before
            return self._attribute(before, name, depth + 1)
        value = self._followed(scope, expression, offset, depth)
        if value is UNKNOWN and SEPARATOR.search(expression):
            return self._by_text(scope, expression, offset, depth)
        return value

    def _followed(
        self, scope: FileScope, expression: str, offset: int, depth: int
    ) -> list[SymbolId] | Module | Outcome:
        """What a plain path of names leads to, followed name by name."""
        rules = scope.rules
        first, *rest = SEPARATOR.split(expression.rstrip("!"))
        value = self._first_value(scope, first, offset, depth)
        for position, name in enumerate(rest):
            if isinstance(value, Outcome):
                if rules.scheme == "packages" and value is UNKNOWN:
                    full = ".".join([first, *rest[: position + 1]])
                    found = self._namespaces.by_path(scope, full, offset)
                    value = self._declared.types_among(found) or UNKNOWN
                    continue
                return value
            if name in rules.self_names and not isinstance(value, Module):
                # `Outer.this`: of several objects the one of this type.
                continue
            if name in rules.super_names and not isinstance(value, Module):
                value = self._bases_of(value)
                continue
            value = self._attribute(value, name, depth + 1)
        return value

    def _first_value(
        self, scope: FileScope, name: str, offset: int, depth: int
    ) -> list[SymbolId] | Module | Outcome:
        rules = scope.rules
        if name in rules.self_names:
            for index in scope.nesting.chain(offset) if rules.extension else ():
                if bindings := scope.bindings.bound(rules.extension, index):
                    return self.type_of(scope, bindings, bindings[0].start, depth + 1)
            owner = scope.owner(offset)
            if owner or rules.relative != "words" or name not in ("self", "super"):
                return (self._lookups.members.types(scope, owner) if owner else []) or UNKNOWN
        if name in rules.super_names:
            return self._super(scope, offset)
        if rules.relative == "words" and name in ("crate", "self", "super"):
            return self._word(scope, name, offset, depth)
        if bounds := scope.bindings.bounds(name, offset):
            return self._bounded(scope, bounds, depth + 1)
        for index in (*scope.nesting.chain(offset), -1):
            is_type = index >= 0 and scope.definitions[index].kind in TYPE_KINDS
            if is_type and not rules.implicit_members:
                continue
            bindings = scope.bindings.known(name, index, offset)
            if is_type:
                bindings = scope.bindings.fields(index, name)
            if bindings:
                return self.type_of(scope, bindings, offset, depth + 1)
        found = self._lookups.names.bare(scope, name, offset, depth + 1)
        if not isinstance(found, Outcome):
            return self._value_of(found, depth + 1)
        if found is ELSEWHERE and scope.bindings.is_variable(name, offset):
            # The variable is known here alone, its type need not be.
            return UNKNOWN
        if module := imported_module(self._lookups, scope, name):
            return module
        if rules.relative == "words" and self._modules.files(scope, name):
            return Module(scope, name)
        if rules.scheme == "folders" and found is UNKNOWN:
            return package_called(self._lookups, scope, name) or found
        if found is UNKNOWN and rules.capital_types and self._declared.is_foreign(scope, name):
            return ELSEWHERE
        return found

    def _word(
        self, scope: FileScope, word: str, offset: int, depth: int
    ) -> list[SymbolId] | Module | Outcome:
        """The module that `self`, `super` or `crate` is where it is said."""
        path = scope.path_from_top(word, offset)
        if self._modules.files(scope, path):
            return Module(scope, path)
        value: list[SymbolId] | Module | Outcome = Module(scope, "self")
        for name in path.split(scope.rules.separator)[1:]:
            if isinstance(value, Outcome):
                return value
            value = self._attribute(value, name, depth + 1)
        return value

    def _attribute(
        self, value: list[SymbolId] | Module, name: str, depth: int
    ) -> list[SymbolId] | Module | Outcome:
        if depth > DEEPEST:
            return UNKNOWN
        if isinstance(value, Module):
            found = self._lookups.names.in_module(value.importer, value.name, name)
            if isinstance(found, Outcome):
                if passed_on := self._lookups.names.module_passed_on(value, name):
                    return passed_on
                inner = f"{value.name}{value.importer.rules.separator}{name}"
                if self._namespaces.exists(value.importer, inner):
                    return Module(value.importer, inner)
                return found
            return self._value_of(found, depth + 1)
        found = self._lookups.members.member(value, name)
        if not isinstance(found, Outcome):
            types = self._value_of(found, depth + 1)
            if not isinstance(types, Outcome):
                return types
        if (inner_module := self._lookups.names.imported_within(value, name)) is not UNKNOWN:
            return (
                inner_module
                if isinstance(inner_module, Outcome | Module)
                else self._value_of(inner_module, depth + 1)
            )
        held: list[SymbolId] = []
        for path, index in value:
            scope = self._declared.scope((path, index))
            bindings = scope.bindings.fields(index, name)
            if name == "0" and (taken := scope.bindings.result(index)):
                # The first that a constructor takes.
                bindings = [taken]
            if bindings:
                types = self.type_of(scope, bindings, bindings[0].start, depth + 1)
                held.extend(() if isinstance(types, Outcome) else types)
        if held:
            return list(dict.fromkeys(held))
        for path, base_reference in (
            self._lookups.members.base_references(value[0]) if value else ()
        ):
            if (
                base_reference.name == name
                and (scope_ := self._declared.scope_of(path)) is not None
            ):
                # What is embedded is a field that is called as its type.
                embedded = self._lookups.resolve(scope_, base_reference)
                return embedded if isinstance(embedded, Outcome) else list(embedded)
        for base in self._lookups.members.base_types(value[0])[0] if value else ():
            inherited = self._attribute([base], name, depth + 1)
            if not isinstance(inherited, Outcome):
                return inherited
        if found is UNKNOWN and value and name in self._declared.scope(value[0]).rules.makers:
            return value
        return UNKNOWN

    def _value_of(self, found: Sequence[SymbolId], depth: int) -> list[SymbolId] | Module | Outcome:
        """The type or module that definitions are, or the type that the value they name has."""
        types = self._declared.types_among(found) or [
            each for each in found if self._declared.is_open(each)
        ]
        if types:
            return self.declared_module(types[0]) or self._declared.apart(types)
        for target in found:
            scope = self._declared.scope(target)
            each = scope.definitions[target[1]]
            if enum := scope.enum_of(target[1]):
                types.append(enum)
                continue
            if (
                each.kind in CALLABLE_KINDS
                and each.kind != "property"
                and not scope.rules.bare_calls
            ):
                continue
            binding = scope.bindings.result(target[1])
            bindings = (
                [binding]
                if binding
                else scope.bindings.bound(each.name, scope.nesting.parents[target[1]])
            )
            outcome = self.type_of(scope, bindings, each.start, depth + 1) if bindings else []
            if isinstance(outcome, Outcome):
                return outcome
            types.extend(outcome)
        return list(dict.fromkeys(types)) or UNKNOWN

    def declared_module(self, target: SymbolId) -> Module | None:
        """The module that a definition only announces, since it stands in a file of its own."""
        scope = self._declared.scope(target)
        each = scope.definitions[target[1]]
        if scope.rules.relative != "words" or each.kind != "module":
            return None
        separator = scope.rules.separator
        path = f"self{separator}{each.qualified_name.replace('.', separator)}"
        return Module(scope, path) if self._modules.files(scope, path) else None

    def _called_value(
        self, scope: FileScope, callee: str, offset: int, depth: int, passed: str | None = None
    ) -> list[SymbolId] | Outcome:
        """The type of what a call gives: the type that is called, or what a function returns."""
        if depth > DEEPEST:
            return UNKNOWN
        if callee in scope.rules.super_names or f"{callee}()" in scope.rules.super_names:
            return self._super(scope, offset)
        receiver, name = last_step(callee)
        if receiver in scope.rules.wrappers:
            # Only what it wraps could tell, and that stands between the brackets.
            return UNKNOWN
        found = self._lookups.look_up(scope, name, receiver, offset, depth, "call")
        rules = scope.rules
        if isinstance(found, Outcome) and not receiver:
            if name in rules.makers_of_type and passed:
                return self.written_type(scope, passed, offset, depth + 1)
            if scope.bindings.is_variable(name, offset):
                # It holds a function: what that gives is not what the variable is.
                return self._by_text(scope, f"{callee}()", offset, depth)
        if isinstance(found, Outcome) and receiver and name in (*rules.views, *rules.elements):
            return self._by_text(scope, f"{callee}()", offset, depth)
        if found is UNKNOWN and name in scope.rules.makers:
            return self._made(scope, receiver, offset, depth + 1)
        if found is UNKNOWN and receiver:
            return self._by_text(scope, f"{callee}()", offset, depth)
        if isinstance(found, Outcome):
            return UNKNOWN if rules.open_results else found
        if passed is not None and rules.overloads:
            found = self._lookups.overloads.taking(found, passed)
        types = self._declared.types_among(found)
        if types:
            return types
        if name in scope.rules.makers:
            return self._made(scope, receiver, offset, depth + 1)
        results: list[SymbolId] = []
        outcomes: set[Outcome] = set()
        for target in self._declared.callable_among(found):
            other = self._declared.scope(target)
            if enum := other.enum_of(target[1]):
                results.append(enum)
                continue
            binding = other.bindings.result(target[1])
            if binding is None:
                return UNKNOWN
            if self._declared.kind(target) in VARIABLE_KINDS or self._is_generic(target, binding):
                outcome = self._by_text(scope, f"{callee}()", offset, depth)
            else:
                outcome = self.type_of(other, [binding], binding.start, depth + 1)
            if isinstance(outcome, Outcome):
                outcomes.add(outcome)
            else:
                results.extend(outcome)
        if outcomes:
            # One of several may lead elsewhere, and another not.
            return ELSEWHERE if outcomes == {ELSEWHERE} and not results else UNKNOWN
        return list(dict.fromkeys(results)) or UNKNOWN

    def _is_generic(self, target: SymbolId, binding: Binding) -> bool:
        """Whether what a function returns is a parameter of its type."""
        if binding.form != WRITTEN:
            return False
        scope = self._declared.scope(target)
        name = bare_type(binding.type, scope.rules.wrappers)
        owner = scope.definitions[target[1]].container
        return bool(scope.bindings.bounds(name, binding.start)) or any(
            name in self._declared.scope(each).bindings.parameters(each[1])
            for each in (self._lookups.members.types(scope, owner) if owner else ())
        )

    def _by_text(
        self, scope: FileScope, expression: str, offset: int, depth: int
    ) -> list[SymbolId] | Outcome:
        """The type of an expression by what is written between the brackets of another's."""
        written = self._lookups.written.of(scope, expression, offset, depth + 1)
        return self.written_type(*written, depth + 1) if written else UNKNOWN

    def _made(
        self, scope: FileScope, receiver: str, offset: int, depth: int
    ) -> list[SymbolId] | Outcome:
        """What a call of a maker gives: one of what it is called on."""
        value = self.value(scope, receiver, offset, depth) if receiver else UNKNOWN
        return UNKNOWN if isinstance(value, Module) else value

    def type_of(
        self, scope: FileScope, bindings: Sequence[Binding], offset: int, depth: int
    ) -> list[SymbolId] | Outcome:
        """The type that what is said about a variable agrees on."""
        if depth > DEEPEST:
            return UNKNOWN
        # A name that is bound to itself is a parameter of which nothing is said.
        said = [each for each in bindings if each.form != HIDING]
        before = [each for each in said if each.start <= offset] or said
        written = [each for each in before if each.form == WRITTEN]
        chosen = {(each.type, each.form): each for each in written or before}
        found: list[SymbolId] = []
        outcomes: set[Outcome] = set()
        for each in chosen.values():
            types = self._said(scope, each, depth + 1)
            if isinstance(types, Outcome):
                outcomes.add(types)
            else:
                found.extend(types)
        if outcomes:
            return ELSEWHERE if outcomes == {ELSEWHERE} and not found else UNKNOWN
        return list(dict.fromkeys(found)) or UNKNOWN

    def _said(self, scope: FileScope, binding: Binding, depth: int) -> list[SymbolId] | Outcome:
        """The type that one binding gives to its name."""
        if binding.form == WRITTEN:
            return self.written_type(scope, binding.type, binding.start, depth)
        if binding.form == CALLED:
            return self._called_value(scope, binding.type, place_of(binding), depth)
        if binding.form == VALUE:
            value = self.value(scope, binding.type, place_of(binding), depth)
            return UNKNOWN if isinstance(value, Module) else value
        if binding.form == BOUND:
            return self._bounded(scope, [binding], depth)
        if binding.form == PART:
            types = self._part(scope, binding, depth)
            if not isinstance(types, Outcome):
                return types
        written = self._lookups.written.bound(scope, binding, depth)
        return self.written_type(*written, depth) if written else UNKNOWN

    def _part(self, scope: FileScope, binding: Binding, depth: int) -> list[SymbolId] | Outcome:
        """The type of a member that a pattern takes from what it is bound to."""
        whole = scope.bindings.whole(binding)
        key = binding.type.partition(" ")[2]
        if whole is None or key.isdigit() or depth > DEEPEST:
            return UNKNOWN
        if whole.form == VALUE:
            value = self.value(scope, whole.type, place_of(whole), depth + 1)
        else:
            value = self._said(scope, whole, depth + 1)
        if not isinstance(value, Outcome):
            value = self._attribute(value, key, depth + 1)
        return UNKNOWN if isinstance(value, Module) else value

    def _bounded(
        self, scope: FileScope, bounds: Sequence[Binding], depth: int
    ) -> list[SymbolId] | Outcome:
        """The types that a type parameter is bound to be: those of them that are known."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            return UNKNOWN
        found: list[SymbolId] = []
        for each in bounds:
            if each.type != each.name:
                types = self.written_type(scope, each.type, each.start, depth + 1)
                found.extend(() if isinstance(types, Outcome) else types)
        return list(dict.fromkeys(found)) or UNKNOWN

    def written_type(
        self, scope: FileScope, written: str, offset: int, depth: int = 0
    ) -> list[SymbolId] | Outcome:
        parts = type_texts.split(written, "+") if "+" in written else []
        parts = parts or type_texts.intersected(written)
        if len(parts) > 1 and depth <= DEEPEST:
            several = [self.written_type(scope, part, offset, depth + 1) for part in parts]
            found_types = [
                target for types in several if not isinstance(types, Outcome) for target in types
            ]
            return list(dict.fromkeys(found_types)) or UNKNOWN
        name = bare_type(type_texts.one_result(written, 0), scope.rules.wrappers)
        if not name or depth > DEEPEST:
            return UNKNOWN
        if bounds := scope.bindings.bounds(name, offset):
            return self._bounded(scope, bounds, depth + 1)
        if scope.rules.types_apart and name not in scope.rules.self_names:
            receiver, name = last_step(name)
            found = self._lookups.look_up(scope, name, receiver, offset, depth + 1, "type")
            if found is UNKNOWN and scope.rules.imports_all and self.asked_from:
                # A type that is only announced there is declared in sight of who uses its members.
                asking, place = self.asked_from
                found = self._lookups.look_up(asking, name, receiver, place, depth + 1, "type")
            return (
                found
                if isinstance(found, Outcome)
                else self._declared.types_among(found) or UNKNOWN
            )
        value = self.value(scope, name, offset, depth + 1)
        return UNKNOWN if isinstance(value, Module) else value

    def _super(self, scope: FileScope, offset: int) -> list[SymbolId] | Outcome:
        owner = scope.owner(offset)
        return self._bases_of(self._lookups.members.types(scope, owner) if owner else [])

    def _bases_of(self, types: Sequence[SymbolId]) -> list[SymbolId] | Outcome:
        bases = [base for target in types for base in self._lookups.members.base_types(target)[0]]
        return list(dict.fromkeys(bases)) or UNKNOWN
