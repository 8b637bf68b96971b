"""The four builders, on real repositories and on callers' own objects."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

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
    detect_secrets,
)
from tests.recipes.conftest import SECRET, Git, write

_FIELDS = {"truncated", "original_lines", "kept_lines", "sections_affected"}
_MORE_FIELDS = {"missing", "binary", "redactions", "warnings"}


def test_an_implementation_has_task_conventions_branch_and_commits(project: Path) -> None:
    write(project, "tasks.md", "1. Do it.\n")
    context = build_implementation_context(project / "tasks.md", GitOperations(project))
    assert context["tasks"] == "1. Do it.\n"
    assert context["conventions"] == "Use spaces.\n"
    assert context["branch"] == "feature"
    assert [each["message"] for each in context["recent_commits"]] == ["Change two files", "Begin"]
    [_, first] = context["recent_commits"]
    assert (first["author"], first["date"]) == ("Ada Lovelace", "2024-05-06T07:08:09+02:00")
    assert context["_metadata"].keys() == _FIELDS | _MORE_FIELDS
    assert not context["_metadata"]["truncated"]


def test_ten_commits_are_enough(project: Path, git: Git) -> None:
    for number in range(12):
        git("commit", "-q", "--allow-empty", "-m", f"number {number}")
    context = build_implementation_context(project / "CLAUDE.md", GitOperations(project))
    assert len(context["recent_commits"]) == 10
    issue = build_issue_context(GitHubIssue(1, "", ""), GitOperations(project))
    assert len(issue["recent_changes"]) == 5


def test_a_missing_task_is_empty_and_said(tmp_path: Path) -> None:
    context = build_implementation_context(tmp_path / "none.md", GitOperations(tmp_path))
    assert (context["tasks"], context["conventions"], context["branch"]) == ("", "", "")
    assert context["recent_commits"] == []
    assert context["_metadata"]["missing"] == [str(tmp_path / "none.md")]
    assert any("git could not tell the branch" in each for each in context["_metadata"]["warnings"])


def test_long_conventions_are_cut(project: Path) -> None:
    write(project, "CLAUDE.md", "rule\n" * 900)
    context = build_implementation_context(project / "src/small.py", GitOperations(project))
    assert context["conventions"] == "rule\n" * 500 + "..."
    metadata = context["_metadata"]
    assert metadata["sections_affected"] == ["conventions"]
    assert (metadata["original_lines"], metadata["kept_lines"]) == (902, 502)


def test_the_nearest_conventions_count(project: Path) -> None:
    write(project, "src/CLAUDE.md", "Nearer.\n")
    context = build_implementation_context(project / "src/small.py", GitOperations(project))
    assert context["conventions"] == "Nearer.\n"
    given = build_implementation_context(
        project / "src/small.py", GitOperations(project), conventions_path=project / "CLAUDE.md"
    )
    assert given["conventions"] == "Use spaces.\n"


@pytest.mark.parametrize(
    "name",
    ["AGENTS.md", "CONTRIBUTING.md", ".github/copilot-instructions.md", ".cursor/rules/a.mdc"],
)
def test_other_names_of_conventions_count(project: Path, name: str) -> None:
    (project / "CLAUDE.md").unlink()
    write(project, name, "Other.\n")
    context = build_implementation_context(project / "src/small.py", GitOperations(project))
    assert context["conventions"] == "Other.\n"


def test_a_review_has_diff_files_and_statistics(project: Path) -> None:
    context = build_review_context(GitOperations(project), "main")
    assert "-    return 1\n+    return 2\n" in context["diff"]
    assert context["stats"] == {"files_changed": 2, "insertions": 2, "deletions": 2}
    assert context["changed_files"]["src/small.py"] == "def small():\n    return 2\n"
    assert context["conventions"] == "Use spaces.\n"


def test_a_long_changed_file_is_cut_around_its_hunks(project: Path) -> None:
    context = build_review_context(GitOperations(project), "main")
    cut = context["changed_files"]["src/app.py"].split("\n")
    assert cut[0] == cut[-1] == "..."
    assert "line_300 = -1" in cut
    assert "line_200 = 200" not in cut
    assert context["_metadata"]["sections_affected"] == ["changed_files"]
    whole = build_review_context(GitOperations(project), "main", max_file_lines=601)
    assert whole["changed_files"]["src/app.py"] == (project / "src/app.py").read_text()
    exactly = build_review_context(GitOperations(project), "main", max_file_lines=600)
    assert exactly["_metadata"]["truncated"]


def test_nothing_changed_is_an_empty_review(project: Path) -> None:
    context = build_review_context(GitOperations(project), "feature")
    assert (context["diff"], context["changed_files"]) == ("", {})
    assert context["stats"] == {"files_changed": 0, "insertions": 0, "deletions": 0}


def test_a_review_tells_binary_deleted_and_renamed_files_apart(project: Path, git: Git) -> None:
    write(project, "logo.png", "\x89PNG\r\n\x1a\n\0\1")
    (project / "src/small.py").rename(project / "src/tiny.py")
    (project / "CLAUDE.md").unlink()
    git("add", "-A")
    context = build_review_context(GitOperations(project), "HEAD")
    assert context["_metadata"]["binary"] == ["logo.png"]
    assert list(context["changed_files"]) == ["src/tiny.py"]
    assert "rename from src/small.py" in context["diff"]
    assert "-Use spaces." in context["diff"]
    assert context["_metadata"]["missing"] == []


def test_a_missing_base_degrades(project: Path) -> None:
    context = build_review_context(GitOperations(project), "no-such-branch")
    assert (context["diff"], context["changed_files"]) == ("", {})
    assert any("git could not tell the diff" in each for each in context["_metadata"]["warnings"])


def test_the_diff_of_a_denied_file_is_withheld_and_counted(project: Path, git: Git) -> None:
    write(project, "prod.env", "COLOUR=blue\n")
    git("add", "-f", "-A")
    context = build_review_context(GitOperations(project), "HEAD")
    assert "COLOUR" not in str(context)
    assert "the diff of 1 file is withheld by policy" in context["_metadata"]["warnings"]


def test_a_fix_shows_ten_lines_around_each_error(project: Path) -> None:
    path = project / "src/app.py"
    output = _output(
        ParsedError(str(path), 100, "bad", code="E1"), ParsedError("src/app.py", 105, "x")
    )
    context = build_fix_context(output, [path])
    shown = context["source_files"][str(path)].split("\n")
    assert shown == ["...", *(f"line_{number} = {number}" for number in range(90, 116)), "..."]
    assert context["error_summary"] == "2 errors in 2 files"
    assert context["errors"][0] == {
        "file": str(path),
        "line": 100,
        "message": "bad",
        "severity": "error",
        "code": "E1",
    }
    metadata = context["_metadata"]
    assert (metadata["original_lines"], metadata["kept_lines"]) == (600, 26)


def test_no_errors_are_said(project: Path) -> None:
    context = build_fix_context(ValidationOutput(True), [project / "src/small.py"])
    assert (context["errors"], context["error_summary"]) == ([], "No errors")
    assert context["source_files"][str(project / "src/small.py")] == (
        "def small():\n    return 2\n"
    )


def test_an_issue_brings_the_files_that_it_mentions(project: Path) -> None:
    issue = GitHubIssue(
        7,
        "src/small.py is wrong",
        "see ./src/app.py, no/such.py, logo.png",
        ("bug",),
        "open",
        (),
        "u",
    )
    context = build_issue_context(issue, GitOperations(project))
    assert list(context["related_files"]) == ["src/small.py", "./src/app.py"]
    assert context["issue"] == {
        "number": 7,
        "title": "src/small.py is wrong",
        "body": "see ./src/app.py, no/such.py, logo.png",
        "labels": ["bug"],
        "state": "open",
        "url": "u",
    }
    assert context["_metadata"]["sections_affected"] == ["related_files"]
    few = build_issue_context(issue, GitOperations(project), max_related_files=1)
    assert list(few["related_files"]) == ["src/small.py"]


def test_an_issue_reads_nothing_outside(project: Path, tmp_path: Path) -> None:
    write(tmp_path, "outside.py", "outside = 1\n")
    issue = GitHubIssue(1, "t", f"../outside.py {tmp_path}/outside.py /etc/hosts.conf")
    assert build_issue_context(issue, GitOperations(project))["related_files"] == {}


def test_stand_ins_are_taken_by_attribute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller's tests pass mocks, which answer every attribute."""
    write(tmp_path, "src/a.py", "a = 1\n")
    monkeypatch.chdir(tmp_path)
    git = MagicMock()
    git.current_branch.return_value = "topic"
    git.log.return_value = [
        SimpleNamespace(hash="a" * 40, short_hash="aaaaaaa", message="m", author="b", date="d")
    ]
    git.diff.return_value = "diff --git a/src/a.py b/src/a.py\n"
    git.diff_stats.return_value = SimpleNamespace(
        files_changed=1, insertions=2, deletions=3, file_list=("src/a.py",)
    )
    implementation = build_implementation_context(tmp_path / "src/a.py", git)
    assert implementation["branch"] == "topic"
    assert implementation["recent_commits"] == [
        {"hash": "aaaaaaa", "message": "m", "author": "b", "date": "d"}
    ]
    review = build_review_context(git, "main")
    assert review["changed_files"] == {"src/a.py": "a = 1\n"}
    assert review["stats"] == {"files_changed": 1, "insertions": 2, "deletions": 3}
    git.diff.assert_called_once_with(base="main")


def test_a_git_that_fails_degrades(tmp_path: Path) -> None:
    git = MagicMock()
    for name in ("current_branch", "log", "diff", "diff_stats"):
        getattr(git, name).side_effect = RuntimeError(f"fatal: {SECRET}")
    contexts = [
        build_implementation_context(tmp_path / "x.md", git),
        build_review_context(git, "main"),
        build_issue_context(GitHubIssue(1, "t"), git),
    ]
    assert contexts[0]["branch"] == ""
    assert contexts[1]["diff"] == ""
    assert contexts[2]["recent_changes"] == []
    assert all(context["_metadata"]["warnings"] for context in contexts)
    assert SECRET not in str(contexts)


def test_secrets_are_replaced_in_every_field(project: Path, git: Git) -> None:
    """A secret that one text tells is one in all of them."""
    git("checkout", "-qb", f"topic/{SECRET}")
    write(project, "src/small.py", f'KEY = "{SECRET}"\n')
    write(project, "tasks.md", f"Use {SECRET}.\n")
    write(project, "CLAUDE.md", f"token: {SECRET}\n")
    git("add", "-A")
    git("commit", "-qm", f"Add {SECRET}")
    operations = GitOperations(project)
    error = ParsedError("src/small.py", 1, f"near {SECRET}")
    contexts = [
        build_implementation_context(project / "tasks.md", operations),
        build_review_context(operations, "main"),
        build_fix_context(_output(error), [project / "src/small.py"]),
        build_issue_context(
            GitHubIssue(1, SECRET, f"src/small.py {SECRET}", (SECRET,), "open", (), f"u/{SECRET}"),
            operations,
        ),
    ]
    for context in contexts:
        assert SECRET not in str(context)
        assert SECRET[4:20] not in str(context)
        assert sum(context["_metadata"]["redactions"].values()) > 0
        assert any("secrets were replaced" in each for each in context["_metadata"]["warnings"])


def test_a_key_without_clear_bounds_withholds_its_file(project: Path) -> None:
    body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n" * 4
    write(project, "src/small.py", f"-----BEGIN PRIVATE KEY-----\n{body}")
    context = build_fix_context(ValidationOutput(True), [project / "src/small.py"])
    assert "MIIEvQIBADANBg" not in str(context)


def test_secrets_are_detected_by_line() -> None:
    assert detect_secrets(f"one\nkey = '{SECRET}'\n")[0][0] == 2
    assert detect_secrets("nothing\nhere\n") == []


def _output(*errors: ParsedError) -> ValidationOutput:
    return ValidationOutput(False, (StageResult("check", False, errors=errors),))
