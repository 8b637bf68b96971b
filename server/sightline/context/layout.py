"""What is shown of each file while a bundle is assembled, and what that costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from sightline.budget import Counts, Estimator
from sightline.bundle import ContextBlock, Priority
from sightline.context.blocks import BlockCutter, BlockShape, Item, ItemRole
from sightline.context.sources import Sources
from sightline.render import Format, render_block

Key = tuple[str, ItemRole]


class TokenCounter:
    """Counts the tokens of blocks in the rendered text.

    A block's id covers all of its content; with the format and the estimator it decides the cost.
    So a block that an edit does not change is counted once, for this build and the next ones.
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

    def tokens_of(self, block: ContextBlock) -> int:
        return self.total(self.cost(block))

    def tokens(self, blocks: Iterable[ContextBlock], frame: str | None = None) -> int:
        """Return the tokens of a whole text made of these blocks, with another frame if one is
        given.
        """
        numbers = list(self.frame)
        if frame is not None:
            numbers = list(self.estimator.count(frame.encode("utf-8")).numbers)
        for block in blocks:
            for index, number in enumerate(self.cost(block)):
                numbers[index] += number
        return self.total(numbers)


@attrs.frozen
class Entry:
    """One block of a file."""

    item: Item
    shape: BlockShape
    block: ContextBlock

    @property
    def key(self) -> Key:
        return self.item.path, self.item.role


class Layout:
    """The blocks of a bundle, and the cost of all of them with the frame around them."""

    def __init__(
        self,
        cutter: BlockCutter,
        counter: TokenCounter,
        fixed: Sequence[ContextBlock],
        description: ContextBlock | None,
    ) -> None:
        self.cutter = cutter
        self.counter = counter
        self._entries: dict[Key, Entry] = {}
        self._numbers = list(counter.frame)
        self._description = description
        self.has_description = description is not None
        for block in (*fixed, *([description] if description else ())):
            self._add(block, 1)

    @property
    def tokens(self) -> int:
        return self.counter.total(self._numbers)

    @property
    def entries(self) -> list[Entry]:
        """The best ranked first."""
        return sorted(self._entries.values(), key=lambda each: each.item.rank)

    @property
    def related_count(self) -> int:
        """Return how many shown files are not targets."""
        return sum(role in (ItemRole.RELATED, ItemRole.MORE) for _, role in self._entries)

    def get(self, key: Key) -> Entry | None:
        return self._entries.get(key)

    def of_path(self, path: str) -> list[Entry]:
        """Return what is shown of a file, in the order of roles."""
        return [self._entries[path, role] for role in ItemRole if (path, role) in self._entries]

    def entry(self, item: Item, shape: BlockShape) -> Entry | None:
        """Return the item in a shape, not shown yet; None if it has no such shape."""
        block = self.cutter.block(item, shape)
        return None if block is None else Entry(item, shape, block)

    def put(self, entry: Entry) -> None:
        """Show a block, in place of the one with the same key."""
        self.remove(entry.key)
        self._entries[entry.key] = entry
        self._add(entry.block, 1)

    def remove(self, key: Key) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._add(entry.block, -1)

    def remove_description(self) -> None:
        if self._description is not None and self.has_description:
            self.has_description = False
            self._add(self._description, -1)

    def lowest_first(self, priority: Priority) -> list[Entry]:
        """Return the blocks of a priority, the lowest ranked first."""
        return [each for each in reversed(self.entries) if each.item.priority is priority]

    def tokens_of(self, entry: Entry) -> int:
        return self.counter.tokens_of(entry.block)

    def _add(self, block: ContextBlock, sign: int) -> None:
        for index, number in enumerate(self.counter.cost(block)):
            self._numbers[index] += sign * number
