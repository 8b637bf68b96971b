"""The command line's bundle is the golden that the editors' bundles are compared with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.editors.workspace import EDIT_LINE, EDITED, GOLDEN, edited_text, make_workspace


def test_the_command_line_gives_the_golden(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Saved text on the command line is what typed text is in an editor."""
    place = make_workspace(tmp_path / "orders-project")
    (place / EDITED).write_text(edited_text(), encoding="utf-8")
    environment = {
        **os.environ,
        "SIGHTLINE_CACHE_DIR": str(tmp_path / "cache"),
        "SIGHTLINE_CONFIG_DIR": str(tmp_path / "config"),
    }
    answer = subprocess.run(
        [sys.executable, "-m", "sightline", "build", f"{EDITED}:{EDIT_LINE}", "--root", "."],
        cwd=place,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr.decode()
    if request.config.getoption("--update-golden"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_bytes(answer.stdout)
    assert answer.stdout.decode() == GOLDEN.read_bytes().decode()
