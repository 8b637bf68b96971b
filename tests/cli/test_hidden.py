"""Nobody loses source unawares: answers say what a rule hides and which command allows it."""

from __future__ import annotations

import json
from pathlib import Path

import pygit2
import pytest

from tests.cli.conftest import Ask

_SAID = (
    "the rule packages/** hides 2 source files; "
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
        {
            "rule": "packages/**",
            "files": 2,
            "command": "sightline allow 'packages/**'",
            "at_least": False,
        },
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
@pytest.mark.parametrize(
    "command",
    [
        "build packages/core/core.py",
        "explain packages/core/core.py",
        "pack packages",
        "pack packages/core/core.py",
    ],
)
def test_a_hidden_target_is_refused_with_the_amount_and_the_command(ask: Ask, command: str) -> None:
    """The command can be copied as it stands."""
    refused = ask(*command.split())
    assert refused.code == 3
    assert "sightline allow 'packages/**'" in refused.err
    assert "hides 2 source files" in refused.err


@pytest.mark.usefixtures("monorepo")
def test_what_needs_no_index_names_the_amount_and_the_command(ask: Ask) -> None:
    for command in ("slice packages/core/core.py --level full", "outline packages/core/core.py"):
        refused = ask(*command.split())
        assert refused.code == 3
        assert "sightline allow 'packages/**'" in refused.err
        assert "hides 2 source files" in refused.err
    assert "sightline allow .env" in ask("slice", ".env", "--level", "full").err


@pytest.mark.usefixtures("monorepo")
@pytest.mark.parametrize("form", ["full", "summary", "map"])
def test_a_pack_says_what_a_rule_hides_of_it(ask: Ask, workspace: Path, form: str) -> None:
    assert _SAID in ask("pack", "--type", form).err
    (workspace / "below").mkdir()
    (workspace / "below/x.py").write_text("x = 1\n")
    assert "hides" not in ask("pack", "below", "--type", form).err


@pytest.mark.usefixtures("monorepo")
def test_context_for_hidden_files_names_the_command(ask: Ask, workspace: Path) -> None:
    """Of a check that fails in them, and of an issue that names them."""
    (workspace / "report").write_text("packages/core/core.py:1:1: error: it fails\n")
    (workspace / "issue").write_text("It fails in packages/core/core.py.\n")
    for command in ("fix --from report", "issue issue"):
        answer = ask("context", *command.split())
        assert answer.code == 0
        assert "packages/core/core.py: withheld by the rule packages/**" in answer.err
        assert _SAID in answer.err


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


def test_without_a_repository_the_same_is_said(ask: Ask, workspace: Path) -> None:
    core = workspace / "packages" / "core"
    core.mkdir(parents=True)
    for name in ("core.py", "more.py"):
        (core / name).write_text("def in_core() -> None: ...\n")
    (core / "notes.txt").write_text("Not source.\n")
    assert _SAID in ask("build", "shapes.py").err
    assert _SAID in ask("index", "--stats").out.decode()
    assert _SAID in ask("doctor").out.decode()
    assert _SAID in ask("build", "--symbol", "in_core").err
    assert ask("allow", "packages").code == 0
    assert "hides" not in ask("build", "shapes.py").err


@pytest.mark.parametrize(
    ("place", "source"), [("", ".gitignore"), ("sub/", "sub/.gitignore"), ("sub/", "sub/.aiignore")]
)
def test_an_ignore_file_that_cannot_be_understood_is_named(
    ask: Ask, workspace: Path, place: str, source: str
) -> None:
    """It withholds all that it may cover, on every start, and both say so that count files."""
    (workspace / "sub").mkdir()
    (workspace / "sub/deep.py").write_text("def deep() -> None: ...\n")
    (workspace / source).write_bytes(b"*.log\n\xff\xfe\n")
    said = f"{source} cannot be understood, so all that it may cover is withheld"
    for _ in range(2):
        indexed = ask("index", "--stats")
        assert said in indexed.err
        assert "withheld: 1 file, ignore_file" in indexed.out.decode()
    assert said in ask("doctor").out.decode()
    assert said.partition(" ")[0] in ask("build", f"{place}deep.py" if place else "shapes.py").err
