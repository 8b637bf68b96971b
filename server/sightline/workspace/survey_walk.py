"""Taking a survey: one walk over the visible tree of a workspace.

Judging a path costs more than looking at a file, and it is a pure function of the path, its kind
and the rules. So a survey remembers, for each directory it entered, which names in it were visible
and a digest of *all others*, with their kinds. Where the next walk finds the same of both under the
same rules, it does not judge again. The rules are the same if what holds for the whole tree is
(default rules, lifts, libgit2's settings, what git tracks), and every ignore file in the directory
and above it.

Where a walk looks again, whatever is remembered:
* at the names and kinds in every directory that is entered;
* at every ignore file in one, by its stamp, or by its bytes where the stamp is too young to tell;
* at links, since what they lead to can change anywhere;
* at all of a directory that holds one which is denied by what is inside it (a malformed ignore
  file, no right to list it): nothing outside would tell that it was repaired.

Invariants: a survey equals one taken without a previous one. An ignore file is remembered as it was
when it was judged by, so a change in the middle of a walk is found by the next one. A walk looks at
no name that it has not just listed, whatever is remembered.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
import time
import unicodedata
from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import metadata
from pathlib import Path

import attrs
import msgspec
import pathspec

from sightline import __version__
from sightline.workspace.entries import (
    NAMES_ARE_UTF8,
    DirectoryEntries,
    Stamp,
    leave,
    list_entries,
    status_in,
)
from sightline.workspace.ignoring import IgnoreRules, IgnoreState
from sightline.workspace.jail import Jail
from sightline.workspace.survey import (
    DIGEST_SIZE,
    STAMP_FORMAT,
    Survey,
    SurveyTree,
    is_settled,
    names_in,
    stamps_in,
)
from sightline.workspace.tracking import NOTHING_RECORDED, HiddenByRule, TrackingRecord

_NO_DIGEST = bytes(DIGEST_SIZE)
"""Of a directory that has to be judged again."""
_NOTHING_BEHIND: Mapping[str, os.stat_result] = {}
_NOTHING_KNOWN = Survey(
    policy="",
    taken_ns=0,
    stamps=array("q"),
    links=(),
    tree=SurveyTree([]),
    hidden={},
    ignore_files={},
    basis=b"",
    key=b"",
    tracked=NOTHING_RECORDED,
    untracked=(),
)
_TYPE_BITS = stat.S_IFMT(-1 & 0xFFFF)
_REGULAR = stat.S_IFREG
_JUDGED_BY = (
    __version__,
    pathspec.__version__,
    metadata.version("pygit2"),
    unicodedata.unidata_version,
)
"""A newer version may judge otherwise by the same rules."""


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
    entries: Callable[[str, DirectoryEntries], Judged]
    """Judges what is in a directory, links left out."""
    behind: Callable[[str], os.stat_result | None]
    """The status of the visible file that a link leads to."""
    tracked: Callable[[bytes, TrackingRecord], TrackingRecord]
    """What git's index says under rules with a digest, given what it said before."""
    hidden: Callable[[Sequence[str], Collection[str]], tuple[HiddenByRule, ...]]
    """What rules hide in directories that were not entered, but for those that git tells of."""


def take_survey(jail: Jail, ignores: IgnoreRules, judge: Judge, previous: Survey | None) -> Survey:
    """Walk over the visible tree. `ignores` keeps nothing from before."""
    taken_ns = time.time_ns()
    repository = ignores.reopen_repository()
    recorded = previous.tracked if previous is not None else NOTHING_RECORDED
    tracked = judge.tracked(_digest_of([judge.basis, _JUDGED_BY]), recorded)
    basis = _digest_of([judge.basis, repository, tracked.digest.hex(), _JUDGED_BY])
    known = previous if previous is not None and previous.basis == basis else None
    key = os.urandom(DIGEST_SIZE) if previous is None else previous.key
    walk = _Walk(jail, ignores, judge, known, key)
    if not judge.is_denied:
        with ignores.along_a_walk():
            walk.visit_root()
    policy: list[object] = [judge.basis, repository, tracked.digest.hex(), sorted(walk.rules)]
    untracked = judge.hidden(walk.closed, [each.rule for each in tracked.hidden])
    if untracked:
        policy.append([msgspec.structs.astuple(each) for each in untracked])
    return Survey(
        policy=_digest_of(policy).hex(),
        taken_ns=taken_ns,
        stamps=stamps_in(walk.stamps),
        links=tuple(sorted(walk.links)),
        # The paths that were spelled out for the last survey are those of this one.
        tree=known.tree if known is not None and walk.is_as_known else SurveyTree(walk.rows),
        hidden=walk.hidden,
        ignore_files=walk.ignore_files,
        basis=basis,
        key=key,
        tracked=tracked,
        untracked=untracked,
        faulty=tuple(sorted(walk.faulty)),
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
        self.faulty: list[str] = []
        """Ignore files that could not be understood."""
        self.closed: list[str] = []
        """Directories that were not entered, each with a `/` at its end."""
        self._known_rows = self._known.tree.rows
        self._known_remarks = {*self._known.hidden, *self._known.ignore_files}
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
            if len(children) != len(entries.names):
                seen = {*children}
                self.closed += [
                    path + name for name in entries.names if name[-1] == "/" and name not in seen
                ]
            self._follows = self._follows and shown == self._known_rows[row]
        self.rows.append(shown)
        lost = self._look_at(handle, path, children, behind, is_trusted)
        if lost:
            self._follows = False
            self.rows[row] = "\0".join(name for name in children if name not in lost)
            self.hidden[row] = _NO_DIGEST
        return True

    def _examine(
        self, handle: int | Path, path: str, entries: DirectoryEntries, is_trusted: bool
    ) -> tuple[list[str], Mapping[str, os.stat_result], bool] | None:
        """Find out what is visible in a directory and which of it are links to files, and whether
        the rules below are those of the last walk; None if nothing is to be seen of it."""
        row = len(self.rows)
        known = row if self._follows else self._known.tree.directories.get(path, -1)
        rules = self._known.ignore_files.get(known, ())
        children = self._recognized(entries, known) if is_trusted and known >= 0 else None
        ignore_files = None if children is None else self._unchanged(handle, path, rules)
        if children is not None and ignore_files is not None:
            digest = self._known.hidden.get(known)
        else:
            ignore_files = self._ignores.consulted(path.removesuffix("/"))
            if self._ignores.directory_verdict(path.removesuffix("/")) is not None:
                # Git must not be asked about what is in it: it would open that ignore file.
                self._note(path, ignore_files)
                self._note_fault(path.removesuffix("/"))
                return None
            judged = self._judge.entries(path, entries)
            children = sorted(judged.children)
            digest = _hidden_digest(entries, children, self._key)
            for name in judged.barred:
                digest = _NO_DIGEST
                self._note(f"{path}{name}/", self._ignores.consulted(path + name))
                self._note_fault(path + name)
            is_trusted = is_trusted and known >= 0 and _same_rules(rules, ignore_files)
        if digest is not None:
            self.hidden[row] = digest
        if ignore_files:
            self.ignore_files[row] = ignore_files
            self._note(path, ignore_files)
        behind = self._behind_links(path, entries) if entries.links else _NOTHING_BEHIND
        return sorted([*children, *behind]), behind, is_trusted

    def _recognized(self, entries: DirectoryEntries, known: int) -> list[str] | None:
        """What is visible in a directory, links left out, if it holds what it held the last time.

        What was visible must be there, and what else is there must have the digest it had.
        """
        visible = {*names_in(self._known_rows[known])}
        children = [name for name in entries.names if name in visible]
        if len(children) != len(visible.difference(entries.links)):
            return None
        digest = _hidden_digest(entries, children, self._key)
        return children if digest == self._known.hidden.get(known) else None

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
                stamps += STAMP_FORMAT.pack(
                    status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
                )
            except struct.error:
                stamps += STAMP_FORMAT.pack(*msgspec.structs.astuple(Stamp.of(status)))
        return lost

    def _behind_links(self, path: str, entries: DirectoryEntries) -> Mapping[str, os.stat_result]:
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
        if state.stamp is None or not is_settled(state.stamp, self._known.taken_ns):
            return False
        try:
            status = status_in(handle, state.name)
        except OSError:
            return False
        return stat.S_ISREG(status.st_mode) and Stamp.of(status) == state.stamp

    def _note_fault(self, directory: str) -> None:
        verdict = self._ignores.directory_verdict(directory)
        if verdict is not None and verdict.malformed:
            self.faulty.append(verdict.source)

    def _note(self, path: str, ignore_files: tuple[IgnoreState, ...]) -> None:
        for state in ignore_files:
            if state.is_there:
                self.rules.append((path + state.name, state.digest.hex()))


def _hidden_digest(entries: DirectoryEntries, children: list[str], key: bytes) -> bytes | None:
    """Of all names by kind but those of visible children; None where there are no others.

    No name is empty or holds a NUL.
    """
    if len(entries.names) == len(children) and not entries.links and not entries.others:
        return None
    visible = {*children}
    hidden = [name for name in entries.names if name not in visible]
    listing = "\0".join([*hidden, "", *sorted(entries.links), "", *sorted(entries.others)])
    encoded = listing.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(encoded, digest_size=DIGEST_SIZE, key=key).digest()


def _same_rules(states: tuple[IgnoreState, ...], others: tuple[IgnoreState, ...]) -> bool:
    return [(state.number, state.digest) for state in states] == [
        (state.number, state.digest) for state in others
    ]


def _digest_of(value: object) -> bytes:
    return hashlib.sha256(json.dumps(value).encode("ascii")).digest()
