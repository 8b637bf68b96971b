"""Snapshots in real repositories: stored, kept, found, proved and removed."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from sightline.engine.snapshot_items import GivenItem
from sightline.engine.snapshots import (
    export_snapshot,
    find_snapshot,
    import_snapshot,
    list_snapshots,
    snapshot_content,
)
from sightline.refusals import Refusal
from sightline.workspace.git_objects import GitObjects, Retention
from tests.provenance.repository import (
    SECRET,
    differences,
    fault,
    found,
    git,
    made,
    other_files,
    recorded,
    verify_snapshot,
)


def test_a_bundle_is_proved_from_the_repository_alone(root: Path) -> None:
    """Unsaved work is in it; the tree may be gone and collected by stock git."""
    (root / "src/tax.py").write_text("def tax(x):\n    return x // 4\n")
    (root / "src/new.py").write_text(
        "from src.tax import tax\n\n\ndef more(x):\n    return tax(x)\n"
    )
    info, result = recorded(root)
    shutil.rmtree(root / "src")
    git(root, "gc", "-q", "--prune=now")
    git(root, "repack", "-adfq")
    git(root, "fsck", "--strict")
    check = verify_snapshot(root, found(root, info))
    assert not isinstance(check, Refusal)
    assert (check.missing, check.differences, check.is_rebuilt) == ((), (), True)
    assert snapshot_content(GitObjects(root), info) == (result.rendered or "").encode()


def test_a_bundle_is_proved_in_another_clone(root: Path, tmp_path: Path) -> None:
    info, _ = recorded(root)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(root), str(clone))
    git(clone, "fetch", "-q", "origin", "refs/ai/*:refs/ai/*")
    check = verify_snapshot(clone, found(clone, info))
    assert not isinstance(check, Refusal)
    assert (check.missing, check.differences, check.is_rebuilt) == ((), (), True)


def test_git_reads_a_snapshot_and_its_blobs(root: Path) -> None:
    """A file that is as it was committed has the blob of the tree: nothing is stored twice."""
    info, _ = recorded(root)
    stored = json.loads(git(root, "cat-file", "-p", f"refs/ai/snapshots/{info.snapshot.object_id}"))
    tree = git(root, "rev-parse", "HEAD:src/app.py").strip()
    [item] = [each for each in stored["items"] if each["path"] == "src/app.py"]
    assert (item["kind"], item["blob"]) == ("file", tree)
    assert git(root, "cat-file", "-p", item["blob"]) == (root / "src/app.py").read_text()


def test_secrets_are_stored_redacted_or_not_at_all(root: Path) -> None:
    info = made(root, GivenItem("command", f"curl -H {SECRET}", f"token {SECRET}\n".encode()))
    content = snapshot_content(GitObjects(root), info)
    assert isinstance(content, bytes)
    assert SECRET.encode() not in content
    assert SECRET.encode() not in info.snapshot.to_json()
    assert info.snapshot.items[0].more == {"note": "redacted"}
    (root / "src/tax.py").write_text(f'KEY = "{SECRET}"\n\n\ndef tax(x):\n    return x\n')
    info, _ = recorded(root)
    objects = git(root, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    for name in objects.split():
        assert SECRET not in git(root, "cat-file", "-p", name)
    check = verify_snapshot(root, info)
    assert not isinstance(check, Refusal)
    assert "src/tax.py: stored without its secrets" in check.notes


def test_snapshots_are_listed_and_found(root: Path) -> None:
    first = made(root, GivenItem("url", "https://a.example", b"page"))
    second, _ = recorded(root)
    listed = list_snapshots(root)
    assert not isinstance(listed, Refusal)
    names = [first.snapshot.object_id, second.snapshot.object_id]
    assert [each.snapshot.object_id for each in listed.found] == sorted(names)
    for_path = list_snapshots(root, names=["src/app.py"])
    commit = git(root, "rev-parse", "HEAD").strip()
    at_commit = list_snapshots(root, commit=commit[:10])
    late = list_snapshots(root, since="2999-01-01T00:00:00Z")
    lists = [each.found for each in (for_path, at_commit, late) if not isinstance(each, Refusal)]
    assert list(map(len, lists)) == [1, 1, 0]
    ambiguous = find_snapshot(root, "0")
    assert isinstance(ambiguous, Refusal)
    assert ambiguous.reason == "ambiguous_snapshot"
    nothing = find_snapshot(root, "ffff")
    assert isinstance(nothing, Refusal)
    assert nothing.reason == "no_snapshot"


def test_two_snapshots_are_compared(root: Path) -> None:
    one = made(root, GivenItem("url", "https://a.example", b"page\n"))
    other = made(root, GivenItem("url", "https://a.example", b"another\npage\n"))
    third = made(root, GivenItem("snippet", "note", b"x"))
    assert differences(root, one, other) == ["~ url https://a.example: +1 -0 lines"]
    assert differences(root, one, third) == ["- url https://a.example", "+ snippet note"]
    assert differences(root, one, one) == []
    # A file of this size is shown as regions.
    others = "".join(f"\n\ndef other_{each}(x):\n    return x * {each}\n" for each in range(300))
    total = "\n\ndef total(x):\n    return tax(x)\n"
    (root / "src/app.py").write_text(f"from src.tax import tax\n{total}{others}")
    git(root, "commit", "-qam", "Larger")
    before, _ = recorded(root)
    first = "\n\ndef first():\n    return 1\n"
    (root / "src/app.py").write_text(f"from src.tax import tax\n{first}{total}{others}")
    git(root, "commit", "-qam", "More")
    after, _ = recorded(root, {"budget.max_input_tokens": 9000})
    told = differences(root, before, after)
    assert "~ file src/app.py: +4 -0 lines" in told
    assert any(each.startswith("~ region src/app.py::") for each in told), told
    assert any(each.startswith("~ setting budget.max_input_tokens") for each in told), told
    assert any(each.startswith("~ commit: ") for each in told)


def test_nothing_is_written_outside_objects_and_refs(root: Path) -> None:
    before = other_files(root)
    head, branches = git(root, "rev-parse", "HEAD"), git(root, "for-each-ref", "refs/heads")
    for retention in Retention:
        made(root, GivenItem("snippet", "note", retention.encode()), retention)
    assert other_files(root) == before
    assert (git(root, "rev-parse", "HEAD"), git(root, "for-each-ref", "refs/heads")) == (
        head,
        branches,
    )


def test_a_snapshot_moves_as_one_file(root: Path, tmp_path: Path) -> None:
    info, _ = recorded(root)
    exported = export_snapshot(GitObjects(root), info)
    assert isinstance(exported, bytes)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(root), str(clone))
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
    git(root, "worktree", "add", "-q", str(tree))
    git(tmp_path, "clone", "-q", "--bare", str(root), str(bare))
    for place in (tree, bare):
        info = made(place, GivenItem("snippet", "note", b"here"))
        assert snapshot_content(GitObjects(place), found(place, info)) == b"here"


def test_where_nothing_can_be_stored_it_is_said(root: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert fault(tmp_path / "plain") == "no_repository"
    other = tmp_path / "sha256"
    git(tmp_path, "init", "-q", "--object-format=sha256", str(other))
    assert fault(other) == "unsupported_hash"
    (root / ".git/objects").rename(root / ".git/away")
    (root / ".git/objects").write_text("")
    assert fault(root) in ("no_repository", "not_writable")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are UTF-8")
def test_a_repository_below_a_name_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    place = tmp_path / os.fsdecode(b"shop \xff")
    git(tmp_path, "init", "-q", str(place))
    assert fault(place) == "no_repository"


def test_configured_programs_do_not_run(root: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\necho ran >> {tmp_path}/ran\ncat\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "filter.trap.clean", "gc.recentObjectsHook", "core.sshCommand"):
        git(root, "config", key, str(trap))
    hook = root / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_bytes(trap.read_bytes())
    hook.chmod(0o755)
    info, _ = recorded(root)
    check = verify_snapshot(root, info)
    assert not isinstance(check, Refusal)
    assert not (tmp_path / "ran").exists()
