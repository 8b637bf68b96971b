"""What keeps a snapshot through `git gc`, and what `sightline snapshot gc` removes and keeps."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sightline.engine.snapshot_items import GivenItem
from sightline.engine.snapshot_store import SnapshotInfo
from sightline.engine.snapshots import (
    collect_garbage,
    export_snapshot,
    import_snapshot,
    list_snapshots,
    prune_snapshots,
    snapshot_content,
)
from sightline.refusals import Refusal
from sightline.workspace.git_objects import Collected, GitObjects, Retention
from tests.provenance.repository import found, git, made, recorded, verify_snapshot


@pytest.mark.parametrize("retention", ["refs", "orphan", "pack"])
def test_stock_git_keeps_what_is_anchored(root: Path, retention: str) -> None:
    """Collected, repacked and pruned twice, with packed refs; both the object and its blobs."""
    info = made(root, GivenItem("snippet", "note", b"kept by " + retention.encode()), retention)
    for _ in range(2):
        git(root, "repack", "-adfq")
        git(root, "gc", "-q", "--prune=now")
    _is_whole(root, info)
    more = made(root, GivenItem("snippet", "note", b"more"), retention)
    _is_whole(root, more)
    git(root, "fsck", "--strict")


def test_a_mark_survives_our_collection_and_not_that_of_stock_git(root: Path) -> None:
    info = made(root, GivenItem("snippet", "note", b"only marked"), Retention.MARK)
    garbage = _garbage(root)
    for _ in range(2):
        collected = collect_garbage(root, days=0)
        assert isinstance(collected, Collected)
    assert not _has(root, garbage)
    _is_whole(root, info)
    git(root, "fsck", "--strict")
    git(root, "gc", "-q", "--prune=now")
    refusal = snapshot_content(GitObjects(root), found(root, info))
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "missing_object"
    check = verify_snapshot(root, found(root, info))
    assert not isinstance(check, Refusal)
    assert check.missing == ("note",)


def test_our_collection_keeps_everything_that_git_needs(root: Path) -> None:
    """What is only staged, stashed, in a log, in a worktree or in a merge under way stays."""
    (root / "src/staged.py").write_text("x = 'only staged'\n")
    git(root, "add", "-A")
    (root / "src/app.py").write_text("x = 'stashed'\n")
    git(root, "stash", "-q")
    (root / "src/new.py").write_text("x = 'only in the log'\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Lost")
    git(root, "reset", "-q", "--hard", "HEAD~1")
    tree = root.parent / "tree"
    git(root, "worktree", "add", "-q", "--detach", str(tree))
    (tree / "staged_there.py").write_text("x = 'staged in a worktree'\n")
    git(tree, "add", "-A")
    git(root, "tag", "-a", "-m", "A tag", "v1")
    (root / "src/staged.py").write_text("x = 'only staged'\n")
    git(root, "add", "-A")
    made(root, GivenItem("snippet", "note", b"marked"), Retention.MARK)
    before = _objects(root)
    garbage = _garbage(root)
    trial = collect_garbage(root, days=0, is_trial=True)
    assert isinstance(trial, Collected)
    assert trial.removed == 1
    assert _has(root, garbage)
    collected = collect_garbage(root, days=0)
    assert collected == trial
    assert _objects(root) == before
    git(root, "fsck", "--strict", "--full")


def test_what_is_young_stays(root: Path) -> None:
    """And so does everything of a repository that says that its objects are precious."""
    garbage = _garbage(root)
    assert collect_garbage(root) == Collected(0, 0)
    place = root / ".git/objects" / garbage[:2] / garbage[2:]
    long_ago = time.time() - 15 * 86_400
    os.utime(place, (long_ago, long_ago))
    git(root, "config", "extensions.preciousObjects", "true")
    refusal = collect_garbage(root)
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "precious"
    git(root, "config", "extensions.preciousObjects", "false")
    assert collect_garbage(root) == Collected(1, 0)
    assert not _has(root, garbage)


def test_where_something_is_damaged_nothing_is_removed(root: Path) -> None:
    garbage = _garbage(root)
    tree = git(root, "rev-parse", "HEAD:src").strip()
    place = root / ".git/objects" / tree[:2] / tree[2:]
    place.chmod(0o644)
    whole = place.read_bytes()
    for damage in (b"", None):
        if damage is None:
            place.unlink()
        else:
            place.write_bytes(damage)
        refusal = collect_garbage(root, days=0)
        assert isinstance(refusal, Refusal)
        assert refusal.reason == "damaged"
        assert _has(root, garbage)
    place.write_bytes(whole)
    git(root, "update-ref", "refs/ai/snapshots/broken", git(root, "rev-parse", "HEAD").strip())
    unreadable = collect_garbage(root, days=0)
    assert isinstance(unreadable, Refusal)
    assert unreadable.reason == "damaged_snapshot"
    assert prune_snapshots(root, ["broken"]) == 0
    assert isinstance(collect_garbage(root, days=0), Collected)


@pytest.mark.parametrize("retention", list(Retention))
def test_pruning_removes_what_nothing_else_needs(root: Path, retention: str) -> None:
    """Afterwards stock git collects the text; the text of another snapshot stays."""
    own = GivenItem("snippet", "own", b"only in one")
    shared = GivenItem("snippet", "note", b"in both")
    first, one, other = (made(root, each, retention) for each in (own, shared, shared))
    assert not isinstance(prune_snapshots(root, [_name(one), _name(first)]), Refusal)
    if retention != Retention.MARK:
        git(root, "gc", "-q", "--prune=now")
        blob = first.snapshot.items[0].blob
        assert blob is not None
        assert not _has(root, blob)
    _is_whole(root, other)
    assert not isinstance(prune_snapshots(root, [_name(other)]), Refusal)
    assert git(root, "for-each-ref", "refs/ai") == ""
    assert not list((root / ".git/objects/pack").glob("*.keep"))
    git(root, "fsck", "--strict")


def test_packed_refs_are_read_changed_and_removed(root: Path) -> None:
    info, _ = recorded(root)
    git(root, "pack-refs", "--all")
    assert not list((root / ".git/refs/ai").rglob("0*"))
    _is_whole(root, info)
    assert not isinstance(prune_snapshots(root, [_name(info)]), Refusal)
    assert git(root, "for-each-ref", "refs/ai") == ""


def test_objects_of_others_are_borrowed(root: Path) -> None:
    """With alternates a snapshot needs nothing of its own for what the other repository has."""
    git(root.parent, "clone", "-q", "--shared", str(root), "borrowing")
    place = root.parent / "borrowing"
    info, _ = recorded(place)
    tree = git(root, "rev-parse", "HEAD:src/app.py").strip()
    assert tree in {each.blob for each in info.snapshot.items}
    assert not (place / ".git/objects" / tree[:2] / tree[2:]).exists()
    assert isinstance(collect_garbage(place, days=0), Collected)
    _is_whole(place, info)


@pytest.mark.parametrize("retention", list(Retention))
def test_an_exported_snapshot_is_imported_in_every_way(root: Path, retention: str) -> None:
    info = made(root, GivenItem("snippet", "note", b"moved"))
    data = export_snapshot(GitObjects(root), info)
    assert isinstance(data, bytes)
    place = root.parent / "other"
    git(root.parent, "init", "-q", str(place))
    for _ in range(2):
        moved = import_snapshot(place, data, retention)
        assert not isinstance(moved, Refusal)
        assert moved.snapshot == info.snapshot
    _is_whole(place, info)


def _is_whole(root: Path, info: SnapshotInfo) -> None:
    check = verify_snapshot(root, found(root, info))
    assert not isinstance(check, Refusal)
    assert (check.missing, check.differences) == ((), ())
    listed = list_snapshots(root)
    assert not isinstance(listed, Refusal)
    assert _name(info) in [each.name for each in listed.found]


def _name(info: SnapshotInfo) -> str:
    return info.snapshot.object_id


def _garbage(root: Path) -> str:
    """Store an object that nothing names; return its id."""
    place = root.parent / "garbage"
    place.write_bytes(b"nobody needs this")
    return git(root, "hash-object", "-w", str(place)).strip()


def _has(root: Path, name: str) -> bool:
    return name in _objects(root)


def _objects(root: Path) -> set[str]:
    names = git(root, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return set(names.split())
