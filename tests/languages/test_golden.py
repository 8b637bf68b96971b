"""Every language's fixtures against their golden outline, signatures and references.

A fixture is a source file that reads as documentation of what Sightline makes of its language.
Beside `NAME.ext` stand `NAME.ext.outline`, `NAME.ext.signatures` and `NAME.ext.references`.
`pytest --update-golden` writes them anew; they are read in the diff, never edited by hand.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from sightline.languages import Registry
from sightline.slicing import Slice, regions, signatures
from sightline.symbols import FactsView, FileSummary, Symbol, extract, summarize
from sightline.syntax import parse
from sightline.text import Text

_HERE = Path(__file__).parent
_GOLDEN = (".outline", ".signatures", ".references")
_FIXTURES = sorted(
    file
    for folder in _HERE.iterdir()
    if folder.is_dir() and not folder.name.startswith("__")
    for file in folder.iterdir()
    if file.suffix not in _GOLDEN
)


@pytest.mark.parametrize("file", _FIXTURES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_fixture_gives_its_golden_files(
    file: Path, registry: Registry, request: pytest.FixtureRequest
) -> None:
    data = file.read_bytes()
    language = registry.for_path(file.name, data)
    assert language is not None
    assert language.name == file.parent.name
    text = Text(data)
    parsed = parse(language, text)
    summary = summarize(parsed)
    assert summary.parse_clean, f"the fixture must parse clean: {summary.errors}"
    outcome = signatures(parsed, summary)
    assert isinstance(outcome, Slice), outcome
    actual = {
        ".outline": _outline(text, summary).encode(),
        ".signatures": outcome.content,
        ".references": _references(FactsView(extract(parsed), language)).encode(),
    }
    for suffix, content in actual.items():
        golden = file.with_name(file.name + suffix)
        if request.config.getoption("--update-golden"):
            golden.write_bytes(content)
        assert golden.read_bytes() == content, golden.name


def test_every_language_has_fixtures_with_unicode_and_crlf(registry: Registry) -> None:
    """Documentation is complete only if every language is in it, awkward bytes included."""
    for name in registry.languages:
        contents = [file.read_bytes() for file in _FIXTURES if file.parent.name == name]
        assert contents, f"{name} has no fixture"
        assert any(not content.isascii() for content in contents), f"{name}: no unicode"
        assert any(b"\r\n" in content for content in contents), f"{name}: no CRLF"


@pytest.mark.parametrize("file", _FIXTURES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_every_symbol_of_a_fixture_can_be_cut_out(file: Path, registry: Registry) -> None:
    """The parts of a symbol stand in order, and its slice is the original with parts left out."""
    text = Text(file.read_bytes())
    language = registry.languages[file.parent.name]
    summary = summarize(parse(language, text))
    for symbol in summary.symbols:
        assert symbol.region.contains(symbol.name_span)
        assert symbol.region.start <= symbol.declaration.start <= symbol.header.start
        assert symbol.header.end <= symbol.region.end
        assert symbol.body is None or symbol.header.end <= symbol.body.start
        outcome = regions(language, text, summary, [symbol])
        assert isinstance(outcome, Slice), outcome
        assert text.cut(symbol.region) in outcome.content
        spans = [piece.span for piece in outcome.pieces if piece.span is not None]
        assert all(one.end <= other.start for one, other in itertools.pairwise(spans)), symbol


def _outline(text: Text, summary: FileSummary) -> str:
    lines = []
    for symbol in summary.symbols:
        header = " ".join(text.cut(symbol.header).decode().split())
        lines.append(
            f"{symbol.start_line:>4}-{symbol.end_line:<4} name {symbol.name_line:<4} "
            f"body {_body(text, symbol):9} {symbol.kind:11} {symbol.qualified_name}\n"
            f"{'':32} {header}\n"
        )
    return "".join(lines)


def _body(text: Text, symbol: Symbol) -> str:
    body = symbol.body_lines
    if body is None:
        return "-"
    return f"{text.line_of(body.start) + 1}-{text.line_of(max(body.start, body.end - 1)) + 1}"


_FORMS = (
    "",
    "made by ",
    "second of ",
    "as ",
    "an element of ",
    "an item of ",
    "held by ",
    "bound by ",
    "",
    "passed to ",
    "taken by ",
    "part of ",
)


def _references(view: FactsView) -> str:
    lines = [(0, f"   - package {view.package}\n")] if view.package else []
    lines += [
        (
            each.start,
            f"{view.line_number(each.start):>4} import {each.module or None} "
            f"name={each.name or None} alias={each.alias or None}\n",
        )
        for each in view.imports
    ]
    lines += [
        (
            each.start,
            f"{view.line_number(each.start):>4} {each.kind:6} {each.name} "
            f"receiver={each.receiver or None}\n",
        )
        for each in view.references
    ]
    lines += [
        (
            each.start,
            f"{view.line_number(each.start):>4} {each.name} is {_FORMS[each.form]}{each.type}\n",
        )
        for each in view.bindings
    ]
    return "".join(line for _, line in sorted(lines, key=lambda each: each[0]))
