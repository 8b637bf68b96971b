"""The types of parameters that a function without a name takes: what it is passed to tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sightline.index.resolve import type_texts
from sightline.index.resolve.expressions import last_step
from sightline.index.resolve.lookups import Lookups
from sightline.index.resolve.meaning import DEEPEST, UNKNOWN, Found, Outcome, Written
from sightline.index.resolve.scopes import FileScope, SymbolId
from sightline.symbols import CALLABLE_KINDS
from sightline.symbols.facts import BOUND, PASSED, WRITTEN, Binding

_MOST = 64


class PassedFunctions:
    """Parameters by the types of the functions that they belong to."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self._declared = lookups.declared

    def bound(self, scope: FileScope, binding: Binding, depth: int) -> Written | None:
        """The type of a parameter; None where several types that differ come into question."""
        place, _, text = binding.type.partition(" ")
        offset = binding.start
        if binding.form != PASSED:
            position, _, member = place.partition(".")
            whole = Written(scope, text, offset)
            return self._agreed(list(self._of_member(whole, member, int(position), depth)))
        argument, position, member = [*place.split("."), ""][:3]
        receiver, name = last_step(text)
        found = self._lookups.look_up(scope, name, receiver, offset, depth + 1, "call")
        if isinstance(found, Outcome):
            if place != "0.0" or not receiver or name in scope.rules.folds:
                return None
            held = self._lookups.written.of(scope, receiver, offset, depth + 1)
            return held and self._lookups.written.element(held, depth + 1, is_keyed=False)
        taken: list[Written] = []
        for target in self._declared.callable_among(found):
            for each in self._taken(target, int(argument), depth + 1):
                for parameter in self._of_member(each, member, int(position), depth + 1):
                    if receiver:
                        parameter = self._lookups.written.filled(
                            scope, receiver, offset, parameter, target, depth + 1
                        )
                    taken.append(parameter)
        return self._agreed(taken)

    def _of_member(
        self, whole: Written, member: str, position: int, depth: int
    ) -> Iterator[Written]:
        """The types of one parameter of a function's type, or of a member of that type."""
        if not member:
            yield from self._parameters(whole, position, depth)
            return
        types = self._lookups.values.written_type(*whole, depth + 1)
        found: Found = UNKNOWN
        if not isinstance(types, Outcome):
            found = self._lookups.members.member(types, member)
        methods = [
            target
            for target in (() if isinstance(found, Outcome) else found)
            if self._declared.kind(target) == "method"
        ]
        for target in methods:
            scope = self._declared.scope(target)
            if taken := self._of(scope, scope.bindings.taken_by(target[1]), position):
                yield taken
        if not methods and (held := self._lookups.written.part_of(whole, member, depth + 1)):
            yield from self._parameters(held, position, depth + 1)

    def _agreed(self, found: Sequence[Written]) -> Written | None:
        """The one of several types that all of them are."""
        known: set[object] = set()
        for each in found[:_MOST]:
            types = self._lookups.values.written_type(*each)
            if not isinstance(types, Outcome):
                known.add(frozenset(types))
            else:
                is_unnamed = type_texts.is_unnamed(each.text)
                known.add((each.scope.path, each.offset, each.text) if is_unnamed else None)
        return found[0] if len(known) == 1 and None not in known else None

    def _taken(self, target: SymbolId, argument: int, depth: int) -> Iterator[Written]:
        """The types of what a function takes at one place."""
        scope = self._declared.scope(target)
        each = scope.definitions[target[1]]
        if each.kind in CALLABLE_KINDS and each.kind != "property":
            taken = self._of(scope, scope.bindings.taken_by(target[1]), argument)
            if taken:
                yield taken
            return
        said = scope.bindings.result(target[1])
        held = self._lookups.written.bound(scope, said, depth + 1) if said else None
        if held:
            yield from self._parameters(held, argument, depth + 1)

    def _of(self, scope: FileScope, said: Sequence[Binding], position: int) -> Written | None:
        """What one of some parameters takes, where its type is written."""
        if not said:
            return None
        last = said[-1]
        if last.name == "." and position >= len(said) - 1:
            text = type_texts.part_of_rest(last.type, position - len(said) + 1)
            return Written(scope, text, last.start) if text else None
        if position >= len(said) or said[position].form != WRITTEN:
            return None
        return Written(scope, said[position].type, said[position].start)

    def _parameters(self, function: Written, position: int, depth: int) -> Iterator[Written]:
        """The types of one parameter of a function's type, which may be of several."""
        if depth > DEEPEST:
            return
        scope, text, offset = function
        parts = type_texts.split(type_texts.plain(text), "|")
        if len(parts) < 2:
            parts = type_texts.intersected(text)
        if len(parts) > 1:
            for part in parts:
                yield from self._parameters(Written(scope, part, offset), position, depth + 1)
            return
        if parameter := type_texts.parameter(text, position):
            yield Written(scope, parameter, offset)
            return
        name = type_texts.head_and_arguments(text)[0]
        for each in scope.bindings.bounds(name, offset):
            if each.form == BOUND and each.type != each.name:
                bound = Written(scope, each.type, each.start)
                yield from self._parameters(bound, position, depth + 1)
                return
        types = self._lookups.values.written_type(scope, name, offset, depth + 1)
        for target in () if isinstance(types, Outcome) else types:
            yield from self._of_type(target, position, depth + 1)

    def _of_type(self, target: SymbolId, position: int, depth: int) -> Iterator[Written]:
        scope = self._declared.scope(target)
        said = scope.bindings.result(target[1])
        if self._declared.kind(target) == "type" and said and said.form == WRITTEN:
            renamed = Written(scope, said.type, said.start)
            yield from self._parameters(renamed, position, depth + 1)
            return
        for signature in scope.bindings.call_signatures(target[1]):
            taken = self._of(scope, signature, position)
            if taken:
                yield taken
