"""The units of a workspace, and how much they share with a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum

import attrs
import msgspec

RULES = 2
"""Increased whenever terms are counted or ranked in another way."""


class Field(IntEnum):
    """The place of a term in a unit."""

    NAME = 0
    """The declared name; for a type or the rest of a file also the names of its variables."""
    PARAMETERS = 1
    """The header: parameters, annotations, decorators, bases."""
    DOCS = 2
    COMMENTS = 3
    IDENTIFIERS = 4
    STRINGS = 5
    CALLS = 6
    """Names that are followed by an opening bracket."""


FIELDS = len(Field)


@attrs.frozen
class Unit:
    """A function or method, or a piece of at most 40 lines of the code around them.

    The units of a file follow one another and cover all its lines that are not blank.
    """

    path: str
    start_line: int
    """1-based."""
    end_line: int
    """Inclusive."""
    symbol: str | None
    """The qualified name of the function, or of the type or namespace that contains the piece."""


@attrs.frozen
class Like:
    unit: Unit
    value: int
    """How much it shares with the query; comparable only within one query."""
    shared: tuple[str, ...]
    """Words of the query, or parts of them, with the most weight in the unit,
    the heaviest first.
    """


@attrs.frozen
class Matches:
    """The units and files that share words with a query."""

    units: Sequence[Like]
    """The best first."""
    files: Mapping[str, int]
    """By path, how much a file shares; comparable only within one query."""


class FileTerms(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The counts of one file, packed. A posting is a term in a field of a unit.

    Columns contain unsigned numbers of one, two or four bytes, as wide as the largest needs.
    """

    lines: bytes
    """Four bytes each: first and last line of every unit."""
    symbols: tuple[str, ...]
    """By unit; "" for none."""
    lengths: bytes
    """Two bytes each: the number of terms in each field of every unit, at most 65535."""
    terms: bytes
    """Eight bytes each, sorted: the terms of the file in their stored form."""
    sizes: bytes
    """The number of postings of each term."""
    postings: bytes
    """By term: from the lowest bit, five bits for the count (31 stands for any number above), three
    for the field, and the unit."""
