"""Text and positions: the only place where positions are converted.

Units used in Sightline, all of them:

* byte offset      into the UTF-8 bytes of a `Text`; 0-based. The native unit: spans, trees, slices.
* `Span`           half-open pair of byte offsets.
* line             0-based index of a line of a `Text`; `line_of`, `line_start`, `line_end`.
* line number      1-based line, inclusive at both ends of a range; what people and JSON see.
* `Position`       0-based line and a column counted in code units of a `PositionEncoding`;
                   what LSP uses. A column past the end of its line means the end of that line.

A line ends only at `\\n`, `\\r\\n` or `\\r`: not at `\\f`, U+0085 or U+2028, which editors show
inside a line. `str.splitlines` and `bytes.splitlines` are therefore never used.

Invariants: a `Text` never changes, and its bytes are valid UTF-8.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from enum import StrEnum

import attrs
import msgspec

WHITE_SPACE = b" \t\r\n\f\v"
"""The characters that separate tokens in every language, for `strip`."""

_LINE_BREAK = re.compile(rb"\r\n?|\n")


class PositionEncoding(StrEnum):
    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


class Span(msgspec.Struct, frozen=True, order=True, array_like=True, gc=False):
    """The bytes from `start` up to, but not including, `end`."""

    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


@attrs.frozen(order=True)
class Position:
    line: int
    column: int


@attrs.frozen
class Edit:
    """Replace the text between two positions by `replacement`."""

    start: Position
    end: Position
    replacement: str


class Text:
    """Immutable UTF-8 bytes with their line starts."""

    __slots__ = ("_is_ascii", "_line_starts", "data")

    data: bytes

    def __init__(self, data: bytes) -> None:
        self._is_ascii = data.isascii()
        if not self._is_ascii:
            data.decode("utf-8", "strict")
        self.data = data
        self._line_starts: list[int] | None = None

    @property
    def _starts(self) -> list[int]:
        """Computed on first use, because most texts are only parsed."""
        if self._line_starts is None:
            lines = self.data.splitlines(keepends=True)
            starts = [0, *itertools.accumulate(map(len, lines))]
            if lines and lines[-1][-1:] not in (b"\n", b"\r"):
                # A line break at the end of the text begins no further line.
                starts.pop()
            # A single assignment of the complete list: several threads may read it.
            self._line_starts = starts
        return self._line_starts

    def spliced(self, start: int, end: int, replacement: bytes) -> Text:
        """Return the text with `replacement` instead of the bytes from `start` to `end`.

        Line starts outside of the edit are copied, not searched for again. Raises
        `UnicodeDecodeError` if the result is not UTF-8, as the constructor does.
        """
        text = Text.__new__(Text)
        text.data = data = splice(self.data, start, end, replacement)
        text._is_ascii = self._is_ascii and replacement.isascii()
        if not text._is_ascii:
            data.decode("utf-8", "strict")
        text._line_starts = None
        starts = self._line_starts
        if starts is None or b"\r" in replacement or b"\r" in self.data:
            # The edit may have joined or separated a `\r` and a `\n`.
            return text
        first = bisect_right(starts, start)
        last = bisect_right(starts, end)
        moved = len(replacement) - (end - start)
        text._line_starts = starts[:first]
        text._line_starts += [start + found.end() for found in _LINE_BREAK.finditer(replacement)]
        text._line_starts += [each + moved for each in starts[last:]]
        return text

    @classmethod
    def of(cls, content: str) -> Text:
        return cls(content.encode("utf-8"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and other.data == self.data

    def __hash__(self) -> int:
        return hash(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def __str__(self) -> str:
        return self.data.decode("utf-8")

    def cut(self, span: Span) -> bytes:
        return self.data[span.start : span.end]

    @property
    def line_starts(self) -> Sequence[int]:
        """Return the offset at which each line starts."""
        return self._starts

    @property
    def line_count(self) -> int:
        """Return the number of lines as an editor counts them: a final line break opens one more,
        empty line.
        """
        return len(self._starts)

    @property
    def last_line_number(self) -> int:
        """Return the number of the last line that is not empty; 0 for an empty text."""
        data = self.data
        if self._line_starts is None and b"\r" not in data:
            return data.count(b"\n") + bool(data and data[-1:] != b"\n")
        if len(self._starts) > 1 and self._starts[-1] == len(data):
            return len(self._starts) - 1
        return len(self._starts) if data else 0

    def line_of(self, offset: int) -> int:
        """Return the line of an offset. A line break belongs to the line that it ends."""
        return bisect_right(self._starts, offset) - 1

    def line_start(self, line: int) -> int:
        return self._starts[line]

    def line_end(self, line: int) -> int:
        """Return the offset where the line's text ends, before its line break."""
        if line + 1 >= len(self._starts):
            return len(self.data)
        end = self._starts[line + 1] - 1
        if end > self._starts[line] and self.data[end - 1 : end + 1] == b"\r\n":
            end -= 1
        return end

    def first_character(self, line: int) -> int:
        """Return the offset of the first character after the indentation, or of the start of a
        blank line.
        """
        start, end = self._starts[line], self.line_end(line)
        written = self.data[start:end]
        return end - len(written.lstrip()) if written.strip() else start

    def at_cursor(self, offset: int) -> int:
        """Return the offset of the character that a cursor at an offset belongs to.

        In the indentation of a line, that is the first character after it; at the end of a line,
        the last.
        """
        line = self.line_of(offset)
        last = max(self._starts[line], self.line_end(line) - 1)
        return min(max(offset, self.first_character(line)), last)

    def next_line_start(self, line: int) -> int:
        """Return where the next line starts, or the end of the text after the last line."""
        return self._starts[line + 1] if line + 1 < len(self._starts) else len(self.data)

    def lines_span(self, first: int, last: int) -> Span:
        """Return the span of the whole lines `first` to `last` (0-based, inclusive) with their line
        breaks.
        """
        return Span(self._starts[first], self.next_line_start(last))

    def has_several_lines(self, span: Span) -> bool:
        return self.line_of(span.start) != self.line_of(max(span.start, span.end - 1))

    def trimmed(self, start: int, end: int) -> Span:
        """Return the span without the white space at its end, which some grammars include in a
        node.
        """
        data = self.data
        if end > len(data):
            end = len(data)
        while end > start and data[end - 1] in WHITE_SPACE:
            end -= 1
        return Span(start, end)

    def offset_at(self, position: Position, encoding: PositionEncoding) -> int:
        """Return the byte offset of a position, clamped as LSP 3.17 requires.

        A column inside a character (half a surrogate pair, a continuation byte) means the start of
        that character: a text is never cut inside a code point.
        """
        if position.line < 0:
            return 0
        if position.line >= len(self._starts):
            return len(self.data)
        start = self._starts[position.line]
        end = self.line_end(position.line)
        column = max(0, position.column)
        if self._is_ascii:
            return min(start + column, end)
        if encoding is PositionEncoding.UTF8:
            offset = min(start + column, end)
            while (
                offset > start and self.data[offset : offset + 1] and _continues(self.data[offset])
            ):
                offset -= 1
            return offset
        units = 0
        offset = start
        for character in self.data[start:end].decode("utf-8"):
            width = _units(character, encoding)
            if units + width > column:
                return offset
            units += width
            offset += len(character.encode("utf-8"))
        return offset

    def position_at(self, offset: int, encoding: PositionEncoding) -> Position:
        """Return the position of a byte offset. An offset inside a line break is the end of the
        line.
        """
        offset = min(max(0, offset), len(self.data))
        line = self.line_of(offset)
        start = self._starts[line]
        offset = min(offset, self.line_end(line))
        if self._is_ascii:
            return Position(line, offset - start)
        while start < offset < len(self.data) and _continues(self.data[offset]):
            offset -= 1
        if encoding is PositionEncoding.UTF8:
            return Position(line, offset - start)
        prefix = self.data[start:offset].decode("utf-8")
        return Position(line, sum(_units(character, encoding) for character in prefix))

    def apply(self, edit: Edit, encoding: PositionEncoding) -> Text:
        """Return the text after one edit. The ends of a reversed range are swapped.

        An end column past the end of its line stays before that line's break, so an edit can only
        remove a line break by naming the next line.
        """
        start = self.offset_at(edit.start, encoding)
        end = self.offset_at(edit.end, encoding)
        if end < start:
            start, end = end, start
        return Text(splice(self.data, start, end, edit.replacement.encode("utf-8")))

    def fold(self, edits: Iterable[Edit], encoding: PositionEncoding) -> Text:
        """Return the text after several edits, each relative to the result of the one before."""
        text = self
        for edit in edits:
            text = text.apply(edit, encoding)
        return text


@attrs.frozen
class TextSpliced:
    """A change from one text to another: some bytes of `before` were replaced.

    A holder of this very `before` can update its results instead of computing them again.
    """

    before: Text
    span: Span
    replacement: bytes
    after: Text


def splice(data: bytes, start: int, end: int, replacement: bytes) -> bytes:
    """Return the bytes with a replacement for some of them, copied only once."""
    view = memoryview(data)
    return b"".join((view[:start], replacement, view[end:]))


def _continues(byte: int) -> bool:
    return byte & 0xC0 == 0x80


def _units(character: str, encoding: PositionEncoding) -> int:
    if encoding is PositionEncoding.UTF16:
        return 2 if ord(character) > 0xFFFF else 1
    return 1
