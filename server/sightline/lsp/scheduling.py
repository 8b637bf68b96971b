"""All timing of the server: what waits for quiet, what makes way, and for how long.

Lives on the event loop. Invariants:

* Work that follows typing is done once things have been quiet for a moment, and never twice at
  once. Somebody who types without a pause sees it too, now and then. Whatever was poked last is
  done at last; what came in between may be skipped, and what had to make way is done again.
* A status that is still being made out for a text that is gone makes way for the next, but not for
  ever.
* A build that nobody asked for makes way for those that somebody did. What is broken off costs
  nobody an answer, and is told so; once builds have made way for
  `LONGEST_OVERTAKING_SECONDS`, the next one comes to its end.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Hashable, Iterator

from sightline.engine.cancelling import BuildCancelledError, Cancellation

logger = logging.getLogger(__name__)

QUIET_SECONDS = 0.12
"""How long nothing is typed before something is made of it."""
_LONGEST_WAIT_SECONDS = 0.5
"""How long typing without a pause can put that off."""
_LONGEST_YIELDING_SECONDS = 2.0
"""How long a status makes way for the next."""
LONGEST_OVERTAKING_SECONDS = 10.0
"""How long builds that nobody asked for make way."""
SETTLE_SECONDS = 0.1
"""How long changes on the disk are collected before they are looked at."""
TURN_SECONDS = 0.8
"""How long the editors' thread waits for the disk's. Then it serves others first."""
READY_SECONDS = 60.0
"""How long a request waits, behind no turn, for what it needs."""
RETRY_SECONDS = 30.0
"""How long after its scan a folder tries again what is in quarantine."""
MOST_RETRIES = 6
"""Texts in quarantine that are tried again after a start: a minute of processor time at most."""
ROOT_SECONDS = 1.0
"""Between two looks at a root that changes its identity."""

_STATUS = "status"

Work = Callable[[], Awaitable[None]]


class Debouncer:
    """Debounces by name."""

    def __init__(self, status: Work) -> None:
        self._status = status
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._latest: dict[str, float] = {}
        """When what is waiting is done, however much is typed meanwhile."""
        self._running: dict[str, asyncio.Task[None]] = {}
        self._again: dict[str, Work] = {}
        self._yielded_at: float | None = None
        """When a status first made way for another since one came to its end."""
        self._is_stopped = False

    def poke(self) -> None:
        """The status may be another."""
        self.later(_STATUS, self._status)

    def later(self, name: str, work: Work) -> None:
        if self._is_stopped:
            return
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()
        loop = asyncio.get_running_loop()
        now = loop.time()
        latest = self._latest.setdefault(name, now + _LONGEST_WAIT_SECONDS)
        self._timers[name] = loop.call_at(min(now + QUIET_SECONDS, latest), self._begin, name, work)

    def stop(self) -> None:
        self._is_stopped = True
        for timer in self._timers.values():
            timer.cancel()
        for task in self._running.values():
            task.cancel()

    def _begin(self, name: str, work: Work) -> None:
        self._timers.pop(name, None)
        self._latest.pop(name, None)
        if name in self._running:
            # What is under way answers for a text that is gone; it is done once more behind it.
            self._again[name] = work
            if name == _STATUS:
                self._break_off_status()
            return
        task = asyncio.get_running_loop().create_task(self._run(name, work))
        self._running[name] = task

    def _break_off_status(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._yielded_at is None:
            self._yielded_at = now
        if now - self._yielded_at < _LONGEST_YIELDING_SECONDS:
            self._running[_STATUS].cancel()

    async def _run(self, name: str, work: Work) -> None:
        try:
            await work()
            if name == _STATUS:
                self._yielded_at = None
        except asyncio.CancelledError:
            if self._is_stopped:
                return
        except OvertakenError:
            self.later(name, work)
        except Exception as error:
            logger.error("%s failed: %s", name.partition(" ")[0], type(error).__name__)
        finally:
            self._running.pop(name, None)
        following = self._again.pop(name, None)
        if following is not None and not self._is_stopped:
            self._begin(name, following)


class Coalescer:
    """Makes one of all calls that come within a moment, by key."""

    def __init__(self) -> None:
        self._waiting: set[Hashable] = set()

    def soon(self, key: Hashable, work: Callable[[], None]) -> None:
        """Call `work` in a moment, unless something is waiting under that key."""
        if key in self._waiting:
            return

        def begin() -> None:
            self._waiting.discard(key)
            work()

        self._waiting.add(key)
        asyncio.get_running_loop().call_later(SETTLE_SECONDS, begin)


class OvertakenError(Exception):
    """Somebody asked for something, and what nobody had asked for made way."""


class BackgroundBuilds:
    """Builds of one folder that nobody asked for."""

    def __init__(self) -> None:
        self._under_way: set[Cancellation] = set()
        self._since: float | None = None
        """When a build made way first since one came to its end."""

    @contextlib.contextmanager
    def unasked(self) -> Iterator[Cancellation]:
        """A build that nobody asked for, to be begun with this. Raises `OvertakenError`."""
        cancellation = Cancellation()
        self._under_way.add(cancellation)
        try:
            yield cancellation
        except BuildCancelledError:
            raise OvertakenError from None
        finally:
            self._under_way.discard(cancellation)
        self._since = None

    def overtake(self) -> None:
        """Somebody asks."""
        if not self._under_way:
            return
        now = time.monotonic()
        if self._since is None:
            self._since = now
        if now - self._since < LONGEST_OVERTAKING_SECONDS:
            for each in self._under_way:
                each.cancel()
