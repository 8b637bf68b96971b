"""Slices: regions with their headers and markers, signatures with their checks, refusals."""

from __future__ import annotations

import hashlib
import textwrap

import pytest

from sightline.languages import Registry
from sightline.refusals import Refusal, RefusalKind
from sightline.slicing import (
    Level,
    Piece,
    SignatureDocs,
    Slice,
    full_file,
    parts,
    regions,
    signatures,
    summary_only,
)
from sightline.symbols import FileSummary, find_symbol, summarize
from sightline.syntax import Parsed, parse
from sightline.text import Span, Text

_SHAPES = """\
import math

RATIO = 2


class Shape:
    \"\"\"Anything with an area.\"\"\"

    sides = 0

    class Corner:
        def angle(self):
            return 90

    @property
    def area(self):
        return self.width * RATIO

    def scale(
        self,
        by: float,
    ) -> None:
        def double(value):
            return value * 2

        self.width = double(by)


def area(shape):
    return shape.area
"""


def test_a_region_carries_its_decorators_and_enclosing_headers(registry: Registry) -> None:
    assert _region(registry, "python", _SHAPES, "Shape.area") == textwrap.dedent("""\
        # ... lines 1-5 left out
        # enclosing header, line 6:
        class Shape:
            # ... lines 7-14 left out
            @property
            def area(self):
                return self.width * RATIO
        # ... lines 18-30 left out
        """)


def test_a_region_two_levels_down_names_both_containers(registry: Registry) -> None:
    assert _region(registry, "python", _SHAPES, "angle") == textwrap.dedent("""\
        # ... lines 1-5 left out
        # enclosing header, line 6:
        class Shape:
            # ... lines 7-10 left out
            # enclosing header, line 11:
            class Corner:
                def angle(self):
                    return 90
        # ... lines 14-30 left out
        """)


def test_the_header_of_a_function_over_several_lines_is_shown_whole(registry: Registry) -> None:
    assert _region(registry, "python", _SHAPES, "double") == textwrap.dedent("""\
        # ... lines 1-5 left out
        # enclosing header, line 6:
        class Shape:
            # ... lines 7-18 left out
            # enclosing header, lines 19-22:
            def scale(
                self,
                by: float,
            ) -> None:
                def double(value):
                    return value * 2
        # ... lines 25-30 left out
        """)


def test_several_regions_are_in_source_order_and_those_that_touch_are_one(
    registry: Registry,
) -> None:
    expected = textwrap.dedent("""\
        # ... lines 1-2 left out
        RATIO = 2
        # ... lines 4-28 left out
        def area(shape):
            return shape.area
        """)
    assert _region(registry, "python", _SHAPES, "RATIO", "area") == expected
    touching = "a = 1\nb = 2\nc = 3\n"
    assert (
        _region(registry, "python", touching, "a", "b") == "a = 1\nb = 2\n# ... line 3 left out\n"
    )


def test_a_region_inside_another_asked_for_is_not_shown_twice(registry: Registry) -> None:
    shown = _region(registry, "python", _SHAPES, "Shape", "Shape.scale")
    assert shown.count("def scale(") == 1
    assert "enclosing header" not in shown


def test_a_neighbour_on_the_same_line_is_not_shown(registry: Registry) -> None:
    source = "class A { int f() { return 1; } int g() { return 2; } }\n"
    assert _region(registry, "java", source, "f") == textwrap.dedent("""\
        // enclosing header, line 1:
        class A
        int f() { return 1; }
        // ... other code on its lines left out
        """)


def test_a_region_in_the_middle_of_a_line_keeps_its_indentation(registry: Registry) -> None:
    source = "class A:\n    a = 1; b = 2\n"
    assert _region(registry, "python", source, "A.b") == textwrap.dedent("""\
        # enclosing header, line 1:
        class A:
            b = 2
            # ... other code on its lines left out
        """)


def test_a_field_among_parameters_is_shown_with_the_whole_header(registry: Registry) -> None:
    source = "class A(\n    val x: Int,\n    val y: Int,\n) {\n    fun f() {}\n}\n"
    assert _region(registry, "kotlin", source, "A.x") == textwrap.dedent("""\
        class A(
            val x: Int,
            val y: Int,
        ) {
        // ... lines 5-6 left out
        """)


def test_a_comment_behind_a_region_goes_with_it(registry: Registry) -> None:
    source = "class A {\n  int a; // the first\n  int b; /* b */ int c;\n}\n"
    assert "  int a; // the first\n" in _region(registry, "java", source, "a")
    assert "int c" not in _region(registry, "java", source, "b")


def test_markers_use_the_comment_syntax_and_line_breaks_of_the_file(registry: Registry) -> None:
    source = "package a\r\n\r\n// Says hello.\r\nfunc Hello() {}\r\n\r\nfunc Bye() {}\r\n"
    assert _region(registry, "go", source, "Hello").split("\r\n") == [
        "// ... lines 1-2 left out",
        "// Says hello.",
        "func Hello() {}",
        "// ... lines 5-6 left out",
        "",
    ]


def test_an_impl_block_is_an_enclosing_header(registry: Registry) -> None:
    source = "struct A;\n\nimpl<T> Show for A\nwhere\n    T: Copy,\n{\n    fn show(&self) {}\n}\n"
    assert _region(registry, "rust", source, "A.show") == textwrap.dedent("""\
        // ... lines 1-2 left out
        // enclosing header, lines 3-5:
        impl<T> Show for A
        where
            T: Copy,
            // ... line 6 left out
            fn show(&self) {}
        // ... line 8 left out
        """)


def test_a_file_without_final_newline_keeps_its_bytes_and_the_markers_their_lines(
    registry: Registry,
) -> None:
    assert _region(registry, "python", "a = 1\ndef f(): pass", "f") == (
        "# ... line 1 left out\ndef f(): pass\n"
    )


def test_a_region_knows_its_lines_and_the_hash_of_its_bytes(registry: Registry) -> None:
    parsed, summary = _summary(registry, "python", _SHAPES)
    symbol = find_symbol(summary, "Shape.area")
    assert not isinstance(symbol, Refusal)
    outcome = regions(parsed.language, parsed.text, summary, [symbol])
    assert isinstance(outcome, Slice)
    (region,) = outcome.regions
    assert (region.symbol, region.start_line, region.end_line) == ("Shape.area", 15, 17)
    shown = b"@property\n    def area(self):\n        return self.width * RATIO"
    assert region.sha256 == hashlib.sha256(shown).hexdigest()


def test_a_statement_within_a_symbol_that_is_shown_is_no_region_of_its_own(
    registry: Registry,
) -> None:
    parsed, summary = _summary(registry, "python", _SHAPES)
    shape = find_symbol(summary, "Shape")
    assert not isinstance(shape, Refusal)
    assert any(shape.region.contains(each) for each in summary.statements)
    made = parts(parsed.language, parsed.text, summary, [shape], summary.statements)
    assert isinstance(made, Slice)
    lines = [(each.symbol, each.start_line, each.end_line) for each in made.regions]
    assert lines == [("", 1, 1), ("Shape", 6, 26)]


def test_an_error_makes_only_what_it_touches_unreliable(registry: Registry) -> None:
    source = "def before():\n    return 1\n\n\ndef broken():\n    return 2 +* 3\n"
    parsed, summary = _summary(registry, "python", source)
    assert not summary.parse_clean
    before, broken = summary.symbols
    assert isinstance(regions(parsed.language, parsed.text, summary, [before]), Slice)
    outcome = regions(parsed.language, parsed.text, summary, [broken])
    assert isinstance(outcome, Refusal)
    assert outcome.reason == "unreliable_boundaries"


def test_a_member_of_a_type_with_a_broken_header_is_unreliable(registry: Registry) -> None:
    source = "class A extends B C {\n  int f() { return 1; }\n}\n"
    parsed, summary = _summary(registry, "java", source)
    assert [symbol.name for symbol in summary.symbols] == ["A", "f"]
    for symbol in summary.symbols:
        assert isinstance(regions(parsed.language, parsed.text, summary, [symbol]), Refusal)


def test_signatures_of_a_broken_file_are_refused(registry: Registry) -> None:
    parsed, summary = _summary(registry, "python", "x = (\n")
    outcome = signatures(parsed, summary)
    assert isinstance(outcome, Refusal)
    assert (outcome.kind, outcome.reason) == (RefusalKind.UNSUPPORTED_TARGET, "parse_error")
    assert "line 1" in outcome.message


def test_signatures_show_every_declaration_and_no_body(registry: Registry) -> None:
    assert _signatures(registry, "python", _SHAPES) == textwrap.dedent("""\
        import math

        RATIO = 2


        class Shape:
            sides = 0

            class Corner:
                def angle(self): ...

            @property
            def area(self): ...

            def scale(
                self,
                by: float,
            ) -> None: ...


        def area(shape): ...
        """)


def test_signatures_keep_the_conditions_around_declarations(registry: Registry) -> None:
    source = textwrap.dedent("""\
        import sys

        print("loading")
        if sys.platform == "win32":
            import winreg

            def home():
                return winreg.x
        else:
            print("posix")
            def home():
                return "/"

        try:
            import fast
        except ImportError:
            log("slow")
        """)
    assert _signatures(registry, "python", source) == textwrap.dedent("""\
        import sys

        if sys.platform == "win32":
            import winreg

            def home(): ...
        else:
            def home(): ...

        try:
            import fast
        except ImportError:
            ...
        """)


def test_values_of_several_lines_are_left_out_and_short_ones_stay(registry: Registry) -> None:
    source = "SHORT = [1, 2]\nLONG = [\n    1,\n    2,\n]\n"
    assert _signatures(registry, "python", source) == "SHORT = [1, 2]\nLONG = ...\n"


_DOCUMENTED = """\
/**
 * Adds two numbers.
 *
 * Slowly.
 */
export function add(a: number, b: number): number {
  // A comment in the body.
  return a + b;
}

// Not a doc comment.
export const PI = 3;
"""


@pytest.mark.parametrize(
    ("docs", "expected"),
    [
        (SignatureDocs.NONE, "export function add(a: number, b: number): number {}\n"),
        (
            SignatureDocs.FIRST_LINE,
            "/**\n * Adds two numbers. */\nexport function add(a: number, b: number): number {}\n",
        ),
        (
            SignatureDocs.FULL,
            "/**\n * Adds two numbers.\n *\n * Slowly.\n */\n"
            "export function add(a: number, b: number): number {}\n",
        ),
    ],
)
def test_signatures_keep_as_much_of_the_docs_as_asked_for(
    registry: Registry, docs: SignatureDocs, expected: str
) -> None:
    shown = _signatures(registry, "typescript", _DOCUMENTED, docs)
    assert shown == expected + "\nexport const PI = 3;\n"


def test_a_signatures_slice_says_how_its_check_went(registry: Registry) -> None:
    parsed, summary = _summary(registry, "python", _SHAPES)
    outcome = signatures(parsed, summary)
    assert isinstance(outcome, Slice)
    assert outcome.check is not None
    assert outcome.check.passed
    assert outcome.check.declarations_kept == outcome.check.declarations_expected == 8


def test_a_slice_whose_bodies_are_wrongly_known_fails_its_check(registry: Registry) -> None:
    """The checks are real: a summary that hides a body makes the slice fail, not leak."""
    parsed, summary = _summary(registry, "python", "def f():\n    def g(): pass\n    return 1\n")
    blind = FileSummary(
        language=summary.language,
        byte_size=summary.byte_size,
        line_count=summary.line_count,
        errors=(),
        symbols=tuple(symbol for symbol in summary.symbols if symbol.name == "g"),
        imports=(),
        comments=(),
        kept=(),
        hidden_bodies=(),
        hidden_values=(),
    )
    outcome = signatures(parsed, blind)
    assert isinstance(outcome, Refusal)
    assert outcome.reason == "self_check_failed"
    assert "declarations differ" in outcome.message


def test_the_pieces_of_a_slice_are_the_slice(registry: Registry) -> None:
    """Whoever follows spans of the original through a slice can rely on its pieces."""
    parsed, summary = _summary(registry, "python", _SHAPES)
    outcome = signatures(parsed, summary)
    assert isinstance(outcome, Slice)
    assert outcome.content == b"".join(
        piece.literal if piece.span is None else parsed.text.cut(piece.span)
        for piece in outcome.pieces
    )


def test_a_full_file_is_every_byte() -> None:
    text = Text(b"a\r\nb\x0c\xe2\x80\xa8")
    outcome = full_file(text)
    assert (outcome.level, outcome.content) == (Level.FULL_FILE, text.data)
    assert outcome.pieces == (Piece(Span(0, len(text))),)


def test_a_summary_names_the_top_level_only(registry: Registry) -> None:
    _, summary = _summary(registry, "python", _SHAPES)
    assert summary_only("shapes.py", "Python", summary).content.decode() == textwrap.dedent("""\
        path: shapes.py
        language: Python
        bytes: 415
        lines: 30
        declarations: 3
        - constant RATIO
        - class Shape
        - function area
        """)


@pytest.mark.parametrize(
    ("wanted", "line"),
    [
        ("area", 29),
        ("Shape.area", 16),
        ("Shape::area", 16),
        ("Corner.angle", 12),
        ("scale:20", 19),
        ("area:29", 29),
        ("area:29#1", 29),
    ],
)
def test_a_symbol_is_found_by_name_qualified_name_or_line(
    registry: Registry, wanted: str, line: int
) -> None:
    _, summary = _summary(registry, "python", _SHAPES)
    symbol = find_symbol(summary, wanted)
    assert not isinstance(symbol, Refusal)
    assert symbol.name_line == line


@pytest.mark.parametrize(
    ("language", "source", "wanted", "expected"),
    [
        ("ruby", "class V\n  def /(o) = 1\nend\n", "V./", "V./"),
        ("php", "<?php namespace A\\B; class K { function f() {} }", "A\\B\\K", "A.B.K"),
        ("php", "<?php namespace A\\B; class K { function f() {} }", "A\\B", "A.B"),
        ("php", "<?php namespace A\\B; class K { function f() {} }", "K::f", "A.B.K.f"),
        ("bash", "ns::fn() { :; }\n", "ns::fn", "ns::fn"),
        ("typescript", "class A { #priv = 1 }", "A.#priv", "A.#priv"),
        ("typescript", "const o = { 'e:3'() {} }", "o.e:3", "o.e:3"),
        ("cpp", "struct V { V operator/(int); };", "V::operator/", "V.operator/"),
    ],
)
def test_a_name_as_the_outline_prints_it_is_found(
    registry: Registry, language: str, source: str, wanted: str, expected: str
) -> None:
    _, summary = _summary(registry, language, source)
    symbol = find_symbol(summary, wanted)
    assert not isinstance(symbol, Refusal), symbol
    assert symbol.qualified_name == expected


def test_two_symbols_of_a_name_on_one_line_can_be_told_apart(registry: Registry) -> None:
    source = "class A { get v() { return 1 } set v(n) { } }"
    _, summary = _summary(registry, "typescript", source)
    outcome = find_symbol(summary, "A.v")
    assert isinstance(outcome, Refusal)
    assert outcome.candidates == ("A.v:1#1", "A.v:1#2")
    second = find_symbol(summary, "A.v:1#2")
    assert not isinstance(second, Refusal)
    assert second.name_span.start == source.rindex("v(n)")


def test_what_a_broken_function_swallows_is_unreliable(registry: Registry) -> None:
    """A lost brace puts the next function inside the one before it."""
    source = "int a(void) {\n  if (x) {\n}\nint b(void) { return 1; }\n"
    _, summary = _summary(registry, "c", source)
    assert [(each.name, each.reliable) for each in summary.symbols] == [("a", False), ("b", False)]


def test_a_header_shows_no_body_of_a_function_in_its_value(registry: Registry) -> None:
    text = "const o = { m() { return 1 } }\n"
    parsed, summary = _summary(registry, "typescript", text)
    assert parsed.text.cut(summary.symbols[0].header) == b"const o ="


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        ("python", "def f():\n    x = (a +\nb)\n    return x\n", ["f 1-4"]),
        ("go", "package p\n\ntype X struct {\n\ta int\n}", ["X 3-5", "a 4-4"]),
        ("swift", "func f() {\n    return ()\n}\n", ["f 1-3"]),
        (
            "typescript",
            "const m = f<typeof import('x')>();\nlet p: import(\"y\").T[];\nfunction g() {}\n",
            ["m 1-1", "p 2-2", "g 3-3"],
        ),
        ("tsx", 'const A = () => <a href="?a=1&b=2" />;\nfunction g() {}\n', ["A 1-1", "g 2-2"]),
    ],
)
def test_sound_text_that_a_grammar_calls_broken_is_cut_all_the_same(
    registry: Registry, language: str, source: str, expected: list[str]
) -> None:
    parsed, summary = _summary(registry, language, source)
    assert summary.parse_clean
    found = [f"{each.name} {each.start_line}-{each.end_line}" for each in summary.symbols]
    assert found == expected
    assert isinstance(signatures(parsed, summary), Slice)


def test_several_symbols_of_a_name_are_listed_not_guessed(registry: Registry) -> None:
    source = "class A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n"
    _, summary = _summary(registry, "python", source)
    outcome = find_symbol(summary, "run")
    assert isinstance(outcome, Refusal)
    assert outcome.kind is RefusalKind.AMBIGUOUS_TARGET
    assert outcome.candidates == ("A.run:2", "B.run:4")
    for candidate in outcome.candidates:
        assert not isinstance(find_symbol(summary, candidate), Refusal)


def test_an_unknown_symbol_comes_with_near_names(registry: Registry) -> None:
    _, summary = _summary(registry, "python", _SHAPES)
    outcome = find_symbol(summary, "Shape.scal")
    assert isinstance(outcome, Refusal)
    assert outcome.kind is RefusalKind.INVALID_REQUEST
    assert "Shape.scale" in outcome.advice


def _summary(registry: Registry, language: str, source: str) -> tuple[Parsed, FileSummary]:
    parsed = parse(registry.languages[language], Text.of(source))
    return parsed, summarize(parsed)


def _region(registry: Registry, language: str, source: str, *names: str) -> str:
    parsed, summary = _summary(registry, language, source)
    symbols = []
    for name in names:
        symbol = find_symbol(summary, name)
        assert not isinstance(symbol, Refusal), symbol
        symbols.append(symbol)
    outcome = regions(parsed.language, parsed.text, summary, symbols)
    assert isinstance(outcome, Slice), outcome
    return outcome.content.decode()


def _signatures(
    registry: Registry, language: str, source: str, docs: SignatureDocs = SignatureDocs.NONE
) -> str:
    parsed, summary = _summary(registry, language, source)
    outcome = signatures(parsed, summary, docs)
    assert isinstance(outcome, Slice), outcome
    return outcome.content.decode()
