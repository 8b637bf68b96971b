"""Paths as packs write them: relative, with `/`, without drives."""

from __future__ import annotations

import re

_DRIVE = re.compile(r"^(?://[?.]/)?[A-Za-z]:")
_SEPARATORS = re.compile(r"/{2,}")


def normalize_path(path: str) -> str:
    """Return a path with `/` as its one separator, without a Windows drive letter.

    `C:\\\\src\\\\app.py` becomes `/src/app.py`, `src\\\\\\\\app.py` becomes `src/app.py`.
    """
    return _SEPARATORS.sub("/", _DRIVE.sub("", path.replace("\\", "/")))
