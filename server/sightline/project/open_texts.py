"""Texts that are open in an editor, which replace the disk's.

Invariants:

* An open document counts as its editor's text, whatever is on the disk.
* A text that would not be read from the disk, because of its path, size or bytes, is not read from
  an editor either: it waits until the policy changes.
* An edit parses only what it touched.
* After `leave_slow_texts`, no text blocks its thread for longer than a fraction of a second of
  processor time, nor do several in a row. A slow text is *pending* until its facts are ready: its
  text is known and is part of the fingerprint, and a snapshot with it is not complete. If it is
  edited meanwhile, only the last text is parsed, and answers for older texts are dropped.
"""

from __future__ import annotations

import hashlib
import itertools
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from functools import cache

import attrs

from sightline.index import FileChanged, FileRemoved, FileState, Snapshot
from sightline.languages import Registry
from sightline.project.change_queue import ChangeQueue
from sightline.project.file_states import FileStates, counted, pending
from sightline.project.statistics import Statistics
from sightline.project.term_counting import TermCounting
from sightline.refusals import Refusal, RefusalKind
from sightline.text import Text, TextSpliced
from sightline.workers import (
    EditRequest,
    FactsRequest,
    IndexAnswer,
    IndexRequest,
    TooSlow,
    Workers,
    WorkFuture,
)
from sightline.workspace import DiskDocument, Workspace

_NUMBERS = itertools.count()
"""Numbers of documents, in all projects of this process: they may share workers."""
_REVISIONS = itertools.count()
"""Revisions of the texts of all documents."""
_LITTLE_PATIENCE_SECONDS = 0.05
"""Processor time to wait for a text while another one is pending."""
_LARGE_BYTES = 1 << 16
"""Above this size, a text is not waited for while another one is pending."""


@attrs.define
class OpenText:
    """A text that is open in an editor."""

    number: int
    """The number by which a worker knows the text. Never reused: a worker may still hold the old
    one.
    """
    text: Text
    """The same object that the editor's front has: edits are applied there, and only there."""
    version: int | None
    """The editor's count of its changes."""
    change: FileChanged | None = None
    """The change that the index received for it; None while policy withholds it, unread."""
    is_followed: bool = False
    """True if the worker that follows edits was given this text. It may hold an older revision."""
    slow_size: int = 0
    """The size of its last text that took long to parse; 0 if none did."""
    parsing: WorkFuture[IndexAnswer | Refusal] | None = None
    """The parse that it waits for; it may be of an older text if it was edited since."""

    def is_slow_at(self, size: int) -> bool:
        """True if a text of this size is parsed whole without waiting: a similar one took long."""
        return bool(self.slow_size) and 2 * size > self.slow_size


@attrs.frozen
class EditorText:
    """An editor's text of a file."""

    text: Text
    version: int | None


class OpenTexts:
    """Open texts by path.

    The editors' thread calls `show`, `edit`, `read` and `judge`; the disk's thread calls the rest.
    They may run at the same time: `_changing` is held while a text is replaced.
    """

    def __init__(
        self,
        workspace: Workspace,
        registry: Registry,
        workers: Workers,
        states: FileStates,
        queue: ChangeQueue,
        statistics: Statistics,
        terms: TermCounting,
    ) -> None:
        self._workspace = workspace
        self._registry = registry
        self._workers = workers
        self._states = states
        self._queue = queue
        self._statistics = statistics
        self._terms = terms
        self._open: dict[str, OpenText] = {}
        self._changing = threading.RLock()
        self._door: Workspace | None = None
        """For the editors' thread: a workspace may be used by one thread only."""
        self._is_door_stale = False
        self._settled: Callable[[], object] | None = None
        """Called when a text is not pending any more; None if every text is waited for."""

    def leave_slow_texts(self, settled: Callable[[], object]) -> None:
        """Do not wait for texts that are slow to parse; `settled` is called when one is done, on
        any thread.

        Must be called before any text is opened.
        """
        self._settled = settled
        self._workers.stay_ready()

    # The editors' thread.

    def show(self, path: str, text: Text, version: int | None = None) -> Snapshot | Refusal:
        """Use an editor's text for a file, saved or not, instead of the disk's.

        A text that policy withholds waits, unread, until the policy changes.
        """
        refusal = _withheld(self.fresh_door(), path, text)
        if self._settled is not None:
            self._workers.prepare()
        with self._changing:
            shown = self._open.get(path)
            number = next(_NUMBERS) if shown is None else shown.number
            document = self._open[path] = OpenText(number, text, version)
            if shown is not None:
                document.slow_size, document.parsing = shown.slow_size, shown.parsing
            if refusal is not None:
                if path in self._queue.snapshot.files:
                    self._queue.put(FileRemoved(path))
                return refusal
            self._take(path, document)
        return self._queue.snapshot

    def edit(
        self, path: str, edits: Sequence[TextSpliced], version: int | None = None
    ) -> Snapshot | Refusal:
        """Apply edits, each made to the result of the one before.

        The rest of the text is not parsed again. If the open text is not the one that the edits
        were made to, the resulting text is used whole.
        """
        with self._changing:
            document = self._open.get(path)
            if document is None or document.text is not edits[0].before:
                return self.show(path, edits[-1].after, version)
            refusal: Refusal | None = None
            for each in edits:
                refusal = self._take_edit(path, each, version)
        return refusal or self._queue.snapshot

    def _take_edit(self, path: str, edit: TextSpliced, version: int | None) -> Refusal | None:
        document, text = self._open[path], edit.after
        data = text.data
        known = document.change
        language = self._registry.for_path(path, data)
        if (
            known is None
            or language is None
            or language.name != known.state.language
            or document.is_slow_at(len(data))
        ):
            return _refusal(self.show(path, text, version))

        @cache
        def judged() -> tuple[FileState, Refusal | None]:
            state = self._states.of(path, data, hashlib.sha256(data).digest())
            return state, self.fresh_door().judge_text(path, data)

        if self._states.quarantine.has_records and self._states.set_aside(judged()[0]) is not None:
            return _refusal(self.show(path, text, version))
        document.text = text
        document.version = version
        given = None if document.is_followed else data
        number, revision, span = document.number, next(_REVISIONS), edit.span
        request = EditRequest(
            number, revision, language.name, span.start, span.end, edit.replacement, given
        )
        # Until there is an answer, it is unknown which text the worker holds.
        document.is_followed = False
        answer = self._workers.edit(
            request, data, meanwhile=judged, is_patient=self._settled is None
        )
        self._statistics.parsed += 1
        state, refusal = judged()
        if isinstance(answer, TooSlow):
            document.slow_size = len(data)
        if refusal is not None or isinstance(answer, TooSlow):
            return _refusal(self.show(path, text, version))
        document.is_followed = not isinstance(answer, Refusal)
        if isinstance(answer, Refusal):
            document.change = FileChanged(path, self._states.refused(state, answer))
        else:
            keys = answer.keys if answer.has_all_keys else (known.keys or b"") + answer.keys
            facts = _EditedFacts(self._workers, FactsRequest(number, revision, language.name), data)
            terms = self._terms.of_editor(state, data, facts)
            document.change = FileChanged(
                path, counted(state, answer), facts, keys, answer.has_all_keys, terms
            )
        self._queue.put(document.change)
        return None

    def read(self, path: str) -> EditorText | DiskDocument | Refusal:
        """Return a file as it is now: the editor's text if it is open, else the disk's."""
        document = self._open.get(path)
        if document is None:
            return self.fresh_door().read(path)
        refusal = _withheld(self.fresh_door(), path, document.text)
        return refusal or EditorText(document.text, document.version)

    def fresh_door(self) -> Workspace:
        """Return the workspace for reading, with the rules as they are now."""
        if self._door is None:
            self._door = self._workspace.copy()
        if self._is_door_stale:
            self._is_door_stale = False
            self._door.refresh()
        return self._door

    # Any thread.

    def text_of(self, path: str) -> Text | None:
        """Return the text that an editor has for a file, if it is open."""
        document = self._open.get(path)
        return document.text if document is not None else None

    def mark_rules_stale(self) -> None:
        """Let the next reader load the rules again."""
        self._is_door_stale = True

    def text_with(self, path: str, digest: bytes) -> tuple[bool, bytes | None]:
        """Return whether a path is open and indexed, and its text if it has that digest."""
        document = self._open.get(path)
        if document is None or document.change is None:
            return False, None
        is_same = document.change.state.digest == digest
        return True, document.text.data if is_same else None

    # The disk's thread.

    def state_of(self, path: str) -> FileState | None:
        """Return the state that the index has for an open text; None if it has none."""
        document = self._open.get(path)
        return document.change.state if document is not None and document.change else None

    def states(self) -> list[tuple[str, FileState | None]]:
        """Return each open path with the state that the index has for its text."""
        with self._changing:
            return [
                (path, document.change.state if document.change is not None else None)
                for path, document in self._open.items()
            ]

    def close(self, path: str, text: Text | None) -> OpenText | None:
        """Remove an editor's text, and return it.

        With a `text`, only if it is still that one: the file may have been opened again meanwhile.
        """
        with self._changing:
            document = self._open.get(path)
            if document is None or (text is not None and document.text is not text):
                return None
            return self._open.pop(path)

    def put_changed(self, change: FileChanged) -> None:
        """Queue a change that was found on the disk, unless the file is open in an editor."""
        with self._changing:
            if change.path not in self._open:
                self._queue.put_found(change)

    def put_removed(self, path: str) -> None:
        """Queue the removal of a file, unless the index has an editor's text for it."""
        with self._changing:
            if self.state_of(path) is None:
                self._queue.put_found(FileRemoved(path))

    def judge_again(self) -> None:
        """Withdraw open texts that are now denied, and add those that are now allowed."""
        with self._changing:
            self._is_door_stale = True
            for path, document in self._open.items():
                is_denied = _withheld(self._workspace, path, document.text) is not None
                if is_denied and document.change is not None:
                    document.change = None
                    self._queue.put_found(FileRemoved(path))
                elif not is_denied and document.change is None:
                    self._take(path, document)

    def forget_told(self) -> None:
        """Send every text again, to a new index."""
        with self._changing:
            for document in self._open.values():
                document.change = None

    def _take(self, path: str, document: OpenText) -> bool:
        """Parse a text and pass the result to the index. Return False if it is pending."""
        text = document.text.data
        state = self._states.of(path, text, hashlib.sha256(text).digest())
        known = self._states.set_aside(state)
        if known is not None or not state.language:
            terms = None if known is not None else self._terms.of_editor(state, text, None)
            self._tell(document, FileChanged(path, known or state, terms=terms))
            return True
        if document.parsing is not None and not document.parsing.done():
            # The handler of its answer will find a newer text.
            self._tell(document, FileChanged(path, pending(state)))
            return False
        parsing = self._workers.begin_index(IndexRequest(0, state.language, text))
        self._statistics.parsed += 1
        is_any_pending = any(
            each.parsing and not each.parsing.done() for each in self._open.values()
        )
        if self._settled is None or _is_done_soon(document, parsing, is_any_pending=is_any_pending):
            self._tell(document, self._change_of(path, state, text, parsing.result()))
            return True
        document.slow_size, document.parsing = len(text), parsing
        self._tell(document, FileChanged(path, pending(state)))
        parsing.add_done_callback(lambda _: self._settle(path, state, text, parsing))
        return False

    def _settle(
        self,
        path: str,
        state: FileState,
        text: bytes,
        parsing: WorkFuture[IndexAnswer | Refusal],
    ) -> None:
        """Use the answer for a pending text, or go on with the newer text if it was edited.

        Runs on the thread that has the answer.
        """
        if parsing.cancelled() or parsing.exception() is not None or self._settled is None:
            # The workers were closed.
            return
        with self._changing:
            answered = self._change_of(path, state, text, parsing.result())
            document = self._open.get(path)
            if document is None or document.parsing is not parsing or document.change is None:
                return
            document.parsing = None
            if document.change.state.digest == state.digest:
                self._tell(document, answered)
            elif not self._take(path, document):
                return
        self._settled()

    def _tell(self, document: OpenText, change: FileChanged) -> None:
        document.change = change
        # It may be the first file of its language.
        self._queue.put(change, self._states.rules)

    def _change_of(
        self, path: str, state: FileState, text: bytes, answer: IndexAnswer | Refusal
    ) -> FileChanged:
        if isinstance(answer, Refusal):
            return FileChanged(path, self._states.refused(state, answer))
        terms = self._terms.of_editor(state, text, answer.facts)
        return FileChanged(path, counted(state, answer), answer.facts, answer.keys, terms=terms)

    # Any thread: quarantine.

    def parse_of_pending(self, path: str) -> Future[IndexAnswer | Refusal] | None:
        """Return the parse that a pending text waits for; None if it is not pending."""
        document = self._open.get(path)
        return document.parsing if document is not None else None

    def take_limited(self, path: str, state: FileState) -> bool:
        """Tell the index that an open text is in quarantine. Return False if it is not open."""
        with self._changing:
            document = self._open.get(path)
            if document is None or document.change is None:
                return False
            if document.change.state.digest == state.digest:
                document.is_followed = False
                self._tell(document, FileChanged(path, state))
            return True

    def take_again(self, paths: Collection[str]) -> None:
        """Parse open texts again that have left quarantine."""
        with self._changing:
            for path, document in self._open.items():
                if path in paths and document.change is not None:
                    self._take(path, document)


class _EditedFacts:
    """The facts of one text of a document, packed by a worker when first needed.

    Any thread may call it. It keeps the text until then, because the worker may hold a newer text
    when a snapshot needs the facts.
    """

    def __init__(self, workers: Workers, request: FactsRequest, text: bytes) -> None:
        self._workers = workers
        self._request = request
        self._text: bytes | None = text
        self._packed: bytes | None = None
        self._asking = threading.Lock()

    def __call__(self) -> bytes | None:
        with self._asking:
            if self._text is not None:
                answer = self._workers.facts(self._request, self._text)
                if not isinstance(answer, Refusal):
                    self._packed = answer
                elif answer.kind is RefusalKind.INDEX_UNAVAILABLE:
                    # A fault of the machine is not the text's.
                    return None
                self._text = None
            return self._packed


def _withheld(workspace: Workspace, path: str, text: Text) -> Refusal | None:
    """Return why an editor's text is withheld: the same reasons as for its file on the disk."""
    return workspace.judge(path) or workspace.judge_text(path, text.data)


def _refusal(outcome: Snapshot | Refusal) -> Refusal | None:
    return outcome if isinstance(outcome, Refusal) else None


def _is_done_soon(
    document: OpenText, parsing: WorkFuture[IndexAnswer | Refusal], *, is_any_pending: bool
) -> bool:
    """Wait for the parse of a text as long as that delays no other work."""
    size = len(document.text.data)
    if document.is_slow_at(size):
        return False
    if not is_any_pending:
        return parsing.is_done_soon()
    # Another text is pending already, so answers are incomplete in any case.
    return size <= _LARGE_BYTES and parsing.is_done_soon(_LITTLE_PATIENCE_SECONDS)
