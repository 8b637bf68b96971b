"""Find what looks like a secret in a text that an editor shows."""

from __future__ import annotations

import attrs

from sightline.egress import Certainty, ScanFailure, counted_findings
from sightline.engine.host import Host
from sightline.text import Span, Text


@attrs.frozen
class SecretDiagnostic:
    """A place that looks like a secret. Neither the value nor a hash of it leaves the server."""

    span: Span
    detector: str
    is_uncertain: bool
    is_weak: bool


def secret_diagnostics(host: Host, text: Text, path: str) -> list[SecretDiagnostic]:
    """Return the findings in the text of a file; none if the scan fails."""
    found = counted_findings(
        host.cache.scanned(text.data, host.harmless), path, keeps_weak=host.keeps_weak
    )
    if isinstance(found, ScanFailure):
        return []
    return [
        SecretDiagnostic(
            each.span, each.detector, each.certainty is Certainty.UNCERTAIN, each.is_weak
        )
        for each in found
    ]
