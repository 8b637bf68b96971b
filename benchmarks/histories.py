"""Histories: commits that change a few source files together, read with libgit2.

A case is a commit with one parent. `Checkout` puts the tree of one commit after another into one
folder, which git knows as a work tree. So rules that depend on tracked files give the same answer
as for a developer, and files that two commits share are neither written nor parsed again.
"""

from __future__ import annotations

import fcntl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pygit2
from pygit2.enums import FileMode, SortMode

_LARGEST_BLOB = 4 << 20


@attrs.frozen
class Hunk:
    """Lines of the parent's file that a commit replaces; 1-based."""

    start: int
    """The first of them, or the line before the insertion if there is none."""
    lines: int
    added: int


@attrs.frozen
class ChangedFile:
    path: str
    data: bytes
    """The file in the parent."""
    hunks: tuple[Hunk, ...]


@attrs.frozen
class Case:
    commit: str
    parent: str
    files: tuple[ChangedFile, ...]
    """Source files that the parent has and the commit changes, in bytewise order."""


def cases(
    repository: pygit2.Repository,
    head: str,
    is_source: Callable[[str, bytes], bool],
    fewest: int,
    most: int,
) -> Iterator[Case]:
    """Yield the commits that change so many files, the newest first.

    All files count for `most`, source files that the parent has for `fewest`. A renamed file is
    one file, under its old path.
    """
    for commit in repository.walk(repository[head].id, SortMode.TIME):
        if len(commit.parents) != 1:
            continue
        parent = commit.parents[0]
        diff = repository.diff(parent, commit, context_lines=0)
        # Most commits that are too large are so by far: their texts need not be compared.
        if not fewest <= len(diff) <= 3 * most:
            continue
        diff.find_similar()
        if len(diff) > most:
            continue
        try:
            files = list(_changed_sources(repository, diff, is_source))
        except KeyError:
            # A copy of a repository may lack contents.
            continue
        if len(files) >= fewest:
            files.sort(key=lambda each: each.path.encode("utf-8"))
            yield Case(str(commit.id), str(parent.id), tuple(files))


def _changed_sources(
    repository: pygit2.Repository, diff: pygit2.Diff, is_source: Callable[[str, bytes], bool]
) -> Iterator[ChangedFile]:
    for patch in diff:
        data = _text(repository, patch.delta.old_file) if patch is not None else None
        if patch is None or data is None or not is_source(patch.delta.old_file.path, data):
            continue
        hunks = tuple(Hunk(each.old_start, each.old_lines, each.new_lines) for each in patch.hunks)
        if hunks:
            yield ChangedFile(patch.delta.old_file.path, data, hunks)


def _text(repository: pygit2.Repository, file: pygit2.DiffFile) -> bytes | None:
    """Return one side of a change; None if it is absent, not a regular file, or binary."""
    if file.mode not in (FileMode.BLOB, FileMode.BLOB_EXECUTABLE):
        return None
    blob = repository.get(file.id)
    if not isinstance(blob, pygit2.Blob) or blob.size > _LARGEST_BLOB or blob.is_binary:
        return None
    return blob.data


class Checkout:
    """A work tree of a repository, kept for the next run.

    Only one process at a time can use a folder: another one ends with `BlockingIOError`.
    """

    def __init__(self, repository: Path, folder: Path) -> None:
        self.folder = folder / "tree"
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = (folder / "lock").open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not (self.folder / ".git").exists():
            # Objects are shared: none is copied.
            _git("clone", "-q", "--shared", "--no-checkout", str(repository), str(self.folder))
        # A killed run leaves it behind.
        (self.folder / ".git" / "index.lock").unlink(missing_ok=True)

    def show(self, commit: str) -> None:
        _git("-C", str(self.folder), "checkout", "-q", "--force", "--detach", commit)
        _git("-C", str(self.folder), "clean", "-q", "-d", "-x", "--force")


def _git(*arguments: str) -> None:
    # A person's configuration (filters, line ends, hooks) must not affect the result.
    plain = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    options = ("-c", "safe.directory=*", "-c", "core.hooksPath=/dev/null")
    subprocess.run(
        ["git", *options, *arguments], check=True, env={"PATH": "/usr/bin:/bin", **plain}
    )
