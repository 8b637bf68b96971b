"""Public values: they have the form of a secret and are public, or belong to a test.

Keys that a vendor gives to browsers, digests that a test expects, keys of caches. They are replaced
like any secret, but they are weak: they refuse no build and are not searched for elsewhere.
"""

from __future__ import annotations

import attrs

from sightline.egress.model import Certainty, Finding
from sightline.egress.own_names import is_named_otherwise
from sightline.egress.randomness import is_hexadecimal
from sightline.egress.secret_patterns import compiled_for_values
from sightline.egress.telling_names import is_plain_word_for_secret, words_of
from sightline.egress.weak import PLACEHOLDERS

_CLIENT_KEY = compiled_for_values(
    rb"(?:pk_(?:test|live)_|pk\.eyJ|phc_|sb_publishable_|sub-c-|rzp_(?:test|live)_|ca-pub-|FLWPUBK"
    rb"|(?:appl|goog)_|pub(?=[0-9a-f]{32}$))[A-Za-z0-9_.\-]*"
)
_SITE_KEY = compiled_for_values(rb"(?i)site[_\-]?key[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"'`]?$")
_DIGEST = compiled_for_values(rb"(?i)(?:sha[0-9]{1,3}[:\-])?[0-9a-f]+")
_DIGEST_SIZES = frozenset((32, 40, 56, 64, 96, 128))
_EXPECTING = compiled_for_values(
    rb"(?i)\b(?:assert|expect|should|verify|check|require)[a-z_!]*\b|\bto_?(?:be|equal|eq|match)\b"
    rb"|\.is_?equal|\bt\.(?:is|equal)\b|\bwant\b|\bEXPECT_|\bASSERT_"
)
_CACHE = compiled_for_values(
    rb"(?i)\b(?:[a-z_]*cache[a-z_]*|memcached?|redis|etag|memo(?:ize)?)\b[^\r\n]{0,40}$"
)
_LABELLED = compiled_for_values(
    rb"[A-Za-z][A-Za-z_.\-]*[\-:/.](?:[A-Za-z0-9_.]+[\-:/])*[0-9a-f]{8,}"
)
_TEST_VALUE = compiled_for_values(
    rb"([A-Za-z_\-][A-Za-z_\-@$0]{1,38}[A-Za-z_\-])[@#_\-]?(?:0?1|12|123|1234|12345|123456|321|1337)?[!@#$.*]{0,3}"
)
_TEST_WORDS = frozenset(
    b"new old updated initial strong secure valid another other wrong correct good bad first second"
    b" super my the user admin login account next current original changed".split()
)
_ANYBODYS = frozenset(("prefixed-token", "hyphenated-token", "dotted-token", "separated-token"))
"""Formats of no particular vendor, in which identifiers are written as well."""
_KEY_PREFIX = compiled_for_values(
    rb"(?i)[a-z0-9]{0,12}(?:sk|pk|rk|ak|tk|key|pat|tok|token|secret|api|priv|pri|live|pwd|auth)[-_.]"
)
_CLIENT_DETECTORS = frozenset(("sentry-dsn",))
_NAMELESS = (
    "assigned-",
    "argument-",
    "unnamed-",
    "joined-",
    "compared-",
    "hyphenated-",
    "prefixed-",
)
_LETTERS = bytes.maketrans(b"@$0", b"aso")
"""Signs in place of letters: `P@ssw0rd`."""
_LONGEST_LINE = 300
_SEALED = b"encryptedData:"
"""Precedes values of Kubernetes that only the cluster can decrypt."""
_SEALED_WITHIN = 4_000


def tempered(data: bytes, finding: Finding) -> Finding:
    """Return the finding, as a weak one if its value is public."""
    if finding.certainty is not Certainty.CERTAIN or not _is_public(data, finding):
        return finding
    return attrs.evolve(finding, kind="weak", certainty=Certainty.WEAK, is_bounded=True)


def _is_public(data: bytes, finding: Finding) -> bool:
    start, end = finding.span.start, finding.span.end
    if data[start : start + 2] == b"Ag" and _SEALED in data[max(0, start - _SEALED_WITHIN) : start]:
        return True
    if finding.detector in _CLIENT_DETECTORS:
        return True
    if end - start > _LONGEST_LINE:
        return False
    value = data[start:end]
    if finding.detector in _ANYBODYS and _is_identifier(data, start, value):
        return True
    if finding.detector.endswith("-password") and _is_of_a_test(value):
        return True
    if _CLIENT_KEY.fullmatch(value) is not None:
        return True
    low = max(0, start - _LONGEST_LINE)
    before = data[max(low, data.rfind(b"\n", low, start) + 1) : start]
    if _SITE_KEY.search(before) is not None:
        return True
    if not finding.detector.startswith(_NAMELESS):
        return False
    if b"_acme-challenge" in before:
        # What a domain publishes to prove its owner.
        return True
    is_digest = _DIGEST.fullmatch(value) is not None and (
        len(value.rpartition(b":")[2].rpartition(b"-")[2]) in _DIGEST_SIZES
    )
    if is_digest and _EXPECTING.search(before) is not None:
        return True
    if finding.detector == "assigned-key":
        return _LABELLED.fullmatch(value) is not None or _CACHE.search(before) is not None
    return False


def _is_identifier(data: bytes, start: int, value: bytes) -> bool:
    """True for `"id": "obj_…"`, and for identifiers of databases or clusters,
    which have one case.
    """
    if _KEY_PREFIX.match(value) is not None:
        return False
    is_made_up = value.islower() and not is_hexadecimal(value[-32:])
    return is_made_up or is_named_otherwise(data, start)


def _is_of_a_test(value: bytes) -> bool:
    """True for `NewPassword1234!`: a word for a password, a counting number and a sign that some
    rule requires.
    """
    found = _TEST_VALUE.fullmatch(value)
    if found is None:
        return False
    words = words_of(found.group(1).translate(_LETTERS))
    return bool(words) and all(
        word in _TEST_WORDS or word in PLACEHOLDERS or is_plain_word_for_secret(word)
        for word in words
    )
