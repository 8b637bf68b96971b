"""A process of its own that builds the same bundles in many ways and prints a digest of each.

The environment is the parent's choice: hash seed, locale, time zone, working directory. What can
be chosen inside a process is varied here: which of several equal workspaces, in which order the
system lists a directory, and how the index came to know what it knows.

Arguments: the number of workers, a folder for what is kept, then the roots of equal workspaces.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sightline.context import BuildRequest, Constraint, Intent, LastError, TargetSpec
from sightline.egress import guarded_scan
from sightline.engine.cache import BuildCache
from sightline.text import Text
from sightline.workers import Workers
from tests.index.editing import edit
from tests.properties.bundles import SHOP_TARGETS, build, build_cache_on, everything, settings

_scan = functools.cache(guarded_scan)
"""Each text once in a process: the scan takes longer than the rest of a small build."""

_EDITED = "shop/money.py"
_BUDGETS = {"method": 560, "file": 2_000, "function": 420, "receiver": 330}
"""For each target one that takes its bundle through other steps."""


def main(jobs: int, kept: Path, roots: list[Path]) -> None:
    digests: dict[str, dict[str, str]] = {}
    _shuffle_listings(random.Random(kept.name))
    with Workers(jobs, time_limit=60) as workers:
        for number, root in enumerate(roots):
            for way, build_cache in _ways(root, workers, kept / str(number)):
                digests[f"{jobs} workers, root {number}, {way}"] = _digests(build_cache)
    json.dump(digests, sys.stdout)


def _ways(root: Path, workers: Workers, cache: Path) -> Iterator[tuple[str, BuildCache]]:
    """The same workspace, known in different ways."""
    with build_cache_on(root, workers, scan=_scan) as build_cache:
        yield "without a store", build_cache
    cache.mkdir(0o700)
    with build_cache_on(root, workers, cache=cache, scan=_scan) as build_cache:
        yield "cold", build_cache
        build_cache.project.save()
    with build_cache_on(root, workers, cache=cache, scan=_scan) as build_cache:
        yield "warm", build_cache
        _edit_and_edit_back(build_cache, root)
        yield "edited", build_cache


def _edit_and_edit_back(build_cache: BuildCache, root: Path) -> None:
    """Through an editor and on the disk: what was there in between must leave no trace."""
    project, file, request = build_cache.project, root / _EDITED, _request(SHOP_TARGETS["method"])
    before = file.read_bytes()
    other = before.replace(b"rounded", b"angular") + b"\n\nclass Late(Money):\n    pass\n"
    project.show(_EDITED, Text(other), 1)
    between = [everything(build(build_cache, request, settings()))]
    edit(project, _EDITED, 0, 4, b"import os\nfrom", 2)
    project.hide(_EDITED)
    added = file.with_name("added.py")
    file.write_bytes(other)
    added.write_bytes(b"from shop.order import Order\n\nORDER = Order\n")
    project.refresh()
    between.append(everything(build(build_cache, request, settings())))
    file.write_bytes(before)
    added.unlink()
    project.refresh()
    after = everything(build(build_cache, request, settings()))
    if len({*between, after}) != 3:
        raise SystemExit("an edit that should have been seen was not")


def _digests(build_cache: BuildCache) -> dict[str, str]:
    """By target and form, a digest of everything that a build answers with."""
    found = {}
    for name, wanted in SHOP_TARGETS.items():
        for form in ("markdown", "xml"):
            chosen = settings(
                render__format=form,
                budget__max_input_tokens=_BUDGETS[name],
                budget__response_token_reserve=0,
                budget__estimator="chars4",
            )
            answer = everything(build(build_cache, _request(wanted), chosen))
            found[f"{name} as {form}"] = hashlib.sha256(answer).hexdigest()
    return found


def _request(wanted: TargetSpec) -> BuildRequest:
    return BuildRequest(
        targets=(wanted,),
        intent=Intent("make it faster", "i-1"),
        constraints=(Constraint("no new packages"), Constraint("keep the names")),
        last_error=LastError("it broke", "shop/desk.py", 6),
    )


def _shuffle_listings(chance: random.Random) -> None:
    """No system promises an order of its directories: here it is another one each time."""
    real = os.scandir

    @contextlib.contextmanager
    def shuffled(*arguments: Any) -> Iterator[Iterator[os.DirEntry[Any]]]:
        with real(*arguments) as found:
            entries = list(found)
        chance.shuffle(entries)
        yield iter(entries)

    os.scandir = shuffled  # type: ignore[assignment]


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), [Path(each) for each in sys.argv[3:]])
