"""What libgit2 opens by name in a work tree while it compares files, looked at beforehand.

libgit2 opens the attributes and ignore files of every folder and the git folders of submodules, and
waits for ever where one is a pipe that nobody writes to. This is asked in the process that asks
libgit2, so that its limit on CPU time holds for the walk as well.

Invariant: names are listed and looked at; of files, nothing is opened but regular ones that say
where the repository of a submodule is.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

_OPENED = (".gitattributes", ".gitignore", ".gitmodules")
_OPENED_OF_SUBMODULES = (
    *("HEAD", "commondir", "config", "config.worktree", "gitdir", "index", "info/attributes"),
    *("info/exclude", "packed-refs", "shallow"),
)
_LONGEST_LINK = 8192


def is_quiet(root: str) -> bool:
    """Return True if nothing below a work tree that libgit2 may open keeps it waiting."""
    pending = [root]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name == ".git":
                        if folder != root and not _is_quiet_repository(Path(entry.path)):
                            return False
                    elif entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    elif entry.name in _OPENED and not _is_file(entry.path):
                        return False
        except OSError:
            continue
    return True


def are_quiet(root: str, paths: Iterable[str]) -> bool:
    """Return True if the same holds for the folders of these paths, also through links."""
    folders: set[str] = set()
    for path in paths:
        parent = path.rpartition("/")[0]
        while parent and parent not in folders:
            folders.add(parent)
            parent = parent.rpartition("/")[0]
    return all(_is_file(f"{root}/{each}/{name}") for each in folders for name in _OPENED)


def _is_quiet_repository(git: Path) -> bool:
    """Return True if opening a repository below the root keeps nobody waiting."""
    try:
        status = git.lstat()
        if stat.S_ISREG(status.st_mode):
            if status.st_size > _LONGEST_LINK:
                return False
            written = git.read_bytes().removeprefix(b"gitdir:").strip()
            git = Path(os.path.realpath(git.parent / os.fsdecode(written)))
        elif not git.is_dir():
            return False
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False
    return all(_is_file(git / each) for each in _OPENED_OF_SUBMODULES)


def _is_file(place: str | Path) -> bool:
    """Return True for a regular file, and where there is nothing."""
    try:
        return stat.S_ISREG(Path(place).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
