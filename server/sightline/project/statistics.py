"""What the last scan did, and what was parsed since. Any thread may read it."""

from __future__ import annotations

import attrs

from sightline.refusals import Refusal


@attrs.define
class Statistics:
    """One object for a project: every part counts into it, and a scan resets it."""

    parsed: int = 0
    """Files and edits that were parsed."""
    reused: int = 0
    """Files whose facts were already known."""
    refused: dict[str, Refusal] = attrs.Factory(dict)
    """Files that the last scan could not parse: they reached a limit, or no worker started."""

    def clear(self) -> None:
        self.parsed = self.reused = 0
        self.refused = {}
