"""Encodings: text written as base64, in hexadecimal or as a list of numbers or characters."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Callable, Iterator

from sightline.egress.secret_patterns import SecretPatternSet, compiled
from sightline.egress.text_reading import Change, Reading, changed

# Four characters of base64 that encode three of ASCII: the first bit of each byte is 0.
_QUAD = rb"(?:[A-Za-f][A-HQ-Xg-nw-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/_\-])"
_BASE64 = compiled(
    rb"(?:^|[^A-Za-z0-9+])(" + _QUAD + rb"{4}[A-Za-z0-9+/_\-]*={0,2}"
    # The beginning of compressed data.
    rb"|H4sIA[A-Za-z0-9+/_\-]{40,}={0,2}|eJ[wxyz0-9][A-Za-z0-9+/_\-]{40,}={0,2})"
)
_MORE_LINES = re.compile(
    rb"(?:\\r)?(?:\\n)?[\"'`,+ \t\\]{0,8}\r?\n[ \t\"'`+#>*|\-]{0,40}([A-Za-z0-9+/]{4,}={0,2})"
)
_HEXADECIMAL = compiled(rb"(?:^|[^0-9A-Za-z])(?:0x)?((?:[2-7][0-9A-Fa-f]){12,})(?:[^0-9A-Za-z]|$)")
_NUMBER = rb"(?:0[xX][2-7][0-9A-Fa-f]|3[2-9]|[4-9][0-9]|1[01][0-9]|12[0-6])"
_NUMBERS = compiled(
    rb"(?:^|[^0-9A-Za-z.\-])("
    + _NUMBER
    + rb"(?:,[ \t\r\n]{0,40}"
    + _NUMBER
    + rb"){7,})(?:[^0-9.]|$)"
)
_ONE_NUMBER = re.compile(rb"0[xX][0-9A-Fa-f]{2}|[0-9]{2,3}")
# A memory dump, with or without offsets in front: `67 68 70 5f …`.
_DUMPED = compiled(
    rb"(?:^|[^0-9A-Za-z])((?:[2-7][0-9A-Fa-f][ :\-]{1,2}){11,}[2-7][0-9A-Fa-f])(?:[^0-9A-Za-z]|$)"
)
_BITS = compiled(rb"(?:^|[^0-9A-Za-z])((?:0[01]{7}[ \t,]{1,2}){5,}0[01]{7})(?:[^0-9A-Za-z]|$)")
_DUMP_BLOCK = compiled(
    rb"(?m)(?:^[ \t]*[0-9A-Fa-f]{4,10}:?[ \t]{1,4}(?:[0-9A-Fa-f]{2,4}[ \t]{1,3}){3,16}"
    rb"[^\r\n]*\r?\n?){2,}"
)
_DUMP_ROW = re.compile(
    rb"[ \t]*[0-9A-Fa-f]{4,10}:?[ \t]{1,4}((?:[0-9A-Fa-f]{2,4}[ \t]{1,2}){0,15}[0-9A-Fa-f]{2,4})"
    rb"(?=\s|\||$)"
)
_BASE32 = compiled(rb"(?i)b(?:ase)?32[a-z_.:]*\([ \t]{0,4}[\"']([A-Z2-7]{24,}=*)[\"']")
_SPACED = compiled(rb"(?:^|\s)((?:[!-~][ \t]{1,4}){15,}[!-~])(?:\s|$)")
_EIGHT_BITS = re.compile(rb"[01]{8}")
_PAIR = re.compile(rb"[0-9A-Fa-f]{2}")
_CHARACTERS = compiled(
    rb"('[!-~]'(?:,[ \t\r\n]{0,8}'[!-~]'){7,}|\"[!-~]\"(?:,[ \t\r\n]{0,8}\"[!-~]\"){7,})"
)
_ONE_CHARACTER = re.compile(rb"['\"](.)['\"]")
_LONGEST_LINE = 76
_SHORTEST_LINE = 32
_MOST_LINES = 20_000
_MOST_INFLATED = 1 << 18


def decoded(data: bytes, before: Reading | None) -> Reading | None:
    """Return the text with encoded text decoded; None if there is none."""
    apart: list[Change] = []
    for change in sorted(_changes(data)):
        if not apart or change[0] >= apart[-1][1]:
            apart.append(change)
    return changed(data, apart, before) if apart else None


def _changes(data: bytes) -> Iterator[Change]:
    for index in _SIGNS.found_in(data):
        yield from _RULES[index][1](data)


def _from_base64(data: bytes) -> Iterator[Change]:
    reached = 0
    for found in _BASE64.finditer(data):
        start, end = found.start(1), found.end(1)
        if start < reached:
            continue
        runs = [found.group(1)]
        if _SHORTEST_LINE <= end - start <= _LONGEST_LINE and len(runs[0]) % 4 == 0:
            end = _further_lines(data, end, runs)
        reached = end
        text = _text_of(b"".join(runs))
        if text is not None:
            yield start, end, text


def _from_hexadecimal(data: bytes) -> Iterator[Change]:
    for found in _HEXADECIMAL.finditer(data):
        if len(found.group(1)) % 2 == 0:
            yield found.start(1), found.end(1), bytes.fromhex(found.group(1).decode("ascii"))


def _from_dumps(data: bytes) -> Iterator[Change]:
    for found in _DUMPED.finditer(data):
        pairs = _PAIR.findall(found.group(1))
        yield found.start(1), found.end(1), bytes(int(pair, 16) for pair in pairs)


def _from_dump_lines(data: bytes) -> Iterator[Change]:
    """Decode the lines of a dump, each with its offset in front."""
    for block in _DUMP_BLOCK.finditer(data):
        content = bytearray()
        for line in block.group().split(b"\n"):
            row = _DUMP_ROW.match(line)
            if row is not None:
                digits = row.group(1).translate(None, b" \t")
                content += bytes.fromhex(digits[: len(digits) // 2 * 2].decode("ascii"))
        printable = sum(32 <= byte < 127 for byte in content[:300])
        if content and printable * 10 >= len(content[:300]) * 9:
            yield block.start(), block.end(), bytes(content) + b"\n"


def _from_base32(data: bytes) -> Iterator[Change]:
    for found in _BASE32.finditer(data):
        value = found.group(1).rstrip(b"=")
        try:
            text = base64.b32decode(value + b"=" * (-len(value) % 8), casefold=True)
        except (binascii.Error, ValueError):
            continue
        if all(32 <= byte < 127 for byte in text):
            yield found.start(1), found.end(1), text


def _from_spaced(data: bytes) -> Iterator[Change]:
    for found in _SPACED.finditer(data):
        yield found.start(1), found.end(1), found.group(1).translate(None, b" \t")


def _from_bits(data: bytes) -> Iterator[Change]:
    for found in _BITS.finditer(data):
        groups = _EIGHT_BITS.findall(found.group(1))
        yield found.start(1), found.end(1), bytes(int(group, 2) for group in groups)


def _from_numbers(data: bytes) -> Iterator[Change]:
    for found in _NUMBERS.finditer(data):
        numbers = _ONE_NUMBER.findall(found.group(1))
        yield found.start(1), found.end(1), bytes(int(each, 0) for each in numbers)


def _from_characters(data: bytes) -> Iterator[Change]:
    for found in _CHARACTERS.finditer(data):
        characters = b"".join(_ONE_CHARACTER.findall(found.group(1)))
        yield found.start(1), found.end(1), found.group(1)[:1] + characters + found.group(1)[:1]


def _further_lines(data: bytes, end: int, runs: list[bytes]) -> int:
    """Add the lines below that continue a run of base64, and return where they end."""
    width = len(runs[0])
    while len(runs) < _MOST_LINES and len(runs[-1]) == width:
        found = _MORE_LINES.match(data, end)
        if found is None or len(found.group(1)) > width:
            break
        runs.append(found.group(1))
        end = found.end(1)
    return end


def _text_of(encoded: bytes) -> bytes | None:
    """Return the text in some base64, or None if it is not text."""
    bare = encoded.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
    if len(bare) % 4 == 1:
        bare = bare[:-1]
    try:
        text = base64.b64decode(bare + b"=" * (-len(bare) % 4))
    except (binascii.Error, ValueError):
        return None
    if text[:2] == b"\x1f\x8b" or text[:1] == b"\x78":
        text = _inflated(text) or text
    if len(text) >= 16 and not any(text[1:200:2]):
        # UTF-16, as PowerShell takes encoded commands.
        text = text[::2]
    head = text[:300]
    printable = sum(32 <= byte < 127 or byte in b"\t\r\n" for byte in head)
    return text if printable * 10 >= len(head) * 9 else None


def _inflated(compressed: bytes) -> bytes:
    try:
        return zlib.decompressobj(47).decompress(compressed, _MOST_INFLATED)
    except zlib.error:
        return b""


# What a text must contain for a rule to be tried, and the rule.
_RULES: tuple[tuple[bytes, Callable[[bytes], Iterator[Change]]], ...] = (
    (
        rb"(?:^|[^A-Za-z0-9+])(?:" + _QUAD + rb"{4}|H4sIA|eJ[wxyz0-9][A-Za-z0-9+/_\-]{40})",
        _from_base64,
    ),
    (rb"(?:[2-7][0-9A-Fa-f]){12}", _from_hexadecimal),
    (rb"(?:[2-7][0-9A-Fa-f][ :\-]{1,2}){11}", _from_dumps),
    (rb"(?:0[01]{7}[ \t,]{1,2}){5}", _from_bits),
    (
        rb"(?m)^[ \t]*[0-9A-Fa-f]{4,10}:?[ \t]{1,4}(?:[0-9A-Fa-f]{2,4}[ \t]{1,3}){3}",
        _from_dump_lines,
    ),
    (rb"(?i)b(?:ase)?32[a-z_.:]*\(", _from_base32),
    (rb"(?:[!-~][ \t]{1,4}){15}", _from_spaced),
    (_NUMBER + rb"(?:,[ \t\r\n]{0,40}" + _NUMBER + rb"){7}", _from_numbers),
    (
        rb"'[!-~]'(?:,[ \t\r\n]{0,8}'[!-~]'){7}|\"[!-~]\"(?:,[ \t\r\n]{0,8}\"[!-~]\"){7}",
        _from_characters,
    ),
)
_SIGNS = SecretPatternSet((sign for sign, _ in _RULES), group="encodings")
