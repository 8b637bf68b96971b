"""`sightline index`, `sightline refs` and `sightline explain`."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from sightline.cli import main
from sightline.engine import host
from sightline.workers import Workers
from tests.cli.conftest import Ask, Run

_BASE = "class Shape:\n    def area(self) -> int:\n        return 0\n"
_USER = (
    "from shapes import Shape\n\n\n"
    "class Square(Shape):\n    def twice(self) -> int:\n        return self.area() * 2\n\n\n"
    "def total(shape: Shape) -> int:\n    return shape.area()\n"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "shapes.py").write_text(_BASE)
    (folder / "use.py").write_text(_USER)
    (folder / "pyproject.toml").write_text("[project]\nname = 'shapes'\n")
    (folder / ".env").write_text("TOKEN=never-to-be-seen\n")
    return folder


def test_index_counts_what_it_saw_and_knows_it_the_next_time(
    run: Run, project: Path, tmp_path: Path
) -> None:
    cache = str(tmp_path / "cache")
    first = run("index", "--format", "json", cwd=project, SIGHTLINE_CACHE_DIR=cache)
    again = run("index", "--format", "json", cwd=project, SIGHTLINE_CACHE_DIR=cache)
    assert (first.returncode, first.stderr, again.stderr) == (0, b"", b"")
    one, other = json.loads(first.stdout), json.loads(again.stdout)
    assert (one["files"], one["parsed"], one["reused"]) == (2, 2, 0)
    assert (other["files"], other["parsed"]) == (2, 0)
    assert one["visible"] == 3
    assert one["languages"]["python"]["files"] == 2
    assert one["index_complete"] is True
    assert one["fingerprint"] == other["fingerprint"]


def test_a_changed_file_is_the_only_one_that_is_read_again(
    run: Run, project: Path, tmp_path: Path
) -> None:
    cache = str(tmp_path / "cache")
    run("index", cwd=project, SIGHTLINE_CACHE_DIR=cache)
    (project / "use.py").write_text(_USER + "\n\ntotal(Square())\n")
    result = run("index", "--format", "json", cwd=project, SIGHTLINE_CACHE_DIR=cache)
    assert json.loads(result.stdout)["parsed"] == 1


def test_nothing_is_written_to_the_workspace_and_the_cache_is_private(
    run: Run, project: Path, tmp_path: Path
) -> None:
    before = sorted(path.name for path in project.iterdir())
    cache = tmp_path / "cache"
    run("index", cwd=project, SIGHTLINE_CACHE_DIR=str(cache))
    assert sorted(path.name for path in project.iterdir()) == before
    written = [path for path in cache.rglob("*") if path.is_file()]
    assert written
    for path in written:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
        content = path.read_bytes()
        assert b"never-to-be-seen" not in content
        assert b".env" not in content
        assert b"return self.area" not in content


def test_no_store_keeps_nothing(run: Run, project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    result = run("index", "--no-store", cwd=project, SIGHTLINE_CACHE_DIR=str(cache))
    assert (result.returncode, result.stderr) == (0, b"")
    assert not cache.exists()


def test_a_cache_in_the_workspace_is_not_used_and_said_so(run: Run, project: Path) -> None:
    result = run("index", cwd=project, SIGHTLINE_CACHE_DIR=str(project / "cache"))
    assert result.returncode == 0
    assert b"the index is not kept: the cache directory is inside the workspace" in result.stderr
    assert not (project / "cache").exists()


def test_refs_shows_who_uses_a_symbol_with_the_line_that_says_so(
    run: Run, project: Path, tmp_path: Path
) -> None:
    result = run("refs", "Shape.area", cwd=project, SIGHTLINE_CACHE_DIR=str(tmp_path / "cache"))
    assert result.returncode == 0
    assert result.stdout.decode() == (
        "Shape.area  method  shapes.py:2\n"
        "  called by (2)\n"
        "    resolved  use.py::Square.twice:5\n"
        "               use.py:6: return self.area() * 2\n"
        "    resolved  use.py::total:9\n"
        "               use.py:10: return shape.area()\n"
    )


def test_explain_takes_a_line_in_front_of_a_definition_for_a_part_of_it(
    run: Run, project: Path
) -> None:
    """Its doc comment, and the line that starts with `export`."""
    (project / "box.ts").write_text("/** Opens. */\nexport function open(): void {\n}\n")
    for line in (1, 2):
        result = run("explain", f"box.ts:{line}", "--format", "json", "--no-store", cwd=project)
        assert json.loads(result.stdout)["symbol"] == "open"


def test_explain_shows_relations_of_the_symbol_around_a_line(run: Run, project: Path) -> None:
    result = run("explain", "use.py:6", "--format", "json", "--no-store", cwd=project)
    record = json.loads(result.stdout)
    assert (record["path"], record["symbol"], record["kind"]) == (
        "use.py",
        "Square.twice",
        "method",
    )
    assert record["relations"] == [
        {
            "kind": "callee",
            "confidence": "resolved",
            "hops": 1,
            "left_out": 0,
            "targets": [{"path": "shapes.py", "symbol": "Shape.area", "kind": "method", "line": 2}],
            "evidence": {"path": "use.py", "line": 6, "name": "area"},
        },
        {
            "kind": "config",
            "confidence": "resolved",
            "hops": 1,
            "left_out": 0,
            "targets": [{"path": "pyproject.toml", "symbol": None, "kind": "file", "line": 1}],
            "evidence": {"path": "pyproject.toml", "line": 1, "name": "pyproject.toml"},
        },
    ]


def test_explain_of_a_file_shows_what_it_imports(run: Run, project: Path) -> None:
    result = run("explain", "use.py", "--no-store", cwd=project)
    assert b"resolved  shapes.py::Shape:1\n" in result.stdout
    assert b"use.py:1: from shapes import Shape\n" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (("refs", "nobody"), 2, "nothing visible in the workspace declares 'nobody'"),
        (("explain", ".env"), 3, "A default rule withholds this file"),
        (("explain", "use.py:99"), 2, "it has no line 99"),
        (("explain", "gone.py"), 2, "gone.py"),
        (("explain", "../elsewhere.py", "--root", "."), 3, "outside the workspace"),
        (("index", "--root", "missing"), 2, "the workspace is not a directory"),
        (("index", "missing"), 2, "the workspace is not a directory"),
        (("index", "use.py"), 2, "the workspace is not a directory"),
        (("index", "--jobs", "0"), 2, "must be a number from 1 to 64"),
        (("index", "--allow", "nonsense/**"), 2, "is neither a default rule"),
        (("refs",), 2, "required"),
    ],
)
def test_bad_input_gets_one_clear_line(
    run: Run, project: Path, arguments: tuple[str, ...], code: int, reason: str
) -> None:
    result = run(*arguments, "--no-store", cwd=project)
    assert result.returncode == code
    assert reason in result.stderr.decode()
    assert result.stderr.count(b"\n") == 1
    assert b"Traceback" not in result.stderr


def test_a_name_that_many_share_is_refused_with_the_choices(run: Run, project: Path) -> None:
    for number in range(25):
        (project / f"m{number}.py").write_text("def same(): pass\n")
    result = run("refs", "same", "--no-store", "--format", "json", cwd=project)
    refusal = json.loads(result.stdout)["refusal"]
    assert (result.returncode, refusal["kind"]) == (3, "AmbiguousTarget")
    assert len(refusal["candidates"]) == 25
    assert "m7.py::same" in refusal["candidates"]


def test_watch_tells_of_changes_until_it_is_interrupted(project: Path) -> None:
    process = subprocess.Popen(
        [
            *(sys.executable, "-P", "-m", "sightline.cli"),
            *("index", "--watch", "--no-store", "--format", "json"),
        ],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ},
        # Whoever starts the tests in the background may have it ignored, and a child inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    try:
        first = json.loads(process.stdout.readline())
        assert first["files"] == 2
        (project / "more.py").write_text("def more(): pass\n")
        assert json.loads(process.stdout.readline())["files"] == 3
        (project / "more.py").unlink()
        assert json.loads(process.stdout.readline())["fingerprint"] == first["fingerprint"]
    finally:
        process.send_signal(signal.SIGINT)
        _, reasons = process.communicate(timeout=300)
    assert process.returncode == 130
    assert reasons == b""


def test_a_file_in_quarantine_is_listed_and_tried_again_only_when_asked(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setattr(host, "Workers", partial(Workers, time_limit=0.5))
    monkeypatch.chdir(project)
    (project / "bomb.py").write_text("<a>" * 100_000)
    results = []
    for options in ([], [], ["--retry"]):
        assert main(["index", "--format", "json", *options]) == 0
        printed = capfd.readouterr()
        results.append(json.loads(printed.out))
        assert printed.err == (
            "sightline: bomb.py: in quarantine, time_out (limit: 0.5 s of processor time); "
            "'sightline index --retry' tries it again\n"
        )
    assert [each["quarantined"] for each in results] == [{"bomb.py": "time_out"}] * 3
    assert [each["parsed"] for each in results] == [3, 0, 0]
    assert len({each["fingerprint"] for each in results}) == 1
    assert all(each["index_complete"] for each in results)
    (project / "bomb.py").write_text("<a>\n")
    assert main(["index", "--stats"]) == 0
    assert "quarantined" not in capfd.readouterr().out


def test_files_that_cannot_be_read_are_counted_on_every_start(ask: Ask, workspace: Path) -> None:
    """The first time they are read; later the store knows why they were not."""
    (workspace / "old.py").write_bytes(b"# coding: koi8-r\nname = '\xd2\xd5\x81'\n")
    for _ in range(2):
        assert "withheld: 1 file, encoding" in ask("index", "--stats").out.decode()
