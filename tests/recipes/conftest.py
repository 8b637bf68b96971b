"""Real repositories for recipes to read."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

SECRET = "ghp_" + "R2vQ8mZk1LwX7cN4bT6yH9sD3fJ5gK0pA1Be"

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Run git in the repository `project` of a temporary directory, apart from the user's own."""
    root = tmp_path / "project"
    root.mkdir()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_NAME": "Ada Lovelace" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "ada@example.org" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_DATE": "2024-05-06T07:08:09+02:00" for who in ("AUTHOR", "COMMITTER")},
    }

    def run(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments],
            cwd=root,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    run("init", "-q", "-b", "main")
    return run


@pytest.fixture
def project(tmp_path: Path, git: Git) -> Path:
    """A repository with a commit on `main` and another on `feature`, checked out."""
    root = tmp_path / "project"
    write(root, "CLAUDE.md", "Use spaces.\n")
    write(root, "src/app.py", "".join(f"line_{number} = {number}\n" for number in range(1, 601)))
    write(root, "src/small.py", "def small():\n    return 1\n")
    write(root, "logo.png", "\x89PNG\r\n\x1a\n\0\0")
    git("add", "-A")
    git("commit", "-qm", "Begin\n\nWith a body.")
    git("checkout", "-qb", "feature")
    changed = (root / "src/app.py").read_text().replace("line_300 = 300", "line_300 = -1")
    write(root, "src/app.py", changed)
    write(root, "src/small.py", "def small():\n    return 2\n")
    git("add", "-A")
    git("commit", "-qm", "Change two files")
    return root


def write(root: Path, path: str, content: str) -> None:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content.encode("utf-8", "surrogateescape"))
