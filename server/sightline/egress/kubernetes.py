"""Kubernetes secrets: every value under `data` and `stringData` of a `Secret`, in YAML and JSON."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Generator, Iterator

from sightline.egress.model import Certainty, Finding
from sightline.egress.randomness import is_random
from sightline.egress.secret_patterns import compiled
from sightline.egress.value_forms import has_template, is_ordinary, is_password, is_placeholder
from sightline.text import Span

_KIND = compiled(
    rb"(?im)^([ \t]*(?:-[ \t]+)?)[\"']?kind[\"']?[ \t]*:[ \t]*[\"']?"
    rb"secret[\"']?[ \t]*(?:#[^\n]*)?\r?$"
)
_DOCUMENT_END = re.compile(rb"(?m)^(?:---|\.\.\.)")
_SECTION = re.compile(
    rb"[\"']?(?:data|stringData|string_data|binaryData)[\"']?[ \t]*:[ \t]*(?:#.*)?$"
)
_FLOW_SECTION = re.compile(rb"[\"']?(?:data|stringData)[\"']?[ \t]*:[ \t]*(?=\{)")
_ENTRY = re.compile(
    rb"([\"']?)[A-Za-z0-9_.\-/\x80-\xff]{1,200}\1[ \t]*:(?:[ \t]+(?:![!A-Za-z]+[ \t]+)?(.*))?$"
)
_BLOCK = re.compile(rb"[|>][+\-0-9]{0,3}[ \t]*(?:#.*)?$")
_JSON_KIND = compiled(rb"(?i)[\"']?\bkind[\"']?\s*[:=]\s*[\"']secret[\"']")
_JSON_TOKEN = re.compile(rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[{}]")
_JSON_SECTION = re.compile(rb"\s*[:=]\s*(?=\{)")
_SECTION_NAMES = frozenset([b"data", b"stringData", b"string_data", b"binary_data", b"binaryData"])
_SHORTEST = 4


def kubernetes_secrets(data: bytes) -> Iterator[Finding]:
    if _JSON_KIND.search(data) is not None:
        yield from _in_braces(data)
    yield from _in_yaml(data)


def _in_yaml(data: bytes) -> Iterator[Finding]:
    reached = 0
    for kind in _KIND.finditer(data):
        if kind.start() < reached:
            continue
        indent = len(kind.group(1))
        position = _object_start(data, kind.start(), indent, reached)
        while position < len(data):
            start = position
            position = _next_line(data, start)
            line = data[start:position].rstrip()
            if start > kind.start() and _is_end(line, indent):
                position = start
                break
            body = line.lstrip(b" \t-")
            at = len(line) - len(body)
            if at == indent and _SECTION.match(body) is not None:
                position = yield from _entries(data, position, indent)
            elif (flow := _FLOW_SECTION.match(body)) is not None:
                yield from _object_values(data, start + at + flow.end())
        reached = position


def _next_line(data: bytes, position: int) -> int:
    end = data.find(b"\n", position)
    return end + 1 if end >= 0 else len(data)


def _object_start(data: bytes, offset: int, indent: int, least: int) -> int:
    """Return the first line of the object that a line belongs to."""
    start = data.rfind(b"\n", least, offset) + 1 or least
    while start > least:
        before = data.rfind(b"\n", least, start - 1) + 1 or least
        line = data[before : start - 1].rstrip()
        if _is_end(line, indent) and not line.lstrip().startswith(b"- "):
            break
        start = before
        if line.lstrip().startswith(b"- ") and len(line) - len(line.lstrip()) + 2 <= indent:
            break
    return start


def _is_end(line: bytes, indent: int) -> bool:
    if not line:
        return False
    if _DOCUMENT_END.match(line) is not None:
        return True
    body = line.lstrip(b" \t")
    at = len(line) - len(body)
    return at < indent or (indent >= 2 and at == indent - 2 and body.startswith(b"- "))


def _entries(data: bytes, position: int, parent: int) -> Generator[Finding, None, int]:
    """Find the values of a mapping that is indented by more than its parent; return its end."""
    while position < len(data):
        after = _next_line(data, position)
        line = data[position:after].rstrip()
        body = line.lstrip(b" \t")
        indent = len(line) - len(body)
        if body and indent <= parent:
            break
        entry = _ENTRY.match(body)
        if body.startswith(b"#") or entry is None:
            position = after
            continue
        value = entry.group(2) or b""
        first = position + indent + entry.start(2) if value else after
        if not value or _BLOCK.match(value) is not None or value[:1] in b"\"'":
            stop = _deeper_end(data, after, indent)
            if not value or _BLOCK.match(value) is not None:
                block = data[after:stop]
                first = after + len(block) - len(block.lstrip())
                value = block.strip()
            elif stop > after and value.count(value[:1]) == 1:
                value = data[first:stop].rstrip()
            after = stop
        yield from _value(first, value)
        position = after
    return position


def _deeper_end(data: bytes, position: int, indent: int) -> int:
    """Return where the lines that are indented by more end."""
    while position < len(data):
        after = _next_line(data, position)
        line = data[position:after]
        if line.strip() and len(line) - len(line.lstrip(b" \t")) <= indent:
            break
        position = after
    return position


def _in_braces(data: bytes) -> Iterator[Finding]:
    """Find objects that are secrets in JSON and similar syntax, at any depth."""
    opened: list[list[int]] = []
    """For each open object, where its sections begin; contains -1 if the object is a secret."""
    before = b""
    end_before = 0
    for token in _JSON_TOKEN.finditer(data):
        text = token.group()
        if text == b"{":
            opened.append([])
        elif text == b"}":
            if opened:
                marks = opened.pop()
                if -1 in marks:
                    for start in marks:
                        if start >= 0:
                            yield from _object_values(data, start)
        else:
            name = text[1:-1]
            if opened and name in _SECTION_NAMES:
                section = _JSON_SECTION.match(data, token.end())
                if section is not None:
                    opened[-1].append(section.end())
            elif (
                opened
                and (name.lower(), before.lower()) == (b"secret", b"kind")
                and token.start() - end_before <= _FAR
            ):
                opened[-1].append(-1)
            before, end_before = name, token.end()


_FAR = 40
_CERTIFICATE = b"-----BEGIN CERTIFICATE-----"
"""Public, although it is stored with secrets."""


def _object_values(data: bytes, start: int) -> Iterator[Finding]:
    """Return the values of a flat object that opens at an offset."""
    is_value = False
    for token in _JSON_TOKEN.finditer(data, start + 1):
        text = token.group()
        if text in (b"{", b"}"):
            return
        lead = data[max(start + 1, token.start() - 12) : token.start()].rstrip()
        if is_value or lead[-1:] in (b":", b"="):
            yield from _value(token.start(), text)
            is_value = False
        else:
            rest = data[token.end() : token.end() + 12].lstrip()
            is_value = rest[:1] in (b":", b"=")


def _value(start: int, raw: bytes) -> Iterator[Finding]:
    value = raw.rstrip(b",")
    if value[:1] in (b'"', b"'"):
        quote = value[:1]
        start += 1
        value = value[1:].partition(quote)[0] if quote in value[1:] else value[1:]
    else:
        value = value.partition(b" #")[0].rstrip()
    if len(value) < _SHORTEST or has_template(value) or is_placeholder(value):
        return
    span = Span(start, start + len(value))
    text = _decoded(value)
    shown = text if text is not None else value
    if is_ordinary(shown) or has_template(shown) or is_placeholder(shown):
        return
    if shown.lstrip().startswith(_CERTIFICATE) and b"PRIVATE" not in shown:
        return
    is_random_text = is_password(shown) or is_random(shown, 8) or b"\n" in shown
    is_long = len(shown) >= 12 and (b" " in shown or _has_digit(shown))
    if is_random_text or (text is not None and is_long):
        yield Finding(span, "kubernetes-secret", "token", Certainty.CERTAIN, True)
    else:
        yield Finding(span, "weak-kubernetes-secret", "weak", Certainty.WEAK, True)


def _has_digit(value: bytes) -> bool:
    return any(48 <= byte <= 57 for byte in value)


def _decoded(value: bytes) -> bytes | None:
    """Return the decoded base64, or None if it is not base64."""
    bare = b"".join(value.split())
    if len(bare) % 4:
        return None
    try:
        return base64.b64decode(bare, validate=True)
    except (binascii.Error, ValueError):
        return None
