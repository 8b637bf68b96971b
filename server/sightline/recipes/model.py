"""What recipes take: commits, statistics of diffs, results of checks, issues.

Callers may pass objects of their own: what is read of them is the attributes of these types.
"""

from __future__ import annotations

import attrs


@attrs.frozen
class CommitInfo:
    hash: str
    short_hash: str
    message: str
    """The first line."""
    author: str
    date: str
    """ISO 8601."""


@attrs.frozen
class DiffStats:
    files_changed: int
    insertions: int
    deletions: int
    file_list: tuple[str, ...] = ()
    """Paths after the change, relative to the repository."""


@attrs.frozen
class GitStatus:
    staged: tuple[str, ...]
    unstaged: tuple[str, ...]
    untracked: tuple[str, ...]
    branch: str
    ahead: int
    behind: int


@attrs.frozen
class ParsedError:
    """One complaint of a tool about a line of a file."""

    file: str
    line: int
    """1-based; 0 where the tool names no line."""
    message: str
    column: int | None = None
    severity: str | None = None
    """`error` or `warning`."""
    code: str | None = None
    """The tool's name for the rule: `E501`."""


@attrs.frozen
class StageResult:
    """What one tool said."""

    stage_name: str
    passed: bool
    output: str = ""
    duration_ms: int = 0
    fix_attempts: int = 0
    errors: tuple[ParsedError, ...] = ()


@attrs.frozen
class ValidationOutput:
    success: bool
    stages: tuple[StageResult, ...] = ()
    total_duration_ms: int = 0


@attrs.frozen
class GitHubIssue:
    number: int
    title: str
    body: str = ""
    labels: tuple[str, ...] = ()
    state: str = "open"
    assignees: tuple[str, ...] = ()
    url: str = ""
