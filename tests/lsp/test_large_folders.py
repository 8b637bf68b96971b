"""A large folder without a repository: the server asks, and does nothing before the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pygit2
import pytest
from lsprotocol import types

from tests.lsp.editor import NEOVIM_11, VS_CODE, Editor, Kind, running, uri_of

pytestmark = pytest.mark.asyncio

_INDEX = "Index This Folder"


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGHTLINE_INDEX_ASK_ABOVE", "3")


async def _refused(editor: Editor, uri: str) -> Any:
    result = await editor.build(uri)
    assert (result["status"], result["bundle"]) == ("refused", None)
    return result["refusal"]


async def _change_on_disk(editor: Editor, file: Path) -> None:
    """Tell of a change, and wait until it was looked at: nothing is indexed by that."""
    event = types.FileEvent(uri_of(file), types.FileChangeType.Changed)
    editor.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
    status = await editor.until_asked("sightline/indexStatus", lambda found: not found["pending"])
    assert status["files"] == 0


@pytest.mark.parametrize("kind", [VS_CODE, NEOVIM_11], ids=str)
async def test_a_large_folder_is_indexed_once_the_person_agrees(
    place: Path, home: Path, kind: Kind
) -> None:
    """Changes on the disk do not start it either; what needs no index is served."""
    uri = uri_of(place / "use.py")
    async with running(kind, home, place) as editor:
        editor.focus(None)
        question = (await editor.until(lambda: editor.questions))[0]
        assert "'a place'" in question.message
        assert "holds more than 3 files" in question.message
        assert [each.title for each in question.actions] == [_INDEX, "Cancel"]
        refusal = await _refused(editor, uri)
        assert (refusal["kind"], refusal["reason"]) == ("IndexUnavailable", "large_workspace")
        await _change_on_disk(editor, place / "shapes.py")
        sliced = await editor.ask("sightline/slice", textDocument={"uri": uri}, level="full")
        assert sliced["status"] == "ok"
        assert len(editor.questions) == 1
        editor.answers.append(_INDEX)
        editor.arrived.set()
        await editor.indexed(files=5)
        assert "shapes.py" in (await editor.build(uri))["rendered"]
    async with running(kind, home, place) as editor:
        # It was indexed before.
        await editor.indexed(files=5)
        assert not editor.questions


async def test_a_large_folder_stays_as_it_is_after_a_no_until_somebody_builds(
    place: Path, home: Path
) -> None:
    uri = uri_of(place / "use.py")
    async with running(VS_CODE, home, place) as editor:
        editor.focus(None)
        editor.answers.append("Cancel")
        await editor.until(lambda: editor.questions and not editor.answers)
        await _change_on_disk(editor, place / "shapes.py")
        assert len(editor.questions) == 1
        assert (await _refused(editor, uri))["reason"] == "large_workspace"
        await editor.until(lambda: len(editor.questions) == 2)
        editor.answers.append(_INDEX)
        editor.arrived.set()
        await editor.indexed(files=5)


async def test_a_large_repository_is_not_asked_about(place: Path, home: Path) -> None:
    pygit2.init_repository(str(place))
    async with running(VS_CODE, home, place) as editor:
        await editor.indexed(files=5)
        assert not editor.questions
