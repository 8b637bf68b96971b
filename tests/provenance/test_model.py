"""The snapshot object: its JSON, its rules, and that it does not change once it is final."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from sightline.provenance.model import (
    Actor,
    ContextItem,
    ContextSnapshot,
    SelectionStrategy,
    SnapshotError,
    new_object_id,
    preview_of,
    read_snapshot,
)

_SHA1 = "ab" * 20
_SHA256 = "cd" * 32
_ID = "01890a5d-ac96-774b-bcce-b302099a8057"


def _snapshot(**more: Any) -> ContextSnapshot:
    fields: dict[str, Any] = {
        "object_id": _ID,
        "created_at": "2026-01-02T03:04:05Z",
        "created_by": Actor("agent", "coder"),
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
    draft = _snapshot().with_item(ContextItem("file", "src/main.rs"))
    draft = draft.with_summary("selected by relevance")
    assert [each.path for each in draft.items] == ["src/main.rs"]
    assert draft.summary == "selected by relevance"
    assert str(draft) == f"ContextSnapshot: {_ID}"


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


def test_a_final_snapshot_does_not_change() -> None:
    final = _snapshot(items=(ContextItem("file", "a", None, _SHA1),)).finalised()
    with pytest.raises(SnapshotError, match="does not change"):
        final.with_item(ContextItem("file", "b"))
    with pytest.raises(SnapshotError, match="does not change"):
        final.with_summary("x")
    with pytest.raises(SnapshotError, match="does not change"):
        final.finalised()


def test_only_a_draft_lacks_blobs() -> None:
    with pytest.raises(SnapshotError, match="has no blob"):
        _snapshot(items=(ContextItem("file", "a"),)).finalised()


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        (("file", " "), "path of an item is empty"),
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
        ({"object_id": "x"}, "not a UUID"),
        ({"created_at": "yesterday"}, "RFC 3339"),
        ({"created_by": None}, "not named"),
        ({"created_by": {"kind": "human", "id": " "}}, "not named"),
        ({"selection_strategy": "random"}, "strategy is unknown"),
        ({"items": {}}, "items is not a list"),
        ({"items": [1]}, "item is not a JSON object"),
        ({"items": [{"kind": 1, "path": "a"}]}, "kind of an item cannot be read"),
        ({"items": [{"kind": "file", "path": "a", "blob": {"Sha1": [1]}}]}, "id of a git object"),
        ({"items": [{"kind": "file", "path": "a", "blob": {"Sha1": [999] * 20}}]}, "git object"),
    ],
)
def test_a_wrong_snapshot_is_refused(change: dict[str, Any], problem: str) -> None:
    values = {**json.loads(_snapshot().to_json()), **change}
    with pytest.raises(SnapshotError, match=problem):
        read_snapshot(json.dumps(values).encode())


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"[" * 100_000])
def test_what_is_no_json_object_is_refused(data: bytes) -> None:
    with pytest.raises(SnapshotError):
        read_snapshot(data)


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
