"""Whoever asks goes before what nobody asked for, which is done all the same."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from pathlib import Path

import pytest

from sightline.building import BuildCancelledError, Cancellation
from sightline.context import Built, Request, Wanted
from sightline.languages import load_registry
from sightline.lsp import explaining, yielding
from sightline.lsp.extensions import BudgetStatusParams
from sightline.lsp.folder import Answered, Folder
from sightline.lsp.server import Server
from sightline.lsp.session import Focus, Session
from sightline.lsp.status import StatusBoard
from sightline.lsp.yielding import OvertakenError
from sightline.text import PositionEncoding
from sightline.workers import Workers

pytestmark = pytest.mark.asyncio


def _target() -> Request:
    return Request(active=Wanted("use.py"))


@pytest.fixture
def folder(session: Session, place: Path) -> Folder:
    return session.folders[str(place)]


async def _beside_each_other(folder: Folder) -> tuple[object, object]:
    """What becomes of a build that nobody asked for, and of one that is asked for behind it."""
    gate = threading.Event()
    waiting = asyncio.create_task(folder.beside(gate.wait))
    unasked = asyncio.create_task(folder.build_unasked(_target))
    await asyncio.sleep(0)
    asked = asyncio.create_task(
        folder.build(_target, {}, "2026-01-01T00:00:00Z", "00000000-0000-0000-0000-000000000001")
    )
    await asyncio.sleep(0)
    gate.set()
    await waiting
    return await asyncio.gather(unasked, asked, return_exceptions=True)


async def test_a_status_makes_way_and_comes_behind(folder: Folder) -> None:
    """It is broken off by a question, and the same once it is made out again."""
    unasked, asked = await _beside_each_other(folder)
    assert isinstance(unasked, OvertakenError)
    assert isinstance(asked, Answered)
    again = await folder.build_unasked(_target)
    assert isinstance(again, Answered)
    assert isinstance(again.outcome, Built)
    assert isinstance(asked.outcome, Built)
    assert again.outcome.rendering == asked.outcome.rendering


async def test_a_status_does_not_make_way_for_ever(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where questions leave no gap, it comes to its end between two of them at last."""
    monkeypatch.setattr(yielding, "LONGEST_SECONDS", 0)
    for outcome in await _beside_each_other(folder):
        assert isinstance(outcome, Answered)


async def test_what_made_way_is_begun_again() -> None:
    """The board does once more what was overtaken, without being poked."""
    done: list[bool] = []

    async def work() -> None:
        done.append(len(done) > 1)
        if not done[-1]:
            raise OvertakenError

    board = StatusBoard(work)
    board.poke()
    while not any(done):
        await asyncio.sleep(0.01)
    board.stop()
    assert done == [False, False, True]


async def test_no_status_comes_when_nothing_has_the_focus_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was being made out when the focus went is told to nobody."""
    made_out = explaining.budget_status
    with Workers() as workers:
        server = Server(workers)
        server.session = session = Session(load_registry(), workers, PositionEncoding.UTF16)
        sent: list[bytes] = []
        server.protocol.send_bytes = sent.append
        session.focus = focus = Focus("untitled:1", None)
        await server._send_status()
        assert len(sent) == 1

        async def made_out_late(session: Session, focus: Focus) -> BudgetStatusParams:
            status = await made_out(session, focus)
            session.focus = None
            return status

        monkeypatch.setattr(explaining, "budget_status", made_out_late)
        session.focus = focus
        await server._send_status()
        assert len(sent) == 1


async def test_a_cancelled_build_waits_for_no_worker() -> None:
    """Whoever waits for an answer that takes long is free as soon as nobody wants it."""
    cancellation = Cancellation()
    never: Future[None] = Future()
    waiting = asyncio.get_running_loop().run_in_executor(None, cancellation.result, never)
    await asyncio.sleep(0)
    assert not waiting.done()
    cancellation.cancel()
    cancellation.cancel()
    with pytest.raises(BuildCancelledError):
        await asyncio.wait_for(waiting, 30)
