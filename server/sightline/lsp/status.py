"""Work that follows typing: done once things have been quiet for a moment, and never twice at once.

Somebody who types without a pause sees it too, now and then. Invariant: whatever was poked last is
done at last; what came in between may be skipped, and what had to make way is done again. A status
that is still being made out for a text that is gone makes way for the next, but not for ever.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from sightline.lsp.yielding import OvertakenError

logger = logging.getLogger(__name__)

QUIET_SECONDS = 0.12
_LONGEST_WAIT_SECONDS = 0.5
_LONGEST_YIELDING_SECONDS = 2.0
_STATUS = "status"

Work = Callable[[], Awaitable[None]]


class StatusBoard:
    """Debounces by name. Lives on the event loop."""

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
