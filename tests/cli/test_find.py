"""`sightline find`."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import SECRET, Ask

_TASK = "`Shape.area` is wrong\n\nsee use.py\n"


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    """What the command reads from a pipe."""
    given = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(given))
    return given


def test_a_person_reads_files_and_symbols_and_why(ask: Ask) -> None:
    answer = ask("find", _TASK, "--limit", "2")
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.decode().splitlines()
    assert [line for line in lines if not line.startswith("      ")] == [
        "files",
        "   1  use.py",
        "   2  shapes.py",
        "symbols",
        "   1  shapes.py::Shape.area  method, line 2",
        "   2  use.py::total  function, line 9",
    ]
    assert "the task mentions its path" in lines[2]
    assert "the task names area" in lines[lines.index("symbols") + 2]


@pytest.mark.parametrize("way", ["text", "file", "pipe", "bare pipe"])
def test_the_task_comes_from_the_line_a_file_or_a_pipe(
    ask: Ask, workspace: Path, pipe: io.BytesIO, way: str
) -> None:
    (workspace / "issue.txt").write_text(_TASK)
    pipe.write(_TASK.encode())
    pipe.seek(0)
    given = {"text": [_TASK], "file": ["--from", "issue.txt"], "pipe": ["-"], "bare pipe": []}
    answer = ask("find", *given[way], "--format", "json")
    result = json.loads(answer.out)
    assert (answer.code, result["status"], result["index_complete"]) == (0, "ok", True)
    assert result["files"][0]["path"] == "use.py"
    assert result["symbols"][0]["symbol"] == "Shape.area"
    assert set(result["symbols"][0]) == {"path", "symbol", "kind", "line", "clues"}


def test_what_shares_no_word_is_said_to_be_so(ask: Ask) -> None:
    answer = ask("find", "zzgrblx")
    assert answer.code == 0
    assert b"nothing in the workspace shares a telling word" in answer.out


def test_a_long_task_is_cut_and_the_cut_is_told(ask: Ask) -> None:
    answer = ask("find", "a square " * 10_000)
    assert (answer.code, b"use.py" in answer.out) == (0, True)
    assert "only the first 60,000 characters of the task were read" in answer.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["  "], "the task is empty"),
        (["a", "--from", "b"], "the task is given twice"),
        (["--from", "gone.txt"], "the file cannot be read"),
        (["a", "--limit", "0"], "the limit must be a number from 1 to 200"),
        (["a", "--limit", "201"], "the limit must be a number from 1 to 200"),
        (["a", "--limit", "x"], "--limit"),
    ],
)
def test_a_wrong_request_is_refused_with_what_to_do(
    ask: Ask, arguments: list[str], told: str
) -> None:
    answer = ask("find", *arguments)
    assert (answer.code, answer.out) == (2, b"")
    assert told in answer.err


def test_a_terminal_is_not_waited_for(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    answer = ask("find")
    assert answer.code == 2
    assert "give the task in quotes, with --from FILE, or through a pipe" in answer.err


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_secret_of_the_workspace_in_the_task_is_not_repeated(
    ask: Ask, workspace: Path, form: str
) -> None:
    (workspace / "told.py").write_text(f"def connect():\n    return use('{SECRET}')  # {SECRET}\n")
    answer = ask("find", f"`{SECRET}` total of password {SECRET}", "--format", form)
    assert answer.code == 0
    assert b"secret.py" in answer.out
    assert SECRET.encode() not in answer.out
    assert SECRET not in answer.err
