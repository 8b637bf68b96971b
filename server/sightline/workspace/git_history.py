"""Histories, diffs and old versions of files, from libgit2 in a process that can be killed.

Invariants:

* No question blocks for ever, and none runs a program that the repository configures.
* libgit2 does not open a repository whose own files would mislead it (`git_folder`).
* A kind of question that took too long is not asked again until the repository has changed: libgit2
  never returns for some damaged objects.
* Results are unfiltered: other modules decide what may be shown.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import msgspec

from sightline.workspace.git_folder import belongs_to, has_own_objects, looks_plain
from sightline.workspace.git_process import GitProcesses
from sightline.workspace.jail import Jail

_WALL_SECONDS = 20.0
_MOST_TRIES = 2
_LARGEST_FILE = 4 << 20


class GitFault(StrEnum):
    """Why git cannot answer."""

    NO_REPOSITORY = "no_repository"
    NO_REVISION = "no_revision"
    NO_MERGE_BASE = "no_merge_base"
    NO_PATH = "no_path"
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"
    TIME_OUT = "time_out"


class CheckedOut(msgspec.Struct, frozen=True):
    branch: str
    """The commit's id if no branch is checked out."""
    commit: str | None
    """None before the first commit."""
    is_detached: bool


class Commit(msgspec.Struct, frozen=True):
    hash: str
    short_hash: str
    message: str
    """The first line."""
    author: str
    date: str
    """ISO 8601, in the author's time zone."""
    body: str
    """The whole message."""
    parents: tuple[str, ...]


class Hunk(msgspec.Struct, frozen=True, array_like=True):
    """Lines are 1-based; a side without lines has the line before it."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int


class ChangedFile(msgspec.Struct, frozen=True):
    status: str
    """`added`, `deleted`, `modified` or `renamed`."""
    old_path: str
    path: str
    old_mode: int
    mode: int
    is_binary: bool
    is_submodule: bool
    insertions: int
    deletions: int
    hunks: tuple[Hunk, ...]
    patch: bytes
    """In the form of `git diff`; empty if it is very long or an object is missing."""
    is_long: bool


class TreeDifference(msgspec.Struct, frozen=True):
    files: tuple[ChangedFile, ...]
    left_out: int
    """How many other files have changed."""


class WorkTreeStatus(msgspec.Struct, frozen=True):
    staged: tuple[str, ...]
    unstaged: tuple[str, ...]
    untracked: tuple[str, ...]
    branch: str
    ahead: int
    behind: int


class OldFile(msgspec.Struct, frozen=True):
    data: bytes
    id: str


class _Commits(msgspec.Struct, frozen=True):
    commits: tuple[Commit, ...]


class CommitChanges(msgspec.Struct, frozen=True):
    author: str
    """The address in hexadecimal: only to distinguish people, never to be shown."""
    paths: tuple[str, ...]
    """The files that the commit changed, added or deleted."""


class _ChangedPaths(msgspec.Struct, frozen=True):
    commits: tuple[CommitChanges, ...]


class _MergeBase(msgspec.Struct, frozen=True):
    commit: str


class _NoAnswer(msgspec.Struct, frozen=True):
    fault: GitFault | None = None


_T = TypeVar("_T")


class GitHistory:
    """The repository whose work tree is a directory."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))

    @cached_property
    def _is_asked(self) -> bool:
        jail = Jail(self.root)
        return looks_plain(jail) and belongs_to(jail) and has_own_objects(self.root / ".git")

    def head(self) -> CheckedOut | GitFault:
        return self._ask(CheckedOut, "head")

    def log(self, count: int = 10, revision: str = "HEAD") -> tuple[Commit, ...] | GitFault:
        """Return the commits that lead to a revision, the newest first."""
        answer = self._ask(_Commits, "log", count=count, revision=revision)
        return answer if isinstance(answer, GitFault) else answer.commits

    def changes(self, count: int, revision: str = "HEAD") -> tuple[CommitChanges, ...] | GitFault:
        """Return the files that each of the last commits changed, without merges."""
        answer = self._ask(_ChangedPaths, "changes", count=count, revision=revision)
        return answer if isinstance(answer, GitFault) else answer.commits

    def diff(
        self, base: str = "HEAD", head: str | None = None, *, staged: bool = False, context: int = 3
    ) -> TreeDifference | GitFault:
        """Return the differences between two revisions.

        Without `head`, the other side is the work tree, or the index if `staged`.
        """
        return self._ask(
            TreeDifference, "diff", base=base, head=head, is_staged=staged, context_lines=context
        )

    def show(self, revision: str, path: str, limit: int = _LARGEST_FILE) -> OldFile | GitFault:
        """Return a file at a revision, or as it is staged if the revision is empty."""
        return self._ask(OldFile, "show", revision=revision, path=path, limit=limit)

    def merge_base(self, one: str, other: str = "HEAD") -> str | GitFault:
        answer = self._ask(_MergeBase, "merge_base", one=one, other=other)
        return answer if isinstance(answer, GitFault) else answer.commit

    def status(self) -> WorkTreeStatus | GitFault:
        return self._ask(WorkTreeStatus, "status")

    def _ask(self, kind: type[_T], what: str, **needs: object) -> _T | GitFault:
        if not self._is_asked:
            return GitFault.NO_REPOSITORY
        state = _state_of(self.root / ".git")
        if _LOST.get((self.root, what)) == state:
            return GitFault.TIME_OUT
        question: Mapping[str, object] = {"ask": what, "root": str(self.root), **needs}
        try:
            message = msgspec.msgpack.encode(question)
        except UnicodeEncodeError:
            return GitFault.UNREADABLE
        answer = _PROCESSES.exchange(message, _MOST_TRIES)
        if answer is None:
            _LOST[self.root, what] = state
            return GitFault.TIME_OUT
        fault = msgspec.msgpack.decode(answer, type=_NoAnswer).fault
        return fault if fault is not None else msgspec.msgpack.decode(answer, type=kind)


def _state_of(git: Path) -> tuple[int, ...]:
    """Return times that change with a commit, with what is staged, and with a repair."""
    state = []
    for name in ("", "HEAD", "index", "objects", "objects/pack", "logs/HEAD"):
        try:
            state.append((git / name).stat().st_mtime_ns)
        except (OSError, ValueError):
            state.append(0)
    return tuple(state)


_LOST: dict[tuple[Path, str], tuple[int, ...]] = {}
"""By repository and kind of question: the state of the repository when it took too long."""
_PROCESSES = GitProcesses(
    Path(__file__).with_name("git_history_child.py"), wall_seconds=_WALL_SECONDS
)
