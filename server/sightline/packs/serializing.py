"""Packs as JSON and as MessagePack, and back.

Invariants: what is read equals what was written, in both forms. Fields that a pack does not have
are ignored when it is read: `context_pack_info` stands beside those of the document.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from sightline.packs.model import ContextPack, FullPack, RepositoryMap, SummaryPack

PackFormat = Literal["json", "msgpack"]
_NAMES: Mapping[str, PackFormat] = {
    "json": "json",
    "msgpack": "msgpack",
    "messagepack": "msgpack",
}
AnyPack = ContextPack | RepositoryMap
_TYPES: Mapping[str, type[FullPack] | type[SummaryPack] | type[RepositoryMap]] = {
    "full": FullPack,
    "summary": SummaryPack,
    "map": RepositoryMap,
}


class PackFormatError(ValueError):
    """Data that is no pack, or a form of packs that there is not."""


def pack_fields(pack: AnyPack) -> dict[str, Any]:
    """Return a pack as plain values: what JSON and MessagePack have."""
    fields: dict[str, Any] = msgspec.to_builtins(pack)
    return {"type": fields.pop("type"), **fields}


def packed(fields: Mapping[str, Any], form: str) -> bytes:
    """Return plain values in a form."""
    if form == "json":
        return msgspec.json.encode(fields)
    if form == "msgpack":
        return msgspec.msgpack.encode(fields)
    raise PackFormatError("a pack is written as json or as msgpack")


def pack_of(fields: object) -> AnyPack:
    """Return the pack that plain values are. Raises `PackFormatError`."""
    kind = fields.get("type") if isinstance(fields, Mapping) else None
    known = _TYPES.get(kind) if isinstance(kind, str) else None
    if known is None:
        raise PackFormatError("this is no pack: its type is neither full, summary nor map")
    try:
        return msgspec.convert(fields, known)
    except msgspec.ValidationError as error:
        raise PackFormatError(f"this is no {kind} pack: {error}") from None


class PackSerializer:
    """Writes and reads packs: as JSON in a string, or as MessagePack in bytes."""

    def __init__(self, format: PackFormat | str = "json") -> None:  # noqa: A002
        """`format` is `json` or `msgpack`; the names of the document count as well."""
        name = _NAMES.get(format.lower()) if isinstance(format, str) else None
        if name is None:
            raise PackFormatError("a pack is written as json or as msgpack")
        self.format = name

    def serialize(self, pack: AnyPack | Mapping[str, Any]) -> str | bytes:
        read = pack_of(pack) if isinstance(pack, Mapping) else pack
        data = packed(pack_fields(read), self.format)
        return data.decode("utf-8") if self.format == "json" else data

    def deserialize(self, data: str | bytes) -> AnyPack:
        """Return the pack that `serialize` wrote. Raises `PackFormatError`."""
        try:
            if self.format == "json":
                return pack_of(msgspec.json.decode(data))
            return pack_of(msgspec.msgpack.decode(data.encode() if isinstance(data, str) else data))
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            raise PackFormatError(f"this is no {self.format}") from None
