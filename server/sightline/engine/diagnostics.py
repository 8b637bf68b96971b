"""Find what looks like a secret in a text that an editor shows."""

from __future__ import annotations

import attrs

from sightline.egress import Certainty, ScanFailure
from sightline.engine.host import Host
from sightline.text import Span, Text


@attrs.frozen
class SecretDiagnostic:
    """A place that looks like a secret. Nothing of its value leaves the server, no hash either."""

    span: Span
    detector: str
    is_uncertain: bool


def secret_diagnostics(host: Host, text: Text) -> list[SecretDiagnostic]:
    """Return what a scan finds in a text; nothing where the scan fails."""
    found = host.cache.scanned(text.data, host.harmless)
    if isinstance(found, ScanFailure):
        return []
    return [
        SecretDiagnostic(each.span, each.detector, each.certainty is Certainty.UNCERTAIN)
        for each in found
    ]
