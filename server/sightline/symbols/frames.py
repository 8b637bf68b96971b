"""Frames: find what encloses what, and which frames are symbols.

A frame is a node that encloses others: a definition, a scope or a function without a name. A file
is read for cutting and for the index; both nest the same frames, so that a symbol has the same name
and kind in both.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

import tree_sitter

from sightline.languages import Language
from sightline.languages.tags import PatternRole, QueryPattern
from sightline.symbols.model import (
    CALLABLE_KINDS,
    PATH_SEPARATOR,
    TYPE_KINDS,
    VARIABLE_KINDS,
    qualified,
)
from sightline.text import WHITE_SPACE, Span, Text

_MOST_NESTED = 64
"""Levels at which a definition is a symbol. Headers and names repeat all levels around them."""
_LONGEST_NAME = 500
"""Of a symbol, its containers included: each symbol inside repeats it."""
_GENERIC_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)")


class Frame:
    """A node that encloses others. A plain class: a file has hundreds, a workspace millions."""

    __slots__ = (
        "body",
        "container",
        "end",
        "holds_members",
        "is_definition",
        "is_local_scope",
        "name",
        "name_end",
        "name_start",
        "outer",
        "own_end",
        "pattern",
        "pattern_index",
        "qualified",
        "start",
        "symbol",
        "value",
    )

    start: int
    end: int
    own_end: int
    """Where its node ends, for a declaration that extends further."""
    pattern_index: int
    pattern: QueryPattern
    name: str
    name_start: int
    name_end: int
    body: Span | None
    value: Span | None
    container: str | None
    is_definition: bool
    holds_members: bool
    """True for a type or a similar container."""
    is_local_scope: bool
    """True if variables inside it are not symbols."""
    qualified: str | None
    """The qualified name that its members get as a prefix: its own, if it is a symbol."""
    outer: Frame | None
    """The frame around it."""
    symbol: int
    """The index of the symbol that it is, or that contains it; set by the code that makes
    symbols.
    """


RawFrame = tuple[int, int, int, int, int, bytes, int, bytes]
"""A frame as the query finds it: start, end, end of its own node, number of the pattern, start of
the name, name, where its body starts counted from one byte before it or 0, container as written.
"""


def raw_frame(
    index: int,
    pattern: QueryPattern,
    captures: dict[str, list[tree_sitter.Node]],
    data: bytes,
    language: Language,
) -> RawFrame:
    """Return the raw row of a frame, before it is interpreted."""
    parts = pattern.parts
    body = 0
    if pattern.role is PatternRole.BODY:
        start, end = extent_of(captures["body"])
    else:
        node = captures[pattern.capture][0]
        start, end = node.start_byte, node.end_byte
        if "body" in parts and "body" in captures:
            body = extent_of(captures["body"])[0] - start + 1
    if "name" in parts and "name" in captures:
        name_start, name_end = extent_of(captures["name"])
        name = data[name_start:name_end]
    else:
        name_start, name = start, b""
    lost_pattern = language.grammar_rules.lost
    if lost_pattern and (lost := lost_pattern.match(data, end)):
        end = lost.end()
    own_end = end
    if pattern.extends:
        parent = captures[pattern.capture][0].parent
        end = max(end, parent.end_byte) if parent else end
    if end > len(data):
        end = len(data)
    while end > start and data[end - 1] in WHITE_SPACE:
        end -= 1
    container = b""
    if "container" in parts and "container" in captures:
        container = data[slice(*extent_of(captures["container"]))]
    return start, end, own_end, index, name_start, name, body, container


def frame_of(raw: RawFrame, pattern: QueryPattern, language: Language) -> Frame:
    frame = Frame()
    frame.start, frame.end, frame.own_end, frame.pattern_index, name_start, name, body, owner = raw
    frame.pattern = pattern
    body_start = frame.start + body - 1
    frame.body = Span(body_start, body_start) if body else None
    frame.value = frame.qualified = frame.outer = None
    frame.symbol = -1
    frame.name_start, frame.name_end = name_start, name_start + len(name)
    label = name.decode("utf-8")
    if pattern.strip:
        stripped = label.strip(pattern.strip)
        frame.name_start += len(label[: label.find(stripped)].encode())
        label, frame.name_end = stripped, frame.name_start + len(stripped.encode())
    frame.name = pattern.name or unquoted(label, language.symbols.quotes)
    frame.container = _owner(owner.decode("utf-8"), language.symbols.quotes) if owner else None
    kind = pattern.kind
    if pattern.role is PatternRole.DEFINITION:
        frame.is_definition = True
        frame.is_local_scope = kind in CALLABLE_KINDS
        frame.holds_members = (
            kind in TYPE_KINDS or pattern.has_members or (kind == "type" and body > 0)
        )
    else:
        is_scope = pattern.role is PatternRole.SCOPE
        frame.is_definition = False
        frame.is_local_scope = not is_scope
        frame.holds_members = pattern.has_members or (is_scope and bool(owner))
    return frame


def make_frame(
    raw: RawFrame,
    pattern: QueryPattern,
    captures: dict[str, list[tree_sitter.Node]],
    text: Text,
    language: Language,
) -> Frame:
    """Return a frame with the further parts that cutting needs."""
    frame = frame_of(raw, pattern, language)
    node_end = max(node.end_byte for node in captures[pattern.capture])
    if frame.body is not None:
        body_start, body_end = extent_of(captures["body"])
        is_lost = body_end == node_end < frame.own_end
        frame.body = Span(body_start, frame.own_end if is_lost else body_end)
    if "value" in captures and pattern.role is not PatternRole.VALUE:
        value = text.trimmed(*extent_of(captures["value"]))
        is_lost = value.end == node_end < frame.own_end
        frame.value = Span(value.start, frame.own_end) if is_lost else value
    return frame


def namesakes(
    candidates: Sequence[RawFrame], frames: Sequence[RawFrame], patterns: Sequence[QueryPattern]
) -> list[int]:
    """Return which declarations have the name of the type directly around them.

    They are given by number. `frames` are all others that were found.
    """
    if not candidates:
        return []
    types = {raw[5] for raw in frames if patterns[raw[3]].kind in TYPE_KINDS}
    named = [number for number, raw in enumerate(candidates) if raw[5] in types]
    if not named:
        return []
    found: list[int] = []
    stack: list[RawFrame] = []
    # Sorted so that an enclosing frame comes before its contents, and a frame before a candidate of
    # the same extent.
    order = [(raw[0], -raw[1], -1, raw) for raw in frames]
    for number in named:
        raw = candidates[number]
        order.append((raw[0], -raw[1], number, raw))
    for start, minus_end, number, raw in sorted(order):
        while stack and stack[-1][1] <= start:
            stack.pop()
        if number < 0:
            stack.append(raw)
            continue
        around = next((each for each in reversed(stack) if each[:2] != (start, -minus_end)), None)
        if around and around[5] == raw[5] and patterns[around[3]].kind in TYPE_KINDS:
            found.append(number)
    return found


class Definitions:
    """The definitions among frames. If two patterns capture one name, the first pattern wins."""

    def __init__(
        self, patterns: Sequence[QueryPattern], make: Callable[[RawFrame, QueryPattern, int], Frame]
    ) -> None:
        self._patterns = patterns
        self._make = make
        """Makes a frame from its raw row, its pattern and its number."""
        self._by_name: dict[int, Frame] = {}
        self._variables: list[tuple[int, RawFrame]] = []
        self.declared: set[int] = set()
        """Every declared name, including local ones; see `name_key`."""
        self.local_names: list[tuple[int, str]] = []
        """Offsets and names of variables inside functions."""

    def add(self, raw: RawFrame, number: int) -> None:
        index = raw[3]
        pattern = self._patterns[index]
        if pattern.kind in VARIABLE_KINDS:
            # Most variables are local to a function. Their position decides that before anything
            # else is computed.
            self._variables.append((number, raw))
            return
        frame = self._make(raw, pattern, number)
        key = name_key(frame.name_start, frame.name_end)
        known = self._by_name.get(key)
        if known is None or index < known.pattern_index:
            self._by_name[key] = frame

    def nested_with(self, others: Sequence[Frame]) -> list[Frame]:
        """Return all frames, an enclosing one before those inside it."""
        definitions = self._by_name
        self.declared.update(definitions)
        if self._variables:
            self._add_variables([*others, *definitions.values()])
        frames = [*others, *definitions.values()]
        # If two nodes have the same span, the outer one is the scope.
        frames.sort(key=_nesting_order)
        _end_at_next([frame for frame in frames if frame.pattern.extends])
        return frames

    def _add_variables(self, around: list[Frame]) -> None:
        """Add the variables that are symbols. A local one still claims its name."""
        patterns = self._patterns
        definitions = self._by_name
        declared = self.declared
        scopes = _LocalScopes(sorted(around, key=_nesting_order))
        claimed: set[int] = set()
        self._variables.sort(key=lambda each: each[1][3])
        for number, raw in self._variables:
            start, _, own_end, index, name_start, name, _, _ = raw
            key = name_key(name_start, name_start + len(name))
            declared.add(key)
            if key in claimed:
                continue
            other = definitions.get(key)
            if other is not None and other.pattern_index < index:
                continue
            claimed.add(key)
            pattern = patterns[index]
            if pattern.local != "keep" and scopes.is_local(start, own_end):
                self.local_names.append((name_start, name.decode("utf-8")))
                if other is not None:
                    del definitions[key]
                continue
            frame = self._make(raw, pattern, number)
            if pattern.strip:
                definitions.pop(key, None)
                key = name_key(frame.name_start, frame.name_end)
                declared.add(key)
            definitions[key] = frame


def nest(
    frames: Sequence[Frame], language: Language, *, is_clean: bool
) -> Iterator[tuple[Frame, str]]:
    """Link each frame to the one around it, and yield it with its kind: "" if it is not a symbol.

    What is nested too deeply, or has too long a name, is no symbol: the cost is linear in the text.
    Until the next frame is requested, `frame.qualified` is that of the frame around it.
    """
    stack: list[Frame] = []
    are_beside = not is_clean and not language.symbols.nested_functions
    for frame in frames:
        while stack and (stack[-1].end <= frame.start or _are_siblings(stack[-1], frame)):
            stack.pop()
        around_it = stack
        if frame.pattern.kind in VARIABLE_KINDS and _stands_in_header(stack, frame):
            # A field declared in a constructor's parameters is a member of the type.
            around_it = stack[:-1]
        frame.outer = around_it[-1] if around_it else None
        if are_beside and _is_whole_function(frame):
            while around_it and _is_whole_function(around_it[-1]):
                around_it = around_it[:-1]
        frame.qualified = around_it[-1].qualified if around_it else None
        length = len(frame.qualified or "") + len(frame.container or "") + len(frame.name)
        has_name = len(stack) < _MOST_NESTED and length <= _LONGEST_NAME
        kind = ""
        if has_name and frame.is_definition:
            kind = _kind(frame, _innermost_owner(around_it), language)
            local = frame.pattern.local
            may_be_local = local == "drop" or (kind in VARIABLE_KINDS and local != "keep")
            if may_be_local and _is_local(around_it):
                kind = ""
        yield frame, kind
        if kind:
            container = joined_name(frame.qualified, frame.container)
            frame.qualified = qualified(kind, container, frame.name)
        elif has_name and frame.pattern.role is PatternRole.SCOPE and frame.container:
            frame.qualified = joined_name(frame.qualified, frame.container)
        if len(stack) < _MOST_NESTED:
            stack.append(frame)


def _is_whole_function(frame: Frame) -> bool:
    pattern = frame.pattern
    return frame.body is not None and pattern.kind in CALLABLE_KINDS and pattern.local != "drop"


def unnamed_functions(frames: Iterable[Frame]) -> list[Span]:
    """Return the spans of functions without a name, in the order of the frames."""
    return [
        Span(frame.start, frame.end) for frame in frames if frame.pattern.role is PatternRole.LOCAL
    ]


def joined_name(outer: str | None, inner: str | None) -> str | None:
    return f"{outer}.{inner}" if outer and inner else outer or inner


def name_key(start: int, end: int) -> int:
    """Return a span as one number: quicker to look up than a pair."""
    return start << 32 | end


def extent_of(nodes: list[tree_sitter.Node]) -> tuple[int, int]:
    """Return the extent from the first node to the last, for a part captured several times."""
    if len(nodes) == 1:
        node = nodes[0]
        return node.start_byte, node.end_byte
    return min(node.start_byte for node in nodes), max(node.end_byte for node in nodes)


def unquoted(name: str, quotes: str) -> str:
    """Return a name without quotes; those of each part, if it is dotted."""
    if not quotes or name.isidentifier():
        return name
    return ".".join(part.strip(quotes) for part in name.split("."))


class _LocalScopes:
    """Decides if a position is local to a function, from frames in nesting order."""

    def __init__(self, frames: list[Frame]) -> None:
        self._frames = frames
        self._starts = [frame.start for frame in frames]
        self._parents: list[int] = []
        stack: list[int] = []
        for index, frame in enumerate(frames):
            while stack and frames[stack[-1]].end <= frame.start:
                stack.pop()
            self._parents.append(stack[-1] if stack else -1)
            stack.append(index)

    def is_local(self, start: int, end: int) -> bool:
        index = bisect_right(self._starts, start) - 1
        while index >= 0:
            frame = self._frames[index]
            if frame.end >= end and (frame.start != start or frame.end != end):
                if frame.holds_members or frame.pattern.role is PatternRole.SCOPE:
                    return False
                if frame.is_local_scope:
                    # A declaration in a header, such as a constructor's parameter, may be a field.
                    body = frame.body
                    return (body is not None and end > body.start) or not frame.is_definition
            index = self._parents[index]
        return False


def _end_at_next(frames: list[Frame]) -> None:
    """End each open-ended declaration where the next sibling starts."""
    for frame, following in itertools.pairwise(frames):
        if following.start < frame.end == following.end:
            frame.end = following.start


def _nesting_order(frame: Frame) -> tuple[int, int, int, int]:
    return frame.start, -frame.end, -frame.pattern.role, frame.name_start


def _stands_in_header(stack: list[Frame], frame: Frame) -> bool:
    if not stack:
        return False
    outer = stack[-1]
    if not outer.is_definition or outer.pattern.kind not in ("method", "constructor", "function"):
        return False
    return outer.body is None or frame.end <= outer.body.start


def _are_siblings(one: Frame, other: Frame) -> bool:
    """Return True for two names of one declaration, as in `int a, b;`: neither contains the
    other.
    """
    return (
        one.start == other.start
        and one.end == other.end
        and one.is_definition
        and other.is_definition
    )


def _innermost_owner(stack: list[Frame]) -> Frame | None:
    """Return the nearest frame that is a definition or a scope with a name."""
    for frame in reversed(stack):
        if frame.holds_members or frame.pattern.role is not PatternRole.SCOPE:
            return frame
    return None


def _is_local(stack: list[Frame]) -> bool:
    for frame in reversed(stack):
        if frame.holds_members or frame.pattern.role is PatternRole.SCOPE:
            return False
        if frame.is_local_scope:
            return True
    return False


def _kind(frame: Frame, around: Frame | None, language: Language) -> str:
    """Return the kind of the pattern, adjusted to the position of the declaration."""
    kind = frame.pattern.kind
    if frame.pattern.constructor and _is_constructor(frame, around):
        return "constructor"
    is_member = (around is not None and around.holds_members) or frame.container is not None
    if kind == "function" and is_member:
        return "method"
    if kind == "variable":
        constant = language.symbols.constant
        if constant and constant.search(frame.name):
            return "constant"
        if is_member:
            return "field"
    return kind


def _is_constructor(frame: Frame, around: Frame | None) -> bool:
    """Return True if a function is a constructor by its position, as its pattern defines."""
    if frame.container is not None:
        owner = frame.container.rpartition(".")[2]
    elif around is not None and around.pattern.kind in TYPE_KINDS:
        owner = around.name
    else:
        return False
    return frame.pattern.constructor == "in_type" or frame.name == owner


def _owner(written: str, quotes: str) -> str:
    """Return the name of an owner as written (`*Box[T]`, `a::b<C>`) in dotted form.

    A type that is all brackets (`[u8]`, `(A, B)`) has no other name and stays as it is.
    """
    if written.isidentifier():
        return written
    name, before = written, ""
    while before != name:
        before, name = name, _GENERIC_ARGUMENTS.sub("", name)
    parts = [part.strip(" \t\r\n*&?!'\"" + quotes) for part in PATH_SEPARATOR.split(name)]
    return ".".join(part for part in parts if part) or " ".join(written.split())
