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
    # What compresses text begins so.
    rb"|H4sI[AEIC][A-Za-z0-9+/_\-]{40,}={0,2}|eJ[wxyz0-9][A-Za-z0-9+/_\-]{40,}={0,2})"
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
# Characters one by one, as languages write them: `'a', 'b'`, `$a, $b`, `?a ?b`, `#\a #\b`, `#"a"`.
_BETWEEN_ITEMS = rb"(?:[ \t]?[,;][ \t\r\n]{0,8}|[ \t]{1,4})"
_ITEMS = tuple(
    item + rb"(?:" + _BETWEEN_ITEMS + item + rb"){5,}"
    for item in (
        rb"#?'[!-~]'",
        rb"#?\"[!-~]\"",
        rb"\$[!-~]",
        rb"\?\\?[!-~]",
        rb"#\\[!-~]",
        rb"\\[!-~]",
    )
)
_CHARACTERS = compiled(
    rb"(?:^|[^A-Za-z0-9_$])((?:[A-Za-z0-9],[ \t]?)?(?:" + b"|".join(_ITEMS) + rb"))"
)
_ONE_CHARACTER = re.compile(rb"(?:\A([A-Za-z0-9]),)|#?['\"]([!-~])['\"]|(?:\$|\?\\?|#\\|\\)([!-~])")
# Numbers of characters between other signs: `112 97`, `112; 97`, `&H70, &H61`, `$70, $61`,
# `U+0070 U+0061`, octal ones, bytes of two of which one is nothing, and escapes of style sheets.
_HEXADECIMAL_ITEMS = tuple(
    (item, item + rb"(?:[ \t]?[,;]?[ \t\r\n]{0,8}" + item + rb"){5,}")
    for item in (
        rb"&[hH][2-7][0-9A-Fa-f]&?",
        rb"\$[2-7][0-9A-Fa-f]",
        rb"#\$?[2-7][0-9A-Fa-f]",
        rb"U\+00[2-7][0-9A-Fa-f]",
        rb"16#[2-7][0-9A-Fa-f]#?",
        rb"[xX]'[2-7][0-9A-Fa-f]'",
        rb"\\[2-7][0-9A-Fa-f] ?",
        rb"(?:0x)?[2-7][0-9A-Fa-f][, \t\\]{1,3}(?:\r?\n[ \t]{0,8})?(?:0x)?00",
        rb"(?:0x)?00[, \t]{1,3}(?:0x)?[2-7][0-9A-Fa-f]",
    )
)
_OTHER_NUMBERS = compiled(
    rb"(?:^|[^0-9A-Za-z.\-])((?:hex(?:\([0-9a-f]\))?:)?(?:"
    + b"|".join(items for _, items in _HEXADECIMAL_ITEMS)
    + rb"))"
)
_HEXADECIMAL_PAIR = re.compile(rb"(?<![0-9A-Fa-f])(?:00)?([2-7][0-9A-Fa-f])(?![0-9A-Fa-f])")
_DECIMALS = compiled(
    rb"[(\[{|=:\"'][ \t]{0,4}("
    rb"(?:3[3-9]|[4-9][0-9]|1[01][0-9]|12[0-6])"
    rb"(?:(?:[ \t]{1,2}|[ \t]?;[ \t\r\n]{0,8})(?:3[3-9]|[4-9][0-9]|1[01][0-9]|12[0-6])){6,})"
    rb"[ \t]{0,4}(?:[)\]}|\"']|\r?\n|$)"
)
_OCTALS = compiled(
    rb"(?i:octal|\boct\b)[^\r\n]{0,20}?[ \t:=\"'(]("
    rb"\\?(?:0?1[0-7]{2}|0?0?[4-7][0-7])(?:[ \t,\\]{1,2}(?:0?1[0-7]{2}|0?0?[4-7][0-7])){5,})"
)
_ONE_OCTAL = re.compile(rb"[0-7]{2,4}")
_DENSE_BITS = compiled(rb"(?:^|[^0-9A-Za-z])(?:0b)?((?:0[01]{7}){6,})(?:[^0-9A-Za-z]|$)")
_SHORT_DUMP = compiled(
    rb"(?i:hex|dump|bytes)[a-z]{0,8}\)?[\"']?[ \t]{0,2}[:=][ \t]{0,4}[\"']?("
    rb"(?:[2-7][0-9A-Fa-f][ :\-]{1,2}){5,}[2-7][0-9A-Fa-f])(?:[^0-9A-Za-z]|$)"
)
_ASCII85 = compiled(rb"<~([!-u\s]{8,})~>")
_UU_BLOCK = compiled(
    rb"(?m)^begin(?:-base64)?[ \t]+[0-7]{3,4}[ \t]+([^\s]+)[ \t]*\r?\n"
    rb"((?:[!-`][ -`]{4,61}\r?\n)+)[`= ]"
)
_LONGEST_LINE = 76
_SHORTEST_LINE = 32
_MOST_LINES = 20_000
_MOST_INFLATED = 1 << 18


def decoded(data: bytes, before: Reading | None) -> Reading | None:
    """Return the text with its encoded parts decoded; None if it has none."""
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
        items = _ONE_CHARACTER.finditer(found.group(1))
        characters = b"".join(each.group(each.lastindex or 0) for each in items)
        quote = b"'" if b'"' in characters else b'"'
        yield found.start(1), found.end(1), quote + characters + quote


def _from_other_numbers(data: bytes) -> Iterator[Change]:
    for found in _OTHER_NUMBERS.finditer(data):
        written = found.group(1).removeprefix(b"hex")
        pairs = _HEXADECIMAL_PAIR.findall(written.replace(b"16#", b"").replace(b"0x", b""))
        text = bytes(int(pair, 16) for pair in pairs)
        if _is_printable(text):
            yield found.start(1), found.end(1), _in_quotes(text)


def _from_decimals(data: bytes) -> Iterator[Change]:
    for found in _DECIMALS.finditer(data):
        text = bytes(int(each) for each in _ONE_NUMBER.findall(found.group(1)))
        yield found.start(1), found.end(1), _in_quotes(text)


def _from_octals(data: bytes) -> Iterator[Change]:
    for found in _OCTALS.finditer(data):
        codes = [int(each, 8) for each in _ONE_OCTAL.findall(found.group(1))]
        if all(32 < code < 127 for code in codes):
            yield found.start(1), found.end(1), bytes(codes)


def _from_dense_bits(data: bytes) -> Iterator[Change]:
    for found in _DENSE_BITS.finditer(data):
        groups = _EIGHT_BITS.findall(found.group(1))
        yield found.start(1), found.end(1), bytes(int(group, 2) for group in groups)


def _from_short_dumps(data: bytes) -> Iterator[Change]:
    for found in _SHORT_DUMP.finditer(data):
        pairs = _PAIR.findall(found.group(1))
        yield found.start(1), found.end(1), bytes(int(pair, 16) for pair in pairs)


def _from_ascii85(data: bytes) -> Iterator[Change]:
    for found in _ASCII85.finditer(data):
        try:
            text = base64.a85decode(found.group(1))
        except ValueError:
            continue
        if _is_printable(text):
            yield found.start(), found.end(), text


def _from_uu(data: bytes) -> Iterator[Change]:
    """A block of uuencode as `name = "content"`: its file may be called `password.txt`."""
    for found in _UU_BLOCK.finditer(data):
        content = bytearray()
        for line in found.group(2).splitlines():
            try:
                content += binascii.a2b_uu(line)
            except binascii.Error:
                break
        text = bytes(content)
        name = found.group(1).rpartition(b"/")[2].partition(b".")[0]
        if _is_printable(text) and b"\n" not in text.strip():
            yield found.start(2), found.end(2), name + b" = " + _in_quotes(text.strip()) + b"\n"
        elif _is_printable(text):
            yield found.start(2), found.end(2), text


def _is_printable(text: bytes) -> bool:
    return bool(text) and all(32 <= byte < 127 or byte in b"\t\r\n" for byte in text)


def _in_quotes(text: bytes) -> bytes:
    quote = b"'" if b'"' in text else b'"'
    return quote + text + quote


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
        rb"(?:^|[^A-Za-z0-9+])(?:" + _QUAD + rb"{4}|H4sI[AEIC]|eJ[wxyz0-9][A-Za-z0-9+/_\-]{40})",
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
    (rb"|".join(_ITEMS), _from_characters),
    (rb"|".join(items for _, items in _HEXADECIMAL_ITEMS), _from_other_numbers),
    (
        rb"(?:(?:3[3-9]|[4-9][0-9]|1[01][0-9]|12[0-6])(?:[ \t]{1,2}|[ \t]?;[ \t\r\n]{0,8})){6}",
        _from_decimals,
    ),
    (rb"(?i:octal|\boct\b)", _from_octals),
    (rb"(?:0[01]{7}){6}", _from_dense_bits),
    (
        rb"(?i:hex|dump|bytes)[a-z]{0,8}\)?[\"']?[ \t]{0,2}[:=][ \t]{0,4}[\"']?"
        rb"(?:[2-7][0-9A-Fa-f][ :\-]{1,2}){5}",
        _from_short_dumps,
    ),
    (rb"<~[!-u\s]{8}", _from_ascii85),
    (rb"(?m)^begin(?:-base64)?[ \t]+[0-7]{3,4}[ \t]", _from_uu),
)
_SIGNS = SecretPatternSet((sign for sign, _ in _RULES), group="encodings")
