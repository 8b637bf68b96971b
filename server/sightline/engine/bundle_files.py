"""Write a bundle to a private file, for a client that can only open files.

Invariants:

* What is written is what a build may send, and only when a person asked for it.
* Nothing is written into a workspace, and no file is ever written twice with other bytes: an
  editor that has it open shows what was built.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from sightline.bundle import BuildResult
from sightline.index.store import default_cache_directory, is_inside
from sightline.settings.private_files import write_private

_MOST_KEPT = 10


def write_bundle_file(result: BuildResult, roots: Iterable[str]) -> Path | None:
    """Write the rendered text of a build and return its file; None if it cannot be written."""
    rendered, bundle = result.rendered, result.bundle
    folder = default_cache_directory() / "shown"
    if rendered is None or bundle is None or any(is_inside(folder, Path(root)) for root in roots):
        return None
    suffix = "xml" if result.settings["render"]["format"] == "xml" else "md"
    file = folder / f"context-{bundle.bundle_id}.{suffix}"
    if not write_private(file, rendered):
        return None
    _forget_old(folder)
    return file


def _forget_old(folder: Path) -> None:
    with contextlib.suppress(OSError):
        files = sorted(
            (each.stat().st_mtime_ns, each.name, each) for each in folder.glob("context-*")
        )
        for _, _, file in files[:-_MOST_KEPT]:
            file.unlink()
