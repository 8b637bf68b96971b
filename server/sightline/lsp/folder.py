"""One workspace folder: its project, and the two threads that work on it.

The disk's thread scans, refreshes and saves; the editors' thread takes changes, builds and
answers. So a key typed during a scan of a hundred thousand files is in the next bundle, and a
build waits for the disk's thread only where the client has just told of a change, or a file was
changed behind the index.

Invariants:

* Every change goes in in the order in which it came; `revision` counts them. An answer is of all
  that came before it was asked for, and of no edit that came later. Two bundles of one revision
  are of the same files.
* Whoever asks goes before what nobody asked for: a cost that is made out for the status bar is
  broken off, and made out once more behind the answer.
* Nothing holds up the editors' thread for long. A text that takes long to parse is pending, and the
  snapshots that are taken meanwhile say so. A job that needs what is not ready leaves the thread,
  waits for it behind no turn, and is done again from the start; if an edit came meanwhile, it is
  refused instead. A build waits so for the first scan, unless it is told to take what is there.
* A document that is out of step is served to nobody, as a target or otherwise.
* What an editor had is not served any more once it has closed the file.
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
    """A folder was closed, or opened anew, before it came to what it was asked for."""


class ScanCancelledError(Exception):
    """Somebody does not want a folder indexed now. The next look at the disk makes up for it."""


class WorkspaceFolder:
    """Made on the event loop and used from there; it does its work on threads of its own."""

    def __init__(
        self,
        host: Host,
        documents: Documents,
    ) -> None:
        self.host = host
        """For the editors' thread, but for what `Project` leaves to the disk's."""
        host.refresh = self.catch_up
        # Made here, before there are threads that might both make it.
        host.leave_slow_texts(self._settled)
        self.on_settled: Callable[[], object] = lambda: None
        """Called when a text is not pending any more, on any thread."""
        self._documents = documents
        """What the client has open, here and elsewhere. For the event loop."""
        self.revision = 0
        self._counting_changes = threading.Lock()
        self.edits = 0
        """How many changes of documents have come."""
        self._answered: tuple[int, str] | None = None
        """Revision and index of the last bundle."""
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="sightline-disk")
        self._editors = ThreadPoolExecutor(1, thread_name_prefix="sightline-editors")
        self._batches = DocumentBatches()
        """Changes that the editors' thread has not taken yet."""
        self._hidings: dict[str, Future[object]] = {}
        """Files that were closed, which the disk's thread may not know yet."""
        self.background_builds = BackgroundBuilds()
        self.looks = DiskLooks(
            self.host, lambda work: self._submit(self._disk, work), self.count_change
        )
        self.begin_first_look = partial(self._submit, self._disk, host.take_first_look)
        self.begin_indexing: Callable[[], object] = lambda: None
        """Starts the first scan, which may ask the person. On the event loop."""
        self.is_asked = False
        """True while the person is asked whether to index the folder."""
        self.first_scan: Future[object] = Future()
        """Done when all is indexed and counted, however that ended, or the folder is closed."""
        self.scanned = (0, 0)
        """How many files of the first scan are done, and how many there are."""
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
        """How many documents and files wait to be taken in."""
        return self._batches.count + self.looks.told

    def path_of(self, absolute: str) -> str | Refusal:
        """The workspace path of an absolute one."""
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
            # Relations are complete from here on, and whoever needs no more does not wait.
            await self.result_of(self._submit(self._disk, lambda: project.count_terms(passed)))
        finally:
            self.looks.is_scanned = True
            _end(self.first_scan)
        self.count_change()
        await self.result_of(self._submit(self._disk, self.looks.save))

    async def refresh(self, paths: Sequence[str] = ()) -> None:
        """Look at the disk again, and at some files in any case."""
        if await self.result_of(self.looks.begin(paths)):
            await self.result_of(self._submit(self._disk, self.looks.save))

    def watch(
        self, loop: asyncio.AbstractEventLoop, changed: Callable[[Sequence[str]], None]
    ) -> None:
        """Follow the disk by ourselves, where the client cannot. No paths stand for any."""
        watch_disk(self.host, self._stop, loop, self.refresh, changed)

    def catch_up(self) -> None:
        """From the editors' thread: what was read is not what the index knows."""
        _await_turn(self._submit(self._disk, self.host.look_at_disk))

    def _settled(self) -> None:
        self.count_change()
        self.on_settled()

    def count_change(self) -> int:
        """Count a change, and return the revision that it makes. From any thread."""
        with self._counting_changes:
            self.revision += 1
            return self.revision

    # The editors' thread.

    def take(self, path: str, document: OpenDocument, applied: Sequence[AppliedChange]) -> None:
        """Take an editor's text, or what it did to it, as soon as the thread is free."""
        self.count_change()
        self.edits += 1
        batch = self._batches.add(path, document, applied)
        if batch is not None:
            # A folder that is closed takes nothing any more, and nobody asks it.
            with contextlib.suppress(RuntimeError):
                self._editors.submit(self._take_batch, path, batch)

    def drop(self, path: str) -> None:
        """The editor has closed a file; the disk's text counts again."""
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
        self._batches.take(path, batch)
        document = batch.document
        if self.looks.is_scanned:
            # What was asked before gets the disk's text. A long scan is not waited for: whoever
            # types during one is served first.
            with contextlib.suppress(NotReadyError):
                self.await_closed([path])
        if batch.edits:
            self.host.project.edit(path, batch.edits, document.version)
        else:
            self.host.project.show(path, document.text, document.version)

    def _begin_hiding(self, path: str) -> None:
        # By the time that the disk's thread comes to it, the file may be shown with another text.
        text = self.host.project.text_of(path)
        if text is not None:
            with contextlib.suppress(RuntimeError):
                self._hidings[path] = self._disk.submit(self.host.project.hide, path, text)

    def await_closed(self, paths: Sequence[str]) -> bool:
        """Wait until files that were closed are those of the disk again.

        Whether any were closed since they were settled last: what was read of them before may be
        what the editor had.

        On the editors' thread, before something of them is served. Raises `NotReadyError`.
        """
        hidings = [self._hidings[path] for path in paths if path in self._hidings]
        for each in hidings:
            # They are done in this order.
            _await_turn(each)
        for path in paths:
            self._hidings.pop(path, None)
        return bool(hidings)

    def await_all_closed(self) -> bool:
        """As `await_closed`, for whatever was closed: it may relate to anything.

        Not in the middle of a scan, which may be long, and whose answers say that they are not
        complete.
        """
        return self.host.snapshot.is_scanned and self.await_closed([*self._hidings])

    def revision_of(self, fingerprint: str, asked: int) -> int:
        """Return the revision of a bundle that was asked for at one, by the index that it is of.

        It is a later one where the disk had more. On the editors' thread, which is where bundles
        come one after the other.
        """
        if self._answered is not None and asked <= self._answered[0]:
            is_same = fingerprint == self._answered[1]
            asked = self._answered[0] if is_same else self.count_change()
        self._answered = (asked, fingerprint)
        return asked

    def reload(self, requested: Mapping[str, object]) -> bool:
        """Take the settings as they are now. Return False if the folder must be opened anew."""
        return not self._stop.is_set() and self.host.reload(requested)

    def begin_for_request(self, work: Callable[[], _Result]) -> Future[_Result]:
        """Begin work that somebody asked for, in front of what nobody did."""
        self.background_builds.overtake()
        self._batches.seal()
        return self._submit(self._editors, work)

    async def run_for_request(self, work: Callable[[], _Result]) -> _Result:
        """Do work that somebody asked for, in front of what nobody did. Raises `TimeoutError`."""
        return await _ready(self, lambda: self.begin_for_request(work))

    async def run_in_turn(
        self, work: Callable[[], _Result], waiting: Callable[[int, int], None] | None = None
    ) -> _Result:
        """Work that is done in its turn. Raises `TimeoutError`.

        `waiting` is told now and then how far the first scan is, while the work waits for it.
        """

        def begin() -> Future[_Result]:
            self._batches.seal()
            return self._submit(self._editors, work)

        return await _ready(self, begin, waiting)

    def _submit(self, thread: ThreadPoolExecutor, work: Callable[[], _Result]) -> Future[_Result]:
        try:
            return thread.submit(work)
        except RuntimeError:
            # The thread takes no more work.
            raise FolderClosedError from None

    async def result_of(self, future: Future[_Result]) -> _Result:
        """Wait for work that was begun. Raises `FolderClosedError`."""
        try:
            result = await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            # What waits for the other thread is cancelled with that.
            if self._stop.is_set() and task and not task.cancelling():
                raise FolderClosedError from None
            raise
        if self._stop.is_set():
            # A folder that was opened in its place may count the same revision.
            raise FolderClosedError
        return result

    def close(self) -> None:
        """Stop; nothing that is under way is waited for."""
        if self._stop.is_set():
            return
        self._stop.set()
        _end(self.first_scan)
        self._editors.shutdown(wait=False, cancel_futures=True)
        self._disk.shutdown(wait=False, cancel_futures=True)
        # What is under way may still read from the store.
        threading.Thread(target=self._close_store, name="sightline-close", daemon=True).start()

    def _close_store(self) -> None:
        self._editors.shutdown(wait=True)
        self._disk.shutdown(wait=True)
        self.host.close()


def _await_turn(future: Future[_Result]) -> None:
    """On the editors' thread: wait a moment for the other one. Raises `NotReadyError`."""
    try:
        future.exception(TURN_SECONDS)
    except CancelledError:
        raise FolderClosedError from None
    except TimeoutError:
        raise NotReadyError(future) from None


def _end(future: Future[object]) -> None:
    """Complete a future that only says that something is over. From any thread, more than once."""
    with contextlib.suppress(InvalidStateError):
        future.set_result(None)


async def _ready(
    folder: WorkspaceFolder,
    begin: Callable[[], Future[_Result]],
    waiting: Callable[[int, int], None] | None = None,
) -> _Result:
    """Begin work, and once more whenever something is ready that it could not wait for.

    Raises `TimeoutError` where it would be of a later text, or takes too long. A first scan may
    take as long as it needs: it is shown, and whoever waits can cancel.
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
                    # The person is asked first, and whoever asked is told so.
                    break
                if is_scan and waiting is not None:
                    waiting(*folder.scanned)
                await _done(error.future, TURN_SECONDS)
                if is_scan:
                    latest = loop.time() + READY_SECONDS
        if folder.edits != edits or loop.time() >= latest:
            raise TimeoutError


async def _done(future: Future[object], seconds: float) -> None:
    """Wait for a future, at most so long. What comes of it is somebody else's."""
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
    """Return the refusal of a large folder, with advice for whoever is in an editor."""
    advice = "confirm the question that the editor shows, or open the project's own folder"
    return attrs.evolve(refusal, advice=advice)


def not_there() -> Refusal:
    return _refused("no_workspace", None, "the folder is not there", "open another folder")


def _refused(reason: str, path: str | None, message: str, advice: str) -> Refusal:
    return Refusal(RefusalKind.UNSUPPORTED_TARGET, reason, path, message, advice)
