"""Which workspace a command is about, and which directories are never one by themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pygit2
import pytest

from tests.cli.conftest import Ask, Run, run_at_terminal

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


def test_a_folder_outside_the_project_is_not_packed(run: Run, home: Path, tmp_path: Path) -> None:
    """Where there is no project around, a folder that is named is one, but for the widest."""
    notes, project = tmp_path / "notes", tmp_path / "project"
    notes.mkdir()
    project.mkdir()
    (notes / "notes.txt").write_text("nobody's business\n")
    pygit2.init_repository(str(project))
    from_project = run("pack", str(notes), cwd=project)
    assert (from_project.returncode, from_project.stdout) == (3, b"")
    assert b"outside the project" in from_project.stderr
    assert b"business" in run("pack", str(notes), cwd=home).stdout
    for wide in ("/", str(home)):
        refused = run("pack", wide, cwd=notes, HOME=str(home))
        assert (refused.returncode, refused.stdout) == (3, b""), wide


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


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with more files than is indexed unasked, and no repository."""
    monkeypatch.setenv("SIGHTLINE_INDEX_ASK_ABOVE", "4")
    folder = tmp_path / "many"
    (folder / "below").mkdir(parents=True)
    for number in range(4):
        (folder / "below" / f"m{number}.py").write_text(SOURCE)
    return folder


@pytest.mark.parametrize("where", [(), ("--root", ".")], ids=["here", "named"])
@pytest.mark.parametrize(
    "command", ["build below/m1.py", "index", "refs area", "explain below/m1.py"]
)
def test_a_large_folder_without_a_repository_is_not_indexed_unasked(
    ask: Ask, many: Path, command: str, where: tuple[str, ...]
) -> None:
    """`--root` says where, and not that a large folder is a project."""
    refused = ask(*command.split(), *where, "--format", "json", cwd=many)
    assert refused.code == 3
    assert json.loads(refused.out)["refusal"]["reason"] == "large_workspace"
    assert "more than 4 files" in refused.err
    assert "--large" in refused.err
    assert ask(*command.split(), *where, "--large", "--no-store", cwd=many).code == 0


def test_what_needs_no_index_is_not_asked_about(ask: Ask, many: Path) -> None:
    assert ask("slice", "below/m1.py", "--level", "full", cwd=many).out.decode() == SOURCE


def test_a_large_folder_that_was_indexed_before_is_not_asked_about_again(
    ask: Ask, many: Path
) -> None:
    assert ask("index", "--large", cwd=many).code == 0
    assert ask("build", "below/m1.py", cwd=many).code == 0


def test_a_large_repository_is_not_asked_about(ask: Ask, many: Path) -> None:
    pygit2.init_repository(str(many))
    assert ask("build", "below/m1.py", cwd=many).code == 0


@pytest.mark.parametrize(("typed", "code"), [(b"y\n", 0), (b"\n", 3), (b"\x04", 3)])
def test_a_person_at_a_terminal_is_asked_about_a_large_folder(
    many: Path, tmp_path: Path, typed: bytes, code: int
) -> None:
    found, shown, _ = run_at_terminal(
        many, "index", typed=typed, SIGHTLINE_CACHE_DIR=str(tmp_path / "cache")
    )
    assert b"holds more than 4 files and folders. Index it? [y/N]" in shown
    assert found == code
