"""Whoever asks goes before what nobody asked for, which is done all the same."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from sightline.context import BuildRequest, TargetSpec
from sightline.engine.cancelling import BuildCancelledError, Cancellation
from sightline.engine.host import Toolchain
from sightline.lsp import publishing, scheduling
from sightline.lsp.extensions import BudgetStatusParams
from sightline.lsp.folder import WorkspaceFolder
from sightline.lsp.folder_builds import BuildAnswer, build, build_unasked
from sightline.lsp.publishing import send_status
from sightline.lsp.scheduling import Debouncer, OvertakenError
from sightline.lsp.server import Server
from sightline.lsp.session import Focus, Session
from sightline.text import PositionEncoding
from sightline.workers import Workers, WorkFuture

pytestmark = pytest.mark.asyncio


_TARGET = BuildRequest(active=TargetSpec("use.py"))


@pytest.fixture
def folder(session: Session, place: Path) -> WorkspaceFolder:
    return session.folders[str(place)]


async def _beside_each_other(folder: WorkspaceFolder) -> tuple[object, object]:
    """What becomes of a build that nobody asked for, and of one that is asked for behind it."""
    gate = threading.Event()
    waiting = asyncio.create_task(folder.run_in_turn(gate.wait))
    unasked = asyncio.create_task(build_unasked(folder, _TARGET))
    await asyncio.sleep(0)
    asked = asyncio.create_task(build(folder, _TARGET, {}, "00000000-0000-0000-0000-000000000001"))
    await asyncio.sleep(0)
    gate.set()
    await waiting
    return await asyncio.gather(unasked, asked, return_exceptions=True)


async def test_a_status_makes_way_and_comes_behind(folder: WorkspaceFolder) -> None:
    """It is broken off by a question, and the same once it is made out again."""
    unasked, asked = await _beside_each_other(folder)
    assert isinstance(unasked, OvertakenError)
    assert isinstance(asked, BuildAnswer)
    again = await build_unasked(folder, _TARGET)
    assert isinstance(again, BuildAnswer)
    assert again.result.rendered is not None
    assert again.result.rendered == asked.result.rendered


async def test_a_status_does_not_make_way_for_ever(
    folder: WorkspaceFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where questions leave no gap, it comes to its end between two of them at last."""
    monkeypatch.setattr(scheduling, "LONGEST_OVERTAKING_SECONDS", 0)
    for outcome in await _beside_each_other(folder):
        assert isinstance(outcome, BuildAnswer)


async def test_what_made_way_is_begun_again() -> None:
    """The debouncer does once more what was overtaken, without being poked."""
    done: list[bool] = []

    async def work() -> None:
        done.append(len(done) > 1)
        if not done[-1]:
            raise OvertakenError

    debouncer = Debouncer(work)
    debouncer.poke()
    while not any(done):
        await asyncio.sleep(0.01)
    debouncer.stop()
    assert done == [False, False, True]


async def test_no_status_comes_when_nothing_has_the_focus_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was being made out when the focus went is told to nobody."""
    made_out = publishing.budget_status
    with Workers() as workers:
        toolchain = Toolchain(workers)
        server = Server(toolchain)
        server.state.current_session = session = Session(toolchain, PositionEncoding.UTF16)
        sent: list[bytes] = []
        server.protocol.send_bytes = sent.append
        session.focus = focus = Focus("untitled:1", None)
        await send_status(server.state)
        assert len(sent) == 1

        async def made_out_late(session: Session, focus: Focus) -> BudgetStatusParams:
            status = await made_out(session, focus)
            session.focus = None
            return status

        monkeypatch.setattr(publishing, "budget_status", made_out_late)
        session.focus = focus
        await send_status(server.state)
        assert len(sent) == 1


async def test_a_cancelled_build_waits_for_no_worker() -> None:
    """Whoever waits for an answer that takes long is free as soon as nobody wants it."""
    cancellation = Cancellation()
    never: WorkFuture[None] = WorkFuture()
    waiting = asyncio.get_running_loop().run_in_executor(None, cancellation.result, never)
    await asyncio.sleep(0)
    assert not waiting.done()
    cancellation.cancel()
    cancellation.cancel()
    with pytest.raises(BuildCancelledError):
        await asyncio.wait_for(waiting, 30)
