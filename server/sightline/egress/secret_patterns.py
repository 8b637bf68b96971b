"""Compiled patterns: linear on every input, because re2 never goes back.

Patterns are matched on bytes, one byte for each character, so offsets are byte offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Protocol, cast

import re2  # type: ignore[import-untyped]

_MEMORY = 64 << 20
"""For each pattern's automaton. Too little, and re2 falls back to a slower one."""


class Match(Protocol):
    def start(self, group: int = 0) -> int: ...
    def end(self, group: int = 0) -> int: ...
    def group(self, group: int = 0) -> bytes: ...


class SecretPattern:
    """A pattern over bytes, compiled when first used: most commands never scan."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._regexp: Any = None

    def search(self, text: bytes, pos: int = 0, endpos: int | None = None) -> Match | None:
        return cast(Match | None, self._compiled().search(text, pos, endpos))

    def match(self, text: bytes, pos: int = 0, endpos: int | None = None) -> Match | None:
        return cast(Match | None, self._compiled().match(text, pos, endpos))

    def fullmatch(self, text: bytes) -> Match | None:
        return cast(Match | None, self._compiled().fullmatch(text))

    def finditer(self, text: bytes, pos: int = 0, endpos: int | None = None) -> Iterator[Match]:
        return cast(Iterator[Match], self._compiled().finditer(text, pos, endpos))

    def _compiled(self) -> Any:
        if self._regexp is None:
            self._regexp = re2.compile(self._source, _options())
        return self._regexp


def compiled(source: bytes) -> SecretPattern:
    return SecretPattern(source)


def compiled_for_values(pattern: bytes) -> re.Pattern[bytes]:
    """A pattern for values of bounded length, where calling re2 costs more than matching.

    Only for patterns whose repetitions do not nest, so that nothing is tried twice.
    """
    return re.compile(pattern)


class SecretPatternSet:
    """Many patterns at once: one pass says which of them are in a text."""

    def __init__(self, sources: Iterable[bytes]) -> None:
        self._sources = tuple(sources)
        self._set: Any = None

    def found_in(self, text: bytes) -> list[int]:
        """The positions of the patterns that are in it, ascending."""
        if self._set is None:
            together = re2.Set.SearchSet(_options())
            for source in self._sources:
                together.Add(source)
            together.Compile()
            self._set = together
        return sorted(self._set.Match(text) or ())


def _options() -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY
    options.log_errors = False
    return options
