"""The clauses of document 004 and the tests of this folder are in step.

`clauses.toml` has every clause of the document with the tests that hold it. A clause without a
test, a test that is not there, or a test that belongs to no clause is a mistake in one of the two.
"""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import msgspec

_HERE = Path(__file__).parent


class _Clause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    section: str
    says: str
    tests: list[str]


def _clauses() -> list[_Clause]:
    table = tomllib.loads((_HERE / "clauses.toml").read_text("utf-8"))
    return msgspec.convert(table["clause"], list[_Clause])


def _tests() -> set[str]:
    """Every test of this folder, by file and function."""
    found = set()
    for file in sorted(_HERE.glob("test_*.py")):
        if file != Path(__file__):
            for node in ast.parse(file.read_bytes()).body:
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                    found.add(f"{file.name}::{node.name}")
    return found


def test_every_clause_has_a_test() -> None:
    assert [clause.id for clause in _clauses() if not clause.tests] == []


def test_every_test_in_the_table_exists() -> None:
    tests = _tests()
    missing = {test for clause in _clauses() for test in clause.tests} - tests
    assert sorted(missing) == []


def test_every_test_holds_a_clause() -> None:
    named = {test for clause in _clauses() for test in clause.tests}
    assert sorted(_tests() - named) == []


def test_clauses_have_a_name_each_and_a_line() -> None:
    clauses = _clauses()
    names = [clause.id for clause in clauses]
    assert len(names) == len(set(names))
    for clause in clauses:
        assert clause.section
        assert clause.says.endswith(".")
        assert "\n" not in clause.says
        assert len(clause.tests) == len(set(clause.tests))
