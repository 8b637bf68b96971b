"""Imports stay where they belong: every rule holds for every room, and can fail."""

from __future__ import annotations

import ast
import importlib.metadata

import pytest

from tests.tidy import contracts, tree
from tests.tidy.tree import Import


def test_every_room_is_in_a_layer_and_every_table_names_rooms() -> None:
    listed = contracts.listed_rooms()
    assert contracts.room_problems(tree.rooms(), listed) == []
    assert contracts.table_problems(listed) == []


def test_a_room_that_is_not_listed_is_reported() -> None:
    assert contracts.room_problems(["text", "attic"], ["text"]) == ["attic is in no layer"]
    assert "a table names cli, which is in no layer" in contracts.table_problems(["text"])


def test_libraries_stay_in_their_rooms() -> None:
    assert contracts.library_problems(tree.imports()) == []


@pytest.mark.parametrize(
    ("importer", "written"),
    [
        ("lsp.server", "from rich.text import Text"),
        ("context.blocks", "import tree_sitter"),
        ("index.index", "import platformdirs"),
        ("text", "def late():\n    import pygls"),
        ("render", "importlib.import_module('splintr')"),
        ("bundle", "import yaml"),
        ("cli.doctor", "import subprocess"),
        ("egress.headers", "from urllib import request"),
        ("index.store", "import pickle"),
        ("attic", "import re2"),
    ],
)
def test_a_library_outside_of_its_rooms_is_reported(importer: str, written: str) -> None:
    [problem] = contracts.library_problems(_imports(importer, written))
    assert problem.startswith(f"{importer} imports ")


@pytest.mark.parametrize(
    ("importer", "written"),
    [
        ("cli.output", "from rich.text import Text"),
        ("index.store.file", "import platformdirs"),
        ("egress.headers", "from urllib.parse import unquote"),
        ("text", "import re, attrs"),
    ],
)
def test_a_library_in_its_room_is_not_reported(importer: str, written: str) -> None:
    assert contracts.library_problems(_imports(importer, written)) == []


def test_every_dependency_has_a_row() -> None:
    installed = importlib.metadata.packages_distributions()
    assert contracts.dependency_problems(contracts.dependencies(), installed) == []


def test_a_dependency_without_a_row_is_reported() -> None:
    installed = {"lxml": ["LXML"], "re2": ["google-re2"]}
    assert contracts.dependency_problems(["lxml", "google-re2", "gone"], installed) == [
        "lxml: 'lxml' has no row in LIBRARIES",
        "gone is not installed",
    ]


def test_what_cuts_counts_scans_and_renders_touches_no_disk() -> None:
    assert contracts.disk_problems(tree.imports()) == []


@pytest.mark.parametrize("importer", ["context.build", "index", "recipes.review", "attic"])
def test_a_room_that_comes_by_the_disk_is_reported(importer: str) -> None:
    made_up = _imports(importer, "from sightline.workspace import Workspace")
    assert len(contracts.disk_problems(made_up)) == 1


def test_the_workspace_knows_text_and_refusals_alone() -> None:
    assert contracts.workspace_problems(tree.imports()) == []


def test_a_workspace_that_knows_more_is_reported() -> None:
    made_up = _imports("workspace.jail", "from sightline import bundle, text, __version__")
    assert [str(each) for each in made_up if contracts.workspace_problems([each])] == [
        "workspace.jail imports bundle"
    ]


def test_only_the_engine_knows_the_project() -> None:
    assert contracts.reserved_problems(tree.imports()) == []


def test_a_project_beside_the_contract_is_reported() -> None:
    made_up = _imports("context.build", "from sightline.project import Project")
    assert len(contracts.reserved_problems(made_up)) == 1
    assert contracts.reserved_problems(_imports("engine.host", "import sightline.project")) == []


def test_fronts_import_nothing_below_the_engine_but_values() -> None:
    found = contracts.front_problems(tree.imports())
    assert found == {}


@pytest.mark.parametrize(
    ("importer", "written", "reached"),
    [
        ("lsp.messages", "from sightline.context import build_context", ("lsp", "context")),
        ("cli.output", "from sightline import index", ("cli", "index")),
        ("mcp.server", "import sightline.workspace.jail", ("mcp", "workspace")),
        ("lsp.server", "from sightline.cli.output import Output", ("lsp", "cli")),
        ("api", "from sightline.settings import load", ("api", "settings")),
        ("", "from sightline.context import build_context", ("", "context")),
    ],
)
def test_a_front_that_reaches_below_the_engine_is_reported(
    importer: str, written: str, reached: tuple[str, str]
) -> None:
    assert list(contracts.front_problems(_imports(importer, written))) == [reached]


@pytest.mark.parametrize(
    ("importer", "written"),
    [
        ("lsp.server", "from sightline.engine.build import build"),
        ("cli.build", "from sightline.context import BuildRequest, TargetSpec"),
        ("cli", "from sightline.lsp.serving import serve_stdio"),
        ("", "from sightline.api import open"),
        ("api", "from sightline import __version__, refusals\nfrom sightline.text import Span"),
        ("engine.build", "from sightline.context import build_context"),
    ],
)
def test_a_front_may_have_the_engine_and_values(importer: str, written: str) -> None:
    assert contracts.front_problems(_imports(importer, written)) == {}


def _imports(importer: str, written: str) -> list[Import]:
    return list(tree.imports_of(importer, ast.parse(written)))
