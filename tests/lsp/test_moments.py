"""An answer is of one moment: of all that came before it was asked for, and of no later edit."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from sightline.context import Built, Request, Wanted
from sightline.languages import load_registry
from sightline.lsp import folder as folder_module
from sightline.lsp.folder import Answered, Folder
from sightline.lsp.session import Session
from sightline.text import PositionEncoding
from sightline.workers import Workers
from tests.lsp.editor import uri_of

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def session(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Session]:
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "config"))
    with Workers() as workers:
        session = Session(load_registry(), workers, PositionEncoding.UTF16)
        folder = session.add_folder(str(place))
        assert isinstance(folder, Folder)
        await folder.scan(lambda *_: None)
        yield session
        session.close()


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

    def noticed(*arguments: Any) -> Any:
        awaited.set()
        return wait(*arguments)

    monkeypatch.setattr(folder_module, "wait", noticed)
    folder._disk.submit(awaited.wait)
    session.close_document(uri)
    try:
        assert await _fingerprint(session, folder) == before
    finally:
        awaited.set()


async def _fingerprint(session: Session, folder: Folder) -> str:
    request = Request(active=Wanted("use.py"), dropped_paths=("sub/other.py",))
    answered = await session.build(folder, request, {}, None)
    assert isinstance(answered, Answered)
    assert isinstance(answered.outcome, Built)
    assert answered.index_complete
    return answered.outcome.manifest.fingerprints.project_index_fingerprint
