"""Recipes and task packs over the wire: what an editor has not saved counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lsp.editor import VS_CODE, running, uri_of
from tests.recipes.conftest import SECRET, git, project

__all__ = ["git", "project"]

pytestmark = pytest.mark.asyncio


async def test_every_recipe_and_a_task_pack(project: Path, tmp_path: Path) -> None:
    async with running(VS_CODE, tmp_path / "home", project) as editor:
        await editor.indexed(files=2)
        uri = editor.open_file(project / "src/small.py")
        editor.show(uri, f'def small():\n    return 7  # "{SECRET}"\n')
        review = await editor.ask("sightline/buildRecipe", recipe="review", base="main")
        assert (review["status"], review["recipe"]) == ("ok", "review")
        [symbol] = [
            each for each in review["context"]["changed_symbols"] if each["path"] == "src/small.py"
        ]
        assert "return 7" in symbol["head"]
        assert symbol["base"] == "def small():\n    return 1\n"
        assert review["rendered"].startswith("# Context for a review\n")
        assert review["tokens"] > 0
        fix = await editor.ask(
            "sightline/buildRecipe", recipe="fix", report="src/small.py:2: error: wrong"
        )
        assert "return 7" in fix["context"]["source_files"]["src/small.py"]
        issue = await editor.ask("sightline/buildRecipe", recipe="issue", issue="In src/small.py")
        assert "return 7" in issue["context"]["related_files"]["src/small.py"]
        task = await editor.ask(
            "sightline/buildRecipe",
            recipe="implementation",
            taskUri=uri_of(project / "CLAUDE.md"),
        )
        assert task["context"]["tasks"] == "Use spaces.\n"
        given = {"id": "1", "title": "t", "goal": "g", "context": {"files": ["src/small.py"]}}
        pack = await editor.ask("sightline/buildTaskPack", task=json.dumps(given), tier="cheap")
        assert "return 7" in pack["pack"]["files"][0]["content"]
        assert SECRET not in json.dumps([review, fix, issue, task, pack])


async def test_what_cannot_be_built_is_refused(project: Path, tmp_path: Path) -> None:
    async with running(VS_CODE, tmp_path / "home", project) as editor:
        for params, reason in [
            ({"recipe": "review", "base": "nowhere"}, "no_revision"),
            ({"recipe": "fix", "report": "Segmentation fault"}, "no_places"),
            ({"recipe": "issue", "issue": ""}, "malformed_issue"),
            ({"recipe": "surprise"}, "usage"),
            ({"recipe": "implementation"}, "usage"),
        ]:
            answer = await editor.ask("sightline/buildRecipe", **params)
            assert (answer["status"], answer["refusal"]["reason"]) == ("refused", reason)
            assert answer["context"] == {}
        for task, tier, reason in [("{", "cheap", "malformed_task"), ("{}", "x", "malformed_task")]:
            answer = await editor.ask("sightline/buildTaskPack", task=task, tier=tier)
            assert (answer["status"], answer["refusal"]["reason"]) == ("refused", reason)
