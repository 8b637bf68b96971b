"""The result types of the index: symbols, and relations with their evidence."""

from __future__ import annotations

from enum import StrEnum

import attrs


class Confidence(StrEnum):
    RESOLVED = "resolved"
    """Imports, scopes and plain types lead to exactly this symbol."""
    AMBIGUOUS = "ambiguous"
    """They lead to several symbols, all of which are listed."""
    TEXTUAL = "textual"
    """Only the name is evidence."""
    DISPATCH = "dispatch"
    """A call of a method may lead to an overriding or overridden method."""


class RelationKind(StrEnum):
    DEPENDENCY = "dependency"
    DEPENDENT = "dependent"
    BASE = "base"
    IMPLEMENTER = "implementer"
    CALLER = "caller"
    CALLEE = "callee"
    CONFIG = "config"
    OVERRIDES = "overrides"
    OVERRIDDEN_BY = "overridden_by"
    MAY_DISPATCH_TO = "may_dispatch_to"


@attrs.frozen(order=True)
class SymbolLocation:
    """A symbol, or a whole file if `symbol` is empty."""

    path: str
    symbol: str
    """Its qualified name."""
    kind: str
    line: int
    """1-based, of its name."""

    def __str__(self) -> str:
        return f"{self.path}::{self.symbol}" if self.symbol else self.path

    def as_dict(self) -> dict[str, object]:
        return {
            "path": self.path,
            "symbol": self.symbol or None,
            "kind": self.kind,
            "line": self.line,
        }


@attrs.frozen(order=True)
class Evidence:
    """The line that is the evidence for a relation: the call, the import, the base clause."""

    path: str
    line: int
    name: str


@attrs.frozen
class Relation:
    """A relation of `source` to each of `targets`, seen from the requested symbol; `kind` names it.

    For a caller, the target is the calling symbol; for a callee, the called one. With more than one
    target, the evidence does not tell which is meant.
    """

    kind: RelationKind
    confidence: Confidence
    targets: tuple[SymbolLocation, ...]
    evidence: Evidence
    hops: int = 1
    left_out: int = 0
    """How many more targets there are; in the last relation of a list, how many more relations. The
    nearest ones are listed.
    """

    def as_dict(self) -> dict[str, object]:
        return {
            "kind": self.kind.value,
            "confidence": self.confidence.value,
            "hops": self.hops,
            "left_out": self.left_out,
            "targets": [place.as_dict() for place in self.targets],
            "evidence": {
                "path": self.evidence.path,
                "line": self.evidence.line,
                "name": self.evidence.name,
            },
        }
