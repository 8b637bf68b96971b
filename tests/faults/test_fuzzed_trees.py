"""Trees as nobody would make them: no hang, no crash, and nothing of what is outside the root.

`--trees N` tries that many; some hundreds by default.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")

_AT_ONCE = 125


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    count = metafunc.config.getoption("--trees")
    metafunc.parametrize("first", range(0, count, _AT_ONCE))


def test_no_tree_hangs_crashes_or_leaks(first: int) -> None:
    """Each process has its clock on every tree; see `fuzzed_trees`."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tests.faults.fuzzed_trees", str(first), str(_AT_ONCE)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )
    seeds = done.stdout.split()
    assert done.returncode == 0, f"seed {seeds[-1:]}: {done.returncode}\n{done.stderr[-3000:]}"
    assert len(seeds) == _AT_ONCE
