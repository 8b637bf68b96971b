"""The results of context snapshots. `results.py` says what holds of every result."""

from __future__ import annotations

from typing import Any

import msgspec

from sightline.bundle import Status
from sightline.refusals import Refusal


class SnapshotEntry(msgspec.Struct, frozen=True):
    """One snapshot in a list."""

    object_id: str
    created_at: str
    created_by: str
    """Kind and name: `agent:coder`."""
    selection_strategy: str
    items: int
    """How many items it has."""
    summary: str | None = None
    commit: str | None = None
    """The commit that was checked out; null where it is not of a bundle."""


class SnapshotChange(msgspec.Struct, frozen=True):
    """One thing that differs between two snapshots."""

    mark: str
    """`-` only in the first, `+` only in the second, `~` changed."""
    what: str
    """`file`, `url`, another kind of item, `region`, `setting`, `request`, `commit`, …"""
    where: str
    detail: str
    patch: str
    """The changed lines of a text, as git prints them; empty for others."""


class SnapshotResult(msgspec.Struct, frozen=True):
    """The answer to `sightline/snapshot`. Each action fills its own fields."""

    status: Status
    refusal: Refusal | None = None
    snapshots: tuple[SnapshotEntry, ...] = ()
    """Of `list`: the oldest first. Of the others: the snapshots that were named or made."""
    snapshot: dict[str, Any] = {}
    """Of `create` and `show`: the object as it is stored."""
    rendered: str | None = None
    """As a person reads it: what a snapshot holds, what was sent, or how two differ."""
    trailer: str | None = None
    """Of `create` and `show`: the line that links a commit to it. It is never added for you."""
    changes: tuple[SnapshotChange, ...] = ()
    """Of `diff`."""
    is_verified: bool | None = None
    """Of `verify`."""
    missing: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    """Of `verify`: what was changed, and what a fresh build gives otherwise."""
    notes: tuple[str, ...] = ()
    removed: int = 0
    """Of `prune`: how many refs were removed."""
