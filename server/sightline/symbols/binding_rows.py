"""Rows for what a query finds about the types of names."""

from __future__ import annotations

import re

import tree_sitter

from sightline.languages.tags import QueryPattern
from sightline.symbols.facts import (
    BOUND,
    CALLED,
    ELEMENT,
    HELD,
    HIDING,
    ITEM,
    PART,
    PASSED,
    SECOND,
    TAKEN,
    VALUE,
    WRITTEN,
)
from sightline.symbols.frames import extent_of
from sightline.symbols.shortening import Expressions

BindingRow = tuple[int, int, bytes, bytes, int]
"""Offset, end of the part that gives the type, name, type, form; see `facts.Binding`."""

FoundBindings = dict[int, tuple[bool, int, BindingRow]]
"""By offset: True if it only hides other names, the number of its pattern, and the row."""

_FORMS = {
    "binding.type": WRITTEN,
    "binding.call": CALLED,
    "binding.second": SECOND,
    "binding.value": VALUE,
    "binding.element": ELEMENT,
    "binding.item": ITEM,
    "binding.holder": HELD,
    "binding.bound": BOUND,
    "binding.passed": PASSED,
    "binding.taken": TAKEN,
    "binding.of": PART,
}


_FARTHEST = 12
_BEHIND_CONST = (b"t ", b"  ")
_SIGNS = re.compile(rb"(?:[\s*&]|(?:const|volatile|__restrict|restrict)\b)*").match
_PATTERNS = (b"{", b"[", b"(", b".")
"""What a pattern begins with that takes apart what it is bound to."""
_RESTS = frozenset(["..", "remaining_field_pattern", "rest_pattern"])
_BEFORE_TYPES = (b":", b" ")
"""Some grammars include the colon in the node of a type or a bound."""


def binding_form(pattern: QueryPattern) -> tuple[str, int]:
    """Return what a pattern says about a name, or "" if that depends on the match."""
    forms = [(part, form) for part, form in _FORMS.items() if part in pattern.parts]
    if not forms:
        return "", HIDING
    if len(forms) > 1 or "binding.at" in pattern.parts:
        return "", -1
    return forms[0]


def add_binding(
    found: FoundBindings,
    index: int,
    captures: dict[str, list[tree_sitter.Node]],
    data: bytes,
    expressions: Expressions,
    usual: tuple[str, int],
) -> None:
    """Add what a pattern says about a name, unless another pattern takes precedence.

    A name that is bound to itself has no type, and any pattern that finds a type replaces it. Among
    the others, the first pattern in the query wins.
    """
    part, form = usual
    nodes = captures["binding"]
    if form == HIDING and nodes[0].start_byte in found:
        return
    start, name_end = nodes[0].byte_range if len(nodes) == 1 else extent_of(nodes)
    name_start, at = start, None
    if form < 0:
        part, form = next(each for each in _FORMS.items() if each[0] in captures)
        at = captures.get("binding.at")
        if at is not None:
            start = at[0].start_byte
    known = found.get(start)
    if known is not None and (form == HIDING or not (known[0] or index < known[1])):
        return
    # The expression that makes a value does not see its name: `hash := hash(key)`.
    made = captures.get("binding.initializer")
    if form == PART:
        if row := _part_row(captures, data):
            found[start] = (False, index, row)
        return
    if part:
        nodes = captures[part]
        first, last = nodes[0].byte_range if len(nodes) == 1 else extent_of(nodes)
        if first == name_start and form != BOUND:
            form = HIDING
    else:
        first = last = name_end
    end = last if made is None else made[-1].end_byte
    if end < name_end:
        end = name_end
    if at is not None:
        end = start + 1
    name = data[name_start:name_end]
    if name[:1] in _PATTERNS and captures["binding"][0].type.endswith("_pattern"):
        name = name[:1]
    if form == HIDING:
        if known is None:
            found[start] = (True, index, (start, end, name, name, HIDING))
        return
    written = expressions.short(first, last)
    if form in (WRITTEN, BOUND):
        written = _type(written, data, first, last, name_start)
    if form in (PASSED, TAKEN):
        # A parameter is one where it stands: what is read of it comes behind it.
        end = name_end
        written = _with_position(captures, form, name_start, written)
    found[start] = (False, index, (start, end, name, written, form))


def _part_row(captures: dict[str, list[tree_sitter.Node]], data: bytes) -> BindingRow | None:
    """Return the row of a name in a pattern; None behind parts that nobody can count."""
    node, pattern = captures["binding"][0], captures["binding.of"][0]
    start, end = node.byte_range
    name = data[start:end]
    if name[:1] in _PATTERNS:
        name = name[:1]
    key = captures.get("binding.key")
    if key is not None:
        written = data[slice(*key[0].byte_range)].strip(b"\"'")
    else:
        before = [each.type for each in pattern.children if each.start_byte < start]
        if any(each in _RESTS for each in before):
            return None
        written = b"%d" % before.count(",")
    return start, end, name, b"%d %s" % (start - pattern.start_byte, written), PART


def _with_position(
    captures: dict[str, list[tree_sitter.Node]], form: int, name_start: int, written: bytes
) -> bytes:
    """Return what says the type of a parameter, behind its place among others; see `facts`."""
    place = b"%d" % _position(captures["binding.parameters"][0], name_start)
    if form == PASSED:
        place = b"%d.%s" % (_position(captures["binding.arguments"][0], name_start), place)
    if key := captures.get("binding.key"):
        place += b"." + (key[0].text or b"")
    return b"%s %s" % (place, written)


def _type(written: bytes, data: bytes, first: int, last: int, name_start: int) -> bytes:
    """Return a type with what belongs to it beside its node: `const`, and the signs of a pointer.

    `int *one, two` declares one pointer.
    """
    if written[:1] in _BEFORE_TYPES:
        written = written.lstrip(b": ")
    if data[last : last + 6] == b" const" or (
        data[first - 2 : first] in _BEHIND_CONST
        and data[first - _FARTHEST : first].rstrip().endswith(b"const")
    ):
        written = b"const " + written
    if last < name_start and data.find(b"*", last, name_start) > 0:
        signs = _SIGNS(data[last:name_start].rpartition(b",")[2])
        written += b"*" * signs[0].count(b"*") if signs else b""
    return written


def _position(node: tree_sitter.Node, offset: int) -> int:
    """Which of the parts of a list has an offset in it, comments left out; 0 without a list."""
    if not node.start_byte <= offset < node.end_byte or node.type == "identifier":
        return 0
    position = -1
    for child in node.named_children:
        if child.start_byte > offset:
            break
        position += child.type != "comment"
    return position
