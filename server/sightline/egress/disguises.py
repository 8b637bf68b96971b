"""Disguises: characters that a reader mistakes for others, or does not see.

* invisible ones: format characters, variation selectors, combining marks, a terminal's colours;
* letters and digits in another form: full-width, circled, mathematical, with accents;
* look-alikes from other scripts: Cyrillic, Greek, Armenian, Cherokee;
* text that is stored backwards and shown forwards, by an override of its direction;
* typographic quotes, dashes, arrows and spaces.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from sightline.egress.text_reading import Change, Reading, changed
from sightline.text import Span

# Default-ignorable and format characters: a reader does not see them, and a matcher fails on them.
INVISIBLE_RANGES = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_MARK = re.compile(f"[{_MARKS}]")
_CONTROLS = bytes([*range(0x09), *range(0x0E, 0x20), 0x7F])
_UNSEEN = (
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2066\u2067\u2068\u2069\ufeff"
)
"""Those that occur around a value: they change its direction, or separate it
from its neighbours.
"""
_WIDEST_UNSEEN = 48
_NOT_ASCII = 0x80
# A terminal's colour, or a run of characters outside of printable ASCII.
_FOREIGN = re.compile("\x1b\\[[0-9;]{0,16}[A-Za-z]|[^\t-\r -~]+")
# Each letter of the second line looks like the one above it.
_LOOK_ALIKES = (
    (
        # Cyrillic.
        "abceghijklmnopqrstuvwxyzABCEHIJKMOPSTXYZabcdehopsw",
        "авсеԍһіјкӏмпорԛгѕтцѵԝхуᴢАВСЕНІЈКМОРЅТХҮΖɑЬϲԁҽհօрꜱѡ",
    ),
    (
        # Greek.
        "aeiknoptuvxywABEHIKMNOPTXYZcsy",
        "αεικηορτυνχγωΑΒΕΗΙΚΜΝΟΡΤΧΥΖςσү",
    ),
    (
        # Armenian, Cherokee, letters of phonetic alphabets, letters with a stroke.
        "aghnoquSLOUDRTASEdgilnorstuzkwvpfbdhtloiDL",
        "ագհոօզսՏԼՕՍᎠᎡᎢᎪᏚᎬɗɡɩӏɴᴏʀꜱᴛᴜᴢᴋᴡᴠᴘꜰʙđħŧłøıĐŁ",
    ),
)
_LOOK_ALIKE_TABLE = {
    ord(each): plain
    for shown, hidden in _LOOK_ALIKES
    for plain, each in zip(shown, hidden, strict=True)
}
_OVERRIDE = "\u202e".encode()
# Up to the mark that ends it, or the end of the line.
_TURNED = re.compile("\u202e([^\u202a-\u202e\u2066-\u2069\r\n]{1,400})\u202c?")
_SIGNS = {
    '"': "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u301d\u301e\u301f\u300c\u300d\u300e\u300f"
    "\u275d\u275e",
    "'": "\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u275b\u275c\u02bc\u02b9",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\u02d7",
    "_": "\u203f\u2017",
    ":": "\ua789\u02d0\u0589\u2236\u05c3",
    "=": "\ua78a\u2e40",
    "/": "\u2044\u2215\u29f8",
    ".": "\u2024\u00b7",
    "*": "\u2217\u204e",
    "=>": "\u2192\u21d2\u21e8\u2794\u279c\u279d\u279e\u27a1\u27f6\u27f9",
    "<-": "\u2190\u21d0\u27f5\u27f8",
    " ": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f"
    "\u205f\u3000\u2800",
    "\n": "\u0085\u2028\u2029",
}


def seen(data: bytes, before: Reading | None = None) -> Reading | None:
    """Return the text as a reader sees it; None if that is the text itself."""
    if data.isascii() and len(data.translate(None, _CONTROLS)) == len(data):
        return None
    # Bytes that are not UTF-8 become one stand-in each and keep their place.
    content = data.decode("utf-8", "surrogateescape")
    table = _disguises()
    changes: list[Change] = []
    position = offset = 0
    for found in _FOREIGN.finditer(content):
        start, end = found.span()
        foreign = found.group()
        plain = "" if foreign[0] == "\x1b" and len(foreign) > 1 else foreign.translate(table)
        # The text between is ASCII, a byte for each character.
        offset += start - position
        size = len(foreign.encode("utf-8", "surrogateescape"))
        if plain != foreign:
            encoded = plain.encode("utf-8", "surrogateescape")
            changes.append((offset, offset + size, encoded))
        offset += size
        position = end
    return changed(data, changes, before) if changes else None


def turned(data: bytes) -> Reading | None:
    """Return the text with overridden parts in the order in which a reader sees them."""
    if _OVERRIDE not in data:
        return None
    content = data.decode("utf-8", "surrogateescape")
    changes: list[Change] = []
    position = offset = 0
    for found in _TURNED.finditer(content):
        start, end = found.span()
        offset += len(content[position:start].encode("utf-8", "surrogateescape"))
        size = len(found.group().encode("utf-8", "surrogateescape"))
        shown = found.group(1)[::-1].encode("utf-8", "surrogateescape")
        changes.append((offset, offset + size, shown))
        offset += size
        position = end
    return changed(data, changes, None) if changes else None


def look_alike(word: str) -> str:
    """Return a word of another script in the form that `seen` gives it."""
    return "".join(_LOOK_ALIKE_TABLE.get(ord(each), _plain(each) or each) for each in word)


def with_unseen(data: bytes, span: Span) -> Span:
    """Return a span extended by the invisible characters at both ends."""
    start, end = span.start, span.end
    if start and data[start - 1] >= _NOT_ASCII:
        before = data[max(0, start - _WIDEST_UNSEEN) : start].decode("utf-8", "ignore")
        seen_part = before.rstrip(_UNSEEN)
        start -= len(before[len(seen_part) :].encode("utf-8"))
    if end < len(data) and data[end] >= _NOT_ASCII:
        after = data[end : end + _WIDEST_UNSEEN].decode("utf-8", "ignore")
        end += len(after[: len(after) - len(after.lstrip(_UNSEEN))].encode("utf-8"))
    return Span(start, end)


@lru_cache(maxsize=1)
def _disguises() -> dict[int, str | None]:
    """Map each disguise to the plain character; built on first use."""
    table: dict[int, str | None] = {}
    for first, last in _DRESSED:
        plains = ((point, _plain(chr(point))) for point in range(first, last))
        table.update((point, plain) for point, plain in plains if plain)
    table.update(_LOOK_ALIKE_TABLE)
    for plain, signs in _SIGNS.items():
        table.update((ord(each), plain) for each in signs)
    unseen = re.compile(f"[{INVISIBLE_RANGES}{_MARKS}\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
    for point in [*range(0x3200), *range(0xFE00, 0x10000), *range(0x1BCA0, 0x1D180)]:
        if unseen.match(chr(point)):
            table[point] = None
    table.update((point, None) for point in range(0xE0000, 0xE1000))
    return table


# Unicode blocks with letters, digits and signs in another form.
_DRESSED = (
    (0xA0, 0x2C80),
    (0xA720, 0xA800),
    (0xFB00, 0xFB07),
    (0xFE50, 0xFE70),
    (0xFF01, 0xFF5F),
    (0x1D400, 0x1D800),
    (0x1F100, 0x1F200),
)


def _plain(character: str) -> str:
    """Return the ASCII that a character is a form of: `ｐ`, `ⓟ`, `𝓹`, `ṕ` are all `p`."""
    if character.isascii():
        return character
    parts = unicodedata.normalize("NFKD", character)
    bare = _MARK.sub("", parts)
    if len(bare) > 1 and bare[0] == "(" and bare[-1] == ")":
        bare = bare[1:-1]
    if bare.isascii() and bare.isprintable():
        return bare
    named = _LETTER_NAME.fullmatch(unicodedata.name(character, ""))
    if named is None:
        return ""
    return named.group(2).upper() if named.group(1) == "CAPITAL LETTER" else named.group(2).lower()


# Letters without a decomposition: small capitals, turned ones, those with a hook or a stroke, in
# black circles and squares, and regional indicators.
_LETTER_NAME = re.compile(
    r"(?:LATIN|MODIFIER|NEGATIVE|REGIONAL)(?: [A-Z]{2,})*? "
    r"(CAPITAL LETTER|LETTER(?: SMALL)?(?: CAPITAL)?|SMALL LETTER|SMALL|CAPITAL)"
    r"(?: (?:SCRIPT|TURNED|REVERSED|OPEN|CLOSED|BARRED|DOTLESS|INSULAR|LONG))? ([A-Z])(?: WITH .*)?"
)
