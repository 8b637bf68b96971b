"""What a call passes, by type, as far as plain types tell; overloads are told apart by it."""

from __future__ import annotations

import attrs

from sightline.index.resolve.expressions import bare_type
from sightline.index.resolve.lookups import Lookups
from sightline.index.resolve.meaning import Module, Outcome
from sightline.index.resolve.parameters import TYPE_VARIABLE, built_in, without_const
from sightline.index.resolve.scopes import FileScope, SymbolId

FUNCTION = "->"
"""The type of every function without a name."""


@attrs.frozen
class ArgumentType:
    """The type of an argument, by its name and by what that means in the workspace."""

    name: str
    found: tuple[SymbolId, ...] = ()
    is_constant: bool | None = None
    """Whether what is passed may not be changed; None where that is not known."""
    pointers: int | None = None
    """How many pointers lead to it; None where that is not known."""
    may_be_null: bool = False
    """Whether it is a number that may stand for no pointer."""


class ArgumentTypes:
    """The types of arguments, given as their shapes."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self._declared = lookups.declared

    def of(self, scope: FileScope, shape: str, offset: int) -> ArgumentType | None:
        label, colon, rest = shape.partition(":")
        if colon and not rest.startswith(":") and label.isidentifier():
            shape = rest
        _, dot, last = shape.rpartition(".")
        literal = scope.rules.literals.get(f".{last}" if dot and shape.isascii() else shape)
        literal = literal or scope.rules.literals.get(shape)
        if literal is not None and scope.rules.implicit_conversions:
            name = literal.rstrip("*")
            return ArgumentType(
                name,
                is_constant=True if shape == '""' else None,
                pointers=len(literal) - len(name),
                may_be_null=shape == "0",
            )
        if literal is not None:
            return ArgumentType(literal)
        if shape == FUNCTION:
            return ArgumentType(FUNCTION)
        if shape in ("?", ""):
            return None
        if shape.startswith("("):
            return self.written(scope, shape[1:].partition(")")[0], offset)
        referred = shape.lstrip("*&")
        signs = shape[: len(shape) - len(referred)]
        type_ = self._of_expression(scope, referred, offset)
        if type_ is None or not signs or type_.pointers is None:
            return type_
        pointers = type_.pointers + signs.count("&") - signs.count("*")
        return attrs.evolve(type_, pointers=pointers) if pointers >= 0 else None

    def _of_expression(self, scope: FileScope, shape: str, offset: int) -> ArgumentType | None:
        steps, self._lookups.values.steps = self._lookups.values.steps, 0
        written = self._lookups.written.of(scope, shape, offset, 0)
        if written is not None:
            type_ = self.written(*written)
            self._lookups.values.steps = steps
            return type_
        value = self._lookups.values.value(scope, shape, offset, 0)
        self._lookups.values.steps = steps
        if isinstance(value, Outcome) and scope.rules.imports_all and shape.isidentifier():
            value = self._enumeration(scope, shape)
        callee = shape.partition("(")[0]
        if isinstance(value, Outcome) and callee in scope.rules.conversions:
            return ArgumentType(callee, pointers=0)
        if isinstance(value, Outcome | Module) or not value:
            return None
        pointers = None
        if scope.rules.implicit_conversions:
            is_own = shape in scope.rules.self_names and not shape.startswith("(")
            pointers = int(is_own or shape.startswith("new "))
        return ArgumentType(self._name(value[0]), tuple(value), pointers=pointers)

    def _enumeration(self, scope: FileScope, name: str) -> list[SymbolId] | Outcome:
        """The one enumeration that has a constant of a name, seen wherever it is declared."""
        found = dict.fromkeys(
            enum
            for path, index in self._declared.called(scope.rules, name)
            if (other := self._declared.scope_of(path)) and (enum := other.enum_of(index))
        )
        return list(found) if len(found) == 1 else Outcome.UNKNOWN

    def _name(self, target: SymbolId) -> str:
        return self._declared.scope(target).definitions[target[1]].name

    def written(self, scope: FileScope, written: str, offset: int) -> ArgumentType | None:
        written = "".join(built_in(without_const(written)).split())
        bare = bare_type(written, ())
        pointers = pointers_of(written) if scope.rules.implicit_conversions else None
        if not bare:
            # An array, say: only the same type is known to take it.
            return ArgumentType(written) if written else None
        if TYPE_VARIABLE.fullmatch(bare):
            return None
        found = self._lookups.values.written_type(scope, written, offset)
        return ArgumentType(
            last_name(bare), () if isinstance(found, Outcome) else tuple(found), pointers=pointers
        )


def pointers_of(written: str) -> int | None:
    """How many pointers a type as written has; None for an array or a function."""
    if "[" in written or "(" in written:
        return None
    written = written.rstrip("&")
    return len(written) - len(written.rstrip("*"))


def last_name(name: str) -> str:
    return name.replace("::", ".").rpartition(".")[2]
