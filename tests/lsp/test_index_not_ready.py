"""Builds during the first scan: they wait for it, or take what is there and say so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from sightline.engine.host import Toolchain
from sightline.lsp import symbols
from sightline.lsp.folder import ScanCancelledError, WorkspaceFolder
from sightline.lsp.folder_builds import BuildAnswer
from sightline.lsp.positions import EditorRequest, EditorTarget
from sightline.lsp.session import DocumentLocation, Session
from sightline.text import PositionEncoding
from sightline.workers import Workers
from tests.lsp.conftest import USE
from tests.lsp.editor import uri_of

_REQUEST = EditorRequest(active=EditorTarget("shapes.py"))
_NOT_COMPLETE = "**Not complete: not every file of the project had been read"


@pytest_asyncio.fixture
async def unread(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Session, WorkspaceFolder]]:
    """A folder that nobody has begun to scan."""
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "config"))
    with Workers(1) as workers:
        session = Session(Toolchain(workers), PositionEncoding.UTF16)
        folder = session.add_folder(str(place))
        assert isinstance(folder, WorkspaceFolder)
        yield session, folder
        session.close()


@pytest.mark.asyncio
async def test_a_build_waits_for_the_first_scan_unless_it_is_told_not_to(
    unread: tuple[Session, WorkspaceFolder],
) -> None:
    """The one that waits has the callers; the other says in its first lines that it may not."""
    session, folder = unread
    told: list[tuple[int, int]] = []
    waiting = asyncio.create_task(
        session.build(
            folder,
            _REQUEST,
            {},
            None,
            awaits_index=True,
            waiting=lambda done, total: told.append((done, total)),
        )
    )
    await asyncio.sleep(0)
    # It is asked behind the other one and answered before it.
    partial = await session.build(folder, _REQUEST, {}, None)
    assert isinstance(partial, BuildAnswer)
    assert not partial.result.index_complete
    assert partial.result.rendered is not None
    assert _NOT_COMPLETE in partial.result.rendered.split("\n## ")[0]
    assert not waiting.done()
    assert told
    await folder.scan(lambda *_: None)
    whole = await waiting
    assert isinstance(whole, BuildAnswer)
    assert whole.result.index_complete
    assert whole.result.rendered is not None
    assert _NOT_COMPLETE not in whole.result.rendered
    assert "use.py" in whole.result.rendered


@pytest.mark.asyncio
async def test_a_scan_that_was_given_up_holds_up_no_build(
    unread: tuple[Session, WorkspaceFolder],
) -> None:
    """The answer is not complete, and says so."""
    session, folder = unread

    def give_up(*_: int) -> None:
        raise ScanCancelledError

    with pytest.raises(ScanCancelledError):
        await folder.scan(give_up)
    answer = await session.build(folder, _REQUEST, {}, None, awaits_index=True)
    assert isinstance(answer, BuildAnswer)
    assert not answer.result.index_complete


@pytest.mark.asyncio
async def test_a_lens_says_that_the_index_is_not_complete(
    unread: tuple[Session, WorkspaceFolder], place: Path
) -> None:
    """Until it is."""
    session, folder = unread
    uri = uri_of(place / "use.py")
    session.open(uri, "python", 1, USE)
    location = session.place(uri)
    assert isinstance(location, DocumentLocation)

    async def titles() -> list[str]:
        shown = await symbols.lenses(location, uri, session)
        return [each.command.title for each in shown if each.command is not None]

    assert all(each.endswith(" tokens, index not complete yet") for each in await titles())
    await folder.scan(lambda *_: None)
    shown = await titles()
    assert shown
    assert all(each.endswith(" tokens") for each in shown)
