"""Units of a workspace, and how much they share with a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum

import attrs
import msgspec

RULES = 2
"""Changes whenever other terms are counted or ranked, or the same ones in another way."""


class Field(IntEnum):
    """Where in a unit a term stands."""

    NAME = 0
    """The declared name; of a type or the rest of a file also the names of its variables."""
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
    """A function or method, or a piece of at most 40 lines of what stands around them.

    The units of a file stand one after another and cover all its lines that are not blank.
    """

    path: str
    start_line: int
    """1-based."""
    end_line: int
    """Inclusive."""
    symbol: str | None
    """The qualified name of the function, or of the type or namespace that a piece stands in."""


@attrs.frozen
class Like:
    unit: Unit
    value: int
    """How much it shares with the query; only the order of values of one query means anything."""
    shared: tuple[str, ...]
    """Words of the query, or parts of them, that weigh most in the unit, the heaviest first."""


@attrs.frozen
class Matches:
    """What shares words with a query."""

    units: Sequence[Like]
    """The most first."""
    files: Mapping[str, int]
    """By path how much a file shares; only the order of values of one query means anything."""


class FileTerms(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is counted of one file, packed. A posting is a term in a field of a unit.

    Columns are of unsigned numbers of one, two or four bytes, as wide as the largest needs.
    """

    lines: bytes
    """Four bytes each: first and last line of every unit."""
    symbols: tuple[str, ...]
    """By unit; "" for none."""
    lengths: bytes
    """Two bytes each: how many terms each field of every unit has, 65535 at most."""
    terms: bytes
    """Eight bytes each, sorted: the terms of the file, as they are kept."""
    sizes: bytes
    """How many postings each term has."""
    postings: bytes
    """By term: from the lowest bit, five bits for the count (31 stands for any number above), three
    for the field, and the unit."""
