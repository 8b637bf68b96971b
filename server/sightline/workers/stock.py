"""The stock of worker processes: idle workers, callers that wait, and limits on their number.

Invariants:

* A caller with a single request goes before a scan. In a server, scans leave one place for such
  requests.
* Slow texts never occupy all regular workers. If each of those has a slow text, their processes
  leave the regular places: a few go on at a lower priority and others take their place. If there
  are too many, one is killed, and its text waits for a place among the slow ones. The result for a
  text is the same either way: its limit is processor time.
* Once closed, no worker is alive and none is started.
"""

from __future__ import annotations

import threading

from sightline.workers.process import Worker
from sightline.workers.work_future import HasWorker

MOST_LONG = 4
"""The number of workers with slow texts beyond the regular ones; at least as many as those."""
_LONG_SECONDS = 0.1
"""Processor time after which a text counts as slow, for a caller that waits for a worker."""
_LOOK_SECONDS = 0.05


class WorkersClosedError(RuntimeError):
    """The workers were closed before they started this work."""


class WorkerStock:
    """Any thread may take a worker; it must put the worker back, alive or not."""

    def __init__(self, count: int, arguments: list[str]) -> None:
        self._arguments = arguments
        self._count = count
        self._idle: list[Worker | None] = [None] * count
        """Free places of regular workers; None for one that is not started yet."""
        self._is_idle = threading.Condition()
        self._asking = 0
        """How many callers with a single request wait for a worker."""
        self._long: set[Worker] = set()
        """Workers beyond the regular ones."""
        self._beginning_long = 0
        """How many of those are being started."""
        self._living: set[Worker] = set()
        self._busy: set[Worker] = set()
        self._is_closed = False
        self._reserve = 0
        """How many places scans leave for requests."""
        self._is_expecting = False
        """True once a request may arrive."""
        self._asked: Worker | None = None
        """The worker of the last request; it has loaded the languages that people use."""

    @property
    def most_long(self) -> int:
        return max(MOST_LONG, self._count)

    def living(self, worker: Worker | None, future: HasWorker | None) -> Worker:
        """Return the worker if it is alive, else a new one; it works for the future from now on."""
        if worker is None:
            worker = self.new()
        elif not worker.is_alive:
            worker = self._replaced(worker)
        worker.wind_clock()
        if future is not None:
            future.worker = worker
        with self._is_idle:
            if self._reserve and not self._busy:
                self._is_idle.notify_all()
            self._busy.add(worker)
        return worker

    def new(self, *, is_long: bool = False) -> Worker:
        self.check_open()
        worker = Worker(self._arguments, has_low_priority=is_long)
        with self._is_idle:
            self._living.add(worker)
        if self._is_closed:
            worker.kill()
        return worker

    def _replaced(self, lost: Worker) -> Worker:
        """Return a new worker in the place of a lost one."""
        worker = self.new(is_long=lost in self._long)
        with self._is_idle:
            if lost in self._long:
                self._long.remove(lost)
                self._long.add(worker)
        self.end(lost)
        return worker

    def end(self, worker: Worker) -> None:
        with self._is_idle:
            self._living.discard(worker)
            self._busy.discard(worker)
        worker.close()

    def check_open(self) -> None:
        """When the stock is closed, every worker is killed: that says nothing about its text."""
        if self._is_closed:
            raise WorkersClosedError

    def take(self) -> Worker | None:
        """Take an idle worker for a request, or None for one that is not started yet."""
        with self._is_idle:
            return self._awaited(0)

    def take_for_large(self) -> Worker | None:
        """Like `take`, for a large text that was opened: it may be slow, and no request waits for
        it.
        """
        with self._is_idle:
            return self._awaited(self._reserve)

    def take_politely(self, preferred: Worker | None) -> Worker | None:
        """Like `take`, for a scan: waits until no request waits for a worker."""
        with self._is_idle:
            while len(self._idle) <= self._asking + self._reserve:
                self.check_open()
                self._is_idle.wait()
            return self._chosen(preferred, self._reserve)

    def _awaited(self, reserve: int) -> Worker | None:
        self._asking += 1
        try:
            while len(self._idle) <= reserve:
                self.check_open()
                self._make_room()
                if len(self._idle) <= reserve:
                    self._is_idle.wait(_LOOK_SECONDS)
            return self._chosen(None if reserve else self._asked, reserve)
        finally:
            self._asking -= 1

    def begin_long(self, future: HasWorker | None) -> Worker:
        """Start a worker for a text that is known to be slow, once there is room for it."""
        with self._is_idle:
            while len(self._long) + self._beginning_long >= self.most_long:
                self.check_open()
                self._is_idle.wait()
            self._beginning_long += 1
        worker: Worker | None = None
        try:
            worker = self.living(self.new(is_long=True), future)
        finally:
            with self._is_idle:
                self._beginning_long -= 1
                if worker is not None:
                    self._long.add(worker)
        return worker

    def put_asked(self, worker: Worker | None) -> None:
        """Like `put`, for a worker that answered a request."""
        self._asked = worker
        self.put(worker)

    def put(self, worker: Worker | None) -> None:
        with self._is_idle:
            is_long = worker in self._long
            if worker is not None:
                self._busy.discard(worker)
                self._long.discard(worker)
            if is_long and worker is self._asked:
                self._asked = None
            if not is_long:
                self._idle.append(worker)
            self._is_idle.notify_all()
        if is_long and worker is not None:
            # Its priority cannot be raised again.
            self.end(worker)

    def stay_ready(self) -> None:
        """Keep a place for requests, with a worker started before the first request."""
        with self._is_idle:
            if not self._reserve:
                self._reserve = 1
                self._count += 1
                self._idle.append(None)
                threading.Thread(
                    target=self._stay_ready, name="sightline-stock", daemon=True
                ).start()

    def expect(self) -> None:
        """Note that a request may arrive soon."""
        with self._is_idle:
            self._is_expecting = True
            self._is_idle.notify_all()

    def close(self) -> None:
        """Kill every worker, busy or not."""
        with self._is_idle:
            self._is_closed = True
            for worker in self._living:
                worker.kill()
            self._is_idle.notify_all()

    def clear(self) -> None:
        """Close workers that were killed and are not used any more."""
        with self._is_idle:
            living, self._living = self._living, set()
        for worker in living:
            worker.close()

    def _make_room(self) -> None:
        """Let slow texts leave the regular workers, if all of those have one.

        The reserve is not counted: it is free already.
        """
        usual = [worker for worker in self._busy if worker not in self._long]
        if len(usual) < self._count - self._reserve:
            return
        spent = {worker: worker.spent_seconds for worker in usual}
        if min(spent.values()) <= _LONG_SECONDS or any(each.is_given_up for each in usual):
            return
        usual.sort(key=lambda worker: -spent[worker])
        room = self.most_long - len(self._long) - self._beginning_long
        if room <= 0:
            # Its place is free when its user puts it back.
            usual[-1].give_up()
            return
        for worker in usual[:room]:
            worker.lower_priority()
            self._long.add(worker)
            self._idle.append(None)
        self._is_idle.notify_all()

    def _chosen(self, preferred: Worker | None, reserve: int) -> Worker | None:
        """Take a place out of the idle ones; with a reserve, leave a live worker for requests."""
        alive = [each for each in self._idle if each is not None and each.is_alive]
        if reserve and alive:
            alive.remove(self._asked if self._asked in alive else alive[-1])
        if preferred is None or preferred not in alive:
            others = [each for each in self._idle if each is None or not each.is_alive]
            preferred = alive[0] if alive else others[0] if others else self._idle[0]
        self._idle.remove(preferred)
        return preferred

    def _stay_ready(self) -> None:
        while not self._is_closed:
            with self._is_idle:
                self._is_idle.wait(_LOOK_SECONDS if self._busy else None)
                self._make_room()
                is_needed = self._is_one_needed()
                place = self._idle.pop() if is_needed else None
            if is_needed:
                self._start_one(place)

    def _is_one_needed(self) -> bool:
        """Return True if a request may arrive, no idle worker is alive, and there is a place for
        one.
        """
        if self._is_closed or not self._idle:
            return False
        if any(each is not None and each.is_alive for each in self._idle):
            return False
        return self._is_expecting

    def _start_one(self, place: Worker | None) -> None:
        if place is not None:
            self.end(place)
        worker: Worker | None = None
        try:
            worker = self.new()
        except (OSError, WorkersClosedError):
            # The next request tries to start it too, and reports the error.
            pass
        finally:
            self.put(worker)
