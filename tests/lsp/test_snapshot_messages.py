"""Context snapshots over the wire: what an editor showed is recorded, and proved later."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lsp.editor import VS_CODE, running
from tests.recipes.conftest import SECRET, git, project

__all__ = ["git", "project"]

pytestmark = pytest.mark.asyncio


async def test_a_bundle_with_unsaved_text_is_recorded_and_proved(
    project: Path, tmp_path: Path
) -> None:
    async with running(VS_CODE, tmp_path / "home", project) as editor:
        await editor.indexed(files=2)
        uri = editor.open_file(project / "src/small.py")
        editor.show(uri, "def small():\n    return 7\n")
        built = await editor.ask("sightline/buildContext", textDocument={"uri": uri})
        assert built["status"] == "ok"
        made = await editor.ask(
            "sightline/snapshot", action="create", result=built, createdBy="agent:coder"
        )
        assert made["status"] == "ok", made["refusal"]
        [entry] = (await editor.ask("sightline/snapshot", action="list"))["snapshots"]
        seen = await editor.ask("sightline/snapshot", action="cat", id=entry["object_id"])
        assert seen["rendered"] == built["rendered"]
        assert "return 7" in seen["rendered"]
        editor.show(uri, "def small():\n    return 8\n")
        proved = await editor.ask("sightline/snapshot", action="verify", id=entry["object_id"])
        assert (proved["status"], proved["is_verified"]) == ("ok", True), proved


async def test_what_cannot_be_recorded_is_refused(project: Path, tmp_path: Path) -> None:
    async with running(VS_CODE, tmp_path / "home", project) as editor:
        await editor.indexed(files=2)
        for asked in (
            {"action": "surprise"},
            {"action": "create"},
            {"action": "create", "result": {"status": "ok", "rendered": SECRET}},
            {"action": "show", "id": "0190"},
            {"action": "list", "since": "yesterday"},
        ):
            answer = await editor.ask("sightline/snapshot", **asked)
            assert answer["status"] == "refused", asked
            assert answer["refusal"]["advice"]
            assert SECRET not in json.dumps(answer)
