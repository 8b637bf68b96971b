"""Which files of a work tree git tracks, as far as a default rule is about them.

A *soft* rule (dependencies, build outputs, caches, large data) holds for a directory below which
git tracks nothing: what a project keeps under version control is its source. The other rules hold
whatever git says; of those that a person may allow, the tracked files that they hide are counted.

Invariants:

* git's index is read in a process that can be killed (`git_ignores`), after a look has shown that
  it is a regular file of bounded size. Where it cannot be read, nothing is tracked.
* Entries of submodules do not count: their files are tracked by another repository.
* The digest covers everything that this module says, so that it can be part of a policy.
* Where the index has the stamp that it had, it is not read before somebody asks for a path.
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
    """How many files of source a rule hides; the rule is one that a person may allow.

    Source is what git tracks. Where it tracks nothing that the rule hides: what is of a known
    language.
    """

    rule: str
    files: int
    at_least: bool = False
    """True if counting ended at a limit."""


@attrs.frozen
class TrackedPaths:
    """What is tracked and a soft rule is about, and what other rules hide."""

    files: frozenset[str] = frozenset()
    directories: frozenset[str] = frozenset()
    """Those that lead to the files, without a `/` at the end."""
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
    """What a survey keeps of git's index: no path of it."""

    rules: bytes
    """Digest of the rules by which the paths were sorted."""
    stamp: Stamp | None
    """Of git's index; None where there is none that can be read."""
    taken_ns: int
    """The clock before the index was looked at."""
    digest: bytes
    hidden: tuple[HiddenByRule, ...]
    """By rule, of the files that git tracks."""

    def is_of(self, rules: bytes, stamp: Stamp | None) -> bool:
        """Return True if an index with this stamp says what it said."""
        return self.rules == rules and self.stamp == stamp and _is_old(stamp, self.taken_ns)


NOTHING_RECORDED = TrackingRecord(b"", None, 0, b"", ())


class GitTracking:
    """What git's index says of one work tree, as it is when it is looked at anew."""

    def __init__(self, jail: Jail, sort: Callable[[Sequence[str]], TrackedPaths]) -> None:
        """`sort` picks those of all tracked paths that rules are about."""
        self._jail = jail
        self._sort = sort
        self._git = GitIgnores(jail.root)
        self._read: tuple[Stamp | None, int, TrackedPaths] | None = None
        """The stamp and the clock from before the index was read, and what was in it."""
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
        """Return what the index says now. `previous` saves reading it where it is as it was."""
        if not self._is_current and previous.is_of(rules, index_stamp(self._jail)):
            return previous
        paths = self.paths
        assert self._read is not None
        stamp, taken_ns, _ = self._read
        return TrackingRecord(rules, stamp, taken_ns, paths.digest, paths.hidden)

    def has_read_otherwise(self, record: TrackingRecord) -> bool:
        """Return True if the paths that were asked for since are not those of the record."""
        return self._is_current and self.differs_from(record)

    def differs_from(self, record: TrackingRecord) -> bool:
        """Return True if the index does not say what it said."""
        return self.paths.digest != record.digest

    def _tracked(self, stamp: Stamp | None) -> TrackedPaths:
        tracked = None if stamp is None else self._git.tracked()
        return NOTHING_TRACKED if tracked is None else self._sort(tracked)


def _is_old(stamp: Stamp | None, taken_ns: int) -> bool:
    return stamp is None or max(stamp.mtime_ns, stamp.ctime_ns) + _YOUNG_NS < taken_ns
