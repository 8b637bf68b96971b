"""The results of recipes and task packs. `results.py` says what holds of every result."""

from __future__ import annotations

from typing import Any

import msgspec

from sightline.bundle import Status
from sightline.refusals import Refusal


class RecipeResult(msgspec.Struct, frozen=True):
    """Context for a task, a review, a failing check or an issue."""

    status: Status
    refusal: Refusal | None = None
    recipe: str | None = None
    """`implementation`, `review`, `fix` or `issue`."""
    context: dict[str, Any] = {}
    """What was built, by section; `_metadata` says what was cut, replaced or is missing."""
    rendered: str | None = None
    """The same as Markdown; null with a refusal."""
    tokens: int = 0
    """What the Markdown costs, about."""


class TaskPackResult(msgspec.Struct, frozen=True):
    """A context pack for a task."""

    status: Status
    refusal: Refusal | None = None
    tier: str | None = None
    """`strong`, `default` or `cheap`."""
    pack: dict[str, Any] = {}
    """The fields of a context pack, in camel case."""
    rendered: str | None = None
    """The same as Markdown; null with a refusal."""
    warnings: tuple[str, ...] = ()
