"""Order paths, and measure how far apart they are."""

from __future__ import annotations

from functools import lru_cache


def bytewise(path: str) -> bytes:
    """Return a key that sorts paths by their bytes."""
    return path.encode("utf-8", "surrogateescape")


def folders_between(one: str, other: str) -> int:
    """Return the number of steps from the folder of one file to that of another."""
    return _steps_between(one.rpartition("/")[0], other.rpartition("/")[0])


@lru_cache(maxsize=8_192)
def _steps_between(one: str, other: str) -> int:
    mine, its = one.split("/"), other.split("/")
    shared = 0
    while shared < min(len(mine), len(its)) and mine[shared] == its[shared]:
        shared += 1
    return len(mine) + len(its) - 2 * shared
