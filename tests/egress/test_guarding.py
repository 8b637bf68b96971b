"""Fault injection: a scanner that fails in any way withholds, and says nothing of the text."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from sightline.egress import (
    NOTHING_HARMLESS,
    Certainty,
    FailureReason,
    Finding,
    HarmlessValues,
    ScanFailure,
    guarded_scan,
    guarding,
    scan,
)
from sightline.text import Span
from tests.egress.values import mixed

_DATA = b"0123456789"
_HALF: Any = Span(2, 5.0)  # type: ignore[arg-type]
_GOOD = Finding(Span(2, 5), "a-rule", "token", Certainty.CERTAIN, True)


def _but(**changes: Any) -> Any:
    """The good finding with fields of whatever type."""
    return attrs.evolve(_GOOD, **changes)


def test_a_sound_answer_passes() -> None:
    """The answer of the scan, as it is."""
    text = f'token = "{mixed(32)}"'.encode()
    assert guarded_scan(text) == scan(text) != ()


def _raises(error: BaseException) -> Callable[[bytes, HarmlessValues], Any]:
    def scanner(_: bytes, __: HarmlessValues) -> Any:
        raise error

    return scanner


@pytest.mark.parametrize(
    "error",
    [ValueError("0123456789"), MemoryError(), RecursionError(), SystemExit(1), KeyboardInterrupt()],
    ids=lambda error: type(error).__name__,
)
def test_a_scanner_that_raises_withholds(error: BaseException) -> None:
    """Whatever it raises, and the message, which may quote the text, goes nowhere."""
    failure = guarded_scan(_DATA, NOTHING_HARMLESS, _raises(error))
    assert failure == ScanFailure(FailureReason.RAISED)
    assert "0123" not in repr(failure)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        "nothing",
        (None,),
        ("finding",),
        (_GOOD, "finding"),
        (_but(span=Span(5, 5)),),
        (_but(span=Span(5, 2)),),
        (_but(span=Span(-1, 2)),),
        (_but(span=Span(2, 11)),),
        (_but(span=(2, 5)),),
        (_but(span=_HALF),),
        (_but(span=Span(True, 5)),),
        (_but(detector=b"rule"),),
        (_but(kind=None),),
        (_but(certainty="certain"),),
        (_but(is_bounded=1),),
        (_but(span=Span(6, 8)), _GOOD),
    ],
)
def test_an_answer_that_makes_no_sense_withholds(answer: Any) -> None:
    """Wrong types, spans outside of the text, empty ones, and the wrong order."""
    assert guarded_scan(_DATA, NOTHING_HARMLESS, lambda *_: answer) == ScanFailure(
        FailureReason.NONSENSE
    )


def test_an_answer_that_cannot_be_looked_at_withholds() -> None:
    """Even the check must not fail open."""

    class Hostile(tuple):  # type: ignore[type-arg]
        def __iter__(self) -> Any:
            raise RuntimeError

    answer = guarded_scan(_DATA, NOTHING_HARMLESS, lambda *_: Hostile((_GOOD,)))
    assert answer == ScanFailure(FailureReason.NONSENSE)


def test_a_scanner_that_hangs_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next scan gets a fresh worker, and the late answer reaches nobody."""
    monkeypatch.setattr(guarding, "_STUCK_SECONDS", 0.05)
    released = threading.Event()

    def scanner(_: bytes, __: HarmlessValues) -> Any:
        released.wait()
        return (_GOOD,)

    assert guarded_scan(_DATA, NOTHING_HARMLESS, scanner) == ScanFailure(FailureReason.STUCK)
    monkeypatch.undo()
    released.set()
    assert guarded_scan(_DATA) == ()


@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="no clock of a thread")
def test_a_scanner_that_works_for_ever_hits_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is on the time that it works, and not on the time that passes."""
    monkeypatch.setattr(guarding, "_LIMIT_SECONDS", 0.1)
    released = threading.Event()

    def working(_: bytes, __: HarmlessValues) -> Any:
        while not released.is_set():
            hashlib.sha256(_DATA)
        return ()

    def waiting(_: bytes, __: HarmlessValues) -> Any:
        time.sleep(1)
        return (_GOOD,)

    try:
        assert guarded_scan(_DATA, NOTHING_HARMLESS, working) == ScanFailure(FailureReason.TIMEOUT)
        assert guarded_scan(_DATA, NOTHING_HARMLESS, waiting) == (_GOOD,)
    finally:
        released.set()


def test_workers_are_used_again() -> None:
    """A bundle scans many files: it does not start a thread for each."""
    guarded_scan(_DATA)
    before = threading.active_count()
    for _ in range(50):
        guarded_scan(_DATA)
    assert threading.active_count() == before


def test_many_threads_at_once() -> None:
    """Each gets the answer for its own text."""
    answers: dict[int, tuple[object, object]] = {}

    def ask(number: int) -> None:
        text = b" " * number + f'token = "{mixed(32)}"'.encode()
        answers[number] = (guarded_scan(text), scan(text))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8
    for got, expected in answers.values():
        assert got == expected != ()
