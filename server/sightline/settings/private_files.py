"""Files of the user's own: written at once, and for nobody else to read."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

CONFIG_VARIABLE = "SIGHTLINE_CONFIG_DIR"
"""The folder of the user's settings, in place of the system's own."""


def write_private(file: Path, text: str) -> bool:
    """Put a text into a file's place at once, behind the link if the file is one."""
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
        # A circle of links is a RuntimeError, or an OSError in later versions.
        if part is not None:
            with contextlib.suppress(OSError):
                part.unlink()
        return False
    return True
