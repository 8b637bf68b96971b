"""A survey: every visible file of a workspace with its stamp, from one walk over the tree.

Judging a path costs more than looking at a file, and it is a pure function of the path, its kind
and the rules. So a survey remembers, for each directory it entered, which names in it were visible
and a digest of *all others*, with their kinds. Where the next walk finds the same of both under the
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
was judged by, so a change in the middle of a walk is found by the next one. A walk looks at no
name that it has not just listed, whatever is remembered. What is remembered is a few columns, and
no path is spelled out before somebody asks for it: where nothing changed, nobody does.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import struct
import sys
import time
import unicodedata
from array import array
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import accumulate, repeat
from operator import ge
from pathlib import Path

import attrs
import msgspec
import pathspec
import pygit2

from sightline import __version__
from sightline.workspace.ignoring import IgnoreRules, IgnoreState
from sightline.workspace.jail import (
    NAMES_ARE_UTF8,
    Entries,
    Jail,
    Stamp,
    leave,
    list_entries,
    status_in,
)

_FORMAT = 2
_COLUMNS = 4
_YOUNG_NS = 2_000_000_000
"""The coarsest clock of a file system still in use ticks every two seconds."""


class SurveyError(ValueError):
    """Bytes that are not an encoded survey."""


@attrs.frozen
class Judged:
    """The visible names in a directory, unordered; those of directories end in `/`."""

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


class _Tree:
    """What is visible, in rows: one for each directory, followed by those of the ones below it.

    A row is the visible names in bytewise order, a `/` at the end of a directory's, joined by NUL.
    """

    def __init__(self, rows: list[str]) -> None:
        self.rows = rows

    @property
    def paths(self) -> tuple[str, ...]:
        """Of all files."""
        return self._unfolded[1]

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each path in `paths`."""
        return {path: place for place, path in enumerate(self.paths)}

    @cached_property
    def directories(self) -> dict[str, int]:
        """The row of each directory, by its path with a `/` at the end; the root's is empty."""
        return {path: row for row, path in enumerate(self._unfolded[0])}

    @cached_property
    def _unfolded(self) -> tuple[list[str], tuple[str, ...]]:
        """The paths of directories and of files, each in the order in which a walk finds them."""
        rows = self.rows
        directories: list[str] = []
        files: list[str] = []
        pending: list[tuple[str, Iterator[str]]] = []
        if rows:
            directories.append("")
            pending.append(("", iter(_names_in(rows[0]))))
        while pending:
            prefix, names = pending[-1]
            for name in names:
                path = prefix + name
                if name[-1:] != "/":
                    files.append(path)
                    continue
                below = rows[len(directories)]
                directories.append(path)
                if "/" in below:
                    pending.append((path, iter(below.split("\0"))))
                    break
                if below:
                    files += (path + below.replace("\0", "\0" + path)).split("\0")
            else:
                pending.pop()
        return directories, tuple(files)


class Survey:
    """The visible files of a workspace at one time. Made by `Workspace.survey`; never changes."""

    __slots__ = (
        "_basis",
        "_hidden",
        "_ignore_files",
        "_key",
        "_tree",
        "links",
        "policy",
        "stamps",
        "taken_ns",
    )

    def __init__(
        self,
        *,
        policy: str,
        taken_ns: int,
        stamps: array[int],
        links: tuple[str, ...],
        tree: _Tree,
        hidden: dict[int, bytes],
        ignore_files: dict[int, tuple[IgnoreState, ...]],
        basis: bytes,
        key: bytes,
    ) -> None:
        self.policy = policy
        """SHA-256, in hex, of all that decides what is visible; the same on every machine."""
        self.taken_ns = taken_ns
        """The clock when the walk began. A file stamped later may change without a new stamp."""
        self.stamps = stamps
        """Four integers for each path, in the order of the fields of `Stamp`."""
        self.links = links
        """Those of the paths that are links. Not stored: each walk looks at them anew."""
        self._tree = tree
        self._hidden = hidden
        """By row of the tree: of all in the directory that is not shown, links included."""
        self._ignore_files = ignore_files
        """By row of the tree."""
        self._basis = basis
        self._key = key

    @property
    def file_count(self) -> int:
        return len(self.stamps) // _COLUMNS

    @property
    def paths(self) -> tuple[str, ...]:
        """In bytewise order of their UTF-8."""
        return self._tree.paths

    @property
    def rows(self) -> Mapping[str, int]:
        """The place of each path in `paths`."""
        return self._tree.places

    @property
    def files(self) -> Mapping[str, Stamp]:
        """All stamps by path, in the order of `paths`."""
        return dict(zip(self.paths, self._all_stamps(), strict=True))

    @property
    def directories(self) -> list[str]:
        """Every directory in which something could be seen, the root as an empty path."""
        return [path.removesuffix("/") for path in self._tree.directories]

    @property
    def repositories(self) -> list[str]:
        """Those of the directories that hold a `.git`."""
        return [
            path.removesuffix("/")
            for path, row in self._tree.directories.items()
            if any(state.is_of_git for state in self._ignore_files.get(row, ()))
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
        if self._tree is previous._tree or self._tree.rows == previous._tree.rows:
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
        packed = _Packed(
            _FORMAT,
            sys.byteorder,
            self.policy,
            self.taken_ns,
            self._basis,
            self._key,
            len(self._tree.rows),
            "\n".join(self._tree.rows),
            self._hidden,
            self._ignore_files,
            memoryview(self.stamps).cast("B"),
        )
        return msgspec.msgpack.encode(packed)

    @staticmethod
    def decode(encoded: bytes | memoryview) -> Survey:
        """The survey in `encoded`. Raises `SurveyError` if there is none."""
        try:
            packed = _PACKED.decode(encoded)
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
    known = previous if previous is not None and previous._basis == basis else None
    key = os.urandom(_DIGEST_SIZE) if previous is None else previous._key
    walk = _Walk(jail, ignores, judge, known, key)
    if not judge.is_denied:
        with ignores.along_a_walk():
            walk.visit_root()
    policy = [judge.basis, repository, sorted(walk.rules)]
    return Survey(
        policy=_digest_of(policy).hex(),
        taken_ns=taken_ns,
        stamps=_stamps_in(walk.stamps),
        links=tuple(sorted(walk.links)),
        # The paths that were spelled out for the last survey are those of this one.
        tree=known._tree if known is not None and walk.is_as_known else _Tree(walk.rows),
        hidden=walk.hidden,
        ignore_files=walk.ignore_files,
        basis=basis,
        key=key,
    )


class _Walk:
    """One walk: what is known from the last one, and what has been found so far."""

    def __init__(
        self,
        jail: Jail,
        ignores: IgnoreRules,
        judge: Judge,
        known: Survey | None,
        key: bytes,
    ) -> None:
        self._jail = jail
        self._ignores = ignores
        self._judge = judge
        self._known = known if known is not None else _NOTHING_KNOWN
        self._key = key
        self.rows: list[str] = []
        self.hidden: dict[int, bytes] = {}
        self.ignore_files: dict[int, tuple[IgnoreState, ...]] = {}
        self.stamps = bytearray()
        self.rules: list[tuple[str, str]] = []
        """Every ignore file in force, and the digest of its bytes."""
        self.links: list[str] = []
        self._known_rows = self._known._tree.rows
        self._known_remarks = {*self._known._hidden, *self._known._ignore_files}
        """Rows of directories of which more was known than what is visible."""
        self._follows = bool(self._known_rows)
        """Whether each directory so far shows what it showed the last time. While it does, the
        next row of this walk is of the same directory as the next one of the last walk."""

    @property
    def is_as_known(self) -> bool:
        """Whether everything that is visible was so the last time, and the other way round."""
        return self._follows and len(self.rows) == len(self._known_rows)

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
        row = len(self.rows)
        children = entries.names
        behind = _NOTHING_BEHIND
        shown = "\0".join(children)
        is_plain = not entries.links and not entries.others and row not in self._known_remarks
        if not (is_plain and is_trusted and self._follows and shown == self._known_rows[row]):
            examined = self._examine(handle, path, entries, is_trusted)
            if examined is None:
                return False
            children, behind, is_trusted = examined
            shown = "\0".join(children)
            self._follows = self._follows and shown == self._known_rows[row]
        self.rows.append(shown)
        lost = self._look_at(handle, path, children, behind, is_trusted)
        if lost:
            self._follows = False
            self.rows[row] = "\0".join(name for name in children if name not in lost)
            self.hidden[row] = _NO_DIGEST
        return True

    def _examine(
        self, handle: int | Path, path: str, entries: Entries, is_trusted: bool
    ) -> tuple[list[str], Mapping[str, os.stat_result], bool] | None:
        """Find out what is visible in a directory and which of it are links to files, and whether
        the rules below are those of the last walk; None if nothing is to be seen of it."""
        row = len(self.rows)
        known = row if self._follows else self._known._tree.directories.get(path, -1)
        rules = self._known._ignore_files.get(known, ())
        children = self._recognized(entries, known) if is_trusted and known >= 0 else None
        ignore_files = None if children is None else self._unchanged(handle, path, rules)
        if children is not None and ignore_files is not None:
            digest = self._known._hidden.get(known)
        else:
            ignore_files = self._ignores.consulted(path.removesuffix("/"))
            if not path and self._ignores.directory_verdict("") is not None:
                self._note("", ignore_files)
                return None
            judged = self._judge.entries(path, entries)
            children = sorted(judged.children)
            digest = _hidden_digest(entries, children, self._key)
            for name in judged.barred:
                digest = _NO_DIGEST
                self._note(f"{path}{name}/", self._ignores.consulted(path + name))
            is_trusted = is_trusted and known >= 0 and _same_rules(rules, ignore_files)
        if digest is not None:
            self.hidden[row] = digest
        if ignore_files:
            self.ignore_files[row] = ignore_files
            self._note(path, ignore_files)
        behind = self._behind_links(path, entries) if entries.links else _NOTHING_BEHIND
        return sorted([*children, *behind]), behind, is_trusted

    def _recognized(self, entries: Entries, known: int) -> list[str] | None:
        """What is visible in a directory, links left out, if it holds what it held the last time.

        What was visible must be there, and what else is there must have the digest it had.
        """
        visible = {*_names_in(self._known_rows[known])}
        children = [name for name in entries.names if name in visible]
        if len(children) != len(visible.difference(entries.links)):
            return None
        digest = _hidden_digest(entries, children, self._key)
        return children if digest == self._known._hidden.get(known) else None

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
        # What is said of a plain file here is what `status_in` says, at half the price.
        descriptor = handle if isinstance(handle, int) and NAMES_ARE_UTF8 and not behind else None
        for name in children:
            if name[-1] == "/":
                below = path + name
                entered = self._jail.enter(handle, name[:-1], below)
                is_seen = False
                if entered is not None:
                    try:
                        is_seen = self._visit(entered, below, is_trusted)
                    finally:
                        leave(entered)
                if not is_seen:
                    self._follows = False
                    lost.append(name)
                continue
            try:
                if descriptor is not None:
                    status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                else:
                    status = behind.get(name) or status_in(handle, name)
            except (OSError, ValueError):
                lost.append(name)
                continue
            if status.st_mode & _TYPE_BITS != _REGULAR:
                lost.append(name)
                continue
            try:
                stamps += _STAMP.pack(
                    status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
                )
            except struct.error:
                stamps += _STAMP.pack(*msgspec.structs.astuple(Stamp.of(status)))
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
        if state.stamp is None or not _is_settled(state.stamp, self._known.taken_ns):
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
    directories: int
    rows: str
    hidden: dict[int, bytes]
    ignore_files: dict[int, tuple[IgnoreState, ...]]
    stamps: memoryview


_PACKED = msgspec.msgpack.Decoder(_Packed)
_DIGEST_SIZE = 16
_NO_DIGEST = bytes(_DIGEST_SIZE)
"""Of a directory that has to be judged again."""
_NOTHING_BEHIND: Mapping[str, os.stat_result] = {}
_NOTHING_KNOWN = Survey(
    policy="",
    taken_ns=0,
    stamps=array("q"),
    links=(),
    tree=_Tree([]),
    hidden={},
    ignore_files={},
    basis=b"",
    key=b"",
)
_TYPE_BITS = stat.S_IFMT(-1 & 0xFFFF)
_REGULAR = stat.S_IFREG
_STAMP = struct.Struct(f"={_COLUMNS}q")
_NO_NAMES = tuple(re.compile(each) for each in (r"\0\.\.?/?\0", r"\0/", r"/[^\0]"))
"""Each begins with what is plain, or rare: so it is looked for at the speed of a memory scan."""
_JUDGED_BY = (
    __version__,
    pathspec.__version__,
    pygit2.LIBGIT2_VERSION,
    unicodedata.unidata_version,
)
"""A newer version may judge otherwise by the same rules."""


def _unpack(packed: _Packed) -> Survey:
    rows = packed.rows.split("\n") if packed.directories else []
    files = packed.rows.count("\0") + len(rows) - rows.count("") - max(0, len(rows) - 1)
    if (
        (packed.format, packed.byte_order) != (_FORMAT, sys.byteorder)
        or len(rows) != packed.directories
        or len(packed.key) != _DIGEST_SIZE
        or len(packed.stamps) != files * _STAMP.size
    ):
        raise SurveyError("not an encoded survey of this version")
    if not _is_of_a_tree(rows):
        raise SurveyError("a survey without one of its directories")
    if not _holds_names(packed.rows):
        raise SurveyError("a survey with names that are none")
    if not all(state.is_known for states in packed.ignore_files.values() for state in states):
        raise SurveyError("a survey with unknown ignore files")
    return Survey(
        policy=packed.policy,
        taken_ns=packed.taken_ns,
        stamps=_stamps_in(packed.stamps),
        links=(),
        tree=_Tree(rows),
        hidden=packed.hidden,
        ignore_files=packed.ignore_files,
        basis=packed.basis,
        key=packed.key,
    )


def _stamps_in(packed: bytearray | memoryview) -> array[int]:
    stamps = array("q")
    stamps.frombytes(packed)
    return stamps


def _is_of_a_tree(rows: list[str]) -> bool:
    """Whether each row but the first was announced by a slash before it, and none is missing."""
    announced = list(accumulate(map(str.count, rows, repeat("/"))))
    return not rows or (
        announced[-1] == len(rows) - 1 and all(map(ge, announced, range(1, len(rows))))
    )


def _holds_names(rows: str) -> bool:
    """Whether each slash ends a name, and each name is one of something in its directory.

    A walk goes by none of these names, but who asks for paths gets them.
    """
    separated = "\0" + rows.replace("\n", "\0") + "\0"
    return not any(pattern.search(separated) for pattern in _NO_NAMES)


def _names_in(row: str) -> list[str]:
    return row.split("\0") if row else []


def _different_rows(stamps: array[int], others: array[int]) -> list[int]:
    if stamps == others:
        return []
    ours = memoryview(stamps).cast("B")
    theirs = memoryview(others).cast("B")
    return [
        place // _STAMP.size
        for place in range(0, len(ours), _STAMP.size)
        if ours[place : place + _STAMP.size] != theirs[place : place + _STAMP.size]
    ]


def _hidden_digest(entries: Entries, children: list[str], key: bytes) -> bytes | None:
    """Of all names by kind but those of visible children; None where there are no others.

    No name is empty or holds a NUL.
    """
    if len(entries.names) == len(children) and not entries.links and not entries.others:
        return None
    visible = {*children}
    hidden = [name for name in entries.names if name not in visible]
    listing = "\0".join([*hidden, "", *sorted(entries.links), "", *sorted(entries.others)])
    encoded = listing.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(encoded, digest_size=_DIGEST_SIZE, key=key).digest()


def _same_rules(states: tuple[IgnoreState, ...], others: tuple[IgnoreState, ...]) -> bool:
    return [(state.number, state.digest) for state in states] == [
        (state.number, state.digest) for state in others
    ]


def _is_settled(stamp: Stamp, taken_ns: int) -> bool:
    return max(stamp.mtime_ns, stamp.ctime_ns) + _YOUNG_NS < taken_ns


def _digest_of(value: object) -> bytes:
    return hashlib.sha256(json.dumps(value).encode("ascii")).digest()
