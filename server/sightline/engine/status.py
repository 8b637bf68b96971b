"""Compute the cost of a bundle, without showing it."""

from __future__ import annotations

from sightline.bundle import BuildResult, Priority
from sightline.context import BuildRequest
from sightline.engine.build import build
from sightline.engine.cancelling import Cancellation
from sightline.engine.host import Host
from sightline.engine.results import BudgetBlock, BudgetStatus
from sightline.refusals import Refusal

_NO_CORRELATION = "00000000-0000-0000-0000-000000000000"
_NO_TIME = "1970-01-01T00:00:00Z"
"""The bundle is never shown, so it needs no id and no time."""


def budget_status(
    host: Host, request: BuildRequest, *, cancellation: Cancellation | None = None
) -> BudgetStatus:
    """Return the cost of the bundle for a request. Raises `BuildCancelledError`."""
    return status_of(unshown_build(host, request, cancellation=cancellation))


def unshown_build(
    host: Host, request: BuildRequest, *, cancellation: Cancellation | None = None
) -> BuildResult:
    """Build a bundle whose cost is the only purpose."""
    return build(
        host,
        request,
        created_at=_NO_TIME,
        correlation_id=_NO_CORRELATION,
        cancellation=cancellation,
    )


def status_of(result: BuildResult) -> BudgetStatus:
    """Return the cost of a build."""
    report = result.budget_report
    if report is None:
        assert result.refusal is not None
        return no_status(result.refusal, index_complete=result.index_complete)
    targets = result.manifest.selection.target_symbols if result.manifest else ()
    blocks = result.bundle.blocks if result.bundle else ()
    levels = [
        each.meta.level
        for each in blocks
        if each.priority is Priority.P0 and each.meta.path is not None
    ]
    optional = sum(each.tokens for each in report.blocks if each.priority is Priority.P3)
    return BudgetStatus(
        decision=report.decision.value,
        tokens=report.estimated_input_tokens,
        needed_tokens=report.estimated_input_tokens - optional,
        optional_tokens=optional,
        soft_limit_tokens=report.soft_limit_tokens,
        hard_limit_tokens=report.hard_limit_tokens,
        symbol=targets[0].partition("::")[2] or None if targets else None,
        level=levels[0] if levels else None,
        refusal=result.refusal,
        blocks=tuple(BudgetBlock(each.title, each.priority, each.tokens) for each in report.blocks),
        index_complete=result.index_complete,
    )


def no_status(refusal: Refusal, *, index_complete: bool = False) -> BudgetStatus:
    """Return the status if nothing can be built."""
    return BudgetStatus(decision="none", refusal=refusal, index_complete=index_complete)
