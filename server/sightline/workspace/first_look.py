"""A first look at a tree: is it larger than anybody would want indexed unasked?

Invariants: names are counted and nothing is opened but directories; no link is followed. The walk
ends as soon as it knows, so it costs at most as many names as the limit says, whatever the tree.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def holds_more_than(root: Path, most: int, is_entered: Callable[[str], bool]) -> bool:
    """Return True if a tree has more than so many files and folders.

    `is_entered` is asked about each folder by its path, which ends in `/`; what it says no to is
    not entered.
    """
    count = 0
    pending = [""]
    while pending:
        directory = pending.pop()
        try:
            with os.scandir(root / directory) as entries:
                for entry in entries:
                    count += 1
                    if count > most:
                        return True
                    path = f"{directory}{entry.name}/"
                    if entry.is_dir(follow_symlinks=False) and is_entered(path):
                        pending.append(path)
        except (OSError, ValueError):
            continue
    return False
