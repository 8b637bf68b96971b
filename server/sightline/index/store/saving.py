"""Write a generation: the files of one save, and which packs it merges.

Invariants:

* A save becomes visible at once, when the new head replaces the old one. Its files were written and
  made durable before. A process that is killed at any moment leaves the old generation or the new
  one, and unreferenced files, which the next save removes.
* The cost of a save depends on what changed, not on what is stored: fresh blobs go into a new pack,
  which also takes the blobs of packs that are not much larger than itself or mostly dead.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping

import attrs

from sightline.index.store.generation import (
    HEAD,
    NAME,
    Generation,
    StoreDirectory,
    load_generation,
    open_files,
    seal_head,
)
from sightline.index.store.pack import (
    BlockRecord,
    Bytes,
    Pack,
    PackRecord,
    write_block,
    write_pack,
)
from sightline.index.store.store_folder import StoreFolder

_PACK = ".pack"
_SECTION = ".section"
_DRAFT = ".draft"

_ABANDONED_SECONDS = 3600
_SMALL_PACK = 1 << 16
_MERGE_RATIO = 4


@attrs.frozen
class Saved:
    """`written` counts bytes; `missing` lists live keys for which no blob was found."""

    written: int
    missing: int


def save_generation(
    folder: StoreFolder,
    own: Generation,
    state: bytes,
    sections: Mapping[str, Bytes | None],
    live: frozenset[bytes],
    fresh: Mapping[bytes, bytes],
    *,
    alone: bool,
) -> tuple[Generation, Saved]:
    """Write a generation after the current one, which another process may have saved.

    Its packs are as good as ours: a key means the same blob in any of them.
    """
    current = load_generation(folder)
    _sweep(folder, current.names, alone=alone)
    with _writing(folder) as writing:
        packs, missing = _save_packs(writing, own, current, live, fresh)
        kept = _save_sections(writing, own, current, sections)
        head, pieces = seal_head(StoreDirectory(packs, kept), state)
        draft = writing.block(_DRAFT, *pieces)
        generation = open_files(folder, head)
        folder.replace(draft.name, HEAD)
    folder.sync()
    _sweep(folder, head.directory.names, alone=alone)
    return generation, Saved(writing.written, missing)


@attrs.frozen
class _Writing:
    """The files that a save has made so far, and their bytes."""

    folder: StoreFolder
    names: list[str]
    lengths: list[int]

    @property
    def written(self) -> int:
        return sum(self.lengths)

    def name(self, suffix: str) -> str:
        self.names.append(_new_name(suffix))
        return self.names[-1]

    def block(self, suffix: str, *pieces: Bytes) -> BlockRecord:
        record = write_block(self.folder, self.name(suffix), *pieces)
        self.lengths.append(record.length)
        return record

    def pack(self, blobs: Iterable[tuple[bytes, bytes]]) -> PackRecord:
        record = write_pack(self.folder, self.name(_PACK), blobs)
        self.lengths.append(record.size)
        return record


@contextlib.contextmanager
def _writing(folder: StoreFolder) -> Iterator[_Writing]:
    """A failed save removes its files: on a full disk they would be in the way."""
    writing = _Writing(folder, [], [])
    try:
        yield writing
    except BaseException:
        for name in writing.names:
            folder.remove(name)
        raise


def _save_packs(
    writing: _Writing,
    own: Generation,
    current: Generation,
    live: frozenset[bytes],
    fresh: Mapping[bytes, bytes],
) -> tuple[tuple[PackRecord, ...], int]:
    """Return records of the packs that contain the live blobs, and the number of missing blobs."""
    places: dict[bytes, Pack] = {}
    for pack in reversed(current.packs):
        places.update(dict.fromkeys(live & pack.positions.keys(), pack))
    # A blob that was damaged in its pack comes back as a fresh one and must be written again.
    news = {key for key in live if key in fresh and current.get(key) != fresh[key]}
    lost = {key for key in live if key not in places and key not in fresh}
    pending = news | lost

    weights = dict.fromkeys((pack.record.name for pack in current.packs), 0)
    for key, pack in places.items():
        if key not in pending:
            weights[pack.record.name] += pack.length(key)
    size = sum(len(fresh[key]) for key in news)
    swallowed = _swallowed(current.packs, weights, size, is_written=bool(pending))
    pending.update(key for key, pack in places.items() if pack.record.name in swallowed)

    missing = 0

    def blobs() -> Iterator[tuple[bytes, bytes]]:
        nonlocal missing
        for key in sorted(pending):
            blob = fresh.get(key)
            if blob is None:
                blob = current.get(key)
            if blob is None:
                blob = own.get(key)
            if blob is None:
                missing += 1
            else:
                yield key, blob

    kept = tuple(pack.record for pack in current.packs if pack.record.name not in swallowed)
    if not pending:
        return kept, 0
    written = writing.pack(blobs())
    return (written, *kept), missing


def _swallowed(
    packs: tuple[Pack, ...], weights: Mapping[str, int], size: int, *, is_written: bool
) -> frozenset[str]:
    """Return the packs whose live blobs are rewritten, given the size of the fresh ones.

    Each pack that stays is several times larger than the new one. So there are few packs, blobs are
    rarely copied, and at least half of each pack is live.
    """
    swallowed = {
        pack.record.name for pack in packs if 2 * weights[pack.record.name] < pack.record.payload
    }
    swallowed.update(name for name, weight in weights.items() if weight == 0)
    size += sum(weights[name] for name in swallowed)
    if not is_written and not size:
        return frozenset(swallowed)
    for weight, name in sorted((weights[name], name) for name in weights):
        if name not in swallowed and weight <= max(_MERGE_RATIO * size, _SMALL_PACK):
            swallowed.add(name)
            size += weight
    return frozenset(swallowed)


def _save_sections(
    writing: _Writing,
    own: Generation,
    current: Generation,
    given: Mapping[str, Bytes | None],
) -> dict[str, BlockRecord]:
    """Return records of the sections. A section that is already stored intact
    is not written again.
    """
    there = {section.record.name for section in current.sections.values()}
    records: dict[str, BlockRecord] = {}
    for name, section in own.sections.items():
        if name in given:
            continue
        if section.record.name in there:
            records[name] = section.record
        elif (kept := own.section(name)) is not None:
            records[name] = writing.block(_SECTION, kept)
    for name, data in given.items():
        if data is None:
            continue
        if name in current.sections and current.section(name) == data:
            records[name] = current.sections[name].record
        else:
            records[name] = writing.block(_SECTION, data)
    return dict(sorted(records.items()))


def _sweep(folder: StoreFolder, named: frozenset[str], *, alone: bool) -> None:
    """Remove our files that the head does not name.

    While we hold the lock there is no other writer, so they are left over from a killed one or from
    the previous generation. Without a lock, only old files are removed.
    """
    with contextlib.suppress(OSError):
        for name in folder.names():
            if name in named or not NAME.fullmatch(name):
                continue
            if alone or _is_old(folder.status(name)):
                folder.remove(name)


def _is_old(status: os.stat_result | None) -> bool:
    return status is not None and status.st_mtime < time.time() - _ABANDONED_SECONDS


def _new_name(suffix: str) -> str:
    return secrets.token_hex(16) + suffix
