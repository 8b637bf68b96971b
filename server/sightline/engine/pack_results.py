"""The result of project packs. `results.py` says what holds of every result."""

from __future__ import annotations

from typing import Any

import msgspec

from sightline.bundle import Status
from sightline.refusals import Refusal


class ProjectPackResult(msgspec.Struct, frozen=True):
    """What a codebase is, for somebody who has not seen it."""

    status: Status
    refusal: Refusal | None = None
    type: str | None = None
    """`full`, `summary` or `map`."""
    pack: dict[str, Any] = {}
    """The fields of the pack, and `context_pack_info` beside them: what it was made from."""
    rendered: str | None = None
    """The same as Markdown or XML, as asked for; as JSON otherwise. Null with a refusal."""
    tokens: int = 0
    """What `rendered` costs, about."""
    warnings: tuple[str, ...] = ()
