"""Which of several functions of one name a call means: by what it passes.

First by the number of arguments and their labels, then by the types of those whose type is plain:
literals, casts, calls of a type, variables with a written type. What remains is all given. Nothing
is left out by a type that is not known for sure.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from sightline.index.resolve.constness import Constness
from sightline.index.resolve.expressions import bare_type
from sightline.index.resolve.lookups import Lookups
from sightline.index.resolve.meaning import Module, Outcome
from sightline.index.resolve.parameters import (
    TYPE_VARIABLE,
    Parameter,
    Signature,
    alike,
    built_in,
    read_signature,
    without_const,
)
from sightline.index.resolve.scopes import FileScope, SymbolId
from sightline.symbols import CALLABLE_KINDS
from sightline.symbols.argument_shapes import shapes_of
from sightline.symbols.facts import Reference

_IMPOSSIBLE = 1000
_POSSIBLE = 900
"""A type may be passed, as far as is known."""
_BASE = 100
_MOST_CHOSEN_AMONG = 64
_FUNCTION = "->"


@attrs.frozen
class _Type:
    """The type of an argument, by its name and by what that means in the workspace."""

    name: str
    found: tuple[SymbolId, ...] = ()
    is_constant: bool | None = None
    """Whether what is passed may not be changed; None where that is not known."""


class Overloads:
    """Functions of one name, told apart by their parameters."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self._declared = lookups.declared
        self._constness = Constness(lookups, self.signature)

    def signature(self, target: SymbolId) -> Signature | None:
        """What a function takes; None where that is not known."""
        scope = self._declared.scope(target)
        each = scope.definitions[target[1]]
        if each.kind not in CALLABLE_KINDS:
            return None
        written = scope.view.parameters.get(each.name_start)
        if written is None:
            return None
        return read_signature(written, names_first=scope.rules.structural)

    def are_alike(self, one: SymbolId, other: SymbolId) -> bool:
        """Whether one of two functions of one name may override or announce the other."""
        first, second = self.signature(one), self.signature(other)
        return first is None or second is None or alike(first, second)

    def are_several(self, found: Sequence[SymbolId]) -> bool:
        """Whether functions of one name are overloads, and not one that is declared repeatedly."""
        if len(found) < 2 or not self._declared.scope(found[0]).rules.overloads:
            return False
        known = [each for each in map(self.signature, found) if each is not None]
        return any(not alike(known[0], each) for each in known[1:])

    def fitting(
        self, scope: FileScope, reference: Reference, found: Sequence[SymbolId]
    ) -> Sequence[SymbolId]:
        """Those that take as many arguments as a call passes, and what it labels."""
        arguments = self._passed(scope, reference)
        if arguments is None:
            return found
        return [target for target in found if self._fits(target, arguments, found)]

    def taking(self, found: Sequence[SymbolId], passed: str) -> Sequence[SymbolId]:
        """Those that take as much as a call passes, given between its brackets, or all."""
        if len(found) < 2:
            return found
        arguments = shapes_of(passed)
        return [target for target in found if self._fits(target, arguments, found)] or found

    def chosen(
        self, scope: FileScope, reference: Reference, found: Sequence[SymbolId]
    ) -> Sequence[SymbolId]:
        """Those that a call can mean: none where all of them take something else."""
        found = self.fitting(scope, reference, found)
        arguments = self._passed(scope, reference)
        if arguments is None or not 1 < len(found) <= _MOST_CHOSEN_AMONG:
            return found
        signatures = [self.signature(target) for target in found]
        if any(each is None for each in signatures):
            return found
        if arguments:
            found = self._best(scope, reference, arguments, found)
        return self._constness.suiting(scope, reference.receiver, reference.start, found)

    def _passed(self, scope: FileScope, reference: Reference) -> tuple[str, ...] | None:
        """The shapes of what a call passes; None where that is not known."""
        if reference.kind != "call":
            return None
        written = scope.view.arguments.get(reference.start)
        return None if written is None else shapes_of(written)

    def _fits(self, target: SymbolId, arguments: Sequence[str], found: Sequence[SymbolId]) -> bool:
        signature = self.signature(target)
        if signature is None:
            return True
        rules = self._declared.scope(target).rules
        if rules.argument_labels:
            return _takes_labels(signature, arguments)
        if _takes(signature, arguments):
            return True
        if rules.plain_extensions and self._declared.binds_receiver(target):
            # An extension is called on its first parameter.
            return _takes(Signature(signature.parameters[1:]), arguments)
        if not rules.imports_all:
            return False
        # Defaults stand where a function is announced, not where it is defined.
        return any(
            other is not None and alike(signature, other) and _takes(other, arguments)
            for other in map(self.signature, found)
        )

    def _best(
        self,
        scope: FileScope,
        reference: Reference,
        arguments: Sequence[str],
        found: Sequence[SymbolId],
    ) -> Sequence[SymbolId]:
        types = [self._type_of(scope, each, reference.start) for each in arguments]
        if scope.rules.implicit_conversions and self._differ_in_constness(found):
            types = [
                self._with_constness(scope, type_, shape, reference.start)
                for type_, shape in zip(types, arguments, strict=True)
            ]
        ranked: list[tuple[SymbolId, list[tuple[int, str]]]] = []
        for target in found:
            signature = self.signature(target)
            assert signature is not None
            taken = _matched(signature, arguments)
            ranks = [
                self._rank(target, type_, parameter)
                for type_, parameter in zip(types, taken, strict=True)
            ]
            if all(rank < _IMPOSSIBLE for rank, _ in ranks):
                ranked.append((target, [*ranks, (int(signature.most is None), "variadic")]))
        if not ranked:
            return found
        best = [
            target
            for target, ranks in ranked
            if all(_is_as_good(ranks, others) for _, others in ranked)
        ]
        return best or [target for target, _ in ranked]

    def _differ_in_constness(self, found: Sequence[SymbolId]) -> bool:
        """Whether one of several functions may change what it is given, and another may not."""
        taken = [
            each.is_constant
            for signature in map(self.signature, found)
            for each in (signature.parameters if signature else ())
        ]
        return True in taken and False in taken

    def _with_constness(
        self, scope: FileScope, type_: _Type | None, shape: str, offset: int
    ) -> _Type | None:
        if type_ is None:
            return None
        is_constant = True if shape == '""' else self._constness.of(scope, shape, offset, 0)
        return attrs.evolve(type_, is_constant=is_constant)

    def _type_of(self, scope: FileScope, shape: str, offset: int) -> _Type | None:
        label, colon, rest = shape.partition(":")
        if colon and not rest.startswith(":") and label.isidentifier():
            shape = rest
        _, dot, last = shape.rpartition(".")
        literal = scope.rules.literals.get(f".{last}" if dot and shape.isascii() else shape)
        literal = literal or scope.rules.literals.get(shape)
        if literal is not None:
            return _Type(literal)
        if shape == _FUNCTION:
            return _Type(_FUNCTION)
        if shape in ("?", ""):
            return None
        if shape.startswith("("):
            return self._written(scope, shape[1:].partition(")")[0], offset)
        steps, self._lookups.values.steps = self._lookups.values.steps, 0
        written = self._lookups.written.of(scope, shape, offset, 0)
        if written is not None:
            type_ = self._written(*written)
            self._lookups.values.steps = steps
            return type_
        value = self._lookups.values.value(scope, shape, offset, 0)
        self._lookups.values.steps = steps
        if isinstance(value, Outcome | Module) or not value:
            return None
        return _Type(self._name(value[0]), tuple(value))

    def _name(self, target: SymbolId) -> str:
        return self._declared.scope(target).definitions[target[1]].name

    def _written(self, scope: FileScope, written: str, offset: int) -> _Type | None:
        written = "".join(built_in(without_const(written)).split())
        bare = bare_type(written, ())
        if not bare:
            # An array, say: only the same type is known to take it.
            return _Type(written) if written else None
        if TYPE_VARIABLE.fullmatch(bare):
            return None
        found = self._lookups.values.written_type(scope, written, offset)
        return _Type(_last(bare), () if isinstance(found, Outcome) else tuple(found))

    def _rank(self, target: SymbolId, type_: _Type | None, parameter: Parameter) -> tuple[int, str]:
        """How well a parameter takes an argument, the lower the better, and the type it has."""
        wanted = parameter.type
        if type_ is None or parameter.is_open:
            return _POSSIBLE, wanted
        scope = self._declared.scope(target)
        rules = scope.rules
        name = _last(parameter.bare) if parameter.bare else parameter.type
        if type_.name in (name, wanted):
            return _constness_rank(type_, parameter), wanted
        if type_.name == _FUNCTION:
            if _FUNCTION in wanted or "=>" in wanted:
                return 0, wanted
            is_data = name in rules.conversions or name in rules.literals.values()
            return (_IMPOSSIBLE if is_data else _POSSIBLE), wanted
        impossible = _POSSIBLE + 1 if rules.implicit_conversions else _IMPOSSIBLE
        taken_as = rules.conversions.get(type_.name)
        if taken_as is not None:
            return (taken_as.index(name) + 1 if name in taken_as else impossible), wanted
        if name in rules.conversions:
            return impossible, wanted
        offset = scope.definitions[target[1]].name_start
        found = self._lookups.values.written_type(scope, wanted, offset)
        if isinstance(found, Outcome) or not found:
            return _POSSIBLE, wanted
        if not type_.found:
            # A type from elsewhere is based on none of the workspace.
            return (impossible if type_.name[:1].isupper() else _POSSIBLE), wanted
        steps, is_complete = self._steps(type_.found, found)
        if steps >= 0:
            return _BASE + steps, wanted
        return (impossible if is_complete else _POSSIBLE), wanted

    def _steps(self, types: Sequence[SymbolId], wanted: Sequence[SymbolId]) -> tuple[int, bool]:
        """How far a base is above a type, -1 where it is none, and whether all are known."""
        level, seen, is_complete = list(types), set(types), True
        for steps in range(16):
            if not seen.isdisjoint(wanted):
                return steps, True
            following: list[SymbolId] = []
            for each in level:
                bases, all_known = self._lookups.members.base_types(each)
                is_complete = is_complete and all_known
                following.extend(base for base in bases if base not in seen)
                seen.update(bases)
            if not following:
                break
            level = following
        return -1, is_complete


def _constness_rank(type_: _Type, parameter: Parameter) -> int:
    """How well a parameter takes an argument of its type."""
    if type_.is_constant is None or parameter.is_constant is None:
        return 0
    if type_.is_constant and not parameter.is_constant:
        return _IMPOSSIBLE
    return int(type_.is_constant != parameter.is_constant)


def _takes(signature: Signature, arguments: Sequence[str]) -> bool:
    if len(arguments) < signature.least:
        return False
    if signature.most is not None and len(arguments) > signature.most:
        return False
    labels = [each.partition(":")[0] for each in arguments if _is_labeled(each)]
    names = {name for each in signature.parameters for name in (each.label, each.name)}
    return names.issuperset(labels)


def _takes_labels(signature: Signature, arguments: Sequence[str]) -> bool:
    """Whether arguments have the labels of parameters, in order; those with a default may lack."""
    position = 0
    for parameter in signature.parameters:
        label = "" if parameter.label == "_" else parameter.label
        if position < len(arguments) and _is_for(arguments[position], label):
            position += 1
            while parameter.is_variadic and position < len(arguments):
                if _is_labeled(arguments[position]):
                    break
                position += 1
        elif not (parameter.is_optional or parameter.is_variadic):
            return False
    return position == len(arguments)


def _is_for(shape: str, label: str) -> bool:
    if _is_labeled(shape):
        return shape.partition(":")[0] == label
    # A block behind the brackets has no label.
    return not label or shape == _FUNCTION


def _is_labeled(shape: str) -> bool:
    label, colon, rest = shape.partition(":")
    return bool(colon) and not rest.startswith(":") and label.isidentifier()


def _matched(signature: Signature, arguments: Sequence[str]) -> list[Parameter]:
    """The parameter that takes each argument."""
    parameters = signature.parameters
    taken: list[Parameter] = []
    for number, shape in enumerate(arguments):
        label = shape.partition(":")[0] if _is_labeled(shape) else ""
        named = [each for each in parameters if label and label in (each.label, each.name)]
        if named:
            taken.append(named[0])
        elif shape == _FUNCTION and number == len(arguments) - 1:
            taken.append(parameters[-1])
        else:
            taken.append(parameters[min(number, len(parameters) - 1)])
    return taken


def _is_as_good(ranks: Sequence[tuple[int, str]], others: Sequence[tuple[int, str]]) -> bool:
    return all(
        rank <= other if min(rank, other) < _POSSIBLE else wanted == other_wanted
        for (rank, wanted), (other, other_wanted) in zip(ranks, others, strict=True)
    )


def _last(name: str) -> str:
    return name.replace("::", ".").rpartition(".")[2]
