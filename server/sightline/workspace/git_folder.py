"""What can be told of a repository by reading a few small files of it, without libgit2.

Invariant: nothing here blocks. Only regular files are read, each up to a limit.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
from pathlib import Path

from sightline.refusals import Refusal
from sightline.workspace.entries import Stamp
from sightline.workspace.jail import Jail
from sightline.workspace.reading import read_bounded

_LARGEST = 1_000_000
_LARGEST_INDEX = 48 << 20
_OPENED_BY_GIT = (
    "HEAD",
    "config",
    "config.worktree",
    "gitdir",
    "index",
    "info/attributes",
    "info/exclude",
    "packed-refs",
    "shallow",
)
_READ_BY_GIT = (".gitattributes", ".gitmodules", ".mailmap")
"""In the work tree, besides ignore files."""
_FOLDERS_OF_GIT = ("info", "info/exclude", "objects", "refs", "modules")
_FOLDERS_OF_OBJECTS = ("objects", "refs", "logs")
_MOST_FILES = 1_000_000
_SECTION = re.compile(rb"\[\s*([\w.-]+)\s*\]")
_IGNORE_CASE = re.compile(rb"ignorecase\s*(?:=\s*\"?(\w*)\"?)?\s*(?:[;#].*)?\Z", re.IGNORECASE)
_WORK_TREE = re.compile(rb"^[ \t]*worktree[ \t]*=[ \t]*(.+?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_TRUE = (b"true", b"yes", b"on", b"1")


def looks_plain(jail: Jail) -> bool:
    """Return True if libgit2 can open `.git` without being led about by the workspace's own bytes.

    A `.git` directory must not redirect (`commondir`) or include other configuration, which may
    be a pipe, and every file in it that libgit2 opens must be one, and not a link that may lead
    out of the root. A `.git` file, as of a linked worktree or a submodule, must lead out of the
    root.
    """
    names = jail.names("")
    if isinstance(names, Refusal) or ".git" not in names:
        return False
    inside = jail.names(".git")
    if not isinstance(inside, Refusal):
        return (
            "commondir" not in inside
            and _is_plain_config(_small_file(jail, ".git/config"))
            and ("config.worktree" not in inside or _is_plain_config(_worktree_config(jail)))
            and all(_is_own_file(jail.root / ".git" / each) for each in _OPENED_BY_GIT)
            and not any((jail.root / ".git" / each).is_symlink() for each in _FOLDERS_OF_GIT)
        )
    directory = _linked_directory(jail)
    if directory is None or not all(_is_file(directory / each) for each in _OPENED_BY_GIT):
        return False
    return directory != jail.root and jail.root not in directory.parents


def belongs_to(jail: Jail) -> bool:
    """Return True if what `.git` leads to is the repository of this work tree.

    What a workspace brings along may name any repository of this machine in a `.git` file. Git
    writes the way back where it makes one: into `gitdir` for a linked worktree, into the
    configuration for a submodule.
    """
    directory = _linked_directory(jail)
    if directory is None:
        return True
    back = _outside_file(directory / "gitdir")
    if back is None:
        found = _WORK_TREE.search(_outside_file(directory / "config") or b"")
        back = found[1].strip(b' \t"') + b"/.git" if found else None
    try:
        place = directory / os.fsdecode((back or b"").strip())
        return back is not None and place.samefile(jail.root / ".git")
    except (OSError, ValueError):
        return False


def has_own_objects(git: Path) -> bool:
    """Return True if objects and refs of a git directory are its own.

    Each must be a regular file in a directory, not a link to what may lie outside of the root or a
    pipe, and no other repository may be named to take objects from. What a `.git` file leads to is
    outside of the root, where the workspace writes nothing.
    """
    if not all(_is_file(git.parent / each) for each in _READ_BY_GIT):
        return False
    if git.is_file():
        return True
    with contextlib.suppress(OSError):
        if (git / "objects/info/alternates").lstat().st_size:
            return False
    return has_plain_objects(git)


def has_plain_objects(git: Path) -> bool:
    """Return True if objects and refs of a git directory are files, its own or borrowed ones.

    That is enough for whoever asks for objects by their ids alone: nobody knows the id of a private
    object without its content.
    """
    if git.is_file():
        return True
    pending = [git / each for each in _FOLDERS_OF_OBJECTS]
    files = 0
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    files += 1
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(Path(entry.path))
                    elif not entry.is_file(follow_symlinks=False) or files > _MOST_FILES:
                        return False
        except FileNotFoundError:
            continue
        except OSError:
            return False
    return True


def index_stamp(jail: Jail) -> Stamp | None:
    """Return the stamp of git's index; None where libgit2 is not to be asked for what is in it."""
    if not looks_plain(jail):
        return None
    directory = _linked_directory(jail) or jail.root / ".git"
    try:
        status = (directory / "index").stat()
    except (OSError, ValueError):
        return None
    is_read = stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST_INDEX
    return Stamp.of(status) if is_read else None


def rules_besides(jail: Jail) -> str:
    """Return what libgit2 goes by besides the ignore files below the root.

    Its exclude file may lie outside the root, as in a linked worktree.
    """
    return _told(_own_file(jail, "config"), exclude_file(jail))


def ignores_case(jail: Jail) -> bool:
    """Return `core.ignorecase` of a repository."""
    return _ignores_case(_own_file(jail, "config") or b"")


def exclude_file(jail: Jail) -> bytes | None:
    """Return the patterns that git ignores in this repository alone."""
    return _own_file(jail, "info/exclude")


def _own_file(jail: Jail, name: str) -> bytes | None:
    """Return a small file of the repository itself, which worktrees share."""
    directory = _linked_directory(jail)
    if directory is None:
        return _bytes_of(jail, f".git/{name}")
    common = _outside_file(directory / "commondir")
    if common is not None:
        directory = directory / os.fsdecode(common.strip())
    return _outside_file(directory / name)


def _told(config: bytes | None, exclude: bytes | None) -> str:
    digest = "" if exclude is None else hashlib.sha256(exclude).hexdigest()
    return f"{_ignores_case(config or b'')} {digest}"


def _linked_directory(jail: Jail) -> Path | None:
    """Return where a `.git` file leads to."""
    link = _small_file(jail, ".git")
    if link is None or not link.startswith(b"gitdir:"):
        return None
    try:
        return Path(os.path.realpath(jail.root / os.fsdecode(link[len(b"gitdir:") :].strip())))
    except (OSError, ValueError):
        return None


def _worktree_config(jail: Jail) -> bytes | None:
    return _small_file(jail, ".git/config.worktree")


def _is_plain_config(config: bytes | None) -> bool:
    return config is not None and b"[include" not in config.lower()


def _is_own_file(place: Path) -> bool:
    """Return True for a regular file that is not a link, and where there is nothing."""
    return not place.is_symlink() and _is_file(place)


def _is_file(place: Path) -> bool:
    """Return True for a regular file, and where there is nothing."""
    try:
        return stat.S_ISREG(place.stat().st_mode)
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False


def _small_file(jail: Jail, path: str) -> bytes | None:
    raw = _bytes_of(jail, path)
    return None if raw is None or b"\0" in raw else raw


def _bytes_of(jail: Jail, path: str) -> bytes | None:
    with jail.open(path) as opened:
        if isinstance(opened, Refusal):
            return None
        raw = read_bounded(path, opened, _LARGEST)
    return None if isinstance(raw, Refusal) else raw


def _outside_file(place: Path) -> bytes | None:
    """Return the bytes of a small file of a repository, to be hashed or followed, never shown."""
    try:
        descriptor = os.open(place, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return os.read(descriptor, _LARGEST)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _ignores_case(config: bytes) -> bool:
    """Return `core.ignorecase` of a configuration; the last one in it decides."""
    section = b""
    ignores = False
    for line in config.splitlines():
        line = line.strip()
        header = _SECTION.match(line)
        if header is not None:
            section = header[1].lower()
            line = line[header.end() :].strip()
        elif line.startswith(b"["):
            section = b""
        found = _IGNORE_CASE.match(line) if section == b"core" else None
        if found is not None:
            ignores = found[1] is None or found[1].lower() in _TRUE
    return ignores
