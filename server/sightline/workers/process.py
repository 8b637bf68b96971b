"""One worker process and the pipe to it, with a time limit for every answer.

Three clocks; none of them says anything about the text itself:

* The limit on a text is processor time, kept by the worker's own timer (`worker_loop`). On a system
  without such a timer (Windows), only the third clock applies.
* `patience` is processor time too, a fraction of the limit: a caller that cannot wait gives up the
  worker and has the text parsed by another. The watchdog measures it.
* A worker that gets no processor time at all is stuck. The watchdog ends it after `STUCK_SECONDS`
  of wall-clock time; that is a fault of the machine, and never recorded.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import TypeVar

import attrs
import msgspec

from sightline.refusals import Refusal
from sightline.workers.messages import (
    ASK,
    EDIT,
    FACTS,
    INDEX,
    LOADED,
    PARTIAL_PARSE,
    EditAnswer,
    EditRequest,
    FactsRequest,
    IndexAnswer,
    IndexRequest,
    PackedFacts,
    ParseAnswer,
    ParseRequest,
    PartialParseAnswer,
    PartialParseRequest,
    cannot_start,
    crashed,
    receive,
    send,
    stuck,
    took_too_long,
)

STUCK_SECONDS = 120.0
_LEAST_PROGRESS_SECONDS = 0.5
"""A worker that uses less processor time than this in `STUCK_SECONDS` is stuck."""
_TICK_SECONDS = 0.1
_LESS_PRIORITY = 10
"""Niceness of a process with a slow text: on a shared core another gets nine tenths."""
_PROFILING_SIGNAL = 27
"""SIGPROF, the signal by which a worker's own timer ends it."""


_INDEXED: msgspec.msgpack.Decoder[IndexAnswer | Refusal]
_INDEXED = msgspec.msgpack.Decoder(IndexAnswer | Refusal)
_EDITED: msgspec.msgpack.Decoder[EditAnswer | Refusal]
_EDITED = msgspec.msgpack.Decoder(EditAnswer | Refusal)
_PARTIALLY_PARSED: msgspec.msgpack.Decoder[PartialParseAnswer | Refusal]
_PARTIALLY_PARSED = msgspec.msgpack.Decoder(PartialParseAnswer | Refusal)
_Reply = TypeVar("_Reply")


@attrs.frozen
class Lost:
    """A worker did not answer; the reason as far as the parent can tell."""

    refusal: Refusal
    can_retry: bool
    """True if another worker may succeed. Not for a text that took too long."""
    is_slow: bool = False
    """True if the worker was given up because callers waited; it had not reached the limit."""


def processor_seconds(process_id: int) -> float | None:
    """Return the processor time that a process has used; None if the system does not say."""
    if sys.platform != "linux":
        return None
    try:
        # The id of another process's clock, as `clock_getcpuclockid` computes it.
        return time.clock_gettime((~process_id << 3) | 2)
    except OSError:
        return None


class Worker:
    """One process and the pipe to it."""

    def __init__(self, arguments: list[str], *, has_low_priority: bool = False) -> None:
        # -P keeps the working directory, which may be a hostile workspace, off the module path.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "sightline.workers", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._output = self._process.stdout
        self.languages: set[str] = set()
        """Languages that this worker was given, and so has loaded."""
        self.has_low_priority = False
        """True for a worker that has a slow text and takes no other after it."""
        self.is_given_up = False
        self._begun = (0.0, 0.0)
        """Both clocks when it was given its text: wall-clock time and its own processor time."""
        self._is_loading = False
        self._patience: float | None = None
        if has_low_priority:
            self.lower_priority()
        # The time to start up does not count for the first request.
        self._greeted = receive(self._output) is not None
        if not self._greeted:
            self.close()

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    @property
    def spent_seconds(self) -> float:
        """Return the processor time spent on the current text; outside Linux, the elapsed time."""
        if self._is_loading:
            return 0.0
        wall, own = self._begun
        now = processor_seconds(self._process.pid)
        return time.monotonic() - wall if now is None else now - own

    def ask(self, request: ParseRequest, time_limit: float) -> ParseAnswer | Refusal | Lost:
        answer = self._exchange(ASK, request, request.language, time_limit)
        if isinstance(answer, Lost):
            return answer
        return msgspec.msgpack.decode(answer, type=ParseAnswer | Refusal)

    def edit(
        self,
        request: EditRequest,
        time_limit: float,
        meanwhile: Callable[[], object] | None = None,
        patience: float | None = None,
    ) -> EditAnswer | Refusal | Lost:
        """Apply an edit to a text. `meanwhile` is called while the worker is busy."""
        answer = self._exchange(EDIT, request, request.language, time_limit, meanwhile, patience)
        if isinstance(answer, Lost):
            return answer
        return _EDITED.decode(answer)

    def facts(self, request: FactsRequest, time_limit: float) -> PackedFacts | Refusal:
        answer = self._exchange(FACTS, request, request.language, time_limit)
        if isinstance(answer, Lost):
            return answer.refusal
        return msgspec.msgpack.decode(answer, type=PackedFacts | Refusal)

    def _exchange(
        self,
        kind: bytes,
        request: msgspec.Struct,
        language: str,
        time_limit: float,
        meanwhile: Callable[[], object] | None = None,
        patience: float | None = None,
    ) -> bytes | Lost:
        """Send one message and return its answer."""
        if not self._greeted:
            return Lost(cannot_start(), can_retry=False)
        self._watch(language, patience)
        try:
            send(self._input, kind + msgspec.msgpack.encode((time_limit, request)))
            if meanwhile is not None:
                meanwhile()
            answer = self._receive()
        except OSError:
            answer = None
        except BaseException:
            # An unread answer would be taken for the answer to the next request.
            self.close()
            raise
        if answer is None:
            return self._lost(language, time_limit)
        WATCHDOG.forget(self._process)
        return answer

    def index(
        self, batch: Sequence[IndexRequest], time_limit: float
    ) -> Iterator[IndexAnswer | Refusal | Lost]:
        """Yield an answer for each request in turn, up to the one over which the worker was
        lost.
        """
        return self._answers(INDEX, batch, time_limit, _INDEXED)

    def partial_parse(
        self, batch: Sequence[PartialParseRequest], time_limit: float
    ) -> Iterator[PartialParseAnswer | Refusal | Lost]:
        """Like `index`, for partial parses."""
        return self._answers(PARTIAL_PARSE, batch, time_limit, _PARTIALLY_PARSED)

    def _answers(
        self,
        kind: bytes,
        batch: Sequence[IndexRequest | PartialParseRequest],
        time_limit: float,
        decoder: msgspec.msgpack.Decoder[_Reply],
    ) -> Iterator[_Reply | Lost]:
        """Send one message and yield an answer for each of its parts."""
        if not self._greeted:
            yield Lost(cannot_start(), can_retry=False)
            return
        try:
            send(self._input, kind + msgspec.msgpack.encode((time_limit, batch)))
        except OSError:
            yield self._lost(batch[0].language, time_limit)
            return
        for request in batch:
            self._watch(request.language)
            try:
                answer = self._receive()
            except OSError:
                answer = None
            if answer is None:
                yield self._lost(request.language, time_limit)
                return
            # At once, because the caller may not ask for another answer.
            WATCHDOG.forget(self._process)
            yield decoder.decode(answer)

    def _watch(self, language: str, patience: float | None = None) -> None:
        """Watch for a worker that is stuck. A worker normally ends itself when a text takes too
        long.
        """
        # Loading a language does not count for the text: its clock starts afterwards.
        self._is_loading = language not in self.languages
        self._patience = patience
        self.languages.add(language)
        self.wind_clock()
        self._arm()

    def _receive(self) -> bytes | None:
        while (message := receive(self._output)) == LOADED:
            self._is_loading = False
            self.wind_clock()
            self._arm()
        return message

    def _arm(self) -> None:
        is_patient = self._patience is None or self._is_loading
        WATCHDOG.watch(
            self._process, None if is_patient else self._begun[1] + (self._patience or 0.0)
        )

    def _lost(self, language: str, time_limit: float) -> Lost:
        self.close()
        # Always called, because it also makes the watchdog forget the process.
        verdict = WATCHDOG.verdict(self._process)
        if verdict is Verdict.IMPATIENT:
            return Lost(took_too_long(language, time_limit), can_retry=False, is_slow=True)
        if verdict is Verdict.STUCK:
            return Lost(stuck(language), can_retry=True)
        if self._process.returncode == -_PROFILING_SIGNAL:
            return Lost(took_too_long(language, time_limit), can_retry=False)
        return Lost(crashed(language), can_retry=True)

    def wind_clock(self) -> None:
        """Start to measure the time that is spent."""
        self._begun = (time.monotonic(), processor_seconds(self._process.pid) or 0.0)

    def lower_priority(self) -> None:
        """Lower the priority of this process for good. How long a text takes changes no result."""
        self.has_low_priority = True
        if hasattr(os, "setpriority"):
            with contextlib.suppress(OSError):
                usual = os.getpriority(os.PRIO_PROCESS, 0)
                os.setpriority(os.PRIO_PROCESS, self._process.pid, usual + _LESS_PRIORITY)

    def give_up(self) -> None:
        """End the process, from any thread, because others wait for it. Its text is slow."""
        self.is_given_up = True
        WATCHDOG.end(self._process, Verdict.IMPATIENT)

    def kill(self) -> None:
        """End the process, from any thread. A caller that waits for its answer gets `Lost`."""
        self._process.kill()

    def close(self) -> None:
        for stream in (self._input, self._output):
            try:
                stream.close()
            except OSError:
                # The process is gone and closed its end of the pipe.
                continue
        try:
            self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Verdict(Enum):
    """Why the watchdog ended a process."""

    IMPATIENT = 1
    STUCK = 2


@attrs.define
class _Watch:
    latest: float
    """When the process counts as stuck, unless it makes progress before."""
    processor: float
    """The processor time that it had used when `latest` was set."""
    patience: float | None
    """The processor time after which callers do not wait any longer."""


class _Watchdog:
    """Ends processes that are stuck or given up, from one thread for all of them."""

    def __init__(self) -> None:
        self._watched: dict[subprocess.Popen[bytes], _Watch] = {}
        self._ended: dict[subprocess.Popen[bytes], Verdict] = {}
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._is_needed = threading.Event()

    def watch(self, process: subprocess.Popen[bytes], patience: float | None = None) -> None:
        """Watch a process until it is forgotten. `patience` counts the process's own time."""
        now = time.monotonic()
        if patience is not None and processor_seconds(process.pid) is None:
            patience += now
        self._watched[process] = _Watch(now + STUCK_SECONDS, 0.0, patience)
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=self._run, name="sightline-watchdog", daemon=True
                    )
                    self._thread.start()
        if not self._is_needed.is_set():
            self._is_needed.set()

    def forget(self, process: subprocess.Popen[bytes]) -> None:
        self._watched.pop(process, None)

    @property
    def is_idle(self) -> bool:
        return not self._watched

    def verdict(self, process: subprocess.Popen[bytes]) -> Verdict | None:
        """Return why the watchdog ended a process, if it did. Called once, when the process is
        lost.
        """
        self._watched.pop(process, None)
        return self._ended.pop(process, None)

    def _run(self) -> None:
        while True:
            self._is_needed.wait()
            time.sleep(_TICK_SECONDS)
            if not self._watched:
                self._is_needed.clear()
                if not self._watched:
                    continue
                self._is_needed.set()
            for process, watch in list(self._watched.items()):
                verdict = _judge(watch, processor_seconds(process.pid))
                # It may have answered meanwhile and have another text.
                if verdict is not None and self._watched.get(process) is watch:
                    self.end(process, verdict)

    def end(self, process: subprocess.Popen[bytes], verdict: Verdict) -> None:
        """End a watched process and record why. A process that has answered is left alone."""
        if self._watched.pop(process, None) is not None:
            self._ended[process] = verdict
            process.kill()


def _judge(watch: _Watch, processor: float | None) -> Verdict | None:
    now = time.monotonic()
    if watch.patience is not None and watch.patience < (now if processor is None else processor):
        return Verdict.IMPATIENT
    if now < watch.latest:
        return None
    if processor is not None and processor - watch.processor >= _LEAST_PROGRESS_SECONDS:
        watch.latest, watch.processor = now + STUCK_SECONDS, processor
        return None
    return Verdict.STUCK


WATCHDOG = _Watchdog()
