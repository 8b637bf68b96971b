"""What the process that makes a pack asks of this one, and what it is told.

A message is MessagePack. The first one says what to make; every answer to it is a question about
the workspace or, at the end, the pack.
"""

from __future__ import annotations

import msgspec

from sightline.packs.full_pack import PackLimits
from sightline.packs.model import (
    EncodingIssue,
    ExcludedFile,
    ExclusionReason,
    ExclusionStats,
    FileMetadata,
    FullPack,
    SummaryPack,
)
from sightline.packs.source import FileFacts, FileHistory, SymbolFact


class PackOrder(msgspec.Struct, frozen=True, array_like=True):
    """Everything but what the source tells when it is asked."""

    form: str
    timestamp: str
    totals: tuple[int, int, int]
    """Files, directories and bytes that the scan found."""
    files: list[FileMetadata]
    excluded_files: list[ExcludedFile]
    exclusion_stats: ExclusionStats
    limits: PackLimits
    name: str
    sizes: dict[str, int]
    """Of every file that may be packed, in the order of the source."""
    commits_seen: int
    seconds: float
    """Processor time between two questions, besides what texts are given."""


class Question(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A method of `PackSource`, and the paths that it is about."""

    method: str
    paths: list[str] = []
    most_bytes: int = 0
    symbol: SymbolFact | None = None


class MadePack(msgspec.Struct, frozen=True, array_like=True, tag=True):
    full: FullPack | None = None
    summary: SummaryPack | None = None


class TooMuchMemory(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The memory that a pack may take was not enough."""


class SourceAnswer(msgspec.Struct, frozen=True, array_like=True):
    """What a question asked for, and nothing else; lists are in the order of the paths."""

    texts: list[str | None] = []
    facts: list[FileFacts | None] = []
    histories: list[FileHistory | None] = []
    text: str = ""
    reason: ExclusionReason = "binary"
    issues: list[EncodingIssue] = []
    redactions: dict[str, int] = {}


PackAnswer = Question | MadePack | TooMuchMemory
