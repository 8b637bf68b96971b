"""Continued values: what stands on the next line, or under another label, and belongs to a value.

A line that ends in `\\` or `&`, a comment whose next line is as random as the value above it, a
string over two lines, `second half: …` below the half of a password.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import attrs

from sightline.egress.generated import is_generated
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form
from sightline.egress.randomness import is_random
from sightline.egress.secret_patterns import compiled_for_texts, compiled_for_values
from sightline.egress.spoken import is_made_up_word
from sightline.egress.telling_words import TELLING
from sightline.egress.weak import is_weak_content
from sightline.text import Span

# Behind a value: perhaps a sign that it goes on, the end of the line, what leads the next one, and
# one word on it.
_NEXT_LINE = re.compile(
    rb"[\"'`]?[ \t]{0,8}(\\|&|-|_|\.\.\.|\+|\^|`)?[ \t]{0,8}(?:\|[ \t]{0,8})?[\"'`]?\r?\n"
    rb"[ \t]{0,80}(?:#|//|\*|>|;|--|%|\|[ \t]{1,40}\||&|\+|REM|')?[ \t]{0,80}"
    rb"(?i:(\(?(?:continued|cont|contd|cont'd)[.)]{0,2}:?|\.\.\.)[ \t]{1,4})?[&\"'`]?[ \t]{0,4}"
    rb"([A-Za-z0-9+/=_.!@#$%^&*~\-]{4,200})[\"'`]?[ \t]{0,4}[|&\\;,)]?[ \t]{0,4}(?:\r?\n|$)"
)
_ORDINAL = (
    rb"(?:first|second|third|fourth|other|last|1st|2nd|3rd|left|right|next|front|back"
    rb"|remaining|top|bottom|erste|zweite)"
)
_PART = rb"(?:half|part|piece|chunk|section|bit|portion|segment|h\xc3\xa4lfte|haelfte|teil)"
_LABELLED = compiled_for_texts(
    rb"(?i)\b(?:"
    + _ORDINAL
    + rb"[ _\-]"
    + _PART
    + rb"|"
    + _PART
    + rb"[ _\-]?(?:[0-9]|[ab]|one|two|three|i{1,3})|(?:and )?the rest|continued|remainder)\b\)?"
    rb"(?:[ \t](?:of|for|to|from|is|of it)\b[^\r\n:=]{0,40})?[\"'`*]{0,2}[ \t]{0,2}(?:=>|->|:|="
    rb"|\bis\b|,)"
    rb"[ \t]{0,4}[\"'`*]{0,2}([A-Za-z0-9+/=_.!@#$%^&*~\-]{4,200})"
)
_TELLING = compiled_for_values(TELLING)
_DIGIT = compiled_for_values(rb"[0-9]")
_NEAR = 400
_MOST = 1_000
_FARTHEST_LINE = 700
_MOST_LINES = 20
_CLASSES = tuple(map(compiled_for_values, (rb"[a-z]", rb"[A-Z]", rb"[0-9]")))


def labelled_pieces(data: bytes) -> Iterator[Finding]:
    """`second half: …` near a word for a secret."""
    for count, found in enumerate(_LABELLED.finditer(data)):
        if count == _MOST:
            return
        start = found.start(1)
        value = found.group(1).rstrip(b".,;:)*")
        near = data[max(0, start - _NEAR) : found.end() + _NEAR // 4]
        if _TELLING.search(near) is None:
            continue
        span = Span(start, start + len(value))
        if _is_chance(value):
            yield Finding(span, "labelled-piece", "token", Certainty.CERTAIN, True)
        elif (
            _DIGIT.search(value) is not None
            and is_made_up_word(value)
            and is_weak_content(value, b"password", Form.QUOTED)
        ):
            yield Finding(span, "weak-piece", "weak", Certainty.WEAK, True)


def continuations(data: bytes, findings: Sequence[Finding]) -> list[Finding]:
    """The lines that go on with any of the findings, which do not overlap."""
    found: list[Finding] = []
    starts = {finding.span.start for finding in findings}
    reached = 0
    for finding in findings[:_MOST]:
        if finding.span.start < reached or not finding.is_bounded:
            continue
        position = finding.span.end
        for _ in range(_MOST_LINES):
            line = _NEXT_LINE.match(data, position, position + _FARTHEST_LINE)
            if line is None or line.start(3) in starts or not _goes_on(finding, line):
                break
            position = reached = line.end(3)
            found.append(attrs.evolve(finding, span=Span(*line.span(3))))
    return found


def _goes_on(finding: Finding, line: re.Match[bytes]) -> bool:
    value = line.group(3)
    if value.isalpha() and value.islower() and not finding.is_weak:
        return False
    is_marked = line.start(2) >= 0 or (line.start(1) >= 0 and line.group(1) in b"\\&-^`")
    if is_marked:
        return finding.is_weak or _is_chance(value)
    return not finding.is_weak and _is_chance(value) and len(value) >= 8


def _is_chance(value: bytes) -> bool:
    if is_generated(value) or is_random(value, 12):
        return True
    # A piece is too short to tell: letters of both cases and digits, and no word.
    return (
        len(value) >= 6
        and all(each.search(value) is not None for each in _CLASSES)
        and is_made_up_word(value)
    )
