"""Fixtures that every test may use."""

from __future__ import annotations

import pytest

from sightline.languages import Registry, load_registry


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write golden files anew; read the difference before you commit it",
    )
    parser.addoption("--sweep", type=int, default=10, help="how many budgets each target is given")
    parser.addoption("--mutations", type=int, default=60, help="how often a snapshot is changed")
    parser.addoption("--kills", type=int, default=20, help="how often a writer is killed")
    parser.addoption("--trees", type=int, default=500, help="how many fuzzed trees are tried")


@pytest.fixture(scope="session")
def registry() -> Registry:
    return load_registry()
