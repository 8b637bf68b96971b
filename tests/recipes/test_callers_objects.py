"""Objects that callers have already: mocks, mappings, paths and texts, and what is missing."""

from __future__ import annotations

import dataclasses
import datetime
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import MagicMock, Mock

import pytest

from sightline.recipes import (
    GitHubIssue,
    ValidationOutput,
    build_fix_context,
    build_implementation_context,
    build_issue_context,
    build_review_context,
    detect_secrets,
    fit_to_budget,
    truncate_file,
)
from tests.recipes.conftest import SECRET, write


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that is no repository, and the working directory."""
    write(tmp_path, "src/a.py", "".join(f"line_{number} = 1\n" for number in range(1, 61)))
    write(tmp_path, "specs/one/tasks.md", "Do it.\n")
    write(tmp_path, "CLAUDE.md", "Use spaces.\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("git", [Mock(), MagicMock(), None, object()])
def test_answers_that_have_no_meaning_are_empty(folder: Path, git: object) -> None:
    """A mock answers everything, with mocks; None answers nothing."""
    implementation = build_implementation_context(folder / "specs/one/tasks.md", git)
    assert implementation["tasks"] == "Do it.\n"
    assert implementation["conventions"] == "Use spaces.\n"
    assert (implementation["branch"], implementation["recent_commits"]) == ("", [])
    review = build_review_context(git, "main")
    assert (review["diff"], review["changed_files"]) == ("", {})
    assert review["stats"] == {"files_changed": 0, "insertions": 0, "deletions": 0}
    issue = build_issue_context(git, git)
    assert issue["issue"] == {
        "number": 0, "title": "", "body": "", "labels": [], "state": "", "url": ""
    }  # fmt: skip
    fix = build_fix_context(git, [])
    assert (fix["errors"], fix["source_files"]) == ([], {})
    for context in (implementation, review, issue, fix):
        assert context["_metadata"]["truncated"] is False
        assert "Mock" not in str(context)


def test_task_files_are_texts_or_paths(folder: Path) -> None:
    for task_file in (folder / "specs/one/tasks.md", "specs/one/tasks.md", Path("CLAUDE.md")):
        assert build_implementation_context(task_file, Mock())["tasks"]
    missing = build_implementation_context("none.md", Mock())
    assert missing["tasks"] == ""
    assert missing["_metadata"]["missing"] == ["none.md"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "commit",
    [
        SimpleNamespace(hash="0123456789abcdef", message="m\n\nb", author="A", date="2024-01-02"),
        Mock(hash="0123456789abcdef", message="m", author="A", date=datetime.date(2024, 1, 2)),
        {"hash": "0123456789abcdef", "message": "m", "author": "A", "date": "2024-01-02"},
        SimpleNamespace(
            hash="0123456789abcdef",
            short_hash="0123456",
            message="m",
            author=SimpleNamespace(name="A"),
            date=datetime.date(2024, 1, 2),
        ),
    ],
)
def test_commits_of_all_kinds(commit: object) -> None:
    git = MagicMock()
    git.log.return_value = (commit,)
    context = build_issue_context(SimpleNamespace(number=1, title="t", body=None), git)
    assert context["recent_changes"] == [
        {"hash": "0123456", "message": "m", "author": "A", "date": "2024-01-02"}
    ]
    git.log.assert_called_once_with(n=5)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "error",
    [
        SimpleNamespace(file="src/a.py", line=30, message="m", severity=None, code=None),
        Mock(file=Path("src/a.py"), line="30", message="m"),
        {"file": "./src/a.py", "line": 30, "message": "m", "severity": "ERROR"},
    ],
)
def test_errors_of_all_kinds(error: object) -> None:
    output = SimpleNamespace(success=False, stages=[SimpleNamespace(errors=(error,))])
    for files in ([Path("src/a.py")], ("src/a.py",), iter(["src/a.py"])):
        context = build_fix_context(output, files, context_lines=1)
        assert context["source_files"] == {
            "src/a.py": "...\nline_29 = 1\nline_30 = 1\nline_31 = 1\n..."
        }
        assert context["errors"][0]["line"] == 30
        assert (context["errors"][0]["severity"], context["errors"][0]["code"]) == ("error", None)
    alone = build_fix_context(output, ["src/a.py"], context_lines=0)
    assert alone["source_files"]["src/a.py"] == "...\nline_30 = 1\n..."


@pytest.mark.usefixtures("folder")
def test_errors_without_a_place() -> None:
    error = SimpleNamespace(file=None, line=None, message=None, severity="note", code=7)
    context = build_fix_context({"stages": [{"errors": [error]}]}, ["src/a.py", "none.py"])
    assert context["errors"] == [
        {"file": "", "line": 0, "message": "", "severity": "error", "code": "7"}
    ]
    assert context["source_files"]["src/a.py"].count("\n") == 60
    assert context["_metadata"]["missing"] == ["none.py"]
    beyond = SimpleNamespace(file="src/a.py", line=9_999, message="m")
    last = build_fix_context({"stages": [{"errors": [beyond]}]}, ["src/a.py"])
    assert last["source_files"]["src/a.py"].endswith("line_60 = 1\n")
    assert build_fix_context(None, None)["error_summary"] == "No errors"  # type: ignore[arg-type]


def test_a_file_that_is_mentioned_often_comes_once(folder: Path) -> None:
    body = f"`./src/a.py` src/a.py:3 {folder}/src/a.py src\\a.py #L5 (CLAUDE.md) src /etc/hosts.txt"
    issue = Mock(number=3, title="T", body=body, labels=("bug", Mock()), state="open", url="u")
    context = build_issue_context(issue, Mock())
    assert list(context["related_files"]) == ["./src/a.py", "CLAUDE.md"]
    assert context["issue"]["labels"] == ["bug", ""]
    for most in (0, -1):
        assert build_issue_context(issue, Mock(), max_related_files=most)["related_files"] == {}
    as_mapping = build_issue_context({"number": 3, "title": "src/a.py"}, Mock())
    assert as_mapping["issue"]["number"] == 3
    assert list(as_mapping["related_files"]) == ["src/a.py"]


@pytest.mark.usefixtures("folder")
def test_changed_files_are_named_by_statistics_or_by_the_diff() -> None:
    git = MagicMock()
    git.diff.return_value = "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n"
    git.diff_stats.side_effect = OSError("no")
    assert list(build_review_context(git, "main")["changed_files"]) == ["src/a.py"]
    git.diff_stats.side_effect = None
    git.diff_stats.return_value = Mock(
        files_changed=2, insertions=1, deletions=0, file_list=[Path("CLAUDE.md"), "gone.py"]
    )
    review = build_review_context(git, "main")
    assert review["changed_files"] == {"CLAUDE.md": "Use spaces.\n"}
    assert review["_metadata"]["missing"] == ["gone.py"]


@pytest.mark.usefixtures("folder")
def test_the_patch_of_a_binary_file_names_it() -> None:
    git = MagicMock()
    git.diff.return_value = (
        "diff --git a/logo.png b/logo.png\nBinary files a/logo.png and b/logo.png differ\n"
    )
    assert build_review_context(git, "main")["diff"] == git.diff.return_value


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("diff", ["+ added\n- gone\n", "not a diff", "", "\u00e9\u4e2d\r\n"])
def test_a_diff_is_shown_as_it_is(diff: str) -> None:
    git = MagicMock()
    git.diff.return_value = diff
    assert build_review_context(git, "main")["diff"] == diff


def test_lines_that_are_not_there() -> None:
    text = "".join(f"l{number}\r\n" for number in range(1, 101))
    assert truncate_file(text, 3, [0, -4]) == "l1\r\nl2\r\nl3\r\n..."
    assert truncate_file(text, 5, [500], context_lines=1) == "...\nl99\r\nl100\r\n"
    assert truncate_file(text, 9, {50, 51}, context_lines=0) == (  # type: ignore[arg-type]
        "...\nl50\r\nl51\r\n..."
    )
    for most in (0, -1):
        assert truncate_file(text, most) == truncate_file(text, most, [7]) == "..."
    assert truncate_file("", 0, [1]) == ""


def test_a_context_fits_as_it_is() -> None:
    """Files by path are cut one by one; a list is emptied where it alone is over the budget."""
    context: dict[str, Any] = {
        "diff": "x" * 8_000,
        "changed_files": {"a.py": "a\n" * 4_000, "b.py": "b\n"},
        "stats": {"files_changed": 2},
        "recent": None,
        "_metadata": {"truncated": False},
    }
    fitted = fit_to_budget(context, 1_000)
    assert fitted["changed_files"]["b.py"] == "b\n"
    assert fitted["changed_files"]["a.py"].endswith("\n...")
    assert len(fitted["diff"]) + len(fitted["changed_files"]["a.py"]) <= 4_000
    assert fitted["stats"] == {"files_changed": 2}
    assert fitted["_metadata"]["sections_affected"] == ["diff", "changed_files"]
    assert fit_to_budget(context, 9_000) == context
    listed = fit_to_budget({"rows": ["row"] * 900, "text": "t"}, 10)
    assert (listed["rows"], listed["text"]) == ([], "t")
    assert listed["_metadata"] == {
        "truncated": True,
        "original_lines": 901,
        "kept_lines": 1,
        "sections_affected": ["rows"],
    }


def test_warnings_are_logged_without_contents(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(folder, "src/key.py", f"KEY = '{SECRET}'\n")
    with caplog.at_level(logging.WARNING, "sightline.recipes"):
        build_fix_context(None, ["src/key.py", f"{SECRET}.py"])
    assert "secrets were replaced" in caplog.text
    assert "there is no such file" in caplog.text
    assert SECRET not in caplog.text


@pytest.mark.parametrize(
    "text",
    [
        'key = "AKIA' + 'IOSFODNN7EXAMPLE"',
        "ghp_" + "x" * 36,
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        'secret: "abcdefghijklmnop"',
        'password = "supersecret123"',
    ],
)
def test_examples_of_secrets_are_detected(text: str) -> None:
    assert [line for line, _ in detect_secrets(f"one\n{text}\n")] == [2]
    assert detect_secrets("def password_reset(token): ...\n") == []


@pytest.mark.parametrize("files", [{"files": ["src/a.py"]}, {"per_file": {"src/a.py": (1, 1)}}])
@pytest.mark.usefixtures("folder")
def test_statistics_may_name_files_in_their_own_way(files: dict[str, Any]) -> None:
    git = Mock()
    git.diff.return_value = ""
    git.diff_stats.return_value = SimpleNamespace(
        files_changed=1, insertions=1, deletions=1, **files
    )
    assert list(build_review_context(git, "main")["changed_files"]) == ["src/a.py"]


@pytest.mark.usefixtures("folder")
def test_a_file_that_is_mentioned_with_an_at_sign_is_found() -> None:
    issue = {"number": 1, "title": "Wrong", "body": "see @src/a.py"}
    assert list(build_issue_context(issue, Mock())["related_files"]) == ["src/a.py"]


@pytest.mark.usefixtures("folder")
def test_a_file_that_is_not_there_is_empty_and_said() -> None:
    error = SimpleNamespace(file="no.py", line=3, message="m", severity="error", code=None)
    output = SimpleNamespace(stages=(SimpleNamespace(errors=(error,)),))
    fix = build_fix_context(output, [Path("no.py"), Path("src/a.py")])
    assert fix["source_files"]["no.py"] == ""
    assert "line_3 = 1" in fix["source_files"]["src/a.py"]
    assert fix["_metadata"]["missing"] == ["no.py"]


@pytest.mark.usefixtures("folder")
def test_a_task_file_may_be_missing_as_an_argument() -> None:
    context = build_implementation_context(cast(Path, None), None)
    assert (context["tasks"], context["conventions"]) == ("", "Use spaces.\n")
    assert "there is no task file" in context["_metadata"]["warnings"]


def test_types_are_dataclasses_that_do_not_change() -> None:
    issue = GitHubIssue(1, "t", labels=("bug",))
    assert dataclasses.replace(issue, number=2).number == 2
    assert dataclasses.asdict(issue)["labels"] == ("bug",)
    output = ValidationOutput(success=True, stages=(), total_duration_ms=1)
    for value in (issue, output):
        for name in (dataclasses.fields(value)[0].name, "another"):
            with pytest.raises(dataclasses.FrozenInstanceError):
                value.__setattr__(name, 5)
