"""Fit assembled blocks into the hard limit: the contract's five steps.

There is one fixed order of steps, the same for every budget, and each makes the bundle smaller. A
budget only decides how many of them are taken, so a smaller budget never shows what a larger one
does not.

    1           remove P3: nothing optional was added, since the blocks exceed the limit already
    2           remove P2 blocks, the lowest ranked first
    3           slice P1 blocks, the lowest ranked first: to signatures, to the signatures of the
                symbols that are meant, to a summary if settings allow it
    4           slice the targets: to the region with the signatures of the rest, a whole file to
                its signatures; then remove P1, the lowest ranked first
    5           refuse

Invariant: every step that was taken is recorded; nothing is removed without a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import attrs

from sightline.bundle import Priority
from sightline.context.blocks import BlockShape, Item, ItemRole
from sightline.context.layout import Entry, Layout

LARGEST_REST = 1_000
"""The most tokens for the signatures of the rest of a target's file."""


@attrs.frozen
class FitStep:
    """One step that made the bundle smaller."""

    step: str
    """The number of the contract's step."""
    item: Item | None
    """None for the description of the project."""
    shape: BlockShape | None
    """The shape in which the item is now shown; None if it is not shown."""


def fit(layout: Layout, hard: int) -> list[FitStep]:
    """Take as many steps as the hard limit needs. The result may still exceed it."""
    steps: list[FitStep] = []
    for step in _five_steps(layout):
        if layout.tokens <= hard:
            break
        steps += step()
    return steps


def _five_steps(layout: Layout) -> Iterator[Callable[[], list[FitStep]]]:
    for priority, number in ((Priority.P3, "1"), (Priority.P2, "2")):
        for entry in layout.lowest_first(priority):
            yield partial(_remove, layout, number, entry)
    for shape in (BlockShape.SIGNATURES, BlockShape.RELATED_SIGNATURES, BlockShape.SUMMARY):
        for entry in layout.lowest_first(Priority.P1):
            yield partial(_lower, layout, "3", entry, shape)
    targets = [each for each in reversed(layout.entries) if each.item.role is ItemRole.TARGET]
    layout.cutter.prepare(each.item for each in targets)
    for entry in targets:
        yield partial(_to_region, layout, entry)
    for shape in (BlockShape.SIGNATURES, BlockShape.SUMMARY):
        for entry in targets:
            # A symbol without its body is not what was requested.
            if not entry.item.targets:
                yield partial(_lower, layout, "4", entry, shape)
    yield partial(_remove_description, layout)
    for entry in layout.lowest_first(Priority.P1):
        yield partial(_remove, layout, "4", entry)


def _lower(layout: Layout, step: str, entry: Entry, shape: BlockShape) -> list[FitStep]:
    """Show an item in a smaller shape, if it is shown, has one, and that costs less."""
    current = layout.get(entry.key)
    if current is None or current.shape >= shape:
        return []
    if current.shape is BlockShape.REGION and shape is BlockShape.SIGNATURES:
        # The signatures of code that was not shown would be new.
        return []
    leaner = layout.entry(current.item, shape)
    if leaner is None or layout.tokens_of(leaner) >= layout.tokens_of(current):
        return []
    layout.put(leaner)
    return [FitStep(step, leaner.item, shape)]


def _to_region(layout: Layout, entry: Entry) -> list[FitStep]:
    """Cut a target to its region, with the signatures of the rest if both together cost less."""
    if entry.shape is not BlockShape.FULL or not entry.item.targets:
        return []
    region = layout.entry(entry.item, BlockShape.REGION)
    if region is None or layout.tokens_of(region) >= layout.tokens_of(entry):
        return []
    layout.put(region)
    steps = [FitStep("4", region.item, BlockShape.REGION)]
    rest = rest_of(layout, region.item)
    if rest is not None and layout.tokens_of(region) + layout.tokens_of(rest) < layout.tokens_of(
        entry
    ):
        layout.put(rest)
        steps.append(FitStep("4", rest.item, rest.shape))
    return steps


def rest_of(layout: Layout, target: Item) -> Entry | None:
    """Return the rest of a target's file as signatures; None if it has none.

    For a large file, only the types around the target; for a large type, nothing.
    """
    if target.is_alone:
        return None
    rest = attrs.evolve(
        target,
        role=ItemRole.REST,
        priority=Priority.P1,
        targets=(),
        parts=layout.cutter.types_around(target),
        largest=BlockShape.SIGNATURES,
    )
    for shape in (BlockShape.SIGNATURES, BlockShape.RELATED_SIGNATURES):
        entry = layout.entry(rest, shape)
        if entry is not None and layout.tokens_of(entry) <= LARGEST_REST:
            return entry
    return None


def _remove_description(layout: Layout) -> list[FitStep]:
    if not layout.has_description:
        return []
    layout.remove_description()
    return [FitStep("4", None, None)]


def _remove(layout: Layout, step: str, entry: Entry) -> list[FitStep]:
    current = layout.get(entry.key)
    if current is None:
        return []
    layout.remove(entry.key)
    return [FitStep(step, current.item, None)]
