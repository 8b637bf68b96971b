"""Rendering: whole contents between delimiters that hold, in an order that caches survive."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sightline.bundle import ContextBlock, Priority, Purpose, Reason
from sightline.render import (
    Format,
    closing,
    preface,
    reading_order,
    render,
    render_block,
    to_json,
)
from tests.render import blocks as sample

_GOLDEN = Path(__file__).parent / "golden"
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u202e\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


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
    ("form", "name"), [(Format.MARKDOWN, "markdown.txt"), (Format.XML, "xml.txt")]
)
def test_a_bundle_reads_as_its_golden_file(
    form: Format, name: str, request: pytest.FixtureRequest
) -> None:
    """What a model gets, for people to look at."""
    golden = _GOLDEN / name
    actual = render(_bundle(), Purpose.DIFF, form).text.encode()
    if request.config.getoption("--update-golden"):
        golden.write_bytes(actual)
    assert golden.read_bytes() == actual


def test_reading_order_goes_from_what_is_steady_to_what_is_edited() -> None:
    """Rules, project, what is related, the rest of the target's file, the target, its errors."""
    shown = [
        (block.meta.path or block.title, block.priority.value)
        for block in (_bundle()[index] for index in reading_order(_bundle()))
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
    before = render(_bundle(), Purpose.DIFF, form)
    after = render(edited, Purpose.DIFF, form)
    paths = [_bundle()[index].meta.path for index in before.order]
    steady = "".join(before.pieces[: 1 + paths.index("src/cart.py")])
    assert before.order == after.order
    assert "src/empty.py" in steady
    assert after.text.startswith(steady)


@pytest.mark.parametrize("form", Format)
@given(blocks=st.lists(sample.blocks(), max_size=5), purpose=st.sampled_from(Purpose))
def test_a_rendering_is_its_pieces_and_every_block_is_in_it_once(
    blocks: list[ContextBlock], purpose: Purpose, form: Format
) -> None:
    """So that blocks can be counted one by one, and joined at line ends."""
    rendering = render(blocks, purpose, form)
    assert sorted(rendering.order) == list(range(len(blocks)))
    assert rendering.pieces == (
        preface(purpose, form),
        *(render_block(blocks[index], form) for index in rendering.order),
        closing(form),
    )
    assert all(piece == "" or piece.endswith("\n") for piece in rendering.pieces)
    assert rendering.text == "".join(rendering.pieces)


@given(block=sample.blocks())
def test_json_is_counted_by_its_markdown(block: ContextBlock) -> None:
    """The format asked for changes how the outcome is written, not what a model reads."""
    assert render_block(block, Format.JSON) == render_block(block, Format.MARKDOWN)


@given(blocks=st.lists(sample.blocks(), max_size=4))
@example(blocks=[sample.file("# x\n```", "```\n# out\n")])
@example(blocks=[sample.file("a.md", "~~~\n```\n"), sample.file("`", "``` `` ~~~~~\r```\r")])
@example(blocks=[sample.file(" ", ""), sample.file(" a ", "\n\n"), sample.file("", "\n a\n\n")])
def test_nothing_breaks_out_of_a_markdown_fence(blocks: list[ContextBlock]) -> None:
    """A CommonMark parser finds one heading and one fence for each block, and the whole content."""
    rendering = render(blocks, Purpose.DIFF, Format.MARKDOWN)
    tokens = MarkdownIt("commonmark").parse(rendering.text)
    fences = [token.content for token in tokens if token.type == "fence"]
    assert fences == [_as_markdown_reads(blocks[index].content) for index in rendering.order]
    headings = [token for token in tokens if token.type == "heading_open"]
    assert [token.tag for token in headings] == ["h1"] + ["h2"] * len(blocks)
    assert {token.type for token in tokens} <= {
        "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "fence",
    }  # fmt: skip
    assert {child.type for child in _children(tokens)} <= {"text", "code_inline"}


@given(block=sample.blocks())
def test_markdown_holds_the_content_as_it_is(block: ContextBlock) -> None:
    """No byte is changed in the fence, and an added line feed is announced outside of it."""
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
    piece = render_block(block, Format.MARKDOWN)
    tokens = MarkdownIt("commonmark").parse(piece)
    heading = tokens[1]
    assert heading.type == "inline"
    assert not _UNSEEN.search(heading.content)
    named = block.meta.path if block.block_type.value in ("file", "symbol") else None
    assert heading.children is not None
    shown = heading.children[0].content
    assert _unescaped(shown) == _unescaped(block.title if named is None else named) or shown == " "


@given(blocks=st.lists(sample.blocks(sample.any_content()), max_size=4))
@example(blocks=[sample.file("a", "]]>"), sample.file("b", "]]]]>>"), sample.file("c", "]]\r>")])
@example(
    blocks=[sample.file("a", "a\r\nb\r\n"), sample.file("b", "a\r\nb\n\r"), sample.file("c", "\r")]
)
@example(blocks=[sample.file("a", "\x0c\\u{000c}"), sample.file("b", "\\u{000c}")])
def test_a_parser_gives_back_the_exact_content_from_xml(blocks: list[ContextBlock]) -> None:
    """Well-formed whatever is in it: delimiters, carriage returns, characters that XML forbids."""
    rendering = render(blocks, Purpose.PLAN, Format.XML)
    context = ElementTree.fromstring(rendering.text)
    assert (context.tag, context.attrib) == ("context", {"purpose": "plan"})
    assert [element.tag for element in context] == ["block"] * len(blocks)
    assert [_content(element) for element in context] == [
        blocks[index].content for index in rendering.order
    ]


@given(block=sample.blocks())
def test_xml_attributes_say_what_a_block_is(block: ContextBlock) -> None:
    """Hostile paths and titles come back as visible text, and break nothing."""
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
