"""Worker processes in stock: who is idle, who waits for one, and how many there are.

Invariants:

* Whoever asks for one thing goes before a scan. Where every worker is at something long, one more
  is started, a few at most, and ended when it is not needed any more.
* Once closed, no worker is alive and none is started.
"""

from __future__ import annotations

import threading

from sightline.workers.process import Worker
from sightline.workers.work_future import PATIENCE_SECONDS, HasWorker

MOST_EXTRA = 4
"""Workers beyond the usual ones, while all of those are busy."""
_LONG_SECONDS = 0.25
"""Processor time that every usual one has spent on its text by then."""
_LOOK_SECONDS = 0.05


class WorkersClosedError(RuntimeError):
    """The workers were closed before they came to what they were asked for."""


class WorkerStock:
    """Any thread may take a worker; whoever took one puts it back, alive or not."""

    def __init__(self, count: int, arguments: list[str]) -> None:
        self._arguments = arguments
        self._count = count
        self._idle: list[Worker | None] = [None] * count
        self._is_idle = threading.Condition()
        self._asking = 0
        """How many wait for a worker to ask it one thing."""
        self._extra = 0
        """How many workers there are beyond the usual ones."""
        self._living: set[Worker] = set()
        self._busy: set[Worker] = set()
        self._is_closed = False

    def living(self, worker: Worker | None, future: HasWorker | None) -> Worker:
        """The worker if it is alive, else another, which is at the work of a future from now on."""
        if worker is None or not worker.is_alive:
            if worker is not None:
                self.end(worker)
            worker = self.new()
        worker.wind_clock()
        if future is not None:
            future.worker = worker
        with self._is_idle:
            self._busy.add(worker)
        return worker

    def new(self) -> Worker:
        self.check_open()
        worker = Worker(self._arguments)
        with self._is_idle:
            self._living.add(worker)
        if self._is_closed:
            worker.kill()
        return worker

    def end(self, worker: Worker) -> None:
        with self._is_idle:
            self._living.discard(worker)
            self._busy.discard(worker)
        worker.close()

    def check_open(self) -> None:
        """A worker that was killed because all of them are says nothing about its text."""
        if self._is_closed:
            raise WorkersClosedError

    def is_clogged(self) -> bool:
        """Whether every worker is at something long, and no more may be started."""
        with self._is_idle:
            return (
                not self._idle
                and self._extra >= MOST_EXTRA
                and self._are_all_at_long_texts(PATIENCE_SECONDS)
            )

    def _are_all_at_long_texts(self, seconds: float) -> bool:
        # One that is yet to be started is at none.
        return len(self._busy) == self._count + self._extra and all(
            each.spent_seconds > seconds for each in self._busy
        )

    def take(self, preferred: Worker | None) -> Worker | None:
        """An idle worker, or None for one that is yet to be started."""
        with self._is_idle:
            self._asking += 1
            try:
                while not self._idle:
                    self.check_open()
                    may_start = self._extra < MOST_EXTRA
                    if may_start and self._are_all_at_long_texts(_LONG_SECONDS):
                        self._extra += 1
                        return None
                    self._is_idle.wait(_LOOK_SECONDS if may_start else None)
                return self._chosen(preferred)
            finally:
                self._asking -= 1

    def take_politely(self, preferred: Worker | None) -> Worker | None:
        """As `take`, once nobody else waits for one."""
        with self._is_idle:
            while len(self._idle) <= self._asking:
                self.check_open()
                self._is_idle.wait()
            return self._chosen(preferred)

    def _chosen(self, preferred: Worker | None) -> Worker | None:
        if preferred in self._idle:
            self._idle.remove(preferred)
            return preferred
        return self._idle.pop(0)

    def put(self, worker: Worker | None) -> None:
        with self._is_idle:
            if worker is not None:
                self._busy.discard(worker)
            is_surplus = bool(self._extra and self._idle)
            if is_surplus:
                self._extra -= 1
            else:
                self._idle.append(worker)
            self._is_idle.notify_all()
        if is_surplus and worker is not None:
            self.end(worker)

    def close(self) -> None:
        """Kill every worker, whatever it is at."""
        with self._is_idle:
            self._is_closed = True
            for worker in self._living:
                worker.kill()
            self._is_idle.notify_all()

    def clear(self) -> None:
        """Let go of workers that were killed and that nobody uses any more."""
        with self._is_idle:
            living, self._living = self._living, set()
        for worker in living:
            worker.close()
