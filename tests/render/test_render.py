"""Rendering: what was asked, then whole contents between delimiters that hold."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sightline.bundle import BlockType, ContextBlock, Priority, Purpose, Reason
from sightline.render import (
    Asked,
    AskedTarget,
    Format,
    Order,
    closing,
    preface,
    reading_order,
    render,
    render_block,
    to_json,
)
from tests.render import blocks as sample

_GOLDEN = Path(__file__).parent / "golden"
_INSTRUCTIONS = (BlockType.SYSTEM, BlockType.CONSTRAINTS, BlockType.DIFF_HINT)
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u202e\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


_ASKED = Asked(Purpose.DIFF, (AskedTarget("src/cart.py", 1, 2, "total", "function"),))


def _bundle(
    target: str = "def total(cart):\n    return sum(cart)\n",
    *,
    line: int = 1,
    symbol: str = "total",
    version: int = 1,
) -> list[ContextBlock]:
    """A bundle in its own order; what the arguments say is all that an edit in the target moves."""
    return [
        sample.system(),
        sample.constraints(),
        sample.project_meta(),
        sample.file(
            "src/cart.py",
            target,
            Priority.P0,
            reason=Reason.TARGET,
            level="TARGET_REGION_ONLY",
            regions=(sample.region(symbol, line, line + target.count("\n") - 1),),
            document_version=version,
        ),
        sample.error_context(line),
        sample.diff_hint(),
        sample.file(
            "src/cart.py",
            f"... # lines {line} and following left out\n",
            level="SIGNATURES_ONLY",
            reason=Reason.TARGET,
            document_version=version,
        ),
        sample.file("src/money.py", "class Money: ...", evidence_line=line),
        sample.file(
            "src/base.py",
            "class Base:\r\n    def price(self): ...\r\n",
            level="TARGET_REGION_ONLY",
            reason=Reason.BASE_TYPE,
            symbol="Base",
            regions=(sample.region("Base", 4, 9), sample.region("Base.price", 5, 5)),
            evidence_line=line,
        ),
        sample.file(
            "docs/`a` & <b>.md", "```sh\nrun\n```\n", Priority.P2, reason=Reason.USER_SELECTED
        ),
        sample.file("src/legacy.py", "PAGE = 1\n\f\nEND = ']]>'\n", Priority.P3),
        sample.file("src/empty.py", "", Priority.P3, level="SUMMARY_ONLY"),
    ]


@pytest.mark.parametrize(
    ("form", "order", "name"),
    [
        (Format.MARKDOWN, Order.PRIORITY, "markdown.txt"),
        (Format.MARKDOWN, Order.CACHE, "markdown-cache.txt"),
        (Format.XML, Order.PRIORITY, "xml.txt"),
        (Format.XML, Order.CACHE, "xml-cache.txt"),
    ],
)
def test_a_bundle_reads_as_its_golden_file(
    form: Format, order: Order, name: str, request: pytest.FixtureRequest
) -> None:
    """What a model gets, for people to look at."""
    golden = _GOLDEN / name
    actual = render(_bundle(), _ASKED, form, order).text.encode()
    if request.config.getoption("--update-golden"):
        golden.write_bytes(actual)
    assert golden.read_bytes() == actual


def test_the_task_is_read_first_and_the_rest_in_the_order_of_the_bundle() -> None:
    """What is to be done stands in front of what it is done to."""
    task = next(index for index, each in enumerate(_bundle()) if each.title == "Step")
    others = [index for index in range(len(_bundle())) if index != task]
    assert reading_order(_bundle()) == (task, *others)


@pytest.mark.parametrize("form", [Format.MARKDOWN, Format.XML])
def test_several_targets_and_a_warning_are_in_the_first_lines(form: Format) -> None:
    """Every target with its lines and kind, whatever is in its name; a file as a whole."""
    targets = (
        AskedTarget("a`b.py", 7, 7, "A.<b>", "method"),
        AskedTarget("src/cart.py", 1, 12),
    )
    asked = Asked(Purpose.PLAN, targets, "Not complete: ask again.")
    expected = {
        Format.MARKDOWN: (
            "# Targets\n\n- ``a`b.py``, line 7, method `A.<b>`\n"
            "- `src/cart.py`, the whole file, lines 1-12\n\n"
            "Purpose: plan.\n\n**Not complete: ask again.**\n\n"
        ),
        Format.XML: (
            '<context purpose="plan">\n<warning>Not complete: ask again.</warning>\n'
            '<target path="a`b.py" lines="7" symbol="A.&lt;b&gt;" kind="method"/>\n'
            '<target path="src/cart.py" lines="1-12" kind="file"/>\n</context>\n'
        ),
    }
    assert render([], asked, form).text == expected[form]


def test_a_text_without_a_target_says_so() -> None:
    """A plan or an intent may be about the project as a whole."""
    text = render([], Asked(Purpose.INTENT), Format.MARKDOWN).text
    assert text == "# Context of the project\n\nPurpose: intent.\n\n"


@pytest.mark.parametrize("form", [Format.MARKDOWN, Format.XML])
@pytest.mark.parametrize("empty", [sample.constraints(""), sample.diff_hint("")])
def test_an_empty_section_is_left_out(form: Format, empty: ContextBlock) -> None:
    """No constraint is no heading."""
    assert render_block(empty, form) == ""


@pytest.mark.parametrize(
    ("content", "is_sentence"),
    [
        ("- User: MUST_NOT add dependencies\n  of any kind, für niemanden.\n", True),
        ("Round the total.\n\nThen test it (twice).\n", True),
        ("Use [REDACTED:aws-key] no more.\n", True),
        ("Use *no* stars\n", False),
        ("No last newline", False),
        ("# A heading\n", False),
        ("See `total`\n", False),
        ("\n    indented\n", False),
        ("Trailing  \nspaces\n", False),
        ("1. one\n", False),
        ("A\n---\n", False),
        ("a _b_\n", False),
        ("left\u202eright\n", False),
    ],
)
def test_instructions_are_sentences_where_they_hold_no_markup(
    content: str, is_sentence: bool
) -> None:
    """Rules, constraints and the task are no data; what could be markup stays in a fence."""
    piece = render_block(sample.diff_hint(content), Format.MARKDOWN)
    assert (piece == f"## Step\n\n{content}\n") == is_sentence
    assert ("```" in piece) != is_sentence


_HEADINGS = [
    (Reason.CALLER, "caller", 1, "calls the target"),
    (Reason.DEPENDENCY, "callee", 2, "called by the target, indirectly"),
    (Reason.INTERFACE, "base", 1, "an interface of the target"),
    (Reason.USER_SELECTED, "caller", 1, "added by the user"),
]


@pytest.mark.parametrize(("reason", "kind", "hops", "words"), _HEADINGS)
def test_a_heading_says_the_reason_in_words(
    reason: Reason, kind: str, hops: int, words: str
) -> None:
    """The relation that was found, not the class of reasons that it counts for."""
    block = sample.related("src/a.py", reason, kind, hops)
    heading = render_block(block, Format.MARKDOWN).partition("\n")[0]
    assert heading == f"## `src/a.py`, whole file: {words}"


def test_a_heading_names_few_regions_and_counts_the_others() -> None:
    """Symbols come before lines outside of any; what is named stands in the file's order."""
    outside = sample.region("", 1, 4)
    symbols = [sample.region(f"f{number}", 10 * number, 10 * number + 5) for number in range(1, 11)]
    few = sample.file("a.py", "x\n", level="TARGET_REGION_ONLY", regions=(outside, symbols[0]))
    many = sample.file("a.py", "x\n", level="TARGET_REGION_ONLY", regions=(outside, *symbols))
    headings = [render_block(each, Format.MARKDOWN).partition("\n")[0] for each in (few, many)]
    assert headings[0].startswith("## `a.py`, lines 1-4, `f1` (lines 10-15)")
    named = ", ".join(f"`f{number}` (lines {number}0-{number}5)" for number in range(1, 9))
    assert headings[1].startswith(f"## `a.py`, {named}, and 3 more")


def test_cache_order_goes_from_what_is_steady_to_what_is_edited() -> None:
    """Rules, project, what is related, the rest of the target's file, the target, its errors."""
    shown = [
        (block.meta.path or block.title, block.priority.value)
        for block in (_bundle()[index] for index in reading_order(_bundle(), Order.CACHE))
    ]
    assert shown == [
        ("System rules", "P0"),
        ("Constraints", "P0"),
        ("Project", "P0"),
        ("src/money.py", "P1"),
        ("src/base.py", "P1"),
        ("docs/`a` & <b>.md", "P2"),
        ("src/legacy.py", "P3"),
        ("src/empty.py", "P3"),
        ("src/cart.py", "P1"),
        ("src/cart.py", "P0"),
        ("src/cart.py", "P0"),
        ("Step", "P0"),
    ]


_EDITS = {
    "another body": _bundle("def total(cart):\n    return round(sum(cart))\n"),
    "lines above it": _bundle(line=40),
    "another name": _bundle("def sum_up(cart):\n    pass\n", symbol="sum_up"),
    "another version": _bundle(version=2),
    "more lines and fences": _bundle(
        "def total(cart):\n    '''\n````\n'''\n    return 1\n", line=7
    ),
}


@pytest.mark.parametrize("form", [Format.MARKDOWN, Format.XML])
@pytest.mark.parametrize("edited", _EDITS.values(), ids=_EDITS)
def test_an_edit_in_the_target_leaves_every_earlier_byte_the_same(
    edited: list[ContextBlock], form: Format
) -> None:
    """Everything before the first piece about the target's file is a prefix that a cache keeps."""
    moved = Asked(Purpose.DIFF, (AskedTarget("src/cart.py", 9, 19, "sum_up", "function"),))
    before = render(_bundle(), _ASKED, form, Order.CACHE)
    after = render(edited, moved, form, Order.CACHE)
    paths = [_bundle()[index].meta.path for index in before.order]
    steady = "".join(before.pieces[: 1 + paths.index("src/cart.py")])
    assert before.order == after.order
    assert "src/empty.py" in steady
    assert after.text.startswith(steady)


@pytest.mark.parametrize("form", Format)
@given(
    blocks=st.lists(sample.blocks(), max_size=5),
    asked=sample.asked(),
    order=st.sampled_from(Order),
)
def test_a_rendering_is_its_pieces_and_every_block_is_in_it_once(
    blocks: list[ContextBlock], asked: Asked, order: Order, form: Format
) -> None:
    """So that blocks can be counted one by one, and joined at line ends."""
    rendering = render(blocks, asked, form, order)
    assert sorted(rendering.order) == list(range(len(blocks)))
    assert rendering.pieces == (
        preface(asked, form, order),
        *(render_block(blocks[index], form) for index in rendering.order),
        closing(asked, form, order),
    )
    assert all(piece == "" or piece.endswith("\n") for piece in rendering.pieces)
    assert rendering.text == "".join(rendering.pieces)


@given(block=sample.blocks())
def test_json_is_counted_by_its_markdown(block: ContextBlock) -> None:
    """The format asked for changes how the outcome is written, not what a model reads."""
    assert render_block(block, Format.JSON) == render_block(block, Format.MARKDOWN)


@given(blocks=st.lists(sample.blocks(), max_size=4), asked=sample.asked())
@example(blocks=[sample.file("# x\n```", "```\n# out\n")], asked=_ASKED)
@example(
    blocks=[sample.file("a.md", "~~~\n```\n"), sample.file("`", "``` `` ~~~~~\r```\r")],
    asked=_ASKED,
)
@example(
    blocks=[sample.file(" ", ""), sample.file(" a ", "\n\n"), sample.file("", "\n a\n\n")],
    asked=_ASKED,
)
@example(blocks=[sample.diff_hint("a\n- b\n  c\n\n"), sample.constraints("- b\n")], asked=_ASKED)
def test_nothing_breaks_out_of_a_markdown_fence(blocks: list[ContextBlock], asked: Asked) -> None:
    """A CommonMark parser finds one heading for each block, and one fence with its content.

    Instructions without markup are sentences or lists instead.
    """
    rendering = render(blocks, asked, Format.MARKDOWN)
    tokens = MarkdownIt("commonmark").parse(rendering.text)
    shown = [index for index in rendering.order if render_block(blocks[index], Format.MARKDOWN)]
    fenced = [
        blocks[index].content
        for index in shown
        if not render_block(blocks[index], Format.MARKDOWN).endswith(
            f"\n\n{blocks[index].content}\n"
        )
    ]
    fences = [token.content for token in tokens if token.type == "fence"]
    assert fences == [_as_markdown_reads(each) for each in fenced]
    headings = [token for token in tokens if token.type == "heading_open"]
    assert [token.tag for token in headings] == ["h1"] + ["h2"] * len(shown)
    assert {token.type for token in tokens} <= {
        "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "fence",
        "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close",
    }  # fmt: skip
    assert {child.type for child in _children(tokens)} <= {"text", "code_inline", "softbreak"}


@given(block=sample.blocks())
def test_markdown_holds_the_content_as_it_is(block: ContextBlock) -> None:
    """No byte is changed in the fence, and an added line feed is announced outside of it."""
    assume(block.block_type not in _INSTRUCTIONS)
    piece = render_block(block, Format.MARKDOWN)
    fence = piece.rstrip("\n").rpartition("\n")[2]
    added = "" if not block.content or block.content.endswith("\n") else "\n"
    inside = f"{block.content}{added}{fence}\n\n"
    assert piece.endswith(inside)
    head = piece.removesuffix(inside)
    assert re.search(rf"\n{fence}[a-z0-9+#.-]*\n\Z", head)
    assert ("o newline at end of file" in head) == bool(added)


@given(block=sample.blocks())
@example(block=sample.file(" a ", "x\n"))
@example(block=sample.file("`", "x\n"))
def test_headings_hold_paths_and_titles_as_one_line_of_visible_text(block: ContextBlock) -> None:
    """Line breaks, controls and marks that hide or reorder are shown as escapes."""
    assume(block.content or block.block_type not in _INSTRUCTIONS)
    piece = render_block(block, Format.MARKDOWN)
    tokens = MarkdownIt("commonmark").parse(piece)
    heading = tokens[1]
    assert heading.type == "inline"
    assert not _UNSEEN.search(heading.content)
    named = block.meta.path if block.block_type.value in ("file", "symbol") else None
    assert heading.children is not None
    shown = heading.children[0].content
    if named is None and heading.children[0].type == "text":
        # A plain title is no code: lines, level and reason follow it in the same text.
        assert shown.startswith(block.title)
        return
    assert _unescaped(shown) == _unescaped(block.title if named is None else named) or shown == " "


@given(blocks=st.lists(sample.blocks(sample.any_content()), max_size=4))
@example(blocks=[sample.file("a", "]]>"), sample.file("b", "]]]]>>"), sample.file("c", "]]\r>")])
@example(
    blocks=[sample.file("a", "a\r\nb\r\n"), sample.file("b", "a\r\nb\n\r"), sample.file("c", "\r")]
)
@example(blocks=[sample.file("a", "\x0c\\u{000c}"), sample.file("b", "\\u{000c}")])
def test_a_parser_gives_back_the_exact_content_from_xml(blocks: list[ContextBlock]) -> None:
    """Well-formed whatever is in it: delimiters, carriage returns, characters that XML forbids."""
    rendering = render(blocks, Asked(Purpose.PLAN), Format.XML)
    context = ElementTree.fromstring(rendering.text)
    assert (context.tag, context.attrib) == ("context", {"purpose": "plan"})
    shown = [
        blocks[index].content
        for index in rendering.order
        if blocks[index].content or blocks[index].block_type not in _INSTRUCTIONS
    ]
    assert [element.tag for element in context] == ["block"] * len(shown)
    assert [_content(element) for element in context] == shown


@given(block=sample.blocks())
def test_xml_attributes_say_what_a_block_is(block: ContextBlock) -> None:
    """Hostile paths and titles come back as visible text, and break nothing."""
    assume(block.content or block.block_type not in _INSTRUCTIONS)
    element = ElementTree.fromstring(render_block(block, Format.XML))
    assert not len(element)
    assert element.get("type") == block.block_type.value
    assert element.get("priority") == block.priority.value
    assert element.get("reason") == (block.meta.reason and block.meta.reason.value)
    path = element.get("path")
    assert (path is None) == (block.meta.path is None)
    assert not any(_UNSEEN.search(value) for value in element.attrib.values())
    assert path is None or _unescaped(path) == _unescaped(block.meta.path or "")


def test_crlf_is_kept_without_a_mark_on_every_line() -> None:
    """One attribute says it for the whole block, and the raw text holds the original bytes."""
    piece = render_block(sample.file("a.py", "a\r\nb\r\n"), Format.XML)
    assert 'line_ends="crlf"' in piece
    assert "<![CDATA[a\r\nb\r\n]]>" in piece


def test_ids_sizes_and_evidence_are_in_no_piece() -> None:
    """They change where the block's text does not, and a cache would pay for it."""
    for form in (Format.MARKDOWN, Format.XML):
        for block in _bundle(line=77_777, version=88_888)[7:]:
            piece = render_block(block, form)
            assert block.block_id not in piece
            assert str(block.meta.hash) not in piece
            assert "77777" not in piece
            assert "88888" not in piece


def test_a_fence_is_as_short_as_the_content_lets_it_be() -> None:
    """Tildes where backticks would have to be longer: a fence is paid for in tokens."""
    fences = {
        "plain\n": "```",
        "```\n": "~~~",
        "```` and ~~~\n": "~~~~",
        "~~~~ and ```\n": "````",
        "``\n": "```",
    }
    for content, fence in fences.items():
        lines = render_block(sample.file("a", content), Format.MARKDOWN).split("\n")
        assert lines[-3] == fence, content
        assert f"{fence}python" in lines


def test_json_is_canonical_and_one_line() -> None:
    """Keys in order, no white space, and contract objects wherever they stand."""
    written = to_json({"b": sample.file("é.py", "x\n"), "a": 1})
    assert written.startswith(b'{"a":1,"b":{"block_id":')
    assert written.count(b"\n") == 1
    assert written.endswith(b"}\n")
    assert json.loads(written)["b"]["meta"]["path"] == "é.py"


def _as_markdown_reads(content: str) -> str:
    ended = content if not content or content.endswith("\n") else content + "\n"
    return re.sub("\r\n?", "\n", ended).replace("\0", "\ufffd")


def _children(tokens: list[Token]) -> list[Token]:
    return [child for token in tokens for child in token.children or ()]


def _content(element: ElementTree.Element) -> str:
    content = element.text or ""
    if element.get("line_ends") == "crlf":
        content = content.replace("\n", "\r\n")
    return _unescaped(content) if element.get("escaped") == "true" else content


def _unescaped(text: str) -> str:
    return re.sub(
        r"\\u\{(10[0-9a-f]{4}|[0-9a-f]{4,5})\}", lambda found: chr(int(found[1], 16)), text
    )
