"""What recipes take: commits, statistics of diffs, results of checks, issues.

Callers may pass objects of their own: what is read of them is the attributes of these types. These
are dataclasses, as in the document, so that `dataclasses.replace` and `asdict` take them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CommitInfo:
    hash: str
    short_hash: str
    message: str
    """The first line."""
    author: str
    date: str
    """ISO 8601."""


@dataclass(frozen=True)
class DiffStats:
    files_changed: int
    insertions: int
    deletions: int
    file_list: tuple[str, ...] = ()
    """Paths after the change, relative to the repository."""


@dataclass(frozen=True)
class GitStatus:
    staged: tuple[str, ...]
    unstaged: tuple[str, ...]
    untracked: tuple[str, ...]
    branch: str
    ahead: int
    behind: int


@dataclass(frozen=True)
class ParsedError:
    """One complaint of a tool about a line of a file."""

    file: str
    line: int
    """1-based; 0 where the tool names no line."""
    message: str
    column: int | None = None
    severity: str | None = "error"
    """`error` or `warning`."""
    code: str | None = None
    """The tool's name for the rule: `E501`."""


@dataclass(frozen=True)
class StageResult:
    """What one tool said."""

    stage_name: str
    passed: bool
    output: str = ""
    duration_ms: int = 0
    fix_attempts: int = 0
    errors: tuple[ParsedError, ...] = ()


@dataclass(frozen=True)
class ValidationOutput:
    success: bool
    stages: tuple[StageResult, ...] = ()
    total_duration_ms: int = 0


@dataclass(frozen=True)
class GitHubIssue:
    number: int
    title: str
    body: str = ""
    labels: tuple[str, ...] = ()
    state: str = "open"
    assignees: tuple[str, ...] = ()
    url: str = ""
