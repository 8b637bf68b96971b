"""Project packs over the wire: what an editor has not saved counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.editor import VS_CODE, running, uri_of
from tests.recipes.conftest import SECRET, git, project

__all__ = ["git", "project"]

pytestmark = pytest.mark.asyncio


async def test_every_form_of_a_pack(project: Path, tmp_path: Path) -> None:
    async with running(VS_CODE, tmp_path / "home", project) as editor:
        await editor.indexed(files=2)
        uri = editor.open_file(project / "src/small.py")
        editor.show(uri, f'def small():\n    return 7  # "{SECRET}"\n')
        asked = [
            await editor.ask("sightline/buildProjectPack", type=kind, format=form)
            for kind in ("full", "summary", "map")
            for form in ("markdown", "json", "xml")
        ]
        assert [each["status"] for each in asked] == ["ok"] * 9
        assert [each["type"] for each in asked[::3]] == ["full", "summary", "map"]
        assert "return 7" in asked[0]["rendered"]
        assert json.loads(asked[1]["rendered"]) == asked[0]["pack"]
        assert asked[0]["tokens"] > 0
        assert asked[0]["pack"]["context_pack_info"]["type"] == "full"
        assert SECRET not in json.dumps(asked)


async def test_a_folder_or_a_file_of_the_explorer(project: Path, tmp_path: Path) -> None:
    async with running(VS_CODE, tmp_path / "home", project) as editor:
        await editor.indexed(files=2)
        for place, count in [(project / "src", 2), (project / "src/small.py", 1)]:
            answer = await editor.ask("sightline/buildProjectPack", uris=[uri_of(place)])
            paths = [each["path"] for each in answer["pack"]["contents"]]
            assert len(paths) == count
            assert all(path.startswith("src/") for path in paths)
        answer = await editor.ask("sightline/buildProjectPack", uris=[uri_of(project)])
        assert "CLAUDE.md" in [each["path"] for each in answer["pack"]["contents"]]


async def test_what_cannot_be_packed_is_refused(project: Path, tmp_path: Path) -> None:
    async with running(VS_CODE, tmp_path / "home", project) as editor:
        await editor.indexed(files=2)
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"type": "surprise"}, "usage"),
            ({"format": "yaml"}, "usage"),
            ({"include": ["*.nothing"]}, "no_match"),
            ({"uris": [uri_of(project / "gone")]}, "not_found"),
            ({"uris": [uri_of(tmp_path / "elsewhere")]}, "outside_sandbox"),
            ({"onDecodeError": "explode"}, "usage"),
            ({"maxFiles": -1}, "usage"),
        ]
        for params, reason in wrong:
            answer = await editor.ask("sightline/buildProjectPack", **params)
            assert (answer["status"], answer["refusal"]["reason"]) == ("refused", reason)
            assert answer["pack"] == {}
