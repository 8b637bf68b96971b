"""Resolve the links of long call chains, from the first link on."""

from __future__ import annotations

from sightline.index.resolve.expressions import LINK
from sightline.index.resolve.lookups import Lookups
from sightline.index.resolve.meaning import UNKNOWN, Module, Outcome
from sightline.index.resolve.scopes import FileScope, SymbolId
from sightline.symbols.facts import LINKED, Binding, Reference

_SHORTEST = 40
"""A chain with at least so many characters before a link is long. Chains inside of its brackets are
rarely so long.
"""
_MOST_LINKS = 400
_MOST_REMEMBERED = 20_000

_Value = list[SymbolId] | Module | Outcome


class Links:
    """What the links of long chains return; each is resolved once.

    Each link depends only on the link before it.
    """

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self._known: dict[tuple[str, int], _Value] = {}

    def value(self, scope: FileScope, name: str, offset: int) -> _Value:
        """Return what the last call of a name before an offset returns, if it
        is a link of a chain.
        """
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
        steps, asked_from = values.steps, values.asked_from
        for each in reversed(pending):
            self._known[scope.path, each.start] = UNKNOWN
            values.steps, values.asked_from = 0, (scope, each.start)
            self._known[scope.path, each.start] = values.value(
                scope, f"{each.receiver}.{each.name}(…)", each.start, 0
            )
        values.steps, values.asked_from = steps, asked_from
        return self._known.get((scope.path, last.start), UNKNOWN) if last else UNKNOWN


def link_before(scope: FileScope, name: str, offset: int) -> Reference | None:
    """Return the last call of a name before an offset that is a link of a long chain."""
    found = None
    for each in scope.references.get(name, ()):
        is_link = each.receiver.startswith(LINKED) or len(each.receiver) >= _SHORTEST
        if each.start < offset and each.kind == "call" and is_link:
            found = each if found is None or each.start > found.start else found
    return found


def place_of(binding: Binding) -> int:
    """Return where the expression that gives a name its type is read: the start of the last link of
    a chain.
    """
    return binding.end if binding.type.startswith(LINKED) else binding.start
