"""Ignore files: they withhold, they never reveal, and a bad one withholds everything."""

from __future__ import annotations

import os
import re
import tempfile
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pygit2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygit2.enums import ConfigLevel

from sightline.workspace import Workspace
from sightline.workspace.ignore_patterns import compile_patterns
from sightline.workspace.ignoring import IGNORE_FILES
from tests.workspace.conftest import TEXT, Write, git, outcome, refused

# The lines of an ignore file, a path, and the number of the line that ignores it (0: none does).
LINES: list[tuple[str, str, int]] = [
    ("a.py", "a.py", 1),
    ("a.py", "src/a.py", 1),
    ("a.py", "ba.py", 0),
    ("a.py", "a.py/b", 1),
    ("/a.py", "a.py", 1),
    ("/a.py", "src/a.py", 0),
    ("src/a.py", "src/a.py", 1),
    ("src/a.py", "x/src/a.py", 0),
    ("# a.py", "a.py", 0),
    ("\\#a", "#a", 1),
    ("\\!a", "!a", 1),
    ("\n\n  \na.py", "a.py", 4),
    ("*.txt\r\na.py\r\n", "a.py", 2),
    ("\ufeffa.py", "a.py", 1),
    ("a.py   ", "a.py", 1),
    ("A.py", "a.py", 0),
    ("*.py", "src/a.py", 1),
    ("*", "src/deep/a.py", 1),
    ("**", "a.py", 1),
    ("?.py", "a.py", 1),
    ("[a-c].py", "b.py", 1),
    ("[!a-c].py", "b.py", 0),
    ("[a", "[a", 0),
    ("[^a-c].py", "d.py", 1),
    ("[]a].py", "].py", 1),
    ("[a\\]].py", "].py", 1),
    ("[\\-a].py", "-.py", 1),
    ("[[].py", "[.py", 1),
    ("[a-].py", "-.py", 1),
    ("[z-a].py", "m.py", 0),
    ("[a&&b|~--].py", "&.py", 1),
    ("[[:digit:]x].py", "7.py", 1),
    ("[![:digit:]].py", "7.py", 0),
    ("[[:nonsense:]].py", "a.py", 0),
    ("src[!a]a.py", "src/a.py", 0),
    ("src[+-9]a.py", "src/a.py", 0),
    ("[a/b].py", "a.py", 1),
    ("[a/b].py", "src/a.py", 0),
    ("*.py\n![a/b].py", "src/a.py", 1),
    ("\\[id\\].py", "[id].py", 1),
    ("src", "src/deep/a.py", 1),
    ("src/", "src/deep/a.py", 1),
    ("src/", "x/src/a.py", 1),
    ("src/", "src", 0),
    ("src/", "x/src", 0),
    ("/src/", "x/src/a.py", 0),
    ("src/**", "src/a.py", 1),
    ("src/**", "src", 0),
    ("src/**/a.py", "src/a.py", 1),
    ("src/**/a.py", "src/x/y/a.py", 1),
    ("**/deep/a.py", "src/deep/a.py", 1),
    ("src/*/a.py", "src/x/a.py", 1),
    ("src/*/a.py", "src/x/y/a.py", 0),
    ("*/", "a.py", 0),
    ("*/", "src/a.py", 1),
    ("*.py\n!a.py", "a.py", 0),
    ("*.py\n!a.py", "b.py", 1),
    ("!a.py\n*.py", "a.py", 2),
    ("*.py\n!a.py\na.*", "a.py", 3),
    ("src\n!src/a.py", "src/a.py", 1),
    ("src\n!a.py", "src/a.py", 1),
    ("src/\n!src/a.py", "src/a.py", 1),
    ("src/*\n!src/a.py", "src/a.py", 0),
    ("src/**\n!src/a.py", "src/a.py", 0),
    ("src/**\n!src/deep/a.py", "src/deep/a.py", 1),
    ("/*\n!/src\n/src/*\n!/src/deep", "src/deep/a.py", 0),
    ("/*\n!/src\n/src/*\n!/src/deep", "src/a.py", 3),
    ("*.py\n!src/", "src/a.py", 1),
    ("*.py\n!src", "src/a.py", 1),
    ("!src/**/\n*.py\n!src/**/", "src/a.py", 2),
    ("café.py", "café.py", 1),
    ("café.py", unicodedata.normalize("NFD", "café.py"), 1),
    (unicodedata.normalize("NFD", "café.py"), "café.py", 1),
    ("x*y*z*w*.py", "x1y2z3w4.py", 1),
    ("*a*a*a*", "banana.py", 1),
    ("*a*a*a*n", "banana.py", 0),
]


@pytest.mark.parametrize("name", [".gitignore", ".cursorignore"])
@pytest.mark.parametrize(("lines", "path", "line"), LINES)
def test_the_line_that_decides_is_named(
    root: Path, write: Write, name: str, lines: str, path: str, line: int
) -> None:
    write(name, lines)
    refusal = Workspace(root).judge(path)
    if line == 0:
        assert refusal is None
    else:
        written = re.split(r"\r?\n", lines.removeprefix("\ufeff"))[line - 1].strip()
        answer = refused(refusal)
        assert (answer.reason, answer.rule, answer.source) == (
            "deny_rule",
            written,
            f"{name}:{line}",
        )


@pytest.mark.usefixtures("walk")
@pytest.mark.parametrize("name", IGNORE_FILES)
@pytest.mark.parametrize("directory", ["", "src/", "src/deep/"])
def test_every_ignore_file_counts_in_every_directory(
    root: Path, write: Write, name: str, directory: str
) -> None:
    write(directory + "a.py", TEXT)
    write(directory + "b.py", TEXT)
    write("other/a.py", TEXT)
    write(directory + name, "# one\n/a.py\n")
    workspace = Workspace(root)
    assert refused(workspace.read(directory + "a.py")).source == f"{directory}{name}:2"
    assert outcome(workspace.read(directory + "b.py")) == "seen"
    assert outcome(workspace.read("other/a.py")) == "seen"


def test_one_file_cannot_take_back_what_another_ignores(root: Path, write: Write) -> None:
    write(".gitignore", "a.py\n")
    write(".cursorignore", "!a.py\n!.env\n!build/\n!b.py\n")
    write("src/.gitignore", "!a.py\n!b.py\n")
    write(".aiignore", "b.py\n")
    workspace = Workspace(root)
    sources = {
        "a.py": ".gitignore:1",
        "src/a.py": ".gitignore:1",
        "b.py": ".aiignore:1",
        "src/b.py": ".aiignore:1",
        ".env": "default:credentials",
        "build/x.py": "default:build_outputs",
    }
    assert {path: refused(workspace.judge(path)).source for path in sources} == sources


def test_git_exclude(root: Path, write: Write) -> None:
    git(root, "init", "-q")
    write(".git/info/exclude", "# note\nprivate/\n")
    write("private/a.py", TEXT)
    workspace = Workspace(root)
    assert refused(workspace.read("private/a.py")).source == ".git/info/exclude:2"
    assert list(workspace.files()) == []


def test_git_exclude_without_a_repository_that_opens(root: Path, write: Write) -> None:
    """A `.git` that is no repository still says what to exclude."""
    write(".git/info/exclude", "a.py\n")
    write("sub/.git/info/exclude", "/b.py\n")
    workspace = Workspace(root)
    assert refused(workspace.judge("a.py")).source == ".git/info/exclude:1"
    assert refused(workspace.judge("sub/b.py")).source == "sub/.git/info/exclude:1"
    assert workspace.judge("b.py") is None


def test_what_only_libgit2_ignores_is_denied_in_its_name(root: Path, write: Write) -> None:
    """With `core.ignorecase`, libgit2 forgives case where pathspec does not."""
    git(root, "init", "-q")
    git(root, "config", "core.ignorecase", "true")
    write(".gitignore", "Private.py\n")
    refusal = refused(Workspace(root).judge("private.py"))
    assert (refusal.source, refusal.rule) == ("git", None)


def _directory(place: Path) -> None:
    place.mkdir()


def _fifo(place: Path) -> None:
    os.mkfifo(place)


def _leaving_link(place: Path) -> None:
    (place.parents[2] / "outside.txt").write_text("b.py\n")
    place.symlink_to("../../outside.txt")


def _dangling_link(place: Path) -> None:
    place.symlink_to("nowhere")


def _loop(place: Path) -> None:
    place.symlink_to(place.name)


def _link_to_denied(place: Path) -> None:
    (place.parent / "a.env").write_text("b.py\n")
    place.symlink_to("a.env")


def _bytes(raw: bytes) -> Callable[[Path], None]:
    def write_bytes(place: Path) -> None:
        place.write_bytes(raw)

    return write_bytes


MALFORMED: list[tuple[str, Callable[[Path], None], str]] = [
    ("not utf-8", _bytes(b"b.py\ncaf\xe9\n"), ""),
    ("utf-16", _bytes("b.py\n".encode("utf-16")), ""),
    ("nul", _bytes(b"b.py\0\n"), ""),
    ("too large", _bytes(b"# note\n" * 150_000), ""),
    ("trailing backslash", _bytes(b"b.py\na\\\n"), ":2"),
    ("nothing negated", _bytes(b"b.py\n\n!\n"), ":3"),
    ("negated backslash", _bytes(b"*\n!\\\n"), ":2"),
    ("negated backslash and slash", _bytes(b"*\n!\\/\n"), ":2"),
    ("negated slashes", _bytes(b"*\n!//\n"), ":2"),
    ("too many stars", _bytes(b"*a*a*a*a*a*a*a*a*a*b\n"), ":1"),
    ("too many patterns", _bytes(b"*.tmp\n" * 6000), ":5001"),
    ("too many double stars", _bytes(b"**/a/**/b/**/c/**/d/**/e\n"), ":1"),
    ("directory", _directory, ""),
    ("pipe", _fifo, ""),
    ("link out", _leaving_link, ""),
    ("dangling link", _dangling_link, ""),
    ("loop", _loop, ""),
    ("link to a denied file", _link_to_denied, ""),
]


@pytest.mark.parametrize("name", [".gitignore", ".aiexclude"])
@pytest.mark.parametrize("in_git", [False, True], ids=["plain", "git"])
@pytest.mark.parametrize(
    ("make", "line"), [case[1:] for case in MALFORMED], ids=[case[0] for case in MALFORMED]
)
def test_a_malformed_ignore_file_denies_its_directory(
    root: Path, write: Write, name: str, in_git: bool, make: Callable[[Path], None], line: str
) -> None:
    if in_git:
        git(root, "init", "-q")
    for path in ("a.py", "src/a.py", "src/deep/a.py", "other/a.py"):
        write(path, TEXT)
    make(root / "src" / name)
    workspace = Workspace(root)
    for path in ("src/a.py", "src/deep/a.py", "src/missing.py"):
        refusal = refused(workspace.judge(path))
        assert (refusal.reason, refusal.source) == ("deny_rule", f"src/{name}{line}")
    assert refused(workspace.read("src/a.py")).reason == "deny_rule"
    assert list(workspace.files()) == ["a.py", "other/a.py"]


def test_a_malformed_ignore_file_at_the_root_denies_everything(root: Path, write: Write) -> None:
    write("src/a.py", TEXT)
    write(".sightlineignore", b"\xff")
    workspace = Workspace(root)
    assert refused(workspace.read("src/a.py")).source == ".sightlineignore"
    assert list(workspace.files()) == []


def test_an_ignore_file_of_a_million_bytes_is_still_read(root: Path, write: Write) -> None:
    write(".gitignore", b"a.py\n" + b"#" * (1_000_000 - 5))
    assert refused(Workspace(root).judge("a.py")).source == ".gitignore:1"


def test_an_ignore_file_may_be_a_link_inside_the_root(root: Path, write: Write) -> None:
    write(".gitignore", "a.py\n")
    (root / ".cursorignore").symlink_to(".gitignore")
    write("src/b.py", TEXT)
    (root / "src/.cursorignore").symlink_to("../rules.txt")
    write("rules.txt", "b.py\n")
    assert refused(Workspace(root).judge("src/b.py")).source == "src/.cursorignore:1"


def test_a_costly_pattern_is_matched_in_reasonable_time() -> None:
    """Without atomic groups this takes longer than anybody waits."""
    patterns = compile_patterns(["*a" * 8 + "b"])
    assert patterns.deciding("a" * 250) is None
    assert patterns.deciding("a" * 249 + "b") is not None


SEGMENTS = ["a", "b", "ab", "a.py", "b.py", "keep.py", "x y", "*", "**", "*.py", "a*", "?", "[ab]",
            "[!a]", "[^b]*", "[[:alpha:]]", "[a-", "[]b]", "[\\a]", "*[!/]b", "a?b.py"]  # fmt: skip
NAMES = ["a", "b", "ab", "a.py", "b.py", "keep.py", "x y"]

pattern_lines = st.builds(
    lambda negated, rooted, segments, directory: negated + rooted + "/".join(segments) + directory,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
)
ignore_texts = st.lists(pattern_lines, min_size=1, max_size=5).map("\n".join)
some_paths = st.lists(st.sampled_from([*NAMES, ".env", "build"]), min_size=1, max_size=4).map(
    "/".join
)
some_files = st.dictionaries(
    st.tuples(st.sampled_from(["", "a/", "b/a/"]), st.sampled_from(IGNORE_FILES)).map("".join),
    ignore_texts | st.just("\0") | st.text(max_size=20),
    max_size=4,
)


def _write_all(root: Path, files: dict[str, str]) -> None:
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")


@settings(max_examples=100, deadline=None)
@given(some_files, some_files, st.lists(some_paths, min_size=5, max_size=12))
def test_an_added_ignore_file_never_makes_a_denied_path_visible(
    before: dict[str, str], added: dict[str, str], paths: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        _write_all(root, before)
        denied = [path for path in paths if Workspace(root).judge(path) is not None]
        _write_all(root, {path: text for path, text in added.items() if path not in before})
        after = Workspace(root)
        assert [path for path in denied if after.judge(path) is None] == []


FILES = sorted(
    {"/".join(parts) for parts in (
        ["a.py"], ["b.py"], ["keep.py"], ["x y"], ["ab", "a.py"], ["ab", "b"], ["a", "a"],
        ["a", "b"],
        ["a", "keep.py"], ["a", "ab", "keep.py"], ["a", "ab", "b.py"], ["b", "a", "a.py"],
        ["b", "a", "b"], ["b", "b", "x y"], ["b", "keep.py"], ["b", "ab", "a", "a.py"],
    )}
)  # fmt: skip


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("differential") / "root"
    root.mkdir()
    git(root, "init", "-q")
    _write_all(root, dict.fromkeys(FILES, TEXT))
    return root


def _ignored_by_git(root: Path) -> set[str]:
    asked = "\0".join(FILES)
    answer = git(root, "check-ignore", "--no-index", "-z", "--stdin", given=asked)
    return set(answer.split("\0")) - {""}


def _ignored_by_us(root: Path) -> set[str]:
    workspace = Workspace(root)
    ours = {path for path in FILES if workspace.judge(path) is not None}
    assert ours == set(FILES) - set(workspace.files())
    return ours


@settings(max_examples=120, deadline=None)
@given(ignore_texts)
def test_one_gitignore_means_what_it_means_to_git(repository: Path, text: str) -> None:
    """Two-way, without libgit2's help: the same paths are ignored, no more and no fewer."""
    for nested in ("a/.gitignore", "b/.gitignore"):
        (repository / nested).unlink(missing_ok=True)
    (repository / ".gitignore").write_text(text)
    (repository / ".cursorignore").write_text(text)
    expected = _ignored_by_git(repository)
    workspace = Workspace(repository)
    (repository / ".gitignore").write_text("")
    assert {path for path in FILES if workspace.judge(path) is not None} == expected
    (repository / ".cursorignore").unlink()


@settings(max_examples=60, deadline=None)
@given(ignore_texts, ignore_texts, ignore_texts)
def test_what_git_ignores_we_ignore(repository: Path, top: str, a: str, b: str) -> None:
    """One-way for nested files: a `!` in a nested file reveals to git, and not to us."""
    for path, text in ((".gitignore", top), ("a/.gitignore", a), ("b/.gitignore", b)):
        (repository / path).write_text(text)
    assert _ignored_by_git(repository) - _ignored_by_us(repository) == set()


def test_a_foreign_work_tree_is_not_believed(root: Path, write: Write) -> None:
    git(root, "init", "-q")
    git(root, "config", "core.worktree", "/etc")
    git(root, "config", "core.ignorecase", "true")
    write(".gitignore", "a.py\n")
    workspace = Workspace(root)
    assert refused(workspace.judge("a.py")).source == ".gitignore:1"
    # libgit2, which would forgive the case, has no say here.
    assert workspace.judge("A.py") is None


def test_a_git_file_that_points_elsewhere(root: Path, write: Write) -> None:
    other = root.parent / "other"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "config", "core.worktree", str(other))
    (other / ".git/info/exclude").write_text("a.py\n")
    write(".git", f"gitdir: {other}/.git\n")
    write(".gitignore", "b.py\n")
    write("a.py", TEXT)
    workspace = Workspace(root)
    assert outcome(workspace.read("a.py")) == "seen"
    assert refused(workspace.judge("b.py")).source == ".gitignore:1"


GIT_FILES = ["", "gitdir:", "gitdir: .", "gitdir: ./inner", "gitdir: /nowhere", "nonsense\n", "\0"]


@pytest.mark.parametrize("content", GIT_FILES)
def test_a_git_file_that_means_nothing(root: Path, write: Write, content: str) -> None:
    git(root, "init", "-q", "inner")
    write(".git", content)
    write(".gitignore", "b.py\n")
    write("a.py", TEXT)
    workspace = Workspace(root)
    assert outcome(workspace.read("a.py")) == "seen"
    assert refused(workspace.judge("b.py")).source == ".gitignore:1"


def test_a_linked_worktree_keeps_the_exclude_file_of_its_repository(root: Path) -> None:
    git(root, "init", "-q", "main")
    main = root / "main"
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    git(main, *identity, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", str(root / "linked"))
    (main / ".git/info/exclude").write_text("private.py\n")
    workspace = Workspace(root / "linked")
    assert refused(workspace.judge("private.py")).source == "git"
    assert workspace.judge("a.py") is None


def test_a_repository_above_the_root_is_not_searched(root: Path, write: Write) -> None:
    git(root, "init", "-q")
    write(".gitignore", "a.py\n")
    write("sub/a.py", TEXT)
    assert outcome(Workspace(root / "sub").read("a.py")) == "seen"


def test_pipes_inside_git_do_not_stop_us(root: Path, write: Write) -> None:
    """libgit2 would wait for a writer; a configuration that leads to a pipe is left alone."""
    git(root, "init", "-q")
    os.mkfifo(root / "pipe")
    with (root / ".git/config").open("a") as config:
        config.write(f"[include]\n\tpath = {root}/pipe\n[core]\n\texcludesfile = {root}/pipe\n")
    write("a.py", TEXT)
    assert outcome(Workspace(root).read("a.py")) == "seen"
    (root / ".git/config").unlink()
    os.mkfifo(root / ".git/config")
    assert outcome(Workspace(root).read("a.py")) == "seen"


def test_commands_of_a_hostile_repository_do_not_run(root: Path, write: Write) -> None:
    git(root, "init", "-q")
    trace = root.parent / "ran"
    script = root / "hook.sh"
    script.write_text(f"#!/bin/sh\ntouch {trace}\n")
    script.chmod(0o755)
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "diff.external",
                "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
                "diff.evil.textconv", "credential.helper", "gpg.program"):  # fmt: skip
        git(root, "config", key, str(script))
    git(root, "config", "core.hooksPath", str(root))
    write(".gitattributes", "* filter=evil diff=evil\n")
    write(".gitignore", "b.py\n")
    write("a.py", TEXT)
    trace.unlink(missing_ok=True)
    workspace = Workspace(root)
    assert outcome(workspace.read("a.py")) == "seen"
    assert refused(workspace.judge("b.py")).source == ".gitignore:1"
    assert "a.py" in list(workspace.files())
    assert not trace.exists()


def test_the_users_own_excludes_do_not_decide(root: Path, write: Write) -> None:
    """The answer is the same on every machine, and in every clone with its own settings."""
    git(root, "init", "-q")
    home = root.parent / "home"
    home.mkdir()
    (home / "ignore").write_text("a.py\n")
    (home / ".gitconfig").write_text(f"[core]\n\texcludesfile = {home}/ignore\n")
    write("a.py", TEXT)
    levels = (ConfigLevel.GLOBAL, ConfigLevel.XDG)
    before = [pygit2.settings.search_path[level] for level in levels]
    try:
        for level in levels:
            pygit2.settings.search_path[level] = str(home)
        assert pygit2.Repository(str(root)).path_is_ignored("a.py")
        assert outcome(Workspace(root).read("a.py")) == "seen"
        git(root, "config", "core.excludesfile", str(home / "ignore"))
        assert outcome(Workspace(root).read("a.py")) == "seen"
    finally:
        for level, path in zip(levels, before, strict=True):
            pygit2.settings.search_path[level] = path
