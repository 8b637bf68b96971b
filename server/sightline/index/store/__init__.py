"""The store: what an index keeps between runs, in the user's cache directory.

A workspace has one directory there, named by a hash of its root. In it are

* `head`: the `state`, and the list of the files below with their sizes and checksums,
* packs (`*.pack`): the blobs, found by keys that the caller makes (see `pack`),
* sections (`*.section`): a few large named pieces, each in a file of its own,
* `lock`: held by the one process that is saving. Readers need no lock.

The store never interprets its contents. It is a cache: a file that is damaged, foreign, truncated
or of another version is treated as missing.

Invariants:

* The store returns exactly what was saved under a key or name, or nothing.
* Expected faults of the environment (full disk, no permission, vanished directory) are typed
  results, never exceptions.

`location` decides where the directory is, `store_folder` opens and locks it, `pack` defines the
file format, `generation` reads a head with its files, `saving` writes one, `cache_limit` keeps the
total of all workspaces below a size.
"""

from sightline.index.store.location import (
    CACHE_VARIABLE,
    Fault,
    default_cache_directory,
    is_inside,
)
from sightline.index.store.saving import Saved
from sightline.index.store.store import (
    CACHE_LIMIT_BYTES,
    NoStore,
    SaveFailure,
    Store,
    open_store,
)

__all__ = [
    "CACHE_LIMIT_BYTES",
    "CACHE_VARIABLE",
    "Fault",
    "NoStore",
    "SaveFailure",
    "Saved",
    "Store",
    "default_cache_directory",
    "is_inside",
    "open_store",
]
