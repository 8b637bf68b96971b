"""The door to the scan: a scanner that raises, hangs or answers nonsense withholds.

A worker thread runs the scanner, and is left behind when its time is up: Python cannot end a
thread, but nobody waits for it any longer and it keeps no process alive. The scan's own patterns
are linear, so this is for a scanner that is broken.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import cast

from sightline.egress.harmless_values import NOTHING_HARMLESS, HarmlessValues
from sightline.egress.model import Certainty, FailureReason, Finding, ScanFailure
from sightline.egress.scanning import scan
from sightline.text import Span

Scanner = Callable[[bytes, HarmlessValues], tuple[Finding, ...]]

_LEAST_SECONDS = 8
_BYTES_PER_SECOND = 100_000
"""Far below what the slowest machine scans; the limit is for what never ends."""


def guarded_scan(
    data: bytes, harmless: HarmlessValues = NOTHING_HARMLESS, scanner: Scanner = scan
) -> tuple[Finding, ...] | ScanFailure:
    """What a scanner found, checked, or why there is no answer to trust."""
    seconds = _LEAST_SECONDS + len(data) // _BYTES_PER_SECOND
    worker = _taken()
    worker.tasks.put((scanner, data, harmless))
    try:
        answer = worker.answers.get(timeout=seconds)
    except queue.Empty:
        return ScanFailure(FailureReason.TIMEOUT)
    _idle.append(worker)
    if answer is _RAISED:
        return ScanFailure(FailureReason.RAISED)
    try:
        if _is_sound(answer, len(data)):
            return cast(tuple[Finding, ...], answer)
    except Exception:
        # An answer that cannot even be looked at.
        return ScanFailure(FailureReason.NONSENSE)
    return ScanFailure(FailureReason.NONSENSE)


def _taken() -> _ScanThread:
    try:
        return _idle.pop()
    except IndexError:
        return _ScanThread()


class _ScanThread:
    """A thread that takes one task at a time. One that hangs is never idle again."""

    def __init__(self) -> None:
        self.tasks: queue.SimpleQueue[tuple[Scanner, bytes, HarmlessValues]] = queue.SimpleQueue()
        self.answers: queue.SimpleQueue[object] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="sightline-scan", daemon=True).start()

    def _work(self) -> None:
        while True:
            scanner, data, harmless = self.tasks.get()
            answer: object
            try:
                answer = scanner(data, harmless)
            except BaseException:
                # Whatever a scanner raises, even `SystemExit`, is its failure. Nothing of the
                # exception is kept: it may quote what was scanned.
                answer = _RAISED
            self.answers.put(answer)
            del scanner, data, harmless, answer


_RAISED = object()
_idle: list[_ScanThread] = []
"""Taking and giving back are atomic, so threads share it without a lock."""


def _is_sound(answer: object, size: int) -> bool:
    """Whether it is a tuple of findings, ordered, each inside the data."""
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
