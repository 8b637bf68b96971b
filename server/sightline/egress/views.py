"""Other readings of a text, in which a secret cannot hide, with the way back to its bytes.

* without the invisible: format characters removed, full-width and mathematical letters as ASCII;
* unwrapped: escapes of strings, URLs and markup undone.

A reading is bytes and, for each place where it departs from the text, both offsets.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

import attrs

from sightline.text import Span

# Default-ignorable and format characters: what a reader does not see and a matcher stumbles over.
_INVISIBLE_RANGES = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
_CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_ESCAPED = re.compile(f"[{_INVISIBLE_RANGES}{_CONTROLS}\u2028\u2029]")
_DISGUISES = "\u3000\uff01-\uff5e\U0001d400-\U0001d7ff"
_DISGUISED = re.compile(f"[{_DISGUISES}]")
# A terminal's colours hide a secret from the matcher as well.
_HIDDEN = re.compile(
    f"\x1b\\[[0-9;]{{0,16}}[A-Za-z]|[{_INVISIBLE_RANGES}{_DISGUISES}\x00-\x08\x0e-\x1f\x7f-\x9f]"
)
_CONTROL_BYTE = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
# Every alternative is short and fixed, so this is linear in `re` too, which is faster here: it
# looks for the first byte of all of them at once.
_WRAPPED = re.compile(
    rb"[%&\\](?:(?<=%)[2-7][0-9A-Fa-f]|(?<=&)(?:quot|apos|amp|lt|gt|#[0-9]{2,3}|#x[0-9A-Fa-f]{2});"
    rb"|(?<=\\)\\{0,3}(?:u00[2-7][0-9A-Fa-f]|x[2-7][0-9A-Fa-f]|[nrt\"'/=:]))"
)


def escape_invisible(content: str) -> tuple[str, int]:
    """The content with every invisible or control character made visible, and how many."""
    return _ESCAPED.subn(lambda found: f"\\u{{{ord(found.group()):04X}}}", content)


@attrs.frozen
class Reading:
    data: bytes
    _here: list[int]
    """Where each piece begins in `data`, ascending."""
    _there: list[int]
    """Where it begins in the text."""
    _ends: list[int]
    """Where it ends in the text, for a piece that stands for other bytes; -1 for a verbatim one."""
    _before: Reading | None = None
    """The reading that this one is a reading of."""

    def span_of(self, span: Span) -> Span:
        """The bytes of the text behind a span of this reading, hidden ones inside included."""
        first = bisect_right(self._here, span.start) - 1
        last = bisect_right(self._here, span.end - 1) - 1
        start, end = self._there[first], self._ends[last]
        if self._ends[first] < 0:
            start += span.start - self._here[first]
        if end < 0:
            end = self._there[last] + span.end - self._here[last]
        behind = Span(start, end)
        return self._before.span_of(behind) if self._before else behind


def readings(data: bytes) -> Iterator[Reading]:
    """The other readings of a text, as far as they differ from it."""
    visible = None
    if not data.isascii() or _CONTROL_BYTE.search(data) is not None:
        visible = _visible(data)
        if visible is not None:
            yield visible
    unwrapped = _unwrapped(visible.data if visible else data, visible)
    if unwrapped is not None:
        yield unwrapped


def _visible(data: bytes) -> Reading | None:
    # Bytes that are no UTF-8 become one stand-in each and keep their place.
    content = data.decode("utf-8", "surrogateescape")
    changes = []
    position = offset = 0
    for found in _HIDDEN.finditer(content):
        offset += _size(content[position : found.start()])
        size = _size(found.group())
        plain = unicodedata.normalize("NFKC", found.group()) if _is_disguise(found.group()) else ""
        changes.append((offset, offset + size, plain.encode("ascii", "ignore")))
        offset += size
        position = found.end()
    return _changed(data, changes, None) if changes else None


def _unwrapped(data: bytes, before: Reading | None) -> Reading | None:
    changes = [
        (found.start(), found.end(), _plain(found.group())) for found in _WRAPPED.finditer(data)
    ]
    return _changed(data, changes, before) if changes else None


def _changed(data: bytes, changes: list[tuple[int, int, bytes]], before: Reading | None) -> Reading:
    pieces: list[bytes] = []
    here: list[int] = []
    there: list[int] = []
    ends: list[int] = []
    size = position = 0

    def add(piece: bytes, start: int, end: int) -> None:
        nonlocal size
        if piece:
            pieces.append(piece)
            here.append(size)
            there.append(start)
            ends.append(end)
            size += len(piece)

    for start, end, plain in changes:
        add(data[position:start], position, -1)
        add(plain, start, end)
        position = end
    add(data[position:], position, -1)
    return Reading(b"".join(pieces), here, there, ends, before)


@lru_cache(maxsize=1_024)
def _plain(wrapped: bytes) -> bytes:
    """The one byte that an escape stands for; a space for the white space among them."""
    if wrapped[:1] == b"&":
        return html.unescape(wrapped.decode("ascii")).encode("ascii", "ignore")[:1]
    code = wrapped.lstrip(b"\\%")
    if wrapped[:1] == b"%":
        return bytes([int(code, 16)])
    if len(code) > 1:
        return bytes([int(code[1:], 16)])
    return b"\n" if code in b"nrt" else code


def _is_disguise(character: str) -> bool:
    return _DISGUISED.match(character) is not None


def _size(content: str) -> int:
    return len(content) if content.isascii() else len(content.encode("utf-8", "surrogateescape"))
