"""Rows of what a query says about the types of names."""

from __future__ import annotations

import tree_sitter

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
from sightline.symbols.shortening import short_expression

BindingRow = tuple[int, int, bytes, bytes, int]
"""Offset, end of what says its type, name, type, form; see `facts.Binding`."""

FoundBindings = dict[int, tuple[bool, int, BindingRow]]
"""By offset: whether it only hides, the number of its pattern, and the row."""

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


def add_binding(
    found: FoundBindings,
    index: int,
    captures: dict[str, list[tree_sitter.Node]],
    data: bytes,
    line_comment: str,
) -> None:
    """Add what a pattern says about a name, unless another one has its say.

    What is bound to itself has no type, and yields to a pattern that finds one. Of others the first
    in the query has its say.
    """
    start = captures["binding.at" if "binding.at" in captures else "binding"][0].start_byte
    known = found.get(start)
    if known is None or known[0] or index < known[1]:
        row = _binding_row(start, captures, data, line_comment)
        is_hiding = row[4] == HIDING
        if known is None or not is_hiding:
            found[start] = (is_hiding, index, row)


def _binding_row(
    start: int, captures: dict[str, list[tree_sitter.Node]], data: bytes, line_comment: str
) -> BindingRow:
    name_start, name_end = extent_of(captures["binding"])
    name = data[name_start:name_end]
    part = next(part for part in _FORMS if part in captures)
    first, last = extent_of(captures[part])
    # What makes a value does not see its name: `hash := hash(key)`.
    made = captures.get("binding.initializer")
    end = max(name_end, last if made is None else made[-1].end_byte)
    if "binding.at" in captures:
        end = start + 1
    if first == name_start and part != "binding.bound":
        return start, end, name, name, HIDING
    written = short_expression(data, first, last, line_comment)
    # A colon may belong to the node of a type or a bound.
    return start, end, name, written.lstrip(b": "), _FORMS[part]
