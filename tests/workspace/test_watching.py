"""Watching real files: every visible change is told, and nothing that is denied."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sightline.workspace import Workspace
from sightline.workspace.watching import STORM, Changes, Pace, watch
from tests.workspace.conftest import TEXT, Write, git

PATIENCE = 300.0
"""Seconds until a test gives up; none waits that long unless it fails."""


class Watched:
    """A watch in a thread of its own, and what it has told so far."""

    def __init__(self, workspace: Workspace, pace: Pace) -> None:
        self._told: queue.Queue[Changes | BaseException | None] = queue.Queue()
        self.stop = threading.Event()
        self.batches: list[Changes] = []
        self._thread = threading.Thread(target=self._run, args=(workspace, pace))
        self._thread.start()

    def _run(self, workspace: Workspace, pace: Pace) -> None:
        try:
            for changes in watch(workspace, self.stop, pace):
                self._told.put(changes)
            self._told.put(None)
        except BaseException as error:
            self._told.put(error)

    def next(self) -> Changes | None:
        """The next batch; None at the end."""
        told = self._told.get(timeout=PATIENCE)
        assert not isinstance(told, BaseException), told
        if told is not None:
            self.batches.append(told)
        return told

    def until(self, path: str) -> set[str]:
        """All paths told up to the batch that names `path`."""
        told: set[str] = set()
        while path not in told:
            changes = self.next()
            assert changes is not None
            told.update(changes.paths)
        return told

    def settle(self, file: Path) -> None:
        """Change a file until it is told by name, so that all that came before has been told.

        A batch that asks for a rescan names nothing.
        """
        path = file.name
        while True:
            with file.open("a") as opened:
                opened.write(TEXT)
            changes = self.next()
            assert changes is not None
            if any(told.rpartition("/")[2] == path for told in changes.paths):
                return

    def until_rescan(self) -> Changes:
        while True:
            changes = self.next()
            assert changes is not None
            if changes.rescan:
                return changes

    def end(self) -> None:
        self.stop.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()


Begin = Callable[..., Watched]


@pytest.fixture
def begin(root: Path) -> Iterator[Begin]:
    """Begin to watch the root; returns when changes are told."""
    begun: list[Watched] = []

    def begin_watching(pace: Pace | None = None) -> Watched:
        watched = Watched(Workspace(root), pace or Pace())
        begun.append(watched)
        first = watched.next()
        assert first is not None
        assert first.rescan
        assert first.paths == ()
        return watched

    yield begin_watching
    for watched in begun:
        watched.end()


def test_files_that_are_edited_made_renamed_and_removed(
    root: Path, write: Write, begin: Begin
) -> None:
    write("src/a.py", TEXT)
    write("src/b.py", TEXT)
    watched = begin()
    assert not watched.batches[0].polling
    write("src/a.py", TEXT + TEXT)
    assert watched.until("src/a.py") == {"src/a.py"}
    write("src/new.py", TEXT)
    assert watched.until("src/new.py") <= {"src/new.py", "src/a.py"}
    (root / "src/b.py").rename(root / "c.py")
    told = watched.until("c.py")
    assert "src/b.py" in told or "src/b.py" in watched.until("src/b.py")
    (root / "c.py").unlink()
    watched.until("c.py")
    assert not any(changes.rescan for changes in watched.batches[1:])


def test_a_batch_is_in_bytewise_order(root: Path, write: Write, begin: Begin) -> None:
    for name in ("a.py", "é.py", "Z.py", "b-c.py", "🙂.py"):
        write(name, TEXT)
    watched = begin(Pace(quiet=300, longest=2_000))
    for file in root.iterdir():
        file.write_text("changed")
    watched.until("🙂.py")
    for changes in watched.batches:
        assert list(changes.paths) == sorted(changes.paths, key=str.encode)


def test_an_editor_that_saves_by_renaming(root: Path, write: Write, begin: Begin) -> None:
    write("a.py", TEXT)
    watched = begin()
    write("a.py.tmp", TEXT + TEXT)
    (root / "a.py.tmp").rename(root / "a.py")
    assert watched.until("a.py") <= {"a.py", "a.py.tmp"}


def test_new_directories_are_watched_when_the_rescan_is_asked_for(
    root: Path, write: Write, begin: Begin
) -> None:
    watched = begin()
    write("new/deep/a.py", TEXT)
    watched.until_rescan()
    while "new/deep/a.py" not in Workspace(root).survey().paths:
        watched.until_rescan()
    watched.settle(root / "new/deep/b.py")
    write("new/deep/c.py", TEXT)
    watched.until("new/deep/c.py")


def test_a_directory_that_is_moved_and_one_that_comes_back(
    root: Path, write: Write, begin: Begin
) -> None:
    """A moved directory says nothing of its files; a new one of an old name is another one."""
    write("a/x.py", TEXT)
    watched = begin()
    (root / "a").rename(root / "b")
    watched.until_rescan()
    watched.settle(root / "b/x.py")
    shutil.rmtree(root / "b")
    watched.until("b")
    write("b/x.py", TEXT)
    watched.until_rescan()
    watched.settle(root / "b/y.py")


@pytest.mark.parametrize("name", [".gitignore", "src/.aiignore", ".git/info/exclude"])
def test_a_rule_that_changes_asks_for_a_rescan(
    root: Path, write: Write, begin: Begin, name: str
) -> None:
    git(root, "init", "-q")
    write("src/a.py", TEXT)
    write(name, "")
    watched = begin()
    write(name, "a.py\n")
    watched.until_rescan()
    watched.settle(root / "src/c.py")
    # From here on the file is withheld, so another one is the first to be told.
    write("src/a.py", TEXT + TEXT)
    write("src/b.py", TEXT)
    assert "src/a.py" not in watched.until("src/b.py")


def test_a_repository_that_is_made(root: Path, write: Write, begin: Begin) -> None:
    write("a.py", TEXT)
    watched = begin()
    git(root, "init", "-q")
    watched.until_rescan()
    watched.settle(root / "b.py")
    write(".git/info/exclude", "a.py\n")
    watched.until_rescan()


DENIED = ["node_modules/x/a.js", ".git/index", ".git/objects/a", "build/a.py", ".env", "ignored.py"]


def test_what_is_denied_is_not_told(root: Path, write: Write, begin: Begin) -> None:
    git(root, "init", "-q")
    write(".gitignore", "ignored.py\n/private/\n")
    for path in (*DENIED, "private/a.py"):
        write(path, TEXT)
    watched = begin()
    for path in (*DENIED, "private/a.py"):
        write(path, TEXT + TEXT)
    write("node_modules/.gitignore", "a\n")
    write("node_modules/new/a.js", TEXT)
    write("private/new/a.py", TEXT)
    write("dist/a.js", TEXT)
    write("seen.py", TEXT)
    assert watched.until("seen.py") == {"seen.py"}
    assert not any(changes.rescan for changes in watched.batches[1:])


def test_a_link_does_not_lead_a_watch_out(root: Path, write: Write, begin: Begin) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (root / "link").symlink_to(outside)
    (root / "loop").symlink_to(".")
    write("src/a.py", TEXT)
    watched = begin()
    (outside / "a.py").write_text(TEXT)
    write("src/a.py", TEXT + TEXT)
    assert watched.until("src/a.py") == {"src/a.py"}


def test_a_link_is_told_with_whatever_changes(root: Path, write: Write, begin: Begin) -> None:
    """What it leads to may have changed under another name."""
    write("src/a.py", TEXT)
    (root / "link.py").symlink_to("src/a.py")
    watched = begin()
    write("src/a.py", TEXT + TEXT)
    assert watched.until("src/a.py") == {"link.py", "src/a.py"}


def test_a_storm_asks_for_a_rescan_instead_of_naming_files(
    root: Path, write: Write, begin: Begin
) -> None:
    write("src/a.py", TEXT)
    outside = root.parent / "outside"
    outside.mkdir()
    for number in range(3_000):
        (outside / f"{number}.py").write_bytes(b"")
    watched = begin(Pace(quiet=500, longest=10_000))
    for file in outside.iterdir():
        file.rename(root / "src" / file.name)
    watched.until_rescan()
    watched.settle(root / "src/a.py")
    assert all(len(changes.paths) <= STORM for changes in watched.batches)
    assert len(watched.batches) < 20


def test_a_set_event_ends_it(write: Write, begin: Begin) -> None:
    write("a.py", TEXT)
    watched = begin()
    watched.stop.set()
    assert watched.next() is None


def test_an_event_that_was_set_before(root: Path) -> None:
    stop = threading.Event()
    stop.set()
    assert list(watch(Workspace(root), stop)) == []


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_root_that_disappears_ends_it(
    root: Path, write: Write, begin: Begin, is_replaced: bool
) -> None:
    write("src/a.py", TEXT)
    watched = begin()
    root.rename(root.parent / "moved")
    if is_replaced:
        root.mkdir()
    while watched.next() is not None:
        pass


def test_a_root_that_has_disappeared(root: Path) -> None:
    workspace = Workspace(root)
    root.rmdir()
    assert list(watch(workspace, threading.Event())) == []


WITH_A_LIMIT = """
import sys, threading
from pathlib import Path
Path("/proc/sys/user/max_inotify_watches").write_text("3")
from sightline.workspace import Workspace
from sightline.workspace.watching import Pace, watch
root = Path(sys.argv[1])
batches = watch(Workspace(root), threading.Event(), Pace(polling=50))
first = next(batches)
print("begun", first.rescan, first.polling, flush=True)
(root / "d7/a.py").write_text("changed and longer")
print("told", next(batches).paths, flush=True)
(root / "new").mkdir()
(root / "new/b.py").write_text("new")
print("told", next(batches).paths, flush=True)
(root / ".gitignore").write_text("new/")
print("rescan", next(batches).rescan, flush=True)
root.rename(root.parent / "moved")
print("end", list(batches), flush=True)
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="limits are set in a namespace")
def test_where_the_system_watches_no_more_directories_changes_are_polled(
    root: Path, write: Write
) -> None:
    for number in range(10):
        write(f"d{number}/a.py", TEXT)
    unshare = ["unshare", "--user", "--map-root-user"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no namespaces here")
    done = subprocess.run(
        [*unshare, sys.executable, "-c", WITH_A_LIMIT, str(root)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    if "max_inotify_watches" in done.stderr:
        pytest.skip("limits cannot be set here")
    assert done.stdout.splitlines() == [
        "begun True True",
        "told ('d7/a.py',)",
        "told ('new/b.py',)",
        "rescan True",
        "end []",
    ], done.stderr
