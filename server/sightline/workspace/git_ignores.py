"""Which paths libgit2 ignores and tracks, from a process that is killed if it takes too long.

Invariants:

* No question blocks for ever, whatever the work tree contains. If there is no answer, the paths are
  withheld: `ask` returns None. The limit is on CPU time, so a busy machine withholds nothing. If
  the machine caused the failure, the question is repeated.
* After a few such failures, a work tree is not asked about until it is read again.
* A few processes serve all workspaces of this process (`git_process`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from sightline.workspace.git_process import GitProcesses

_WALL_SECONDS = 20.0
"""For a process that makes no progress. A working one ends itself by its CPU time."""
_MOST_TRIES = 3
_MOST_LOSSES = 3
_MOST_AT_ONCE = 100
"""The number of paths in one question. The largest ignore file of ordinary patterns takes three
milliseconds for each path, and a question may take a second.
"""
_NUMBERS = count()


class GitIgnores:
    """Git's answers about one work tree, for its files at the last `look_anew`."""

    def __init__(self, root: Path) -> None:
        self._root = os.fsencode(root)
        self._generation = next(_NUMBERS)
        self._losses = 0

    def look_anew(self) -> None:
        """Forget the ignore files that libgit2 has read, and try libgit2 again after failures."""
        self._generation = next(_NUMBERS)
        self._losses = min(self._losses, _MOST_LOSSES - 1)

    def ask(self, subjects: Sequence[str]) -> list[bool] | None:
        """Return which paths git ignores, or None if there is no answer.

        Directories end in `/`. Without a repository, git ignores nothing.
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
        """Return the paths of all files in git's index, or None if it cannot be read."""
        if self._losses >= _MOST_LOSSES:
            return None
        answer = self._exchange(b"tracked")
        if not answer:
            return None
        return answer.decode("utf-8", "surrogateescape").split("\0")[1:]

    def _exchange(self, what: bytes, *subjects: bytes) -> bytes | None:
        answer = _PROCESSES.exchange(
            b"\0".join([what, self._root, b"%d" % self._generation, *subjects]), _MOST_TRIES
        )
        if answer is None:
            self._losses += 1
        return answer


# A question occurs in the middle of a walk: no other thread may use the workspace until it is
# answered.
_PROCESSES = GitProcesses(
    Path(__file__).with_name("git_child.py"), _WALL_SECONDS, steps_aside=False
)
