"""Which workspace a command is about, and which directories are never one by themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pygit2
import pytest

from tests.cli.conftest import Run

SOURCE = "def area() -> int:\n    return 2\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "a.py").write_text(SOURCE)
    return folder


def test_the_home_directory_is_refused_with_advice_unless_it_is_named(
    run: Run, home: Path, tmp_path: Path
) -> None:
    places = {"HOME": str(home), "SIGHTLINE_CACHE_DIR": str(tmp_path / "cache")}
    refused = run("build", "a.py", cwd=home, **places)
    assert refused.returncode == 2
    assert b"your home directory" in refused.stderr
    assert b"--root" in refused.stderr
    assert b"return 2" not in refused.stdout
    named = run("build", "a.py", "--root", ".", cwd=home, **places)
    assert named.returncode == 0, named.stderr
    assert b"return 2" in named.stdout


def test_a_file_outside_the_project_is_not_shown(run: Run, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    pygit2.init_repository(str(project))
    (tmp_path / "notes.txt").write_text("nobody's business\n")
    for command in ("build", "slice --level full", "outline", "explain"):
        answer = run(*command.split(), str(tmp_path / "notes.txt"), cwd=project)
        assert answer.returncode == 3, command
        assert b"outside the project" in answer.stderr
        assert b"nobody" not in answer.stdout + answer.stderr


def test_another_repository_is_used_and_named(run: Run, tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        pygit2.init_repository(str(tmp_path / name))
        (tmp_path / name / "a.py").write_text(SOURCE)
    cache = str(tmp_path / "cache")
    answer = run(
        "build",
        str(tmp_path / "other/a.py"),
        *("--format", "json"),
        cwd=tmp_path / "one",
        SIGHTLINE_CACHE_DIR=cache,
    )
    assert answer.returncode == 0, answer.stderr
    assert "is in another repository; the workspace is " in answer.stderr.decode()
    [included] = json.loads(answer.stdout)["manifest"]["selection"]["included_files"]
    assert included["path"] == "a.py"
