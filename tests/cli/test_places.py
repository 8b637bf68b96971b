"""Which symbols a place means: a cursor, a range of lines, the location of an error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Ask

_METHODS = (
    "class Shape:\n"
    "    def one(self) -> int:\n"
    "        return 1\n"
    "\n"
    "    def two(self) -> int:\n"
    "        return 2\n"
    "\n"
    "    def three(self) -> int:\n"
    "        return 3\n"
)


@pytest.mark.parametrize(
    ("place", "symbols"),
    [
        ("5:1", ["Shape.two"]),
        ("5:3", ["Shape.two"]),
        ("5", ["Shape.two"]),
        ("1:1", ["Shape"]),
        ("2-6", ["Shape.one", "Shape.two"]),
        ("3-5", ["Shape.one", "Shape.two"]),
        ("5-6", ["Shape.two"]),
        ("1-9", ["Shape"]),
        ("1-6", ["Shape"]),
    ],
)
def test_a_place_means_the_symbols_that_a_person_sees_there(
    ask: Ask, workspace: Path, place: str, symbols: list[str]
) -> None:
    """The indentation of a line belongs to what begins behind it; a range, to what it touches."""
    (workspace / "methods.py").write_text(_METHODS)
    answer = ask("build", f"methods.py:{place}", "--format", "json")
    selection = json.loads(answer.out)["manifest"]["selection"]
    assert selection["target_symbols"] == [f"methods.py::{each}" for each in symbols]


def test_an_error_outside_the_workspace_loses_its_location_and_stops_nothing(ask: Ask) -> None:
    answer = ask(
        *("build", "use.py", "--error", "it broke", "--error-at", "/usr/lib/else.py:3"),
        *("--format", "json"),
    )
    result = json.loads(answer.out)
    assert answer.code == 0
    assert "it broke" in result["rendered"]
    assert "else.py" not in result["rendered"]
    assert any("outside the workspace" in each for each in result["budget_report"]["notes"])
