"""Names and headers repeat all that is around them: the square of a text, were there no limit.

A file of 700 KB cost the server minutes and gigabytes.
"""

from __future__ import annotations

import pytest

from sightline.languages import Registry
from sightline.symbols import FactsView, summarize
from sightline.symbols.extracting import extract
from sightline.syntax import parse
from sightline.text import Text

_DEPTH = 400
_NESTED = {
    "rust": ("mod inner {\n", "}\n"),
    "cpp": ("namespace inner {\n", "}\n"),
    "java": ("class Inner {\n", "}\n"),
    "javascript": ("function inner() {\n", "}\n"),
    "typescript": ("namespace inner {\n", "}\n"),
}


@pytest.mark.parametrize("name", _NESTED)
def test_what_is_nested_too_deeply_is_no_symbol(registry: Registry, name: str) -> None:
    """It is a part of the symbol around it, for cutting and for the index alike."""
    before, after = _NESTED[name]
    parsed = parse(registry.languages[name], Text((before * _DEPTH + after * _DEPTH).encode()))
    definitions = FactsView(extract(parsed), registry.languages[name]).definitions
    symbols = summarize(parsed).symbols
    assert len(definitions) == len(symbols) == 64
    assert max(len(each.enclosing) for each in symbols) == 63
    assert symbols[-1].region.end <= len(parsed.text)
    assert [each.qualified_name for each in definitions] == [
        each.qualified_name for each in symbols
    ]


def test_a_name_that_is_too_long_is_none(registry: Registry) -> None:
    """What is inside belongs to what is around it."""
    language = registry.languages["cpp"]
    text = f"namespace outer {{ namespace {'n' * 2_000} {{ void inner() {{}} }} }}\n"
    parsed = parse(language, Text(text.encode()))
    definitions = FactsView(extract(parsed), language).definitions
    assert [each.qualified_name for each in definitions] == ["outer", "outer.inner"]
    assert [each.qualified_name for each in summarize(parsed).symbols] == ["outer", "outer.inner"]
