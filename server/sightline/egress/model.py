"""The results of a scan: findings and failures, as plain values.

Invariant: no field ever contains a byte of the scanned text.
"""

from __future__ import annotations

from enum import StrEnum

import attrs

from sightline.text import Span

FLOOD = "flood"
"""The kind of a finding that stands for many."""


class Certainty(StrEnum):
    CERTAIN = "certain"
    UNCERTAIN = "uncertain"
    """It may be a credential, and its bounds may be wrong: it is withheld."""
    WEAK = "weak"
    """A plain word or phrase after a name like `password`: it is only replaced."""


@attrs.frozen
class Finding:
    """One secret in a text, as byte offsets."""

    span: Span
    """The whole secret value: what must not be sent."""
    detector: str
    """The rule that found it, kebab-case: `private-key`, `assigned-password`, …"""
    kind: str
    """The group of the rule: `private_key`, `password`, `token`, `vendor`, …"""
    certainty: Certainty
    is_bounded: bool
    """True if start and end are certain, so that replacing the span removes the secret."""

    @property
    def is_flood(self) -> bool:
        """True if it stands for a whole text with too many secrets: nobody can mark those as
        harmless.
        """
        return self.kind == FLOOD

    @property
    def is_weak(self) -> bool:
        """True for the weak tier: it refuses nothing and is not searched for in other texts."""
        return self.certainty is Certainty.WEAK


class FailureReason(StrEnum):
    RAISED = "scanner_raised"
    NONSENSE = "scanner_nonsense"
    TIMEOUT = "scanner_timeout"
    """It exceeded its limit on processor time."""
    STUCK = "scanner_stuck"
    """It got no processor time, or used none."""


@attrs.frozen
class ScanFailure:
    """A scan without a trustworthy answer: the scanned text must be withheld."""

    reason: FailureReason
