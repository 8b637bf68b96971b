"""One build: a request and the bytes of a workspace go in, a bundle with its reports comes out.

`build_context` is the one entry. It does no I/O and reads no clock: `Sources` hands over
documents, cuts and scans; who calls says what time it is.

Order of the work: the request's own words are scanned; targets are found; candidates are
established, excluded, read, scanned and ranked; blocks are fitted into the budget; the rendered
text is scanned once more; reports are written.

Invariants:

* What a scan did not clear is in no block. A scan that fails withholds, like one that finds.
* Two builds of the same inputs give the same bytes but for `created_at` and `correlation_id`.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from sightline.budget import Estimator, Limits, ModelProfile, estimator, limits
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
from sightline.context.blocks import Item, Role, Shape, Workshop, order
from sightline.context.fitting import NEAREST, Meter, TooLarge, fit, leanest
from sightline.context.reports import Facts, report, too_large_report
from sightline.context.request import Request
from sightline.context.selecting import (
    READ_AT_ONCE,
    UNNAMED,
    Selected,
    expect_items,
    read_items,
    select,
    unscanned,
    without_duplicates,
)
from sightline.context.sources import Sources
from sightline.egress import ScanFailure
from sightline.refusals import Refusal, RefusalKind
from sightline.render import Format, Rendering, closing, preface, render
from sightline.settings import Settings

_MOST_WAYS = 3


@attrs.frozen
class Built:
    bundle: ContextBundle
    manifest: ContextManifest
    redaction_report: RedactionReport
    budget_report: BudgetReport
    rendering: Rendering


@attrs.frozen
class Refused:
    refusal: Refusal
    budget_report: BudgetReport | None = None


def build_context(
    sources: Sources,
    request: Request,
    settings: Settings,
    *,
    created_at: str,
    correlation_id: str,
) -> Built | Refused:
    """The context bundle for a request, or why there is none."""
    profile, note = settings.profile()
    counting = estimator(profile.estimator)
    if isinstance(counting, Refusal):
        return Refused(counting)
    refusal = _refuse_secrets_in(sources, request)
    if refusal is not None:
        return Refused(refusal)
    selected = select(sources, request, settings)
    if isinstance(selected, Refusal):
        return Refused(_speakable(sources, selected))
    build = _Build(
        sources,
        request,
        settings,
        profile,
        limits(profile),
        counting,
        [note] if note else [],
        created_at,
        correlation_id,
    )
    return build.assemble(selected)


@attrs.frozen
class _Build:
    """What stays the same while blocks are fitted, and perhaps fitted again."""

    sources: Sources
    request: Request
    settings: Settings
    profile: ModelProfile
    limits: Limits
    estimator: Estimator
    notes: list[str]
    created_at: str
    correlation_id: str

    def assemble(self, selected: Selected) -> Built | Refused:
        fixed_blocks, redactions = self._fixed_blocks()
        priority = Priority.P0 if self.request.purpose is Purpose.INTENT else Priority.P1
        description, in_description = fixed.project_block(self.sources, priority)
        if priority is Priority.P0:
            fixed_blocks, optional_description = [*fixed_blocks, description], None
        else:
            optional_description = description
        form = Format(self.settings.render.format)
        frame = preface(self.request.purpose, form) + closing(form)
        workshop = Workshop(self.sources, allow_summary=self.settings.slicing.summary_only)
        meter = Meter(self.sources, self.estimator, form, frame)
        candidates, more_excluded = self._with_optional(
            selected,
            workshop,
            meter,
            meter.tokens(
                [*fixed_blocks, *([optional_description] if optional_description else [])]
            ),
        )
        items, duplicates = without_duplicates(candidates)
        excluded = (*selected.excluded, *more_excluded, *duplicates)
        surplus = 0
        while True:
            fitted = fit(
                workshop,
                meter,
                fixed_blocks,
                optional_description,
                items,
                _lowered(self.limits, surplus),
                self.settings.context.target_level,
            )
            if isinstance(fitted, TooLarge):
                return self._too_large(fitted, workshop, meter, fixed_blocks, items)
            shown = [block for _, _, block in fitted.blocks]
            if optional_description is not None and fitted.has_description:
                shown.append(optional_description)
            blocks = sorted([*fixed_blocks, *shown], key=order)
            rendering = render(blocks, self.request.purpose, form)
            tokens = self.estimator.tokens(rendering.text)
            if tokens > self.limits.hard:
                # Only where counts of pieces do not add up exactly; what is missing is set aside.
                surplus += tokens - self.limits.hard
                continue
            suspicious = _suspicious(self.sources, rendering, blocks)
            if not suspicious and form is Format.XML:
                # What stands between CDATA sections is in pieces there, and whole here.
                plain = render(blocks, self.request.purpose, Format.MARKDOWN)
                suspicious = _suspicious(self.sources, plain, blocks)
            if isinstance(suspicious, Refusal):
                return Refused(suspicious)
            if not suspicious:
                break
            dropped = [item for item in items if item.path in suspicious]
            if len(dropped) < len(suspicious) or any(
                item.role in (Role.TARGET, Role.REST) for item in dropped
            ):
                return Refused(_secret_in_final_text(sorted(suspicious)))
            items = tuple(item for item in items if item.path not in suspicious)
            excluded = (
                *excluded,
                *(
                    ExcludedCandidate(
                        item.path,
                        ExclusionReason.SECRET_RISK,
                        "final rescan",
                        "egress",
                        item.score,
                    )
                    for item in dropped
                ),
            )
        if optional_description is None or fitted.has_description:
            redactions += in_description
        facts = Facts(
            request=self.request,
            settings=self.settings,
            profile=self.profile,
            limits=self.limits,
            estimator=self.estimator,
            policy=self.sources.snapshot.policy,
            index_fingerprint=self.sources.snapshot.fingerprint,
            created_at=self.created_at,
            correlation_id=self.correlation_id,
            notes=tuple(self.notes),
            target_files=tuple(each.path for each in selected.targets.files),
            target_symbols=tuple(
                str(self.sources.snapshot.place(symbol))
                for each in selected.targets.files
                for symbol in each.symbols
            ),
        )
        bundle, manifest, redaction_report, budget_report = report(
            facts,
            fitted,
            blocks,
            rendering,
            tokens,
            excluded,
            redactions,
            workshop,
            meter,
        )
        return Built(bundle, manifest, redaction_report, budget_report, rendering)

    def _with_optional(
        self, selected: Selected, workshop: Workshop, meter: Meter, fixed_tokens: int
    ) -> tuple[list[Item], list[ExcludedCandidate]]:
        """The items, and as many optional files behind them as could be shown.

        Those are read a few at a time, the nearest first: the ones that fit beside everything
        else whole, and in any case the few that stay while others are cut.
        """
        items = list(selected.items)
        tokens = fixed_tokens + sum(
            meter.total(meter.cost(block))
            for item in items
            if item.role is not Role.REST
            and (block := workshop.block(item, Shape.FULL)) is not None
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
            workshop.prepare(found)
            grown = sum(meter.total(meter.cost(leanest(workshop, item)[1])) for item in found)
            tokens += grown
            items += found
        else:
            read = len(selected.optional)
        excluded += [
            ExcludedCandidate(each.path, ExclusionReason.TOKEN_BUDGET, "step 1", "budget")
            for each in selected.optional[read:]
        ]
        return items, excluded

    def _fixed_blocks(self) -> tuple[list[ContextBlock], list[Redaction]]:
        """Blocks that are always there, and what they withhold."""
        request = self.request
        blocks = [
            fixed.system_block(request.purpose),
            fixed.constraints_block(request.constraints),
        ]
        task = fixed.task_block(request)
        if task is not None:
            blocks.append(task)
        if request.last_error is None:
            return blocks, []
        if request.purpose is Purpose.INTENT:
            return blocks, [fixed.no_error(request.purpose)]
        error, redactions = fixed.error_block(
            self.sources, request.last_error, request.dropped_paths
        )
        return [*blocks, error], redactions

    def _too_large(
        self,
        fitted: TooLarge,
        workshop: Workshop,
        meter: Meter,
        fixed_blocks: Sequence[ContextBlock],
        items: Sequence[Item],
    ) -> Refused:
        smallest = fitted.tokens + self.limits.reserve
        smaller = [
            each
            for item in items
            if item.role is Role.TARGET
            for each in _smaller_targets(workshop, meter, fixed_blocks, item, self.limits.hard)
            if _is_speakable(self.sources, each[0])
        ]
        ways = [f"ask for {place} (about {tokens} tokens)" for place, tokens in smaller]
        around = meter.tokens(fixed_blocks)
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


# Secrets.


def _refuse_secrets_in(sources: Sources, request: Request) -> Refusal | None:
    """The request's own words are sent as well, so they are scanned as well."""
    for name, content in _words(request).items():
        found = sources.scan(content)
        if isinstance(found, ScanFailure):
            return unscanned(None, name, found)
        if found:
            data = content.encode("utf-8")
            lines = sorted({data.count(b"\n", 0, each.span.start) + 1 for each in found})
            detectors = sorted({each.detector for each in found})
            return Refusal(
                RefusalKind.SECRET_RISK,
                "secret_in_request",
                None,
                f"'{name}' holds what looks like a secret ({', '.join(detectors)}) on line "
                f"{', '.join(map(str, lines))}",
                "take the secret out of it and ask again",
                rule=detectors[0],
                source="egress",
            )
    return None


def _speakable(sources: Sources, refusal: Refusal) -> Refusal:
    """A refusal whose choices name nothing that looks like a secret."""
    if not refusal.candidates:
        return refusal
    told = tuple(
        choice if _is_speakable(sources, choice) else UNNAMED for choice in refusal.candidates
    )
    return attrs.evolve(refusal, candidates=told)


def _is_speakable(sources: Sources, name: str) -> bool:
    found = sources.scan(name)
    return not isinstance(found, ScanFailure) and not found


def _words(request: Request) -> dict[str, str]:
    words: dict[str, str] = {}
    if request.intent is not None:
        words["intent"] = f"{request.intent.text}\n{request.intent.id}"
    step = request.plan_step
    if step is not None:
        words["plan_step"] = "\n".join(
            [step.description, step.title, step.id, *step.target_files, *step.target_symbols]
        )
    if request.constraints:
        words["constraints"] = "\n".join(each.text for each in request.constraints)
    error = request.last_error
    if error is not None:
        words["last_error"] = "\n".join(
            [error.message, error.path or "", error.code or "", error.severity]
        )
    named = [*request.targets, *request.user_selected_targets]
    if request.active is not None:
        named.append(request.active)
    if named or request.dropped_paths:
        words["targets"] = "\n".join([*map(str, named), *request.dropped_paths])
    return words


def _suspicious(
    sources: Sources, rendering: Rendering, blocks: Sequence[ContextBlock]
) -> frozenset[str] | Refusal:
    """Paths of the blocks in which the last scan still finds something."""
    found = sources.scan(rendering.text)
    if isinstance(found, ScanFailure):
        return unscanned(None, "the final text", found)
    if not found:
        return frozenset()
    paths: set[str] = set()
    ends: list[int] = []
    end = 0
    for piece in rendering.pieces:
        end += len(piece.encode("utf-8"))
        ends.append(end)
    for each in found:
        first = next(index for index, end in enumerate(ends) if each.span.start < end)
        last = next(index for index, end in enumerate(ends) if each.span.end <= end)
        for index in range(first, last + 1):
            if not 1 <= index <= len(rendering.order):
                return _secret_in_final_text([])
            path = blocks[rendering.order[index - 1]].meta.path
            if path is None:
                return _secret_in_final_text([])
            paths.add(path)
    return frozenset(paths)


def _secret_in_final_text(paths: Sequence[str]) -> Refusal:
    where = f" in {', '.join(paths)}" if paths else ""
    return Refusal(
        RefusalKind.SECRET_RISK,
        "secret_in_final_text",
        paths[0] if len(paths) == 1 else None,
        f"the last scan of the finished text still finds what looks like a secret{where}",
        "move the secret out of the project, or add a deny rule for the file",
        rule="final rescan",
        source="egress",
    )


# Ways to fit.


def _smaller_targets(
    workshop: Workshop,
    meter: Meter,
    fixed_blocks: Sequence[ContextBlock],
    item: Item,
    hard: int,
) -> list[tuple[str, int]]:
    """The largest symbols of a target that would fit alone: place and tokens of each."""
    fitting = []
    for symbol, block in workshop.regions_of(item):
        tokens = meter.tokens([*fixed_blocks, block])
        if tokens <= hard:
            fitting.append((-tokens, symbol.qualified_name, symbol.name_line))
    return [
        (f"{item.path}::{name}:{line}", -tokens)
        for tokens, name, line in sorted(fitting)[:_MOST_WAYS]
    ]


def _lowered(limits: Limits, surplus: int) -> Limits:
    if not surplus:
        return limits
    return attrs.evolve(
        limits, hard=limits.hard - surplus, soft=min(limits.soft, limits.hard - surplus)
    )
