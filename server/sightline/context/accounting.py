"""What a bundle contains, and why every other candidate is not in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sightline.bundle import ExcludedCandidate, ExclusionReason, Priority
from sightline.context.assembling import Assembly
from sightline.context.blocks import BlockShape, Item
from sightline.context.candidates import Candidate, bytewise
from sightline.context.enriching import Enriched, undo
from sightline.context.fitting import FitStep, fit
from sightline.context.fusing import Step
from sightline.context.layout import Layout
from sightline.context.selecting import DocumentReader, Selected
from sightline.settings import Settings

_MOST_SIMILAR = 200
"""The most similar candidates that are listed; the others are counted."""


class Composed:
    """The blocks of a bundle, and how they were chosen."""

    def __init__(
        self,
        assembly: Assembly,
        enriched: Enriched,
        steps: Sequence[FitStep],
        needed_tokens: int,
        fill_limit: int,
        dropped_paths: Iterable[str],
    ) -> None:
        self.assembly = assembly
        self.enriched = enriched
        self.steps = list(steps)
        self.needed_tokens = needed_tokens
        """The cost of the assembled blocks before anything was added or removed."""
        self.fill_limit = fill_limit
        """The most tokens that enrichment may fill."""
        self.dropped_paths = frozenset(dropped_paths)
        self._withheld: dict[str, ExcludedCandidate] = {}
        # A person left them out: nothing replaces them.
        for path in self.dropped_paths:
            self._remove(path)

    @property
    def layout(self) -> Layout:
        return self.assembly.layout

    @property
    def reader(self) -> DocumentReader:
        return self.assembly.reader

    @property
    def excluded(self) -> list[ExcludedCandidate]:
        """Return the candidates that may not be shown."""
        found = {**self.assembly.excluded, **self._withheld}
        return [
            found[path]
            for path in sorted(found, key=bytewise)
            if path not in self.dropped_paths and not self.layout.of_path(path)
        ]

    def withhold(self, items: Iterable[Item]) -> None:
        """Leave out files in which the last scan finds a secret; nothing replaces them."""
        for item in items:
            self._remove(item.path)
            self._withheld[item.path] = ExcludedCandidate(
                item.path, ExclusionReason.SECRET_RISK, "final rescan", "egress", item.score
            )

    def _remove(self, path: str) -> None:
        for entry in self.layout.of_path(path):
            self.layout.remove(entry.key)

    def shrink(self, hard: int) -> None:
        """Undo steps of enrichment, then take the contract's steps, until a limit holds."""
        taken = list(self.enriched.taken)
        while taken and self.layout.tokens > hard:
            last = taken.pop()
            if last.step.path not in {*self.dropped_paths, *self._withheld}:
                undo(self.assembly, last)
        self.enriched = Enriched(tuple(taken), is_ended=False)
        self.steps += fit(self.layout, hard)


_NOT_RANKED = "below the threshold of optional context"


def unshown(
    composed: Composed, selected: Selected, steps: Sequence[Step], settings: Settings
) -> tuple[list[ExcludedCandidate], list[str]]:
    """List every candidate that no block shows, and count those that are not listed.

    There is one entry for a file that is not shown at all, otherwise one for the symbol.
    """
    told = {(each.path, each.symbol): each for each in composed.excluded}
    out = {path for path, _ in told}
    removed = {
        step.item.path: step
        for step in composed.steps
        if step.shape is None and step.item is not None
    }
    for path, step in removed.items():
        assert step.item is not None
        if not composed.layout.of_path(path) and path not in composed.dropped_paths:
            told.setdefault(
                (path, None),
                ExcludedCandidate(
                    path,
                    ExclusionReason.TOKEN_BUDGET,
                    f"step {step.step}",
                    "budget",
                    step.item.score,
                ),
            )
    ranked = {each for step in steps for each in step.candidates}
    for each in selected.candidates:
        if each.path in out or composed.assembly.is_shown(each):
            continue
        is_file_shown = bool(composed.layout.of_path(each.path))
        if is_file_shown and each.symbol is None:
            continue
        symbol = each.symbol if is_file_shown else None
        if (each.path, symbol) not in told:
            is_ranked = each in ranked or each.priority is not Priority.P3
            told[each.path, symbol] = _excluded(
                composed, each, symbol, settings, is_ranked=is_ranked
            )
    notes = _similar(composed, steps, settings, told)
    return list(told.values()), notes


def _excluded(
    composed: Composed,
    candidate: Candidate,
    symbol: str | None,
    settings: Settings,
    *,
    is_ranked: bool,
) -> ExcludedCandidate:
    """`is_ranked` says that it would be shown if there were room."""
    reason, rule, source = _rule(composed, candidate.path, candidate.priority, settings)
    if not is_ranked and source in ("budget", "selection"):
        reason, rule, source = ExclusionReason.DENY_RULE, _NOT_RANKED, "selection"
    return ExcludedCandidate(candidate.path, reason, rule, source, None, symbol)


def _rule(
    composed: Composed, path: str, priority: Priority, settings: Settings
) -> tuple[ExclusionReason, str, str]:
    """Return why a candidate is not shown: the first rule that excluded it."""
    context = settings.context
    if path in composed.dropped_paths:
        return ExclusionReason.DENY_RULE, path, "request:dropped_paths"
    if context.depth == "target" or (context.depth == "needed" and not composed.steps):
        rule = f"depth={context.depth}"
        return ExclusionReason.DENY_RULE, rule, "settings:context.depth"
    if priority is Priority.P3 and not context.optional_blocks:
        source = "settings:context.optional_blocks"
        return ExclusionReason.DENY_RULE, "optional_blocks=false", source
    if composed.steps:
        number = {Priority.P3: 1, Priority.P2: 2}.get(priority, 4)
        return ExclusionReason.TOKEN_BUDGET, f"step {number}", "budget"
    if composed.enriched.is_ended:
        return ExclusionReason.TOO_LARGE, "no part of it can be cut out", "selection"
    return (
        ExclusionReason.TOKEN_BUDGET,
        f"no room within {composed.fill_limit} tokens",
        "budget",
    )


def _similar(
    composed: Composed,
    steps: Sequence[Step],
    settings: Settings,
    told: dict[tuple[str, str | None], ExcludedCandidate],
) -> list[str]:
    """List the first similar candidates; return how many are not listed."""
    listed = more = 0
    for step, symbol in _only_similar(composed, steps):
        if (step.path, symbol) in told or (step.path, None) in told:
            continue
        if listed == _MOST_SIMILAR:
            more += 1
            continue
        listed += 1
        reason, rule, source = _rule(composed, step.path, Priority.P3, settings)
        told[step.path, symbol] = ExcludedCandidate(step.path, reason, rule, source, None, symbol)
    if not more:
        return []
    return [f"{more} more candidates that are only similar are not listed"]


def _only_similar(composed: Composed, steps: Sequence[Step]) -> Iterator[tuple[Step, str | None]]:
    """Return the steps that only shared words support and that no block shows."""
    for step in steps:
        if step.is_related or step.part is None:
            continue
        entries = composed.layout.of_path(step.path)
        if not entries:
            yield step, None
        elif step.part.symbol and not any(
            entry.shape is not BlockShape.REGION or step.part in entry.item.parts
            for entry in entries
        ):
            yield step, step.part.symbol
