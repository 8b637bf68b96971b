"""The index of a project, and the changes that have not reached it yet.

Invariant: changes reach the index in the order in which they were put. From the first change that a
scan finds until the end of that scan, the index is not complete; a scan that finds nothing does not
change its completeness.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Set

from sightline.index import (
    Index,
    IndexChange,
    NameTable,
    RulesChanged,
    ScanBegan,
    ScanEnded,
    Snapshot,
)
from sightline.index.file_facts import PushedFacts


class ChangeQueue:
    """Any thread may put changes and take a snapshot; one scan at a time may run."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._pending: deque[IndexChange] = deque()
        self._applying = threading.Lock()
        self._has_scan_begun = False
        """True if the running scan has found anything."""

    @property
    def snapshot(self) -> Snapshot:
        """Apply all waiting changes to the index, and return its snapshot."""
        with self._applying:
            pending: list[IndexChange] = []
            while self._pending:
                pending.append(self._pending.popleft())
            return self._index.apply(*pending) if pending else self._index.snapshot

    def put(self, *changes: IndexChange) -> None:
        self._pending.extend(changes)

    def begin_scan(self) -> None:
        self._has_scan_begun = False

    def note_found(self) -> None:
        """Note that a scan has found a change and will put it."""
        if not self._has_scan_begun:
            self._has_scan_begun = True
            self._pending.append(ScanBegan())

    def put_found(self, change: IndexChange) -> None:
        """Put a change that a scan found."""
        self.note_found()
        self._pending.append(change)

    def end_scan(self, rules: RulesChanged) -> None:
        self._pending.extend([rules, ScanEnded()])

    # Saving and restoring. For the disk's thread.

    def restart(self, index: Index) -> None:
        """Continue with an index that was stored."""
        self._index = index

    def contents(self) -> tuple[NameTable, Mapping[bytes, PushedFacts]]:
        """Return the table of names, and by key the facts that are in no store."""
        with self._applying:
            return self._index.table(), self._index.packed_facts()

    def counted_terms(self) -> tuple[Mapping[bytes, PushedFacts], Set[str]]:
        """Return by key the terms that are in no store, and the files that are not counted yet."""
        with self._applying:
            return self._index.packed_terms()

    def forget_stored(self, keys: Set[bytes]) -> None:
        """Drop facts from memory that are in a store from now on."""
        with self._applying:
            self._index.forget_stored(keys)
