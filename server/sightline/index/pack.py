"""The files of a store: a private directory, the checked bytes in it, and how they are read.

The *head* is the state and a list of the other files. A *pack* is many small blobs in one file:
the blobs one after another, then a table of their keys (sorted, 32 bytes each) and of where each
blob is, how long and with which checksum. A *block* is one large piece of bytes in a file of its
own. Neither says what it is: the head holds the size and checksum of each, so a file that is not
exactly the one that was written is none at all. A *generation* is a head and its files.

Invariants:

* A file is written once, under a name that was never used before, and never changed. Only the
  head has one name for ever; a new one takes the old one's place.
* Reading is `pread` on a descriptor, never a memory map: a file that another process cuts off
  while we read is a short read, not a dead process.
* What is returned was checked after it was read, each time. Anything wrong is None.
* The directory is ours and nobody else can put files into it; links are never followed.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import os
import re
import secrets
import stat
import struct
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Annotated, TypeAlias

import attrs
import msgspec

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

Bytes: TypeAlias = bytes | bytearray | memoryview

Count = Annotated[int, msgspec.Meta(ge=0)]

SCHEMA = 1
"""The version of the files. Another version has another directory and leaves this one alone."""

HEAD = "head"
NAME = re.compile(r"[0-9a-f]{32}\.(?:pack|section|draft)", re.ASCII)
"""Files other than the head and the lock."""

KEY_LENGTH = 32
CHECKSUM_LENGTH = 16

_MAGIC = b"SIGHTLIN"
_HEADER = struct.Struct(f"<8sIIQ{CHECKSUM_LENGTH}s")
_ENTRY = struct.Struct(f"<QI{CHECKSUM_LENGTH}s")
_KEY = struct.Struct(f"{KEY_LENGTH}s")
_ROW = KEY_LENGTH + _ENTRY.size
_BUFFER = 1 << 20
_LOCK_POLL_SECONDS = 0.01
_LOAD_ATTEMPTS = 64

_DESCENDS = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")
_CAREFULLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _CAREFULLY
_NOT_A_FILE = (errno.ENOENT, errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR)


class PackRecord(msgspec.Struct, frozen=True, array_like=True):
    """What the head knows of a pack."""

    name: str
    count: Count
    payload: Count
    """The bytes of all blobs together; the table begins there."""
    checksum: bytes
    """Of the table, which in turn has the checksum of every blob."""

    @property
    def size(self) -> int:
        return self.payload + _ROW * self.count


class BlockRecord(msgspec.Struct, frozen=True, array_like=True):
    """What the head knows of a block."""

    name: str
    length: Count
    checksum: bytes


class ForeignDirectoryError(Exception):
    """The directory is another user's, or others may write to it, or it is no directory."""


class BusyError(Exception):
    """Another process holds the lock."""


class Folder:
    """A private directory, open. Names are plain file names, resolved in this very directory."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self._path = path
        self._descriptor = descriptor

    def open(self, name: str) -> File | None:
        """A regular file of ours, or None if there is none. Raises OSError for other faults."""
        try:
            descriptor = self.descriptor_of(name, _READ)
        except OSError as error:
            if error.errno in _NOT_A_FILE:
                return None
            raise
        file = File(descriptor)
        return file if file.is_plain else None

    def descriptor_of(self, name: str, flags: int) -> int:
        place, directory = self._place(name)
        return os.open(place, flags | _CAREFULLY, 0o600, dir_fd=directory)

    def create(self, name: str) -> IO[bytes]:
        descriptor = self.descriptor_of(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        return os.fdopen(descriptor, "wb", _BUFFER)

    def replace(self, source: str, target: str) -> None:
        source_place, directory = self._place(source)
        target_place, _ = self._place(target)
        os.replace(source_place, target_place, src_dir_fd=directory, dst_dir_fd=directory)

    def remove(self, name: str) -> None:
        """Removes a file or link, if it can be removed."""
        place, directory = self._place(name)
        with contextlib.suppress(OSError):
            os.unlink(place, dir_fd=directory)

    def status(self, name: str) -> os.stat_result | None:
        place, directory = self._place(name)
        try:
            return os.stat(place, dir_fd=directory, follow_symlinks=False)
        except OSError:
            return None

    def names(self) -> list[str]:
        with os.scandir(self._path if self._descriptor is None else self._descriptor) as found:
            return sorted(entry.name for entry in found)

    def sync(self) -> None:
        """Makes names durable, where the system can: some file systems refuse."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.fsync(self._descriptor)

    def _place(self, name: str) -> tuple[str | Path, int | None]:
        if self._descriptor is None:
            return self._path / name, None
        return name, self._descriptor


@contextlib.contextmanager
def open_folder(path: Path) -> Iterator[Folder]:
    """Raises OSError if it cannot be opened, `ForeignDirectoryError` if it must not be used."""
    if not _DESCENDS:
        check_ours(path.lstat())
        yield Folder(path, None)
        return
    descriptor = os.open(path, _READ | os.O_DIRECTORY)
    try:
        check_ours(os.fstat(descriptor))
        yield Folder(path, descriptor)
    finally:
        os.close(descriptor)


def check_ours(status: os.stat_result) -> None:
    """Raises unless it is a directory of ours that nobody else can write to."""
    if not stat.S_ISDIR(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0)):
        raise ForeignDirectoryError
    if not is_ours(status) or (hasattr(os, "geteuid") and status.st_mode & 0o022):
        raise ForeignDirectoryError


def is_ours(status: os.stat_result) -> bool:
    """Windows has no owners in this sense: there the user's own directories are private."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


@contextlib.contextmanager
def locked(folder: Folder, name: str, wait_seconds: float) -> Iterator[bool]:
    """Keeps other writers out, and says whether it could: not every file system has locks.

    The system takes the lock from a process that dies. Raises `BusyError` after the wait.
    """
    end = time.monotonic() + wait_seconds
    while True:
        descriptor = folder.descriptor_of(name, os.O_RDWR | os.O_CREAT)
        try:
            taken = _lock(descriptor)
            # A lock file that was removed meanwhile is not the one that others would lock.
            in_place = folder.status(name)
            if taken is None:
                yield False
                return
            if taken and in_place and os.path.samestat(in_place, os.fstat(descriptor)):
                yield True
                return
        finally:
            os.close(descriptor)
        if time.monotonic() >= end:
            raise BusyError
        time.sleep(_LOCK_POLL_SECONDS)


def _lock(descriptor: int) -> bool | None:
    """True if the lock is ours now, False if it is another's, None if there are no locks."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK) else None
    return True


class File:
    """A file open for reading. It is closed with its last user, so no reader loses it."""

    _seeking = threading.Lock()

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        status = os.fstat(descriptor)
        self.size = status.st_size
        self.is_plain = stat.S_ISREG(status.st_mode) and is_ours(status)

    def __del__(self) -> None:
        # An interpreter on its way out may have taken `os` apart already.
        with contextlib.suppress(OSError, AttributeError, TypeError):
            os.close(self._descriptor)

    def read(self, offset: int, length: int) -> bytes | None:
        """Exactly `length` bytes, or None."""
        try:
            data = self._read_once(offset, length)
            if len(data) < length:
                data = self._read_on(data, offset, length)
        except (OSError, MemoryError, OverflowError):
            return None
        return data if len(data) == length else None

    def mark_used(self) -> None:
        with contextlib.suppress(OSError):
            if os.utime in os.supports_fd:
                os.utime(self._descriptor)

    def _read_once(self, offset: int, length: int) -> bytes:
        if hasattr(os, "pread"):
            return os.pread(self._descriptor, length, offset)
        with self._seeking:
            os.lseek(self._descriptor, offset, os.SEEK_SET)
            return os.read(self._descriptor, length)

    def _read_on(self, start: bytes, offset: int, length: int) -> bytes:
        """One call reads at most 2 GiB, and less from some file systems."""
        pieces = [start]
        done = len(start)
        while pieces[-1] and done < length:
            pieces.append(self._read_once(offset + done, length - done))
            done += len(pieces[-1])
        return b"".join(pieces)


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
        """The length of a blob that is in `positions`."""
        return self._entry(self.positions[key])[1]

    @functools.cached_property
    def positions(self) -> dict[bytes, int]:
        """Row of each key; none where the table is damaged.

        Built when first needed: opening a store must not pay for it.
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


def open_pack(folder: Folder, record: PackRecord) -> Pack | None:
    file = folder.open(record.name)
    return Pack(record, file) if file is not None and file.size == record.size else None


def write_pack(folder: Folder, name: str, blobs: Iterable[tuple[bytes, bytes]]) -> PackRecord:
    """Writes keys and blobs, which come in the order of their keys, and makes them durable."""
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


def write_block(folder: Folder, name: str, *pieces: Bytes) -> BlockRecord:
    """Writes the pieces one after another and makes them durable."""
    with folder.create(name) as stream:
        for piece in pieces:
            stream.write(piece)
        _make_durable(stream)
    return BlockRecord(name, sum(memoryview(piece).nbytes for piece in pieces), checksum(*pieces))


class Directory(msgspec.Struct, frozen=True, array_like=True):
    """What the head names. Packs are in the order in which they are asked, newest first."""

    packs: tuple[PackRecord, ...]
    sections: dict[str, BlockRecord]

    @property
    def names(self) -> frozenset[str]:
        packs = {record.name for record in self.packs}
        return frozenset(packs | {record.name for record in self.sections.values()})


_DIRECTORY = msgspec.msgpack.Decoder(Directory)


@attrs.frozen
class Head:
    directory: Directory
    state: bytes
    checksum: bytes


@attrs.frozen
class Section:
    record: BlockRecord
    file: File


@attrs.frozen
class Generation:
    """A head and its files, open. Files that are missing or wrong are left out."""

    state: bytes | None
    packs: tuple[Pack, ...]
    sections: Mapping[str, Section]
    names: frozenset[str]
    """The files that the head names, those that are missing included."""

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


def load_generation(folder: Folder) -> Generation:
    """The current generation.

    A save may remove files between our look at the head and at them. Then the head has changed
    as well, and the new one is read instead.
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


def _read_head(folder: Folder) -> Head | None:
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


def open_files(folder: Folder, head: Head) -> Generation:
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


def seal_head(directory: Directory, state: bytes) -> tuple[Head, tuple[bytes, ...]]:
    """A head and the bytes of its file."""
    encoded = msgspec.msgpack.encode(directory)
    blank = bytes(CHECKSUM_LENGTH)
    header = _HEADER.pack(_MAGIC, SCHEMA, len(encoded), len(state), blank)[:-CHECKSUM_LENGTH]
    seal = checksum(header, encoded, state)
    return Head(directory, state, seal), (header, seal, encoded, state)


def new_name(suffix: str) -> str:
    return secrets.token_hex(16) + suffix


def checksum(*pieces: Bytes) -> bytes:
    """SHA-256, cut to 16 bytes: processors have instructions for it, so it beats BLAKE2."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.digest()[:CHECKSUM_LENGTH]


def _make_durable(stream: IO[bytes]) -> None:
    stream.flush()
    os.fsync(stream.fileno())
