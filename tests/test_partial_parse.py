"""Partial parses: signatures of a text that was not parsed whole are those of the whole text."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from sightline.languages import Language, Registry
from sightline.refusals import Refusal
from sightline.slicing import (
    PartialParsePlan,
    Slice,
    SymbolPlace,
    outside_bodies,
    partial_signatures,
    plan_partial_parse,
    region_signatures,
    signatures,
    symbols_at,
)
from sightline.symbols import FactsView, extract, summarize
from sightline.syntax import parse
from sightline.text import Span, Text

_FIXTURES = sorted(
    file
    for file in (Path(__file__).parent / "languages").glob("*/*")
    if file.suffix not in (".outline", ".signatures", ".references", ".pyc")
)


@pytest.mark.parametrize("file", _FIXTURES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_partial_parse_gives_what_the_whole_text_gives(file: Path, registry: Registry) -> None:
    text = Text(file.read_bytes())
    language = registry.languages[file.parent.name]
    view = FactsView(extract(parse(language, text)), language)
    places = [(each.qualified_name, view.line_number(each.name_start)) for each in view.definitions]
    for place in places:
        plan = plan_partial_parse(language, text, view, [place])
        assert plan is not None, place
        seen_now = partial_signatures(language, text, plan)
        if seen_now is None:
            continue
        whole = _from_whole_text(language, text, place)
        assert seen_now.content == whole.content, place
        assert (seen_now.pieces, seen_now.regions) == (whole.pieces, whole.regions), place


def test_every_language_goes_without_something(registry: Registry) -> None:
    """Where the rest cannot be done without, the text is read whole: that is the exception."""
    for name, language in registry.languages.items():
        left_out = looked = seen = 0
        for file in (each for each in _FIXTURES if each.parent.name == name):
            text = Text(file.read_bytes())
            parsed = parse(language, text)
            if parsed.is_mended:
                # In parts a text is read as it stands, or not at all.
                continue
            view = FactsView(extract(parsed), language)
            for each in view.definitions:
                place = (each.qualified_name, view.line_number(each.name_start))
                plan = plan_partial_parse(language, text, view, [place])
                assert plan is not None
                left_out += len(plan.holes)
                looked += 1
                seen += partial_signatures(language, text, plan) is not None
        assert left_out, name
        assert seen * 4 >= looked * 3, name


def test_the_methods_before_are_neither_parsed_nor_shown(registry: Registry) -> None:
    source = _class_of(12)
    language, text = registry.languages["python"], Text(source)
    plan = _plan(language, text, ("Many.method_11", 40))
    assert sum(hole.end - hole.start for hole in plan.holes) > len(source) // 2
    seen = partial_signatures(language, text, plan)
    assert seen is not None
    assert b"def method_11(self): ..." in seen.content
    assert b"class Many:" in seen.content
    assert b"method_10" not in seen.content
    assert b"return" not in seen.content


def test_a_boundary_that_was_lost_with_the_rest_is_noticed(registry: Registry) -> None:
    """A decorator stays behind when what it decorates goes: it is not the next method's."""
    source = textwrap.dedent(
        """\
        class Many:
            first = 1

            @decorated(
                "here",
            )
            # A comment in between.
            def other(self):
                return "something of some length"

            def wanted(self):
                return 1
        """
    ).encode()
    language, text = registry.languages["python"], Text(source)
    place = ("Many.wanted", 11)
    seen = partial_signatures(language, text, _plan(language, text, place))
    assert seen is None or seen.content == _from_whole_text(language, text, place).content


def test_what_reaches_less_far_than_the_index_says_is_not_given(registry: Registry) -> None:
    language, text = registry.languages["python"], Text(_class_of(2))
    plan = _plan(language, text, ("Many.method_1", 10))
    assert partial_signatures(language, text, plan) is not None
    name, line, extent = plan.sought[0]
    further = PartialParsePlan(plan.holes, ((name, line, Span(extent.start, extent.end + 3)),))
    assert partial_signatures(language, text, further) is None


def test_a_rest_that_does_not_parse_clean_gives_nothing(registry: Registry) -> None:
    language, text = registry.languages["python"], Text(_class_of(2))
    plan = _plan(language, text, ("Many.method_1", 10))
    colon = text.data.index(b":")
    assert (
        partial_signatures(language, text, PartialParsePlan((Span(colon, colon + 1),), plan.sought))
        is None
    )


def test_a_symbol_that_is_not_there_is_not_looked_for(registry: Registry) -> None:
    language, text = registry.languages["python"], Text(_class_of(2))
    view = FactsView(extract(parse(language, text)), language)
    assert plan_partial_parse(language, text, view, [("Many.method_1", 9)]) is None
    broken = Text(_class_of(2) + b"def broken(:\n")
    view = FactsView(extract(parse(language, broken)), language)
    assert plan_partial_parse(language, broken, view, [("Many.method_1", 10)]) is None


def _class_of(methods: int) -> bytes:
    lines = ["class Many:", '    """Many methods."""', ""]
    for number in range(methods):
        lines += [f"    def method_{number}(self):", f"        return 'method {number} says this'"]
        lines += [""]
    # The line of `method_n` is 4 + 3 n, and three more for a line of its own in front.
    return ("import this\n\n\n" + "\n".join(lines)).encode()


def _plan(language: Language, text: Text, place: SymbolPlace) -> PartialParsePlan:
    view = FactsView(extract(parse(language, text)), language)
    plan = plan_partial_parse(language, text, view, [place])
    assert plan is not None
    return plan


def _from_whole_text(language: Language, text: Text, place: SymbolPlace) -> Slice:
    parsed = parse(language, text)
    summary = summarize(parsed)
    whole = signatures(parsed, summary)
    assert not isinstance(whole, Refusal)
    chosen = outside_bodies(summary, symbols_at(summary, [place]))
    shown = region_signatures(language, text, summary, chosen, whole)
    assert not isinstance(shown, Refusal)
    return shown
