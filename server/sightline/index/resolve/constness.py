"""Tell members apart that differ only in whether they may change their object.

Only C++ has them: `Node* next()` and `const Node* next() const`. A written type has `const` before
or after it; this applies to what a variable refers to and to what a call returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import attrs

from sightline.index.resolve.expressions import callee_of, last_step, unwrapped
from sightline.index.resolve.lookups import Lookups
from sightline.index.resolve.meaning import Outcome
from sightline.index.resolve.parameters import Signature, alike
from sightline.index.resolve.scopes import FileScope, SymbolId
from sightline.symbols import CALLABLE_KINDS
from sightline.symbols.facts import CALLED, VALUE, WRITTEN, Binding

_DEEPEST = 8


class Constness:
    """What may be changed, as far as the written types say."""

    def __init__(self, lookups: Lookups, signature: Callable[[SymbolId], Signature | None]) -> None:
        self._lookups = lookups
        self._declared = lookups.declared
        self._signature = signature

    def suiting(
        self,
        scope: FileScope,
        receiver: str,
        offset: int,
        found: Sequence[SymbolId],
        depth: int = 0,
    ) -> Sequence[SymbolId]:
        """Return those of otherwise equal members that can be called on an object of this
        constness.
        """
        signatures = {each: self._signature(each) for each in found}
        if len({each.is_constant for each in signatures.values() if each is not None}) < 2:
            return found
        is_constant = self.of(scope, receiver, offset, depth + 1)
        if is_constant is None:
            return found
        suiting = [each for each in signatures.values() if each and each.is_constant is is_constant]
        return [
            target
            for target, each in signatures.items()
            if each is None
            or each.is_constant is is_constant
            or not any(
                alike(attrs.evolve(each, is_constant=is_constant), other) for other in suiting
            )
        ]

    def of(self, scope: FileScope, expression: str, offset: int, depth: int) -> bool | None:
        """True if what an expression refers to is constant; None if that is not known."""
        expression = unwrapped(unwrapped(expression).lstrip("&*"))
        if depth > _DEEPEST:
            return None
        if not expression or expression in scope.rules.self_names:
            return self._is_in_constant(scope, offset)
        if expression.endswith(")"):
            callee = callee_of(expression)
            return self._of_call(scope, callee, offset, depth) if callee else None
        receiver, name = last_step(expression)
        if not receiver:
            for index in (*scope.nesting.chain(offset), -1):
                if index < 0 or scope.definitions[index].kind in CALLABLE_KINDS:
                    bindings = scope.bindings.known(name, index, offset)
                    if bindings:
                        return _agreed({self._said(scope, each, depth) for each in bindings})
        found = self._lookups.look_up(scope, name, receiver, offset, depth + 1)
        said = None if isinstance(found, Outcome) else self._of_all(found, depth)
        if said is False and self.of(scope, receiver, offset, depth + 1) is not False:
            # A field that is not a pointer is as constant as the object that contains it.
            return None
        return said

    def _is_in_constant(self, scope: FileScope, offset: int) -> bool | None:
        for index in scope.nesting.chain(offset):
            if scope.definitions[index].kind in CALLABLE_KINDS:
                signature = self._signature((scope.path, index))
                return signature.is_constant if signature else None
        return None

    def _of_call(self, scope: FileScope, callee: str, offset: int, depth: int) -> bool | None:
        receiver, name = last_step(callee)
        found = self._lookups.look_up(scope, name, receiver, offset, depth + 1, "call")
        if isinstance(found, Outcome):
            return None
        if self._declared.types_among(found):
            return False
        return self._of_all(self.suiting(scope, receiver, offset, found, depth), depth)

    def _of_all(self, found: Iterable[SymbolId], depth: int) -> bool | None:
        said: set[bool | None] = set()
        for target in found:
            scope = self._declared.scope(target)
            binding = scope.bindings.result(target[1])
            said.add(self._said(scope, binding, depth) if binding else None)
        return _agreed(said)

    def _said(self, scope: FileScope, binding: Binding, depth: int) -> bool | None:
        if binding.form == WRITTEN:
            return "const" in binding.type.split()
        if binding.form == CALLED:
            return self._of_call(scope, binding.type, binding.start, depth + 1)
        if binding.form == VALUE:
            return self.of(scope, binding.type, binding.start, depth + 1)
        return None


def _agreed(said: set[bool | None]) -> bool | None:
    return next(iter(said)) if len(said) == 1 else None
