"""A small repository, and what tests of snapshots do in it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import attrs

from sightline.bundle import BuildResult
from sightline.context import BuildRequest, TargetSpec
from sightline.engine.build import build
from sightline.engine.host import Host, open_host
from sightline.engine.snapshot_builds import snapshot_build
from sightline.engine.snapshot_differences import compare_snapshots
from sightline.engine.snapshot_items import GivenItem
from sightline.engine.snapshot_store import SnapshotInfo, stored
from sightline.engine.snapshot_verify import SnapshotCheck
from sightline.engine.snapshot_verify import verify_snapshot as verify_objects
from sightline.engine.snapshots import create_snapshot, find_snapshot
from sightline.provenance import ActorRef
from sightline.refusals import Refusal
from sightline.workspace.git_objects import GitObjects, Retention

SECRET = "ghp_" + "R2vQ8mZk1LwX7cN4bT6yH9sD3fJ5gK0pA1Be"
ME = ActorRef.human("ada")


def verify_snapshot(root: Path, info: SnapshotInfo) -> SnapshotCheck | Refusal:
    return verify_objects(GitObjects(root), info)


def recorded(
    root: Path, settings: dict[str, object] | None = None
) -> tuple[SnapshotInfo, BuildResult]:
    host = opened(root)
    with host:
        result = built(host, settings)
        info = snapshot_build(host, result, created_by=ME)
    assert not isinstance(info, Refusal), info
    return info, result


def built(host: Host, settings: dict[str, object] | None = None) -> BuildResult:
    request = BuildRequest(targets=(TargetSpec(path="src/app.py", symbol="total"),))
    return build(host, request, settings)


def made_text(place: Path) -> str | None:
    """Return the text of a file; None where there is none."""
    return place.read_text() if place.exists() else None


def differences(root: Path, one: SnapshotInfo, other: SnapshotInfo) -> list[str]:
    objects = GitObjects(root)
    return [each.sentence() for each in compare_snapshots((one, objects), (other, objects))]


def opened(root: Path) -> Host:
    host = open_host(root, {"index.store": False})
    assert not isinstance(host, Refusal)
    host.open_index()
    return host


def made(root: Path, item: GivenItem, retention: str = Retention.REFS) -> SnapshotInfo:
    info = create_snapshot(GitObjects(root), [item], created_by=ME, retention=retention)
    assert not isinstance(info, Refusal), info
    return info


def found(root: Path, info: SnapshotInfo) -> SnapshotInfo:
    stored = find_snapshot(root, info.snapshot.object_id)
    assert not isinstance(stored, Refusal), stored
    return stored


def fault(root: Path) -> str:
    info = create_snapshot(GitObjects(root), [GivenItem("snippet", "note", b"x")], created_by=ME)
    assert isinstance(info, Refusal)
    return info.reason


def other_files(root: Path) -> dict[str, bytes]:
    """Everything of a repository but its objects and the refs of snapshots."""
    return {
        path: (root / path).read_bytes()
        for each in sorted(root.rglob("*"))
        if each.is_file()
        and not (path := each.relative_to(root).as_posix()).startswith(
            (".git/objects/", ".git/refs/ai/")
        )
    }


def git(root: Path, *arguments: str) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(root.parent),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_NAME": "Ada" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "ada@example.org" for who in ("AUTHOR", "COMMITTER")},
    }
    done = subprocess.run(
        ["git", *arguments], cwd=root, env=environment, check=True, capture_output=True
    )
    return done.stdout.decode("utf-8", "replace")


def build_snapshot(
    root: Path, info: SnapshotInfo, build: dict[str, object], created_by: ActorRef
) -> SnapshotInfo:
    """Store a snapshot with another record of its build, as somebody does who makes one up."""
    snapshot = attrs.evolve(info.snapshot, created_by=created_by, more={"build": build})
    made_up = stored(GitObjects(root), snapshot, Retention.REFS, None)
    assert not isinstance(made_up, Refusal)
    return made_up
