"""The private directory of a store: opened by descriptor, locked, and read by `pread`.

Invariants:

* The directory is ours and nobody else can put files into it; links are never followed.
* Reading is `pread` on a descriptor, never a memory map: if another process truncates a file while
  we read, that is a short read and not a crash.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK = "lock"

_BUFFER = 1 << 20
_LOCK_POLL_SECONDS = 0.01

_DESCENDS = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")
_CAREFULLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _CAREFULLY
_NOT_A_FILE = (errno.ENOENT, errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR)


class ForeignDirectoryError(Exception):
    """The directory belongs to another user, others may write to it, or it is not a directory."""


class BusyError(Exception):
    """Another process holds the lock."""


class StoreFolder:
    """An open private directory. Names are plain file names, resolved in this very directory."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self._path = path
        self._descriptor = descriptor

    def open(self, name: str) -> File | None:
        """Open a regular file of ours; None if there is none. Raises OSError for other faults."""
        try:
            descriptor = self.descriptor_of(name, _READ)
        except OSError as error:
            if error.errno in _NOT_A_FILE:
                return None
            raise
        file = File(descriptor)
        return file if file.is_plain else None

    def descriptor_of(self, name: str, flags: int) -> int:
        place, directory = self._place(name)
        return os.open(place, flags | _CAREFULLY, 0o600, dir_fd=directory)

    def create(self, name: str) -> IO[bytes]:
        descriptor = self.descriptor_of(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        return os.fdopen(descriptor, "wb", _BUFFER)

    def replace(self, source: str, target: str) -> None:
        source_place, directory = self._place(source)
        target_place, _ = self._place(target)
        os.replace(source_place, target_place, src_dir_fd=directory, dst_dir_fd=directory)

    def remove(self, name: str) -> None:
        """Remove a file or link, if possible."""
        place, directory = self._place(name)
        with contextlib.suppress(OSError):
            os.unlink(place, dir_fd=directory)

    def status(self, name: str) -> os.stat_result | None:
        place, directory = self._place(name)
        try:
            return os.stat(place, dir_fd=directory, follow_symlinks=False)
        except OSError:
            return None

    def names(self) -> list[str]:
        with os.scandir(self._path if self._descriptor is None else self._descriptor) as found:
            return sorted(entry.name for entry in found)

    def sync(self) -> None:
        """Make names durable, if the file system supports it."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.fsync(self._descriptor)

    def _place(self, name: str) -> tuple[str | Path, int | None]:
        if self._descriptor is None:
            return self._path / name, None
        return name, self._descriptor


@contextlib.contextmanager
def open_store_folder(path: Path) -> Iterator[StoreFolder]:
    """Raises OSError if it cannot be opened, `ForeignDirectoryError` if it must not be used."""
    if not _DESCENDS:
        check_ours(path.lstat())
        yield StoreFolder(path, None)
        return
    descriptor = os.open(path, _READ | os.O_DIRECTORY)
    try:
        check_ours(os.fstat(descriptor))
        yield StoreFolder(path, descriptor)
    finally:
        os.close(descriptor)


def check_ours(status: os.stat_result) -> None:
    """Raise unless it is a directory of ours that nobody else can write to."""
    if not stat.S_ISDIR(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0)):
        raise ForeignDirectoryError
    if not is_ours(status) or (hasattr(os, "geteuid") and status.st_mode & 0o022):
        raise ForeignDirectoryError


def is_ours(status: os.stat_result) -> bool:
    """Windows has no owners in this sense: the user's own directories are private there."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


@contextlib.contextmanager
def locked(folder: StoreFolder, name: str, wait_seconds: float) -> Iterator[bool]:
    """Lock out other writers; return False if the file system has no locks.

    The system releases the lock of a process that dies. Raises `BusyError` after the wait.
    """
    end = time.monotonic() + wait_seconds
    while True:
        descriptor = folder.descriptor_of(name, os.O_RDWR | os.O_CREAT)
        try:
            taken = _lock(descriptor)
            # If the lock file was removed meanwhile, other processes would lock another file.
            in_place = folder.status(name)
            if taken is None:
                yield False
                return
            if taken and in_place and os.path.samestat(in_place, os.fstat(descriptor)):
                yield True
                return
        finally:
            os.close(descriptor)
        if time.monotonic() >= end:
            raise BusyError
        time.sleep(_LOCK_POLL_SECONDS)


def _lock(descriptor: int) -> bool | None:
    """True if we have the lock now, False if another process has it, None if there are no locks."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK) else None
    return True


class File:
    """A file open for reading. It is closed with its last user, so no reader loses it."""

    _seeking = threading.Lock()

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        status = os.fstat(descriptor)
        self.size = status.st_size
        self.is_plain = stat.S_ISREG(status.st_mode) and is_ours(status)

    def __del__(self) -> None:
        # At interpreter exit, `os` may already be cleared.
        with contextlib.suppress(OSError, AttributeError, TypeError):
            os.close(self._descriptor)

    def read(self, offset: int, length: int) -> bytes | None:
        """Return exactly `length` bytes, or None."""
        try:
            data = self._read_once(offset, length)
            if len(data) < length:
                data = self._read_on(data, offset, length)
        except (OSError, MemoryError, OverflowError):
            return None
        return data if len(data) == length else None

    def mark_used(self) -> None:
        with contextlib.suppress(OSError):
            if os.utime in os.supports_fd:
                os.utime(self._descriptor)

    def _read_once(self, offset: int, length: int) -> bytes:
        if hasattr(os, "pread"):
            return os.pread(self._descriptor, length, offset)
        with self._seeking:
            os.lseek(self._descriptor, offset, os.SEEK_SET)
            return os.read(self._descriptor, length)

    def _read_on(self, start: bytes, offset: int, length: int) -> bytes:
        """One call reads at most 2 GiB, and less from some file systems."""
        pieces = [start]
        done = len(start)
        while pieces[-1] and done < length:
            pieces.append(self._read_once(offset + done, length - done))
            done += len(pieces[-1])
        return b"".join(pieces)
