"""Files that a report calls by another name than the workspace does."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.engine.host import Host, open_host
from sightline.engine.recipe_requests import RecipeRequest, build_recipe
from sightline.recipes.contexts import ContextDict
from tests.recipes.conftest import write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, "src/app.py", "x = 1\n")
    write(tmp_path, "pkg/a/a_test.go", "package a\nfunc TestX() {\n}\n")
    write(tmp_path, "one/main_test.go", "package one\n")
    write(tmp_path, "two/main_test.go", "package two\n")
    write(tmp_path, "src/test/java/com/x/ATest.java", "class ATest {\n  int a;\n}\n")
    return tmp_path


def _fix(root: Path, report: str) -> ContextDict:
    host = open_host(root, keeps_index=False)
    assert isinstance(host, Host)
    with host:
        result = build_recipe(host, RecipeRequest(recipe="fix", report=report, by_symbol=False))
    assert result.context is not None
    return result.context


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("/builds/shop/src/app.py:1: error: wrong", "src/app.py"),
        (r"D:\a\shop\src\app.py:1: error: wrong", "src/app.py"),
        ("    a_test.go:2: got 3, want 4", "pkg/a/a_test.go"),
        ("\tat com.x.ATest.add(ATest.java:2)", "src/test/java/com/x/ATest.java"),
        ("\tat app//com.x.ATest$Inner.add(ATest.java:2)", "src/test/java/com/x/ATest.java"),
    ],
)
def test_a_file_is_found_under_the_name_of_the_report(folder: Path, line: str, path: str) -> None:
    context = _fix(folder, f"FAIL\n{line}\n")
    assert [each["file"] for each in context["errors"]] == [path]
    assert list(context["source_files"]) == [path]


def test_a_name_of_several_files_is_not_guessed(folder: Path) -> None:
    context = _fix(folder, "    main_test.go:1: wrong\n")
    assert context["source_files"] == {}
    assert context["_metadata"]["warnings"] == [
        "main_test.go: several files of the workspace have this name; none is shown"
    ]


@pytest.mark.parametrize("name", ["/etc/hosts.py", "../out.py", "/builds/../../out.py", "no.py"])
def test_what_is_not_in_the_workspace_is_not_shown(folder: Path, name: str) -> None:
    write(folder.parent, "out.py", "outside = 1\n")
    context = _fix(folder, f"{name}:1: error: wrong\n")
    assert context["source_files"] == {}
    assert [each["file"] for each in context["errors"]] == [name]


def test_a_file_that_a_rule_denies_is_withheld(folder: Path) -> None:
    write(folder, ".env.py", "x = 1\n")
    write(folder, ".sightlineignore", ".env.py\n")
    context = _fix(folder, "/builds/shop/.env.py:1: error: wrong\n.env.py:1: error: wrong\n")
    assert context["source_files"] == {}
