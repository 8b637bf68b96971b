"""Editors for the tests, kept by version in a cache outside the repository.

With `CI` set a missing editor fails its tests; elsewhere its tests alone are left out, loudly.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import platformdirs
import pytest


def installed(name: str, version: str, install: Callable[[Path], None]) -> Path:
    """The folder that `install` filled for this version, now or in an earlier run.

    A folder counts only once its mark is in it, so an interrupted install is done again.
    """
    base = os.environ.get("EDITORS_CACHE_DIR") or platformdirs.user_cache_dir("sightline-editors")
    folder = Path(base) / f"{name}-{version}"
    mark = folder / ".complete"
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Whoever comes second waits for what the first installs.
    with Path(f"{folder}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not mark.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            install(folder)
            mark.touch()
    return folder


def unavailable(editor: str, reason: str) -> NoReturn:
    """This machine cannot have the editor."""
    message = f"{editor} CANNOT BE INSTALLED, ITS TESTS DO NOT RUN: {reason}"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)
