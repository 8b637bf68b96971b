"""Processes that run libgit2 and are killed when they take too long (`script_process`).

Invariants:

* A process that failed because of the machine is replaced and asked again, as often as the caller
  says.
* The processes serve all workspaces of this process, and end with it. While some are busy with
  hostile work trees, a request for another one gets another process. Never more are started than
  are busy at once.
"""

from __future__ import annotations

import atexit
import contextlib
from pathlib import Path
from queue import Empty, LifoQueue

from sightline.workspace.script_process import WAITING, MachineFaultError, ScriptProcess

_MOST_PROCESSES = 8


class GitProcesses:
    """Processes that run the same script, started on demand and replaced when lost."""

    def __init__(self, script: Path, wall_seconds: float, *, steps_aside: bool = True) -> None:
        """`wall_seconds` is for a process that makes no progress.

        `steps_aside` lets other work run in place of a waiting thread (`WAITING`).
        """
        self._steps_aside = steps_aside
        # The process that became free last is used first, so that no others are started.
        self._free: LifoQueue[ScriptProcess] = LifoQueue()
        for _ in range(_MOST_PROCESSES):
            self._free.put(ScriptProcess(script, wall_seconds))
        atexit.register(self.end)

    def exchange(self, message: bytes, tries: int = 1) -> bytes | None:
        """Return the answer to a message; None if it made a process fail.

        It is sent at most so many times, if the machine caused the failures.
        """
        with WAITING.step_aside() if self._steps_aside else contextlib.nullcontext():
            process = self._free.get()
            try:
                for _ in range(tries):
                    with contextlib.suppress(MachineFaultError):
                        return process.exchange(message)
                return None
            finally:
                self._free.put(process)

    def end(self) -> None:
        """End the idle processes."""
        with contextlib.suppress(Empty):
            while True:
                self._free.get_nowait().end()
