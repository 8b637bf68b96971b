"""Order the possible meanings of a use by how near they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sightline.index.model import Confidence, Evidence, Relation, RelationKind, SymbolLocation
from sightline.index.path_names import bytewise, folders_between
from sightline.index.resolve import FileScope, Resolver, SymbolId

MOST_CANDIDATES = 10
"""The most candidates that are named for a use whose meaning is not known, the nearest first."""


class CandidateOrder:
    """How near definitions are to the files of one snapshot."""

    def __init__(
        self,
        scope_of: Callable[[str], FileScope | None],
        place: Callable[[SymbolId], SymbolLocation],
        resolver: Resolver,
    ) -> None:
        self._scope_of = scope_of
        self._place = place
        self._resolver = resolver
        self._imported_paths: dict[str, frozenset[str]] = {}

    def listed(
        self,
        kind: RelationKind,
        confidence: Confidence,
        found: Sequence[SymbolId],
        evidence: Evidence,
    ) -> Relation:
        """Return a relation to what was found, or to the nearest candidates if the meaning is not
        known.
        """
        if confidence is Confidence.RESOLVED or len(found) == 1:
            places = tuple(sorted(self._place(target) for target in found))
            return Relation(kind, confidence, places, evidence)
        nearest = self.nearest(evidence.path, found)[:MOST_CANDIDATES]
        places = tuple(self._place(target) for target in nearest)
        return Relation(kind, confidence, places, evidence, left_out=len(found) - len(nearest))

    def nearest(self, path: str, found: Sequence[SymbolId]) -> list[SymbolId]:
        """Order definitions: those of the same file first, then of its folder, of imported files,
        others.
        """
        if len(found) < 2:
            return list(found)
        folder = path.rpartition("/")[0]
        imported = self._imported_by(path)

        def key(target: SymbolId) -> tuple[bool, bool, bool, int, bytes, int]:
            other = target[0]
            return (
                other != path,
                other.rpartition("/")[0] != folder,
                other not in imported,
                folders_between(path, other),
                bytewise(other),
                target[1],
            )

        return sorted(found, key=key)

    def _imported_by(self, path: str) -> frozenset[str]:
        known = self._imported_paths.get(path)
        if known is None:
            scope = self._scope_of(path)
            imports = scope.view.imports if scope is not None else ()
            known = self._imported_paths[path] = frozenset(
                target[0]
                for each in imports
                if scope is not None
                for target in self._resolver.imported(scope, each)
            )
        return known
