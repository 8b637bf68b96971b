"""Decide which files of the index have their terms counted, and where the counts come from.

The counts are made and read in `likeness`, which is imported only when somebody asks for likeness:
loading the rules for secrets takes longer than a warm start.

Invariant: a file that can be counted is in `uncounted` until its counts are available.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Set
from typing import TYPE_CHECKING

import attrs
import msgspec

from sightline.index.file_facts import FileState, LoadFacts, PushedFacts
from sightline.index.likeness.model import RULES, FileTerms

if TYPE_CHECKING:
    from sightline.index.likeness.postings import Likeness, TermCache


_DATA_ENDINGS = (
    *(".po", ".pot", ".svg", ".csv", ".tsv", ".geojson", ".ipynb", ".log", ".patch", ".diff"),
    *(".lock", "-lock.json", "-lock.yaml", ".sum", ".map", ".snap", ".golden", ".pem", ".crt"),
)
"""Files that contain data, translations or the output of a tool."""


def is_counted(path: str, state: FileState) -> bool:
    """True if the words of a file are counted: it is a text that a person wrote."""
    if state.fault or not state.digest:
        return False
    return bool(state.language) or not path.endswith(_DATA_ENDINGS)


@attrs.frozen
class TermSource:
    """The source of counted terms that were not pushed in."""

    key: bytes
    """The key for stored terms: 16 random bytes of the store."""
    load: LoadFacts

    def stored_key(self, state: FileState) -> bytes:
        """Return the key under which the terms of a file are stored."""
        version = b"terms %d " % RULES
        return hashlib.sha256(version + self.key + state.content).digest()


NO_TERMS = TermSource(bytes(16), lambda _path, _state: None)


class IndexedTerms:
    """The counts that were pushed in, and the files that are not counted. Part of an `Index`."""

    def __init__(self, source: TermSource) -> None:
        self.source = source
        self.pushed: dict[str, PushedFacts] = {}
        self.uncounted: set[str] = set()
        self._shared = _Shared(source)

    def change(
        self, path: str, before: FileState | None, now: FileState, terms: PushedFacts | None
    ) -> None:
        """Record another state of a file."""
        is_same = before is not None and (before.content, before.fault) == (now.content, now.fault)
        if is_same and terms is None:
            # The earlier counts are still valid.
            return
        self.remove(path)
        if not is_counted(path, now):
            return
        if terms is None:
            self.uncounted.add(path)
        else:
            self.pushed[path] = terms

    def take(self, path: str, terms: PushedFacts | None) -> None:
        """Record the counts of a file."""
        self.remove(path)
        if terms is not None:
            self.pushed[path] = terms

    def remove(self, path: str) -> None:
        self.pushed.pop(path, None)
        self.uncounted.discard(path)

    def forget(self, paths: Iterable[str]) -> None:
        """Drop counts that can be loaded again."""
        for path in list(paths):
            del self.pushed[path]

    def frozen(self) -> Terms:
        """Return the counts of this moment, as an immutable value."""
        return Terms(self._shared, dict(self.pushed), frozenset(self.uncounted))


class _Shared:
    """State that snapshots share: the assembled counts, made on first use."""

    def __init__(self, source: TermSource) -> None:
        self.source = source
        self._cache: TermCache | None = None

    @property
    def cache(self) -> TermCache:
        if self._cache is None:
            from sightline.index.likeness.postings import TermCache

            self._cache = TermCache(self.source.key)
        return self._cache


class Terms:
    """The counted terms of a snapshot."""

    def __init__(
        self, shared: _Shared, pushed: Mapping[str, PushedFacts], uncounted: Set[str]
    ) -> None:
        self._shared = shared
        self._pushed = pushed
        self.uncounted = uncounted

    def likeness(self, files: Mapping[str, FileState]) -> Likeness:
        """Return what ranks the units of a snapshot's files."""
        from sightline.index.likeness.postings import Likeness

        contents = {
            path: state.content
            for path, state in files.items()
            if path not in self.uncounted and is_counted(path, state)
        }
        return Likeness(self._shared.cache, contents, lambda path: self._load(path, files[path]))

    def _load(self, path: str, state: FileState) -> FileTerms | None:
        pushed = self._pushed.get(path)
        packed = pushed() if callable(pushed) else pushed
        if packed is None:
            packed = self._shared.source.load(path, state)
        return msgspec.msgpack.decode(packed, type=FileTerms) if packed is not None else None
