"""Which of several functions of one name a call means: by what it passes.

First by the number of arguments and their labels, then by the types of those whose type is plain:
literals, casts, calls of a type, variables with a written type. What remains is all given. Nothing
is left out by a type that is not known for sure.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from sightline.index.resolve.argument_types import (
    FUNCTION,
    ArgumentType,
    ArgumentTypes,
    last_name,
    pointers_of,
)
from sightline.index.resolve.constness import Constness
from sightline.index.resolve.lookups import Lookups
from sightline.index.resolve.meaning import Outcome
from sightline.index.resolve.parameters import (
    TYPE_VARIABLE,
    Parameter,
    Signature,
    alike,
    read_signature,
)
from sightline.index.resolve.scopes import FileScope, SymbolId
from sightline.languages import ModuleRules
from sightline.symbols import CALLABLE_KINDS
from sightline.symbols.argument_shapes import shapes_of
from sightline.symbols.facts import Definition, Reference

_IMPOSSIBLE = 1000
_POSSIBLE = 900
"""A type may be passed, as far as is known."""
_BASE = 100
_MOST_CHOSEN_AMONG = 64
_CONVERTED = 50
"""A pointer is passed for one to anything, or asked whether it is one."""
_NO_POINTER = "nullptr"


class Overloads:
    """Functions of one name, told apart by their parameters."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self._declared = lookups.declared
        self._types = ArgumentTypes(lookups)
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
        if any(not alike(known[0], each) for each in known[1:]):
            return True
        # A type variable may stand for any type, but what has two bodies is two functions.
        bodies: dict[tuple[str, str], set[tuple[str, ...]]] = {}
        for target in found:
            each, signature = self._definition(target), self.signature(target)
            if each.body >= 0 and signature is not None:
                bodies.setdefault((target[0], each.qualified_name), set()).add(signature.types)
        return any(len(types) > 1 for types in bodies.values())

    def _definition(self, target: SymbolId) -> Definition:
        return self._declared.scope(target).definitions[target[1]]

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
        arguments = self._shapes(found[0], passed)
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
        if written is None:
            return None
        return shapes_of(written, arrow_members=scope.rules.arrow_members)

    def _shapes(self, target: SymbolId, passed: str) -> tuple[str, ...]:
        rules = self._declared.scope(target).rules
        return shapes_of(passed, arrow_members=rules.arrow_members)

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
        types = [self._types.of(scope, each, reference.start) for each in arguments]
        if scope.rules.implicit_conversions and self._differ_in_constness(found):
            types = [
                self._with_constness(scope, type_, shape, reference.start)
                for type_, shape in zip(types, arguments, strict=True)
            ]
        ranked: list[tuple[SymbolId, list[tuple[int, str]]]] = []
        exact: list[SymbolId] = []
        for target in found:
            signature = self.signature(target)
            assert signature is not None
            taken = _matched(signature, arguments)
            ranks = [
                self._rank(target, type_, parameter)
                for type_, parameter in zip(types, taken, strict=True)
            ]
            if not all(rank < _IMPOSSIBLE for rank, _ in ranks):
                continue
            deduced = self._deduced(target, types, taken)
            if deduced is None:
                continue
            ranks = [
                (0, wanted) if type_ and wanted in deduced else (rank, wanted)
                for (rank, wanted), type_ in zip(ranks, types, strict=True)
            ]
            ranked.append((target, [*ranks, (int(signature.most is None), "variadic")]))
            if not deduced:
                exact.append(target)
        if not ranked:
            return found
        best = [
            target
            for target, ranks in ranked
            if all(_is_as_good(ranks, others) for _, others in ranked)
        ]
        if not best:
            return [target for target, _ in ranked]
        # Of two that take it equally well, the one without type variables of its own.
        return [target for target in best if target in exact] or best

    def _deduced(
        self, target: SymbolId, types: Sequence[ArgumentType | None], taken: Sequence[Parameter]
    ) -> set[str] | None:
        """The type variables of a function that what is passed gives a type.

        None where it gives one of them two types. The variables of a type are none of its members.
        """
        scope = self._declared.scope(target)
        if not scope.rules.implicit_conversions or scope.definitions[target[1]].container:
            return set()
        found: dict[str, ArgumentType | None] = {}
        for type_, parameter in zip(types, taken, strict=True):
            if not TYPE_VARIABLE.fullmatch(parameter.type):
                continue
            before = found.setdefault(parameter.type, type_)
            if before and type_ and (before.name, before.pointers) != (type_.name, type_.pointers):
                return None
        return {name for name, type_ in found.items() if type_ is not None}

    def _differ_in_constness(self, found: Sequence[SymbolId]) -> bool:
        """Whether one of several functions may change what it is given, and another may not."""
        taken = [
            each.is_constant
            for signature in map(self.signature, found)
            for each in (signature.parameters if signature else ())
        ]
        return True in taken and False in taken

    def _with_constness(
        self, scope: FileScope, type_: ArgumentType | None, shape: str, offset: int
    ) -> ArgumentType | None:
        if type_ is None:
            return None
        if shape == '""':
            return type_
        is_constant = self._constness.of(scope, shape, offset, 0)
        return attrs.evolve(type_, is_constant=is_constant)

    def _rank(
        self, target: SymbolId, type_: ArgumentType | None, parameter: Parameter
    ) -> tuple[int, str]:
        """How well a parameter takes an argument, the lower the better, and the type it has."""
        wanted = parameter.type
        if type_ is None or parameter.is_open:
            return _POSSIBLE, wanted
        scope = self._declared.scope(target)
        rules = scope.rules
        name = last_name(parameter.bare) if parameter.bare else parameter.type
        pointers = pointers_of(wanted) if rules.implicit_conversions else None
        if type_.pointers is not None and pointers is not None and (type_.pointers or pointers):
            rank = _pointer_rank(type_, name, pointers, parameter, rules)
            if rank is not None:
                return rank, wanted
        if type_.name in (name, wanted):
            return _constness_rank(type_, parameter), wanted
        if type_.name == FUNCTION:
            if FUNCTION in wanted or "=>" in wanted:
                return 0, wanted
            is_data = name in rules.conversions or name in rules.literals.values()
            return (_IMPOSSIBLE if is_data else _POSSIBLE), wanted
        impossible = _POSSIBLE + 1 if rules.implicit_conversions else _IMPOSSIBLE
        taken_as = rules.conversions.get(type_.name)
        if taken_as is not None and name in taken_as:
            return taken_as.index(name) + 1, wanted
        if taken_as is not None:
            is_none = rules.implicit_conversions and self._is_enumeration(target, wanted)
            return (_IMPOSSIBLE if is_none else impossible), wanted
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

    def _is_enumeration(self, target: SymbolId, wanted: str) -> bool:
        """Whether a parameter takes values of an enumeration, which no number is."""
        scope = self._declared.scope(target)
        offset = scope.definitions[target[1]].name_start
        found = self._lookups.values.written_type(scope, wanted, offset)
        return (
            bool(found)
            and not isinstance(found, Outcome)
            and all(self._declared.kind(each) == "enum" for each in found)
        )

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


def _constness_rank(type_: ArgumentType, parameter: Parameter) -> int:
    """How well a parameter takes an argument of its type."""
    if type_.is_constant is None or parameter.is_constant is None:
        return 0
    if type_.is_constant and not parameter.is_constant:
        return _IMPOSSIBLE
    return int(type_.is_constant != parameter.is_constant)


def _pointer_rank(
    type_: ArgumentType, name: str, pointers: int, parameter: Parameter, rules: ModuleRules
) -> int | None:
    """How well a type with pointers is taken, or by one; None where its name decides."""
    is_built_in = name in rules.conversions
    if type_.name == _NO_POINTER:
        return 0 if pointers else (_IMPOSSIBLE if is_built_in else _POSSIBLE + 1)
    if not type_.pointers:
        if type_.may_be_null:
            return _POSSIBLE
        return _IMPOSSIBLE if type_.name in rules.conversions else _POSSIBLE + 1
    if not pointers:
        if name == rules.literals.get("true"):
            return _CONVERTED + 1
        return _IMPOSSIBLE if is_built_in else _POSSIBLE + 1
    if pointers == 1 and name == "void" != type_.name:
        return _IMPOSSIBLE if type_.is_constant and not parameter.is_constant else _CONVERTED
    if type_.pointers != pointers:
        return _IMPOSSIBLE
    if type_.name != name and is_built_in and type_.name in rules.conversions:
        return _IMPOSSIBLE
    return None


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
    return not label or shape == FUNCTION


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
        elif shape == FUNCTION and number == len(arguments) - 1:
            taken.append(parameters[-1])
        else:
            taken.append(parameters[min(number, len(parameters) - 1)])
    return taken


def _is_as_good(ranks: Sequence[tuple[int, str]], others: Sequence[tuple[int, str]]) -> bool:
    return all(
        rank <= other if min(rank, other) < _POSSIBLE else wanted == other_wanted
        for (rank, wanted), (other, other_wanted) in zip(ranks, others, strict=True)
    )
