"""The git operations that recipes use, for callers without an object of their own.

Invariant: git is libgit2 in a process that can be killed; no git program is run.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeVar

from sightline.recipes.model import CommitInfo, DiffStats, GitStatus
from sightline.workspace.git_history import ChangedFile, GitFault, GitHistory, TreeDifference
from sightline.workspace.roots import repository_around

_T = TypeVar("_T")

_MESSAGES = {
    GitFault.NO_REPOSITORY: "the directory is not in a repository that can be read",
    GitFault.NO_REVISION: "there is no such revision",
    GitFault.NO_MERGE_BASE: "the revisions have no common ancestor",
    GitFault.NO_PATH: "there is no such file at that revision",
    GitFault.TOO_LARGE: "the file is too large",
    GitFault.UNREADABLE: "the repository cannot be read",
    GitFault.TIME_OUT: "git took too long",
}


class GitError(RuntimeError):
    """Git cannot answer; `fault` says why."""

    def __init__(self, fault: GitFault) -> None:
        super().__init__(_MESSAGES[fault])
        self.fault = fault


class GitOperations:
    """The repository around a directory. Every method raises `GitError`."""

    def __init__(self, cwd: Path | str | None = None) -> None:
        place = Path(os.path.normpath(Path.cwd() / (cwd or "")))
        self.root = repository_around(place) or place
        self._history = GitHistory(self.root)

    def current_branch(self) -> str:
        """Return the name of the branch, or the id of the commit if no branch is checked out."""
        return _told(self._history.head()).branch

    def log(self, n: int = 10, revision: str = "HEAD") -> list[CommitInfo]:
        """Return the last commits, the newest first."""
        return [
            CommitInfo(each.hash, each.short_hash, each.message, each.author, each.date)
            for each in _told(self._history.log(n, revision))
        ]

    def diff(self, base: str = "HEAD", head: str | None = None, *, staged: bool = False) -> str:
        """Return what changed since a revision, as `git diff` prints it.

        Without `head`, up to the work tree; with `staged`, up to the index.
        """
        return _diff_text(self.difference(base, head, staged=staged))

    def diff_stats(
        self, base: str = "HEAD", head: str | None = None, *, staged: bool = False
    ) -> DiffStats:
        return _statistics(self.difference(base, head, staged=staged))

    def difference(
        self, base: str = "HEAD", head: str | None = None, *, staged: bool = False
    ) -> TreeDifference:
        """Return what changed since a revision, file by file."""
        return _told(self._history.diff(base, head, staged=staged))

    def status(self) -> GitStatus:
        told = _told(self._history.status())
        return GitStatus(
            told.staged, told.unstaged, told.untracked, told.branch, told.ahead, told.behind
        )

    def merge_base(self, one: str, other: str = "HEAD") -> str:
        """Return the id of the best common ancestor of two revisions."""
        return _told(self._history.merge_base(one, other))

    def show(self, revision: str, path: str) -> bytes:
        """Return a file as it was at a revision."""
        return _told(self._history.show(revision, path)).data


class ReviewedChange:
    """A change between a revision and another one, the index, or the work tree.

    It answers the questions of a review. The change is read once, so all answers describe one
    state.
    """

    def __init__(
        self, git: GitOperations, base: str, head: str | None = None, *, staged: bool = False
    ) -> None:
        self.git = git
        self.base = base
        self.head = head
        self.staged = staged
        self.root = git.root
        self._difference: TreeDifference | None = None

    @property
    def is_in_work_tree(self) -> bool:
        return self.head is None and not self.staged

    def difference(self) -> TreeDifference:
        if self._difference is None:
            self._difference = self.git.difference(self.base, self.head, staged=self.staged)
        return self._difference

    def diff(self, base: str) -> str:
        return _diff_text(self._since(base))

    def diff_stats(self, base: str) -> DiffStats:
        return _statistics(self._since(base))

    def _since(self, base: str) -> TreeDifference:
        if base != self.base:
            return self.git.difference(base, self.head, staged=self.staged)
        return self.difference()

    def show_head(self, path: str) -> bytes:
        """Return a file after the change, unless that is the work tree."""
        return self.git.show("" if self.head is None else self.head, path)


def _told(answer: _T | GitFault) -> _T:
    if isinstance(answer, GitFault):
        raise GitError(answer)
    return answer


def _diff_text(difference: TreeDifference) -> str:
    left_out = difference.left_out
    more = f"{left_out} more files have changed\n" if left_out else ""
    return "".join(map(_patch, difference.files)) + more


def _statistics(difference: TreeDifference) -> DiffStats:
    files = difference.files
    return DiffStats(
        len(files) + difference.left_out,
        sum(each.insertions for each in files),
        sum(each.deletions for each in files),
        tuple(each.path for each in files),
    )


def _patch(file: ChangedFile) -> str:
    if file.is_long:
        old, new = file.old_path, file.path
        return f"diff --git a/{old} b/{new}\nthe patch is too long, or an object is missing\n"
    return file.patch.decode("utf-8", "replace")
