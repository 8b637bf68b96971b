"""Nothing outside the root is ever served, whatever the workspace is made of."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sightline.workspace import DiskDocument, Workspace, jail
from tests.workspace.conftest import TEXT, Write, outcome, read, refused

OUTSIDE = "OUTSIDE-8d1f"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="making links needs rights on Windows")


@pytest.fixture
def tree(root: Path, write: Write) -> Path:
    write("src/a.py", TEXT)
    write("src/deep/b.py", TEXT)
    write(".env", "KEY=1")
    write("build/c.py", TEXT)
    write(".gitignore", "ignored.py\n/private/\n")
    write("ignored.py", TEXT)
    write("private/d.py", TEXT)
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "a.py").write_text(OUTSIDE)
    sibling = root.parent / "root-evil"
    sibling.mkdir()
    (sibling / "a.py").write_text(OUTSIDE)
    return root


# Links to make (name, target), a path to read, what comes of it. `{root}` is the real root.
LINKS: list[tuple[str, list[tuple[str, str]], str, str]] = [
    ("file, same directory", [("src/l.py", "a.py")], "src/l.py", "seen"),
    ("file, down", [("l.py", "src/deep/b.py")], "l.py", "seen"),
    ("file, up and down", [("src/deep/l.py", "../a.py")], "src/deep/l.py", "seen"),
    ("dots and slashes", [("l.py", ".//src/./a.py")], "l.py", "seen"),
    ("absolute inside", [("l.py", "{root}/src/a.py")], "l.py", "seen"),
    ("absolute to the root", [("l", "{root}")], "l/src/a.py", "seen"),
    ("directory", [("l", "src")], "l/a.py", "seen"),
    ("directory, deeper", [("l", "src")], "l/deep/b.py", "seen"),
    ("directory as file", [("l", "src")], "l", "is_directory"),
    ("chain", [("l1", "l2"), ("l2", "l3"), ("l3", "src/a.py")], "l1", "seen"),
    ("through a link and back", [("l", "src/deep"), ("m", "l/../a.py")], "m", "seen"),
    ("dangling", [("l", "nowhere")], "l", "not_found"),
    ("through a file", [("l", "src/a.py/x")], "l", "not_found"),
    ("outside, relative", [("l", "../outside/a.py")], "l", "outside_sandbox"),
    ("outside, absolute", [("l", "{root}/../outside/a.py")], "l", "outside_sandbox"),
    ("outside, system", [("l", "/etc/passwd")], "l", "outside_sandbox"),
    ("outside and missing", [("l", "/nowhere/at/all")], "l", "outside_sandbox"),
    ("outside directory", [("l", "../outside")], "l/a.py", "outside_sandbox"),
    ("outside, in the middle", [("src/l", "../../outside")], "src/l/a.py", "outside_sandbox"),
    ("sibling with the same prefix", [("l", "{root}-evil/a.py")], "l", "outside_sandbox"),
    ("out and in again", [("l", "../root/src/a.py")], "l", "outside_sandbox"),
    ("out and in, absolute", [("l", "{root}/src/../../root/src/a.py")], "l", "outside_sandbox"),
    (
        "chain that leaves",
        [("l1", "src/l2"), ("src/l2", "../../outside/a.py")],
        "l1",
        "outside_sandbox",
    ),
    ("root of the system", [("l", "/")], "l/etc/passwd", "outside_sandbox"),
    ("process directory", [("l", "/proc/self/root")], "l/etc/passwd", "outside_sandbox"),
    ("device", [("l", "/dev/null")], "l", "outside_sandbox"),
    ("loop of one", [("l", "l")], "l", "symlink_loop"),
    ("loop of two", [("l1", "l2"), ("l2", "l1")], "l1", "symlink_loop"),
    ("loop of directories", [("l", "./l/x")], "l/a.py", "symlink_loop"),
    ("41 links", [(f"l{n}", f"l{n + 1}") for n in range(41)], "l0", "symlink_loop"),
    ("to a denied file", [("l.txt", ".env")], "l.txt", "deny_rule"),
    ("to a denied directory", [("l", "build")], "l/c.py", "deny_rule"),
    ("to an ignored file", [("l.txt", "ignored.py")], "l.txt", "deny_rule"),
    ("to an ignored directory", [("l", "private")], "l/d.py", "deny_rule"),
    ("with a denied name", [("a.pem", "src/a.py")], "a.pem", "deny_rule"),
    ("with an ignored name", [("src/ignored.py", "a.py")], "src/ignored.py", "deny_rule"),
    ("to a name of refused form", [("l", "src/aux.py")], "l", "invalid_path"),
]


@pytest.mark.parametrize(
    ("links", "path", "expected"), [case[1:] for case in LINKS], ids=[case[0] for case in LINKS]
)
def test_links(tree: Path, links: list[tuple[str, str]], path: str, expected: str) -> None:
    (tree / "src/aux.py").write_text(TEXT)
    for name, target in links:
        (tree / name).symlink_to(target.format(root=tree))
    workspace = Workspace(tree)
    result = workspace.read(path)
    assert outcome(result) == expected
    assert OUTSIDE not in repr(result)
    if expected not in ("not_found", "is_directory"):
        assert outcome(workspace.judge(path)) == expected


@pytest.mark.parametrize(
    ("links", "path"), [case[1:3] for case in LINKS], ids=[case[0] for case in LINKS]
)
def test_links_are_refused_where_they_cannot_be_followed_safely(
    tree: Path, monkeypatch: pytest.MonkeyPatch, links: list[tuple[str, str]], path: str
) -> None:
    monkeypatch.setattr(jail, "_DESCENDS", False)
    for name, target in links:
        (tree / name).symlink_to(target.format(root=tree))
    result = refused(Workspace(tree).read(path))
    assert result.reason in ("outside_sandbox", "deny_rule")


def test_forty_links_are_followed(tree: Path) -> None:
    for number in range(39):
        (tree / f"l{number}").symlink_to(f"l{number + 1}")
    (tree / "l39").symlink_to("src/a.py")
    assert str(read(Workspace(tree), "l0").text) == TEXT


@pytest.mark.usefixtures("walk")
def test_the_root_itself_may_be_named_by_a_link(tree: Path) -> None:
    alias = tree.parent / "alias"
    alias.symlink_to(tree)
    workspace = Workspace(alias)
    assert str(read(workspace, "src/a.py").text) == TEXT
    assert workspace.relative(alias / "src/a.py") == "src/a.py"
    assert workspace.relative(tree / "src/a.py") == "src/a.py"


def _fifo(place: Path) -> None:
    os.mkfifo(place)


def _socket(place: Path) -> None:
    # A socket's address is short; the directory is entered by a short name instead.
    here = Path.cwd()
    os.chdir(place.parent)
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(place.name)
    finally:
        os.chdir(here)


@pytest.mark.parametrize("make", [_fifo, _socket])
@pytest.mark.usefixtures("walk")
def test_what_is_not_a_regular_file_is_refused_without_waiting(
    tree: Path, make: Callable[[Path], None]
) -> None:
    make(tree / "src/odd.py")
    workspace = Workspace(tree)
    assert refused(workspace.read("src/odd.py")).reason == "not_regular"
    assert "src/odd.py" not in list(workspace.files())


def test_a_link_to_a_pipe_is_refused_without_waiting(tree: Path) -> None:
    os.mkfifo(tree / "pipe")
    (tree / "l").symlink_to("pipe")
    assert refused(Workspace(tree).read("l")).reason == "not_regular"


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no devices")
@pytest.mark.usefixtures("walk")
def test_a_device_is_refused_without_being_opened() -> None:
    assert refused(Workspace(Path("/dev")).read("null")).reason == "not_regular"
    assert refused(Workspace(Path("/dev")).read("zero")).reason == "not_regular"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root can read every file"
)
@pytest.mark.usefixtures("walk")
def test_unreadable_files_and_directories(tree: Path) -> None:
    (tree / "src/a.py").chmod(0)
    (tree / "src/deep").chmod(0)
    workspace = Workspace(tree)
    try:
        assert refused(workspace.read("src/a.py")).reason == "unreadable"
        assert refused(workspace.read("src/deep/b.py")).reason == "unreadable"
        assert "src/deep/b.py" not in list(workspace.files())
    finally:
        (tree / "src/deep").chmod(0o755)


@pytest.mark.usefixtures("walk")
def test_a_file_is_found_as_soon_as_it_is_there(tree: Path) -> None:
    """A kept listing never hides a new file or shows an old one."""
    workspace = Workspace(tree)
    for number in range(50):
        path = f"src/new{number}.py"
        assert refused(workspace.read(path)).reason == "not_found"
        (tree / path).write_text(TEXT)
        assert str(read(workspace, path).text) == TEXT
        (tree / path).unlink()
        assert refused(workspace.read(path)).reason == "not_found"


def _swap_directory(tree: Path, stop: threading.Event) -> None:
    """Put a link to the outside in the place of a directory, and back, until told to stop."""
    inside, aside, link = tree / "src", tree / "aside", tree / "link"
    while not stop.is_set():
        link.symlink_to("../outside")
        inside.rename(aside)
        link.rename(inside)
        inside.unlink()
        aside.rename(inside)


def _swap_file(tree: Path, stop: threading.Event) -> None:
    inside, aside = tree / "src/a.py", tree / "src/aside.py"
    while not stop.is_set():
        inside.rename(aside)
        inside.symlink_to("../../outside/a.py")
        inside.unlink()
        aside.rename(inside)


@pytest.mark.parametrize("swap", [_swap_directory, _swap_file])
def test_a_swap_while_reading_never_serves_the_outside(
    tree: Path, swap: Callable[[Path, threading.Event], None]
) -> None:
    stop = threading.Event()
    swapper = threading.Thread(target=swap, args=(tree, stop))
    workspace = Workspace(tree)
    served: set[str] = set()
    outcomes: set[str] = set()
    swapper.start()
    try:
        for turn in range(100_000):
            if turn > 3000 and len(outcomes) > 1:
                break
            result = workspace.read("src/a.py")
            outcomes.add(outcome(result))
            if isinstance(result, DiskDocument):
                served.add(str(result.text))
    finally:
        stop.set()
        swapper.join()
    assert served <= {TEXT}
    # A directory whose ignore files cannot be read at that moment is denied.
    withheld = {"not_found", "outside_sandbox", "changed_while_reading", "deny_rule"}
    assert outcomes <= {"seen", *withheld}
    # The race was on: neither side stood still.
    assert len(outcomes) > 1


def _put_link_in_place_of(directory: Path) -> None:
    directory.rename(directory.parent / "aside")
    directory.symlink_to("../outside")


def test_a_directory_that_becomes_a_link_before_it_is_entered(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The race in slow motion: the swap comes after the look and before the step."""
    workspace = Workspace(tree)
    open_for_real = os.open

    def open_late(path: str | Path, flags: int, **rest: int) -> int:
        if path == "src":
            _put_link_in_place_of(tree / "src")
        return open_for_real(path, flags, **rest)

    monkeypatch.setattr(os, "open", open_late)
    assert refused(workspace.read("src/a.py")).reason == "changed_while_reading"


def test_the_portable_walk_refuses_a_directory_that_became_a_link(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The swap comes after the look at the directory and before the look at the file."""
    monkeypatch.setattr(jail, "_DESCENDS", False)
    workspace = Workspace(tree)
    list_for_real = os.scandir

    def list_late(directory: Path) -> object:
        if directory == tree / "src" and not (tree / "aside").exists():
            _put_link_in_place_of(directory)
        return list_for_real(directory)

    monkeypatch.setattr(os, "scandir", list_late)
    assert refused(workspace.read("src/a.py")).reason == "outside_sandbox"


def test_the_portable_walk_refuses_a_file_that_is_not_the_one_it_looked_at(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The identity check, in slow motion: another file takes the name before it is opened."""
    monkeypatch.setattr(jail, "_DESCENDS", False)
    workspace = Workspace(tree)
    open_for_real = os.open

    def open_late(path: Path, flags: int, **rest: int) -> int:
        if Path(path).name == "a.py":
            (tree / "src/new.py").write_text(OUTSIDE)
            (tree / "src/new.py").rename(tree / "src/a.py")
        return open_for_real(path, flags, **rest)

    monkeypatch.setattr(os, "open", open_late)
    assert refused(workspace.read("src/a.py")).reason == "changed_while_reading"


def test_no_descriptor_is_left_open(tree: Path) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("descriptors cannot be counted here")
    (tree / "l").symlink_to("../outside")
    os.mkfifo(tree / "pipe")
    workspace = Workspace(tree)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path in ("src/a.py", "src/deep/b.py", "l/a.py", "pipe", "missing", ".env", "src"):
        workspace.read(path)
        workspace.judge(path)
    list(workspace.files())
    assert len(list(Path("/proc/self/fd").iterdir())) == before
