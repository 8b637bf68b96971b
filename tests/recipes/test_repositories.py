"""Recipes in repositories of every kind: each gets an answer, and none runs what it configures."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sightline.recipes import (
    GitHubIssue,
    GitOperations,
    ParsedError,
    StageResult,
    ValidationOutput,
    build_fix_context,
    build_implementation_context,
    build_issue_context,
    build_review_context,
)
from tests.recipes.conftest import SECRET, Git, write


def _all(root: Path, base: str = "main") -> dict[str, dict[str, Any]]:
    git = GitOperations(root)
    error = ParsedError("src/app.py", 300, "wrong")
    output = ValidationOutput(False, (StageResult("check", False, errors=(error,)),))
    return {
        "implementation": build_implementation_context(root / "CLAUDE.md", git),
        "review": build_review_context(git, base),
        "fix": build_fix_context(output, [root / "src/app.py"]),
        "issue": build_issue_context(GitHubIssue(7, "Wrong", "In src/small.py."), git),
    }


def test_every_context_has_the_fields_of_the_document(project: Path) -> None:
    """Plain dictionaries with exactly these keys, which JSON can hold."""
    made = _all(project)
    metadata = {"truncated", "original_lines", "kept_lines", "sections_affected"}
    fields = {
        "implementation": {"tasks", "conventions", "branch", "recent_commits"},
        "review": {"diff", "changed_files", "conventions", "stats"},
        "fix": {"errors", "source_files", "error_summary"},
        "issue": {"issue", "related_files", "recent_changes"},
    }
    for name, context in made.items():
        assert type(context) is dict
        assert context.keys() == fields[name] | {"_metadata"}
        assert metadata <= context["_metadata"].keys()
        assert json.loads(json.dumps(context)) == context
    assert made["implementation"]["recent_commits"][0].keys() == {
        "hash", "message", "author", "date"
    }  # fmt: skip
    assert made["review"]["stats"].keys() == {"files_changed", "insertions", "deletions"}
    assert made["fix"]["errors"][0].keys() == {"file", "line", "message", "severity", "code"}
    assert made["issue"]["issue"].keys() == {
        "number", "title", "body", "labels", "state", "url"
    }  # fmt: skip


def test_metadata_says_what_was_cut_and_nothing_else(project: Path) -> None:
    for context in _all(project).values():
        metadata = context["_metadata"]
        assert metadata["kept_lines"] <= metadata["original_lines"]
        assert metadata["truncated"] == (metadata["kept_lines"] < metadata["original_lines"])
        assert set(metadata["sections_affected"]) <= context.keys()
        assert metadata["truncated"] == bool(metadata["sections_affected"])


def test_builders_are_plain_functions() -> None:
    for build in (
        build_implementation_context,
        build_review_context,
        build_fix_context,
        build_issue_context,
    ):
        assert not inspect.iscoroutinefunction(build)
    parameters = list(inspect.signature(build_review_context).parameters)
    assert parameters[:2] == ["git", "base_branch"]
    assert list(inspect.signature(build_fix_context).parameters)[:2] == [
        "validation_output",
        "files",
    ]


def test_an_unborn_branch(tmp_path: Path, git: Git) -> None:
    root = tmp_path / "project"
    write(root, "src/app.py", "x = 1\n")
    git("add", "-A")
    made = _all(root, "HEAD")
    assert made["implementation"]["branch"] == "main"
    assert made["implementation"]["recent_commits"] == []
    assert made["review"]["stats"]["files_changed"] == 1
    assert made["review"]["changed_files"] == {"src/app.py": "x = 1\n"}


def test_a_detached_head(project: Path, git: Git) -> None:
    commit = git("rev-parse", "HEAD").strip()
    git("checkout", "-q", "--detach")
    made = _all(project)
    assert made["implementation"]["branch"] == commit
    assert made["review"]["stats"]["files_changed"] == 2


def test_a_shallow_clone(project: Path, git: Git, tmp_path: Path) -> None:
    git("clone", "-q", "--depth", "1", f"file://{project}", str(tmp_path / "shallow"))
    made = _all(tmp_path / "shallow", "HEAD")
    assert len(made["implementation"]["recent_commits"]) == 1
    missing = build_review_context(GitOperations(tmp_path / "shallow"), "HEAD~1")
    assert missing["diff"] == ""
    assert any("could not tell the diff" in each for each in missing["_metadata"]["warnings"])


def test_a_clone_without_all_contents(project: Path, git: Git) -> None:
    """A file whose contents are missing costs nobody else's diff."""
    blob = git("rev-parse", "main:src/app.py").strip()
    (project / ".git/objects" / blob[:2] / blob[2:]).unlink()
    review = build_review_context(GitOperations(project), "main")
    assert "+    return 2\n" in review["diff"]
    assert "diff --git a/src/app.py b/src/app.py\nthe patch is too long" in review["diff"]
    assert review["stats"]["files_changed"] == 2
    by_symbol = build_review_context(GitOperations(project), "main", by_symbol=True)
    assert [each["path"] for each in by_symbol["changed_symbols"]] == ["src/small.py"]


def test_merges_of_two_and_of_three(project: Path, git: Git) -> None:
    for number in range(3):
        git("checkout", "-q", "-b", f"side-{number}", "main")
        write(project, f"side_{number}.py", f"x = {number}\n")
        git("add", "-A")
        git("commit", "-qm", f"Side {number}")
    git("checkout", "-q", "feature")
    git("merge", "-q", "--no-edit", "side-0")
    git("merge", "-q", "--no-edit", "side-1", "side-2")
    review = build_review_context(GitOperations(project), "main", by_symbol=False)
    assert review["stats"]["files_changed"] == 5
    assert {f"side_{number}.py" for number in range(3)} <= review["changed_files"].keys()
    assert len(_all(project)["issue"]["recent_changes"]) == 5


def test_a_mode_and_a_submodule(project: Path, git: Git, tmp_path: Path) -> None:
    (project / "src/small.py").chmod(0o755)
    git("init", "-q", "-b", "main", str(tmp_path / "other"))
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty",
         "-m", "x"],
        cwd=tmp_path / "other",
        check=True,
    )  # fmt: skip
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "other"))
    review = build_review_context(GitOperations(project), "feature")
    assert "old mode 100644\nnew mode 100755\n" in review["diff"]
    assert "Subproject commit" in review["diff"]
    assert "other" not in review["changed_files"]
    assert "other" not in str(review["_metadata"]["warnings"])
    by_symbol = build_review_context(GitOperations(project), "feature", by_symbol=True)
    assert by_symbol["changed_symbols"] == []


def test_more_than_a_thousand_changed_files(tmp_path: Path, git: Git) -> None:
    """The diff has all of them. Which contents are left out is said."""
    root = tmp_path / "project"
    for number in range(1_003):
        write(root, f"src/module_{number}.py", f"x = {number}\n")
    git("add", "-A")
    git("commit", "-qm", "Begin")
    for number in range(1_003):
        write(root, f"src/module_{number}.py", f"y = {number}\n")
    review = build_review_context(GitOperations(root), "HEAD")
    assert review["stats"]["files_changed"] == review["diff"].count("diff --git") == 1_003
    assert len(review["changed_files"]) == 1_000
    left_out = "the contents of 3 changed files are left out: there are 1003"
    assert left_out in review["_metadata"]["warnings"]


def test_an_issue_without_files(project: Path) -> None:
    for body in ("", "Nothing is named.", "See src/none.py and ../outside.py."):
        context = build_issue_context(GitHubIssue(1, "T", body), GitOperations(project))
        assert context["related_files"] == {}
        assert context["_metadata"]["missing"] == []


def test_rules_behind_a_link_are_not_read(project: Path, tmp_path: Path) -> None:
    (project / "CLAUDE.md").unlink()
    outside = tmp_path / "outside"
    write(outside, "rules/a.mdc", "Outside.\n")
    (project / ".cursor").symlink_to(outside)
    (project / "AGENTS.md").symlink_to(outside / "rules/a.mdc")
    context = build_implementation_context(project / "src/small.py", GitOperations(project))
    assert context["conventions"] == ""
    assert "Outside." not in str(context)


def test_hostile_configuration_runs_nothing(project: Path, git: Git, tmp_path: Path) -> None:
    """Neither fsmonitor, textconv, filters, external diffs nor hooks, and no other work tree."""
    mark = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho ran > {mark}\ncat\n")
    program.chmod(0o755)
    write(project, ".gitattributes", "*.py filter=evil diff=evil\n")
    git("add", "-A")
    git("commit", "-qm", "Attributes")
    for key in (
        "core.fsmonitor",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "core.pager",
        "core.sshCommand",
    ):
        git("config", key, str(program))
    git("config", "core.hooksPath", str(tmp_path))
    write(project, "src/small.py", "def small():\n    return 9\n")
    assert "return 9" in _all(project)["review"]["diff"]
    build_review_context(GitOperations(project), "main", by_symbol=True)
    GitOperations(project).status()
    assert not mark.exists()


def test_another_work_tree_is_not_shown(project: Path, git: Git, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside, "src/small.py", f"token = '{SECRET}'\n")
    git("config", "core.worktree", str(outside))
    review = build_review_context(GitOperations(project), "main")
    assert SECRET not in str(review)
    assert str(outside) not in str(review)


@pytest.mark.parametrize("seed", ["0", "1"])
def test_answers_are_the_same_for_every_hash_seed_and_locale(project: Path, seed: str) -> None:
    script = (
        "import json, sys\n"
        "from sightline.recipes import *\n"
        "git = GitOperations(sys.argv[1])\n"
        "print(json.dumps([build_review_context(git, 'main'),"
        " build_issue_context(GitHubIssue(1, 'T', 'src/small.py src/app.py'), git)]))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-P", "-c", script, str(project)],
        env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C" if seed == "0" else "C.UTF-8"},
        capture_output=True,
        check=True,
        timeout=300,
    )
    git = GitOperations(project)
    assert json.loads(ran.stdout) == [
        build_review_context(git, "main"),
        build_issue_context(GitHubIssue(1, "T", "src/small.py src/app.py"), git),
    ]


@pytest.mark.parametrize("trick", ["git file", "git link", "commondir", "alternates", "include"])
def test_a_repository_that_leads_elsewhere_shows_nothing_of_it(
    project: Path, git: Git, tmp_path: Path, trick: str
) -> None:
    """Neither through a `.git` file or link nor through what stands in the folder."""
    outside = tmp_path / "outside"
    shutil.copytree(project, outside, symlinks=True)
    write(outside, "src/small.py", "outside = 1\n")
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qam", "Outside commit"],
        cwd=outside,
        check=True,
    )
    tip = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=outside, check=True, capture_output=True, text=True
    ).stdout
    if trick in ("git file", "git link"):
        shutil.rmtree(project / ".git")
    match trick:
        case "git file":
            write(project, ".git", f"gitdir: {outside}/.git\n")
        case "git link":
            (project / ".git").symlink_to(outside / ".git")
        case "commondir":
            write(project, ".git/commondir", f"{outside}/.git\n")
        case "alternates":
            write(project, ".git/objects/info/alternates", f"{outside}/.git/objects\n")
            write(project, ".git/refs/heads/feature", tip)
        case "include":
            write(outside, "more.config", f"[core]\n\tworktree = {outside}\n")
            git("config", "include.path", str(outside / "more.config"))
    told = str(_all(project)) + str(build_review_context(GitOperations(project), "main~0"))
    assert "outside = 1" not in told
    assert "Outside commit" not in told


def test_a_linked_worktree_and_a_submodule_are_repositories(
    project: Path, git: Git, tmp_path: Path
) -> None:
    """Git has written the way back from what their `.git` files lead to."""
    linked = tmp_path / "linked tree"
    git("worktree", "add", "-q", str(linked), "main")
    assert GitOperations(linked).log(1)[0].message == "Begin"
    outer = tmp_path / "outer"
    git("init", "-q", "-b", "main", str(outer))
    add = ["submodule", "--quiet", "add", str(project), "parts/inner"]
    git("-C", str(outer), "-c", "protocol.file.allow=always", *add)
    assert GitOperations(outer / "parts/inner").log(1)[0].message == "Change two files"


def test_git_operations_answer_as_git_does(project: Path, git: Git) -> None:
    write(project, "src/small.py", "def small():\n    return 3\n")
    write(project, "new.py", "x = 1\n")
    operations = GitOperations(project / "src")
    assert operations.root == project
    assert operations.current_branch() == "feature"
    assert [each.message for each in operations.log()] == ["Change two files", "Begin"]
    assert operations.log(n=1)[0].hash == git("rev-parse", "HEAD").strip()
    for arguments in ((), ("main",), ("main", "HEAD")):
        assert operations.diff(*arguments) == git("diff", *(arguments or ("HEAD",)))
    stats = operations.diff_stats(base="main", head="HEAD")
    assert (stats.files_changed, stats.insertions, stats.deletions) == (2, 2, 2)
    assert stats.file_list == ("src/app.py", "src/small.py")
    status = operations.status()
    assert (status.staged, status.unstaged, status.untracked) == (
        (),
        ("src/small.py",),
        ("new.py",),
    )
    assert operations.merge_base("main") == git("merge-base", "main", "HEAD").strip()
    assert operations.show("main", "src/small.py") == b"def small():\n    return 1\n"
