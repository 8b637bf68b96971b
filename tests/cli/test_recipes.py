"""`sightline context` and `sightline task`, in a real repository."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sightline.cli import main
from sightline.recipes import GitOperations, build_review_context
from tests.recipes.conftest import SECRET, Git, git, project, write

__all__ = ["git", "project"]

_TASK = {
    "id": "7",
    "title": "Right sum",
    "goal": "The sum is right.",
    "acceptance": ["It is."],
    "context": {"files": ["src/small.py"]},
}


def _run(cwd: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in this process, which starts far quicker than another."""
    streams = [io.TextIOWrapper(io.BytesIO(each), "utf-8") for each in (given.encode(), b"", b"")]
    before = sys.stdin, sys.stdout, sys.stderr, Path.cwd()
    sys.stdin, sys.stdout, sys.stderr = streams
    os.chdir(cwd)
    try:
        code = main(arguments)
    finally:
        sys.stdin, sys.stdout, sys.stderr = before[:3]
        os.chdir(before[3])
    told = [each.detach().getvalue().decode() for each in streams[1:]]
    return subprocess.CompletedProcess(arguments, code, *told)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SIGHTLINE_INDEX_JOBS", "1")


def _json(ran: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert ran.returncode == 0, ran.stderr
    value: dict[str, Any] = json.loads(ran.stdout)
    return value


def test_a_review_is_that_of_python(project: Path) -> None:
    told = _json(_run(project, "context", "review", "--no-by-symbol", "--format", "json"))
    assert told == build_review_context(GitOperations(project), "main")


def test_a_review_is_by_symbol_unless_it_is_not_wanted(project: Path) -> None:
    told = _json(_run(project, "context", "review", "--format", "json"))
    [symbol] = [each for each in told["changed_symbols"] if each["path"] == "src/small.py"]
    assert symbol["base"] == "def small():\n    return 1\n"
    assert symbol["head"] == "def small():\n    return 2\n"
    assert told == build_review_context(GitOperations(project), "main", by_symbol=True)


def test_a_review_of_a_range_shows_the_files_of_its_end(project: Path, git: Git) -> None:
    """The work tree is elsewhere: files come from git's objects."""
    write(project, "src/small.py", "def small():\n    return 3\n")
    told = _json(
        _run(project, "context", "review", "main..feature", "--no-by-symbol", "--format", "json")
    )
    assert told["changed_files"]["src/small.py"] == "def small():\n    return 2\n"
    git("add", "-A")
    write(project, "src/small.py", "def small():\n    return 4\n")
    staged = _json(
        _run(project, "context", "review", "--staged", "--no-by-symbol", "--format", "json")
    )
    assert staged["changed_files"] == {"src/small.py": "def small():\n    return 3\n"}
    assert "+    return 3\n" in str(staged["diff"])


def test_a_review_begins_at_the_common_ancestor(project: Path, git: Git) -> None:
    git("checkout", "-q", "main")
    write(project, "other.py", "x = 1\n")
    git("add", "-A")
    git("commit", "-qm", "Meanwhile")
    git("checkout", "-q", "feature")
    told = _json(
        _run(project, "context", "review", "--base", "main", "--no-by-symbol", "--format", "json")
    )
    assert list(told["changed_files"]) == ["src/app.py", "src/small.py"]


def test_a_fix_reads_a_pipe(project: Path) -> None:
    report = "src/app.py:300: error: wrong sign  [sign]\n"
    told = _run(project, "context", "fix", "--from", "-", given=report).stdout
    assert "message `wrong sign`, severity `error`, code `sign`" in told
    assert "line_290 = 290\n" in told
    assert "line_289 = 289\n" not in told
    named = _json(
        _run(project, "context", "fix", "src/small.py", "--from", "-", "--format", "json",
             given=report)
    )  # fmt: skip
    assert list(named["source_files"]) == ["src/small.py"]


def test_an_issue_and_a_task_file(project: Path) -> None:
    issue = json.dumps({"number": 7, "title": "Wrong", "body": "In src/small.py."})
    told = _json(_run(project, "context", "issue", "-", "--format", "json", given=issue))
    assert list(told["related_files"]) == ["src/small.py"]
    write(project, "tasks.md", "1. Do it.\n")
    text = _run(project, "context", "implementation", "tasks.md").stdout
    assert text.startswith("# Context for a task\n\nThe task says what is to be done.")
    assert "## Conventions\n\n```\nUse spaces.\n```\n" in text


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_a_task_pack(project: Path, form: str) -> None:
    import yaml

    given = json.dumps(_TASK) if form == "json" else yaml.safe_dump(_TASK)
    pack = _json(_run(project, "task", "-", "--tier", "cheap", "--format", "json", given=given))
    assert pack["files"] == [
        {"path": "src/small.py", "content": "def small():\n    return 2\n", "priority": "medium"}
    ]
    assert "The sum is right." in _run(project, "task", "-", given=given).stdout


def test_contexts_are_cut_to_tokens(project: Path) -> None:
    whole = _run(project, "context", "review", "--no-by-symbol").stdout
    cut = _json(
        _run(
            project,
            "context",
            "review",
            "--no-by-symbol",
            "--max-tokens",
            "400",
            "--format",
            "json",
        )
    )
    metadata = cut["_metadata"]
    assert isinstance(metadata, dict)
    assert metadata["truncated"]
    assert metadata["kept_lines"] < metadata["original_lines"]
    assert len(str(cut)) < len(whole)


@pytest.mark.parametrize(
    ("arguments", "given", "code", "words"),
    [
        (["context", "review", "main..nowhere"], "", 2, "no such revision"),
        (["context", "review", "--base", "nowhere"], "", 2, "no such revision"),
        (["context", "review", "main"], "", 2, "A..B"),
        (["context", "review", "main..feature", "--staged"], "", 2, "leave --base and --staged"),
        (["context", "review", "--max-tokens", "5"], "", 3, "more than 5 tokens"),
        (["context", "fix", "--from", "-"], "Segmentation fault", 2, "names no place"),
        (["context", "fix", "--from", "none.txt"], "", 2, "cannot be read"),
        (["context", "issue", "-"], "", 2, "it is empty"),
        (["context", "implementation", "none.md"], "", 2, "no such file"),
        (["context", "implementation", "../x"], "", 3, ""),
        (["context", "surprise"], "", 2, "there is no recipe 'surprise'"),
        (["task", "-"], "{", 2, "this is not a task"),
        (["task", "-"], '{"id": "1"}', 2, "this is not a task"),
        (["task", "-", "--tier", "huge"], "{}", 2, "there is no --tier 'huge'"),
    ],
)
def test_wrong_use_is_one_line(
    project: Path, arguments: list[str], given: str, code: int, words: str
) -> None:
    ran = _run(project, *arguments, given=given)
    assert (ran.returncode, ran.stdout) == (code, "")
    assert words in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_no_repository_is_one_line(tmp_path: Path) -> None:
    ran = _run(tmp_path, "context", "review")
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1


def test_a_file_takes_the_output(project: Path, tmp_path: Path) -> None:
    ran = _run(project, "context", "review", "--output", str(tmp_path / "out.md"))
    assert (ran.returncode, ran.stdout) == (0, "")
    assert (tmp_path / "out.md").read_text().startswith("# Context for a review\n")


def test_planted_secrets_do_not_come_out(project: Path, git: Git) -> None:
    """In files, diff, commit message, author, branch, issue, task, report, docs and paths."""
    write(project, "src/small.py", f'token = "{SECRET}"\n')
    write(project, f"docs/{SECRET}.md", f"The token is {SECRET}.\n")
    write(project, "tasks.md", f"Use {SECRET}.\n")
    write(project, "CLAUDE.md", f"Never say {SECRET}.\n")
    git("checkout", "-qb", f"feature-{SECRET}")
    git("add", "-A")
    git("commit", "-qm", f"Add {SECRET}", "--author", f"{SECRET} <a@b.c>")
    issue = {"title": f"{SECRET} leaks", "body": f"`src/small.py` docs/{SECRET}.md {SECRET}",
             "labels": [SECRET], "state": SECRET, "url": f"https://x.y/{SECRET}"}  # fmt: skip
    task = {**_TASK, "goal": f"Hide {SECRET}", "acceptance": [SECRET],
            "context": {"files": ["src/small.py"], "docs": [f"docs/{SECRET}.md"]},
            "previous": {"iteration": 1, "diff": f"+{SECRET}", "issues": [
                {"id": "1", "severity": "error", "message": SECRET, "evidence": SECRET}]},
            "repairTickets": [{"id": "1", "errorOutput": f"E {SECRET}"}]}  # fmt: skip
    report = f"src/small.py:1: error: {SECRET}  [{SECRET}]\ndocs/{SECRET}.md:1: error: x\n"
    runs = [
        (["context", "review"], ""),
        (["context", "review", "main..HEAD"], ""),
        (["context", "implementation", "tasks.md"], ""),
        (["context", "issue", "-"], json.dumps(issue)),
        (["context", "fix", "--from", "-"], report),
        (["context", "fix", f"docs/{SECRET}.md", f"docs/{SECRET}.not", "--from", "-"], report),
        (["task", "-"], json.dumps(task)),
    ]
    for arguments, given in runs:
        for form in ("json", "markdown"):
            ran = _run(project, *arguments, "--format", form, given=given)
            assert SECRET not in ran.stdout + ran.stderr, arguments
            assert "REDACTED" in ran.stdout, arguments
