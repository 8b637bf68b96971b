"""Escapes: one character written as several, in strings, URLs, markup and mail."""

from __future__ import annotations

import html
import re
from functools import lru_cache

from sightline.egress.secret_patterns import compiled_for_texts
from sightline.egress.text_reading import Reading, changed

# Every alternative is short and fixed, so this is linear in `re` too. `re` is faster here, because
# it searches for all first bytes at once.
_ESCAPE = re.compile(
    rb"[%&\\](?:(?<=%)(?:[2-7A-Fa-f89][0-9A-Fa-f]|0[9AaDd]|u00[2-7][0-9A-Fa-f])"
    rb"|(?<=&)(?:quot|apos|amp|lt|gt|colon|equals|nbsp|lowbar|hyphen|num|commat|period|sol"
    rb"|plus|#0{0,4}[0-9]{2,5}|#[xX]0{0,4}[0-9A-Fa-f]{1,5}"
    rb"|[A-Za-z](?:acute|grave|circ|tilde|uml|cedil|ring|slash|caron)|szlig|[ao]elig);"
    rb"|(?<=\\)\\{0,3}(?:u00(?:[2-7][0-9A-Fa-f]|0[9AaDd])"
    # Letters of other alphabets.
    rb"|u(?:00[A-Fa-f][0-9A-Fa-f]|0[1-9A-Fa-f][0-9A-Fa-f]{2}|[1-9A-Fa-f][0-9A-Fa-f]{3})|x(?:[2-7][0-9A-Fa-f]|0[9AaDd])|u\{0{0,4}[2-7][0-9A-Fa-f]\}"
    rb"|x\{0{0,4}[2-7][0-9A-Fa-f]\}|U000000[2-7][0-9A-Fa-f]|[01][0-7][0-7]|[nrt\"'/=:#]))"
)
# Quoted-printable: soft line ends, and characters that it always encodes.
_MAIL = compiled_for_texts(rb"(?m)^(?:Subject|MIME-Version|Content-Type):[ \t]")
_SOFT_ESCAPE = re.compile(rb"=(?:\r?\n|3D)")

_FIRST_OF_OTHERS = 0x80
_UNSEEN = frozenset((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))


def unescaped(data: bytes, before: Reading | None) -> Reading | None:
    """Return the text with its escapes decoded; None if it has no escapes."""
    changes = [(*found.span(), _plain(found.group())) for found in _ESCAPE.finditer(data)]
    if b"=3D" in data or b"quoted-printable" in data or _MAIL.search(data) is not None:
        changes += [(*found.span(), _plain(found.group())) for found in _SOFT_ESCAPE.finditer(data)]
        changes.sort()
    return changed(data, changes, before) if changes else None


@lru_cache(maxsize=1_024)
def _plain(escape: bytes) -> bytes:
    """Return the character that an escape stands for; a line end for escaped white space."""
    if escape[:1] == b"&":
        text = html.unescape(escape.decode("ascii")).replace("\xa0", " ")
        return text.encode("utf-8", "surrogatepass")
    if escape[:1] == b"=":
        return b"=" if escape == b"=3D" else b""
    code = escape.lstrip(b"\\%")
    if escape[:1] == b"%":
        return bytes([int(code[-2:], 16)])
    if len(code) == 1:
        return b"\n" if code in b"nrt" else code
    if code[:1] in b"01":
        return bytes([int(code, 8)])
    number = int(code[1:].strip(b"{}"), 16)
    if number < _FIRST_OF_OTHERS:
        return bytes([number])
    return b"" if number in _UNSEEN else chr(number).encode("utf-8", "surrogatepass")
