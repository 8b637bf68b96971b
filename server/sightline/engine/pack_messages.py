"""Messages between this process and the process that makes a pack.

A message is MessagePack. The first one says what to make. Every answer is a question about the
workspace or, at the end, the pack.
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
    """Everything except what the source answers on demand."""

    form: str
    timestamp: str
    totals: tuple[int, int, int]
    """The numbers of files, directories and bytes that the scan found."""
    files: list[FileMetadata]
    excluded_files: list[ExcludedFile]
    exclusion_stats: ExclusionStats
    limits: PackLimits
    name: str
    sizes: dict[str, int]
    """For every file that may be packed, in the order of the source."""
    commits_seen: int
    seconds: float
    """Processor time between two questions, in addition to the time for texts."""


class Question(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A method of `PackSource`, and its paths."""

    method: str
    paths: list[str] = []
    most_bytes: int = 0
    symbol: SymbolFact | None = None


class MadePack(msgspec.Struct, frozen=True, array_like=True, tag=True):
    full: FullPack | None = None
    summary: SummaryPack | None = None


class TooMuchMemory(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The pack exceeded its memory limit."""


class SourceAnswer(msgspec.Struct, frozen=True, array_like=True):
    """The answer to one question; lists are in the order of the paths."""

    texts: list[str | None] = []
    facts: list[FileFacts | None] = []
    histories: list[FileHistory | None] = []
    text: str = ""
    reason: ExclusionReason = "binary"
    issues: list[EncodingIssue] = []
    redactions: dict[str, int] = {}


PackAnswer = Question | MadePack | TooMuchMemory
