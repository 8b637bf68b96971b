"""Secrets that the document around them gives away: connection strings, JSON Web Keys, Kubernetes
secrets, key pairs of which one half has a form of its own."""

from __future__ import annotations

import base64
import binascii
import itertools
from collections.abc import Callable, Iterator

from sightline.egress.headers import is_opaque, is_secret_word
from sightline.egress.model import Certainty, Finding
from sightline.egress.randomness import is_random
from sightline.egress.secret_patterns import SecretPatternSet, compiled, compiled_for_values
from sightline.egress.value_forms import (
    has_template,
    is_numbered,
    is_ordinary,
    is_password,
    is_placeholder,
    is_sequence,
    is_weak_password,
)
from sightline.text import Span

_CONNECTION = compiled(
    rb"(?i)\b(?:server|data source|host|address|driver|provider|dsn|jdbc|endpoint|accountendpoint)"
    rb"[ \t]?[=:][^\r\n\"'`]{1,300}?[;?& \t](?:password|pwd|accountkey)[ \t]?=[ \t]?"
    rb"([^;\s\"'`&<>]{3,120})"
)
_LOGIN = compiled(rb"(?i)\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}(\S{6,200})")
# Beside the name of its user; or both in a sentence, as `admin / …`.
_PAIR = compiled(
    rb"(?i)\b(?:user(?:[_ ]?name|[_ ]?id)?|login|uid|usr|e?mail)[\"'`]?[ \t]{0,2}[:=][ \t]{0,2}"
    rb"[\"'`]?[^\s,;&\"'`(){}]{1,60}[\"'`]?(?:[,;&|/ \t]{1,4}|[ \t]and[ \t])[\"'`]?"
    rb"(?:password|passwd|pass|pwd|pw)[\"'`]?[ \t]{0,2}[:=][ \t]{0,2}([^\s,;&\"'`(){}<>]{8,80})"
)
_SPOKEN = compiled(
    rb"(?i)\b(?:credentials?|logins?|accounts?)\b[^\r\n/]{0,40}?[ \t:\"'`][a-z0-9_.@\-]{2,40}"
    rb"[\"'`]?(?:[ \t]/[ \t]|/)[\"'`]?([^\s\"'`/]{8,60})"
)
_STATIC_KEY = compiled(
    rb"-----BEGIN OpenVPN Static key V1-----\s{1,8}((?:[#>*|]{0,2}[0-9a-f]+\s+){4,})"
)
# The names of the columns of a table, with a secret among them.
_CELLS = rb"[a-z0-9_ .\"\-]*"
_COLUMN = _CELLS + rb"(?:password|passwd|secret|token|api[ _]?key|access[ _]?key)" + _CELLS
_COLUMNS = compiled(
    rb"(?im)^(?:(?:" + _CELLS + rb"[,;\t])+" + _COLUMN + rb"(?:[,;\t]" + _CELLS + rb")*"
    rb"|" + _COLUMN + rb"(?:[,;\t]" + _CELLS + rb")+)\r?\n"
)
_CELL = compiled_for_values(rb"[,;\t]")
_SECRET_COLUMN = compiled_for_values(
    rb"(?i)(?:password|passwd|secret|token|api[ _]?key|access[ _]?key)\"?$"
)
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
_MOST_ROWS = 100
_LONGEST_ROW = 1_000


def document_secrets(data: bytes) -> Iterator[Finding]:
    for index in _SIGNS.found_in(data):
        yield from _RULES[index][1](data)


def _with_passwords(data: bytes) -> Iterator[Finding]:
    yield from _connections(data)
    yield from _logins(data)
    yield from _clear_texts(data)
    yield from _pairs(data)


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


def _pairs(data: bytes) -> Iterator[Finding]:
    for found in _PAIR.finditer(data):
        value = found.group(1)
        if is_numbered(value) and is_weak_password(value) and not _stands_for_another(value):
            certainty = Certainty.CERTAIN if is_password(value) else Certainty.UNCERTAIN
            span = Span(found.start(1), found.end(1))
            yield Finding(span, "password-of-user", "password", certainty, False)


def _spoken(data: bytes) -> Iterator[Finding]:
    for found in _SPOKEN.finditer(data):
        value = found.group(1)
        if is_password(value) and is_weak_password(value) and not _stands_for_another(value):
            span = Span(found.start(1), found.end(1))
            yield Finding(span, "password-of-user", "password", Certainty.CERTAIN, False)


def _tables(data: bytes) -> Iterator[Finding]:
    """The values of a column that is called so, in the rows below."""
    for found in _COLUMNS.finditer(data):
        names = _CELL.split(found.group().strip())
        columns = [index for index, name in enumerate(names) if _SECRET_COLUMN.search(name)]
        position = found.end()
        is_table = len(names) > 1 and all(names) and columns
        for _ in range(_MOST_ROWS if is_table else 0):
            end = data.find(b"\n", position, position + _LONGEST_ROW)
            row = data[position : end if end >= 0 else position + _LONGEST_ROW]
            cells = _CELL.split(row.rstrip(b"\r"))
            if len(cells) != len(names):
                break
            for index in columns:
                value = cells[index].strip(b"\"' ")
                if is_secret_word(value) or is_opaque(value, 16):
                    start = position + row.find(value, sum(map(len, cells[:index])) + index)
                    yield _certain(start, start + len(value), "secret-in-table", "password")
            if end < 0:
                break
            position = end + 1


def _stands_for_another(value: bytes) -> bool:
    return is_placeholder(value) or is_ordinary(value) or has_template(value)


def _static_keys(data: bytes) -> Iterator[Finding]:
    for found in _STATIC_KEY.finditer(data):
        yield _certain(found.start(1), found.end(1), "static-key", "private_key")


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
    (rb"(?i)\b(?:credentials?|logins?|accounts?)\b", _spoken),
    (rb"BEGIN OpenVPN Static", _static_keys),
    (rb"(?im)^[^\n]*(?:passw|secret|token|key)[^\n()=:]*\r?\n", _tables),
    (rb"[\"']kty[\"']\s{0,8}:", _web_keys),
    (rb"(?i)\bkind[\"']?:[ \t]{0,4}[\"']?secret", _kubernetes),
    (rb"AKIA|ASIA", _key_pairs),
)
_SIGNS = SecretPatternSet(sign for sign, _ in _RULES)
