"""Objects and refs of a repository, read and written by libgit2 in a process that can be killed.

Invariants: nothing is written but objects and refs below `refs/ai/`, and nothing is pushed. An
object whose bytes are not what its id says counts as missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import msgspec

from sightline.workspace.git_folder import exclude_file, looks_plain
from sightline.workspace.git_process import GitProcesses
from sightline.workspace.jail import Jail

_WALL_SECONDS = 120.0
_SHA256 = b"objectformat=sha256"
_CONFIG_BYTES = 1 << 16


class Retention(StrEnum):
    """How git is kept from pruning what a snapshot names."""

    REFS = "refs"
    """A ref for each blob."""
    ORPHAN = "orphan"
    """A commit on a branch of its own."""
    PACK = "pack"
    """A pack that git keeps."""
    MARK = "mark"
    """Nothing: only Sightline's own collection of garbage keeps it."""


class ObjectFault(StrEnum):
    """Why objects cannot be read or written."""

    NO_REPOSITORY = "no_repository"
    UNSUPPORTED_HASH = "unsupported_hash"
    NOT_WRITABLE = "not_writable"
    UNREADABLE = "unreadable"
    EXISTS = "exists"
    MISSING = "missing"
    TIME_OUT = "time_out"


class StoredSnapshot(msgspec.Struct, frozen=True, array_like=True):
    id: str
    blob: str
    data: bytes | None
    """None where the blob cannot be read."""


class TreeFile(msgspec.Struct, frozen=True, array_like=True):
    path: str
    mode: int
    blob: str


class _Ids(msgspec.Struct, frozen=True):
    ids: tuple[str, ...]


class _Id(msgspec.Struct, frozen=True):
    id: str


class _Snapshots(msgspec.Struct, frozen=True):
    snapshots: tuple[StoredSnapshot, ...]


class _Data(msgspec.Struct, frozen=True):
    data: tuple[bytes | None, ...]


class _Files(msgspec.Struct, frozen=True):
    files: tuple[TreeFile, ...]


class _Removed(msgspec.Struct, frozen=True):
    removed: int


class _Unanswered(msgspec.Struct, frozen=True):
    fault: ObjectFault | None = None


_T = TypeVar("_T")


class GitObjects:
    """The object database of the repository whose work tree, or bare directory, is given."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))

    def write(self, blobs: Sequence[bytes]) -> tuple[str, ...] | ObjectFault:
        """Store blobs and return their ids. Bytes that are there already cost nothing."""
        answer = self._ask(_Ids, "write", blobs=list(blobs))
        return answer if isinstance(answer, ObjectFault) else answer.ids

    def anchor(
        self,
        name: str,
        data: bytes,
        blobs: Iterable[str],
        retention: Retention,
        commit: str | None = None,
    ) -> str | ObjectFault:
        """Store a snapshot under its name and keep what it needs. Return the id of its blob."""
        answer = self._ask(
            _Id,
            "anchor",
            id=name,
            json=data,
            blobs=list(blobs),
            strategy=retention.value,
            commit=commit,
        )
        return answer if isinstance(answer, ObjectFault) else answer.id

    def snapshots(self) -> tuple[StoredSnapshot, ...] | ObjectFault:
        """Return all snapshots, ordered by their ids."""
        answer = self._ask(_Snapshots, "list")
        return answer if isinstance(answer, ObjectFault) else answer.snapshots

    def read(self, ids: Sequence[str]) -> tuple[bytes | None, ...] | ObjectFault:
        answer = self._ask(_Data, "read", ids=list(ids))
        return answer if isinstance(answer, ObjectFault) else answer.data

    def tree(self, commit: str) -> tuple[TreeFile, ...] | ObjectFault:
        """Return every file of a commit, submodules aside."""
        answer = self._ask(_Files, "tree", commit=commit)
        return answer if isinstance(answer, ObjectFault) else answer.files

    def stage(self, files: Sequence[TreeFile], exclude: bytes | None) -> ObjectFault | None:
        """Make the directory a repository that tracks the given files."""
        question = {
            "ask": "stage",
            "root": str(self.root),
            "files": list(files),
            "exclude": exclude,
        }
        answer = _PROCESSES.exchange(msgspec.msgpack.encode(question))
        if answer is None:
            return ObjectFault.TIME_OUT
        return msgspec.msgpack.decode(answer, type=_Unanswered).fault

    def exclude_file(self) -> bytes | None:
        """Return the patterns that git ignores in this repository alone."""
        return exclude_file(Jail(self.root))

    def forget(self, names: Sequence[str], needed: Iterable[str]) -> int | ObjectFault:
        """Remove snapshots, and every anchor of an object that is not `needed`."""
        answer = self._ask(_Removed, "forget", ids=list(names), needed=sorted(set(needed)))
        return answer if isinstance(answer, ObjectFault) else answer.removed

    def _ask(self, kind: type[_T], what: str, **needs: object) -> _T | ObjectFault:
        fault = self._fault()
        if fault is not None:
            return fault
        question = {"ask": what, "root": str(self.root), **needs}
        answer = _PROCESSES.exchange(msgspec.msgpack.encode(question))
        if answer is None:
            return ObjectFault.TIME_OUT
        unanswered = msgspec.msgpack.decode(answer, type=_Unanswered).fault
        return unanswered if unanswered is not None else msgspec.msgpack.decode(answer, type=kind)

    def _fault(self) -> ObjectFault | None:
        """Return why libgit2 is not asked about a directory, if it is not."""
        config = self.root / ".git/config"
        if not (self.root / ".git").exists():
            if not all((self.root / name).exists() for name in ("HEAD", "objects", "refs")):
                return ObjectFault.NO_REPOSITORY
            config = self.root / "config"
        elif not looks_plain(Jail(self.root)):
            return ObjectFault.NO_REPOSITORY
        if config.is_file():
            with config.open("rb") as file:
                written = file.read(_CONFIG_BYTES).lower()
            if _SHA256 in written.replace(b" ", b"").replace(b"\t", b""):
                return ObjectFault.UNSUPPORTED_HASH
        return None


_PROCESSES = GitProcesses(
    Path(__file__).with_name("git_objects_child.py"), count=1, wall_seconds=_WALL_SECONDS
)
