"""`sightline build`: what it answers, where that goes, and what it says to bad input."""

from __future__ import annotations

import base64
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sightline.cli import build as build_command
from sightline.cli import main
from sightline.schemas import schema
from tests.cli.conftest import SECRET, Answer, Ask, Run, plain, run_at_terminal

_VALIDATOR = jsonschema.Draft202012Validator(schema("build_result"))


def _result(answer: Answer) -> dict[str, Any]:
    """The answer of a JSON build, which is one line and has the published form."""
    assert answer.out.count(b"\n") == 1
    result: dict[str, Any] = json.loads(answer.out)
    _VALIDATOR.validate(result)
    return result


def _selection(answer: Answer) -> dict[str, Any]:
    assert (answer.code, answer.err) == (0, "")
    selection: dict[str, Any] = _result(answer)["manifest"]["selection"]
    return selection


# What is asked for.


@pytest.mark.parametrize(
    ("written", "symbols"),
    [
        ("use.py", []),
        ("./a folder/../use.py", []),
        ("use.py:6", ["use.py::Square.twice"]),
        ("use.py:6:1", ["use.py::Square.twice"]),
        ("use.py:5:999", ["use.py::Square.twice"]),
        ("use.py:5-10", ["use.py::Square", "use.py::total"]),
        ("use.py::Square", ["use.py::Square"]),
        ("use.py::Square.twice", ["use.py::Square.twice"]),
        ("use.py::total:9", ["use.py::total"]),
        ("use.py:1", []),
        ("a folder/ünï code.py:1", ["a folder/ünï code.py::spaced"]),
        ("empty.py:1", []),
    ],
)
def test_a_target_is_a_file_a_line_lines_or_a_symbol(
    ask: Ask, written: str, symbols: list[str]
) -> None:
    selection = _selection(ask("build", written, "--format", "json"))
    assert selection["target_symbols"] == symbols
    path = os.path.normpath(re.split(r":+\w", written)[0])
    assert selection["target_files"] == [path]


def test_symbols_are_of_the_one_file_named_else_of_the_workspace(ask: Ask) -> None:
    named = _selection(ask("build", "use.py", *_symbols("Square", "total"), "--format", "json"))
    assert named["target_symbols"] == ["use.py::Square", "use.py::total"]
    found = _selection(ask("build", *_symbols("Other.area", "use.py::total"), "--format", "json"))
    assert found["target_symbols"] == ["other.py::Other.area", "use.py::total"]
    wrong = ask("build", "use.py", *_symbols("Square", "Other"))
    assert (wrong.code, wrong.out) == (2, b"")
    assert "use.py: there is no symbol 'Other' in it" in wrong.err


def _symbols(*names: str) -> list[str]:
    return [part for name in names for part in ("--symbol", name)]


def test_one_of_the_choices_of_an_ambiguous_name_is_understood(ask: Ask) -> None:
    refused = _result(ask("build", "--symbol", "area", "--format", "json"))
    choices = refused["refusal"]["candidates"]
    assert choices == ["other.py::Other.area:2", "shapes.py::Shape.area:2"]
    chosen = _selection(ask("build", choices[1], "--format", "json"))
    assert chosen["target_symbols"] == ["shapes.py::Shape.area"]


def test_everything_that_can_be_asked_for_is_in_the_record(ask: Ask) -> None:
    """Options make one request, which the record repeats as it was understood."""
    answer = ask(
        *("build", "use.py::total", "--purpose", "plan", "--format", "json"),
        *("--intent", "make it faster", "--step", "measure it"),
        *("--constraint", "project: no new dependencies", "--constraint", "keep: names"),
        *("--error", "it broke", "--error-at", "shapes.py:3"),
        *("--add", "other.py", "--drop", "pyproject.toml"),
        *("--correlation-id", "6F0C3B52-7D0E-5C3A-9A53-5B8F0E6F4A11"),
        *("--max-input-tokens", "9000", "--reserve", "1000", "--soft-limit-pct", "50"),
        *("--estimator", "chars4-1", "--target-level", "region", "--hops", "2"),
    )
    result = _result(answer)
    request = result["request"]
    assert request["purpose"] == "plan"
    assert request["intent"]["text"] == "make it faster"
    assert request["plan_step"]["description"] == "measure it"
    assert [(each["scope"], each["text"]) for each in request["constraints"]] == [
        ("project", "no new dependencies"),
        ("user", "keep: names"),
    ]
    assert (request["last_error"]["path"], request["last_error"]["line"]) == ("shapes.py", 3)
    assert [each["path"] for each in request["user_selected_targets"]] == ["other.py"]
    assert request["dropped_paths"] == ["pyproject.toml"]
    assert result["bundle"]["correlation_id"] == "6f0c3b52-7d0e-5c3a-9a53-5b8f0e6f4a11"
    assert result["overrides"] == {
        "budget.estimator": "chars4-1",
        "budget.max_input_tokens": 9000,
        "budget.response_token_reserve": 1000,
        "budget.soft_limit_threshold_pct": 50,
        "context.max_hops": 2,
        "context.target_level": "region",
        "render.format": "json",
    }
    budget = result["budget_report"]
    assert (budget["hard_limit_tokens"], budget["soft_limit_tokens"]) == (8000, 4000)
    assert budget["estimator"] == "chars4-1"


def test_options_add_to_a_request_file(ask: Ask, tmp_path: Path) -> None:
    request = tmp_path / "request.json"
    request.write_text('{"targets": [{"path": "use.py", "symbol": "total"}]}')
    answer = ask("build", "other.py", "--request", str(request), "--format", "json")
    assert _selection(answer)["target_files"] == ["other.py", "use.py"]


def test_two_builds_differ_in_time_and_correlation_alone(ask: Ask) -> None:
    first, second = (_result(ask("build", "use.py", "--format", "json")) for _ in range(2))
    assert first["bundle"]["correlation_id"] != second["bundle"]["correlation_id"]
    for each in (first, second):
        del each["bundle"]["created_at"], each["bundle"]["correlation_id"]
        del each["manifest"]["correlation_id"]
    assert first == second


# What cannot be answered.


@pytest.mark.parametrize(
    ("arguments", "code", "reason", "message"),
    [
        ([], 2, "no_target", "the request names no file and no symbol"),
        (["use.py:11"], 2, "no_such_line", "use.py: there is no line 11 in it: it has 10"),
        (["use.py:0"], 2, "malformed_request", "lines and columns count from 1"),
        (["use.py:9-5"], 2, "malformed_request", "a range of lines ends before it starts"),
        (["use.py::nobody"], 2, "unknown_symbol", "there is no symbol 'nobody' in it"),
        (["--symbol", "nobody"], 2, "unknown_symbol", "there is no symbol 'nobody'"),
        (["gone.py"], 2, "not_found", "no such file in the workspace: gone.py"),
        (["gone.py:3"], 2, "not_found", "no such file in the workspace: gone.py"),
        (["../elsewhere/gone.py"], 3, "outside_sandbox", "the path is outside the project"),
        (["use.py", "../gone.py"], 3, "outside_sandbox", "outside the workspace"),
        (["a folder"], 2, "is_directory", "This is a directory"),
        (["."], 2, "is_directory", "This is the workspace itself"),
        ([""], 3, "invalid_path", "The path is empty"),
        (["new\nline.py"], 3, "invalid_path", "control character: new\\nline.py"),
        (["picture.dat"], 3, "binary", "This is not a text file"),
        ([".env"], 3, "deny_rule", "[rule **/*.env, from default:credentials]"),
        (["secret.py"], 3, "secret_in_target", "line 3: assigned-password"),
        (["use.py", "--max-input-tokens", "0"], 2, "bad_setting", "must be a whole number from 1"),
        (["use.py", "--max-input-tokens", "-5"], 2, "usage", "must be a whole number"),
        (["use.py", "--max-input-tokens", "٣"], 2, "usage", "must be a whole number"),
        (["use.py", "--max-input-tokens", "1" * 5000], 2, "usage", "must be a whole number"),
        (["use.py", "--max-input-tokens", "999999999"], 2, "bad_setting", "to 100000000"),
        (["use.py", "--max-input-tokens", "1"], 2, "bad_setting", "leaves no room"),
        (["use.py", "--reserve", "200000"], 2, "bad_setting", "leaves no room"),
        (["use.py", "--soft-limit-pct", "101"], 2, "bad_setting", "from 1 to 100"),
        (["use.py", "--model", ""], 2, "bad_setting", "1 to 200 printable characters"),
        (["use.py", "--estimator", "guess"], 2, "bad_setting", "chars4-1, lexical-1:cl100k"),
        (["use.py", "--hops", "9"], 2, "usage", "context.max_hops must be a whole number"),
        (["use.py", "--jobs", "0"], 2, "usage", "must be a number from 1 to 64"),
        (["use.py", "--correlation-id", "1"], 2, "usage", "must be a UUID"),
        (["use.py", "--purpose", "fun"], 2, "usage", "there is no --purpose 'fun'"),
        (["use.py", "--unknown"], 2, "usage", "unrecognized arguments: --unknown"),
        (["use.py", "--error-at", "use.py:1"], 2, "usage", "--error is missing"),
        (["use.py", "--error", "x", "--error-at", "use.py::total"], 2, "usage", "PATH:LINE"),
        (["use.py", "--drop", "use.py"], 2, "usage", "use.py is asked for, and --drop leaves"),
        (["use.py", "--drop", "gone.py"], 2, "not_found", "no such file in the workspace"),
        (["use.py", "--drop", "a folder"], 2, "is_directory", "This is a directory"),
        (["use.py", "--add", "gone.py"], 2, "not_found", "no such file in the workspace"),
        (["use.py", "--allow", "nonsense/**"], 2, "unknown_rule", "is neither a default rule"),
        (["use.py", "--root", "missing"], 2, "invalid_root", "the workspace is not a directory"),
        (["use.py", "--root", ""], 2, "invalid_root", "the workspace is not a directory"),
        (["use.py", "--request", ""], 2, "unreadable", "this is no file name"),
        (["use.py", "--request", "gone.json"], 2, "unreadable", "No such file or directory"),
        (["use.py", "--request", "a folder"], 2, "unreadable", "Is a directory"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_reason_and_a_report(
    ask: Ask, arguments: list[str], code: int, reason: str, message: str
) -> None:
    """One line on stderr for a person, the same as a record on stdout for a program."""
    answer = ask("build", *arguments, "--format", "json")
    assert message in answer.err
    assert answer.err.count("\n") == 1
    result = _result(answer)
    assert (answer.code, result["status"], result["refusal"]["reason"]) == (code, "refused", reason)
    assert (result["refusal"]["kind"] == "InvalidRequest") == (code == 2)
    assert SECRET not in answer.out.decode() + answer.err


def test_a_name_that_is_no_unicode_is_refused(run: Run, workspace: Path) -> None:
    Path(os.fsdecode(b"\xff.py")).write_text("x = 1\n")
    result = run("build", os.fsdecode(b"\xff.py"), "--format", "json", cwd=workspace)
    assert result.returncode == 3
    assert json.loads(result.stdout)["refusal"]["reason"] == "invalid_path"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the request is not JSON"),
        (b"nonsense", "the request is not JSON"),
        (b"\xff\xfe{\x00}\x00", "the request is not JSON"),
        (b"[" * 100_000, "the request is not JSON"),
        (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, "the request is not JSON"),
        (b'{"intent": {"text": "\\ud800"}}', "the request is not JSON"),
        (b'{"targets": [{"path": "use.py", "line": 9007199254740993}]}', "not exact in JSON"),
        (b"[]", "Expected `object`, got `array`"),
        (b'{"target": "use.py"}', "unknown field `target`"),
        (b'{"purpose": "fun"}', "at `$.purpose`"),
        (b'{"targets": [{}]}', "a target names neither a path nor a symbol"),
        (b'{"targets": [{"symbol": "x", "line": 3}]}', "a line but no path"),
        (b'{"intent": {"text": "' + b"a" * 200_001 + b'"}}', "longer than 200000 characters"),
        (b'{"targets": [' + b'{"symbol": "x"},' * 1000 + b'{"symbol": "x"}]}', "more than 1000"),
    ],
)
def test_a_request_that_cannot_be_understood_is_refused_by_its_file(
    ask: Ask, tmp_path: Path, content: bytes, message: str
) -> None:
    request = tmp_path / "request.json"
    request.write_bytes(content)
    answer = ask("build", "--request", str(request), "--format", "json")
    assert (answer.code, _result(answer)["status"]) == (2, "refused")
    assert answer.err.startswith(f"sightline: {request}: ")
    assert message in answer.err


def test_a_request_as_large_as_a_disk_is_not_read_whole(ask: Ask) -> None:
    answer = ask("build", "--request", "/dev/zero")
    assert answer.code == 2
    assert "the file is larger than 67108864 bytes" in answer.err
    assert "give a file with one JSON object" in answer.err


def test_nobody_waits_for_a_pipe_without_an_other_end(
    run: Run, workspace: Path, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = run("build", "use.py", "--request", str(pipe), cwd=workspace)
    written = run("build", "use.py", "--output", str(pipe), cwd=workspace)
    assert (read.returncode, written.returncode) == (2, 3)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("form", ["json", "markdown"])
@pytest.mark.parametrize("option", ["--intent", "--step", "--constraint", "--error"])
def test_a_secret_in_the_request_is_not_repeated(ask: Ask, form: str, option: str) -> None:
    answer = ask("build", "use.py", option, f'password = "{SECRET}"', "--format", form)
    assert answer.code == 3
    assert "holds what looks like a secret (assigned-password)" in answer.err
    assert SECRET not in answer.out.decode() + answer.err
    assert (answer.out == b"") == (form == "markdown")


def test_a_bundle_that_does_not_fit_says_what_would(ask: Ask) -> None:
    """The budget that a refusal names is enough, and one token less is not."""
    options = ("build", "use.py", "--reserve", "0", "--format", "json")
    refused = ask(*options, "--max-input-tokens", "50")
    report = _result(refused)["budget_report"]
    found = re.search(r"the smallest workable budget is (\d+) input tokens", refused.err)
    assert (refused.code, report["decision"]) == (3, "refuse_hard_limit")
    assert found is not None
    smallest = int(found[1])
    assert ask(*options, "--max-input-tokens", str(smallest)).code == 0
    assert ask(*options, "--max-input-tokens", str(smallest - 1)).code == 3


def test_the_largest_budget_is_no_trouble(ask: Ask) -> None:
    result = _result(ask("build", "use.py", "--max-input-tokens", "100000000", "--format", "json"))
    assert result["budget_report"]["hard_limit_tokens"] == 99_996_000


@pytest.mark.usefixtures("workspace")
def test_an_error_inside_tells_its_place_and_no_content(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A traceback, or the words of an exception, could hold what a file holds."""

    def fail(*_: object, **__: object) -> None:
        raise UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, f"near {SECRET}")

    monkeypatch.setattr(build_command, "build", fail)
    code = main(["build", "use.py", "--format", "json"])
    out, err = capsysbinary.readouterr()
    assert (code, json.loads(out)["refusal"]["reason"]) == (3, "internal_error")
    assert b"UnicodeDecodeError at test_build.py:" in err
    assert SECRET.encode() not in out + err


# What a person is told.


def test_what_was_added_and_stays_out_is_said(ask: Ask, workspace: Path) -> None:
    """The key has no end, so nobody can say where to stop taking it out."""
    (workspace / "notes.txt").write_text(f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET * 3}\n")
    answer = ask("build", "use.py", "--add", "notes.txt")
    assert answer.code == 0
    assert answer.err.startswith("sightline: notes.txt is left out: secret_risk [")
    assert answer.err.endswith(" on line 1, from egress]\n")
    assert SECRET.encode() not in answer.out


def test_an_unknown_model_is_said(ask: Ask) -> None:
    answer = ask("build", "use.py", "--model", "nobody-1")
    assert answer.code == 0
    assert answer.err.startswith("sightline: model 'nobody-1' is not known: generic limits")


def test_explain_lists_every_candidate_in_or_out(ask: Ask) -> None:
    answer = ask("build", "use.py::Square", "--drop", "pyproject.toml", "--explain")
    assert answer.code == 0
    assert answer.err == (
        "in    100  use.py  target, whole file\n"
        "in     60  shapes.py  dependency, whole file  dependency Shape at use.py:1\n"
        "in      0  other.py  similar, whole file  similar: shares area, int\n"
        "out        pyproject.toml  deny_rule: pyproject.toml (request:dropped_paths)\n"
    )


def test_the_format_of_the_settings_holds_for_refusals_too(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text("[render]\nformat = 'json'\n")
    assert _result(ask("build", "use.py"))["status"] == "ok"
    assert _result(ask("build", "gone.py"))["status"] == "refused"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("nonsense", "the settings file is not valid TOML on line 1"),
        ("[budget]\nmax_input_tokens = 'x'\n", "must be a whole number from 1 to 100000000"),
    ],
)
def test_settings_that_cannot_hold_stop_a_build_and_are_named(
    ask: Ask, workspace: Path, content: str, message: str
) -> None:
    (workspace / ".sightline.toml").write_text(content)
    answer = ask("build", "use.py", "--format", "json")
    assert (answer.code, _result(answer)["status"]) == (2, "refused")
    assert message in answer.err
    assert "from .sightline.toml" in answer.err


# Where it goes.


def test_formats_go_to_stdout_byte_for_byte(ask: Ask, workspace: Path) -> None:
    (workspace / "odd.txt").write_bytes(b"tab\there\r\nno newline at the end \xc3\xa9")
    content = "tab\there\r\nno newline at the end é"
    markdown = ask("build", "odd.txt")
    xml = ask("build", "odd.txt", "--format", "xml")
    plain = _result(ask("build", "odd.txt", "--format", "json"))
    assert markdown.out.startswith(b"# Target: `odd.txt`, ")
    assert content.encode() in markdown.out
    assert b"<" in xml.out[:1]
    assert content in [each["content"] for each in plain["bundle"]["blocks"]]
    assert markdown.err + xml.err == ""


@pytest.mark.parametrize("form", ["markdown", "json", "xml"])
def test_a_file_gets_what_stdout_would_have_got(ask: Ask, tmp_path: Path, form: str) -> None:
    same = ("--correlation-id", "6f0c3b52-7d0e-5c3a-9a53-5b8f0e6f4a11", "--format", form)
    written = tmp_path / "bundle"
    answer = ask("build", "use.py", *same, "--output", str(written))
    assert (answer.code, answer.out, answer.err) == (0, b"", "")
    when = rb'"created_at":"[^"]*"'
    printed = ask("build", "use.py", *same).out
    assert re.sub(when, b"", written.read_bytes()) == re.sub(when, b"", printed)


def test_a_file_is_replaced_whole_and_keeps_its_permissions(ask: Ask, tmp_path: Path) -> None:
    written = tmp_path / "bundle.md"
    written.write_text("x" * 100_000)
    written.chmod(0o600)
    assert ask("build", "use.py", "--output", str(written)).code == 0
    assert written.read_bytes().startswith(b"# Target: ")
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []


def test_a_link_and_a_device_are_written_to_and_not_replaced(ask: Ask, tmp_path: Path) -> None:
    real, link, null = tmp_path / "real.md", tmp_path / "link.md", tmp_path / "null"
    real.write_text("before")
    link.symlink_to(real)
    null.symlink_to("/dev/null")
    assert ask("build", "use.py", "--output", str(link)).code == 0
    assert ask("build", "use.py", "--output", str(null)).code == 0
    assert link.is_symlink()
    assert null.is_symlink()
    assert stat.S_ISCHR(null.stat().st_mode)
    assert real.read_bytes().startswith(b"# Target: ")


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("missing/bundle.md", "No such file or directory"),
        ("folder", "Is a directory"),
        ("full", "No space left on device"),
        ("x" * 300, "File name too long"),
        ("", "this is no file name"),
    ],
)
def test_a_place_that_cannot_be_written_is_named(
    ask: Ask, tmp_path: Path, place: str, reason: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "full").symlink_to("/dev/full")
    written = str(tmp_path / place) if place else ""
    answer = ask("build", "use.py", "--output", written)
    assert (answer.code, answer.out) == (3, b"")
    assert f"the output cannot be written: {written}: {reason}" in answer.err
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "cache",
        "folder",
        "full",
        "workspace",
    ]


def test_a_name_of_any_length_that_the_system_takes_can_be_written(
    ask: Ask, tmp_path: Path
) -> None:
    written = tmp_path / ("x" * 255)
    assert ask("build", "use.py", "--output", str(written)).code == 0
    assert written.stat().st_size > 0


@pytest.mark.parametrize(
    ("redirection", "code", "err"),
    [
        (">/dev/full", 3, "cannot be written: No space left on device"),
        (">&-", 3, "cannot be written: it is closed"),
        ("2>/dev/full >/dev/null", 0, ""),
        ("2>&- >/dev/null", 0, ""),
        ("| head -c 1 >/dev/null", 0, ""),
    ],
)
def test_streams_that_are_full_closed_or_gone_end_in_a_code(
    workspace: Path, redirection: str, code: int, err: str
) -> None:
    command = f'"{sys.executable}" -P -m sightline.cli build use.py --explain'
    result = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} {redirection}"],
        cwd=workspace,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == code
    assert err in result.stderr.decode()
    assert b"Traceback" not in result.stderr


# At a terminal.


def test_a_terminal_gets_a_table_and_a_pipe_the_bundle(workspace: Path) -> None:
    code, shown, out = run_at_terminal(workspace, "build", "use.py::Square", piped=True)
    assert (code, out[:9]) == (0, b"# Target:")
    assert b"\x1b[" not in out
    rows = [line.split() for line in plain(shown).split("\n") if line]
    assert rows[0] == ["block", "level", "tokens", "why"]
    assert [row[0] for row in rows[1:7]] == ["P0", "P0", "P0", "P1", "P1", "P2"]
    assert rows[3][:4] == ["P0", "use.py", "whole", "file"]
    assert rows[5][-4:] == ["dependency", "Shape", "at", "use.py:1"]
    assert re.search(r"█·+│·+ \d+ \+ \d+ of 96000 tokens \(ok, soft limit 76800,", plain(shown))
    assert b"\x1b[32m" in shown


@pytest.mark.parametrize("columns", [16, 48, 200])
def test_a_table_is_no_wider_than_its_terminal(workspace: Path, columns: int) -> None:
    code, shown, _ = run_at_terminal(workspace, "build", "use.py", piped=True, columns=columns)
    lines = plain(shown).split("\n")
    assert code == 0
    assert max(map(len, lines)) <= columns
    assert any("tokens" in line for line in lines)
    assert any("why" in line for line in lines) == (columns == 200)


def test_colours_and_characters_are_those_the_terminal_has(workspace: Path) -> None:
    _, plain, _ = run_at_terminal(workspace, "build", "use.py", piped=True, NO_COLOR="1")
    assert b"\x1b[3" not in plain.split(b"block")[1]
    _, ascii_only, _ = run_at_terminal(
        workspace, "build", "use.py", piped=True, PYTHONIOENCODING="ascii", TERM="dumb"
    )
    assert b"#.................." in ascii_only
    assert b"\\u25" not in ascii_only.split(b"tokens")[1]


def test_what_stays_out_is_counted_below_the_table(workspace: Path) -> None:
    _, shown, _ = run_at_terminal(
        workspace, "build", "use.py", "--drop", "pyproject.toml", piped=True
    )
    assert "left out: 1 deny_rule; --explain lists them" in plain(shown)


def test_a_file_cannot_drive_the_terminal(workspace: Path) -> None:
    """C1 controls are commands to some terminals, and a bidi mark turns what is shown around."""
    (workspace / "evil.py").write_text("text = '\x9b2J \x9d0;owned\x9c \u202e desrever'\n")
    code, shown, _ = run_at_terminal(workspace, "build", "evil.py")
    assert code == 0
    assert "desrever" in shown.decode()
    assert not set("\x9b\x9c\x9d\u202e") & set(shown.decode())


def test_copy_hands_the_exact_bundle_to_the_terminal(workspace: Path, ask: Ask) -> None:
    (workspace / "large.txt").write_text("a line of text\n" * 6_000)
    code, shown, out = run_at_terminal(
        workspace, "build", "large.txt", "--copy", piped=True, DISPLAY="", WAYLAND_DISPLAY=""
    )
    found = re.search(rb"\x1b\]52;c;([A-Za-z0-9+/=]+)\x07", shown)
    assert (code, out) == (0, b"")
    assert found is not None
    assert base64.b64decode(found[1]) == ask("build", "large.txt").out
    assert b"bytes sent to the terminal's clipboard" in shown


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="another program there")
def test_copy_uses_the_clipboard_of_the_system_where_there_is_one(
    workspace: Path, tmp_path: Path, ask: Ask, run: Run
) -> None:
    """The program is the system's: one in a relative folder of the path is not started."""
    (tmp_path / "bin").mkdir()
    (workspace / "bin").mkdir()
    for folder, target in ((tmp_path / "bin", "copied"), (workspace / "bin", "stolen")):
        program = folder / "xclip"
        program.write_text(f'#!/bin/sh\ncat > "{tmp_path / target}"\n')
        program.chmod(0o755)
    answer = run(
        *("build", "use.py", "--copy"),
        cwd=workspace,
        DISPLAY=":9",
        WAYLAND_DISPLAY="",
        PATH=os.pathsep.join(["bin", str(tmp_path / "bin"), os.environ["PATH"]]),
    )
    assert (answer.returncode, answer.stdout) == (0, b"")
    assert b"bytes copied to the clipboard with xclip" in answer.stderr
    assert (tmp_path / "copied").read_bytes() == ask("build", "use.py").out
    assert not (tmp_path / "stolen").exists()


def test_copy_without_a_terminal_is_refused(workspace: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-P", "-m", "sightline.cli", "build", "use.py", "--copy"],
        cwd=workspace,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "DISPLAY": "", "WAYLAND_DISPLAY": ""},
        capture_output=True,
        start_new_session=True,
        timeout=300,
        check=False,
    )
    assert (result.returncode, result.stdout) == (3, b"")
    assert b"there is no terminal whose clipboard could take it" in result.stderr


def test_depth_decides_how_much_comes_with_the_target(ask: Ask, workspace: Path) -> None:
    """The target alone, what it needs, or optional context too; what is left out is named."""
    (workspace / "near.py").write_text("class Triangle:\n    def area(self) -> int: ...\n")

    def priorities(depth: str) -> set[str]:
        result = _result(ask("build", "use.py::Square", "--depth", depth, "--format", "json"))
        excluded = result["manifest"]["selection"]["excluded_candidates"]
        assert any(each["rule"] == f"depth={depth}" for each in excluded) == (depth == "target")
        return {each["priority"] for each in result["bundle"]["blocks"]}

    assert priorities("target") == {"P0"}
    assert priorities("needed") >= {"P0", "P1"}
    assert "P3" not in priorities("needed")
    assert "P3" in priorities("fill")


def test_a_task_opens_the_text(ask: Ask) -> None:
    """In the person's own words, in front of the rules."""
    text = ask("build", "use.py::Square", "--task", "Make it a cube.").out.decode()
    assert text.index("## Task\n\nMake it a cube.\n") < text.index("## Rules")


def test_a_symbol_can_be_added(ask: Ask) -> None:
    """`--add PATH::SYMBOL`, beside what the target relates to."""
    result = _result(ask("build", "use.py::Square", "--add", "other.py::Other", "--format", "json"))
    included = result["manifest"]["selection"]["included_files"]
    reasons = {each["path"]: each["reason"] for each in included}
    assert reasons["other.py"] == "user_selected"


def test_models_are_listed_and_an_unknown_one_is_told(ask: Ask) -> None:
    """By name and limit, the one that is set among them."""
    listed = ask("models")
    assert listed.code == 0
    assert re.search(rb"^\* generic +100000 tokens", listed.out, re.MULTILINE)
    result = json.loads(ask("models", "--format", "json").out)
    assert result["selected"] == "generic"
    assert result["note"] is None
    assert {"gpt-4o", "claude-sonnet"} <= {each["model"] for each in result["models"]}
    unknown = ask("build", "use.py", "--model", "nobodys-model")
    assert "model 'nobodys-model' is not known" in unknown.err


def test_a_region_that_cannot_be_cut_is_not_silently_the_whole_file(
    ask: Ask, workspace: Path
) -> None:
    (workspace / "broken.py").write_text("def whole():\n    return (1))\n\n\ndef other(): ...\n")
    built = ask("build", "broken.py:2")
    assert "def other(): ..." in built.out.decode()
    assert "broken.py is shown whole: the region cannot be cut, " in built.err
    assert "is shown whole" not in ask("build", "shapes.py:2").err


def test_a_line_in_broken_code_is_not_silently_the_whole_file(ask: Ask, workspace: Path) -> None:
    """The symbol that it was in is not there any more."""
    (workspace / "broken.py").write_text("def fine(): ...\n\ndef broken(:\n    x = = 3\n")
    built = ask("build", "broken.py:4", "--depth", "target")
    assert "x = = 3" in built.out.decode()
    said = "broken.py is shown whole: no symbol encloses line 4, and the file has syntax errors"
    assert said in built.err
    assert "is shown whole" not in ask("build", "broken.py", "--depth", "target").err


def test_an_error_outside_the_workspace_is_noted(ask: Ask) -> None:
    """Its location is left out, and the bundle is built."""
    built = ask("build", "shapes.py", "--error", "it fails", "--error-at", "/etc/passwd:1")
    assert built.code == 0
    assert "the error is outside the workspace; its location is left out" in built.err
    assert "passwd" not in built.out.decode()
