"""Building calls: what the functions and methods make that put a string together or decode one.

Names are in lower case; a language's own spelling, and what stands before the last dot, is of no
matter. Each returns nothing for what it cannot make a value of.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections.abc import Callable
from typing import Union

SIGNS = b"\0signs:"
"""Before the signs that a regular expression stands for."""

Built = Union[bytes, int, "list[Built]"]
Call = Callable[[list[Built], bytes], "Built | None"]
"""From arguments, and the whole name, to a value."""
Method = Callable[[Built, list[Built]], "Built | None"]

_SLOT = re.compile(rb"%(?:([0-9])\$)?[svcd@]|\{([0-9]{0,2})(?::[a-z0-9]{0,4})?\}")
_PERCENT = re.compile(rb"%u00([2-7][0-9A-Fa-f])|%([2-7][0-9A-Fa-f])")
_LARGEST = 1 << 14


def text_of(value: Built) -> bytes | None:
    """All of a value as one text: numbers are characters."""
    pieces: list[bytes] = []
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, bytes):
            pieces.append(each)
        elif isinstance(each, int):
            if not 0 <= each < 128:
                return None
            pieces.append(bytes([each]))
        else:
            waiting.extend(reversed(each))
    text = b"".join(pieces)
    return text if len(text) <= _LARGEST else None


def same(arguments: list[Built], _name: bytes) -> Built | None:
    """A wrapper: its first argument, others say how; without any, an empty one."""
    return arguments[0] if arguments else b""


def _together(arguments: list[Built], _name: bytes) -> Built | None:
    return text_of(arguments)


def _joined(arguments: list[Built], _name: bytes) -> Built | None:
    """`join("", [...])`, `Join([...], "")`, `String.join("", "a", "b")`."""
    if len(arguments) <= 1:
        return text_of(arguments)
    lists = [each for each in arguments if isinstance(each, list)]
    if len(lists) == 1 and len(arguments) == 2:
        glue = arguments[0] if arguments[1] is lists[0] else arguments[1]
        return _with_glue(lists[0], glue)
    return _with_glue(arguments[1:], arguments[0])


def _with_glue(pieces: list[Built], glue: Built) -> Built | None:
    texts = [text_of(each) for each in pieces]
    between = text_of(glue)
    if between is None or len(between) > 3:
        return None
    whole = [each for each in texts if each is not None]
    return between.join(whole) if len(whole) == len(texts) else None


def _filled(arguments: list[Built], _name: bytes) -> Built | None:
    """A format with its slots filled, which are all that it has besides signs."""
    template = arguments[0] if arguments else None
    if not isinstance(template, bytes):
        return None
    texts = [text_of(each) for each in arguments[1:]]
    fillings = [each for each in texts if each is not None]
    slots = list(_SLOT.finditer(template))
    if not slots or len(slots) != len(fillings) or len(fillings) != len(texts):
        return None
    # `{1}{0}` counts from 0, `%2$s%1$s` from 1.
    order = [_place(slot, index) for index, slot in enumerate(slots)]
    if sorted(order) != list(range(len(slots))):
        return None
    rest = iter(order)
    return _SLOT.sub(lambda _: fillings[next(rest)], template)


def _place(slot: re.Match[bytes], index: int) -> int:
    """Which of the arguments behind a format fills a slot."""
    if slot.group(1):
        return int(slot.group(1)) - 1
    return int(slot.group(2)) if slot.group(2) else index


def _unquoted(arguments: list[Built], _name: bytes) -> Built | None:
    """`unescape("%u0061…")`: escapes of addresses undone, where any are left."""
    text = text_of(arguments[0]) if arguments else None
    if text is None:
        return None
    return _PERCENT.sub(lambda each: bytes([int(each.group(1) or each.group(2), 16)]), text)


def _from_base64(arguments: list[Built], _name: bytes) -> Built | None:
    text = text_of(arguments[0]) if arguments else None
    if text is None:
        return None
    bare = text.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
    try:
        return base64.b64decode(bare + b"=" * (-len(bare) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _from_hexadecimal(arguments: list[Built], _name: bytes) -> Built | None:
    text = text_of(arguments[0]) if arguments else None
    try:
        return binascii.unhexlify(text) if text is not None else None
    except (binascii.Error, ValueError):
        return None


def _decoded(arguments: list[Built], name: bytes) -> Built | None:
    """`decode`, of which the rest of the name or the second argument says what it decodes."""
    how = text_of(arguments[1]) if len(arguments) > 1 else None
    said = name + b" " + (how or b"").lower()
    if b"64" in said:
        return _from_base64(arguments, name)
    if b"hex" in said:
        return _from_hexadecimal(arguments, name)
    if b"rot" in said:
        return _rotated(arguments, name)
    if b"from" in name or b"utf" in said or b"ascii" in said or b"latin" in said:
        return same(arguments, name)
    return None


def _packed(arguments: list[Built], _name: bytes) -> Built | None:
    """`pack("H*", "…")`, `pack("C*", 97, …)`."""
    how = arguments[0] if arguments else None
    if not isinstance(how, bytes):
        return None
    if how[:1] in b"hH":
        return _from_hexadecimal(arguments[1:], b"")
    return text_of(arguments[1:])


def _listed(arguments: list[Built], _name: bytes) -> Built | None:
    return arguments


def _turned(arguments: list[Built], _name: bytes) -> Built | None:
    text = text_of(arguments[0]) if arguments else None
    return text[::-1] if text is not None else None


def _rotated(arguments: list[Built], _name: bytes) -> Built | None:
    text = text_of(arguments[0]) if arguments else None
    if text is None or not text.isascii():
        return None
    return codecs.encode(text.decode("ascii"), "rot13").encode("ascii")


def _numbers(arguments: list[Built], _name: bytes) -> Built | None:
    """Characters of numbers; a number alone is one as well."""
    return text_of(arguments)


def _by_name(call: Call, names: bytes) -> dict[bytes, Call]:
    return dict.fromkeys(names.split(), call)


CALLS: dict[bytes, Call] = {
    **_by_name(
        _numbers,
        b"chr chrw char fromcharcode fromcodepoint chr$ nchar map fromcharcodes unichr unichar"
        b" inttoutf8 rawtochar tochar code_to_char char_code characters_to_list"
        b" characters_to_binary frombytes fromchars fromascii fromutf8",
    ),
    **_by_name(
        _numbers,
        b"bytes bytearray uint8array int8array from_utf8 from_utf8_lossy bytearrayof chararrayof",
    ),
    **_by_name(
        _together,
        b"concat strcat paste0 sprint concat_ws iolist_to_binary list_to_binary atom_concat"
        b" string_concat atomic_list_concat concatenate str_c str_cat strjoin stringjoin textjoin"
        b" iodata_to_binary fconcat mconcat horzcat concat_str strconcat string_append",
    ),
    **_by_name(_joined, b"join implode join-string"),
    **_by_name(_filled, b"sprintf format sprintf_s"),
    **_by_name(
        _from_base64,
        b"b64decode urlsafe_b64decode standard_b64decode atob frombase64string base64_decode"
        b" base64decode decode64 strict_decode64 urlsafe_decode64 decodebase64 from_base64"
        b" b64_decode decode_base64 unbase64 b64dec base64tostring base64tobinary base64_to_string"
        b" textdecodebase64 frombase64 base64todata b64_to_str url_decode64 decode64url"
        b" base64_to_text base64string b64decodestring debase64 from_base64string base64urldecode",
    ),
    **_by_name(
        _from_hexadecimal,
        b"fromhex unhexlify hex2bin unhex hexdecode fromhexstring hex_decode decodehex hextoraw"
        b" hextobytes hex_to_bytes hextostring hex_to_string from_hex hex2str hex_to_str hextobin"
        b" decode16 hexstringtobytes dehex hex2string parsehexbinary hexstr hex_to_text unhexstr",
    ),
    **_by_name(_decoded, b"decode decodestring from"),
    **_by_name(
        _turned,
        b"strrev reverse reversed strreverse fliplr reverse_string string_reverse reversestring"
        b" utf8_reverse str_reverse stri_reverse",
    ),
    **_by_name(_rotated, b"str_rot13 rot13 rot_13 rot13decode unrot13"),
    **_by_name(
        _unquoted,
        b"unescape decodeuricomponent decodeuri unquote unquote_plus urldecode rawurldecode"
        b" url_decode percent_decode uri_decode queryunescape pathunescape uri_unescape urldecoder",
    ),
    **_by_name(
        same,
        b"string str getstring qstring nsstring secretstr secretstring securestring some ok just"
        b" cstring stringbuilder textdecoder tostring array list tuple vec",
    ),
    **_by_name(_packed, b"pack"),
    **_by_name(_listed, b"listof arrayof mutablelistof seq",
    ),
}  # fmt: skip


def same_method(value: Built, _arguments: list[Built]) -> Built | None:
    return value


def _join_method(value: Built, arguments: list[Built]) -> Built | None:
    """`"".join([...])` and `[...].join("")`."""
    if isinstance(value, list):
        return _with_glue(value, arguments[0] if arguments else b"")
    if not arguments:
        return text_of(value)
    pieces = arguments[0] if isinstance(arguments[0], list) else arguments
    return _with_glue(pieces, value)


def _append_method(value: Built, arguments: list[Built]) -> Built | None:
    return text_of([value, *arguments])


def _turn_method(value: Built, _arguments: list[Built]) -> Built | None:
    return value[::-1] if isinstance(value, list) else _turned([value], b"")


def _split_method(value: Built, arguments: list[Built]) -> Built | None:
    text = text_of(value)
    if text is None:
        return None
    at = text_of(arguments[0]) if arguments else b""
    if not at:
        return [text[index : index + 1] for index in range(len(text))]
    return [*text.split(at)]


def _replace_method(value: Built, arguments: list[Built]) -> Built | None:
    text = text_of(value)
    if text is None or len(arguments) != 2:
        return None
    old, new = text_of(arguments[0]), text_of(arguments[1])
    if not old or new is None or len(new) > 3:
        return None
    if old.startswith(SIGNS):
        return text.translate(None, old[len(SIGNS) :]) if not new else None
    return text.replace(old, new)


def _format_method(value: Built, arguments: list[Built]) -> Built | None:
    return _filled([value, *arguments], b"")


def _decode_method(value: Built, arguments: list[Built]) -> Built | None:
    how = (text_of(arguments[0]) if arguments else None) or b""
    if value == b"":
        # Of a decoder that was made for it.
        return how
    if b"64" in how or b"hex" in how or b"rot" in how:
        return _decoded([value, how], b"")
    return value


def _pack_method(value: Built, arguments: list[Built]) -> Built | None:
    return _packed([*arguments[:1], *value], b"") if isinstance(value, list) else None


def _unpack_method(value: Built, arguments: list[Built]) -> Built | None:
    how = arguments[0] if arguments else None
    return _from_base64([value], b"") if how in (b"m", b"m0") else None


METHODS: dict[bytes, Method] = {
    **dict.fromkeys(
        b"tostring to_string to_str encode strip trim into as_str as_bytes as_ref chars collect"
        b" to_owned unwrap toarray tochararray getbytes asstring tolist to_s build result string"
        b" each_char bytes characters".split(),
        same_method,
    ),
    **dict.fromkeys(b"join joined mkstring jointostring".split(), _join_method),
    **dict.fromkeys(b"append concat plus push_str".split(), _append_method),
    **dict.fromkeys(b"reverse reversed rev".split(), _turn_method),
    **dict.fromkeys(b"split".split(), _split_method),
    **dict.fromkeys(b"replace replaceall gsub".split(), _replace_method),
    **dict.fromkeys(b"format".split(), _format_method),
    **dict.fromkeys(b"decode".split(), _decode_method),
    **dict.fromkeys(b"pack".split(), _pack_method),
    **dict.fromkeys(b"unpack unpack1".split(), _unpack_method),
}
