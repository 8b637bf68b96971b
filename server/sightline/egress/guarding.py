"""The entry point to the scan: if a scanner raises, hangs or returns nonsense, the text is
withheld.

A worker thread runs the scanner, and is abandoned when its time is up: Python cannot end a thread,
but nobody waits for it any longer and it keeps no process alive. The scan's own patterns are linear
and a text has a maximal size, so this limit is for a broken scanner: the worst text of four
megabytes takes a fifth of it.

The limit is processor time of that thread, so a busy machine withholds nothing. If the system
cannot measure that (Windows), or if a scanner waits instead of working, a longer limit on elapsed
time applies. A text that exceeds it is withheld too, and the failure is not cached.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import cast

from sightline.egress.harmless_values import NOTHING_HARMLESS, HarmlessValues
from sightline.egress.model import Certainty, FailureReason, Finding, ScanFailure
from sightline.egress.scanning import scan
from sightline.text import Span

Scanner = Callable[[bytes, HarmlessValues], tuple[Finding, ...]]

_LIMIT_SECONDS = 10.0
"""Of processor time."""
_STUCK_SECONDS = 120.0
_LOOK_SECONDS = 0.25


def guarded_scan(
    data: bytes, harmless: HarmlessValues = NOTHING_HARMLESS, scanner: Scanner = scan
) -> tuple[Finding, ...] | ScanFailure:
    """Return what a scanner found, after checking it, or why there is no trustworthy answer."""
    worker = _taken()
    begun, latest = worker.processor_seconds(), time.monotonic() + _STUCK_SECONDS
    worker.tasks.put((scanner, data, harmless))
    while True:
        try:
            answer = worker.answers.get(timeout=_LOOK_SECONDS)
            break
        except queue.Empty:
            if worker.processor_seconds() - begun > _LIMIT_SECONDS:
                return ScanFailure(FailureReason.TIMEOUT)
            if time.monotonic() > latest:
                return ScanFailure(FailureReason.STUCK)
    _idle.append(worker)
    if answer is _RAISED:
        return ScanFailure(FailureReason.RAISED)
    try:
        if _is_sound(answer, len(data)):
            return cast(tuple[Finding, ...], answer)
    except Exception:
        # The answer cannot even be inspected.
        return ScanFailure(FailureReason.NONSENSE)
    return ScanFailure(FailureReason.NONSENSE)


def _taken() -> _ScanThread:
    try:
        return _idle.pop()
    except IndexError:
        return _ScanThread()


class _ScanThread:
    """A thread that runs one task at a time. If a task hangs, its thread is never reused."""

    def __init__(self) -> None:
        self.tasks: queue.SimpleQueue[tuple[Scanner, bytes, HarmlessValues]] = queue.SimpleQueue()
        self.answers: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="sightline-scan", daemon=True)
        self._thread.start()

    def processor_seconds(self) -> float:
        """Return the processor time that the thread has used; 0 if the system cannot tell."""
        thread = self._thread.ident
        if thread is None or not hasattr(time, "pthread_getcpuclockid"):
            return 0.0
        try:
            return time.clock_gettime(time.pthread_getcpuclockid(thread))
        except OSError:
            return 0.0

    def _work(self) -> None:
        while True:
            scanner, data, harmless = self.tasks.get()
            answer: object
            try:
                answer = scanner(data, harmless)
            except BaseException:
                # Whatever a scanner raises, even `SystemExit`, is its failure. The exception is
                # dropped: it may quote the scanned text.
                answer = _RAISED
            self.answers.put(answer)
            del scanner, data, harmless, answer


_RAISED = object()
_idle: list[_ScanThread] = []
"""Taking from and adding to a list are atomic, so threads share it without a lock."""


def _is_sound(answer: object, size: int) -> bool:
    """True if it is an ordered tuple of findings, each inside the data."""
    if not isinstance(answer, tuple):
        return False
    before = Span(0, 0)
    for finding in answer:
        if type(finding) is not Finding:
            return False
        span = finding.span
        if type(span) is not Span or type(span.start) is not int or type(span.end) is not int:
            return False
        if not 0 <= span.start < span.end <= size or span < before:
            return False
        if type(finding.detector) is not str or type(finding.kind) is not str:
            return False
        if type(finding.certainty) is not Certainty or type(finding.is_bounded) is not bool:
            return False
        before = span
    return True
