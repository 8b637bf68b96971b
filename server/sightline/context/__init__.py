"""The contract: from a request to a bundle with its reports. `build_context` is the one entry.

This room does no I/O and reads no clock: bytes are pushed in through `Sources`.
"""

from sightline.context.build import Built, Refused, build_context
from sightline.context.request import (
    Constraint,
    Intent,
    LastError,
    PlanStep,
    Request,
    Scope,
    Wanted,
    read_request,
)
from sightline.context.sources import Cut, Document, Sources

__all__ = [
    "Built",
    "Constraint",
    "Cut",
    "Document",
    "Intent",
    "LastError",
    "PlanStep",
    "Refused",
    "Request",
    "Scope",
    "Sources",
    "Wanted",
    "build_context",
    "read_request",
]
