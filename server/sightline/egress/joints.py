"""Joints: what a language puts between the pieces of one value, or between a name and its value.

Without them a value in pieces reads as a whole one, and every rule applies to it as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sightline.egress.reading import Change, Reading, changed

_OPERATOR = rb"(?:\+{1,2}|\.{1,2}|&|\|\||<>|<<|~)"
_NOTE = rb"(?://|#|--|/\*)[^\n]{0,120}"
_LINE = rb"(?:" + _NOTE + rb")?\r?\n[ \t]{0,80}(?:" + _NOTE + rb"\n[ \t]{0,80})?"
# Between two strings that are one: nothing but space, an operator, the end of a line. Or the head
# of a statement that appends: `key += "…"`.
_BETWEEN_STRINGS = re.compile(
    rb"(?<=[^\s\"'`(,=:\[{])([\"'`])[ \t]{0,8}(?:(?<=[ \t])"
    rb"|" + _OPERATOR + rb"[ \t]{0,8}(?:_[ \t]{0,8})?(?:" + _LINE + rb")?"
    rb"|\\?" + _LINE + rb"(?:" + _OPERATOR + rb"[ \t]{0,8})?"
    rb"|;?\r?\n[ \t]{0,80}[$@]?[A-Za-z_][A-Za-z0-9_.]{0,40}[ \t]{0,4}(?:[+.&~]=|<<|\|\|=)[ \t]{0,4})"
    rb"[bruLfn@]{0,2}\1(?=[^\s\"'`),;\]}])"
)
_CONTINUATION = re.compile(rb"(?<=[A-Za-z0-9+/=_.\-])[\\`^]\r?\n[ \t]{0,80}(?=[A-Za-z0-9+/=_.\-])")
_CONSTRUCTOR = re.compile(
    rb"(?<![A-Za-z0-9_.])(?:new[ \t]{1,4}|&)?(?:\[\][ \t]?(?:byte|rune|uint8|string|char)|bytes|bytearray"
    rb"|(?:std::)?string(?:_view)?|String|str|QString|NSString|Buffer\.from|Uint8Array\.from"
    rb"|SecretStr|SecureString|SecretString|SecretValue|Secret|Secret::new|SecretString::from|Some|Ok|Just"
    rb"|String::from|String\.from|CString::new|Cow::from|Cow::Borrowed|Value::from|json!|format!"
    rb"|(?:base64\.)?(?:b64decode|urlsafe_b64decode|StdEncoding\.DecodeString)|atob|base64_decode"
    rb"|Convert\.FromBase64String|Base64\.(?:decode|decode64|getDecoder\(\)\.decode|strict_decode64)"
    rb"|binascii\.unhexlify|bytes\.fromhex|hex2bin|hex\.DecodeString|unhex|Encoding\.UTF8\.GetBytes"
    rb"|new TextEncoder\(\)\.encode|TextEncoder\(\)\.encode|pgp_sym_encrypt)"
    rb"(?:\(|\{|![ \t]?\()[ \t\r\n]{0,40}(?=[bruL@]{0,2}[\"'`])"
)
_TAG = re.compile(rb"(?<=[: \t])!!(?:binary|str)[ \t]{1,8}(?=[^\s|>])")
_CDATA = re.compile(rb"\s{0,80}<!\[CDATA\[\s{0,80}|\s{0,80}\]\]>\s{0,80}")
_BLOCK_STRING = re.compile(rb"(?<=\"\"\"|''')\\?\r?\n[ \t]{0,40}(?=[^\s\"'])")
_COMPLEX_KEY = re.compile(
    rb"(?m)^[ \t]{0,80}(\?[ \t]{1,8})[^\n]{1,200}?(\s{0,8}\n[ \t]{0,80}:[ \t]{1,8})"
)
_FOLDED = re.compile(
    rb":[ \t]{1,8}((?:![!A-Za-z:/<>.,0-9]{1,40}[ \t]{1,8})?[|>][+\-0-9]{0,3}[ \t]{0,8}\r?\n[ \t]{1,80})"
    rb"[A-Za-z0-9+/=_\-]{8}"
)
_FOLD = re.compile(rb"[A-Za-z0-9+/=_\-]{1,}(\r?\n[ \t]{1,80})(?=[A-Za-z0-9+/=_\-]{1,200}[ \t]*(?:\r?\n|$))")
# A call that makes one string of a list, behind the list or before it.
_JOINING = re.compile(
    rb"[\])}]\s{0,40}\.\s?(?:join|joined|mkString|concat|fold|reduce|sum)\b"
    rb"|\b(?:[Jj]oin|[Cc]oncat|CONCAT|implode|paste0?|strcat|Sprint|iolist_to_binary|list_to_binary)"
    rb"\s?[(\[][^\[\](){}\n]{0,30}(?:[\[({]\]?[ \t]?(?:string[ \t]?)?[{]?)?"
)
_LIST_END = re.compile(rb"[\[\](){}]")
_LONGEST_LIST = 8_000
_LIST_JOINT = re.compile(rb"([\"'`])\s{0,80},\s{0,80}[bruL@]{0,2}\1")
_MOST_FOLDS = 400


def joined(data: bytes, before: Reading | None) -> Reading | None:
    """The text without joints; nothing where there are none."""
    changes = sorted(_joints(data))
    apart: list[Change] = []
    for change in changes:
        if not apart or change[0] >= apart[-1][1]:
            apart.append(change)
    return changed(data, apart, before) if apart else None


def _joints(data: bytes) -> Iterator[Change]:
    for pattern in (_BETWEEN_STRINGS, _CONTINUATION, _CONSTRUCTOR):
        for found in pattern.finditer(data):
            yield (*found.span(), b"")
    if b"CDATA" in data:
        for found in _CDATA.finditer(data):
            yield (*found.span(), b"")
    if b'"""' in data or b"'''" in data:
        for found in _BLOCK_STRING.finditer(data):
            yield (*found.span(), b"")
    if b"!!" in data:
        for found in _TAG.finditer(data):
            yield (*found.span(), b"")
    if b"? " in data:
        for found in _COMPLEX_KEY.finditer(data):
            yield (*found.span(1), b"")
            yield (*found.span(2), b": ")
    yield from _folds(data)
    for start, end in _joined_lists(data):
        for found in _LIST_JOINT.finditer(data, start, end):
            yield (*found.span(), b"")


def _joined_lists(data: bytes) -> Iterator[tuple[int, int]]:
    reached = 0
    for call in _JOINING.finditer(data):
        start, end = call.start(), call.end()
        closing = data[start : start + 1]
        if closing in _OPENINGS:
            low = max(reached, start - _LONGEST_LIST)
            opening = data.rfind(_OPENINGS[closing], low, start)
            if opening >= 0:
                yield opening, start
            reached = end
        elif start >= reached:
            found = _LIST_END.search(data, end, end + _LONGEST_LIST)
            if found is not None:
                yield end, found.start()
                reached = found.end()


_OPENINGS = {b"]": b"[", b")": b"(", b"}": b"{"}


def _folds(data: bytes) -> Iterator[Change]:
    """A block of YAML whose lines are one value."""
    reached = 0
    for block in _FOLDED.finditer(data):
        if block.start() < reached:
            continue
        yield (*block.span(1), b"")
        position = block.end(1)
        for _ in range(_MOST_FOLDS):
            found = _FOLD.match(data, position)
            if found is None:
                break
            yield (*found.span(1), b"")
            position = found.end()
        reached = position
