"""Rows for what a query finds about the types of names."""

from __future__ import annotations

import tree_sitter

from sightline.languages.tags import QueryPattern
from sightline.symbols.facts import (
    BOUND,
    CALLED,
    ELEMENT,
    HELD,
    HIDING,
    ITEM,
    SECOND,
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
}


_FARTHEST = 12
_BEHIND_CONST = (b"t ", b"  ")
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
    if form == HIDING:
        if known is None:
            found[start] = (True, index, (start, end, name, name, HIDING))
        return
    written = expressions.short(first, last)
    if written[:1] in _BEFORE_TYPES:
        written = written.lstrip(b": ")
    if form == WRITTEN and (
        data[last : last + 6] == b" const"
        or (
            data[first - 2 : first] in _BEHIND_CONST
            and data[first - _FARTHEST : first].rstrip().endswith(b"const")
        )
    ):
        written = b"const " + written
    found[start] = (False, index, (start, end, name, written, form))
