"""Count terms: after a scan for files on the disk, on demand for editors' texts.

Invariants:

* Terms are counted only for the text that the index has.
* A scan does not wait for them. Until the last one is counted, `Snapshot.terms_complete` is false.
* The terms of an editor's text are counted when a snapshot needs them: no keystroke waits for that.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from functools import partial

from sightline.index import FileChanged, FileState, Snapshot, TermsCounted, TermSource
from sightline.index.file_facts import PushedFacts
from sightline.index.store import Store
from sightline.project.change_queue import ChangeQueue
from sightline.project.file_states import FileStates, text_digest
from sightline.refusals import Refusal
from sightline.workers import IndexRequest, Workers, is_quarantined
from sightline.workspace import Workspace

_KEY_BYTES = 16

Progress = Callable[[int, int], None]


class TermCounting:
    """Counts terms. Any thread may request those of one text; the disk's thread counts the rest."""

    def __init__(
        self,
        workspace: Workspace,
        workers: Workers,
        store: Store | None,
        states: FileStates,
        text_of: Callable[[str, FileState], bytes | None],
    ) -> None:
        self._workspace = workspace
        self._workers = workers
        self._store = store
        self._states = states
        self._text_of = text_of
        self.source = TermSource(secrets.token_bytes(_KEY_BYTES), self._load)

    def restart(self, key: bytes) -> TermSource:
        """Continue under the key of what was stored."""
        self.source = TermSource(key, self._load)
        return self.source

    def count(self, queue: ChangeQueue, progress: Progress | None = None) -> bool:
        """Count all texts that are not counted yet. Return True if there were any."""
        snapshot = queue.snapshot
        paths = sorted(snapshot.uncounted)
        waiting: dict[int, str] = {}
        answers = self._workers.index_all(self._requests(snapshot, paths, waiting))
        for done, (request, answer) in enumerate(answers, start=1):
            path = waiting.pop(request.number)
            state = snapshot.files[path]
            if not isinstance(answer, Refusal):
                queue.put(TermsCounted(path, state.content, answer.terms))
            elif is_quarantined(answer) and state.language:
                queue.put(FileChanged(path, self._states.refused(state, answer)))
            if progress is not None:
                progress(done, len(paths))
        return bool(paths)

    def _requests(
        self, snapshot: Snapshot, paths: list[str], waiting: dict[int, str]
    ) -> Iterator[IndexRequest]:
        with self._workspace.reading() as read:
            for number, path in enumerate(paths):
                state = snapshot.files[path]
                raw = read(path)
                if isinstance(raw, Refusal) or text_digest(raw) != state.digest:
                    # The next scan reads the current text.
                    continue
                facts = snapshot.packed_facts(path, state) if state.language else b""
                if facts is not None:
                    waiting[number] = path
                    yield IndexRequest(number, state.language, raw.data, facts, self.source.key)

    def of_editor(self, state: FileState, text: bytes, facts: PushedFacts | None) -> PushedFacts:
        """Return a loader that counts the terms of an editor's text when first called."""
        return _EditorTerms(self._workers, self.source.key, state, text, facts)

    def stored(self, state: FileState) -> PushedFacts | None:
        """Return a loader of a text's terms from the store; None if the store has none."""
        if self._store is None or not self._store.has(self.source.stored_key(state)):
            return None
        return partial(self._store.get, self.source.stored_key(state))

    def _load(self, path: str, state: FileState) -> bytes | None:
        """Return terms that are not in memory: from the store, or counted again."""
        stored = self._store.get(self.source.stored_key(state)) if self._store else None
        if stored is not None:
            return stored
        text = self._text_of(path, state)
        if text is None:
            return None
        facts = b""
        if state.language:
            answer = self._workers.index(IndexRequest(0, state.language, text))
            if isinstance(answer, Refusal):
                return None
            facts = answer.facts
        return _EditorTerms(self._workers, self.source.key, state, text, facts)()


class _EditorTerms:
    """The terms of one text of a document, counted when first needed. Any thread may call it."""

    def __init__(
        self,
        workers: Workers,
        key: bytes,
        state: FileState,
        text: bytes,
        facts: PushedFacts | None,
    ) -> None:
        self._workers = workers
        self._key = key
        self._language = state.language
        self._text: bytes | None = text
        self._facts = facts
        self._packed: bytes | None = None
        self._asking = threading.Lock()

    def __call__(self) -> bytes | None:
        with self._asking:
            if self._text is not None:
                facts = self._facts() if callable(self._facts) else self._facts
                if facts is None and self._language:
                    return None
                request = IndexRequest(0, self._language, self._text, facts or b"", self._key)
                answer = self._workers.index(request)
                if isinstance(answer, Refusal):
                    return None
                self._packed, self._text, self._facts = answer.terms, None, None
            return self._packed
