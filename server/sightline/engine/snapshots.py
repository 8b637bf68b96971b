"""Context snapshots: record in the repository itself what an AI saw; find, read and remove them."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import attrs

from sightline.engine.snapshot_builds import RENDERED
from sightline.engine.snapshot_files import read_snapshot_file, written_file
from sightline.engine.snapshot_items import (
    GivenItem,
    cleared_item,
    draft_item,
    without_secret_words,
)
from sightline.engine.snapshot_store import (
    Objects,
    SnapshotInfo,
    blobs_of,
    commit_of,
    missing_object,
    no_objects,
    pairs,
    stored,
    unknown_retention,
)
from sightline.provenance.identity import read_time
from sightline.provenance.model import ContextSnapshot, read_snapshot
from sightline.provenance.vocabulary import ActorRef, SelectionStrategy, SnapshotError
from sightline.refusals import Refusal, RefusalKind
from sightline.workspace.git_history import GitFault, GitHistory
from sightline.workspace.git_objects import (
    Collected,
    GitObjects,
    ObjectFault,
    Retention,
    StoredSnapshot,
)
from sightline.workspace.paths import showable

TRAILER = "AI-Context"
GRACE_DAYS = 14.0
"""The time for which git by default keeps unreferenced objects."""
_TRAILER = re.compile(r"^AI-Context:[ \t]*([0-9a-fA-F-]{36})[ \t]*$", re.MULTILINE)
_ID = re.compile(r"[0-9a-f][0-9a-f-]{0,35}")
_MOST_TRIES = 100
_T = TypeVar("_T")


@attrs.frozen
class ListedSnapshots:
    found: tuple[SnapshotInfo, ...]
    """The oldest first."""
    unreadable: tuple[str, ...]
    """Names of refs whose object is missing, or is not a snapshot."""


def create_snapshot(
    objects: Objects,
    items: Sequence[GivenItem],
    *,
    created_by: ActorRef,
    strategy: str = SelectionStrategy.EXPLICIT,
    summary: str | None = None,
    retention: str = Retention.REFS,
) -> SnapshotInfo | Refusal:
    """Store items that were seen as a snapshot."""
    if retention not in tuple(Retention):
        return unknown_retention()
    cleared = []
    for item in items:
        clear = cleared_item(item)
        if isinstance(clear, Refusal):
            return clear
        cleared.append(clear)
    try:
        draft = ContextSnapshot.new(created_by, strategy)
        drafts = list(map(draft_item, cleared))
    except SnapshotError as error:
        return error.refusal
    ids = objects.write([item.content for item in cleared])
    if isinstance(ids, ObjectFault):
        return no_objects(ids)
    for drafted, blob in zip(drafts, ids, strict=True):
        drafted.set_blob(blob)
        draft.add_item(drafted)
    draft.set_summary(without_secret_words(summary))
    return stored(objects, draft, retention, None)


def list_snapshots(
    root: Path,
    *,
    names: Collection[str] = (),
    since: str | None = None,
    commit: str | None = None,
) -> ListedSnapshots | Refusal:
    """Return the snapshots of a repository: all, or those of an item, since a time, or of a commit.

    A snapshot of an item has its path or label among the `names`. The snapshots of a commit are
    those that its trailers name, and those that were made when it was checked out.
    """
    earliest = _moment(since) if since is not None else None
    if isinstance(earliest, Refusal):
        return earliest
    known = GitObjects(root).snapshots()
    if isinstance(known, ObjectFault):
        return no_objects(known)
    linked = _linked(root, commit) if commit is not None else None
    if isinstance(linked, Refusal):
        return linked
    listed = _listed(known)
    found = [
        info
        for info in listed.found
        if (not names or any(item.path in names for item in info.snapshot.items))
        and (earliest is None or made_at(info.snapshot) >= earliest)
        and (linked is None or info.name in linked[1] or commit_of(info) == linked[0])
    ]
    return attrs.evolve(listed, found=tuple(found))


def _listed(known: Iterable[StoredSnapshot]) -> ListedSnapshots:
    found, unreadable = [], []
    for each in known:
        try:
            snapshot = read_snapshot(each.data or b"")
        except SnapshotError:
            unreadable.append(each.id)
        else:
            found.append(SnapshotInfo(snapshot, each.blob, each.data, each.id))
    return ListedSnapshots(tuple(found), tuple(unreadable))


def made_at(snapshot: ContextSnapshot) -> datetime.datetime:
    """Return when a snapshot was made."""
    moment = read_time(snapshot.created_at)
    assert moment is not None
    return moment


def made_before(root: Path, before: str) -> list[str] | Refusal:
    """Return the ids of the snapshots that were made before a time."""
    latest = _moment(before)
    if isinstance(latest, Refusal):
        return latest
    known = list_snapshots(root)
    if isinstance(known, Refusal):
        return known
    return [each.name or "" for each in known.found if made_at(each.snapshot) < latest]


def _moment(written: str) -> datetime.datetime | Refusal:
    """Parse a time as a person writes it: a date, or a time in the form of RFC 3339."""
    moment = read_time(written) or read_time(f"{written}T00:00:00Z")
    return moment if moment is not None else _wrong_time(written, "a time")


def _wrong_time(written: str, what: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "usage",
        None,
        f"'{showable(written)}' is not {what}",
        "write 2026-01-31, or 2026-01-31T08:00:00Z" if what == "a time" else "give 0 or more",
    )


def _linked(root: Path, revision: str) -> tuple[str, frozenset[str]] | Refusal:
    """Return the id of a commit, and the snapshots that its trailers name."""
    commits = GitHistory(root).log(1, revision)
    if isinstance(commits, GitFault) or not commits:
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "no_revision",
            None,
            "there is no such commit",
            "name a commit as git does: HEAD, a branch, the beginning of its id",
        )
    named = frozenset(each.lower() for each in _TRAILER.findall(commits[0].body))
    return commits[0].hash, named


def find_snapshot(root: Path, name: str) -> SnapshotInfo | Refusal:
    """Return a snapshot by its id or the beginning of it."""
    wanted = name.strip().lower()
    # A text that cannot be an id matches no snapshot, and must not become part of a ref's name.
    stored = GitObjects(root).snapshots(wanted if _ID.fullmatch(wanted) else " ")
    if isinstance(stored, ObjectFault):
        return no_objects(stored)
    known = _listed(stored)
    if len(known.found) == 1 and not known.unreadable:
        return known.found[0]
    names = [*(each.name or "" for each in known.found), *known.unreadable]
    if len(names) == 1:
        return Refusal(
            RefusalKind.INDEX_UNAVAILABLE,
            "damaged_snapshot",
            None,
            f"snapshot {names[0]} is damaged: its object is missing or is not a snapshot",
            "fetch refs/ai/* again from where it was made",
        )
    return Refusal(
        RefusalKind.AMBIGUOUS_TARGET if names else RefusalKind.INVALID_REQUEST,
        "ambiguous_snapshot" if names else "no_snapshot",
        None,
        "several snapshots have ids that begin like this" if names else "there is no such snapshot",
        "give more of the id; 'sightline snapshot list' lists them",
        candidates=tuple(sorted(names)[:10]),
    )


def shown_snapshot(info: SnapshotInfo) -> list[str]:
    """Return the contents of a snapshot for people, one line each."""
    snapshot = info.snapshot
    actor = snapshot.created_by
    lines = [
        f"snapshot {snapshot.object_id}",
        f"made at  {snapshot.created_at}",
        f"by       {actor.kind} {actor.display_name or actor.id}",
        f"selected {snapshot.selection_strategy}",
        f"object   {info.blob}",
    ]
    if (commit := commit_of(info)) is not None:
        lines.append(f"commit   {commit}")
    if snapshot.summary:
        lines.append(f"summary  {snapshot.summary}")
    build = snapshot.more.get("build")
    if isinstance(build, Mapping):
        changed = [path for path, _ in pairs(build.get("changed_files"))]
        lines.append(f"not as committed: {', '.join(changed) or 'nothing'}")
    for item in snapshot.items:
        note = f"  ({item.more['note']})" if "note" in item.more else ""
        lines.append(f"  {(item.blob or '')[:10]}  {item.kind:<16}{item.path}{note}")
    return lines


def snapshot_content(
    objects: Objects, info: SnapshotInfo, names: Collection[str] = ()
) -> bytes | Refusal:
    """Return the exact bytes that were sent, or those of the first item with one of the names."""
    items = info.snapshot.items
    if names:
        chosen = [each for each in items if each.path in names]
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
    data = objects.read([chosen[0].blob])
    if isinstance(data, ObjectFault):
        return no_objects(data)
    return data[0] if data[0] is not None else missing_object(chosen[0].path)


def prune_snapshots(root: Path, names: Sequence[str]) -> int | Refusal:
    """Remove snapshots, and the refs that only they need. Return the number of removed refs."""

    def forget(known: Sequence[str], needed: Iterable[str]) -> int | ObjectFault:
        return GitObjects(root).forget(names, needed, known)

    return _removed(root, names, forget)


def collect_garbage(
    root: Path, *, days: float = GRACE_DAYS, is_trial: bool = False
) -> Collected | Refusal:
    """Remove loose objects that neither git nor a snapshot needs, as `git gc` would."""
    if not 0 <= days < math.inf:
        return _wrong_time(str(days), "a number of days")

    def collect(known: Sequence[str], needed: Iterable[str]) -> Collected | ObjectFault:
        return GitObjects(root).collect(needed, known, days * 86_400, is_trial=is_trial)

    return _removed(root, (), collect)


def _removed(
    root: Path,
    names: Collection[str],
    remove: Callable[[Sequence[str], Iterable[str]], _T | ObjectFault],
) -> _T | Refusal:
    """Remove something, given the remaining snapshots and the objects that they need."""
    for _ in range(_MOST_TRIES):
        known = list_snapshots(root)
        if isinstance(known, Refusal):
            return known
        unread = sorted(set(known.unreadable) - set(names))
        if unread:
            return Refusal(
                RefusalKind.INDEX_UNAVAILABLE,
                "damaged_snapshot",
                None,
                f"snapshot {unread[0]} cannot be read, so it is unknown which objects it needs",
                f"fetch it again, or remove it: sightline snapshot prune {unread[0]}",
            )
        stay = [each for each in known.found if each.name not in names]
        needed = {blob for info in stay for blob in (*blobs_of(info.snapshot), info.blob)}
        removed = remove([each.name or "" for each in stay], needed)
        if removed is not ObjectFault.CHANGED:
            break
    return no_objects(removed) if isinstance(removed, ObjectFault) else removed


def export_snapshot(objects: Objects, info: SnapshotInfo) -> bytes | Refusal:
    """Return a snapshot and everything that it needs, except its commit, as one file."""
    ids = [blob for blob in dict.fromkeys(blobs_of(info.snapshot)) if blob != commit_of(info)]
    data = objects.read(ids)
    if isinstance(data, ObjectFault):
        return no_objects(data)
    blobs = {}
    for blob, content in zip(ids, data, strict=True):
        if content is None:
            return missing_object(blob)
        blobs[blob] = content
    return written_file(info.snapshot, blobs)


def import_snapshot(
    root: Path, data: bytes, retention: str = Retention.REFS
) -> SnapshotInfo | Refusal:
    """Store what `export_snapshot` wrote. Every object is checked against its id."""
    read = read_snapshot_file(data)
    if isinstance(read, Refusal):
        return read
    if retention not in tuple(Retention):
        return unknown_retention()
    info, file = read
    snapshot = info.snapshot
    if not snapshot.is_sealed:
        return SnapshotError("its id does not follow from its content: it was changed").refusal
    objects = GitObjects(root)
    ids = objects.write(list(file.blobs.values()))
    if isinstance(ids, ObjectFault):
        return no_objects(ids)
    commit = commit_of(info)
    tree = objects.tree(commit) if commit is not None else ObjectFault.MISSING
    has_commit = not isinstance(tree, ObjectFault)
    blob = objects.anchor(
        snapshot.object_id,
        snapshot.to_json(),
        ids,
        Retention(retention),
        commit if has_commit else None,
    )
    if isinstance(blob, ObjectFault) and blob is not ObjectFault.EXISTS:
        return no_objects(blob)
    return info


def read_file_or_find(
    root: Path, name: str, data: bytes | None
) -> tuple[SnapshotInfo, Objects] | Refusal:
    """Return a snapshot by its id in a repository, or from the bytes of a file, and its objects."""
    if data is not None:
        return read_snapshot_file(data, GitObjects(root))
    info = find_snapshot(root, name)
    return info if isinstance(info, Refusal) else (info, GitObjects(root))
