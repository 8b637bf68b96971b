"""TOML files that somebody else wrote, read at a cost that is linear in their text.

`tomllib` keeps every beginning of a dotted key, so its time and memory grow with the square of a
key's depth: sixty kilobytes of one key take gigabytes. Such a file is not read at all.
"""

from __future__ import annotations

import re
import tomllib

_LARGEST = 1 << 18
_DEEPEST = 24
_KEY_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_DEEP_KEY = re.compile(rf"(?<![\w-]){_KEY_PART}(?:\.[ \t]*+{_KEY_PART}){{{_DEEPEST}}}")


def read_toml(source: str) -> dict[str, object]:
    """Return the tables of a TOML file. Raises `ValueError` also for what would cost too much."""
    if len(source) > _LARGEST:
        raise ValueError(f"has more than {_LARGEST} characters")
    if _DEEP_KEY.search(source):
        raise ValueError(f"has a key of more than {_DEEPEST} parts")
    try:
        return tomllib.loads(source)
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
