"""The reports about a bundle: manifest, redactions, budget and fingerprints.

The sums in a budget report add up: the tokens of all blocks and of the frame around them are the
estimate of the whole text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import msgspec

from sightline import __version__
from sightline.budget import Decision, Estimator, ModelProfile, TokenLimits, decide
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
    HiddenFiles,
    IncludedFile,
    Model,
    QuarantinedFile,
    Reason,
    Redaction,
    RedactionReason,
    RedactionReport,
    RedactionType,
    Selection,
    Source,
    WeakRedactions,
    content_id,
    digest,
)
from sightline.context.blocks import BlockCutter, BlockShape, Item, ItemRole
from sightline.context.candidates import bytewise
from sightline.context.fitting import FitStep, Fitted, TokenCounter, TooLarge
from sightline.context.request import BuildRequest
from sightline.egress import RULES_VERSION, ScanFailure
from sightline.render import Rendering
from sightline.settings import Settings

BUNDLE_VERSION = 1
_BUILDER = "builder-1"
SHOWN_WHOLE = " is shown whole: "
"""In a note on a symbol that is asked for, behind its file."""

_LEVELS = {
    BlockShape.FULL: "FULL_FILE",
    BlockShape.REGION: "TARGET_REGION_ONLY",
    BlockShape.SIGNATURES: "SIGNATURES_ONLY",
    BlockShape.RELATED_SIGNATURES: "SIGNATURES_ONLY of the symbols that are meant",
    BlockShape.SUMMARY: "SUMMARY_ONLY",
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
class ReportInputs:
    """The inputs of a build that its reports name."""

    request: BuildRequest
    settings: Settings
    profile: ModelProfile
    limits: TokenLimits
    estimator: Estimator
    policy: str
    index_fingerprint: str
    created_at: str
    correlation_id: str
    notes: tuple[str, ...]
    weak_words: Mapping[str, Sequence[int]]
    """By field of the request, the lines in which a weak secret was replaced."""
    target_files: tuple[str, ...]
    target_symbols: tuple[str, ...]
    quarantined: tuple[QuarantinedFile, ...]
    """The first of them."""
    quarantined_count: int
    hidden: tuple[HiddenFiles, ...]


def report(
    inputs: ReportInputs,
    fitted: Fitted,
    blocks: Sequence[ContextBlock],
    rendering: Rendering,
    tokens: int,
    excluded: Sequence[ExcludedCandidate],
    redactions: Sequence[Redaction],
    cutter: BlockCutter,
    counter: TokenCounter,
) -> tuple[ContextBundle, ContextManifest, RedactionReport, BudgetReport]:
    """The bundle of the fitted blocks, and the reports about it."""
    bundle = _bundle(inputs, blocks)
    bundle_id = bundle.bundle_id
    removed = [step for step in fitted.steps if step.shape is None]
    all_excluded = [*excluded, *_budget_exclusions(removed, fitted)]
    all_excluded.sort(key=lambda each: (bytewise(each.path), each.reason.value))
    weak = _weak(inputs, fitted)
    manifest = ContextManifest(
        bundle_id,
        inputs.correlation_id,
        inputs.request.purpose,
        Selection(
            inputs.target_files,
            inputs.target_symbols,
            _included(fitted),
            tuple(all_excluded),
        ),
        Fingerprints(
            inputs.index_fingerprint, config_fingerprint(inputs), bundle_fingerprint(bundle)
        ),
        sum(each.count for each in weak),
        inputs.quarantined,
        inputs.hidden,
    )
    told = [*map(_path_excluded, sorted_by_path(excluded)), *redactions]
    redaction_report = RedactionReport(bundle_id, (*told, *_losses(cutter, fitted)), weak)
    decision = decide(tokens, inputs.limits)
    costs, framing = _costs(counter, rendering, blocks, tokens)
    budget_report = BudgetReport(
        bundle_id,
        tokens,
        inputs.limits.max_input,
        inputs.limits.soft,
        inputs.limits.hard,
        inputs.limits.reserve,
        decision,
        (*_notes(inputs, decision, tokens), *_steps(fitted.steps)),
        inputs.estimator.name,
        costs,
        framing,
    )
    return bundle, manifest, redaction_report, budget_report


def whole_targets(cutter: BlockCutter, fitted: Fitted) -> list[str]:
    """Say of which symbols the whole file is shown because their regions cannot be cut."""
    notes = []
    for item, shape, _ in fitted.blocks:
        if item.role is not ItemRole.TARGET or not item.targets or shape is not BlockShape.FULL:
            continue
        if cutter.block(item, BlockShape.REGION) is None:
            why = cutter.problem(item.path, BlockShape.REGION) or "its boundaries are not known"
            notes.append(f"{item.path}{SHOWN_WHOLE}the region cannot be cut, {why}")
    return notes


def _losses(cutter: BlockCutter, fitted: Fitted) -> list[Redaction]:
    """What was replaced, written as escapes, cut or removed."""
    removed = [step for step in fitted.steps if step.shape is None]
    return [*_redacted(fitted), *_escaped(cutter, fitted), *_sliced(fitted), *_removed(removed)]


def too_large_report(
    limits: TokenLimits, estimator: Estimator, fitted: TooLarge, notes: tuple[str, ...]
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
            *_steps(fitted.steps),
            f"step 5: refused, {fitted.tokens} tokens are more than {limits.hard}",
            f"the smallest workable budget is {fitted.tokens + limits.reserve} input tokens",
        ),
        estimator.name,
    )


def bundle_fingerprint(bundle: ContextBundle) -> str:
    """The hash of a bundle without its time and its correlation id."""
    return digest(msgspec.structs.replace(bundle, created_at="", correlation_id=""))


def config_fingerprint(inputs: ReportInputs) -> str:
    """The hash of settings, policy, estimator and rules: what decides how a bundle is built."""
    return digest(
        {
            "builder": _BUILDER,
            "version": __version__,
            "settings": inputs.settings.canonical(),
            "policy": inputs.policy,
            "estimator": inputs.estimator.name,
            "secret_rules": RULES_VERSION,
        }
    )


def sorted_by_path(excluded: Sequence[ExcludedCandidate]) -> list[ExcludedCandidate]:
    return sorted(excluded, key=lambda each: (bytewise(each.path), each.reason.value))


def _bundle(inputs: ReportInputs, blocks: Sequence[ContextBlock]) -> ContextBundle:
    profile = inputs.profile
    bundle = ContextBundle(
        "",
        BUNDLE_VERSION,
        "",
        inputs.request.purpose,
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
        created_at=inputs.created_at,
        correlation_id=inputs.correlation_id,
    )


def _included(fitted: Fitted) -> tuple[IncludedFile, ...]:
    """Each file that is shown, once, in bytewise order."""
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


def _budget_exclusions(removed: Sequence[FitStep], fitted: Fitted) -> list[ExcludedCandidate]:
    shown = {item.path for item, _, _ in fitted.blocks}
    return [
        ExcludedCandidate(
            step.item.path,
            ExclusionReason.TOKEN_BUDGET,
            f"step {step.step}",
            "budget",
            step.item.score,
        )
        for step in removed
        if step.item is not None and step.item.path not in shown
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
            if finding.is_weak:
                continue
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


def _weak(inputs: ReportInputs, fitted: Fitted) -> tuple[WeakRedactions, ...]:
    """How many weak secrets were replaced, by field of the request and by file."""
    found = [
        WeakRedactions(field, len(lines), tuple(sorted(set(lines))))
        for field, lines in sorted(inputs.weak_words.items())
    ]
    for item in sorted(_items(fitted), key=lambda each: bytewise(each.path)):
        findings = item.document.findings
        assert not isinstance(findings, ScanFailure)
        lines = [
            item.document.text.line_of(each.span.start) + 1 for each in findings if each.is_weak
        ]
        if lines:
            found.append(WeakRedactions(item.path, len(lines), tuple(sorted(set(lines)))))
    return tuple(found)


def _items(fitted: Fitted) -> list[Item]:
    return list({item.path: item for item, _, _ in fitted.blocks}.values())


def _escaped(cutter: BlockCutter, fitted: Fitted) -> list[Redaction]:
    return [
        Redaction(
            RedactionType.PATTERN_REDACTED,
            item.path,
            RedactionReason.POLICY,
            f"{count} invisible characters written as escapes",
        )
        for item in sorted(_items(fitted), key=lambda each: bytewise(each.path))
        if (count := cutter.escaped.get(item.path, 0))
    ]


def _sliced(fitted: Fitted) -> list[Redaction]:
    sliced = [
        (bytewise(item.path), item, _LEVELS[shape], block)
        for item, shape, block in fitted.blocks
        if shape is not BlockShape.FULL
    ]
    return [
        Redaction(
            RedactionType.CONTENT_SLICED,
            item.path,
            # A target of which a secret leaves less than the file was not cut for its cost.
            RedactionReason.BUDGET if item.largest is BlockShape.FULL else RedactionReason.SECRET,
            level
            + (
                f": {', '.join(region.symbol for region in block.meta.regions)}"
                if block.meta.regions
                else ""
            ),
        )
        for _, item, level, block in sorted(sliced, key=lambda each: (each[0], each[2]))
    ]


def _removed(removed: Sequence[FitStep]) -> list[Redaction]:
    return [
        Redaction(
            RedactionType.BLOCK_REMOVED,
            step.item.path if step.item else "project_meta",
            RedactionReason.BUDGET,
            f"step {step.step}"
            + (f": {step.item.priority.value}, score {step.item.score}" if step.item else ""),
        )
        for step in removed
    ]


def _costs(
    counter: TokenCounter, rendering: Rendering, blocks: Sequence[ContextBlock], tokens: int
) -> tuple[tuple[BlockCost, ...], int]:
    """What each block adds to the text in front of it, and what is left for the frame."""
    running = counter.estimator.count(rendering.pieces[0].encode("utf-8")).numbers
    before = counter.total(running)
    costs: dict[int, int] = {}
    for index in rendering.order:
        running = tuple(map(int.__add__, running, counter.cost(blocks[index])))
        after = counter.total(running)
        costs[index] = after - before
        before = after
    # Pieces of an exact tokenizer may cost a little more or less apart than together.
    framing = tokens - sum(costs.values())
    listed = tuple(
        BlockCost(block.block_id, block.title, block.priority, costs[index])
        for index, block in enumerate(blocks)
    )
    return listed, framing


def _notes(inputs: ReportInputs, decision: Decision, tokens: int) -> list[str]:
    notes = [f"estimator {inputs.estimator.name}", *inputs.notes]
    more = inputs.quarantined_count - len(inputs.quarantined)
    if more:
        notes.append(f"{more} more files are in quarantine than the manifest names")
    if decision is Decision.WARN_SOFT_LIMIT:
        notes.append(
            f"warning: {tokens} tokens are more than the soft limit of {inputs.limits.soft}"
        )
    return notes


def _steps(steps: Sequence[FitStep]) -> list[str]:
    """A note for each step, in the order in which the steps were taken."""
    notes = []
    for step in steps:
        what = step.item.path if step.item else BlockType.PROJECT_META.value
        name = f"step {step.step}" if step.step.isdigit() else f"assembly, {step.step}"
        if step.shape is None:
            priority = step.item.priority.value if step.item else "P1"
            notes.append(f"{name}: removed {what} ({priority})")
        else:
            notes.append(f"{name}: {what} as {_LEVELS[step.shape]}")
    return notes
