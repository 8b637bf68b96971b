"""Private keys with markers: whole, truncated, escaped, quoted, or split over strings."""

from __future__ import annotations

import base64
from collections.abc import Generator, Iterator

from sightline.egress.encoded_keys import encoded_keys
from sightline.egress.key_structure import key_structure
from sightline.egress.model import Certainty, Finding
from sightline.egress.pieces import chained
from sightline.egress.randomness import entropy
from sightline.egress.secret_patterns import Match, compiled, compiled_for_texts
from sightline.text import Span

_MARKER = compiled_for_texts(
    rb"-{2,5} ?(BEGIN|END)[ +_]((?:[A-Z0-9]+[ +_]){0,4})PRIVATE[ +_]KEY(?:[ +_]BLOCK)? ?-{2,5}"
)
_PUTTY = compiled_for_texts(rb"(?i)private-lines: ?\d{1,4}\b")
_BODY = compiled(rb"[A-Za-z0-9+/=_\-]{16,}")
_LINE = compiled(rb"\r\n|\r|\n|(?:\\{1,4}r)?\\{1,4}n")
_ESCAPED_END = compiled(rb"(?:\\{1,4}[rn])*")
_CORE = compiled(rb"[A-Za-z0-9+/]+={0,3}")
_LONG_CORE = compiled(rb"[A-Za-z0-9+/]{16,}")
_HEADER = compiled(rb"^[\s\"'+*#>/|]*(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):")
_LEAD = rb"(?:[ \t\"'`+>#*;|.(\-]{0,12}|[ \t]{0,12}//[ \t\"]{1,4})"
_TAIL = rb"[\"'`+,;.|&) \t\\nr_]{0,8}\r?\n"
_FULL_LINES = compiled(
    rb"(?:^|[\r\n])"
    + _LEAD
    + rb"("
    + b"|".join(rb"(?:[A-Za-z0-9+/]{%d}%b%b){4}" % (width, _TAIL, _LEAD) for width in (64, 70))
    + rb")"
)
# How the base64 of archives, images and fonts begins.
_PUBLIC_HEADS = (
    b"H4sI",
    b"UEsD",
    b"iVBOR",
    b"R0lGOD",
    b"/9j/",
    b"JVBER",
    b"AAEAAAA",
    b"d09G",
)
_LONGEST = 1 << 16
_FAR = 400
"""The largest distance between a marker and its key."""
_LEAST = 36
"""The fewest base64 characters of a key: code that only mentions the markers has fewer."""


def private_keys(data: bytes) -> Iterator[Finding]:
    yield from _marked(data)
    if b"rivate-" in data:
        yield from _putty(data)
    yield from encoded_keys(data)
    yield from _middles(data)


def _marked(data: bytes) -> Iterator[Finding]:
    if b"PRIVATE" not in data:
        return
    begin: Match | None = None
    reached = 0
    for marker in _MARKER.finditer(data):
        if marker.group(1) == b"BEGIN":
            if begin is not None:
                reached = yield from _cut_off(data, begin, marker.start())
            begin = marker
        elif begin is not None and marker.start() - begin.end() <= _LONGEST:
            if _has_key(data, begin.end(), marker.start()):
                # Include an escaped line end after it.
                end = _ESCAPED_END.match(data, marker.end()).end()  # type: ignore[union-attr]
                yield _finding("private-key", begin.start(), end, is_bounded=True)
            reached = marker.end()
            begin = None
        else:
            if begin is not None:
                reached = yield from _cut_off(data, begin, marker.start())
                begin = None
            low = max(reached, marker.start() - _LONGEST)
            is_room = marker.start() - low >= _LEAST
            start = _area_before(data, marker.start(), low) if is_room else marker.start()
            if _has_key(data, start, marker.start()):
                yield _finding("private-key-end", start, marker.end(), is_bounded=False)
            reached = marker.end()
    if begin is not None:
        yield from _cut_off(data, begin, len(data))


def _cut_off(data: bytes, begin: Match, limit: int) -> Generator[Finding, None, int]:
    """Find a key without its end marker: up to where the lines of base64 end."""
    if limit - begin.end() < _LEAST:
        return begin.end()
    end = _area_after(data, begin.end(), min(limit, begin.end() + _LONGEST))
    body = _BODY.search(data, begin.end(), min(limit, begin.end() + _FAR))
    if body is not None:
        end = max(end, min(limit, chained(data, body.start()).end))
    if _has_key(data, begin.end(), end):
        yield _finding("private-key-cut-off", begin.start(), end, is_bounded=False)
    return end


def _area_after(data: bytes, start: int, limit: int) -> int:
    end = position = start
    is_first = True
    while position < limit:
        line_break = _LINE.search(data, position, limit)
        stop = line_break.start() if line_break else limit
        kind = _line_kind(data[position:stop])
        if kind == "other" and not is_first:
            break
        if kind == "key":
            end = stop
        is_first = False
        if line_break is None:
            break
        position = line_break.end()
    return end


def _area_before(data: bytes, end: int, limit: int) -> int:
    breaks = [limit, *(each.end() for each in _LINE.finditer(data, limit, end))]
    start = stop = end
    is_first = True
    for position in reversed(breaks):
        kind = _line_kind(data[position:stop].rstrip(b"\r\n\\nr"))
        if kind == "other" and not is_first:
            break
        if kind == "key":
            start = position
        is_first = False
        stop = position
    return start


def _line_kind(line: bytes) -> str:
    """Return whether a line is part of a key, a header or empty, or neither."""
    line = line[:2_000].strip(b" \t\"'`+-,;.>#*/|\\()")
    if not line or _HEADER.search(line):
        return "empty"
    core = max((each.group() for each in _CORE.finditer(line)), key=len, default=b"")
    if len(core) >= 16 and len(core) * 10 >= len(line) * 6:
        return "key"
    return "key" if core == line and (len(core) <= 16 or core.startswith(b"=")) else "other"


def _has_key(data: bytes, start: int, end: int) -> bool:
    size = 0
    for body in _BODY.finditer(data, start, min(end, start + 4_096)):
        if entropy(body.group()) >= 3_000:
            size += body.end() - body.start()
            if size >= _LEAST:
                return True
    return False


def _putty(data: bytes) -> Iterator[Finding]:
    reached = 0
    for head in _PUTTY.finditer(data):
        if head.start() < reached or _BODY.search(data, head.end(), head.end() + 200) is None:
            continue
        end = _area_after(data, head.end(), min(len(data), head.end() + _LONGEST))
        if _has_key(data, head.end(), end):
            yield _finding("putty-private-key", head.start(), end, is_bounded=False)
            reached = end


def _middles(data: bytes) -> Iterator[Finding]:
    """Find lines from the middle of a key: base64, all as wide as PEM or OpenSSH makes them."""
    reached = 0
    for found in _FULL_LINES.finditer(data):
        start = found.start(1)
        if start < reached:
            continue
        before = data.rfind(b"-----", max(0, start - _LONGEST), start)
        if before >= 0 and data.rfind(b"BEGIN ", max(0, before - 60), before) >= 0:
            # Part of a block with markers: keys are found by the markers, other blocks are public.
            reached = data.find(b"-----", start)
            if reached < 0:
                return
            continue
        end = _area_after(data, start, min(len(data), start + _LONGEST))
        reached = max(end, found.end(1))
        first = _area_before(data, start, max(0, start - _LONGEST // 8))
        head = _LONG_CORE.search(data, first, first + 200)
        is_public = head is not None and _is_told_by_structure(head.group())
        if is_public or entropy(data[start : start + 64]) < 4_600:
            continue
        span = Span(start, reached)
        yield Finding(span, "private-key-middle", "private_key", Certainty.UNCERTAIN, False)


def _is_told_by_structure(head: bytes) -> bool:
    """True if base64 begins like a certificate, an archive or an image, or like a known key."""
    if head.startswith(b"MII"):
        decoded = base64.b64decode(head[: min(len(head), 64) // 4 * 4])
        # A sequence whose first element is a sequence, or the name of a type, is public.
        return decoded[4] in (0x30, 0x06) or key_structure(decoded) is not None
    return head.startswith(_PUBLIC_HEADS)


def _finding(detector: str, start: int, end: int, *, is_bounded: bool) -> Finding:
    return Finding(Span(start, end), detector, "private_key", Certainty.CERTAIN, is_bounded)
