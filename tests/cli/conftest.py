"""Runs the command line as a person would: a process of its own, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def run_in_folder(
        *arguments: str, cwd: Path = tmp_path, **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        # The time-out is there so that a hang fails the test instead of the whole run.
        return subprocess.run(
            [sys.executable, "-P", "-m", "sightline.cli", *arguments],
            cwd=cwd,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
        )

    return run_in_folder
