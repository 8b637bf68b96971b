"""The types of a slice."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from sightline.text import Span, Text


class Level(StrEnum):
    FULL_FILE = "FULL_FILE"
    TARGET_REGION_ONLY = "TARGET_REGION_ONLY"
    SIGNATURES_ONLY = "SIGNATURES_ONLY"
    SUMMARY_ONLY = "SUMMARY_ONLY"


class SignatureDocs(StrEnum):
    """How much of each doc comment a signatures slice keeps."""

    NONE = "none"
    FIRST_LINE = "first_line"
    FULL = "full"


class Piece(msgspec.Struct, frozen=True, array_like=True):
    """A span of the original (`literal` empty) or an inserted literal (`span` None)."""

    span: Span | None
    literal: bytes = b""


class Region(msgspec.Struct, frozen=True, array_like=True):
    symbol: str
    start_line: int
    end_line: int
    sha256: str


class SelfCheck(msgspec.Struct, frozen=True, array_like=True):
    """The four checks of a signatures slice."""

    parses_clean: bool
    declarations_kept: int
    declarations_expected: int
    same_declarations: bool
    no_body_bytes: bool
    in_original_order: bool

    @property
    def passed(self) -> bool:
        return (
            self.parses_clean
            and self.same_declarations
            and self.no_body_bytes
            and self.in_original_order
        )

    def faults(self) -> list[str]:
        checks = {
            "it does not parse clean": self.parses_clean,
            "its declarations differ "
            f"({self.declarations_kept}/{self.declarations_expected})": self.same_declarations,
            "it holds bytes of a body": self.no_body_bytes,
            "it does not stand in the original's order": self.in_original_order,
        }
        return [fault for fault, holds in checks.items() if not holds]


class Slice(msgspec.Struct, frozen=True, array_like=True):
    level: Level
    content: bytes
    pieces: tuple[Piece, ...]
    regions: tuple[Region, ...] = ()
    check: SelfCheck | None = None


def assembled(text: Text, pieces: Iterable[Piece]) -> bytes:
    return b"".join(
        piece.literal if piece.span is None else text.cut(piece.span) for piece in pieces
    )


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return the spans sorted; those that overlap or touch are merged."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged
