"""`sightline slice`, and what bad input gets."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

_SOURCE = """\
import os


class Shape:
    def area(self):
        secret = "do not print me"
        return secret


class Circle(Shape):
    def area(self):
        return 3
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path) -> None:
    (tmp_path / "shapes.py").write_text(_SOURCE)
    (tmp_path / "broken.py").write_text("def f(:\n    secret = 'do not print me'\n")
    (tmp_path / "notes.txt").write_text("just text\r\n")
    (tmp_path / "picture.py").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00do not print me")
    (tmp_path / "latin.py").write_bytes(b"x = '\x81\x8d do not print me'\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / ".env").write_text("KEY=do not print me\n")


def test_full_is_the_file_byte_for_byte(run: Run) -> None:
    assert run("slice", "notes.txt", "--level", "full").stdout == b"just text\r\n"


def test_region(run: Run) -> None:
    result = run("slice", "shapes.py", "--level", "region", "--symbol", "Circle.area")
    assert result.returncode == 0
    assert result.stdout.decode() == (
        "# ... lines 1-9 left out\n"
        "# enclosing header, line 10:\n"
        "class Circle(Shape):\n"
        "    def area(self):\n"
        "        return 3\n"
    )


def test_signatures(run: Run) -> None:
    result = run("slice", "shapes.py", "--level", "signatures", "--format", "json")
    record = json.loads(result.stdout)
    assert record["level"] == "SIGNATURES_ONLY"
    assert record["content"] == (
        "import os\n\n\nclass Shape:\n    def area(self): ...\n\n\n"
        "class Circle(Shape):\n    def area(self): ...\n"
    )
    assert record["check"] == {
        "parses_clean": True,
        "same_declarations": True,
        "declarations": "4/4",
        "no_body_bytes": True,
        "in_original_order": True,
    }


def test_summary(run: Run) -> None:
    lines = run("slice", "shapes.py", "--level", "summary").stdout.decode().splitlines()
    assert lines == [
        "path: shapes.py",
        "language: Python",
        f"bytes: {len(_SOURCE)}",
        "lines: 12",
        "declarations: 2",
        "- class Shape",
        "- class Circle",
    ]


_BAD_INPUT = [
    (["slice", "missing.py", "--level", "full"], 2, "not_found"),
    (["slice", "folder", "--level", "full"], 2, "is_directory"),
    (["slice", "shapes.py", "--level", "region"], 2, "usage"),
    (["slice", "shapes.py", "--level", "full", "--symbol", "Shape"], 2, "usage"),
    (["slice", "shapes.py", "--level", "region", "--symbol", "Square"], 2, "unknown_symbol"),
    (["slice", "shapes.py", "--level", "sideways"], 2, "usage"),
    (["slice", "shapes.py"], 2, "usage"),
    (["slice"], 2, "usage"),
    (["slice", "shapes.py", "--level", "full", "--root", "nowhere"], 2, "invalid_root"),
    (["slice", "shapes.py", "--level", "region", "--symbol", "area"], 3, "several_matches"),
    (["slice", "notes.txt", "--level", "signatures"], 3, "unsupported_language"),
    (["slice", "notes.txt", "--level", "region", "--symbol", "x"], 3, "unsupported_language"),
    (["slice", "broken.py", "--level", "signatures"], 3, "parse_error"),
    (["slice", "picture.py", "--level", "full"], 3, "binary"),
    (["slice", "latin.py", "--level", "full"], 3, "encoding"),
    (["slice", ".env", "--level", "full"], 3, "deny_rule"),
    (["slice", "../outside.py", "--root", ".", "--level", "full"], 3, "outside_sandbox"),
    (["outline", "missing.py"], 2, "not_found"),
    (["outline", "folder"], 2, "is_directory"),
    (["outline", "notes.txt"], 3, "unsupported_language"),
    (["outline", "picture.py"], 3, "binary"),
    (["outline", "a\udcff.py"], None, None),
    (["outline", ""], None, None),
    (["outline", "x" * 5000], None, None),
    (["slice", "shapes.py", "--level", "region", "--symbol", ""], 2, "unknown_symbol"),
    (["slice", "shapes.py", "--level", "region", "--symbol", f"f:{'9' * 5000}"], 2, None),
    (["slice", "shapes.py", "--level", "full", "--docs", "full"], 2, "usage"),
    (["slice", "shapes.py", "--lev", "full"], 2, "usage"),
    (["slice", "shapes.py", "--level", "full", "--root", ""], 2, "invalid_root"),
    (["slice", "shapes.py", "--level", "full", "--allow", "no/such/**"], 2, "unknown_rule"),
    (["slice", "shapes.py", "--level", "full", "--root", ".git"], 2, "invalid_root"),
    (["slice", "shapes.py", "--level", "region", "--symbol", "\x1b[31m:0"], 2, "unknown_symbol"),
]


@pytest.mark.parametrize(("arguments", "code", "reason"), _BAD_INPUT, ids=str)
def test_bad_input_gets_one_clear_line_and_a_typed_report(
    run: Run, arguments: list[str], code: int | None, reason: str | None
) -> None:
    text = run(*arguments)
    typed = run(*arguments, "--format", "json")
    for result in (text, typed):
        assert result.returncode in ((2, 3) if code is None else (code,)), result.stderr
        assert result.stderr.startswith(b"sightline: ")
        assert result.stderr.count(b"\n") == 1
        assert b"Traceback" not in result.stderr
        assert b"do not print me" not in result.stderr + result.stdout
        assert b"\x1b" not in result.stderr
    assert text.stdout == b""
    record = json.loads(typed.stdout)
    assert record["status"] == "refused"
    assert record["refusal"]["message"]
    assert record["refusal"]["advice"]
    assert reason in (None, record["refusal"]["reason"])


def test_a_refusal_names_its_rule_and_where_the_rule_stands(run: Run) -> None:
    record = json.loads(run("slice", ".env", "--level", "full", "--format", "json").stdout)
    assert record["refusal"]["rule"] in ("**/.env*", "**/*.env")
    assert record["refusal"]["source"].startswith("default")


def test_several_matches_are_listed_with_the_line_that_tells_them_apart(run: Run) -> None:
    result = run("slice", "shapes.py", "--level", "region", "--symbol", "area")
    assert b"Shape.area:5, Circle.area:11" in result.stderr


def test_a_denied_path_can_be_named_by_the_user(run: Run, tmp_path: Path) -> None:
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "a.py").write_text("x = 1\n")
    denied = run("slice", "packages/a.py", "--level", "full")
    assert denied.returncode == 3
    allowed = run("slice", "packages/a.py", "--level", "full", "--allow", "packages/**")
    assert (allowed.returncode, allowed.stdout) == (0, b"x = 1\n")


def test_a_terminal_gets_colour_and_is_not_driven_by_the_file(tmp_path: Path) -> None:
    """On a terminal Sightline's own marks are dimmed; control characters of the file are shown."""
    harmless = "x = 1\n" * 200
    (tmp_path / "evil.py").write_text(f"def f():\n    return '\x1b]0;owned\x07'\n\n{harmless}")
    shown = _on_a_terminal(tmp_path, "slice", "evil.py", "--level", "region", "--symbol", "f")
    assert b"\x1b[2m" in shown
    assert b"\\u{001B}]0;owned\\u{0007}" in shown
    assert b"\x1b]0" not in shown


def test_denied_folders_are_no_way_round_the_rules(run: Run, tmp_path: Path) -> None:
    """Neither the default root nor --root shows what `.ssh` and `.git` hold."""
    for folder in (".ssh", ".git"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "config").write_text("do not print me")
    elsewhere = tmp_path / "folder"
    key = str(tmp_path / ".ssh" / "config")
    for result in (
        run("slice", key, "--level", "full", cwd=elsewhere),
        run("slice", ".git/config", "--root", ".git", "--level", "full"),
        run("slice", "config", "--root", ".", "--level", "full", cwd=tmp_path / ".git"),
    ):
        assert result.returncode == 3
        assert b"do not print me" not in result.stdout + result.stderr


def test_options_may_stand_between_paths(run: Run) -> None:
    result = run("outline", "shapes.py", "--format", "json", "broken.py")
    assert len(result.stdout.splitlines()) == 2


def test_variables_about_colour_do_not_change_contents(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tabs.txt").write_text("a\tb\n")
    result = run("slice", "tabs.txt", "--level", "full", FORCE_COLOR="1", TTY_COMPATIBLE="1")
    assert result.stdout == b"a\tb\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_a_clear_message(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            [sys.executable, "-P", "-m", "sightline.cli", "outline", "shapes.py"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert result.returncode == 3
    assert result.stderr.startswith(b"sightline: the output cannot be written")
    assert b"Traceback" not in result.stderr


def test_a_deleted_working_directory_is_a_clear_message(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = (
        "import os, sys; os.chdir(sys.argv[1]); os.rmdir(sys.argv[1]); "
        "from sightline.cli import main; sys.exit(main(['outline', 'a.py']))"
    )
    result = subprocess.run(
        [sys.executable, "-P", "-c", script, str(gone)], capture_output=True, check=False
    )
    assert result.returncode == 2
    assert b"Traceback" not in result.stderr


def test_the_reader_may_stop_early(tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text("x = 1\n" * 200_000)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "sightline.cli", "slice", "long.py", "--level", "full"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        assert process.stdout.readline() == b"x = 1\n"
        process.stdout.close()
        assert process.stderr.read() == b""


def _on_a_terminal(folder: Path, *arguments: str) -> bytes:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "sightline.cli", *arguments],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:
        # Linux reports the other side's end as an error.
        pass
    finally:
        os.close(ours)
    assert process.wait() == 0
    return shown
