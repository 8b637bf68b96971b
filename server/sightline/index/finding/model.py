"""The result types of finding."""

from __future__ import annotations

from enum import StrEnum

import attrs


class ClueKind(StrEnum):
    """The evidence for a file or symbol."""

    WORDS = "words"
    """It shares rare words with the task."""
    NAME = "name"
    """The task names it, or something declared in it."""
    VARIABLE = "variable"
    """The task names a variable that it assigns."""
    PATH = "path"
    """The task mentions its path."""
    TRACEBACK = "traceback"
    """A frame of a traceback in the task leads to it."""
    FILE_NAME = "file_name"
    """The name of the file, or of its folder, is a word of the task."""
    CALLED = "called"
    """Symbols that share words with the task call it."""
    BASE = "base"
    """The task names the type that it extends."""
    OWNER = "owner"
    """The task names the type that it belongs to."""
    CONTENT = "content"
    """Symbols in it share words with the task."""


@attrs.frozen
class Clue:
    kind: ClueKind
    detail: tuple[str, ...]
    """Words, names or places, the heaviest first."""


@attrs.frozen
class FileProposal:
    path: str
    value: int
    """Comparable only with other values of the same answer."""
    clues: tuple[Clue, ...]
    """The heaviest first."""


@attrs.frozen
class SymbolProposal:
    path: str
    symbol: str
    """Its qualified name."""
    kind: str
    line: int
    """1-based, of its name."""
    value: int
    clues: tuple[Clue, ...]


@attrs.frozen
class Proposals:
    files: tuple[FileProposal, ...]
    symbols: tuple[SymbolProposal, ...]
