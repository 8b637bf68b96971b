"""Chains of calls that are too long to be kept: what their links give, from the first one on."""

from __future__ import annotations

from sightline.index.resolve.expressions import LINK
from sightline.index.resolve.lookups import Lookups
from sightline.index.resolve.meaning import UNKNOWN, Module, Outcome
from sightline.index.resolve.scopes import FileScope, SymbolId
from sightline.symbols.facts import LINKED, Binding, Reference

_SHORTEST = 40
"""What stands before a link is long. What a call in its brackets is called on rarely is."""
_MOST_LINKS = 400
_MOST_REMEMBERED = 20_000

_Value = list[SymbolId] | Module | Outcome


class Links:
    """What the links of long chains give, each looked at once.

    Each link is told by the one before it, and by nothing that was looked at before.
    """

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self._known: dict[tuple[str, int], _Value] = {}

    def value(self, scope: FileScope, name: str, offset: int) -> _Value:
        """What the last call of a name before an offset gives, if it is a link of a chain."""
        pending: list[Reference] = []
        last = link = link_before(scope, name, offset)
        while link is not None and (scope.path, link.start) not in self._known:
            pending.append(link)
            before = LINK.match(link.receiver)
            if before is None:
                break
            link = link_before(scope, before[1], link.start)
            if len(pending) > _MOST_LINKS:
                return UNKNOWN
        if len(self._known) > _MOST_REMEMBERED:
            self._known.clear()
        values = self._lookups.values
        steps = values.steps
        for each in reversed(pending):
            self._known[scope.path, each.start] = UNKNOWN
            values.steps = 0
            self._known[scope.path, each.start] = values.value(
                scope, f"{each.receiver}.{each.name}(…)", each.start, 0
            )
        values.steps = steps
        return self._known.get((scope.path, last.start), UNKNOWN) if last else UNKNOWN


def link_before(scope: FileScope, name: str, offset: int) -> Reference | None:
    """The last call of a name before an offset that is a link of a long chain."""
    found = None
    for each in scope.references.get(name, ()):
        is_link = each.receiver.startswith(LINKED) or len(each.receiver) >= _SHORTEST
        if each.start < offset and each.kind == "call" and is_link:
            found = each if found is None or each.start > found.start else found
    return found


def place_of(binding: Binding) -> int:
    """Where what gives a name its type is read: a chain is known by the calls before its end."""
    return binding.end if binding.type.startswith(LINKED) else binding.start
