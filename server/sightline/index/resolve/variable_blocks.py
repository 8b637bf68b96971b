"""Find the innermost block around an offset: a variable is not visible outside of its block."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property


class Blocks:
    """The blocks of one file as a tree. Immutable once made."""

    def __init__(self, extents: Sequence[tuple[int, int]]) -> None:
        """Extents must be in nesting order: by start, an enclosing one first."""
        self._extents = extents

    def around(self, offset: int) -> int:
        """Return where the innermost block around an offset starts; -1 if there is none."""
        index = bisect_right(self._starts, offset) - 1
        while index >= 0 and self._extents[index][1] <= offset:
            index = self._parents[index]
        return self._starts[index] if index >= 0 else -1

    def reaches(self, start: int, offset: int) -> bool:
        """True if what is declared at `start` is visible at an offset, as far as blocks decide."""
        index = bisect_right(self._starts, start) - 1
        while index >= 0:
            first, end = self._extents[index]
            if end > start:
                return first <= offset < end
            index = self._parents[index]
        return True

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _ in self._extents]

    @cached_property
    def _parents(self) -> list[int]:
        parents: list[int] = []
        stack: list[int] = []
        for index, (start, _) in enumerate(self._extents):
            while stack and self._extents[stack[-1]][1] <= start:
                stack.pop()
            parents.append(stack[-1] if stack else -1)
            stack.append(index)
        return parents
