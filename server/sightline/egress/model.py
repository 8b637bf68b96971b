"""What a scan answers: findings and failures, as plain values.

Invariant: no field ever carries a byte of what was scanned.
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
    """Perhaps a credential, and its bounds may be wrong: withheld all the same."""
    WEAK = "weak"
    """A plain word or phrase after a name like `password`: replaced in place and nothing more."""


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
    """Whether start and end are sure, so that replacing the span removes the secret."""

    @property
    def is_flood(self) -> bool:
        """Whether it stands for a whole text with too many secrets: nobody can vouch for those."""
        return self.kind == FLOOD

    @property
    def is_weak(self) -> bool:
        """Whether it is of the weak tier: it refuses nothing and is looked for nowhere else."""
        return self.certainty is Certainty.WEAK


class FailureReason(StrEnum):
    RAISED = "scanner_raised"
    NONSENSE = "scanner_nonsense"
    TIMEOUT = "scanner_timeout"
    """It hit its limit on processor time."""
    STUCK = "scanner_stuck"
    """It got no processor time, or used none."""


@attrs.frozen
class ScanFailure:
    """A scan that gave no answer to trust: whatever was scanned is to be withheld."""

    reason: FailureReason
