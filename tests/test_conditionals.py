"""Conditional compilation: what it cuts in two is read as one of its configurations."""

from __future__ import annotations

import re
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.languages import Registry
from sightline.refusals import Refusal
from sightline.slicing import regions
from sightline.symbols import FileSummary, Symbol, summarize
from sightline.syntax import parse
from sightline.syntax.conditionals import one_configuration
from sightline.text import Span, Text

_AFTER = "\nint after(void)\n{\n    return 1;\n}\n"

_SPLIT = {
    "a block that each alternative opens": """\
        int wanted(int a)
        {
        #ifdef FAST
            if (a > 1) {
        #else
            if (a > 2) {
        #endif
                a = 0;
            }
            return a;
        }
        """,
    "a block that each alternative closes": """\
        int wanted(int a)
        {
        #ifdef FAST
            return a;
        }
        #else
            return a + 1;
        }
        #endif
        """,
    "a condition in front of a statement": """\
        int wanted(int a)
        {
            if (a)
        #ifdef FAST
                if (a > 1)
        #endif
                    a = 0;
            return a;
        }
        """,
    "two headers of one body": """\
        #ifdef FAST
        int wanted(int a)
        {
        #else
        int wanted(long a)
        {
        #endif
            return a;
        }
        """,
    "arguments of a call": """\
        int wanted(int a)
        {
            return f(a,
        #ifdef FAST
                1
        #else
                2
        #endif
            );
        }
        """,
    "what is never compiled": """\
        int wanted(int a)
        {
        #if 0
            if (a) {
        #else
            while (a) {
        #endif
                a = 0;
            }
            return a;
        }
        """,
}


@pytest.mark.parametrize("source", _SPLIT.values(), ids=_SPLIT)
@pytest.mark.parametrize("name", ["c", "cpp"])
def test_a_function_that_conditions_split_has_a_region(
    source: str, name: str, registry: Registry
) -> None:
    """The region goes from the first header to the last brace, with every alternative in it."""
    text = Text.of(textwrap.dedent(source) + _AFTER)
    summary = summarize(parse(registry.languages[name], text))
    wanted, after = _functions(summary)
    assert (wanted.name, after.name) == ("wanted", "after")
    slice_ = regions(registry.languages[name], text, summary, [wanted])
    assert not isinstance(slice_, Refusal)
    shown = slice_.content.decode()
    body = textwrap.dedent(source).strip().splitlines()
    first, last = body.index("int wanted(int a)"), len(body) - body[::-1].index("}")
    assert "\n".join(body[first:last]) in shown
    assert "after" not in shown
    assert after.reliable


def test_conditions_around_whole_declarations_keep_every_alternative(registry: Registry) -> None:
    text = Text.of(
        "#ifdef FAST\nint one(void) { return 1; }\n#else\nint other(void) { return 2; }\n#endif\n"
        + textwrap.dedent(_SPLIT["a block that each alternative opens"])
    )
    summary = summarize(parse(registry.languages["c"], text))
    assert [each.name for each in _functions(summary)] == ["one", "other", "wanted"]
    assert all(each.reliable for each in _functions(summary))


def test_what_only_looks_like_a_directive_counts_for_nothing() -> None:
    source = (
        b"char *a = \"(\";\n/*\n#if A\n{\n#endif\n*/\nchar b = '{'; // {\n#if A\nint c;\n#endif\n"
    )
    assert one_configuration(source, []) == source


def test_a_condition_that_is_not_closed_stays() -> None:
    source = b"int a;\n#endif\n#else\n#if A\nif (a) {\n#elif B\n"
    assert one_configuration(source, [Span(0, len(source))]) == source


@given(
    st.lists(
        st.sampled_from(
            [
                *("#if A", "#if 0", "#else", "#elif B", "#endif", "  # endif // x"),
                *("{", "}", "f(", ");", "a = 1;", "\\", "\r", "é"),
                *("/*", "*/", '"', "'", 'R"x(', ')x"'),
            ]
        ),
        max_size=30,
    ),
    st.integers(0, 40),
)
def test_no_byte_moves(lines: list[str], at: int) -> None:
    source = "\n".join(lines).encode()
    result = one_configuration(source, [Span(at, at + 5)])
    assert len(result) == len(source)
    assert re.sub(rb"[^\r\n]", b"", result) == re.sub(rb"[^\r\n]", b"", source)
    assert all(new in (old, 32) for new, old in zip(result, source, strict=True))


_LOOPS = {
    "braces": "    TAILQ_FOREACH(a, &all, entry) {\n        use(a);\n    }\n",
    "one statement": "    list_for_each_entry(a, &all, entry)\n        use(a);\n",
    "a comparison": "    if (timercmp(&a, &b, >=))\n        use(a);\n",
}


@pytest.mark.parametrize("body", _LOOPS.values(), ids=_LOOPS)
def test_a_loop_made_by_a_macro_does_not_cost_the_region(body: str, registry: Registry) -> None:
    source = f"static void\nwanted(__unused int fd, struct one *a)\n{{\n{body}}}\n"
    summary = summarize(parse(registry.languages["c"], Text.of(source)))
    (wanted,) = _functions(summary)
    assert wanted.name == "wanted"
    assert wanted.reliable
    assert wanted.end_line == source.count("\n")


def test_a_call_of_such_a_name_stays_a_call(registry: Registry) -> None:
    """Only what a statement follows is a loop."""
    source = "void wanted(int a)\n{\n    for_each(a, run);\n    TAILQ_FOREACH(a, b, c) {}\n}\n"
    parsed = parse(registry.languages["c"], Text.of(source))
    assert not parsed.errors
    assert "call_expression" in str(parsed.tree.root_node)


@pytest.mark.parametrize("name", ["c", "cpp"])
@pytest.mark.parametrize(
    "line", ["PROJECT_BEGIN_NAMESPACE", "WARNINGS_PUSH_(4244 4100)", "static my_inline int"]
)
def test_a_macro_on_a_line_of_its_own_does_not_cost_the_function_below(
    line: str, name: str, registry: Registry
) -> None:
    head = line if "inline" in line else f"{line}\n\nstatic int"
    source = f"int before;\n{head}\nwanted(int a)\n{{\n    return a;\n}}\n"
    summary = summarize(parse(registry.languages[name], Text.of(source)))
    (wanted,) = _functions(summary)
    assert (wanted.name, wanted.reliable) == ("wanted", True)


def _functions(summary: FileSummary) -> list[Symbol]:
    return [each for each in summary.symbols if each.has_implementation]
