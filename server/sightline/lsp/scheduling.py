"""All timing of the server: debouncing, background builds and their limits.

Runs on the event loop. Invariants:

* Work that follows typing runs after a moment of quiet, and never twice at once. During typing
  without a pause it runs now and then. The last work scheduled always runs; work scheduled before
  it may be skipped, and cancelled work runs again.
* A status that is being computed for an old text is cancelled for the next one, but not forever.
* A background build is cancelled when a request arrives. Cancelling it affects no answer; after
  `LONGEST_OVERTAKING_SECONDS` of cancelling, the next background build runs to its end.
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
"""How long typing must pause before the work runs."""
_LONGEST_WAIT_SECONDS = 0.5
"""How long typing without a pause can delay the work."""
_LONGEST_YIELDING_SECONDS = 2.0
"""How long statuses are cancelled for newer ones."""
LONGEST_OVERTAKING_SECONDS = 10.0
"""How long background builds are cancelled for requests."""
SETTLE_SECONDS = 0.1
"""How long changes on the disk are collected before the disk is checked."""
TURN_SECONDS = 0.8
"""How long the editors' thread waits for the disk's thread. After that it serves other requests
first.
"""
READY_SECONDS = 60.0
"""How long a request waits, without holding a turn, for something unfinished."""
RETRY_SECONDS = 30.0
"""How long after its scan a folder tries the texts in quarantine again."""
MOST_RETRIES = 6
"""How many texts in quarantine are tried again after a start: a minute of processor time at most.
"""
ROOT_SECONDS = 1.0
"""Time between two checks whether the root is still the same directory."""

_STATUS = "status"

Work = Callable[[], Awaitable[None]]


class Debouncer:
    """Debounces work by name."""

    def __init__(self, status: Work) -> None:
        self._status = status
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._latest: dict[str, float] = {}
        """When the waiting work runs, even if typing goes on."""
        self._running: dict[str, asyncio.Task[None]] = {}
        self._again: dict[str, Work] = {}
        self._yielded_at: float | None = None
        """When a status was first cancelled since the last one was completed."""
        self._is_stopped = False

    def poke(self) -> None:
        """Schedule the status: it may have changed."""
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
            # The running work is for an old text; it runs again afterwards.
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
    """Merges calls with the same key that arrive within a moment."""

    def __init__(self) -> None:
        self._waiting: set[Hashable] = set()

    def soon(self, key: Hashable, work: Callable[[], None]) -> None:
        """Call `work` in a moment, unless a call for that key is waiting."""
        if key in self._waiting:
            return

        def begin() -> None:
            self._waiting.discard(key)
            work()

        self._waiting.add(key)
        asyncio.get_running_loop().call_later(SETTLE_SECONDS, begin)


class OvertakenError(Exception):
    """A request arrived, and background work was cancelled for it."""


class BackgroundBuilds:
    """Background builds of one folder."""

    def __init__(self) -> None:
        self._under_way: set[Cancellation] = set()
        self._since: float | None = None
        """When a build was first cancelled since the last one was completed."""

    @contextlib.contextmanager
    def unasked(self) -> Iterator[Cancellation]:
        """Register a background build; yield its cancellation. Raises `OvertakenError`."""
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
        """Cancel background builds, because a request arrived."""
        if not self._under_way:
            return
        now = time.monotonic()
        if self._since is None:
            self._since = now
        if now - self._since < LONGEST_OVERTAKING_SECONDS:
            # Any thread asks, while others begin and end.
            for each in tuple(self._under_way):
                each.cancel()
