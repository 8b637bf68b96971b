"""What a reviewer of the folder's threads found: each once a fault."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from sightline.context import BuildRequest, TargetSpec
from sightline.engine.index import index_status
from sightline.lsp.folder import FolderClosedError, WorkspaceFolder
from sightline.lsp.folder_builds import BuildAnswer, build
from sightline.lsp.session import Session
from sightline.refusals import Refusal
from tests.lsp.raw import uri_of

pytestmark = pytest.mark.asyncio
_REQUEST = BuildRequest(targets=(TargetSpec(path="use.py"),))


@pytest.fixture
def folder(session: Session, place: Path) -> WorkspaceFolder:
    return session.folders[str(place)]


async def test_the_index_status_leaves_the_build_cache_alone(
    folder: WorkspaceFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked on the event loop, and the cache is the editors' thread's."""

    def touched(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(folder.host.cache, "scanned", touched)
    monkeypatch.setattr(folder.host.cache, "with_findings", touched)
    assert index_status(folder.host).files > 0


async def test_settings_that_cannot_be_read_refuse_a_build_with_settings_of_its_own(
    folder: WorkspaceFolder, place: Path
) -> None:
    """No build was made, so there is none to compare a record with."""
    (place / ".sightline.toml").write_text("budget = [\n")
    answered = await build(folder, _REQUEST, {"budget.max_input_tokens": 20_000})
    assert isinstance(answered, Refusal)
    assert answered.reason == "bad_setting"


async def test_a_build_of_a_folder_that_was_closed_meanwhile_is_no_answer(
    folder: WorkspaceFolder,
) -> None:
    """The folder that is opened in its place may count the same revision."""
    gate = threading.Event()
    waiting = asyncio.create_task(folder.run_in_turn(gate.wait))
    built = asyncio.create_task(build(folder, _REQUEST, {}))
    await asyncio.sleep(0.01)
    folder.close()
    gate.set()
    outcomes = await asyncio.gather(waiting, built, return_exceptions=True)
    assert [type(each) for each in outcomes] == [FolderClosedError, FolderClosedError]


async def test_who_waits_for_a_closed_file_is_told_when_the_folder_closes(
    session: Session, folder: WorkspaceFolder, place: Path
) -> None:
    """At once, and not when the wait is over."""
    uri = uri_of(place / "use.py")
    session.open(uri, "python", 1, "typed = 1\n")
    assert isinstance(await build(folder, _REQUEST, {}), BuildAnswer)
    gate = threading.Event()
    folder._disk.submit(gate.wait)
    session.close_document(uri)
    built = asyncio.create_task(build(folder, _REQUEST, {}))
    await asyncio.sleep(0.05)
    folder.close()
    with pytest.raises(FolderClosedError):
        await asyncio.wait_for(built, 10)
    gate.set()


async def test_a_broken_look_at_the_disk_does_not_end_watching(
    folder: WorkspaceFolder, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that fails is made up for by the next."""
    refresh = folder.refresh
    failed: list[bool] = []

    async def once_broken(_: object = ()) -> None:
        if not failed:
            failed.append(True)
            raise RuntimeError
        await refresh(())

    monkeypatch.setattr(folder, "refresh", once_broken)
    monkeypatch.setattr("sightline.lsp.disk_looks.ROOT_SECONDS", 0.01)
    seen = asyncio.Event()
    folder.watch(asyncio.get_running_loop(), lambda _: seen.set())
    await asyncio.wait_for(seen.wait(), 300)
    (place / "made.py").write_text("def made(): ...\n")
    async with asyncio.timeout(300):
        while "made.py" not in folder.host.snapshot.files:
            await asyncio.sleep(0.02)
    assert failed
