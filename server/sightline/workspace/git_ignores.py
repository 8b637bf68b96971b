"""What libgit2 ignores and tracks, asked in a process that is killed when it takes too long.

Invariants:

* No question blocks for ever, whatever the work tree holds. One that is not answered withholds what
  it was about: `ask` then says so by None.
* After a few such questions a work tree is not asked about any more until it is looked at anew.
* Two processes serve all workspaces of this process, and end with it: while one is busy with a
  hostile work tree, a person who asks about another path does not wait for it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue

_LENGTH = struct.Struct("<I")
_WALL_SECONDS = 20.0
"""For a process that waits instead of working. One that works ends itself sooner."""
_MOST_LOSSES = 3
_MOST_AT_ONCE = 2_000
"""Paths in one question, so that a directory of a million files is no reason to be late."""
_PROCESSES = 2
_CHILD = Path(__file__).with_name("git_child.py")
_NUMBERS = count()


class GitIgnores:
    """Git's opinion on one work tree, as its files are when it is looked at anew."""

    def __init__(self, root: Path) -> None:
        self._root = os.fsencode(root)
        self._generation = next(_NUMBERS)
        self._losses = 0

    def look_anew(self) -> None:
        """Forget the ignore files that libgit2 has read. From now on it is tried once more."""
        self._generation = next(_NUMBERS)
        self._losses = min(self._losses, _MOST_LOSSES - 1)

    def ask(self, subjects: Sequence[str]) -> list[bool] | None:
        """Return which paths git ignores, or None where it cannot be told.

        Directories end in `/`. Where there is no repository, git ignores nothing.
        """
        told: list[bool] = []
        for start in range(0, len(subjects), _MOST_AT_ONCE):
            answers = self._ask_some(subjects[start : start + _MOST_AT_ONCE])
            if answers is None:
                return None
            told += answers
        return told

    def _ask_some(self, subjects: Sequence[str]) -> list[bool] | None:
        if self._losses >= _MOST_LOSSES:
            return None
        answer = self._exchange(b"ignored", *map(os.fsencode, subjects))
        if answer is None:
            return None
        if not answer:
            return [False] * len(subjects)
        return [each == ord("1") for each in answer]

    def tracked(self) -> list[str] | None:
        """Return the paths of all files in git's index, or None where it cannot be read."""
        if self._losses >= _MOST_LOSSES:
            return None
        answer = self._exchange(b"tracked")
        if not answer:
            return None
        return answer.decode("utf-8", "surrogateescape").split("\0")[1:]

    def _exchange(self, what: bytes, *subjects: bytes) -> bytes | None:
        answer = _exchange(b"\0".join([what, self._root, b"%d" % self._generation, *subjects]))
        if answer is None:
            self._losses += 1
        return answer


class _GitProcess:
    """A process behind a pipe, started when first asked and replaced when lost. For one thread."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def exchange(self, message: bytes) -> bytes | None:
        """Return the answer to a message; None if the process was lost over it."""
        process = self._running()
        if process is None:
            return None
        answer = None
        try:
            assert process.stdin is not None
            process.stdin.write(_LENGTH.pack(len(message)) + message)
            process.stdin.flush()
            answer = _receive(process)
        except OSError:
            answer = None
        finally:
            if answer is None:
                self.end()
        return answer

    def _running(self) -> subprocess.Popen[bytes] | None:
        if self._process is None:
            try:
                # -P keeps the working directory, which may be a hostile workspace, off the path.
                self._process = subprocess.Popen(
                    [sys.executable, "-P", str(_CHILD)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except OSError:
                return None
        return self._process

    def end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                continue
        process.wait()


def _receive(process: subprocess.Popen[bytes]) -> bytes | None:
    """Return one message; None if the process ends, or lets it wait too long."""
    assert process.stdout is not None
    descriptor = process.stdout.fileno()
    latest = time.monotonic() + _WALL_SECONDS
    received = b""
    while len(received) < _LENGTH.size or len(received) < _LENGTH.size + _length(received):
        if not _is_readable(process, descriptor, latest):
            return None
        piece = os.read(descriptor, 1 << 16)
        if not piece:
            return None
        received += piece
    return received[_LENGTH.size :]


def _length(received: bytes) -> int:
    length: int = _LENGTH.unpack_from(received)[0]
    return length


def _is_readable(process: subprocess.Popen[bytes], descriptor: int, latest: float) -> bool:
    """Wait until there is something to read. False if it is too late."""
    if sys.platform == "win32":
        # A pipe cannot be waited for there: the process is killed by a timer instead.
        timer = threading.Timer(max(0.0, latest - time.monotonic()), process.kill)
        timer.daemon = True
        timer.start()
        return True
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(max(0.0, latest - time.monotonic()) * 1000))


_FREE: SimpleQueue[_GitProcess] = SimpleQueue()
"""The processes that nobody is asking."""


def _exchange(message: bytes) -> bytes | None:
    process = _FREE.get()
    try:
        return process.exchange(message)
    finally:
        _FREE.put(process)


def _end_all() -> None:
    with contextlib.suppress(Empty):
        while True:
            _FREE.get_nowait().end()


for _ in range(_PROCESSES):
    _FREE.put(_GitProcess())
atexit.register(_end_all)
