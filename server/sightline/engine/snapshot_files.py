"""A snapshot as one file: exported from a repository, or created without one.

Invariant: every object in a file is checked against its id before it is used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import msgspec

from sightline.engine.snapshot_store import Objects, SnapshotInfo, blobs_of, commit_of
from sightline.provenance.model import ContextSnapshot, read_snapshot
from sightline.provenance.vocabulary import SnapshotError
from sightline.refusals import Refusal, RefusalKind
from sightline.workspace.git_objects import Kept, ObjectFault, TreeFile

_FORMAT = "sightline-snapshot-1"


class _ExportedFile(msgspec.Struct, frozen=True):
    format: str
    snapshot: str
    blobs: dict[str, bytes]


class FileObjects:
    """Objects in memory, for a file.

    Objects that a file leaves out, a commit and its files, are read from a `repository` if there is
    one.
    """

    def __init__(
        self, blobs: Mapping[str, bytes] | None = None, repository: Objects | None = None
    ) -> None:
        self.blobs = dict(blobs or {})
        self._repository = repository

    def write(self, blobs: Sequence[bytes]) -> tuple[str, ...] | ObjectFault:
        ids = tuple(map(object_id, blobs))
        self.blobs.update(zip(ids, blobs, strict=True))
        return ids

    def anchor(
        self, _name: str, data: bytes, _blobs: object, _retention: object, _commit: object
    ) -> str | ObjectFault:
        return object_id(data)

    def read(self, ids: Sequence[str]) -> tuple[bytes | None, ...] | ObjectFault:
        others = [each for each in ids if each not in self.blobs]
        read = self._repository.read(others) if self._repository is not None and others else ()
        found = {} if isinstance(read, ObjectFault) else dict(zip(others, read, strict=False))
        return tuple(self.blobs.get(each, found.get(each)) for each in ids)

    def tree(self, commit: str) -> tuple[TreeFile, ...] | ObjectFault:
        files = self._repository.tree(commit) if self._repository is not None else None
        return files if isinstance(files, tuple) else ObjectFault.MISSING

    def kept(self, _name: str, _ids: object, _commit: object) -> Kept | ObjectFault:
        return Kept((), (), is_marked=False)


def object_id(data: bytes) -> str:
    """Return git's id for a blob."""
    header = f"blob {len(data)}\0".encode("ascii")
    return hashlib.sha1(header + data, usedforsecurity=False).hexdigest()


def written_file(snapshot: ContextSnapshot, blobs: Mapping[str, bytes]) -> bytes:
    """Return a snapshot and the objects that it needs as one file."""
    needed = {each: blobs[each] for each in sorted(set(blobs_of(snapshot))) if each in blobs}
    text = snapshot.to_json().decode("utf-8")
    return msgspec.json.encode(_ExportedFile(_FORMAT, text, needed))


def read_snapshot_file(
    data: bytes, repository: Objects | None = None
) -> tuple[SnapshotInfo, FileObjects] | Refusal:
    """Return the snapshot in a file, and its objects; `repository` may have its commit."""
    try:
        written = msgspec.json.decode(data, type=_ExportedFile)
        snapshot = read_snapshot(written.snapshot.encode("utf-8"))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _no_export("it was not written by 'sightline snapshot export'")
    except SnapshotError as error:
        return error.refusal
    if written.format != _FORMAT or not snapshot.is_final:
        return _no_export("its format is unknown")
    if any(object_id(content) != name for name, content in written.blobs.items()):
        return _no_export("an object in it is not what its id says")
    raw = written.snapshot.encode("utf-8")
    info = SnapshotInfo(snapshot, object_id(raw), raw)
    lacking = {*blobs_of(snapshot)} - {*written.blobs, commit_of(info)}
    if lacking:
        return _no_export("an object is missing in it")
    return info, FileObjects(written.blobs, repository)


def _no_export(why: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "no_export",
        None,
        f"the file is not an exported snapshot: {why}",
        "give a file that 'sightline snapshot export' or '--to' wrote",
    )
