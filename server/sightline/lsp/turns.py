"""Turns: a change waits for everything that came before it, and so does a request.

Invariants:

* Turns are given in the order of the requests for them.
* While no task holds the turn or waits for it, a change may be made at once: it overtakes nothing.
"""

from __future__ import annotations

import asyncio
from types import TracebackType


class Turns:
    """A lock that can tell if it is held or awaited. Used on the event loop."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._count = 0
        """How many tasks hold the turn or wait for it."""

    @property
    def are_free(self) -> bool:
        return not self._count

    async def __aenter__(self) -> None:
        # Counted before it waits: a lock that was just released looks free although a task is next.
        self._count += 1
        try:
            await self._lock.acquire()
        except BaseException:
            self._count -= 1
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._lock.release()
        self._count -= 1
