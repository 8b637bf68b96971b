"""Secrets: what must not leave, found, bounded and replaced; and invisible characters shown.

Everything is pure: bytes in, plain values out. The only file read is the package's own rules.

* `guarded_scan` is the door that everybody uses; `scan` is what it runs.
* `redacted` cuts a piece out of a text with every secret in it replaced.
* `escape_invisible` makes bidi controls and other invisible characters visible, `made_visible`
  those in bytes.

Deliberately absent: allow comments, logs, values of secrets in any answer.
"""

from __future__ import annotations

from sightline.egress.guarding import Scanner, guarded_scan
from sightline.egress.harmless_values import NOTHING_HARMLESS, HarmlessValues, keyed_hash
from sightline.egress.model import Certainty, FailureReason, Finding, ScanFailure
from sightline.egress.redaction import made_visible, placeholder, redacted
from sightline.egress.scanning import scan
from sightline.egress.version import RULES_VERSION
from sightline.egress.views import escape_invisible

__all__ = [
    "NOTHING_HARMLESS",
    "RULES_VERSION",
    "Certainty",
    "FailureReason",
    "Finding",
    "HarmlessValues",
    "ScanFailure",
    "Scanner",
    "escape_invisible",
    "guarded_scan",
    "keyed_hash",
    "made_visible",
    "placeholder",
    "redacted",
    "scan",
]
