"""A bundle is proved from its snapshot whatever the work tree and the repository were like."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sightline.engine.snapshot_builds import snapshot_build
from sightline.engine.snapshot_files import FileObjects, read_snapshot_file, written_file
from sightline.engine.snapshot_store import SnapshotInfo
from sightline.engine.snapshot_verify import SnapshotCheck
from sightline.engine.snapshot_verify import verify_snapshot as verify_objects
from sightline.engine.snapshots import list_snapshots
from sightline.refusals import Refusal
from sightline.text import Text
from sightline.workspace.git_objects import GitObjects
from tests.provenance.repository import (
    ME,
    SECRET,
    built,
    found,
    git,
    made_text,
    opened,
    recorded,
    verify_snapshot,
)


def _mess(root: Path) -> None:
    """Bring about everything that lets a work tree differ from its commit."""
    files = {
        "src/assumed.py": b"x = 1\n",
        "src/ends.py": b"x = 1\n",
        "src/became_folder.py": b"x = 1\n",
        "folder/became_file.py": b"x = 1\n",
        "src/gone.py": b"x = 1\n",
        "src/staged.py": b"x = 1\n",
        "src/untracked_now.py": b"x = 1\n",
        "a.bin": b"version of a pointer\n",
        ".gitattributes": b"*.py ident\nsrc/ends.py text\n",
        ".env": b"COLOUR=blue\n",
    }
    for path, data in files.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(data)
    (root / "link.py").symlink_to("src/tax.py")
    (root / "outside").symlink_to("/etc")
    git(root, "add", "-Af")
    git(root, "commit", "-qm", "More")
    (root / "src/ends.py").write_bytes(b"x = 1\r\n")
    (root / "a.bin").write_bytes(b"\0\1\2")
    (root / ".env").write_bytes(b"COLOUR=red\n")
    for path in ("src/gone.py", "src/became_folder.py"):
        (root / path).unlink()
    (root / "src/became_folder.py").mkdir()
    (root / "src/became_folder.py/inside.py").write_bytes(b"x = 1\n")
    shutil.rmtree(root / "folder")
    (root / "folder").write_bytes(b"x\n")
    git(root, "update-index", "--assume-unchanged", "src/assumed.py")
    (root / "src/assumed.py").write_bytes(b"x = 2\n")
    (root / "src/staged.py").write_bytes(b"x = 2\n")
    git(root, "add", "src/staged.py")
    (root / "src/staged.py").write_bytes(b"x = 3\n")
    git(root, "rm", "-q", "--cached", "src/untracked_now.py")
    (root / ".gitignore").write_bytes(b"made/\n")
    (root / "made").mkdir()
    (root / "made/forced.py").write_bytes(b"x = 1\n")
    (root / "made/other.py").write_bytes(b"x = 1\n")
    git(root, "add", "-f", "made/forced.py")
    (root / "src/wide.py").write_bytes("x = 'ä'\n".encode("utf-16"))
    (root / "src/mark.py").write_bytes(b"\xef\xbb\xbfx = 1\n")
    (root / "picture.webp").write_bytes(b"RIFF\0\0\0\0WEBP")
    (root / ".git/info/exclude").write_bytes(b"hidden.py\n")
    (root / "hidden.py").write_bytes(b"x = 1\n")
    nested = root / "nested"
    nested.mkdir()
    (nested / "inside.py").write_bytes(b"x = 1\n")
    git(nested, "init", "-q")
    (nested / ".git/info/exclude").write_bytes(b"secret.py\n")
    (nested / "secret.py").write_bytes(b"x = 1\n")
    (root / os.fsdecode(b"src/l\xe4.py")).write_bytes(b"x = 1\n")


def test_a_work_tree_in_every_disorder_is_proved(root: Path) -> None:
    _mess(root)
    info, _ = recorded(root)
    shutil.rmtree(root / "src")
    shutil.rmtree(root / "nested")
    _is_proved(root, found(root, info))


def _linked(root: Path) -> Path:
    git(root, "worktree", "add", "-q", str(root.parent / "tree"))
    (root / ".git/info/exclude").write_bytes(b"hidden.py\n")
    (root.parent / "tree/hidden.py").write_bytes(b"x = 1\n")
    return root.parent / "tree"


def _without_commit(root: Path) -> Path:
    shutil.rmtree(root / ".git")
    git(root, "init", "-q")
    (root / ".gitignore").write_bytes(b"*.log\n")
    return root


def _submodule(root: Path) -> Path:
    whole = root.parent / "whole"
    git(root.parent, "init", "-q", str(whole))
    git(whole, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(root), "part")
    return whole / "part"


def _shallow(root: Path) -> Path:
    git(root, "commit", "-q", "--allow-empty", "-m", "Another")
    git(root.parent, "clone", "-q", "--depth", "1", root.as_uri(), "shallow")
    return root.parent / "shallow"


def _partial(root: Path) -> Path:
    git(root, "config", "uploadpack.allowFilter", "true")
    git(root.parent, "clone", "-q", "--filter=blob:none", root.as_uri(), "partial")
    return root.parent / "partial"


def _partial_by_hand(root: Path) -> Path:
    """The files are there, and their blobs are not: nobody checked them out."""
    git(root, "config", "uploadpack.allowFilter", "true")
    place = root.parent / "partial"
    git(
        *(root.parent, "clone", "-q", "--filter=blob:none", "--no-checkout"),
        *(root.as_uri(), str(place)),
    )
    shutil.copytree(root / "src", place / "src")
    return place


def _borrowing(root: Path) -> Path:
    git(root.parent, "clone", "-q", "--shared", str(root), "borrowing")
    return root.parent / "borrowing"


def _sparse(root: Path) -> Path:
    (root / "docs").mkdir()
    (root / "docs/a.md").write_bytes(b"x\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "More")
    git(root, "sparse-checkout", "set", "src")
    return root


def _ignoring_case(root: Path) -> Path:
    git(root, "config", "core.ignorecase", "true")
    (root / ".gitignore").write_bytes(b"MADE.PY\n")
    (root / "made.py").write_bytes(b"x = 1\n")
    return root


@pytest.mark.parametrize(
    "kind",
    [
        _linked,
        _without_commit,
        _submodule,
        _shallow,
        _partial,
        _partial_by_hand,
        _borrowing,
        _sparse,
        _ignoring_case,
    ],
)
def test_every_kind_of_repository_is_proved(root: Path, kind: Callable[[Path], Path]) -> None:
    place = kind(root)
    (place / "src/tax.py").write_bytes(b"def tax(x):\n    return x // 4\n")
    info, _ = recorded(place)
    (place / "src/tax.py").write_bytes(b"def tax(x):\n    return 1\n")
    _is_proved(place, found(place, info))
    listed = list_snapshots(place)
    assert not isinstance(listed, Refusal)
    assert [each.name for each in listed.found] == [info.snapshot.object_id]
    git(place, "fsck", "--strict")


def test_a_secret_that_the_bundle_does_not_show_is_not_stored(root: Path) -> None:
    """The bundle is the same without it; what is missing of its inputs is said."""
    (root / "key.py").write_text(f'KEY = "{SECRET}"\n')
    info, _ = recorded(root)
    check = _is_proved(root, info)
    assert "key.py: stored without its secrets" in check.notes
    assert any(each.startswith("project_index_fingerprint") for each in check.notes)


def test_where_there_is_no_repository_a_file_has_it_all(root: Path) -> None:
    """So too in a repository: the file stands for itself, wherever it is verified."""
    (root / ".git/info/exclude").write_bytes(b"hidden.py\n")
    (root / "hidden.py").write_bytes(b"x = 1\n")
    for has_repository in (True, False):
        if not has_repository:
            shutil.rmtree(root / ".git")
        objects = FileObjects()
        with opened(root) as host:
            info = snapshot_build(host, built(host), created_by=ME, objects=objects)
        assert not isinstance(info, Refusal), info
        read = read_snapshot_file(written_file(info.snapshot, objects.blobs))
        assert not isinstance(read, Refusal)
        check = verify_objects(read[1], read[0])
        assert isinstance(check, SnapshotCheck)
        assert (check.missing, check.differences, check.is_rebuilt) == ((), (), True)


def test_a_file_has_it_all_where_git_uses_another_hash(root: Path) -> None:
    """libgit2 cannot open the repository, so git's own exclude file hides nothing."""
    shutil.rmtree(root / ".git")
    git(root, "init", "-q", "--object-format=sha256")
    git(root, "add", "-A")
    (root / ".git/info/exclude").write_bytes(b"hidden.py\n")
    (root / "hidden.py").write_bytes(b"x = 1\n")
    objects = FileObjects()
    with opened(root) as host:
        info = snapshot_build(host, built(host), created_by=ME, objects=objects)
    assert not isinstance(info, Refusal), info
    read = read_snapshot_file(written_file(info.snapshot, objects.blobs))
    assert not isinstance(read, Refusal)
    check = verify_objects(read[1], read[0])
    assert isinstance(check, SnapshotCheck)
    assert (check.missing, check.differences, check.is_rebuilt) == ((), (), True)


def test_a_file_that_changed_after_the_build_is_not_recorded(root: Path) -> None:
    """Neither one that the bundle shows nor any other: it could not be built again."""
    for path in ("src/tax.py", "src/new.py", "other.md"):
        with opened(root) as host:
            result = built(host)
            before = made_text(root / path)
            (root / path).write_text("def tax(x):\n    return 7\n")
            host.look_at_disk()
            info = snapshot_build(host, result, created_by=ME)
        assert isinstance(info, Refusal)
        assert info.reason == "not_current"
        if before is None:
            (root / path).unlink()
        else:
            (root / path).write_text(before)
    assert git(root, "for-each-ref", "refs/ai") == ""


def _is_proved(root: Path, info: SnapshotInfo) -> SnapshotCheck:
    check = verify_snapshot(root, info)
    assert isinstance(check, SnapshotCheck), check
    assert (check.missing, check.differences, check.is_rebuilt) == ((), (), True), check.notes
    return check


def test_a_bare_repository_keeps_and_proves_what_is_fetched(root: Path, tmp_path: Path) -> None:
    info, _ = recorded(root)
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(root), str(bare))
    git(bare, "fetch", "-q", "origin", "refs/ai/*:refs/ai/*")
    _is_proved(bare, found(bare, info))
    assert GitObjects(bare).snapshots()


def test_what_an_editor_showed_is_proved(root: Path) -> None:
    """A text that was not saved has a version, which the bundle names; so has one that was."""
    with opened(root) as host:
        host.project.show("src/tax.py", Text(b"def tax(x):\n    return 7\n"), 3)
        host.project.show("src/app.py", Text((root / "src/app.py").read_bytes()), 1)
        info = snapshot_build(host, built(host), created_by=ME)
    assert not isinstance(info, Refusal), info
    notes = {each.path: each.more.get("note") for each in info.snapshot.items}
    assert (notes["src/tax.py"], notes["src/app.py"]) == ("unsaved", None)
    _is_proved(root, info)
