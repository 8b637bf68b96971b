"""Find what signatures omit from a tree's blocks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

import attrs
import tree_sitter

from sightline.syntax.parsing import Parsed
from sightline.text import Span, Text


@attrs.frozen
class Leftover:
    """A part of a block that signatures do not need."""

    span: Span
    replacement: str


def leftovers(
    parsed: Parsed,
    keep: Sequence[Span],
    headers: Sequence[Span],
    opaque: Sequence[Span],
    comments: Sequence[Span],
) -> list[Leftover]:
    """Return what to remove from the tree's blocks so that `keep` and the skeleton around it
    remain.

    A block's statement is removed unless it overlaps a span of `keep` that starts inside that
    block. A block in one of `headers` (a default argument) or in a condition stays. What starts in
    one of `opaque` is left to the caller, and so are comments, which do not keep a block from being
    empty. `keep` is sorted by start, the longer span first; `headers` and `opaque` are sorted,
    disjoint.
    """
    rules = parsed.language.signatures
    comment_ends = {comment.end: comment for comment in comments}
    comment_spans = frozenset(comments)
    found: list[Leftover] = []
    pending = [parsed.tree.root_node]
    while pending:
        node = pending.pop()
        span = Span(node.start_byte, node.end_byte)
        if _starts_inside(span, opaque):
            continue
        if node.type not in rules.blocks:
            condition = node.child_by_field_name("condition")
            pending.extend(
                child for child in node.children if child.child_count and child != condition
            )
            continue
        if _is_inside(span, headers):
            pending.extend(child for child in node.children if child.child_count)
            continue
        wanted = _disjoint_within(keep, span)
        gone: list[Leftover] = []
        stays = False
        for child in node.children:
            if not child.is_named:
                continue
            extent = Span(child.start_byte, child.end_byte)
            if parsed.text.trimmed(extent.start, extent.end) in comment_spans:
                continue
            if child.type in rules.keep or _overlaps(wanted, extent):
                stays = True
                pending.append(child)
            else:
                gone.append(Leftover(_with_separator(parsed.text, child), ""))
        filler = rules.empty.get(node.type)
        if stays or filler is None:
            found.extend(gone)
        else:
            found.append(
                Leftover(without_trailing_comments(parsed.text, span, comment_ends), filler)
            )
    return found


def without_trailing_comments(text: Text, span: Span, comment_ends: Mapping[int, Span]) -> Span:
    """Return a span without the white space and comments at its end.

    If indentation ends blocks, a grammar includes the comments that follow a block.
    """
    span = text.trimmed(span.start, span.end)
    while span.end in comment_ends and comment_ends[span.end].start > span.start:
        span = text.trimmed(span.start, comment_ends[span.end].start)
    return span


def _with_separator(text: Text, node: tree_sitter.Node) -> Span:
    """Return a statement with the separator after it, if that is on the same line."""
    after = node.next_sibling
    if (
        after is not None
        and after.type in (";", ",", "&")
        and after.start_point[0] == node.end_point[0]
    ):
        return text.trimmed(node.start_byte, after.end_byte)
    return text.trimmed(node.start_byte, node.end_byte)


def _disjoint_within(spans: Sequence[Span], block: Span) -> list[Span]:
    """Return the outermost spans inside a block, in order."""
    result: list[Span] = []
    for span in _starting_in(spans, block):
        if span.end <= block.end and (not result or span.start >= result[-1].end):
            result.append(span)
    return result


def _starting_in(spans: Sequence[Span], block: Span) -> Iterator[Span]:
    index = bisect_left(spans, block.start, key=_start)
    while index < len(spans) and spans[index].start < block.end:
        yield spans[index]
        index += 1


def _overlaps(disjoint: Sequence[Span], extent: Span) -> bool:
    index = bisect_left(disjoint, extent.end, key=_start) - 1
    return index >= 0 and disjoint[index].end > extent.start


def _starts_inside(span: Span, disjoint: Sequence[Span]) -> bool:
    index = bisect_right(disjoint, span.start, key=_start) - 1
    return index >= 0 and span.start < disjoint[index].end


def _is_inside(span: Span, disjoint: Sequence[Span]) -> bool:
    index = bisect_right(disjoint, span.start, key=_start) - 1
    return index >= 0 and disjoint[index].contains(span)


def _start(span: Span) -> int:
    return span.start
