"""Killable worker processes that parse and summarize.

A parse cannot be interrupted, and small hostile texts take a grammar minutes. So every parse of a
text we did not write happens in a process of our own that is killed when its time is up: a bomb
costs one worker, never the server.

Invariants:

* Nothing but plain values crosses the pipe: length-prefixed MessagePack, decoded into typed
  values. A worker cannot make its parent run code.
* A worker takes no code from its working directory, writes nothing and logs nothing.
* A worker ends with its parent: by end of input when idle, by its own timer when busy.
* Answers come in the order of the requests, whichever worker was quicker.
"""

from __future__ import annotations

import gc
import os
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from concurrent.futures import Future, ThreadPoolExecutor
from enum import StrEnum
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import IO

import attrs
import msgspec

from sightline.index.names import pack_keys
from sightline.languages import Language, LanguageError, load_named
from sightline.refusals import Refusal, RefusalKind
from sightline.slicing import SignatureDocs, Slice, signatures
from sightline.symbols import FileSummary, summarize
from sightline.symbols.facts import extract_with_keys
from sightline.symbols.live import LiveFacts
from sightline.syntax import parse
from sightline.text import Text

TIME_LIMIT_SECONDS = 1.75
"""From the request to the answer, so that a killed worker is gone within two seconds."""

_LOADING_LIMIT_SECONDS = 60.0
_MEMORY_LIMIT_BYTES = 4 << 30
_LENGTH = struct.Struct("<I")
_GRACE_SECONDS = 0.5
_BATCH_BYTES = 1 << 18
_BATCH_FILES = 64
_AHEAD_BYTES = 1 << 22
_MUCH_BYTES = 1 << 20
_MOST_EDITED = 12
_TRIES = 2
_ASK = b"a"
_INDEX = b"i"
_EDIT = b"e"
_ALARM = 14
"""The signal by which a worker's own timer ends it."""


class Task(StrEnum):
    SUMMARIZE = "summarize"
    SIGNATURES = "signatures"


class Request(msgspec.Struct, frozen=True, array_like=True):
    task: Task
    language: str
    data: bytes
    docs: SignatureDocs = SignatureDocs.NONE


class IndexRequest(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A file for the index. `number` tells whose answer is whose."""

    number: int
    language: str
    data: bytes


class EditRequest(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An edit of a text that a worker has, or with `text` the text after it."""

    number: int
    """Which text; a worker may have several."""
    language: str
    start: int
    end: int
    replacement: bytes
    text: bytes | None = None


class IndexAnswer(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=True):
    facts: bytes
    """Packed `Facts`: whoever keeps them need not look into them."""
    keys: bytes | None
    """The keys it is found by, packed as in a name table; None if an edit brought no new ones."""
    declarations: int
    references: int


class Answer(msgspec.Struct, frozen=True, array_like=True):
    summary: FileSummary
    signatures: Slice | None = None
    refusal: Refusal | None = None
    """Why there are no signatures, where they were asked for."""


class Workers:
    """A few worker processes, started when first needed and replaced when lost."""

    def __init__(
        self,
        count: int | None = None,
        *,
        language_folders: Iterable[Path] = (),
        time_limit: float = TIME_LIMIT_SECONDS,
    ) -> None:
        self._count = count or _available_cores()
        self._arguments = [str(folder) for folder in language_folders]
        self._time_limit = time_limit
        self._threads = ThreadPoolExecutor(self._count, thread_name_prefix="sightline-worker")
        self._editing = threading.Lock()
        self._editor: _Worker | None = None
        """The worker that has the texts which are being edited, beside those that scan."""
        self._idle: list[_Worker | None] = [None] * self._count
        self._is_idle = threading.Condition()
        self._asking = 0
        """How many wait for a worker to ask it one thing."""

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def ask(self, request: Request) -> Answer | Refusal:
        """One answer; a scan waits for it, and not it for a scan."""
        worker = self._take(None)
        try:
            if worker is None or not worker.is_alive:
                worker = _Worker(self._arguments)
            return worker.ask(request, self._time_limit)
        finally:
            self._put(worker)

    def index(self, request: IndexRequest) -> IndexAnswer | Refusal:
        """The facts of one file, in front of whatever a scan still has to do."""
        worker = self._take(None)
        answers: list[IndexAnswer | Refusal] = []
        try:
            worker = self._index(worker, [request], lambda outcome: answers.append(outcome[1]))
        finally:
            self._put(worker)
        return answers[0]

    def begin(self, request: Request) -> Future[Answer | Refusal]:
        """Ask without waiting for the answer."""
        return self._threads.submit(self.ask, request)

    def ask_all(self, requests: Iterable[Request]) -> Iterator[Answer | Refusal]:
        """Answers in the order of the requests, a few of which are under way at a time."""
        under_way: deque[Future[Answer | Refusal]] = deque()
        for request in requests:
            under_way.append(self.begin(request))
            if len(under_way) > 2 * self._count:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()

    def index_all(
        self, requests: Iterable[IndexRequest]
    ) -> Iterator[tuple[IndexRequest, IndexAnswer | Refusal]]:
        """Facts of many files, each as soon as it is there, over all workers.

        A file that costs its worker is tried once more in a fresh one, and then refused.
        """
        batches = _Batches(requests)
        done: SimpleQueue[tuple[IndexRequest, IndexAnswer | Refusal] | BaseException | None]
        done = SimpleQueue()

        def work() -> None:
            try:
                worker: _Worker | None = None
                # Whoever reads files may wait for a lock, and whoever has the lock for a worker: so
                # none is held while the next portion is read.
                while batch := batches.next(worker.languages if worker else frozenset()):
                    # Between two portions others may have it.
                    worker = self._take_politely(worker)
                    try:
                        worker = self._index(worker, batch, done.put)
                    finally:
                        self._put(worker)
                done.put(None)
            except BaseException as error:
                done.put(error)

        for _ in range(self._count):
            threading.Thread(target=work, name="sightline-scan", daemon=True).start()
        running = self._count
        try:
            while running:
                outcome = done.get()
                if outcome is None:
                    running -= 1
                elif isinstance(outcome, BaseException):
                    raise outcome
                else:
                    yield outcome
        finally:
            batches.stop()

    def edit(self, request: EditRequest, text: bytes) -> IndexAnswer | Refusal:
        """Facts of a text after an edit, by a worker that has its tree from before.

        `text` is the text after the edit, for a worker that does not have it.
        """
        with self._editing:
            if self._editor is None or not self._editor.is_alive:
                self._editor = _Worker(self._arguments)
            outcome = self._editor.edit(request, self._time_limit)
            for _ in range(_TRIES):
                if isinstance(outcome, IndexAnswer | Refusal) and not _is_forgotten(outcome):
                    return outcome
                if not self._editor.is_alive:
                    self._editor = _Worker(self._arguments)
                request = msgspec.structs.replace(request, text=text)
                outcome = self._editor.edit(request, self._time_limit)
            return outcome.refusal if isinstance(outcome, _Lost) else outcome

    def _index(
        self,
        worker: _Worker | None,
        batch: list[IndexRequest],
        give: Callable[[tuple[IndexRequest, IndexAnswer | Refusal]], None],
    ) -> _Worker | None:
        """Have a portion indexed; the worker that is left in the end."""
        suspect = -1
        while batch:
            if worker is None or not worker.is_alive:
                worker = _Worker(self._arguments)
            lost: Refusal | None = None
            answered = 0
            for answer in worker.index(batch, self._time_limit):
                if isinstance(answer, _Lost):
                    lost = answer.refusal
                    break
                give((batch[answered], answer))
                answered += 1
            batch = batch[answered:]
            if lost is not None and batch:
                if batch[0].number == suspect:
                    give((batch[0], lost))
                    batch = batch[1:]
                else:
                    suspect = batch[0].number
        return worker

    def _take(self, preferred: _Worker | None) -> _Worker | None:
        """An idle worker, or None for one that is yet to be started."""
        with self._is_idle:
            self._asking += 1
            while not self._idle:
                self._is_idle.wait()
            self._asking -= 1
            return self._chosen(preferred)

    def _take_politely(self, preferred: _Worker | None) -> _Worker | None:
        """As `_take`, once nobody else waits for one."""
        with self._is_idle:
            while len(self._idle) <= self._asking:
                self._is_idle.wait()
            return self._chosen(preferred)

    def _chosen(self, preferred: _Worker | None) -> _Worker | None:
        if preferred in self._idle:
            self._idle.remove(preferred)
            return preferred
        return self._idle.pop(0)

    def _put(self, worker: _Worker | None) -> None:
        with self._is_idle:
            self._idle.append(worker)
            self._is_idle.notify_all()

    def close(self) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)
        if self._editor is not None:
            self._editor.close()
        for _ in range(self._count):
            worker = self._take(None)
            if worker is not None:
                worker.close()


@attrs.frozen
class _Lost:
    """A worker did not answer: why, as far as can be told from outside."""

    refusal: Refusal


class _Batches:
    """Requests in portions that are worth a message, handed out to one thread at a time.

    A worker gets files of languages it has loaded, as long as there are any: loading one takes as
    long as parsing a hundred files. What is little stays with the worker that began with it.
    """

    def __init__(self, requests: Iterable[IndexRequest]) -> None:
        self._requests = iter(requests)
        self._lock = threading.Lock()
        self._waiting: dict[str, deque[IndexRequest]] = {}
        self._sizes: dict[str, int] = {}
        self._taken: set[str] = set()
        self._is_exhausted = False

    def next(self, loaded: Set[str]) -> list[IndexRequest]:
        """The next portion for a worker, given the languages it has loaded; none at the end."""
        with self._lock:
            self._read_ahead()
            language = self._choose(loaded)
            if language is None:
                return []
            self._taken.add(language)
            return self._portion(language)

    def stop(self) -> None:
        with self._lock:
            self._is_exhausted = True
            self._waiting.clear()

    def _read_ahead(self) -> None:
        while not self._is_exhausted and sum(self._sizes.values()) < _AHEAD_BYTES:
            request = next(self._requests, None)
            if request is None:
                self._is_exhausted = True
                return
            self._waiting.setdefault(request.language, deque()).append(request)
            self._sizes[request.language] = (
                self._sizes.get(request.language, 0) + len(request.data) + 1
            )

    def _choose(self, loaded: Set[str]) -> str | None:
        def size(language: str) -> tuple[int, str]:
            return self._sizes[language], language

        waiting = [language for language, queue in self._waiting.items() if queue]
        mine = [language for language in waiting if language in loaded]
        if mine:
            return max(mine, key=size)
        untaken = [language for language in waiting if language not in self._taken]
        if untaken:
            return max(untaken, key=size)
        much = [language for language in waiting if self._sizes[language] >= _MUCH_BYTES]
        return max(much, key=size) if much else None

    def _portion(self, language: str) -> list[IndexRequest]:
        queue = self._waiting[language]
        batch: list[IndexRequest] = []
        size = 0
        while queue and size < _BATCH_BYTES and len(batch) < _BATCH_FILES:
            request = queue.popleft()
            batch.append(request)
            size += len(request.data) + 1
        self._sizes[language] -= size
        return batch


class _Worker:
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
        self._greeted = _receive(self._output) is not None
        if not self._greeted:
            self.close()

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: Request, time_limit: float) -> Answer | Refusal:
        if not self._greeted:
            return _cannot_start()
        try:
            with _Deadline(self._process, _LOADING_LIMIT_SECONDS):
                _send(self._input, _ASK + msgspec.msgpack.encode((time_limit, request)))
                loaded = _receive(self._output) is not None
            with _Deadline(self._process, time_limit) as deadline:
                answer = _receive(self._output) if loaded else None
        except OSError:
            answer, deadline = None, None
        if answer is None:
            self.close()
            if deadline is not None and deadline.has_passed:
                return _took_too_long(request.language, time_limit)
            return _crashed(request.language)
        return msgspec.msgpack.decode(answer, type=Answer | Refusal)

    def index(
        self, batch: list[IndexRequest], time_limit: float
    ) -> Iterator[IndexAnswer | Refusal | _Lost]:
        """An answer for each request in turn, up to the one that the worker was lost at."""
        if not self._greeted:
            yield _Lost(_cannot_start())
            return
        message = msgspec.msgpack.encode((time_limit, batch))
        try:
            _send(self._input, _INDEX + message)
        except OSError:
            yield self._lost(batch[0].language, time_limit)
            return
        for request in batch:
            self._watch(request.language, time_limit)
            try:
                answer = _receive(self._output)
            except OSError:
                answer = None
            if answer is None:
                yield self._lost(request.language, time_limit)
                return
            yield msgspec.msgpack.decode(answer, type=IndexAnswer | Refusal)
        _WATCHDOG.forget(self._process)

    def edit(self, request: EditRequest, time_limit: float) -> IndexAnswer | Refusal | _Lost:
        if not self._greeted:
            return _cannot_start()
        self._watch(request.language, time_limit)
        try:
            _send(self._input, _EDIT + msgspec.msgpack.encode((time_limit, request)))
            answer = _receive(self._output)
        except OSError:
            answer = None
        if answer is None:
            return self._lost(request.language, time_limit)
        _WATCHDOG.forget(self._process)
        return msgspec.msgpack.decode(answer, type=IndexAnswer | Refusal)

    def _watch(self, language: str, time_limit: float) -> None:
        """A worker ends itself when a text takes too long. This is for one that cannot."""
        limit = time_limit + _GRACE_SECONDS
        if language not in self.languages:
            limit += _LOADING_LIMIT_SECONDS
        self.languages.add(language)
        _WATCHDOG.watch(self._process, limit)

    def _lost(self, language: str, time_limit: float) -> _Lost:
        self.close()
        timed_out = self._process.returncode == -_ALARM or _WATCHDOG.has_ended(self._process)
        return _Lost(_took_too_long(language, time_limit) if timed_out else _crashed(language))

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


_WATCHDOG = _Watchdog()


class _Deadline:
    """Kills a process that has not answered within the block it was given."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self.has_passed = False
        self._process = process
        self._timer = threading.Timer(seconds, self._end)

    def __enter__(self) -> _Deadline:
        self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()
        self._timer.join()

    def _end(self) -> None:
        self.has_passed = True
        self._process.kill()


def answer(languages: Mapping[str, Language], request: Request) -> Answer:
    """What a worker does for a request, in this process."""
    language = languages[request.language]
    parsed = parse(language, Text(request.data))
    summary = summarize(parsed)
    if request.task is Task.SUMMARIZE:
        return Answer(summary)
    outcome = signatures(parsed, summary, request.docs)
    if isinstance(outcome, Refusal):
        return Answer(summary, None, outcome)
    return Answer(summary, outcome)


def serve(requests: IO[bytes], answers: IO[bytes], language_folders: list[Path]) -> None:
    """The life of a worker: one request, one answer, until the input ends."""
    _limit_resources()
    # What a request makes holds no cycles and goes with its last reference; a collection would
    # only walk over it.
    gc.disable()
    languages = _Languages(language_folders)
    edited: dict[int, LiveFacts] = {}
    _send(answers, b"ready")
    while (message := _receive(requests)) is not None:
        if message[:1] == _INDEX:
            _serve_index(languages, answers, message[1:])
            continue
        if message[:1] == _EDIT:
            _serve_edit(languages, answers, message[1:], edited)
            continue
        time_limit, request = msgspec.msgpack.decode(message[1:], type=tuple[float, Request])
        reply: Answer | Refusal
        try:
            # Loading a language is not held against the text: the clock starts afterwards.
            _ = languages[request.language].tags
            _send(answers, b"loaded")
            _die_after(time_limit)
            reply = answer(languages, request)
        except MemoryError:
            reply = _crashed(request.language)
        except LanguageError as error:
            _send(answers, b"not loaded")
            reply = _faulty_language(error)
        _die_after(0)
        _send(answers, msgspec.msgpack.encode(reply))


def _serve_index(languages: Mapping[str, Language], answers: IO[bytes], message: bytes) -> None:
    time_limit, batch = msgspec.msgpack.decode(message, type=tuple[float, list[IndexRequest]])
    reply: IndexAnswer | Refusal
    for request in batch:
        try:
            # Loading a language is not held against the text: the clock starts afterwards.
            _ = languages[request.language].index_tags
            _die_after(time_limit)
            reply = index_answer(languages, request)
        except MemoryError:
            reply = _crashed(request.language)
        except LanguageError as error:
            reply = _faulty_language(error)
        _send(answers, msgspec.msgpack.encode(reply))
    _die_after(0)


def _serve_edit(
    languages: Mapping[str, Language],
    answers: IO[bytes],
    message: bytes,
    edited: dict[int, LiveFacts],
) -> None:
    time_limit, request = msgspec.msgpack.decode(message, type=tuple[float, EditRequest])
    reply: IndexAnswer | Refusal
    try:
        language = languages[request.language]
        _ = language.index_tags
        _die_after(time_limit)
        live = edited.get(request.number)
        if request.text is not None:
            live = edited[request.number] = LiveFacts(parse(language, Text(request.text)))
        elif live is not None:
            live.edit(request.start, request.end, request.replacement)
        reply = _forgotten() if live is None else _live_answer(live)
    except MemoryError:
        edited.pop(request.number, None)
        reply = _crashed(request.language)
    except LanguageError as error:
        reply = _faulty_language(error)
    _die_after(0)
    while len(edited) > _MOST_EDITED:
        edited.pop(next(iter(edited)))
    _send(answers, msgspec.msgpack.encode(reply))


def _live_answer(live: LiveFacts) -> IndexAnswer:
    facts = live.facts
    return IndexAnswer(
        facts=msgspec.msgpack.encode(facts),
        keys=pack_keys(sorted(live.keys)) if live.has_new_keys else None,
        declarations=facts.declaration_count,
        references=facts.reference_count,
    )


def index_answer(languages: Mapping[str, Language], request: IndexRequest) -> IndexAnswer:
    """What a worker does for a file of the index, in this process."""
    parsed = parse(languages[request.language], Text(request.data))
    facts, keys = extract_with_keys(parsed)
    return IndexAnswer(
        facts=msgspec.msgpack.encode(facts),
        keys=pack_keys(sorted(keys)),
        declarations=facts.declaration_count,
        references=facts.reference_count,
    )


class _Languages(dict[str, Language]):
    """Languages by name, each read when it is first asked for: a worker meets few of them."""

    def __init__(self, folders: list[Path]) -> None:
        super().__init__()
        self._folders = folders

    def __missing__(self, name: str) -> Language:
        self[name] = load_named(name, self._folders)
        return self[name]


def _limit_resources() -> None:
    try:
        import resource
    except ImportError:
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = (
        _MEMORY_LIMIT_BYTES if hard == resource.RLIM_INFINITY else min(hard, _MEMORY_LIMIT_BYTES)
    )
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    # A core file would hold the contents of what was being parsed.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _die_after(seconds: float) -> None:
    """Let the system end this process even inside a parse, should the parent be gone."""
    try:
        from signal import ITIMER_REAL, setitimer
    except ImportError:
        return
    setitimer(ITIMER_REAL, seconds + 0.2 if seconds else 0)


def _send(stream: IO[bytes], message: bytes) -> None:
    stream.write(_LENGTH.pack(len(message)) + message)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes | None:
    """One message, or None where the stream ends before it is whole."""
    header = stream.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    size = _LENGTH.unpack(header)[0]
    message = stream.read(size)
    return message if len(message) == size else None


def _available_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _took_too_long(language: str, time_limit: float) -> Refusal:
    return Refusal(
        RefusalKind.UNSUPPORTED_TARGET,
        "time_out",
        None,
        f"parsing as {language} took longer than {time_limit:g} seconds and was stopped",
        "leave this file out; it looks generated or hostile",
        rule=f"parse time <= {time_limit:g} s",
        source="default:limits",
    )


def _crashed(language: str) -> Refusal:
    return Refusal(
        RefusalKind.UNSUPPORTED_TARGET,
        "parser_crash",
        None,
        f"the {language} parser could not take this file and was lost",
        "leave this file out; it looks generated or hostile",
        rule="one file costs one worker",
        source="default:limits",
    )


def _faulty_language(error: LanguageError) -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "language",
        None,
        f"a language cannot be loaded: {error}",
        "run 'sightline doctor' to see what is missing",
    )


def _forgotten() -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "no_document",
        None,
        "the worker does not have this text",
        "send the whole text",
    )


def _is_forgotten(outcome: IndexAnswer | Refusal) -> bool:
    return isinstance(outcome, Refusal) and outcome.reason == "no_document"


def _cannot_start() -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "no_worker",
        None,
        "a worker process could not be started",
        "run 'sightline doctor' to see what is missing",
    )


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer, [Path(each) for each in sys.argv[1:]])
