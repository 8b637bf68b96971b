"""Encoded values: one line names a password and the way it is encoded, and the value stands there.

`password_rot13 = …`, `# the password, base64` with the value below it, `<password encoding="hex">`,
`; read backwards`: a short value looks like nothing until it is read as the line says.
"""

from __future__ import annotations

import base64
import binascii
import codecs
from collections.abc import Callable, Iterator

from sightline.egress.generated import is_generated
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form
from sightline.egress.secret_patterns import compiled_for_texts, compiled_for_values
from sightline.egress.spoken import is_made_up_word
from sightline.egress.telling_words import FOREIGN_PASSWORDS
from sightline.egress.value_forms import is_placeholder
from sightline.egress.weak import is_weak_content
from sightline.text import Span

_TELLING = (
    rb"(?:pass(?:word|wd|phrase|code|wort)?|pwd|passwd|secret|token|api[ _\-]?key|credential|"
    + b"|".join(word for word in FOREIGN_PASSWORDS if not word.isascii() or len(word) > 4)
    + rb")"
)
_ENCODING = (
    rb"(?:base[ _\-]?(?:64|32|85|58)|b64|b32|b85|hex(?:adecimal)?|rot[ _\-]?13|reversed?|backwards?"
    rb"|ascii[ _\-]?85|mirrored|rueckwaerts|r\xc3\xbcckw\xc3\xa4rts|al rev\xc3\xa9s"
    rb"|\xc3\xa0 l'envers)"
)
_LINE = compiled_for_texts(
    rb"(?i)(?:"
    + _TELLING
    + rb"[^\r\n]{0,60}?[^a-z\r\n]"
    + _ENCODING
    + rb"|"
    + _ENCODING
    + rb"[^\r\n]{0,60}?[^a-z\r\n]"
    + _TELLING
    + rb")"
)
_NAMED = compiled_for_values(rb"(?i)" + _ENCODING)
_VALUE = compiled_for_values(
    rb"[^\r\n:=>\"'`]{0,60}[\"'`]?[ \t]{0,4}(?:=>|[:=>]|\bis\b)[ \t]{0,4}"
    rb"(?:\"([^\"\r\n]{4,200})\"|'([^'\r\n]{4,200})'|`([^`\r\n]{4,200})`"
    rb"|([^\s\"'`<>,;|{}\[\]()]{4,200}(?: [a-z]{2,20}){0,8})[ \t]{0,4}(?:[<,;|#)]|\r?\n|$))"
)
_FIRST_STRING = compiled_for_values(rb"[^\"'`\r\n]{0,60}[\"'`]([^\"'`\r\n]{6,200})[\"'`]")
_BELOW = compiled_for_values(
    rb"[^\r\n]{0,120}\r?\n[ \t]{0,40}(?:[#>*;|]|//|--)?[ \t]{0,20}"
    rb"(?:(?:[A-Za-z_][A-Za-z0-9_.\-]{0,60}[ \t]{0,4}(?:=|:)[ \t]{0,4})?"
    rb"[\"'`]?([^\s\"'`]{6,200})[\"'`]?;?[ \t]{0,4}(?:\r?\n|$))"
)
_DIGIT = compiled_for_values(rb"[0-9]")
_MOST = 1_000


def encoded_values(data: bytes) -> Iterator[Finding]:
    for count, line in enumerate(_LINE.finditer(data)):
        if count == _MOST:
            return
        encoding = next(iter(_NAMED.finditer(line.group())), None)
        if encoding is None:
            continue
        decode = _decoder(encoding.group().lower())
        for pattern in (_VALUE, _FIRST_STRING, _BELOW):
            found = pattern.match(data, line.end())
            if found is None:
                continue
            group = found.lastindex or 1
            finding = _judged(found.group(group), found.start(group), decode)
            if finding is not None:
                yield finding
                break


def _judged(written: bytes, start: int, decode: Callable[[bytes], bytes | None]) -> Finding | None:
    value = written.rstrip(b".,;:)")
    text = decode(value)
    if text is None or not 4 <= len(text) <= 200 or is_placeholder(text):
        return None
    span = Span(start, start + len(value))
    if is_generated(text):
        return Finding(span, "encoded-value", "password", Certainty.CERTAIN, True)
    is_told = b" " in text or (_DIGIT.search(text) is not None and is_made_up_word(text))
    if is_told and is_weak_content(text, b"password", Form.QUOTED):
        return Finding(span, "weak-encoded-value", "weak", Certainty.WEAK, True)
    return None


def _decoder(name: bytes) -> Callable[[bytes], bytes | None]:
    if b"64" in name:
        return _from_base64
    if b"32" in name:
        return _from_base32
    if b"85" in name:
        return _from_base85
    if b"hex" in name:
        return _from_hexadecimal
    return _from_rot13 if b"rot" in name else _backwards


def _from_base64(value: bytes) -> bytes | None:
    bare = value.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
    try:
        return _printable(base64.b64decode(bare + b"=" * (-len(bare) % 4), validate=True))
    except (binascii.Error, ValueError):
        return None


def _from_base32(value: bytes) -> bytes | None:
    bare = value.rstrip(b"=")
    try:
        return _printable(base64.b32decode(bare + b"=" * (-len(bare) % 8), casefold=True))
    except (binascii.Error, ValueError):
        return None


def _from_base85(value: bytes) -> bytes | None:
    for decode in (base64.b85decode, base64.a85decode):
        try:
            text = _printable(decode(value))
        except ValueError:
            continue
        if text is not None:
            return text
    return None


def _from_hexadecimal(value: bytes) -> bytes | None:
    try:
        return _printable(binascii.unhexlify(value.removeprefix(b"0x")))
    except (binascii.Error, ValueError):
        return None


def _from_rot13(value: bytes) -> bytes | None:
    if not value.isascii():
        return None
    return codecs.encode(value.decode("ascii"), "rot13").encode("ascii")


def _backwards(value: bytes) -> bytes | None:
    return value[::-1]


def _printable(text: bytes) -> bytes | None:
    if not all(9 <= byte < 127 for byte in text):
        text = text[::2] if text and not any(text[1::2]) else b""
    return text.strip() if text and all(32 <= byte < 127 for byte in text) else None
