"""Find secrets and their bounds, replace them, and make invisible characters visible.

Everything is pure: bytes in, plain values out. The only files read are the package's own rules.

* `guarded_scan` is the entry point for all callers; it runs `scan`.
* `known_secrets` are the values that some texts show to be secrets; `with_known` finds them in
  another text.
* `counted_findings` leaves out weak findings that do not count in a file.
* `redacted` cuts a piece out of a text and replaces every secret in it.
* `escape_invisible` makes bidi controls and other invisible characters visible, `made_visible`
  does so in bytes.

Deliberately absent: allow comments, logs, values of secrets in any answer.

Names are imported on first use: a worker needs only a few of the modules, and all of them take
longer to load than the worker itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sightline.egress.guarding import Scanner, guarded_scan
    from sightline.egress.harmless_values import NOTHING_HARMLESS, HarmlessValues, keyed_hash
    from sightline.egress.known import NOTHING_KNOWN, KnownSecrets, known_secrets
    from sightline.egress.model import Certainty, FailureReason, Finding, ScanFailure
    from sightline.egress.redaction import made_visible, placeholder, redacted
    from sightline.egress.scanning import scan, with_known
    from sightline.egress.tiers import counted_findings
    from sightline.egress.version import RULES_VERSION
    from sightline.egress.views import escape_invisible

__all__ = [
    "NOTHING_HARMLESS",
    "NOTHING_KNOWN",
    "RULES_VERSION",
    "Certainty",
    "FailureReason",
    "Finding",
    "HarmlessValues",
    "KnownSecrets",
    "ScanFailure",
    "Scanner",
    "counted_findings",
    "escape_invisible",
    "guarded_scan",
    "keyed_hash",
    "known_secrets",
    "made_visible",
    "placeholder",
    "redacted",
    "scan",
    "with_known",
]

_MODULES = {
    "guarding": ("Scanner", "guarded_scan"),
    "harmless_values": ("NOTHING_HARMLESS", "HarmlessValues", "keyed_hash"),
    "known": ("NOTHING_KNOWN", "KnownSecrets", "known_secrets"),
    "model": ("Certainty", "FailureReason", "Finding", "ScanFailure"),
    "redaction": ("made_visible", "placeholder", "redacted"),
    "scanning": ("scan", "with_known"),
    "tiers": ("counted_findings",),
    "version": ("RULES_VERSION",),
    "views": ("escape_invisible",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
