"""The snapshot object: its JSON, its rules, and that it does not change once it is final."""

from __future__ import annotations

import copy
import json
import pickle
import uuid
from collections.abc import Callable
from typing import Any

import attrs
import msgspec
import pytest

from sightline.provenance.identity import new_object_id
from sightline.provenance.model import ContextItem, ContextSnapshot, preview_of, read_snapshot
from sightline.provenance.vocabulary import ActorRef, SelectionStrategy, SnapshotError

_SHA1 = "ab" * 20
_SHA256 = "cd" * 32
_ID = "01890a5d-ac96-774b-bcce-b302099a8057"


def _snapshot(**more: Any) -> ContextSnapshot:
    fields: dict[str, Any] = {
        "object_id": _ID,
        "created_at": "2026-01-02T03:04:05Z",
        "created_by": ActorRef("agent", "coder"),
        "selection_strategy": SelectionStrategy.HEURISTIC,
        **more,
    }
    return ContextSnapshot(**fields)


def test_a_new_snapshot_has_no_items_and_no_summary() -> None:
    assert json.loads(_snapshot().to_json()) == {
        "object_id": _ID,
        "object_type": "context_snapshot",
        "version": 1,
        "created_at": "2026-01-02T03:04:05Z",
        "created_by": {"kind": "agent", "id": "coder"},
        "selection_strategy": "heuristic",
    }


def test_items_and_summary_are_added_to_a_draft() -> None:
    draft = ContextSnapshot.new(ActorRef.agent("coder"), SelectionStrategy.HEURISTIC)
    assert (draft.items, draft.summary) == ((), None)
    draft.add_item(ContextItem.new("file", "src/main.rs"))
    draft.set_summary("selected by relevance")
    assert [each.path for each in draft.items] == ["src/main.rs"]
    assert draft.summary == "selected by relevance"
    assert str(draft) == f"ContextSnapshot: {draft.object_id}"


@pytest.mark.parametrize("kind", ["file", "url", "snippet", "command", "image", "our own"])
def test_every_kind_survives_a_round_trip(kind: str) -> None:
    item = ContextItem(kind, "a path", "begins so", _SHA1, {"note": "redacted"})
    snapshot = _snapshot(items=(item,), summary="one", is_final=True, more={"build": {"a": 1}})
    assert read_snapshot(snapshot.to_json()) == snapshot
    written = json.loads(snapshot.to_json())["items"][0]["kind"]
    assert written == (kind if kind != "our own" else {"other": "our own"})


@pytest.mark.parametrize(("blob", "name"), [(_SHA1, "Sha1"), (_SHA256, "Sha256")])
def test_the_peer_form_of_a_hash_is_written_and_read(blob: str, name: str) -> None:
    snapshot = _snapshot(items=(ContextItem("file", "a", None, blob),), is_final=True)
    peer = snapshot.to_json(interop=True)
    assert json.loads(peer)["items"][0]["blob"] == {name: list(bytes.fromhex(blob))}
    assert read_snapshot(peer) == snapshot


@pytest.mark.parametrize("form", [bytes.fromhex(_SHA1), {"Sha1": list(bytes.fromhex(_SHA1))}])
def test_an_item_takes_an_id_in_every_form(form: Any) -> None:
    assert ContextItem("file", "a", blob=form).blob == _SHA1
    item = ContextItem.new("file", "a")
    item.set_blob(form)
    assert item.blob == _SHA1


def test_the_methods_of_the_documents_objects() -> None:
    snapshot = _snapshot(items=(ContextItem("file", "a", None, _SHA1),))
    assert ContextSnapshot.from_bytes(snapshot.to_data(), _SHA1) == snapshot
    assert snapshot.to_data() == snapshot.to_json()
    assert snapshot.get_size() == len(snapshot.to_data())
    assert snapshot.get_type() == "context_snapshot"
    assert ContextSnapshot.from_dict(snapshot.to_dict()) == snapshot
    assert snapshot.finalize().is_final
    for wrong in ({"a": object()}, {}, {"object_type": "run"}):
        with pytest.raises(SnapshotError):
            ContextSnapshot.from_dict(wrong)


def test_a_final_snapshot_does_not_change() -> None:
    """Neither through its methods nor by assignment, and no item of it, nor what it has besides."""
    item = ContextItem("file", "a")
    final = _snapshot(items=(item,), more={"build": {"commit": "x", "files": [["a", "b"]]}})
    item.set_blob(_SHA1)
    assert final.finalise() is final
    changes: list[Callable[[], object]] = [
        lambda: final.add_item(ContextItem("file", "b")),
        lambda: final.set_summary("x"),
        lambda: setattr(final, "items", ()),
        lambda: setattr(final, "is_final", False),
        lambda: item.set_blob(None),
        lambda: setattr(item, "path", "b"),
    ]
    for change in changes:
        with pytest.raises(SnapshotError, match="does not change"):
            change()
    with pytest.raises(TypeError):
        final.more["build"]["commit"] = "y"
    assert final.finalise() is final


def test_only_a_draft_lacks_blobs() -> None:
    draft = _snapshot(items=(ContextItem("file", "a"),))
    with pytest.raises(SnapshotError, match="has no blob"):
        draft.finalise()
    assert not ContextSnapshot.from_json(draft.to_json()).is_final


def test_a_draft_has_a_header_of_its_own() -> None:
    draft = ContextSnapshot.new(ActorRef.human("ada", "Ada"), "explicit")
    header = draft.header
    assert (header.object_type, header.version) == ("context_snapshot", 1)
    assert (header.object_id, header.created_at) == (draft.object_id, draft.created_at)
    assert header.created_by == ActorRef("human", "ada", "Ada")
    assert ContextSnapshot.from_json(draft.to_json().decode()) == draft
    kinds = [ActorRef.human, ActorRef.agent, ActorRef.system, ActorRef.mcp_client]
    assert [make("x").kind for make in kinds] == ["human", "agent", "system", "mcp_client"]


def test_the_id_of_a_sealed_snapshot_follows_from_its_content() -> None:
    """Every change of a field, an item or their order is seen."""
    items = (ContextItem("file", "a", "x", _SHA1), ContextItem("url", "b", None, _SHA1))
    sealed = _snapshot(items=items, summary="s", more={"build": {"n": 1}}).sealed(1_700_000_000_000)
    assert sealed.is_sealed
    number = uuid.UUID(sealed.object_id)
    assert (number.version, number.variant) == (7, uuid.RFC_4122)
    assert number.int >> 80 == 1_700_000_000_000
    assert sealed.created_at == "2023-11-14T22:13:20.000Z"
    again = _snapshot(items=items, summary="s", more={"build": {"n": 1}})
    assert again.sealed(1_700_000_000_000).object_id == sealed.object_id
    assert again.sealed(1_700_000_000_001).object_id[:14] != sealed.object_id[:14]
    assert read_snapshot(sealed.to_json(interop=True)).is_sealed
    changes: list[dict[str, Any]] = [
        {"created_at": "2026-01-02T03:04:06Z"},
        {"created_by": ActorRef("human", "coder")},
        {"selection_strategy": SelectionStrategy.EXPLICIT},
        {"items": items[::-1]},
        {"items": items[:1]},
        {"summary": None},
        {"more": {"build": {"n": 2}}},
        {"object_id": sealed.object_id[:-1] + ("0" if sealed.object_id[-1] != "0" else "1")},
    ]
    assert [attrs.evolve(sealed, **each).is_sealed for each in changes] == [False] * len(changes)


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        (("file", " "), "path cannot be empty"),
        (("", "a"), "kind of an item is empty"),
        (("file", "a", "x" * 500), "500 characters"),
        (("file", "a", None, "zz"), "not the id of a git object"),
    ],
)
def test_a_wrong_item_is_refused(item: tuple[Any, ...], problem: str) -> None:
    with pytest.raises(SnapshotError, match=problem):
        ContextItem(*item)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"object_type": "run"}, "not a context snapshot"),
        ({"version": 2}, "version is not 1"),
        ({"version": True}, "version is not 1"),
        ({"created_at": "2026-13-45T99:00:00Z"}, "RFC 3339"),
        ({"object_id": "x"}, "not a UUID"),
        ({"created_at": "yesterday"}, "RFC 3339"),
        ({"created_by": None}, "does not say who made it"),
        ({"created_by": {"kind": "human", "id": " "}}, "does not say who made it"),
        ({"selection_strategy": "random"}, "strategy is unknown"),
        ({"items": {}}, "items is not a list"),
        ({"summary": 5}, "summary is not a text"),
        ({"created_by": {"kind": "human", "id": "x", "display_name": 5}}, "display_name"),
        ({"items": [{"kind": "file", "path": "a", "preview": 5}]}, "preview"),
        ({"items": [1]}, "item is not a JSON object"),
        ({"items": [{"kind": 1, "path": "a"}]}, "kind of an item cannot be read"),
        ({"items": [{"kind": "file", "path": "a", "blob": {"Sha1": [1]}}]}, "id of a git object"),
        ({"items": [{"kind": "file", "path": "a", "blob": {"Sha1": [999] * 20}}]}, "git object"),
        ({"items": [{"kind": "file", "path": "a", "blob": {"Sha1": [True] * 20}}]}, "git object"),
    ],
)
def test_a_wrong_snapshot_is_refused(change: dict[str, Any], problem: str) -> None:
    values = {**json.loads(_snapshot().to_json()), **change}
    with pytest.raises(SnapshotError, match=problem):
        read_snapshot(json.dumps(values).encode())


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"[" * 100_000, "\ud800", None, 5])
def test_what_is_no_json_object_is_refused(data: Any) -> None:
    with pytest.raises(SnapshotError):
        ContextSnapshot.from_json(data)


def test_ids_are_uuids_of_version_seven_that_sort_by_time() -> None:
    early = new_object_id(1_700_000_000_000, b"\xff" * 10)
    late = new_object_id(1_700_000_000_001, b"\0" * 10)
    assert early < late
    assert uuid.UUID(early).version == 7
    assert uuid.UUID(early).variant == uuid.RFC_4122


def test_a_preview_is_short() -> None:
    assert preview_of("  x \n") == "x"
    assert preview_of(" \n") is None
    assert len(preview_of("y" * 900) or "") == 499


def test_unknown_fields_and_the_form_of_the_peer_are_kept() -> None:
    """A snapshot as the peer library writes it: hashes as numbers, time to the nanosecond."""
    written = {
        "object_id": "019c8d5e-3b1f-7c3a-9f5e-0123456789ab",
        "object_type": "context_snapshot",
        "version": 1,
        "created_at": "2026-02-25T12:00:00.123456789Z",
        "created_by": {"kind": "ci_robot", "id": "build", "team": "blue"},
        "selection_strategy": "explicit",
        "items": [
            {"kind": "file", "path": "a", "blob": {"Sha1": [171] * 20}, "weight": 2},
            {"kind": {"other": "file"}, "path": "b", "preview": "x", "blob": {"Sha256": [1] * 32}},
        ],
        "summary": "two",
        "visibility": {"public": [True, None]},
    }
    data = msgspec.json.encode(written)
    snapshot = read_snapshot(data)
    assert snapshot.to_json(interop=True) == data
    assert read_snapshot(snapshot.to_json()) == snapshot
    assert json.loads(snapshot.to_json())["items"][0]["blob"] == _SHA1
    assert snapshot.created_by.kind == "ci_robot"
    assert not snapshot.is_sealed


@pytest.mark.parametrize("text", ["\ud800", "a\udcffb"])
def test_text_that_json_cannot_hold_is_refused(text: str) -> None:
    for wrong in (
        lambda: ContextItem("file", text),
        lambda: ContextItem("file", "a", text),
        lambda: ContextItem(text, "a"),
        lambda: ActorRef("human", text),
        lambda: ActorRef("human", "a", text),
        lambda: _snapshot(summary=text),
        lambda: _snapshot(more={"a": object()}).to_json(),
    ):
        with pytest.raises(SnapshotError):
            wrong()


@pytest.mark.parametrize("value", [float("nan"), b"x", {1}, {5: 1}, {"\ud800": 1}, object()])
def test_additional_fields_hold_only_json(value: Any) -> None:
    """JSON would lose such a value, or write another one in its place."""
    for wrong in (
        lambda: _snapshot(more={"a": value}),
        lambda: ContextItem("file", "a", None, None, {"a": [value]}),
        lambda: ActorRef("human", "a", more={"a": {"b": value}}),
        lambda: _snapshot(more=[value]),
    ):
        with pytest.raises(SnapshotError):
            wrong()


def test_additional_fields_do_not_replace_those_of_the_document() -> None:
    for wrong in (
        lambda: _snapshot(more={"summary": "x"}),
        lambda: ContextItem("file", "a", None, None, {"path": "b"}),
        lambda: ActorRef("human", "a", more={"id": "b"}),
    ):
        with pytest.raises(SnapshotError, match="is a field of the document"):
            wrong()


def test_fields_cannot_be_deleted_and_copies_are_equal() -> None:
    final = _snapshot(items=(ContextItem("file", "a", None, _SHA1),), more={"build": {"a": [1]}})
    final.finalise()
    for each, name in ((final, "summary"), (final.items[0], "blob")):
        with pytest.raises(SnapshotError, match="cannot be deleted"):
            delattr(each, name)
    copies = [copy.copy(final), copy.deepcopy(final), pickle.loads(pickle.dumps(final))]
    assert copies == [final] * 3
    assert all(each.is_final for each in copies)


def test_many_items_are_added_in_turn() -> None:
    draft = _snapshot()
    for number in range(5_000):
        draft.add_item(ContextItem("snippet", f"{number}"))
    assert [each.path for each in draft.items] == [str(number) for number in range(5_000)]
