"""Context snapshots of an open workspace, for editors and Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from sightline.bundle import BuildResult
from sightline.engine.host import Host
from sightline.engine.results import Status
from sightline.engine.snapshot_builds import snapshot_build, snapshot_record
from sightline.engine.snapshot_differences import compare_snapshots
from sightline.engine.snapshot_items import (
    GivenItem,
    actor_of,
    file_item,
    image_item,
    text_item,
)
from sightline.engine.snapshot_results import SnapshotChange, SnapshotEntry, SnapshotResult
from sightline.engine.snapshot_store import (
    SnapshotInfo,
    commit_of,
    repository_objects,
)
from sightline.engine.snapshot_verify import verify_snapshot
from sightline.engine.snapshots import (
    TRAILER,
    create_snapshot,
    find_snapshot,
    list_snapshots,
    prune_snapshots,
    shown_snapshot,
    snapshot_content,
)
from sightline.provenance.vocabulary import ContextItemKind
from sightline.refusals import Refusal, RefusalKind

ACTIONS = ("create", "list", "show", "cat", "diff", "verify", "prune")


class SnapshotRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to do with snapshots. Each action uses its own fields."""

    action: str
    id: str = ""
    """An id, or the beginning of one."""
    other: str = ""
    """For `diff`: the second snapshot."""
    path: str | None = None
    """For `list`: a file that it shows. For `cat`: the item; by default what was sent."""
    since: str | None = None
    commit: str | None = None
    result: bytes | None = None
    """For `create`: the JSON of a build."""
    items: tuple[tuple[str, str, bytes], ...] = ()
    """For `create`: kind, path and content of each item; a `file` is read from its path."""
    selection_strategy: str = "explicit"
    """For `create` with items: `explicit` or `heuristic`."""
    created_by: str = "other:unknown"
    retention: str = "refs"
    summary: str | None = None


def answer_snapshot(host: Host, request: SnapshotRequest) -> SnapshotResult:
    """Perform the requested action."""
    act = _ACTIONS.get(request.action)
    if act is None:
        return _refused(
            Refusal(
                RefusalKind.INVALID_REQUEST,
                "usage",
                None,
                "there is no such action",
                f"use {', '.join(ACTIONS)}",
            )
        )
    return act(host, request)


def record_build(
    host: Host, result: BuildResult, created_by: str, retention: str, summary: str | None
) -> SnapshotResult:
    """Store a bundle that was built in this workspace just now."""
    actor = actor_of(created_by)
    if isinstance(actor, Refusal):
        return _refused(actor)
    made = snapshot_build(host, result, created_by=actor, retention=retention, summary=summary)
    return _refused(made) if isinstance(made, Refusal) else _shown(made)


def _create(host: Host, request: SnapshotRequest) -> SnapshotResult:
    actor = actor_of(request.created_by)
    if isinstance(actor, Refusal):
        return _refused(actor)
    made: SnapshotInfo | Refusal
    if request.result is not None:
        made = snapshot_record(
            host,
            request.result,
            created_by=actor,
            retention=request.retention,
            summary=request.summary,
        )
    else:
        items = given_items(host, request.items)
        if isinstance(items, Refusal):
            return _refused(items)
        made = create_snapshot(
            repository_objects(host.root),
            items,
            created_by=actor,
            strategy=request.selection_strategy,
            retention=request.retention,
            summary=request.summary,
        )
    return _refused(made) if isinstance(made, Refusal) else _shown(made)


def given_items(host: Host, items: Sequence[tuple[str, str, bytes]]) -> list[GivenItem] | Refusal:
    """Return items. A file is read from the workspace, and only if policy shows it."""
    if not items:
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "usage",
            None,
            "there is nothing to record",
            "give a build or items",
        )
    given: list[GivenItem] = []
    for kind, path, content in items:
        item: GivenItem | Refusal
        if kind == ContextItemKind.FILE:
            item = file_item(host, path)
        elif kind == ContextItemKind.IMAGE:
            item = image_item(host, path, content)
        else:
            item = text_item(kind, path, content)
        if isinstance(item, Refusal):
            return item
        given.append(item)
    return given


def _list(host: Host, request: SnapshotRequest) -> SnapshotResult:
    known = list_snapshots(
        host.root, names=_names(request), since=request.since, commit=request.commit
    )
    if isinstance(known, Refusal):
        return _refused(known)
    notes = tuple(f"{name} cannot be read" for name in known.unreadable)
    return SnapshotResult(Status.OK, snapshots=tuple(map(_entry, known.found)), notes=notes)


def _show(host: Host, request: SnapshotRequest) -> SnapshotResult:
    info = find_snapshot(host.root, request.id)
    return _refused(info) if isinstance(info, Refusal) else _shown(info)


def _names(request: SnapshotRequest) -> tuple[str, ...]:
    return () if request.path is None else (request.path,)


def _cat(host: Host, request: SnapshotRequest) -> SnapshotResult:
    info = find_snapshot(host.root, request.id)
    if isinstance(info, Refusal):
        return _refused(info)
    content = snapshot_content(repository_objects(host.root), info, _names(request))
    if isinstance(content, Refusal):
        return _refused(content)
    return SnapshotResult(
        Status.OK, snapshots=(_entry(info),), rendered=content.decode("utf-8", "replace")
    )


def _diff(host: Host, request: SnapshotRequest) -> SnapshotResult:
    infos = []
    for name in (request.id, request.other):
        info = find_snapshot(host.root, name)
        if isinstance(info, Refusal):
            return _refused(info)
        infos.append(info)
    objects = repository_objects(host.root)
    found = compare_snapshots((infos[0], objects), (infos[1], objects))
    lines = [f"{each.sentence()}\n{each.patch}" for each in found]
    heads = [f"{sign} {each.snapshot.object_id}\n" for sign, each in zip("-+", infos, strict=True)]
    return SnapshotResult(
        Status.OK,
        snapshots=tuple(map(_entry, infos)),
        rendered="".join([*heads, "\n", *lines]) + ("" if lines else "They hold the same.\n"),
        changes=tuple(
            SnapshotChange(each.mark, each.what, each.where, each.detail, each.patch)
            for each in found
        ),
    )


def _verify(host: Host, request: SnapshotRequest) -> SnapshotResult:
    info = find_snapshot(host.root, request.id)
    if isinstance(info, Refusal):
        return _refused(info)
    check = verify_snapshot(repository_objects(host.root), info)
    if isinstance(check, Refusal):
        return _refused(check)
    told = [f"missing: {each}" for each in check.missing]
    told += [f"different: {each}" for each in check.differences]
    return SnapshotResult(
        Status.OK,
        snapshots=(_entry(info),),
        rendered="".join(f"{line}\n" for line in (check.sentence(), *told, *check.notes)),
        is_verified=not told,
        missing=check.missing,
        differences=check.differences,
        notes=check.notes,
    )


def _prune(host: Host, request: SnapshotRequest) -> SnapshotResult:
    info = find_snapshot(host.root, request.id)
    if isinstance(info, Refusal):
        return _refused(info)
    removed = prune_snapshots(host.root, [info.name or request.id])
    if isinstance(removed, Refusal):
        return _refused(removed)
    return SnapshotResult(Status.OK, snapshots=(_entry(info),), removed=removed)


_ACTIONS: dict[str, Callable[[Host, SnapshotRequest], SnapshotResult]] = {
    "create": _create,
    "list": _list,
    "show": _show,
    "cat": _cat,
    "diff": _diff,
    "verify": _verify,
    "prune": _prune,
}


def _refused(refusal: Refusal) -> SnapshotResult:
    return SnapshotResult(Status.REFUSED, refusal)


def _shown(info: SnapshotInfo) -> SnapshotResult:
    snapshot = info.snapshot
    return SnapshotResult(
        Status.OK,
        snapshots=(_entry(info),),
        snapshot=msgspec.json.decode(snapshot.to_json()),
        rendered="".join(f"{line}\n" for line in shown_snapshot(info)),
        trailer=f"{TRAILER}: {snapshot.object_id}",
    )


def _entry(info: SnapshotInfo) -> SnapshotEntry:
    snapshot = info.snapshot
    return SnapshotEntry(
        snapshot.object_id,
        snapshot.created_at,
        f"{snapshot.created_by.kind}:{snapshot.created_by.id}",
        str(snapshot.selection_strategy),
        len(snapshot.items),
        snapshot.summary,
        commit_of(info),
    )
