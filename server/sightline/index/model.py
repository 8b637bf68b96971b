"""What the index answers: symbols, and relations with their evidence."""

from __future__ import annotations

from enum import StrEnum

import attrs


class Confidence(StrEnum):
    RESOLVED = "resolved"
    """Imports, scopes and plain types lead to exactly this."""
    AMBIGUOUS = "ambiguous"
    """They lead to several, all of which are listed."""
    TEXTUAL = "textual"
    """Nothing but the name speaks for it."""
    DISPATCH = "dispatch"
    """A call of a method that it overrides, or that overrides it, may lead to it."""


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
    """A symbol, or a whole file where `symbol` is empty."""

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
    """The line that speaks for a relation: the call, the import, the base clause."""

    path: str
    line: int
    name: str


@attrs.frozen
class Relation:
    """`source` relates to each of `targets` as `kind` says, seen from the symbol asked about.

    For a caller the target is the symbol that calls; for a callee the symbol that is called. More
    than one target means that the evidence does not tell them apart.
    """

    kind: RelationKind
    confidence: Confidence
    targets: tuple[SymbolLocation, ...]
    evidence: Evidence
    hops: int = 1
    left_out: int = 0
    """How many more targets there are, or in the last relation of a list how many more relations:
    the nearest are named."""

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
