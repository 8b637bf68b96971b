"""What libgit2 ignores and tracks, asked in a process that is killed when it takes too long.

Invariants:

* No question blocks for ever, whatever the work tree holds. One that is not answered withholds what
  it was about: `ask` then says so by None. What it may cost is CPU time: a busy machine withholds
  nothing, and where the machine is at fault the question is asked again.
* After a few such questions a work tree is not asked about any more until it is looked at anew.
* A few processes serve all workspaces of this process (`git_process`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from sightline.workspace.git_process import GitProcesses

_WALL_SECONDS = 20.0
"""For a process that stands still. One that works ends itself by its CPU time."""
_MOST_TRIES = 3
_MOST_LOSSES = 3
_MOST_AT_ONCE = 100
"""Paths in one question. The largest ignore file of ordinary patterns costs three milliseconds for
each, and a question has a second."""
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
        answer = _PROCESSES.exchange(
            b"\0".join([what, self._root, b"%d" % self._generation, *subjects]), _MOST_TRIES
        )
        if answer is None:
            self._losses += 1
        return answer


# A question in the middle of a walk: nobody else may use the workspace until it is answered.
_PROCESSES = GitProcesses(
    Path(__file__).with_name("git_child.py"), _WALL_SECONDS, steps_aside=False
)
