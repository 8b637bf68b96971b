"""Secrets that the document around them gives away: connection strings, JSON Web Keys, Kubernetes
secrets, key pairs of which one half has a form of its own."""

from __future__ import annotations

import base64
import binascii
import itertools
from collections.abc import Callable, Iterator

from sightline.egress.model import Certainty, Finding
from sightline.egress.patterns import PatternSet, compiled
from sightline.egress.randomness import is_random
from sightline.egress.values import has_template, is_password, is_placeholder, is_sequence
from sightline.text import Span

_CONNECTION = compiled(
    rb"(?i)\b(?:server|data source|host|address|driver|provider|dsn|jdbc|endpoint|accountendpoint)"
    rb"[ \t]?[=:][^\r\n\"'`]{1,300}?[;?& \t](?:password|pwd|accountkey)[ \t]?=[ \t]?"
    rb"([^;\s\"'`&<>]{3,120})"
)
_LOGIN = compiled(rb"(?i)\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}(\S{6,200})")
_CLEAR_TEXT = compiled(
    rb"(?i)\bcleartextpassword[\"']?\s{1,8}value\s{0,4}=\s{0,4}[\"']([^\"'\s]{4,200})[\"']"
)
_KEY_FIELD = compiled(
    rb"[\"'](?:d|p|q|dp|dq|qi|k)[\"']\s{0,8}:\s{0,8}[\"']([A-Za-z0-9_\-]{20,})[\"']"
)
_KUBERNETES = compiled(
    rb"(?im)^[ \t]{0,8}[\"']?kind[\"']?:[ \t]{0,4}[\"']?secret[\"']?[ \t\r]{0,8}$"
)
_DOCUMENT_END = compiled(rb"(?m)^---")
_DATA = compiled(rb"(?m)^[ \t]{0,8}[\"']?(?:data|stringData)[\"']?:[ \t\r]{0,8}\n")
_ENTRY = compiled(
    rb"[ \t]{1,40}[\"']?[A-Za-z0-9_.\-]{1,100}[\"']?:[ \t]{0,4}(?:[|>]-?[ \t\r]{0,4}\n[ \t]{1,40})?"
    rb"[\"']?([^\s\"'#][^\r\n\"']*)[\"']?[^\n]*(?:\n|$)"
)
_TOP_LEVEL = compiled(
    rb"[ \t]*[\"']?(?:kind|metadata|type|apiVersion|immutable|data|stringData)[\"']?:"
)
_ACCESS_KEY = compiled(rb"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")
_SECRET_KEY = compiled(rb"(?:^|[^A-Za-z0-9+/=])([A-Za-z0-9+/]{40})(?:[^A-Za-z0-9+/=]|$)")
_NEAR = 300


def document_secrets(data: bytes) -> Iterator[Finding]:
    for index in _SIGNS.found_in(data):
        yield from _RULES[index][1](data)


def _with_passwords(data: bytes) -> Iterator[Finding]:
    yield from _connections(data)
    yield from _logins(data)
    yield from _clear_texts(data)


def _web_keys(data: bytes) -> Iterator[Finding]:
    for found in _KEY_FIELD.finditer(data):
        if is_random(found.group(1), 20):
            yield _certain(found.start(1), found.end(1), "json-web-key", "private_key")


def _connections(data: bytes) -> Iterator[Finding]:
    for found in _CONNECTION.finditer(data):
        value = found.group(1).rstrip(b"\\")
        if has_template(value) or value[:1] in b"{<%$*#+(@." or is_placeholder(value + b"----"):
            continue
        certainty = Certainty.CERTAIN if is_password(value) else Certainty.UNCERTAIN
        span = Span(found.start(1), found.start(1) + len(value))
        yield Finding(span, "connection-password", "password", certainty, True)


def _clear_texts(data: bytes) -> Iterator[Finding]:
    """As in a configuration of NuGet, which says by its name that it is the password itself."""
    for found in _CLEAR_TEXT.finditer(data):
        value = found.group(1)
        if not has_template(value) and not is_placeholder(value):
            certainty = Certainty.CERTAIN if is_password(value) else Certainty.UNCERTAIN
            span = Span(found.start(1), found.end(1))
            yield Finding(span, "clear-text-password", "password", certainty, True)


def _logins(data: bytes) -> Iterator[Finding]:
    """As in a `.netrc` file."""
    for found in _LOGIN.finditer(data):
        value = found.group(1)
        if is_password(value) and not is_placeholder(value) and not has_template(value):
            span = Span(found.start(1), found.end(1))
            yield Finding(span, "login-password", "password", Certainty.CERTAIN, False)


def _kubernetes(data: bytes) -> Iterator[Finding]:
    """The values under `data` of a document of kind `Secret`."""
    ends = [found.start() for found in _DOCUMENT_END.finditer(data)]
    bounds = [0, *ends, len(data)]
    for start, end in itertools.pairwise(bounds):
        if data.find(b"ata", start, end) < 0 or _KUBERNETES.search(data, start, end) is None:
            continue
        for section in _DATA.finditer(data, start, end):
            position = section.end()
            while (entry := _ENTRY.match(data, position, end)) is not None:
                if _TOP_LEVEL.match(data, position, end) is not None:
                    break
                value = entry.group(1)
                if _is_encoded(value.rstrip()):
                    first = entry.start(1)
                    yield _certain(first, first + len(value.rstrip()), "kubernetes-secret", "token")
                position = entry.end()


def _is_encoded(value: bytes) -> bool:
    if len(value) < 8 or has_template(value):
        return False
    try:
        decoded = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return is_password(value) and not is_placeholder(value)
    return not has_template(decoded) and len(decoded) >= 6


def _key_pairs(data: bytes) -> Iterator[Finding]:
    """The secret half of a pair, close to the half that is known by its form."""
    reached = 0
    for found in _ACCESS_KEY.finditer(data):
        start, end = max(reached, found.start() - _NEAR), min(len(data), found.end() + _NEAR)
        if start >= end:
            continue
        for secret in _SECRET_KEY.finditer(data, start, end):
            value = secret.group(1)
            if is_random(value, 40) and not is_placeholder(value) and not is_sequence(value):
                yield _certain(secret.start(1), secret.end(1), "aws-secret-key", "vendor")
        reached = end


def _certain(start: int, end: int, detector: str, kind: str) -> Finding:
    return Finding(Span(start, end), detector, kind, Certainty.CERTAIN, True)


# What a text must have for a rule to be worth its time, and the rule.
_RULES: tuple[tuple[bytes, Callable[[bytes], Iterator[Finding]]], ...] = (
    (rb"(?i)password|pwd|accountkey", _with_passwords),
    (rb"[\"']kty[\"']\s{0,8}:", _web_keys),
    (rb"(?i)\bkind[\"']?:[ \t]{0,4}[\"']?secret", _kubernetes),
    (rb"AKIA|ASIA", _key_pairs),
)
_SIGNS = PatternSet(sign for sign, _ in _RULES)
