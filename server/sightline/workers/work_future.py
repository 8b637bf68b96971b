"""A future answer, and how much processor time it has used.

Invariant: the processor time of the worker alone decides if an answer is slow. A machine that is
busy with other work makes no answer slow.
"""

from __future__ import annotations

from concurrent.futures import Future, wait
from typing import Generic, Protocol, TypeVar

from sightline.workers.process import Worker

PATIENCE_SECONDS = 0.5
"""Processor time that a text may take while others wait for it. A megabyte takes about 0.8."""

_LOOK_SECONDS = 0.02
_Result = TypeVar("_Result")


class HasWorker(Protocol):
    worker: Worker | None


class WorkFuture(Future[_Result], Generic[_Result]):
    """A future that knows its worker."""

    def __init__(self) -> None:
        super().__init__()
        self.worker: Worker | None = None
        """None while it waits for a worker."""
        self.is_given_up = False
        """True once a worker was killed over it; it then waits among other slow texts."""

    @property
    def is_slow(self) -> bool:
        """True if others should not wait for it."""
        return self._is_slower_than(PATIENCE_SECONDS)

    def is_done_soon(self, patience: float = PATIENCE_SECONDS) -> bool:
        """Wait for the answer, unless it is slow. Return True if it is done."""
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
