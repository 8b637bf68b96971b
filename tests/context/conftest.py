"""Workspaces of the contract's tests: written to a folder of their own, one set of workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from sightline.languages import Registry
from sightline.workers import Workers
from tests.context.bench import Bench

MakeBench = Callable[[Mapping[str, str | bytes]], Bench]


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    with Workers(1, time_limit=60) as workers:
        yield workers


@pytest.fixture
def bench(tmp_path: Path, registry: Registry, workers: Workers) -> MakeBench:
    """Makes a workspace of the files that it is given."""
    root = tmp_path / "workspace"
    root.mkdir()

    def make(files: Mapping[str, str | bytes]) -> Bench:
        made = Bench(root, registry, workers)
        made.write(files)
        return made

    return make
