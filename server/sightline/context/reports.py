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
    OptionalFile,
    OptionalReason,
    QuarantinedFile,
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
from sightline.context.accounting import Composed
from sightline.context.blocks import BlockShape, Item, ItemRole
from sightline.context.candidates import bytewise
from sightline.context.fitting import FitStep
from sightline.context.layout import Entry, TokenCounter
from sightline.context.request import BuildRequest
from sightline.context.targets import SHOWN_WHOLE
from sightline.egress import RULES_VERSION, ScanFailure
from sightline.render import Rendering
from sightline.settings import Settings

BUNDLE_VERSION = 1
_BUILDER = "builder-1"
ERROR_OUTSIDE = "the error is outside the workspace; its location is left out"

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
    """By field of the request: the lines in which a weak secret was replaced."""
    target_files: tuple[str, ...]
    target_symbols: tuple[str, ...]
    quarantined: tuple[QuarantinedFile, ...]
    """The first of them."""
    quarantined_count: int
    hidden: tuple[HiddenFiles, ...]


def report(
    inputs: ReportInputs,
    composed: Composed,
    blocks: Sequence[ContextBlock],
    rendering: Rendering,
    tokens: int,
    excluded: Sequence[ExcludedCandidate],
    redactions: Sequence[Redaction],
) -> tuple[ContextBundle, ContextManifest, RedactionReport, BudgetReport]:
    """Return the bundle of the blocks, and the reports about it."""
    bundle = _bundle(inputs, blocks)
    bundle_id = bundle.bundle_id
    weak = _weak(inputs, composed)
    included, optional = _included(composed)
    manifest = ContextManifest(
        bundle_id,
        inputs.correlation_id,
        inputs.request.purpose,
        Selection(
            inputs.target_files,
            inputs.target_symbols,
            included,
            tuple(sorted_by_path(excluded)),
            optional,
        ),
        Fingerprints(
            inputs.index_fingerprint, config_fingerprint(inputs), bundle_fingerprint(bundle)
        ),
        sum(each.count for each in weak),
        inputs.quarantined,
        inputs.hidden,
    )
    told = [*map(_path_excluded, sorted_by_path(excluded)), *redactions]
    redaction_report = RedactionReport(bundle_id, (*told, *_losses(composed)), weak)
    decision = decide(tokens, inputs.limits)
    costs, framing = _costs(composed.layout.counter, rendering, blocks, tokens)
    budget_report = BudgetReport(
        bundle_id,
        tokens,
        inputs.limits.max_input,
        inputs.limits.soft,
        inputs.limits.hard,
        inputs.limits.reserve,
        decision,
        (
            *_notes(inputs, decision, tokens),
            *_steps(composed.steps),
            *_enrichment(composed),
        ),
        inputs.estimator.name,
        costs,
        framing,
    )
    return bundle, manifest, redaction_report, budget_report


def whole_targets(composed: Composed) -> list[str]:
    """Say for which symbols the whole file is shown because their regions cannot be cut."""
    cutter = composed.layout.cutter
    notes = []
    for entry in composed.layout.entries:
        item = entry.item
        is_whole = entry.shape is BlockShape.FULL
        if item.role is not ItemRole.TARGET or not item.targets or not is_whole:
            continue
        if cutter.block(item, BlockShape.REGION) is None:
            why = cutter.problem(item.path, BlockShape.REGION) or "its boundaries are not known"
            notes.append(f"{item.path}{SHOWN_WHOLE}the region cannot be cut, {why}")
    return notes


def _losses(composed: Composed) -> list[Redaction]:
    """List what was replaced, escaped, cut or removed."""
    removed = [step for step in composed.steps if step.shape is None]
    return [
        *_redacted(composed),
        *_escaped(composed),
        *_sliced(composed),
        *_removed(removed),
    ]


def too_large_report(
    limits: TokenLimits, estimator: Estimator, composed: Composed, notes: tuple[str, ...]
) -> BudgetReport:
    """Return the budget of a refused bundle: the cost of the smallest one."""
    tokens = composed.layout.tokens
    return BudgetReport(
        content_id(["refused", tokens, attrs.asdict(limits)]),
        tokens,
        limits.max_input,
        limits.soft,
        limits.hard,
        limits.reserve,
        Decision.REFUSE_HARD_LIMIT,
        (
            f"estimator {estimator.name}",
            *notes,
            *_steps(composed.steps),
            f"step 5: refused, {tokens} tokens are more than {limits.hard}",
            f"the smallest workable budget is {tokens + limits.reserve} input tokens",
        ),
        estimator.name,
    )


def bundle_fingerprint(bundle: ContextBundle) -> str:
    """Return the hash of a bundle without its time and its correlation id."""
    return digest(msgspec.structs.replace(bundle, created_at="", correlation_id=""))


def config_fingerprint(inputs: ReportInputs) -> str:
    """Return the hash of settings, policy, estimator and rules: everything that decides how a
    bundle is built.
    """
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
    return sorted(
        excluded, key=lambda each: (bytewise(each.path), each.symbol or "", each.reason.value)
    )


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


def _included(
    composed: Composed,
) -> tuple[tuple[IncludedFile, ...], tuple[OptionalFile, ...]]:
    """Return each shown file once, in bytewise order: the related files, and the others."""
    included: dict[str, IncludedFile] = {}
    optional: dict[str, OptionalFile] = {}
    for path in sorted({entry.item.path for entry in composed.layout.entries}, key=bytewise):
        entry = composed.layout.of_path(path)[0]
        item, document = entry.item, entry.item.document
        encoding, source = Encoding(document.encoding), Source(document.source)
        level, relation = entry.block.meta.level or "", entry.block.meta.relation
        if item.reason is not None:
            included[path] = IncludedFile(
                path,
                document.sha256,
                encoding,
                document.byte_size,
                item.reason,
                level,
                item.score,
                source,
                relation,
            )
        else:
            optional[path] = OptionalFile(
                path,
                document.sha256,
                encoding,
                document.byte_size,
                OptionalReason.SIMILAR,
                level,
                item.score,
                source,
                relation,
            )
    return tuple(included.values()), tuple(optional.values())


def _path_excluded(each: ExcludedCandidate) -> Redaction:
    rule = f"{each.rule}" + (f" ({each.rule_source})" if each.rule_source else "")
    about = f"{each.symbol}: " if each.symbol else ""
    return Redaction(
        RedactionType.PATH_EXCLUDED,
        each.path,
        _REDACTION_REASONS[each.reason],
        f"{about}{each.reason.value}: {rule}",
    )


def _redacted(composed: Composed) -> list[Redaction]:
    redactions = []
    for item in sorted(_items(composed), key=lambda each: bytewise(each.path)):
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


def _weak(inputs: ReportInputs, composed: Composed) -> tuple[WeakRedactions, ...]:
    """Count the replaced weak secrets, by field of the request and by file."""
    found = [
        WeakRedactions(field, len(lines), tuple(sorted(set(lines))))
        for field, lines in sorted(inputs.weak_words.items())
    ]
    for item in sorted(_items(composed), key=lambda each: bytewise(each.path)):
        findings = item.document.findings
        assert not isinstance(findings, ScanFailure)
        lines = [
            item.document.text.line_of(each.span.start) + 1 for each in findings if each.is_weak
        ]
        if lines:
            found.append(WeakRedactions(item.path, len(lines), tuple(sorted(set(lines)))))
    return tuple(found)


def _items(composed: Composed) -> list[Item]:
    return list({entry.item.path: entry.item for entry in composed.layout.entries}.values())


def _escaped(composed: Composed) -> list[Redaction]:
    escaped = composed.layout.cutter.escaped
    return [
        Redaction(
            RedactionType.PATTERN_REDACTED,
            item.path,
            RedactionReason.POLICY,
            f"{count} invisible characters written as escapes",
        )
        for item in sorted(_items(composed), key=lambda each: bytewise(each.path))
        if (count := escaped.get(item.path, 0))
    ]


def _sliced(composed: Composed) -> list[Redaction]:
    lowered = {
        (step.item.path, step.item.role)
        for step in composed.steps
        if step.item is not None and step.shape is not None
    }
    sliced = [each for each in composed.layout.entries if each.shape is not BlockShape.FULL]
    sliced.sort(key=lambda each: (bytewise(each.item.path), each.item.role))
    return [
        Redaction(
            RedactionType.CONTENT_SLICED,
            entry.item.path,
            _slice_reason(entry, is_lowered=entry.key in lowered),
            _LEVELS[entry.shape] + _region_names(entry),
        )
        for entry in sliced
    ]


def _slice_reason(entry: Entry, *, is_lowered: bool) -> RedactionReason:
    """Name the budget only if it was the cause."""
    if is_lowered:
        return RedactionReason.BUDGET
    if entry.item.role in (ItemRole.TARGET, ItemRole.REST) and entry.item.is_secretive:
        return RedactionReason.SECRET
    return RedactionReason.POLICY


def _region_names(entry: Entry) -> str:
    named = [
        region.symbol or f"lines {region.start_line}-{region.end_line}"
        for region in entry.block.meta.regions
    ]
    return f": {', '.join(named)}" if named else ""


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
    """Return what each block adds to the text before it, and the remainder for the frame."""
    running = counter.estimator.count(rendering.pieces[0].encode("utf-8")).numbers
    before = counter.total(running)
    costs: dict[int, int] = {}
    for index in rendering.order:
        running = tuple(map(int.__add__, running, counter.cost(blocks[index])))
        after = counter.total(running)
        costs[index] = after - before
        before = after
    # With an exact tokenizer, pieces may cost a little more or less than their joined text.
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
    """Return a note for each step, in the order in which they were taken."""
    notes = []
    for step in steps:
        what = step.item.path if step.item else BlockType.PROJECT_META.value
        name = f"step {step.step}"
        if step.shape is None:
            priority = step.item.priority.value if step.item else "P1"
            notes.append(f"{name}: removed {what} ({priority})")
        else:
            notes.append(f"{name}: {what} as {_LEVELS[step.shape]}")
    return notes


def _enrichment(composed: Composed) -> list[str]:
    """Say how much was added to what the targets need, and why it ended."""
    taken = composed.enriched.taken
    if not taken:
        return []
    files = len({each.step.path for each in taken})
    end = "nothing is left" if composed.enriched.is_ended else "the next one has no room"
    return [
        f"enrichment: {len(taken)} parts of {files} files beyond {composed.needed_tokens} tokens "
        f"that the target needs, up to {composed.fill_limit}; {end}"
    ]
