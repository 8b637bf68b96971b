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
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import attrs

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
_LISTINGS_KEPT = 4096


@attrs.frozen
class Entry:
    """One name in a directory; `kind` is `file`, `directory`, `link` or `other`."""

    name: str
    kind: str


@attrs.frozen
class Place:
    """Where a path led: its own path inside the root, links resolved, and whether it is there.

    `kind` is `file`, `directory` or `other`.
    """

    path: str
    kind: str


@attrs.frozen
class OpenFile:
    """A regular file inside the root, open for reading. `path` has its links resolved."""

    path: str
    descriptor: int


@attrs.frozen
class _Reached:
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


class Jail:
    """The root, and the only way to the files below it.

    `root` is real (no links in it). A listing is kept per directory and used while the
    directory's own time stamps stand.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._descends = _DESCENDS
        self._listings: dict[tuple[int, int], _Listing] = {}

    def forget(self) -> None:
        self._listings.clear()

    def find(self, path: str) -> Place | Refusal:
        """Where `path` leads, without opening it."""
        with contextlib.ExitStack() as handles:
            reached = self._reach(path, handles)
            return reached if isinstance(reached, Refusal) else Place(reached.path, reached.kind)

    @contextlib.contextmanager
    def open(self, path: str) -> Iterator[OpenFile | Refusal]:
        """The regular file at `path`, open until the block ends."""
        with contextlib.ExitStack() as handles:
            reached = self._reach(path, handles)
            yield reached if isinstance(reached, Refusal) else self._open(path, reached, handles)

    def names(self, directory: str) -> frozenset[str] | Refusal:
        """The names in a directory; `""` is the root."""
        with contextlib.ExitStack() as handles:
            reached = self._reach(directory, handles)
            if isinstance(reached, Refusal):
                return reached
            if reached.kind != "directory":
                return _not_found(directory)
            try:
                return self._listing(reached.directory).names
            except OSError as error:
                return _failed(directory, error)

    def entries(self, directory: str) -> tuple[Entry, ...]:
        """What a directory holds, unordered; empty where it cannot be read.

        Names that clash after NFC are left out.
        """
        with contextlib.ExitStack() as handles:
            reached = self._reach(directory, handles)
            if isinstance(reached, Refusal) or reached.kind != "directory":
                return ()
            try:
                clashing = self._listing(reached.directory).clashing
                with os.scandir(reached.directory) as found:
                    return tuple(
                        Entry(entry.name, _kind_of_entry(entry))
                        for entry in found
                        if entry.name not in clashing
                    )
            except OSError:
                return ()

    def _reach(self, path: str, handles: contextlib.ExitStack) -> _Reached | Refusal:
        try:
            if self._descends:
                return self._reach_by_descent(path, handles)
            return self._reach_portably(path)
        except (OSError, ValueError) as error:
            return _failed(path, error)

    def _reach_by_descent(self, path: str, handles: contextlib.ExitStack) -> _Reached | Refusal:
        chain = [_hold(os.open(self.root, _OPEN | os.O_DIRECTORY), handles)]
        names: list[str] = []
        pending = deque(path.split("/") if path else ())
        links = 0
        while pending:
            name = pending.popleft()
            if name == "..":
                if not names:
                    return _leaves(path)
                names.pop()
                chain.pop()
                continue
            problem = self._spelling(path, chain[-1], name)
            if problem is not None:
                return problem
            status = os.stat(name, dir_fd=chain[-1], follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                links += 1
                if links > MAX_LINKS:
                    return _loops(path)
                target = os.readlink(name, dir_fd=chain[-1])
                steps = self._steps(target)
                if steps is None:
                    return _leaves(path)
                if target.startswith("/"):
                    del names[:], chain[1:]
                pending.extendleft(reversed(steps))
                continue
            if stat.S_ISDIR(status.st_mode):
                opened = os.open(name, _OPEN | os.O_DIRECTORY, dir_fd=chain[-1])
                chain.append(_hold(opened, handles))
                names.append(name)
                if len(names) > MAX_DEPTH:
                    return _loops(path)
                continue
            if pending:
                return _not_found(path)
            kind = _kind_of_mode(status.st_mode)
            return _Reached("/".join([*names, name]), kind, chain[-1], name, status)
        return _Reached("/".join(names), "directory", chain[-1], None, os.fstat(chain[-1]))

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
            problem = self._spelling(path, place, name)
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

    def _open(
        self, path: str, reached: _Reached, handles: contextlib.ExitStack
    ) -> OpenFile | Refusal:
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
                opened = os.open(reached.name, _OPEN, dir_fd=reached.directory)
            else:
                opened = os.open(reached.directory / reached.name, _OPEN)
            _hold(opened, handles)
            status = os.fstat(opened)
        except OSError as error:
            return _failed(path, error)
        if not stat.S_ISREG(status.st_mode):
            return _not_regular(path)
        if (status.st_dev, status.st_ino) != (reached.status.st_dev, reached.status.st_ino):
            return changed(path)
        return OpenFile(reached.path, opened)

    def _spelling(self, path: str, directory: int | Path, name: str) -> Refusal | None:
        listing = self._listing(directory)
        if name not in listing.names:
            # A name may be younger than the clock's resolution shows.
            listing = self._listing(directory, fresh=True)
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

    def _listing(self, directory: int | Path, *, fresh: bool = False) -> _Listing:
        status = os.fstat(directory) if isinstance(directory, int) else directory.lstat()
        key = (status.st_dev, status.st_ino)
        signature = (status.st_mtime_ns, status.st_ctime_ns)
        listing = self._listings.get(key)
        if listing is None or listing.signature != signature or fresh:
            with os.scandir(directory) as found:
                names = [entry.name for entry in found]
            listing = _Listing(signature, frozenset(names), _clashes(names))
            if len(self._listings) >= _LISTINGS_KEPT:
                self._listings.clear()
            self._listings[key] = listing
        return listing


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


def _hold(descriptor: int, handles: contextlib.ExitStack) -> int:
    handles.callback(os.close, descriptor)
    return descriptor


def _is_reparse_point(status: os.stat_result) -> bool:
    return stat.S_ISLNK(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0))


def _kind_of_mode(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    return "directory" if stat.S_ISDIR(mode) else "other"


def _kind_of_entry(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink() or _is_junction(entry):
        return "link"
    if entry.is_file(follow_symlinks=False):
        return "file"
    return "directory" if entry.is_dir(follow_symlinks=False) else "other"


def _is_junction(entry: os.DirEntry[str]) -> bool:
    """Windows has a second kind of link between directories; Python 3.12 learned to ask."""
    if os.name != "nt":
        return False
    return _is_reparse_point(entry.stat(follow_symlinks=False))


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
