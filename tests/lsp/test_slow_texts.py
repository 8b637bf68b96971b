"""A text that takes its grammar minutes holds up nobody else.

The texts here take all of a worker's processor time. What is asked about other files behind them is
answered first; order tells, and no clock.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sightline.engine.host import Toolchain
from sightline.lsp import disk_looks
from sightline.lsp.folder import WorkspaceFolder
from sightline.lsp.folder_builds import BuildAnswer
from sightline.lsp.positions import EditorRequest, EditorTarget
from sightline.lsp.session import Session
from sightline.text import PositionEncoding
from sightline.workers import Workers
from tests.lsp.conftest import SHAPES, USE, make_place
from tests.lsp.raw import (
    PATIENCE_SECONDS,
    RawClient,
    session_processes,
    uri_of,
    wait_until_gone,
)

_BOMB = "<a>" * 100_000 + "\n"
_START = {"line": 0, "character": 0}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return make_place(tmp_path / "a place")


@pytest.fixture
def client(tmp_path: Path, place: Path) -> Iterator[RawClient]:
    with RawClient(tmp_path / "home") as client:
        client.initialize(place)
        client.wait_until_indexed()
        yield client
        assert not client.faults
        assert "Traceback" not in client.stderr()


def test_others_are_answered_while_a_bomb_is_opened_and_edited(
    client: RawClient, place: Path
) -> None:
    """Opened, asked about and edited into another file: all of it at once."""
    bomb, use, shapes = (uri_of(place / name) for name in ("bomb.py", "use.py", "shapes.py"))
    client.open(shapes, SHAPES)
    client.open(use, USE)
    client.open(bomb, _BOMB)
    symbols = client.begin("textDocument/documentSymbol", {"textDocument": {"uri": bomb}})
    region = client.begin("sightline/slice", {"textDocument": {"uri": bomb}, "level": "signatures"})
    build = client.begin("sightline/buildContext", {"textDocument": {"uri": bomb}})
    client.change(shapes, 2, {"range": {"start": _START, "end": _START}, "text": _BOMB})
    other = client.ask("sightline/buildContext", _cursor(use))
    assert other["status"] == "ok", other["refusal"]
    assert other["index_complete"] is False
    assert client.ask("textDocument/documentSymbol", {"textDocument": {"uri": use}})
    status = client.ask("sightline/indexStatus", {})
    assert status["index_complete"] is False, "the bomb was over before the others were answered"
    assert client.answer_of(symbols)["result"] is None
    # An edit came behind them, so they are not answered for the text of before, and at once.
    for identity in (region, build):
        refusal = client.answer_of(identity)["result"]["refusal"]
        assert refusal["kind"] == "IndexUnavailable", refusal


def test_others_are_answered_while_many_bombs_are_parsed(client: RawClient, place: Path) -> None:
    """Twelve are opened and asked about: more than there are workers, usual ones and others."""
    use = uri_of(place / "use.py")
    client.open(use, USE, version=0)
    bombs = [uri_of(place / f"bomb{number}.py") for number in range(12)]
    for number, bomb in enumerate(bombs):
        client.open(bomb, _BOMB + f"# {number}\n")
    asked = [
        client.begin("sightline/slice", {"textDocument": {"uri": bomb}, "level": "signatures"})
        for bomb in bombs
    ]
    for version in range(1, 7):
        client.change(use, version, {"text": USE + f"# {version}\n"})
        built = client.ask("sightline/buildContext", _cursor(use))
        assert built["status"] == "ok", built["refusal"]
        assert client.ask("textDocument/documentSymbol", {"textDocument": {"uri": use}})
    # Each takes ten seconds of processor time; an edit came behind the questions about them.
    quarantined = client.ask("sightline/indexStatus", {})["quarantined"]
    assert len(quarantined) < len(bombs)
    for identity in asked:
        assert client.answer_of(identity)["result"]["refusal"]["kind"] == "IndexUnavailable"


@pytest.mark.asyncio
async def test_a_build_of_a_slow_text_waits_for_it_and_then_comes_whole(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was edited meanwhile. Then it is in quarantine, and nothing is parsed again."""
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "config"))
    limits = {"budget.max_input_tokens": 1_000_000, "budget.response_token_reserve": 1}
    with Workers(1, time_limit=2.0) as workers:
        session = Session(Toolchain(workers), PositionEncoding.UTF16)
        folder = session.add_folder(str(place))
        assert isinstance(folder, WorkspaceFolder)
        await folder.scan(lambda *_: None)
        session.open(uri_of(place / "bomb.py"), "python", 1, _BOMB)
        request = EditorRequest(active=EditorTarget("bomb.py"))
        first = await session.build(folder, request, limits, None)
        assert isinstance(first, BuildAnswer)
        assert first.result.manifest is not None, first.result.refusal
        assert first.result.index_complete
        (named,) = first.result.manifest.quarantined
        assert (named.path, named.reason) == ("bomb.py", "time_out")
        assert first.result.bundle is not None
        levels = {each.meta.path: each.meta.level for each in first.result.bundle.blocks}
        assert levels["bomb.py"] == "FULL_FILE"
        parsed = folder.host.project.statistics.parsed
        again = await session.build(folder, request, limits, None)
        assert isinstance(again, BuildAnswer)
        assert again.result.rendered == first.result.rendered
        assert folder.host.project.statistics.parsed == parsed
        session.close()


def test_a_large_text_that_is_typed_in_is_taken_in_at_last(client: RawClient, place: Path) -> None:
    """It takes longer than anybody waits for, and each key makes it another text."""
    large = uri_of(place / "large.py")
    text = "".join(f"def function_{n}(a, b):\n    return a * {n} + b\n\n\n" for n in range(30_000))
    client.open(large, text)
    for version in range(2, 12):
        client.change(large, version, {"range": {"start": _START, "end": _START}, "text": "#"})
    client.change(
        large, 12, {"range": {"start": _START, "end": _START}, "text": "def added(): pass\n"}
    )
    # It is answered behind the edits, and before what they made of the text is known.
    assert client.ask("workspace/symbol", {"query": "added"}) == []
    assert client.ask("sightline/indexStatus", {})["index_complete"] is False
    client.wait_until_indexed()
    (found,) = client.ask("workspace/symbol", {"query": "added"})
    assert found["name"] == "added"
    assert client.ask("sightline/indexStatus", {})["quarantined"] == {}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("is_killed", [False, True], ids=["the input ends", "killed"])
def test_it_ends_in_the_middle_of_a_long_parse(
    client: RawClient, place: Path, is_killed: bool
) -> None:
    """No worker goes on for nobody: not until its parse is over."""
    client.open(uri_of(place / "bomb.py"), _BOMB)
    assert client.ask("textDocument/documentSymbol", _document(place / "use.py"))
    assert client.ask("sightline/indexStatus", {})["index_complete"] is False
    assert len(session_processes(client.process.pid)) >= 2
    if is_killed:
        os.kill(client.process.pid, signal.SIGKILL)
    else:
        assert client.process.stdin is not None
        client.process.stdin.close()
    client.process.wait()
    # Less than what is left of the ten seconds that the worker would have.
    assert wait_until_gone(client.process.pid, 5.0) == []


@pytest.mark.asyncio
async def test_what_is_in_quarantine_is_tried_again_after_a_start(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, in the background; where it passes, the index and its revision are others."""
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setattr(disk_looks, "RETRY_SECONDS", 0.0)
    (place / "slow.py").write_text("def slow(a):\n    return a\n\n\n" * 60_000)
    with Workers(1, time_limit=0.05) as workers:
        for is_second in (False, True):
            session = Session(Toolchain(workers), PositionEncoding.UTF16)
            folder = session.add_folder(str(place))
            assert isinstance(folder, WorkspaceFolder)
            await folder.scan(lambda *_: None)
            before, revision = folder.host.snapshot, folder.revision
            assert before.quarantined == ("slow.py",)
            if is_second:
                settled = threading.Event()
                folder.on_settled = settled.set
                monkeypatch.setattr(workers, "_time_limit", 60.0)
                folder.retry_quarantined()
                assert await asyncio.to_thread(settled.wait, PATIENCE_SECONDS)
                assert folder.host.snapshot.quarantined == ()
                assert folder.host.snapshot.fingerprint != before.fingerprint
                assert folder.revision > revision
            session.close()


def _document(path: Path) -> dict[str, Any]:
    return {"textDocument": {"uri": uri_of(path)}}


def _cursor(uri: str) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": 9, "character": 4}}
