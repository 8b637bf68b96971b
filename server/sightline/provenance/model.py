"""The object that records what an AI saw: a context snapshot and its items.

A snapshot is a draft until it is finalised; a finalised one never changes. Its JSON has the form of
the design: blobs are named by their id in hexadecimal, and absent or empty fields are left out.
With `interop`, an id is written as the peer library writes it, as a list of numbers; both forms are
read.

Invariants:

* No item has an empty path or a preview of 500 characters or more.
* A finalised snapshot has a blob for every item.
* What is read and written again is the same: unknown kinds of items and unknown fields are kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import attrs
import msgspec

from sightline.refusals import Refusal, RefusalKind

OBJECT_TYPE = "context_snapshot"
VERSION = 1
LONGEST_PREVIEW = 499

_HEX = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})")
_HEADER = ("object_id", "object_type", "version", "created_at", "created_by")
_FIELDS = (*_HEADER, "selection_strategy", "items", "summary")
_PEER_NAMES = {40: "Sha1", 64: "Sha256"}


class SelectionStrategy(StrEnum):
    EXPLICIT = "explicit"
    """A person chose the items."""
    HEURISTIC = "heuristic"
    """They were selected by their relevance."""


class ActorKind(StrEnum):
    HUMAN = "human"
    AGENT = "agent"
    SYSTEM = "system"
    MCP_CLIENT = "mcp_client"
    OTHER = "other"


class ItemKind(StrEnum):
    FILE = "file"
    URL = "url"
    SNIPPET = "snippet"
    COMMAND = "command"
    IMAGE = "image"


class SnapshotError(ValueError):
    """A snapshot or an item that cannot be; `refusal` says what is wrong with it."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.refusal = Refusal(
            RefusalKind.INVALID_REQUEST,
            "invalid_snapshot",
            None,
            problem,
            "see docs/snapshots.md for the form of a snapshot",
        )


@attrs.frozen
class Actor:
    """Who made a snapshot."""

    kind: str
    """A word of `ActorKind`; others are kept."""
    id: str
    display_name: str | None = None


@attrs.frozen
class ContextItem:
    """One thing that was seen. Raises `SnapshotError`."""

    kind: str
    """A word of `ItemKind`, or the name of a kind of the application's own."""
    path: str
    """A path in the repository, an address, a label, a command or a file's name, by kind."""
    preview: str | None = None
    blob: str | None = None
    """The id of the git blob that has the content; None in drafts alone."""
    more: Mapping[str, Any] = attrs.field(factory=dict)
    """Fields that this version does not know."""

    def __attrs_post_init__(self) -> None:
        if not self.path.strip():
            raise SnapshotError("the path of an item is empty")
        if not self.kind:
            raise SnapshotError("the kind of an item is empty")
        if self.preview is not None and len(self.preview) > LONGEST_PREVIEW:
            raise SnapshotError("the preview of an item has 500 characters or more")
        if self.blob is not None and not _HEX.fullmatch(self.blob):
            raise SnapshotError("the blob of an item is not the id of a git object")


@attrs.frozen
class ContextSnapshot:
    """What was seen, at one point in time. Raises `SnapshotError`."""

    object_id: str
    """A UUID of version 7, so that ids sort by time."""
    created_at: str
    """RFC 3339, in UTC."""
    created_by: Actor
    selection_strategy: SelectionStrategy
    items: tuple[ContextItem, ...] = ()
    summary: str | None = None
    is_final: bool = False
    more: Mapping[str, Any] = attrs.field(factory=dict)
    """Fields besides those of the document, such as what is needed to build again."""

    def __attrs_post_init__(self) -> None:
        if not _UUID.fullmatch(self.object_id):
            raise SnapshotError("the id of the snapshot is not a UUID")
        if not _TIME.fullmatch(self.created_at):
            raise SnapshotError("the time of the snapshot is not in the form of RFC 3339")
        if not self.created_by.kind or not self.created_by.id.strip():
            raise SnapshotError("whoever made the snapshot is not named")
        if self.is_final and any(each.blob is None for each in self.items):
            raise SnapshotError("an item of a finalised snapshot has no blob")

    def with_item(self, item: ContextItem) -> ContextSnapshot:
        """Return the draft with one item more."""
        return self._changed(items=(*self.items, item))

    def with_summary(self, summary: str | None) -> ContextSnapshot:
        return self._changed(summary=summary)

    def finalised(self) -> ContextSnapshot:
        """Return the snapshot in its final form: every item has its blob."""
        return self._changed(is_final=True)

    def _changed(self, **fields: Any) -> ContextSnapshot:
        if self.is_final:
            raise SnapshotError("a finalised snapshot does not change")
        return attrs.evolve(self, **fields)

    def __str__(self) -> str:
        return f"ContextSnapshot: {self.object_id}"

    def to_json(self, *, interop: bool = False) -> bytes:
        """Return the bytes that are stored, in the order of the document's fields."""
        actor = {"kind": self.created_by.kind, "id": self.created_by.id}
        if self.created_by.display_name is not None:
            actor["display_name"] = self.created_by.display_name
        written: dict[str, Any] = {
            "object_id": self.object_id,
            "object_type": OBJECT_TYPE,
            "version": VERSION,
            "created_at": self.created_at,
            "created_by": actor,
            "selection_strategy": self.selection_strategy.value,
        }
        if self.items:
            written["items"] = [_written_item(each, interop=interop) for each in self.items]
        if self.summary is not None:
            written["summary"] = self.summary
        return msgspec.json.encode({**written, **self.more})


def read_snapshot(data: bytes) -> ContextSnapshot:
    """Return the snapshot that some bytes describe. Raises `SnapshotError`.

    It is final if every item has its blob.
    """
    try:
        values = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        raise SnapshotError("it is not JSON") from None
    if not isinstance(values, dict):
        raise SnapshotError("it is not a JSON object")
    if values.get("object_type") != OBJECT_TYPE:
        raise SnapshotError("it is not a context snapshot")
    if values.get("version", VERSION) != VERSION:
        raise SnapshotError(f"its version is not {VERSION}")
    items = tuple(map(_read_item, _list(values.get("items", []))))
    try:
        strategy = SelectionStrategy(_text(values, "selection_strategy"))
    except ValueError:
        raise SnapshotError("its selection strategy is unknown") from None
    return ContextSnapshot(
        _text(values, "object_id"),
        _text(values, "created_at"),
        _read_actor(values.get("created_by")),
        strategy,
        items,
        values["summary"] if isinstance(values.get("summary"), str) else None,
        is_final=all(each.blob is not None for each in items),
        more={key: value for key, value in values.items() if key not in _FIELDS},
    )


def new_object_id(milliseconds: int, randomness: bytes) -> str:
    """Return a UUID of version 7 for a time and ten random bytes."""
    number = (milliseconds & (1 << 48) - 1) << 80 | int.from_bytes(randomness[:10], "big")
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    digits = f"{number:032x}"
    return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])


def preview_of(text: str) -> str | None:
    """Return the beginning of a text, short enough for a preview; None of an empty one."""
    stripped = text.strip()
    if not stripped:
        return None
    if len(stripped) <= LONGEST_PREVIEW:
        return stripped
    return stripped[: LONGEST_PREVIEW - 1] + "…"


def _written_item(item: ContextItem, *, interop: bool) -> dict[str, Any]:
    known = item.kind in tuple(ItemKind)
    written: dict[str, Any] = {
        "kind": item.kind if known else {"other": item.kind},
        "path": item.path,
    }
    if item.preview is not None:
        written["preview"] = item.preview
    if item.blob is not None:
        written["blob"] = _peer_hash(item.blob) if interop else item.blob
    return {**written, **item.more}


def _read_item(values: object) -> ContextItem:
    if not isinstance(values, dict):
        raise SnapshotError("an item is not a JSON object")
    kind = values.get("kind")
    if isinstance(kind, dict) and len(kind) == 1 and isinstance(kind.get("other"), str):
        kind = kind["other"]
    if not isinstance(kind, str):
        raise SnapshotError("the kind of an item cannot be read")
    preview = values.get("preview")
    return ContextItem(
        kind,
        _text(values, "path"),
        preview if isinstance(preview, str) else None,
        _read_hash(values.get("blob")),
        {key: each for key, each in values.items() if key not in _ITEM_FIELDS},
    )


_ITEM_FIELDS = ("kind", "path", "preview", "blob")


def _peer_hash(blob: str) -> dict[str, list[int]]:
    return {_PEER_NAMES[len(blob)]: list(bytes.fromhex(blob))}


def _read_hash(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict) and len(value) == 1:
        [(name, numbers)] = value.items()
        is_bytes = isinstance(numbers, list) and all(
            isinstance(each, int) and 0 <= each < 256 for each in numbers
        )
        if is_bytes and _PEER_NAMES.get(2 * len(numbers)) == name:
            return bytes(numbers).hex()
    raise SnapshotError("the blob of an item is not the id of a git object")


def _read_actor(value: object) -> Actor:
    if not isinstance(value, dict):
        raise SnapshotError("whoever made the snapshot is not named")
    name = value.get("display_name")
    return Actor(_text(value, "kind"), _text(value, "id"), name if isinstance(name, str) else None)


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    if not isinstance(value, str):
        raise SnapshotError(f"{name} is not a text")
    return value


def _list(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise SnapshotError("items is not a list")
    return value
