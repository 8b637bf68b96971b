"""Extract a few signatures of a large file without parsing the rest of it.

A caller that knows from the index where declarations are can have a text parsed without the bodies
that it does not need (`plan_partial_parse`). The remaining text parses in a fraction of the time,
and its signatures are cut and checked like any other's.

Invariant: a partial parse returns what `region_signatures` would return for the whole text, or
nothing. If the remaining text has parse errors, or lacks a part of what was requested, the whole
text has to be parsed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence

import msgspec

from sightline.languages import Language
from sightline.refusals import Refusal
from sightline.slicing.model import SignatureDocs, Slice
from sightline.slicing.regions import region_signatures
from sightline.slicing.signatures import signatures
from sightline.symbols import (
    CALLABLE_KINDS,
    Definition,
    FactsView,
    FileSummary,
    Symbol,
    summarize,
)
from sightline.syntax import parse_without
from sightline.text import Span, Text

SymbolPlace = tuple[str, int]
"""A symbol, as its qualified name and the line of its name."""

_SMALLEST_HOLE = 32


class PartialParsePlan(msgspec.Struct, frozen=True, array_like=True):
    """The symbols to find in a text, and the parts that need not be parsed."""

    holes: tuple[Span, ...]
    sought: tuple[tuple[str, int, Span], ...]
    """Qualified name, line of the name, and the extent according to the index."""


def partial_signatures(
    language: Language,
    text: Text,
    plan: PartialParsePlan,
    docs: SignatureDocs = SignatureDocs.NONE,
) -> Slice | None:
    """Return the signatures of some symbols, from a text parsed without its holes."""
    holes = plan.holes
    parsed = parse_without(language, text, holes)
    if parsed.errors:
        return None
    summary = summarize(parsed)
    meant = symbols_at(summary, {(name, line) for name, line, _ in plan.sought})
    chosen = outside_bodies(summary, meant)
    if not _are_whole(meant, plan) or _any_hole(holes, [each.region for each in chosen]):
        return None
    whole = signatures(parsed, summary, docs, holes)
    if isinstance(whole, Refusal):
        return None
    shown = region_signatures(language, text, summary, chosen, whole)
    if isinstance(shown, Refusal) or _any_hole(holes, _spans(shown)):
        return None
    return shown


def plan_partial_parse(
    language: Language, text: Text, view: FactsView, places: Collection[SymbolPlace]
) -> PartialParsePlan | None:
    """Plan a partial parse for some symbols of a text with known facts; None if one is missing."""
    definitions = view.definitions
    names = {name for name, _ in places}
    wanted = [
        (index, (each.qualified_name, view.line_number(each.name_start)))
        for index, each in enumerate(definitions)
        if each.qualified_name in names
    ]
    indexes = [index for index, place in wanted if place in places]
    if not view.parse_clean or not set(places) <= {place for _, place in wanted}:
        return None
    return PartialParsePlan(
        tuple(_uninteresting(language, text, definitions, indexes)),
        tuple(
            (*place, Span(definitions[index].start, definitions[index].end))
            for index, place in wanted
            if place in places
        ),
    )


def _uninteresting(
    language: Language, text: Text, definitions: Sequence[Definition], wanted: Collection[int]
) -> list[Span]:
    """Return what need not be parsed when only some definitions of a text are requested.

    These are the contents of braces, and other bodies whole, if the language allows it. Requested
    definitions and the functions around them stay whole.
    """
    data = text.data
    interesting = [definitions[index] for index in wanted]
    bodies: set[int] = set()
    holes: list[Span] = []
    position = 0
    for each in definitions:
        if each.start < position:
            continue
        inside = [one for one in interesting if each.start <= one.start and one.end <= each.end]
        if inside:
            is_in_header = any(one.start < each.body for one in inside)
            if each in inside or is_in_header or each.kind in CALLABLE_KINDS:
                position = each.end
            bodies.add(each.body)
            continue
        position = each.end
        if each.body < 0:
            continue
        if data[each.body : each.body + 1] == b"{" and data[each.end - 1 : each.end] == b"}":
            hole = Span(each.body + 1, each.end - 1)
        elif language.syntax.removable_definitions and each.start not in bodies:
            # Without braces a body starts with its first statement, whose offset is not known.
            hole = Span(each.start, each.end)
        else:
            continue
        if hole.end - hole.start >= _SMALLEST_HOLE:
            holes.append(hole)
    return holes


def _are_whole(symbols: Sequence[Symbol], plan: PartialParsePlan) -> bool:
    """Return True if every symbol was found and is at least as long as the index says."""
    found = {(each.qualified_name, each.name_line): each.region for each in symbols}
    return all(
        (region := found.get((name, line))) is not None and region.contains(extent)
        for name, line, extent in plan.sought
    )


def _spans(slice_: Slice) -> list[Span]:
    return [piece.span for piece in slice_.pieces if piece.span is not None]


def _any_hole(holes: Sequence[Span], spans: Iterable[Span]) -> bool:
    """Return True if a hole overlaps any of the spans: then a boundary is lost."""
    ends = [hole.end for hole in holes]
    for span in spans:
        index = bisect_right(ends, span.start)
        if index < len(holes) and holes[index].start < span.end:
            return True
    return False


def symbols_at(summary: FileSummary, places: Collection[SymbolPlace]) -> list[Symbol]:
    """Return the symbols at some places, in source order."""
    return [each for each in summary.symbols if (each.qualified_name, each.name_line) in places]


def outside_bodies(summary: FileSummary, symbols: Sequence[Symbol]) -> list[Symbol]:
    """Return each symbol, or the outermost function around it: symbols inside bodies have no
    signature.
    """
    places = {id(each): index for index, each in enumerate(summary.symbols)}
    chosen: dict[int, Symbol] = {}
    for symbol in symbols:
        index = outermost = places[id(symbol)]
        while (index := summary.symbols[index].parent) >= 0:
            if summary.symbols[index].has_implementation:
                outermost = index
        chosen[outermost] = summary.symbols[outermost]
    return [chosen[index] for index in sorted(chosen)]
