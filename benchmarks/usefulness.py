"""Usefulness: of the files that a commit changed together, how many does a bundle show?

    python benchmarks/usefulness.py REPOSITORY… [--commits N] [--budgets 8000,32000,100000]

REPOSITORY is a git directory with its history. For each of its newest commits that touch two to
five source files, the parent's tree is laid out and one changed symbol is the target: of the file
with the most changed lines, the innermost function or type around the first changed lines that
have one around them. The others of the changed files are what somebody who makes this change has
to see; files that the commit adds are not there yet and do not count. Nothing but the target is
told to anybody: no message, no task.

Rows, all with the same budget and the same count of tokens, `chars4`:

* `sightline`: files in the bundle, at any level. The hard limit is the budget. The bundle pays for
  the target, the rules and the frame; what is refused shows nothing.
* `same directory`: whole files beside the target, in bytewise order.
* `aider map`: files that are named in aider's repository map of that many tokens, with the target
  in the chat and its symbol mentioned. The target itself costs it nothing, and it may take up to
  15 % more than it was given. `aider map, code` counts those that it shows at least a line of;
  the rest are bare paths.
* `random`: whole files in an order drawn by lot, seeded with the commit.

The last three choose among the source files that the workspace's rules show, and pay for nothing
but those; a file too large for what is left is passed over. Recall is given as the mean over
commits, and over all files at once. `--causes` says of what is missing how it stands to the target
and where it was lost. `--lift 'packages/**'` shows a monorepo's packages. Exit 1 unless sightline
leads at every budget.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import posixpath
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs
import pygit2

from histories import Case, ChangedFile, Hunk, WorkTree, cases
from peers.asking import AIDER, AIDER_CODE, Asking, Choice, aider_python, asking
from sightline.budget import Estimator, estimator
from sightline.context import BuildRequest, Built, Refused, TargetSpec
from sightline.engine.build import attempt_build
from sightline.engine.cache import BuildCache
from sightline.index import Snapshot, SymbolId
from sightline.index.store import open_store
from sightline.languages import Registry, load_registry
from sightline.project import Project
from sightline.refusals import Refusal
from sightline.settings import Settings, load
from sightline.symbols import CALLABLE_KINDS, TYPE_KINDS
from sightline.text import Text
from sightline.workers import Workers
from sightline.workspace import Workspace

OURS = "sightline"
DIRECTORY = "same directory"
RANDOM = "random"
_ROWS = (OURS, AIDER, AIDER_CODE, DIRECTORY, RANDOM)

_CELL = f"{'mean':>11}{'micro':>7}{'files':>6}{'tokens':>7}"

_ESTIMATOR = "chars4"
_FEWEST, _MOST = 2, 5
_NO_TIME = "1970-01-01T00:00:00Z"
_NO_CALLER = "00000000-0000-0000-0000-000000000000"


@attrs.frozen
class Missed:
    """A file that a bundle lacks, and why."""

    path: str
    relation: str
    lost: str


@attrs.frozen
class Outcome:
    """One commit at one budget."""

    commit: str
    target: str
    wanted: frozenset[str]
    found: dict[str, frozenset[str]]
    """By row, the wanted files that are there."""
    shown: dict[str, int]
    """By row, how many files are there in all."""
    tokens: dict[str, int]
    """By row, what they cost."""
    refusal: str
    missed: tuple[Missed, ...]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=40, help="of each repository")
    parser.add_argument("--skip", type=int, default=0, help="pass over the newest of them")
    parser.add_argument("--budgets", default="8000,32000,100000")
    parser.add_argument("--peers", default="aider", help="'' for none")
    parser.add_argument("--lift", action="append", default=[], help="a default rule to lift")
    parser.add_argument("--causes", action="store_true", help="say why files are missing")
    parser.add_argument("--cache", type=Path, default=_default_cache(), help="installed peers")
    parser.add_argument("--json", type=Path, help="write every outcome to this file")
    arguments = parser.parse_args()
    budgets = [int(each) for each in arguments.budgets.split(",")]
    names = [name for name in arguments.peers.split(",") if name]
    if set(names) - {"aider"}:
        sys.exit("the only peer is aider")
    outcomes: dict[int, list[Outcome]] = {budget: [] for budget in budgets}
    with tempfile.TemporaryDirectory(prefix="sightline-usefulness-") as place, Workers() as workers:
        peer = aider_python(arguments.cache) if names else None
        for number, repository in enumerate(arguments.repositories):
            bench = Bench(
                pygit2.Repository(str(repository)),
                Path(place) / str(number),
                workers,
                tuple(arguments.lift),
                budgets,
            )
            mine: dict[int, list[Outcome]] = {budget: [] for budget in budgets}
            for by_budget in bench.run(peer, arguments.skip, arguments.commits):
                for budget, outcome in by_budget.items():
                    mine[budget].append(outcome)
            print_table(_title(repository), mine)
            for budget in budgets:
                outcomes[budget] += mine[budget]
    leads = print_table("ALL", outcomes)
    if arguments.causes:
        print_causes(outcomes)
    if arguments.json:
        write_json(arguments.json, outcomes)
    return 0 if leads else 1


class Bench:
    """One repository: its tree at one commit after the other, and its index."""

    def __init__(
        self,
        repository: pygit2.Repository,
        place: Path,
        workers: Workers,
        lifted: tuple[str, ...],
        budgets: Sequence[int],
    ) -> None:
        self._repository = repository
        self._place = place
        self._workers = workers
        self._lifted = lifted
        self._budgets = budgets
        self._registry: Registry = load_registry()
        self._settings = {budget: _settings(budget) for budget in budgets}
        counting = estimator(_ESTIMATOR)
        assert isinstance(counting, Estimator)
        self._estimator = counting
        self._tokens: dict[bytes, int] = {}

    def run(self, python: Path | None, skip: int, commits: int) -> Iterator[dict[int, Outcome]]:
        tree = WorkTree(self._repository, self._place / "tree")
        found = cases(self._repository, self._is_source, _FEWEST, _MOST)
        chosen = itertools.islice(self._usable(found, tree, python, skip), commits)
        for number, each in enumerate(chosen, start=1):
            print(f"\r{number} of {commits}", end="", file=sys.stderr, flush=True)
            yield each
        print("\r", end="", file=sys.stderr)

    def _is_source(self, path: str, data: bytes) -> bool:
        return self._registry.for_path(path, data) is not None

    def _usable(
        self, found: Iterator[Case], tree: WorkTree, python: Path | None, skip: int
    ) -> Iterator[dict[int, Outcome]]:
        """The outcome of every commit that has a target and something else that can be seen."""
        store = open_store(str(tree.folder.resolve()), self._place / "cache")
        workspace = Workspace(tree.folder, lifted=self._lifted)
        with (
            Project(workspace, self._registry, self._workers, store) as project,
            asking(python, self._place / "tags") as ask,
        ):
            build_cache = BuildCache(project, self._registry, self._workers)
            is_open = False
            for case in found:
                tree.show(case.parent)
                snapshot = project.refresh() if is_open else project.open()
                is_open = True
                visible = [each for each in case.files if each.path in snapshot.files]
                target = _target(snapshot, workspace, visible)
                if target is None or len(visible) < _FEWEST:
                    continue
                skip -= 1
                if skip >= 0:
                    continue
                wanted = frozenset(each.path for each in visible) - {target[0]}
                yield self._outcomes(case, target, wanted, build_cache, snapshot, tree, ask)

    def _outcomes(
        self,
        case: Case,
        target: SymbolId,
        wanted: frozenset[str],
        build_cache: BuildCache,
        snapshot: Snapshot,
        tree: WorkTree,
        ask: Asking | None,
    ) -> dict[int, Outcome]:
        sources = [path for path in snapshot.paths if snapshot.files[path].language]
        others = [path for path in sources if path != target[0]]
        place = snapshot.place(target)
        folder = posixpath.dirname(target[0])
        beside = [path for path in others if posixpath.dirname(path) == folder]
        drawn = list(others)
        random.Random(case.commit).shuffle(drawn)
        maps: Mapping[int, dict[str, Choice]] = {}
        if ask is not None:
            maps = ask(tree.folder, target[0], place.symbol, self._budgets, sources)
        outcomes = {}
        for budget in self._budgets:
            built = attempt_build(
                build_cache,
                BuildRequest(
                    targets=(TargetSpec(path=target[0], symbol=f"{place.symbol}:{place.line}"),)
                ),
                self._settings[budget],
                created_at=_NO_TIME,
                correlation_id=_NO_CALLER,
            ).outcome
            choices = {
                OURS: _choice_of(built),
                DIRECTORY: self._filled(snapshot, tree, beside, budget),
                RANDOM: self._filled(snapshot, tree, drawn, budget),
            }
            choices |= maps.get(budget, {})
            missing = sorted(wanted - choices[OURS].files)
            outcomes[budget] = Outcome(
                case.commit,
                str(place),
                wanted,
                {row: wanted & choice.files for row, choice in choices.items()},
                {row: len(choice.files - {target[0]}) for row, choice in choices.items()},
                {row: choice.tokens for row, choice in choices.items()},
                built.refusal.kind.value if isinstance(built, Refused) else "",
                tuple(
                    Missed(path, _relation(snapshot, target, path), _lost(built, path))
                    for path in missing
                ),
            )
        return outcomes

    def _filled(
        self, snapshot: Snapshot, tree: WorkTree, paths: Sequence[str], budget: int
    ) -> Choice:
        """Whole files in their order, as many as there is room for."""
        chosen = set()
        room = budget
        for path in paths:
            digest = snapshot.files[path].digest
            if digest not in self._tokens:
                self._tokens[digest] = self._estimator.tokens((tree.folder / path).read_bytes())
            if self._tokens[digest] <= room:
                room -= self._tokens[digest]
                chosen.add(path)
        return Choice(frozenset(chosen), budget - room)


def _settings(budget: int) -> Settings:
    asked = {
        "budget.max_input_tokens": budget,
        "budget.response_token_reserve": 0,
        "budget.estimator": _ESTIMATOR,
    }
    loaded = load(None, None, {}, asked)
    if isinstance(loaded, Refusal):
        sys.exit(f"a budget of {budget}: {loaded.message}")
    return loaded.settings


def _target(
    snapshot: Snapshot, workspace: Workspace, files: Sequence[ChangedFile]
) -> SymbolId | None:
    """The symbol that is changed first in the file that is changed most and has one."""
    for file in sorted(files, key=lambda each: (-each.changed_lines, each.path.encode("utf-8"))):
        document = workspace.read(file.path)
        if isinstance(document, Refusal):
            continue
        for hunk in file.hunks:
            for first, last in _changed_lines(hunk, document.text.last_line_number):
                symbol = _around(snapshot, file.path, document.text, first, last)
                if symbol is not None:
                    return symbol
    return None


def _changed_lines(hunk: Hunk, last: int) -> Iterator[tuple[int, int]]:
    """Each changed line, or the two lines between which something is added."""
    if not hunk.lines:
        yield max(1, hunk.start), max(1, min(hunk.start + 1, last))
        return
    for line in range(hunk.start, min(hunk.start + hunk.lines, last + 1)):
        yield line, line


def _around(snapshot: Snapshot, path: str, text: Text, first: int, last: int) -> SymbolId | None:
    """The innermost function or type around two lines."""
    scope = snapshot.scope(path)
    if scope is None:
        return None
    chains = []
    for line in (first, last):
        start, end = text.line_start(line - 1), text.line_end(line - 1)
        written = text.data[start:end]
        index = scope.nesting.enclosing(start + len(written) - len(written.lstrip()))
        chain = []
        while index >= 0:
            chain.append(index)
            index = scope.nesting.parents[index]
        chains.append(chain)
    for index in chains[0]:
        if index in chains[1] and scope.definitions[index].kind in CALLABLE_KINDS | TYPE_KINDS:
            return path, index
    return None


def _choice_of(built: Built | Refused) -> Choice:
    if isinstance(built, Refused):
        return Choice(frozenset(), 0)
    files = frozenset(block.meta.path for block in built.bundle.blocks if block.meta.path)
    return Choice(files, built.budget_report.estimated_input_tokens)


# Why a file is missing.


def _relation(snapshot: Snapshot, target: SymbolId, path: str) -> str:
    """How a file stands to the target, the closest first."""
    for name, relations in (
        (
            "the symbol uses it",
            [*snapshot.relations.callees(target), *snapshot.relations.types_used(target)],
        ),
        ("it uses the symbol", snapshot.relations.callers(target)),
    ):
        for relation in relations:
            if any(place.path == path for place in relation.targets):
                return f"{name}, {relation.confidence.value}"
    uses, users = _imported(snapshot, target[0]), _imported(snapshot, path)
    if path in uses:
        return "the file imports it"
    if target[0] in users:
        return "it imports the file"
    if posixpath.dirname(path) == posixpath.dirname(target[0]):
        return "same directory"
    if uses & users:
        return "both import one file"
    if any(path in _imported(snapshot, each) for each in sorted(uses)):
        return "imported by an import"
    if _stem(path) & _stem(target[0]):
        return "named alike"
    return "nothing"


def _imported(snapshot: Snapshot, path: str) -> frozenset[str]:
    return frozenset(
        place.path
        for relation in snapshot.relations.dependencies(path)
        for place in relation.targets
    )


def _stem(path: str) -> frozenset[str]:
    name = posixpath.basename(path).lower()
    words = "".join(each if each.isalnum() else " " for each in name).split()
    return frozenset(words[:-1]) - {"test", "tests", "spec", "index", "init"}


def _lost(built: Built | Refused, path: str) -> str:
    if isinstance(built, Refused):
        return f"refused: {built.refusal.kind.value}"
    for each in built.manifest.selection.excluded_candidates:
        if each.path == path:
            return f"excluded: {each.reason.value} ({each.rule or ''})"
    return "no candidate"


def _is_test(path: str) -> bool:
    return any("test" in part or "spec" in part for part in path.lower().split("/"))


# What is printed.


def print_table(title: str, outcomes: Mapping[int, Sequence[Outcome]]) -> bool:
    """Whether ours leads at every budget."""
    first = next(iter(outcomes.values()))
    wanted = sum(len(each.wanted) for each in first)
    print(f"\n{title}: {len(first)} commits, {wanted} files to find")
    if not first:
        return False
    rows = [row for row in _ROWS if row in first[0].found]
    print(f"{'':18}{''.join(f'{budget:>31}' for budget in outcomes)}")
    print(f"{'':18}{_CELL * len(outcomes)}")
    leads = True
    for row in rows:
        cells = []
        for each in outcomes.values():
            mean, micro = _recall(each, row)
            shown, tokens = _average(each, row)
            cells.append(f"{mean:11.3f}{micro:7.3f}{shown:6}{tokens:7}")
            best = _recall(each, OURS)
            leads = leads and (row == OURS or (best[0] > mean and best[1] > micro))
        print(f"{row:18}{''.join(cells)}")
    for budget, each in outcomes.items():
        refused = Counter(outcome.refusal for outcome in each if outcome.refusal)
        if refused:
            said = ", ".join(f"{count} {kind}" for kind, count in sorted(refused.items()))
            print(f"refused at {budget}: {said}")
    return leads


def _recall(outcomes: Sequence[Outcome], row: str) -> tuple[float, float]:
    """Over commits, and over all files at once."""
    mean = sum(len(each.found[row]) / len(each.wanted) for each in outcomes) / len(outcomes)
    found = sum(len(each.found[row]) for each in outcomes)
    return mean, found / sum(len(each.wanted) for each in outcomes)


def _average(outcomes: Sequence[Outcome], row: str) -> tuple[int, int]:
    """How many files a row shows, and for how many tokens."""
    shown = sum(each.shown[row] for each in outcomes)
    return shown // len(outcomes), sum(each.tokens[row] for each in outcomes) // len(outcomes)


def print_causes(outcomes: Mapping[int, Sequence[Outcome]]) -> None:
    for budget, each in outcomes.items():
        missed = [one for outcome in each for one in outcome.missed]
        print(f"\nmissing at {budget}: {len(missed)}")
        causes = Counter(
            (one.lost, one.relation, "test" if _is_test(one.path) else "") for one in missed
        )
        for (lost, relation, kind), count in sorted(causes.items(), key=lambda each: -each[1]):
            print(f"{count:5}  {lost:52}{relation:34}{kind}")


def write_json(path: Path, outcomes: Mapping[int, Sequence[Outcome]]) -> None:
    plain = {
        budget: [
            {
                "commit": each.commit,
                "target": each.target,
                "wanted": sorted(each.wanted),
                "found": {row: sorted(files) for row, files in each.found.items()},
                "shown": each.shown,
                "tokens": each.tokens,
                "refusal": each.refusal,
                "missed": [attrs.asdict(one) for one in each.missed],
            }
            for each in by_budget
        ]
        for budget, by_budget in outcomes.items()
    }
    path.write_text(json.dumps(plain, indent=1) + "\n", "utf-8")


def _title(repository: Path) -> str:
    names = [part for part in repository.parts if part not in ("repo", ".git")]
    return names[-1].removesuffix(".git")


def _default_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "sightline-benchmarks" / "peers"


if __name__ == "__main__":
    sys.exit(main())
