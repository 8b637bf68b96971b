"""The types of expressions as they are written where they are declared, with their arguments.

`values` tells which definitions a type leads to. What is between its brackets is lost there, and
it is needed for elements, for what a pattern holds and for results of generic functions: here the
text is kept, with the place at which it means something.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sightline.index.resolve import type_texts
from sightline.index.resolve.expressions import LINK, callee_of, last_step, unwrapped
from sightline.index.resolve.links import link_before, place_of
from sightline.index.resolve.lookups import Lookups
from sightline.index.resolve.meaning import DEEPEST, MOST_STEPS, Module, Outcome, Written
from sightline.index.resolve.passed_functions import PassedFunctions
from sightline.index.resolve.scopes import FileScope, SymbolId
from sightline.symbols import TYPE_KINDS
from sightline.symbols.facts import (
    BOUND,
    CALLED,
    ELEMENT,
    HELD,
    HIDING,
    ITEM,
    LINKED,
    PART,
    PASSED,
    SECOND,
    TAKEN,
    VALUE,
    WRITTEN,
    Binding,
)


class WrittenTypes:
    """Expressions and the texts of their types. None where no text tells."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self._declared = lookups.declared
        self._passed = PassedFunctions(lookups)

    def of(self, scope: FileScope, expression: str, offset: int, depth: int) -> Written | None:
        self._lookups.values.steps += 1
        if depth > DEEPEST or self._lookups.values.steps > MOST_STEPS:
            return None
        expression = unwrapped(expression).rstrip("?!").lstrip("&*").removeprefix("mut ")
        expression = unwrapped(expression)
        if expression.startswith(LINKED) and (link := LINK.fullmatch(expression)):
            linked = link_before(scope, link[1], offset)
            if linked is None:
                return None
            return self.of(scope, f"{linked.receiver}.{link[1]}(…)", linked.start, depth + 1)
        if expression.endswith("]"):
            opening = _opening(expression)
            if opening <= 0:
                return None
            before = self.of(scope, expression[:opening], offset, depth + 1)
            is_part = re.search(r"(?<!:):(?!:)|\.\.", expression[opening:])
            return before if is_part else before and self.element(before, depth, is_keyed=True)
        if expression.endswith(")"):
            callee = callee_of(expression)
            return self.called(scope, callee, offset, depth + 1) if callee else None
        if expression.endswith("}"):
            head = expression.partition("{")[0].strip()
            return Written(scope, head, offset) if head else None
        receiver, name = last_step(expression)
        if receiver:
            return self._member(scope, receiver, name, offset, depth + 1)
        return self._name(scope, name, offset, depth + 1)

    def element(self, written: Written, depth: int, *, is_keyed: bool) -> Written | None:
        """The type of the elements of a type; see `type_texts.element`."""
        scope, text, offset = written
        found = type_texts.element(text, scope.rules.wrappers, is_keyed=is_keyed)
        if found and not self._is_declared(written, depth):
            return Written(scope, found, offset)
        other = self._renamed(written, depth)
        return self.element(other, depth + 1, is_keyed=is_keyed) if other else None

    def _is_declared(self, written: Written, depth: int) -> bool:
        """Whether a type with arguments is of the workspace: they need not be of its elements."""
        head, arguments = type_texts.head_and_arguments(written.text)
        if not arguments or head in written.scope.rules.wrappers:
            return False
        types = self._lookups.values.written_type(written.scope, head, written.offset, depth + 1)
        return not isinstance(types, Outcome)

    def bound(self, scope: FileScope, binding: Binding, depth: int) -> Written | None:
        """The type that a binding gives to its name."""
        if depth > DEEPEST or binding.form in (BOUND, HIDING):
            return None
        text, start = binding.type, place_of(binding)
        if binding.form == CALLED:
            return self.called(scope, text, start, depth + 1)
        if binding.form == SECOND:
            whole = self.called(scope, text, start, depth + 1)
            return whole and self._second(whole, depth + 1)
        if binding.form == VALUE:
            return self.of(scope, text, start, depth + 1)
        if binding.form in (ELEMENT, ITEM):
            whole = self.of(scope, text, start, depth + 1)
            found = whole and self.element(whole, depth + 1, is_keyed=binding.form == ITEM)
            if found and binding.form == ITEM:
                # The last of a pair.
                found = found._replace(text=type_texts.one_result(found.text, -1))
            return found
        if binding.form in (PASSED, TAKEN):
            return self._passed.bound(scope, binding, depth + 1)
        if binding.form == HELD:
            return self._held(scope, binding, depth + 1)
        if binding.form == PART:
            return self._part(scope, binding, depth + 1)
        return Written(scope, text, start)

    def called(self, scope: FileScope, callee: str, offset: int, depth: int) -> Written | None:
        """The type of what a call gives."""
        if depth > DEEPEST:
            return None
        receiver, name = last_step(callee)
        found = self._lookups.look_up(scope, name, receiver, offset, depth + 1, "call")
        rules = scope.rules
        if isinstance(found, Outcome):
            before = None
            if receiver and (name in rules.makers or name in rules.views or name in rules.elements):
                before = self.of(scope, receiver, offset, depth + 1)
            if before and name in rules.elements:
                return self.element(before, depth, is_keyed=True)
            return before or self._called_variable(scope, receiver, name, offset, depth + 1)
        for target in self._declared.callable_among(found):
            other = self._declared.scope(target)
            each = other.definitions[target[1]]
            if each.kind in TYPE_KINDS:
                return Written(scope, callee, offset)
            binding = other.bindings.result(target[1])
            written = self.bound(other, binding, depth + 1) if binding else None
            if written is None:
                continue
            if each.kind in ("variable", "field", "constant"):
                text = type_texts.result(written.text)
                return written._replace(text=text) if text else None
            if receiver:
                return self.filled(scope, receiver, offset, written, target, depth + 1)
            return written
        return None

    def _called_variable(
        self, scope: FileScope, receiver: str, name: str, offset: int, depth: int
    ) -> Written | None:
        """What a function gives that a variable holds, or a field of a type without a name."""
        if receiver:
            held = self._unnamed_field(scope, receiver, name, offset, depth + 1)
        elif scope.bindings.is_variable(name, offset):
            held = self._name(scope, name, offset, depth + 1)
        else:
            return None
        text = type_texts.result(held.text) if held else ""
        return held._replace(text=text) if held and text else None

    def filled(
        self,
        scope: FileScope,
        receiver: str,
        offset: int,
        written: Written,
        member: SymbolId,
        depth: int,
    ) -> Written:
        """A member's type with the arguments of its receiver's type in place of parameters."""
        words = re.findall(r"\w+", written.text)
        other = self._declared.scope(member)
        owner = other.definitions[member[1]].container
        types = self._lookups.members.types(other, owner) if owner else []
        if not types:
            return written
        is_self = type_texts.plain(written.text) in other.rules.self_names
        names = self._declared.scope(types[0]).bindings.parameters(types[0][1])
        if not is_self and not any(name in words for name in names):
            return written
        whole = self.of(scope, receiver, offset, depth + 1)
        if whole is None or is_self:
            return whole or written
        return _with_arguments(written, names, whole)

    def _second(self, whole: Written, depth: int) -> Written | None:
        """The second of several results, or of a type's two arguments: `Result<T, Error>`."""
        text = type_texts.one_result(whole.text, 1)
        if not text:
            arguments = type_texts.head_and_arguments(whole.text)[1]
            text = arguments[1] if len(arguments) == 2 else ""
        if text:
            return whole._replace(text=text)
        other = self._renamed(whole, depth) if depth <= DEEPEST else None
        return self._second(other, depth + 1) if other else None

    def _part(self, scope: FileScope, binding: Binding, depth: int) -> Written | None:
        """What a name in a pattern takes of what the pattern is bound to."""
        bound = scope.bindings.whole(binding)
        key = binding.type.partition(" ")[2]
        if bound is None:
            return None
        if bound.form == VALUE and bound.type.startswith("(") and key.isdigit():
            parts = type_texts.split(type_texts.plain(bound.type)[1:-1], ",")
            if 1 < len(parts) > int(key):
                return self.of(scope, parts[int(key)], bound.start, depth + 1)
        whole = self.bound(scope, bound, depth + 1)
        return whole and self.part_of(whole, key, depth + 1)

    def part_of(self, whole: Written, key: str, depth: int) -> Written | None:
        """The type of a member or a place of a type."""
        if depth > DEEPEST:
            return None
        scope, text, offset = whole
        if key.isdigit():
            head, arguments = type_texts.head_and_arguments(text)
            if arguments and head in scope.rules.wrappers:
                text = arguments[0]
            if text.endswith("[]"):
                return self.element(whole, depth + 1, is_keyed=False)
            if found := type_texts.place(text, int(key)):
                return Written(scope, found, offset)
            other = self._renamed(whole, depth)
            return self.part_of(other, key, depth + 1) if other else None
        if type_texts.is_unnamed(text):
            fields = scope.bindings.within(key, offset, scope.bindings.extent(offset))
            return self.bound(scope, fields[0], depth + 1) if fields else None
        types = self._lookups.values.written_type(scope, text, offset, depth + 1)
        if isinstance(types, Outcome):
            return None
        found_members = self._lookups.members.member(types, key)
        for target in () if isinstance(found_members, Outcome) else found_members:
            other_scope = self._declared.scope(target)
            said = other_scope.bindings.result(target[1])
            if written := said and self.bound(other_scope, said, depth + 1):
                names = self._parameters_of(types)
                return _with_arguments(written, names, whole)
        return None

    def _parameters_of(self, types: Sequence[SymbolId]) -> list[str]:
        return self._declared.scope(types[0]).bindings.parameters(types[0][1])

    def _held(self, scope: FileScope, binding: Binding, depth: int) -> Written | None:
        """What a pattern with a constructor holds: a field, or the first that it takes."""
        receiver, name = last_step(binding.type)
        found = self._lookups.look_up(scope, name, receiver, binding.start, depth + 1)
        for target in () if isinstance(found, Outcome) else found:
            other = self._declared.scope(target)
            fields = other.members.get(other.qualified(target[1]), {}).get(binding.name, ())
            for index in (*fields, target[1]):
                if said := other.bindings.result(index):
                    return self.bound(other, said, depth + 1)
        return None

    def _member(
        self, scope: FileScope, receiver: str, name: str, offset: int, depth: int
    ) -> Written | None:
        value = self._lookups.values.value(scope, receiver, offset, depth + 1)
        if isinstance(value, Outcome):
            return self._unnamed_field(scope, receiver, name, offset, depth + 1)
        if isinstance(value, Module):
            found = self._lookups.names.in_module(value.importer, value.name, name)
        else:
            found = self._lookups.members.member(value, name)
        for target in () if isinstance(found, Outcome) else found:
            other = self._declared.scope(target)
            binding = other.bindings.result(target[1])
            written = self.bound(other, binding, depth + 1) if binding else None
            if written:
                return self.filled(scope, receiver, offset, written, target, depth + 1)
        for path, index in () if isinstance(value, Module) else value:
            other = self._declared.scope((path, index))
            for binding in other.bindings.fields(index, name):
                if written := self.bound(other, binding, depth + 1):
                    return written
        return None

    def _unnamed_field(
        self, scope: FileScope, receiver: str, name: str, offset: int, depth: int
    ) -> Written | None:
        """A field of a type that has no name and is written where it is used: `struct{ a T }`."""
        whole = self.of(scope, receiver, offset, depth + 1)
        if whole is None or not type_texts.is_unnamed(whole.text):
            return None
        bindings = whole.scope.bindings
        fields = bindings.within(name, whole.offset, bindings.extent(whole.offset))
        return self.bound(whole.scope, fields[0], depth + 1) if fields else None

    def _name(self, scope: FileScope, name: str, offset: int, depth: int) -> Written | None:
        for index in (*scope.nesting.chain(offset), -1):
            is_type = index >= 0 and scope.definitions[index].kind in TYPE_KINDS
            if is_type and not scope.rules.implicit_members:
                continue
            bindings = (
                scope.bindings.fields(index, name)
                if is_type
                else scope.bindings.known(name, index, offset)
            )
            if bindings:
                return self.bound(scope, bindings[-1], depth + 1)
        if name in scope.rules.self_names:
            own = scope.bindings.own_type(offset) if scope.rules.scope_word else None
            return Written(scope, own.type, own.start) if own else None
        found = self._lookups.names.bare(scope, name, offset, depth + 1)
        for target in () if isinstance(found, Outcome) else found:
            other = self._declared.scope(target)
            if other.definitions[target[1]].kind in TYPE_KINDS:
                return Written(scope, name, offset)
            if binding := other.bindings.result(target[1]):
                return self.bound(other, binding, depth + 1)
        return None

    def _renamed(self, written: Written, depth: int) -> Written | None:
        """What a type that has another name is: `[]Param` for `type Params []Param`."""
        if depth > DEEPEST:
            return None
        scope, text, offset = written
        types = self._lookups.values.written_type(scope, text, offset, depth + 1)
        for target in () if isinstance(types, Outcome) else types:
            other = self._declared.scope(target)
            if self._declared.kind(target) == "type":
                binding = other.bindings.result(target[1])
                if binding and binding.form == WRITTEN:
                    return Written(other, binding.type, binding.start)
        return None


def _with_arguments(written: Written, names: Sequence[str], whole: Written) -> Written:
    """A type with the arguments of another in place of that one's parameters."""
    given = type_texts.arguments_within(whole.text, whole.scope.rules.wrappers)
    arguments = dict(zip(names, given, strict=False))
    words = re.findall(r"\w+", written.text)
    if not any(word in arguments for word in words):
        return written
    text = re.sub(r"\w+", lambda word: arguments.get(word[0], word[0]), written.text)
    return Written(whole.scope, text, whole.offset)


def _opening(expression: str) -> int:
    """Where the bracket at the end of an expression was opened; -1 where there is none."""
    depth = 0
    for position in range(len(expression) - 1, -1, -1):
        if expression[position] == "]":
            depth += 1
        elif expression[position] == "[":
            depth -= 1
        if not depth:
            return position
    return -1
