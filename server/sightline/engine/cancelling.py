"""Cancel work that nobody waits for any more."""

from __future__ import annotations

import contextlib
from concurrent.futures import FIRST_COMPLETED, Future, InvalidStateError, wait
from typing import Any, TypeVar

from sightline.workers import WorkFuture

_LOOK_SECONDS = 0.05
_Value = TypeVar("_Value")


class BuildCancelledError(Exception):
    """The build was cancelled."""


class NotReadyError(Exception):
    """Something takes long, and others would wait for it. It goes on, and its result is cached."""

    def __init__(self, future: Future[Any]) -> None:
        super().__init__()
        self.future = future
        """Done when the request can be tried again."""


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

    def result(self, future: WorkFuture[_Value], *, leaves_slow: bool = False) -> _Value:
        """Wait for an answer, or raise `BuildCancelledError` as soon as the build is cancelled.

        With `leaves_slow`, raise `NotReadyError` if the answer is slow.
        """
        either: tuple[Future[Any], ...] = (future, self._asked)
        while not future.done() and not self._asked.done():
            if leaves_slow and future.is_slow:
                raise NotReadyError(future)
            wait(either, _LOOK_SECONDS if leaves_slow else None, return_when=FIRST_COMPLETED)
        self.check()
        return future.result()
