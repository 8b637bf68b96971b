"""Texts and their trees: parse, parse again after an edit, and run a query.

Invariants:

* Parsing never fails: broken source gives a tree with errors, and `errors` lists them.
* A tree after an edit equals a fresh one. Incremental and fresh trees differ only if there is an
  error, so a tree with an error is always parsed fresh, and so is one after a mended tree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs
import tree_sitter

from sightline.languages import Language
from sightline.syntax.remedies import (
    configured_source,
    is_harmless,
    may_be_misread,
    mended_source,
    source_of,
)
from sightline.text import Span, Text

_SPACE = re.compile(rb"[ \t\r\n\f\v]*")

Match = tuple[int, dict[str, list[tree_sitter.Node]]]


@attrs.frozen(eq=False)
class Parsed:
    """One text and its tree. `errors` holds error and missing nodes, in source order."""

    language: Language
    text: Text
    tree: tree_sitter.Tree
    errors: tuple[Span, ...]
    is_mended: bool = False
    """True if the tree is of a mended text that the grammar can read, in place of this text."""


def parse(language: Language, text: Text) -> Parsed:
    source = source_of(language, text)
    parsed = _parsed(language, text, source)
    if not parsed.tree.root_node.has_error and not may_be_misread(language, source):
        return parsed
    mended = mended_source(language, source, parsed.tree)
    if mended != source:
        parsed = min(_parsed(language, text, mended, is_mended=True), parsed, key=_distrusted)
    if parsed.errors:
        configured = configured_source(language, mended, parsed.errors)
        if configured != mended:
            other = _parsed(language, text, configured, is_mended=True)
            parsed = min(other, parsed, key=_distrusted)
    return parsed


def _parsed(language: Language, text: Text, source: bytes, *, is_mended: bool = False) -> Parsed:
    tree = tree_sitter.Parser(language.grammar).parse(source)
    return Parsed(language, text, tree, _errors(language, text, tree), is_mended)


def parse_without(language: Language, text: Text, holes: Sequence[Span]) -> Parsed:
    """Return the tree of a text as if some parts were missing; offsets are those of the text.

    The holes are in order and do not overlap. Nothing is mended here: if there is an error, the
    caller parses the whole text.
    """
    source = source_of(language, text)
    ranges = []
    start, point = 0, (0, 0)
    for hole in (*holes, Span(len(source), len(source))):
        end_point = _moved_point(*point, source[start : hole.start])
        ranges.append(tree_sitter.Range(point, end_point, start, hole.start))
        start, point = hole.end, _moved_point(*end_point, source[hole.start : hole.end])
    tree = tree_sitter.Parser(language.grammar, included_ranges=ranges).parse(source)
    if may_be_misread(language, source):
        # A partial tree cannot be compared with a mended one, so none of it can be trusted.
        return Parsed(language, text, tree, (Span(0, len(text)),))
    return Parsed(language, text, tree, _errors(language, text, tree))


@attrs.frozen
class TreeChange:
    """Bytes `start` to `old_end` of one text became `start` to `new_end` of the next."""

    start: int
    old_end: int
    new_end: int
    row: int
    """How many `
    ` come before it: trees know no other line break, unlike a `Text`.
    """

    @property
    def moved(self) -> int:
        return self.new_end - self.old_end


def difference(before: Text, after: Text) -> TreeChange:
    """Return the smallest change that leads from one text to another."""
    start = _common_prefix(before.data, after.data)
    tail = _common_suffix(before.data, after.data, start)
    row = before.data.count(b"\n", 0, start)
    return TreeChange(start, len(before) - tail, len(after) - tail, row)


def reparse(before: Parsed, after: Text, change: TreeChange) -> Parsed:
    """Return the tree of `after`, reusing what it shares with `before`."""
    if before.is_mended:
        # A mended tree belongs to another text, so none of it can be reused.
        return parse(before.language, after)
    old, new = source_of(before.language, before.text), source_of(before.language, after)
    tree = before.tree.copy()
    row, column = change.row, change.start - (old.rfind(b"\n", 0, change.start) + 1)
    tree.edit(
        change.start,
        change.old_end,
        change.new_end,
        (row, column),
        _moved_point(row, column, old[change.start : change.old_end]),
        _moved_point(row, column, new[change.start : change.new_end]),
    )
    tree = tree_sitter.Parser(before.language.grammar).parse(new, tree)
    if tree.root_node.has_error or may_be_misread(before.language, new):
        return parse(before.language, after)
    return Parsed(before.language, after, tree, ())


def matches(parsed: Parsed, query: tree_sitter.Query, within: Span | None = None) -> list[Match]:
    """Return every match of a query. Unlike captures, matches come in a stable order.

    With `within`, return those of patterns whose outermost node overlaps it.
    """
    cursor = tree_sitter.QueryCursor(query)
    if within is not None:
        # Extend to the next token: a pattern that could continue fails where the range ends.
        space = _SPACE.match(parsed.text.data, within.end)
        cursor.set_byte_range(within.start, (space.end() if space else within.end) + 1)
    return cursor.matches(parsed.tree.root_node)


def _distrusted(parsed: Parsed) -> int:
    """Return how many bytes of a text cannot be trusted. A missing token counts as one."""
    return sum(max(1, error.size) for error in parsed.errors)


def _errors(language: Language, text: Text, tree: tree_sitter.Tree) -> tuple[Span, ...]:
    root = tree.root_node
    if not root.has_error:
        return ()
    found: list[Span] = []
    forgiven = False
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_missing and is_harmless(language, text, node):
            forgiven = True
        elif node.is_error or node.is_missing:
            found.append(Span(node.start_byte, node.end_byte))
        else:
            pending.extend(child for child in node.children if child.has_error or child.is_missing)
    if not found and not forgiven:
        # A tree with an error but without a node for it cannot be trusted anywhere.
        found.append(Span(root.start_byte, min(root.end_byte, len(text))))
    return tuple(sorted(found))


def _common_prefix(one: bytes, other: bytes) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(one: bytes, other: bytes, prefix: int) -> int:
    low, high = 0, min(len(one), len(other)) - prefix
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle :] == other[len(other) - middle :]:
            low = middle
        else:
            high = middle - 1
    return low


def _moved_point(row: int, column: int, between: bytes) -> tuple[int, int]:
    """Return the point after some text, given the one before it."""
    breaks = between.count(b"\n")
    if not breaks:
        return row, column + len(between)
    return row + breaks, len(between) - between.rfind(b"\n") - 1
