"""Processes that ask libgit2 and are killed when they take too long (`script_process`).

Invariants:

* A process that was lost over the machine is replaced and asked again as often as the caller says.
* The processes serve all workspaces of this process, and end with it. While some are busy with
  hostile work trees, a person who asks about another one gets another process. No more are started
  than are busy at once.
"""

from __future__ import annotations

import atexit
import contextlib
from pathlib import Path
from queue import Empty, LifoQueue

from sightline.workspace.script_process import WAITING, MachineFaultError, ScriptProcess

_MOST_PROCESSES = 8


class GitProcesses:
    """Processes that run the same script, started when they are needed and replaced when lost."""

    def __init__(self, script: Path, wall_seconds: float, *, steps_aside: bool = True) -> None:
        """`wall_seconds` is for a process that stands still instead of working.

        `steps_aside` lets others work in the place of a thread that waits (`WAITING`).
        """
        self._steps_aside = steps_aside
        # The one that was free last is asked first: the others are not started for it.
        self._free: LifoQueue[ScriptProcess] = LifoQueue()
        for _ in range(_MOST_PROCESSES):
            self._free.put(ScriptProcess(script, wall_seconds))
        atexit.register(self.end)

    def exchange(self, message: bytes, tries: int = 1) -> bytes | None:
        """Return the answer to a message; None if a process was lost over it.

        It is asked so many times at most, where the machine was at fault.
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
        """End the processes that nobody is asking."""
        with contextlib.suppress(Empty):
            while True:
                self._free.get_nowait().end()
