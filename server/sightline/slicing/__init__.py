"""Slices: exact parts of one text, at one of four levels.

A slice is a list of pieces. A piece is either a span of the original, byte for byte, or a literal
that Sightline inserted: a placeholder, an elision marker, a mark for an enclosing header. So a span
of the original, such as that of a secret, can be followed into the slice.

Invariants:

* No slice is cut where the tree has errors: a region with an error in it is refused, and a text
  that does not parse without errors has no signatures.
* The original pieces of a slice are in source order and do not overlap.
* A signatures slice is checked before it leaves this room, by parsing it again. One that fails its
  check is refused, never served.
"""

from sightline.slicing.model import Level, Piece, Region, SelfCheck, SignatureDocs, Slice
from sightline.slicing.partial_parse import (
    PartialParsePlan,
    SymbolPlace,
    outside_bodies,
    partial_signatures,
    plan_partial_parse,
    symbols_at,
)
from sightline.slicing.regions import parts, region_signatures, regions
from sightline.slicing.signatures import signatures
from sightline.slicing.whole import full_file, summary_only

__all__ = [
    "Level",
    "PartialParsePlan",
    "Piece",
    "Region",
    "SelfCheck",
    "SignatureDocs",
    "Slice",
    "SymbolPlace",
    "full_file",
    "outside_bodies",
    "partial_signatures",
    "parts",
    "plan_partial_parse",
    "region_signatures",
    "regions",
    "signatures",
    "summary_only",
    "symbols_at",
]
