"""Files that only the user may read, replaced atomically."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import sys
import time
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

CONFIG_VARIABLE = "SIGHTLINE_CONFIG_DIR"
"""The variable that names the folder of the user's settings, instead of the system's folder."""

_LONGEST_WAIT = 10.0
"""How many seconds to wait for the lock. A change takes a few milliseconds."""
_BETWEEN_TRIES = 0.02


def write_private(file: Path, text: str) -> bool:
    """Replace a file's text atomically; if the file is a link, replace its target."""
    part: Path | None = None
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = file.resolve()
        part = file.with_name(f".{file.name}.{secrets.token_hex(8)}.part")
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(text.encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(file)
    except (OSError, ValueError, RuntimeError):
        # A circle of links raises RuntimeError, or OSError in later versions.
        if part is not None:
            with contextlib.suppress(OSError):
                part.unlink()
        return False
    return True


@contextlib.contextmanager
def locked(file: Path) -> Iterator[bool]:
    """Keep other processes from changing a file; yield False if it cannot be locked.

    It locks the folder, since the file itself is replaced; on Windows, which cannot lock folders, a
    file next to it. A lock ends with its process. A file system without locks locks nothing.
    """
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = file.resolve()
        if sys.platform == "win32":
            descriptor = os.open(file.with_name(f".{file.name}.lock"), os.O_RDWR | os.O_CREAT)
        else:
            descriptor = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
    except (OSError, ValueError, RuntimeError):
        yield False
        return
    try:
        yield _lock(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    deadline = time.monotonic() + _LONGEST_WAIT
    while True:
        try:
            if sys.platform == "win32":
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(_BETWEEN_TRIES)
        else:
            return True
