"""What is asked is answered for the text of that moment, whatever comes behind it."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.conftest import SHAPES, USE, make_place
from tests.lsp.raw import (
    PATIENCE_SECONDS,
    Message,
    RawClient,
    encoded,
    framed,
    plain_reply,
    uri_of,
)

_OTHER = "def another() -> int:\n    return 1\n"
_IN_TOTAL = {"line": 9, "character": 4}


class _Hesitant:
    """A client that thinks about its configuration for as long as a test wants it to."""

    def __init__(self, client: RawClient) -> None:
        self._client = client
        self._asked: queue.SimpleQueue[Message] = queue.SimpleQueue()

    def begin(self) -> None:
        """Have the server ask, and wait."""
        self._client.reply = self._keep
        self._client.notify("workspace/didChangeConfiguration", {"settings": None})

    def end(self) -> None:
        asked = self._asked.get(timeout=PATIENCE_SECONDS)
        self._client.reply = plain_reply
        self._client.send(plain_reply(asked))

    def _keep(self, request: Message) -> bytes:
        if request["method"] != "workspace/configuration":
            return plain_reply(request)
        self._asked.put(request)
        return b""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return make_place(tmp_path / "a place")


@pytest.fixture
def client(tmp_path: Path, place: Path) -> Iterator[RawClient]:
    with RawClient(tmp_path / "home") as client:
        client.initialize(place)
        # The index counts as one more revision when it is done.
        client.wait_for_notification("$/progress", lambda each: each["value"]["kind"] == "end")
        yield client
        assert not client.faults


def test_an_edit_does_not_overtake_a_request_that_waits_for_settings(
    client: RawClient, place: Path
) -> None:
    uri = uri_of(place / "use.py")
    document = {"textDocument": {"uri": uri}}
    hesitant = _Hesitant(client)
    client.open(uri, USE)
    hesitant.begin()
    cut = client.begin("sightline/slice", {**document, "level": "full"})
    build = client.begin("sightline/buildContext", {**document, "position": _IN_TOTAL})
    arguments = [{**document, "position": _IN_TOTAL}]
    command = client.begin(
        "workspace/executeCommand",
        {"command": "sightline.buildContext", "arguments": arguments},
    )
    client.change(uri, 2, {"text": _OTHER})
    hesitant.end()
    assert client.answer_of(cut)["result"]["content"] == USE
    assert _targets(client.answer_of(build)) == ["use.py::total"]
    assert _targets(client.answer_of(command)) == ["use.py::total"]
    assert client.text_of(uri) == _OTHER


def test_what_cannot_be_understood_does_not_overtake_what_can(
    client: RawClient, place: Path
) -> None:
    """The last that is known of the document is that its text is not known."""
    uri = uri_of(place / "use.py")
    hesitant = _Hesitant(client)
    client.open(uri, USE)
    hesitant.begin()
    client.change(uri, 2, {"text": _OTHER})
    client.change(uri, 3, {})
    hesitant.end()
    answer = client.ask("sightline/slice", {"textDocument": {"uri": uri}, "level": "full"})
    assert answer["refusal"]["reason"] == "out_of_step"


def test_an_edit_does_not_overtake_a_build_that_names_a_closed_file(
    client: RawClient, place: Path
) -> None:
    """A place in a closed file is made out from the disk, which takes a while."""
    uri = uri_of(place / "use.py")
    closed = {"uri": uri_of(place / "shapes.py"), "position": {"line": 1, "character": 8}}
    client.open(uri, USE)
    build = client.begin(
        "sightline/buildContext",
        {
            "textDocument": {"uri": uri},
            "position": _IN_TOTAL,
            "userSelectedTargets": [closed],
        },
    )
    client.change(uri, 2, {"text": _OTHER})
    assert "use.py::total" in _targets(client.answer_of(build))


@pytest.mark.parametrize(
    ("method", "params"),
    [("slice", {"level": "full"}), ("explain", {}), ("buildContext", {})],
    ids=["slice", "explain", "buildContext"],
)
def test_the_revision_is_that_of_the_answer_and_not_of_what_was_typed_since(
    client: RawClient, place: Path, method: str, params: Message
) -> None:
    """Each change is one revision, so that answers with ten changes between them are ten apart."""
    uri = uri_of(place / "use.py")
    client.open(uri, USE)
    asked = []
    for version in range(2, 102):
        if version % 10 == 2:
            asked.append(
                client.begin(f"sightline/{method}", {"textDocument": {"uri": uri}, **params})
            )
        client.change(uri, version, {"text": f"# {version}\n{USE}"})
    revisions = [client.answer_of(each)["result"]["revision"] for each in asked]
    assert revisions == list(range(revisions[0], revisions[0] + 100, 10))


@pytest.mark.parametrize(
    ("name", "rule"),
    [(".gitignore", "/shapes.py\n"), (".sightline.toml", '[policy]\ndeny = ["/shapes.py"]\n')],
    ids=["ignored", "denied"],
)
@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
def test_what_is_denied_by_now_is_not_served_until_the_index_knows(
    client: RawClient, place: Path, name: str, rule: str, is_open: bool
) -> None:
    """The client tells of the rule and asks in the same breath."""
    shapes = {"textDocument": {"uri": uri_of(place / "shapes.py")}}
    use = {"textDocument": {"uri": uri_of(place / "use.py")}}
    if is_open:
        client.open(shapes["textDocument"]["uri"], SHAPES)
    assert "class Shape:" in client.ask("sightline/buildContext", use)["rendered"]
    (place / name).write_text(rule)
    change = {"uri": uri_of(place / name), "type": 1}
    client.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
    cut = client.begin("sightline/slice", {**shapes, "level": "full"})
    build = client.begin("sightline/buildContext", use)
    assert client.answer_of(cut)["result"]["refusal"]["reason"] == "deny_rule"
    assert "class Shape:" not in str(client.answer_of(build)["result"]["rendered"])


@pytest.mark.parametrize("method", ["initialize", "shutdown"])
def test_a_request_without_an_id_is_none(client: RawClient, place: Path, method: str) -> None:
    """What is open stays open, and is served."""
    uri = uri_of(place / "use.py")
    client.open(uri, _OTHER)
    client.notify(method, {"processId": None, "rootUri": None, "capabilities": {}})
    assert client.text_of(uri) == _OTHER


def test_what_a_build_comes_upon_on_the_disk_is_another_revision(
    client: RawClient, place: Path
) -> None:
    """Nobody told of the change; two answers of one revision are the same."""
    params = {"textDocument": {"uri": uri_of(place / "use.py")}}
    first = client.ask("sightline/buildContext", params)
    assert client.ask("sightline/buildContext", params)["revision"] == first["revision"]
    (place / "use.py").write_text(_OTHER)
    second = client.ask("sightline/buildContext", params)
    assert "another" in second["rendered"]
    assert first["revision"] < second["revision"] <= second["current_revision"]


def test_what_was_told_of_the_disk_is_in_what_is_asked_next(client: RawClient, place: Path) -> None:
    """The client tells of a new file and asks in the same breath."""
    params = {"textDocument": {"uri": uri_of(place / "shapes.py")}}
    before = client.ask("sightline/buildContext", params)["revision"]
    (place / "made.py").write_text("import shapes\n\n\ndef made(): return shapes.Shape().area()\n")
    change = {"uri": uri_of(place / "made.py"), "type": 1}
    client.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
    built = client.ask("sightline/buildContext", params)
    assert built["index_complete"]
    assert built["revision"] > before
    paths = [each["path"] for each in built["manifest"]["selection"]["included_files"]]
    assert "made.py" in paths


def test_an_explanation_is_of_one_text(client: RawClient, place: Path) -> None:
    """Its verdict too, though the text is another by the time that it is made out."""
    uri = uri_of(place / "use.py")
    client.open(uri, USE)
    params = {
        "textDocument": {"uri": uri_of(place / "shapes.py")},
        "target": {"uri": uri, "position": _IN_TOTAL},
    }
    asked = []
    for version in range(2, 12):
        asked.append(client.begin("sightline/explain", params))
        client.change(uri, version, {"text": USE if version % 2 else _OTHER})
    verdicts = [client.answer_of(each)["result"]["candidate"] for each in asked]
    is_used = [each.get("reason") == "dependency" for each in verdicts]
    assert is_used == [True, False] * 5, verdicts


def test_many_changes_at_once_are_one(client: RawClient, place: Path) -> None:
    """More than are looked at one by one: another branch, with other rules."""
    (place / "made.py").write_text("def brand_new(): ...\n")
    (place / ".sightline.toml").write_text('[policy]\ndeny = ["/shapes.py"]\n')
    names = [".sightline.toml", "made.py", *(f"gone/{number}.py" for number in range(2_000))]
    changes = [{"uri": uri_of(place / name), "type": 2} for name in names]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    shapes = {"textDocument": {"uri": uri_of(place / "shapes.py")}, "level": "full"}
    assert client.ask("sightline/slice", shapes)["refusal"]["reason"] == "deny_rule"
    end = time.monotonic() + PATIENCE_SECONDS
    while not client.answer_of(client.begin("workspace/symbol", {"query": "brand_new"}))["result"]:
        assert time.monotonic() < end, "nobody looked"
        time.sleep(0.05)


def test_no_revision_comes_twice(client: RawClient, place: Path) -> None:
    """A folder that is opened anew, since other files of it are visible, goes on counting."""
    revisions: list[int] = []

    def reply(request: Message) -> bytes:
        if request["method"] != "workspace/configuration":
            return plain_reply(request)
        section = {"policy": {"deny": [f"denied-{len(revisions)}"]}}
        return framed(encoded({"jsonrpc": "2.0", "id": request["id"], "result": [section]}))

    client.reply = reply
    for name in ("use.py", "shapes.py", "secret.py"):
        client.open(uri_of(place / name), USE)
    for _ in range(3):
        revisions.append(client.ask("sightline/indexStatus", {})["revision"])
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        client.wait_until_indexed()
    assert revisions == sorted(set(revisions))


def _targets(answer: Message) -> Any:
    result = answer["result"]
    assert result["status"] == "ok", result["refusal"]
    return result["manifest"]["selection"]["target_symbols"]
