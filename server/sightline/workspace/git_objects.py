"""Objects and refs of a repository, read and written by libgit2 in a process that can be killed.

Invariants: nothing is written but objects and refs below `refs/ai/`, and nothing is pushed. An
object whose bytes are not what its id says counts as missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import msgspec

from sightline.workspace.entries import is_file, is_there
from sightline.workspace.git_folder import has_plain_objects, looks_plain
from sightline.workspace.git_process import GitProcesses
from sightline.workspace.jail import Jail

_WALL_SECONDS = 20.0
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
    """A mark: only Sightline's own collection of garbage keeps it."""


class ObjectFault(StrEnum):
    """Why objects cannot be read or written."""

    NO_REPOSITORY = "no_repository"
    UNSUPPORTED_HASH = "unsupported_hash"
    NOT_WRITABLE = "not_writable"
    UNREADABLE = "unreadable"
    EXISTS = "exists"
    MISSING = "missing"
    LOCKED = "locked"
    CHANGED = "changed"
    DAMAGED = "damaged"
    PRECIOUS = "precious"
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


class WorkTree(msgspec.Struct, frozen=True):
    commit: str | None
    """What is checked out; None before the first commit."""
    files: tuple[TreeFile, ...]
    """Every file of the commit, submodules aside."""
    changed: tuple[str, ...]
    """Paths that differ from the commit, or are not in it and not ignored."""
    added: tuple[str, ...]
    """Paths of the index that are not in the commit."""
    removed: tuple[str, ...]
    """Paths of the commit that are not in the index."""
    tracked: tuple[str, ...]
    """All paths of the index."""
    unseen: tuple[str, ...]
    """Blobs of the commit that are not there, as in a partial clone."""


class _Files(msgspec.Struct, frozen=True):
    files: tuple[TreeFile, ...]


class _Removed(msgspec.Struct, frozen=True):
    removed: int


class Kept(msgspec.Struct, frozen=True):
    """Whether stock git keeps the objects of a snapshot."""

    unkept: tuple[str, ...]
    """Objects that it may prune."""
    wrong: tuple[str, ...]
    """Refs of snapshots that lead to another object than they name."""
    is_marked: bool
    """True if only `snapshot gc` keeps them, as was asked for."""


class Collected(msgspec.Struct, frozen=True):
    removed: int
    kept: int
    """How many loose objects were old enough, and are needed."""


class _Unanswered(msgspec.Struct, frozen=True):
    fault: ObjectFault | None = None


_T = TypeVar("_T")
_MOST_READ = 100
_MOST_BYTES = 32 << 20


def _in_pieces(blobs: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Return blobs a few at a time, so that no message is too large for the process."""
    piece: list[bytes] = []
    size = 0
    for each in blobs:
        if piece and size + len(each) > _MOST_BYTES:
            yield piece
            piece, size = [], 0
        piece.append(each)
        size += len(each)
    if piece:
        yield piece


class GitObjects:
    """The object database of the repository whose work tree, or bare directory, is given."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))

    def write(self, blobs: Sequence[bytes]) -> tuple[str, ...] | ObjectFault:
        """Store blobs and return their ids. Bytes that are there already cost nothing."""
        ids: list[str] = []
        for some in _in_pieces(blobs):
            answer = self._ask(_Ids, "write", blobs=some)
            if isinstance(answer, ObjectFault):
                return answer
            ids += answer.ids
        return tuple(ids)

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

    def snapshots(self, prefix: str = "") -> tuple[StoredSnapshot, ...] | ObjectFault:
        """Return the snapshots whose ids begin so, ordered by their ids."""
        answer = self._ask(_Snapshots, "list", prefix=prefix)
        return answer if isinstance(answer, ObjectFault) else answer.snapshots

    def read(self, ids: Sequence[str]) -> tuple[bytes | None, ...] | ObjectFault:
        data: list[bytes | None] = []
        for first in range(0, len(ids), _MOST_READ):
            answer = self._ask(_Data, "read", ids=list(ids[first : first + _MOST_READ]))
            if isinstance(answer, ObjectFault):
                return answer
            data += answer.data
        return tuple(data)

    def tree(self, commit: str) -> tuple[TreeFile, ...] | ObjectFault:
        """Return every file of a commit, submodules aside."""
        answer = self._ask(_Files, "tree", commit=commit)
        return answer if isinstance(answer, ObjectFault) else answer.files

    def work_tree(self) -> WorkTree | ObjectFault:
        """Return what is checked out and how the files on the disk differ from it."""
        return self._ask(WorkTree, "work_tree")

    def stage(
        self,
        files: Sequence[TreeFile],
        excludes: bytes | None,
        *,
        is_linked: bool,
        ignores_case: bool,
        is_unreadable: bool,
    ) -> ObjectFault | None:
        """Make a directory that is not there yet a repository that tracks the given files.

        A linked one has git's directory elsewhere, in `repository` beside it. libgit2 cannot open
        an unreadable one, as where the hash is SHA-256.
        """
        question = {
            "ask": "stage",
            "root": str(self.root),
            "files": list(files),
            "exclude": excludes,
            "is_linked": is_linked,
            "ignores_case": ignores_case,
            "is_unreadable": is_unreadable,
        }
        answer = _PROCESSES.exchange(msgspec.msgpack.encode(question))
        if answer is None:
            return ObjectFault.TIME_OUT
        return msgspec.msgpack.decode(answer, type=_Unanswered).fault

    def forget(
        self, names: Sequence[str], needed: Iterable[str], known: Iterable[str]
    ) -> int | ObjectFault:
        """Remove snapshots, and every anchor of an object that is not `needed`.

        Nothing is done (`ObjectFault.CHANGED`) if there are other snapshots than the `known` ones.
        """
        answer = self._ask(
            _Removed,
            "forget",
            ids=list(names),
            needed=sorted(set(needed)),
            known=[*names, *known],
        )
        return answer if isinstance(answer, ObjectFault) else answer.removed

    def kept(self, name: str, ids: Sequence[str], commit: str | None) -> Kept | ObjectFault:
        """Tell whether stock git keeps what a snapshot needs."""
        return self._ask(Kept, "kept", name=name, ids=list(ids), commit=commit)

    def collect(
        self, needed: Iterable[str], known: Iterable[str], seconds: float, *, is_trial: bool
    ) -> Collected | ObjectFault:
        """Remove loose objects older than so many seconds that neither git nor `needed` names.

        Nothing is done (`ObjectFault.CHANGED`) if there are other snapshots than the `known` ones.
        """
        return self._ask(
            Collected,
            "collect",
            needed=sorted(set(needed)),
            known=list(known),
            seconds=seconds,
            is_trial=is_trial,
        )

    def _ask(self, kind: type[_T], what: str, **needs: object) -> _T | ObjectFault:
        if self._fault is not None:
            return self._fault
        question = {"ask": what, "root": str(self.root), **needs}
        answer = _PROCESSES.exchange(msgspec.msgpack.encode(question))
        if answer is None:
            return ObjectFault.TIME_OUT
        unanswered = msgspec.msgpack.decode(answer, type=_Unanswered).fault
        return unanswered if unanswered is not None else msgspec.msgpack.decode(answer, type=kind)

    @cached_property
    def _fault(self) -> ObjectFault | None:
        """Why libgit2 is not asked about a directory, if it is not; looked at once."""
        git = self.root / ".git"
        if "\ufffd" in os.fsencode(self.root).decode("utf-8", "replace"):
            # libgit2 is asked by names that are UTF-8.
            return ObjectFault.NO_REPOSITORY
        if not is_there(git):
            git = self.root
            if not all(is_there(git / name) for name in ("HEAD", "objects", "refs")):
                return ObjectFault.NO_REPOSITORY
        elif not looks_plain(Jail(self.root)):
            return ObjectFault.NO_REPOSITORY
        if not has_plain_objects(git):
            return ObjectFault.NO_REPOSITORY
        config = git / "config"
        if is_file(config):
            with config.open("rb") as file:
                written = file.read(_CONFIG_BYTES).lower()
            if _SHA256 in written.replace(b" ", b"").replace(b"\t", b""):
                return ObjectFault.UNSUPPORTED_HASH
        return None


_PROCESSES = GitProcesses(
    Path(__file__).with_name("git_objects_child.py"), wall_seconds=_WALL_SECONDS
)
