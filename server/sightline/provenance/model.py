"""The record of what an AI saw: a context snapshot and its items.

A snapshot is a draft until it is finalised; a finalised one never changes. Its JSON has the form of
the design: blobs are named by their id in hexadecimal, and absent or empty fields are left out.
With `interop`, an id is written as the peer library writes it, as a list of numbers. Both forms can
be read.

Invariants:

* No item has an empty path or a preview of 500 characters or more.
* A finalised snapshot has a blob for every item, and cannot be changed.
* Reading and writing preserves everything: unknown kinds of items and unknown fields are kept.
* The id of a snapshot that Sightline stores is a UUID of version 7. Its time is `created_at` to the
  millisecond, and its 74 random bits are derived from the content (`sealed`). So whoever has the
  id, for example from the trailer of a commit, can detect a change of the content.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
import msgspec

from sightline.provenance.identity import milliseconds_now, new_object_id, read_time, time_of
from sightline.provenance.vocabulary import (
    ACTOR_FIELDS,
    PEER_NAMES,
    ActorRef,
    OtherKind,
    SelectionStrategy,
    SnapshotError,
    check_names,
    frozen_fields,
    hash_of,
    is_unicode,
    kind_of,
    strategy_of,
    thawed,
)

OBJECT_TYPE = "context_snapshot"
VERSION = 1
LONGEST_PREVIEW = 499

_HEX = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HEADER = ("object_id", "object_type", "version", "created_at", "created_by")
_FIELDS = (*_HEADER, "selection_strategy", "items", "summary")
_ITEM_FIELDS = ("kind", "path", "preview", "blob")


def _checked_change(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> Any:
    """Return the value if a draft may be assigned it. Raises `SnapshotError` otherwise."""
    if instance.is_final:
        raise SnapshotError("a finalised snapshot does not change")
    if attribute.name != "is_final":
        attrs.evolve(instance, **{attribute.name: value})
    return value


def _items(items: Iterable[ContextItem]) -> tuple[ContextItem, ...]:
    try:
        return tuple(items)
    except TypeError:
        raise SnapshotError("items is not a list") from None


class _Undeletable:
    """An object whose fields cannot be deleted."""

    __slots__ = ()

    def __delattr__(self, name: str) -> None:
        raise SnapshotError(f"{name} cannot be deleted: set it to another value in a draft")


@attrs.define(on_setattr=[_checked_change, attrs.setters.convert])
class ContextItem(_Undeletable):
    """One item that was seen. Raises `SnapshotError`. Items of a finalised snapshot cannot be
    changed.
    """

    kind: str = attrs.field(converter=kind_of)
    """A word of `ContextItemKind`, or a kind that the application defines."""
    path: str
    """Depending on the kind: a path in the repository, an address, a label, a command or a file
    name.
    """
    preview: str | None = None
    """The beginning of the content, under 500 characters; None if nothing is to be shown."""
    blob: str | None = attrs.field(default=None, converter=hash_of)
    """The id of the git blob with the content; None only in drafts.

    It is kept in hexadecimal. Bytes and the form of the peer library are converted.
    """
    more: Mapping[str, Any] = attrs.field(factory=dict, converter=frozen_fields)
    """Fields that this version does not know."""
    is_final: bool = attrs.field(default=False, init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self.validate()

    def validate(self) -> None:
        """Raise `SnapshotError` if the item is not valid."""
        if not isinstance(self.path, str) or not self.path.strip():
            raise SnapshotError("path cannot be empty")
        if not isinstance(self.kind, str) or not self.kind.strip():
            raise SnapshotError("the kind of an item is empty")
        if not is_unicode(self.path) or not is_unicode(self.kind):
            raise SnapshotError("the kind or the path of an item is not valid Unicode")
        if self.preview is not None and not is_unicode(self.preview):
            raise SnapshotError("the preview of an item is not a text")
        if self.preview is not None and len(self.preview) > LONGEST_PREVIEW:
            raise SnapshotError("the preview of an item has 500 characters or more")
        if self.blob is not None and not (isinstance(self.blob, str) and _HEX.fullmatch(self.blob)):
            raise SnapshotError("the blob of an item is not the id of a git object")
        check_names(self.more, _ITEM_FIELDS)

    @classmethod
    def new(cls, kind: str, path: str) -> ContextItem:
        """Return an item of a draft, without preview and blob."""
        return cls(kind, path)

    def set_blob(self, blob: str | None) -> None:
        """Say which git object has the content."""
        self.blob = blob

    def set_preview(self, preview: str | None) -> None:
        """Set the text that is shown without reading the blob."""
        self.preview = preview

    def finalise(self) -> None:
        """Make the item immutable."""
        self.is_final = True


@attrs.frozen
class Header:
    """The fields that all objects of the document's family share."""

    object_id: str
    object_type: str
    version: int
    created_at: str
    created_by: ActorRef


@attrs.define(on_setattr=[_checked_change, attrs.setters.convert])
class ContextSnapshot(_Undeletable):
    """What was seen at one point in time. Raises `SnapshotError`.

    Items and a summary can be added to a draft; a finalised snapshot cannot be changed.
    """

    created_by: ActorRef
    selection_strategy: SelectionStrategy = attrs.field(converter=strategy_of)
    items: tuple[ContextItem, ...] = attrs.field(default=(), converter=_items)
    """In the order in which they were added."""
    summary: str | None = None
    created_at: str = attrs.field(kw_only=True, factory=lambda: time_of(milliseconds_now()))
    """RFC 3339, in UTC; by default now."""
    object_id: str = attrs.field(kw_only=True)
    """A UUID of version 7, so that ids sort by time; by default a new one for `created_at`."""
    is_final: bool = attrs.field(default=False, kw_only=True, eq=False)
    more: Mapping[str, Any] = attrs.field(factory=dict, converter=frozen_fields, kw_only=True)
    """Fields that the document does not define, such as those needed to build again."""

    @object_id.default
    def _new_object_id(self) -> str:
        moment = read_time(self.created_at)
        milliseconds = round(moment.timestamp() * 1000) if moment is not None else 0
        return new_object_id(milliseconds, os.urandom(10))

    @classmethod
    def new(cls, created_by: ActorRef, selection_strategy: str) -> ContextSnapshot:
        """Return a draft without items, made now."""
        return cls(created_by, strategy_of(selection_strategy))

    def __attrs_post_init__(self) -> None:
        self.validate()
        self._end_items()

    @property
    def header(self) -> Header:
        return Header(self.object_id, OBJECT_TYPE, VERSION, self.created_at, self.created_by)

    def validate(self) -> None:
        """Raise `SnapshotError` if the snapshot is not valid."""
        if not isinstance(self.object_id, str) or not _UUID.fullmatch(self.object_id):
            raise SnapshotError("the id of the snapshot is not a UUID")
        if read_time(self.created_at) is None:
            raise SnapshotError("the time of the snapshot is not in the form of RFC 3339")
        if not isinstance(self.created_by, ActorRef):
            raise SnapshotError("the snapshot does not say who made it")
        if not all(isinstance(each, ContextItem) for each in self.items):
            raise SnapshotError("an item is not a ContextItem")
        if self.summary is not None and not is_unicode(self.summary):
            raise SnapshotError("summary is not a text")
        if self.is_final and any(each.blob is None for each in self.items):
            raise SnapshotError("an item of a finalised snapshot has no blob")
        check_names(self.more, _FIELDS)

    def add_item(self, item: ContextItem) -> None:
        """Add an item to the draft."""
        if not isinstance(item, ContextItem):
            raise SnapshotError("an item is not a ContextItem")
        if self.is_final:
            raise SnapshotError("a finalised snapshot does not change")
        # The other items were checked before. Checking all of them for each new one takes quadratic
        # time.
        object.__setattr__(self, "items", (*self.items, item))

    def set_summary(self, summary: str | None) -> None:
        self.summary = summary

    def finalise(self) -> ContextSnapshot:
        """Make the snapshot immutable and return it. Every item must have a blob."""
        if not self.is_final:
            if any(each.blob is None for each in self.items):
                raise SnapshotError("an item of a finalised snapshot has no blob")
            self.is_final = True
            self._end_items()
        return self

    finalize = finalise

    def _end_items(self) -> None:
        for each in self.items if self.is_final else ():
            if not each.is_final:
                each.finalise()

    def sealed(self, milliseconds: int) -> ContextSnapshot:
        """Return the finalised form for a time, with the id that is derived from the content."""
        timed = attrs.evolve(self, created_at=time_of(milliseconds))
        return attrs.evolve(timed, object_id=_id_of(timed, milliseconds), is_final=True)

    @property
    def is_sealed(self) -> bool:
        """True if the id matches the content: nothing was changed since."""
        milliseconds = int(self.object_id.replace("-", "")[:12], 16)
        return self.object_id == _id_of(self, milliseconds) and self.created_at == time_of(
            milliseconds
        )

    def __str__(self) -> str:
        return f"ContextSnapshot: {self.object_id}"

    def to_json(self, *, interop: bool = False) -> bytes:
        """Return the bytes that are stored, in the order of the document's fields.

        With `interop`, ids of blobs are written as the peer library writes them.
        """
        actor: dict[str, Any] = {"kind": str(self.created_by.kind), "id": self.created_by.id}
        if self.created_by.display_name is not None:
            actor["display_name"] = self.created_by.display_name
        actor.update(thawed(self.created_by.more))
        written: dict[str, Any] = {
            "object_id": self.object_id,
            "object_type": OBJECT_TYPE,
            "version": VERSION,
            "created_at": self.created_at,
            "created_by": actor,
            "selection_strategy": str(self.selection_strategy),
        }
        if self.items:
            written["items"] = [_written_item(each, interop=interop) for each in self.items]
        if self.summary is not None:
            written["summary"] = self.summary
        try:
            return msgspec.json.encode({**written, **thawed(self.more)})
        except (TypeError, ValueError, RecursionError):
            raise SnapshotError("an additional field is not a JSON value") from None

    @classmethod
    def from_json(cls, data: bytes | str) -> ContextSnapshot:
        """Return the snapshot that some JSON describes. It is final if every item has a blob."""
        if not isinstance(data, str):
            return read_snapshot(data)
        if not is_unicode(data):
            raise SnapshotError("it is not JSON")
        return read_snapshot(data.encode("utf-8"))

    def to_dict(self) -> dict[str, Any]:
        """Return the values of the JSON."""
        values: dict[str, Any] = msgspec.json.decode(self.to_json())
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ContextSnapshot:
        """Return the snapshot of the values of some JSON."""
        try:
            return read_snapshot(msgspec.json.encode(values))
        except (TypeError, ValueError, RecursionError) as error:
            problem = error if isinstance(error, SnapshotError) else SnapshotError("it is not JSON")
            raise problem from None

    # What the document calls its trait of objects.

    def get_type(self) -> str:
        return OBJECT_TYPE

    def get_size(self) -> int:
        """Return how many bytes are stored."""
        return len(self.to_data())

    def to_data(self) -> bytes:
        """Return the bytes that are stored."""
        return self.to_json()

    @classmethod
    def from_bytes(cls, data: bytes | str, _blob: object = None) -> ContextSnapshot:
        """Return the snapshot of some bytes; the id of their blob is not needed."""
        return cls.from_json(data)


def read_snapshot(data: bytes) -> ContextSnapshot:
    """Return the snapshot that some bytes describe. Raises `SnapshotError`.

    It is final if it has items and every item has a blob.
    """
    try:
        values = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, TypeError):
        raise SnapshotError("it is not JSON") from None
    if not isinstance(values, dict):
        raise SnapshotError("it is not a JSON object")
    if values.get("object_type") != OBJECT_TYPE:
        raise SnapshotError("it is not a context snapshot")
    version = values.get("version", VERSION)
    if type(version) is not int or version != VERSION:
        raise SnapshotError(f"its version is not {VERSION}")
    items = tuple(map(_read_item, _list(values.get("items", []))))
    return ContextSnapshot(
        _read_actor(values.get("created_by")),
        strategy_of(values.get("selection_strategy")),
        items,
        values.get("summary"),
        object_id=_text(values, "object_id"),
        created_at=_text(values, "created_at"),
        is_final=bool(items) and all(each.blob is not None for each in items),
        more={key: value for key, value in values.items() if key not in _FIELDS},
    )


def _id_of(snapshot: ContextSnapshot, milliseconds: int) -> str:
    """Return the id for a time and for the content of a snapshot without its id."""
    nothing = attrs.evolve(snapshot, object_id=new_object_id(milliseconds, bytes(10)))
    return new_object_id(milliseconds, hashlib.sha256(nothing.to_json()).digest())


def preview_of(text: str, most: int = LONGEST_PREVIEW) -> str | None:
    """Return the beginning of a text, short enough for a preview; None for an empty text."""
    stripped = text.strip()
    if not stripped:
        return None
    return stripped if len(stripped) <= most else stripped[: most - 1] + "…"


def _written_item(item: ContextItem, *, interop: bool) -> dict[str, Any]:
    is_other = isinstance(item.kind, OtherKind)
    written: dict[str, Any] = {
        "kind": {"other": str(item.kind)} if is_other else str(item.kind),
        "path": item.path,
    }
    if item.preview is not None:
        written["preview"] = item.preview
    if item.blob is not None:
        written["blob"] = _peer_hash(item.blob) if interop else item.blob
    return {**written, **thawed(item.more)}


def _read_item(values: object) -> ContextItem:
    if not isinstance(values, dict):
        raise SnapshotError("an item is not a JSON object")
    kind = kind_of(values.get("kind"))
    if not isinstance(kind, str):
        raise SnapshotError("the kind of an item cannot be read")
    preview = values.get("preview")
    if preview is not None and not isinstance(preview, str):
        raise SnapshotError("the preview of an item is not a text")
    return ContextItem(
        kind,
        _text(values, "path"),
        preview,
        values.get("blob"),
        {key: each for key, each in values.items() if key not in _ITEM_FIELDS},
    )


def _peer_hash(blob: str) -> dict[str, list[int]]:
    return {PEER_NAMES[len(blob)]: list(bytes.fromhex(blob))}


def _read_actor(value: object) -> ActorRef:
    if not isinstance(value, dict):
        raise SnapshotError("the snapshot does not say who made it")
    name = value.get("display_name")
    if name is not None and not isinstance(name, str):
        raise SnapshotError("display_name is not a text")
    more = {key: each for key, each in value.items() if key not in ACTOR_FIELDS}
    return ActorRef(_text(value, "kind"), _text(value, "id"), name, more)


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    if not isinstance(value, str):
        raise SnapshotError(f"{name} is not a text")
    return value


def _list(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise SnapshotError("items is not a list")
    return value
