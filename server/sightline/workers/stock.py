"""Worker processes in stock: who is idle, who waits for one, and how many there are.

Invariants:

* Whoever asks for one thing goes before a scan. In a server, scans leave one place to them.
* Texts that take long never hold all of the usual workers. Where each of those is at one, their
  processes leave the usual ones: they go on at a lower priority, a few at most, and others take
  their place. Where there are too many, one is killed, and its text waits for a place among them.
  What is made of a text is the same either way: its limit is processor time.
* Once closed, no worker is alive and none is started.
"""

from __future__ import annotations

import threading

from sightline.workers.process import Worker
from sightline.workers.work_future import HasWorker

MOST_LONG = 4
"""Workers beyond the usual ones, each at a text that takes long; as many as those, if more."""
_LONG_SECONDS = 0.1
"""Processor time after which a text takes long, for whoever waits for a worker."""
_LOOK_SECONDS = 0.05


class WorkersClosedError(RuntimeError):
    """The workers were closed before they came to what they were asked for."""


class WorkerStock:
    """Any thread may take a worker; whoever took one puts it back, alive or not."""

    def __init__(self, count: int, arguments: list[str]) -> None:
        self._arguments = arguments
        self._count = count
        self._idle: list[Worker | None] = [None] * count
        """Free places of usual workers; None for one that is yet to be started."""
        self._is_idle = threading.Condition()
        self._asking = 0
        """How many wait for a worker to ask it one thing."""
        self._long: set[Worker] = set()
        """Workers beyond the usual ones."""
        self._beginning_long = 0
        """How many more are being started."""
        self._living: set[Worker] = set()
        self._busy: set[Worker] = set()
        self._is_closed = False
        self._reserve = 0
        """How many places scans leave to whoever asks."""
        self._is_expecting = False
        """True once somebody may ask."""
        self._asked: Worker | None = None
        """The one that was asked last, which has loaded what people ask about."""

    @property
    def most_long(self) -> int:
        return max(MOST_LONG, self._count)

    def living(self, worker: Worker | None, future: HasWorker | None) -> Worker:
        """The worker if it is alive, else another, which is at the work of a future from now on."""
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
        """Another worker, in the place of one that was lost."""
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
        """A worker that was killed because all of them are says nothing about its text."""
        if self._is_closed:
            raise WorkersClosedError

    def take(self) -> Worker | None:
        """An idle worker for a request, or None for one that is yet to be started."""
        with self._is_idle:
            return self._awaited(0)

    def take_for_large(self) -> Worker | None:
        """As `take`, for a large text that was opened: it may take long, and nobody asks for it."""
        with self._is_idle:
            return self._awaited(self._reserve)

    def take_politely(self, preferred: Worker | None) -> Worker | None:
        """As `take`, for a scan, once nobody else waits for one."""
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
        """Start a worker for a text that is known to take long, once there is room for it."""
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
        """As `put`, for one that was asked."""
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
        """Keep a place for whoever asks, and a worker in it before somebody does."""
        with self._is_idle:
            if not self._reserve:
                self._reserve = 1
                self._count += 1
                self._idle.append(None)
                threading.Thread(
                    target=self._stay_ready, name="sightline-stock", daemon=True
                ).start()

    def expect(self) -> None:
        """Somebody may ask soon."""
        with self._is_idle:
            self._is_expecting = True
            self._is_idle.notify_all()

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

    def _make_room(self) -> None:
        """Let texts that take long leave the usual workers, if all of those are at one.

        The reserve is not counted: it is there already.
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
            # Its place is free when whoever had it puts it back.
            usual[-1].give_up()
            return
        for worker in usual[:room]:
            worker.lower_priority()
            self._long.add(worker)
            self._idle.append(None)
        self._is_idle.notify_all()

    def _chosen(self, preferred: Worker | None, reserve: int) -> Worker | None:
        """Take a place out of the idle ones; with a reserve, leave a worker for whoever asks."""
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
        """Whether somebody may ask, nobody is at hand, and there is a place for a worker."""
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
            # Whoever asks next tries it too, and is told.
            pass
        finally:
            self.put(worker)
