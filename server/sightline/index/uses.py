"""Find the uses of a name and what each may mean, at a bounded cost.

Invariant: where uses of a name may mean very many definitions, the first ones are looked up and the
rest are counted. A file of overloads and of calls would cost the square of its length otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import attrs

from sightline.index.model import Confidence
from sightline.index.name_table import NameTable
from sightline.index.path_names import folders_between
from sightline.index.resolve import FileScope, SymbolId
from sightline.symbols.facts import Reference, used

_MANY = 1_000
_MOST_COMPARED = 200_000
"""Definitions that uses in one list may mean, of uses that may mean more than `_MANY`."""

Meaning = Callable[[FileScope, Reference], tuple[Sequence[SymbolId], Confidence]]


@attrs.frozen
class Use:
    scope: FileScope
    reference: Reference
    found: Sequence[SymbolId]
    """What it means or may mean, in order."""
    targets: frozenset[SymbolId]
    """The same, to be looked up in."""
    confidence: Confidence


@attrs.frozen
class Uses:
    uses: tuple[Use, ...]
    left_out: int
    """How many more there are, not looked up."""


class NameUses:
    """The uses of names in one snapshot. Those of the last name are kept."""

    def __init__(
        self, scope_of: Callable[[str], FileScope | None], name_table: NameTable, meaning: Meaning
    ) -> None:
        self._scope_of = scope_of
        self._name_table = name_table
        self._meaning = meaning
        self._last_files: tuple[tuple[str, str, int | None], Sequence[str]] | None = None
        """Of one symbol callers, implementers and others are asked for in a row."""
        self._last_uses: dict[str, tuple[tuple[str, str, int | None], Uses]] = {}
        """By kind. A file may hold many definitions of one name."""

    def files_using(self, name: str, path: str, most: int | None) -> Sequence[str]:
        """The files that use a name; of more than so many those that are nearest to a path."""
        key, last = (name, path, most), self._last_files
        if last is not None and last[0] == key:
            return last[1]
        files = self._name_table.files(used(name))
        if most is not None and len(files) > most:
            files = sorted(files, key=lambda each: (folders_between(path, each), each))[:most]
        self._last_files = (key, files)
        return files

    def of_name(self, scope: FileScope, name: str, kind: str, most: int | None) -> Uses:
        """Return the uses of a kind of a name that a file defines, in files of its languages."""
        key, last = (scope.path, name, most), self._last_uses.get(kind)
        if last is not None and last[0] == key:
            return last[1]
        found = self.of(self._references(scope, name, kind, most))
        self._last_uses[kind] = (key, found)
        return found

    def of(self, references: Iterable[tuple[FileScope, Reference]]) -> Uses:
        """Look up what references mean, as far as that costs a bounded amount."""
        uses: list[Use] = []
        compared = left_out = 0
        for scope, reference in references:
            if compared > _MOST_COMPARED:
                left_out += 1
                continue
            found, confidence = self._meaning(scope, reference)
            compared += len(found) if len(found) > _MANY else 0
            uses.append(Use(scope, reference, found, frozenset(found), confidence))
        return Uses(tuple(uses), left_out)

    def _references(
        self, scope: FileScope, name: str, kind: str, most: int | None
    ) -> Iterator[tuple[FileScope, Reference]]:
        for path in self.files_using(name, scope.path, most):
            other = self._scope_of(path)
            if other is None or other.rules.family != scope.rules.family:
                continue
            for reference in _named(other, name):
                if reference.kind == kind:
                    yield other, reference


def _named(scope: FileScope, name: str) -> Iterable[Reference]:
    """Uses of a name in a file, under another name it was imported by as well."""
    yield from scope.references.get(name, ())
    for alias in scope.aliases.get(name, ()):
        yield from scope.references.get(alias, ())
