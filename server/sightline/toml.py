"""Read TOML files of other people, in time that is linear in the size of the file.

`tomllib` keeps every prefix of a dotted key, so its time and memory grow with the square of a key's
depth: a key of sixty kilobytes takes gigabytes. A file with such a key is rejected.
"""

from __future__ import annotations

import re
import tomllib

_LARGEST = 1 << 18
_DEEPEST = 24
_KEY_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_DEEP_KEY = re.compile(rf"(?<![\w-]){_KEY_PART}(?:\.[ \t]*+{_KEY_PART}){{{_DEEPEST}}}")


def read_toml(source: str) -> dict[str, object]:
    """Return the tables of a TOML file. Raises `ValueError` for invalid or too
    deeply nested keys.
    """
    if len(source) > _LARGEST:
        raise ValueError(f"has more than {_LARGEST} characters")
    if _DEEP_KEY.search(source):
        raise ValueError(f"has a key of more than {_DEEPEST} parts")
    try:
        return tomllib.loads(source)
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
