"""Histories: what was changed together, read from a repository with libgit2.

A case is a commit with one parent that touches a few source files. Its tree is the parent's, laid
out in a folder that moves from case to case: what two neighbours share is neither written nor
parsed again.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pygit2
from pygit2.enums import FileMode, SortMode

_LARGEST_BLOB = 4 << 20


@attrs.frozen
class Hunk:
    """Lines of the parent's file that a commit replaces; 1-based. None: it adds behind `start`."""

    start: int
    lines: int


@attrs.frozen
class ChangedFile:
    path: str
    hunks: tuple[Hunk, ...]
    changed_lines: int


@attrs.frozen
class Case:
    commit: str
    parent: str
    files: tuple[ChangedFile, ...]
    """Source files that the parent has and the commit changes, in bytewise order."""


def cases(
    repository: pygit2.Repository, is_source: Callable[[str, bytes], bool], fewest: int, most: int
) -> Iterator[Case]:
    """The newest first. Files that a commit adds count for its size, and are no part of its case:
    nobody can be shown them."""
    for commit in repository.walk(repository.head.target, SortMode.TIME):
        if len(commit.parents) != 1:
            continue
        parent = commit.parents[0]
        diff = repository.diff(parent, commit, context_lines=0)
        # Most commits that are too large are so by far: their texts need not be compared.
        deltas = list(diff.deltas) if len(diff) <= 10 * most else []
        if not fewest <= len(deltas):
            continue
        touched = 0
        files: list[ChangedFile] = []
        for patch in diff if deltas else ():
            if patch is None:
                continue
            delta = patch.delta
            old = _text(repository, delta.old_file)
            new = _text(repository, delta.new_file)
            path = delta.old_file.path if old is not None else delta.new_file.path
            shown = old if old is not None else new
            if shown is None or not is_source(path, shown):
                continue
            touched += 1
            if old is None:
                continue
            hunks = tuple(Hunk(each.old_start, each.old_lines) for each in patch.hunks)
            _, additions, deletions = patch.line_stats
            if hunks:
                files.append(ChangedFile(path, hunks, additions + deletions))
        if fewest <= touched <= most and len(files) >= fewest:
            files.sort(key=lambda each: each.path.encode("utf-8"))
            yield Case(str(commit.id), str(parent.id), tuple(files))


def _text(repository: pygit2.Repository, file: pygit2.DiffFile) -> bytes | None:
    """The content of one side of a change; None for what is absent, no regular file or binary."""
    if file.mode not in (FileMode.BLOB, FileMode.BLOB_EXECUTABLE):
        return None
    blob = repository.get(file.id)
    if not isinstance(blob, pygit2.Blob) or blob.size > _LARGEST_BLOB or blob.is_binary:
        return None
    return blob.data


class WorkTree:
    """A folder that holds the regular files of one commit after the other."""

    def __init__(self, repository: pygit2.Repository, folder: Path) -> None:
        self._repository = repository
        self._written: dict[str, pygit2.Oid] = {}
        self.folder = folder
        folder.mkdir(parents=True)

    def show(self, commit: str) -> None:
        wanted = self._files(commit)
        for path in self._written.keys() - wanted.keys():
            (self.folder / path).unlink()
        for path, oid in wanted.items():
            if self._written.get(path) == oid:
                continue
            place = self.folder / path
            if place.is_dir():
                # What was a folder with files is a file now.
                shutil.rmtree(place)
            place.parent.mkdir(parents=True, exist_ok=True)
            blob = self._repository[oid]
            assert isinstance(blob, pygit2.Blob)
            place.write_bytes(blob.data)
        self._written = wanted

    def _files(self, commit: str) -> dict[str, pygit2.Oid]:
        found: dict[str, pygit2.Oid] = {}
        pending: list[tuple[str, pygit2.Tree]] = [("", self._repository[commit].peel(pygit2.Tree))]
        while pending:
            prefix, tree = pending.pop()
            for entry in tree:
                path = f"{prefix}{entry.name}"
                if isinstance(entry, pygit2.Tree):
                    pending.append((f"{path}/", entry))
                elif isinstance(entry, pygit2.Blob) and _is_laid_out(entry):
                    found[path] = entry.id
        return found


def _is_laid_out(entry: pygit2.Blob) -> bool:
    if entry.filemode not in (FileMode.BLOB, FileMode.BLOB_EXECUTABLE):
        return False
    try:
        return entry.size <= _LARGEST_BLOB
    except KeyError:
        # A copy of a repository may lack its largest files.
        return False
