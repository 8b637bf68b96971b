"""The index of a workspace: mutable `Index`, immutable `Snapshot`.

A change goes in through `Index.apply`. Readers hold a snapshot, which never changes. References are
kept by name and resolved on demand, so a change to one file relinks its callers without touching
their facts.

Invariants:

* No I/O, no clock: facts are pushed in, or loaded by the function that the index was given.
* A snapshot's answers depend neither on the order of changes nor on earlier states.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

import attrs

from sightline.bundle import HiddenFiles
from sightline.index.file_facts import (
    PENDING,
    FileState,
    Loader,
    LoadFacts,
    PushedFacts,
    ScopeCache,
)
from sightline.index.indexed_terms import NO_TERMS, IndexedTerms, TermSource
from sightline.index.name_table import EMPTY, Column, Lazy, NameTable, build, pack_keys, unpack_keys
from sightline.index.snapshot import Snapshot
from sightline.languages import Language
from sightline.symbols.facts import name_keys


@attrs.frozen
class FileChanged:
    """A file is new or has another content."""

    path: str
    state: FileState
    facts: PushedFacts | None = None
    """None if there are none, or if they are loaded when needed."""
    keys: bytes | None = None
    """Packed name keys; derived from the facts if not given."""
    has_exact_keys: bool = True
    """False if there may be keys too many: of names that an edit has removed."""
    terms: PushedFacts | None = None
    """Its counted terms, packed; None if they are counted later."""


@attrs.frozen
class FileRemoved:
    path: str


@attrs.frozen
class TermsCounted:
    """The terms of a file have been counted."""

    path: str
    content: bytes
    """The content that was counted; see `FileState.content`. Terms of another
    content are ignored.
    """
    terms: PushedFacts | None
    """Packed; None if they are loaded when needed."""


@attrs.frozen
class RulesChanged:
    """The rules for visibility, or the tools that read files, have changed."""

    policy: str
    """A digest of the rules that decide which files are visible."""
    toolchain: Mapping[str, str]
    """By language, a digest of its grammar and its query."""
    hidden: tuple[HiddenFiles, ...] = ()
    """Source files that rules hide; the policy's digest covers it."""


@attrs.frozen
class ScanBegan:
    """A scan has begun; until it ends, some files may have older states."""


@attrs.frozen
class ScanEnded:
    """Every visible file has been applied."""


IndexChange = FileChanged | FileRemoved | TermsCounted | RulesChanged | ScanBegan | ScanEnded


class Index:
    """Takes changes and returns snapshots. Only one thread at a time may apply changes."""

    def __init__(
        self,
        languages: Mapping[str, Language],
        load: LoadFacts,
        terms: TermSource = NO_TERMS,
    ) -> None:
        self._languages = languages
        self._load = load
        self._terms = IndexedTerms(terms)
        self._scopes = ScopeCache(languages)
        self._files: Lazy[Mapping[str, FileState]] = Lazy(dict)
        self._facts: dict[str, PushedFacts] = {}
        self._keys: dict[str, bytes] = {}
        self._key_sets: dict[str, tuple[bytes | None, frozenset[int]]] = {}
        self._exact: dict[str, Lazy[frozenset[int]]] = {}
        """Of the files that were pushed in with too many keys."""
        self._table = EMPTY
        self._policy = ""
        self._hidden: tuple[HiddenFiles, ...] = ()
        self._toolchain: Mapping[str, str] = {}
        self._is_scanned = False
        self._pending: set[str] = set()
        self._snapshot: Snapshot | None = None

    @classmethod
    def restored(
        cls,
        languages: Mapping[str, Language],
        load: LoadFacts,
        files: Lazy[Mapping[str, FileState]],
        table: NameTable,
        rules: RulesChanged,
        terms: TermSource = NO_TERMS,
        uncounted: Set[str] = frozenset(),
    ) -> Index:
        """Return an index in the state in which its files and its table were stored."""
        index = cls(languages, load, terms)
        index._terms.uncounted.update(uncounted)
        index._files = files
        index._table = table
        index._policy = rules.policy
        index._hidden = rules.hidden
        index._toolchain = rules.toolchain
        return index

    def apply(self, *changes: IndexChange) -> Snapshot:
        """Apply changes in order, and return the snapshot after the last one."""
        changed_files = sum(isinstance(each, FileChanged | FileRemoved) for each in changes)
        has_other_files = bool(changed_files)
        files = dict(self._files.value) if has_other_files else {}
        many = changed_files > 64
        for change in changes:
            if isinstance(change, FileChanged):
                self._terms.change(change.path, files.get(change.path), change.state, change.terms)
                files[change.path] = change.state
                self._note_pending(change.path, change.state.fault == PENDING)
                self._change_facts(change, deferred=many)
            elif isinstance(change, FileRemoved):
                files.pop(change.path, None)
                self._terms.remove(change.path)
                self._note_pending(change.path, False)
                self._facts.pop(change.path, None)
                self._keys.pop(change.path, None)
                self._exact.pop(change.path, None)
                self._table = self._table.with_file(change.path, frozenset())
                self._key_sets.pop(change.path, None)
            elif isinstance(change, TermsCounted):
                state = (files or self._files.value).get(change.path)
                if state is not None and state.content == change.content:
                    self._terms.take(change.path, change.terms)
            elif isinstance(change, RulesChanged):
                self._policy = change.policy
                self._hidden = change.hidden
                self._toolchain = change.toolchain
            else:
                self._is_scanned = isinstance(change, ScanEnded)
        if has_other_files:
            self._files = Lazy(lambda: files)
        if self._table.is_scattered or many:
            self._rebuild_table()
        self._snapshot = None
        return self.snapshot

    @property
    def snapshot(self) -> Snapshot:
        if self._snapshot is None:
            self._snapshot = Snapshot(
                self._files,
                self._table,
                self._is_scanned,
                frozenset(self._pending),
                self._policy,
                self._toolchain,
                self._languages,
                Loader(dict(self._facts), self._load),
                self._scopes,
                self._hidden,
                self._terms.frozen(),
            )
        return self._snapshot

    def packed_facts(self) -> Mapping[bytes, PushedFacts]:
        """Return facts that were pushed in, by key: those that a store does not have yet."""
        files = self._files.value
        return {files[path].key: facts for path, facts in self._facts.items()}

    def terms_key(self, state: FileState) -> bytes:
        """Return under which key the terms of a file are stored."""
        return self._terms.source.stored_key(state)

    def packed_terms(self) -> tuple[Mapping[bytes, PushedFacts], Set[str]]:
        """Return terms that were pushed in, by key, and the files that have none yet."""
        files = self._files.value
        pushed = self._terms.pushed
        by_key = {self.terms_key(files[path]): terms for path, terms in pushed.items()}
        return by_key, frozenset(self._terms.uncounted)

    def forget_stored(self, stored: Set[bytes]) -> None:
        """Drop facts that have been stored: they are loaded again when needed."""
        files = self._files.value
        self._facts = {
            path: facts for path, facts in self._facts.items() if files[path].key not in stored
        }
        self._terms.forget(
            path for path in self._terms.pushed if self.terms_key(files[path]) in stored
        )
        self._snapshot = None

    def rebuilt_names(self) -> Column:
        """Return the column of the name table, built from the facts of every file."""
        table = build(
            {
                path: pack_keys(sorted(name_keys(facts, self._languages[state.language])))
                for path, state in self._files.value.items()
                if state.language and not state.fault
                if (facts := Loader(self._facts, self._load)(path, state)) is not None
            }
        )
        return table.base

    def table(self) -> NameTable:
        """The name table with all changes applied."""
        if self._table.changed:
            self._rebuild_table()
        return self._table

    def _note_pending(self, path: str, is_pending: bool) -> None:
        if is_pending:
            self._pending.add(path)
        else:
            self._pending.discard(path)

    def _change_facts(self, change: FileChanged, *, deferred: bool) -> None:
        path = change.path
        keys = change.keys
        if change.facts is None:
            self._facts.pop(path, None)
        else:
            self._facts[path] = change.facts
        if keys is None and change.state.language and not change.state.fault:
            facts = Loader(self._facts, self._load)(path, change.state)
            if facts is not None:
                keys = pack_keys(sorted(name_keys(facts, self._languages[change.state.language])))
        self._keys[path] = keys or b""
        self._exact.pop(path, None)
        if not change.has_exact_keys:
            self._exact[path] = Lazy(lambda: self._exact_keys(change))
        if not deferred:
            known = self._key_sets.get(path)
            if known is None or known[0] is not keys:
                # Most edits add no new name; then the very same keys are kept.
                known = self._key_sets[path] = (keys, frozenset(unpack_keys(keys or b"")))
            self._table = self._table.with_file(path, known[1], self._exact.get(path))

    def _exact_keys(self, change: FileChanged) -> frozenset[int]:
        pushed = {change.path: change.facts} if change.facts is not None else {}
        facts = Loader(pushed, self._load)(change.path, change.state)
        if facts is None:
            return frozenset(unpack_keys(change.keys or b""))
        return frozenset(name_keys(facts, self._languages[change.state.language]))

    def _rebuild_table(self) -> None:
        """Build one sorted column of all keys: the old ones and those that changed."""
        files = self._files.value
        keys = {path: keys for path, keys in self._keys.items() if path in files}
        for path, exact in self._exact.items():
            keys[path] = pack_keys(sorted(exact.value))
        old = self._table
        kept = {
            number: path
            for number, path in enumerate(old.paths)
            if path in files and path not in self._keys
        }
        self._table = build(keys, old.column, kept)
        self._keys = {}
        self._key_sets = {}
        self._exact = {}
