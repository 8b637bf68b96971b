"""The jail: files are opened below the root or not at all.

Every component is opened relative to the directory before it and never followed if it is a
link. Links are read and walked here, by hand, so at each step the walk stands in a directory
that was reached from the root; `..` in a link's target goes back along that same chain and
ends in a refusal at the root. What is opened last is the file itself: its type is taken from
the descriptor, and its bytes are read from that descriptor. Renaming things meanwhile can
make a read fail; it cannot make a read leave the root.

A name must be spelled as the directory lists it, also where the file system would forgive
another case or normal form; and a name that is equal to a sibling's after NFC is refused, since
nobody can tell which one is meant.

Not promised: a hard link, or a mount point, inside the root is a part of the root. Where the
system cannot open relative to a directory (Windows) `_reach_portably` stands behind the same
door; see there for what it does not promise.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import attrs
import msgspec

from sightline.refusals import Refusal
from sightline.workspace.paths import MAX_DEPTH, refuse, same_name_key

MAX_LINKS = 40

_DESCENDS = (
    os.open in os.supports_dir_fd
    and os.stat in os.supports_dir_fd
    and os.readlink in os.supports_dir_fd
    and os.scandir in os.supports_fd
    and hasattr(os, "O_NOFOLLOW")
    and hasattr(os, "O_DIRECTORY")
)
"""Whether the system can open relative to a directory. Tests set it to False."""

_OPEN = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_ENTER = _OPEN | getattr(os, "O_DIRECTORY", 0)
_LISTINGS_KEPT = 4096
_MOST = (1 << 63) - 1
NAMES_ARE_UTF8 = sys.getfilesystemencoding().lower().replace("-", "") == "utf8"
"""Whether names are the same for us and for Python's own functions; see `native`."""
_LOOKS_FOR_JUNCTIONS = os.name == "nt"
"""Windows has a second kind of link between directories; Python 3.12 learned to ask."""


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


class Entries(msgspec.Struct, frozen=True):
    """The names in a directory by kind. `others` are pipes, devices and the like."""

    names: list[str]
    """Of files, and of directories with a `/` at the end; in bytewise order."""
    links: list[str]
    others: list[str]

    def clashing(self) -> frozenset[str]:
        """The names, of whatever kind and without `/`, that are equal to a sibling's after NFC."""
        names = [name.removesuffix("/") for name in self.names]
        return _clashes([*names, *self.links, *self.others])


@attrs.frozen
class Place:
    """Where a path led: its own path inside the root, links resolved, and whether it is there.

    `kind` is `file`, `directory` or `other`.
    """

    path: str
    kind: str
    status: os.stat_result


class OpenFile(msgspec.Struct, frozen=True):
    """A regular file inside the root, open for reading. `path` has its links resolved."""

    path: str
    descriptor: int
    status: os.stat_result
    """Of the descriptor, when it was opened."""


class _Reached(msgspec.Struct, frozen=True):
    """The end of a walk: a directory's own handle, or the handle of what holds a file."""

    path: str
    kind: str
    directory: int | Path
    name: str | None
    status: os.stat_result


@attrs.frozen
class _Listing:
    signature: tuple[int, int]
    names: frozenset[str]
    clashing: frozenset[str]


class Chain:
    """The open directories from the root to where the last walk ended.

    A walk that begins the same way uses them again, each only after a look at its name in the
    directory above has shown that this very directory still stands there. One thread's own:
    a descriptor that another thread closes may be given to another file.
    """

    __slots__ = ("descriptors", "names", "statuses")

    def __init__(self) -> None:
        self.descriptors: list[int] = []
        self.names: list[str] = []
        """`names[i]` leads from `descriptors[i]` to `descriptors[i + 1]`."""
        self.statuses: list[os.stat_result] = []

    def shorten(self, length: int) -> None:
        while len(self.descriptors) > length:
            os.close(self.descriptors.pop())
        del self.statuses[length:]
        del self.names[max(0, length - 1) :]

    def lengthen(self, descriptor: int) -> None:
        self.descriptors.append(descriptor)
        self.statuses.append(os.fstat(descriptor))

    def close(self) -> None:
        self.shorten(0)


class Jail:
    """The root, and the only way to the files below it.

    `root` is real (no links in it). A listing is kept per directory and used while the
    directory's own time stamps stand.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._root_name = str(root)
        self._descends = _DESCENDS
        self._listings: dict[tuple[int, int], _Listing] = {}

    def forget(self) -> None:
        self._listings.clear()

    def find(self, path: str) -> Place | Refusal:
        """Where `path` leads, without opening it."""
        with contextlib.closing(Chain()) as chain:
            reached = self._reach(path, chain)
            if isinstance(reached, Refusal):
                return reached
            return Place(reached.path, reached.kind, reached.status)

    @contextlib.contextmanager
    def open(self, path: str) -> Iterator[OpenFile | Refusal]:
        """The regular file at `path`, open until the block ends."""
        with contextlib.closing(Chain()) as chain:
            opened = self.open_along(chain, path)
            try:
                yield opened
            finally:
                if isinstance(opened, OpenFile):
                    os.close(opened.descriptor)

    def open_along(self, chain: Chain, path: str) -> OpenFile | Refusal:
        """The regular file at `path`, for the caller to close; directories stay in the chain."""
        reached = self._reach(path, chain)
        return reached if isinstance(reached, Refusal) else self._open(path, reached)

    def names(self, directory: str) -> frozenset[str] | Refusal:
        """The names in a directory; `""` is the root."""
        with contextlib.closing(Chain()) as chain:
            return self.names_along(chain, directory)

    def names_along(self, chain: Chain, directory: str) -> frozenset[str] | Refusal:
        """As `names`, for one directory after the other: those on the way stay in the chain."""
        reached = self._reach(directory, chain)
        if isinstance(reached, Refusal):
            return reached
        if reached.kind != "directory":
            return _not_found(directory)
        try:
            return self._listing(reached.directory, reached.status).names
        except OSError as error:
            return _failed(directory, error)

    def entries(self, directory: str) -> Entries:
        """What a directory holds; nothing where it cannot be read."""
        with contextlib.closing(Chain()) as chain:
            reached = self._reach(directory, chain)
            if not isinstance(reached, Refusal) and reached.kind == "directory":
                with contextlib.suppress(OSError):
                    return list_entries(reached.directory)
        return Entries([], [], [])

    def enter_root(self) -> int | Path | None:
        """A handle of the root for `enter`, `list_entries` and `status_in`; None if it is gone."""
        if not self._descends:
            return self.root
        try:
            return os.open(self._root_name, _ENTER)
        except OSError:
            return None

    def enter(self, above: int | Path, name: str, path: str) -> int | Path | None:
        """A handle of the directory `name`, which is `path` with a `/` at its end; never through
        a link.

        A handle is good while the handle above it is kept, and is given back with `leave`.
        """
        if isinstance(above, int):
            try:
                place = name if NAMES_ARE_UTF8 else native(name)
                return os.open(place, _ENTER, dir_fd=above)
            except (OSError, ValueError):
                return None
        try:
            reached = self._reach_portably(path.removesuffix("/"))
        except (OSError, ValueError):
            return None
        return None if isinstance(reached, Refusal) or reached.name else reached.directory

    def _reach(self, path: str, chain: Chain) -> _Reached | Refusal:
        try:
            if self._descends:
                return self._reach_by_descent(path, chain)
            return self._reach_portably(path)
        except (OSError, ValueError) as error:
            return _failed(path, error)

    def _reach_by_descent(self, path: str, chain: Chain) -> _Reached | Refusal:
        self._start(chain)
        depth = 0
        pending = deque(path.split("/") if path else ())
        links = 0
        while pending:
            name = pending.popleft()
            if name == "..":
                if not depth:
                    return _leaves(path)
                depth -= 1
                continue
            above = chain.descriptors[depth]
            problem = self._spelling(path, above, chain.statuses[depth], name)
            if problem is not None:
                return problem
            status = os.stat(native(name), dir_fd=above, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                links += 1
                if links > MAX_LINKS:
                    return _loops(path)
                target = _ours(os.readlink(native(name), dir_fd=above))
                steps = self._steps(target)
                if steps is None:
                    return _leaves(path)
                if target.startswith("/"):
                    depth = 0
                pending.extendleft(reversed(steps))
                continue
            if stat.S_ISDIR(status.st_mode):
                self._descend(chain, depth, name, status)
                depth += 1
                if depth > MAX_DEPTH:
                    return _loops(path)
                continue
            if pending:
                return _not_found(path)
            kind = _kind_of_mode(status.st_mode)
            resolved = "/".join([*chain.names[:depth], name])
            return _Reached(resolved, kind, above, name, status)
        resolved = "/".join(chain.names[:depth])
        return _Reached(
            resolved, "directory", chain.descriptors[depth], None, chain.statuses[depth]
        )

    def _start(self, chain: Chain) -> None:
        if chain.descriptors:
            status = os.lstat(self._root_name)
            if _is_same(status, chain.statuses[0]):
                chain.statuses[0] = status
                return
            chain.shorten(0)
        chain.lengthen(os.open(self._root_name, _ENTER))

    def _descend(self, chain: Chain, depth: int, name: str, status: os.stat_result) -> None:
        """Have the chain's place after `depth` be the directory of that name and status."""
        is_open = len(chain.names) > depth and chain.names[depth] == name
        if is_open and _is_same(status, chain.statuses[depth + 1]):
            # The time stamps tell whether a listing is still good, so they must be new.
            chain.statuses[depth + 1] = status
            return
        chain.shorten(depth + 1)
        opened = os.open(native(name), _ENTER, dir_fd=chain.descriptors[depth])
        chain.lengthen(opened)
        chain.names.append(name)

    def _steps(self, target: str) -> list[str] | None:
        """The components of a link's target, from the root if it is absolute; None if outside."""
        parts = [part for part in target.split("/") if part not in ("", ".")]
        if not target.startswith("/"):
            return parts
        root = self.root.parts[1:]
        return parts[len(root) :] if tuple(parts[: len(root)]) == root else None

    def _reach_portably(self, path: str) -> _Reached | Refusal:
        """The walk for systems without descriptors of directories.

        Links and other reparse points are refused, each component is looked at before the
        next, and the whole path must resolve to itself. What is opened afterwards must be the
        very file that was looked at. Not promised: between a look and the open, a process
        that can write to the workspace may put a link in place of a *directory*; the check
        of the file's identity then refuses the read unless the file is the same one.
        """
        place = self.root
        status = place.lstat()
        names = path.split("/") if path else []
        for position, name in enumerate(names):
            if not stat.S_ISDIR(status.st_mode):
                return _not_found(path)
            problem = self._spelling(path, place, status, name)
            if problem is not None:
                return problem
            place = place / name
            status = place.lstat()
            if _is_reparse_point(status):
                return _leads_elsewhere(path, "/".join(names[: position + 1]))
        if os.path.realpath(place) != str(place):
            return _leaves(path)
        if stat.S_ISDIR(status.st_mode):
            return _Reached(path, "directory", place, None, status)
        kind = _kind_of_mode(status.st_mode)
        return _Reached(path, kind, place.parent, names[-1], status)

    def _open(self, path: str, reached: _Reached) -> OpenFile | Refusal:
        if reached.name is None:
            return refuse(
                "is_directory",
                path,
                "This is a directory, not a file: {path}",
                "Name a file inside it.",
            )
        if reached.kind != "file":
            return _not_regular(path)
        try:
            if isinstance(reached.directory, int):
                opened = os.open(native(reached.name), _OPEN, dir_fd=reached.directory)
            else:
                opened = os.open(reached.directory / reached.name, _OPEN)
        except OSError as error:
            return _failed(path, error)
        refusal = None
        try:
            status = os.fstat(opened)
            if not stat.S_ISREG(status.st_mode):
                refusal = _not_regular(path)
            elif not _is_same(status, reached.status):
                refusal = changed(path)
            else:
                return OpenFile(reached.path, opened, status)
        except OSError as error:
            refusal = _failed(path, error)
        os.close(opened)
        return refusal

    def _spelling(
        self, path: str, directory: int | Path, status: os.stat_result, name: str
    ) -> Refusal | None:
        listing = self._listing(directory, status)
        if name not in listing.names:
            # A name may be younger than the clock's resolution shows.
            listing = self._listing(directory, status, fresh=True)
        if name not in listing.names:
            return _not_found(path)
        if name in listing.clashing:
            return refuse(
                "invalid_path",
                path,
                "Two names in one directory are the same after Unicode normalisation: {path}",
                "Rename one of the two files.",
            )
        return None

    def _listing(
        self, directory: int | Path, status: os.stat_result, *, fresh: bool = False
    ) -> _Listing:
        key = (status.st_dev, status.st_ino)
        signature = (status.st_mtime_ns, status.st_ctime_ns)
        listing = self._listings.get(key)
        if listing is None or listing.signature != signature or fresh:
            with os.scandir(directory) as found:
                names = [_ours(entry.name) for entry in found]
            listing = _Listing(signature, frozenset(names), _clashes(names))
            if len(self._listings) >= _LISTINGS_KEPT:
                self._listings.clear()
            self._listings[key] = listing
        return listing


def list_entries(directory: int | Path) -> Entries:
    """What stands in an open directory. Raises `OSError` where it cannot be listed."""
    names: list[str] = []
    links: list[str] = []
    others: list[str] = []
    with os.scandir(directory) as found:
        for entry in found:
            if entry.is_file(follow_symlinks=False):
                names.append(entry.name)
            elif _LOOKS_FOR_JUNCTIONS and _is_reparse_point(entry.stat(follow_symlinks=False)):
                links.append(entry.name)
            elif entry.is_dir(follow_symlinks=False):
                names.append(entry.name + "/")
            elif entry.is_symlink():
                links.append(entry.name)
            else:
                others.append(entry.name)
    if not NAMES_ARE_UTF8:
        names, links, others = ([_ours(name) for name in kind] for kind in (names, links, others))
    names.sort()
    return Entries(names, links, others)


def native(name: str) -> str:
    """A name as Python's own functions want it. Ours are UTF-8, whatever the locale says."""
    if NAMES_ARE_UTF8 or name.isascii():
        return name
    return os.fsdecode(name.encode("utf-8", "surrogateescape"))


def _ours(name: str) -> str:
    if NAMES_ARE_UTF8 or name.isascii():
        return name
    return os.fsencode(name).decode("utf-8", "surrogateescape")


def status_in(directory: int | Path, name: str) -> os.stat_result:
    """The status of a name in an open directory, links not followed. Raises `OSError`."""
    if isinstance(directory, int):
        return os.stat(native(name), dir_fd=directory, follow_symlinks=False)
    return (directory / name).lstat()


def leave(directory: int | Path) -> None:
    if isinstance(directory, int):
        os.close(directory)


def changed(path: str) -> Refusal:
    return refuse(
        "changed_while_reading",
        path,
        "The file changed while it was being read: {path}",
        "Try again when it is no longer being written.",
    )


def _clashes(names: list[str]) -> frozenset[str]:
    if all(name.isascii() for name in names):
        return frozenset()
    first: dict[str, str] = {}
    clashing: set[str] = set()
    for name in names:
        other = first.setdefault(same_name_key(name), name)
        if other != name:
            clashing.update((name, other))
    return frozenset(clashing)


def _is_same(status: os.stat_result, other: os.stat_result) -> bool:
    return (status.st_ino, status.st_dev) == (other.st_ino, other.st_dev)


def _is_reparse_point(status: os.stat_result) -> bool:
    return stat.S_ISLNK(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0))


def _kind_of_mode(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    return "directory" if stat.S_ISDIR(mode) else "other"


def _failed(path: str, error: OSError | ValueError) -> Refusal:
    if isinstance(error, FileNotFoundError):
        return _not_found(path)
    code = error.errno if isinstance(error, OSError) else None
    if code in (errno.ELOOP, errno.ENOTDIR, errno.EINVAL, errno.ESTALE):
        # The walk looked before it opened, so something took the component's place.
        return changed(path)
    if code in (errno.ENXIO, errno.ENODEV):
        return _not_regular(path)
    return refuse(
        "unreadable",
        path,
        "The file cannot be read: {path}",
        "Check its permissions and those of the directories above it.",
    )


def _not_found(path: str) -> Refusal:
    return refuse(
        "not_found",
        path,
        "There is no such file in the workspace: {path}",
        "Check the spelling, case included, and that the path is relative to the root.",
    )


def _not_regular(path: str) -> Refusal:
    return refuse(
        "not_regular",
        path,
        "This is not a regular file: {path}",
        "Only regular files are read, never pipes, sockets or devices.",
    )


def _leaves(path: str) -> Refusal:
    return refuse(
        "outside_sandbox",
        path,
        "A link leads out of the workspace: {path}",
        "Open the workspace that holds the file, or copy the file into this one.",
    )


def _leads_elsewhere(path: str, link: str) -> Refusal:
    return refuse(
        "outside_sandbox",
        path,
        "The path goes through a link, which cannot be followed safely on this system: {path}",
        "Name the file by the path the link leads to.",
        rule=link,
    )


def _loops(path: str) -> Refusal:
    return refuse(
        "symlink_loop",
        path,
        f"The path goes through more than {MAX_LINKS} links: {{path}}",
        "Name the file by the path the links lead to.",
    )
