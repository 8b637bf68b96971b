"""Markup: a name and its value in two elements, or in an attribute and the text after it.

`<th>Password</th><td><code>…`, `<key>Password</key><string>…`, `<property name="db.pass"><value>…`.
"""

from __future__ import annotations

import html
from collections.abc import Iterator

from sightline.egress.generated import is_generated
from sightline.egress.html_tables import html_tables
from sightline.egress.judging import quoted_secret
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form
from sightline.egress.secret_patterns import compiled, compiled_for_texts, compiled_for_values
from sightline.egress.spoken import is_made_up_word
from sightline.egress.telling_names import Promise, promise_of
from sightline.egress.telling_words import FOREIGN_PASSWORDS
from sightline.egress.weak import is_weak_content, weak_promise
from sightline.text import Span

_TELLING_PART = (
    rb"(?:passw|passphrase|passcode|pass\b|pwd|psk|secret|token|key|mot[ _]de[ _]passe|"
    + b"|".join(FOREIGN_PASSWORDS)
    + rb")"
)
_NAME = rb"[\w.\-\x80-\xff]*(?:[ _][\w.\-\x80-\xff]+){0,3}?[ _]?"
_VALUE = rb"(<!\[CDATA\[)?([^\s<][^<\r\n]+)"
_ATTRIBUTES = rb"(?:[ \t][^<>\r\n]*)?"
_BETWEEN_ELEMENTS = compiled(
    rb"(?i)<(?:key|name|t[hd]|dt|b|strong|label|span|code)" + _ATTRIBUTES + rb">\s{0,8}("
    + _NAME + _TELLING_PART + rb"[\w.\-\x80-\xff]*):?\s{0,8}(?:</[a-z]+>:?\s{0,30})+"
    rb"(?:<([a-z]+)" + _ATTRIBUTES + rb">\s{0,20})+" + _VALUE
)  # fmt: skip
_BEHIND_ATTRIBUTE = compiled(
    rb"(?i)\b(?:name|key|id)=[\"']([\w.\-:]*" + _TELLING_PART + rb"[\w.\-]*)[\"']" + _ATTRIBUTES
    + rb">\s{0,20}(?:<(value|string|entry)" + _ATTRIBUTES + rb">\s{0,20})?" + _VALUE
)  # fmt: skip
_SIGN = compiled_for_texts(
    rb"(?i)" + _TELLING_PART + rb"[\w.\-]*(?::?\s{0,8}</[a-z]|[\"'][^<>\r\n]*>)"
)
_PLAIN_ELEMENTS = frozenset(
    b"string value entry setting param parameter property env var variable field config"
    b" credential".split()
)
"""Elements that contain settings; others contain labels as well."""
_OPENED = compiled_for_values(rb"<([A-Za-z]{2,20})[ \t][^<>]*\Z")
_LONGEST_TAG = 160
_SECTION_END = b"]]>"
_LONGEST_VALUE = 400


def markup_values(data: bytes) -> Iterator[Finding]:
    if _SIGN.search(data) is None:
        return
    yield from html_tables(data)
    for pattern in (_BETWEEN_ELEMENTS, _BEHIND_ATTRIBUTE):
        position = 0
        while (found := pattern.search(data, position)) is not None:
            # The text of one element may be the name of the next.
            position = found.end(1)
            start, end = found.start(4), found.end(4)
            if found.start(3) >= 0:
                end = data.find(_SECTION_END, start, start + _LONGEST_VALUE)
            elif data[end : end + 2] != b"</":
                continue
            if start < end <= start + _LONGEST_VALUE:
                element = found.group(2) if found.start(2) >= 0 else _outer(data, found.start(1))
                yield from _judged(data, start, end, found.group(1), element.lower())


def _outer(data: bytes, start: int) -> bytes:
    """Return the element whose attribute is at an offset."""
    found = _OPENED.search(data, max(0, start - _LONGEST_TAG), start)
    return found.group(1) if found is not None else b""


def _judged(data: bytes, start: int, end: int, name: bytes, element: bytes) -> Iterator[Finding]:
    name = name.replace(b" ", b"_")
    promise = promise_of(name)
    if promise is Promise.NONE:
        return
    written = data[start:end].rstrip()
    span = Span(start, start + len(written))
    value = html.unescape(written.decode("utf-8", "replace")).encode()
    verdict = quoted_secret(value, promise, False)
    if (promise >= Promise.SECRET and is_generated(value)) or (
        verdict is not None and verdict.certainty is Certainty.CERTAIN
    ):
        kind = "password" if promise is Promise.PASSWORD else "token"
        yield Finding(span, "assigned-in-markup", kind, Certainty.CERTAIN, True)
        return
    if weak_promise(name) is Promise.NONE or not is_weak_content(value, name, Form.ELEMENT):
        return
    if element in _PLAIN_ELEMENTS or is_made_up_word(value):
        yield Finding(span, "weak-password", "weak", Certainty.WEAK, True)
