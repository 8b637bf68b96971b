"""Find the files in which a name is declared or used.

The table is a sorted column of 64-bit numbers, each composed of a name's key and a file's number.
It is written to the store and read back unchanged, and a look-up is two bisections. Files that
changed later are kept beside the column until there are many.

Invariants:

* A look-up may name too many files, never too few. The caller checks each file.
* The result depends on the current contents of files, not on earlier ones.
"""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

import attrs

from sightline.index.path_names import bytewise

_FILE_BITS = 31
_FILE_MASK = (1 << _FILE_BITS) - 1
_MANY = 256


_Value = TypeVar("_Value")


class Lazy(Generic[_Value]):
    """A value that is computed on first use, because a start does not need it."""

    def __init__(self, load: Callable[[], _Value]) -> None:
        self._load: Callable[[], _Value] | None = load
        self._reading = threading.RLock()
        self._value: _Value

    @property
    def value(self) -> _Value:
        if self._load is not None:
            with self._reading:
                if self._load is not None:
                    self._value = self._load()
                    self._load = None
        return self._value


@attrs.frozen
class Column:
    """Sorted numbers, and the files that they refer to."""

    numbers: Sequence[int]
    paths: Lazy[Sequence[str]]
    """By number."""


class NameTable:
    """Immutable: a column, and the changes since it was made."""

    def __init__(
        self,
        base: Lazy[Column],
        changed: Mapping[str, frozenset[int]] | None = None,
        exact: Mapping[str, Lazy[frozenset[int]]] | None = None,
    ) -> None:
        self._base = base
        self.changed: Mapping[str, frozenset[int]] = changed or {}
        """Keys of files that differ from the column, or are not in it; no keys
        for a removed file.
        """
        self._exact: Mapping[str, Lazy[frozenset[int]]] = exact or {}
        """The exact keys of those files for which `changed` contains too many."""

    @property
    def base(self) -> Column:
        return self._base.value

    @property
    def column(self) -> Sequence[int]:
        return self.base.numbers

    @property
    def paths(self) -> Sequence[str]:
        """The files of the column, by number."""
        return self.base.paths.value

    def files(self, key: int) -> list[str]:
        """Return the files that may contain a name with this key, in path order."""
        column, changed = self.column, self.changed
        first = bisect_left(column, key << _FILE_BITS)
        behind = bisect_left(column, key + 1 << _FILE_BITS, first)
        paths = self.paths if first < behind else ()
        # Files are numbered in path order. A removed file has no path.
        found = [
            path
            for number in column[first:behind]
            if (path := paths[number & _FILE_MASK]) and path not in changed
        ]
        later = [
            path
            for path, keys in changed.items()
            if key in keys and (path not in self._exact or key in self._exact[path].value)
        ]
        return sorted([*found, *later], key=bytewise) if later else found

    def with_file(
        self, path: str, keys: frozenset[int], exact: Lazy[frozenset[int]] | None = None
    ) -> NameTable:
        """Return the table after one file has changed; without keys, after it was removed.

        If `exact` is given, `keys` may contain too many and `exact` decides.
        """
        others = {each: kept for each, kept in self._exact.items() if each != path}
        return NameTable(
            self._base,
            {**self.changed, path: keys},
            {**others, path: exact} if exact is not None else others,
        )

    @property
    def is_scattered(self) -> bool:
        """True if so many files have changed that the column should be built again."""
        return len(self.changed) > _MANY


def build(
    keys: Mapping[str, bytes], column: Sequence[int] = (), kept: Mapping[int, str] | None = None
) -> NameTable:
    """Return the table of some files, given the packed keys of each; see `pack_keys`.

    With an older column, the files in it whose numbers are in `kept` are included.
    """
    kept = kept or {}
    paths = sorted({*keys, *kept.values()}, key=bytewise)
    numbers = {path: number for number, path in enumerate(paths)}
    entries: list[int] = []
    for path, packed in keys.items():
        number = numbers[path]
        entries.extend([key | number for key in memoryview(packed).cast("Q")])
    renumbered = {old: numbers[path] for old, path in kept.items()}
    entries.extend(
        entry & ~_FILE_MASK | renumbered[entry & _FILE_MASK]
        for entry in column
        if entry & _FILE_MASK in renumbered
    )
    entries.sort()
    column = array("Q", entries)
    return _table(column, paths)


def pack_keys(keys: Iterable[int]) -> bytes:
    """Return keys in the form of a column, without the number of a file."""
    return array("Q", [key << _FILE_BITS for key in keys]).tobytes()


def unpack_keys(packed: bytes) -> list[int]:
    return [number >> _FILE_BITS for number in memoryview(packed).cast("Q")]


def _table(numbers: Sequence[int], paths: Sequence[str]) -> NameTable:
    return NameTable(Lazy(lambda: Column(numbers, Lazy(lambda: paths))))


EMPTY = _table((), ())
