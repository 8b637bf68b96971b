"""Snapshots in real repositories: stored, kept, found, proved and removed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sightline.bundle import BuildResult
from sightline.context import BuildRequest, TargetSpec
from sightline.engine.build import build
from sightline.engine.host import Host, open_host
from sightline.engine.snapshot_builds import snapshot_build, verify_snapshot
from sightline.engine.snapshot_store import GivenItem, SnapshotInfo, actor_of
from sightline.engine.snapshots import (
    compare_snapshots,
    create_snapshot,
    export_snapshot,
    find_snapshot,
    import_snapshot,
    list_snapshots,
    prune_snapshots,
    snapshot_content,
)
from sightline.refusals import Refusal
from sightline.workspace.git_objects import Retention

SECRET = "ghp_" + "R2vQ8mZk1LwX7cN4bT6yH9sD3fJ5gK0pA1Be"
_ME = actor_of("human:ada")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "src").mkdir(parents=True)
    (root / "src/app.py").write_text(
        "from src.tax import tax\n\n\ndef total(x):\n    return tax(x)\n"
    )
    (root / "src/tax.py").write_text("def tax(x):\n    return x // 5\n")
    _git(root, "init", "-q", "-b", "main")
    _git(root, "add", "-A")
    _git(root, "commit", "-qm", "Begin")
    return root


def test_a_bundle_is_proved_from_the_repository_alone(root: Path) -> None:
    """Unsaved work is in it; the tree may be gone and collected by stock git."""
    (root / "src/tax.py").write_text("def tax(x):\n    return x // 4\n")
    (root / "src/new.py").write_text(
        "from src.tax import tax\n\n\ndef more(x):\n    return tax(x)\n"
    )
    info, result = _recorded(root)
    shutil.rmtree(root / "src")
    _git(root, "gc", "-q", "--prune=now")
    _git(root, "repack", "-adfq")
    _git(root, "fsck", "--strict")
    check = verify_snapshot(root, _found(root, info))
    assert not isinstance(check, Refusal)
    assert (check.missing, check.differences, check.is_rebuilt) == ((), (), True)
    assert snapshot_content(root, info) == (result.rendered or "").encode()


def test_a_bundle_is_proved_in_another_clone(root: Path, tmp_path: Path) -> None:
    info, _ = _recorded(root)
    clone = tmp_path / "clone"
    _git(tmp_path, "clone", "-q", str(root), str(clone))
    _git(clone, "fetch", "-q", "origin", "refs/ai/*:refs/ai/*")
    check = verify_snapshot(clone, _found(clone, info))
    assert not isinstance(check, Refusal)
    assert (check.missing, check.differences, check.is_rebuilt) == ((), (), True)


def test_git_reads_a_snapshot_and_its_blobs(root: Path) -> None:
    """A file that is as it was committed has the blob of the tree: nothing is stored twice."""
    info, _ = _recorded(root)
    stored = json.loads(
        _git(root, "cat-file", "-p", f"refs/ai/snapshots/{info.snapshot.object_id}")
    )
    tree = _git(root, "rev-parse", "HEAD:src/app.py").strip()
    [item] = [each for each in stored["items"] if each["path"] == "src/app.py"]
    assert (item["kind"], item["blob"]) == ("file", tree)
    assert _git(root, "cat-file", "-p", item["blob"]) == (root / "src/app.py").read_text()


@pytest.mark.parametrize("retention", ["refs", "orphan", "pack"])
def test_stock_git_keeps_what_is_anchored(root: Path, retention: str) -> None:
    info = _made(root, GivenItem("snippet", "note", b"kept by " + retention.encode()), retention)
    for _ in range(2):
        _git(root, "gc", "-q", "--prune=now")
    assert snapshot_content(root, _found(root, info)) == b"kept by " + retention.encode()
    _git(root, "fsck", "--strict")


def test_a_mark_alone_does_not_survive_stock_git(root: Path) -> None:
    info = _made(root, GivenItem("snippet", "note", b"only marked"), Retention.MARK)
    assert snapshot_content(root, info) == b"only marked"
    _git(root, "gc", "-q", "--prune=now")
    check = verify_snapshot(root, _found(root, info))
    assert not isinstance(check, Refusal)
    assert check.missing == ("note",)


def test_secrets_are_stored_redacted_or_not_at_all(root: Path) -> None:
    info = _made(root, GivenItem("command", f"curl -H {SECRET}", f"token {SECRET}\n".encode()))
    content = snapshot_content(root, info)
    assert isinstance(content, bytes)
    assert SECRET.encode() not in content
    assert SECRET.encode() not in info.snapshot.to_json()
    assert info.snapshot.items[0].more == {"note": "redacted"}
    (root / "src/tax.py").write_text(f'KEY = "{SECRET}"\n\n\ndef tax(x):\n    return x\n')
    recorded, _ = _recorded(root)
    objects = _git(root, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    for name in objects.split():
        assert SECRET not in _git(root, "cat-file", "-p", name)
    check = verify_snapshot(root, recorded)
    assert not isinstance(check, Refusal)
    assert "src/tax.py: stored without its secrets" in check.notes


def test_every_tampering_is_named(root: Path) -> None:
    """Bytes of a loose object, the ref of a snapshot and the objects of its items."""
    info, _ = _recorded(root)
    for item in info.snapshot.items:
        assert item.blob is not None
        place = root / ".git/objects" / item.blob[:2] / item.blob[2:]
        if not place.exists():
            continue
        whole = place.read_bytes()
        place.chmod(0o644)
        place.write_bytes(bytes(255 - byte for byte in whole))
        check = verify_snapshot(root, info)
        assert not isinstance(check, Refusal)
        assert item.path in check.missing
        place.write_bytes(whole)
    check = verify_snapshot(root, info)
    assert not isinstance(check, Refusal)
    assert check.missing == ()


def test_snapshots_are_listed_and_found(root: Path) -> None:
    first = _made(root, GivenItem("url", "https://a.example", b"page"))
    second, _ = _recorded(root)
    listed = list_snapshots(root)
    assert not isinstance(listed, Refusal)
    names = [first.snapshot.object_id, second.snapshot.object_id]
    assert [each.snapshot.object_id for each in listed] == sorted(names)
    for_path = list_snapshots(root, path="src/app.py")
    commit = _git(root, "rev-parse", "HEAD").strip()
    at_commit = list_snapshots(root, commit=commit[:10])
    assert [len(each) for each in (for_path, at_commit) if not isinstance(each, Refusal)] == [1, 1]
    assert list_snapshots(root, since="2999-01-01T00:00:00Z") == []
    ambiguous = find_snapshot(root, "0")
    assert isinstance(ambiguous, Refusal)
    assert ambiguous.reason == "ambiguous_snapshot"
    nothing = find_snapshot(root, "ffff")
    assert isinstance(nothing, Refusal)
    assert nothing.reason == "no_snapshot"


def test_two_snapshots_are_compared(root: Path) -> None:
    one = _made(root, GivenItem("url", "https://a.example", b"page"))
    other = _made(root, GivenItem("url", "https://a.example", b"another"))
    third = _made(root, GivenItem("snippet", "note", b"x"))
    assert compare_snapshots(one.snapshot, other.snapshot) == ["~ url https://a.example"]
    assert compare_snapshots(one.snapshot, third.snapshot) == [
        "- url https://a.example",
        "+ snippet note",
    ]


def test_pruning_removes_what_nothing_else_needs(root: Path) -> None:
    shared = GivenItem("snippet", "note", b"in both")
    one, other = _made(root, shared), _made(root, shared)
    assert prune_snapshots(root, [one.snapshot.object_id]) == 0
    assert snapshot_content(root, other) == b"in both"
    assert prune_snapshots(root, [other.snapshot.object_id]) == 1
    assert _git(root, "for-each-ref", "refs/ai") == ""


def test_nothing_is_written_outside_objects_and_refs(root: Path) -> None:
    before = _other_files(root)
    head, branches = _git(root, "rev-parse", "HEAD"), _git(root, "for-each-ref", "refs/heads")
    for retention in Retention:
        _made(root, GivenItem("snippet", "note", retention.encode()), retention)
    assert _other_files(root) == before
    assert (_git(root, "rev-parse", "HEAD"), _git(root, "for-each-ref", "refs/heads")) == (
        head,
        branches,
    )


def test_a_snapshot_moves_as_one_file(root: Path, tmp_path: Path) -> None:
    info, _ = _recorded(root)
    exported = export_snapshot(root, info)
    assert isinstance(exported, bytes)
    clone = tmp_path / "clone"
    _git(tmp_path, "clone", "-q", str(root), str(clone))
    moved = import_snapshot(clone, exported)
    assert not isinstance(moved, Refusal)
    check = verify_snapshot(clone, moved)
    assert not isinstance(check, Refusal)
    assert (check.missing, check.differences) == ((), ())
    broken = json.loads(exported)
    name = next(iter(broken["blobs"]))
    broken["blobs"][name] = "AAAA"
    refused = import_snapshot(clone, json.dumps(broken).encode())
    assert isinstance(refused, Refusal)
    assert refused.reason == "no_export"


def test_worktrees_and_bare_repositories_have_snapshots(root: Path, tmp_path: Path) -> None:
    tree, bare = tmp_path / "tree", tmp_path / "bare.git"
    _git(root, "worktree", "add", "-q", str(tree))
    _git(tmp_path, "clone", "-q", "--bare", str(root), str(bare))
    for place in (tree, bare):
        info = _made(place, GivenItem("snippet", "note", b"here"))
        assert snapshot_content(place, _found(place, info)) == b"here"


def test_where_nothing_can_be_stored_it_is_said(root: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert _fault(tmp_path / "plain") == "no_repository"
    other = tmp_path / "sha256"
    _git(tmp_path, "init", "-q", "--object-format=sha256", str(other))
    assert _fault(other) == "unsupported_hash"
    (root / ".git/objects").rename(root / ".git/away")
    (root / ".git/objects").write_text("")
    assert _fault(root) in ("no_repository", "not_writable")


def test_a_writer_that_is_killed_leaves_a_whole_snapshot_or_none(root: Path) -> None:
    """At several moments; what is there afterwards is sound, for git as for us."""
    script = (
        "import sys; from pathlib import Path\n"
        "from sightline.engine.snapshots import create_snapshot\n"
        "from sightline.engine.snapshot_store import GivenItem, actor_of\n"
        "print('ready', flush=True)\n"
        "for number in range(10_000):\n"
        "    texts = [f'{number} {each}' for each in range(9)]\n"
        "    items = [GivenItem('snippet', text, text.encode()) for text in texts]\n"
        "    create_snapshot(Path(sys.argv[1]), items, created_by=actor_of('human:x'))\n"
    )
    for milliseconds in (5, 60, 170, 330):
        writer = subprocess.Popen(
            [sys.executable, "-c", script, str(root)],
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            writer.wait(milliseconds / 1000)
        os.killpg(writer.pid, 9)
        writer.wait()
        writer.stdout.close()
        _git(root, "fsck", "--strict")
        listed = list_snapshots(root)
        assert not isinstance(listed, Refusal)
        for info in listed[-3:]:
            check = verify_snapshot(root, info)
            assert not isinstance(check, Refusal)
            assert (len(info.snapshot.items), check.missing) == (9, ())


def test_configured_programs_do_not_run(root: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\necho ran >> {tmp_path}/ran\ncat\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "filter.trap.clean", "gc.recentObjectsHook", "core.sshCommand"):
        _git(root, "config", key, str(trap))
    hook = root / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_bytes(trap.read_bytes())
    hook.chmod(0o755)
    info, _ = _recorded(root)
    check = verify_snapshot(root, info)
    assert not isinstance(check, Refusal)
    assert not (tmp_path / "ran").exists()


def _recorded(root: Path) -> tuple[SnapshotInfo, BuildResult]:
    host = _opened(root)
    with host:
        result = build(host, BuildRequest(targets=(TargetSpec(path="src/app.py", symbol="total"),)))
        info = snapshot_build(host, result, created_by=_ME)
    assert not isinstance(info, Refusal), info
    return info, result


def _opened(root: Path) -> Host:
    host = open_host(root, {"index.store": False})
    assert not isinstance(host, Refusal)
    host.open_index()
    return host


def _made(root: Path, item: GivenItem, retention: str = Retention.REFS) -> SnapshotInfo:
    made = create_snapshot(root, [item], created_by=_ME, retention=retention)
    assert not isinstance(made, Refusal), made
    return made


def _found(root: Path, info: SnapshotInfo) -> SnapshotInfo:
    found = find_snapshot(root, info.snapshot.object_id)
    assert not isinstance(found, Refusal), found
    return found


def _fault(root: Path) -> str:
    made = create_snapshot(root, [GivenItem("snippet", "note", b"x")], created_by=_ME)
    assert isinstance(made, Refusal)
    return made.reason


def _other_files(root: Path) -> dict[str, bytes]:
    """Everything of a repository but its objects and the refs of snapshots."""
    return {
        path: (root / path).read_bytes()
        for each in sorted(root.rglob("*"))
        if each.is_file()
        and not (path := each.relative_to(root).as_posix()).startswith(
            (".git/objects/", ".git/refs/ai/")
        )
    }


def _git(root: Path, *arguments: str) -> str:
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
