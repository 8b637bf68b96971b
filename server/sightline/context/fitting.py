"""Fitting: from everything that was selected to what the budget holds.

There is one road, the same for every budget: a fixed order of small losses. A budget only decides
how far down the road a bundle goes, so a smaller one never has what a larger one had not.

The road, in order. First step 1 and the levels at which files are assembled, down to the soft
limit. Optional files (P3) are shown lean from the start and go one by one, the lowest ranked first:

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

Invariants: every step that was taken is recorded, and nothing is lost that is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import attrs

from sightline.budget import Counts, Estimator, Limits
from sightline.bundle import ContextBlock, Priority
from sightline.context.blocks import Item, Role, Shape, Workshop
from sightline.context.sources import Sources
from sightline.render import Format, render_block

NEAREST = 30
"""So many optional files stay while the levels of the others are lowered."""
_LEAN_TOKENS = 600
"""An optional file that costs more, however it is cut, is the first to go."""
_LARGE_TARGET_TOKENS = 3_000
"""A file that costs more makes room for optional ones by being cut to the region that is meant."""

_LOWER = (Shape.SIGNATURES, Shape.RELATED_SIGNATURES)


class Meter:
    """What blocks cost in the rendered text.

    A block is known by its id, which covers all of it; with the format and the estimator that
    decides its cost. So what an edit leaves alone is not counted again, in this build or the next.
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

    def tokens(self, blocks: Iterable[ContextBlock]) -> int:
        """Of a whole text made of these blocks."""
        numbers = list(self.frame)
        for block in blocks:
            for index, number in enumerate(self.cost(block)):
                numbers[index] += number
        return self.total(numbers)


@attrs.frozen
class Loss:
    """One step down the road."""

    step: str
    """`levels`, `target`, or the number of the contract's step."""
    item: Item | None
    """None for the description of the project."""
    shape: Shape | None
    """What the item is shown as from now on; None for not at all."""


@attrs.frozen
class Fitted:
    blocks: tuple[tuple[Item, Shape, ContextBlock], ...]
    """In ranked order."""
    has_description: bool
    tokens: int
    losses: tuple[Loss, ...]


@attrs.frozen
class TooLarge:
    tokens: int
    """What the smallest bundle would cost."""
    losses: tuple[Loss, ...]


def fit(
    workshop: Workshop,
    meter: Meter,
    fixed: Sequence[ContextBlock],
    description: ContextBlock | None,
    items: Sequence[Item],
    limits: Limits,
    target_level: str,
) -> Fitted | TooLarge:
    """`items` are in ranked order, the best first; `fixed` blocks are never lost."""
    road = _Road(workshop, meter, fixed, description, items)
    losses: list[Loss] = []
    if target_level == "region":
        losses += road.regions("target", larger_than=None)
    road.show_optional()
    for loss in road.assembling(slice_symbols=target_level == "auto"):
        if road.tokens <= limits.soft:
            break
        losses += loss()
    if road.tokens > limits.hard:
        for loss in road.five_steps():
            if road.tokens <= limits.hard:
                break
            losses += loss()
    if road.tokens > limits.hard:
        return TooLarge(road.tokens, tuple(losses))
    sliced = road.optional_levels()
    return Fitted(road.blocks(), road.has_description, road.tokens, (*sliced, *losses))


def leanest(workshop: Workshop, item: Item) -> tuple[Shape, ContextBlock]:
    """The leanest shape of an optional file."""
    for shape in (*reversed(_LOWER), Shape.FULL):
        block = workshop.block(item, shape)
        if block is not None:
            return shape, block
    raise AssertionError("every file can be shown whole")


class _Road:
    """The state of a bundle on its way down."""

    def __init__(
        self,
        workshop: Workshop,
        meter: Meter,
        fixed: Sequence[ContextBlock],
        description: ContextBlock | None,
        items: Sequence[Item],
    ) -> None:
        self._workshop = workshop
        self._meter = meter
        self._items = items
        self._shapes: dict[Item, Shape] = {}
        self._numbers = list(meter.frame)
        self._description = description
        self.has_description = description is not None
        for block in (*fixed, *([description] if description else ())):
            self._add(block, 1)
        for item in items:
            if item.role is not Role.REST and item.priority is not Priority.P3:
                self._show(item, Shape.FULL)

    @property
    def tokens(self) -> int:
        return self._meter.total(self._numbers)

    def blocks(self) -> tuple[tuple[Item, Shape, ContextBlock], ...]:
        shown = []
        for item in self._items:
            if (shape := self._shapes.get(item)) is not None:
                block = self._workshop.block(item, shape)
                assert block is not None
                shown.append((item, shape, block))
        return tuple(shown)

    def show_optional(self) -> None:
        """Show the optional files, each as lean as can be."""
        optional = self._of(Priority.P3)
        self._workshop.prepare(optional)
        for item in optional:
            self._show(item, leanest(self._workshop, item)[0])

    def optional_levels(self) -> list[Loss]:
        """The levels of the optional files that are still there."""
        return [
            Loss("levels", item, shape)
            for item in self._of(Priority.P3)
            if (shape := self._shapes.get(item)) is not None and shape is not Shape.FULL
        ]

    def assembling(self, *, slice_symbols: bool) -> Iterator[Callable[[], list[Loss]]]:
        """The levels at which files are assembled, richest first."""
        lowered = [
            item
            for item in reversed(self._items)
            if item.role in (Role.RELATED, Role.SELECTED) and item.priority is not Priority.P3
        ]
        self._workshop.prepare(lowered)
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
            _, block = leanest(self._workshop, item)
            tokens = self._meter.total(self._meter.cost(block))
            (costly if tokens > _LEAN_TOKENS else lean).append(item)
        return costly, lean

    def five_steps(self) -> Iterator[Callable[[], list[Loss]]]:
        for item in self._of(Priority.P2):
            yield partial(self._remove, "2", item)
        for item in self._of(Priority.P1):
            yield partial(self._lower, "3", item, Shape.SUMMARY)
        for item in self._of(Priority.P1):
            yield partial(self._remove, "3", item)
        yield self._drop_description
        yield partial(self.slice_targets, "4", Shape.REGION)
        yield partial(self.slice_targets, "4", Shape.SIGNATURES)
        yield partial(self.slice_targets, "4", Shape.SUMMARY)

    def regions(self, step: str, *, larger_than: int | None) -> list[Loss]:
        """Cut targets to their regions, with the rest of the file as signatures beside each.

        Only files that cost more than so many tokens, and more than both together; all for None.
        """
        losses: list[Loss] = []
        for item in self._targets():
            rest = [
                (each, block)
                for each in self._items
                if each.role is Role.REST
                and each.path == item.path
                and (block := self._workshop.block(each, Shape.SIGNATURES)) is not None
            ]
            if larger_than is not None and (
                self._tokens_of(item) <= larger_than
                or not self._is_leaner(item, Shape.REGION, [block for _, block in rest])
            ):
                continue
            lowered = self._lower(step, item, Shape.REGION, always=larger_than is None)
            losses += lowered
            if lowered:
                for each, _ in rest:
                    self._show(each, Shape.SIGNATURES)
        return losses

    def slice_targets(self, step: str, shape: Shape) -> list[Loss]:
        """Cut every target that can be cut so."""
        return [
            loss
            for item in self._targets()
            # A symbol without its body is not what was asked for.
            if shape is Shape.REGION or not item.targets
            for loss in self._lower(step, item, shape)
        ]

    def _targets(self) -> list[Item]:
        targets = [item for item in self._items if item.role is Role.TARGET]
        self._workshop.prepare(targets)
        return targets

    def _of(self, priority: Priority) -> list[Item]:
        """Items of a priority, the lowest ranked first."""
        return [item for item in reversed(self._items) if item.priority is priority]

    def _lower(self, step: str, item: Item, shape: Shape, *, always: bool = False) -> list[Loss]:
        """Show an item in a leaner shape, if it is shown, has one, and that costs less."""
        current = self._shapes.get(item)
        if current is None or current >= shape or self._workshop.block(item, shape) is None:
            return []
        if not always and not self._is_leaner(item, shape, []):
            return []
        self._hide(item)
        self._show(item, shape)
        return [Loss(step, item, shape)]

    def _is_leaner(self, item: Item, shape: Shape, beside: Sequence[ContextBlock]) -> bool:
        """Whether a shape, and blocks that come with it, cost less than what is shown."""
        current = self._shapes.get(item)
        block = self._workshop.block(item, shape)
        if current is None or block is None:
            return False
        before = self._workshop.block(item, current)
        assert before is not None
        after = sum(self._meter.total(self._meter.cost(each)) for each in (block, *beside))
        return after < self._meter.total(self._meter.cost(before))

    def _tokens_of(self, item: Item) -> int:
        """What an item costs as it is shown; nothing if it is not."""
        shape = self._shapes.get(item)
        block = self._workshop.block(item, shape) if shape is not None else None
        return self._meter.total(self._meter.cost(block)) if block is not None else 0

    def _drop_description(self) -> list[Loss]:
        if self._description is None or not self.has_description:
            return []
        self.has_description = False
        self._add(self._description, -1)
        return [Loss("3", None, None)]

    def _remove(self, step: str, item: Item) -> list[Loss]:
        if item not in self._shapes:
            return []
        self._hide(item)
        return [Loss(step, item, None)]

    def _show(self, item: Item, shape: Shape) -> None:
        block = self._workshop.block(item, shape)
        assert block is not None
        self._shapes[item] = shape
        self._add(block, 1)

    def _hide(self, item: Item) -> None:
        block = self._workshop.block(item, self._shapes.pop(item))
        assert block is not None
        self._add(block, -1)

    def _add(self, block: ContextBlock, sign: int) -> None:
        for index, number in enumerate(self._meter.cost(block)):
            self._numbers[index] += sign * number
