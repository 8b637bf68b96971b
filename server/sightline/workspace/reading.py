"""From an open file to text: whether it is text, and in which encoding. In doubt, it is not.

An encoding is found by its byte order mark, by a comment that declares it, or by strict decoding,
never by likelihood alone. Line ends, form feeds and a missing last line break are kept; only a byte
order mark is removed.
"""

from __future__ import annotations

import codecs
import os
import re

import attrs
import msgspec

from sightline.refusals import Refusal
from sightline.text import Text
from sightline.workspace.jail import OpenFile
from sightline.workspace.jail_refusals import changed
from sightline.workspace.paths import refuse


class Decoded(msgspec.Struct, frozen=True):
    data: bytes
    """Valid UTF-8, without byte order mark."""
    encoding: str
    bom: bool

    @property
    def text(self) -> Text:
        return Text(self.data)


@attrs.frozen
class Undecodable:
    """Why bytes are not served. `check` names the deciding check; it contains no content."""

    reason: str
    check: str


def read_bounded(path: str, opened: OpenFile, limit: int) -> bytes | Refusal:
    """Read all bytes of an open regular file, if there are at most `limit` and it does not change.

    The size is checked before and while reading; size and time of change before and after. Not
    promised: a write in place that keeps the size, within one tick of the file system's clock and
    in the middle of the read, goes unnoticed.
    """
    before = opened.status
    size = before.st_size
    if size > limit:
        return too_large(path, limit)
    try:
        # One byte more than expected, to notice a file that grows.
        raw = os.read(opened.descriptor, size + 1)
        while len(raw) < size and (piece := os.read(opened.descriptor, size + 1 - len(raw))):
            raw += piece
        after = os.fstat(opened.descriptor)
    except OSError:
        return refuse(
            "unreadable", path, "The file cannot be read: {path}", "Check the disk and try again."
        )
    if (size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        return changed(path)
    return raw if len(raw) == size else changed(path)


def decode(raw: bytes) -> Decoded | Undecodable:
    """Decode `raw`; return `binary` or `encoding` if the text is not certain."""
    if raw.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return Undecodable("encoding", "utf-32 byte order mark")
    if raw.startswith(codecs.BOM_UTF8):
        return _marked(raw[3:], "utf-8")
    if raw.startswith(codecs.BOM_UTF16_LE):
        return _marked(raw[2:], "utf-16le")
    if raw.startswith(codecs.BOM_UTF16_BE):
        return _marked(raw[2:], "utf-16be")
    if raw.startswith(_MAGIC):
        return Undecodable("binary", "magic number")
    if b"\0" in raw:
        return _unmarked_utf16(raw)
    if _too_many_controls(len(raw) - len(raw.translate(None, _CONTROLS_IN_BYTES)), len(raw)):
        return Undecodable("binary", "control characters")
    if raw.isascii():
        return Decoded(raw, "ascii", bom=False)
    try:
        raw.decode("utf-8", "strict")
        return Decoded(raw, "utf-8", bom=False)
    except UnicodeDecodeError as error:
        # An incomplete last character is UTF-8 that lost its end, not another encoding.
        if error.end == len(raw) and error.reason == "unexpected end of data":
            return Undecodable("encoding", "truncated utf-8")
    return _declared(raw) or _windows_1252(raw)


def replaced(raw: bytes, problem: Undecodable) -> Decoded | Undecodable:
    """Return bytes as UTF-8 with a mark in place of each invalid part; binary stays unchanged."""
    if problem.reason != "encoding":
        return problem
    return Decoded(raw.decode("utf-8", "replace").encode("utf-8"), "utf-8", bom=False)


def too_large(path: str, limit: int) -> Refusal:
    return refuse(
        "too_large",
        path,
        f"The file is larger than {limit} bytes: {{path}}",
        "Split the file, or raise the limit in your own settings.",
        rule=f"max_file_bytes={limit}",
    )


# Signatures that no text starts with. Short printable ones are left out: such files contain NUL or
# control characters anyway, and a text may start with two letters.
_MAGIC = (
    b"\x7fELF",
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"%PDF-",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"PK\x07\x08",
    b"\x1f\x8b",
    b"\x1f\x9d",
    b"BZh91AY&SY",
    b"\xfd7zXZ\x00",
    b"7z\xbc\xaf\x27\x1c",
    b"\x28\xb5\x2f\xfd",
    b"\x04\x22\x4d\x18",
    b"Rar!\x1a\x07",
    b"!<arch>\n",
    b"\x00asm",
    b"\xca\xfe\xba\xbe",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"SQLite format 3\x00",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"\x00\x00\x01\x00",
    b"\xed\xab\xee\xdb",
)

# Tab, line feed, vertical tab, form feed, carriage return, backspace and escape occur in text.
_CONTROLS_IN_BYTES = bytes([*range(0x08), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
_CONTROLS = re.compile("[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f]")


def _too_many_controls(count: int, size: int) -> bool:
    """True for more than one in a hundred. With fewer, it is text with an odd character in it."""
    return count * 100 > size


def _marked(body: bytes, encoding: str) -> Decoded | Undecodable:
    try:
        content = body.decode(encoding, "strict")
    except UnicodeDecodeError:
        return Undecodable("encoding", f"invalid {encoding} after its byte order mark")
    problem = _not_text(content)
    if problem is not None:
        return problem
    return Decoded(content.encode("utf-8"), encoding, bom=True)


def _not_text(content: str) -> Undecodable | None:
    if "\0" in content:
        return Undecodable("binary", "NUL character")
    if _too_many_controls(len(_CONTROLS.findall(content)), len(content)):
        return Undecodable("binary", "control characters")
    return None


def _unmarked_utf16(raw: bytes) -> Decoded | Undecodable:
    """Decode UTF-16 without a mark only if it is obvious: nearly every unit is ASCII.

    At least eight units, nine in ten of them with a zero high byte, no zero low byte, strict
    decoding, and no control character at all.
    """
    binary = Undecodable("binary", "NUL bytes")
    if len(raw) % 2 or len(raw) < 16:
        return binary
    for high, low, encoding in (
        (raw[1::2], raw[0::2], "utf-16le"),
        (raw[0::2], raw[1::2], "utf-16be"),
    ):
        if b"\0" in low or high.count(0) * 10 < len(high) * 9:
            continue
        try:
            content = raw.decode(encoding, "strict")
        except UnicodeDecodeError:
            return Undecodable("encoding", f"invalid {encoding}")
        return (
            binary
            if _CONTROLS.search(content)
            else Decoded(content.encode("utf-8"), encoding, False)
        )
    return binary


_HIGH_CONTROL = re.compile(rb"[\x80-\x9f]")
_HIGH = re.compile(rb"[\x80-\xff]+")
_UTF8_SEQUENCE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_LETTERS = frozenset(b"\x8a\x8c\x8e\x9a\x9c\x9e\x9f") | (
    frozenset(range(0xC0, 0x100)) - frozenset(b"\xd7\xf7")
)
# Quotes, dashes, ellipsis, currency, marks, fractions: signs that people type between words.
_SIGNS = frozenset(
    b"\x80\x82\x84\x85\x8b\x91\x92\x93\x94\x95\x96\x97\x99\x9b"
    b"\xa0\xa1\xa3\xa7\xa9\xaa\xab\xae\xb0\xb1\xb2\xb3\xb4\xb5\xb7\xb9\xba\xbb\xbc\xbd\xbe\xbf\xd7\xf7"
)


# In the form that Python, Ruby and Emacs find: in a comment on one of the first two lines.
_COOKIE = re.compile(
    rb"\A(?:[^\r\n]{0,200}(?:\r\n|\r|\n))?[ \t\f]*(?:#|//|/\*|--|%)[^\r\n]{0,200}?"
    rb"coding[:=][ \t]*([-\w.]{1,24})"
)
_SAME_IN_1252 = re.compile(rb"(?:iso[-_]?8859[-_]1|latin[-_]?1|l1|(?:cp|windows)[-_]?1252)\Z")
_KNOWN = re.compile(
    rb"(?:iso[-_]?8859[-_]\d{1,2}|latin[-_]?\d{1,2}|(?:cp|windows)[-_]?\d{3,4}|koi8[-_][rtu]"
    rb"|shift[-_]?jis|sjis|euc[-_](?:jp|kr|cn)|gbk|gb2312|gb18030|big5|mac[-_](?:roman|cyrillic))\Z"
)


def _declared(raw: bytes) -> Decoded | Undecodable | None:
    """Use the encoding that a comment declares, unless the bytes contradict it.

    Latin-1 is Windows-1252 except for the control characters from 80 to 9F, which no text contains.
    """
    cookie = _COOKIE.match(raw)
    name = cookie[1].lower() if cookie else b""
    if _KNOWN.match(name) and not _SAME_IN_1252.match(name):
        return Undecodable(
            "encoding", f"it declares {name.decode('ascii')}, which is not supported"
        )
    if not _SAME_IN_1252.match(name) or _UTF8_SEQUENCE.search(raw):
        return None
    is_latin = not name.endswith(b"1252")
    if raw != raw.translate(None, _CONTROLS_IN_BYTES) or (is_latin and _HIGH_CONTROL.search(raw)):
        return None
    try:
        content = raw.decode("cp1252", "strict")
    except UnicodeDecodeError:
        return None
    return Decoded(content.encode("utf-8"), "windows-1252", bom=False)


_FEW = 4


def _windows_1252(raw: bytes) -> Decoded | Undecodable:
    """Decode Windows-1252 if nothing contradicts it.

    Every byte is defined; no control characters; no piece of valid UTF-8, which would mean damaged
    UTF-8; at most one byte in five is high, in runs of at most two, as in western languages and
    unlike Cyrillic, Greek or East Asian code pages; a high letter is beside an ASCII letter; every
    other high character is one that people type. The share is not checked for a few isolated ones:
    `café` is one in four.
    """
    unsure = Undecodable("encoding", "no supported encoding is certain")
    try:
        content = raw.decode("cp1252", "strict")
    except UnicodeDecodeError:
        return unsure
    if raw != raw.translate(None, _CONTROLS_IN_BYTES) or _UTF8_SEQUENCE.search(raw):
        return unsure
    total = longest = 0
    for run in _HIGH.finditer(raw):
        total += len(run[0])
        longest = max(longest, len(run[0]))
        around = raw[max(0, run.start() - 1) : run.start()] + raw[run.end() : run.end() + 1]
        letters = sum(byte in _LETTERS for byte in run[0])
        signs = sum(byte in _SIGNS for byte in run[0])
        if len(run[0]) > 2 or letters + signs != len(run[0]):
            return unsure
        if letters and not any(chr(byte).isalpha() for byte in around):
            return unsure
    if total * 5 > len(raw) and (longest > 1 or total > _FEW):
        return unsure
    return Decoded(content.encode("utf-8"), "windows-1252", bom=False)
