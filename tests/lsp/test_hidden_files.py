"""Source that a never-send rule hides: the server asks once, and whenever a person wants it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pygit2
import pytest

from tests.lsp.editor import NEOVIM_11, VS_CODE, Editor, Kind, running, uri_of

pytestmark = pytest.mark.asyncio

_ALLOW = "Allow in This Workspace"


def _make(place: Path, files: Mapping[str, str]) -> None:
    told = {"packages/core/core.py": "def in_core(): ...\n", "src/bin/tool.py": "x = 1\n", **files}
    for path, text in told.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    repository = pygit2.init_repository(str(place))
    repository.index.add_all(["*"])
    repository.index.write()


async def _hidden(editor: Editor) -> list[Any]:
    status = await editor.until_asked(
        "sightline/indexStatus", lambda found: found["index_complete"]
    )
    return [(each["rule"], each["files"]) for each in status["hidden"]]


async def test_a_workspace_that_declares_its_source_is_asked_about_once(
    place: Path, home: Path
) -> None:
    """Whoever says no is not asked again; the rule stays, and answers say what it hides."""
    _make(place, {"package.json": '{"workspaces": ["packages/*"]}'})
    rule = "packages/**"
    async with running(VS_CODE, home, place) as editor:
        question = (await editor.until(lambda: editor.questions))[0]
        assert f"Allow {rule} in the workspace 'a place'?" in question.message
        assert "hides 1 source file" in question.message
        assert [each.title for each in question.actions] == [_ALLOW, "Keep It Hidden"]
        editor.answers.append("Keep It Hidden")
        editor.arrived.set()
        assert (rule, 1) in await _hidden(editor)
        await editor.until_asked(
            "sightline/indexStatus", lambda _: any((home / "cache/asked").glob("*"))
        )
    async with running(VS_CODE, home, place) as editor:
        built = await editor.build(uri_of(place / "use.py"))
        assert rule in [each["rule"] for each in built["manifest"]["hidden"]]
        assert not editor.questions


@pytest.mark.parametrize("kind", [VS_CODE, NEOVIM_11], ids=str)
async def test_a_yes_allows_the_rule_in_this_workspace(place: Path, home: Path, kind: Kind) -> None:
    _make(place, {"package.json": '{"workspaces": {"packages": ["./packages/*"]}}'})
    async with running(kind, home, place) as editor:
        await editor.until(lambda: editor.questions)
        editor.answers.append(_ALLOW)
        editor.arrived.set()
        found = await editor.until_asked(
            "sightline/indexStatus",
            lambda found: found["index_complete"] and len(found["hidden"]) == 1,
        )
        assert found["hidden"][0]["rule"] == "**/bin/**"
        built = await editor.ask("sightline/buildContext", targets=[{"symbol": "in_core"}])
        assert built["status"] == "ok", built["refusal"]


async def test_nobody_is_asked_about_what_no_project_file_declares(place: Path, home: Path) -> None:
    """A negation declares nothing, and neither does a text that cannot be read."""
    _make(place, {"package.json": '{"workspaces": ["!packages/*", 5]}', "lerna.json": "[" * 9_000})
    async with running(VS_CODE, home, place) as editor:
        assert await _hidden(editor) == [("**/bin/**", 1), ("packages/**", 1)]
        built = await editor.build(uri_of(place / "use.py"))
        assert built["status"] == "ok"
        assert not editor.questions


async def test_a_rule_is_allowed_by_the_command_and_taken_back(place: Path, home: Path) -> None:
    """As the buttons of both editors do: the server asks, and writes nothing without a yes."""
    _make(place, {})
    asked = {"textDocument": {"uri": uri_of(place / "use.py")}, "rule": "packages/**"}
    async with running(VS_CODE, home, place) as editor:
        await _hidden(editor)
        refused = await editor.command("sightline.allowPath", {**asked, "rule": "nothing/**"})
        assert refused["refusal"]["reason"] == "no_such_rule"
        editor.answers.append("Cancel")
        refused = await editor.command("sightline.allowPath", asked)
        assert refused["refusal"]["reason"] == "not_confirmed"
        # Behind it comes the offer to take it back.
        editor.answers.extend([_ALLOW, "Close"])
        allowed = await editor.command("sightline.allowPath", asked)
        assert allowed["changed"]["rule"] == "packages/**"
        assert "hides 1 source file" in editor.questions[1].message
        assert await _hidden(editor) == [("**/bin/**", 1)]
        await editor.command("sightline.takeBack", asked)
        await editor.until_asked("sightline/indexStatus", lambda found: len(found["hidden"]) == 2)
