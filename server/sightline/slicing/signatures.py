"""Every declaration of a file without its body, checked before it leaves this room."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from sightline.refusals import Refusal, RefusalKind
from sightline.slicing.model import (
    Level,
    Piece,
    SelfCheck,
    SignatureDocs,
    Slice,
    assembled,
    merged,
)
from sightline.symbols import FileSummary, Symbol, summarize
from sightline.syntax import Parsed, leftovers, parse
from sightline.text import WHITE_SPACE, Span, Text

_MARK_UP = re.compile(rb"<[^>]*>")


def signatures(
    parsed: Parsed,
    summary: FileSummary,
    docs: SignatureDocs = SignatureDocs.NONE,
    holes: Sequence[Span] = (),
) -> Slice | Refusal:
    """Return every declaration without its body, checked; nothing of what was not parsed."""
    if not summary.parse_clean:
        line = parsed.text.line_of(summary.errors[0].start) + 1
        return Refusal(
            RefusalKind.UNSUPPORTED_TARGET,
            "parse_error",
            None,
            f"the file has syntax errors as {parsed.language.title} (the first on line "
            f"{line}), so its signatures cannot be cut exactly",
            "fix the syntax error, or take the whole file with --level full",
            rule="no tree to trust, no slice",
        )
    pieces = _without(_signature_pieces(parsed, summary, docs), holes)
    content = assembled(parsed.text, pieces)
    check = _self_check(parsed, summary, pieces, content)
    if not check.passed:
        return Refusal(
            RefusalKind.UNSUPPORTED_TARGET,
            "self_check_failed",
            None,
            "the signatures of this file were cut but failed their check: "
            + ", ".join(check.faults()),
            "take the whole file with --level full or one symbol with --level region",
            rule="a slice that fails its check is not used",
        )
    return Slice(Level.SIGNATURES_ONLY, content, tuple(pieces), (), check)


def declared_outside_bodies(summary: FileSummary) -> list[Symbol]:
    """Return the symbols that a signatures slice shows: those outside of bodies."""
    bodies = merged(_body_spans(summary))
    starts = [span.start for span in bodies]
    shown = []
    for symbol in summary.symbols:
        index = bisect_right(starts, symbol.name_span.start) - 1
        if index < 0 or bodies[index].end <= symbol.name_span.start:
            shown.append(symbol)
    return shown


class _Removal(msgspec.Struct, frozen=True, order=True):
    span: Span
    replacement: bytes


def _signature_pieces(parsed: Parsed, summary: FileSummary, docs: SignatureDocs) -> list[Piece]:
    """Return the text without bodies, long values, comments and statements that declare nothing."""
    shown = declared_outside_bodies(summary)
    # If two cuts have the same span, the first counts: a symbol's value before a body without
    # symbol.
    replaced = [*_value_cuts(parsed, summary, shown), *_body_cuts(parsed, summary, shown)]
    fillers, gone = _statement_cuts(parsed, summary, shown, replaced)
    shortened, dropped = _comment_cuts(parsed.text, summary, shown, docs)
    emptied = (
        _Removal(_with_emptied_lines(parsed.text, span), b"")
        for span in _joined(parsed.text, [*gone, *dropped])
    )
    cuts = [*(each.cut for each in replaced if each.cut), *fillers, *shortened, *emptied]
    return _pieces(parsed.text, cuts)


class _ReplacedBody(msgspec.Struct, frozen=True):
    """A body or value: what replaces it, if anything, and the span that needs no further cut."""

    cut: _Removal | None
    settled: Span


def _body_cuts(
    parsed: Parsed, summary: FileSummary, shown: Sequence[Symbol]
) -> Iterator[_ReplacedBody]:
    text, default = parsed.text, parsed.language.signatures.body
    for symbol in shown:
        if symbol.body is None or not symbol.has_implementation:
            continue
        placeholder = default if symbol.placeholder is None else symbol.placeholder
        end = symbol.body.end if placeholder else _after_blanks(text, symbol.body.end)
        if symbol.header.end <= symbol.body.start:
            # Text between header and body (a line break, a comment) is cut with the body.
            span = Span(symbol.header.end, end)
            joint = " " if placeholder else ""
        else:
            span, joint = Span(symbol.body.start, end), ""
        yield _ReplacedBody(_Removal(span, (joint + placeholder).encode("utf-8")), symbol.body)
    for hidden in summary.hidden_bodies:
        yield _replaced(hidden.span, hidden.placeholder, default)


def _value_cuts(
    parsed: Parsed, summary: FileSummary, shown: Sequence[Symbol]
) -> Iterator[_ReplacedBody]:
    """Yield values of several lines that declare nothing themselves; one-line values stay."""
    text, default = parsed.text, parsed.language.signatures.value
    names = sorted(symbol.name_span.start for symbol in shown)
    for symbol in shown:
        if symbol.value is None or (symbol.body and symbol.has_implementation):
            continue
        if not text.has_several_lines(symbol.value):
            yield _ReplacedBody(None, symbol.value)
        elif not _declares(symbol.value, names):
            yield _replaced(symbol.value, symbol.placeholder, default)
    decorated = merged(Span(symbol.declaration.start, symbol.header.end) for symbol in shown)
    for hidden in summary.hidden_values:
        if (
            text.has_several_lines(hidden.span)
            and not _declares(hidden.span, names)
            and not _any_overlap([hidden.span], decorated)
        ):
            yield _replaced(hidden.span, hidden.placeholder, default)


def _replaced(span: Span, placeholder: str | None, default: str) -> _ReplacedBody:
    replacement = default if placeholder is None else placeholder
    return _ReplacedBody(_Removal(span, replacement.encode("utf-8")), span)


def _statement_cuts(
    parsed: Parsed,
    summary: FileSummary,
    shown: Sequence[Symbol],
    replaced: Sequence[_ReplacedBody],
) -> tuple[list[_Removal], list[Span]]:
    """Return fillers for blocks that become empty, and statements to drop without a filler."""
    keep = [
        *(symbol.declaration for symbol in shown),
        *(each.span for each in summary.imports if not each.is_local),
        *summary.kept,
    ]
    fillers: list[_Removal] = []
    gone: list[Span] = []
    for leftover in leftovers(
        parsed,
        sorted(keep, key=lambda span: (span.start, -span.end)),
        merged(symbol.header for symbol in shown),
        merged(each.settled for each in replaced),
        summary.comments,
    ):
        if leftover.replacement:
            before = parsed.text.data[leftover.span.start - 1 : leftover.span.start]
            joint = b" " if before.isalnum() else b""
            fillers.append(_Removal(leftover.span, joint + leftover.replacement.encode("utf-8")))
        else:
            gone.append(leftover.span)
    return fillers, gone


def _comment_cuts(
    text: Text, summary: FileSummary, shown: Sequence[Symbol], docs: SignatureDocs
) -> tuple[list[_Removal], list[Span]]:
    """Return cuts inside the doc comments that stay, and the comments to drop."""
    kept = _kept_docs(text, summary, shown, docs)
    shortened: list[_Removal] = []
    gone: list[Span] = []
    for comment in _comments_outside(summary, shown):
        if comment in kept:
            shortened.extend(kept[comment])
        else:
            gone.append(comment)
    return shortened, gone


def _body_spans(summary: FileSummary) -> list[Span]:
    return [
        *(symbol.body for symbol in summary.symbols if symbol.body and symbol.has_implementation),
        *(hidden.span for hidden in summary.hidden_bodies),
    ]


def _comments_outside(summary: FileSummary, shown: Iterable[Symbol]) -> list[Span]:
    """Return the comments outside of signatures and bodies."""
    covered = merged([*(symbol.header for symbol in shown), *_body_spans(summary)])
    starts = [span.start for span in covered]
    outside = []
    for comment in summary.comments:
        index = bisect_right(starts, comment.start) - 1
        if index < 0 or covered[index].end <= comment.start:
            outside.append(comment)
    return outside


def _joined(text: Text, spans: Iterable[Span]) -> list[Span]:
    """Return the spans sorted; those with only white space between them are merged."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and not text.data[joined[-1].end : span.start].strip(WHITE_SPACE):
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def _after_blanks(text: Text, offset: int) -> int:
    """Return the end of the line if only blanks come before it, else the offset."""
    end = text.line_end(text.line_of(offset))
    return offset if text.data[offset:end].strip(WHITE_SPACE) else end


def _declares(span: Span, names: Sequence[int]) -> bool:
    """Return True if a shown symbol has its name inside a span."""
    return bisect_left(names, span.start) != bisect_left(names, span.end)


def _kept_docs(
    text: Text, summary: FileSummary, shown: Iterable[Symbol], docs: SignatureDocs
) -> dict[Span, list[_Removal]]:
    """Return the cuts inside each comment that stays as a doc comment."""
    if docs is SignatureDocs.NONE:
        return {}
    wanted = [symbol.doc for symbol in shown if symbol.doc]
    kept: dict[Span, list[_Removal]] = {}
    for doc in wanted:
        inside = [span for span in summary.comments if doc.contains(span)]
        if docs is SignatureDocs.FULL:
            kept.update({span: [] for span in inside})
        elif inside:
            first = next((span for span in inside if _says_something(text, span)), inside[0])
            kept[first] = _cuts_after_first_line(text, first)
    return kept


def _says_something(text: Text, comment: Span) -> bool:
    """Return True if a comment contains a word besides mark-up; `/// <summary>` alone does not."""
    return re.search(rb"\w", _MARK_UP.sub(b"", text.cut(comment))) is not None


def _cuts_after_first_line(text: Text, comment: Span) -> list[_Removal]:
    """Shorten a block comment to its first line with a word.

    Other comments stay whole: they have one line, or no ending that could be inserted.
    """
    if not text.cut(comment).startswith(b"/*"):
        return []
    line = text.line_of(comment.start)
    last = text.line_of(comment.end - 1)
    while line < last and not text.data[
        max(comment.start, text.line_start(line)) : text.line_end(line)
    ].strip(b"/* \t"):
        line += 1
    end = text.line_end(line)
    return [_Removal(Span(end, comment.end), b" */")] if end < comment.end else []


def _pieces(text: Text, cuts: list[_Removal]) -> list[Piece]:
    """Return a text without its cuts; an outer cut includes the inner ones."""
    pieces: list[Piece] = []
    position = 0
    for cut in sorted(cuts, key=lambda each: (each.span.start, -each.span.end)):
        if cut.span.start < position:
            if cut.span.end <= position:
                continue
            cut = _Removal(Span(position, cut.span.end), cut.replacement)
        if cut.span.start > position:
            pieces.append(Piece(Span(position, cut.span.start)))
        if cut.replacement:
            pieces.append(Piece(None, cut.replacement))
        position = cut.span.end
    if position < len(text):
        pieces.append(Piece(Span(position, len(text))))
    return pieces


def _without(pieces: list[Piece], holes: Sequence[Span]) -> list[Piece]:
    """Remove holes from pieces; both are in order."""
    if not holes:
        return pieces
    kept: list[Piece] = []
    waiting = iter([*holes, None])
    hole = next(waiting)
    for piece in pieces:
        if piece.span is None:
            kept.append(piece)
            continue
        start, end = piece.span.start, piece.span.end
        while hole is not None and hole.start < end:
            if start < hole.start:
                kept.append(Piece(Span(start, hole.start)))
            start = max(start, hole.end)
            if hole.end > end:
                break
            hole = next(waiting)
        if start < end:
            kept.append(Piece(Span(start, end)))
    return kept


def _with_emptied_lines(text: Text, span: Span) -> Span:
    """Extend a cut over its lines if it leaves them empty.

    It also takes the blank lines after it if a blank line or the start of a block comes before, so
    that cuts do not leave several blank lines in a row.
    """
    first, last = text.line_of(span.start), text.line_of(max(span.start, span.end - 1))
    before = text.data[text.line_start(first) : span.start]
    after = text.data[span.end : text.line_end(last)]
    if before.strip(WHITE_SPACE):
        start = span.start - (len(before) - len(before.rstrip(b" \t")))
        return Span(start, span.end) if not after.strip(WHITE_SPACE) else span
    if after.strip(WHITE_SPACE):
        return span
    if first == 0 or _line(text, first - 1)[-1:] in (b"", b"{", b":"):
        while last + 1 < text.line_count and not _line(text, last + 1):
            last += 1
    return Span(text.line_start(first), text.next_line_start(last))


def _line(text: Text, line: int) -> bytes:
    return text.data[text.line_start(line) : text.line_end(line)].strip(WHITE_SPACE)


def _self_check(
    parsed: Parsed, summary: FileSummary, pieces: Sequence[Piece], content: bytes
) -> SelfCheck:
    again = summarize(parse(parsed.language, Text(content)))
    expected = [_identity(symbol) for symbol in declared_outside_bodies(summary)]
    actual = [_identity(symbol) for symbol in again.symbols]
    spans = [piece.span for piece in pieces if piece.span is not None]
    bodies = merged(_body_spans(summary))
    return SelfCheck(
        parses_clean=again.parse_clean,
        declarations_kept=_common(expected, actual),
        declarations_expected=len(expected),
        same_declarations=expected == actual,
        no_body_bytes=not _any_overlap(spans, bodies),
        in_original_order=_stands_in_order(parsed.text, pieces, content),
    )


def _identity(symbol: Symbol) -> tuple[str, str | None, str]:
    return symbol.kind, symbol.container, symbol.name


def _common(
    expected: list[tuple[str, str | None, str]], actual: list[tuple[str, str | None, str]]
) -> int:
    return (Counter(expected) & Counter(actual)).total()


def _any_overlap(spans: Sequence[Span], others: Sequence[Span]) -> bool:
    """Return True if any two spans of two sorted, disjoint lists overlap."""
    left = right = 0
    while left < len(spans) and right < len(others):
        if spans[left].overlaps(others[right]):
            return True
        if spans[left].end <= others[right].end:
            left += 1
        else:
            right += 1
    return False


def _stands_in_order(text: Text, pieces: Sequence[Piece], content: bytes) -> bool:
    """Return True if the content, without inserted pieces, is the original with parts left out."""
    position = 0
    offset = 0
    for piece in pieces:
        if piece.span is None:
            if content[offset : offset + len(piece.literal)] != piece.literal:
                return False
            offset += len(piece.literal)
            continue
        original = text.cut(piece.span)
        if piece.span.start < position or content[offset : offset + len(original)] != original:
            return False
        position = piece.span.end
        offset += len(original)
    return offset == len(content)
