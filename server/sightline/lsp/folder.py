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
* A document that is out of step is served to nobody, as a target or otherwise.
* What an editor had is not served any more once it has closed the file.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TypeVar

import attrs

from sightline.building import Cancellation, Desk
from sightline.context import Built, Document, Refused, Request
from sightline.index import Snapshot
from sightline.index.store import Fault, NoStore, open_store
from sightline.languages import Registry
from sightline.lsp.documents import Applied, OpenDocument, Replaced
from sightline.lsp.yielding import Yielding
from sightline.project import Project
from sightline.refusals import Refusal, RefusalKind
from sightline.settings import Loaded, open_workspace
from sightline.slicing import SignatureDocs
from sightline.text import Text
from sightline.workers import Workers
from sightline.workspace import RootError, Workspace

_Result = TypeVar("_Result")
_MOST_EDITS_IN_A_ROW = 16
"""More that wait are taken as one new text: parsing it once is cheaper."""

_REFRESH_SECONDS = 20.0
_LOOK_SECONDS = 2.0
_ROOT_SECONDS = 1.0
"""Between two looks at a root that changes its identity."""

_NOBODY = "00000000-0000-0000-0000-000000000000"
"""The correlation of a build that nobody asked for."""

_AT_NO_TIME = "1970-01-01T00:00:00Z"
"""When it was made: it is shown to nobody."""


Asked = Callable[[], Request | Refusal]
"""What a build is asked for, made out on the editors' thread: a file that no editor has open is
read to know which of its lines is meant."""


class FolderClosedError(Exception):
    """A folder was closed, or opened anew, before it came to what it was asked for."""


class ScanCancelledError(Exception):
    """Somebody does not want a folder indexed now. The next look at the disk makes up for it."""


@attrs.frozen
class Answered:
    request: Request
    outcome: Built | Refused
    loaded: Loaded
    """What it was built with."""
    revision: int
    index_complete: bool


@attrs.define
class _Batch:
    """Changes of one document that nothing was asked about in between."""

    before: Text | None
    """What they were made to; None where they begin with the whole text."""
    document: OpenDocument
    applied: list[Applied]


class Folder:
    """Made on the event loop and used from there; it does its work on threads of its own."""

    def __init__(
        self,
        root: Path,
        workspace: Workspace,
        loaded: Loaded,
        registry: Registry,
        workers: Workers,
    ) -> None:
        self.root = root
        self.workspace = workspace
        self.loaded = loaded
        self.registry = registry
        self.revision = 0
        self._counting_changes = threading.Lock()
        self._answered: tuple[int, str] | None = None
        """Revision and index of the last bundle."""
        settings = loaded.settings
        self._store = (
            open_store(str(workspace.root)) if settings.index.store else NoStore(Fault.UNAVAILABLE)
        )
        self.project = Project(workspace, registry, workers, self._store)
        self.desk = Desk(
            self.project,
            registry,
            workers,
            refresh=self.catch_up,
        )
        self.requested: Mapping[str, object] = {}
        """What the client's own configuration asks for."""
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="sightline-disk")
        self._editors = ThreadPoolExecutor(1, thread_name_prefix="sightline-editors")
        self._waiting_changes = threading.Lock()
        self._waiting: dict[str, _Batch] = {}
        """Changes that the editors' thread has not taken yet, by path.

        Whenever something is asked, another dictionary begins: what comes later is not in it.
        """
        self._unanswered = 0
        """How many batches the editors' thread has not taken yet."""
        self._open: dict[str, OpenDocument] = {}
        """The documents that editors have open and that are in step, by path."""
        self._lost: set[str] = set()
        """Open documents that are out of step, by path."""
        self._shown: dict[str, Text] = {}
        """What the editors' thread has shown to the project, and nobody else touches."""
        self._hidings: dict[str, Future[None]] = {}
        """Files that were closed, which the disk's thread may not know yet."""
        self._yielding = Yielding()
        self.changed_paths: set[str] = set()
        """Files that changed on the disk and were not looked at yet."""
        self._look: Future[bool] | None = None
        """The last look at the disk."""
        self._is_scanned = False
        """Whether the disk's thread is done with all that there is, or has given up."""
        self._stop = threading.Event()

    @property
    def snapshot(self) -> Snapshot:
        return self.project.snapshot

    @property
    def pending(self) -> int:
        """How many documents and files wait to be taken in."""
        return self._unanswered + len(self.changed_paths)

    def path_of(self, absolute: str) -> str | Refusal:
        """The workspace path of an absolute one."""
        return self.workspace.relative(absolute)

    # The disk's thread.

    async def scan(self, progress: Callable[[int, int], None]) -> None:
        """Index everything. Answers before the end say that they are not complete.

        `progress` may raise `ScanCancelledError`.
        """

        def passed(done: int, total: int) -> None:
            if self._stop.is_set():
                raise FolderClosedError
            progress(done, total)

        try:
            await self._on_disk(lambda: self.project.open(passed))
        finally:
            self._is_scanned = True
        self._count_change()
        await self._on_disk(self._save)

    async def refresh(self, paths: Sequence[str] = ()) -> None:
        """Look at the disk again, and at some files in any case."""
        if await self._awaited(self._begin_look(paths)):
            await self._on_disk(self._save)

    def _begin_look(self, paths: Sequence[str]) -> Future[bool]:
        try:
            self._look = self._disk.submit(self._look_again, paths)
        except RuntimeError:
            raise FolderClosedError from None
        return self._look

    def _look_again(self, paths: Sequence[str]) -> bool:
        """Whether anything is another, on the disk's thread."""
        before = self.project.snapshot.fingerprint
        self.project.refresh(again=paths)
        is_changed = self.project.snapshot.fingerprint != before
        if is_changed:
            self._count_change()
        return is_changed

    def take_told(self) -> list[str]:
        """What was told of and not looked at, for whoever looks now."""
        paths = sorted(self.changed_paths)
        self.changed_paths.clear()
        return paths

    def _look_at_told(self) -> Future[bool] | None:
        """A look at all that was told of, if it is not over: what is asked now waits for it."""
        if not self._is_scanned:
            # In the middle of a scan nothing is complete, and the look would wait for its end.
            return None
        if self.changed_paths:
            self._begin_look(self.take_told())
            self._disk.submit(self._save)
        return self._look if self._look is not None and not self._look.done() else None

    def watch(
        self, loop: asyncio.AbstractEventLoop, changed: Callable[[Sequence[str]], None]
    ) -> None:
        """Follow the disk by ourselves, where the client cannot. No paths stand for any."""
        # Loading the library takes as long as reading a small workspace.
        from sightline.workspace.watching import watch

        def follow_root() -> None:
            for changes in watch(self.workspace.copy(), self._stop):
                future = asyncio.run_coroutine_threadsafe(self.refresh(changes.paths), loop)
                future.result()
                loop.call_soon_threadsafe(changed, changes.paths)

        def follow() -> None:
            # The loop or the folder may be gone before the thread is.
            with contextlib.suppress(RuntimeError, CancelledError, FolderClosedError):
                while not self._stop.is_set():
                    with contextlib.suppress(RootError):
                        follow_root()
                    # The root is gone, or another directory has its name.
                    loop.call_soon_threadsafe(changed, ())
                    self._stop.wait(_ROOT_SECONDS)

        threading.Thread(target=follow, name="sightline-watch", daemon=True).start()

    def _save(self) -> None:
        if self.project.is_unsaved:
            self.project.save()

    def catch_up(self) -> None:
        """From the editors' thread: what was read is not what the index knows."""
        try:
            future: Future[Snapshot] = self._disk.submit(self.project.refresh)
        except RuntimeError:
            # The thread takes no more work: the folder is closed.
            raise FolderClosedError from None
        try:
            future.result(_REFRESH_SECONDS)
        except CancelledError:
            raise FolderClosedError from None
        except TimeoutError:
            # Whoever builds finds that nothing is settled, and says so.
            return

    def _count_change(self) -> int:
        with self._counting_changes:
            self.revision += 1
            return self.revision

    # The editors' thread.

    def take(self, path: str, document: OpenDocument, applied: Sequence[Applied]) -> None:
        """Take an editor's text, or what it did to it, as soon as the thread is free."""
        before = self._open.get(path)
        if before is None or before.uri != document.uri:
            # Another name of the file, and another text: what was done to this one is not for that.
            applied = []
        self._open[path] = document
        self._lost.discard(path)
        self._count_change()
        with self._waiting_changes:
            batch = self._waiting.get(path)
            if batch is not None:
                batch.document = document
                batch.applied += applied
                if not applied:
                    batch.before = None
                return
            batch = _Batch(before.text if before and applied else None, document, [*applied])
            self._waiting[path] = batch
            self._unanswered += 1
        self._submit_quietly(self._take_waiting, self._waiting, path)

    def lose(self, path: str) -> None:
        """A document is out of step: until it is taken again, nobody gets to see it."""
        self._lost.add(path)
        self._open.pop(path, None)
        self._count_change()

    def drop(self, path: str) -> None:
        """The editor has closed a file; the disk's text counts again."""
        self._lost.discard(path)
        self._open.pop(path, None)
        self._count_change()
        self._seal()
        self._submit_quietly(self._begin_hiding, path)

    def _take_waiting(self, waiting: dict[str, _Batch], path: str) -> None:
        with self._waiting_changes:
            batch = waiting.pop(path)
            self._unanswered -= 1
        document = batch.document
        if self._is_scanned:
            # What was asked before gets the disk's text. A long scan is not waited for: whoever
            # types during one is served first.
            with contextlib.suppress(TimeoutError):
                self.settle([path])
        whole = batch.before is None or batch.before is not self._shown.get(path)
        whole = whole or any(isinstance(each, Replaced) for each in batch.applied)
        self._shown[path] = document.text
        if not whole and len(batch.applied) <= _MOST_EDITS_IN_A_ROW:
            try:
                for each in batch.applied:
                    if not isinstance(each, Replaced):
                        self.project.edit(
                            path, each.span.start, each.span.end, each.replacement, document.version
                        )
                return
            except KeyError:
                # It was hidden meanwhile, since it had been closed before.
                pass
        self.project.show(path, document.text.data, document.version)

    def _begin_hiding(self, path: str) -> None:
        self._shown.pop(path, None)
        with contextlib.suppress(RuntimeError):
            self._hidings[path] = self._disk.submit(self._hide, path)

    def _hide(self, path: str) -> None:
        """On the disk's thread, where the file may be shown again by now."""
        if path not in self._shown:
            self.project.hide(path)
            if path in self._shown:
                self._submit_quietly(self._show_again, path)

    def _show_again(self, path: str) -> None:
        document = self._open.get(path)
        if document is not None:
            self._shown[path] = document.text
            self.project.show(path, document.text.data, document.version)

    def settle(self, paths: Sequence[str]) -> bool:
        """Wait until files that were closed are those of the disk again.

        Whether any were closed since they were settled last: what was read of them before may be
        what the editor had.

        On the editors' thread, before something of them is served.
        """
        hidings = [self._hidings[path] for path in paths if path in self._hidings]
        if hidings and wait(hidings, _REFRESH_SECONDS).not_done:
            raise TimeoutError
        for path in paths:
            self._hidings.pop(path, None)
        return bool(hidings)

    def settle_relations(self) -> bool:
        """As `settle`, for whatever was closed: it may relate to anything.

        Not in the middle of a scan, which may be long, and whose answers say that they are not
        complete.
        """
        return self.snapshot.index_complete and self.settle([*self._hidings])

    async def build(
        self, asked: Asked, overrides: Mapping[str, object], created_at: str, correlation: str
    ) -> Answered | Refusal:
        """A bundle; cancelled with the task that awaits it."""
        self._yielding.overtake()
        look = self._look_at_told()
        return await self._build(asked, overrides, created_at, correlation, Cancellation(), look)

    async def build_unasked(self, asked: Asked) -> Answered | Refusal:
        """A bundle that nobody waits for. Raises `OvertakenError` as soon as somebody asks."""
        with self._yielding.unasked() as cancellation:
            return await self._build(asked, {}, _AT_NO_TIME, _NOBODY, cancellation, None)

    async def _build(
        self,
        asked: Asked,
        overrides: Mapping[str, object],
        created_at: str,
        correlation: str,
        cancellation: Cancellation,
        look: Future[bool] | None,
    ) -> Answered | Refusal:
        """`look` is at changes that were told of before this was asked."""
        revision = self.revision
        lost = frozenset(self._lost)

        def build(request: Request, loaded: Loaded) -> Built | Refused:
            return self.desk.build(
                request,
                loaded.settings,
                created_at=created_at,
                correlation_id=correlation,
                cancellation=cancellation,
            )

        def work() -> Answered | Refusal:
            cancellation.check()
            request = asked()
            if isinstance(request, Refusal):
                return request
            loaded = self.settings_with(overrides)
            if isinstance(loaded, Refusal):
                return loaded
            if look is not None:
                # One that takes long is not waited for, and the answer says so.
                wait([look], _LOOK_SECONDS)
            self.settle_relations()
            outcome = build(request, loaded)
            while self.settle(_involved(outcome)) or self.settle_relations():
                outcome = build(request, loaded)
            for path in _involved(outcome):
                if path in lost:
                    return out_of_step(path)
            is_complete = self.desk.saw_whole_index and (look is None or look.done())
            return Answered(
                request, outcome, loaded, self._revision_of(outcome, revision), is_complete
            )

        try:
            return await self.beside(work)
        except asyncio.CancelledError:
            cancellation.cancel()
            raise
        except TimeoutError:
            return busy()

    def _revision_of(self, outcome: Built | Refused, asked: int) -> int:
        """The revision of a bundle that was asked for at one: a later one where the disk had more.

        On the editors' thread, which is where bundles come one after the other.
        """
        if isinstance(outcome, Refused):
            return asked
        index = outcome.manifest.fingerprints.project_index_fingerprint
        if self._answered is not None and asked <= self._answered[0]:
            is_same = index == self._answered[1]
            asked = self._answered[0] if is_same else self._count_change()
        self._answered = (asked, index)
        return asked

    async def documents(self, paths: Sequence[str]) -> Mapping[str, Document | Refusal]:
        """Documents as a build would read them, scanned."""
        lost = frozenset(self._lost)

        def work() -> dict[str, Document | Refusal]:
            self.settle(paths)
            settings = self.loaded.settings
            docs = SignatureDocs(settings.slicing.signature_docs)
            found = self.desk.read(
                paths,
                frozenset(settings.secrets.harmless),
                lambda document: self.desk.begin_cut(document, docs),
            )
            return {
                path: out_of_step(path) if path in lost else each for path, each in found.items()
            }

        try:
            return await self.on_editors(work)
        except TimeoutError:
            return dict.fromkeys(paths, busy())

    def text_of(self, path: str) -> Text | Refusal:
        """A file's text as it is now. On the editors' thread."""
        self.settle([path])
        found = self.desk.look_at(path)
        return found if isinstance(found, Refusal) else found.text

    def out_of_step(self, path: str) -> Refusal | None:
        """Why an open document is served to nobody, if it is not."""
        return out_of_step(path) if path in self._lost else None

    def settings_with(self, overrides: Mapping[str, object]) -> Loaded | Refusal:
        """The settings with those of a request over them."""
        if not any(value is not None for value in overrides.values()):
            return self.loaded
        given = {key: value for key, value in overrides.items() if value is not None}
        return self.settings_now({**self.requested, **given})

    def settings_now(self, requested: Mapping[str, object]) -> Loaded | Refusal:
        """What the settings files and a request come to now."""
        try:
            opened = open_workspace(self.root, os.environ, requested)
        except (RootError, OSError, ValueError):
            return _not_there()
        return opened if isinstance(opened, Refusal) else opened[1]

    def adopt(self, loaded: Loaded, requested: Mapping[str, object]) -> bool:
        """Go on with other settings, if they change nothing about what is visible."""
        now, then = loaded.settings, self.loaded.settings
        if (
            (now.limits, now.index, now.policy) != (then.limits, then.index, then.policy)
            or loaded.deny_sources != self.loaded.deny_sources
            or self._stop.is_set()
        ):
            return False
        self.loaded, self.requested = loaded, requested
        return True

    async def on_editors(self, work: Callable[[], _Result]) -> _Result:
        """Work that somebody asked for, in front of what nobody did."""
        self._yielding.overtake()
        return await self.beside(work)

    async def beside(self, work: Callable[[], _Result]) -> _Result:
        """Work that nobody asked for, and that is done in its turn."""
        self._seal()
        return await self._on(self._editors, work)

    async def _on_disk(self, work: Callable[[], _Result]) -> _Result:
        return await self._on(self._disk, work)

    async def _on(self, thread: ThreadPoolExecutor, work: Callable[[], _Result]) -> _Result:
        try:
            future = thread.submit(work)
        except RuntimeError:
            raise FolderClosedError from None
        return await self._awaited(future)

    async def _awaited(self, future: Future[_Result]) -> _Result:
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            # What waits for the other thread is cancelled with that.
            if self._stop.is_set() and task and not task.cancelling():
                raise FolderClosedError from None
            raise

    def _seal(self) -> None:
        """What comes from now on is not part of what waits."""
        with self._waiting_changes:
            if self._waiting:
                self._waiting = {}

    def _submit_quietly(self, work: Callable[..., None], *arguments: object) -> None:
        # A folder that is closed takes nothing any more, and nobody asks it.
        with contextlib.suppress(RuntimeError):
            self._editors.submit(work, *arguments)

    def close(self) -> None:
        """Stop; nothing that is under way is waited for."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._editors.shutdown(wait=False, cancel_futures=True)
        self._disk.shutdown(wait=False, cancel_futures=True)
        # What is under way may still read from the store.
        threading.Thread(target=self._close_store, name="sightline-close", daemon=True).start()

    def _close_store(self) -> None:
        self._editors.shutdown(wait=True)
        self._disk.shutdown(wait=True)
        if not isinstance(self._store, NoStore):
            self._store.close()


def open_folder(
    root: Path, registry: Registry, workers: Workers, requested: Mapping[str, object]
) -> Folder | Refusal:
    """A folder that a client names."""
    try:
        opened = open_workspace(root, os.environ, requested)
    except (RootError, OSError, ValueError):
        return _not_there()
    if isinstance(opened, Refusal):
        return opened
    workspace, loaded = opened
    folder = Folder(root, workspace, loaded, registry, workers)
    folder.requested = requested
    return folder


def out_of_step(path: str | None) -> Refusal:
    return _refused(
        "out_of_step",
        path,
        "the server and the editor do not agree on the text of this document",
        "close the file and open it again",
    )


def _involved(outcome: Built | Refused) -> list[str]:
    """The files whose contents made an answer what it is."""
    if isinstance(outcome, Refused):
        return [outcome.refusal.path] if outcome.refusal.path is not None else []
    return [each.path for each in outcome.manifest.selection.included_files]


def busy() -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "busy",
        None,
        "the index is not up to date with the disk yet",
        "ask again when indexing is done",
        rule="what cannot be read deterministically is not sent",
    )


def _not_there() -> Refusal:
    return _refused("no_workspace", None, "the folder is not there", "open another folder")


def _refused(reason: str, path: str | None, message: str, advice: str) -> Refusal:
    return Refusal(RefusalKind.UNSUPPORTED_TARGET, reason, path, message, advice)
