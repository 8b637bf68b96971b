"""A client's configuration, and work that waits for quiet."""

from __future__ import annotations

import asyncio
import logging
import time
from pathlib import Path

import pytest
from lsprotocol import types

from sightline.lsp import scheduling
from sightline.lsp.capabilities import can_watch, tells_all
from sightline.lsp.configuration import pushed_section, requested_settings
from sightline.lsp.scheduling import Debouncer
from sightline.settings import Loaded, load
from tests.lsp.conftest import SHAPES, make_place
from tests.lsp.raw import (
    PATIENCE_SECONDS,
    Message,
    RawClient,
    encoded,
    framed,
    plain_reply,
    uri_of,
)


def test_settings_are_taken_nested_or_dotted() -> None:
    """Editors write the same setting in both ways, and humps where we have underscores."""
    nested = {"budget": {"maxInputTokens": 9, "softLimitThresholdPct": 50}, "model": {"name": "m"}}
    dotted = {
        "budget.maxInputTokens": 9,
        "budget.soft_limit_threshold_pct": 50,
        "model": {"name": "m", "other": None},
    }
    expected = {
        "budget.max_input_tokens": 9,
        "budget.soft_limit_threshold_pct": 50,
        "model.name": "m",
    }
    assert requested_settings(nested) == (expected, False, [])
    assert requested_settings(dotted) == (expected, False, [])


@pytest.mark.parametrize(
    "key",
    [
        "policy.allow",
        "secrets.harmless",
        "secrets.onTargetSecret",
        "limits.maxFileBytes",
        "model.profiles",
        "index.store",
        "log.level",
        "nobody.knows",
        "policy",
    ],
)
def test_what_could_loosen_a_guard_is_not_taken(key: str) -> None:
    """It is said instead, by name and never by value."""
    taken, _, problems = requested_settings({key: ["canary"]})
    assert taken == {}
    [problem] = problems
    assert "canary" not in problem


def test_every_setting_that_is_taken_is_one() -> None:
    """What a client may say is understood by the settings, and holds."""
    section = {
        "model": {"name": "claude-sonnet"},
        "budget": {
            "maxInputTokens": 5000,
            "responseTokenReserve": 100,
            "softLimitThresholdPct": 70,
            "estimator": None,
        },
        "render": {"format": "xml"},
        "slicing": {"signatureDocs": "none"},
        "context": {"maxHops": 1, "maxCandidates": 10, "optionalBlocks": False},
        "policy": {"deny": ["/private/"]},
    }
    taken, _, problems = requested_settings(section)
    loaded = load(None, None, {}, taken)
    assert problems == []
    assert isinstance(loaded, Loaded), loaded
    assert "/private/" in loaded.settings.policy.deny
    assert loaded.settings.render.format == "xml"


@pytest.mark.parametrize(
    ("section", "is_wanted"),
    [
        ({"codeLens": {"enabled": True}}, True),
        ({"codeLens.enabled": True}, True),
        ({"codeLens": True}, True),
        ({"codeLens": {"enabled": "yes"}}, False),
        ({"codeLens": {"enabled": 1}}, False),
        ({"codeLens": None}, False),
        ({}, False),
    ],
)
def test_code_lenses_are_wanted_if_somebody_says_so(section: object, is_wanted: bool) -> None:
    """Only true is true."""
    assert requested_settings(section) == ({}, is_wanted, [])


@pytest.mark.parametrize("section", [None, 1, "text", [], [{"model": {"name": "m"}}], True])
def test_a_section_that_is_none_asks_for_nothing(section: object) -> None:
    """A client that has no configuration for us answers with anything."""
    assert requested_settings(section) == ({}, False, [])


def test_many_unknown_settings_are_not_all_told() -> None:
    """A message for each would bury an editor."""
    assert len(requested_settings({f"key{number}": 1 for number in range(999)})[2]) < 10


@pytest.mark.parametrize(
    ("settings", "section"),
    [
        ({"sightline": {"model": 1}, "python": 2}, {"model": 1}),
        ({"sightline": None}, None),
        ({"budget": {"maxInputTokens": 1}}, {"budget": {"maxInputTokens": 1}}),
        ({"codeLens.enabled": True}, {"codeLens.enabled": True}),
        ({"python": {"a": 1}, "budget": {}}, None),
        ({}, {}),
        (None, None),
        ([1], None),
    ],
)
def test_our_section_is_found_in_what_is_pushed(settings: object, section: object) -> None:
    """What is another server's is not taken for ours."""
    assert pushed_section(settings) == section


# Work that waits for quiet.


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "QUIET_SECONDS", 0.001)


def test_what_was_denied_stays_denied_if_the_client_gives_no_answer(tmp_path: Path) -> None:
    """A client that fails to say what holds now has not taken back what it said before."""
    place = make_place(tmp_path / "a place")
    params = {"textDocument": {"uri": uri_of(place / "sub" / "other.py")}, "level": "full"}
    sections: list[object] = [[{"policy": {"deny": ["/sub/"]}}], None, [None]]
    statuses = ["refused", "refused", "ok"]

    def reply(request: Message) -> bytes:
        if request["method"] != "workspace/configuration":
            return plain_reply(request)
        section = sections.pop(0)
        answer: Message = {"jsonrpc": "2.0", "id": request["id"], "result": section}
        if section is None:
            del answer["result"]
            answer["error"] = {"code": -32603, "message": "not now"}
        return framed(encoded(answer))

    with RawClient(tmp_path / "home") as client:
        client.reply = reply
        client.initialize(place)
        for status in statuses:
            assert client.ask("sightline/slice", params)["status"] == status
            if sections:
                client.notify("workspace/didChangeConfiguration", {"settings": None})


def test_not_every_offer_to_watch_is_taken() -> None:
    """Where changes would be missed, or nobody knows whether they are, the server watches."""
    watched = types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
    offering = types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(did_change_watched_files=watched)
    )
    relied_on = {"Visual Studio Code": True, "Eglot": False, "helix": False, None: False}
    for name, is_relied_on in relied_on.items():
        assert can_watch(offering, name) is (name not in ("Eglot", "helix"))
        assert not can_watch(types.ClientCapabilities(), name)
        assert tells_all(name) is is_relied_on


def test_a_client_of_old_names_its_folder_by_path(tmp_path: Path) -> None:
    place = make_place(tmp_path / "a place")
    with RawClient(tmp_path / "home") as client:
        client.initialize(rootPath=str(place), workspaceFolders=None)
        assert client.text_of(uri_of(place / "shapes.py")) == SHAPES


def test_the_disk_is_followed_where_the_client_will_not(tmp_path: Path) -> None:
    """A client that says it can watch, and then refuses to, leaves it to the server."""

    def reply(request: Message) -> bytes:
        if request["method"] != "client/registerCapability":
            return plain_reply(request)
        error = {"code": -32601, "message": "not after all"}
        return framed(encoded({"jsonrpc": "2.0", "id": request["id"], "error": error}))

    place = make_place(tmp_path / "a place")
    with RawClient(tmp_path / "home") as client:
        client.reply = reply
        client.initialize(place)
        client.wait_until_indexed()
        (place / "made.py").write_text("def brand_new(): ...\n")
        end = time.monotonic() + PATIENCE_SECONDS
        while not client.ask("workspace/symbol", {"query": "brand_new"}):
            assert time.monotonic() < end, "nobody told of the new file"
            # Whoever watches may have begun after it was made.
            (place / "made.py").touch()
            time.sleep(0.1)


def test_the_disk_is_followed_when_a_folder_has_been_away(tmp_path: Path) -> None:
    """Nothing is served of a folder that is gone; what it is when it is back is followed."""
    place = make_place(tmp_path / "a place")
    with RawClient(tmp_path / "home") as client:
        client.initialize(place, capabilities={})
        client.wait_until_indexed()
        place.rename(tmp_path / "elsewhere")
        _wait_for_symbols(client, "Shape", are_there=False)
        make_place(place)
        _wait_for_symbols(client, "Shape", are_there=True)
        (place / "made.py").write_text("def brand_new(): ...\n")
        _wait_for_symbols(client, "brand_new", are_there=True)


def test_the_disk_is_followed_when_another_folder_has_the_name(tmp_path: Path) -> None:
    place = make_place(tmp_path / "a place")
    other = make_place(tmp_path / "another place")
    (other / "made.py").write_text("def brand_new(): ...\n")
    with RawClient(tmp_path / "home") as client:
        client.initialize(place, capabilities={})
        client.wait_until_indexed()
        place.rename(tmp_path / "elsewhere")
        other.rename(place)
        _wait_for_symbols(client, "brand_new", are_there=True)
        (place / "made.py").write_text("def newer(): ...\n")
        _wait_for_symbols(client, "newer", are_there=True)


def _wait_for_symbols(client: RawClient, query: str, *, are_there: bool) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    # While its folder is closed or opened, a request has an error for an answer.
    while (
        bool(client.answer_of(client.begin("workspace/symbol", {"query": query})).get("result"))
        is not are_there
    ):
        assert time.monotonic() < end, "nobody told of the change"
        time.sleep(0.1)


@pytest.mark.usefixtures("_quick")
@pytest.mark.asyncio
async def test_pokes_in_a_row_are_one() -> None:
    """And one that comes while work is under way is done behind it, never beside it."""
    begun = 0
    running = 0
    released = asyncio.Event()
    changed = asyncio.Event()

    async def work() -> None:
        nonlocal begun, running
        begun += 1
        running += 1
        assert running == 1
        changed.set()
        await released.wait()
        running -= 1

    debouncer = Debouncer(_nothing)
    for _ in range(100):
        debouncer.later("work", work)
    await changed.wait()
    assert begun == 1
    changed.clear()
    for _ in range(10):
        debouncer.later("work", work)
        await asyncio.sleep(0.002)
    assert begun == 1
    released.set()
    await changed.wait()
    assert begun == 2
    debouncer.stop()


async def _nothing() -> None:
    return


@pytest.mark.usefixtures("_quick")
@pytest.mark.asyncio
@pytest.mark.parametrize(("patience", "ends"), [(60.0, [2]), (0.0, [1, 2])])
async def test_a_status_of_what_is_gone_makes_way(
    patience: float, ends: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is broken off by the next, which takes its place; and after a while it is not."""
    monkeypatch.setattr(scheduling, "_LONGEST_YIELDING_SECONDS", patience)
    begun = 0
    ended: list[int] = []
    released = asyncio.Event()
    changed = asyncio.Event()

    async def work() -> None:
        nonlocal begun
        begun += 1
        mine = begun
        changed.set()
        await released.wait()
        ended.append(mine)
        changed.set()

    debouncer = Debouncer(work)
    debouncer.poke()
    await changed.wait()
    changed.clear()
    debouncer.poke()
    if patience:
        await changed.wait()
    else:
        # Long enough for the second to be due, which here waits for the first.
        await asyncio.sleep(0.05)
    assert begun == (2 if patience else 1)
    released.set()
    while ended[-1:] != [2]:
        changed.clear()
        await changed.wait()
    assert ended == ends
    debouncer.stop()


@pytest.mark.usefixtures("_quick")
@pytest.mark.asyncio
async def test_work_that_fails_is_not_the_last(caplog: pytest.LogCaptureFixture) -> None:
    """Its kind is logged, not what it said, which may quote a file."""
    done = asyncio.Event()
    times = 0

    async def work() -> None:
        nonlocal times
        times += 1
        if times == 1:
            done.set()
            raise ValueError("canary")
        done.set()

    debouncer = Debouncer(work)
    with caplog.at_level(logging.ERROR):
        for _ in range(2):
            debouncer.poke()
            await done.wait()
            done.clear()
    assert times == 2
    assert "ValueError" in caplog.text
    assert "canary" not in caplog.text
    debouncer.stop()


@pytest.mark.usefixtures("_quick")
@pytest.mark.asyncio
async def test_a_board_that_is_stopped_begins_nothing() -> None:
    """What is under way is cancelled, and what waits is forgotten."""
    begun: list[str] = []
    started = asyncio.Event()
    cancelled = asyncio.Event()

    async def work() -> None:
        begun.append("work")
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    debouncer = Debouncer(work)
    debouncer.poke()
    await started.wait()
    debouncer.poke()
    debouncer.stop()
    debouncer.poke()
    await cancelled.wait()
    await asyncio.sleep(0.01)
    assert begun == ["work"]
