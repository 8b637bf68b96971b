"""Snapshots from Python, and by name as the document's own test makes them."""

from __future__ import annotations

from pathlib import Path

import pytest

import sightline
from sightline.provenance import (
    ActorRef,
    ContextItem,
    ContextItemKind,
    ContextSnapshot,
    SelectionStrategy,
    SnapshotError,
)
from tests.provenance.repository import SECRET, git


def test_accessors_and_mutators() -> None:
    """The test of the document, word by word."""
    actor = ActorRef.agent("coder")
    snapshot = ContextSnapshot(created_by=actor, selection_strategy=SelectionStrategy.HEURISTIC)
    assert snapshot.selection_strategy == SelectionStrategy.HEURISTIC
    assert (snapshot.items, snapshot.summary) == ((), None)
    snapshot.add_item(ContextItem(ContextItemKind.FILE, "src/main.rs"))
    snapshot.set_summary("selected by relevance")
    assert len(snapshot.items) == 1
    assert snapshot.summary == "selected by relevance"
    assert ContextSnapshot.from_json(snapshot.to_json()) == snapshot


def test_items_are_read_and_changed_as_in_the_document() -> None:
    item = ContextItem(kind="file", path="src/main.rs")
    assert (item.preview, item.blob) == (None, None)
    item.set_blob("ab" * 20)
    item.set_preview("fn main() {}")
    assert (item.blob, item.preview) == ("ab" * 20, "fn main() {}")
    item.set_blob(None)
    assert item.blob is None
    for path in ("", " ", "\n\t"):
        with pytest.raises(SnapshotError, match="path cannot be empty"):
            ContextItem(ContextItemKind.FILE, path)
        with pytest.raises(SnapshotError, match="path cannot be empty"):
            item.path = path
    for kind in (ContextItemKind.other("trace"), "trace", {"other": "trace"}):
        assert ContextItem(kind, "x").kind == "trace"


def test_python_records_lists_and_verifies(root: Path) -> None:
    with sightline.open(root) as workspace:
        snapshots = workspace.snapshots
        result = workspace.build("src/app.py::total")
        made = snapshots.record(result, created_by="agent:coder", summary="for a test")
        name = str(made.snapshot["object_id"])
        assert snapshots.verify(name).is_verified
        assert snapshots.cat(name[:13]).rendered == result.rendered
        items = snapshots.create(
            ("file", "src/app.py", b""),
            ("command", f"deploy --token {SECRET}", f"key {SECRET}".encode()),
            ("image", "shot.png", b"\x89PNG\r\n\x1a\n\0"),
            ("trace", "a trace", b"1 2 3"),
        )
        assert items.refusal is None
        written = items.snapshot["items"]
        kinds = ["file", "command", "image", {"other": "trace"}]
        assert [each["kind"] for each in written] == kinds
        assert written[0]["blob"] == git(root, "rev-parse", "HEAD:src/app.py").strip()
        assert written[1]["note"] == "redacted"
        assert SECRET not in str(items)
        assert [each.summary for each in snapshots.list(path="src/tax.py").snapshots] == [
            "for a test"
        ]
        for wrong in (
            snapshots.create(),
            snapshots.create(("file", "../outside", b"")),
            snapshots.create(("image", ".env", b"A=b")),
            snapshots.create(("snippet", "a", b"x"), created_by="robot:x"),
            snapshots.create(("snippet", "a", b"x"), retention="for ever"),
            snapshots.create(("snippet", " ", b"x")),
            snapshots.create(("snippet", "wide", SECRET.encode("utf-16"))),
            snapshots.create(("snippet", "large", b"x" * (17 << 20))),
        ):
            assert wrong.refusal is not None
            assert wrong.refusal.advice
        shown = snapshots.show(str(items.snapshot["object_id"]))
        assert "(redacted)" in (shown.rendered or "")
        assert snapshots.diff(name, str(items.snapshot["object_id"])).changes
        assert snapshots.prune(name).refusal is None
