"""The result of finding. `results.py` says what holds of every result."""

from __future__ import annotations

import msgspec

from sightline.bundle import HiddenFiles, Status
from sightline.refusals import Refusal


class FoundClue(msgspec.Struct, frozen=True):
    """What speaks for a file or symbol."""

    kind: str
    """`words`, `name`, `path`, `traceback`, `file_name`, `content`, `called`, `base`, `owner`."""
    detail: tuple[str, ...]
    """Words, names or places, the heaviest first."""


class FoundPath(msgspec.Struct, frozen=True):
    """A file that the task is likely about."""

    path: str
    clues: tuple[FoundClue, ...]
    """The heaviest first."""


class FoundPlace(msgspec.Struct, frozen=True):
    """A symbol that the task is likely about."""

    path: str
    symbol: str
    kind: str
    line: int
    """1-based, of its name."""
    clues: tuple[FoundClue, ...]


class FindResult(msgspec.Struct, frozen=True):
    """Files and symbols that a task in words is likely about, the best first."""

    status: Status
    refusal: Refusal | None = None
    files: tuple[FoundPath, ...] = ()
    symbols: tuple[FoundPlace, ...] = ()
    notes: tuple[str, ...] = ()
    """What the answer does not cover, in sentences."""
    hidden: tuple[HiddenFiles, ...] = ()
    """Source that was not searched, because a rule hides it that a person may lift."""
    index_complete: bool = False
    """True if every visible file had been read and its words counted."""
