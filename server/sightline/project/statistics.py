"""What the last scan did, and what was parsed since. Any thread may read it."""

from __future__ import annotations

import attrs

from sightline.refusals import Refusal


@attrs.define
class Statistics:
    """One for a project: every part counts into it, and a scan begins it anew."""

    parsed: int = 0
    """Files and edits that were parsed."""
    reused: int = 0
    """Files whose facts were known from before."""
    refused: dict[str, Refusal] = attrs.Factory(dict)
    """Files that the last scan tried to parse and could not: they hit a limit, or no worker came
    up."""

    def clear(self) -> None:
        self.parsed = self.reused = 0
        self.refused = {}
