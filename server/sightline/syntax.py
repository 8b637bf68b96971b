"""Parsing: the only room that holds a tree.

Invariants:

* Parsing never fails: broken source gives a tree with errors, and `errors` says where.
* A tree that came from an edit equals a fresh one. Incremental and fresh trees differ only where
  there is an error, so a tree with an error is always parsed afresh, and so is what follows a tree
  of another text than the one it stands for.
* Nothing here recurses on the tree: its depth is the author's choice, not ours.
* A parse cannot be interrupted from inside. Whoever parses text it did not write does so in a
  worker process.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter

import attrs
import tree_sitter

from sightline.languages import Language
from sightline.text import Span, Text

_SPACE = re.compile(rb"[ \t\r\n\f\v]*")
_BLANKED = bytes.maketrans(b"\r\n\\", b"   ")

_LONGEST_READ_AS = 256 * 1024
"""To read some of it as something else a text is parsed twice; a long one would cost its worker."""

Match = tuple[int, dict[str, list[tree_sitter.Node]]]


@attrs.frozen(eq=False)
class Parsed:
    """One text and its tree. `errors` holds error and missing nodes, in source order."""

    language: Language
    text: Text
    tree: tree_sitter.Tree
    errors: tuple[Span, ...]
    is_mended: bool = False
    """The tree is of a text that the grammar can read in place of this one."""


def parse(language: Language, text: Text) -> Parsed:
    parser = tree_sitter.Parser(language.grammar)
    source = _source(language, text)
    tree = parser.parse(source)
    parsed = Parsed(language, text, tree, _errors(language, text, tree))
    if tree.root_node.has_error or _may_be_misread(language, source):
        mended = _mended(language, source, tree)
        if mended != source:
            again = parser.parse(mended)
            other = Parsed(language, text, again, _errors(language, text, again), is_mended=True)
            return min(other, parsed, key=_distrusted)
    return parsed


def _may_be_misread(language: Language, source: bytes) -> bool:
    return language.misread is not None and language.misread.search(source) is not None


def _distrusted(parsed: Parsed) -> int:
    """How many bytes of a text are not to be trusted. A missing token counts as one."""
    return sum(max(1, error.size) for error in parsed.errors)


def parse_without(language: Language, text: Text, holes: Sequence[Span]) -> Parsed:
    """The tree of a text as if some parts of it were not there; offsets are those of the text.

    The holes are in order and do not overlap. Nothing is mended here: who gets an error parses
    the whole text.
    """
    source = _source(language, text)
    ranges = []
    start, point = 0, (0, 0)
    for hole in (*holes, Span(len(source), len(source))):
        end_point = _moved_point(*point, source[start : hole.start])
        ranges.append(tree_sitter.Range(point, end_point, start, hole.start))
        start, point = hole.end, _moved_point(*end_point, source[hole.start : hole.end])
    tree = tree_sitter.Parser(language.grammar, included_ranges=ranges).parse(source)
    if _may_be_misread(language, source):
        # A tree of parts cannot be held against a mended one: nothing of it is to be trusted.
        return Parsed(language, text, tree, (Span(0, len(text)),))
    return Parsed(language, text, tree, _errors(language, text, tree))


@attrs.frozen
class Change:
    """Bytes `start` to `old_end` of one text have become `start` to `new_end` of the next."""

    start: int
    old_end: int
    new_end: int
    row: int
    """How many `\\n` stand before it: trees know no other line break, unlike a `Text`."""

    @property
    def moved(self) -> int:
        return self.new_end - self.old_end


def difference(before: Text, after: Text) -> Change:
    """The smallest change that leads from one text to another."""
    start = _common_prefix(before.data, after.data)
    tail = _common_suffix(before.data, after.data, start)
    row = before.data.count(b"\n", 0, start)
    return Change(start, len(before) - tail, len(after) - tail, row)


def reparse(before: Parsed, after: Text, change: Change) -> Parsed:
    """The tree of `after`, using what it shares with `before`."""
    if before.is_mended:
        # What it shares with the text that was parsed says nothing of what else was read there.
        return parse(before.language, after)
    old, new = _source(before.language, before.text), _source(before.language, after)
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
    if tree.root_node.has_error or _may_be_misread(before.language, new):
        return parse(before.language, after)
    return Parsed(before.language, after, tree, ())


_SMALL = 256
_FEW = 4
_DEEP = 8

_Pair = tuple[tree_sitter.Node, tree_sitter.Node]
"""A node of the old tree, and the one in its place in the new one."""


def changed_statements(before: Parsed, after: Parsed, change: Change) -> tuple[Span, Span]:
    """Where statements differ between two clean trees, in the old text and in the new one.

    Whole statements of one block: what stands before them is where it was, what stands behind has
    moved, and both have the same shape as before. A neighbour on either side is counted in.
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


def _statement_around(old: tree_sitter.Node, new: tree_sitter.Node, change: Change) -> _Pair | None:
    """The one child of a block that a change is in, if the nearest ones beside it show that
    nothing else in the block has changed."""
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
    """The first child that ends behind an offset."""
    # Not `first_child_for_byte`, which crashes where there is none.
    cursor = node.walk()
    return cursor.node if cursor.goto_first_child_for_byte(offset) is not None else None


_PREVIOUS: Callable[[tree_sitter.Node], tree_sitter.Node | None] = attrgetter("prev_sibling")
_NEXT: Callable[[tree_sitter.Node], tree_sitter.Node | None] = attrgetter("next_sibling")


def _are_as_before(
    old: tree_sitter.Node,
    new: tree_sitter.Node,
    following: Callable[[tree_sitter.Node], tree_sitter.Node | None],
    moved: int,
) -> bool:
    """Whether all siblings on one side are what they were, as far as the nearest can tell.

    The text on that side is the same, and what a parser makes of it follows from the state that
    it is in. So one sibling that was read in the same state as before speaks for those beyond it.
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
    """Whether a node, or the last part of it, is the very one of the old tree.

    A parser takes over what it finds in the state it was in then, its scanner included. The
    keyword in front is always read anew, and a single token says nothing.
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
    old: tree_sitter.Node, new: tree_sitter.Node, change: Change
) -> tuple[tuple[Span, Span], _Pair | None]:
    """Where the children of a block differ, and the one child that differs if it is one."""
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
    """How many nodes end before an offset, and are where and what they were."""
    count = min(bisect_left(olds, offset, key=_node_end), len(news))
    if _shapes(olds[:count]) == _shapes(news[:count]):
        return count
    pairs = zip(_shapes(olds[:count]), _shapes(news[:count]), strict=True)
    return next(index for index, (one, other) in enumerate(pairs) if one != other)


def _alike_behind(
    olds: Sequence[tree_sitter.Node], news: Sequence[tree_sitter.Node], change: Change
) -> int:
    """How many nodes start behind a change, and are what they were, moved by it."""
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
    old: tree_sitter.Node, new: tree_sitter.Node, change: Change, blocks: frozenset[str]
) -> _Pair | None:
    """The next block on the way to a change that both trees have alike.

    None is small: a short expression may be known as it is written, the block in it included.
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


def matches(parsed: Parsed, query: tree_sitter.Query, within: Span | None = None) -> list[Match]:
    """Every match of a query. Unlike captures, matches come in a stable order.

    With `within`, those of patterns whose outermost node overlaps it.
    """
    cursor = tree_sitter.QueryCursor(query)
    if within is not None:
        # To the next token: a pattern that may go on is given up where the range ends.
        space = _SPACE.match(parsed.text.data, within.end)
        cursor.set_byte_range(within.start, (space.end() if space else within.end) + 1)
    return cursor.matches(parsed.tree.root_node)


@attrs.frozen
class Leftover:
    """A part of a block that a signature has no use for."""

    span: Span
    replacement: str


def leftovers(
    parsed: Parsed,
    keep: Sequence[Span],
    headers: Sequence[Span],
    opaque: Sequence[Span],
    comments: Sequence[Span],
) -> list[Leftover]:
    """What to take out of the tree's blocks so that `keep` and the skeleton around it remain.

    A block's statement goes unless it overlaps a span of `keep` that starts inside that block. A
    block in one of `headers` (a default argument) or in a condition stays as it is. What starts in
    one of `opaque` is left to the caller, and so are comments, which keep no block alive.
    `keep` is sorted by start, the longer span first; `headers` and `opaque` are sorted, disjoint.
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
    """A span without the white space and comments at its end.

    Where a block ends by indentation a grammar counts what follows it to it.
    """
    span = text.trimmed(span.start, span.end)
    while span.end in comment_ends and comment_ends[span.end].start > span.start:
        span = text.trimmed(span.start, comment_ends[span.end].start)
    return span


def _mended(language: Language, source: bytes, tree: tree_sitter.Tree) -> bytes:
    """The source as the grammar can read it, byte for byte as long, where it is known to fail.

    So every offset in its tree is an offset in the text, and what a name stands for is read there.
    """
    if language.joining_brackets:
        # Some grammars end a block at a line that is indented less, even between brackets.
        source = _joined_lines(source, tree, language.joining_brackets)
    if len(source) <= _LONGEST_READ_AS:
        for pattern, other in language.read_as:
            source = pattern.sub(partial(_as_long, other), source)
    return source


def _as_long(other: bytes, found: re.Match[bytes]) -> bytes:
    """A match, or its group, read as one character as often as needed or as a word and blanks."""
    start, end = found.span(found.re.groups)
    size = end - start
    instead = other * size if len(other) == 1 else other.ljust(size)[:size]
    return found.string[found.start() : start] + instead + found.string[end : found.end()]


def _joined_lines(data: bytes, tree: tree_sitter.Tree, brackets: Mapping[str, str]) -> bytes:
    """The text with blanks for line breaks and comments between brackets, byte for byte as long.

    Brackets are counted over the tree's tokens, which stand even where its structure does not,
    and not over those in strings.
    """
    closing = frozenset(brackets.values())
    joined = bytearray(data)
    depth = 0
    position = 0
    for token in _tokens(tree):
        if depth:
            start = position
            end = token.end_byte if token.is_extra else token.start_byte
            joined[start:end] = (
                joined[start:end].translate(_BLANKED)
                if not token.is_extra
                else (b" " * (end - start))
            )
        if token.type in brackets:
            depth += 1
        elif token.type in closing and depth:
            depth -= 1
        position = max(position, token.end_byte)
    return bytes(joined)


def _tokens(tree: tree_sitter.Tree) -> Iterator[tree_sitter.Node]:
    pending = [tree.root_node]
    while pending:
        node = pending.pop()
        if node.child_count:
            pending.extend(reversed(node.children))
        elif node.start_byte < node.end_byte:
            yield node


def _source(language: Language, text: Text) -> bytes:
    """What the parser gets. A line break more than the text has moves no declaration."""
    if language.wants_final_newline and not text.data.endswith(b"\n"):
        return text.data + b"\n"
    return text.data


def _errors(language: Language, text: Text, tree: tree_sitter.Tree) -> tuple[Span, ...]:
    root = tree.root_node
    if not root.has_error:
        return ()
    found: list[Span] = []
    forgiven = False
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_missing and _is_harmless(language, text, node):
            forgiven = True
        elif node.is_error or node.is_missing:
            found.append(Span(node.start_byte, node.end_byte))
        else:
            pending.extend(child for child in node.children if child.has_error or child.is_missing)
    if not found and not forgiven:
        # A tree that has an error but shows no node for it is not to be trusted anywhere.
        found.append(Span(root.start_byte, min(root.end_byte, len(text))))
    return tuple(sorted(found))


def _is_harmless(language: Language, text: Text, missing: tree_sitter.Node) -> bool:
    """Whether what seems to lack something is known to be whole."""
    around: tree_sitter.Node | None = missing
    while around is not None and around.start_byte == around.end_byte:
        around = around.parent
    if around is None or language.harmless is None:
        return False
    return language.harmless.fullmatch(text.data, around.start_byte, around.end_byte) is not None


def _with_separator(text: Text, node: tree_sitter.Node) -> Span:
    """A statement with the separator that parts it from the next one, if on the same line."""
    after = node.next_sibling
    if (
        after is not None
        and after.type in (";", ",", "&")
        and after.start_point[0] == node.end_point[0]
    ):
        return text.trimmed(node.start_byte, after.end_byte)
    return text.trimmed(node.start_byte, node.end_byte)


def _disjoint_within(spans: Sequence[Span], block: Span) -> list[Span]:
    """The outermost spans that lie inside a block, in order."""
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
    """The point behind some text, given the one before it."""
    breaks = between.count(b"\n")
    if not breaks:
        return row, column + len(between)
    return row + breaks, len(between) - between.rfind(b"\n") - 1
