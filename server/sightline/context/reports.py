"""What is written about a bundle: manifest, redactions, budget and fingerprints.

The sums in a budget report add up: the tokens of all blocks and of what stands around them are
the estimate of the whole text.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import msgspec

from sightline import __version__
from sightline.budget import Decision, Estimator, Limits, ModelProfile, decide
from sightline.bundle import (
    BlockCost,
    BlockType,
    BudgetReport,
    ContextBlock,
    ContextBundle,
    ContextManifest,
    Encoding,
    ExcludedCandidate,
    ExclusionReason,
    Fingerprints,
    IncludedFile,
    Model,
    Reason,
    Redaction,
    RedactionReason,
    RedactionReport,
    RedactionType,
    Selection,
    Source,
    content_id,
    digest,
)
from sightline.context.blocks import Item, Shape, Workshop
from sightline.context.candidates import bytewise
from sightline.context.fitting import Fitted, Loss, Meter, TooLarge
from sightline.context.request import Request
from sightline.egress import RULES_VERSION, ScanFailure
from sightline.render import Rendering
from sightline.settings import Settings

BUNDLE_VERSION = 1
_BUILDER = "builder-1"

_LEVELS = {
    Shape.FULL: "FULL_FILE",
    Shape.REGION: "TARGET_REGION_ONLY",
    Shape.SIGNATURES: "SIGNATURES_ONLY",
    Shape.RELATED_SIGNATURES: "SIGNATURES_ONLY of the symbols that are meant",
    Shape.SUMMARY: "SUMMARY_ONLY",
}
_REDACTION_REASONS = {
    ExclusionReason.DENY_RULE: RedactionReason.DENY_RULE,
    ExclusionReason.OUTSIDE_SANDBOX: RedactionReason.DENY_RULE,
    ExclusionReason.BINARY: RedactionReason.BINARY,
    ExclusionReason.TOO_LARGE: RedactionReason.POLICY,
    ExclusionReason.TOKEN_BUDGET: RedactionReason.BUDGET,
    ExclusionReason.SECRET_RISK: RedactionReason.SECRET,
    ExclusionReason.DUPLICATE: RedactionReason.POLICY,
}


@attrs.frozen
class Facts:
    """What the reports say about a build besides what is in its blocks."""

    request: Request
    settings: Settings
    profile: ModelProfile
    limits: Limits
    estimator: Estimator
    policy: str
    index_fingerprint: str
    created_at: str
    correlation_id: str
    notes: tuple[str, ...]
    target_files: tuple[str, ...]
    target_symbols: tuple[str, ...]


def report(
    facts: Facts,
    fitted: Fitted,
    blocks: Sequence[ContextBlock],
    rendering: Rendering,
    tokens: int,
    excluded: Sequence[ExcludedCandidate],
    redactions: Sequence[Redaction],
    workshop: Workshop,
    meter: Meter,
) -> tuple[ContextBundle, ContextManifest, RedactionReport, BudgetReport]:
    bundle = _bundle(facts, blocks)
    bundle_id = bundle.bundle_id
    removed = [loss for loss in fitted.losses if loss.shape is None]
    all_excluded = [*excluded, *_budget_exclusions(removed, fitted)]
    all_excluded.sort(key=lambda each: (bytewise(each.path), each.reason.value))
    manifest = ContextManifest(
        bundle_id,
        facts.correlation_id,
        facts.request.purpose,
        Selection(
            facts.target_files,
            facts.target_symbols,
            _included(fitted),
            tuple(all_excluded),
        ),
        Fingerprints(
            facts.index_fingerprint, config_fingerprint(facts), bundle_fingerprint(bundle)
        ),
    )
    redaction_report = RedactionReport(
        bundle_id,
        (
            *(_path_excluded(each) for each in sorted_by_path(excluded)),
            *redactions,
            *_redacted(fitted),
            *_escaped(workshop, fitted),
            *_sliced(fitted),
            *_removed(removed),
        ),
    )
    decision = decide(tokens, facts.limits)
    costs, framing = _costs(meter, rendering, blocks, tokens)
    budget_report = BudgetReport(
        bundle_id,
        tokens,
        facts.limits.max_input,
        facts.limits.soft,
        facts.limits.hard,
        facts.limits.reserve,
        decision,
        (*_notes(facts, decision, tokens), *_steps(fitted.losses)),
        facts.estimator.name,
        costs,
        framing,
    )
    return bundle, manifest, redaction_report, budget_report


def too_large_report(
    limits: Limits, estimator: Estimator, fitted: TooLarge, notes: tuple[str, ...]
) -> BudgetReport:
    """The budget of a bundle that was refused: what the smallest one would have cost."""
    return BudgetReport(
        content_id(["refused", fitted.tokens, attrs.asdict(limits)]),
        fitted.tokens,
        limits.max_input,
        limits.soft,
        limits.hard,
        limits.reserve,
        Decision.REFUSE_HARD_LIMIT,
        (
            f"estimator {estimator.name}",
            *notes,
            *_steps(fitted.losses),
            f"step 5: refused, {fitted.tokens} tokens are more than {limits.hard}",
            f"the smallest workable budget is {fitted.tokens + limits.reserve} input tokens",
        ),
        estimator.name,
    )


def bundle_fingerprint(bundle: ContextBundle) -> str:
    """Of everything in a bundle but when and for whom it was made."""
    return digest(msgspec.structs.replace(bundle, created_at="", correlation_id=""))


def config_fingerprint(facts: Facts) -> str:
    """Of what decides how a workspace becomes a bundle: settings, policy, estimator, rules."""
    return digest(
        {
            "builder": _BUILDER,
            "version": __version__,
            "settings": facts.settings.canonical(),
            "policy": facts.policy,
            "estimator": facts.estimator.name,
            "secret_rules": RULES_VERSION,
        }
    )


def sorted_by_path(excluded: Sequence[ExcludedCandidate]) -> list[ExcludedCandidate]:
    return sorted(excluded, key=lambda each: (bytewise(each.path), each.reason.value))


def _bundle(facts: Facts, blocks: Sequence[ContextBlock]) -> ContextBundle:
    profile = facts.profile
    bundle = ContextBundle(
        "",
        BUNDLE_VERSION,
        "",
        facts.request.purpose,
        "",
        Model(
            profile.provider,
            profile.model,
            profile.max_input_tokens,
            profile.max_output_tokens,
            profile.response_token_reserve,
            profile.soft_limit_threshold_pct,
        ),
        tuple(blocks),
    )
    return msgspec.structs.replace(
        bundle,
        bundle_id=content_id(bundle),
        created_at=facts.created_at,
        correlation_id=facts.correlation_id,
    )


def _included(fitted: Fitted) -> tuple[IncludedFile, ...]:
    """Each file that is in, in bytewise order; a target's rest goes with the target."""
    found: dict[str, IncludedFile] = {}
    for item, _, block in fitted.blocks:
        if item.path in found:
            continue
        found[item.path] = IncludedFile(
            item.path,
            item.document.sha256,
            Encoding(item.document.encoding),
            item.document.byte_size,
            Reason(item.reason),
            block.meta.level or "",
            item.score,
            Source(item.document.source),
            block.meta.relation,
        )
    return tuple(found[path] for path in sorted(found, key=bytewise))


def _budget_exclusions(removed: Sequence[Loss], fitted: Fitted) -> list[ExcludedCandidate]:
    shown = {item.path for item, _, _ in fitted.blocks}
    return [
        ExcludedCandidate(
            loss.item.path,
            ExclusionReason.TOKEN_BUDGET,
            f"step {loss.step}",
            "budget",
            loss.item.score,
        )
        for loss in removed
        if loss.item is not None and loss.item.path not in shown
    ]


def _path_excluded(each: ExcludedCandidate) -> Redaction:
    rule = f"{each.rule}" + (f" ({each.rule_source})" if each.rule_source else "")
    return Redaction(
        RedactionType.PATH_EXCLUDED,
        each.path,
        _REDACTION_REASONS[each.reason],
        f"{each.reason.value}: {rule}",
    )


def _redacted(fitted: Fitted) -> list[Redaction]:
    redactions = []
    for item in sorted(_items(fitted), key=lambda each: bytewise(each.path)):
        findings = item.document.findings
        assert not isinstance(findings, ScanFailure)
        for finding in findings:
            line = item.document.text.line_of(finding.span.start) + 1
            redactions.append(
                Redaction(
                    RedactionType.PATTERN_REDACTED,
                    item.path,
                    RedactionReason.SECRET,
                    f"{finding.detector} on line {line}",
                )
            )
    return redactions


def _items(fitted: Fitted) -> list[Item]:
    return list({item.path: item for item, _, _ in fitted.blocks}.values())


def _escaped(workshop: Workshop, fitted: Fitted) -> list[Redaction]:
    return [
        Redaction(
            RedactionType.PATTERN_REDACTED,
            item.path,
            RedactionReason.POLICY,
            f"{count} invisible characters written as escapes",
        )
        for item in sorted(_items(fitted), key=lambda each: bytewise(each.path))
        if (count := workshop.escaped.get(item.path, 0))
    ]


def _sliced(fitted: Fitted) -> list[Redaction]:
    sliced = [
        (bytewise(item.path), item.path, _LEVELS[shape], block)
        for item, shape, block in fitted.blocks
        if shape is not Shape.FULL
    ]
    return [
        Redaction(
            RedactionType.CONTENT_SLICED,
            path,
            RedactionReason.BUDGET,
            level
            + (
                f": {', '.join(region.symbol for region in block.meta.regions)}"
                if block.meta.regions
                else ""
            ),
        )
        for _, path, level, block in sorted(sliced, key=lambda each: (each[0], each[2]))
    ]


def _removed(removed: Sequence[Loss]) -> list[Redaction]:
    return [
        Redaction(
            RedactionType.BLOCK_REMOVED,
            loss.item.path if loss.item else "project_meta",
            RedactionReason.BUDGET,
            f"step {loss.step}"
            + (f": {loss.item.priority.value}, score {loss.item.score}" if loss.item else ""),
        )
        for loss in removed
    ]


def _costs(
    meter: Meter, rendering: Rendering, blocks: Sequence[ContextBlock], tokens: int
) -> tuple[tuple[BlockCost, ...], int]:
    """What each block adds to the text in front of it, and what is left for the frame."""
    running = meter.estimator.count(rendering.pieces[0].encode("utf-8")).numbers
    before = meter.total(running)
    costs: dict[int, int] = {}
    for index in rendering.order:
        running = tuple(map(int.__add__, running, meter.cost(blocks[index])))
        after = meter.total(running)
        costs[index] = after - before
        before = after
    # Pieces of an exact tokenizer may cost a little more or less apart than together.
    framing = tokens - sum(costs.values())
    listed = tuple(
        BlockCost(block.block_id, block.title, block.priority, costs[index])
        for index, block in enumerate(blocks)
    )
    return listed, framing


def _notes(facts: Facts, decision: Decision, tokens: int) -> list[str]:
    notes = [f"estimator {facts.estimator.name}", *facts.notes]
    if decision is Decision.WARN_SOFT_LIMIT:
        notes.append(
            f"warning: {tokens} tokens are more than the soft limit of {facts.limits.soft}"
        )
    return notes


def _steps(losses: Sequence[Loss]) -> list[str]:
    """Each step down the road, in the order in which it was taken."""
    notes = []
    for loss in losses:
        what = loss.item.path if loss.item else BlockType.PROJECT_META.value
        step = f"step {loss.step}" if loss.step.isdigit() else f"assembly, {loss.step}"
        if loss.shape is None:
            priority = loss.item.priority.value if loss.item else "P1"
            notes.append(f"{step}: removed {what} ({priority})")
        else:
            notes.append(f"{step}: {what} as {_LEVELS[loss.shape]}")
    return notes
