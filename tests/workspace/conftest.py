"""Real files for the workspace tests, and both ways of walking to them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sightline.refusals import Refusal
from sightline.workspace import DiskDocument, Workspace, jail

Write = Callable[[str, bytes | str], Path]

TEXT = "visible = 1\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "root"
    place.mkdir()
    return place


@pytest.fixture
def write(root: Path) -> Write:
    """Write a file below the root, its directories included."""

    def write_file(path: str, content: bytes | str = TEXT) -> Path:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return file

    return write_file


@pytest.fixture(params=["descent", "portable"])
def walk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with descriptors of directories, and as on a system that has none."""
    if request.param == "portable":
        monkeypatch.setattr(jail, "_DESCENDS", False)
    return str(request.param)


def outcome(result: DiskDocument | Refusal | None) -> str:
    """A word for a result: `seen`, or the reason of the refusal."""
    return result.reason if isinstance(result, Refusal) else "seen"


def refused(result: DiskDocument | Refusal | str | None) -> Refusal:
    assert isinstance(result, Refusal), result
    return result


def read(workspace: Workspace, path: str) -> DiskDocument:
    document = workspace.read(path)
    assert isinstance(document, DiskDocument), document
    return document


def git(root: Path, *arguments: str, given: str = "") -> str:
    """Run the real git, without the settings of whoever runs the tests."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(root.parent),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    done = subprocess.run(
        ["git", "-C", str(root), *arguments],
        input=given,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    # `check-ignore` says 1 where nothing is ignored.
    assert done.returncode in (0, 1), done.stderr
    return done.stdout
