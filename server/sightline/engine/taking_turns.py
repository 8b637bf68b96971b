"""Work on a workspace that gives way to other work while it waits for a process.

Invariants:

* Such work runs on a thread of its own, in turns with the workspace's thread: never both at once.
* It ends its turn only while it waits for a process (`WAITING`), and between the steps of long work
  (`now_and_then`). If its inputs have changed meanwhile, its result is dropped and it begins again.
  Its last attempt keeps the turn from beginning to end.
* It ends without a result when the workspace's thread accepts no more work.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import TypeVar

from sightline.workspace.script_process import WAITING

_MOST_ATTEMPTS = 3
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
Submit = Callable[[Callable[[], None]], "Future[None]"]
"""Queues a function for the workspace's thread. Raises `RuntimeError` if it accepts no more."""


class ThreadEndedError(Exception):
    """The workspace's thread accepts no more work."""


class _LeftAloneError(BaseException):
    """Ends work that will not get another turn, even inside code that catches exceptions."""


def begin_in_turns(
    work: Callable[[], _Result], submit: Submit, rests_on: Callable[[], object]
) -> Future[_Result]:
    """Begin work and return its future.

    `submit` is called at once for the first turn, and from any thread for every later one.
    `rests_on` returns the inputs that must not change while the work waits, and is called during a
    turn.
    """
    future: Future[_Result] = Future()
    turns = _TurnTaker(submit, rests_on)
    turns.ask()
    threading.Thread(
        target=_run, args=(work, turns, future), name="sightline-turns", daemon=True
    ).start()
    return future


def now_and_then(items: Iterable[_Item], many: int = 200) -> Iterator[_Item]:
    """Yield items, and give way after each group of them."""
    for number, item in enumerate(items, 1):
        yield item
        if number % many == 0:
            with WAITING.step_aside():
                continue


def _run(work: Callable[[], _Result], turns: _TurnTaker, future: Future[_Result]) -> None:
    try:
        turns.wait()
    except _LeftAloneError:
        future.set_exception(ThreadEndedError())
        return
    try:
        if future.set_running_or_notify_cancel():
            _settle(work, turns)(future)
    finally:
        # In every case: the workspace's thread must not wait for ever.
        turns.end()


def _settle(work: Callable[[], _Result], turns: _TurnTaker) -> Callable[[Future[_Result]], None]:
    """Attempt the work until its inputs stay unchanged, and return a function
    that ends its future.
    """
    for attempt in range(1, _MOST_ATTEMPTS + 1):
        try:
            outcome = _attempt(work, turns, steps_aside=attempt < _MOST_ATTEMPTS)
        except _LeftAloneError:
            return lambda future: future.set_exception(ThreadEndedError())
        if not turns.is_stale:
            break
    return outcome


def _attempt(
    work: Callable[[], _Result], turns: _TurnTaker, *, steps_aside: bool
) -> Callable[[Future[_Result]], None]:
    """Do the work once, in a turn, and return a function that ends its future."""
    turns.begin()
    WAITING.step_aside = turns.aside if steps_aside else contextlib.nullcontext
    try:
        result = work()
    except Exception as raised:
        error = raised
        return lambda future: future.set_exception(error)
    finally:
        WAITING.step_aside = contextlib.nullcontext
    return lambda future: future.set_result(result)


class _TurnTaker:
    """The turns of one piece of work, one after the other."""

    def __init__(self, submit: Submit, rests_on: Callable[[], object]) -> None:
        self._submit = submit
        self._rests_on = rests_on
        self._before: object = None
        self._turn = _GrantedTurn()
        self.is_stale = False
        """True if the inputs of the work changed while it waited."""

    def ask(self) -> None:
        """Ask for the next turn."""
        turn = self._turn = _GrantedTurn()
        try:
            granting = self._submit(turn.grant)
        except RuntimeError:
            turn.refuse()
            return
        granting.add_done_callback(lambda done: turn.refuse() if done.cancelled() else None)

    def wait(self) -> None:
        """Wait for the requested turn."""
        self._turn.decided.wait()
        if not self._turn.is_granted:
            raise _LeftAloneError

    def begin(self) -> None:
        """Record the inputs of the work, in a turn."""
        self.is_stale = False
        self._before = self._rests_on()

    def end(self) -> None:
        """End the turn."""
        self._turn.ended.set()

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """End the turn, and return in another one."""
        self.end()
        try:
            yield
        finally:
            self.ask()
            self.wait()
            self.is_stale = self.is_stale or self._rests_on() != self._before


class _GrantedTurn:
    """A time in which the workspace's thread waits and another thread works instead."""

    def __init__(self) -> None:
        self.decided = threading.Event()
        self.ended = threading.Event()
        self.is_granted = False

    def grant(self) -> None:
        """Wait until the turn is over. On the workspace's thread."""
        self.is_granted = True
        self.decided.set()
        self.ended.wait()

    def refuse(self) -> None:
        self.decided.set()
