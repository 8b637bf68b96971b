"""Context: of the lines that a commit goes on to change, which does the bundle show?

    python benchmarks/context.py REPOSITORY… [--half tuning|reporting] [--commits N]

REPOSITORY is a git directory with its history; nothing is fetched. `corpora.py` says which
repositories at which commits are used, and which half each belongs to; of one that is not listed,
HEAD is taken. Of each, the newest commits that count: one parent, 2 to 12 files, of which two are
source files that the parent has, a function of the parent's tree is changed, and in other files
there are 3 to 150 lines to find. `changes.py` defines the target and the lines.

A row shows a line if that very line of that path stands in it. The share is the mean over commits;
`micro` counts all lines at once. Each budget is the hard limit (`budget.max_input_tokens`, with a
reserve of 0), so the soft limit is 80 % of it. Tokens are counted by `--estimator` in every row.

* `sightline`: the bundle for the target, no task given. A refusal shows nothing.
* `bm25 chunks`, `bm25 files`: chunks of 40 lines, or whole files, in the order of BM25 (k1 1.2, b
  0.75) over words whole and in parts; the query is the target's text.
* `same folder`: whole files beside the target, in bytewise order.
* `aider map`: aider's repository map, with the target in the chat and its symbol mentioned.
* `repomix`: files as `repomix --compress` packs them, those of the target's folder first.
* `oracle files`: chunks in the order of BM25, of nothing but the files that the commit changes.

The other rows get what Sightline spent for the same commit and budget (`equal`), and the soft
limit (`nominal`); aider and repomix, which take long, the soft limit alone. They pay for the target
as well; see `retrieval.py`.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pygit2

from changes import Change, change_of
from context_report import Outcome, print_report, write_json
from context_rows import ROWS, Peers, Rows
from corpora import CORPORA, name_of
from histories import Case, Checkout, cases
from sightline.engine.host import Host, Toolchain, open_host
from sightline.refusals import Refusal

_FEWEST_FILES, _MOST_FILES = 2, 12
_DEFAULT_ROWS = "sightline,bm25 chunks,bm25 files,same folder,oracle files"


def main() -> int:
    arguments = _arguments()
    budgets = [int(each) for each in arguments.budgets.split(",")]
    rows = [each.strip() for each in arguments.rows.split(",")]
    if unknown := set(rows) - set(ROWS):
        sys.exit(f"unknown rows: {', '.join(sorted(unknown))}; there are: {', '.join(ROWS)}")
    place = arguments.trees
    # A person's settings and cached indexes must not affect the result.
    os.environ["XDG_CONFIG_HOME"] = str(place / "config")
    os.environ["XDG_CACHE_HOME"] = str(place / "cache")
    outcomes: list[Outcome] = []
    toolchain = Toolchain()
    try:
        with Peers(rows, arguments.peers, place) as peers:
            for repository in arguments.repositories:
                name = name_of(repository)
                if not _is_chosen(name, arguments):
                    continue
                checkout = Checkout(repository.resolve(), place / name.replace("/", "+"))
                bench = Bench(name, repository, checkout, toolchain)
                measured = bench.run(
                    Rows(rows, budgets, arguments.estimator, peers, arguments.set),
                    arguments.commits,
                    arguments.skip,
                )
                for outcome in measured:
                    outcomes.append(outcome)
                    if arguments.json:
                        # A run that is cut short keeps what it measured.
                        write_json(arguments.json, outcomes)
    finally:
        toolchain.close()
    if not outcomes:
        sys.exit("no repository was chosen, or none has a commit that counts")
    print_report(outcomes, rows, budgets, missing=arguments.missing, cases=arguments.cases)
    return 0


class Bench:
    """One repository: its tree at one commit after the other, and its index."""

    def __init__(
        self, name: str, repository: Path, checkout: Checkout, toolchain: Toolchain
    ) -> None:
        self._name = name
        self._repository = pygit2.Repository(str(repository))
        self._checkout = checkout
        self._toolchain = toolchain

    def run(self, rows: Rows, commits: int, skip: int) -> Iterator[Outcome]:
        """Measure one commit after the other, the newest first."""
        listed = CORPORA.get(self._name)
        head = listed.head if listed else str(self._repository.head.target)
        registry = self._toolchain.registry
        found = cases(
            self._repository,
            head,
            lambda path, data: registry.for_path(path, data) is not None,
            _FEWEST_FILES,
            _MOST_FILES,
        )
        started = time.process_time()
        for host, change in itertools.islice(self._changes(found), skip, skip + commits):
            outcome = rows.measure(self._name, host, change)
            seconds = int(time.process_time() - started)
            print(f"{outcome.title()}  ({seconds} s)", file=sys.stderr, flush=True)
            yield outcome

    def _changes(self, found: Iterator[Case]) -> Iterator[tuple[Host, Change]]:
        host: Host | None = None
        try:
            for case in found:
                self._checkout.show(case.parent)
                if host is None:
                    opened = open_host(self._checkout.folder, toolchain=self._toolchain)
                    if isinstance(opened, Refusal):
                        sys.exit(opened.sentence())
                    host = opened
                    host.open_index(is_agreed=True)
                else:
                    host.mark_rules_stale()
                    host.look_at_disk()
                host.project.count_terms()
                change = change_of(host.snapshot, self._toolchain.registry, case)
                if change is not None:
                    yield host, change
        finally:
            if host is not None:
                host.save()
                host.close()


def _is_chosen(name: str, arguments: argparse.Namespace) -> bool:
    listed = CORPORA.get(name)
    if arguments.repository and not any(
        each in (name, name.rpartition("/")[2]) for each in arguments.repository
    ):
        return False
    return not arguments.half or (listed is not None and listed.half == arguments.half)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--half", choices=("tuning", "reporting"))
    parser.add_argument("--repository", action="append", help="only the one of this name")
    parser.add_argument("--commits", type=int, default=8, help="of each repository")
    parser.add_argument("--skip", type=int, default=0, help="pass over the newest that count")
    parser.add_argument("--budgets", default="8000,32000,100000")
    parser.add_argument("--rows", default=_DEFAULT_ROWS, help=f"of: {', '.join(ROWS)}")
    parser.add_argument("--estimator", default="lexical-1:max", help="counts tokens in every row")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=JSON", help="a setting of the build"
    )
    parser.add_argument("--missing", action="store_true", help="say why lines are missing")
    parser.add_argument("--cases", action="store_true", help="print every commit")
    parser.add_argument("--json", type=Path, help="write outcomes here, after each commit")
    parser.add_argument("--trees", type=Path, default=_default_trees(), help="kept work trees")
    parser.add_argument("--peers", type=Path, default=_default_peers(), help="installed peers")
    return parser.parse_args()


def _default_trees() -> Path:
    """One folder for each checkout of this project: two may run at a time."""
    ours = Path(__file__).resolve().parent.parent.name
    return Path(tempfile.gettempdir(), "context-trees", ours)


def _default_peers() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "sightline-benchmarks" / "peers"


if __name__ == "__main__":
    sys.exit(main())
