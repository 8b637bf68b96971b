"""aider, asked what it would show for a target, again and again in one process."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from peers import contestants


class Asking:
    """aider in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def __call__(
        self,
        root: Path,
        target: str,
        symbol: str,
        budgets: Sequence[int],
        files: Sequence[str],
        characters: int,
    ) -> dict[int, dict[str, str]]:
        """Return the map for each budget: by path, the text that it shows of a file.

        `characters` says how many of them make a hundred tokens.
        """
        question = {
            "root": str(root),
            "target": target,
            "names": symbol.split("."),
            "budgets": list(budgets),
            "files": list(files),
            "characters": characters,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"aider ended at {target}, without an answer")
        answer = json.loads(line)
        return {budget: answer[str(budget)] for budget in budgets}


@contextlib.contextmanager
def asking(python: Path | None, tags: Path) -> Iterator[Asking | None]:
    if python is None:
        yield None
        return
    script = Path(__file__).with_name("aider_maps.py")
    with subprocess.Popen(
        [str(python), str(script), str(tags)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        yield Asking(process)
        assert process.stdin is not None
        process.stdin.close()


def aider_python(cache: Path) -> Path | None:
    """The interpreter of aider's environment."""
    try:
        (contestant,) = contestants.prepare("aider", cache)
    except contestants.UnavailableError as problem:
        print(f"!! LEFT OUT: {problem}", flush=True)
        return None
    return Path(contestant.command(Path(), Path(), ()).arguments[0])
