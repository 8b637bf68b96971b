"""An answer that is awaited, and how much work it was so far.

Invariant: whether an answer is slow is told by the processor time of its worker. A machine that is
busy with something else makes nothing slow.
"""

from __future__ import annotations

from concurrent.futures import Future, wait
from typing import Generic, Protocol, TypeVar

from sightline.workers.process import Worker

PATIENCE_SECONDS = 0.5
"""Processor time that a text may take while others wait behind it. A megabyte takes about 0.8."""

_LOOK_SECONDS = 0.02
_Result = TypeVar("_Result")


class HasWorker(Protocol):
    worker: Worker | None


class WorkFuture(Future[_Result], Generic[_Result]):
    """A future that knows its worker."""

    def __init__(self) -> None:
        super().__init__()
        self.worker: Worker | None = None
        """None while it waits for one."""
        self.is_given_up = False
        """True once a worker was killed over it, and it waits behind other texts like it."""

    @property
    def is_slow(self) -> bool:
        """True if others should not wait behind it."""
        return self._is_slower_than(PATIENCE_SECONDS)

    def is_done_soon(self, patience: float = PATIENCE_SECONDS) -> bool:
        """Wait for the answer, unless it is slow. Return True if it is there."""
        while not self._is_slower_than(patience):
            if wait([self], _LOOK_SECONDS).done:
                return True
        return self.done()

    def _is_slower_than(self, seconds: float) -> bool:
        if self.done():
            return False
        worker = self.worker
        if worker is None:
            return self.is_given_up
        return worker.has_low_priority or worker.spent_seconds > seconds
