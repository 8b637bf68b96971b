"""A project: one workspace, its index, and the parts that keep the index up to date.

The parts meet here: the workspace reads, workers parse, the index holds facts and the store keeps
them between runs. Code that answers questions takes a snapshot and needs none of the parts.

`scanner` reads the disk, `open_texts` holds the editors' texts that replace the disk's,
`persistence` saves and restores; `change_queue` passes their changes to the index, and
`file_states` describes a text for the index; `quarantine` records the texts that reached a limit,
and `limited_texts` applies and removes such records. Each module states its invariants. None of
them knows `Project`, which owns them.

Two threads may use a project: one for the disk and one for editors. Each function says which thread
calls it.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator, Sequence
from types import TracebackType

from sightline.index import FileState, Index, Snapshot
from sightline.index.store import NoStore, Saved, SaveFailure, Store
from sightline.languages import Registry
from sightline.project.change_queue import ChangeQueue
from sightline.project.file_states import FileStates
from sightline.project.limited_texts import LimitedTexts, text_with_digest
from sightline.project.open_texts import EditorText, OpenTexts
from sightline.project.persistence import restore, save
from sightline.project.quarantine import Quarantine
from sightline.project.scanner import Progress, Scanner, without_collector
from sightline.project.statistics import Statistics
from sightline.project.term_counting import TermCounting
from sightline.refusals import Refusal
from sightline.text import Text
from sightline.workers import IndexRequest, Workers
from sightline.workspace import DiskDocument, Survey, Workspace

__all__ = ["EditorText", "Project", "Statistics"]


class Project:
    """Opens a workspace and keeps its index."""

    def __init__(
        self,
        workspace: Workspace,
        registry: Registry,
        workers: Workers,
        store: Store | NoStore,
    ) -> None:
        self._workspace = workspace
        self._registry = registry
        self._workers = workers
        self._store = store if isinstance(store, Store) else None
        self.statistics = Statistics()
        self._quarantine = Quarantine(workers.time_limit)
        self._states = FileStates(registry, self._quarantine)
        self._terms = TermCounting(workspace, workers, self._store, self._states, self._text_of)
        self._queue = ChangeQueue(Index(registry.languages, self._load_facts, self._terms.source))
        self._texts = OpenTexts(
            workspace,
            registry,
            workers,
            self._states,
            self._queue,
            self.statistics,
            self._terms,
        )
        self._scanner = Scanner(
            workspace,
            workers,
            self._store,
            self._states,
            self._queue,
            self._texts,
            self.statistics,
            self._terms,
        )
        self.edit = self._texts.edit
        """For the editors' thread. An edit goes directly to the open texts."""
        self.leave_slow_texts = self._texts.leave_slow_texts
        self.parse_of_pending = self._texts.parse_of_pending
        self.withheld = self._scanner.withheld
        self.limited = LimitedTexts(
            workspace, workers, self._states, self._queue, self._scanner, self._texts
        )
        """Texts in quarantine."""

    def __enter__(self) -> Project:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._store is not None:
            self._store.close()

    @property
    def snapshot(self) -> Snapshot:
        """Return what is known now. Any thread may call it, during a scan as well."""
        return self._queue.snapshot

    # The disk's thread.

    @property
    def is_unsaved(self) -> bool:
        """True if something was found that is not in the store."""
        return self._scanner.is_unsaved or self._quarantine.is_unsaved

    def open(self, progress: Progress | None = None) -> Snapshot:
        """Index everything visible: from the store if it is there and still valid."""
        with without_collector():
            snapshot = self._scan(self._restore(), progress)
        # Once, and not after each change: objects that are garbage by now are never collected.
        gc.freeze()
        return snapshot

    def count_terms(self, progress: Progress | None = None) -> Snapshot:
        """Count the terms of every text that has none yet, after the first scan.

        Later scans count terms themselves.
        """
        with without_collector():
            if self._terms.count(self._queue, progress):
                self._scanner.is_unsaved = True
        self._scanner.counts_terms = True
        return self.snapshot

    def refresh(self, progress: Progress | None = None, again: Sequence[str] = ()) -> Snapshot:
        """Index what has changed on the disk, and read these files in any case."""
        return self._scan(self._scanner.survey, progress, again)

    def follow(self, stop: threading.Event) -> Iterator[Snapshot]:
        """Yield a snapshot after each batch of changes on the disk, until `stop` is set.

        Changes within a moment form one batch, such as a branch switch. The first snapshot comes at
        once and includes changes from before the watch began.
        """
        # Loading the library takes as long as reading a small workspace; few callers need it.
        from sightline.workspace.watching import watch

        for changes in watch(self._workspace, stop):
            yield self._scan(self._scanner.survey, None, changes.paths)

    def hide(self, path: str, text: Text | None = None) -> Snapshot:
        """Return to the text on the disk: the editor has closed the file.

        With a `text`, only if the editor's text is still that one.
        """
        closed = self._texts.close(path, text)
        if closed is None:
            return self.snapshot
        survey = self._scanner.survey
        if survey is None:
            self._scanner.forget(path)
            return self.snapshot
        if closed.change is not None:
            # The index holds the editor's text, which is usually the same as the disk's.
            self._scanner.expect(path, closed.change.state)
        elif path not in self.snapshot.files:
            # The editor's text was withheld, so the index has nothing of the file.
            self._scanner.expect(path, FileState(b""))
        return self._scan(survey, None, [path])

    def save(self) -> Saved | SaveFailure | None:
        """Write what is known to the store; None if there is no store."""
        if self._store is None:
            return None
        return save(
            self._store,
            self._registry,
            self._states,
            self._queue,
            self._scanner,
            self._texts,
            self._terms,
        )

    def _scan(
        self, previous: Survey | None, progress: Progress | None, again: Sequence[str] = ()
    ) -> Snapshot:
        self._scanner.scan(previous, progress, again)
        return self._queue.snapshot

    def _restore(self) -> Survey | None:
        if self._store is None:
            return None
        restored = restore(self._store, self._registry, self._states, self._load_facts, self._terms)
        if restored is None:
            return None
        self._scanner.restart(lambda: restored.read.value, restored.unsettled)
        # In this order: a text that is opened meanwhile reaches the new index, possibly twice.
        self._queue.restart(restored.index)
        self._texts.forget_told()
        return restored.survey

    # The editors' thread.

    def show(self, path: str, text: Text, version: int | None = None) -> Snapshot | Refusal:
        """Use an editor's text for a file, saved or not, instead of the disk's."""
        return self._texts.show(path, text, version)

    def read(self, path: str) -> EditorText | DiskDocument | Refusal:
        """Return a file as it is now: the editor's text if it is open, else the disk's."""
        return self._texts.read(path)

    def expect(self, paths: Sequence[str]) -> None:
        """Ask git at once about files that are about to be read."""
        self._texts.fresh_door().ignores.ask_git_at_once(paths)

    def judge(self, path: str) -> Refusal | None:
        """Return why policy withholds a path, if it does."""
        return self._texts.fresh_door().judge(path)

    # Any thread.

    def text_of(self, path: str) -> Text | None:
        """Return the text that an editor has for a file, if it is open."""
        return self._texts.text_of(path)

    def open_paths(self) -> list[str]:
        """Return the paths that an editor has open, in order."""
        return sorted(path for path, _ in self._texts.states())

    def mark_rules_stale(self) -> None:
        """Let the next reader load the rules again: something changed on the disk.

        The index is updated later.
        """
        self._texts.mark_rules_stale()

    def _load_facts(self, path: str, state: FileState) -> bytes | None:
        """Return facts that are not in memory: from the store, or by parsing the file again."""
        packed = self._store.get(state.key) if self._store is not None else None
        if packed is not None:
            return packed
        text = self._text_of(path, state)
        if text is None:
            return None
        answer = self._workers.index(IndexRequest(0, state.language, text))
        self.statistics.parsed += 1
        return None if isinstance(answer, Refusal) else answer.facts

    def _text_of(self, path: str, state: FileState) -> bytes | None:
        """Return the text of a state, if an editor or the disk still has it."""
        return text_with_digest(self._texts, self._workspace, path, state.digest)
