"""How a key gets from the frame to the index: through few functions, and in order."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import pytest

import sightline
from sightline.index import Index
from sightline.lsp.open_documents import Documents
from sightline.lsp.protocol import LifecycleState, Protocol
from sightline.lsp.server import Server
from sightline.lsp.session import Session
from sightline.lsp.turns import Turns
from tests.lsp.conftest import USE
from tests.lsp.editor import uri_of

pytestmark = pytest.mark.asyncio

_OURS = str(Path(sightline.__file__).parent)
_Result = TypeVar("_Result")


async def test_a_key_passes_through_eight_functions_from_the_frame_to_the_index(
    session: Session, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the path is what is at work when the new text is kept, handed over, or told to the index.

    What these functions call to convert a value, to count a position or to have the text parsed
    comes back to them, and is not on it.
    """
    protocol = _protocol_of(session)
    folder = session.folders[str(place)]
    uri = uri_of(place / "use.py")
    document = {"uri": uri, "languageId": "python", "version": 1, "text": USE}
    protocol.receive(_notification("textDocument/didOpen", textDocument=document))
    protocol.receive(_typed(uri, 2))
    await folder.run_in_turn(lambda: None)

    kept: list[str] = []
    handed: list[str] = []
    told: list[str] = []

    def noting(function: Callable[..., _Result], stack: list[str]) -> Callable[..., _Result]:
        def note(*arguments: Any) -> _Result:
            stack.extend(_our_functions(sys._getframe(1)))
            return function(*arguments)

        return note

    with monkeypatch.context() as patched:
        patched.setattr(Documents, "_put", noting(Documents._put, kept))
        patched.setattr(folder._editors, "submit", noting(folder._editors.submit, handed))
        patched.setattr(Index, "apply", noting(Index.apply, told))
        protocol.receive(_typed(uri, 3))
        patched.delattr(folder._editors, "submit")
        await folder.run_in_turn(lambda: None)

    assert kept[:4] == handed[:4]
    path = [*kept, *handed[4:], *told, "Index.apply"]
    assert path == [
        "Protocol.receive",
        "Protocol._take_notification",
        "did_change",
        "Session.change",
        "Documents.change",
        "WorkspaceFolder.take",
        "WorkspaceFolder._take_batch",
        "OpenTexts.edit",
        "ChangeQueue.snapshot",
        "Index.apply",
    ]
    assert len(path[1:-1]) <= 8
    assert folder.host.project.text_of("use.py") is _text_of(session, uri), "it was spliced once"


async def test_a_change_waits_where_somebody_has_the_turn(session: Session, place: Path) -> None:
    """Those who wait are served in order, also in the moment in which the turn changes hands."""
    protocol = _protocol_of(session)
    uri = uri_of(place / "use.py")
    seen: list[str] = []

    async def look() -> None:
        async with protocol.turns:
            pass
        document = session.documents.get(uri)
        seen.append(str(document.text) if document else "")

    document = {"uri": uri, "languageId": "python", "version": 1, "text": "a\n"}
    protocol.receive(_notification("textDocument/didOpen", textDocument=document))
    async with protocol.turns:
        looks = [asyncio.create_task(look())]
        await asyncio.sleep(0)
        protocol.receive(_typed(uri, 2))
        looks.append(asyncio.create_task(look()))
        await asyncio.sleep(0)
    # Nobody has the turn by now, and somebody is next.
    assert not protocol.turns.are_free
    protocol.receive(_typed(uri, 3))
    looks.append(asyncio.create_task(look()))
    await asyncio.gather(*looks)
    assert seen == ["a\n", "xa\n", "xxa\n"]
    assert protocol.turns.are_free


async def test_who_is_cancelled_while_waiting_gives_up_the_turn() -> None:
    turns = Turns()

    async def wait() -> None:
        async with turns:
            raise AssertionError

    async with turns:
        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
    assert turns.are_free


def _protocol_of(session: Session) -> Protocol:
    server = Server(session.toolchain)
    server.state.current_session = session
    server.protocol.state = LifecycleState.RUNNING
    return server.protocol


def _text_of(session: Session, uri: str) -> object:
    document = session.documents.get(uri)
    return document.text if document else None


def _typed(uri: str, version: int) -> bytes:
    start = {"line": 0, "character": 0}
    change = {"range": {"start": start, "end": start}, "text": "x"}
    return _notification(
        "textDocument/didChange",
        textDocument={"uri": uri, "version": version},
        contentChanges=[change],
    )


def _notification(method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()


def _our_functions(frame: FrameType | None) -> list[str]:
    """The functions of ours that are at work, the outermost first."""
    found = []
    while frame is not None:
        if frame.f_code.co_filename.startswith(_OURS):
            found.append(frame.f_code.co_qualname)
        frame = frame.f_back
    return found[::-1]
