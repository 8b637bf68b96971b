"""Store and find context snapshots in the repository, one object at a time.

Invariants: a text is stored without its secrets, and not at all where their bounds are not clear;
nothing is written but objects and refs below `refs/ai/`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

import attrs

from sightline.context.secret_checks import is_removable
from sightline.egress import ScanFailure, guarded_scan, redacted
from sightline.provenance.model import (
    Actor,
    ActorKind,
    ContextItem,
    ContextSnapshot,
    ItemKind,
    new_object_id,
    preview_of,
)
from sightline.refusals import Refusal, RefusalKind
from sightline.text import Span
from sightline.workspace.git_history import GitFault, GitHistory
from sightline.workspace.git_objects import GitObjects, ObjectFault, Retention

_LARGEST_ITEM = 16 << 20


@attrs.frozen
class GivenItem:
    """What a person or a program names for a snapshot."""

    kind: str
    path: str
    content: bytes
    is_text: bool = True


@attrs.frozen
class SnapshotInfo:
    snapshot: ContextSnapshot
    blob: str
    """The id of the object that holds it."""


def actor_of(written: str) -> Actor:
    """Return whoever a text names: `agent:coder`, or `coder` for a person."""
    kind, separator, name = written.partition(":")
    return Actor(kind, name) if separator else Actor(ActorKind.HUMAN, written)


def item_of(kind: str, path: str, content: bytes) -> GivenItem:
    """Return an item that a person names; only images are stored as they are."""
    return GivenItem(kind, path, content, is_text=kind != ItemKind.IMAGE)


def blobs_of(snapshot: ContextSnapshot) -> list[str]:
    """Return the ids of all objects that a snapshot needs, its commit among them."""
    build = snapshot.more.get("build")
    needed = [each.blob for each in snapshot.items if each.blob is not None]
    if isinstance(build, dict):
        needed += [blob for _, blob in pairs(build.get("changed_files"))]
        needed += [build["commit"]] if isinstance(build.get("commit"), str) else []
    return needed


def commit_of(info: SnapshotInfo) -> str | None:
    build = info.snapshot.more.get("build")
    commit = build.get("commit") if isinstance(build, dict) else None
    return commit if isinstance(commit, str) else None


def stored(
    objects: GitObjects,
    snapshot: ContextSnapshot,
    retention: str,
    commit: str | None,
    besides: Iterable[str] = (),
) -> SnapshotInfo | Refusal:
    if retention not in tuple(Retention):
        return _unknown_retention()
    blobs = [*(each.blob for each in snapshot.items if each.blob is not None), *besides]
    blob = objects.anchor(
        snapshot.object_id,
        snapshot.to_json(),
        blobs,
        Retention(retention),
        commit if "build" in snapshot.more else None,
    )
    return no_objects(blob) if isinstance(blob, ObjectFault) else SnapshotInfo(snapshot, blob)


def cleared_item(item: GivenItem) -> tuple[GivenItem, str | None] | Refusal:
    """Return an item without its secrets, and what to say of that; or why it is not stored."""
    if len(item.content) > _LARGEST_ITEM:
        return _not_stored(item, "it is larger than 16 MiB")
    words = without_secret_words(item.path)
    if words != item.path:
        item = attrs.evolve(item, path=words or "")
    if not item.is_text:
        return item, None
    found = guarded_scan(item.content)
    if isinstance(found, ScanFailure) or not all(map(is_removable, found)):
        return _not_stored(item, "it may hold a secret with unclear bounds")
    if not found:
        return item, None
    clean = redacted(item.content, Span(0, len(item.content)), found)
    return attrs.evolve(item, content=clean), "redacted"


def without_secret_words(text: str | None) -> str | None:
    """Return a short text without secrets."""
    if text is None:
        return None
    data = text.encode("utf-8", "replace")
    found = guarded_scan(data)
    if isinstance(found, ScanFailure):
        return "[REDACTED]"
    return redacted(data, Span(0, len(data)), found).decode("utf-8")


def draft_item(item: GivenItem, note: str | None) -> ContextItem:
    preview = preview_of(item.content.decode("utf-8", "replace")) if item.is_text else None
    return ContextItem(item.kind, item.path, preview, None, {"note": note} if note else {})


def pairs(value: object) -> list[tuple[str, str]]:
    pairs = value if isinstance(value, list) else []
    return [
        (each[0], each[1])
        for each in pairs
        if isinstance(each, list) and len(each) == 2 and all(isinstance(part, str) for part in each)
    ]


def head_commit(root: Path) -> str | None:
    head = GitHistory(root).head()
    return None if isinstance(head, GitFault) else head.commit


def new_id() -> str:
    return new_object_id(time.time_ns() // 1_000_000, os.urandom(10))


def _not_stored(item: GivenItem, why: str) -> Refusal:
    return Refusal(
        RefusalKind.SECRET_RISK if "secret" in why else RefusalKind.UNSUPPORTED_TARGET,
        "not_stored",
        item.path if item.kind == ItemKind.FILE else None,
        f"an item is not stored: {why}",
        "leave it out, or remove the secret",
    )


def missing_object(path: str) -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "missing_object",
        path,
        "the object that holds it is gone, or is not what its id says",
        "fetch refs/ai/* from where the snapshot was made",
    )


def _unknown_retention() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "unknown_retention",
        None,
        "there is no such way to keep a snapshot",
        f"use {', '.join(Retention)}",
    )


_FAULTS = {
    ObjectFault.NO_REPOSITORY: ("there is no repository here", "go to one, or use --output FILE"),
    ObjectFault.UNSUPPORTED_HASH: (
        "the repository uses SHA-256, which the git library cannot write",
        "export the bundle to a file instead",
    ),
    ObjectFault.NOT_WRITABLE: (
        "the repository's objects cannot be written",
        "check its permissions and the disk",
    ),
    ObjectFault.UNREADABLE: ("the repository cannot be read", "check it with 'git fsck'"),
    ObjectFault.EXISTS: ("there is a snapshot of that id already", "try again"),
    ObjectFault.MISSING: ("an object is missing", "fetch refs/ai/* from where it was made"),
    ObjectFault.TIME_OUT: ("the repository took too long to answer", "try again"),
}


def no_objects(fault: ObjectFault) -> Refusal:
    message, advice = _FAULTS[fault]
    return Refusal(RefusalKind.INDEX_UNAVAILABLE, fault.value, None, message, advice)
