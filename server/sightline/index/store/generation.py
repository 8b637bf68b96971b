"""A generation of a store: the head and the files that it names, opened.

The *head* is the state and a list of the other files: the packs and the sections (see `pack`).

Invariants:

* Only the head keeps its name; a new head replaces the old one.
* A file that does not match its description in the head is ignored.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping

import attrs
import msgspec

from sightline.index.store.pack import (
    CHECKSUM_LENGTH,
    BlockRecord,
    Pack,
    PackRecord,
    checksum,
    open_pack,
    read_block,
)
from sightline.index.store.store_folder import File, StoreFolder

SCHEMA = 1
"""The version of the file format. Another version uses another directory and does not touch this
one.
"""

HEAD = "head"
NAME = re.compile(r"[0-9a-f]{32}\.(?:pack|section|draft)", re.ASCII)
"""Files other than the head and the lock."""

_MAGIC = b"SIGHTLIN"
_HEADER = struct.Struct(f"<8sIIQ{CHECKSUM_LENGTH}s")
_LOAD_ATTEMPTS = 64


class StoreDirectory(msgspec.Struct, frozen=True, array_like=True):
    """The contents of the head. Packs are in the order in which they are searched, newest first."""

    packs: tuple[PackRecord, ...]
    sections: dict[str, BlockRecord]

    @property
    def names(self) -> frozenset[str]:
        packs = {record.name for record in self.packs}
        return frozenset(packs | {record.name for record in self.sections.values()})


_DIRECTORY = msgspec.msgpack.Decoder(StoreDirectory)


@attrs.frozen
class Head:
    directory: StoreDirectory
    state: bytes
    checksum: bytes


@attrs.frozen
class Section:
    record: BlockRecord
    file: File


@attrs.frozen
class Generation:
    """A head and its files, open. Missing and wrong files are left out."""

    state: bytes | None
    packs: tuple[Pack, ...]
    sections: Mapping[str, Section]
    names: frozenset[str]
    """The files that the head names, including missing ones."""

    def get(self, key: bytes) -> bytes | None:
        for pack in self.packs:
            blob = pack.get(key)
            if blob is not None:
                return blob
        return None

    def section(self, name: str) -> bytes | None:
        section = self.sections.get(name)
        return None if section is None else read_block(section.file, section.record)


EMPTY = Generation(None, (), {}, frozenset())


def load_generation(folder: StoreFolder) -> Generation:
    """Open the current generation.

    A save may remove files after the head was read. Then the head has changed as well, and the new
    one is read instead.
    """
    head = _read_head(folder)
    for _ in range(_LOAD_ATTEMPTS):
        if head is None:
            break
        generation = open_files(folder, head)
        if len(generation.packs) + len(generation.sections) == len(generation.names):
            return generation
        again = _read_head(folder)
        if again is not None and again.checksum == head.checksum:
            return generation
        head = again
    return EMPTY


def _read_head(folder: StoreFolder) -> Head | None:
    file = folder.open(HEAD)
    header = None if file is None else file.read(0, _HEADER.size)
    if file is None or header is None:
        return None
    magic, schema, directory_length, state_length, expected = _HEADER.unpack(header)
    if magic != _MAGIC or schema != SCHEMA:
        return None
    if file.size != _HEADER.size + directory_length + state_length:
        return None
    encoded = file.read(_HEADER.size, directory_length)
    state = file.read(_HEADER.size + directory_length, state_length)
    if encoded is None or state is None:
        return None
    if checksum(header[:-CHECKSUM_LENGTH], encoded, state) != expected:
        return None
    try:
        directory = _DIRECTORY.decode(encoded)
    except (msgspec.MsgspecError, ValueError):
        return None
    if not all(NAME.fullmatch(name) for name in directory.names):
        return None
    file.mark_used()
    return Head(directory, state, expected)


def open_files(folder: StoreFolder, head: Head) -> Generation:
    packs = [open_pack(folder, record) for record in head.directory.packs]
    sections = {
        name: Section(record, file)
        for name, record in head.directory.sections.items()
        if (file := folder.open(record.name)) is not None
    }
    return Generation(
        head.state,
        tuple(pack for pack in packs if pack is not None),
        sections,
        head.directory.names,
    )


def seal_head(directory: StoreDirectory, state: bytes) -> tuple[Head, tuple[bytes, ...]]:
    """Return a head and the bytes of its file."""
    encoded = msgspec.msgpack.encode(directory)
    blank = bytes(CHECKSUM_LENGTH)
    header = _HEADER.pack(_MAGIC, SCHEMA, len(encoded), len(state), blank)[:-CHECKSUM_LENGTH]
    seal = checksum(header, encoded, state)
    return Head(directory, state, seal), (header, seal, encoded, state)
