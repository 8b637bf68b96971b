"""What git tracks is source: no soft rule is about it, and other rules tell what they hide."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sightline.workspace import Survey, Workspace, hidden_source
from sightline.workspace.defaults import DefaultRules
from sightline.workspace.survey_codec import decode_survey, encode_survey
from sightline.workspace.tracking import HiddenByRule
from tests.workspace.conftest import TEXT, Write, git, outcome, refused


def _tracked(root: Path, write: Write, *paths: str) -> None:
    for path in paths:
        write(path, TEXT)
    if not (root / ".git").exists():
        git(root, "init", "-q")
    git(root, "add", "-f", *paths)


@pytest.mark.parametrize(
    "path",
    [
        "vendor/lib/a.go",
        "src/build/plan.py",
        "app/env/settings.py",
        "db/schema.sql",
        "db/schema.sql.1",
        "tools/target/a.rs",
        "a/node_modules/b/c.js",
    ],
)
def test_a_tracked_file_is_source(root: Path, write: Write, path: str) -> None:
    write(path, TEXT)
    assert outcome(Workspace(root).read(path)) == "deny_rule"
    _tracked(root, write, path)
    workspace = Workspace(root)
    assert outcome(workspace.read(path)) == "seen"
    assert list(workspace.files()) == [path]
    assert workspace.survey().paths == (path,)


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("packages/core/a.js", "packages/**"),
        ("src/bin/run.py", "**/bin/**"),
        ("src/obj/a.cs", "**/obj/**"),
        ("node_modules/a.js", "node_modules/**"),
        ("vendor/a/.env", "**/*.env"),
        ("vendor/a/logo.png", "**/*.png"),
    ],
)
def test_tracking_lifts_soft_rules_alone(root: Path, write: Write, path: str, rule: str) -> None:
    _tracked(root, write, path)
    assert refused(Workspace(root).read(path)).rule == rule


def test_what_lies_beside_tracked_files(root: Path, write: Write) -> None:
    """A soft rule holds below a directory in which git tracks nothing, and for untracked data."""
    _tracked(root, write, "build/plan.py", "build/deep/er/a.py")
    others = ("build/new.py", "build/deep/new.py", "build/classes/a.py", "build/dump.sql")
    for path in others:
        write(path, TEXT)
    workspace = Workspace(root)
    seen = [outcome(workspace.read(path)) for path in others]
    assert seen == ["seen", "seen", "deny_rule", "deny_rule"]


def test_an_ignore_file_still_hides_what_is_tracked(root: Path, write: Write) -> None:
    _tracked(root, write, "vendor/a.go")
    write(".cursorignore", "vendor/\n")
    assert outcome(Workspace(root).read("vendor/a.go")) == "deny_rule"


def test_a_submodule_is_tracked_by_another_repository(root: Path, write: Write) -> None:
    _tracked(root, write, "a.py")
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor/lib")
    write("vendor/lib/a.go", TEXT)
    assert Workspace(root).survey().paths == ("a.py",)


def test_hidden_files_are_counted_by_rule(root: Path, write: Write) -> None:
    """Only what would be seen if the rule were allowed; what is denied anyway does not count."""
    _tracked(
        root,
        write,
        *("packages/a/x.js", "packages/a/y.js", "packages/a/.env", "packages/a/logo.png"),
        *("cmd/bin/run.py", "vendor/a.go", "src/a.py"),
    )
    write("packages/a/untracked.js", TEXT)
    hidden = (HiddenByRule("packages/**", 2), HiddenByRule("**/bin/**", 1))
    assert Workspace(root).hidden == hidden
    assert Workspace(root).survey().tracked.hidden == hidden
    assert Workspace(root, lifted=("packages/**",)).hidden == hidden[1:]
    assert Workspace(root, lifted=("packages/a/x.js",)).hidden[0].files == 1


@pytest.mark.parametrize("has_git", [False, True])
def test_source_is_counted_where_git_tracks_nothing(
    root: Path, write: Write, has_git: bool
) -> None:
    """Only what would be seen if the rule were allowed; no link is followed to it."""
    if has_git:
        git(root, "init", "-q")
    paths = ["packages/a/x.js", "packages/b/y.JS", "packages/b/bin/z.js", "src/Bin/run.py"]
    denied = ["packages/a/.env.js", "packages/a/node_modules/n.js", "node_modules/m.js"]
    ignored = ["packages/c/generated.js", "src/obj/a.py", "packages/d/local.js"]
    for path in (*paths, *denied, *ignored, "packages/a/notes.txt", "packages/a/data.json"):
        write(path, TEXT)
    (root / "packages/again").symlink_to("a")
    write(".gitignore", "generated.js\nobj/\n")
    write("packages/d/.aiignore", "*\n")
    workspace = Workspace(root, source_extensions=frozenset({".js", ".py"}))
    hidden = (HiddenByRule("packages/**", 3), HiddenByRule("**/bin/**", 1))
    assert workspace.hidden == hidden
    survey = workspace.survey()
    assert decode_survey(encode_survey(survey)).hidden_by_rule == hidden
    write("packages/b/new.js", TEXT)
    changed = workspace.survey(survey)
    assert changed.hidden_by_rule[0].files == 4
    assert changed.policy != survey.policy, "the same fingerprint means the same answer"


def test_source_of_a_submodule_is_counted(root: Path, write: Write) -> None:
    _tracked(root, write, "a.py")
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},packages/lib")
    write("packages/lib/a.py", TEXT)
    workspace = Workspace(root, source_extensions=frozenset({".py"}))
    assert workspace.hidden == (HiddenByRule("packages/**", 1),)


def test_counting_ends_at_a_limit(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        write(f"packages/{number:02}/a.py", TEXT)
    workspace = Workspace(root, source_extensions=frozenset({".py"}))
    monkeypatch.setattr(hidden_source, "_MOST_NAMES", 20 + 5)
    assert workspace.hidden == (HiddenByRule("packages/**", 5, at_least=True),)


@pytest.mark.parametrize("is_stored", [False, True])
def test_a_change_of_the_git_index_changes_the_policy(
    root: Path, write: Write, is_stored: bool
) -> None:
    """A survey that knows an earlier one equals a fresh one."""
    _tracked(root, write, "a.py")
    write("vendor/b.go", TEXT)
    workspace = Workspace(root)
    before = workspace.survey()
    previous = decode_survey(encode_survey(before)) if is_stored else before
    assert before.paths == ("a.py",)
    git(root, "add", "vendor/b.go")
    after = (Workspace(root) if is_stored else workspace).survey(previous)
    assert after.paths == ("a.py", "vendor/b.go")
    assert _facts(after) == _facts(Workspace(root).survey())
    assert after.policy != before.policy
    git(root, "rm", "-q", "--cached", "vendor/b.go")
    assert _facts(workspace.survey(after)) == _facts(before)


def test_a_change_that_no_rule_is_about_leaves_the_policy(root: Path, write: Write) -> None:
    _tracked(root, write, "a.py")
    write("b.py", TEXT)
    before = Workspace(root).survey()
    git(root, "add", "b.py")
    assert Workspace(root).survey(before).policy == before.policy


def test_an_index_that_is_as_it_was_is_not_read(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    _tracked(root, write, "vendor/a.go", "b.py")
    past = time.time() - 60
    os.utime(root / ".git" / "index", (past, past))
    before = Workspace(root).survey()
    monkeypatch.setattr("sightline.workspace.tracking._YOUNG_NS", -(10**18))
    before = Workspace(root).survey(before)

    def forbidden(*_: object) -> None:
        raise AssertionError("git's index was read")

    monkeypatch.setattr(DefaultRules, "sort_tracked", forbidden)
    assert Workspace(root).survey(before).paths == before.paths


@pytest.mark.parametrize("damage", ["cut", "noise", "pipe"])
def test_an_index_that_cannot_be_read_tracks_nothing(root: Path, write: Write, damage: str) -> None:
    _tracked(root, write, "vendor/a.go")
    index = root / ".git" / "index"
    whole = index.read_bytes()
    index.unlink()
    if damage == "pipe":
        os.mkfifo(index)
    else:
        index.write_bytes(whole[:40] if damage == "cut" else b"DIRC" + os.urandom(400))
    workspace = Workspace(root)
    assert outcome(workspace.read("vendor/a.go")) == "deny_rule"
    assert workspace.hidden == ()


def test_a_change_of_the_git_index_asks_for_a_rescan(root: Path, write: Write) -> None:
    """Only where a rule is about what changed: git writes its index at every look."""
    _tracked(root, write, "a.py")
    write("b.py", TEXT)
    write("vendor/b.go", TEXT)
    workspace = Workspace(root)
    workspace.survey()
    git(root, "add", "b.py")
    assert not workspace.decides(".git/index")
    git(root, "add", "vendor/b.go")
    assert workspace.decides(".git/index")


def test_a_name_that_is_not_utf8_costs_no_other(root: Path, write: Write) -> None:
    _tracked(root, write, "vendor/a.go")
    name = os.fsencode(root) + b"/vendor/\xff.go"
    Path(os.fsdecode(name)).write_bytes(b"a")
    git(root, "add", "vendor")
    assert outcome(Workspace(root).read("vendor/a.go")) == "seen"


def _facts(survey: Survey) -> object:
    return survey.paths, survey.policy, survey.basis, survey.hidden_by_rule
