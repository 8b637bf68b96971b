"""Find the statements outside of some spans, each as one node of a tree."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import tree_sitter

from sightline.syntax.parsing import Parsed
from sightline.text import WHITE_SPACE, Span

_MOST_LINES = 40
_MOST_NODES = 50_000


def outer_statements(
    parsed: Parsed, covered: Sequence[Span], opened: Sequence[Span]
) -> tuple[Span, ...]:
    """Return nodes that overlap no span of `covered`, in source order.

    A node of more than forty lines, or with one of the spans in it, is searched inside. A node
    counts if it begins a line and contains no error; one that begins in the middle of a line is
    part of another.
    """
    text, data = parsed.text, parsed.text.data
    closed = _disjoint(covered)
    starts = [span.start for span in closed]
    inside = sorted([*(span.start for span in covered), *(span.start for span in opened)])
    found: list[Span] = []
    pending: list[tree_sitter.Node] = [parsed.tree.root_node]
    looked_at = 0
    while pending and looked_at < _MOST_NODES:
        node = pending.pop()
        looked_at += 1
        span = text.trimmed(node.start_byte, node.end_byte)
        index = bisect_right(starts, span.start) - 1
        if index >= 0 and span.end <= closed[index].end:
            continue
        holds_some = bisect_left(inside, span.start) != bisect_left(inside, span.end) or (
            index >= 0 and span.start < closed[index].end
        )
        line = text.line_of(span.start)
        is_long = text.line_of(max(span.start, span.end - 1)) - line >= _MOST_LINES
        children = node.named_children if holds_some or is_long else []
        if children:
            pending.extend(reversed(children))
        elif (
            not holds_some
            and span.start < span.end
            and not node.has_error
            and not data[text.line_start(line) : span.start].strip(WHITE_SPACE)
        ):
            found.append(span)
    return tuple(found)


def _disjoint(spans: Sequence[Span]) -> list[Span]:
    """Return the outermost of some spans, in order."""
    result: list[Span] = []
    for span in sorted(spans, key=lambda each: (each.start, -each.end)):
        if not result or span.start >= result[-1].end:
            result.append(span)
    return result
