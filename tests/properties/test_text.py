"""Text against a naive model: a list of characters and a loop.

The model knows nothing of bytes, line starts or bisecting. Whatever it says, `Text` must say.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.text import Edit, Position, PositionEncoding, Span, Text

# Everything that is easily mistaken: line breaks that are none, astral characters, combining
# marks, a byte order mark, and the three line breaks themselves.
_PIECES = ["a", "b", " ", "\t", "é", "ß", "漢", "😀", "👩‍💻", "\u0301", "\ufeff", "\x00"]
_PIECES += ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029", "\n", "\r", "\r\n", "\n\r"]
contents = st.lists(st.sampled_from(_PIECES), max_size=30).map("".join)
encodings = st.sampled_from(list(PositionEncoding))
columns = st.integers(min_value=0, max_value=40)
positions = st.builds(Position, st.integers(min_value=0, max_value=12), columns)
edits = st.builds(Edit, positions, positions, contents)


@given(contents)
def test_lines_are_those_of_the_model(content: str) -> None:
    text = Text.of(content)
    lines = _lines(content)
    assert text.line_count == len(lines)
    for number, (line, line_break) in enumerate(lines):
        start, end = text.line_start(number), text.line_end(number)
        assert text.data[start:end].decode() == line
        assert text.data[end : text.next_line_start(number)].decode() == line_break


@given(contents)
def test_lines_put_together_are_the_text(content: str) -> None:
    text = Text.of(content)
    assert b"".join(text.cut(text.lines_span(n, n)) for n in range(text.line_count)) == text.data


@given(contents, positions, encodings)
def test_a_position_becomes_the_offset_of_the_model(
    content: str, position: Position, encoding: PositionEncoding
) -> None:
    offset = Text.of(content).offset_at(position, encoding)
    assert offset == len(content[: _index(content, position, encoding)].encode())


@given(contents, encodings)
def test_every_offset_between_characters_survives_the_round_trip(
    content: str, encoding: PositionEncoding
) -> None:
    """Inside `\\r\\n` there is no position of its own: it is the end of the line."""
    text = Text.of(content)
    for index in range(len(content) + 1):
        offset = len(content[:index].encode())
        inside_break = content[index - 1 : index + 1] == "\r\n" and index > 0
        expected = offset - 1 if inside_break else offset
        assert text.offset_at(text.position_at(offset, encoding), encoding) == expected


@given(contents, st.integers(min_value=-3, max_value=200), encodings)
def test_any_offset_has_a_position_that_is_at_or_before_it(
    content: str, offset: int, encoding: PositionEncoding
) -> None:
    text = Text.of(content)
    position = text.position_at(offset, encoding)
    assert text.offset_at(position, encoding) <= max(0, offset)


@given(contents, st.lists(edits, max_size=6), encodings)
def test_folding_edits_is_splicing_one_after_the_other(
    content: str, changes: list[Edit], encoding: PositionEncoding
) -> None:
    text = Text.of(content).fold(changes, encoding)
    for edit in changes:
        start, end = sorted(
            (_index(content, edit.start, encoding), _index(content, edit.end, encoding))
        )
        content = content[:start] + edit.replacement + content[end:]
    assert str(text) == content


@pytest.mark.parametrize(
    ("content", "edit", "expected"),
    [
        ("abc", Edit(Position(0, 0), Position(0, 99), "X"), "X"),
        ("a\fb\nsecret\n", Edit(Position(1, 0), Position(1, 6), "X"), "a\fb\nX\n"),
        ("a\u2028b\nc", Edit(Position(1, 0), Position(1, 1), "X"), "a\u2028b\nX"),
        ("a\rb\r\nc", Edit(Position(1, 0), Position(2, 0), ""), "a\rc"),
        ("😀x", Edit(Position(0, 2), Position(0, 3), "y"), "😀y"),
        ("😀x", Edit(Position(0, 1), Position(0, 3), "y"), "y"),
        ("", Edit(Position(5, 5), Position(9, 9), "new"), "new"),
        ("a\nb", Edit(Position(0, 99), Position(1, 0), ""), "ab"),
        ("a\nb", Edit(Position(1, 1), Position(0, 0), ""), ""),
    ],
)
def test_edits_that_other_servers_get_wrong(content: str, edit: Edit, expected: str) -> None:
    assert str(Text.of(content).apply(edit, PositionEncoding.UTF16)) == expected


@pytest.mark.parametrize(
    ("content", "lines", "last_line_number"),
    [("", 1, 0), ("a", 1, 1), ("a\n", 2, 1), ("\n", 2, 1), ("a\r\nb", 2, 2), ("a\r\rb\r", 4, 3)],
)
def test_line_counts(content: str, lines: int, last_line_number: int) -> None:
    text = Text.of(content)
    assert (text.line_count, text.last_line_number) == (lines, last_line_number)


def test_bytes_that_are_no_utf8_make_no_text() -> None:
    with pytest.raises(UnicodeDecodeError):
        Text(b"\xff\xfe")


def test_spans() -> None:
    assert Span(1, 5).contains(Span(1, 5))
    assert not Span(1, 5).contains(Span(0, 2))
    assert Span(1, 5).overlaps(Span(4, 9))
    assert not Span(1, 5).overlaps(Span(5, 9))
    assert Span(1, 5).size == 4


def _lines(content: str) -> list[tuple[str, str]]:
    """Each line and its line break; the last one has none."""
    lines = []
    line = ""
    index = 0
    while index < len(content):
        if content[index] in "\r\n":
            line_break = "\r\n" if content[index : index + 2] == "\r\n" else content[index]
            lines.append((line, line_break))
            line = ""
            index += len(line_break)
        else:
            line += content[index]
            index += 1
    lines.append((line, ""))
    return lines


def _index(content: str, position: Position, encoding: PositionEncoding) -> int:
    """The index of the character at a position, by counting code units one character at a time."""
    lines = _lines(content)
    if position.line >= len(lines):
        return len(content)
    index = sum(len(line) + len(line_break) for line, line_break in lines[: position.line])
    units = 0
    for character in lines[position.line][0]:
        units += len(character.encode(f"{encoding.value}-le" if encoding != "utf-8" else "utf-8"))
        width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding.value]
        if units // width > position.column:
            break
        index += 1
    return index
