"""The index compared with its limit and its peers: CPU and elapsed time, as ratios, in one run.

    python benchmarks/index.py FOLDER… [--runs N] [--peers aider,repomix,ast-grep,ctags]

The visible files of a known language in each folder are copied to a temporary tree, which every
contestant reads. Rounds go through all rows in turn, so that a busy moment affects all of them; a
row is the median of its rounds. CPU is user and system time of a process and of all its
descendants. Rows marked `*` are measured inside a running process; the others are whole processes,
including their start. Peers are installed into `--cache` once; one that cannot be installed is
named and left out.

Exit 1 if a target is missed or a row of ours is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import attrs

from peers import contestants
from peers.contestants import (
    AIDER,
    AST_GREP_JSON,
    AST_GREP_SHORT,
    REPOMIX,
    Contestant,
    UnavailableError,
)
from peers.measuring import Command, FailedError, Limits, StoppedError, Usage, measure
from sightline.languages import load_registry
from sightline.refusals import Refusal
from sightline.workspace import RootError, Workspace

_INSIDE = Path(__file__).parent / "peers" / "inside.py"
_SIGHTLINE = Path(sys.executable).with_name("sightline")

LIMIT = "parse-only *"
FLOOR = "parsed, walked *"
COLD = "sightline, cold"
AGAIN = "sightline, again"
STAT_WALK = "stat walk *"
WARM = "warm start *"
MEMORY = "resident memory *"
KEYSTROKE = "keystroke *"
FILLING = "a store for warm starts"
_OURS = (LIMIT, FLOOR, COLD, AGAIN, STAT_WALK, WARM, MEMORY, KEYSTROKE)


@attrs.frozen
class Measurement:
    cpu: float
    wall: float
    peak_bytes: int
    found: str
    figures: dict[str, float] = attrs.field(factory=dict)
    """What a process measured of itself."""


@attrs.frozen
class Row:
    """One line of the table: every round's measurement, or why there is none."""

    name: str
    rounds: tuple[Measurement, ...]
    problem: str = ""

    @property
    def cpu(self) -> float:
        return statistics.median(each.cpu for each in self.rounds)

    @property
    def wall(self) -> float:
        return statistics.median(each.wall for each in self.rounds)

    def figure(self, name: str) -> float:
        return statistics.median(each.figures[name] for each in self.rounds)


@attrs.frozen
class Target:
    """The limit for a ratio."""

    row: str
    says: str
    ratio: Callable[[dict[str, Row]], float]
    limit: float
    at_least: bool = False

    def met(self, value: float) -> bool:
        return value >= self.limit if self.at_least else value <= self.limit


@attrs.frozen
class Tree:
    name: str
    path: Path
    languages: dict[str, int]
    size: int
    withheld: int
    """Visible paths that could not be read as text."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--runs", type=int, default=3, help="rounds of our own rows")
    parser.add_argument("--peer-runs", type=int, help="rounds of the peers, as many if not said")
    parser.add_argument("--peers", default=",".join(contestants.NAMES), help="'' for none")
    parser.add_argument("--time-limit", type=float, default=1800.0, help="seconds for one process")
    parser.add_argument("--memory-limit", type=float, default=_half_of_memory(), help="in GB")
    parser.add_argument("--cache", type=Path, default=_default_cache(), help="installed peers")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    arguments = parser.parse_args()
    peers = install([name for name in arguments.peers.split(",") if name], arguments.cache)
    missed = 0
    report = []
    for folder in arguments.folders:
        with tempfile.TemporaryDirectory(prefix="sightline-index-") as place:
            tree = lay_out(folder, Path(place) / "tree")
            print_heading(tree)
            rows = compete(
                tree,
                Path(place),
                peers,
                arguments.runs,
                arguments.peer_runs or arguments.runs,
                Limits(arguments.time_limit, int(arguments.memory_limit * 1e9)),
            )
        verdicts = judge(rows)
        missed += print_table(rows, verdicts)
        report.append(as_json(tree, rows, verdicts))
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")
    return 1 if missed else 0


def install(names: list[str], cache: Path) -> list[Contestant]:
    unknown = sorted(set(names) - set(contestants.NAMES))
    if unknown:
        sys.exit(f"no such peer: {', '.join(unknown)}; there are {', '.join(contestants.NAMES)}")
    found: list[Contestant] = []
    for name in names:
        try:
            found += contestants.prepare(name, cache)
        except UnavailableError as problem:
            print(f"!! LEFT OUT: {problem}", flush=True)
    return found


def lay_out(folder: Path, place: Path) -> Tree:
    """Copy the files that the index would see and can parse; every contestant reads the copy."""
    registry = load_registry()
    try:
        workspace = Workspace(folder)
    except RootError as error:
        sys.exit(str(error))
    languages: Counter[str] = Counter()
    size = withheld = 0
    place.mkdir()
    for path in workspace.files():
        document = workspace.read(path)
        if isinstance(document, Refusal):
            withheld += 1
            continue
        language = registry.for_path(path, document.text.data)
        if language is None:
            continue
        copy = place / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(workspace.root / path, copy)
        languages[language.name] += 1
        size += document.byte_size
    if not languages:
        sys.exit(f"no file of a known language is visible in {folder}")
    return Tree(workspace.root.name, place, dict(languages.most_common()), size, withheld)


def compete(
    tree: Tree,
    place: Path,
    peers: list[Contestant],
    runs: int,
    peer_runs: int,
    limits: Limits,
) -> dict[str, Row]:
    """Run all rows, round by round. A row that fails is not tried again."""
    cache, kept = place / "cache", place / "kept"
    done: dict[str, list[Measurement]] = {}
    problems: dict[str, str] = {}

    def attempt(name: str, run: Callable[[], Measurement]) -> None:
        if name in problems:
            return
        try:
            measurement = run()
        except FailedError as problem:
            problems[name] = str(problem)
            print(f"!! {name}: {problem}", flush=True)
            if isinstance(problem, StoppedError) and name not in _OURS:
                # It would have needed more than it had used by then, so a ratio in our favour is
                # valid.
                used = Measurement(problem.cpu, problem.wall, problem.peak_bytes, "KILLED, > this")
                done.setdefault(name, []).append(used)
        else:
            done.setdefault(name, []).append(measurement)
            print(f"   {name}: {measurement.cpu:.2f} s CPU", file=sys.stderr, flush=True)

    def inside(measured: str, *paths: Path) -> Measurement:
        command = (sys.executable, str(_INSIDE), measured, *map(str, paths))
        return _said_itself(measure(Command(command, place), limits))

    def ours() -> Measurement:
        command = (str(_SIGHTLINE), "index", "--root", str(tree.path), "--format", "json")
        variables = {"SIGHTLINE_CACHE_DIR": str(cache)}
        usage = measure(Command(command, place, variables), limits)
        return _whole_process(usage, _our_counts(usage))

    def peer(contestant: Contestant) -> Measurement:
        scratch = _emptied(place / "scratch")
        command = contestant.command(tree.path, scratch, tree.languages)
        usage = measure(command, limits)
        return _whole_process(usage, contestant.found(usage))

    attempt(FILLING, lambda: inside("fill", tree.path, kept))
    for round_number in range(max(runs, peer_runs)):
        if round_number < runs:
            attempt(LIMIT, lambda: inside("parse-only", tree.path))
            attempt(FLOOR, lambda: inside("parsed-and-walked", tree.path))
            _emptied(cache)
            attempt(COLD, ours)
            attempt(AGAIN, ours)
            attempt(STAT_WALK, lambda: inside("stat-walk", tree.path))
            attempt(WARM, lambda: inside("warm-start", tree.path, kept))
            attempt(MEMORY, lambda: inside("resident-memory", tree.path))
            attempt(KEYSTROKE, lambda: inside("keystroke"))
        if round_number < peer_runs:
            for contestant in peers:
                attempt(contestant.name, partial(peer, contestant))
    names = [*_OURS, *(contestant.name for contestant in peers)]
    return {name: Row(name, tuple(done.get(name, [])), problems.get(name, "")) for name in names}


def _said_itself(usage: Usage) -> Measurement:
    figures: dict[str, float] = json.loads(_object_in(usage.output))
    found = f"{figures['files']:.0f} files" if "files" in figures else ""
    if "letter_edit" in figures:
        found = "; ".join(
            f"a {typed}: edit {figures[f'{typed}_edit'] * 1000:.1f} ms, "
            f"incremental parse {figures[f'{typed}_incremental_parse'] * 1000:.1f} ms"
            for typed in ("statement", "letter")
        )
    if "megabytes_per_1000" in figures:
        found += f", {figures['bytes'] / 1e6:.1f} MB"
    return Measurement(
        cpu=figures.get("cpu", 0.0),
        wall=figures.get("wall", 0.0),
        peak_bytes=usage.peak_bytes,
        found=found,
        figures=figures,
    )


def _whole_process(usage: Usage, found: str) -> Measurement:
    return Measurement(usage.cpu, usage.wall, usage.peak_bytes, found)


def _our_counts(usage: Usage) -> str:
    counts = json.loads(_object_in(usage.output))
    names = ("files", "declarations", "references")
    return ", ".join(f"{counts[name]} {name}" for name in names if name in counts)


def _object_in(output: str) -> str:
    return output[output.index("{") : output.rindex("}") + 1]


def _emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def judge(rows: dict[str, Row]) -> dict[str, list[tuple[Target, float]]]:
    """Return the value of every target whose rows are complete."""
    verdicts: dict[str, list[tuple[Target, float]]] = {}
    for target in _TARGETS:
        try:
            value = target.ratio(rows)
        except (KeyError, statistics.StatisticsError, ZeroDivisionError):
            continue
        verdicts.setdefault(target.row, []).append((target, value))
    return verdicts


def _over(row: str, figure: str, other: str) -> Callable[[dict[str, Row]], float]:
    return lambda rows: float(getattr(rows[row], figure) / getattr(rows[other], figure))


_TARGETS = [
    Target(COLD, "CPU / parse-only", _over(COLD, "cpu", LIMIT), 1.6),
    Target(COLD, "wall / parse-only", _over(COLD, "wall", LIMIT), 1.0),
    Target(WARM, "CPU / stat walk", _over(WARM, "cpu", STAT_WALK), 1.5),
    Target(WARM, "wall / stat walk", _over(WARM, "wall", STAT_WALK), 1.5),
    Target(
        MEMORY, "MB / 1,000 files", lambda rows: rows[MEMORY].figure("megabytes_per_1000"), 15.0
    ),
    Target(
        KEYSTROKE,
        "statement / parse",
        lambda rows: (
            rows[KEYSTROKE].figure("statement_edit")
            / rows[KEYSTROKE].figure("statement_incremental_parse")
        ),
        2.0,
    ),
    Target(
        KEYSTROKE,
        "letter in a name / parse",
        lambda rows: (
            rows[KEYSTROKE].figure("letter_edit")
            / rows[KEYSTROKE].figure("letter_incremental_parse")
        ),
        2.0,
    ),
    Target(
        KEYSTROKE, "files parsed by one edit", lambda rows: rows[KEYSTROKE].figure("parsed"), 1.0
    ),
    Target(AIDER, "CPU / ours", _over(AIDER, "cpu", COLD), 3.0, at_least=True),
    Target(REPOMIX, "CPU / ours", _over(REPOMIX, "cpu", COLD), 2.5, at_least=True),
    Target(AST_GREP_JSON, "our CPU / its", _over(COLD, "cpu", AST_GREP_JSON), 1.3),
    Target(AST_GREP_SHORT, "our CPU / its", _over(COLD, "cpu", AST_GREP_SHORT), 1.3),
]


def print_heading(tree: Tree) -> None:
    files = sum(tree.languages.values())
    languages = ", ".join(f"{count} {name}" for name, count in tree.languages.items())
    print(f"\n{tree.name}: {files} files, {tree.size / 1e6:.1f} MB: {languages}")
    busy = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load {busy:.1f}: wall counts where the cores are free")


def print_table(rows: dict[str, Row], verdicts: dict[str, list[tuple[Target, float]]]) -> int:
    """Print the table; return how many targets were missed, including those without our rows."""
    missed = 0
    print(
        f"{'':20}{'CPU s':>9}{'wall s':>9}{'peak MB':>9}{'CPU/parse':>11}{'wall/parse':>11}"
        f"{'CPU/ours':>10}  found"
    )
    for row in rows.values():
        if not row.rounds:
            print(f"{row.name:20}  {row.problem or 'not measured'}")
            continue
        if not row.cpu:
            print(f"{row.name:79}  {row.rounds[-1].found}")
            continue
        peak = max(each.peak_bytes for each in row.rounds) / 1e6
        ratios = [
            _ratio(row.cpu, rows[LIMIT], "cpu"),
            _ratio(row.wall, rows[LIMIT], "wall"),
            _ratio(row.cpu, rows[COLD], "cpu"),
        ]
        print(
            f"{row.name:20}{row.cpu:9.3f}{row.wall:9.3f}{peak:9.0f}"
            f"{ratios[0]:>11}{ratios[1]:>11}{ratios[2]:>10}  {row.rounds[-1].found}"
        )
    for name in _OURS:
        if not rows[name].rounds:
            missed += 1
            print(f"{name:20}missing")
    for each in (pair for pairs in verdicts.values() for pair in pairs):
        target, value = each
        met = target.met(value)
        missed += not met
        sign = "≥" if target.at_least else "≤"
        print(
            f"{target.row:20}{target.says:26}{value:8.2f}  {sign} {target.limit:<5g}"
            f"{'met' if met else 'MISSED'}"
        )
    return missed


def _ratio(value: float, row: Row, figure: str) -> str:
    return f"{value / getattr(row, figure):.2f}" if row.rounds else "-"


def as_json(
    tree: Tree, rows: dict[str, Row], verdicts: dict[str, list[tuple[Target, float]]]
) -> dict[str, object]:
    return {
        "tree": {
            "name": tree.name,
            "languages": tree.languages,
            "bytes": tree.size,
            "withheld": tree.withheld,
        },
        "rows": [attrs.asdict(row) for row in rows.values()],
        "targets": [
            {
                "row": target.row,
                "says": target.says,
                "value": value,
                "limit": target.limit,
                "at_least": target.at_least,
                "met": target.met(value),
            }
            for pairs in verdicts.values()
            for target, value in pairs
        ],
    }


def _half_of_memory() -> float:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2e9


def _default_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "sightline-benchmarks" / "peers"


if __name__ == "__main__":
    sys.exit(main())
