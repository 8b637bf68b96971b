"""A survey: every visible file of a workspace with its stamp, from one walk over the tree.

Judging a path costs more than looking at a file, and it is a pure function of the path, its kind
and the rules. So a survey remembers, for each directory it entered, a digest of *all* names and
kinds in it, and which of them were visible. Where the next walk finds the same digest under the
same rules, it does not judge again. The rules are the same if what holds for the whole tree is
(default rules, lifts, libgit2's settings), and every ignore file in the directory and above it.

Where a walk looks again, whatever is remembered:
* at the names and kinds in every directory that is entered;
* at every ignore file in one, by its stamp, or by its bytes where the stamp is too young to tell;
* at links, since what they lead to can change anywhere;
* at all of a directory that holds one which is denied by what is inside it (a malformed ignore
  file, no right to list it): nothing outside would tell that it was repaired.

Invariants: a survey equals one taken without a previous one. It holds no name of anything
denied, only a keyed digest; so it can be stored. An ignore file is remembered as it was when it
was judged by, so a change in the middle of a walk is found by the next one.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import time
import unicodedata
from array import array
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import attrs
import msgspec
import pathspec
import pygit2

from sightline import __version__
from sightline.workspace.ignoring import IgnoreRules, IgnoreState
from sightline.workspace.jail import (
    INODE_BITS,
    Entries,
    Jail,
    Stamp,
    leave,
    list_entries,
    native,
    status_in,
)

_FORMAT = 1
_COLUMNS = 4
_YOUNG_NS = 2_000_000_000
"""The coarsest clock of a file system still in use ticks every two seconds."""


class SurveyError(ValueError):
    """Bytes that are not an encoded survey."""


@attrs.frozen
class Judged:
    """The visible names in a directory, unordered; those of directories to enter end in `/`."""

    children: list[str]
    barred: list[str]
    """Directories that are denied by what is inside them."""


@attrs.frozen
class Judge:
    """The rules of a workspace, as a walk needs them."""

    basis: tuple[str, ...]
    """Everything that decides what is visible, but for ignore files and libgit2."""
    is_denied: bool
    """Whether the root itself is."""
    entries: Callable[[str, Entries], Judged]
    """Judges what is in a directory, links left out."""
    behind: Callable[[str], os.stat_result | None]
    """The status of the visible file that a link leads to."""


class _Directory(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A directory that was entered; `digest` is of all that is in it."""

    digest: bytes
    children: str
    """Visible names in bytewise order, a `/` at the end of a directory's, joined by NUL."""
    ignore_files: tuple[IgnoreState, ...]


class Survey:
    """The visible files of a workspace at one time. Made by `Workspace.survey`; never changes."""

    __slots__ = (
        "_basis",
        "_directories",
        "_key",
        "_rows",
        "links",
        "paths",
        "policy",
        "stamps",
        "taken_ns",
    )

    def __init__(
        self,
        *,
        policy: str,
        taken_ns: int,
        paths: tuple[str, ...],
        stamps: array[int],
        directories: dict[str, _Directory],
        basis: bytes,
        key: bytes,
    ) -> None:
        self.policy = policy
        """SHA-256, in hex, of all that decides what is visible; the same on every machine."""
        self.taken_ns = taken_ns
        """The clock when the walk began. A file stamped later may change without a new stamp."""
        self.paths = paths
        """In bytewise order of their UTF-8."""
        self.stamps = stamps
        """Four integers for each path, in the order of the fields of `Stamp`."""
        self.links: tuple[str, ...] = ()
        """Those of the paths that are links. Not stored: each walk looks at them anew."""
        self._directories = directories
        self._basis = basis
        self._key = key
        self._rows: dict[str, int] | None = None

    @property
    def rows(self) -> Mapping[str, int]:
        """The place of each path in `paths`."""
        if self._rows is None:
            self._rows = {path: row for row, path in enumerate(self.paths)}
        return self._rows

    @property
    def files(self) -> Mapping[str, Stamp]:
        """All stamps by path, in the order of `paths`."""
        return dict(zip(self.paths, self._all_stamps(), strict=True))

    @property
    def directories(self) -> list[str]:
        """Every directory in which something could be seen, the root as an empty path."""
        return [path.removesuffix("/") for path in self._directories]

    @property
    def repositories(self) -> list[str]:
        """Those of the directories that hold a `.git`."""
        return [
            path.removesuffix("/")
            for path, directory in self._directories.items()
            if any(state.is_of_git for state in directory.ignore_files)
        ]

    def stamp(self, path: str) -> Stamp | None:
        """The stamp of a visible file; None for any other path."""
        row = self.rows.get(path)
        return None if row is None else self._stamp_at(row)

    def is_settled(self, path: str) -> bool:
        """Whether a file's stamp is old enough for its bytes to have no other."""
        stamp = self.stamp(path)
        return stamp is not None and _is_settled(stamp, self.taken_ns)

    def since(self, previous: Survey) -> Difference:
        """What differs from an earlier survey, by path and stamp."""
        if self.paths is previous.paths or self.paths == previous.paths:
            rows = _different_rows(self.stamps, previous.stamps)
            return Difference((), tuple(self.paths[row] for row in rows), ())
        before = previous.rows
        added = []
        changed = []
        for row, path in enumerate(self.paths):
            old = before.get(path)
            if old is None:
                added.append(path)
            elif self._stamp_at(row) != previous._stamp_at(old):
                changed.append(path)
        now = self.rows
        removed = [path for path in previous.paths if path not in now]
        return Difference(tuple(added), tuple(changed), tuple(removed))

    def encode(self) -> bytes:
        """The survey as bytes for `decode`, on this machine or one like it."""
        directories = self._directories.values()
        packed = _Packed(
            _FORMAT,
            sys.byteorder,
            self.policy,
            self.taken_ns,
            self._basis,
            self._key,
            "\n".join(self._directories),
            b"".join(each.digest for each in directories),
            "\n".join(each.children for each in directories),
            [(row, each.ignore_files) for row, each in enumerate(directories) if each.ignore_files],
            self.stamps.tobytes(),
        )
        return msgspec.msgpack.encode(packed)

    @staticmethod
    def decode(encoded: bytes) -> Survey:
        """The survey in `encoded`. Raises `SurveyError` if there is none."""
        try:
            packed = msgspec.msgpack.decode(encoded, type=_Packed)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise SurveyError("not an encoded survey") from error
        return _unpack(packed)

    def _stamp_at(self, row: int) -> Stamp:
        return Stamp(*self.stamps[row * _COLUMNS : (row + 1) * _COLUMNS])

    def _all_stamps(self) -> Iterator[Stamp]:
        values = iter(self.stamps)
        return map(Stamp, values, values, values, values)


@attrs.frozen
class Difference:
    """Paths that one survey has and another has not, or with another stamp; each in order."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


def take_survey(jail: Jail, ignores: IgnoreRules, judge: Judge, previous: Survey | None) -> Survey:
    """Walk over the visible tree. `ignores` keeps nothing from before."""
    taken_ns = time.time_ns()
    repository = ignores.reopen_repository()
    basis = _digest_of([judge.basis, repository, _JUDGED_BY])
    if previous is None:
        walk = _Walk(jail, ignores, judge, {}, 0, os.urandom(_DIGEST_SIZE))
    else:
        known = previous._directories if previous._basis == basis else {}
        walk = _Walk(jail, ignores, judge, known, previous.taken_ns, previous._key)
    if not judge.is_denied:
        with ignores.along_a_walk():
            walk.visit_root()
    policy = [judge.basis, repository, sorted(walk.rules)]
    survey = Survey(
        policy=_digest_of(policy).hex(),
        taken_ns=taken_ns,
        paths=(),
        stamps=array("q", walk.stamps),
        directories=walk.directories,
        basis=basis,
        key=walk.key,
    )
    if (
        previous is None
        or walk.has_other_children
        or len(walk.directories) != len(previous._directories)
    ):
        survey.paths = _paths_of(walk.directories)
    else:
        survey.paths = previous.paths
        survey._rows = previous._rows
    survey.links = tuple(sorted(walk.links, key=_bytewise))
    return survey


class _Walk:
    """One walk: what is known from the last one, and what has been found so far."""

    def __init__(
        self,
        jail: Jail,
        ignores: IgnoreRules,
        judge: Judge,
        known: dict[str, _Directory],
        known_ns: int,
        key: bytes,
    ) -> None:
        self._jail = jail
        self._ignores = ignores
        self._judge = judge
        self._known = known
        self._known_ns = known_ns
        self.key = key
        self.directories: dict[str, _Directory] = {}
        """By path, a `/` at its end."""
        self.stamps: list[int] = []
        self.rules: list[tuple[str, str]] = []
        """Every ignore file in force, and the digest of its bytes."""
        self.links: list[str] = []
        self.has_other_children = False
        """Whether a directory shows something else than the last time."""

    def visit_root(self) -> None:
        root = self._jail.enter_root()
        if root is not None:
            try:
                self._visit(root, "", True)
            finally:
                leave(root)

    def _visit(self, handle: int | Path, path: str, is_trusted: bool) -> bool:
        """Record a directory and all below it; False if there is nothing to be seen of it.

        `is_trusted` if the rules above it are those of the last walk.
        """
        try:
            entries = list_entries(handle)
        except OSError:
            return False
        digest = _listing_digest(entries, self.key)
        known = self._known.get(path)
        ignore_files = None
        if is_trusted and known is not None and known.digest == digest:
            ignore_files = known.ignore_files
            if ignore_files:
                ignore_files = self._unchanged(handle, path, ignore_files)
        if known is not None and ignore_files is not None:
            shown = known.children
            children = _names_in(known)
            is_trusted_below = True
        else:
            directory = path.removesuffix("/")
            ignore_files = self._ignores.consulted(directory)
            if not path and self._ignores.directory_verdict("") is not None:
                self._note("", ignore_files)
                return False
            judged = self._judge.entries(path, entries)
            for name in judged.barred:
                digest = _NO_DIGEST
                self._note(f"{path}{name}/", self._ignores.consulted(path + name))
            children = sorted(judged.children, key=_bytewise)
            shown = "\0".join(children)
            is_trusted_below = (
                is_trusted and known is not None and _same_rules(known.ignore_files, ignore_files)
            )
        if ignore_files:
            self._note(path, ignore_files)
        behind = _NOTHING_BEHIND
        if entries.links:
            behind = self._behind_links(path, entries)
            names = {*children}.difference(entries.links).union(behind)
            children = sorted(names, key=_bytewise)
            shown = "\0".join(children)
        lost = self._look_at(handle, path, children, behind, is_trusted_below)
        if lost:
            digest = _NO_DIGEST
            shown = "\0".join(name for name in children if name not in lost)
        if known is None or known.children != shown:
            self.has_other_children = True
        self.directories[path] = _Directory(digest, shown, ignore_files)
        return True

    def _look_at(
        self,
        handle: int | Path,
        path: str,
        children: list[str],
        behind: Mapping[str, os.stat_result],
        is_trusted: bool,
    ) -> list[str]:
        """Stamp the files and visit the directories, in order; those that are gone by now."""
        lost = []
        stamps = self.stamps
        for name in children:
            if name[-1] == "/":
                below = path + name
                entered = self._jail.enter(handle, name[:-1], below[:-1])
                if entered is None:
                    lost.append(name)
                    continue
                try:
                    is_seen = self._visit(entered, below, is_trusted)
                finally:
                    leave(entered)
                if not is_seen:
                    lost.append(name)
                continue
            try:
                if name in behind:
                    status = behind[name]
                elif isinstance(handle, int):
                    status = os.stat(native(name), dir_fd=handle, follow_symlinks=False)
                else:
                    status = status_in(handle, name)
            except (OSError, ValueError):
                lost.append(name)
                continue
            if status.st_mode & _TYPE_BITS != stat.S_IFREG:
                lost.append(name)
                continue
            stamps += (
                status.st_size,
                status.st_mtime_ns,
                status.st_ctime_ns,
                status.st_ino & INODE_BITS,
            )
        return lost

    def _behind_links(self, path: str, entries: Entries) -> Mapping[str, os.stat_result]:
        clashing = entries.clashing()
        behind = {}
        for name in entries.links:
            status = None if name in clashing else self._judge.behind(path + name)
            if status is not None:
                behind[name] = status
                self.links.append(path + name)
        return behind

    def _unchanged(
        self, handle: int | Path, path: str, ignore_files: tuple[IgnoreState, ...]
    ) -> tuple[IgnoreState, ...] | None:
        """The ignore files of a directory as they are now; None if one of them says otherwise."""
        now = []
        for state in ignore_files:
            if not self._has_stamp(handle, state):
                consulted = self._ignores.consult(path.removesuffix("/"), state.number)
                if consulted.digest != state.digest:
                    return None
                now.append(consulted)
            else:
                now.append(state)
        return tuple(now)

    def _has_stamp(self, handle: int | Path, state: IgnoreState) -> bool:
        if state.stamp is None or not _is_settled(state.stamp, self._known_ns):
            return False
        try:
            status = status_in(handle, state.name)
        except OSError:
            return False
        return stat.S_ISREG(status.st_mode) and Stamp.of(status) == state.stamp

    def _note(self, path: str, ignore_files: tuple[IgnoreState, ...]) -> None:
        for state in ignore_files:
            if state.is_there:
                self.rules.append((path + state.name, state.digest.hex()))


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    """A survey in columns: one string or byte string holds what would be thousands of values.

    No visible name holds a control character, so they can separate names.
    """

    format: int
    byte_order: str
    policy: str
    taken_ns: int
    basis: bytes
    key: bytes
    directories: str
    digests: bytes
    children: str
    ignore_files: list[tuple[int, tuple[IgnoreState, ...]]]
    stamps: bytes


_DIGEST_SIZE = 16
_NO_DIGEST = bytes(_DIGEST_SIZE)
"""Of a directory that has to be judged again."""
_NOTHING_BEHIND: Mapping[str, os.stat_result] = {}
_TYPE_BITS = stat.S_IFMT(-1 & 0xFFFF)
_ROW_BYTES = _COLUMNS * array("q").itemsize
_NO_NAMES = ("\0.\0", "\0..\0", "\0/\0", "\0./\0", "\0../\0")
_JUDGED_BY = (
    __version__,
    pathspec.__version__,
    pygit2.LIBGIT2_VERSION,
    unicodedata.unidata_version,
)
"""A newer version may judge otherwise by the same rules."""


def _unpack(packed: _Packed) -> Survey:
    count, rest = divmod(len(packed.digests), _DIGEST_SIZE)
    names = packed.directories.split("\n") if count else []
    children = packed.children.split("\n") if count else []
    if (
        (packed.format, packed.byte_order) != (_FORMAT, sys.byteorder)
        or rest
        or not len(names) == len(children) == count
        or len(packed.key) != _DIGEST_SIZE
        or len(packed.stamps) % _ROW_BYTES
    ):
        raise SurveyError("not an encoded survey of this version")
    ignore_files = dict(packed.ignore_files)
    directories = {
        name: _Directory(
            packed.digests[row * _DIGEST_SIZE : (row + 1) * _DIGEST_SIZE],
            children[row],
            ignore_files.get(row, ()),
        )
        for row, name in enumerate(names)
    }
    try:
        paths = _paths_of(directories)
    except KeyError as error:
        raise SurveyError("a survey without one of its directories") from error
    stamps = array("q", packed.stamps)
    if len(paths) * _COLUMNS != len(stamps) or len(directories) != count:
        raise SurveyError("a survey with other files than stamps")
    # A `..` among the names, or a slash within one, would lead the next walk out of the root.
    separated = "\0" + packed.children.replace("\n", "\0") + "\0"
    if separated.count("/") != max(0, count - 1) or any(each in separated for each in _NO_NAMES):
        raise SurveyError("a survey with names that are none")
    if not all(state.is_known for _, states in packed.ignore_files for state in states):
        raise SurveyError("a survey with unknown ignore files")
    return Survey(
        policy=packed.policy,
        taken_ns=packed.taken_ns,
        paths=paths,
        stamps=stamps,
        directories=directories,
        basis=packed.basis,
        key=packed.key,
    )


def _paths_of(directories: dict[str, _Directory]) -> tuple[str, ...]:
    """All files below the root, in the order in which the walk has stamped them."""
    if not directories:
        return ()
    paths: list[str] = []
    pending = [("", iter(_names_in(directories[""])))]
    while pending:
        prefix, names = pending[-1]
        for name in names:
            if name[-1:] != "/":
                paths.append(prefix + name)
                continue
            path = prefix + name
            below = directories[path].children
            if "/" in below:
                pending.append((path, iter(below.split("\0"))))
                break
            if below:
                paths += (path + below.replace("\0", "\0" + path)).split("\0")
        else:
            pending.pop()
    return tuple(paths)


def _names_in(directory: _Directory) -> list[str]:
    return directory.children.split("\0") if directory.children else []


def _different_rows(stamps: array[int], others: array[int]) -> list[int]:
    if stamps == others:
        return []
    ours = memoryview(stamps).cast("B")
    theirs = memoryview(others).cast("B")
    return [
        place // _ROW_BYTES
        for place in range(0, len(ours), _ROW_BYTES)
        if ours[place : place + _ROW_BYTES] != theirs[place : place + _ROW_BYTES]
    ]


def _listing_digest(entries: Entries, key: bytes) -> bytes:
    """Of all names by kind. The order is the system's: if it differs, the names are judged again.

    No name holds a slash or a NUL.
    """
    files, directories, links, others = entries
    listing = "\0".join(files) + "/" + "\0".join(directories)
    if links or others:
        listing += "/" + "\0".join(links) + "/" + "\0".join(others)
    encoded = listing.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(encoded, digest_size=_DIGEST_SIZE, key=key).digest()


def _same_rules(states: tuple[IgnoreState, ...], others: tuple[IgnoreState, ...]) -> bool:
    return [(state.number, state.digest) for state in states] == [
        (state.number, state.digest) for state in others
    ]


def _is_settled(stamp: Stamp, taken_ns: int) -> bool:
    return max(stamp.mtime_ns, stamp.ctime_ns) + _YOUNG_NS < taken_ns


def _bytewise(name: str) -> bytes:
    return name.encode("utf-8")


def _digest_of(value: object) -> bytes:
    return hashlib.sha256(json.dumps(value).encode("ascii")).digest()
