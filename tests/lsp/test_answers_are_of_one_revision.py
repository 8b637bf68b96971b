"""An answer is of one moment: of all that came before it was asked for, and of no later edit."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from sightline.context import BuildRequest, TargetSpec
from sightline.lsp.folder import WorkspaceFolder
from sightline.lsp.folder_builds import BuildAnswer
from sightline.lsp.session import Session
from tests.lsp.editor import VS_CODE, running, uri_of

pytestmark = pytest.mark.asyncio


async def test_what_was_closed_relates_to_nothing_as_its_editor_had_it(
    session: Session, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where the disk is slow, and the file is none that the bundle shows."""
    folder = session.folders[str(place)]
    before = await _fingerprint(session, folder)
    uri = uri_of(place / "sub" / "other.py")
    session.open(uri, "python", 1, "nothing = 1\n")
    assert await _fingerprint(session, folder) != before
    awaited = threading.Event()

    await_closed = folder.await_closed

    def noticed(paths: Sequence[str]) -> bool:
        if paths:
            awaited.set()
        return await_closed(paths)

    monkeypatch.setattr(folder, "await_closed", noticed)
    folder._disk.submit(awaited.wait)
    session.close_document(uri)
    try:
        assert await _fingerprint(session, folder) == before
    finally:
        awaited.set()


async def test_a_cursor_stands_in_the_text_that_it_was_in_when_somebody_asked(
    place: Path, home: Path
) -> None:
    """Also where it waits for a file that is not open, and lines are typed meanwhile."""
    async with running(VS_CODE, home, place) as editor:
        uri = editor.open_file(place / "use.py")
        await editor.indexed(files=5)
        beside = {"uri": uri_of(place / "shapes.py"), "position": {"line": 0, "character": 6}}
        before = editor.begin("sightline/buildContext", textDocument={"uri": uri})
        building = editor.begin(
            "sightline/buildContext",
            textDocument={"uri": uri},
            position=editor.at(uri, "return shape"),
            userSelectedTargets=[beside],
        )
        editor.replace(uri, "from shapes", "# typed\n" * 9 + "from shapes")
        await before
        built = await building
        assert built["manifest"]["selection"]["target_symbols"] == ["use.py::total"]
        assert built["revision"] < built["current_revision"]
        assert "# typed" not in built["rendered"]


async def _fingerprint(session: Session, folder: WorkspaceFolder) -> str:
    request = BuildRequest(active=TargetSpec("use.py"), dropped_paths=("sub/other.py",))
    answered = await session.build(folder, request, {}, None)
    assert isinstance(answered, BuildAnswer)
    manifest = answered.result.manifest
    assert manifest is not None
    assert answered.result.index_complete
    return manifest.fingerprints.project_index_fingerprint
