"""Where the editor's text is not known, no other is served in its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sightline.lsp.open_documents import ContentChange
from sightline.lsp.session import Session
from sightline.text import Position
from tests.lsp.conftest import SHAPES, make_place
from tests.lsp.raw import RawClient, uri_of


def _piece(start: int, end: float) -> dict[str, Any]:
    """A change from one column of the first line to another."""
    ends = {"start": {"line": 0, "character": start}, "end": {"line": 0, "character": end}}
    return {"range": ends, "text": "x"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_place(tmp_path_factory.mktemp("out of step") / "a place")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, place: Path) -> Iterator[RawClient]:
    with RawClient(tmp_path_factory.mktemp("home")) as client:
        client.initialize(place)
        yield client
        assert not client.faults


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "not open"])
@pytest.mark.parametrize(
    "changes",
    [
        [{"text": "x", "range": {"start": {"line": 0, "character": 0}}}],
        [_piece(0, 2**31)],
        [_piece(-1, 0)],
        [_piece(1, 0)],
        [{"text": "whole"}, {}],
        [{"text": None}],
        [{"text": ["whole"]}],
        [{**_piece(0, 1), "text": 5}],
        [{**_piece(0, 1), "text": None}],
        [_piece(0, 0.5)],
        [5],
        None,
    ],
    ids=[
        *("half a range", "too far", "negative", "reversed", "no text"),
        *("null for a text", "list for a text", "number for a piece", "null for a piece"),
        *("half a column", "number", "null"),
    ],
)
def test_a_change_that_cannot_be_made_is_not_passed_over(
    client: RawClient, place: Path, changes: Any, is_open: bool
) -> None:
    """The document is out of step, which is said once, until its text is whole or it is closed."""
    uri = uri_of(place / "shapes.py")
    if is_open:
        client.open(uri, SHAPES)
    told = len(client.shown)
    for version in (2, 3):
        document = {"uri": uri, "version": version}
        client.notify(
            "textDocument/didChange", {"textDocument": document, "contentChanges": changes}
        )
    assert _refusal(client, uri) == "out_of_step"
    assert len(client.shown) == told + 1
    client.change(uri, 4, {"text": "class Whole: ...\n"})
    assert client.text_of(uri) == "class Whole: ...\n"
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert client.text_of(uri) == SHAPES


@pytest.mark.parametrize("wrong", [{"version": None}, {"version": "1"}, {"text": None}], ids=str)
def test_a_text_that_cannot_be_read_is_not_the_one_on_the_disk(
    client: RawClient, place: Path, wrong: dict[str, object]
) -> None:
    """A file is open though nobody knows with which text: it is withheld until it is closed."""
    uri = uri_of(place / "shapes.py")
    document = {"uri": uri, "languageId": "python", "version": 1, "text": "class Unread: ..."}
    document |= wrong
    client.notify("textDocument/didOpen", {"textDocument": document})
    assert _refusal(client, uri) == "out_of_step"
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert client.text_of(uri) == SHAPES


@pytest.mark.asyncio
async def test_of_several_names_of_a_file_the_one_spoken_of_last_counts(
    session: Session, place: Path
) -> None:
    """A file is withheld while the last that is known of it is that its text is not known."""
    folder = session.folders[str(place)]
    uri = uri_of(place / "shapes.py")
    other = uri.replace("file:///", "file://localhost/")
    session.open(uri, "python", 1, "one = 1\n")
    session.open(other, "python", 1, "other = 1\n")
    assert folder.lost() == frozenset()
    session.lose(uri, "nobody knows")
    assert folder.lost() == {"shapes.py"}
    assert session.out_of_step(other) is not None
    session.change(other, 2, [ContentChange("two", Position(0, 0), Position(0, 5))])
    assert folder.lost() == frozenset()
    assert session.out_of_step(uri) is not None
    assert session.out_of_step(other) is None
    session.lose(uri, "nobody knows")
    session.close_document(uri)
    assert folder.lost() == frozenset()
    await folder.run_in_turn(lambda: None)
    assert str(folder.host.project.text_of("shapes.py")) == "two = 1\n"
    session.close_document(other)
    await folder.run_in_turn(folder.await_all_closed)
    assert folder.host.project.text_of("shapes.py") is None


def _refusal(client: RawClient, uri: str) -> str:
    answer = client.ask("sightline/slice", {"textDocument": {"uri": uri}, "level": "full"})
    reason: str = answer["refusal"]["reason"]
    return reason
