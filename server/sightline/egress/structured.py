"""Secrets that are recognised by their document: connection strings, JSON Web Keys, Kubernetes
secrets, key pairs of which one half has a form of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sightline.egress.generated import is_generated
from sightline.egress.kubernetes import kubernetes_secrets
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form
from sightline.egress.password_hashes import HASH_SIGN, password_hashes
from sightline.egress.randomness import entropy, is_random
from sightline.egress.secret_patterns import (
    SecretPatternSet,
    compiled,
    compiled_for_values,
    texts,
)
from sightline.egress.tables import TABLE_SIGN, tabled_secrets
from sightline.egress.value_forms import (
    has_template,
    is_numbered,
    is_ordinary,
    is_password,
    is_placeholder,
    is_sequence,
    is_weak_password,
)
from sightline.egress.wallets import WALLET_RULES
from sightline.egress.weak import is_weak_content
from sightline.text import Span

_CONNECTION = compiled(
    rb"(?i)\b(?:server|data source|host|address|driver|provider|dsn|jdbc|endpoint|accountendpoint)"
    rb"[ \t]?[=:][^\r\n\"'`]{1,300}?[;?& \t](?:password|pwd|accountkey)[ \t]?=[ \t]?"
    rb"([^;\s\"'`]{3,120})"
)
_LOGIN = compiled(rb"(?i)\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}(\S{6,200})")
# Beside the user's name, or both in a sentence, like `admin / …`.
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
    rb"-----BEGIN OpenVPN Static key V1-----\s{1,8}((?:[#>*|]{0,2}[0-9a-f]{16,}\s+)+)"
)
_CLEAR_TEXT = compiled(
    rb"(?i)\bcleartextpassword[\"']?\s{1,8}value\s{0,4}=\s{0,4}[\"']([^\"'\s]{4,200})[\"']"
)
_KEY_FIELD = compiled(
    rb"(?:^|[^A-Za-z0-9_])[\"']?(?:d|p|q|dp|dq|qi|k)[\"']?\s{0,8}(?::|=>|=)\s{0,8}[\"']?"
    rb"([A-Za-z0-9_\-]{20,})[\"']?"
)
# The private numbers of a key: in .NET XML, in JSON, in a dump of OpenSSL.
_SECRET_NUMBER = (
    rb"(?:D|P|Q|DP|DQ|InverseQ|X|privateExponent|prime[12PQ]|exponent[12PQ]"
    rb"|(?:crt)?[Cc]oefficient)"
)
_ELEMENT = compiled(
    rb"<" + _SECRET_NUMBER + rb">(\s{0,80}[A-Za-z0-9+/=_\-]{8}[A-Za-z0-9+/=_\-\s]{8,}?)</"
)
_PARAMETER = compiled(
    rb"\b" + _SECRET_NUMBER + rb"[\"']?\s{0,4}(?::|=>?)\s{0,4}"
    rb"(?:[A-Za-z_.]{1,40}[({]\s{0,4}){0,2}[\"']([A-Za-z0-9+/=_\-:]{20,})[\"']"
)
_DUMPED_NUMBER = compiled(
    rb"(?m)^[ \t#>*/|\"']{0,20}(?:privateExponent|prime[12]|exponent[12]|coefficient|priv):"
    rb"[ \t]{0,8}\r?\n"
    rb"((?:[ \t#>*/|\"']{0,40}(?:[0-9a-fA-F]{2}:)+(?:[0-9a-fA-F]{2})?[ \t\"']{0,8}\r?\n?)+"
    rb"(?:[ \t#>*/|\"']{0,40}[0-9a-fA-F]{2}\b)?)"
)
_ACCESS_KEY = compiled(rb"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")
_SECRET_KEY = compiled(rb"(?:^|[^A-Za-z0-9+/=])([A-Za-z0-9+/]{40})(?:[^A-Za-z0-9+/=]|$)")
_MARK = compiled_for_values(rb"[&<>]")
_SHORTEST = 3
_OWN_NAMES = (b"password", b"pwd", b"accountkey", b"accountKey")
"""A variable, passed on under its own name."""
_NEAR = 300


def document_secrets(data: bytes) -> Iterator[Finding]:
    found = _SIGNS.found_in(data)
    for index in found:
        yield from _RULES[index][1](data)
    if texts.told_in(data) and not any(_RULES[index][1] is tabled_secrets for index in found):
        yield from tabled_secrets(data)


def _with_passwords(data: bytes) -> Iterator[Finding]:
    yield from _connections(data)
    yield from _logins(data)
    yield from _clear_texts(data)
    yield from _pairs(data)


def _web_keys(data: bytes) -> Iterator[Finding]:
    for found in _KEY_FIELD.finditer(data):
        if is_random(found.group(1), 20):
            yield _certain(found.start(1), found.end(1), "json-web-key", "private_key")


def _key_parameters(data: bytes) -> Iterator[Finding]:
    for pattern in (_ELEMENT, _PARAMETER):
        for found in pattern.finditer(data):
            if entropy(found.group(1).strip()) >= 3_000:
                yield _certain(found.start(1), found.end(1), "key-parameter", "private_key")
    for found in _DUMPED_NUMBER.finditer(data):
        yield _certain(found.start(1), found.end(1), "key-parameter", "private_key")


def _connections(data: bytes) -> Iterator[Finding]:
    for found in _CONNECTION.finditer(data):
        value = found.group(1).rstrip(b"\\")
        if not is_generated(value):
            value = _MARK.split(value, 1)[0]
            if value.count(b")") > value.count(b"(") and value[-1:] in b");,":
                value = value[: value.rindex(b")")]
        if is_generated(value):
            yield _password(found.start(1), value, "connection-password")
            continue
        if len(value) < _SHORTEST or value in _OWN_NAMES:
            continue
        is_template = has_template(value) and not is_weak_content(value, b"password", Form.WORD)
        if is_template or value[:1] in b"{<%$*#+(@." or is_placeholder(value + b"----"):
            continue
        yield _password(found.start(1), value, "connection-password")


def _clear_texts(data: bytes) -> Iterator[Finding]:
    """Find passwords as in a NuGet configuration, whose element says that the password is in clear
    text.
    """
    for found in _CLEAR_TEXT.finditer(data):
        value = found.group(1)
        if not has_template(value) and not is_placeholder(value):
            yield _password(found.start(1), value, "clear-text-password")


def _logins(data: bytes) -> Iterator[Finding]:
    """Find logins as in a `.netrc` file."""
    for found in _LOGIN.finditer(data):
        value = found.group(1)
        if is_password(value) and not is_placeholder(value) and not has_template(value):
            span = Span(found.start(1), found.end(1))
            yield Finding(span, "login-password", "password", Certainty.CERTAIN, False)


def _pairs(data: bytes) -> Iterator[Finding]:
    for found in _PAIR.finditer(data):
        value = found.group(1)
        if is_numbered(value) and is_weak_password(value) and not _stands_for_another(value):
            yield _password(found.start(1), value, "password-of-user")


def _spoken(data: bytes) -> Iterator[Finding]:
    for found in _SPOKEN.finditer(data):
        value = found.group(1)
        if is_password(value) and is_weak_password(value) and not _stands_for_another(value):
            span = Span(found.start(1), found.end(1))
            yield Finding(span, "password-of-user", "password", Certainty.CERTAIN, False)


def _stands_for_another(value: bytes) -> bool:
    return is_placeholder(value) or is_ordinary(value) or has_template(value)


def _static_keys(data: bytes) -> Iterator[Finding]:
    for found in _STATIC_KEY.finditer(data):
        yield _certain(found.start(1), found.end(1), "static-key", "private_key")


def _key_pairs(data: bytes) -> Iterator[Finding]:
    """Find the secret half of a pair, close to the half with a known form."""
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


def _password(start: int, value: bytes, detector: str) -> Finding:
    """Return a certain finding if the value is hard to guess, and a weak one if a person made it
    up.
    """
    span = Span(start, start + len(value))
    if is_password(value) or is_generated(value):
        return Finding(span, detector, "password", Certainty.CERTAIN, True)
    return Finding(span, f"weak-{detector}", "weak", Certainty.WEAK, True)


def _certain(start: int, end: int, detector: str, kind: str) -> Finding:
    return Finding(Span(start, end), detector, kind, Certainty.CERTAIN, True)


# What a text must contain for a rule to be tried, and the rule.
_RULES: tuple[tuple[bytes, Callable[[bytes], Iterator[Finding]]], ...] = (
    (rb"(?i)password|pwd|accountkey", _with_passwords),
    (rb"(?i)\b(?:credentials?|logins?|accounts?)\b", _spoken),
    (rb"BEGIN OpenVPN Static", _static_keys),
    (rb"\bkty\b", _web_keys),
    (rb"(?i)modulus", _key_parameters),
    (rb"(?i)\bkind[\"']?\s{0,4}[:=]\s{0,4}[\"']?secret", kubernetes_secrets),
    (rb"AKIA|ASIA", _key_pairs),
    (HASH_SIGN, password_hashes),
    (TABLE_SIGN, tabled_secrets),
    *WALLET_RULES,
)
_SIGNS = SecretPatternSet(sign for sign, _ in _RULES)
