"""A process that runs one of our scripts and is killed when it takes too long.

A message is a length and that many bytes, in both directions.

Invariants:

* No question blocks for ever. A process that works too long ends itself by its timer of CPU time;
  one that makes no progress for too long is killed.
* A busy machine changes no answer. A process that gets little CPU time is waited for. One that made
  no progress, or that somebody else killed, is a fault of the machine.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

_LENGTH = struct.Struct("<I")
_LEAST_WORK_NS = 1_000_000
"""The CPU time by which a process that is waited for shows that it makes progress."""
_KILLED_BY_OTHERS = (
    -signal.SIGTERM,
    -getattr(signal, "SIGKILL", signal.SIGTERM),
    # Meant for the end of the parent, which still exists: the system also sends the signal for a
    # question that was already handed over, and on a busy machine it arrives late.
    -getattr(signal, "SIGIO", signal.SIGTERM),
)
_ENDED_BY_TIMER = -getattr(signal, "SIGPROF", 27)


class _Waiting(threading.local):
    """What a thread does while it waits for a process."""

    step_aside: Callable[[], AbstractContextManager[object]] = staticmethod(contextlib.nullcontext)
    """Does nothing, unless other work may run in place of the thread."""


WAITING = _Waiting()


class MachineFaultError(Exception):
    """A process failed for a reason that has nothing to do with the question."""


class ScriptProcess:
    """A process behind a pipe, started on its first question. For one thread."""

    def __init__(self, script: Path, wall_seconds: float) -> None:
        """`wall_seconds` is for a process that makes no progress."""
        self._script = script
        self._wall_seconds = wall_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self.has_hit_limit = False
        """True if the last process ended by its own timer."""

    def exchange(self, message: bytes) -> bytes | None:
        """Return the answer; None if the process failed. Raises `MachineFaultError`."""
        process = self._running()
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
        if answer is None:
            self.has_hit_limit = process.returncode == _ENDED_BY_TIMER
            if process.returncode in _KILLED_BY_OTHERS:
                raise MachineFaultError
        return answer

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            # It was killed while it was idle: no question was lost.
            self.end()
        if self._process is None:
            try:
                # -P keeps the working directory, which may be a hostile workspace, off the module
                # path.
                self._process = subprocess.Popen(
                    [sys.executable, "-P", str(self._script)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except OSError as error:
                raise MachineFaultError from error
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
    """Return one message; None if the process ends. Raise if it makes no progress for too long."""
    assert process.stdout is not None
    descriptor = process.stdout.fileno()
    received = bytearray()
    while len(received) < _LENGTH.size or len(received) < _LENGTH.size + _length(received):
        _wait_for(process, descriptor, wall_seconds)
        piece = os.read(descriptor, 1 << 16)
        if not piece:
            # It has ended, or is about to: `exchange` needs to know how.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(wall_seconds)
            return None
        received += piece
    return bytes(received[_LENGTH.size :])


def _length(received: bytearray) -> int:
    length: int = _LENGTH.unpack_from(received)[0]
    return length


def _wait_for(process: subprocess.Popen[bytes], descriptor: int, wall_seconds: float) -> None:
    """Wait until there is something to read, as long as the process makes progress."""
    if sys.platform == "win32":
        # On this system it is not possible to wait for a pipe: a timer kills the process instead.
        timer = threading.Timer(wall_seconds, process.kill)
        timer.daemon = True
        timer.start()
        return
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    worked = _cpu_time_ns(process.pid)
    while not poll.poll(wall_seconds * 1000):
        before, worked = worked, _cpu_time_ns(process.pid)
        if worked - before < _LEAST_WORK_NS:
            raise MachineFaultError


def _cpu_time_ns(process: int) -> int:
    """Return the CPU time of a process; always 0 if the system does not tell."""
    if not sys.platform.startswith("linux"):
        return 0
    # What clock_getcpuclockid(3) returns: the number of a process's clock holds its complement.
    try:
        return time.clock_gettime_ns((~process << 3) | 2)
    except OSError:
        return 0
