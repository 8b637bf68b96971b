"""The workers of one parent: who is idle, who waits, and what is done when one is lost.

Invariants:

* `ask_all` answers in the order of its requests, whichever worker was quicker.
* Whoever asks for one thing goes before a scan.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import TypeVar

import msgspec

from sightline.refusals import Refusal
from sightline.workers.batches import Batches
from sightline.workers.messages import (
    EditAnswer,
    EditRequest,
    FactsRequest,
    IndexAnswer,
    IndexRequest,
    PackedFacts,
    ParseAnswer,
    ParseRequest,
    PartialParseAnswer,
    PartialParseRequest,
    is_forgotten,
)
from sightline.workers.process import Lost, Worker

TIME_LIMIT_SECONDS = 1.75
"""From the request to the answer, so that a killed worker is gone within two seconds."""

_TRIES = 2
_PARTIAL_PARSES_AT_ONCE = 8

_Result = TypeVar("_Result")


class Workers:
    """A few worker processes, started when first needed and replaced when lost."""

    def __init__(
        self,
        count: int | None = None,
        *,
        language_folders: Iterable[Path] = (),
        time_limit: float = TIME_LIMIT_SECONDS,
    ) -> None:
        self._count = count or _available_cores()
        self._arguments = [str(folder) for folder in language_folders]
        self._time_limit = time_limit
        self._threads = ThreadPoolExecutor(self._count, thread_name_prefix="sightline-worker")
        self._editing = threading.Lock()
        self._editor: Worker | None = None
        """The worker that has the texts which are being edited, beside those that scan."""
        self._idle: list[Worker | None] = [None] * self._count
        self._is_idle = threading.Condition()
        self._partial_parses: deque[
            tuple[PartialParseRequest, Future[PartialParseAnswer | Refusal]]
        ] = deque()
        """Those that nobody has begun with."""
        self._asking = 0
        """How many wait for a worker to ask it one thing."""

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def ask(self, request: ParseRequest) -> ParseAnswer | Refusal:
        """One answer; a scan waits for it, and not it for a scan."""
        return self._with_worker(lambda worker: worker.ask(request, self._time_limit))

    def index(self, request: IndexRequest) -> IndexAnswer | Refusal:
        """The facts of one file, in front of whatever a scan still has to do."""
        worker = self._take(None)
        answers: list[IndexAnswer | Refusal] = []
        try:
            worker = self._index(worker, [request], lambda outcome: answers.append(outcome[1]))
        finally:
            self._put(worker)
        return answers[0]

    def begin(self, request: ParseRequest) -> Future[ParseAnswer | Refusal]:
        """Ask without waiting for the answer."""
        return self._threads.submit(self.ask, request)

    def begin_partial_parse(
        self, request: PartialParseRequest
    ) -> Future[PartialParseAnswer | Refusal]:
        """As `begin`. Those that wait go together: each takes less time than asking for it."""
        future: Future[PartialParseAnswer | Refusal] = Future()
        self._partial_parses.append((request, future))
        self._threads.submit(self._parse_waiting_parts)
        return future

    def _parse_waiting_parts(self) -> None:
        """Answer some of the waiting partial parses. There may be none left."""
        batch: list[tuple[PartialParseRequest, Future[PartialParseAnswer | Refusal]]] = []
        while len(batch) < _PARTIAL_PARSES_AT_ONCE:
            try:
                request, future = self._partial_parses.popleft()
            except IndexError:
                break
            if future.set_running_or_notify_cancel():
                batch.append((request, future))
        if not batch:
            return
        try:
            self._with_worker(lambda worker: self._partial_parse(worker, batch))
        except BaseException as error:
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
            raise

    def _partial_parse(
        self,
        worker: Worker,
        batch: list[tuple[PartialParseRequest, Future[PartialParseAnswer | Refusal]]],
    ) -> None:
        requests = [request for request, _ in batch]
        answers = worker.partial_parse(requests, self._time_limit)
        for answer, (_, future) in zip(answers, batch, strict=False):
            future.set_result(answer.refusal if isinstance(answer, Lost) else answer)
        for request, future in batch:
            if not future.done():
                # Its worker was lost over another: it is asked for once more.
                again = self.begin_partial_parse(request)
                again.add_done_callback(partial(_pass_on, future))

    def ask_all(self, requests: Iterable[ParseRequest]) -> Iterator[ParseAnswer | Refusal]:
        """Answers in the order of the requests, a few of which are under way at a time."""
        under_way: deque[Future[ParseAnswer | Refusal]] = deque()
        for request in requests:
            under_way.append(self.begin(request))
            if len(under_way) > 2 * self._count:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()

    def index_all(
        self, requests: Iterable[IndexRequest]
    ) -> Iterator[tuple[IndexRequest, IndexAnswer | Refusal]]:
        """Facts of many files, each as soon as it is there, over all workers.

        A file that costs its worker is tried once more in a fresh one, and then refused.
        """
        batches = Batches(requests)
        done: SimpleQueue[tuple[IndexRequest, IndexAnswer | Refusal] | BaseException | None]
        done = SimpleQueue()

        def work() -> None:
            try:
                worker: Worker | None = None
                # Whoever reads files may wait for a lock, and whoever has the lock for a worker: so
                # none is held while the next portion is read.
                while batch := batches.next(worker.languages if worker else frozenset()):
                    # Between two portions others may have it.
                    worker = self._take_politely(worker)
                    try:
                        worker = self._index(worker, batch, done.put)
                    finally:
                        self._put(worker)
                done.put(None)
            except BaseException as error:
                done.put(error)

        for _ in range(self._count):
            threading.Thread(target=work, name="sightline-scan", daemon=True).start()
        running = self._count
        try:
            while running:
                outcome = done.get()
                if outcome is None:
                    running -= 1
                elif isinstance(outcome, BaseException):
                    raise outcome
                else:
                    yield outcome
        finally:
            batches.stop()

    def edit(
        self, request: EditRequest, text: bytes, meanwhile: Callable[[], object]
    ) -> EditAnswer | Refusal:
        """What an edit made of a text, by a worker that has its tree from before.

        `text` is the text after the edit, for a worker that does not have it. `meanwhile` is done
        while the worker is at it, and perhaps not at all.
        """
        with self._editing:
            outcome = self._living_editor().edit(request, self._time_limit, meanwhile)
            for _ in range(_TRIES):
                if isinstance(outcome, EditAnswer | Refusal) and not is_forgotten(outcome):
                    return outcome
                request = msgspec.structs.replace(request, text=text)
                outcome = self._living_editor().edit(request, self._time_limit)
            return outcome.refusal if isinstance(outcome, Lost) else outcome

    def _living_editor(self) -> Worker:
        if self._editor is not None and not self._editor.is_alive:
            self._editor.close()
            self._editor = None
        if self._editor is None:
            self._editor = Worker(self._arguments)
        return self._editor

    def facts(self, request: FactsRequest, text: bytes) -> bytes | Refusal:
        """Packed facts of a text that was edited, by the worker that has it.

        A text that it no longer has is parsed afresh.
        """
        with self._editing:
            if self._editor is not None and self._editor.is_alive:
                outcome = self._editor.facts(request, self._time_limit)
                if isinstance(outcome, PackedFacts):
                    return outcome.facts
        answer = self.index(IndexRequest(0, request.language, text))
        return answer if isinstance(answer, Refusal) else answer.facts

    def _index(
        self,
        worker: Worker | None,
        batch: list[IndexRequest],
        give: Callable[[tuple[IndexRequest, IndexAnswer | Refusal]], None],
    ) -> Worker | None:
        """Have a portion indexed; the worker that is left in the end."""
        suspect = -1
        while batch:
            if worker is None or not worker.is_alive:
                worker = Worker(self._arguments)
            lost: Refusal | None = None
            answered = 0
            for answer in worker.index(batch, self._time_limit):
                if isinstance(answer, Lost):
                    lost = answer.refusal
                    break
                give((batch[answered], answer))
                answered += 1
            batch = batch[answered:]
            if lost is not None and batch:
                if batch[0].number == suspect:
                    give((batch[0], lost))
                    batch = batch[1:]
                else:
                    suspect = batch[0].number
        return worker

    def _with_worker(self, use: Callable[[Worker], _Result]) -> _Result:
        worker = self._take(None)
        try:
            if worker is None or not worker.is_alive:
                worker = Worker(self._arguments)
            return use(worker)
        finally:
            self._put(worker)

    def _take(self, preferred: Worker | None) -> Worker | None:
        """An idle worker, or None for one that is yet to be started."""
        with self._is_idle:
            self._asking += 1
            while not self._idle:
                self._is_idle.wait()
            self._asking -= 1
            return self._chosen(preferred)

    def _take_politely(self, preferred: Worker | None) -> Worker | None:
        """As `_take`, once nobody else waits for one."""
        with self._is_idle:
            while len(self._idle) <= self._asking:
                self._is_idle.wait()
            return self._chosen(preferred)

    def _chosen(self, preferred: Worker | None) -> Worker | None:
        if preferred in self._idle:
            self._idle.remove(preferred)
            return preferred
        return self._idle.pop(0)

    def _put(self, worker: Worker | None) -> None:
        with self._is_idle:
            self._idle.append(worker)
            self._is_idle.notify_all()

    def close(self) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)
        while self._partial_parses:
            self._partial_parses.popleft()[1].cancel()
        if self._editor is not None:
            self._editor.close()
        for _ in range(self._count):
            worker = self._take(None)
            if worker is not None:
                worker.close()


def _pass_on(future: Future[_Result], done: Future[_Result]) -> None:
    error = done.exception() if not done.cancelled() else CancelledError()
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(done.result())


def _available_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
