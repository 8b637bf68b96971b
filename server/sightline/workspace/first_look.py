"""Check whether a tree is too large to be indexed without asking.

Invariants: names are counted, and only directories are opened; no link is followed. The walk ends
as soon as the answer is known, so it reads at most as many names as the limit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def holds_more_than(root: Path, most: int, is_entered: Callable[[str], bool]) -> bool:
    """True if a tree contains more than so many files and folders.

    `is_entered` is called with the path of each folder, which ends in `/`; if it returns False, the
    folder is skipped.
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
