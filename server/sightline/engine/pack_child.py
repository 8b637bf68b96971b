"""The process that makes a pack: it reads project files, routes and code of other people.

It is started as a script by `pack_process` and can be killed at any moment. It knows about a
workspace only what it asks for (`pack_messages`).

Invariants: it opens no file, writes nothing and logs nothing. It ends with its parent: by end of
input when idle and by a signal when busy. Between two questions its processor time is limited: ten
seconds, and more for each megabyte of text that it was given.
"""

from __future__ import annotations

import contextlib
import os
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import IO

import msgspec

from sightline.engine.pack_messages import (
    MadePack,
    PackAnswer,
    PackOrder,
    Question,
    SourceAnswer,
    TooMuchMemory,
)
from sightline.packs.full_pack import build_full_pack
from sightline.packs.model import DirectoryNode, EncodingIssue, ExclusionReason, ProjectSnapshot
from sightline.packs.source import FileFacts, FileHistory, SymbolFact
from sightline.packs.summary_pack import build_summary_pack
from sightline.workers.limits import die_after, handle_signals, limit_memory

_LENGTH = struct.Struct("<I")
_BYTES_PER_SECOND = 200_000
"""A tenth of the speed for ordinary code."""
_MEMORY_BYTES = 400 << 20
_MEMORY_PER_BYTE = 8
_AT_ONCE = 200
"""The most files that are requested together."""
_LESS_PRIORITY = 5


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Make one pack after another, until the input ends."""
    handle_signals()
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(_LESS_PRIORITY)
    while (message := _receive(requests)) is not None:
        order = msgspec.msgpack.decode(message, type=PackOrder)
        limit_memory(_MEMORY_BYTES + _MEMORY_PER_BYTE * sum(order.sizes.values()))
        source = _ToldSource(order, requests, answers)
        answer: PackAnswer
        try:
            answer = _made(order, source)
        except MemoryError:
            answer = TooMuchMemory()
        die_after(0)
        _send(answers, answer)


def _made(order: PackOrder, source: _ToldSource) -> MadePack:
    files, directories, size = order.totals
    snapshot = ProjectSnapshot(
        root_path=".",
        scan_timestamp=order.timestamp,
        # No pack contains the tree.
        directory_tree=DirectoryNode(".", "."),
        total_files=files,
        total_directories=directories,
        total_size_bytes=size,
        files=order.files,
        excluded_files=order.excluded_files,
        exclusion_stats=order.exclusion_stats,
    )
    source.wind_clock()
    if order.form == "full":
        return MadePack(full=build_full_pack(snapshot, source, order.limits, order.name))
    return MadePack(summary=build_summary_pack(snapshot, source, order.limits, order.name))


class _ToldSource:
    """A `PackSource` that asks the parent process."""

    def __init__(self, order: PackOrder, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._requests = requests
        self._answers = answers
        self._sizes = order.sizes
        self._commits_seen = order.commits_seen
        self._seconds = order.seconds
        self.paths: Sequence[str] = tuple(order.sizes)
        self._numbers = {path: number for number, path in enumerate(self.paths)}
        self._told_bytes = 0
        self._texts: dict[str, str | None] = {}
        self._endings: set[str] = set()
        """Endings of the files that were read: the next ones probably have the same."""
        self._facts: dict[str, FileFacts | None] = {}
        self._histories: dict[str, FileHistory | None] = {}

    def wind_clock(self) -> None:
        die_after(self._seconds + self._told_bytes / _BYTES_PER_SECOND)

    def size(self, path: str) -> int:
        return self._sizes.get(path, 0)

    def expect(self, paths: Sequence[str], most_bytes: int) -> None:
        self._ask(Question("expect", list(paths), most_bytes))

    def read(self, path: str) -> str | None:
        return self._ask(Question("read", [path])).texts[0] if path in self._sizes else None

    def withheld(self, path: str) -> ExclusionReason:
        return self._ask(Question("withheld", [path])).reason

    def peek(self, path: str) -> str | None:
        if path not in self._sizes:
            return None
        if path not in self._texts:
            self._endings.add(_ending(path))
            wanted = self._next(path, lambda each: _ending(each) in self._endings)
            texts = self._ask(Question("peek", wanted)).texts
            self._texts = dict(zip(wanted, texts, strict=False))
        # Each is used once in a row.
        return self._texts.pop(path)

    @property
    def encoding_issues(self) -> Sequence[EncodingIssue]:
        return self._ask(Question("encoding_issues")).issues

    @property
    def redactions(self) -> Mapping[str, int]:
        return self._ask(Question("redactions")).redactions

    def facts(self, path: str) -> FileFacts | None:
        if path in self._sizes and path not in self._facts:
            wanted = self._next(path, lambda each: each not in self._facts)
            self._facts |= zip(wanted, self._ask(Question("facts", wanted)).facts, strict=True)
        return self._facts.get(path)

    def signature(self, symbol: SymbolFact) -> str:
        return self._ask(Question("signature", symbol=symbol)).text

    def history(self, path: str) -> FileHistory | None:
        if path not in self._sizes:
            return FileHistory(0, 0) if self._commits_seen else None
        if path not in self._histories:
            wanted = self._next(path, lambda each: each not in self._histories)
            told = self._ask(Question("history", wanted)).histories
            self._histories |= zip(wanted, told, strict=True)
        return self._histories[path]

    @property
    def commits_seen(self) -> int:
        return self._commits_seen

    def _next(self, path: str, is_wanted: Callable[[str], bool]) -> list[str]:
        """Return a path and some paths after it, which will probably be requested next."""
        begin = self._numbers[path] + 1
        found = [path]
        for each in self.paths[begin : begin + 5 * _AT_ONCE]:
            if len(found) == _AT_ONCE:
                break
            if is_wanted(each):
                found.append(each)
        return found

    def _ask(self, question: Question) -> SourceAnswer:
        # The parent may take long, and a signal of its pipe would end this process meanwhile.
        die_after(0)
        _send(self._answers, question)
        message = _receive(self._requests)
        if message is None:
            raise SystemExit
        answer = msgspec.msgpack.decode(message, type=SourceAnswer)
        self._told_bytes += len(message)
        self.wind_clock()
        return answer


def _ending(path: str) -> str:
    return path.rpartition(".")[2]


def _send(answers: IO[bytes], answer: PackAnswer) -> None:
    data = msgspec.msgpack.encode(answer)
    answers.write(_LENGTH.pack(len(data)) + data)
    answers.flush()


def _receive(requests: IO[bytes]) -> bytes | None:
    header = requests.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    message = requests.read(_LENGTH.unpack(header)[0])
    return message if len(message) == _LENGTH.unpack(header)[0] else None


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
