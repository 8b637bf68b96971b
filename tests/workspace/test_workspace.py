"""Listing, naming and finding workspaces."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import pygit2
import pytest

from sightline.refusals import Refusal
from sightline.workspace import Root, RootError, Workspace, find_root
from tests.workspace.conftest import TEXT, Write, outcome, read, refused

TREE = [
    "a",
    "a-b.py",
    "a.py",
    "a0",
    "b/a.py",
    "b/c/d.py",
    "b/c.py",
    "b/c-d.py",
    "b0.py",
    "é.py",
    "z/é/a.py",
    "z/日.py",
    "🙂.py",
    "Z.py",
    "\uffee.py",
    ".hidden",
    ".env",
    "build/a.py",
    "b/node_modules/x.js",
    "x.png",
]


@pytest.mark.usefixtures("walk")
def test_files_are_listed_in_bytewise_order_of_their_paths(root: Path, write: Write) -> None:
    for path in TREE:
        write(path, TEXT)
    denied = {".env", "build/a.py", "b/node_modules/x.js", "x.png"}
    expected = sorted((path for path in TREE if path not in denied), key=lambda p: p.encode())
    workspace = Workspace(root)
    assert list(workspace.files()) == expected
    assert list(workspace.files()) == expected
    assert all(workspace.judge(path) is None for path in expected)


def test_the_order_in_which_files_were_made_does_not_show(tmp_path: Path) -> None:
    listings = []
    for number, tree in enumerate((TREE, TREE[::-1], sorted(TREE))):
        for path in tree:
            file = tmp_path / str(number) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(TEXT)
        listings.append(list(Workspace(tmp_path / str(number)).files()))
    assert listings[0] == listings[1] == listings[2] != []


def test_links_in_a_listing(root: Path, write: Write) -> None:
    """A link to a visible file is listed; links to directories, denied files and out are not."""
    write("src/a.py", TEXT)
    write(".env", TEXT)
    (root.parent / "outside.py").write_text(TEXT)
    for name, target in [
        ("file.py", "src/a.py"),
        ("directory", "src"),
        ("denied.py", ".env"),
        ("outside.py", "../outside.py"),
        ("dangling.py", "nowhere"),
        ("loop.py", "loop.py"),
        ("up", "."),
    ]:
        (root / name).symlink_to(target)
    assert list(Workspace(root).files()) == ["file.py", "src/a.py"]


def test_denied_directories_are_not_entered(root: Path, write: Write) -> None:
    """Seen by what is left unread: an ignore file below a denied directory is never opened."""
    write("a.py", TEXT)
    write("node_modules/x/a.js", TEXT)
    if hasattr(os, "mkfifo"):
        os.mkfifo(root / "node_modules/x/.gitignore")
    workspace = Workspace(root)
    assert list(workspace.files()) == ["a.py"]
    assert refused(workspace.judge("node_modules/x/a.js")).source == "default:dependencies"


def test_refresh_forgets_ignore_files(root: Path, write: Write) -> None:
    write("a.py", TEXT)
    workspace = Workspace(root)
    assert workspace.judge("a.py") is None
    write(".sightlineignore", "a.py\n")
    workspace.refresh()
    assert refused(workspace.judge("a.py")).source == ".sightlineignore:1"
    (root / ".sightlineignore").unlink()
    workspace.refresh()
    assert workspace.judge("a.py") is None


def test_judge_needs_no_file(root: Path) -> None:
    """An unsaved document is judged by its path alone."""
    workspace = Workspace(root)
    assert workspace.judge("new/unsaved.py") is None
    assert refused(workspace.judge("new/unsaved.pem")).rule == "**/*.pem"
    (root / ".aiignore").write_text("/new/\n")
    workspace.refresh()
    assert refused(workspace.judge("new/unsaved.py")).source == ".aiignore:1"


@pytest.mark.parametrize("name", ["missing", "file", "missing/deeper", "nul\0"])
def test_a_root_that_is_no_directory(root: Path, write: Write, name: str) -> None:
    write("file", TEXT)
    with pytest.raises(RootError):
        Workspace(root / name)


def test_a_root_that_disappears(root: Path, write: Write) -> None:
    write("a.py", TEXT)
    workspace = Workspace(root)
    root.rename(root.parent / "moved")
    assert refused(workspace.read("a.py")).reason == "not_found"
    assert list(workspace.files()) == []


# Typed in the directory `root/src`; `{root}` is the root's path.
TYPED: list[tuple[str, str]] = [
    ("a.py", "src/a.py"),
    ("./a.py", "src/a.py"),
    ("../b.py", "b.py"),
    ("sub/../a.py", "src/a.py"),
    ("../../root/b.py", "b.py"),
    ("{root}/b.py", "b.py"),
    ("{root}//src/./a.py", "src/a.py"),
    ("{root}/src/../b.py", "b.py"),
    ("{alias}/src/a.py", "src/a.py"),
    ("missing.py", "src/missing.py"),
    (".env", "src/.env"),
]

TYPED_OUTSIDE: list[tuple[str, str]] = [
    ("", "invalid_path"),
    ("..", "is_directory"),
    ("{root}", "is_directory"),
    ("{root}/", "is_directory"),
    ("../..", "outside_sandbox"),
    ("../../outside.py", "outside_sandbox"),
    ("/etc/passwd", "outside_sandbox"),
    ("/", "outside_sandbox"),
    ("{root}-evil/a.py", "outside_sandbox"),
    ("{root}/../root-evil/a.py", "outside_sandbox"),
    ("{root}/../outside.py", "outside_sandbox"),
    ("a.py ", "invalid_path"),
    ("a.py:x", "invalid_path"),
    ("aux.py", "invalid_path"),
    ("a\0.py", "invalid_path"),
    ("a\ud800.py", "invalid_path"),
    ("a" * 10_000, "invalid_path"),
    ("../" * 4_000 + "etc/passwd", "outside_sandbox"),
]


@pytest.fixture
def typed_in(root: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    write("src/a.py", TEXT)
    write("b.py", TEXT)
    (root.parent / "alias").symlink_to(root)
    (root.parent / "root-evil").mkdir()
    monkeypatch.chdir(root / "src")
    return Workspace(root)


def _fill(typed: str, root: Path) -> str:
    return typed.replace("{root}", str(root)).replace("{alias}", str(root.parent / "alias"))


@pytest.mark.parametrize(("typed", "expected"), TYPED)
def test_a_path_as_people_type_it(
    typed_in: Workspace, root: Path, typed: str, expected: str
) -> None:
    assert typed_in.relative(_fill(typed, root)) == expected
    assert typed_in.relative(Path(_fill(typed, root))) == expected


def test_an_absolute_path_needs_no_working_directory(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor may have been started in a folder that is gone by now."""
    write("src/a.py", TEXT)
    gone = root.parent / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    workspace = Workspace(root)
    assert workspace.relative(root / "src/a.py") == "src/a.py"
    assert isinstance(workspace.relative("src/a.py"), Refusal)


@pytest.mark.parametrize(("typed", "reason"), TYPED_OUTSIDE)
def test_a_typed_path_that_is_not_in_the_workspace(
    typed_in: Workspace, root: Path, typed: str, reason: str
) -> None:
    assert refused(typed_in.relative(_fill(typed, root))).reason == reason


def test_a_relative_root(typed_in: Workspace) -> None:
    workspace = Workspace(Path())
    assert workspace.relative("a.py") == "a.py"
    assert str(read(workspace, "a.py").text) == TEXT
    assert refused(workspace.relative("../b.py")).reason == "outside_sandbox"
    assert typed_in.relative("a.py") == "src/a.py"


# Directories that hold `.git`, the path, the working directory, and the root found.
ROOTS: list[tuple[list[str], str, str, str]] = [
    (["p"], "p/src/a.py", "", "p"),
    (["p"], "src/a.py", "p", "p"),
    (["p"], "a.py", "p/src", "p"),
    (["p", "p/sub"], "p/sub/src/a.py", "", "p/sub"),
    (["p"], "p", "", "p"),
    (["p"], "p/missing/a.py", "", "p"),
    (["p"], "../p/a.py", "q", "p"),
    ([], "p/src/a.py", "p", "p"),
    ([], "src/a.py", "p", "p"),
    (["p", "q"], "../q/sub/a.py", "p", "q"),
]


@pytest.mark.parametrize("as_file", [False, True], ids=["directory", "file"])
@pytest.mark.parametrize(("git", "path", "cwd", "expected"), ROOTS)
def test_find_root(
    root: Path, git: list[str], path: str, cwd: str, expected: str, as_file: bool
) -> None:
    for directory in ("p/src", "p/sub/src", "q/sub"):
        (root / directory).mkdir(parents=True)
    for directory in git:
        if as_file:
            (root / directory / ".git").write_text("gitdir: elsewhere")
        else:
            pygit2.init_repository(str(root / directory))
    if path == "p/src/a.py" and cwd == "p":
        path = str(root / path)
    found = find_root(Path(path), root / cwd)
    assert not isinstance(found, Refusal)
    assert found.directory == root / expected
    assert found.is_elsewhere == (git == ["p", "q"])


@pytest.mark.parametrize("git", [[], ["p"]])
@pytest.mark.parametrize("path", ["../q/sub/a.py", "../q/sub", "/etc/passwd"])
def test_a_path_outside_the_project_is_refused(root: Path, git: list[str], path: str) -> None:
    """Outside is what neither the project nor a repository of its own holds."""
    (root / "p").mkdir()
    (root / "q/sub").mkdir(parents=True)
    for directory in git:
        pygit2.init_repository(str(root / directory))
    refusal = find_root(Path(path), root / "p")
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "outside_sandbox"


@pytest.mark.parametrize("is_repository", [False, True])
def test_the_home_directory_is_no_root_by_itself(
    root: Path, monkeypatch: pytest.MonkeyPatch, is_repository: bool
) -> None:
    """Not even one that holds a repository of settings files, nor under another name."""
    (root / "home/notes").mkdir(parents=True)
    (root / "link").symlink_to(root / "home")
    monkeypatch.setenv("HOME", str(root / "home"))
    if is_repository:
        pygit2.init_repository(str(root / "home"))
    for cwd in ("home", "link"):
        refusal = find_root(Path("a.py"), root / cwd)
        assert isinstance(refusal, Refusal)
        assert refusal.reason == "root_too_wide"
        assert "--root" in refusal.advice


def test_the_root_of_the_file_system_is_no_root_by_itself() -> None:
    refusal = find_root(Path("a.py"), Path("/"))
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "root_too_wide"


def test_the_standard_library_is_a_root_of_its_own(root: Path) -> None:
    library = Path(sysconfig.get_path("stdlib"))
    found = find_root(library / "json/decoder.py", root)
    assert found == Root(library)
    workspace = Workspace(library)
    assert outcome(workspace.read("json/decoder.py")) == "seen"


def test_a_first_look_at_a_tree_counts_what_may_be_entered(root: Path) -> None:
    """Not what a rule denies, nor what a link leads to, nor anything below a repository."""
    (root / "node_modules/a").mkdir(parents=True)
    (root / "sub").mkdir()
    for number in range(5):
        (root / f"node_modules/a/{number}.js").write_text("")
    for number in range(3):
        (root / f"sub/{number}.py").write_text("")
    (root / "sub/loop").symlink_to(root)
    count = 2 + 4
    assert not Workspace(root).is_large(count)
    assert Workspace(root).is_large(count - 1)
    pygit2.init_repository(str(root))
    assert not Workspace(root).is_large(1)


def test_a_first_look_lists_no_more_names_than_the_limit(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        (root / f"d{number}").mkdir()
        (root / f"d{number}/a.py").write_text("")
    entered: list[str] = []
    scandir = os.scandir

    def counted(path: str | Path) -> object:
        entered.append(str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", counted)
    assert Workspace(root).is_large(55)
    assert len(entered) < 10


def test_a_relative_path_counts_from_the_root_where_one_is_outside_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is the same whether there is such a file outside or not."""
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    (root / "inside.py").write_text(TEXT)
    (elsewhere / "there.py").write_text("")
    monkeypatch.chdir(elsewhere)
    workspace = Workspace(root)
    assert workspace.relative("inside.py") == "inside.py"
    for name in ("there.py", "nope.py"):
        assert workspace.relative(name) == name
        assert refused(workspace.read(name)).reason == "not_found"
        answer = refused(workspace.relative(f"../elsewhere/{name}"))
        assert answer.reason == "outside_sandbox"
        assert "else from the workspace's root" in answer.advice
    monkeypatch.chdir(root)
    assert refused(workspace.relative("../elsewhere/there.py")).reason == "outside_sandbox"
