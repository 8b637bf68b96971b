"""One build: a request and the bytes of a workspace go in, a bundle with its reports comes out.

`build_context` is the one entry. It does no I/O and reads no clock: `Sources` hands over
documents, cuts and scans; the caller says what time it is.

Order of the work: the request's own words are scanned; targets are found; candidates are
established, excluded, read, scanned and ranked; blocks are fitted into the budget; the rendered
text is scanned once more; reports are written.

Invariants:

* What a scan did not clear is in no block. A scan that fails withholds, like one that finds.
* Two builds of the same inputs give the same bytes but for `created_at` and `correlation_id`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from sightline.budget import Estimator, ModelProfile, TokenLimits, estimator, token_limits
from sightline.bundle import (
    BudgetReport,
    ContextBlock,
    ContextBundle,
    ContextManifest,
    ExcludedCandidate,
    ExclusionReason,
    Priority,
    Purpose,
    Redaction,
    RedactionReport,
)
from sightline.context import fixed
from sightline.context.asked import asked_of, asked_symbol
from sightline.context.blocks import BlockCutter, Item, ItemRole
from sightline.context.blocks import order as bundle_order
from sightline.context.fitting import NEAREST, Fitted, TokenCounter, TooLarge, fit, leanest
from sightline.context.reports import ReportInputs, report, too_large_report, whole_targets
from sightline.context.request import BuildRequest
from sightline.context.secret_checks import (
    UNNAMED,
    is_free_of_secrets,
    quarantined_files,
    secret_in_final_text,
    secret_in_request,
    suspicious_paths,
    without_secret_names,
)
from sightline.context.selecting import (
    READ_AT_ONCE,
    Selected,
    expect_items,
    read_items,
    select,
    without_duplicates,
)
from sightline.context.sources import Sources
from sightline.context.spreading import (
    nameable_exclusions,
    spread_secrets,
    without_weak_values,
)
from sightline.refusals import Refusal, RefusalKind
from sightline.render import Asked, Format, Order, Rendering, frame_around, render
from sightline.settings import Settings

_MOST_SMALLER_TARGETS = 3


@attrs.frozen
class Built:
    request: BuildRequest
    """What was asked for, without weak secrets."""
    bundle: ContextBundle
    manifest: ContextManifest
    redaction_report: RedactionReport
    budget_report: BudgetReport
    rendering: Rendering


@attrs.frozen
class Refused:
    refusal: Refusal
    budget_report: BudgetReport | None = None
    request: BuildRequest | None = None
    """What was asked for, without weak secrets; None where it may not be repeated."""


def build_context(
    sources: Sources,
    request: BuildRequest,
    settings: Settings,
    *,
    created_at: str,
    correlation_id: str,
) -> Built | Refused:
    """Build the context bundle for a request, or say why there is none."""
    profile, note = settings.profile()
    counting = estimator(profile.estimator)
    if isinstance(counting, Refusal):
        return Refused(counting)
    request, weak_words = without_weak_values(sources, request)
    refusal = secret_in_request(sources, request)
    if refusal is not None:
        return Refused(refusal)
    selected = select(sources, request, settings)
    if isinstance(selected, Refusal):
        sources.spread()
        unsaid = secret_in_request(sources, request)
        if unsaid is not None:
            return Refused(unsaid)
        told = without_secret_names(sources, selected)
        return Refused(told, request=_repeatable(told, request))
    form = Format(settings.render.format)
    order = Order(settings.render.order)
    asked = asked_of(sources, request, selected.targets)
    build = _Build(
        sources,
        request,
        settings,
        profile,
        token_limits(profile),
        counting,
        [note] if note else [],
        created_at,
        correlation_id,
        form,
        order,
        asked,
        BlockCutter(sources, allow_summary=settings.slicing.summary_only),
        TokenCounter(sources, counting, form, frame_around(asked, form, order)),
        weak_words,
    )
    outcome = build.assemble(selected)
    if isinstance(outcome, Refused):
        return attrs.evolve(outcome, request=_repeatable(outcome.refusal, request))
    return outcome


def _repeatable(refusal: Refusal, request: BuildRequest) -> BuildRequest | None:
    """The request, unless its own words or names may be what holds the secret."""
    is_secret = refusal.kind is RefusalKind.SECRET_RISK
    return None if is_secret and refusal.path in (None, UNNAMED) else request


@attrs.frozen
class _FixedBlocks:
    """The blocks that do not show a file."""

    blocks: list[ContextBlock]
    """Always shown."""
    description: ContextBlock | None
    """The project's description, where fitting may remove it; else it is one of `blocks`."""
    redactions: list[Redaction]
    """What the blocks withhold, the description aside."""
    description_redactions: list[Redaction]


@attrs.frozen
class _FinalText:
    """The fitted blocks, rendered: they cost no more than the hard limit."""

    fitted: Fitted
    blocks: list[ContextBlock]
    rendering: Rendering
    tokens: int
    surplus: int
    """By how much the limits had to be lowered to get there."""


@attrs.frozen
class _Build:
    """The inputs of one build, and what cuts and counts its blocks."""

    sources: Sources
    request: BuildRequest
    settings: Settings
    profile: ModelProfile
    limits: TokenLimits
    estimator: Estimator
    notes: list[str]
    created_at: str
    correlation_id: str
    form: Format
    order: Order
    asked: Asked
    cutter: BlockCutter
    counter: TokenCounter
    weak_words: Mapping[str, Sequence[int]]
    """By field of the request, the lines in which a weak secret was replaced."""

    def assemble(self, selected: Selected) -> Built | Refused:
        """Fit what was selected, render it, scan the text once more, and report.

        A file in which the last scan finds a secret is left out, and the rest is fitted again.
        """
        fixed_blocks = self._fixed_blocks()
        candidates, more_excluded = self._with_optional(selected, fixed_blocks)
        known = self.sources.spread()
        if known:
            spread = spread_secrets(
                self.sources, self.request, self.settings, selected.targets, candidates
            )
            if isinstance(spread, Refusal):
                return Refused(without_secret_names(self.sources, spread))
            candidates, withheld = spread
            more_excluded += withheld
            fixed_blocks = self._fixed_blocks()
        items, duplicates = without_duplicates(candidates)
        excluded = [*selected.excluded, *more_excluded, *duplicates]
        surplus = 0
        while True:
            final = self._fit(fixed_blocks, items, surplus)
            if isinstance(final, TooLarge):
                return self._too_large(final, fixed_blocks.blocks, items)
            surplus = final.surplus
            suspicious = self._suspicious_paths(final)
            if isinstance(suspicious, Refusal):
                return Refused(suspicious)
            if not suspicious:
                if known:
                    excluded = nameable_exclusions(self.sources, excluded)
                return self._report(selected, fixed_blocks, final, excluded)
            dropped = [item for item in items if item.path in suspicious]
            if len(dropped) < len(suspicious) or any(
                item.role in (ItemRole.TARGET, ItemRole.REST) for item in dropped
            ):
                return Refused(secret_in_final_text(sorted(suspicious)))
            items = tuple(item for item in items if item.path not in suspicious)
            excluded += map(_excluded_by_rescan, dropped)

    def _fixed_blocks(self) -> _FixedBlocks:
        request = self.request
        blocks = [
            fixed.system_block(request.purpose),
            fixed.constraints_block(request.constraints),
        ]
        redactions: list[Redaction] = []
        task = fixed.task_block(request)
        if task is not None:
            blocks.append(task)
        if request.last_error is not None and request.purpose is Purpose.INTENT:
            redactions.append(fixed.no_error(request.purpose))
        elif request.last_error is not None:
            if request.last_error.is_outside:
                self.notes.append("the error is outside the workspace; its location is left out")
            error, redactions = fixed.error_block(
                self.sources, request.last_error, request.dropped_paths
            )
            blocks.append(error)
        if request.purpose is Purpose.INTENT:
            description, withheld = fixed.project_block(self.sources, Priority.P0)
            return _FixedBlocks([*blocks, description], None, redactions, withheld)
        if self.settings.context.depth == "target":
            return _FixedBlocks(blocks, None, redactions, [])
        description, withheld = fixed.project_block(self.sources, Priority.P1)
        return _FixedBlocks(blocks, description, redactions, withheld)

    def _with_optional(
        self, selected: Selected, fixed_blocks: _FixedBlocks
    ) -> tuple[list[Item], list[ExcludedCandidate]]:
        """The items, and as many optional files behind them as could be shown.

        Optional files are read a few at a time, the nearest first: those that fit while all else
        is whole, and in any case the few that stay while others are cut.
        """
        cutter, counter = self.cutter, self.counter
        description = fixed_blocks.description
        items = list(selected.items)
        tokens = counter.tokens([*fixed_blocks.blocks, *([description] if description else [])])
        tokens += sum(
            counter.total(counter.cost(block))
            for item in items
            if item.role is not ItemRole.REST
            and (block := cutter.block(item, item.largest)) is not None
        )
        excluded: list[ExcludedCandidate] = []
        read = 0
        grown = self.limits.soft
        for read in range(0, len(selected.optional), READ_AT_ONCE):
            if read >= NEAREST and tokens > self.limits.soft:
                break
            behind = read + READ_AT_ONCE
            some = selected.optional[read:behind]
            found, unsafe = read_items(self.sources, self.request, some)
            excluded += unsafe
            if tokens + grown <= self.limits.soft:
                # The next ones will have room if these cost what the ones before them did.
                expect_items(self.sources, selected.optional[behind : behind + READ_AT_ONCE])
            cutter.prepare(found)
            grown = sum(counter.total(counter.cost(leanest(cutter, item)[1])) for item in found)
            tokens += grown
            items += found
        else:
            read = len(selected.optional)
        excluded += [
            ExcludedCandidate(each.path, ExclusionReason.TOKEN_BUDGET, "step 1", "budget")
            for each in selected.optional[read:]
        ]
        return items, excluded

    def _fit(
        self, fixed_blocks: _FixedBlocks, items: Sequence[Item], surplus: int
    ) -> _FinalText | TooLarge:
        """Fit and render the items, with limits that are lower by `surplus` or more."""
        description = fixed_blocks.description
        while True:
            fitted = fit(
                self.cutter,
                self.counter,
                fixed_blocks.blocks,
                description,
                items,
                _lowered(self.limits, surplus),
                self.settings.context.target_level,
            )
            if isinstance(fitted, TooLarge):
                return fitted
            shown = [block for _, _, block in fitted.blocks]
            if description is not None and fitted.has_description:
                shown.append(description)
            blocks = sorted([*fixed_blocks.blocks, *shown], key=bundle_order)
            rendering = render(blocks, self.asked, self.form, self.order)
            tokens = self.estimator.tokens(rendering.text)
            if tokens <= self.limits.hard:
                return _FinalText(fitted, blocks, rendering, tokens, surplus)
            # The counts of an exact tokenizer's pieces may add up to less than the whole text.
            surplus += tokens - self.limits.hard

    def _suspicious_paths(self, final: _FinalText) -> frozenset[str] | Refusal:
        """Paths of the blocks in which a scan of the rendered text finds a secret."""
        suspicious = suspicious_paths(self.sources, final.rendering, final.blocks)
        if not suspicious and self.form is Format.XML:
            # XML parts a text between CDATA sections; Markdown has it in one piece.
            plain = render(final.blocks, self.asked, Format.MARKDOWN, self.order)
            suspicious = suspicious_paths(self.sources, plain, final.blocks)
        return suspicious

    def _report(
        self,
        selected: Selected,
        fixed_blocks: _FixedBlocks,
        final: _FinalText,
        excluded: Sequence[ExcludedCandidate],
    ) -> Built:
        redactions = fixed_blocks.redactions
        if fixed_blocks.description is None or final.fitted.has_description:
            redactions = [*redactions, *fixed_blocks.description_redactions]
        targets = selected.targets.files
        inputs = ReportInputs(
            request=self.request,
            settings=self.settings,
            profile=self.profile,
            limits=self.limits,
            estimator=self.estimator,
            policy=self.sources.snapshot.policy,
            index_fingerprint=self.sources.snapshot.fingerprint,
            created_at=self.created_at,
            correlation_id=self.correlation_id,
            notes=(*self.notes, *whole_targets(self.cutter, final.fitted)),
            weak_words=self.weak_words,
            target_files=tuple(each.path for each in targets),
            target_symbols=tuple(
                str(self.sources.snapshot.place(symbol))
                for each in targets
                for symbol in each.symbols
            ),
            quarantined=quarantined_files(self.sources),
            quarantined_count=len(self.sources.snapshot.quarantined),
            hidden=self.sources.snapshot.hidden,
        )
        bundle, manifest, redaction_report, budget_report = report(
            inputs,
            final.fitted,
            final.blocks,
            final.rendering,
            final.tokens,
            excluded,
            redactions,
            self.cutter,
            self.counter,
        )
        return Built(
            self.request, bundle, manifest, redaction_report, budget_report, final.rendering
        )

    def _too_large(
        self,
        fitted: TooLarge,
        fixed_blocks: Sequence[ContextBlock],
        items: Sequence[Item],
    ) -> Refused:
        """Refuse, and name the smallest budget and the smaller targets that would fit."""
        smallest = fitted.tokens + self.limits.reserve
        smaller = [
            each
            for item in items
            if item.role is ItemRole.TARGET
            for each in self._smaller_targets(fixed_blocks, item)
            if is_free_of_secrets(self.sources, each[0])
        ]
        ways = [f"ask for {place} (about {tokens} tokens)" for place, tokens in smaller]
        around = self.counter.tokens(fixed_blocks)
        if around > self.limits.hard:
            narrower = (
                f"shorten what is asked: rules, constraints, task and error alone need {around} "
                "tokens"
            )
        else:
            narrower = "narrow the scope: " + ", or ".join(ways or ["choose a smaller symbol"])
        budget = too_large_report(self.limits, self.estimator, fitted, tuple(self.notes))
        refusal = Refusal(
            RefusalKind.CONTEXT_TOO_LARGE,
            "over_hard_limit",
            None,
            f"the smallest bundle needs {fitted.tokens} tokens and the hard limit is "
            f"{self.limits.hard}; the smallest workable budget is {smallest} input tokens",
            f"{narrower}; or give it {smallest} input tokens (now {self.limits.max_input})",
            rule=f"hard_limit_tokens={self.limits.hard}",
            source="budget",
            candidates=tuple(place for place, _ in smaller),
            smallest_budget=smallest,
        )
        return Refused(refusal, budget)

    def _smaller_targets(
        self, fixed_blocks: Sequence[ContextBlock], item: Item
    ) -> list[tuple[str, int]]:
        """The largest symbols of a target that would fit alone: place and tokens of each."""
        fitting = []
        for symbol, block in self.cutter.regions_of(item):
            asked = attrs.evolve(self.asked, targets=(asked_symbol(item.document, symbol),))
            tokens = self.counter.tokens(
                [*fixed_blocks, block], frame_around(asked, self.form, self.order)
            )
            if tokens <= self.limits.hard:
                fitting.append((-tokens, symbol.qualified_name, symbol.name_line))
        return [
            (f"{item.path}::{name}:{line}", -tokens)
            for tokens, name, line in sorted(fitting)[:_MOST_SMALLER_TARGETS]
        ]


def _excluded_by_rescan(item: Item) -> ExcludedCandidate:
    return ExcludedCandidate(
        item.path, ExclusionReason.SECRET_RISK, "final rescan", "egress", item.score
    )


def _lowered(limits: TokenLimits, surplus: int) -> TokenLimits:
    """Limits that leave room for what the counts of pieces miss."""
    if not surplus:
        return limits
    return attrs.evolve(
        limits, hard=limits.hard - surplus, soft=min(limits.soft, limits.hard - surplus)
    )
