"""Compare the tree of an edited text with the tree before the edit."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from operator import attrgetter

import tree_sitter

from sightline.syntax.parsing import Parsed, TreeChange
from sightline.text import Span

_SMALL = 256
_FEW = 4
_DEEP = 8

_Pair = tuple[tree_sitter.Node, tree_sitter.Node]
"""A node of the old tree, and the node in its place in the new tree."""

_PREVIOUS: Callable[[tree_sitter.Node], tree_sitter.Node | None] = attrgetter("prev_sibling")
_NEXT: Callable[[tree_sitter.Node], tree_sitter.Node | None] = attrgetter("next_sibling")


def changed_statements(before: Parsed, after: Parsed, change: TreeChange) -> tuple[Span, Span]:
    """Return where statements differ between two clean trees, in the old text and in the new one.

    The spans are whole statements of one block: statements before them have not moved, those after
    them have, and both have their old shape. One neighbour on each side is included.
    """
    blocks = before.language.signatures.blocks
    block: _Pair = (before.tree.root_node, after.tree.root_node)
    while True:
        statement = _statement_around(*block, change)
        if statement is not None:
            window = (_with_neighbours(statement[0]), _with_neighbours(statement[1]))
        else:
            window, statement = _compared(*block, change)
        if statement is None or window[1].size <= _SMALL:
            return window
        inner = _block_around(*statement, change, blocks)
        if inner is None:
            return window
        block = inner


def _statement_around(
    old: tree_sitter.Node, new: tree_sitter.Node, change: TreeChange
) -> _Pair | None:
    """Return the only child of a block that contains a change, if its neighbours show that the rest
    of the block has not changed.
    """
    one, other = _child_behind(old, change.start), _child_behind(new, change.start)
    if (
        one is not None
        and other is not None
        and one.start_byte < change.start
        and change.old_end < one.end_byte
        and _shape(one) == (other.start_byte, other.end_byte - change.moved, other.kind_id)
        and _are_as_before(one, other, _PREVIOUS, 0)
        and _are_as_before(one, other, _NEXT, change.moved)
    ):
        return one, other
    return None


def _child_behind(node: tree_sitter.Node, offset: int) -> tree_sitter.Node | None:
    """Return the first child that ends after an offset."""
    # Not `first_child_for_byte`, which crashes if there is none.
    cursor = node.walk()
    return cursor.node if cursor.goto_first_child_for_byte(offset) is not None else None


def _are_as_before(
    old: tree_sitter.Node,
    new: tree_sitter.Node,
    following: Callable[[tree_sitter.Node], tree_sitter.Node | None],
    moved: int,
) -> bool:
    """Return True if all siblings on one side are unchanged, judged by the nearest ones.

    The text on that side is the same, and the parser's result depends on its state. So one sibling
    that was read in the same state as before proves those beyond it.
    """
    for _ in range(_FEW):
        one, other = following(old), following(new)
        if one is None or other is None:
            return one is other
        if _shape(one, moved) != _shape(other):
            return False
        if one.parse_state == other.parse_state and _is_taken_over(one, other):
            return True
        old, new = one, other
    return False


def _is_taken_over(old: tree_sitter.Node, new: tree_sitter.Node) -> bool:
    """Return True if a node, or its last part, was reused from the old tree.

    A parser reuses a node if it is in the same state as before, including its scanner. The keyword
    at the start is always read again, and a single token proves nothing.
    """
    for _ in range(_DEEP):
        if old.kind_id != new.kind_id or not old.named_child_count:
            return False
        if old.id == new.id:
            return True
        one = old.named_child(old.named_child_count - 1)
        other = new.named_child(new.named_child_count - 1)
        if one is None or other is None:
            return False
        old, new = one, other
    return False


def _with_neighbours(node: tree_sitter.Node) -> Span:
    first, last = node.prev_sibling or node, node.next_sibling or node
    return Span(first.start_byte, last.end_byte)


def _compared(
    old: tree_sitter.Node, new: tree_sitter.Node, change: TreeChange
) -> tuple[tuple[Span, Span], _Pair | None]:
    """Return where the children of a block differ, and the differing child if it is only one."""
    olds, news = old.children, new.children
    first = _alike_before(olds, news, change.start)
    last = _alike_behind(olds[first:], news[first:], change)
    start = max(0, first - 1)
    stop = max(0, last - 1)
    window = (
        _window(olds, start, len(olds) - stop, old),
        _window(news, start, len(news) - stop, new),
    )
    is_one = len(olds) - last - first == 1 == len(news) - last - first
    return window, (olds[first], news[first]) if is_one else None


def _alike_before(
    olds: Sequence[tree_sitter.Node], news: Sequence[tree_sitter.Node], offset: int
) -> int:
    """Return how many nodes end before an offset and are unchanged."""
    count = min(bisect_left(olds, offset, key=_node_end), len(news))
    if _shapes(olds[:count]) == _shapes(news[:count]):
        return count
    pairs = zip(_shapes(olds[:count]), _shapes(news[:count]), strict=True)
    return next(index for index, (one, other) in enumerate(pairs) if one != other)


def _alike_behind(
    olds: Sequence[tree_sitter.Node], news: Sequence[tree_sitter.Node], change: TreeChange
) -> int:
    """Return how many nodes start after a change and are unchanged apart from their offset."""
    count = min(len(olds) - bisect_right(olds, change.old_end, key=_node_start), len(news))
    if not count:
        return 0
    before = _shapes(olds[-count:], change.moved)
    after = _shapes(news[-count:])
    if before == after:
        return count
    pairs = zip(reversed(before), reversed(after), strict=True)
    return next(index for index, (one, other) in enumerate(pairs) if one != other)


def _shapes(nodes: Sequence[tree_sitter.Node], moved: int = 0) -> list[tuple[int, int, int]]:
    return [(node.start_byte + moved, node.end_byte + moved, node.kind_id) for node in nodes]


def _shape(node: tree_sitter.Node, moved: int = 0) -> tuple[int, int, int]:
    return node.start_byte + moved, node.end_byte + moved, node.kind_id


def _node_start(node: tree_sitter.Node) -> int:
    return node.start_byte


def _node_end(node: tree_sitter.Node) -> int:
    return node.end_byte


def _window(
    children: Sequence[tree_sitter.Node], start: int, stop: int, around: tree_sitter.Node
) -> Span:
    if start >= stop:
        return Span(around.start_byte, around.end_byte)
    return Span(children[start].start_byte, children[stop - 1].end_byte)


def _block_around(
    old: tree_sitter.Node, new: tree_sitter.Node, change: TreeChange, blocks: frozenset[str]
) -> _Pair | None:
    """Return the next block on the way to a change that both trees share.

    Small blocks do not count: a short expression may be recorded as written, including its block.
    """
    while True:
        old_child = _child_around(old, change.start, change.old_end)
        new_child = _child_around(new, change.start, change.new_end)
        if old_child is None or new_child is None or old_child.kind_id != new_child.kind_id:
            return None
        if old_child.start_byte != new_child.start_byte:
            return None
        if old_child.end_byte - old_child.start_byte <= _SMALL or (
            new_child.end_byte - new_child.start_byte <= _SMALL
        ):
            return None
        if old_child.type in blocks:
            return old_child, new_child
        old, new = old_child, new_child


def _child_around(node: tree_sitter.Node, start: int, end: int) -> tree_sitter.Node | None:
    for child in node.children:
        if child.start_byte < start and end < child.end_byte:
            return child
    return None
