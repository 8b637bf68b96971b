"""Packs of whole trees, compared with repomix and aider's map: CPU time, peak memory, and the
limit.

    python benchmarks/pack.py FOLDER… [--cache DIR] [--seconds N]

FOLDER is a checkout of public code, preferably one of about 2,000 and one of about 20,000 files.
Each is packed as `full`, `summary` and `map` without a stored index, by repomix plain and with
`--compress`, and by aider's map if it can be installed. CPU is of the process and all its
descendants, because the machine may be busy. *Limit* is reading every file that may be shown once
and scanning the contents of a full pack for secrets, in one process. Ratios are to repomix plain.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import attrs

sys.path.insert(0, str(Path(__file__).parent))

from peers import contestants
from peers.measuring import Command, FailedError, Limits, Usage, measure

_TYPES = ("full", "summary", "map")
_BYTES = 500_000


@attrs.frozen
class Row:
    name: str
    usage: Usage | None
    problem: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/sightline-benchmarks")
    parser.add_argument("--seconds", type=float, default=600.0, help="limit for each command")
    options = parser.parse_args()
    limits = Limits(options.seconds, 8 << 30)
    for folder in options.folders:
        root = folder.resolve()
        rows = list(_rows(root, options.cache, limits))
        _print(root.name, rows, *_limit(root))


def _rows(root: Path, cache: Path, limits: Limits) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as scratch:
        for each in _TYPES:
            arguments = ("-P", "-m", "sightline.cli", "pack", "--type", each, "--no-store")
            output = ("--root", str(root), "--output", os.devnull)
            command = Command((sys.executable, *arguments, *output), Path(scratch))
            yield _measured(f"sightline {each}", command, limits)
        for name in ("repomix", "aider"):
            try:
                [contestant] = contestants.prepare(name, cache)
            except (contestants.UnavailableError, ValueError, KeyError) as problem:
                yield Row(name, None, str(problem))
                continue
            command = contestant.command(root, Path(scratch), ())
            if name == "repomix":
                plain = tuple(each for each in command.arguments if each != "--compress")
                yield _measured("repomix", attrs.evolve(command, arguments=plain), limits)
            yield _measured(contestant.name, command, limits)


def _measured(name: str, command: Command, limits: Limits) -> Row:
    try:
        return Row(name, measure(command, limits))
    except FailedError as problem:
        return Row(name, None, str(problem))


def _limit(root: Path) -> tuple[int, float]:
    """Return how many files there are, and the CPU time of reading all and scanning some."""
    from sightline.egress import guarded_scan
    from sightline.engine.host import Host, open_host

    host = open_host(root, keeps_index=False)
    assert isinstance(host, Host), host
    with host:
        begin = time.process_time()
        paths = host.workspace.survey().paths
        scanned = 0
        with host.workspace.reading() as read:
            for path in paths:
                data = getattr(read(path), "data", b"")
                if scanned < _BYTES:
                    guarded_scan(data)
                    scanned += len(data)
        return len(paths), time.process_time() - begin


def _print(name: str, rows: list[Row], files: int, limit: float) -> None:
    print(f"\n{name}: {files:,} files that may be shown; limit {limit:.2f} s of CPU")
    print(f"{'':24}{'CPU s':>9}{'ratio':>8}{'peak MB':>9}{'ratio':>8}{'to limit':>10}")
    base = next((row.usage for row in rows if row.name == "repomix"), None)
    for row in rows:
        if row.usage is None:
            print(f"{row.name:24}  left out: {row.problem[:90]}")
            continue
        used, megabytes = row.usage, row.usage.peak_bytes / 1e6
        ratios = (
            (f"{used.cpu / base.cpu:.2f}", f"{used.peak_bytes / base.peak_bytes:.2f}")
            if base is not None
            else ("", "")
        )
        print(
            f"{row.name:24}{used.cpu:9.2f}{ratios[0]:>8}{megabytes:9.0f}{ratios[1]:>8}"
            f"{used.cpu / limit:10.2f}"
        )


if __name__ == "__main__":
    main()
