"""What context snapshots cost: time to create, storage, and time to list.

    python benchmarks/snapshots.py CHECKOUT TARGET [--count 10000]

The checkout is cloned first; nothing is written to it. Creating is measured in CPU time of this
process and its children (Linux) against building the same again, storage in bytes of new objects
and refs against the bundle's JSON, listing with small snapshots in a repository of its own.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from sightline.context import BuildRequest
from sightline.engine.build import build, result_json
from sightline.engine.host import Host, open_host
from sightline.engine.snapshot_builds import snapshot_build
from sightline.engine.snapshot_items import GivenItem
from sightline.engine.snapshots import create_snapshot, list_snapshots
from sightline.engine.typed_targets import typed_target
from sightline.provenance import ActorRef
from sightline.refusals import Refusal
from sightline.workspace.git_objects import GitObjects

_ROUNDS = 13
_T = TypeVar("_T")
_ME = ActorRef.human("benchmark")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("target")
    parser.add_argument("--count", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "clone"
        subprocess.run(["git", "clone", "-q", str(options.checkout), str(root)], check=True)
        _creating(root, options.target)
        _listing(Path(folder) / "listed", options.count)


def _creating(root: Path, target: str) -> None:
    """Print the time and the storage of a snapshot against its build and its JSON."""
    begin = time.perf_counter()
    host = _need(open_host(root, {"index.store": False}))
    with host:
        host.open_index()
        cold = time.perf_counter() - begin
        request = BuildRequest(targets=(_need(typed_target(host, target, root)),))
        first, result = _spent(lambda: build(host, request))
        json = len(result_json(result))
        print(f"index {cold:.2f} s; first build {first * 1000:.0f} ms of CPU; JSON {json:,} bytes")
        for retention in ("refs", "orphan", "pack", "mark"):
            print(_row(host, root, request, retention, json))


def _row(host: Host, root: Path, request: BuildRequest, retention: str, json: int) -> str:
    builds, creations, sizes = [], [], []
    for _ in range(_ROUNDS):
        took, result = _spent(lambda: build(host, request))
        builds.append(took)
        before = _size(root / ".git")
        took, made = _spent(
            partial(snapshot_build, host, result, created_by=_ME, retention=retention)
        )
        _need(made)
        creations.append(took)
        sizes.append(_size(root / ".git") - before)
    # The system counts in hundredths of a second: only sums of many are exact. The first creation
    # starts the process that writes.
    create, bundle = statistics.mean(creations[1:]), statistics.mean(builds[1:])
    return (
        f"{retention:<7} create {create * 1000:4.0f} ms of CPU (first {creations[0] * 1000:.0f}), "
        f"{create / bundle:.0%} of building again, {bundle * 1000:.0f} ms; "
        f"storage first {sizes[0]:,}, then {statistics.median(sizes[1:]):,.0f} bytes, "
        f"{statistics.median(sizes[1:]) / json:.0%} of the JSON"
    )


def _spent(work: Callable[[], _T]) -> tuple[float, _T]:
    """Return the CPU seconds that work took here and in the processes of this one."""
    children, own = _seconds_of_children(), time.process_time()
    result = work()
    spent = time.process_time() - own
    return spent + _seconds_of_children() - children, result


def _seconds_of_children() -> float:
    ticks = 0
    parents: dict[int, int] = {}
    spent: dict[int, int] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        process = int(place.parent.name)
        parents[process], spent[process] = int(fields[1]), int(fields[11]) + int(fields[12])
    for process, own in spent.items():
        ancestor = parents[process]
        while ancestor not in (0, os.getpid()):
            ancestor = parents.get(ancestor, 0)
        ticks += own if ancestor else 0
    return ticks / os.sysconf("SC_CLK_TCK")


def _listing(root: Path, count: int) -> None:
    """Print how long it takes to list many snapshots, with loose and with packed refs."""
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    objects = GitObjects(root)
    for number in range(count):
        item = GivenItem("snippet", f"note {number}", f"text {number}".encode())
        _need(create_snapshot(objects, [item], created_by=_ME, retention="mark"))
    command = [sys.executable, "-m", "sightline", "snapshot", "list", "--root", str(root)]
    for form in ("loose", "packed"):
        took = min(_timed(lambda: _need(list_snapshots(root)))[0] for _ in range(5))
        whole, _ = _timed(partial(subprocess.run, command, stdout=subprocess.DEVNULL, check=True))
        print(f"list {count:,}, {form} refs: {took:.2f} s; the whole command {whole:.2f} s")
        subprocess.run(["git", "-C", str(root), "gc", "-q"], check=True)


def _size(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())


def _timed(work: Callable[[], _T]) -> tuple[float, _T]:
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def _need(value: _T | Refusal) -> _T:
    if isinstance(value, Refusal):
        raise SystemExit(value.sentence())
    return value


if __name__ == "__main__":
    main()
