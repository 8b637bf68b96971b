"""Context snapshots: record what an AI saw in the repository itself; list and compare them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs
import msgspec

from sightline.engine.build import now
from sightline.engine.snapshot_builds import RENDERED
from sightline.engine.snapshot_store import (
    GivenItem,
    SnapshotInfo,
    blobs_of,
    cleared_item,
    commit_of,
    draft_item,
    head_commit,
    missing_object,
    new_id,
    no_objects,
    stored,
    without_secret_words,
)
from sightline.provenance.model import (
    Actor,
    ContextSnapshot,
    SelectionStrategy,
    SnapshotError,
    read_snapshot,
)
from sightline.refusals import Refusal, RefusalKind
from sightline.workspace.git_objects import GitObjects, ObjectFault, Retention

_EXPORT = "sightline-snapshot-1"


def create_snapshot(
    root: Path,
    items: Sequence[GivenItem],
    *,
    created_by: Actor,
    strategy: SelectionStrategy = SelectionStrategy.EXPLICIT,
    summary: str | None = None,
    retention: str = Retention.REFS,
) -> SnapshotInfo | Refusal:
    """Store things that were seen as a snapshot."""
    objects = GitObjects(root)
    cleared: list[tuple[GivenItem, str | None]] = []
    for item in items:
        clear = cleared_item(item)
        if isinstance(clear, Refusal):
            return clear
        cleared.append(clear)
    try:
        draft = ContextSnapshot(new_id(), now(), created_by, strategy)
        drafts = [draft_item(item, note) for item, note in cleared]
    except SnapshotError as error:
        return error.refusal
    ids = objects.write([item.content for item, _ in cleared])
    if isinstance(ids, ObjectFault):
        return no_objects(ids)
    for drafted, blob in zip(drafts, ids, strict=True):
        draft = draft.with_item(attrs.evolve(drafted, blob=blob))
    final = draft.with_summary(without_secret_words(summary)).finalised()
    return stored(objects, final, retention, head_commit(root))


def list_snapshots(
    root: Path, *, path: str | None = None, since: str | None = None, commit: str | None = None
) -> list[SnapshotInfo] | Refusal:
    """Return the snapshots of a repository, the oldest first; those that cannot be read aside."""
    known = GitObjects(root).snapshots()
    if isinstance(known, ObjectFault):
        return no_objects(known)
    found = []
    for each in known:
        try:
            snapshot = read_snapshot(each.data or b"")
        except SnapshotError:
            continue
        is_for = path is None or any(item.path == path for item in snapshot.items)
        is_since = since is None or snapshot.created_at >= since
        build = snapshot.more.get("build")
        made_at = build.get("commit") if isinstance(build, dict) else None
        is_at = commit is None or (isinstance(made_at, str) and made_at.startswith(commit))
        if is_for and is_since and is_at:
            found.append(SnapshotInfo(snapshot, each.blob))
    return found


def find_snapshot(root: Path, name: str) -> SnapshotInfo | Refusal:
    """Return a snapshot by its id or the beginning of it."""
    known = list_snapshots(root)
    if isinstance(known, Refusal):
        return known
    found = [each for each in known if each.snapshot.object_id.startswith(name.lower())]
    if len(found) == 1 and name:
        return found[0]
    choices = tuple(each.snapshot.object_id for each in found[:10]) if name else ()
    return Refusal(
        RefusalKind.AMBIGUOUS_TARGET if choices else RefusalKind.INVALID_REQUEST,
        "ambiguous_snapshot" if choices else "no_snapshot",
        None,
        "several snapshots begin so" if choices else "there is no such snapshot",
        "give more of the id; 'sightline snapshot list' lists them",
        candidates=choices,
    )


def snapshot_content(root: Path, info: SnapshotInfo, path: str | None = None) -> bytes | Refusal:
    """Return the very bytes that were sent, or those of one item."""
    items = info.snapshot.items
    if path is not None:
        chosen = [each for each in items if each.path == path]
    else:
        chosen = [each for each in items if each.kind == RENDERED] or list(items[:1])
    if not chosen or chosen[0].blob is None:
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "no_item",
            None,
            "the snapshot has no such item",
            "'sightline snapshot show ID' lists its items",
        )
    data = GitObjects(root).read([chosen[0].blob])
    if isinstance(data, ObjectFault):
        return no_objects(data)
    return data[0] if data[0] is not None else missing_object(chosen[0].path)


def prune_snapshots(root: Path, names: Sequence[str]) -> int | Refusal:
    """Remove snapshots and the anchors that no other one needs. Return how many anchors went."""
    known = list_snapshots(root)
    if isinstance(known, Refusal):
        return known
    needed: set[str] = set()
    for each in known:
        if each.snapshot.object_id not in names:
            needed.update(blobs_of(each.snapshot))
    removed = GitObjects(root).forget(names, needed)
    return no_objects(removed) if isinstance(removed, ObjectFault) else removed


def compare_snapshots(one: ContextSnapshot, other: ContextSnapshot) -> list[str]:
    """Return how two snapshots differ, one line each: items first, then what was asked for."""
    before = {(each.kind, each.path): each.blob for each in one.items}
    after = {(each.kind, each.path): each.blob for each in other.items}
    told = [f"- {kind} {path}" for kind, path in sorted(before.keys() - after.keys())]
    told += [f"+ {kind} {path}" for kind, path in sorted(after.keys() - before.keys())]
    told += [
        f"~ {kind} {path}"
        for kind, path in sorted(before.keys() & after.keys())
        if before[kind, path] != after[kind, path]
    ]
    for name in ("selection_strategy", "summary", "created_by"):
        if getattr(one, name) != getattr(other, name):
            told.append(f"~ {name}")
    first, second = one.more.get("build"), other.more.get("build")
    if isinstance(first, dict) and isinstance(second, dict):
        keys = sorted({*first, *second})
        told += [f"~ {key}" for key in keys if first.get(key) != second.get(key)]
    return told


def export_snapshot(root: Path, info: SnapshotInfo) -> bytes | Refusal:
    """Return a snapshot and everything that it needs, its commit aside, as one file."""
    ids = [blob for blob in dict.fromkeys(blobs_of(info.snapshot)) if blob != commit_of(info)]
    data = GitObjects(root).read(ids)
    if isinstance(data, ObjectFault):
        return no_objects(data)
    for blob, content in zip(ids, data, strict=True):
        if content is None:
            return missing_object(blob)
    blobs = dict(zip(ids, data, strict=True))
    return msgspec.json.encode(
        {"format": _EXPORT, "snapshot": info.snapshot.to_json().decode("utf-8"), "blobs": blobs}
    )


def import_snapshot(
    root: Path, data: bytes, retention: str = Retention.REFS
) -> SnapshotInfo | Refusal:
    """Store what `export_snapshot` wrote. Every object is checked against its id."""
    try:
        exported = msgspec.json.decode(data, type=_Exported)
        snapshot = read_snapshot(exported.snapshot.encode("utf-8"))
    except (msgspec.DecodeError, RecursionError):
        return _no_export("it was not written by 'sightline snapshot export'")
    except SnapshotError as error:
        return error.refusal
    if exported.format != _EXPORT or not snapshot.is_final:
        return _no_export("its format is unknown")
    objects = GitObjects(root)
    ids = objects.write(list(exported.blobs.values()))
    if isinstance(ids, ObjectFault):
        return no_objects(ids)
    if list(ids) != list(exported.blobs):
        return _no_export("an object in it is not what its id says")
    commit = commit_of(SnapshotInfo(snapshot, ""))
    lacking = [each for each in blobs_of(snapshot) if each not in ids and each != commit]
    if lacking:
        return _no_export("an object is missing in it")
    has_commit = commit is not None and not isinstance(objects.tree(commit), ObjectFault)
    return stored(objects, snapshot, retention, commit if has_commit else None, ids)


class _Exported(msgspec.Struct, frozen=True):
    format: str
    snapshot: str
    blobs: dict[str, bytes]


def _no_export(why: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "no_export",
        None,
        f"the file is no exported snapshot: {why}",
        "give a file that 'sightline snapshot export' wrote",
    )
