"""Render blocks as Markdown or XML for a model, and a build's result as canonical JSON.

Rendering decides nothing: every block is rendered whole. Only a block of instructions that has none
becomes an empty piece. Content stands between delimiters that it cannot break out of.

A text begins with the request: the target, the purpose and the task. The other blocks follow in the
bundle's order.

Invariants:

* Every piece of a rendering ends in a line feed or is empty, and the piece of a block depends on
  that block alone. So the sum of the counts of the blocks is the count of what is sent.
* `Order.CACHE` puts first what an edit in the target does not change. No byte before the first
  piece about a target's file depends on that file; ids, times, sizes and token counts are in no
  piece at all. So a model's prompt cache survives the edit. The request comes last.
* Pure functions of their arguments. No clock, no locale, and no Unicode table of the interpreter.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import attrs

from sightline.bundle import BlockType, ContextBlock, Priority, canonical
from sightline.render import markdown, xml
from sightline.render.frame import Asked, AskedTarget, is_instruction

__all__ = [
    "Asked",
    "AskedTarget",
    "Format",
    "Order",
    "Rendering",
    "closing",
    "frame_around",
    "preface",
    "reading_order",
    "render",
    "render_block",
    "to_json",
]


class Format(StrEnum):
    """The formats that a person can choose. JSON contains the Markdown text,
    and is counted by it.
    """

    JSON = "json"
    MARKDOWN = "markdown"
    XML = "xml"


class Order(StrEnum):
    """The order in which a model reads the blocks."""

    PRIORITY = "priority"
    CACHE = "cache"


@attrs.frozen
class Rendering:
    pieces: tuple[str, ...]
    """The preface, one piece for each block in reading order, the closing."""
    order: tuple[int, ...]
    """For each piece between preface and closing, the index of its block."""

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def render(
    blocks: Sequence[ContextBlock], asked: Asked, form: Format, order: Order = Order.PRIORITY
) -> Rendering:
    indexes = reading_order(blocks, order)
    rendered = (render_block(blocks[index], form) for index in indexes)
    pieces = (preface(asked, form, order), *rendered, closing(asked, form, order))
    return Rendering(pieces, indexes)


def render_block(block: ContextBlock, form: Format) -> str:
    if is_instruction(block) and not block.content:
        return ""
    if form is Format.XML:
        return xml.block_piece(block)
    return markdown.block_piece(block)


def preface(asked: Asked, form: Format, order: Order = Order.PRIORITY) -> str:
    if form is Format.XML:
        return xml.steady_opening(asked) if order is Order.CACHE else xml.opening(asked)
    return markdown.steady_opening(asked) if order is Order.CACHE else markdown.opening(asked)


def closing(asked: Asked, form: Format, order: Order = Order.PRIORITY) -> str:
    is_last = order is Order.CACHE
    if form is Format.XML:
        return f"{xml.asked_last(asked) if is_last else ''}{xml.CLOSING}"
    return markdown.asked_last(asked) if is_last else ""


def frame_around(asked: Asked, form: Format, order: Order) -> str:
    """Return the text before all blocks and the text after them."""
    return preface(asked, form, order) + closing(asked, form, order)


def reading_order(blocks: Sequence[ContextBlock], order: Order = Order.PRIORITY) -> tuple[int, ...]:
    """Return the indexes of the blocks in reading order: the task and then the bundle's order, or,
    for the prompt cache, the blocks that change least first.
    """
    if order is Order.PRIORITY:
        return tuple(
            sorted(
                range(len(blocks)),
                key=lambda index: blocks[index].block_type is not BlockType.DIFF_HINT,
            )
        )
    target_paths = {
        block.meta.path for block in blocks if _is_target(block) and block.meta.path is not None
    }
    return tuple(sorted(range(len(blocks)), key=lambda index: _step(blocks[index], target_paths)))


def to_json(outcome: object) -> bytes:
    """Return a dictionary, or any object of the contract, as canonical JSON on one line."""
    return canonical(outcome) + b"\n"


_FIXED_STEPS = {
    BlockType.SYSTEM: 0,
    BlockType.CONSTRAINTS: 1,
    BlockType.PROJECT_META: 2,
    BlockType.ERROR_CONTEXT: 6,
    BlockType.DIFF_HINT: 7,
}
_RELATED, _REST_OF_TARGET_FILE, _TARGET = 3, 4, 5


def _step(block: ContextBlock, target_paths: set[str]) -> int:
    fixed = _FIXED_STEPS.get(block.block_type)
    if fixed is not None:
        return fixed
    if _is_target(block):
        return _TARGET
    return _REST_OF_TARGET_FILE if block.meta.path in target_paths else _RELATED


def _is_target(block: ContextBlock) -> bool:
    return block.priority is Priority.P0 and block.block_type not in _FIXED_STEPS
