"""Build a bundle with its reports from a request. `build_context` is the only entry point.

This package does no I/O and reads no clock: bytes are passed in through `Sources`.
"""

from sightline.context.building import Built, Refused, build_context
from sightline.context.reports import ERROR_OUTSIDE
from sightline.context.request import (
    BuildRequest,
    Constraint,
    Intent,
    LastError,
    PlanStep,
    Scope,
    TargetSpec,
    check_request,
    read_request,
)
from sightline.context.sources import DocumentCut, ScannedDocument, Sources
from sightline.context.targets import SHOWN_WHOLE, pending_file

__all__ = [
    "ERROR_OUTSIDE",
    "SHOWN_WHOLE",
    "BuildRequest",
    "Built",
    "Constraint",
    "DocumentCut",
    "Intent",
    "LastError",
    "PlanStep",
    "Refused",
    "ScannedDocument",
    "Scope",
    "Sources",
    "TargetSpec",
    "build_context",
    "check_request",
    "pending_file",
    "read_request",
]
