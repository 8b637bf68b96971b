"""Credentials in headers, URLs and tokens with a form of their own: bearer, basic, JWT, `sk-`."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator
from itertools import pairwise
from urllib.parse import unquote_to_bytes

from sightline.egress.generated import is_generated
from sightline.egress.model import Certainty, Finding
from sightline.egress.randomness import (
    entropy,
    is_hexadecimal,
    is_random,
    is_random_between,
    is_uuid,
)
from sightline.egress.secret_patterns import (
    Match,
    SecretPatternSet,
    compiled,
    compiled_for_texts,
    compiled_for_values,
)
from sightline.egress.value_forms import (
    has_template,
    is_example,
    is_ordinary,
    is_password,
    is_placeholder,
    is_sequence,
)
from sightline.text import Span

_BEARER = compiled(
    rb"(?i)\bbearer(?:[\"'`]?[ \t]{0,2}[,:=][ \t\r\n]{0,4}[\"'`]?|[ \t+]{1,4}[\"'`]?|%20|\+"
    rb"|[ \t]?[\"'][ \t]{0,2}[+.&][ \t]{0,2}[\"'])"
    rb"([A-Za-z0-9._~+/=\-|:]{12,})"
)
# With any alphabet, as a proxy accepts it.
_SIGNED_BEARER = compiled(
    rb"(?i)authorization[\"']?[ \t]{0,2}[:=][ \t]{0,4}[\"']?bearer[ \t]{1,4}([!-&(-~]{14,128})"
)
_AUTHORIZATION = compiled(
    rb"(?i)authorization[\"'\\\]]{0,4}[ \t]{0,2}[:=,][ \t]{0,4}\\{0,2}[\"'`]{0,2}"
    rb"(?:token|apikey|api-key|bot|key|oauth|ntlm|negotiate|[a-z]{2,16}-v[0-9])?[ =]{0,2}"
    rb"([A-Za-z0-9._~+/=\-|:]{16,})"
)
_BASIC = compiled(rb"(?i)\bbasic[ \t+]{1,4}[\"'`]?([A-Za-z0-9+/_\-]{8,600}={0,2})")
_JSON_WEB_TOKEN = compiled(
    rb"\bey[A-Za-z0-9_/+\-]{10,}\.(?:ey[A-Za-z0-9_/+\-]{10,}|[A-Za-z0-9_\-]{40,})"
    rb"(?:\.[A-Za-z0-9_/+\-]*={0,2})?(?:\.[A-Za-z0-9_\-]+){0,2}"
)
_WRAPPED_JSON_WEB_TOKEN = compiled(rb"\bZXlK[A-Za-z0-9+/_\-]{60,}={0,2}")
_SK = compiled(rb"\bsk-[A-Za-z0-9_\-]{18,}")
_URL_PASSWORD = compiled(
    rb"[A-Za-z][A-Za-z0-9+.\-]{1,30}://([^\s/:@\"'`<>(){}\[\]?#]{0,100}"
    rb"(?:@[A-Za-z0-9.\-]{1,60}\.[A-Za-z]{2,12})?):"
    rb"([^\s/\"'`<>]{3,200})@([A-Za-z0-9.\[_$\-]{1,100})"
)
_SIGNATURE = compiled(
    rb"(?i)[?&;](?:x-(?:amz|goog)-signature|x-amz-security-token|signature|sig|hmac)="
    rb"([A-Za-z0-9%+/_\-]{24,400}={0,2})"
)
# A token in place of the user: `https://…@host`, `https://…:x-oauth-basic@host`.
_URL_USER = compiled(
    rb"https?://([A-Za-z0-9_\-]{20,200})(?::(?:x-oauth-basic|x-token-auth|x)?)?@[A-Za-z0-9.\-]{3,100}"
)
# As the drivers of Go and Oracle write it: `user:…@tcp(host)`, `user/…@//host`, `thin:user/…@host`.
_DRIVER_PASSWORD = compiled(
    rb"(?:\b[A-Za-z0-9_.\-]{1,60}:([^\s\"'`]{4,120})@(?:tcp|unix)\("
    rb"|(?i:\b(?:thin:|sqlplus[ \t]{1,4}(?:-[a-z][ \t]{1,4}){0,3}[\"']?)[a-z0-9_$#]{1,40})"
    rb"/([^\s/@\"'`<>]{4,120})@"
    rb"|\b[A-Za-z][A-Za-z0-9_$#]{0,40}/([^\s/@\"'`<>:]{4,120})@"
    rb"(?://[A-Za-z0-9]|[A-Za-z0-9.\-]+:[0-9]{4,5}[/:][A-Za-z]))"
)
_HOOK = compiled_for_texts(rb"(?i)https?://[^\s\"'`<>]*hook[^\s\"'`<>]*")
_PLURAL = compiled_for_values(rb"[a-z]{3,20}s")
_PARTS = compiled_for_values(rb"[/?&=#]")
# Services whose URLs contain a key, and path parts that announce a key.
_REVISION = compiled_for_values(rb"/(?:blob|commits?|tree|raw|compare|archive)/")
"""In the URL of a file in a repository: a revision looks random."""
_KEYED_URL = compiled_for_texts(
    rb"(?i)(?:https?|wss?)://[^\s\"'`<>]{0,200}?(?:infura|alchemy|quiknode|quicknode|\bankr\b|moralis"
    rb"|getblock|chainstack|blastapi|nodereal|tenderly|helius|drpc|blockdaemon|chainnodes|nownodes|ifttt"
    rb"|pipedream|figment|syndica|triton|onfinality|allthatnode|bloxroute|blockpi|unifra|zeeve|dwellir"
    rb"|logz\.io|loggly|papertrail|datadoghq|rollbar|bugsnag|healthchecks|hc-ping|uptimerobot|cronitor"
    rb"|/(?:api[_\-]?)?(?:key|token|secret|auth|apikey)s?/|/v[0-9]/[0-9a-f]{32}\b)[^\s\"'`<>]*"
)
_STORED_BASIC = compiled(
    rb"(?i)(?:^|[^A-Za-z0-9])_?auth[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?"
    rb"([A-Za-z0-9+/_\-]{8,600}={0,2})"
)
_PRINTABLE = compiled_for_values(rb"[ -~]+")
_WEAK = compiled_for_values(rb"[A-Za-z0-9_!@#$%^&*+~.?\-]*[A-Za-z][A-Za-z0-9_!@#$%^&*+~.?\-]*")
# A dollar between letters that no variable follows: `Acme$Prod#91`.
_AFFIXED = compiled_for_values(rb"[A-Za-z0-9]+\$[A-Z]?[a-z]+[#!@%*+&][A-Za-z0-9#!@%*+&]*")
_ESCAPED = compiled_for_values(rb"%[0-9A-Fa-f]{2}")
# A number after a word: `Welcome1`, `qwerty123`.
_ENDING_NUMBER = compiled_for_values(rb"(?i)(?:qwerty|letmein|hello|welcome|admin|password)[0-9]+$")
_SHORTEST_WEAK = 4
_LEAST_ENTROPY = 1_400
_NO_PASSWORDS = (b"x-oauth-basic", b"x-token-auth")
"""What stands in place of a password if the user is a token."""


def credentials(data: bytes) -> Iterator[Finding]:
    for index in _SIGNS.found_in(data):
        yield from _RULES[index][1](data)


def _bearers(data: bytes) -> Iterator[Finding]:
    for found in _BEARER.finditer(data):
        value = found.group(1).rstrip(b".:")
        if value.isalpha() and (value.islower() or value.isupper()) and len(value) < 20:
            # Random hits are more frequent than keys.
            if is_opaque(value, 12):
                span = Span(found.start(1), found.end(1))
                yield Finding(span, "weak-bearer-token", "weak", Certainty.WEAK, True)
        elif is_opaque(value, 12) or (_is_mixed(value) and is_random_between(value, 10)):
            yield _certain(found.start(1), found.end(1), "bearer-token", "bearer")

    for found in _SIGNED_BEARER.finditer(data):
        if is_generated(found.group(1)):
            yield _certain(found.start(1), found.end(1), "bearer-token", "bearer")


def _authorizations(data: bytes) -> Iterator[Finding]:
    for found in _AUTHORIZATION.finditer(data):
        if is_opaque(found.group(1), 16):
            yield _certain(found.start(1), found.end(1), "authorization-header", "bearer")


def _basics(data: bytes) -> Iterator[Finding]:
    for found in _BASIC.finditer(data):
        yield from _basic(found)


def _stored_basics(data: bytes) -> Iterator[Finding]:
    """As Docker and npm keep them."""
    for found in _STORED_BASIC.finditer(data):
        yield from _basic(found)


def _basic(found: Match) -> Iterator[Finding]:
    """A user and a password in base64."""
    decoded = _decoded(found.group(1))
    user, colon, password = decoded.partition(b":")
    if not colon or not decoded.isascii() or not _PRINTABLE.fullmatch(decoded):
        return
    span = Span(found.start(1), found.end(1))
    if is_secret_word(password) or is_opaque(user, 16) or is_random_between(password, 16):
        yield Finding(span, "basic-authorization", "basic", Certainty.CERTAIN, True)
    elif user and _is_made_up(password) and not (is_placeholder(password) or is_ordinary(password)):
        yield Finding(span, "weak-basic-authorization", "weak", Certainty.WEAK, True)


def _web_tokens(data: bytes) -> Iterator[Finding]:
    for found in _JSON_WEB_TOKEN.finditer(data):
        if _is_web_token(found.group()):
            yield _certain(found.start(), found.end(), "json-web-token", "jwt")


def _wrapped_web_tokens(data: bytes) -> Iterator[Finding]:
    for found in _WRAPPED_JSON_WEB_TOKEN.finditer(data):
        if b"." in _decoded(found.group()):
            yield _certain(found.start(), found.end(), "wrapped-json-web-token", "jwt")


def _sk_keys(data: bytes) -> Iterator[Finding]:
    for found in _SK.finditer(data):
        tail = found.group()[3:]
        if is_opaque(tail, 18) and any(48 <= byte <= 57 for byte in tail):
            yield _certain(found.start(), found.end(), "sk-key", "sk_key")


def _signatures(data: bytes) -> Iterator[Finding]:
    """Find the signature of a URL that grants access until it expires."""
    for found in _SIGNATURE.finditer(data):
        if is_opaque(unquote_to_bytes(found.group(1)), 20):
            yield _certain(found.start(1), found.end(1), "signed-address", "url_password")


def _hooks(data: bytes) -> Iterator[Finding]:
    for found in _HOOK.finditer(data):
        if any(map(_is_hook_key, _behind_hook(_PARTS.split(found.group()[:1_000])))):
            yield _certain(found.start(), found.end(), "webhook-address", "webhook")


def _behind_hook(parts: list[bytes]) -> list[bytes]:
    """Yield the parts of a URL that may be a key: a UUID before `hook` is not one."""
    index = next((at for at, part in enumerate(parts) if b"hook" in part.lower()), 2)
    before = [part for part in parts[3:index] if not is_uuid(part)]
    behind = parts[max(index, 2) :]
    return before + [
        part
        for one, part in pairwise(behind)
        # `/workflows/…`: the id of one of many.
        if not (is_uuid(part) and _PLURAL.fullmatch(one) is not None and b"hook" not in one)
    ]


def _keyed_urls(data: bytes) -> Iterator[Finding]:
    for found in _KEYED_URL.finditer(data):
        if _REVISION.search(found.group()[:1_000]) is not None:
            continue
        position = found.start()
        for part in _PARTS.split(found.group()[:1_000]):
            if is_opaque(part, 16) and any(48 <= byte <= 57 for byte in part):
                yield _certain(position, position + len(part), "keyed-address", "url_password")
            position += len(part) + 1


def _is_hook_key(value: bytes) -> bool:
    """True if a part of a URL is secret, and not a number or commit."""
    return is_opaque(value, 16) and _is_mixed(value.upper()) and not is_hexadecimal(value[:40])


def is_opaque(value: bytes, least: int) -> bool:
    """True if it is random, and not an example, a template or a run of the alphabet."""
    return (
        is_random(value, least)
        and not is_placeholder(value)
        and not is_sequence(value)
        and not has_template(value)
    )


def is_secret_word(value: bytes) -> bool:
    return (
        not is_placeholder(value)
        and not has_template(value)
        and not is_ordinary(value)
        and (is_password(value) or is_random(value, 8))
    )


def _is_mixed(value: bytes) -> bool:
    digits = sum(48 <= byte <= 57 for byte in value)
    return digits >= 3 and any(65 <= byte <= 90 for byte in value)


def _url_passwords(data: bytes) -> Iterator[Finding]:
    for found in _URL_PASSWORD.finditer(data):
        user, value = found.group(1), unquote_to_bytes(found.group(2))
        written = _ESCAPED.sub(b"", found.group(2))
        if value == user or has_template(user) or is_example(value):
            continue
        if has_template(written) and not (is_generated(value) or _AFFIXED.fullmatch(value)):
            continue
        if entropy(value) < _LEAST_ENTROPY:
            continue
        if value in _NO_PASSWORDS or (is_ordinary(value) and _ENDING_NUMBER.search(value) is None):
            continue
        span = Span(found.start(2), found.end(2))
        if is_password(value) or is_random(value, 8):
            yield Finding(span, "url-password", "url_password", Certainty.CERTAIN, True)
        elif _is_made_up(value):
            yield Finding(span, "weak-url-password", "weak", Certainty.WEAK, True)


def _is_made_up(value: bytes) -> bool:
    """True if a person might choose it as a password, however weak."""
    return len(value) >= _SHORTEST_WEAK and _WEAK.fullmatch(value) is not None


def _url_users(data: bytes) -> Iterator[Finding]:
    for found in _URL_USER.finditer(data):
        value = found.group(1)
        if is_opaque(value, 20) and any(48 <= byte <= 57 for byte in value):
            yield _certain(found.start(1), found.end(1), "url-token", "url_password")


def _driver_passwords(data: bytes) -> Iterator[Finding]:
    for found in _DRIVER_PASSWORD.finditer(data):
        group = next(index for index in (1, 2, 3) if found.start(index) >= 0)
        value = found.group(group)
        start, end = found.start(group), found.end(group)
        if is_secret_word(value) or is_generated(value):
            yield _certain(start, end, "driver-password", "url_password")
        elif _is_made_up(value) and not (is_example(value) or is_ordinary(value)):
            span = Span(start, end)
            yield Finding(span, "weak-url-password", "weak", Certainty.WEAK, True)


def _is_web_token(token: bytes) -> bool:
    head = token.split(b".", 1)[0]
    return _decoded(head).startswith(b"{") or is_opaque(token, 40)


def _decoded(value: bytes) -> bytes:
    """Return the bytes in some base64, as far as it is valid; None if it is not base64."""
    value = value.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")[:4_000]
    try:
        return base64.b64decode(value[: len(value) // 4 * 4] + _padding(value))
    except (binascii.Error, ValueError):
        return b""


def _padding(value: bytes) -> bytes:
    rest = value[len(value) // 4 * 4 :]
    return rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""


def _certain(start: int, end: int, detector: str, kind: str) -> Finding:
    return Finding(Span(start, end), detector, kind, Certainty.CERTAIN, True)


# What a text must contain for a rule to be tried, and the rule.
_RULES: tuple[tuple[bytes, Callable[[bytes], Iterator[Finding]]], ...] = (
    (rb"(?i)bearer", _bearers),
    (rb"(?i)authorization", _authorizations),
    (rb"(?i)basic", _basics),
    (rb"\bey[A-Za-z0-9_/+\-]{10}", _web_tokens),
    (rb"ZXlK", _wrapped_web_tokens),
    (rb"sk-", _sk_keys),
    (rb"://[^\s/]*@", _url_passwords),
    (rb"https?://[A-Za-z0-9_\-]{20}[A-Za-z0-9_\-]*[:@]", _url_users),
    (
        rb"@(?:tcp|unix)\(|thin:|(?i:sqlplus)|@//|/[^\s/@]+@[A-Za-z0-9.\-]+:[0-9]{4}",
        _driver_passwords,
    ),
    (rb"(?i)://[^\s\"'`<>]*hook", _hooks),
    (rb"(?i)://", _keyed_urls),
    (rb"(?i)auth[\"']?[ \t]{0,4}[:=]", _stored_basics),
    (rb"(?i)(?:sig|signature|hmac|security-token)=", _signatures),
)
_SIGNS = SecretPatternSet((sign for sign, _ in _RULES), group="forms")
