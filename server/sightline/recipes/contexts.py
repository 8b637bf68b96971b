"""What the builders return, as types of plain dictionaries. The published schemas are made of them.

Everything here is JSON. A path is relative to the workspace, or as the caller wrote it.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

ContextDict = dict[str, Any]
"""What a builder returns: one of the contexts below."""


class TruncationMetadata(TypedDict):
    """What was cut."""

    truncated: bool
    """True if and only if fewer lines were kept than there were."""
    original_lines: int
    kept_lines: int
    sections_affected: list[str]
    """The fields in which something was cut."""


class ContextMetadata(TruncationMetadata):
    """What was cut, replaced or is missing."""

    missing: list[str]
    """Files that are not there."""
    binary: list[str]
    """Files that are no text."""
    redactions: dict[str, int]
    """How many secrets of each kind were replaced."""
    warnings: list[str]


class CommitDict(TypedDict):
    """A commit."""

    hash: str
    """Short."""
    message: str
    """The first line."""
    author: str
    date: str
    """ISO 8601."""


class DiffStatsDict(TypedDict):
    """The statistics of a diff; zeros, and a warning, where git cannot tell them."""

    files_changed: int
    insertions: int
    deletions: int


class ErrorDict(TypedDict):
    """A complaint of a check."""

    file: str
    line: int
    """1-based; 0 where the tool names no line."""
    message: str
    severity: str
    """`error` or `warning`."""
    code: str | None


class IssueDict(TypedDict):
    """An issue."""

    number: int
    title: str
    body: str
    labels: list[str]
    state: str
    url: str


class ChangedSymbol(TypedDict):
    """A symbol that a change touches."""

    path: str
    symbol: str
    kind: str
    change: str
    """`added`, `deleted`, `modified` or `renamed`."""
    old_symbol: str | None
    """Of a renamed symbol: what it was called."""
    base: str | None
    """Its text before the change."""
    head: str | None
    """Its text after the change."""
    start_line: int
    end_line: int
    callers: list[str]
    """Who uses it, at most twenty; of one that is gone, who still uses its name."""
    tests: list[str]
    """Tests that reach it, at most twenty."""


class ImplementationContext(TypedDict):
    """Context for a task file."""

    tasks: str
    conventions: str
    branch: str
    recent_commits: list[CommitDict]
    _metadata: ContextMetadata


class ReviewContext(TypedDict):
    """Context for a review."""

    diff: str
    changed_files: dict[str, str]
    """By path. In a review by symbol, the changed lines outside of symbols."""
    changed_symbols: NotRequired[list[ChangedSymbol]]
    """Of a review by symbol."""
    callers: NotRequired[dict[str, str]]
    """Of a review by symbol: the regions that use changed symbols, by path."""
    tests: NotRequired[dict[str, str]]
    """Of a review by symbol: the tests that reach changed symbols, by path."""
    conventions: str
    stats: DiffStatsDict
    _metadata: ContextMetadata


class FixContext(TypedDict):
    """Context for failing checks."""

    errors: list[ErrorDict]
    source_files: dict[str, str]
    error_summary: str
    _metadata: ContextMetadata


class IssueContext(TypedDict):
    """Context for an issue."""

    issue: IssueDict
    related_files: dict[str, str]
    recent_changes: list[CommitDict]
    _metadata: ContextMetadata


class PackedTask(TypedDict):
    """What is to be done."""

    id: str
    title: str
    goal: str
    acceptance: list[PackedCriterion]


class PackedCriterion(TypedDict):
    """How to tell that a task is done."""

    id: str
    description: str
    verify: NotRequired[str]


class PackedConstraints(TypedDict):
    """Which files a task may touch."""

    allowedGlobs: list[str]
    forbiddenGlobs: list[str]
    allowNewFiles: bool


class PackedIssue(TypedDict):
    """A fault of the last iteration."""

    id: str
    severity: str
    message: str
    file: NotRequired[str]
    line: NotRequired[int]
    symbol: NotRequired[str]
    evidence: NotRequired[str]


class PackedState(TypedDict):
    """What the last iteration did."""

    iteration: int
    diffSummary: str
    issues: list[PackedIssue]
    """The ten gravest."""


class PackedFile(TypedDict):
    """A file, whole or cut."""

    path: str
    content: str
    priority: str
    """`high`, `medium` or `low`."""


class PackedDoc(TypedDict):
    """A document, whole or cut."""

    path: str
    content: str


class PackedTicket(TypedDict):
    """What is to be repaired."""

    id: str
    issueIds: list[str]
    instructions: str
    files: list[str]
    errorOutput: NotRequired[str | None]


class ContextPack(TypedDict):
    """A task and what is needed for it, within the characters of a tier."""

    task: PackedTask
    constraints: PackedConstraints
    previousState: NotRequired[PackedState]
    files: list[PackedFile]
    docs: list[PackedDoc]
    repairTickets: NotRequired[list[PackedTicket]]
    totalChars: int
    """Characters of the compact JSON, this number included."""
    truncated: bool
