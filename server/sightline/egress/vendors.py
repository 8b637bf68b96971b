"""Vendors' formats, as data: `vendors.toml` beside this file.

A set of all formats says in a single pass which of them may occur in a text; only those are
searched for one by one. In the set, repetitions are counted only up to a small number: with exact
counts the automaton has a state for each count and combination, and long runs of base64 visit them
all.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files

import attrs

from sightline.egress.model import Certainty, Finding
from sightline.egress.randomness import cost, entropy, is_hexadecimal
from sightline.egress.secret_patterns import (
    SecretPattern,
    SecretPatternSet,
    compiled,
    compiled_for_values,
)
from sightline.egress.value_forms import is_example, is_sequence
from sightline.text import Span

RULES = files("sightline.egress").joinpath("vendors.toml").read_bytes()

_BROAD = frozenset({"prefixed-token", "prefixed-secret-key", "truenas-key", "hyphenated-token"})
"""Formats that words have too: their values must be clearly random."""
_STREWN = frozenset({"dotted-token", "separated-token"})
"""The same, if `_` and `-` may occur anywhere in the value."""
_LOOSE = frozenset(
    {
        "ably-key",
        "azure-client-secret",
        "beamer-key",
        "brave-search-key",
        "llama-key",
        "discord-token",
        "dropbox-long-token",
        "dropbox-token",
        "facebook-token",
        "gocardless-token",
        "google-storage-key",
        "instagram-token",
        "mailchimp-key",
        "mandrill-key",
        "okta-token",
        "pagerduty-token",
        "pushbullet-token",
        "recaptcha-key",
        "sanity-token",
        "slack-short-token",
        "statsig-key",
        "twitter-bearer-token",
        "vault-legacy-token",
        "yandex-access-key",
    }
)
"""Formats whose prefix is weak evidence: their values must look random."""


_OTHER_PREFIX = compiled(
    rb"(?i)(?:sha\d*|md5|chatcmpl|cmpl|run|msg|req|file|asst|resp|img|id|uuid|v\d|css|js|user|page|te?mp"
    rb"|test|hash|dev|main|master|rev|node|item|obj|doc|post|blob|chunk|data|cache|build|trace|span|job"
    rb"|task|event|evt|price|prod|cus|acct|order|product|customer|thread|call|toolu|batch|image|icon|font|lib|pkg|commit|git|ref|tree|layer"
    # Objects of payment and delivery services: payments, cards, addresses, parcels.
    rb"|pi|pm|pmc|ch|sub|si|ii|il|we|seti|setatt|src|card|ba|txn|po|tr|dp|ca|trk|adr|shp|prcl|ses|usr"
    rb"|fk|uk|(?-i:PK)|uq|ck|ix|idx|index|constraint|shape|clip|path|mask|gradient|linear|radial|filter|symbol|svg|glyph|group)[-_]"
)
"""Prefixes of digests and identifiers."""


_KEY_PREFIX = compiled(
    rb"(?i)[a-z]{0,3}(?:sk|pk|rk|ak|tk|key|pat|tok|token|secret|api|priv|pri)[-_]"
)
"""The prefix that a hexadecimal number needs to be a key."""

_ORDERED = compiled_for_values(rb"01[0-9A-HJKMNP-TV-Z]{24}")
"""An identifier that begins with its time (ULID)."""
_SECRET_INSIDE = b"_secret_"
_DIGIT = compiled_for_values(rb"[0-9]")
_SMALL_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_HEAD = compiled_for_values(rb"[A-Za-z0-9]+[_\-]")
_BASE64_JOINTS = b"+/"
_JOINTS = b"+/-_~*"
"""Bytes that join a match to a longer run, in which its prefix is accidental."""


# One more group of a key with several.
_REST = compiled(rb"(?:[\-_][A-Za-z0-9]{16,})+")


_RUN_START = r"(?:^|[^A-Za-z0-9+/])"
_REPETITION = compiled_for_values(rb"\{([0-9]+)(,([0-9]*))?\}")
_MOST_COUNTED = 2
_SIGNS = {
    "prefixed-token": rb"[A-Za-z0-9]_[A-Za-z0-9]{20}",
    "hyphenated-token": rb"[A-Za-z0-9]-[A-Za-z0-9]{20}",
    "dotted-token": rb"[A-Za-z0-9]\.[A-Za-z0-9_\-]{32}",
    "twitter-access-token": rb"[0-9]-[A-Za-z0-9]{40}",
    "mollie-key": rb"(?:live|test)_[A-Za-z0-9]{30}",
    "sanity-token": rb"\bsk[A-Za-z0-9]{40}",
}
"""The pattern for a format in the set, if its beginning is frequent in ordinary text. A run of
these bytes begins at only one place, so that counting it takes few states.
"""


@attrs.frozen
class _VendorFormat:
    name: str
    pattern: SecretPattern


def vendor_credentials(data: bytes) -> Iterator[Finding]:
    for index in _SET.found_in(data):
        form = _FORMATS[index]
        joints = _BASE64_JOINTS if form.name in _LOOSE else b""
        joints = _JOINTS if form.name in _BROAD or form.name in _STREWN else joints
        for found in form.pattern.finditer(data):
            start, end = found.start(1), found.end(1)
            if joints and _is_in_a_run(data, start, end, joints):
                continue
            if _is_credential(form.name, found.group(1)):
                rest = _REST.match(data, end)
                end = rest.end() if rest is not None else end
                yield Finding(Span(start, end), form.name, "vendor", Certainty.CERTAIN, True)


def _is_in_a_run(data: bytes, start: int, end: int, joints: bytes) -> bool:
    """True if it is a part of a longer run or a path, where such prefixes are accidental."""
    return (start > 0 and data[start - 1] in joints) or (end < len(data) and data[end] in joints)


def _is_credential(name: str, value: bytes) -> bool:
    if name in _BROAD and not _is_broad(value):
        return False
    if name in _STREWN and not _is_strewn(value):
        return False
    if is_example(value) or entropy(value) < 2_500:
        return False
    if name in _BROAD or name in _STREWN:
        return True
    if name not in _LOOSE:
        return True
    if name == "okta-token" and is_hexadecimal(value):
        return False
    return not is_sequence(value) and (cost(value) >= 4_400 or is_hexadecimal(value[:32]))


def names_an_object(value: bytes) -> bool:
    """True if its prefix says that it is a digest or an identifier."""
    return _OTHER_PREFIX.match(value) is not None and _SECRET_INSIDE not in value


def _is_broad(value: bytes) -> bool:
    """True if its longest part is random: all three classes mixed, or letters
    and digits in turns.
    """
    if is_sequence(value) or names_an_object(value):
        return False
    tail = max(value.replace(b"-", b"_").split(b"_"), key=len)
    if len(tail) < 24 or not any(48 <= byte <= 57 for byte in tail):
        return False
    if _ORDERED.fullmatch(tail) is not None and _KEY_PREFIX.match(value) is None:
        return False
    if is_hexadecimal(tail):
        if _KEY_PREFIX.match(value) is not None:
            return len(tail) >= 32
        return len(tail) >= 40 and b"_" in value
    cases = any(65 <= byte <= 90 for byte in tail) + any(97 <= byte <= 122 for byte in tail)
    bar = 4_900 if cases == 2 else 5_200
    return entropy(tail) >= 3_500 and cost(tail) >= bar


def _is_strewn(value: bytes) -> bool:
    """True if it is random without its `_` and `-`, after the prefix."""
    if value.islower() or value.isupper() or _DIGIT.search(value) is None:
        return False
    if _OTHER_PREFIX.match(value) is not None or is_sequence(value):
        return False
    tail = _HEAD.sub(b"", value, count=1).rpartition(b".")[2]
    bare = tail.replace(b"_", b"").replace(b"-", b"")
    if len(bare) < 24 or len(bare) * 8 < len(tail) * 7:
        return False
    digits = len(bare) - len(bare.translate(None, b"0123456789"))
    lower = len(bare) - len(bare.translate(None, _SMALL_LETTERS))
    upper = len(bare) - digits - lower
    return min(digits, lower, upper) >= 3 and entropy(bare) >= 4_000 and cost(bare) >= 5_300


def _start_of(name: str) -> str:
    """Return where a format may begin: a prefix that identifies a key may also follow `my_`."""
    is_telling = name not in _BROAD and name not in _STREWN and name not in _LOOSE
    return r"(?:\b|_)" if is_telling else r"\b"


def _load() -> tuple[tuple[_VendorFormat, ...], SecretPatternSet, tuple[bytes, ...]]:
    rules = tomllib.loads(RULES.decode("utf-8"))
    sources = {name: rf"{_start_of(name)}({pattern})" for name, pattern in rules["formats"].items()}
    sources |= {name: f"({pattern})" for name, pattern in rules["anywhere"].items()}
    sources |= {name: rf"{_RUN_START}({pattern})" for name, pattern in rules["runs"].items()}
    patterns = [pattern.encode("ascii") for pattern in sources.values()]
    formats = [
        _VendorFormat(name, compiled(pattern))
        for name, pattern in zip(sources, patterns, strict=True)
    ]
    names = tuple(sorted(rules["contexts"]["names"].encode("ascii").split()))
    signs = [
        _SIGNS.get(name) or _counting_less(pattern)
        for name, pattern in zip(sources, patterns, strict=True)
    ]
    return tuple(formats), SecretPatternSet(signs), names


def _counting_less(pattern: bytes) -> bytes:
    """Return a pattern with few states that occurs in every text in which the given one does."""

    def lowered(found: re.Match[bytes]) -> bytes:
        low = int(found.group(1))
        high = int(found.group(3) or found.group(1)) if found.group(2) != b"," else None
        if high is not None and high <= _MOST_COUNTED:
            return found.group()
        return b"{%d,}" % min(low, _MOST_COUNTED)

    return _REPETITION.sub(lowered, pattern)


_FORMATS, _SET, SERVICES = _load()
