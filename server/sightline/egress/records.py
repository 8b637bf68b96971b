"""Records: a secret and its name in two fields, or with other fields between.

A list of variables (`name: DB_PASSWORD`, `value: …`), a declaration with its default, a table or a
list of secrets: several fields together say what an assignment says in one place.
"""

from __future__ import annotations

from collections.abc import Iterator

from sightline.egress.assignments import KEYWORD, REST, Parts, judged, start_of_name
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form, closing
from sightline.egress.secret_patterns import compiled, compiled_for_texts, compiled_for_values
from sightline.egress.spoken import is_made_up_word
from sightline.egress.telling_names import Promise
from sightline.egress.weak import is_weak_content, weak_promise
from sightline.text import Span

_FIELD = rb"(?:[\"']?[a-z]{1,16}[\"']?[ \t]?[:=][ \t]?[\"']?[a-z0-9_ .\-]{0,40}[\"']?,?\s{1,24})"
_VALUE = rb"[\"']?(?:[a-z]{1,12}[:_])?(?:parameter|string|default|current|initial)?value[\"']?"
_BETWEEN = (
    # `"key": "token", "value": …`, `name: token` and `value: …` below it, `name="token" value=…`.
    rb"(?:[\"']?(?:,\s{0,24}|\s{1,24})" + _FIELD + rb"{0,2}" + _VALUE + rb"[ \t]{0,2}[:=][ \t]{0,4}"
    # `<name>token</name> <value>…`, `<setting name="token"><value>…`.
    rb"|[\"']?(?:[ \t][a-z]{1,20}=\"[^\"\n]{0,40}\"){0,2}[ \t]?>\s{0,30}<value>\s{0,20}"
    rb"|</[a-z\-]{1,20}>:?\s{0,30}<(?:[a-z\-]{0,12}(?:value|string)|t[dh]|dd|code|span|b)"
    rb"(?:[ \t][^<>\n]*)?>\s{0,20}"
    # `**Token:** …` and `**Token**: …`.
    rb"|(?:\*\*:|:\*\*)[ \t]{0,4}`?"
    # `variable "token" { … default = …`.
    rb"|[\"'][ \t]{0,2}\{[^{}]*?\bdefault[ \t]{0,12}=[ \t]{0,4}"
    # A parameter of YAML with its type, and its default or example below.
    rb"|[\"']?:[ \t]{0,4}\r?\n(?:[ \t]{1,40}[a-z_\-]{1,24}:[^\n]*\n){0,4}?"
    rb"[ \t]{1,40}(?:default|example|value):[ \t]{1,4}"
    # `tokens = {"user": "…"}`.
    rb"|[\"']?[ \t]{0,3}(?:[:=]|=>)[ \t]{0,3}[{\[(]\s{0,20}[\"']?[a-z0-9_.@\-]{1,40}[\"']?"
    rb"[ \t]{0,2}(?:[:=]|=>)[ \t]{0,4}"
    # A list: of JSON or a program, or of YAML.
    rb"|([\"']?[ \t]{0,3}(?:[:=]|=>)[ \t]{0,3}[\[(]\s{0,30}"
    rb"|[\"']?:[ \t]{0,4}\r?\n[ \t]{0,40}-[ \t]{1,4}))"
)
_RECORD = compiled_for_texts(
    rb"(?i)("
    + KEYWORD
    + REST
    + rb")"
    + _BETWEEN
    + rb"(?:(\\{0,3}[\"'])[^\s\"']{4}|[^\s\"'<>:{(\[,]{6})"
)
_NEXT = compiled(rb"[\"']?,?\s{1,40}(?:-[ \t]{1,4})?([\"'])?[^\s\"'<>]{6}")
_WORD = compiled_for_values(rb"[^\s\"'`<>]{4,200}")
_CALLED_VALUE = compiled_for_values(rb"(?i)value|default")
_HEAD_SIZE = 6
_QUOTED_HEAD_SIZE = 4
_MOST_ITEMS = 50


def recorded_secrets(data: bytes) -> Iterator[Finding]:
    position = 0
    while (found := _RECORD.search(data, position)) is not None:
        start, quote_start = found.start(), found.start(3)
        quote = found.group(3) if quote_start >= 0 else b""
        value_start = found.end() - (_QUOTED_HEAD_SIZE if quote else _HEAD_SIZE)
        # The text between may contain a name with a value of its own.
        position = found.end(1)
        parts = Parts(position - start, quote, is_loose=False, is_inside=True)
        is_list = found.start(2) >= 0
        finding = judged(data, start, value_start, parts)
        if finding is None and not is_list:
            name = data[start_of_name(data, start) : position]
            is_value = _CALLED_VALUE.search(data[position:value_start]) is not None
            finding = _weak(data, name, quote, value_start, is_plain=is_value)
        if finding is None:
            continue
        yield finding
        position = finding.span.end
        if is_list:
            for item in _items(data, start, parts.name_end, position):
                yield item
                position = item.span.end


def _weak(data: bytes, name: bytes, quote: bytes, start: int, *, is_plain: bool) -> Finding | None:
    """Return a value that is not certainly secret, if the name is one of a password.

    `is_plain` if the field is called a value: then it may be a word or a phrase.
    """
    if weak_promise(name) is not Promise.PASSWORD:
        return None
    if quote:
        end = closing(data, start, quote)
    else:
        word = _WORD.match(data, start)
        end = word.end() if word is not None else -1
    value = data[start : max(start, end)]
    if not is_weak_content(value, name, Form.QUOTED if quote else Form.WORD):
        return None
    if not (quote and is_plain) and not is_made_up_word(value):
        return None
    return Finding(Span(start, end), "weak-password", "weak", Certainty.WEAK, True)


def _items(data: bytes, start: int, name_end: int, position: int) -> Iterator[Finding]:
    """Return the other items of a list, if they are secrets."""
    for _ in range(_MOST_ITEMS):
        found = _NEXT.match(data, position)
        if found is None:
            return
        quote = found.group(1) if found.start(1) >= 0 else b""
        parts = Parts(name_end, quote, is_loose=False, is_inside=True)
        finding = judged(data, start, found.end() - _HEAD_SIZE, parts)
        if finding is None:
            return
        yield finding
        position = finding.span.end
