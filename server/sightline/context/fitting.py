"""Fit the selected items into the budget.

There is one fixed order of steps, the same for every budget, and each step makes the bundle
smaller. A budget only decides how many of them are taken, so a smaller budget never shows what a
larger one did not.

The order. First step 1 and the levels at which files are assembled, down to the soft limit.
Optional files (P3) are shown lean from the start and are removed one by one, the lowest ranked
first:

    1           optional files that cost much, and all but the thirty nearest
    levels      files that are not targets: whole file, then signatures, then the signatures of
                the symbols that are meant; the lowest ranked first
    target      a target that is a symbol in a large file: from that file to its region, with the
                rest of the file as signatures beside it
    1           the optional files that are left
    target      targets in files that are not large, likewise

Then the rest of the contract's five steps, down to the hard limit:

    2           remove P2 blocks in reverse-ranked order
    3           slice P1 blocks in reverse-ranked order: a summary where settings allow it; one
                that cannot be sliced any more is excluded, and then the project's description
    4           slice the target: to its region, alone, or a whole file to its signatures
    5           refuse

Invariant: every step that was taken is recorded; nothing is removed without a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import attrs

from sightline.budget import Counts, Estimator, TokenLimits
from sightline.bundle import ContextBlock, Priority
from sightline.context.blocks import BlockCutter, BlockShape, Item, ItemRole
from sightline.context.sources import Sources
from sightline.render import Format, render_block

NEAREST = 30
"""How many optional files stay while the levels of the others are lowered."""
_LEAN_TOKENS = 600
"""An optional file that costs more, however it is cut, is the first to go."""
_LARGE_TARGET_TOKENS = 3_000
"""A file that costs more makes room for optional ones by being cut to the region that is meant."""

_LOWER = (BlockShape.SIGNATURES, BlockShape.RELATED_SIGNATURES)


class TokenCounter:
    """Counts what blocks cost in the rendered text.

    A block's id covers all of its content; with the format and the estimator it decides the cost.
    So a block that an edit leaves alone is counted once, in this build and the next ones.
    """

    def __init__(self, sources: Sources, estimator: Estimator, form: Format, frame: str) -> None:
        self._sources = sources
        self.estimator = estimator
        self._form = form
        self._costs: dict[str, tuple[int, ...]] = {}
        self.frame = estimator.count(frame.encode("utf-8")).numbers

    def cost(self, block: ContextBlock) -> tuple[int, ...]:
        known = self._costs.get(block.block_id)
        if known is None:
            known = self._sources.counted(
                (self.estimator.name, self._form, block.block_id), lambda: self._count(block)
            )
            self._costs[block.block_id] = known
        return known

    def _count(self, block: ContextBlock) -> tuple[int, ...]:
        rendered = render_block(block, self._form)
        return self.estimator.count(rendered.encode("utf-8")).numbers

    def total(self, numbers: Sequence[int]) -> int:
        return self.estimator.total(Counts(self.estimator.name, tuple(numbers)))

    def tokens(self, blocks: Iterable[ContextBlock], frame: str | None = None) -> int:
        """Of a whole text made of these blocks, with another frame where one is given."""
        numbers = list(self.frame)
        if frame is not None:
            numbers = list(self.estimator.count(frame.encode("utf-8")).numbers)
        for block in blocks:
            for index, number in enumerate(self.cost(block)):
                numbers[index] += number
        return self.total(numbers)


@attrs.frozen
class FitStep:
    """One step that made the bundle smaller."""

    step: str
    """`levels`, `target`, or the number of the contract's step."""
    item: Item | None
    """None for the description of the project."""
    shape: BlockShape | None
    """What the item is shown as from now on; None for not at all."""


@attrs.frozen
class Fitted:
    blocks: tuple[tuple[Item, BlockShape, ContextBlock], ...]
    """In ranked order."""
    has_description: bool
    tokens: int
    steps: tuple[FitStep, ...]


@attrs.frozen
class TooLarge:
    tokens: int
    """What the smallest bundle would cost."""
    steps: tuple[FitStep, ...]


def fit(
    cutter: BlockCutter,
    counter: TokenCounter,
    fixed: Sequence[ContextBlock],
    description: ContextBlock | None,
    items: Sequence[Item],
    limits: TokenLimits,
    target_level: str,
) -> Fitted | TooLarge:
    """Take as many steps as the limits need.

    `items` are in ranked order, the best first; `fixed` blocks are never removed.
    """
    state = _FitState(cutter, counter, fixed, description, items)
    steps: list[FitStep] = []
    if target_level == "region":
        steps += state.regions("target", larger_than=None)
    state.show_optional()
    for step in state.assembling(slice_symbols=target_level == "auto"):
        if state.tokens <= limits.soft:
            break
        steps += step()
    if state.tokens > limits.hard:
        for step in state.five_steps():
            if state.tokens <= limits.hard:
                break
            steps += step()
    if state.tokens > limits.hard:
        return TooLarge(state.tokens, tuple(steps))
    sliced = state.optional_levels()
    return Fitted(state.blocks(), state.has_description, state.tokens, (*sliced, *steps))


def leanest(cutter: BlockCutter, item: Item) -> tuple[BlockShape, ContextBlock]:
    """The leanest shape of an optional file."""
    for shape in (*reversed(_LOWER), BlockShape.FULL):
        block = cutter.block(item, shape)
        if block is not None:
            return shape, block
    raise AssertionError("every file can be shown whole")


class _FitState:
    """What is shown of each item, and what it costs, while steps are taken."""

    def __init__(
        self,
        cutter: BlockCutter,
        counter: TokenCounter,
        fixed: Sequence[ContextBlock],
        description: ContextBlock | None,
        items: Sequence[Item],
    ) -> None:
        self._cutter = cutter
        self._counter = counter
        self._items = items
        self._shapes: dict[Item, BlockShape] = {}
        self._numbers = list(counter.frame)
        self._description = description
        self.has_description = description is not None
        for block in (*fixed, *([description] if description else ())):
            self._add(block, 1)
        for item in items:
            if item.role is not ItemRole.REST and item.priority is not Priority.P3:
                self._show(item, item.largest)
            elif item.role is ItemRole.REST and item.largest is BlockShape.SIGNATURES:
                # It stands beside a region whose file may not be shown whole.
                self._show(item, BlockShape.SIGNATURES)

    @property
    def tokens(self) -> int:
        return self._counter.total(self._numbers)

    def blocks(self) -> tuple[tuple[Item, BlockShape, ContextBlock], ...]:
        shown = []
        for item in self._items:
            if (shape := self._shapes.get(item)) is not None:
                block = self._cutter.block(item, shape)
                assert block is not None
                shown.append((item, shape, block))
        return tuple(shown)

    def show_optional(self) -> None:
        """Show the optional files, each as lean as can be."""
        optional = self._of(Priority.P3)
        self._cutter.prepare(optional)
        for item in optional:
            self._show(item, leanest(self._cutter, item)[0])

    def optional_levels(self) -> list[FitStep]:
        """The levels of the optional files that are still there."""
        return [
            FitStep("levels", item, shape)
            for item in self._of(Priority.P3)
            if (shape := self._shapes.get(item)) is not None and shape is not BlockShape.FULL
        ]

    def assembling(self, *, slice_symbols: bool) -> Iterator[Callable[[], list[FitStep]]]:
        """The levels at which files are assembled, richest first."""
        lowered = [
            item
            for item in reversed(self._items)
            if item.role in (ItemRole.RELATED, ItemRole.SELECTED)
            and item.priority is not Priority.P3
        ]
        self._cutter.prepare(lowered)
        costly, lean = self._optional()
        distant = lean[: max(0, len(lean) - NEAREST)]
        for item in (*costly, *distant):
            yield partial(self._remove, "1", item)
        for shape in _LOWER:
            for item in lowered:
                yield partial(self._lower, "levels", item, shape)
        if slice_symbols:
            yield partial(self.regions, "target", larger_than=_LARGE_TARGET_TOKENS)
        for item in lean[len(distant) :]:
            yield partial(self._remove, "1", item)
        if slice_symbols:
            yield partial(self.regions, "target", larger_than=0)

    def _optional(self) -> tuple[list[Item], list[Item]]:
        """Optional files that cost much, however they are cut, and the others."""
        costly: list[Item] = []
        lean: list[Item] = []
        for item in self._of(Priority.P3):
            _, block = leanest(self._cutter, item)
            tokens = self._counter.total(self._counter.cost(block))
            (costly if tokens > _LEAN_TOKENS else lean).append(item)
        return costly, lean

    def five_steps(self) -> Iterator[Callable[[], list[FitStep]]]:
        for item in self._of(Priority.P2):
            yield partial(self._remove, "2", item)
        for item in self._of(Priority.P1):
            yield partial(self._lower, "3", item, BlockShape.SUMMARY)
        for item in self._of(Priority.P1):
            yield partial(self._remove, "3", item)
        yield self._drop_description
        yield partial(self.slice_targets, "4", BlockShape.REGION)
        yield partial(self.slice_targets, "4", BlockShape.SIGNATURES)
        yield partial(self.slice_targets, "4", BlockShape.SUMMARY)

    def regions(self, step: str, *, larger_than: int | None) -> list[FitStep]:
        """Cut targets to their regions, with the rest of the file as signatures beside each.

        Only files that cost more than so many tokens, and more than both together; all for None.
        """
        steps: list[FitStep] = []
        for item in self._targets():
            rest = [
                (each, block)
                for each in self._items
                if each.role is ItemRole.REST
                and each.path == item.path
                and (block := self._cutter.block(each, BlockShape.SIGNATURES)) is not None
            ]
            if larger_than is not None and (
                self._tokens_of(item) <= larger_than
                or not self._is_leaner(item, BlockShape.REGION, [block for _, block in rest])
            ):
                continue
            lowered = self._lower(step, item, BlockShape.REGION, always=larger_than is None)
            steps += lowered
            if lowered:
                for each, _ in rest:
                    self._show(each, BlockShape.SIGNATURES)
        return steps

    def slice_targets(self, step: str, shape: BlockShape) -> list[FitStep]:
        """Cut every target that can be cut so."""
        return [
            taken
            for item in self._targets()
            # A symbol without its body is not what was asked for.
            if shape is BlockShape.REGION or not item.targets
            for taken in self._lower(step, item, shape)
        ]

    def _targets(self) -> list[Item]:
        targets = [item for item in self._items if item.role is ItemRole.TARGET]
        self._cutter.prepare(targets)
        return targets

    def _of(self, priority: Priority) -> list[Item]:
        """Items of a priority, the lowest ranked first."""
        return [item for item in reversed(self._items) if item.priority is priority]

    def _lower(
        self, step: str, item: Item, shape: BlockShape, *, always: bool = False
    ) -> list[FitStep]:
        """Show an item in a leaner shape, if it is shown, has one, and that costs less."""
        current = self._shapes.get(item)
        if current is None or current >= shape or self._cutter.block(item, shape) is None:
            return []
        if not always and not self._is_leaner(item, shape, []):
            return []
        self._hide(item)
        self._show(item, shape)
        return [FitStep(step, item, shape)]

    def _is_leaner(self, item: Item, shape: BlockShape, beside: Sequence[ContextBlock]) -> bool:
        """Whether a shape, and blocks that come with it, cost less than what is shown."""
        current = self._shapes.get(item)
        block = self._cutter.block(item, shape)
        if current is None or block is None:
            return False
        before = self._cutter.block(item, current)
        assert before is not None
        after = sum(self._counter.total(self._counter.cost(each)) for each in (block, *beside))
        return after < self._counter.total(self._counter.cost(before))

    def _tokens_of(self, item: Item) -> int:
        """What an item costs as it is shown; nothing if it is not."""
        shape = self._shapes.get(item)
        block = self._cutter.block(item, shape) if shape is not None else None
        return self._counter.total(self._counter.cost(block)) if block is not None else 0

    def _drop_description(self) -> list[FitStep]:
        if self._description is None or not self.has_description:
            return []
        self.has_description = False
        self._add(self._description, -1)
        return [FitStep("3", None, None)]

    def _remove(self, step: str, item: Item) -> list[FitStep]:
        if item not in self._shapes:
            return []
        self._hide(item)
        return [FitStep(step, item, None)]

    def _show(self, item: Item, shape: BlockShape) -> None:
        block = self._cutter.block(item, shape)
        assert block is not None
        self._shapes[item] = shape
        self._add(block, 1)

    def _hide(self, item: Item) -> None:
        block = self._cutter.block(item, self._shapes.pop(item))
        assert block is not None
        self._add(block, -1)

    def _add(self, block: ContextBlock, sign: int) -> None:
        for index, number in enumerate(self._counter.cost(block)):
            self._numbers[index] += sign * number
