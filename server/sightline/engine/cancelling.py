"""Cancel work that nobody waits for any more."""

from __future__ import annotations

import contextlib
from concurrent.futures import FIRST_COMPLETED, Future, InvalidStateError, wait
from typing import Any, TypeVar

_Value = TypeVar("_Value")


class BuildCancelledError(Exception):
    """The build was cancelled."""


class Cancellation:
    """Tells a build that it was cancelled. Any thread may cancel it, at any time."""

    def __init__(self) -> None:
        self._asked: Future[None] = Future()

    def cancel(self) -> None:
        with contextlib.suppress(InvalidStateError):
            self._asked.set_result(None)

    def check(self) -> None:
        if self._asked.done():
            raise BuildCancelledError

    def result(self, future: Future[_Value]) -> _Value:
        """Wait for a future, or raise `BuildCancelledError` as soon as the build is cancelled."""
        if not future.done():
            either: tuple[Future[Any], ...] = (future, self._asked)
            wait(either, return_when=FIRST_COMPLETED)
        self.check()
        return future.result()
