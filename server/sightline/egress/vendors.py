"""Vendors' formats, as data: `vendors.toml` beside this file.

One set of all formats says in a single pass which of them are in a text at all; only those are
looked for one by one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.resources import files

import attrs

from sightline.egress.model import Certainty, Finding
from sightline.egress.patterns import Pattern, PatternSet, compiled
from sightline.egress.randomness import cost, entropy, is_hexadecimal
from sightline.egress.values import is_example, is_sequence
from sightline.text import Span

RULES = files("sightline.egress").joinpath("vendors.toml").read_bytes()

_BROAD = frozenset({"prefixed-token", "prefixed-secret-key", "truenas-key", "hyphenated-token"})
"""Formats that words have too: their values must be random beyond doubt."""
_LOOSE = frozenset(
    {
        "azure-client-secret",
        "beamer-key",
        "brave-search-key",
        "llama-key",
        "discord-token",
        "dropbox-token",
        "facebook-token",
        "gocardless-token",
        "instagram-token",
        "mailchimp-key",
        "mandrill-key",
        "okta-token",
        "recaptcha-key",
        "sanity-token",
        "slack-short-token",
        "statsig-key",
        "twitter-bearer-token",
        "vault-legacy-token",
        "yandex-access-key",
    }
)
"""Formats whose prefix says little: their values must look like chance."""


_OTHER_PREFIX = compiled(
    rb"(?:sha\d*|md5|chatcmpl|cmpl|run|msg|req|file|asst|resp|img|id|uuid|v\d)[-_]"
)
"""What begins so is a digest or an identifier."""


@attrs.frozen
class _Format:
    name: str
    pattern: Pattern


def vendor_credentials(data: bytes) -> Iterator[Finding]:
    for index in _SET.found_in(data):
        form = _FORMATS[index]
        for found in form.pattern.finditer(data):
            is_doubtful = form.name in _LOOSE or form.name in _BROAD
            if is_doubtful and _is_in_base64(data, found.start(), found.end()):
                continue
            if _is_credential(form.name, found.group()):
                span = Span(found.start(), found.end())
                yield Finding(span, form.name, "vendor", Certainty.CERTAIN, True)


def _is_in_base64(data: bytes, start: int, end: int) -> bool:
    """Whether it is a part of a longer run or a path, where such prefixes come by chance."""
    return data[start - 1 : start] in (b"+", b"/") or data[end : end + 1] in (b"+", b"/")


def _is_credential(name: str, value: bytes) -> bool:
    if is_example(value) or entropy(value) < 2_500:
        return False
    if name in _BROAD:
        return _is_broad(value)
    return name not in _LOOSE or (cost(value) >= 4_400 and not is_sequence(value))


def _is_broad(value: bytes) -> bool:
    """Random in its longest part: all three classes mixed, or letters and digits in turns."""
    if _OTHER_PREFIX.match(value) is not None or is_sequence(value):
        return False
    tail = max(value.replace(b"-", b"_").split(b"_"), key=len)
    if len(tail) < 24 or not any(48 <= byte <= 57 for byte in tail):
        return False
    if is_hexadecimal(tail):
        return len(tail) >= 40 and value[:3] in (b"sk_", b"pk_", b"rk_", b"ak_")
    cases = any(65 <= byte <= 90 for byte in tail) + any(97 <= byte <= 122 for byte in tail)
    bar = 4_900 if cases == 2 else 5_200
    return entropy(tail) >= 3_500 and cost(tail) >= bar


def _load() -> tuple[tuple[_Format, ...], PatternSet, tuple[bytes, ...]]:
    rules = tomllib.loads(RULES.decode("utf-8"))
    sources = {name: rf"\b(?:{pattern})" for name, pattern in rules["formats"].items()}
    sources |= rules["anywhere"]
    patterns = [pattern.encode("ascii") for pattern in sources.values()]
    formats = [
        _Format(name, compiled(pattern)) for name, pattern in zip(sources, patterns, strict=True)
    ]
    names = tuple(sorted(rules["contexts"]["names"].encode("ascii").split()))
    return tuple(formats), PatternSet(patterns), names


_FORMATS, _SET, SERVICES = _load()
