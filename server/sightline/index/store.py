"""The store: what an index keeps between runs, in the user's cache directory.

A workspace has one directory there, named by a hash of its root. In it are

* `head`: the `state`, and the list of the files below with their sizes and checksums,
* packs (`*.pack`): the blobs, found by keys that the caller makes (see `pack`),
* sections (`*.section`): a few large pieces, each with a name, each in a file of its own,
* `lock`: held by the one process that is saving. Readers need no lock.

The store never interprets what it is given. It is a cache: whatever is damaged, foreign, cut off
or of another version is as if it had never been saved.

Invariants:

* What is answered is what was saved under that key or name, or nothing.
* A save becomes visible at once, when the new head takes the old one's place. Its files were
  written and made durable before; a process killed at any moment leaves the old generation or
  the new one, and files that nothing names, which the next save removes.
* A save writes in the order of what changed, not of what is there: fresh blobs go into a new
  pack, which swallows packs that are not much larger than itself or mostly dead.
* Nothing here is in the workspace, readable or writable by other users, or reached by a link;
  no root path stands in it in clear.
* Expected faults of the environment (full disk, no permission, vanished directory) are typed
  results, never exceptions.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import takewhile
from pathlib import Path
from types import TracebackType

import attrs
import platformdirs

from sightline.index.pack import (
    EMPTY,
    HEAD,
    KEY_LENGTH,
    NAME,
    SCHEMA,
    BlockRecord,
    BusyError,
    Bytes,
    Directory,
    Folder,
    ForeignDirectoryError,
    Generation,
    Pack,
    PackRecord,
    check_ours,
    is_ours,
    load_generation,
    locked,
    new_name,
    open_files,
    open_folder,
    seal_head,
    write_block,
    write_pack,
)

CACHE_VARIABLE = "SIGHTLINE_CACHE_DIR"
CACHE_LIMIT_BYTES = 2 << 30
"""For all workspaces together. Beyond it, those that were not used for longest are dropped."""

_LOCK = "lock"
_PACK = ".pack"
_SECTION = ".section"
_DRAFT = ".draft"
_WORKSPACE = re.compile(r"[0-9a-f]{32}", re.ASCII)

_LOCK_WAIT_SECONDS = 5.0
_ABANDONED_SECONDS = 3600
_SMALL_PACK = 1 << 16
_MERGE_RATIO = 4


class Fault(StrEnum):
    """Why there is no store, or why a save did not happen."""

    INSIDE_WORKSPACE = "inside_workspace"
    """The cache directory is in the workspace, where nothing may be written."""
    UNSAFE = "unsafe"
    """The cache directory is another user's, or others may write to it."""
    FULL = "full"
    DENIED = "denied"
    BUSY = "busy"
    """Another process is saving the same workspace."""
    UNAVAILABLE = "unavailable"


@attrs.frozen
class NoStore:
    """The cache directory must not or cannot be used. The index works without."""

    fault: Fault


@attrs.frozen
class SaveFailure:
    """Nothing was saved; what was there before is still there."""

    fault: Fault


@attrs.frozen
class Saved:
    """`written` counts bytes; `missing` the live keys for which there was no blob anywhere."""

    written: int
    missing: int


def open_store(
    root: str, cache_directory: Path | None = None, *, limit: int = CACHE_LIMIT_BYTES
) -> Store | NoStore:
    """The store of the workspace at `root`, which may be empty. Creates nothing.

    The cache directory is the one given, else that of the environment, else the user's.
    """
    try:
        place = _Place(root, cache_directory or default_cache_directory(), limit)
        place.check()
        return Store(place, _load_existing(place))
    except ForeignDirectoryError:
        return NoStore(Fault.UNSAFE)
    except _InsideWorkspaceError:
        return NoStore(Fault.INSIDE_WORKSPACE)
    except (OSError, ValueError, RuntimeError) as error:
        return NoStore(_fault_of(error))


class Store:
    """One workspace's state, sections and blobs, as they were saved last.

    What it shows is one generation, whatever other processes save meanwhile. Its methods may be
    called from several threads.
    """

    def __init__(self, place: _Place, generation: Generation) -> None:
        self._place = place
        self._generation = generation

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def state(self) -> bytes | None:
        return self._generation.state

    def get(self, key: bytes) -> bytes | None:
        """The blob saved under this key. A key that is no longer live may still be answered."""
        return self._generation.get(key)

    def section(self, name: str) -> memoryview | None:
        """Read and checked anew on each call: keep what it returns."""
        data = self._generation.section(name)
        return None if data is None else memoryview(data)

    def save(
        self,
        state: bytes,
        sections: Mapping[str, Bytes | None],
        live: Iterable[bytes],
        fresh: Mapping[bytes, bytes],
    ) -> Saved | SaveFailure:
        """Replaces what is saved by `state` and the blobs of the `live` keys.

        Blobs come from `fresh` or, for the other live keys, from what this store has. A fresh
        blob replaces one of the same key; one whose key is not live is not kept. Sections that
        are not named stay as they are, those that are None are dropped.

        After a failure this store is what it was before.
        """
        keys = frozenset(live)
        if any(len(key) != KEY_LENGTH for key in keys):
            raise ValueError(f"A key has {KEY_LENGTH} bytes.")
        try:
            self._place.check()
            self._place.make()
            self._place.check()
            with (
                open_folder(self._place.folder) as folder,
                locked(folder, _LOCK, _LOCK_WAIT_SECONDS) as alone,
            ):
                generation, saved = _save(
                    folder, self._generation, state, sections, keys, fresh, alone=alone
                )
                self._generation = generation
            _drop_unused(self._place)
            return saved
        except ForeignDirectoryError:
            return SaveFailure(Fault.UNSAFE)
        except _InsideWorkspaceError:
            return SaveFailure(Fault.INSIDE_WORKSPACE)
        except BusyError:
            return SaveFailure(Fault.BUSY)
        except (OSError, RuntimeError) as error:
            return SaveFailure(_fault_of(error))

    def close(self) -> None:
        """Lets go of the files. A closed store is an empty one."""
        self._generation = EMPTY


class _InsideWorkspaceError(Exception):
    pass


@attrs.frozen
class _Place:
    """Where a workspace's directory is, and whether it may be there."""

    root: str
    cache: Path
    limit: int

    @property
    def index(self) -> Path:
        return self.cache / "index"

    @property
    def folder(self) -> Path:
        root = self.root.encode("utf-8", "surrogatepass")
        person = f"sightline-{SCHEMA}".encode()
        return self.index / hashlib.blake2b(root, digest_size=16, person=person).hexdigest()

    def check(self) -> None:
        """Raises unless the directories that exist are ours alone, and not in the workspace."""
        if not self.cache.is_absolute():
            raise ForeignDirectoryError
        with contextlib.suppress(FileNotFoundError):
            status = self.cache.lstat()
            if stat.S_ISLNK(status.st_mode) and not is_ours(status):
                raise ForeignDirectoryError
            check_ours(self.cache.stat())
            check_ours(self.index.lstat())
        if is_inside(self.cache, Path(self.root)):
            raise _InsideWorkspaceError

    def make(self) -> None:
        missing = takewhile(lambda parent: not parent.exists(), self.folder.parents)
        for directory in reversed([self.folder, *missing]):
            with contextlib.suppress(FileExistsError):
                directory.mkdir(0o700)


def default_cache_directory() -> Path:
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen) if chosen else platformdirs.user_cache_path("sightline", appauthor=False)


def is_inside(cache: Path, root: Path) -> bool:
    """By path and by identity: some file systems know one directory by several spellings."""
    cache = Path(os.path.realpath(cache))
    root = Path(os.path.realpath(root))
    if cache.is_relative_to(root):
        return True
    with contextlib.suppress(OSError):
        identity = root.stat()
        for ancestor in (cache, *cache.parents):
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(ancestor.stat(), identity):
                    return True
    return False


def _fault_of(error: Exception) -> Fault:
    code = error.errno if isinstance(error, OSError) else None
    if code in (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return Fault.FULL
    if code in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Fault.DENIED
    return Fault.UNAVAILABLE


def _load_existing(place: _Place) -> Generation:
    try:
        with open_folder(place.folder) as folder:
            return load_generation(folder)
    except FileNotFoundError:
        return EMPTY


def _save(
    folder: Folder,
    own: Generation,
    state: bytes,
    sections: Mapping[str, Bytes | None],
    live: frozenset[bytes],
    fresh: Mapping[bytes, bytes],
    *,
    alone: bool,
) -> tuple[Generation, Saved]:
    """Writes a generation on top of the one that is there now, which another may have saved.

    Its packs serve as well as ours would: a key means the same blob in any of them.
    """
    current = load_generation(folder)
    _sweep(folder, current.names, alone=alone)
    with _writing(folder) as writing:
        packs, missing = _save_packs(writing, own, current, live, fresh)
        kept = _save_sections(writing, own, current, sections)
        head, pieces = seal_head(Directory(packs, kept), state)
        draft = writing.block(_DRAFT, *pieces)
        generation = open_files(folder, head)
        folder.replace(draft.name, HEAD)
    folder.sync()
    _sweep(folder, head.directory.names, alone=alone)
    return generation, Saved(writing.written, missing)


@attrs.frozen
class _Writing:
    """The files that a save has made so far, and their bytes."""

    folder: Folder
    names: list[str]
    lengths: list[int]

    @property
    def written(self) -> int:
        return sum(self.lengths)

    def name(self, suffix: str) -> str:
        self.names.append(new_name(suffix))
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
def _writing(folder: Folder) -> Iterator[_Writing]:
    """A save that fails takes its files with it: on a full disk they would be in the way."""
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
    """Records of the packs that hold the live blobs, and the number that nobody has."""
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
    """The packs whose live blobs are written anew, given the size of the fresh ones.

    Each pack that stays is several times larger than the one written, so there are few of them
    and a blob is copied seldom; and at least half of each is live.
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
    """Records of the sections. One that is there already, whole, is not written again."""
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


def _sweep(folder: Folder, named: frozenset[str], *, alone: bool) -> None:
    """Removes files of ours that the head does not name.

    While we hold the lock no other writer is alive, so they are left over from one that was
    killed, or from the generation before. Without a lock, age has to tell.
    """
    with contextlib.suppress(OSError):
        for name in folder.names():
            if name in named or not NAME.fullmatch(name):
                continue
            if alone or _is_old(folder.status(name)):
                folder.remove(name)


def _is_old(status: os.stat_result | None) -> bool:
    return status is not None and status.st_mtime < time.time() - _ABANDONED_SECONDS


def _drop_unused(place: _Place) -> None:
    """Keeps the cache below its limit: whole workspaces go, the longest unused first."""
    with contextlib.suppress(OSError):
        with os.scandir(place.index) as found:
            names = [entry.name for entry in found if _WORKSPACE.fullmatch(entry.name)]
        usage = sorted((*_usage(place.index / name), name) for name in names)
        total = sum(size for _, size, _ in usage)
        for _, size, name in usage:
            if total <= place.limit:
                break
            if name != place.folder.name and _drop(place.index / name):
                total -= size


def _usage(path: Path) -> tuple[int, int]:
    """When a workspace's directory was last used, and how many bytes it holds."""
    used = size = 0
    with contextlib.suppress(OSError, ForeignDirectoryError), open_folder(path) as folder:
        for name in folder.names():
            status = folder.status(name)
            if status is not None and stat.S_ISREG(status.st_mode):
                size += status.st_size
                if name == HEAD:
                    used = status.st_mtime_ns
    return used, size


def _drop(path: Path) -> bool:
    """Removes the files of ours, and the directory if it holds no others."""
    try:
        with open_folder(path) as folder, locked(folder, _LOCK, 0):
            folder.remove(HEAD)
            for name in folder.names():
                if NAME.fullmatch(name):
                    folder.remove(name)
            folder.remove(_LOCK)
        path.rmdir()
    except (OSError, ForeignDirectoryError, BusyError):
        return False
    return True
