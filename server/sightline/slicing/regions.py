"""Regions of symbols, with the headers around them and markers for omitted parts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence

from sightline.languages import Language
from sightline.refusals import Refusal, RefusalKind
from sightline.slicing.model import Level, Piece, Region, Slice, assembled, merged
from sightline.symbols import FileSummary, Symbol
from sightline.text import WHITE_SPACE, Span, Text


def regions(
    language: Language, text: Text, summary: FileSummary, symbols: Sequence[Symbol]
) -> Slice | Refusal:
    """Return the regions of some symbols of a file, with the headers around them.

    Regions that touch are merged; markers between them give the omitted lines.
    """
    return _laid_out(
        language, text, summary, symbols, Level.TARGET_REGION_ONLY, lambda span: [Piece(span)]
    )


def region_signatures(
    language: Language,
    text: Text,
    summary: FileSummary,
    symbols: Sequence[Symbol],
    signatures: Slice,
) -> Slice | Refusal:
    """Return the part of a file's signatures for some symbols, laid out like regions."""
    return _laid_out(
        language,
        text,
        summary,
        symbols,
        Level.SIGNATURES_ONLY,
        lambda span: _clipped(signatures.pieces, span),
    )


def parts(
    language: Language,
    text: Text,
    summary: FileSummary,
    symbols: Sequence[Symbol],
    statements: Sequence[Span] = (),
    outlines: Sequence[Symbol] = (),
    signatures: Slice | None = None,
) -> Slice | Refusal:
    """Return the regions of some symbols and statements whole, and the signatures of other symbols.

    Where they overlap, the whole region is shown. `statements` are those of the summary; one within
    a symbol that is shown is no region of its own. `signatures` is required if there are outlines.
    """
    for symbol in (*symbols, *outlines):
        if not symbol.reliable:
            return _unreliable(symbol)
    comments = {comment.start: comment for comment in summary.comments}
    whole = merged(
        _whole_lines(text, span, b";,", comments)
        for span in (*(symbol.region for symbol in symbols), *statements)
    )
    cut = merged(_whole_lines(text, symbol.region, b";,", comments) for symbol in outlines)
    around = {header for symbol in (*symbols, *outlines) for header in symbol.enclosing} | {
        header for span in statements for header in _headers_around(summary, span)
    }

    def show(span: Span) -> list[Piece]:
        pieces: list[Piece] = []
        for part, is_whole in _segments(whole, cut, span):
            pieces += [Piece(part)] if is_whole else _clipped(_pieces_of(signatures), part)
        return pieces

    laid = _parts(text, summary, [*whole, *cut], around)
    pieces = _pieces(language, text, laid, show)
    named = merged(symbol.region for symbol in symbols)
    unnamed = [span for span in statements if not any(each.contains(span) for each in named)]
    shown = [*(_region(text, each) for each in symbols), *_statement_regions(text, unnamed)]
    return Slice(
        Level.TARGET_REGION_ONLY if shown else Level.SIGNATURES_ONLY,
        assembled(text, pieces),
        tuple(pieces),
        tuple(sorted(shown, key=lambda each: (each.start_line, each.end_line, each.symbol)))
        or tuple(_region(text, each) for each in outlines),
    )


def _pieces_of(signatures: Slice | None) -> Sequence[Piece]:
    assert signatures is not None, "outlines are cut from signatures"
    return signatures.pieces


def _segments(whole: Sequence[Span], cut: Sequence[Span], span: Span) -> list[tuple[Span, bool]]:
    """Return the parts of a span in order, each with True if it is shown whole."""
    segments: list[tuple[Span, bool]] = []
    position = span.start
    for each in cut:
        if not span.contains(each):
            continue
        for start, end in _outside(each, whole):
            if position < start:
                segments.append((Span(position, start), True))
            segments.append((Span(start, end), False))
            position = end
    if position < span.end:
        segments.append((Span(position, span.end), True))
    return segments


def _outside(span: Span, taken: Sequence[Span]) -> list[tuple[int, int]]:
    """Return a span without some others, which are in order and disjoint."""
    left: list[tuple[int, int]] = []
    position = span.start
    for each in taken:
        if each.end <= position or each.start >= span.end:
            continue
        if position < each.start:
            left.append((position, each.start))
        position = each.end
    if position < span.end:
        left.append((position, span.end))
    return left


def _headers_around(summary: FileSummary, span: Span) -> list[Span]:
    """Return the headers of the symbols that contain a statement."""
    return [
        symbol.header
        for symbol in summary.symbols
        if symbol.region.contains(span) and not symbol.header.overlaps(span)
    ]


def _statement_regions(text: Text, statements: Sequence[Span]) -> list[Region]:
    """Return statements as regions without a name; those on adjacent lines are merged."""
    regions: list[Region] = []
    joined: list[Span] = []
    for span in sorted(statements):
        if joined and text.line_of(span.start) <= text.line_of(joined[-1].end - 1) + 1:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    for span in joined:
        first, last = (text.line_of(offset) + 1 for offset in (span.start, span.end - 1))
        regions.append(Region("", first, last, hashlib.sha256(text.cut(span)).hexdigest()))
    return regions


def _region(text: Text, symbol: Symbol) -> Region:
    return Region(
        symbol.qualified_name,
        symbol.start_line,
        symbol.end_line,
        hashlib.sha256(text.cut(symbol.region)).hexdigest(),
    )


def _clipped(pieces: Sequence[Piece], span: Span) -> list[Piece]:
    """Return the pieces within a span; an inserted piece belongs to the original before it."""
    clipped: list[Piece] = []
    is_inside = False
    for piece in pieces:
        if piece.span is None:
            if is_inside:
                clipped.append(piece)
            continue
        start, end = max(piece.span.start, span.start), min(piece.span.end, span.end)
        is_inside = start < end and piece.span.end <= span.end
        if start < end:
            clipped.append(Piece(Span(start, end)))
    return clipped


def _laid_out(
    language: Language,
    text: Text,
    summary: FileSummary,
    symbols: Sequence[Symbol],
    level: Level,
    show: Callable[[Span], list[Piece]],
) -> Slice | Refusal:
    """Return the slice of some symbols; `show` returns the pieces of each region."""
    for symbol in symbols:
        if not symbol.reliable:
            return _unreliable(symbol)
    comments = {comment.start: comment for comment in summary.comments}
    shown = [_whole_lines(text, symbol.region, b";,", comments) for symbol in symbols]
    around = {header for symbol in symbols for header in symbol.enclosing}
    pieces = _pieces(language, text, _parts(text, summary, shown, around), show)
    return Slice(
        level,
        assembled(text, pieces),
        tuple(pieces),
        tuple(_region(text, symbol) for symbol in symbols),
    )


def _unreliable(symbol: Symbol) -> Refusal:
    return Refusal(
        RefusalKind.UNSUPPORTED_TARGET,
        "unreliable_boundaries",
        None,
        f"'{symbol.qualified_name}' (lines {symbol.start_line}-{symbol.end_line}) holds "
        "a syntax error, so its boundaries cannot be trusted",
        "fix the syntax error, or take the whole file with --level full",
        rule="no tree to trust, no slice",
    )


def _parts(
    text: Text, summary: FileSummary, spans: Sequence[Span], headers_around: Iterable[Span]
) -> list[tuple[Span, bool]]:
    """Return the shown spans of a text, in order, each with True if it is a header around a
    region.
    """
    comments = {comment.start: comment for comment in summary.comments}
    shown = merged(spans)
    around = {_whole_lines(text, header, b"{:", comments) for header in headers_around}
    # If a region is part of a header (a field among a constructor's parameters), the whole header
    # is shown.
    shown = merged([*shown, *(span for span in around if any(map(span.overlaps, shown)))])
    headers = [span for span in around if not any(map(span.overlaps, shown))]
    return sorted([*((span, True) for span in headers), *((span, False) for span in shown)])


def _pieces(
    language: Language,
    text: Text,
    parts: Sequence[tuple[Span, bool]],
    show: Callable[[Span], list[Piece]],
) -> list[Piece]:
    """Return the parts, with markers for headers and for what is omitted around and between
    them.
    """
    newline = _newline(text)
    pieces: list[Piece] = []
    last_line = -1
    for span, is_header in parts:
        first = text.line_of(span.start)
        final = text.line_of(max(span.start, span.end - 1))
        indent = _indent(text, first)
        if first > last_line + 1:
            pieces.append(_elision(language, last_line + 2, first, indent, newline))
        if is_header:
            pieces.append(_header_mark(language, first + 1, final + 1, indent, newline))
        shares_first = text.line_start(first) < span.start
        if shares_first and indent:
            pieces.append(Piece(None, indent))
        shown_pieces = [Piece(span)] if is_header else show(span)
        pieces.extend(shown_pieces)
        if not _ends_line(text, shown_pieces):
            pieces.append(Piece(None, newline))
        if not is_header and (shares_first or span.end < text.line_end(final)):
            pieces.append(
                _marker(language, "... other code on its lines left out", indent, newline)
            )
        last_line = final
    if last_line + 1 < text.last_line_number:
        pieces.append(_elision(language, last_line + 2, text.last_line_number, b"", newline))
    return pieces


def _ends_line(text: Text, pieces: Sequence[Piece]) -> bool:
    """Return True if the last shown line is complete; also if nothing is shown."""
    last = assembled(text, pieces[-1:])
    return not last or last[-1:] in (b"\n", b"\r")


def _whole_lines(text: Text, span: Span, closers: bytes, comments: Mapping[int, Span]) -> Span:
    """Extend a span to whole lines, if nothing else is on them.

    `closers` are characters after it that belong to it (its terminator, its opening brace); a
    comment behind it is included. If another declaration shares the line, the cut is exact: that
    declaration is not shown.
    """
    first, last = text.line_of(span.start), text.line_of(max(span.start, span.end - 1))
    start, end = span.start, span.end
    if not text.data[text.line_start(first) : start].strip(WHITE_SPACE):
        start = text.line_start(first)
    line_end = text.line_end(last)
    rest = text.data[end:line_end].lstrip(WHITE_SPACE + closers)
    comment = comments.get(line_end - len(rest))
    if not rest or (comment is not None and comment.end == text.trimmed(end, line_end).end):
        end = text.next_line_start(last)
    return Span(start, end)


def _newline(text: Text) -> bytes:
    """Return the line break that the text uses."""
    if text.line_count < 2:
        return b"\n"
    return text.data[text.line_end(0) : text.next_line_start(0)]


def _indent(text: Text, line: int) -> bytes:
    data = text.data[text.line_start(line) : text.line_end(line)]
    return data[: len(data) - len(data.lstrip(b" \t"))]


def _elision(language: Language, first: int, last: int, indent: bytes, newline: bytes) -> Piece:
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    return _marker(language, f"... {lines} left out", indent, newline)


def _header_mark(language: Language, first: int, last: int, indent: bytes, newline: bytes) -> Piece:
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    return _marker(language, f"enclosing header, {lines}:", indent, newline)


def _marker(language: Language, message: str, indent: bytes, newline: bytes) -> Piece:
    return Piece(None, indent + f"{language.comments.line} {message}".encode() + newline)
