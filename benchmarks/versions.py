"""This version against an older one: CPU and memory, as ratios, in one run.

    python benchmarks/versions.py BEFORE FOLDER [--runs N] [--symbols N] [--only cold,build]

BEFORE is a checkout of the older version; its `server` folder is all that is used of it, with the
packages of this interpreter and with this checkout's benchmarks. FOLDER is copied as `index.py`
copies it, and both read the copy. Rounds take turns, so that a busy moment hits both; a figure is
the median of its rounds. CPU is that of a process and of all it started.

* `cold`: `sightline index` with an empty cache, the whole process; and its peak memory.
* `relations`: from an empty cache to the first snapshot whose relations are complete.
* `memory`: resident memory that the index takes in the process that has it.
* `warm`: a warm start, nothing has changed since the index was stored; also over a stat walk.
* `keystroke`: milliseconds from a key to the snapshot that has it, in a file of 10,000 lines.
* `build`: `build.py`; a warm build against reading, scanning and counting what it shows.

Exit 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from index import lay_out, print_heading
from peers.measuring import Command, Limits, measure

_HERE = Path(__file__).parent
_INSIDE = _HERE / "peers" / "inside.py"
_OURS = _HERE.parent / "server"
_LIMITS = Limits(1800.0, 8 << 30)

Figures = dict[str, float]


@attrs.frozen
class Figure:
    name: str
    unit: str
    most_ratio: float | None = None
    """The largest ratio of after to before."""
    most: float | None = None
    """The largest value of after."""


_GROUPS = ("cold", "relations", "memory", "warm", "keystroke", "build")
_FIGURES = (
    Figure("cold index CPU", "s", most_ratio=1.4),
    Figure("cold index peak", "MB"),
    Figure("relations CPU", "s", most_ratio=1.05),
    Figure("memory", "MB", most_ratio=1.25),
    Figure("warm start CPU", "ms"),
    Figure("warm start / stat walk", "", most=1.5),
    Figure("keystroke, statement", "ms"),
    Figure("keystroke, letter", "ms"),
    Figure("build p50", "ms"),
    Figure("build p95", "ms", most=1000.0),
    Figure("build / limit p50", "", most=3.0),
    Figure("build / limit p95", ""),
    Figure("all builds / all limits", "", most=3.0),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--symbols", type=int, default=200)
    parser.add_argument("--budget", type=int, default=32_000)
    parser.add_argument("--only", default=",".join(_GROUPS), help="groups of figures")
    parser.add_argument("--json", type=Path, help="write every round to this file")
    options = parser.parse_args()
    groups = options.only.split(",")
    if unknown := set(groups) - set(_GROUPS):
        sys.exit(f"no such figures: {', '.join(sorted(unknown))}")
    servers = {"before": options.before.resolve() / "server", "after": _OURS}
    for each in servers.values():
        if not (each / "sightline").is_dir():
            sys.exit(f"{each} holds no sightline")
    rounds: dict[str, list[Figures]] = {version: [] for version in servers}
    with tempfile.TemporaryDirectory(prefix="sightline-versions-") as place:
        tree = lay_out(options.folder, Path(place) / "tree")
        print_heading(tree)
        versions = {
            name: Version(server, tree.path, Path(place) / name) for name, server in servers.items()
        }
        for version in versions.values():
            version.prepare()
        for number in range(options.runs):
            for name, version in versions.items():
                figures = version.indexed(groups)
                if number == 0 and "build" in groups:
                    figures |= version.built(options.symbols, options.budget)
                rounds[name].append(figures)
                print(f"   round {number + 1}, {name}", file=sys.stderr, flush=True)
    if options.json:
        options.json.write_text(json.dumps(rounds, indent=1) + "\n", "utf-8")
    return 1 if _print(rounds) else 0


class Version:
    """One version of Sightline, with caches of its own."""

    def __init__(self, server: Path, tree: Path, place: Path) -> None:
        self._server = server
        self._tree = tree
        self._place = place

    def prepare(self) -> None:
        self._place.mkdir()
        self._inside("fill", self._tree, self._place / "kept")

    def indexed(self, groups: Sequence[str]) -> Figures:
        figures: Figures = {}
        if "cold" in groups:
            figures |= self._cold()
        if "relations" in groups:
            with tempfile.TemporaryDirectory(dir=self._place) as cache:
                relations = self._inside("relations", self._tree, Path(cache))
            figures["relations CPU"] = relations["cpu"]
        if "memory" in groups:
            figures["memory"] = self._inside("resident-memory", self._tree)["bytes"] / 1e6
        if "warm" in groups:
            walk = self._inside("stat-walk", self._tree)
            warm = self._inside("warm-start", self._tree, self._place / "kept")
            figures["warm start CPU"] = 1000 * warm["cpu"]
            figures["warm start / stat walk"] = warm["cpu"] / walk["cpu"]
        if "keystroke" in groups:
            keys = self._inside("keystroke")
            figures["keystroke, statement"] = 1000 * keys["statement_edit"]
            figures["keystroke, letter"] = 1000 * keys["letter_edit"]
        return figures

    def _cold(self) -> Figures:
        arguments = ("-m", "sightline", "index", "--root", str(self._tree), "--format", "json")
        with tempfile.TemporaryDirectory(dir=self._place) as cache:
            usage = measure(self._command(*arguments, cache=Path(cache)), _LIMITS)
        return {"cold index CPU": usage.cpu, "cold index peak": usage.peak_bytes / 1e6}

    def built(self, symbols: int, budget: int) -> Figures:
        record = self._place / "build.json"
        measure(
            self._command(
                *(str(_HERE / "build.py"), str(self._tree), "--json", str(record)),
                *("--symbols", str(symbols), "--budget", str(budget)),
                cache=self._place / "builds",
            ),
            _LIMITS,
        )
        summary: Mapping[str, tuple[float, float]] = json.loads(record.read_text("utf-8"))
        return {
            "build p50": summary["build, ms"][0],
            "build p95": summary["build, ms"][1],
            "build / limit p50": summary["build / limit"][0],
            "build / limit p95": summary["build / limit"][1],
            "all builds / all limits": summary["all builds / all limits"][0],
        }

    def _inside(self, measured: str, *paths: Path) -> Figures:
        usage = measure(self._command(str(_INSIDE), measured, *map(str, paths)), _LIMITS)
        output = usage.output
        figures: Figures = json.loads(output[output.index("{") : output.rindex("}") + 1])
        return figures

    def _command(self, *arguments: str, cache: Path | None = None) -> Command:
        variables = {"PYTHONPATH": f"{self._server}:{_HERE}"}
        if cache is not None:
            variables["SIGHTLINE_CACHE_DIR"] = str(cache)
        return Command((sys.executable, *arguments), self._place, variables)


def _print(rounds: Mapping[str, list[Figures]]) -> int:
    """Print every figure before and after; return how many targets were missed."""
    missed = 0
    print(f"{'':26}{'before':>10}{'after':>10}{'ratio':>8}")
    for figure in _FIGURES:
        if figure.name not in rounds["after"][0]:
            continue
        before, after = (
            statistics.median(each[figure.name] for each in rounds[name] if figure.name in each)
            for name in ("before", "after")
        )
        verdict = ""
        if figure.most_ratio is not None:
            met = after <= figure.most_ratio * before
            verdict = f"  ratio ≤ {figure.most_ratio:g} {'met' if met else 'MISSED'}"
        if figure.most is not None:
            met = after <= figure.most
            verdict = f"  ≤ {figure.most:g} {'met' if met else 'MISSED'}"
        missed += verdict.endswith("MISSED")
        title = f"{figure.name}, {figure.unit}" if figure.unit else figure.name
        print(f"{title:26}{before:10.2f}{after:10.2f}{after / before:8.2f}{verdict}")
    return missed


if __name__ == "__main__":
    sys.exit(main())
