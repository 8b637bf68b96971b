"""Scans: survey the disk, find what changed, read and parse it, and queue it for the index.

Invariants:

* Only files that the workspace shows are read, and every byte through the workspace.
* A file is parsed only if its content is new to the index and to the store. A content in quarantine
  counts as known.
* A file that cannot be read or parsed is withheld and counted, with the reason; the scan goes on.
* After an interrupted scan, the next one covers what was missed.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator, Mapping, Sequence

from sightline.index import FileChanged, FileState, Lazy
from sightline.index.indexed_terms import is_counted
from sightline.index.store import Store
from sightline.project.change_queue import ChangeQueue
from sightline.project.file_states import (
    FileStates,
    counted,
    counted_in_store,
    hidden_files,
    text_digest,
)
from sightline.project.open_texts import OpenTexts
from sightline.project.statistics import Statistics
from sightline.project.term_counting import TermCounting
from sightline.refusals import Refusal
from sightline.workers import IndexRequest, Workers
from sightline.workspace import RawDocument, Survey, Workspace

Progress = Callable[[int, int], None]
"""Called with the number of files done and of all files. An exception from it stops the scan."""


class Scanner:
    """The known state of the disk. For the disk's thread only."""

    def __init__(
        self,
        workspace: Workspace,
        workers: Workers,
        store: Store | None,
        states: FileStates,
        queue: ChangeQueue,
        texts: OpenTexts,
        statistics: Statistics,
        terms: TermCounting,
    ) -> None:
        self._workspace = workspace
        self._workers = workers
        self._store = store
        self._states = states
        self._queue = queue
        self._texts = texts
        self._statistics = statistics
        self._terms = terms
        self._read: Lazy[dict[str, FileState]] = Lazy(dict)
        self._unsettled: list[str] = []
        """Files whose stamps were too young to trust when they were read."""
        self.counts_terms = False
        """True once all terms were counted: from then on, scans count terms themselves."""
        self.survey: Survey | None = None
        """The last survey whose files were all read."""
        self.is_unsaved = False
        """True if something was found that is not in the store."""

    def restart(
        self, read: Callable[[], Mapping[str, FileState]], unsettled: Sequence[str]
    ) -> None:
        """Continue from what was read before; the unsettled files are read again."""
        self._read = Lazy(lambda: dict(read()))
        self._unsettled = list(unsettled)

    def scan(
        self, previous: Survey | None, progress: Progress | None = None, again: Sequence[str] = ()
    ) -> None:
        """Read what has changed since a survey, and these files in any case."""
        self._statistics.clear()
        survey = self._workspace.survey(previous)
        paths, removed = self._changed(survey, previous, again)
        self._queue.begin_scan()
        for path in removed:
            self.forget(path)
        self._texts.judge_again()
        self.is_unsaved = self.is_unsaved or previous is None or bool(paths or removed)
        self._statistics.reused = survey.file_count - len(paths)
        if paths:
            with without_collector():
                self._read_again(paths, progress)
        # Set only after everything was read: the next scan covers what an interrupted one missed.
        self.survey = survey
        self._states.policy = survey.policy
        self._states.hidden = hidden_files(survey)
        self._unsettled = [path for path in paths if self.is_unsettled(path)]
        if self.counts_terms:
            self._terms.count(self._queue)
        self._queue.end_scan(self._states.rules)

    def known(self, path: str) -> FileState:
        """Return the state that was last found at a path.

        A state without a digest means that the file could not be read: the index has nothing of it.
        """
        return self._read.value.get(path) or FileState(b"")

    def withheld(self) -> list[str]:
        """Return, for each visible name that could not be read, the reason. From any thread.

        `ignore_file` stands for a folder that cannot be read, or whose ignore files cannot.
        """
        faulty = self.survey.faulty if self.survey is not None else ()
        faults = [each.fault for each in list(self._read.value.values()) if not each.digest]
        return [*faults, *("ignore_file" for _ in faulty)]

    def is_unsettled(self, path: str) -> bool:
        """Return True if a file has to be read again even if its stamp is unchanged."""
        state = self.known(path)
        is_to_retry = bool(state.language and not state.key)
        return is_to_retry or self.survey is None or not self.survey.is_settled(path)

    def expect(self, path: str, state: FileState) -> None:
        """Assume that the disk has this text, until it is read."""
        self._read.value[path] = state

    def forget(self, path: str) -> None:
        """Treat a file as gone."""
        self._read.value.pop(path, None)
        self._texts.put_removed(path)

    def _changed(
        self, survey: Survey, previous: Survey | None, again: Sequence[str]
    ) -> tuple[Sequence[str], list[str]]:
        """Return the files to read and the files that are gone."""
        if previous is None:
            return survey.paths, [path for path in self._read.value if path not in survey.rows]
        difference = survey.since(previous)
        doubtful = [path for path in (*self._unsettled, *again) if path in survey.rows]
        if survey.policy != previous.policy:
            doubtful += self._of_doubtful_size(survey)
        paths = sorted({*difference.added, *difference.changed, *doubtful}, key=_bytewise)
        return paths, [
            *difference.removed,
            *(path for path in again if path not in survey.rows),
        ]

    def _of_doubtful_size(self, survey: Survey) -> list[str]:
        """Return unchanged files that a new size limit may withhold or show."""
        limit = self._workspace.limits.max_file_bytes
        return [
            path
            for path, stamp in survey.files.items()
            if stamp.size > limit or self.known(path).fault == "too_large"
        ]

    def _read_again(self, paths: Sequence[str], progress: Progress | None) -> None:
        """Read files from the disk, parse new contents, and queue what changed."""
        waiting: dict[int, tuple[str, FileState]] = {}
        passed = 0

        def requests() -> Iterator[IndexRequest]:
            nonlocal passed
            with self._workspace.reading() as read:
                for number, path in enumerate(paths):
                    outcome = self._examine(path, read(path))
                    if outcome is None:
                        passed += 1
                        continue
                    state, data = outcome
                    waiting[number] = (path, state)
                    # Parsing may take a while, and snapshots do not wait for the end of a scan.
                    self._queue.note_found()
                    yield IndexRequest(number, state.language, data)

        answers = self._workers.index_all(requests())
        for answered, (request, answer) in enumerate(answers, start=1):
            path, state = waiting.pop(request.number)
            self._statistics.parsed += 1
            if isinstance(answer, Refusal):
                self._statistics.refused[path] = answer
                self._take(path, self._states.refused(state, answer), None, None)
            else:
                self._take(path, counted(state, answer), answer.facts, answer.keys)
            if progress is not None:
                progress(passed + answered, len(paths))

    def _examine(self, path: str, raw: RawDocument | Refusal) -> tuple[FileState, bytes] | None:
        """Return the text of a file to parse and its state, or None if nothing is left to do."""
        if isinstance(raw, Refusal):
            known = self.known(path)
            self._read.value[path] = FileState(b"", fault=raw.reason)
            if known.digest:
                self._texts.put_removed(path)
            return None
        digest = text_digest(raw)
        state = self._states.of(path, raw.data, digest)
        shown = self._texts.state_of(path)
        if shown is not None:
            # The editor's text replaces the disk's, so the disk's is not needed.
            is_same = (shown.digest, shown.key) == (digest, state.key)
            self._read.value[path] = shown if is_same else state
            return None
        known, limited = self.known(path), self._states.set_aside(state)
        is_same = known.digest == digest and known.key == state.key
        if is_same and known.limit == (limited.limit if limited is not None else ""):
            self._statistics.reused += 1
            return None
        if limited is not None or not state.language:
            self._take(path, limited or state, None, None)
            return None
        if self._store is not None and (packed := self._store.get(state.key)) is not None:
            self._statistics.reused += 1
            self._take(path, counted_in_store(state, packed), None, None)
            return None
        return state, raw.data

    def _take(self, path: str, state: FileState, facts: bytes | None, keys: bytes | None) -> None:
        self._read.value[path] = state
        terms = self._terms.stored(state) if is_counted(path, state) else None
        self._texts.put_changed(FileChanged(path, state, facts, keys, terms=terms))


@contextlib.contextmanager
def without_collector() -> Iterator[None]:
    """Turn the garbage collector off: the objects of a scan are kept, and it would traverse them
    all.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _bytewise(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
