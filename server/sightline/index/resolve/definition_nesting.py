"""Find which definition of a file contains which other one, and which contains an offset."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from sightline.symbols.facts import Definition

VALUE_KINDS = frozenset(["variable", "constant", "field", "property"])


class Nesting:
    """The definitions of one file as a tree. Immutable once made."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._definitions = definitions

    @cached_property
    def _starts(self) -> list[int]:
        return [each.start for each in self._definitions]

    @cached_property
    def parents(self) -> list[int]:
        """The index of the definition that contains each one; -1 at the top."""
        definitions = self._definitions
        parents: list[int] = []
        stack: list[int] = []
        for index, each in enumerate(definitions):
            while stack and definitions[stack[-1]].end <= each.start:
                stack.pop()
            # Two names of one declaration, as in `int a, b;`: neither contains the other.
            siblings = 0
            while siblings < len(stack) and _same_extent(definitions[stack[-1 - siblings]], each):
                siblings += 1
            outer = len(stack) - siblings
            parents.append(stack[outer - 1] if outer else -1)
            stack.append(index)
        return parents

    def enclosing(self, offset: int) -> int:
        """Return the innermost definition around an offset; -1 if there is none."""
        definitions, parents = self._definitions, self.parents
        index = bisect_right(self._starts, offset) - 1
        while index >= 0 and definitions[index].end <= offset:
            index = parents[index]
        return index

    def following(self, offset: int) -> int:
        """Return the first definition that starts after an offset; -1 if there is none."""
        index = bisect_right(self._starts, offset)
        return index if index < len(self._definitions) else -1

    def chain(self, offset: int) -> list[int]:
        """Return the definitions around an offset, the innermost first."""
        chain = []
        parents = self.parents
        index = self.enclosing(offset)
        while index >= 0:
            chain.append(index)
            index = parents[index]
        return chain

    def user(self, offset: int) -> int:
        """Return the definition that a use belongs to: the innermost one that is more than a value.

        A use in a field belongs to the type. At the top level, a use in a value belongs to the
        value.
        """
        index = around = self.enclosing(offset)
        while index >= 0 and self._definitions[index].kind in VALUE_KINDS:
            index = self.parents[index]
        return index if index >= 0 else around


def _same_extent(one: Definition, other: Definition) -> bool:
    return one.start == other.start and one.end == other.end
