"""Decide where a store is, or why there can be none.

Invariants:

* The store is not in the workspace, not readable or writable by other users, and not reached
  through a link. No root path is stored in clear.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from enum import StrEnum
from itertools import takewhile
from pathlib import Path

import attrs
import platformdirs

from sightline.index.store.generation import SCHEMA
from sightline.index.store.store_folder import ForeignDirectoryError, check_ours, is_ours

CACHE_VARIABLE = "SIGHTLINE_CACHE_DIR"


class Fault(StrEnum):
    """Why there is no store, or why a save did not happen."""

    INSIDE_WORKSPACE = "inside_workspace"
    """The cache directory is in the workspace, where nothing may be written."""
    UNSAFE = "unsafe"
    """The cache directory belongs to another user, or others may write to it."""
    FULL = "full"
    DENIED = "denied"
    BUSY = "busy"
    """Another process is saving the same workspace."""
    UNAVAILABLE = "unavailable"


class InsideWorkspaceError(Exception):
    """The cache directory is in the workspace."""


@attrs.frozen
class StoreLocation:
    """Where a workspace's directory is, and whether it may be there."""

    root: str
    cache: Path
    limit: int

    @property
    def index(self) -> Path:
        return self.cache / "index"

    @property
    def folder(self) -> Path:
        root = self.root.encode("utf-8", "surrogatepass")
        person = f"sightline-{SCHEMA}".encode()
        return self.index / hashlib.blake2b(root, digest_size=16, person=person).hexdigest()

    def check(self) -> None:
        """Raise unless the existing directories are private to us and outside of the workspace."""
        if not self.cache.is_absolute():
            raise ForeignDirectoryError
        with contextlib.suppress(FileNotFoundError):
            status = self.cache.lstat()
            if stat.S_ISLNK(status.st_mode) and not is_ours(status):
                raise ForeignDirectoryError
            check_ours(self.cache.stat())
            check_ours(self.index.lstat())
        if is_inside(self.cache, Path(self.root)):
            raise InsideWorkspaceError

    def make(self) -> None:
        missing = takewhile(lambda parent: not parent.exists(), self.folder.parents)
        for directory in reversed([self.folder, *missing]):
            with contextlib.suppress(FileExistsError):
                directory.mkdir(0o700)


def default_cache_directory() -> Path:
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen) if chosen else platformdirs.user_cache_path("sightline", appauthor=False)


def is_inside(cache: Path, root: Path) -> bool:
    """Compare by path and by identity: some file systems know one directory by
    several spellings.
    """
    cache = Path(os.path.realpath(cache))
    root = Path(os.path.realpath(root))
    if cache.is_relative_to(root):
        return True
    with contextlib.suppress(OSError):
        identity = root.stat()
        for ancestor in (cache, *cache.parents):
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(ancestor.stat(), identity):
                    return True
    return False


def fault_of(error: Exception) -> Fault:
    """Return the fault for an error of the environment."""
    code = error.errno if isinstance(error, OSError) else None
    if code in (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return Fault.FULL
    if code in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Fault.DENIED
    return Fault.UNAVAILABLE
