"""Context snapshots: the record of what an AI saw.

    from sightline.provenance import ActorRef, ContextItem, ContextSnapshot, SelectionStrategy

    draft = ContextSnapshot(ActorRef.agent("coder"), SelectionStrategy.EXPLICIT)
    draft.add_item(ContextItem("file", "src/app.py"))

`sightline.open(root).snapshots` stores, lists and verifies them in a repository.
"""

from __future__ import annotations

from sightline.provenance.model import ContextItem, ContextSnapshot, Header
from sightline.provenance.vocabulary import (
    ActorKind,
    ActorRef,
    ContextItemKind,
    SelectionStrategy,
    SnapshotError,
)

__all__ = [
    "ActorKind",
    "ActorRef",
    "ContextItem",
    "ContextItemKind",
    "ContextSnapshot",
    "Header",
    "SelectionStrategy",
    "SnapshotError",
]
