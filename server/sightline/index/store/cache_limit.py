"""Limit the total size of the stores of all workspaces."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from pathlib import Path

from sightline.index.store.generation import HEAD, NAME
from sightline.index.store.location import StoreLocation
from sightline.index.store.store_folder import (
    LOCK,
    BusyError,
    ForeignDirectoryError,
    locked,
    open_store_folder,
)

_WORKSPACE = re.compile(r"[0-9a-f]{32}", re.ASCII)


def drop_unused(place: StoreLocation) -> None:
    """Keep the cache below its limit: remove whole workspaces, the least recently used first."""
    with contextlib.suppress(OSError):
        with os.scandir(place.index) as found:
            names = [entry.name for entry in found if _WORKSPACE.fullmatch(entry.name)]
        usage = sorted((*_usage(place.index / name), name) for name in names)
        total = sum(size for _, size, _ in usage)
        for _, size, name in usage:
            if total <= place.limit:
                break
            if name != place.folder.name and _drop(place.index / name):
                total -= size


def _usage(path: Path) -> tuple[int, int]:
    """Return when a workspace's directory was last used, and its size in bytes."""
    used = size = 0
    with contextlib.suppress(OSError, ForeignDirectoryError), open_store_folder(path) as folder:
        for name in folder.names():
            status = folder.status(name)
            if status is not None and stat.S_ISREG(status.st_mode):
                size += status.st_size
                if name == HEAD:
                    used = status.st_mtime_ns
    return used, size


def _drop(path: Path) -> bool:
    """Remove our files, and the directory if it contains no others."""
    try:
        with open_store_folder(path) as folder, locked(folder, LOCK, 0):
            folder.remove(HEAD)
            for name in folder.names():
                if NAME.fullmatch(name):
                    folder.remove(name)
            folder.remove(LOCK)
        path.rmdir()
    except (OSError, ForeignDirectoryError, BusyError):
        return False
    return True
