"""How long others wait, and how much memory it takes, while a hostile tree is looked at.

    python benchmarks/hostile_trees.py [--bombs N ...] [--only WORDS] [--answers N] [--ahead]

Each tree of `tests/faults/hostile_trees.py` gets a server of its own, which has the tree and an
ordinary folder open. A build and a review in the tree are begun, then a pack; behind them, a file
of the ordinary folder is edited and asked for a build, a slice and symbols, over and over until all
are answered.
So are trees of N texts that take their grammar minutes, each on the disk and open in the editor.
Printed are the longest wait for an ordinary answer, how many there were, the longest wait before
the tree was asked about, the most memory that the server and all it started had at a time
(proportional set size), and how long they took to end after their client had left. The limits are
one second, 500 MB and five seconds. A machine that is busy otherwise
makes every answer late: compare with the wait before, or put the server ahead of everybody
else's processes with `--ahead` (Linux, as root).
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
from tests.lsp.raw import (
    PATIENCE_SECONDS,
    Message,
    RawClient,
    session_processes,
    uri_of,
    wait_until_gone,
)

_LONGEST_SECONDS = 1.0
_MOST_BYTES = 500 * 1024 * 1024
_LONGEST_END_SECONDS = 5.0


@attrs.frozen
class Measured:
    before: float
    """The longest wait in seconds for an answer about the ordinary folder, before."""
    longest: float
    """The same with the hostile tree."""
    answers: int
    memory: int
    """The most memory of server and workers at a time, in bytes."""
    end: float = 0.0
    """Seconds until server and workers ended after their client."""

    @property
    def holds(self) -> bool:
        is_quick = self.longest <= _LONGEST_SECONDS and self.end <= _LONGEST_END_SECONDS
        return is_quick and self.memory <= _MOST_BYTES


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bombs", type=int, nargs="*", default=[1, 2, 4, 8])
    parser.add_argument("--only", default="", help="only trees whose name has these words")
    parser.add_argument("--answers", type=int, default=30, help="ask so often, at most")
    parser.add_argument("--ahead", action="store_true", help="put the server first (needs root)")
    options = parser.parse_args()
    makers = {kind: kind for kind in TREES if options.only in kind}
    outcomes = []
    for kind in makers:
        outcomes.append(_measure(kind, None, options))
    for count in options.bombs:
        if options.only in f"{count} bombs":
            outcomes.append(_measure(f"{count} bombs", count, options))
    failed = sum(not each.holds for each in outcomes)
    print(f"{len(outcomes)} trees, {failed} over a limit (1 s, 500 MB, 5 s)")
    return 1 if failed else 0


def _measure(kind: str, bombs: int | None, options: argparse.Namespace) -> Measured:
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
            if options.ahead:
                for process in ("self", client.process.pid):
                    Path(f"/proc/{process}/autogroup").write_text("-15")
            measured = measure(client, good, tree, opened, options.answers)
            measured = attrs.evolve(measured, end=_end_of(client))
    limit = "" if measured.holds else "  OVER"
    print(
        f"{kind:<40} {measured.longest:6.2f} s of {measured.answers:>3} answers "
        f"({measured.before:4.2f} s before) "
        f"{measured.memory / 1e6:6.0f} MB, ended in {measured.end:4.2f} s{limit}",
        flush=True,
    )
    return measured


def measure(
    client: RawClient, good: Path, tree: Path, opened: list[Path], answers: int
) -> Measured:
    """Send requests about a hostile tree, and about an ordinary folder until those are answered."""
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
    client.open(uri, GOOD, version=0)
    # The start of a server and its first worker takes long here, and is the same for every tree.
    client.ask("sightline/buildContext", _document(uri))
    before = max(_seconds_for(client, uri, number) for number in range(answers))
    for file in opened:
        client.open(uri_of(file), file.read_text(), language=file.suffix[1:])
    asked = _document(uri_of(tree / "a.py"))
    hostile = [
        client.begin("sightline/buildContext", asked),
        client.begin("sightline/buildRecipe", {**asked, "recipe": "review", "base": "HEAD"}),
    ]
    for file in opened:
        client.begin("textDocument/documentSymbol", _document(uri_of(file)))
        client.begin("sightline/slice", {**_document(uri_of(file)), "level": "signatures"})
    longest, count = 0.0, 0
    for number in range(answers):
        longest = max(longest, _seconds_for(client, uri, answers + number))
        count += 1
        if len(hostile) == 2 and client.has_answer(hostile[0]):
            # A summary needs the index, for which a build has already waited.
            hostile.append(client.begin("sightline/buildProjectPack", {**asked, "type": "summary"}))
        elif all(map(client.has_answer, hostile)) and not opened:
            break
    if not opened:
        # Waiting until all bombs are in quarantine would take minutes.
        for each in hostile:
            client.answer_of(each)
    is_over.set()
    watching.join()
    return Measured(before, longest, count, memory)


def _end_of(client: RawClient) -> float:
    """Return how long server and workers take to end once their client is gone."""
    begun = time.monotonic()
    assert client.process.stdin is not None
    client.process.stdin.close()
    wait_until_gone(client.process.pid, PATIENCE_SECONDS)
    return time.monotonic() - begun


def _seconds_for(client: RawClient, uri: str, number: int) -> float:
    """Return how long it takes to answer about a text that has just been typed."""
    client.change(uri, number + 1, {"text": GOOD + f"# {number}\n"})
    method = _METHODS[number % len(_METHODS)]
    params = _document(uri) | ({"level": "signatures"} if method == "sightline/slice" else {})
    begun = time.monotonic()
    client.ask(method, params)
    return time.monotonic() - begun


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
