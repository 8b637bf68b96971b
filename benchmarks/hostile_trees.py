"""How long others wait, and how much memory it takes, while a hostile tree is looked at.

    python benchmarks/hostile_trees.py [--bombs N ...] [--only WORDS] [--answers N]

Each tree of `tests/faults/hostile_trees.py` gets a server of its own, which has the tree and an
ordinary folder open. A build in the tree is begun; behind it, the ordinary folder is asked for a
build, a slice and symbols, over and over until the first one is answered. So are trees of N texts
that take their grammar minutes, each on the disk and open in the editor. Printed are the longest
wait for an ordinary answer, how many there were, and the most memory that the server and all it
started had at a time (proportional set size). The limits are one second and 500 MB.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from pathlib import Path

import attrs

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.faults.hostile_trees import GOOD, TREES, make_bombs, make_tree
from tests.lsp.raw import Message, RawClient, session_processes, uri_of

_LONGEST_SECONDS = 1.0
_MOST_BYTES = 500 * 1024 * 1024


@attrs.frozen
class Measured:
    longest: float
    """Seconds that somebody waited for an answer about the ordinary folder."""
    answers: int
    memory: int
    """The most that server and workers had at a time, in bytes."""

    @property
    def holds(self) -> bool:
        return self.longest <= _LONGEST_SECONDS and self.memory <= _MOST_BYTES


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bombs", type=int, nargs="*", default=[1, 2, 4, 8])
    parser.add_argument("--only", default="", help="only trees whose name has these words")
    parser.add_argument("--answers", type=int, default=30, help="ask so often, at most")
    options = parser.parse_args()
    makers = {kind: kind for kind in TREES if options.only in kind}
    outcomes = []
    for kind in makers:
        outcomes.append(_measure(kind, None, options.answers))
    for count in options.bombs:
        if options.only in f"{count} bombs":
            outcomes.append(_measure(f"{count} bombs", count, options.answers))
    failed = sum(not each.holds for each in outcomes)
    print(f"{len(outcomes)} trees, {failed} over a limit (1 s, 500 MB)")
    return 1 if failed else 0


def _measure(kind: str, bombs: int | None, answers: int) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        good, tree = Path(folder) / "good", Path(folder) / "tree"
        good.mkdir()
        (good / "a.py").write_text(GOOD)
        opened: list[Path] = []
        if bombs is None:
            make_tree(tree, kind)
        else:
            opened = make_bombs(tree, bombs)
        with RawClient(Path(folder) / "server") as client:
            measured = measure(client, good, tree, opened, answers)
    limit = "" if measured.holds else "  OVER"
    print(
        f"{kind:<40} {measured.longest:6.2f} s of {measured.answers:>3} answers "
        f"{measured.memory / 1e6:6.0f} MB{limit}",
        flush=True,
    )
    return measured


def measure(
    client: RawClient, good: Path, tree: Path, opened: list[Path], answers: int
) -> Measured:
    """Ask about a hostile tree, and about an ordinary folder until that is answered."""
    memory = 0
    is_over = threading.Event()

    def watch() -> None:
        nonlocal memory
        while not is_over.wait(0.05):
            memory = max(memory, sum(map(_memory_of, session_processes(client.process.pid))))

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    client.initialize(good, tree)
    uri = uri_of(good / "a.py")
    client.open(uri, GOOD)
    # What takes long here is the start of a server and its first worker, which every tree has.
    client.ask("sightline/buildContext", _document(uri))
    for file in opened:
        client.open(uri_of(file), file.read_text(), language=file.suffix[1:])
    hostile = client.begin("sightline/buildContext", _document(uri_of(tree / "a.py")))
    for file in opened:
        client.begin("textDocument/documentSymbol", _document(uri_of(file)))
        client.begin("sightline/slice", {**_document(uri_of(file)), "level": "signatures"})
    longest, count = 0.0, 0
    for number in range(answers):
        method = _METHODS[number % len(_METHODS)]
        params = _document(uri) | ({"level": "full"} if method == "sightline/slice" else {})
        begun = time.monotonic()
        client.ask(method, params)
        longest, count = max(longest, time.monotonic() - begun), count + 1
        if client.has_answer(hostile) and not opened:
            break
    client.answer_of(hostile)
    is_over.set()
    watching.join()
    return Measured(longest, count, memory)


_METHODS = ("sightline/buildContext", "sightline/slice", "textDocument/documentSymbol")


def _document(uri: str) -> Message:
    return {"textDocument": {"uri": uri}}


def _memory_of(process: int) -> int:
    """Return the proportional set size of a process; 0 if it is gone."""
    try:
        rolled = Path(f"/proc/{process}/smaps_rollup").read_text("ascii")
    except OSError:
        return 0
    for line in rolled.splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    sys.exit(main())
