"""Find where a symbol's parts begin and end: region, declaration, header, doc comment."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from sightline.languages import Language
from sightline.symbols.collecting import Found
from sightline.symbols.frames import Frame, joined_name
from sightline.symbols.model import Symbol
from sightline.syntax import without_trailing_comments
from sightline.text import WHITE_SPACE, Span, Text


class Cutter:
    """Finds where a symbol's parts begin and end in one text."""

    def __init__(self, language: Language, text: Text, found: Found) -> None:
        self._language = language
        self._text = text
        self._data = text.data
        self._wrappers = found.wrappers
        self._wrapped_nodes = found.wrapped
        self._decorator_ends = frozenset(span.end for span in found.decorators)
        self._decorators_by_start = {span.start: span for span in found.decorators}
        self._decorators = frozenset(found.decorators)
        # If two comments end at the same place, the longer one contains the other.
        self._comment_ends = {span.end: span for span in reversed(found.comments)}
        self._hidden_ends = {hidden.span.end: hidden.span for hidden in found.hidden_bodies}
        self._hidden_starts = sorted(hidden.span.start for hidden in found.hidden_bodies)
        self._bodies = sorted(
            frame.body.start
            for frame in found.frames
            if frame.body and frame.is_definition and frame.is_local_scope
        )
        self._comment_starts = {span.start: span for span in found.comments}
        self._attachable = sorted([*found.decorators, *found.comments], key=lambda each: each.end)
        self._attachable_ends = [span.end for span in self._attachable]

    def symbol(
        self, frame: Frame, kind: str, enclosing: tuple[Span, ...], errors: Sequence[Span]
    ) -> Symbol:
        text = self._text
        start, end = self._wrapped(frame)
        own_end = frame.own_end if frame.pattern.extends else end
        region_start, declaration_start, doc = self._attached(start)
        region = Span(region_start, end)
        return Symbol(
            name=frame.name,
            kind=kind,
            container=joined_name(frame.qualified, frame.container),
            region=region,
            declaration=Span(declaration_start, min(end, own_end)),
            header=self.header(frame),
            name_span=Span(frame.name_start, frame.name_end),
            body=text.trimmed(frame.body.start, frame.body.end) if frame.body else None,
            value=self._trimmed(frame.value) if frame.value else None,
            doc=doc,
            enclosing=enclosing,
            parent=frame.symbol,
            start_line=text.line_of(region.start) + 1,
            name_line=text.line_of(frame.name_start) + 1,
            end_line=text.line_of(max(region.start, region.end - 1)) + 1,
            reliable=not _touches(errors, region)
            and not any(_touches(errors, header) for header in enclosing),
            placeholder=frame.pattern.placeholder,
        )

    def _wrapped(self, frame: Frame) -> tuple[int, int]:
        """Return the extent of the frame's node with the wrappers around it."""
        start, end = frame.start, frame.end
        key = (frame.start, frame.end)
        while key in self._wrappers:
            key = self._wrappers[key]
            start, end = min(start, key[0]), max(end, key[1])
        return start, self._trimmed(Span(frame.name_end, end)).end

    def _trimmed(self, span: Span) -> Span:
        return without_trailing_comments(self._text, span, self._comment_ends)

    def _header_extent(self, frame: Frame) -> tuple[int, int]:
        """Return the extent of the part of a declaration that is about one of its names.

        Of several names in a wrapper the first starts with the wrapper, and each ends with its own
        node. If all are on one line, as in `int *a, b;`, the whole line is the extent.
        """
        start, end = frame.start, self._wrapped(frame)[1]
        key = (frame.start, frame.end)
        while key in self._wrappers:
            inner, key = key, self._wrappers[key]
            siblings = self._wrapped_nodes[key]
            if len(siblings) > 1 and not self._is_plain_line(key):
                end = min(end, inner[1])
                if inner != min(siblings):
                    break
            start = min(start, key[0])
        if frame.pattern.extends:
            end = min(end, frame.own_end)
        return start, end

    def _is_plain_line(self, wrapper: tuple[int, int]) -> bool:
        statement = self._data[wrapper[0] : wrapper[1]].rstrip(WHITE_SPACE)
        return b"\n" not in statement and b"{" not in statement

    def _attached(self, start: int) -> tuple[int, int, Span | None]:
        """Return where region and declaration start, with attached comments above, and the doc
        comment.

        Other comments above are skipped; they are part of the region only if a doc comment or a
        decorator comes before them.
        """
        doc_pattern = self._language.comments.doc
        region = declaration = position = start
        doc: Span | None = None
        index = bisect_right(self._attachable_ends, position)
        while index > 0:
            index -= 1
            item = self._attachable[index]
            if self._data[item.end : position].strip(WHITE_SPACE):
                break
            if item in self._decorators:
                region = declaration = item.start
            elif not self._is_directly_above(item, position):
                break
            elif doc_pattern and doc_pattern.match(self._data, item.start, item.end):
                region = item.start
                doc = Span(item.start, doc.end if doc else item.end)
            position = item.start
        return region, declaration, doc

    def _is_directly_above(self, comment: Span, position: int) -> bool:
        """Return True if no blank line is between, and it does not end a line of code."""
        line_of = self._text.line_of
        if line_of(position) - line_of(comment.end) > 1:
            return False
        first = line_of(comment.start)
        before = self._data[self._text.line_start(first) : comment.start].rstrip(WHITE_SPACE)
        if not before or first == line_of(position):
            return True
        return self._text.line_start(first) + len(before) in self._decorator_ends

    def header(self, frame: Frame) -> Span:
        data = self._data
        start, end = self._header_extent(frame)
        while True:
            skipped = self._decorators_by_start.get(start) or self._comment_starts.get(start)
            if skipped is None or skipped.end >= end:
                break
            start = skipped.end
            while start < end and data[start] in WHITE_SPACE:
                start += 1
        if frame.body is not None and frame.body.start > start:
            end = frame.body.start
        elif frame.value is not None and self._is_left_out(frame.value):
            end = frame.value.start
        elif frame.body is None:
            end = self._before_hidden_body(start, end)
        span = self._text.trimmed(start, end)
        # A comment, a hidden body or the `\` that continues a line is part of neither.
        while True:
            after = self._comment_ends.get(span.end) or self._hidden_ends.get(span.end)
            if after is not None and after.start > start:
                span = self._text.trimmed(start, after.start)
            elif data.endswith(b"\\", start, span.end):
                span = self._text.trimmed(start, span.end - 1)
            else:
                return span

    def _is_left_out(self, value: Span) -> bool:
        """True for a value that a header omits: one of several lines, or with functions in it."""
        if self._text.has_several_lines(value):
            return True
        return bisect_left(self._bodies, value.start) != bisect_left(self._bodies, value.end)

    def _before_hidden_body(self, start: int, end: int) -> int:
        """Return where a declaration's first accessor body starts, or the brace that opens the
        list.
        """
        index = bisect_left(self._hidden_starts, start)
        if index == len(self._hidden_starts) or self._hidden_starts[index] >= end:
            return end
        end = self._hidden_starts[index]
        header = self._data[start:end]
        return end if header.count(b"{") <= header.count(b"}") else start + header.rindex(b"{")


def _touches(errors: Sequence[Span], span: Span) -> bool:
    """Return True if a span contains an error; a missing node has no width and counts at both
    ends.
    """
    index = bisect_left(errors, span.start, key=lambda each: each.end)
    return (
        index < len(errors)
        and errors[index].start <= span.end
        and (errors[index].start < span.end or errors[index].start == errors[index].end)
    )
