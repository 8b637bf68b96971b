"""Contracts of tasks as people write them, and tasks as the objects that people have."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import MagicMock

import attrs
import pytest

from sightline.recipes import ContextPacker, ContextPackError
from tests.recipes.conftest import write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, "src/app.ts", "export const app = 1\n")
    write(tmp_path, "src/api/open.ts", "export const open = 2\n")
    write(tmp_path, "src/api/closed.ts", "export const closed = 3\n")
    write(tmp_path, "src/#notes/a.ts", "export const note = 4\n")
    return tmp_path


def _task(allowed: list[str], forbidden: list[str] | None = None) -> dict[str, Any]:
    contract = {"allowedGlobs": allowed, "forbiddenGlobs": forbidden or []}
    return {"id": "T1", "title": "Title", "goal": "Goal.", "contract": contract}


def _paths(root: Path, task: object) -> list[str]:
    return [each["path"] for each in ContextPacker(root).build(task)["files"]]


@pytest.mark.parametrize(
    "glob",
    [
        *("src/api/closed.ts", "./src/api/closed.ts", "/src/api/closed.ts", "**/closed.ts"),
        *("src\\api\\closed.ts", "SRC/Api/Closed.ts", " src/api/closed.ts ", "closed.*"),
        *(
            "src/api/{closed,shut}.ts",
            "src/{lib,api}/{closed,shut}.ts",
            "src/{a{pi,b},c}/closed.ts",
        ),
        *("src/api/close[cd].ts", "{ROOT}/src/api/closed.ts", "src/*/closed.ts"),
    ],
)
def test_a_forbidden_file_is_forbidden_in_every_spelling(root: Path, glob: str) -> None:
    written = glob.replace("{ROOT}", str(root))
    task = _task(["src/**"], [written])
    pack = ContextPacker(root).build(task)
    assert "closed = 3" not in json.dumps(pack)
    assert "src/api/open.ts" in [each["path"] for each in pack["files"]]


@pytest.mark.parametrize(
    ("glob", "paths"),
    [
        ("src/*", ["src/app.ts"]),
        ("src/api", ["src/api/closed.ts", "src/api/open.ts"]),
        ("src/api/", ["src/api/closed.ts", "src/api/open.ts"]),
        ("./src/app.ts", ["src/app.ts"]),
        ("src\\app.ts", ["src/app.ts"]),
        ("src/{app,api/open}.ts", ["src/app.ts", "src/api/open.ts"]),
        ("src/api/{open,shut}*", ["src/api/open.ts"]),
        ("src/{1..2}.ts", []),
    ],
)
def test_a_contract_allows_what_its_globs_match(root: Path, glob: str, paths: list[str]) -> None:
    assert sorted(_paths(root, _task([glob]))) == sorted(paths)


def test_a_later_exception_takes_files_out_of_what_is_allowed(root: Path) -> None:
    assert _paths(root, _task(["src/**", "!src/api/**", "!src/#notes"])) == ["src/app.ts"]


def test_a_number_sign_begins_no_comment(root: Path) -> None:
    assert "src/#notes/a.ts" not in _paths(root, _task(["src/**"], ["#notes"]))


@pytest.mark.parametrize("glob", ["src/@(a|b).ts", "!(src)/**", "{1..999}", "{a,b}" * 9])
def test_a_glob_that_is_not_understood_is_an_error(root: Path, glob: str) -> None:
    """A contract that is not understood must not let a file through."""
    with pytest.raises(ContextPackError, match="glob number 2 cannot be used"):
        ContextPacker(root).build(_task(["src/**"], ["ok", glob]))


class _Contract(NamedTuple):
    allowedGlobs: list[str]  # noqa: N815 - the name that the document gives it


@attrs.define
class _Task:
    contract: object
    context: object = None
    id: str = "T1"
    title: str = "Title"
    goal: str = "Goal."


class _Lazy:
    id, title, goal = "T1", "Title", "Goal."

    @property
    def contract(self) -> object:
        return {"allowedGlobs": ("src/*",)}


_FORMS: dict[str, Callable[[], object]] = {
    "a class": lambda: _Task(_Contract(["src/*"])),
    "properties": _Lazy,
    "a mock": lambda: MagicMock(
        id="T1", title="Title", goal="Goal.", contract=SimpleNamespace(allowed_globs=["src/*"])
    ),
    "paths and sets": lambda: _Task({"allowed_globs": {"src/*"}}, {"files": [Path("src/app.ts")]}),
}


@pytest.mark.parametrize("form", _FORMS)
def test_a_task_may_be_of_any_class(root: Path, form: str) -> None:
    """What a mock answers with another mock counts as left out."""
    pack = ContextPacker(root).build(_FORMS[form]())
    assert [each["path"] for each in pack["files"]] == ["src/app.ts"]
    assert "previousState" not in pack
    assert "repairTickets" not in pack


def test_an_attribute_of_the_wrong_type_is_an_error(root: Path) -> None:
    """Left out, it would forbid nothing."""
    task = _Task(SimpleNamespace(forbidden_globs="src/api/closed.ts"))
    with pytest.raises(ContextPackError, match="forbiddenGlobs"):
        ContextPacker(root).build(task)
