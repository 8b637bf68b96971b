"""The jail: files are opened below the root or not at all.

Every component is opened relative to the directory before it, and never followed if it is a link.
Links are read and resolved here, so at each step the walk is in a directory that was reached from
the root; `..` in a link's target goes back along that chain, and is refused at the root. The file
itself is opened last: its type is taken from the descriptor, and its bytes are read from that
descriptor. Renaming files meanwhile can make a read fail; it cannot make a read leave the root.

A name must be spelled as the directory lists it, even if the file system accepts another case or
normal form. A name that equals a sibling's after NFC is refused, because it is not known which one
is meant.

Not promised: a hard link, or a mount point, inside the root counts as part of the root. If the
system cannot open relative to a directory (Windows), `_reach_portably` is used; see there for what
it does not promise.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import attrs
import msgspec

from sightline.refusals import Refusal
from sightline.workspace.entries import (
    NAMES_ARE_UTF8,
    DirectoryEntries,
    clashing_names,
    is_reparse_point,
    list_entries,
    native,
    ours,
)
from sightline.workspace.jail_refusals import (
    ambiguous_name,
    changed,
    goes_through_link,
    is_directory,
    leaves_root,
    not_found,
    not_regular,
    refusal_of,
    too_many_links,
)
from sightline.workspace.paths import MAX_DEPTH

MAX_LINKS = 40

_DESCENDS = (
    os.open in os.supports_dir_fd
    and os.stat in os.supports_dir_fd
    and os.readlink in os.supports_dir_fd
    and os.scandir in os.supports_fd
    and hasattr(os, "O_NOFOLLOW")
    and hasattr(os, "O_DIRECTORY")
)
"""True if the system can open relative to a directory. Tests set it to False."""

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


@attrs.frozen
class ResolvedPath:
    """Where a path leads: its own path inside the root, with links resolved, and whether it exists.

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
    """The status of the descriptor, when it was opened."""


class _Reached(msgspec.Struct, frozen=True):
    """The end of a walk: a directory's own handle, or the handle of the directory with the file."""

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

    A walk with the same beginning uses them again, each only after checking that its name in the
    directory above still means this very directory. Belongs to one thread: a descriptor that
    another thread closes may be reused for another file.
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

    `root` is real (no links in it). A listing is cached per directory, as long as the directory's
    time stamps do not change.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._root_name = str(root)
        self._descends = _DESCENDS
        self._listings: dict[tuple[int, int], _Listing] = {}

    def forget(self) -> None:
        self._listings.clear()

    def find(self, path: str) -> ResolvedPath | Refusal:
        """Return where `path` leads, without opening it."""
        with contextlib.closing(Chain()) as chain:
            reached = self._reach(path, chain)
            if isinstance(reached, Refusal):
                return reached
            return ResolvedPath(reached.path, reached.kind, reached.status)

    @contextlib.contextmanager
    def open(self, path: str) -> Iterator[OpenFile | Refusal]:
        """Open the regular file at `path` until the block ends."""
        with contextlib.closing(Chain()) as chain:
            opened = self.open_along(chain, path)
            try:
                yield opened
            finally:
                if isinstance(opened, OpenFile):
                    os.close(opened.descriptor)

    def open_along(self, chain: Chain, path: str) -> OpenFile | Refusal:
        """Open the regular file at `path`, for the caller to close; directories
        stay in the chain.
        """
        reached = self._reach(path, chain)
        return reached if isinstance(reached, Refusal) else self._open(path, reached)

    def names(self, directory: str) -> frozenset[str] | Refusal:
        """Return the names in a directory; `""` is the root."""
        with contextlib.closing(Chain()) as chain:
            return self.names_along(chain, directory)

    def names_along(self, chain: Chain, directory: str) -> frozenset[str] | Refusal:
        """Like `names`, for one directory after another: those on the way stay in the chain."""
        reached = self._reach(directory, chain)
        if isinstance(reached, Refusal):
            return reached
        if reached.kind != "directory":
            return not_found(directory)
        try:
            return self._listing(reached.directory, reached.status).names
        except OSError as error:
            return refusal_of(directory, error)

    def entries(self, directory: str) -> DirectoryEntries:
        """Return the entries of a directory; none if it cannot be read."""
        with contextlib.closing(Chain()) as chain:
            reached = self._reach(directory, chain)
            if not isinstance(reached, Refusal) and reached.kind == "directory":
                with contextlib.suppress(OSError):
                    return list_entries(reached.directory)
        return DirectoryEntries([], [], [])

    def enter_root(self) -> int | Path | None:
        """Return a handle of the root for `enter`, `list_entries` and `status_in`; None if it is
        gone.
        """
        if not self._descends:
            return self.root
        try:
            return os.open(self._root_name, _ENTER)
        except OSError:
            return None

    def enter(self, above: int | Path, name: str, path: str) -> int | Path | None:
        """Return a handle of the directory `name`, which is `path` with a `/` at its end; never
        through a link.

        A handle is valid while the handle above it is kept, and is closed with `leave`.
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
            return refusal_of(path, error)

    def _reach_by_descent(self, path: str, chain: Chain) -> _Reached | Refusal:
        self._start(chain)
        depth = 0
        pending = deque(path.split("/") if path else ())
        links = 0
        while pending:
            name = pending.popleft()
            if name == "..":
                if not depth:
                    return leaves_root(path)
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
                    return too_many_links(path, MAX_LINKS)
                target = ours(os.readlink(native(name), dir_fd=above))
                steps = self._steps(target)
                if steps is None:
                    return leaves_root(path)
                if target.startswith("/"):
                    depth = 0
                pending.extendleft(reversed(steps))
                continue
            if stat.S_ISDIR(status.st_mode):
                self._descend(chain, depth, name, status)
                depth += 1
                if depth > MAX_DEPTH:
                    return too_many_links(path, MAX_LINKS)
                continue
            if pending:
                return not_found(path)
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
        """Make the directory of that name and status the next one in the chain after `depth`."""
        is_open = len(chain.names) > depth and chain.names[depth] == name
        if is_open and _is_same(status, chain.statuses[depth + 1]):
            # The time stamps decide whether a listing is still valid, so they must be current.
            chain.statuses[depth + 1] = status
            return
        chain.shorten(depth + 1)
        opened = os.open(native(name), _ENTER, dir_fd=chain.descriptors[depth])
        chain.lengthen(opened)
        chain.names.append(name)

    def _steps(self, target: str) -> list[str] | None:
        """Return the components of a link's target, from the root if it is absolute; None if it is
        outside.
        """
        parts = [part for part in target.split("/") if part not in ("", ".")]
        if not target.startswith("/"):
            return parts
        root = self.root.parts[1:]
        return parts[len(root) :] if tuple(parts[: len(root)]) == root else None

    def _reach_portably(self, path: str) -> _Reached | Refusal:
        """Walk on systems without descriptors of directories.

        Links and other reparse points are refused, each component is checked before the next, and
        the whole path must resolve to itself. The file that is opened must be the very file that
        was checked. Not promised: between a check and the open, a process that can write to the
        workspace may replace a *directory* by a link; checking the file's identity then refuses the
        read unless the file is the same one.
        """
        place = self.root
        status = place.lstat()
        names = path.split("/") if path else []
        for position, name in enumerate(names):
            if not stat.S_ISDIR(status.st_mode):
                return not_found(path)
            problem = self._spelling(path, place, status, name)
            if problem is not None:
                return problem
            place = place / name
            status = place.lstat()
            if is_reparse_point(status):
                return goes_through_link(path, "/".join(names[: position + 1]))
        if os.path.realpath(place) != str(place):
            return leaves_root(path)
        if stat.S_ISDIR(status.st_mode):
            return _Reached(path, "directory", place, None, status)
        kind = _kind_of_mode(status.st_mode)
        return _Reached(path, kind, place.parent, names[-1], status)

    def _open(self, path: str, reached: _Reached) -> OpenFile | Refusal:
        if reached.name is None:
            return is_directory(path)
        if reached.kind != "file":
            return not_regular(path)
        try:
            if isinstance(reached.directory, int):
                opened = os.open(native(reached.name), _OPEN, dir_fd=reached.directory)
            else:
                opened = os.open(reached.directory / reached.name, _OPEN)
        except OSError as error:
            return refusal_of(path, error)
        refusal = None
        try:
            status = os.fstat(opened)
            if not stat.S_ISREG(status.st_mode):
                refusal = not_regular(path)
            elif not _is_same(status, reached.status):
                refusal = changed(path)
            else:
                return OpenFile(reached.path, opened, status)
        except OSError as error:
            refusal = refusal_of(path, error)
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
            return not_found(path)
        if name in listing.clashing:
            return ambiguous_name(path)
        return None

    def _listing(
        self, directory: int | Path, status: os.stat_result, *, fresh: bool = False
    ) -> _Listing:
        key = (status.st_dev, status.st_ino)
        signature = (status.st_mtime_ns, status.st_ctime_ns)
        listing = self._listings.get(key)
        if listing is None or listing.signature != signature or fresh:
            with os.scandir(directory) as found:
                names = [ours(entry.name) for entry in found]
            listing = _Listing(signature, frozenset(names), clashing_names(names))
            if len(self._listings) >= _LISTINGS_KEPT:
                self._listings.clear()
            self._listings[key] = listing
        return listing


def _is_same(status: os.stat_result, other: os.stat_result) -> bool:
    return (status.st_ino, status.st_dev) == (other.st_ino, other.st_dev)


def _kind_of_mode(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    return "directory" if stat.S_ISDIR(mode) else "other"
