"""Write a bundle to a private file, for a client that can only open files.

Invariants:

* Only the rendered text of a build is written, and only when a person asked for it.
* Nothing is written into a workspace, and no file is ever written twice with other bytes: an editor
  that has it open shows what was built.
* The folder belongs to the user, like that of the store, and no link in it is followed.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterable
from pathlib import Path

from sightline.bundle import BuildResult
from sightline.index.store import default_cache_directory, is_inside
from sightline.index.store.store_folder import (
    ForeignDirectoryError,
    StoreFolder,
    open_store_folder,
)

_MOST_KEPT = 10
_PREFIX = "context-"


def write_bundle_file(result: BuildResult, roots: Iterable[str]) -> Path | None:
    """Write the rendered text of a build and return its file; None if it cannot be written."""
    rendered, bundle = result.rendered, result.bundle
    cache = default_cache_directory()
    folder = cache / "shown"
    if rendered is None or bundle is None or any(is_inside(folder, Path(root)) for root in roots):
        return None
    suffix = "xml" if result.settings["render"]["format"] == "xml" else "md"
    name = f"{_PREFIX}{bundle.bundle_id}.{suffix}"
    try:
        cache.mkdir(0o700, parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(0o700)
        with open_store_folder(folder) as opened:
            _write(opened, name, rendered.encode("utf-8"))
            _forget_old(opened)
    except (OSError, ForeignDirectoryError):
        return None
    return folder / name


def _write(folder: StoreFolder, name: str, content: bytes) -> None:
    part = f".{name}.{secrets.token_hex(8)}.part"
    try:
        with folder.create(part) as stream:
            stream.write(content)
        folder.replace(part, name)
    except OSError:
        folder.remove(part)
        raise


def _forget_old(folder: StoreFolder) -> None:
    found = []
    for name in folder.names():
        status = folder.status(name) if name.startswith(_PREFIX) else None
        if status is not None:
            found.append((status.st_mtime_ns, name))
    for _, name in sorted(found)[:-_MOST_KEPT]:
        folder.remove(name)
