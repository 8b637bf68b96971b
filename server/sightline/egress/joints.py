"""Joints: what a language puts between the pieces of one value, or between a name and its value.

Without them a value in pieces reads as a whole one, and every rule applies to it as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sightline.egress.secret_patterns import SecretPattern, SecretPatternSet, compiled
from sightline.egress.text_reading import Change, Reading, changed

_OPERATOR = rb"(?:\+{1,2}|\.{1,2}|&|\|\||<>|<<|~)"
_NOTE = rb"(?://|#|--|/\*)[^\n]{0,100}"
_LINE = rb"(?:" + _NOTE + rb")?\r?\n[ \t]{0,60}(?:" + _NOTE + rb"\n[ \t]{0,60})?"
# Between two strings that are one: nothing but space, an operator, the end of a line. Or the head
# of a statement that appends: `key += "…"`.
_BETWEEN = (
    rb"(?:[ \t]{1,8}|[ \t]{0,8}" + _OPERATOR + rb"[ \t]{0,8}(?:_[ \t]{0,8})?(?:" + _LINE + rb")?"
    rb"|[ \t]{0,8}\\?" + _LINE + rb"(?:\\[ \t]{0,8})?(?:" + _OPERATOR + rb"[ \t]{0,8})?"
    rb"|[ \t]{1,4}(?:\*|//|\^|&&|%\+%|\+\+)[ \t]{1,4}(?:[.&_]{1,3}[ \t]{0,4}\r?\n[ \t]{0,60})?"
    rb"|;?\r?\n[ \t]{0,60}[$@]?[A-Za-z_][A-Za-z0-9_.]{0,40}[ \t]{0,4}"
    rb"(?:[+.&~]=|<<|\|\|=)[ \t]{0,4})"
    rb"[bruLfn@]{0,2}"
)
_BETWEEN_STRINGS = rb"[^\s\"'`(,=:\[{]([\"'`]" + _BETWEEN + rb"[\"'`])"
# The same for texts that are full of quotes, where calling re2 costs more than matching.
_BETWEEN_MANY = re.compile(rb"(?<![\s\"'`(,=:\[{])([\"'`])" + _BETWEEN + rb"\1")
_BEFORE_JOINT = frozenset(range(256)) - frozenset(b" \t\r\n\f\v\"'`(,=:[{")
_ENDS = frozenset([b"", *(bytes([byte]) for byte in b" \t\r\n\f\v\"'`),;]}")])
"""No value goes on so."""
_MANY = 16
"""A quote for each so many bytes."""
_CONTINUATION = rb"[A-Za-z0-9+/=_.\-]([\\`^]\r?\n[ \t]{0,60})[A-Za-z0-9+/=_.\-]"
# What shows or makes nothing, in the middle of a word: an empty string that is put in, a place
# where TeX or a browser may break the line, an empty element or comment.
_NOTHING = (
    rb"[A-Za-z0-9+/=_.\-](?i:([$#]?\{[ \t]?(?:\"\"|''|``)[ \t]?\}|\\\((?:\"\"|'')\)"
    rb"|\\(?:allowbreak|discretionary\{\}\{\}\{\}|hspace\*?\{0[a-z]{2}\}|linebreak\[[0-9]\]"
    rb"|nolinkurl|penalty0|-)(?:\{\}[ ]?|[ ]|%?\r?\n[ \t]{0,60})?"
    rb"|<wbr[ ]?/?>|&(?:shy|zwnj|zwj|ZeroWidthSpace);"
    rb"|<!--[^<>\r\n]{0,60}-->|<(?:b|i|u|em|span|strong|font)></(?:b|i|u|em|span|strong|font)>"
    rb"|/\*[^*\r\n]{0,60}\*/|\{\}|%\r?\n[ \t]{0,60}"
    rb"|</(b|i|u|em|span|strong|code|font|kbd|tt)><[a-z]{1,6}(?:[ ][^<>\r\n]{0,60})?>))"
    rb"[A-Za-z0-9+/=_.\-]"
)
# A string that is put into another as it is: `…${'…'}`, `{'…'}{'…'}`.
_PUT_IN = rb"[A-Za-z0-9+/=_.\-\"`}]([$#]?\{[ \t]?['\"])[A-Za-z0-9+/=_.!@#%^*\-]{1,80}['\"][ \t]?\}"
_PUT_IN_END = (
    rb"[$#]?\{[ \t]?['\"][A-Za-z0-9+/=_.!@#%^*\-]{1,80}(['\"][ \t]?\})[A-Za-z0-9+/=_.\-\"`$#{]"
)
# A tag of a reader of documents between a name and its string: `:password #base64 "…"`.
_READER_TAG = (
    rb"[\w\"'][ \t:=,]{0,4}[ \t:=]([#!]{1,2}[A-Za-z][A-Za-z0-9_/.:\-]{1,30}[ \t]{1,4})[\"']"
)
_CONSTRUCTOR = (
    rb"(?:^|[^A-Za-z0-9_.])((?:new[ \t]{1,4}|&)?(?:\[\][ \t]?(?:byte|rune|uint8|string|char)|bytes"
    rb"|bytearray|(?:std::)?string(?:_view)?|String|str|QString|NSString|Buffer\.from|Uint8Array\.from"
    rb"|SecretStr|SecureString|SecretString|SecretValue|Secret|Secret::new|SecretString::from|Some|Ok"
    rb"|Just|String::from|String\.from|CString::new|Cow::from|Cow::Borrowed|Value::from|json!|format!"
    rb"|(?:base64\.)?(?:b64decode|urlsafe_b64decode|StdEncoding\.DecodeString)|atob|base64_decode"
    rb"|Convert\.FromBase64String|Base64\.(?:decode|decode64|getDecoder\(\)\.decode|strict_decode64)"
    rb"|binascii\.unhexlify|bytes\.fromhex|hex2bin|hex\.DecodeString|unhex|Encoding\.UTF8\.GetBytes"
    rb"|(?:new )?TextEncoder\(\)\.encode|pgp_sym_encrypt)(?:\(|\{|![ \t]?\()[ \t\r\n]{0,40})"
    rb"[bruL@]{0,2}[\"'`]"
)
_CDATA = rb"<!\[CDATA\[\s{0,40}|\]\]>"
_BLOCK_STRING = rb"(?:\"\"\"|''')(\\?\r?\n[ \t]{0,40})[^\s\"']"
_TAG = rb"[: \t](!!(?:binary|str)[ \t]{1,8})[^\s|>]"
_COMPLEX_KEY = rb"(?m)^[ \t]{0,40}(\?[ \t]{1,8})[^\n]{1,100}?(\s{0,8}\n[ \t]{0,40}:[ \t]{1,8})"
# A type with brackets, which stands between a name and its value.
_BYTES_TYPE = (
    rb"[A-Za-z0-9_](:[ \t]?&?(?:'static[ \t])?\[u8(?:;[ \t]?[A-Za-z0-9_]{1,20})?\])"
    rb"[ \t]?=[ \t]?\*?&?b[r#]{0,2}\""
)
# Between strings the first of which ends with a sign that stands before a string as well.
_BEHIND_SIGN = (
    rb"(?:\"[^\"\r\n]{0,200}[=:(,](\"[ \t]{0,8}" + _OPERATOR + rb"[ \t]{0,8}\")"
    rb"|'[^'\r\n]{0,200}[=:(,]('[ \t]{0,8}" + _OPERATOR + rb"[ \t]{0,8}'))[^\s\"']"
)
_BUILDER = rb"(buildString[ \t]{0,4}\{\s{0,20}append\()\""
_BUILDER_JOINT = rb"[^\s\"(](\"\)[ \t]{0,4};?\s{1,40}append\(\")"
_BUILDER_END = rb"append\(\"[^\"\r\n]{1,200}\"(\)[ \t]{0,4};?\s{0,20}\})"
_REMOVED = (
    _BEHIND_SIGN,
    _BUILDER,
    _BUILDER_JOINT,
    _BUILDER_END,
    _CONTINUATION,
    _NOTHING,
    _PUT_IN,
    _PUT_IN_END,
    _READER_TAG,
    _CONSTRUCTOR,
    _BLOCK_STRING,
    _TAG,
    _BYTES_TYPE,
)
_FOLDED = (
    rb":[ \t]{1,8}((?:![!A-Za-z:/<>.,0-9]{1,40}[ \t]{1,8})?"
    rb"[|>][+\-0-9]{0,3}[ \t]{0,8}\r?\n[ \t]{1,60})"
    rb"[A-Za-z0-9+/=_\-]{8}"
)
_FOLD = re.compile(
    rb"[A-Za-z0-9+/=_\-]{1,200}(\r?\n[ \t]{1,60})(?=[A-Za-z0-9+/=_\-]{1,200}[ \t]{0,8}(?:\r?\n|$))"
)
# A call that makes one string of a list, behind the list or before it.
_JOINING = (
    rb"[\])}]\s{0,40}\.\s?(?:join|joined|mkString|concat|fold|reduce|sum)\b"
    rb"|\b(?:[Jj]oin|[Cc]oncat|CONCAT|implode|paste0?|strcat|Sprint|iolist_to_binary|list_to_binary)"
    rb"\s?[(\[][^\[\](){}\n]{0,30}(?:[\[({]\]?[ \t]?(?:string[ \t]?)?[{]?)?"
)
_LIST_END = re.compile(rb"[\[\](){}]")
_LIST_JOINT = re.compile(rb"([\"'`])\s{0,80},\s{0,80}[bruL@]{0,2}\1")
_LONGEST_LIST = 8_000
_MOST_FOLDS = 400

_SOURCES = (*_REMOVED, _BETWEEN_STRINGS, _CDATA, _COMPLEX_KEY, _FOLDED, _JOINING)
_PATTERNS: tuple[SecretPattern, ...] = tuple(map(compiled, _SOURCES))
_SIGNS = SecretPatternSet(_SOURCES, group="strings")


def joined(data: bytes, before: Reading | None) -> Reading | None:
    """The text without joints; nothing where there are none."""
    apart: list[Change] = []
    for change in sorted(_joints(data)):
        if not apart or change[0] >= apart[-1][1]:
            apart.append(change)
    return changed(data, apart, before) if apart else None


def _joints(data: bytes) -> Iterator[Change]:
    for index in _SIGNS.found_in(data):
        source, pattern = _SOURCES[index], _PATTERNS[index]
        if source == _COMPLEX_KEY:
            for found in pattern.finditer(data):
                yield found.start(1), found.end(1), b""
                yield found.start(2), found.end(2), b": "
        elif source == _FOLDED:
            yield from _folds(data, pattern)
        elif source == _JOINING:
            for start, end in _joined_lists(data, pattern):
                for joint in _LIST_JOINT.finditer(data, start, end):
                    yield (*joint.span(), b"")
        elif source == _CDATA:
            yield from _sections(data)
        elif source == _BETWEEN_STRINGS:
            for start, end in _between_strings(data, pattern):
                if data[start - 1] in _BEFORE_JOINT and data[end : end + 1] not in _ENDS:
                    yield start, end, b""
        else:
            yield from _removed(data, pattern)


_CDATA_MARK = re.compile(_CDATA)
_SECTION = re.compile(rb"<!\[CDATA\[([^\r\n]{1,400}?)\]\]>")
_MARKUP_SIGN = re.compile(rb"[<>&]")
_MOST_IN_SECTION = 400


def _sections(data: bytes) -> Iterator[Change]:
    """Marks of sections as nothing, and what would be markup outside of them as entities."""
    for mark in _CDATA_MARK.finditer(data):
        section = _SECTION.match(data, mark.start(), mark.start() + _MOST_IN_SECTION)
        content = section.group(1) if section is not None else b""
        yield (*mark.span(), b"")
        if section is not None and _MARKUP_SIGN.search(content) is not None:
            escaped = content.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")
            yield (*section.span(1), escaped)


def _between_strings(data: bytes, pattern: SecretPattern) -> Iterator[tuple[int, int]]:
    if data.count(b'"') * _MANY > len(data) or data.count(b"'") * _MANY > len(data):
        yield from (found.span() for found in _BETWEEN_MANY.finditer(data, 1))
        return
    for found in pattern.finditer(data):
        start, end = found.start(1), found.end(1)
        if data[start] == data[end - 1]:
            yield start, end


def _removed(data: bytes, pattern: SecretPattern) -> Iterator[Change]:
    position = 0
    while (found := pattern.search(data, position)) is not None:
        group = 1 if found.start(1) >= 0 else 2
        start, end = found.start(group), found.end(group)
        # What follows a joint may stand before the next.
        position = max(end, found.start() + 1)
        yield start, end, b""


def _joined_lists(data: bytes, pattern: SecretPattern) -> Iterator[tuple[int, int]]:
    reached = 0
    for call in pattern.finditer(data):
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


def _folds(data: bytes, pattern: SecretPattern) -> Iterator[Change]:
    """A block of YAML whose lines are one value."""
    reached = 0
    for block in pattern.finditer(data):
        if block.start() < reached:
            continue
        yield block.start(1), block.end(1), b""
        position = block.end(1)
        for _ in range(_MOST_FOLDS):
            found = _FOLD.match(data, position)
            if found is None:
                break
            yield (*found.span(1), b"")
            position = found.end()
        reached = position
