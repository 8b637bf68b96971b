"""One workspace's store: opened, read, saved and closed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType

import attrs

from sightline.index.store.cache_limit import drop_unused
from sightline.index.store.generation import EMPTY, Generation, load_generation
from sightline.index.store.location import (
    Fault,
    InsideWorkspaceError,
    StoreLocation,
    default_cache_directory,
    fault_of,
)
from sightline.index.store.pack import KEY_LENGTH, Bytes
from sightline.index.store.saving import Saved, save_generation
from sightline.index.store.store_folder import (
    LOCK,
    BusyError,
    ForeignDirectoryError,
    locked,
    open_store_folder,
)

CACHE_LIMIT_BYTES = 2 << 30
"""The limit for all workspaces together. Beyond it, the least recently used are removed."""

_LOCK_WAIT_SECONDS = 5.0


@attrs.frozen
class NoStore:
    """The cache directory must not or cannot be used. The index works without it."""

    fault: Fault


@attrs.frozen
class SaveFailure:
    """Nothing was saved; the earlier generation is still there."""

    fault: Fault


def open_store(
    root: str, cache_directory: Path | None = None, *, limit: int = CACHE_LIMIT_BYTES
) -> Store | NoStore:
    """The store of the workspace at `root`, which may be empty. Creates nothing.

    The cache directory is the one given, else that of the environment, else the user's.
    """
    try:
        place = StoreLocation(root, cache_directory or default_cache_directory(), limit)
        place.check()
        return Store(place, _load_existing(place))
    except ForeignDirectoryError:
        return NoStore(Fault.UNSAFE)
    except InsideWorkspaceError:
        return NoStore(Fault.INSIDE_WORKSPACE)
    except (OSError, ValueError, RuntimeError) as error:
        return NoStore(fault_of(error))


class Store:
    """One workspace's state, sections and blobs, as they were saved last.

    What it shows is one generation, whatever other processes save meanwhile. Its methods may be
    called from several threads.
    """

    def __init__(self, place: StoreLocation, generation: Generation) -> None:
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
        """Return the blob saved under this key. A key that is no longer live may still be found."""
        return self._generation.get(key)

    def has(self, key: bytes) -> bool:
        """True if a blob was saved under this key. It may turn out to be
        damaged when it is read.
        """
        return any(key in pack.positions for pack in self._generation.packs)

    def section(self, name: str) -> memoryview | None:
        """Return a section. It is read and checked again on each call: keep what it returns."""
        data = self._generation.section(name)
        return None if data is None else memoryview(data)

    def save(
        self,
        state: bytes,
        sections: Mapping[str, Bytes | None],
        live: Iterable[bytes],
        fresh: Mapping[bytes, bytes],
    ) -> Saved | SaveFailure:
        """Replace the saved data by `state` and the blobs of the `live` keys.

        Blobs come from `fresh`, or else from this store. A fresh blob replaces one of the same key;
        a blob whose key is not live is not kept. Sections that are not given stay unchanged; those
        that are None are removed.

        After a failure this store is unchanged.
        """
        keys = frozenset(live)
        if any(len(key) != KEY_LENGTH for key in keys):
            raise ValueError(f"A key has {KEY_LENGTH} bytes.")
        try:
            self._place.check()
            self._place.make()
            self._place.check()
            with (
                open_store_folder(self._place.folder) as folder,
                locked(folder, LOCK, _LOCK_WAIT_SECONDS) as alone,
            ):
                generation, saved = save_generation(
                    folder, self._generation, state, sections, keys, fresh, alone=alone
                )
                self._generation = generation
            drop_unused(self._place)
            return saved
        except ForeignDirectoryError:
            return SaveFailure(Fault.UNSAFE)
        except InsideWorkspaceError:
            return SaveFailure(Fault.INSIDE_WORKSPACE)
        except BusyError:
            return SaveFailure(Fault.BUSY)
        except (OSError, RuntimeError) as error:
            return SaveFailure(fault_of(error))

    def close(self) -> None:
        """Close the files. A closed store is empty."""
        self._generation = EMPTY


def _load_existing(place: StoreLocation) -> Generation:
    try:
        with open_store_folder(place.folder) as folder:
            return load_generation(folder)
    except FileNotFoundError:
        return EMPTY
