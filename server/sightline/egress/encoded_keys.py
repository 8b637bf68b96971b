"""Private keys without markers: their binary encodings in base64, hexadecimal and numbers.

A key is recognised by its structure, which also gives its length. So its bounds are known if all of
it is there, in however many pieces.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from sightline.egress.key_structure import LEAST, key_structure
from sightline.egress.model import Certainty, Finding
from sightline.egress.pieces import chained
from sightline.egress.secret_patterns import SecretPattern, SecretPatternSet, compiled
from sightline.text import Span

# The first bits of the structures in `key_structure`, and of a PEM block that is encoded once more.
_BASE64 = (
    rb"(?:^|[^A-Za-z0-9])(M[C-I][A-Za-z0-9+/]{10}|b3BlbnNzaC1rZXkt|/u3\+7QAAAAI|l[I-X][A-Za-z0-9+/]{10}"
    rb"|x[TUVWX][A-Za-z0-9+/]{10}|LS0tLS1CRUdJTiB[EFPQS])"
)
_HEAD_SIZE = 12
_P = rb"(?:0x|\\{1,4}x|x|\$|&h|#)?"
# What may stand around a number besides punctuation: a suffix of its type, a comment, a cast.
_SUFFIX = rb"(?:_?u8|[uU][lL]{0,2})?"
_NOTE = rb"(?:/\*[^*\n]{0,60}\*/\s{0,24}|//[^\n]{0,60}\n\s{0,24})?"
_CAST = rb"(?:\((?:byte|char|sbyte|uint8_t|unsigned char)\)[ \t]{0,2})?"
_S = _SUFFIX + rb"[\s,:;\"'+|]{0,24}" + _NOTE + _CAST + rb"\\{0,2}\s{0,24}"
_ANY = _S + _P + rb"[0-9a-f]{2}"
_HEXADECIMAL = (
    rb"(?i)(?:^|[^0-9a-z]|\\n|0x|\\x|\bx|:)"
    + _P
    + rb"(30"
    + _S
    + _P
    + rb"(?:82"
    + _ANY
    + _ANY
    + rb"|81"
    + _ANY
    + rb"|[2-7][0-9a-f])"
    + rb"(?:"
    + _S
    + _P
    + rb"02"
    + _S
    + _P
    + rb"01"
    + _S
    + _P
    + rb"0[013]"
    + rb"|"
    + _S
    + _P
    + rb"30"
    + _ANY
    + _S
    + _P
    + rb"06"
    + _S
    + _P
    + rb"09"
    + _S
    + _P
    + rb"2a))"
)
# The beginning of the first number; the search ends at `endpos`, so `\Z` matches there.
_PREFIX = re.compile(rb"(?:0[xX]|\\{1,4}x|&[hH])\Z")
_TYPE_SUFFIX = re.compile(_SUFFIX)
_HEX_BYTE = re.compile(
    _SUFFIX + rb"[\s,:;\"'+|){}\[\]_.]{0,40}" + _NOTE + _CAST + rb"[(]?"
    rb"(?:\\{1,2}\s{0,40})?[\"']?(?:0[xX]|\\{1,4}x|x|\$|&[hH]|#)?([0-9A-Fa-f]{2})"
)
_COMMA = rb"\s{0,24},\s{0,24}"
_DECIMAL = (
    rb"(?:^|[^0-9.])(48"
    + _COMMA
    + rb"(?:(?:130|-126)"
    + _COMMA
    + rb"-?[0-9]{1,3}"
    + _COMMA
    + rb"-?[0-9]{1,3}|(?:129|-127)"
    + _COMMA
    + rb"-?[0-9]{1,3}|[0-9]{2,3})"
    + _COMMA
    + rb"(?:2"
    + _COMMA
    + rb"1"
    + _COMMA
    + rb"[013]|48"
    + _COMMA
    + rb"-?[0-9]{1,3}"
    + _COMMA
    + rb"6"
    + _COMMA
    + rb"9))\b"
)
_DECIMAL_BYTE = re.compile(rb"[\s,;|(){}\[\]]{0,60}(-?[0-9]{1,3})\b")
_BASE64_PATTERN, _HEXADECIMAL_PATTERN, _DECIMAL_PATTERN = map(
    compiled, (_BASE64, _HEXADECIMAL, _DECIMAL)
)
_OFFSET = re.compile(rb"(?:^|[^0-9A-Za-z])[0-9A-Fa-f]{4,16}:?[ \t]{1,4}$")
_BYTE_COLUMN = re.compile(
    rb"[^0-9A-Fa-f]{0,20}[0-9A-Fa-f]{4,16}:?[ \t]{1,4}"
    rb"((?:[0-9A-Fa-f]{2}[ \t:\-]?(?:[ \t](?=[0-9A-Fa-f]{2}))?){1,32})"
)
_DUMP_LINE = re.compile(rb"[^\n]{0,40}?(?:[0-9A-Fa-f]{2}[ \t:]{0,3}){4}[^\n]{0,200}\n?")
_LONGEST = 1 << 16
_LEAST_CHARACTERS = 48
_HEAD_BYTES = 28
_HEAD_REACH = 560
_MARKER_SIZE = 40
"""The size of a block's marker in base64."""


def encoded_keys(data: bytes) -> Iterator[Finding]:
    for index in _SIGNS.found_in(data):
        yield from _RULES[index][1](data)


def _in_base64(data: bytes) -> Iterator[Finding]:
    position = 0
    while (found := _BASE64_PATTERN.search(data, position)) is not None:
        start = found.start(1)
        position = start + 1
        finding = None
        if found.group(1).startswith(b"LS0t"):
            finding = _wrapped(data, start)
        elif _may_be_key(found.group(1)):
            finding = _structured(data, start)
        if finding is not None:
            yield finding
            position = finding.span.end


def _may_be_key(head: bytes) -> bool:
    """True if the first bytes fit: most words with such a beginning are rejected here."""
    first = base64.b64decode(head[:8])
    if first[0] != 0x30:
        return True
    skipped = 2 if first[1] < 0x80 else 2 + (first[1] & 0x7F)
    return skipped < len(first) and first[skipped] in (0x02, 0x30)


def _structured(data: bytes, start: int) -> Finding | None:
    head = chained(data, start, LEAST * 4).content
    structure = key_structure(_decoded(head[:64]))
    if structure is None:
        return None
    size = (structure.size * 4 + 2) // 3
    chain = chained(data, start, size)
    count = len(chain.content.rstrip(b"="))
    if count < _LEAST_CHARACTERS:
        return None
    is_whole = bool(size) and size <= count <= size + 3
    return _finding(structure.detector, start, chain.end, is_bounded=is_whole)


def _wrapped(data: bytes, start: int) -> Finding | None:
    """Find a block that was encoded in base64 once more, markers included."""
    head = _decoded(chained(data, start, _MARKER_SIZE).content)
    if b"BEGIN" not in head[:40] or b"PRIVATE" not in head[:60]:
        return None
    chain = chained(data, start)
    text = _decoded(chain.content)
    if len(text) < _LEAST_CHARACTERS * 2:
        return None
    is_whole = b"-----END" in text[-80:]
    return _finding("wrapped-private-key", start, chain.end, is_bounded=is_whole)


def _in_numbers(data: bytes) -> Iterator[Finding]:
    yield from _numbered(data, _HEXADECIMAL_PATTERN, _HEX_BYTE, 16)


def _in_decimals(data: bytes) -> Iterator[Finding]:
    yield from _numbered(data, _DECIMAL_PATTERN, _DECIMAL_BYTE, 10)


def _numbered(
    data: bytes, pattern: SecretPattern, one: re.Pattern[bytes], base: int
) -> Iterator[Finding]:
    position = 0
    while (found := pattern.search(data, position)) is not None:
        position = found.end(1)
        for finding in _listed(data, found.start(1), one, base):
            yield finding
            position = finding.span.end


def _listed(data: bytes, start: int, one: re.Pattern[bytes], base: int) -> Iterator[Finding]:
    """Return the key whose bytes are written one by one from an offset on."""
    line = data[max(0, start - 40) : start].rpartition(b"\n")[2]
    is_dump = _OFFSET.search(line) is not None
    if is_dump:
        head = _dump_head(data, start)
    else:
        numbers = one.findall(data, start, start + _HEAD_REACH)[:_HEAD_BYTES]
        if base == 16:
            head = bytes.fromhex(b"".join(numbers).decode("ascii"))
        else:
            head = bytes([int(number) & 0xFF for number in numbers])
    structure = key_structure(head)
    if structure is None:
        return
    content, end = _bytes_from(data, start, one, base, min(structure.size, _LONGEST))
    if len(content) < _LEAST_CHARACTERS // 2:
        return
    is_whole = len(content) == structure.size and not is_dump
    if is_dump:
        # A dump has offsets and characters beside the numbers: continue to its end.
        end = _dump_end(data, start)
    first = _PREFIX.search(data, max(0, start - 4), start)
    start = first.start() if first is not None else start
    yield _finding(structure.detector, start, end, is_bounded=is_whole)


def _bytes_from(
    data: bytes, start: int, one: re.Pattern[bytes], base: int, most: int
) -> tuple[bytes, int]:
    content = bytearray()
    position = start
    while len(content) < most:
        found = one.match(data, position)
        if found is None:
            break
        content.append(int(found.group(1), base) & 0xFF)
        position = found.end()
    suffix = _TYPE_SUFFIX.match(data, position)
    return bytes(content), suffix.end() if suffix is not None else position


def _dump_head(data: bytes, start: int) -> bytes:
    """Return the bytes of the first lines of a dump, without the columns beside them."""
    lines = data[start : start + 400].split(b"\n")[:3]
    rows = [_BYTE_COLUMN.match(line) for line in [b"0000: " + lines[0], *lines[1:]]]
    digits = b"".join(row.group(1) for row in rows if row is not None)
    digits = digits.translate(None, b" \t:-")
    return bytes.fromhex(digits[: len(digits) // 2 * 2].decode("ascii"))


def _dump_end(data: bytes, start: int) -> int:
    """Return where the lines of a dump end."""
    end = start
    while (found := _DUMP_LINE.match(data, end)) is not None:
        end = found.end()
    return end


def _decoded(value: bytes) -> bytes:
    value = value.rstrip(b"=")
    try:
        return base64.b64decode(value[: len(value) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def _finding(detector: str, start: int, end: int, *, is_bounded: bool) -> Finding:
    return Finding(Span(start, end), detector, "private_key", Certainty.CERTAIN, is_bounded)


_RULES: tuple[tuple[bytes, Callable[[bytes], Iterator[Finding]]], ...] = (
    (_BASE64, _in_base64),
    (_HEXADECIMAL, _in_numbers),
    (_DECIMAL, _in_decimals),
)
_SIGNS = SecretPatternSet((sign for sign, _ in _RULES), group="forms")
