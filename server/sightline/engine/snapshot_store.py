"""Store context snapshots, one object at a time.

Invariant: nothing is written but objects and refs below `refs/ai/`.
"""

from __future__ import annotations

import time
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import attrs

from sightline.provenance.model import ContextSnapshot
from sightline.refusals import Refusal, RefusalKind
from sightline.workspace.git_objects import GitObjects, Kept, ObjectFault, Retention, TreeFile

_LARGEST_ITEM = 16 << 20
_MOST_TRIES = 5


class Objects(Protocol):
    """Where the objects of snapshots are: a repository, or one file."""

    def write(self, blobs: Sequence[bytes]) -> tuple[str, ...] | ObjectFault: ...

    def anchor(
        self,
        name: str,
        data: bytes,
        blobs: Iterable[str],
        retention: Retention,
        commit: str | None,
        /,
    ) -> str | ObjectFault: ...

    def read(self, ids: Sequence[str]) -> tuple[bytes | None, ...] | ObjectFault: ...

    def tree(self, commit: str, /) -> tuple[TreeFile, ...] | ObjectFault: ...

    def kept(self, name: str, ids: Sequence[str], commit: str | None, /) -> Kept | ObjectFault: ...


@attrs.frozen
class SnapshotInfo:
    snapshot: ContextSnapshot
    blob: str
    """The id of the object that contains it."""
    raw: bytes | None = None
    """The bytes of that object, if it was read; None for a snapshot that was just created."""
    name: str | None = None
    """The name of its ref, if it was read from a repository."""


def repository_objects(root: Path) -> Objects:
    """Return the object database of the repository in a directory."""
    return GitObjects(root)


def blobs_of(snapshot: ContextSnapshot) -> list[str]:
    """Return the ids of all objects that a snapshot needs, including its commit."""
    build = snapshot.more.get("build")
    needed = [each.blob for each in snapshot.items if each.blob is not None]
    if isinstance(build, Mapping):
        needed += [blob for _, blob in pairs(build.get("changed_files"))]
        needed += [each for each in (build.get("commit"),) if isinstance(each, str)]
    return needed


def commit_of(info: SnapshotInfo) -> str | None:
    build = info.snapshot.more.get("build")
    commit = build.get("commit") if isinstance(build, Mapping) else None
    return commit if isinstance(commit, str) else None


def stored(
    objects: Objects,
    draft: ContextSnapshot,
    retention: str,
    commit: str | None,
    besides: Iterable[str] = (),
    *,
    in_tree: Container[str] = (),
) -> SnapshotInfo | Refusal:
    """Store a snapshot under the id that is derived from its content.

    Blobs that are `in_tree` of the commit are kept with it; the others are kept according to the
    retention. `besides` are blobs that no item names.
    """
    if retention not in tuple(Retention):
        return unknown_retention()
    named = [*(each.blob for each in draft.items if each.blob is not None), *besides]
    blobs = [each for each in named if each not in in_tree]
    for _ in range(_MOST_TRIES):
        final = draft.sealed(time.time_ns() // 1_000_000)
        blob = objects.anchor(final.object_id, final.to_json(), blobs, Retention(retention), commit)
        if not isinstance(blob, ObjectFault):
            return SnapshotInfo(final, blob)
        if blob is not ObjectFault.EXISTS:
            return no_objects(blob)
        # Another writer stored the same content in the same millisecond.
        time.sleep(0.002)
    return no_objects(ObjectFault.EXISTS)


def pairs(value: object) -> list[tuple[str, str]]:
    pairs = value if isinstance(value, tuple) else ()
    return [
        (each[0], each[1])
        for each in pairs
        if isinstance(each, tuple)
        and len(each) == 2
        and all(isinstance(part, str) for part in each)
    ]


def missing_object(path: str) -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "missing_object",
        path,
        "its object is missing or damaged",
        "fetch refs/ai/* from where the snapshot was made",
    )


def unknown_retention() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "unknown_retention",
        None,
        "there is no such retention",
        f"use {', '.join(Retention)}",
    )


_FAULTS = {
    ObjectFault.NO_REPOSITORY: (
        "there is no repository here",
        "store it in a file instead: --to FILE",
    ),
    ObjectFault.UNSUPPORTED_HASH: (
        "the repository uses SHA-256, which the git library cannot write",
        "store it in a file instead: --to FILE",
    ),
    ObjectFault.NOT_WRITABLE: (
        "the repository's objects cannot be written",
        "check its permissions and the disk",
    ),
    ObjectFault.UNREADABLE: ("the repository cannot be read", "check it with 'git fsck'"),
    ObjectFault.EXISTS: ("there is a snapshot of that id already", "try again"),
    ObjectFault.MISSING: ("an object is missing", "fetch refs/ai/* from where it was made"),
    ObjectFault.LOCKED: (
        "another process is changing the refs of snapshots, or was killed while changing them",
        "try again in a minute: then a lock that was left behind is removed",
    ),
    ObjectFault.CHANGED: ("other snapshots were stored at the same time", "try again"),
    ObjectFault.DAMAGED: (
        "an object that is needed cannot be read, so nothing was removed",
        "check the repository with 'git fsck'",
    ),
    ObjectFault.PRECIOUS: (
        "the repository says that none of its objects may be removed (extensions.preciousObjects)",
        "leave them, or remove that setting from its configuration",
    ),
    ObjectFault.TIME_OUT: ("the repository took too long to answer", "try again"),
}


def no_objects(fault: ObjectFault) -> Refusal:
    message, advice = _FAULTS[fault]
    return Refusal(RefusalKind.INDEX_UNAVAILABLE, fault.value, None, message, advice)
