"""Processes that ask libgit2 and are killed when they take too long.

A message is a length and that many bytes, in both directions.

Invariants:

* No question blocks for ever, whatever the work tree holds. A process that works too long ends
  itself by its timer; one that waits too long is killed.
* The processes serve all workspaces of this process, and end with it. While one is busy with a
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
from pathlib import Path
from queue import Empty, SimpleQueue

_LENGTH = struct.Struct("<I")


class GitProcesses:
    """A few processes that run the same script, started when first asked and replaced when lost."""

    def __init__(self, script: Path, count: int, wall_seconds: float) -> None:
        """`wall_seconds` is for a process that waits instead of working."""
        self._free: SimpleQueue[_GitProcess] = SimpleQueue()
        for _ in range(count):
            self._free.put(_GitProcess(script, wall_seconds))
        atexit.register(self.end)

    def exchange(self, message: bytes) -> bytes | None:
        """Return the answer to a message; None if a process was lost over it."""
        process = self._free.get()
        try:
            return process.exchange(message)
        finally:
            self._free.put(process)

    def end(self) -> None:
        """End the processes that nobody is asking."""
        with contextlib.suppress(Empty):
            while True:
                self._free.get_nowait().end()


class _GitProcess:
    """A process behind a pipe. For one thread."""

    def __init__(self, script: Path, wall_seconds: float) -> None:
        self._script = script
        self._wall_seconds = wall_seconds
        self._process: subprocess.Popen[bytes] | None = None

    def exchange(self, message: bytes) -> bytes | None:
        process = self._running()
        if process is None:
            return None
        answer = None
        try:
            assert process.stdin is not None
            process.stdin.write(_LENGTH.pack(len(message)) + message)
            process.stdin.flush()
            answer = _receive(process, self._wall_seconds)
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
                    [sys.executable, "-P", str(self._script)],
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


def _receive(process: subprocess.Popen[bytes], wall_seconds: float) -> bytes | None:
    """Return one message; None if the process ends, or lets it wait too long."""
    assert process.stdout is not None
    descriptor = process.stdout.fileno()
    latest = time.monotonic() + wall_seconds
    received = bytearray()
    while len(received) < _LENGTH.size or len(received) < _LENGTH.size + _length(received):
        if not _is_readable(process, descriptor, latest):
            return None
        piece = os.read(descriptor, 1 << 16)
        if not piece:
            return None
        received += piece
    return bytes(received[_LENGTH.size :])


def _length(received: bytearray) -> int:
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
