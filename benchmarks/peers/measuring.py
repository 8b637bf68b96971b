"""Run one command in a process of its own, and measure the CPU time of all its descendants.

Invariants:

* CPU is user and system time of the process and of all its descendants. A worker whose parent ends
  before it still counts: this process adopts orphans (on Linux) and waits for the last one.
* Elapsed time ends with the command, not with its last orphan.
* Output goes to files: a reader at the other end of a pipe would compete for the cores.
* The caller has no other child while a command is measured.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import attrs

_ORPHANS_MAY_TAKE = 30.0
_PR_SET_CHILD_SUBREAPER = 36


@attrs.frozen
class Command:
    """What to start, and where."""

    arguments: tuple[str, ...]
    directory: Path
    variables: dict[str, str] = attrs.field(factory=dict)
    """Added to the environment, which has no home directory of the user."""


@attrs.frozen
class Usage:
    cpu: float
    wall: float
    peak_bytes: int
    """Resident memory of the largest single process. Never below that of the measuring process,
    since Linux carries the peak of the parent over to a child."""
    output: str
    """Both streams; only their end if they are long."""
    lines: int
    """Line breaks on the standard output."""


class FailedError(Exception):
    """A command that did not end well, or not in time."""


class StoppedError(FailedError):
    """A command that was killed at a limit, and what it had used by then."""

    def __init__(self, limit: str, cpu: float, wall: float, peak_bytes: int) -> None:
        super().__init__(f"killed at its {limit} limit, after {wall:.0f} s ({cpu:.0f} s of CPU)")
        self.cpu = cpu
        self.wall = wall
        self.peak_bytes = peak_bytes


@attrs.frozen
class Limits:
    seconds: float
    resident_bytes: int
    """Of the command's own process. Checked only once a second, so that it costs nothing."""


def measure(command: Command, limits: Limits) -> Usage:
    """Raises `FailedError` if the command cannot be started or fails, `StoppedError` at a limit."""
    adopt_orphans()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        with tempfile.TemporaryDirectory() as home:
            begin = time.perf_counter()
            try:
                process = subprocess.Popen(
                    command.arguments,
                    cwd=command.directory,
                    env={**_environment(home), **command.variables},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=errors,
                    start_new_session=True,
                )
            except OSError as error:
                raise FailedError(f"{command.arguments[0]} cannot be started: {error}") from error
            with _Guard(process.pid, limits) as guard:
                ended, used = _wait(process, guard)
        wall = ended - begin
        texts = [_tail(stream.fileno()) for stream in (output, errors)]
        if guard.reached:
            raise StoppedError(guard.reached, used.cpu, wall, used.peak_bytes)
        if process.returncode:
            complaint = (texts[1].strip() or texts[0].strip()).splitlines()[-3:]
            raise FailedError(f"exit {process.returncode}: {' / '.join(complaint)}")
        return Usage(
            cpu=used.cpu,
            wall=wall,
            peak_bytes=used.peak_bytes,
            output="\n".join(texts),
            lines=_line_breaks(output.fileno()),
        )


def adopt_orphans() -> None:
    """Make this process the parent of orphaned descendants, so that it can wait for them."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


@attrs.frozen
class _Used:
    cpu: float
    peak_bytes: int


class _Guard:
    """Kills a command's process group at a limit, and orphans that outlive their parent."""

    def __init__(self, group: int, limits: Limits) -> None:
        self.reached = ""
        self._group = group
        self._limits = limits
        self._command_ended = threading.Event()
        self._all_ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> _Guard:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._command_ended.set()
        self._all_ended.set()
        self._thread.join()

    def command_ended(self) -> None:
        self._command_ended.set()

    def _watch(self) -> None:
        deadline = time.monotonic() + self._limits.seconds
        while not self._command_ended.wait(1.0):
            if time.monotonic() >= deadline:
                self.reached = "time"
            elif _resident_bytes(self._group) > self._limits.resident_bytes:
                self.reached = "memory"
            if self.reached:
                self._kill()
                return
        if not self._all_ended.wait(_ORPHANS_MAY_TAKE):
            self._kill()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._group, signal.SIGKILL)


def _wait(process: subprocess.Popen[bytes], guard: _Guard) -> tuple[float, _Used]:
    """Return when the command ended, and what it and all its descendants used."""
    ended = 0.0
    used = _Used(0.0, 0)
    while True:
        try:
            pid, status, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return ended, used
        used = _add(used, usage)
        if pid == process.pid:
            ended = time.perf_counter()
            process.returncode = os.waitstatus_to_exitcode(status)
            guard.command_ended()


def _resident_bytes(pid: int) -> int:
    """Return 0 if the system does not say."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * resource.getpagesize()


def _add(used: _Used, usage: resource.struct_rusage) -> _Used:
    unit = 1 if sys.platform == "darwin" else 1024
    return _Used(
        cpu=used.cpu + usage.ru_utime + usage.ru_stime,
        peak_bytes=max(used.peak_bytes, usage.ru_maxrss * unit),
    )


def _environment(home: str) -> dict[str, str]:
    """Return the same environment for every contestant, without the user's settings."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": home,
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
    }


def _tail(descriptor: int, most: int = 1_000_000) -> str:
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, most, max(0, size - most)).decode("utf-8", "replace")


def cpu_seconds() -> float:
    """Return the CPU time of this process, and of every process below it that is alive.

    To the nanosecond, from the scheduler; where there is no `/proc`, of this process alone.
    """
    total = time.process_time()
    pending = [os.getpid()]
    while pending:
        pid = pending.pop()
        for task in sorted(Path(f"/proc/{pid}/task").glob("*")):
            # A thread or a process may end while it is looked at.
            with contextlib.suppress(OSError):
                pending += map(int, (task / "children").read_text("ascii").split())
                if pid != os.getpid():
                    total += int((task / "schedstat").read_text("ascii").split()[0]) / 1e9
    return total


def _line_breaks(descriptor: int) -> int:
    position = count = 0
    while chunk := os.pread(descriptor, 1 << 20, position):
        position += len(chunk)
        count += chunk.count(b"\n")
    return count
