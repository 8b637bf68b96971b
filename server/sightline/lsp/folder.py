"""One workspace folder: its project, and the two threads that work on it.

The disk's thread scans, refreshes and saves; the editors' thread applies changes, builds and
answers. So a key typed during a scan of a hundred thousand files is in the next bundle. A build
waits for the disk's thread only if the client has just reported a change, or a file changed that
the index has not seen.

Invariants:

* Changes are applied in the order in which they arrive; `revision` counts them. An answer includes
  all changes that arrived before its request, and no later edit. Two bundles of one revision show
  the same files.
* Requests go before background work: a cost that is computed for the status bar is cancelled, and
  computed again after the answer.
* Nothing blocks the editors' thread for long. A text that takes long to parse is pending, and
  snapshots taken meanwhile say so. A job that needs something unfinished leaves the thread, waits
  without holding a turn, and starts again; if an edit arrived meanwhile, it is refused. A build
  waits this way for the first scan, unless it may be incomplete.
* A document that is out of step is never served, as a target or otherwise.
* An editor's text is not served any more once the editor has closed the file.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, InvalidStateError, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

import attrs

from sightline.engine.cancelling import NotReadyError
from sightline.engine.host import Host, Toolchain, open_host
from sightline.engine.taking_turns import ThreadEndedError, begin_in_turns
from sightline.lsp import uris
from sightline.lsp.disk_looks import DiskLooks, retry_quarantined, watch_disk
from sightline.lsp.document_batches import DocumentBatch, DocumentBatches
from sightline.lsp.open_documents import AppliedChange, Documents, OpenDocument
from sightline.lsp.scheduling import (
    READY_SECONDS,
    TURN_SECONDS,
    BackgroundBuilds,
)
from sightline.refusals import Refusal, RefusalKind

_Result = TypeVar("_Result")


class FolderClosedError(RuntimeError):
    """A folder was closed or reopened before it started this work."""


class ScanCancelledError(Exception):
    """The person does not want the folder indexed now. The next check of the disk makes up for
    it.
    """


class WorkspaceFolder:
    """A folder that a client opened. Used from the event loop; it works on threads of its own."""

    def __init__(
        self,
        host: Host,
        documents: Documents,
    ) -> None:
        self.host = host
        """Used by the editors' thread, except for what `Project` leaves to the disk's thread."""
        host.refresh = self.catch_up
        # Called before the threads start, which could otherwise both initialize it.
        host.leave_slow_texts(self._settled)
        self.on_settled: Callable[[], object] = lambda: None
        """Called when a text is not pending any more, on any thread."""
        self._documents = documents
        """What the client has open, in this folder and others. For the event loop."""
        self.revision = 0
        self._counting_changes = threading.Lock()
        self.edits = 0
        """How many changes of documents have arrived."""
        self.taken = 0
        """How many batches of them the editors' thread has applied."""
        self._answered: tuple[int, str] | None = None
        """Revision and index fingerprint of the last bundle."""
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="sightline-disk")
        self._editors = ThreadPoolExecutor(1, thread_name_prefix="sightline-editors")
        self._batches = DocumentBatches()
        """Changes that the editors' thread has not applied yet."""
        self._hidings: dict[str, Future[object]] = {}
        """Files that were closed; the disk's thread may not have read them again yet."""
        self.background_builds = BackgroundBuilds()
        self.looks = DiskLooks(
            self.host, lambda work: self._submit(self._disk, work), self.count_change
        )
        self.begin_first_look = partial(self._submit, self._disk, host.take_first_look)
        self.begin_indexing: Callable[[], object] = lambda: None
        """Starts the first scan, which may ask the person. On the event loop."""
        self.is_asked = False
        """True while the server waits for the person's answer whether to index the folder."""
        self.first_scan: Future[object] = Future()
        """Done when everything is indexed and counted, when that failed, or when the folder is
        closed.
        """
        self.scanned = (0, 0)
        """How many files the first scan has read, and how many there are."""
        self._stop = threading.Event()
        self.retry_quarantined = partial(
            retry_quarantined,
            host,
            self._stop,
            lambda work: self._submit(self._disk, work),
            self._settled,
        )

    @property
    def pending(self) -> int:
        """Return how many documents and files wait to be read."""
        return self._batches.count + self.looks.told

    def path_of(self, absolute: str) -> str | Refusal:
        """Return the workspace path of an absolute path."""
        return self.host.path_of(absolute)

    # The disk's thread.

    async def scan(self, progress: Callable[[int, int], None]) -> None:
        """Index everything. Answers before the end say that they are not complete.

        `progress` may raise `ScanCancelledError`.
        """

        def passed(done: int, total: int) -> None:
            if self._stop.is_set():
                raise FolderClosedError
            self.scanned = (done, total)
            progress(done, total)

        project = self.host.project
        try:
            await self.result_of(self._submit(self._disk, lambda: project.open(passed)))
            self.looks.is_scanned = True
            self.count_change()
            # Relations are complete now; requests that need only those can go on.
            await self.result_of(self._submit(self._disk, lambda: project.count_terms(passed)))
        finally:
            self.looks.is_scanned = True
            _end(self.first_scan)
        self.count_change()
        await self.result_of(self._submit(self._disk, self.looks.save))

    async def refresh(self, paths: Sequence[str] = ()) -> None:
        """Check the disk again, and these files in any case."""
        if await self.result_of(self.looks.begin(paths)):
            await self.result_of(self._submit(self._disk, self.looks.save))

    def watch(
        self, loop: asyncio.AbstractEventLoop, changed: Callable[[Sequence[str]], None]
    ) -> None:
        """Watch the disk in the server, for a client that cannot. An empty list of paths means any
        path.
        """
        watch_disk(self.host, self._stop, loop, self.refresh, changed)

    def catch_up(self) -> None:
        """Check the disk, from the editors' thread: a file that was read differs from the index."""
        _await_turn(self._submit(self._disk, self.host.look_at_disk))

    def _settled(self) -> None:
        self.count_change()
        self.on_settled()

    def count_change(self) -> int:
        """Count a change, and return the new revision. From any thread."""
        with self._counting_changes:
            self.revision += 1
            return self.revision

    # The editors' thread.

    def take(self, path: str, document: OpenDocument, applied: Sequence[AppliedChange]) -> None:
        """Apply an editor's text or edits as soon as the thread is free."""
        self.count_change()
        self.edits += 1
        batch = self._batches.add(path, document, applied)
        if batch is not None:
            # A closed folder accepts no changes, and no request reaches it.
            with contextlib.suppress(RuntimeError):
                self._editors.submit(self._take_batch, path, batch)

    def drop(self, path: str) -> None:
        """Forget the editor's text of a closed file; the text on the disk counts again."""
        self.count_change()
        self.edits += 1
        self._batches.seal()
        with contextlib.suppress(RuntimeError):
            self._editors.submit(self._begin_hiding, path)

    def lost(self) -> frozenset[str]:
        """Return the files whose document is out of step. On the event loop."""
        if self._documents.are_in_step:
            return frozenset()
        last: dict[str, bool] = {}
        for document in self._documents.in_order():
            parsed = uris.parse(document.uri)
            path = self.path_of(parsed.path) if isinstance(parsed, uris.FilePath) else None
            if isinstance(path, str):
                last[path] = document.is_in_step
        return frozenset(path for path, is_in_step in last.items() if not is_in_step)

    def _take_batch(self, path: str, batch: DocumentBatch) -> None:
        self.taken += 1
        self._batches.take(path, batch)
        document = batch.document
        if self.looks.is_scanned:
            # Requests that came before get the disk's text. It does not wait for a long scan: an
            # editor that types meanwhile is served first.
            with contextlib.suppress(NotReadyError):
                self.await_closed([path])
        if batch.edits:
            self.host.project.edit(path, batch.edits, document.version)
        else:
            self.host.project.show(path, document.text, document.version)

    def _begin_hiding(self, path: str) -> None:
        self.taken += 1
        # When the disk's thread runs this, the file may be open again with another text.
        text = self.host.project.text_of(path)
        if text is not None:
            with contextlib.suppress(RuntimeError):
                self._hidings[path] = self._disk.submit(self.host.project.hide, path, text)

    def await_closed(self, paths: Sequence[str]) -> bool:
        """Wait until the disk's text has replaced the editor's text of closed files.

        Return True if any were closed since the last wait: text that was read before may be the
        editor's. Called on the editors' thread before such text is served. Raises `NotReadyError`.
        """
        hidings = [self._hidings[path] for path in paths if path in self._hidings]
        for each in hidings:
            # They finish in this order.
            _await_turn(each)
        for path in paths:
            self._hidings.pop(path, None)
        return bool(hidings)

    def await_all_closed(self) -> bool:
        """Like `await_closed`, for every closed file: any of them may relate to the request.

        Does nothing during a scan: it may be long, and its answers say that they are not complete.
        """
        return self.host.snapshot.is_scanned and self.await_closed([*self._hidings])

    def revision_of(self, fingerprint: str, asked: int) -> int:
        """Return the revision of a bundle from the revision of its request and the fingerprint of
        its index.

        It is a later revision if the disk has changed. Runs on the editors' thread, which makes
        bundles one after the other.
        """
        if self._answered is not None and asked <= self._answered[0]:
            is_same = fingerprint == self._answered[1]
            asked = self._answered[0] if is_same else self.count_change()
        self._answered = (asked, fingerprint)
        return asked

    def reload(self, requested: Mapping[str, object]) -> bool:
        """Reload the settings. Return False if the folder must be reopened."""
        return not self._stop.is_set() and self.host.reload(requested)

    def begin_for_request(self, work: Callable[[], _Result]) -> Future[_Result]:
        """Begin work for a request; it goes before background work."""
        self.background_builds.overtake()
        self._batches.seal()
        return self._submit(self._editors, work)

    async def run_for_request(self, work: Callable[[], _Result]) -> _Result:
        """Do work for a request, before background work. Raises `TimeoutError`."""
        return await _ready(self, lambda: self.begin_for_request(work))

    async def run_in_turn(
        self, work: Callable[[], _Result], waiting: Callable[[int, int], None] | None = None
    ) -> _Result:
        """Do work in its turn. Raises `TimeoutError`.

        `waiting` is called with the progress of the first scan while the work waits for it.
        """

        def begin() -> Future[_Result]:
            self._batches.seal()
            return self._submit(self._editors, work)

        return await _ready(self, begin, waiting)

    def _submit(self, thread: ThreadPoolExecutor, work: Callable[[], _Result]) -> Future[_Result]:
        try:
            return thread.submit(work)
        except RuntimeError:
            # The thread accepts no more work.
            raise FolderClosedError from None

    async def result_of(self, future: Future[_Result]) -> _Result:
        """Wait for work that was begun. Raises `FolderClosedError`."""
        try:
            result = await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            # Waiting for the other thread was cancelled with that thread.
            if self._stop.is_set() and task and not task.cancelling():
                raise FolderClosedError from None
            raise
        if self._stop.is_set():
            # A folder that was reopened in its place may reach the same revision.
            raise FolderClosedError
        return result

    def close(self) -> None:
        """Stop without waiting for running work."""
        if self._stop.is_set():
            return
        self._stop.set()
        _end(self.first_scan)
        self._editors.shutdown(wait=False, cancel_futures=True)
        self._disk.shutdown(wait=False, cancel_futures=True)
        # Running work may still read from the store.
        threading.Thread(target=self._close_store, name="sightline-close", daemon=True).start()

    def _close_store(self) -> None:
        self._editors.shutdown(wait=True)
        self._disk.shutdown(wait=True)
        self.host.close()


def _await_turn(future: Future[_Result]) -> None:
    """Wait a moment for the disk's thread, on the editors' thread. Raises `NotReadyError`."""
    try:
        future.exception(TURN_SECONDS)
    except CancelledError:
        raise FolderClosedError from None
    except TimeoutError:
        raise NotReadyError(future) from None


def _end(future: Future[object]) -> None:
    """Complete a future that only signals an end. From any thread; may be called more than once."""
    with contextlib.suppress(InvalidStateError):
        future.set_result(None)


async def run_aside(folder: WorkspaceFolder, work: Callable[[], _Result]) -> _Result:
    """As `run_for_request`; while the work waits for a process, others are served.

    Raises `TimeoutError`.
    """

    def submit(grant: Callable[[], None]) -> Future[None]:
        return folder.begin_for_request(grant)

    def begin() -> Future[_Result]:
        return begin_in_turns(work, submit, lambda: (folder.taken, folder.host.loaded))

    try:
        return await _ready(folder, begin)
    except ThreadEndedError:
        raise FolderClosedError from None


async def _ready(
    folder: WorkspaceFolder,
    begin: Callable[[], Future[_Result]],
    waiting: Callable[[int, int], None] | None = None,
) -> _Result:
    """Begin work, and begin it again whenever something is ready that it could not wait for.

    Raises `TimeoutError` if the text was edited meanwhile, or after too long. A first scan may take
    as long as it needs: its progress is shown and it can be cancelled.
    """
    loop, edits = asyncio.get_running_loop(), folder.edits
    latest = loop.time() + READY_SECONDS
    while True:
        try:
            return await folder.result_of(begin())
        except NotReadyError as error:
            is_scan = error.future is folder.first_scan
            while not error.future.done() and folder.edits == edits and loop.time() < latest:
                if is_scan and folder.host.held is not None:
                    # The person is asked first, and the answer says so.
                    break
                if is_scan and waiting is not None:
                    waiting(*folder.scanned)
                await _done(error.future, TURN_SECONDS)
                if is_scan:
                    latest = loop.time() + READY_SECONDS
        if folder.edits != edits or loop.time() >= latest:
            raise TimeoutError


async def _done(future: Future[object], seconds: float) -> None:
    """Wait for a future until it is done or the time is over. Its result is left to others."""
    loop, is_done = asyncio.get_running_loop(), asyncio.Event()

    def tell(_: Future[object]) -> None:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(is_done.set)

    future.add_done_callback(tell)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(is_done.wait(), max(0.0, seconds))


def open_folder(
    root: Path, toolchain: Toolchain, documents: Documents, requested: Mapping[str, object]
) -> WorkspaceFolder | Refusal:
    """Open a folder that a client names."""
    host = open_host(root, requested, toolchain=toolchain)
    if isinstance(host, Refusal):
        return not_there() if host.reason == "invalid_root" else host
    return WorkspaceFolder(host, documents)


def out_of_step(path: str | None) -> Refusal:
    return _refused(
        "out_of_step",
        path,
        "the server and the editor do not agree on the text of this document",
        "close the file and open it again",
    )


def busy() -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "busy",
        None,
        "the index is not up to date with the disk and the editor yet",
        "ask again in a moment",
        rule="what cannot be read deterministically is not sent",
    )


def large(refusal: Refusal) -> Refusal:
    """Return the refusal of a large folder, with advice for a person in an editor."""
    advice = "confirm the question that the editor shows, or open the project's own folder"
    return attrs.evolve(refusal, advice=advice)


def not_there() -> Refusal:
    return _refused("no_workspace", None, "the folder is not there", "open another folder")


def _refused(reason: str, path: str | None, message: str, advice: str) -> Refusal:
    return Refusal(RefusalKind.UNSUPPORTED_TARGET, reason, path, message, advice)
