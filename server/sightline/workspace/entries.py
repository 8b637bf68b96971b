"""What the file system says of names: those in a directory, their kinds, and stamps of files.

Nothing here opens a file; links are followed only where it is said. A directory is given by a
handle of `Jail`: a descriptor, or a path where the system has no descriptors of directories.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import msgspec

from sightline.workspace.paths import same_name_key

_MOST = (1 << 63) - 1
NAMES_ARE_UTF8 = sys.getfilesystemencoding().lower().replace("-", "") == "utf8"
"""Whether names are the same for us and for Python's own functions; see `native`."""
_LOOKS_FOR_JUNCTIONS = os.name == "nt"
"""Windows has a second kind of link between directories; Python 3.12 learned to ask."""


def is_file(place: Path) -> bool:
    """Return True for a regular file, also behind links; False where the system cannot look.

    `Path.is_file` raises where a name or a link is too long, or a folder is closed.
    """
    return os.path.isfile(place)  # noqa: PTH113


def is_there(place: Path) -> bool:
    """Return True if something stands at a place, or behind its links; see `is_file`."""
    return os.path.exists(place)  # noqa: PTH110


class Stamp(msgspec.Struct, frozen=True, order=True, array_like=True, gc=False):
    """What the file system says of a file's bytes without reading them, in signed 64 bits each.

    Equal stamps mean equal bytes, unless the file was written within a tick of the clock of
    the moment when the older stamp was taken.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    """Its lower 63 bits, where the system has more."""

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        mtime_ns = max(-_MOST, min(_MOST, status.st_mtime_ns))
        ctime_ns = max(-_MOST, min(_MOST, status.st_ctime_ns))
        return cls(status.st_size, mtime_ns, ctime_ns, status.st_ino & _MOST)


class DirectoryEntries(msgspec.Struct, frozen=True):
    """The names in a directory by kind. `others` are pipes, devices and the like."""

    names: list[str]
    """Of files, and of directories with a `/` at the end; in bytewise order."""
    links: list[str]
    others: list[str]

    def clashing(self) -> frozenset[str]:
        """The names, of whatever kind and without `/`, that are equal to a sibling's after NFC."""
        names = [name.removesuffix("/") for name in self.names]
        return clashing_names([*names, *self.links, *self.others])


def list_entries(directory: int | Path) -> DirectoryEntries:
    """What stands in an open directory. Raises `OSError` where it cannot be listed."""
    names: list[str] = []
    links: list[str] = []
    others: list[str] = []
    with os.scandir(directory) as found:
        for entry in found:
            if entry.is_file(follow_symlinks=False):
                names.append(entry.name)
            elif _LOOKS_FOR_JUNCTIONS and is_reparse_point(entry.stat(follow_symlinks=False)):
                links.append(entry.name)
            elif entry.is_dir(follow_symlinks=False):
                names.append(entry.name + "/")
            elif entry.is_symlink():
                links.append(entry.name)
            else:
                others.append(entry.name)
    if not NAMES_ARE_UTF8:
        names, links, others = ([ours(name) for name in kind] for kind in (names, links, others))
    names.sort()
    return DirectoryEntries(names, links, others)


def native(name: str) -> str:
    """A name as Python's own functions want it. Ours are UTF-8, whatever the locale says."""
    if NAMES_ARE_UTF8 or name.isascii():
        return name
    return os.fsdecode(name.encode("utf-8", "surrogateescape"))


def ours(name: str) -> str:
    """A name as Python's own functions gave it, in UTF-8; see `native`."""
    if NAMES_ARE_UTF8 or name.isascii():
        return name
    return os.fsencode(name).decode("utf-8", "surrogateescape")


def status_in(directory: int | Path, name: str) -> os.stat_result:
    """The status of a name in an open directory, links not followed. Raises `OSError`."""
    if isinstance(directory, int):
        return os.stat(native(name), dir_fd=directory, follow_symlinks=False)
    return (directory / name).lstat()


def leave(directory: int | Path) -> None:
    """Give back a handle."""
    if isinstance(directory, int):
        os.close(directory)


def clashing_names(names: list[str]) -> frozenset[str]:
    """Those of the names that are equal to another after NFC."""
    if all(name.isascii() for name in names):
        return frozenset()
    first: dict[str, str] = {}
    clashing: set[str] = set()
    for name in names:
        other = first.setdefault(same_name_key(name), name)
        if other != name:
            clashing.update((name, other))
    return frozenset(clashing)


def is_reparse_point(status: os.stat_result) -> bool:
    """True for links, and on Windows for whatever else leads away."""
    return stat.S_ISLNK(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0))
