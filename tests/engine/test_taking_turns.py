"""Work that waits for processes lets the workspace's thread serve others meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from sightline.engine.taking_turns import (
    Submit,
    ThreadEndedError,
    begin_in_turns,
    now_and_then,
)
from sightline.workspace.script_process import WAITING

_PATIENCE_SECONDS = 300.0


@pytest.fixture
def thread() -> Iterator[ThreadPoolExecutor]:
    """Stands for the thread of a workspace."""
    with ThreadPoolExecutor(1) as thread:
        yield thread


def _submit(thread: ThreadPoolExecutor) -> Submit:
    def submit(grant: Callable[[], None]) -> Future[None]:
        return thread.submit(grant)

    return submit


def test_others_are_served_while_work_waits_and_not_while_it_works(
    thread: ThreadPoolExecutor,
) -> None:
    waits, answered = threading.Event(), threading.Event()
    order: list[str] = []

    def work() -> str:
        order.append("work")
        served = thread.submit(lambda: order.append("other"))
        assert not served.done()
        with WAITING.step_aside():
            waits.set()
            assert answered.wait(_PATIENCE_SECONDS)
        order.append("work again")
        return "done"

    future = begin_in_turns(work, _submit(thread), lambda: None)
    assert waits.wait(_PATIENCE_SECONDS)
    thread.submit(order.append, "another").result(_PATIENCE_SECONDS)
    answered.set()
    assert future.result(_PATIENCE_SECONDS) == "done"
    assert order == ["work", "other", "another", "work again"]


def test_others_are_served_between_the_steps_of_what_is_long(thread: ThreadPoolExecutor) -> None:
    order: list[int | str] = []

    def work() -> None:
        for number in now_and_then(range(5), many=2):
            if number in (0, 2):
                thread.submit(order.append, "other")
            order.append(number)

    begin_in_turns(work, _submit(thread), lambda: None).result(_PATIENCE_SECONDS)
    assert order == [0, 1, "other", 2, 3, "other", 4]
    assert list(now_and_then(range(5), many=2)) == [0, 1, 2, 3, 4]


def test_what_changed_meanwhile_begins_the_work_again(thread: ThreadPoolExecutor) -> None:
    """What it made before is thrown away, be it an error; the last attempt waits in its turn."""
    text = [0]
    seen = []

    def work() -> int:
        before = text[0]
        seen.append(before)
        # Somebody types whenever there is a chance.
        typed = thread.submit(lambda: text.append(text.pop() + 1))
        with WAITING.step_aside():
            if len(seen) < 3:
                typed.result(_PATIENCE_SECONDS)
        if text[0] != before:
            raise ValueError(text)
        return before

    future = begin_in_turns(work, _submit(thread), lambda: tuple(text))
    assert future.result(_PATIENCE_SECONDS) == 2
    assert seen == [0, 1, 2]


def test_an_error_of_the_work_is_its_outcome(thread: ThreadPoolExecutor) -> None:
    def work() -> None:
        raise KeyError("a")

    future = begin_in_turns(work, _submit(thread), lambda: None)
    with pytest.raises(KeyError):
        future.result(_PATIENCE_SECONDS)
    assert thread.submit(lambda: 1).result(_PATIENCE_SECONDS) == 1


@pytest.mark.parametrize("is_refused", [True, False])
def test_work_ends_with_the_thread(is_refused: bool) -> None:
    """Whatever catches errors in it: it touches nothing of a workspace that is closed."""
    thread = ThreadPoolExecutor(1)
    touched = []

    def work() -> None:
        try:
            with WAITING.step_aside():
                if is_refused:
                    thread.shutdown(wait=True)
                else:
                    blocked = threading.Event()
                    thread.submit(blocked.wait)
                    thread.submit(lambda: None)
                    threading.Timer(
                        0.05, thread.shutdown, [False], {"cancel_futures": True}
                    ).start()
                    threading.Timer(0.1, blocked.set).start()
        except Exception:
            touched.append(1)
        touched.append(2)

    future = begin_in_turns(work, _submit(thread), lambda: None)
    with pytest.raises(ThreadEndedError):
        future.result(_PATIENCE_SECONDS)
    assert touched == []


def test_cancelled_work_is_not_begun(thread: ThreadPoolExecutor) -> None:
    blocked = threading.Event()
    thread.submit(blocked.wait)
    begun: list[int] = []
    future = begin_in_turns(lambda: begun.append(1), _submit(thread), lambda: None)
    assert future.cancel()
    blocked.set()
    assert thread.submit(lambda: 1).result(_PATIENCE_SECONDS) == 1
    assert begun == []
