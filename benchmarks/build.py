"""The time for a bundle, compared with reading, scanning and counting its contents once.

    python benchmarks/build.py FOLDER [--symbols N] [--budget TOKENS] [--json OUT]

A bundle is built for each symbol on a warm index, without results of earlier builds. Then the
documents in the bundle are read, scanned and counted once, in one process: that is the limit.
`considered` is the same for all documents that the build read. Compare the ratios; times are CPU
seconds of this machine, including the workers. `again` is the same build with the results of the
first one, as in an editor while a person types.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import attrs

from peers.measuring import cpu_seconds
from sightline.budget import Estimator, estimator
from sightline.context import BuildRequest, Built, TargetSpec
from sightline.egress import guarded_scan
from sightline.engine.build import attempt_build
from sightline.engine.cache import BuildCache
from sightline.index.store import open_store
from sightline.languages import load_registry
from sightline.project import Project
from sightline.refusals import Refusal
from sightline.settings import Settings, load
from sightline.workers import Workers
from sightline.workspace import Workspace

_KINDS = frozenset(["function", "method", "class", "struct", "interface", "trait", "enum"])


@attrs.frozen
class Row:
    first: float
    again: float
    limit: float
    """For the documents that the bundle shows."""
    considered: float
    """For the documents that the build read."""
    shown_files: int
    files: int
    kilobytes: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--symbols", type=int, default=200)
    parser.add_argument("--budget", type=int, default=32_000)
    parser.add_argument("--json", type=Path, help="write the summary to this file")
    options = parser.parse_args()
    loaded = load(None, None, {}, {"budget.max_input_tokens": options.budget})
    assert not isinstance(loaded, Refusal)
    settings = loaded.settings
    counting = estimator(settings.profile()[0].estimator)
    assert isinstance(counting, Estimator)
    workspace = Workspace(options.folder)
    registry = load_registry()
    with (
        Workers() as workers,
        Project(workspace, registry, workers, open_store(str(workspace.root))) as project,
    ):
        snapshot = project.open()
        project.save()
        chosen = _symbols(project, options.symbols)
        print(f"{len(snapshot.files)} files, {len(chosen)} symbols, {options.budget} tokens")
        rows = []
        refused = 0
        for number, wanted in enumerate(chosen):
            build_cache = BuildCache(project, registry, workers)
            row = _measured(build_cache, project, settings, counting, wanted)
            if row is None:
                refused += 1
            elif number:
                # The first one loads grammars and warms the interpreter.
                rows.append(row)
    if not rows:
        sys.exit("no bundle could be built")
    summary = _summary(rows)
    _print(summary, refused)
    if options.json:
        options.json.write_text(json.dumps(summary, indent=1) + "\n", "utf-8")


def _measured(
    build_cache: BuildCache,
    project: Project,
    settings: Settings,
    counting: Estimator,
    wanted: TargetSpec,
) -> Row | None:
    request = BuildRequest(targets=(wanted,))
    read = _recorded_reads(build_cache)
    started = cpu_seconds()
    outcome = _build(build_cache, request, settings)
    first = cpu_seconds() - started
    paths = list(dict.fromkeys(read))
    if not isinstance(outcome, Built):
        return None
    started = cpu_seconds()
    _build(build_cache, request, settings)
    again = cpu_seconds() - started
    shown = list(dict.fromkeys(block.meta.path for block in outcome.bundle.blocks))
    limit, _ = _read_once(project, counting, [path for path in shown if path is not None])
    considered, size = _read_once(project, counting, paths)
    return Row(first, again, limit, considered, len(shown), len(paths), size // 1024)


def _read_once(project: Project, counting: Estimator, paths: Iterable[str]) -> tuple[float, int]:
    """Read, scan and count documents once; return the seconds and the bytes."""
    started = cpu_seconds()
    size = 0
    for path in paths:
        document = project.read(path)
        if isinstance(document, Refusal):
            continue
        data = document.text.data
        guarded_scan(data)
        counting.tokens(data)
        size += len(data)
    return cpu_seconds() - started, size


def _recorded_reads(build_cache: BuildCache) -> list[str]:
    """Record the paths that a build cache reads from now on."""
    paths: list[str] = []
    read = build_cache.project.read

    class Recording:
        def __getattr__(self, name: str) -> object:
            return getattr(project, name)

        def read(self, path: str) -> object:
            paths.append(path)
            return read(path)

    project = build_cache.project
    build_cache.project = Recording()  # type: ignore[assignment]
    return paths


def _build(build_cache: BuildCache, request: BuildRequest, settings: Settings) -> object:
    return attempt_build(
        build_cache,
        request,
        settings,
        created_at="2000-01-01T00:00:00Z",
        correlation_id="00000000-0000-0000-0000-000000000000",
    ).outcome


def _symbols(project: Project, count: int) -> list[TargetSpec]:
    """Return random symbols, the same in every run: one of each file until there are enough."""
    snapshot = project.snapshot
    chooser = random.Random(4)
    paths = [path for path in snapshot.paths if snapshot.files[path].declarations]
    chooser.shuffle(paths)
    chosen: list[TargetSpec] = []
    for path in paths:
        scope = snapshot.scope(path)
        if scope is None:
            continue
        names = [
            (each.qualified_name, scope.view.line_number(each.name_start))
            for each in scope.definitions
            if each.kind in _KINDS
        ]
        if names:
            name, line = chooser.choice(names)
            chosen.append(TargetSpec(path=path, symbol=f"{name}:{line}"))
        if len(chosen) > count:
            break
    return chosen


def _summary(rows: Sequence[Row]) -> dict[str, tuple[float, float]]:
    """Return the median and the 95th percentile of each figure."""
    figures = {
        "build, ms": [1000 * row.first for row in rows],
        "again, ms": [1000 * row.again for row in rows],
        "limit, ms": [1000 * row.limit for row in rows],
        "files shown": [float(row.shown_files) for row in rows],
        "files considered": [float(row.files) for row in rows],
        "text considered, kB": [float(row.kilobytes) for row in rows],
        "build / limit": [row.first / row.limit for row in rows],
        "build / considered": [row.first / row.considered for row in rows],
        "again / limit": [row.again / row.limit for row in rows],
    }
    summary = {
        title: (statistics.median(values), _percentile(values, 95))
        for title, values in figures.items()
    }
    total = sum(row.first for row in rows) / sum(row.limit for row in rows)
    return {**summary, "all builds / all limits": (total, total)}


def _print(summary: dict[str, tuple[float, float]], refused: int) -> None:
    print(f"{refused} refused")
    print(f"{'':24}{'p50':>10}{'p95':>10}")
    for title, (middle, high) in summary.items():
        print(f"{title:24}{middle:>10.2f}{high:>10.2f}")


def _percentile(values: Sequence[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


if __name__ == "__main__":
    main()
