"""One worker process and the pipe to it, with a clock for every answer."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import attrs
import msgspec

from sightline.refusals import Refusal
from sightline.workers.messages import (
    ASK,
    EDIT,
    FACTS,
    INDEX,
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
    took_too_long,
)

_LOADING_LIMIT_SECONDS = 60.0
_GRACE_SECONDS = 0.5
_ALARM = 14
"""The signal by which a worker's own timer ends it."""


_INDEXED: msgspec.msgpack.Decoder[IndexAnswer | Refusal]
_INDEXED = msgspec.msgpack.Decoder(IndexAnswer | Refusal)
_EDITED: msgspec.msgpack.Decoder[EditAnswer | Refusal]
_EDITED = msgspec.msgpack.Decoder(EditAnswer | Refusal)
_PARTIALLY_PARSED: msgspec.msgpack.Decoder[PartialParseAnswer | Refusal]
_PARTIALLY_PARSED = msgspec.msgpack.Decoder(PartialParseAnswer | Refusal)
_Reply = TypeVar("_Reply")


@attrs.frozen
class Lost:
    """A worker did not answer: why, as far as can be told from outside."""

    refusal: Refusal


class Worker:
    """One process and the pipe to it."""

    def __init__(self, arguments: list[str]) -> None:
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
        """Those it has been given, and so has loaded."""
        # Starting up is not held against the first request.
        self._greeted = receive(self._output) is not None
        if not self._greeted:
            self.close()

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: ParseRequest, time_limit: float) -> ParseAnswer | Refusal:
        answer = self._exchange(ASK, request, request.language, time_limit)
        if isinstance(answer, Lost):
            return answer.refusal
        return msgspec.msgpack.decode(answer, type=ParseAnswer | Refusal)

    def edit(
        self, request: EditRequest, time_limit: float, meanwhile: Callable[[], object] | None = None
    ) -> EditAnswer | Refusal | Lost:
        """What an edit made of a text. `meanwhile` is done while the worker is at it."""
        answer = self._exchange(EDIT, request, request.language, time_limit, meanwhile)
        if isinstance(answer, Lost):
            # One that was lost is worth another try; one that never came up is not.
            return answer if self._greeted else answer.refusal
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
    ) -> bytes | Lost:
        """One message there and one back."""
        if not self._greeted:
            return Lost(cannot_start())
        self._watch(language, time_limit)
        try:
            send(self._input, kind + msgspec.msgpack.encode((time_limit, request)))
            if meanwhile is not None:
                meanwhile()
            answer = receive(self._output)
        except OSError:
            answer = None
        except BaseException:
            # An answer that nobody took would be taken for that to the next request.
            self.close()
            raise
        if answer is None:
            return self._lost(language, time_limit)
        WATCHDOG.forget(self._process)
        return answer

    def index(
        self, batch: Sequence[IndexRequest], time_limit: float
    ) -> Iterator[IndexAnswer | Refusal | Lost]:
        """An answer for each request in turn, up to the one that the worker was lost at."""
        return self._answers(INDEX, batch, time_limit, _INDEXED)

    def partial_parse(
        self, batch: Sequence[PartialParseRequest], time_limit: float
    ) -> Iterator[PartialParseAnswer | Refusal | Lost]:
        """As `index`."""
        return self._answers(PARTIAL_PARSE, batch, time_limit, _PARTIALLY_PARSED)

    def _answers(
        self,
        kind: bytes,
        batch: Sequence[IndexRequest | PartialParseRequest],
        time_limit: float,
        decoder: msgspec.msgpack.Decoder[_Reply],
    ) -> Iterator[_Reply | Lost]:
        """One message there, and one back for each of its parts."""
        if not self._greeted:
            yield Lost(cannot_start())
            return
        try:
            send(self._input, kind + msgspec.msgpack.encode((time_limit, batch)))
        except OSError:
            yield self._lost(batch[0].language, time_limit)
            return
        for request in batch:
            self._watch(request.language, time_limit)
            try:
                answer = receive(self._output)
            except OSError:
                answer = None
            if answer is None:
                yield self._lost(request.language, time_limit)
                return
            # At once, for nobody need ask for another.
            WATCHDOG.forget(self._process)
            yield decoder.decode(answer)

    def _watch(self, language: str, time_limit: float) -> None:
        """A worker ends itself when a text takes too long. This is for one that cannot."""
        limit = time_limit + _GRACE_SECONDS
        if language not in self.languages:
            limit += _LOADING_LIMIT_SECONDS
        self.languages.add(language)
        WATCHDOG.watch(self._process, limit)

    def _lost(self, language: str, time_limit: float) -> Lost:
        self.close()
        # Asked in any case: it is forgotten by that.
        was_killed = WATCHDOG.has_ended(self._process)
        timed_out = self._process.returncode == -_ALARM or was_killed
        return Lost(took_too_long(language, time_limit) if timed_out else crashed(language))

    def close(self) -> None:
        for stream in (self._input, self._output):
            try:
                stream.close()
            except OSError:
                # The process is gone and took its end of the pipe with it.
                continue
        try:
            self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class _Watchdog:
    """Kills processes that are past their time, from one thread for all of them."""

    def __init__(self) -> None:
        self._limits: dict[subprocess.Popen[bytes], float] = {}
        self._ended: set[subprocess.Popen[bytes]] = set()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def watch(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self._limits[process] = time.monotonic() + seconds
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=self._run, name="sightline-watchdog", daemon=True
                    )
                    self._thread.start()

    def forget(self, process: subprocess.Popen[bytes]) -> None:
        self._limits.pop(process, None)

    @property
    def is_idle(self) -> bool:
        return not self._limits

    def has_ended(self, process: subprocess.Popen[bytes]) -> bool:
        """Whether it was killed for being late. Asked once, when it is lost."""
        self._limits.pop(process, None)
        is_ended = process in self._ended
        self._ended.discard(process)
        return is_ended

    def _run(self) -> None:
        while True:
            time.sleep(_GRACE_SECONDS)
            now = time.monotonic()
            for process, limit in list(self._limits.items()):
                if limit < now:
                    self._limits.pop(process, None)
                    self._ended.add(process)
                    process.kill()


WATCHDOG = _Watchdog()
