"""Edges that callers rely on: odd numbers, odd paths, odd texts, and files that cannot be read."""

from __future__ import annotations

import logging
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from sightline.recipes import (
    CommitInfo,
    DiffStats,
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
    extract_file_paths,
    fit_to_budget,
    truncate_file,
)
from tests.recipes.conftest import SECRET, write


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("[src/foo.py](src/foo.py) and **src/bar.py**", ["src/foo.py", "src/bar.py"]),
        ("C:\\work\\app.py C:/work/b.py", ["C:\\work\\app.py", "C:/work/b.py"]),
        ("./src/foo.py src/foo.py src/foo.py:3", ["./src/foo.py"]),
        ("src/foo.py, src/bar.py; src/baz.py!", ["src/foo.py", "src/bar.py", "src/baz.py"]),
        ("\u201csrc/foo.py\u201d <src/bar.py> src/baz.py#L10-L20",
         ["src/foo.py", "src/bar.py", "src/baz.py"]),
        ("s3://bucket/key.json file:///home/x/a.py ~/x/y.py", []),
        ("src/[id]/page.tsx src/(group)/page.tsx", ["src/[id]/page.tsx", "src/(group)/page.tsx"]),
    ],
)  # fmt: skip
def test_paths_in_the_forms_of_issues(text: str, paths: list[str]) -> None:
    assert extract_file_paths(text) == paths


@pytest.mark.parametrize("budget", [0, -1, -10_000])
def test_a_budget_of_nothing_keeps_nothing(budget: int) -> None:
    assert fit_to_budget({}, budget) == {}
    assert fit_to_budget({"a": "", "b": ""}, budget) == {"a": "", "b": ""}
    assert fit_to_budget({"a": "abc"}, budget) == {"a": "abc"}
    fitted = fit_to_budget({"a": "x" * 4_000, "b": ""}, budget)
    assert (fitted["a"], fitted["b"]) == ("", "")
    assert fitted["_metadata"]["sections_affected"] == ["a"]


def test_one_huge_section_takes_the_budget() -> None:
    for least in (-5, 0, 100, 10**9):
        fitted = fit_to_budget({"a": "word\n" * 1_000_000}, 1_000, min_section_tokens=least)
        assert 3_800 <= len(fitted["a"]) <= 4_000
        assert fitted["a"].endswith("\n...")
        assert fitted["_metadata"]["original_lines"] == 1_000_000


def test_lines_may_be_named_twice_and_in_any_order() -> None:
    text = "\n".join(f"l{number}" for number in range(1, 101))
    cut = truncate_file(text, 60, [90, 10, 50, 10], context_lines=1)
    assert cut == "...\nl9\nl10\nl11\n...\nl49\nl50\nl51\n...\nl89\nl90\nl91\n..."
    assert truncate_file(text, 60, [90, 10], context_lines=-3) == "...\nl10\n...\nl90\n..."
    assert truncate_file(text, 100, [3]) == text


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("api_key = 'sk-12345678901234567890'", "api_key"),
        ("apikey: abcdefghijklmnopqrstuvwx", "api_key"),
        ("Authorization: Bearer abc123def456", "bearer_token"),
        ("bearer = token123", "bearer_token"),
        ("id = AKIA" + "IOSFODNN7EXAMPLE", "aws_key"),
        ("password=supersecret123", "secret_password"),
        ("secret: 'abcdefgh'", "secret_password"),
        ("-----BEGIN OPENSSH " + "PRIVATE KEY-----", "private_key"),
        ("sk_live_" + "a" * 24, "stripe_key"),
        ("ghp_" + "a" * 36, "github_token"),
        ("postgres://user:" + "pass@host/db", "connection_string"),
        ("PASSWORD: mysecretpassword", "weak-password"),
        (f"x = {SECRET}", "github_token"),
    ],
)
def test_each_kind_of_secret_has_a_name(line: str, kind: str) -> None:
    assert detect_secrets(f"fine\r\n{line}\r\nfine") == [(2, kind)]


@pytest.mark.parametrize(
    "line",
    ["", "password = ''", "password = 'x'", "password = os.getenv('DB_PASSWORD')",
     "api_key = os.environ['API_KEY']", "secret_key = settings.SECRET_KEY",
     "token = get_token()", "The password must be 8 characters"],
)  # fmt: skip
def test_plain_code_is_no_secret(line: str) -> None:
    assert detect_secrets(line) == []


def test_files_of_all_kinds(folder: Path) -> None:
    (folder / "bin.dat").write_bytes(b"\0\1\2")
    (folder / "folder.py").mkdir()
    write(folder, "empty.py", "")
    write(folder, "crlf.py", "a = 1\r\nb = 2\r\n")
    write(folder, "bare.py", "\u00fc = '\u4e2d'")
    write(folder, "huge.py", "x = 1\n" * 800_000)
    names = ["bin.dat", "folder.py", "empty.py", "crlf.py", "bare.py", "huge.py", "gone.py"]
    context = build_fix_context(ValidationOutput(True), [folder / each for each in names])
    assert context["source_files"] == {
        str(folder / "empty.py"): "",
        str(folder / "crlf.py"): "a = 1\r\nb = 2\r\n",
        str(folder / "bare.py"): "\u00fc = '\u4e2d'",
        str(folder / "gone.py"): "",
    }
    metadata = context["_metadata"]
    assert metadata["binary"] == [str(folder / "bin.dat")]
    assert metadata["missing"] == [str(folder / "gone.py")]
    assert any("max_file_bytes" in each for each in metadata["warnings"])


def test_warnings_count_beside_errors() -> None:
    def summary(*severities: str | None) -> str:
        errors = tuple(
            ParsedError(f"f{number}.py", 1, "m", severity=each)
            for number, each in enumerate(severities)
        )
        output = ValidationOutput(False, (StageResult("check", False, errors=errors),))
        return str(build_fix_context(output, [])["error_summary"])

    assert summary() == "No errors"
    assert summary(None) == "1 error in 1 file"
    assert summary("error", "warning", None) == "3 errors in 3 files (1 warning among them)"
    assert summary("warning", "warning") == "2 warnings in 2 files"


def test_mocks_of_our_own_types(folder: Path) -> None:
    """A mock that says it is a `GitOperations` is asked like any other."""
    write(folder, "a.py", "a = 1\n")
    git = MagicMock(spec=GitOperations)
    git.diff.return_value = ""
    git.diff_stats.return_value = SimpleNamespace(
        files_changed=1, insertions=1, deletions=0, file_list=["a.py", "a.py"]
    )
    for by_symbol in (False, True):
        context = build_review_context(git, "main", by_symbol=by_symbol)
        assert context["changed_files"] == {"a.py": "a = 1\n"}
    assert git.diff.call_args.kwargs == {"base": "main"}


def test_a_path_of_another_machine_means_the_file_with_its_end(folder: Path) -> None:
    write(folder, "src/app/main.py", "x = 1\n")
    body = 'File "/home/ci/work/src/app/main.py", line 3\nC:\\w\\src\\app\\main.py\n/x/main.py'
    context = build_issue_context(GitHubIssue(1, "T", body), MagicMock())
    assert list(context["related_files"]) == ["src/app/main.py"]


def test_thousands_of_mentions_are_bounded(folder: Path) -> None:
    write(folder, "src/a.py", "x = 1\n")
    body = "\n".join(f"src/none_{number}.py" for number in range(20_000)) + "\nsrc/a.py"
    assert build_issue_context(GitHubIssue(1, "T", body), MagicMock())["related_files"] == {}


def test_possible_secrets_are_logged_by_place(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Examples are shown as they are; the log says where they stand, not what they are."""
    write(folder, "tasks.md", "Do it.\nid = AKIA" + "IOSFODNN7EXAMPLE\n")
    with caplog.at_level(logging.WARNING, "sightline.recipes"):
        context = build_implementation_context(folder / "tasks.md", MagicMock())
    assert "EXAMPLE" in context["tasks"]
    assert "tasks.md at line 2: aws_key" in caplog.text
    assert "EXAMPLE" not in caplog.text


def test_a_very_long_task_file_is_cut(folder: Path) -> None:
    write(folder, "tasks.md", "- do it\n" * 50_001)
    context = build_implementation_context(folder / "tasks.md", MagicMock())
    assert context["tasks"].endswith("- do it\n...")
    assert context["_metadata"]["sections_affected"] == ["tasks"]
    assert (context["_metadata"]["original_lines"], context["_metadata"]["kept_lines"]) == (
        50_001,
        50_000,
    )


def test_no_builder_takes_much_memory(folder: Path) -> None:
    """Of files of a megabyte, of a long diff and of a long issue."""
    for name in ("a.py", "b.py"):
        write(folder, name, "value = some_function(argument)\n" * 30_000)
    git = MagicMock()
    git.diff.return_value = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n" + (
        "@@ -1 +1 @@\n-x\n+y\n" * 10_000
    )
    git.diff_stats.return_value = SimpleNamespace(
        files_changed=2, insertions=1, deletions=1, file_list=["a.py", "b.py"]
    )
    errors = tuple(ParsedError("a.py", 100 * number, "m") for number in range(1, 300))
    output = ValidationOutput(False, (StageResult("check", False, errors=errors),))
    build_implementation_context("a.py", git)
    builders: list[Callable[[], dict[str, Any]]] = [
        lambda: build_implementation_context("a.py", git),
        lambda: build_review_context(git, "main"),
        lambda: build_fix_context(output, ["a.py", "b.py"]),
        lambda: build_issue_context(GitHubIssue(1, "T", "a.py b.py " * 10_000), git),
    ]
    for build in builders:
        tracemalloc.start()
        context = build()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert context
        assert peak < 100 << 20


def test_types_are_frozen_and_in_order() -> None:
    """Given by position, as the document has them, and by name."""
    error = ParsedError("a.py", 3, "bad", 1, "error", "E1")
    stage = StageResult("lint", False, "printed", 5, 0, (error,))
    output = ValidationOutput(False, (stage,), 7)
    issue = GitHubIssue(1, "T", "B", ("bug",), "open", ("ada",), "u")
    commit = CommitInfo("a" * 40, "aaaaaaa", "m", "Ada", "2024-01-02")
    stats = DiffStats(1, 2, 3, ("a.py",))
    assert (output.success, output.stages, output.total_duration_ms) == (False, (stage,), 7)
    assert (issue.number, issue.labels, issue.state, issue.url) == (1, ("bug",), "open", "u")
    assert (commit.short_hash, stats.insertions, stats.file_list) == ("aaaaaaa", 2, ("a.py",))
    values: list[tuple[object, str]] = [
        (error, "file"), (stage, "passed"), (output, "success"), (issue, "title"),
        (commit, "hash"), (stats, "deletions"),
    ]  # fmt: skip
    for each, name in values:
        for field in (name, "other"):
            with pytest.raises(AttributeError):
                setattr(each, field, None)
