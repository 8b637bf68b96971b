"""Which files of a work tree git tracks, limited to those that a default rule applies to.

A *soft* rule (dependencies, build outputs, caches, large data) holds for a directory if git tracks
nothing below it: files under version control are source. The other rules hold whatever git says.
For those that a person may allow, the tracked files that they hide are counted.

Invariants:

* git's index is read in a process that can be killed (`git_ignores`), after checking that it is a
  regular file of limited size. If it cannot be read, nothing is tracked.
* Entries of submodules do not count: another repository tracks their files.
* The digest covers everything that this module returns, so that it can be part of a policy.
* If the index has the same stamp as before, it is not read until somebody asks for a path.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence

import attrs
import msgspec

from sightline.workspace.entries import Stamp
from sightline.workspace.git_folder import index_stamp
from sightline.workspace.git_ignores import GitIgnores
from sightline.workspace.jail import Jail

_YOUNG_NS = 2_000_000_000
"""The coarsest clock of a file system still in use ticks every two seconds."""


class HiddenByRule(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """How many source files a rule hides; the rule is one that a person may allow.

    Source files are those that git tracks. If git tracks none of the hidden files, they are the
    files of a known language.
    """

    rule: str
    files: int
    at_least: bool = False
    """True if counting ended at a limit."""


@attrs.frozen
class TrackedPaths:
    """The tracked files that a soft rule applies to, and those that other rules hide."""

    files: frozenset[str] = frozenset()
    directories: frozenset[str] = frozenset()
    """The directories that lead to the files, without a `/` at the end."""
    hidden: tuple[HiddenByRule, ...] = ()
    """The most files first."""

    @classmethod
    def of(cls, files: Sequence[str], hidden: Sequence[HiddenByRule]) -> TrackedPaths:
        directories: set[str] = set()
        for path in files:
            parent = path.rpartition("/")[0]
            while parent and parent not in directories:
                directories.add(parent)
                parent = parent.rpartition("/")[0]
        ordered = sorted(hidden, key=lambda each: (-each.files, each.rule))
        return cls(frozenset(files), frozenset(directories), tuple(ordered))

    @property
    def digest(self) -> bytes:
        told = [sorted(self.files), [(each.rule, each.files) for each in self.hidden]]
        return hashlib.sha256(json.dumps(told).encode("ascii")).digest()


NOTHING_TRACKED = TrackedPaths()


class TrackingRecord(msgspec.Struct, frozen=True, array_like=True):
    """What a survey stores of git's index: none of its paths."""

    rules: bytes
    """A digest of the rules by which the paths were filtered."""
    stamp: Stamp | None
    """The stamp of git's index; None if there is none that can be read."""
    taken_ns: int
    """The time before the index was checked."""
    digest: bytes
    hidden: tuple[HiddenByRule, ...]
    """By rule, counts of the tracked files that it hides."""

    def is_of(self, rules: bytes, stamp: Stamp | None) -> bool:
        """True if an index with this stamp has the recorded content."""
        return self.rules == rules and self.stamp == stamp and _is_old(stamp, self.taken_ns)


NOTHING_RECORDED = TrackingRecord(b"", None, 0, b"", ())


class GitTracking:
    """The content of git's index for one work tree."""

    def __init__(self, jail: Jail, sort: Callable[[Sequence[str]], TrackedPaths]) -> None:
        """`sort` selects the tracked paths that rules apply to."""
        self._jail = jail
        self._sort = sort
        self._git = GitIgnores(jail.root)
        self._read: tuple[Stamp | None, int, TrackedPaths] | None = None
        """The stamp and the time from before the index was read, and its content."""
        self._is_current = False

    def look_anew(self) -> None:
        self._is_current = False
        self._git.look_anew()

    @property
    def paths(self) -> TrackedPaths:
        if self._read is None or not self._is_current:
            taken_ns = time.time_ns()
            stamp = index_stamp(self._jail)
            known = self._read
            if known is None or known[0] != stamp or not _is_old(stamp, known[1]):
                known = (stamp, taken_ns, self._tracked(stamp))
            self._read, self._is_current = known, True
        return self._read[2]

    def record(self, rules: bytes, previous: TrackingRecord) -> TrackingRecord:
        """Return the current record. If the index is unchanged, `previous` avoids reading it."""
        if not self._is_current and previous.is_of(rules, index_stamp(self._jail)):
            return previous
        paths = self.paths
        assert self._read is not None
        stamp, taken_ns, _ = self._read
        return TrackingRecord(rules, stamp, taken_ns, paths.digest, paths.hidden)

    def has_read_otherwise(self, record: TrackingRecord) -> bool:
        """True if the paths that were read since then differ from the record."""
        return self._is_current and self.differs_from(record)

    def differs_from(self, record: TrackingRecord) -> bool:
        """True if the content of the index has changed."""
        return self.paths.digest != record.digest

    def _tracked(self, stamp: Stamp | None) -> TrackedPaths:
        tracked = None if stamp is None else self._git.tracked()
        return NOTHING_TRACKED if tracked is None else self._sort(tracked)


def _is_old(stamp: Stamp | None, taken_ns: int) -> bool:
    return stamp is None or max(stamp.mtime_ns, stamp.ctime_ns) + _YOUNG_NS < taken_ns
