"""One build: a request and the bytes of a workspace go in, a bundle with its reports comes out.

`build_context` is the one entry. It does no I/O and reads no clock: `Sources` hands over
documents, cuts and scans; the caller says what time it is.

Order of the work: the request's own words are scanned; targets are found; candidates are
established and excluded; what the targets need is read, scanned and assembled; more is added while
there is room, or the contract's steps are taken; the rendered text is scanned once more; reports
are written.

Invariants:

* What a scan did not clear is in no block. A scan that fails withholds, like one that finds.
* Two builds of the same inputs give the same bytes but for `created_at` and `correlation_id`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import attrs

from sightline.budget import Estimator, ModelProfile, TokenLimits, estimator, token_limits
from sightline.bundle import (
    BudgetReport,
    ContextBlock,
    ContextBundle,
    ContextManifest,
    ExcludedCandidate,
    Priority,
    Purpose,
    Reason,
    Redaction,
    RedactionReport,
)
from sightline.context import fixed
from sightline.context.accounting import Composed, unshown
from sightline.context.asked import asked_of, asked_symbol
from sightline.context.assembling import Assembly, assemble
from sightline.context.blocks import BlockCutter, Item, ItemRole
from sightline.context.blocks import order as bundle_order
from sightline.context.enriching import Enriched, enrich
from sightline.context.fitting import FitStep, fit
from sightline.context.fusing import Step, enrichment_steps, target_words
from sightline.context.layout import Layout, TokenCounter
from sightline.context.reports import (
    ERROR_OUTSIDE,
    ReportInputs,
    report,
    too_large_report,
    whole_targets,
)
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
from sightline.context.selecting import DocumentReader, Selected, select, select_again
from sightline.context.sources import ScannedDocument, Sources
from sightline.context.spreading import nameable_exclusions, nameable_steps, without_weak_values
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


_MOST_IMPORTED = 24
"""So many files are read for the secrets that they tell of, though nothing of them is shown."""


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


def _imported(selected: Selected) -> list[str]:
    """The nearest files that the targets' files use, whatever is shown of them."""
    paths = [
        each.path
        for each in selected.candidates
        if each.is_direct and each.hops == 1 and each.reason is Reason.DEPENDENCY
    ]
    return list(dict.fromkeys(paths))[:_MOST_IMPORTED]


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
    """The blocks, rendered: they cost no more than the hard limit."""

    composed: Composed
    blocks: list[ContextBlock]
    rendering: Rendering
    tokens: int


@attrs.frozen
class _TooLarge:
    composed: Composed
    """What would be left after every step."""


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
    counter: TokenCounter
    weak_words: Mapping[str, Sequence[int]]
    """By field of the request, the lines in which a weak secret was replaced."""

    def assemble(self, selected: Selected) -> Built | Refused:
        """Put the blocks together, render them, scan the text once more, and report.

        Documents are read and scanned one by one; what is a secret in one of them is one in all of
        them, so everything is put together once more if there is any. A file in which the last
        scan finds a secret is left out, and nothing takes its place.
        """
        fixed_blocks = self._fixed_blocks()
        words = self._words(selected)
        steps = self._steps(selected, words)
        if isinstance(steps, Refusal):
            return Refused(steps)
        named = frozenset(word for word, _ in words)
        composed = self._compose(selected, named, fixed_blocks, steps, None)
        # Files that the targets' files import tell of secrets, shown or not.
        self.sources.documents(_imported(selected))
        known = self.sources.spread()
        if known:
            refusal = secret_in_request(self.sources, self.request)
            again = refusal or select_again(self.sources, self.settings, selected)
            if isinstance(again, Refusal):
                return Refused(without_secret_names(self.sources, again))
            selected = again
            fixed_blocks = self._fixed_blocks()
            composed = self._compose(selected, named, fixed_blocks, steps, composed)
        while True:
            final = self._rendered(fixed_blocks, composed)
            if isinstance(final, _TooLarge):
                return self._too_large(final.composed, fixed_blocks.blocks, selected.items)
            suspicious = self._suspicious_paths(final)
            if isinstance(suspicious, Refusal):
                return Refused(suspicious)
            if not suspicious:
                out, notes = unshown(composed, selected, steps, self.settings)
                excluded = [*selected.excluded, *out]
                if known:
                    excluded = nameable_exclusions(self.sources, excluded)
                return self._report(selected, fixed_blocks, final, excluded, notes)
            dropped = [
                entry.item for path in sorted(suspicious) for entry in composed.layout.of_path(path)
            ]
            if {item.path for item in dropped} != suspicious or any(
                item.role in (ItemRole.TARGET, ItemRole.REST) for item in dropped
            ):
                return Refused(secret_in_final_text(sorted(suspicious)))
            composed.withhold(dropped)

    def _words(self, selected: Selected) -> list[tuple[str, int]]:
        """The words of what was asked for."""
        if self.settings.context.depth == "target" or not selected.targets.files:
            return []
        documents = self.sources.documents([each.path for each in selected.targets.files])
        known = {
            path: each for path, each in documents.items() if isinstance(each, ScannedDocument)
        }
        return target_words(
            self.sources.snapshot, selected.targets, known, fixed.task_words(self.request)
        )

    def _steps(self, selected: Selected, words: Sequence[tuple[str, int]]) -> list[Step] | Refusal:
        """Everything that could be shown besides what the targets need, in its fixed order."""
        if self.settings.context.depth != "fill" or not selected.targets.files:
            return []
        room = self.limits.soft
        if self.settings.budget.max_input_tokens is None:
            room = min(room, self.settings.context.fill_tokens)
        steps = enrichment_steps(
            self.sources.snapshot, selected.targets, selected.candidates, words, room
        )
        out = {each.path for each in selected.excluded}
        return nameable_steps(self.sources, [each for each in steps if each.path not in out])

    def _compose(
        self,
        selected: Selected,
        named: Set[str],
        fixed_blocks: _FixedBlocks,
        steps: Sequence[Step],
        before: Composed | None,
    ) -> Composed:
        """Assemble, then add what there is room for, or take the contract's steps.

        After a first pass nothing is read and no step is taken that was not before.
        """
        reader = DocumentReader(self.sources, before.reader.paths if before else None)
        error = self.request.last_error
        represented = frozenset([error.path] if error and error.path else [])
        summary_only = self.settings.slicing.summary_only
        cutter = BlockCutter(self.sources, allow_summary=summary_only, named=named)
        layout = Layout(cutter, self.counter, fixed_blocks.blocks, fixed_blocks.description)
        assembly = Assembly(layout, reader, represented)
        context = self.settings.context
        assemble(self.sources, selected, assembly, context.target_level, context.depth)
        needed = layout.tokens
        limit = self.limits.soft
        if self.settings.budget.max_input_tokens is None:
            limit = min(limit, needed + context.fill_tokens)
        enriched = Enriched((), is_ended=True)
        fit_steps: list[FitStep] = []
        if needed > self.limits.hard:
            fit_steps = fit(layout, self.limits.hard)
        else:
            most = len(before.enriched.taken) if before else None
            some = steps if context.optional_blocks else _needed_steps(steps)
            enriched = enrich(assembly, some, limit, most)
        return Composed(assembly, enriched, fit_steps, needed, limit, self.request.dropped_paths)

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
                self.notes.append(ERROR_OUTSIDE)
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

    def _rendered(self, fixed_blocks: _FixedBlocks, composed: Composed) -> _FinalText | _TooLarge:
        """Render the blocks; take more steps back where the whole text costs more than its parts.

        The counts of an exact tokenizer's pieces may add up to less than the whole text.
        """
        layout, hard = composed.layout, self.limits.hard
        description = fixed_blocks.description
        while True:
            if layout.tokens > hard:
                return _TooLarge(composed)
            shown = [entry.block for entry in layout.entries]
            if description is not None and layout.has_description:
                shown.append(description)
            blocks = sorted([*fixed_blocks.blocks, *shown], key=bundle_order)
            rendering = render(blocks, self.asked, self.form, self.order)
            tokens = self.estimator.tokens(rendering.text)
            if tokens <= self.limits.hard:
                return _FinalText(composed, blocks, rendering, tokens)
            hard -= tokens - self.limits.hard
            composed.shrink(hard)

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
        notes: Sequence[str],
    ) -> Built:
        redactions = fixed_blocks.redactions
        if fixed_blocks.description is None or final.composed.layout.has_description:
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
            notes=(*self.notes, *selected.notes, *notes, *whole_targets(final.composed)),
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
            final.composed,
            final.blocks,
            final.rendering,
            final.tokens,
            excluded,
            redactions,
        )
        return Built(
            self.request, bundle, manifest, redaction_report, budget_report, final.rendering
        )

    def _too_large(
        self,
        composed: Composed,
        fixed_blocks: Sequence[ContextBlock],
        items: Sequence[Item],
    ) -> Refused:
        """Refuse, and name the smallest budget and the smaller targets that would fit."""
        needed = composed.layout.tokens
        smallest = needed + self.limits.reserve
        smaller = [
            each
            for item in items
            if item.role is ItemRole.TARGET
            for each in self._smaller_targets(composed.layout.cutter, fixed_blocks, item)
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
        budget = too_large_report(self.limits, self.estimator, composed, tuple(self.notes))
        refusal = Refusal(
            RefusalKind.CONTEXT_TOO_LARGE,
            "over_hard_limit",
            None,
            f"the smallest bundle needs {needed} tokens and the hard limit is "
            f"{self.limits.hard}; the smallest workable budget is {smallest} input tokens",
            f"{narrower}; or give it {smallest} input tokens (now {self.limits.max_input})",
            rule=f"hard_limit_tokens={self.limits.hard}",
            source="budget",
            candidates=tuple(place for place, _ in smaller),
            smallest_budget=smallest,
        )
        return Refused(refusal, budget)

    def _smaller_targets(
        self, cutter: BlockCutter, fixed_blocks: Sequence[ContextBlock], item: Item
    ) -> list[tuple[str, int]]:
        """The largest symbols of a target that would fit alone: place and tokens of each."""
        fitting = []
        for symbol, block in cutter.regions_of(item):
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


def _needed_steps(steps: Sequence[Step]) -> list[Step]:
    """The steps without optional ones."""
    return [each for each in steps if each.priority is not Priority.P3]
