"""The index of a workspace: mutable `Index`, immutable `Snapshot`.

A change goes in through `Index.apply`; whoever reads holds a snapshot, which stays as it is
whatever happens next. References are kept by name and resolved when somebody asks, so a change
to one file relinks its callers without touching theirs.

Invariants:

* No I/O, no clock: facts are pushed in, or loaded by the function the index was given.
* What a snapshot says depends neither on the order of changes nor on what was there before.
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
    """None where there are none, or where they are loaded when needed."""
    keys: bytes | None = None
    """Packed name keys; made from the facts where they are not given."""
    has_exact_keys: bool = True
    """Whether there are no keys too many: of names that an edit has taken away."""
    terms: PushedFacts | None = None
    """Its counted terms, packed; None where they are counted later."""


@attrs.frozen
class FileRemoved:
    path: str


@attrs.frozen
class TermsCounted:
    """The terms of a file are there."""

    path: str
    content: bytes
    """Of which content; see `FileState.content`. Of another one they are not taken."""
    terms: PushedFacts | None
    """Packed; None where they are loaded when needed."""


@attrs.frozen
class RulesChanged:
    """What decides over visibility, or how files are read, is another."""

    policy: str
    """A digest of the rules that decide which files are visible."""
    toolchain: Mapping[str, str]
    """By language, a digest of its grammar and its query."""
    hidden: tuple[HiddenFiles, ...] = ()
    """What rules hide of the source; the policy covers it."""


@attrs.frozen
class ScanBegan:
    """Files are being looked at; until the end, some are as they were before."""


@attrs.frozen
class ScanEnded:
    """Every visible file has been applied."""


IndexChange = FileChanged | FileRemoved | TermsCounted | RulesChanged | ScanBegan | ScanEnded


class Index:
    """Takes changes and hands out snapshots. One thread at a time may apply changes."""

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
        """Of the files that were pushed in with keys too many."""
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
        """An index as it was when its files and its table were stored."""
        index = cls(languages, load, terms)
        index._terms.uncounted.update(uncounted)
        index._files = files
        index._table = table
        index._policy = rules.policy
        index._hidden = rules.hidden
        index._toolchain = rules.toolchain
        return index

    def apply(self, *changes: IndexChange) -> Snapshot:
        """Take changes in, in order, and give the snapshot after the last one."""
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
        """Facts that were pushed in, by their keys: what a store does not have yet."""
        files = self._files.value
        return {files[path].key: facts for path, facts in self._facts.items()}

    def terms_key(self, state: FileState) -> bytes:
        """Return under which key the terms of a file are stored."""
        return self._terms.source.stored_key(state)

    def packed_terms(self) -> tuple[Mapping[bytes, PushedFacts], Set[str]]:
        """Return terms that were pushed in, by their keys, and the files that have none yet."""
        files = self._files.value
        pushed = self._terms.pushed
        by_key = {self.terms_key(files[path]): terms for path, terms in pushed.items()}
        return by_key, frozenset(self._terms.uncounted)

    def forget_stored(self, stored: Set[bytes]) -> None:
        """Forget facts that have been stored: they are loaded again when needed."""
        files = self._files.value
        self._facts = {
            path: facts for path, facts in self._facts.items() if files[path].key not in stored
        }
        self._terms.forget(
            path for path in self._terms.pushed if self.terms_key(files[path]) in stored
        )
        self._snapshot = None

    def rebuilt_names(self) -> Column:
        """The column of the name table, made from the facts of every file."""
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
        """The name table with every change in it."""
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
                # An edit mostly brings no new name, and then the very keys from before.
                known = self._key_sets[path] = (keys, frozenset(unpack_keys(keys or b"")))
            self._table = self._table.with_file(path, known[1], self._exact.get(path))

    def _exact_keys(self, change: FileChanged) -> frozenset[int]:
        pushed = {change.path: change.facts} if change.facts is not None else {}
        facts = Loader(pushed, self._load)(change.path, change.state)
        if facts is None:
            return frozenset(unpack_keys(change.keys or b""))
        return frozenset(name_keys(facts, self._languages[change.state.language]))

    def _rebuild_table(self) -> None:
        """Make one sorted column of all keys: those of the old one, and those that changed."""
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
