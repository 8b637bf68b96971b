"""Histories, diffs and old files from libgit2, on real repositories and hostile ones."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sightline.workspace import git_history
from sightline.workspace.git_history import ChangedFile, GitFault, GitHistory, TreeDifference
from sightline.workspace.git_objects import GitObjects, ObjectFault


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")
    (root / "a.txt").write_text("one\ntwo\nthree\n")
    _git(root, "add", "-A")
    _git(root, "commit", "-qm", "First\n\nBody.")
    return root


def test_before_the_first_commit_everything_staged_is_new(tmp_path: Path) -> None:
    _git(tmp_path, "init", "-q", "-b", "trunk")
    history = GitHistory(tmp_path)
    head = history.head()
    assert not isinstance(head, GitFault)
    assert (head.branch, head.commit) == ("trunk", None)
    assert history.log() == ()
    (tmp_path / "new.txt").write_text("x\ny\n")
    _git(tmp_path, "add", "-A")
    [file] = _files(history.diff(staged=True))
    assert (file.status, file.path, file.insertions) == ("added", "new.txt", 2)


def test_a_detached_head_is_named_by_its_commit(root: Path) -> None:
    commit = _git(root, "rev-parse", "HEAD").strip()
    _git(root, "checkout", "-q", commit)
    head = GitHistory(root).head()
    assert not isinstance(head, GitFault)
    assert (head.branch, head.is_detached) == (commit, True)


def test_a_diff_is_what_git_prints(root: Path) -> None:
    (root / "a.txt").write_text("one\n2\nthree\n")
    (root / "b.txt").write_text("new\n")
    _git(root, "add", "b.txt")
    history = GitHistory(root)
    printed = "".join(each.patch.decode() for each in _files(history.diff()))
    assert printed == _git(root, "diff", "HEAD")
    staged = "".join(each.patch.decode() for each in _files(history.diff(staged=True)))
    assert staged == _git(root, "diff", "--cached")
    [hunk] = _files(history.diff())[0].hunks
    assert (hunk.old_start, hunk.new_start, hunk.new_lines) == (1, 1, 3)


def test_a_rename_is_one_change(root: Path) -> None:
    (root / "a.txt").rename(root / "c.txt")
    _git(root, "add", "-A")
    [file] = _files(GitHistory(root).diff(staged=True))
    assert (file.status, file.old_path, file.path) == ("renamed", "a.txt", "c.txt")


def test_old_files_and_merge_bases_are_found(root: Path) -> None:
    first = _git(root, "rev-parse", "HEAD").strip()
    (root / "a.txt").write_text("changed\n")
    _git(root, "commit", "-qam", "Second")
    history = GitHistory(root)
    old = history.show("HEAD~1", "a.txt")
    assert not isinstance(old, GitFault)
    assert old.data == b"one\ntwo\nthree\n"
    assert history.merge_base("HEAD", "HEAD~1") == first
    assert history.show("HEAD", "none.txt") is GitFault.NO_PATH
    assert history.show("none", "a.txt") is GitFault.NO_REVISION
    assert history.show("HEAD", "a.txt", limit=3) is GitFault.TOO_LARGE
    commits = history.log()
    assert not isinstance(commits, GitFault)
    assert [each.message for each in commits] == ["Second", "First"]
    assert commits[1].body == "First\n\nBody.\n"


def test_a_shallow_clone_ends_where_its_history_does(root: Path, tmp_path: Path) -> None:
    (root / "a.txt").write_text("changed\n")
    _git(root, "commit", "-qam", "Second")
    clone = tmp_path / "clone"
    _git(tmp_path, "clone", "-q", "--depth=1", f"file://{root}", str(clone))
    commits = GitHistory(clone).log()
    assert not isinstance(commits, GitFault)
    assert [each.message for each in commits] == ["Second"]


def test_the_state_of_the_work_tree_is_told(root: Path) -> None:
    (root / "a.txt").write_text("changed\n")
    (root / "staged.txt").write_text("x")
    _git(root, "add", "staged.txt")
    (root / "untracked.txt").write_text("x")
    status = GitHistory(root).status()
    assert not isinstance(status, GitFault)
    assert (status.staged, status.unstaged) == (("staged.txt",), ("a.txt",))
    assert (status.untracked, status.branch) == (("untracked.txt",), "main")


def test_no_repository_is_said(tmp_path: Path) -> None:
    assert GitHistory(tmp_path).head() is GitFault.NO_REPOSITORY


def test_configured_programs_do_not_run(root: Path, tmp_path: Path) -> None:
    """fsmonitor, filters, textconv, external diffs and hooks all write a file if they run."""
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\necho ran >> {tmp_path}/ran\ncat\n")
    trap.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "diff.external",
        "diff.trap.textconv",
        "diff.trap.command",
        "filter.trap.clean",
        "filter.trap.smudge",
        "filter.trap.process",
        "core.pager",
        "core.sshCommand",
    ):
        _git(root, "config", key, str(trap))
    (root / ".gitattributes").write_text("* filter=trap diff=trap\n")
    for hook in ("post-checkout", "pre-commit", "post-index-change"):
        place = root / ".git/hooks" / hook
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(trap.read_bytes())
        place.chmod(0o755)
    (root / "a.txt").write_text("changed\n")
    history = GitHistory(root)
    assert not isinstance(history.diff(), GitFault)
    assert not isinstance(history.status(), GitFault)
    assert not isinstance(history.show("HEAD", "a.txt"), GitFault)
    assert not (tmp_path / "ran").exists()


def test_a_work_tree_elsewhere_is_not_read(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("outside\n")
    _git(root, "config", "core.worktree", str(outside))
    assert GitHistory(root).diff() is GitFault.NO_REPOSITORY


def test_a_pipe_in_the_repository_blocks_nobody(root: Path) -> None:
    (root / ".git/config").unlink()
    os.mkfifo(root / ".git/config")
    assert GitHistory(root).head() is GitFault.NO_REPOSITORY


@pytest.mark.parametrize(
    "name",
    [
        "sub/.gitattributes",
        "sub/.gitignore",
        "empty/.gitignore",
        "link/.gitattributes",
        "module/.git",
        "module/.git/HEAD",
        "module/.git/config",
        "module/.git/commondir",
    ],
)
def test_a_pipe_in_the_work_tree_blocks_nobody(root: Path, name: str) -> None:
    """libgit2 opens such files of every folder, and the repositories of submodules."""
    for folder in ("sub", "link", "module"):
        (root / folder).mkdir()
        (root / folder / "x.txt").write_text("x\n")
    _git(root / "module", "init", "-q")
    for place in (root / "module", root):
        _git(place, "add", "-A")
        _git(place, "commit", "-qm", "Second")
    for folder in ("sub", "link"):
        (root / folder / "x.txt").write_text("y\n")
    (root / "empty").mkdir()
    (root / "link").rename(root.parent / "elsewhere")
    (root / "link").symlink_to(root.parent / "elsewhere")
    history = GitHistory(root)
    assert not isinstance(history.diff(), GitFault)
    assert not isinstance(history.status(), GitFault)
    place = root / name
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    assert history.diff() is GitFault.UNREADABLE
    # What a link leads to is no part of the work tree.
    if not name.startswith("link/"):
        assert history.status() is GitFault.UNREADABLE
        assert GitObjects(root).work_tree() is ObjectFault.UNREADABLE


@pytest.mark.parametrize("target", ["x" * 4000, ".git"])
def test_a_git_folder_that_is_a_link_without_end_is_none(tmp_path: Path, target: str) -> None:
    (tmp_path / ".git").symlink_to(target)
    assert GitHistory(tmp_path).head() is GitFault.NO_REPOSITORY
    assert GitObjects(tmp_path).snapshots() is ObjectFault.NO_REPOSITORY


def test_no_attributes_file_of_a_configuration_is_opened(root: Path) -> None:
    """Neither a pipe that the repository names, nor what makes a diff differ by whose it is."""
    (root / "a.txt").write_text("one\n2\nthree\n")
    os.mkfifo(root.parent / "pipe")
    expected = GitHistory(root).diff()
    assert _files(expected)
    _git(root, "config", "core.attributesFile", str(root.parent / "pipe"))
    assert GitHistory(root).diff() == expected
    (root.parent / "attributes").write_text("* binary\n")
    _git(root, "config", "core.attributesFile", str(root.parent / "attributes"))
    assert GitHistory(root).diff() == expected


@pytest.mark.parametrize(
    "name", ["refs/heads", "refs/tags/t", "objects/pack", "objects/12", "logs/HEAD"]
)
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_objects_of_another_repository_are_not_shown(
    root: Path, tmp_path: Path, name: str, kind: str
) -> None:
    """A link below `.git` would make what is outside of the root a part of its history."""
    assert GitHistory(root).head() is not GitFault.NO_REPOSITORY
    place = root / ".git" / name
    if place.exists():
        place.rename(tmp_path / "elsewhere")
    if kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(tmp_path / "elsewhere")
    assert GitHistory(root).head() is GitFault.NO_REPOSITORY
    assert GitObjects(root).snapshots() is ObjectFault.NO_REPOSITORY


def test_objects_are_taken_from_no_other_repository(root: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    _git(tmp_path, "clone", "-q", "--shared", str(root), str(shared))
    assert GitHistory(shared).show("HEAD", "a.txt") is GitFault.NO_REPOSITORY
    # A snapshot is found by its id alone, wherever its objects are kept.
    assert GitObjects(shared).snapshots() == ()
    _git(shared, "repack", "-adq")
    (shared / ".git/objects/info/alternates").unlink()
    assert not isinstance(GitHistory(shared).show("HEAD", "a.txt"), GitFault)


def test_what_took_too_long_is_asked_again_once_the_repository_has_changed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """libgit2 does not end over a loose object that is cut off; other questions are answered."""
    asked: list[bytes] = []

    class _Lost:
        def exchange(self, message: bytes, _: int) -> None:
            asked.append(message)

    processes = git_history._PROCESSES
    monkeypatch.setattr(git_history, "_PROCESSES", _Lost())
    assert [GitHistory(root).log(), GitHistory(root).log()] == [GitFault.TIME_OUT] * 2
    assert len(asked) == 1
    monkeypatch.setattr(git_history, "_PROCESSES", processes)
    assert GitHistory(root).log() is GitFault.TIME_OUT
    assert not isinstance(GitHistory(root).head(), GitFault)
    (root / "a.txt").write_text("more\n")
    _git(root, "commit", "-qam", "More")
    assert not isinstance(GitHistory(root).log(), GitFault)


def _files(difference: TreeDifference | GitFault) -> tuple[ChangedFile, ...]:
    assert not isinstance(difference, GitFault)
    return difference.files


def _git(root: Path, *arguments: str) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(root.parent),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_NAME": "Ada" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "ada@example.org" for who in ("AUTHOR", "COMMITTER")},
    }
    return subprocess.run(
        ["git", *arguments], cwd=root, env=environment, check=True, capture_output=True, text=True
    ).stdout
