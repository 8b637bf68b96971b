"""A survey: every visible file of a workspace with its stamp, at one time.

`survey_walk` takes surveys, `survey_codec` stores them; this module defines their contents.

Invariants: a survey never changes. It can be stored, because it contains no denied name, only a
keyed digest. It consists of a few columns, and paths are built only on demand: if nothing has
changed, none are needed.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator, Mapping
from functools import cached_property

import attrs

from sightline.workspace.entries import Stamp
from sightline.workspace.ignoring import IgnoreState
from sightline.workspace.tracking import HiddenByRule, TrackingRecord

DIGEST_SIZE = 16
"""The size of the digests in `Survey.hidden`, and of their key."""

_STAMP_FIELDS = 4
STAMP_FORMAT = struct.Struct(f"={_STAMP_FIELDS}q")
"""One stamp in `Survey.stamps`."""

_YOUNG_NS = 2_000_000_000
"""The coarsest clock of a file system still in use ticks every two seconds."""


class SurveyTree:
    """The visible names, in rows: one for each directory, followed by those of the directories
    below it.

    A row contains the visible names in bytewise order, a `/` at the end of a directory's, joined by
    NUL.
    """

    def __init__(self, rows: list[str]) -> None:
        self.rows = rows

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all files."""
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
        """Return the paths of directories and of files, each in the order of a walk."""
        rows = self.rows
        directories: list[str] = []
        files: list[str] = []
        pending: list[tuple[str, Iterator[str]]] = []
        if rows:
            directories.append("")
            pending.append(("", iter(names_in(rows[0]))))
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
        "basis",
        "faulty",
        "hidden",
        "ignore_files",
        "key",
        "links",
        "policy",
        "stamps",
        "taken_ns",
        "tracked",
        "tree",
        "untracked",
    )

    def __init__(
        self,
        *,
        policy: str,
        taken_ns: int,
        stamps: array[int],
        links: tuple[str, ...],
        tree: SurveyTree,
        hidden: dict[int, bytes],
        ignore_files: dict[int, tuple[IgnoreState, ...]],
        basis: bytes,
        key: bytes,
        tracked: TrackingRecord,
        untracked: tuple[HiddenByRule, ...],
        faulty: tuple[str, ...] = (),
    ) -> None:
        self.policy = policy
        """SHA-256, in hexadecimal, of everything that decides what is visible; the same on every
        machine.
        """
        self.taken_ns = taken_ns
        """The time when the walk began. A file with a later stamp may change
        without a new stamp.
        """
        self.stamps = stamps
        """Four integers for each path, in the order of the fields of `Stamp`."""
        self.links = links
        """Those of the paths that are links. Not stored: each walk checks them again."""
        self.tree = tree
        self.hidden = hidden
        """By row of the tree: a digest of everything in the directory that is not shown, links
        included.
        """
        self.ignore_files = ignore_files
        """By row of the tree: the ignore files in the directory, in the state that was used."""
        self.basis = basis
        """A digest of the rules for the whole tree."""
        self.key = key
        """The key of the digests in `hidden`."""
        self.tracked = tracked
        """The content of git's index that was used."""
        self.untracked = untracked
        """What rules hide and git's index does not contain."""
        self.faulty = faulty
        """Ignore files that were not understood, so that everything they may apply to is withheld,
        with the line if one is the reason. Not stored: each walk checks them again.
        """

    @property
    def hidden_by_rule(self) -> tuple[HiddenByRule, ...]:
        """Return how many source files each rule hides that a person may allow, the most first."""
        return (*self.tracked.hidden, *self.untracked)

    @property
    def file_count(self) -> int:
        return len(self.stamps) // _STAMP_FIELDS

    @property
    def paths(self) -> tuple[str, ...]:
        """In bytewise order of their UTF-8."""
        return self.tree.paths

    @property
    def rows(self) -> Mapping[str, int]:
        """The place of each path in `paths`."""
        return self.tree.places

    @property
    def files(self) -> Mapping[str, Stamp]:
        """All stamps by path, in the order of `paths`."""
        return dict(zip(self.paths, self._all_stamps(), strict=True))

    @property
    def directories(self) -> list[str]:
        """Every directory whose contents may be visible; the root is an empty path."""
        return [path.removesuffix("/") for path in self.tree.directories]

    @property
    def repositories(self) -> list[str]:
        """The directories that contain a `.git`."""
        return [
            path.removesuffix("/")
            for path, row in self.tree.directories.items()
            if any(state.is_of_git for state in self.ignore_files.get(row, ()))
        ]

    def stamp(self, path: str) -> Stamp | None:
        """The stamp of a visible file; None for any other path."""
        row = self.rows.get(path)
        return None if row is None else self._stamp_at(row)

    def is_settled(self, path: str) -> bool:
        """True if a file's stamp is so old that its bytes cannot have changed since."""
        stamp = self.stamp(path)
        return stamp is not None and is_settled(stamp, self.taken_ns)

    def since(self, previous: Survey) -> SurveyDifference:
        """Return the differences from an earlier survey, by path and stamp."""
        if self.tree is previous.tree or self.tree.rows == previous.tree.rows:
            rows = _different_rows(self.stamps, previous.stamps)
            return SurveyDifference((), tuple(self.paths[row] for row in rows), ())
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
        return SurveyDifference(tuple(added), tuple(changed), tuple(removed))

    def _stamp_at(self, row: int) -> Stamp:
        return Stamp(*self.stamps[row * _STAMP_FIELDS : (row + 1) * _STAMP_FIELDS])

    def _all_stamps(self) -> Iterator[Stamp]:
        values = iter(self.stamps)
        return map(Stamp, values, values, values, values)


@attrs.frozen
class SurveyDifference:
    """Paths that only one of two surveys has, or that have another stamp; each in order."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


def names_in(row: str) -> list[str]:
    """The names in a row of a `SurveyTree`."""
    return row.split("\0") if row else []


def is_settled(stamp: Stamp, taken_ns: int) -> bool:
    """True if a file that had this stamp at that time cannot change and keep it."""
    return max(stamp.mtime_ns, stamp.ctime_ns) + _YOUNG_NS < taken_ns


def stamps_in(packed: bytearray | memoryview) -> array[int]:
    """The column of stamps in packed ones; see `STAMP_FORMAT`."""
    stamps = array("q")
    stamps.frombytes(packed)
    return stamps


def _different_rows(stamps: array[int], others: array[int]) -> list[int]:
    if stamps == others:
        return []
    ours = memoryview(stamps).cast("B")
    theirs = memoryview(others).cast("B")
    return [
        place // STAMP_FORMAT.size
        for place in range(0, len(ours), STAMP_FORMAT.size)
        if ours[place : place + STAMP_FORMAT.size] != theirs[place : place + STAMP_FORMAT.size]
    ]
