"""The files of a store: packs of many blobs, and blocks of one.

A *pack* contains many small blobs in one file: the blobs one after another, then a table of their
sorted keys (32 bytes each) with the place, length and checksum of each blob. A *block* is one large
piece of bytes in a file of its own. The head of the store contains the size and checksum of each
file, so a file that differs from what was written is treated as missing.

Invariants:

* A file is written once, under a name that was never used before, and never changed.
* Returned data was checked each time after it was read. Wrong data is returned as None.
"""

from __future__ import annotations

import functools
import hashlib
import os
import struct
from collections.abc import Iterable
from typing import IO, Annotated, TypeAlias

import msgspec

from sightline.index.store.store_folder import File, StoreFolder

Bytes: TypeAlias = bytes | bytearray | memoryview

Count = Annotated[int, msgspec.Meta(ge=0)]

KEY_LENGTH = 32
CHECKSUM_LENGTH = 16

_ENTRY = struct.Struct(f"<QI{CHECKSUM_LENGTH}s")
_KEY = struct.Struct(f"{KEY_LENGTH}s")
_ROW = KEY_LENGTH + _ENTRY.size


class PackRecord(msgspec.Struct, frozen=True, array_like=True):
    """The head's entry for a pack."""

    name: str
    count: Count
    payload: Count
    """The total size of all blobs; the table begins there."""
    checksum: bytes
    """The checksum of the table, which contains the checksum of every blob."""

    @property
    def size(self) -> int:
        return self.payload + _ROW * self.count


class BlockRecord(msgspec.Struct, frozen=True, array_like=True):
    """The head's entry for a block."""

    name: str
    length: Count
    checksum: bytes


class Pack:
    """An open pack. Its table is read and checked once, a blob each time that it is read."""

    def __init__(self, record: PackRecord, file: File) -> None:
        self.record = record
        self._file = file

    def get(self, key: bytes) -> bytes | None:
        position = self.positions.get(key)
        if position is None:
            return None
        offset, length, expected = self._entry(position)
        if offset + length > self.record.payload:
            return None
        blob = self._file.read(offset, length)
        return blob if blob is not None and checksum(blob) == expected else None

    def length(self, key: bytes) -> int:
        """Return the length of a blob that is in `positions`."""
        return self._entry(self.positions[key])[1]

    @functools.cached_property
    def positions(self) -> dict[bytes, int]:
        """The row of each key; empty if the table is damaged.

        Built on first use, so that opening a store stays cheap.
        """
        keys = memoryview(self._table)[: KEY_LENGTH * self.record.count]
        return {key: row for row, (key,) in enumerate(_KEY.iter_unpack(keys))}

    @functools.cached_property
    def _table(self) -> bytes:
        table = self._file.read(self.record.payload, _ROW * self.record.count)
        return table if table is not None and checksum(table) == self.record.checksum else b""

    def _entry(self, position: int) -> tuple[int, int, bytes]:
        start = KEY_LENGTH * self.record.count + _ENTRY.size * position
        offset, length, expected = _ENTRY.unpack_from(self._table, start)
        return offset, length, expected


def open_pack(folder: StoreFolder, record: PackRecord) -> Pack | None:
    file = folder.open(record.name)
    return Pack(record, file) if file is not None and file.size == record.size else None


def write_pack(folder: StoreFolder, name: str, blobs: Iterable[tuple[bytes, bytes]]) -> PackRecord:
    """Write keys and blobs, in the order of their keys, and make them durable."""
    keys: list[bytes] = []
    entries: list[bytes] = []
    payload = 0
    with folder.create(name) as stream:
        for key, blob in blobs:
            stream.write(blob)
            keys.append(key)
            entries.append(_ENTRY.pack(payload, len(blob), checksum(blob)))
            payload += len(blob)
        table = b"".join((*keys, *entries))
        stream.write(table)
        _make_durable(stream)
    return PackRecord(name, len(keys), payload, checksum(table))


def read_block(file: File, record: BlockRecord) -> bytes | None:
    if file.size != record.length:
        return None
    data = file.read(0, record.length)
    return data if data is not None and checksum(data) == record.checksum else None


def write_block(folder: StoreFolder, name: str, *pieces: Bytes) -> BlockRecord:
    """Write the pieces one after another and make them durable."""
    with folder.create(name) as stream:
        for piece in pieces:
            stream.write(piece)
        _make_durable(stream)
    return BlockRecord(name, sum(memoryview(piece).nbytes for piece in pieces), checksum(*pieces))


def checksum(*pieces: Bytes) -> bytes:
    """Return SHA-256, cut to 16 bytes: processors have instructions for it, so it is faster than
    BLAKE2.
    """
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.digest()[:CHECKSUM_LENGTH]


def _make_durable(stream: IO[bytes]) -> None:
    stream.flush()
    os.fsync(stream.fileno())
