"""The workers of one parent: send requests to them and replace lost ones.

Invariants:

* `ask_all` answers in the order of its requests, whichever worker was quicker.
* A text that took too long is not tried again; one whose worker was lost otherwise is, once.
* A text is tried in a worker of its own after its first worker was killed to free it for others.
* Closing does not wait: it kills the workers, and every waiting caller gets an error.
"""

from __future__ import annotations

import contextlib
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

import attrs
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
from sightline.workers.stock import WorkersClosedError, WorkerStock
from sightline.workers.work_future import PATIENCE_SECONDS, WorkFuture

TIME_LIMIT_SECONDS = 10.0
"""Processor time for one parse of one text."""

_TRIES = 2
_PARTIAL_PARSES_AT_ONCE = 8
_LARGE_BYTES = 1 << 16

_Result = TypeVar("_Result")
_Given = TypeVar("_Given")
_Work = Callable[[WorkFuture[_Result] | None, bool], _Result]
"""Takes the future that it completes, and whether its text is known to take long."""


@attrs.frozen
class TooSlow:
    """An edit took too long to wait for. The text may be parsed by another worker."""


class _GivenUpError(Exception):
    """A worker with a slow text was killed, because other requests waited for a worker."""


class Workers:
    """A fixed number of worker processes, started when first needed and replaced when lost."""

    def __init__(
        self,
        count: int | None = None,
        *,
        language_folders: Iterable[Path] = (),
        time_limit: float = TIME_LIMIT_SECONDS,
    ) -> None:
        self._count = count or _available_cores()
        self._time_limit = time_limit
        self._editing = threading.RLock()
        self._editor: Worker | None = None
        """The worker that holds the texts being edited; it is not used for scans."""
        self._stock = WorkerStock(self._count, [str(folder) for folder in language_folders])
        self.stay_ready = self._stock.stay_ready
        """For a server: keep one worker ready for requests, even while others are busy."""
        most_long = self._stock.most_long
        self._threads = ThreadPoolExecutor(self._count + most_long, "sightline-worker")
        self._long_threads = ThreadPoolExecutor(most_long, "sightline-long-text")
        """Slow texts whose worker was killed wait here, so that they delay no other text."""
        self._partial_parses: deque[
            tuple[PartialParseRequest, WorkFuture[PartialParseAnswer | Refusal]]
        ] = deque()
        """Partial parses that have not begun."""

    @property
    def time_limit(self) -> float:
        """Return the processor time for one parse of one text, in seconds."""
        return self._time_limit

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
        """Parse one text. It goes before a scan."""
        return _done(lambda future, is_long: self._ask(request, future, is_long=is_long))

    def index(self, request: IndexRequest) -> IndexAnswer | Refusal:
        """Return the facts of one file. It goes before a scan."""
        return _done(lambda future, is_long: self._index_one(request, future, is_long=is_long))

    def begin(self, request: ParseRequest) -> WorkFuture[ParseAnswer | Refusal]:
        """Begin to parse one text, without waiting for the answer."""
        return self._begin(lambda future, is_long: self._ask(request, future, is_long=is_long))

    def begin_index(self, request: IndexRequest) -> WorkFuture[IndexAnswer | Refusal]:
        """Like `index`, without waiting for the answer."""
        return self._begin(
            lambda future, is_long: self._index_one(request, future, is_long=is_long)
        )

    def _begin(self, work: _Work[_Result]) -> WorkFuture[_Result]:
        future: WorkFuture[_Result] = WorkFuture()
        begun = self._threads.submit(self._carry_out, future, work)
        # Closing the workers cancels work that has not begun.
        begun.add_done_callback(lambda done: done.cancelled() and future.cancel())
        return future

    def _carry_out(self, future: WorkFuture[_Result], work: _Work[_Result]) -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            result = work(future, False)
        except _GivenUpError:
            self._begin_long(future, work)
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    def _begin_long(self, future: WorkFuture[_Result], work: _Work[_Result]) -> None:
        """Continue work whose worker was killed, when there is room for it."""
        future.worker, future.is_given_up = None, True
        try:
            begun = self._long_threads.submit(_carry_out_long, future, work)
        except RuntimeError:
            future.set_exception(WorkersClosedError())
            return
        begun.add_done_callback(partial(_tell_closed, future))

    def _ask(
        self,
        request: ParseRequest,
        future: WorkFuture[ParseAnswer | Refusal] | None,
        *,
        is_long: bool,
    ) -> ParseAnswer | Refusal:
        for _ in range(_TRIES):
            answer = self._with_worker(
                lambda worker: worker.ask(request, self._time_limit), future, is_long=is_long
            )
            if not isinstance(answer, Lost):
                return answer
            self._stock.check_open()
            if answer.is_slow:
                raise _GivenUpError
            if not answer.can_retry:
                break
        assert isinstance(answer, Lost)
        return answer.refusal

    def _index_one(
        self,
        request: IndexRequest,
        future: WorkFuture[IndexAnswer | Refusal] | None,
        *,
        is_long: bool,
    ) -> IndexAnswer | Refusal:
        answers: list[IndexAnswer | Refusal] = []
        if is_long:
            worker: Worker | None = self._stock.begin_long(future)
        elif len(request.data) > _LARGE_BYTES:
            worker = self._stock.take_for_large()
        else:
            worker = self._stock.take()
        try:
            worker, given_up = self._index(
                worker, [request], lambda outcome: answers.append(outcome[1]), future
            )
        finally:
            self._stock.put(worker)
        if given_up:
            raise _GivenUpError
        return answers[0]

    def begin_partial_parse(
        self, request: PartialParseRequest
    ) -> WorkFuture[PartialParseAnswer | Refusal]:
        """Like `begin`. Waiting requests are sent together: each takes less time than its
        message.
        """
        future: WorkFuture[PartialParseAnswer | Refusal] = WorkFuture()
        self._partial_parses.append((request, future))
        self._threads.submit(self._parse_waiting_parts)
        return future

    def _parse_waiting_parts(self) -> None:
        """Answer some of the waiting partial parses. There may be none left."""
        batch: list[tuple[PartialParseRequest, WorkFuture[PartialParseAnswer | Refusal]]] = []
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
            self._with_worker(
                lambda worker: self._partial_parse(worker, batch), None, is_long=False
            )
        except BaseException as error:
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
            raise

    def _partial_parse(
        self,
        worker: Worker,
        batch: list[tuple[PartialParseRequest, WorkFuture[PartialParseAnswer | Refusal]]],
    ) -> None:
        for _, future in batch:
            future.worker = worker
        requests = [request for request, _ in batch]
        answers = worker.partial_parse(requests, self._time_limit)

        def parse_alone(
            request: PartialParseRequest,
            future: WorkFuture[PartialParseAnswer | Refusal] | None,
            is_long: bool,
        ) -> PartialParseAnswer | Refusal:
            answer = self._with_worker(
                lambda other: next(other.partial_parse([request], self._time_limit)),
                future,
                is_long=is_long,
            )
            self._stock.check_open()
            return answer.refusal if isinstance(answer, Lost) else answer

        for answer, (request, future) in zip(answers, batch, strict=False):
            if isinstance(answer, Lost):
                self._stock.check_open()
            if isinstance(answer, Lost) and answer.is_slow:
                self._begin_long(future, partial(parse_alone, request))
            else:
                future.set_result(answer.refusal if isinstance(answer, Lost) else answer)
        for request, future in batch:
            if not future.done() and not future.is_given_up:
                # Its worker was lost over another text of the batch: request it once more.
                again = self.begin_partial_parse(request)
                again.add_done_callback(partial(_pass_on, future))

    def ask_all(self, requests: Iterable[ParseRequest]) -> Iterator[ParseAnswer | Refusal]:
        """Yield answers in the order of the requests; a few requests run at a time."""
        under_way: deque[WorkFuture[ParseAnswer | Refusal]] = deque()
        for request in requests:
            under_way.append(self.begin(request))
            if len(under_way) > 2 * self._count:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()

    def index_all(
        self, requests: Iterable[IndexRequest]
    ) -> Iterator[tuple[IndexRequest, IndexAnswer | Refusal]]:
        """Yield the facts of many files as soon as each is ready, using all workers.

        A file whose worker is lost is tried once more in a new worker, and then refused.
        """
        batches = Batches(requests)
        done: SimpleQueue[tuple[IndexRequest, IndexAnswer | Refusal] | BaseException | None]
        done = SimpleQueue()

        def work() -> None:
            try:
                worker: Worker | None = None
                # Reading files may wait for a lock, and the holder of that lock may wait for a
                # worker. So no worker is held while the next batch is read.
                while batch := batches.next(worker.languages if worker else frozenset()):
                    # Requests may use the worker between two batches.
                    worker = self._stock.take_politely(worker)
                    try:
                        worker, given_up = self._index(worker, batch, done.put)
                    finally:
                        self._stock.put(worker)
                    for each in given_up:
                        done.put((each, self._index_one(each, None, is_long=True)))
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
        self,
        request: EditRequest,
        text: bytes,
        meanwhile: Callable[[], object],
        *,
        is_patient: bool = True,
    ) -> EditAnswer | Refusal | TooSlow:
        """Apply an edit in the worker that holds the tree of the text.

        `text` is the text after the edit, for a worker that does not hold it. `meanwhile` may be
        called while the worker is busy. An impatient caller gives up a slow worker, and with it the
        trees of other texts.
        """
        patience = None if is_patient else PATIENCE_SECONDS
        with self._editing:
            outcome = self._living_editor().edit(request, self._time_limit, meanwhile, patience)
            for _ in range(_TRIES):
                if isinstance(outcome, Lost):
                    self._stock.check_open()
                    if outcome.is_slow:
                        return TooSlow()
                    if not outcome.can_retry:
                        return outcome.refusal
                elif isinstance(outcome, EditAnswer) or not is_forgotten(outcome):
                    return outcome
                request = msgspec.structs.replace(request, text=text)
                outcome = self._living_editor().edit(request, self._time_limit, None, patience)
            if isinstance(outcome, Lost):
                self._stock.check_open()
                return TooSlow() if outcome.is_slow else outcome.refusal
            return outcome

    def prepare(self) -> None:
        """Prepare for requests about a text that was just opened. Does not wait."""
        self._stock.expect()
        if self._editor is None:
            with contextlib.suppress(RuntimeError):
                self._threads.submit(self._living_editor)

    def _living_editor(self) -> Worker:
        with self._editing:
            if self._editor is not None and not self._editor.is_alive:
                self._stock.end(self._editor)
                self._editor = None
            if self._editor is None:
                self._editor = self._stock.new()
            return self._editor

    def facts(self, request: FactsRequest, text: bytes) -> bytes | Refusal:
        """Return the packed facts of an edited text, from the worker that holds it.

        A text that it no longer holds is parsed again.
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
        future: WorkFuture[IndexAnswer | Refusal] | None = None,
    ) -> tuple[Worker | None, list[IndexRequest]]:
        """Index a batch; return the worker that is left, and the requests that were given up."""
        suspect = -1
        given_up: list[IndexRequest] = []
        while batch:
            worker = self._stock.living(worker, future)
            lost: Lost | None = None
            answered = 0
            for answer in worker.index(batch, self._time_limit):
                if isinstance(answer, Lost):
                    lost = answer
                    break
                give((batch[answered], answer))
                answered += 1
            batch = batch[answered:]
            if lost is not None and batch:
                self._stock.check_open()
                if lost.is_slow:
                    given_up.append(batch[0])
                    batch = batch[1:]
                elif batch[0].number == suspect or not lost.can_retry:
                    give((batch[0], lost.refusal))
                    batch = batch[1:]
                else:
                    suspect = batch[0].number
        return worker, given_up

    def _with_worker(
        self,
        use: Callable[[Worker], _Given],
        future: WorkFuture[_Result] | None,
        *,
        is_long: bool,
    ) -> _Given:
        worker = self._stock.begin_long(future) if is_long else self._stock.take()
        try:
            worker = self._stock.living(worker, future)
            return use(worker)
        finally:
            self._stock.put_asked(worker)

    def close(self) -> None:
        """End every worker, busy or not."""
        self._stock.close()
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._long_threads.shutdown(wait=True, cancel_futures=True)
        while self._partial_parses:
            self._partial_parses.popleft()[1].cancel()
        self._stock.clear()


def _done(work: _Work[_Result]) -> _Result:
    try:
        return work(None, False)
    except _GivenUpError:
        return work(None, True)


def _carry_out_long(future: WorkFuture[_Result], work: _Work[_Result]) -> None:
    try:
        result = work(future, True)
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)


def _tell_closed(future: Future[_Result], begun: Future[None]) -> None:
    """Closing the workers cancels work that has not begun."""
    if begun.cancelled():
        future.set_exception(WorkersClosedError())


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
