"""Nobody loses source unawares: answers say what a rule hides and which command allows it."""

from __future__ import annotations

import json
from pathlib import Path

import pygit2
import pytest

from tests.cli.conftest import Ask

_SAID = (
    "the rule packages/** hides 2 files that git tracks; "
    "to allow it in this workspace: sightline allow 'packages/**'"
)


@pytest.fixture
def monorepo(workspace: Path) -> Path:
    core = workspace / "packages" / "core"
    core.mkdir(parents=True)
    (core / "core.py").write_text("def in_core() -> None: ...\n")
    (core / "more.py").write_text("def more() -> None: ...\n")
    repository = pygit2.init_repository(str(workspace))
    repository.index.add_all(["packages", "shapes.py"])
    repository.index.write()
    (core / "untracked.py").write_text("def untracked() -> None: ...\n")
    return workspace


@pytest.mark.usefixtures("monorepo")
def test_every_answer_that_a_rule_touched_says_so(ask: Ask) -> None:
    built = ask("build", "shapes.py", "--format", "json")
    hidden = [
        {"rule": "packages/**", "files": 2, "command": "sightline allow 'packages/**'"},
    ]
    assert json.loads(built.out)["manifest"]["hidden"] == hidden
    assert _SAID in built.err
    assert _SAID in ask("index", "--stats").out.decode()
    assert json.loads(ask("index", "--format", "json").out)["hidden"] == hidden
    assert _SAID in ask("doctor").out.decode()
    for unknown in (ask("build", "--symbol", "in_core"), ask("refs", "in_core")):
        assert unknown.code != 0
        assert _SAID in unknown.err


@pytest.mark.usefixtures("monorepo")
@pytest.mark.parametrize("written", ["packages", "packages/", "packages/**"])
def test_one_command_allows_it(ask: Ask, written: str) -> None:
    assert ask("allow", written).code == 0
    built = ask("build", "--symbol", "in_core")
    assert built.code == 0
    assert "hides" not in built.err


@pytest.mark.usefixtures("monorepo")
def test_an_allowance_for_one_build(ask: Ask) -> None:
    built = ask("build", "--symbol", "in_core", "--allow", "packages")
    assert (built.code, "hides" in built.err) == (0, False)
    assert "hides" in ask("build", "shapes.py").err
