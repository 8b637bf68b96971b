"""slice, outline, refs and explain replace secrets; --show-secrets is for a terminal alone."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.cli.conftest import SECRET, Ask, run_at_terminal

_CALLER = (
    "from shapes import Shape\n\n\n"
    f'def keyed(shape: Shape, password: str = "{SECRET}") -> int:\n'
    f'    return shape.area(password="{SECRET}")\n'
)
_COMMANDS = {
    "slice, full": ("slice", "keyed.py", "--level", "full"),
    "slice, region": ("slice", "keyed.py", "--level", "region", "--symbol", "keyed"),
    "slice, signatures": ("slice", "keyed.py", "--level", "signatures"),
    "outline": ("outline", "keyed.py"),
    "refs": ("refs", "shapes.py::Shape.area"),
    "explain": ("explain", "keyed.py:5"),
    "explain --for": ("explain", "keyed.py", "--for", "shapes.py::Shape.area"),
}


@pytest.fixture(autouse=True)
def _keyed(workspace: Path) -> None:
    (workspace / "keyed.py").write_text(_CALLER)


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("command", _COMMANDS)
def test_no_command_prints_a_secret(ask: Ask, command: str, form: str) -> None:
    answer = ask(*_COMMANDS[command], "--format", form)
    assert answer.code == 0
    assert SECRET.encode() not in answer.out
    assert SECRET not in answer.err


def test_what_stands_for_a_secret_names_its_rule(ask: Ask) -> None:
    record = json.loads(ask(*_COMMANDS["slice, full"], "--format", "json").out)
    assert record["content"].count("[REDACTED:") == 2
    assert [each["line"] for each in record["redactions"]] == [4, 5]
    outline = json.loads(ask(*_COMMANDS["outline"], "--format", "json").out)
    assert "[REDACTED:" in outline["symbols"][0]["signature"]
    assert b"[REDACTED:" in ask(*_COMMANDS["refs"]).out


@pytest.mark.parametrize("command", ["slice, full", "outline", "refs", "explain"])
def test_secrets_are_not_shown_where_stdout_is_no_terminal(ask: Ask, command: str) -> None:
    answer = ask(*_COMMANDS[command], "--show-secrets")
    assert (answer.code, answer.out) == (2, b"")
    assert "--show-secrets is for your own terminal" in answer.err


@pytest.mark.parametrize("command", ["slice, full", "slice, region", "outline", "refs"])
def test_a_person_sees_secrets_on_a_terminal_and_is_told(workspace: Path, command: str) -> None:
    code, shown, _ = run_at_terminal(workspace, *_COMMANDS[command], "--show-secrets", columns=200)
    assert code == 0
    assert SECRET.encode() in shown
    assert b"secrets are shown as they are" in shown


def test_build_has_no_such_option(ask: Ask) -> None:
    answer = ask("build", "keyed.py", "--show-secrets")
    assert answer.code == 2
    assert "unrecognized arguments: --show-secrets" in answer.err


def test_a_refusal_over_a_secret_prints_what_can_be_done_as_commands(ask: Ask) -> None:
    """Copied as they stand, they do it; what a person wrote in words is not repeated."""
    answer = ask("build", "secret.py", "--format", "markdown")
    _, redact, mark = answer.err.splitlines()
    assert redact.endswith(
        ": sightline build secret.py --format markdown --on-target-secret redact"
    )
    assert mark.endswith(": sightline harmless secret.py:3")
    arguments = redact.partition(": sightline build ")[2].split()
    redacted = ask("build", *arguments)
    assert redacted.code == 0
    assert b"[REDACTED:" in redacted.out
    assert SECRET not in redacted.out.decode() + redacted.err
    with_words = ask("build", "secret.py", "--intent", "change the password")
    assert "add --on-target-secret redact to the command" in with_words.err
    assert "change the password" not in with_words.err


def test_a_key_in_the_name_of_a_file_to_leave_out_is_not_repeated(ask: Ask) -> None:
    key = "ghp_" + random.Random(1).randbytes(18).hex()
    answer = ask("build", "shapes.py", "--drop", f"old_{key}.py", "--format", "json")
    assert answer.code == 2
    assert key.encode() not in answer.out
    assert key not in answer.err
