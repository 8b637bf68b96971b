"""Siblings: the other strings of an expression one string of which was found.

`"…" * "…"`, `"…"` with `\\ . "…"` below it, `concat('…', '…', X)`, `["…", "…"] | join`, lines of a
difference: whichever language puts them together, a redaction of one piece would leave the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import attrs

from sightline.egress.generated import is_generated
from sightline.egress.model import Certainty, Finding
from sightline.text import Span

_OPERATOR = rb"(?:\+{1,2}|\.{1,2}|&{1,2}|\|\||<>|<<|~|\*|//|\^|%\+%)"
_NOTE = rb"(?:(?://|#|--|/\*|%|;)[^\r\n]{0,100})?"
_MARK = rb"(?:[+>|] ?(?=[ \t\\&\"'`.+]))?"
# What leads a line that goes on, besides an operator.
_LEAD = rb"[ \t]{0,60}(?:[\\&][ \t]{0,8})?(?:" + _OPERATOR + rb"[ \t]{0,8})?"
_PREFIX = rb"[bruLfn@NU]{0,2}(?=[\"'`])"
# Between two pieces of one value.
_OVER = re.compile(
    rb"(?:(?=[\"'])|[ \t]{0,8}" + _OPERATOR + rb"[ \t]{0,8}"
    rb"|[ \t]{0,8}(?:" + _OPERATOR + rb"[ \t]{0,8})?(?:\\|_|\.\.\.|&|`)?[ \t]{0,8}"
    + _NOTE + rb"\r?\n" + _MARK + _LEAD + rb")" + _PREFIX
)  # fmt: skip
# Between two items of a list.
_COMMA = re.compile(
    rb"[ \t]{0,8}(?:,[ \t]{0,8}(?:\.\.\.|_|\\)?" + _NOTE
    + rb"(?:\r?\n" + _MARK + rb"[ \t]{0,60})?|[ \t]{1,8})" + _PREFIX
)  # fmt: skip
_MAKING = (
    rb"(?:[a-z0-9]+[_\-])?(?:concat[a-z_]{0,12}|strcat|join|joined|implode|paste0?|str_c|strjoin"
    rb"|textjoin|stringjoin|append|format|sprintf|combine|glue|merge|assemble|mkstring|fold[a-z_]{0,6}"
    rb"|reduce|flatten)\b"
)
# Up to the first item: the name of what makes one string of a list.
_MADE = re.compile(
    rb"(?i)\b" + _MAKING + rb"[!?*$]?[\"']?"
    rb"(?:[ \t\r\n]{0,20}[(\[{,:]|[ \t]{0,4}(?:\"[^\"\r\n]{0,3}\"|'[^'\r\n]{0,3}')|[ \t\r\n]{1,20}"
    rb"|[ \t]?(?:string|str|char\*?|text)){1,8}[bruLfn@NU]{0,2}\Z"
)
_MADE_BEHIND = re.compile(
    rb"(?i)[ \t\r\n,]{0,40}[\])}]{1,2}[\"']?\s{0,20}(?:\.|\|>?|->|::|-|\?\.)?\s{0,8}"
    rb"(?:[A-Za-z_]{1,20}[.:]{1,2})?" + _MAKING
)
_ENDS = b":=@(,;&?<>"
"""What parts a value from what stands before it or behind: `"Bearer " + "…"`, `"…" + "@host"`."""
_CLOSING = {
    quote: re.compile(rb"((?:[^%b\\\r\n]|\\.){1,400})%b" % (quote, quote))
    for quote in (b'"', b"'", b"`")
}
_LONGEST = 400
_LONGEST_GAP = 180
_FARTHEST = 120
_MOST_PIECES = 64
_MOST_FOLLOWED = 2_000
"""Findings of a text whose siblings are looked for."""
_WORD = re.compile(rb"[A-Za-z0-9]")


def siblings(data: bytes, findings: Sequence[Finding]) -> list[Finding]:
    """The strings that make one value with any of the findings, which do not overlap."""
    found: list[Finding] = []
    reached = 0
    for finding in findings[:_MOST_FOLLOWED]:
        span = finding.span
        if span.start < reached or not finding.is_bounded:
            continue
        for start, end in _pieces(data, span):
            reached = max(reached, end)
            if _WORD.search(data, start, end) is not None:
                found.append(_sibling(data, finding, Span(start, end)))
    return found


def _sibling(data: bytes, finding: Finding, span: Span) -> Finding:
    is_weak = finding.is_weak or not is_generated(data[span.start : span.end])
    return attrs.evolve(
        finding,
        span=span,
        kind="weak" if is_weak else finding.kind,
        detector="weak-sibling" if is_weak else finding.detector,
        certainty=Certainty.WEAK if is_weak else finding.certainty,
    )


def _pieces(data: bytes, span: Span) -> Iterator[tuple[int, int]]:
    """The strings that are put together with one, without itself."""
    ends = _ENDS if b" " in data[span.start : span.end] else _ENDS + b" \t"
    is_opened = data[span.start - 1 : span.start] in _CLOSING
    is_closed = data[span.end : span.end + 1] in _CLOSING
    for gap in (_OVER, _COMMA):
        before = list(_before(data, span.start - 1, gap, ends)) if is_opened else []
        after = list(_after(data, span.end + 1, gap, ends)) if is_closed else []
        if not before and not after:
            continue
        if gap is _COMMA:
            first = before[-1][0] if before else span.start
            last = after[-1][1] if after else span.end
            is_made = _MADE.search(data, max(0, first - 1 - _FARTHEST), first - 1) is not None
            if not is_made and _MADE_BEHIND.match(data, last + 1) is None:
                continue
        yield from before
        yield from after


def _after(
    data: bytes, position: int, gap: re.Pattern[bytes], ends: bytes
) -> Iterator[tuple[int, int]]:
    """Where the strings stand that follow an offset, which is behind the quote of one."""
    for _ in range(_MOST_PIECES):
        between = gap.match(data, position)
        if between is None:
            return
        closing = _CLOSING.get(data[between.end() : between.end() + 1])
        content = closing.match(data, between.end() + 1) if closing is not None else None
        if content is None or data[content.start(1)] in ends:
            return
        yield content.span(1)
        position = content.end()


def _before(
    data: bytes, position: int, gap: re.Pattern[bytes], ends: bytes
) -> Iterator[tuple[int, int]]:
    """Where the strings stand that end before an offset, which is of the quote of one."""
    for _ in range(_MOST_PIECES):
        low = max(0, position - _LONGEST_GAP)
        closed = max(data.rfind(quote, low, position) for quote in _CLOSING)
        if closed < 0 or not _is_between(data, closed + 1, position, gap):
            return
        quote = data[closed : closed + 1]
        opened = data.rfind(quote, max(0, closed - _LONGEST), closed)
        if opened < 0 or opened + 1 == closed or data[closed - 1] in ends:
            return
        if b"\n" in data[opened:closed]:
            return
        yield opened + 1, closed
        position = opened


def _is_between(data: bytes, start: int, end: int, gap: re.Pattern[bytes]) -> bool:
    between = gap.match(data, start)
    return between is not None and between.end() == end
