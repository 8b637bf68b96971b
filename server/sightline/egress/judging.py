"""Decide whether a value is a secret, given what its name suggests.

Pure functions of short values: results are cached.
"""

from __future__ import annotations

from functools import lru_cache

import attrs

from sightline.egress.model import Certainty
from sightline.egress.randomness import (
    cost,
    is_hexadecimal,
    is_random,
    is_random_between,
    is_uuid,
)
from sightline.egress.secret_patterns import compiled_for_values
from sightline.egress.telling_names import Promise, promise_of
from sightline.egress.value_forms import (
    has_template,
    is_constraint,
    is_long_secret,
    is_numbered,
    is_ordinary,
    is_password,
    is_pattern,
    is_placeholder,
    is_sequence,
    is_thicket,
)

_UNQUOTED = compiled_for_values(rb"[^\s\"'`<>,;|=]{1,600}={0,2}")
_UNBROKEN = compiled_for_values(rb"\S{8,200}")
_PADDED = compiled_for_values(rb"[A-Za-z0-9+/=_.~%\-]{24,600}")
# A dollar that cannot begin a variable.
_DOLLAR = compiled_for_values(rb"[A-Za-z0-9]\$(?:[0-9]|$)")
_NAME = compiled_for_values(rb"[A-Za-z]+(?:[_\-.][A-Za-z]+)+")
_GROUPS = compiled_for_values(rb"[A-Z0-9]{3,8}(?:-[A-Z0-9]{3,8}){3,8}")
_PLAIN = compiled_for_values(rb"[A-Za-z0-9+/=_.~:%\-]+")
_CODE = compiled_for_values(rb"[(\[{\\]|::|->")
_LETTERS = compiled_for_values(rb"[A-Za-z]+")
_MADE_UP = compiled_for_values(rb"[A-Za-z0-9][A-Za-z0-9_!@#%^*+~\-]*(?:\.[A-Za-z0-9_!@#%^*+~\-]+)?")
# A file that is named after the digest of its content.
_DIGEST_FILE = compiled_for_values(rb"[0-9a-f]{32,128}(?:/[a-z]{1,20})?\.(?:tar|json|gz|tgz|zip)")
_OBJECT_ID_SIZE = 24
LONGEST_BARE = 602
"""The number of bytes in which a value without quotes is searched."""


@attrs.frozen
class SecretVerdict:
    """A secret in the judged bytes, as offsets into them."""

    start: int
    end: int
    certainty: Certainty = Certainty.CERTAIN


@lru_cache(maxsize=4_096)
def quoted_secret(content: bytes, promise: Promise, is_loose: bool) -> SecretVerdict | None:
    """Return the secret between two quotes. `is_loose` if it is next to its name by chance."""
    value = content.rstrip(b"\\\"' \t")
    size = len(value)
    value = value.lstrip(b"\"' \t")
    start = size - len(value)
    if not 6 <= len(value) <= 4_096:
        return None
    if is_thicket(value) and promise >= Promise.SECRET:
        return SecretVerdict(start, size)
    if promise is Promise.PASSWORD:
        if not is_password(value) or (is_loose and _is_name_of_somebody(value)):
            return None
    elif not _is_token(value, promise, is_loose=is_loose) and not (
        promise >= Promise.SECRET and is_long_secret(value)
    ):
        return None
    return None if _stands_for_another(value) else SecretVerdict(start, size)


@lru_cache(maxsize=4_096)
def bare_secret(
    content: bytes, promise: Promise, is_loose: bool, is_query: bool, is_setting: bool
) -> SecretVerdict | None:
    """Return the secret at the start of what follows a separator.

    `is_query` for the query of a URL, `is_setting` for text that is not a program: there even a
    word with a number is a value.
    """
    if promise >= Promise.SECRET and content[:1].isalnum():
        rest = _UNBROKEN.match(content)
        if rest is not None and is_thicket(thicket := rest.group().rstrip(b",;\"'`")):
            return SecretVerdict(0, len(thicket))
    if Promise.SECRET <= promise < Promise.PASSWORD and not is_loose:
        # Some alphabets contain the sign that otherwise ends a value.
        padded = _PADDED.match(content)
        if padded is not None and _is_opaque_with_signs(padded.group()):
            return SecretVerdict(0, padded.end())
    found = _UNQUOTED.match(content)
    if found is None:
        return None
    ends_at_ampersand = is_query or promise is not Promise.PASSWORD
    value = _trimmed(found.group(), ends_at_ampersand=ends_at_ampersand)
    if len(value) < 8:
        return None
    certainty = Certainty.CERTAIN
    if promise is Promise.PASSWORD:
        is_secret = _is_bare_password(value) and (not is_loose or _is_hard(value))
        if not is_secret and is_setting and _is_made_up(value):
            is_secret, certainty = True, Certainty.WEAK
    else:
        is_secret = _PLAIN.fullmatch(value) is not None and (
            _is_token(value, promise, is_loose=is_loose)
            and (not is_loose or promise is Promise.VENDOR or b"." not in value)
        )
    if not is_secret or _stands_for_another(value):
        return None
    return SecretVerdict(0, len(value), certainty)


def _is_name_of_somebody(value: bytes) -> bool:
    """True if it is short and has letters of one case, like composed names."""
    return len(value) < 16 and value.isalpha() and (value.islower() or value.isupper())


def _stands_for_another(value: bytes) -> bool:
    """True if it is a placeholder, a template, an address or made of ordinary words.

    Checked last, because it is the most expensive check and few values get here.
    """
    if is_ordinary(value) or is_placeholder(value) or is_pattern(value):
        return True
    if _DIGEST_FILE.fullmatch(value) is not None or is_constraint(value):
        return True
    if is_long_secret(value):
        return False
    if _NAME.fullmatch(value) is not None and promise_of(value) >= Promise.SECRET:
        # The name of a field or setting: `MapView_ApiKey`.
        return True
    if _is_address(value):
        return True
    return has_template(value) and not (_is_opaque_with_signs(value) or _is_hard_throughout(value))


def _is_opaque_with_signs(value: bytes) -> bool:
    """True if it is random throughout although it contains `=` or `%`, unlike
    names and templates.
    """
    if b"=" not in value.rstrip(b"=") and b"%" not in value:
        return False
    bare = value.translate(None, b"=%+/_.~-")
    classes = (bare.isdigit(), bare.islower(), bare.isupper(), not bare.isalnum())
    return (
        not any(classes)
        and len(bare) * 8 >= len(value) * 7
        and is_mixed(bare)
        and is_random(bare, 24)
        and cost(bare) >= 5_000
        and not is_sequence(value)
        and not is_placeholder(bare)
    )


def _is_hard_throughout(value: bytes) -> bool:
    """True if it mixes all classes at random, so that `$name` or `%s` occurs in it by chance."""
    bare = value.translate(None, b"!@#$%^&*?-_+=.,:;~")
    return (
        len(bare) >= 8
        and bare.isalnum()
        and any(byte in b"0123456789" for byte in bare)
        and any(65 <= byte <= 90 for byte in bare)
        and any(97 <= byte <= 122 for byte in bare)
        and cost(bare) >= 5_000
    )


def _trimmed(value: bytes, *, ends_at_ampersand: bool) -> bytes:
    """Return a value without quotes, without the syntax after it."""
    if value.isalnum():
        return value
    ampersand = value.find(b"&")
    if ampersand >= 0 and (
        ends_at_ampersand or b"=" in value[ampersand:] or value[ampersand:].startswith(b"&amp")
    ):
        value = value[:ampersand]
    opened = value.count(b"(") - value.count(b")")
    if opened < 0:
        value = value[: value.find(b")")]
    value = value.rstrip(b".:")
    if value.endswith(b"}") and b"{" not in value:
        value = value.rstrip(b"}")
    if value.endswith(b"]") and b"[" not in value:
        value = value.rstrip(b"]")
    while value.endswith((b"\\n", b"\\r", b"\\")):
        value = value[:-2] if value[-1:] != b"\\" else value[:-1]
    escaped = value.find(b"\\n")
    if escaped > 0:
        value = value[:escaped]
    return value


def _is_token(value: bytes, promise: Promise, *, is_loose: bool) -> bool:
    if len(value) < 10 or b" " in value or b"\t" in value:
        return False
    if _is_number(value):
        return False
    if promise is Promise.VENDOR:
        if is_random(value, 14) or (is_mixed(value) and is_random_between(value, 14)):
            return True
        return len(value) >= (20 if value.isdigit() else 12) and _is_code(value)
    if _is_random_token(value, promise, is_loose=is_loose):
        return not is_sequence(value)
    if value.isdigit() or is_sequence(value):
        return False
    if promise is Promise.SERVICE and len(value) == _OBJECT_ID_SIZE and is_hexadecimal(value):
        # Databases name their documents so; the name of a service alone is not enough evidence.
        return False
    if promise is Promise.SECRET and not is_loose:
        return len(value) >= 13 and _is_code(value)
    if promise is Promise.BARE_KEY and not _is_grouped(value):
        return False
    return len(value) >= 20 and _is_code(value)


def _is_number(value: bytes) -> bool:
    """A number of a program: no key is so short."""
    return value[:2] in (b"0x", b"0X") and len(value) < 42


def _is_code(value: bytes) -> bool:
    """True for digits, possibly with letters between them: not a word, though not random either."""
    if _is_grouped(value):
        return is_mixed(value) or value.count(b"-") >= 4
    parts = _LETTERS.split(value)
    digits = sum(map(len, parts))
    if not value.isalnum() or digits < 3:
        return False
    if digits == 3:
        return len(value) >= 14 and len(parts) >= 3 and cost(value) >= 4_800
    return digits == len(value) or len(parts) >= 3


def _is_grouped(value: bytes) -> bool:
    """True for groups of equal size, as in a licence key."""
    return _GROUPS.fullmatch(value) is not None and len(set(map(len, value.split(b"-")))) == 1


def _is_random_token(value: bytes, promise: Promise, *, is_loose: bool) -> bool:
    if promise is Promise.BARE_KEY:
        if is_hexadecimal(value):
            return len(value) >= 32 and not is_loose
        return is_random(value, 20) and is_mixed(value)
    if is_hexadecimal(value) or is_uuid(value):
        return len(value) >= (16 if promise is Promise.SECRET and not is_loose else 32)
    if promise is Promise.WEAK or is_loose:
        return is_random(value, 16) and is_mixed(value)
    if value.isdigit():
        return len(value) >= 28
    if promise is Promise.SECRET and 10 <= len(value) < 16:
        return _is_hard(value) and value.isalnum() and cost(value) >= 5_300
    if promise is Promise.SERVICE:
        return b":" not in value and is_random(value, 20) and is_mixed(value)
    return is_random(value, 16) or (is_mixed(value) and is_random_between(value, 16))


def is_mixed(value: bytes) -> bool:
    return any(48 <= byte <= 57 for byte in value) and any(byte >= 65 for byte in value)


def _is_hard(value: bytes) -> bool:
    """True for letters and digits, with symbols or with both cases mixed at random."""
    if not is_mixed(value):
        return False
    if any(byte in b"!@#$%^&*?" for byte in value):
        return True
    both = any(65 <= byte <= 90 for byte in value) and any(97 <= byte <= 122 for byte in value)
    return both and cost(value) >= 4_900


def _is_bare_password(value: bytes) -> bool:
    """Stricter than in quotes: without quotes there are expressions, types and prose."""
    if _CODE.search(value) is not None or _is_number(value):
        return False
    if not value[0:1].isalnum() and value[0] in b"$/*&.<%":
        return False
    if _is_address(value) or b"." in value[:-1]:
        return is_random(value, 16) and _PLAIN.fullmatch(value) is not None and b"." not in value
    if len(value) >= 12 and _is_code(value) and not value.isdigit():
        return True
    return is_password(value) and (
        cost(value) >= 4_400
        or any(byte in b"!@#%^&*?-" for byte in value)
        or _DOLLAR.search(value) is not None
    )


def _is_made_up(value: bytes) -> bool:
    return _MADE_UP.fullmatch(value) is not None and is_numbered(value)


def _is_base64_at_random(value: bytes) -> bool:
    """True if its slashes are random: all classes mixed between them, and no words."""
    bare = value.translate(None, b"/+=")
    return (
        bare.isalnum()
        and len(bare) >= 16
        and sum(48 <= byte <= 57 for byte in bare) >= 2
        and any(65 <= byte <= 90 for byte in bare)
        and any(97 <= byte <= 122 for byte in bare)
        and cost(bare) >= 5_000
    )


def _is_address(value: bytes) -> bool:
    if value.isalnum():
        return False
    if value.startswith((b"./", b"../", b"~/", b"http:", b"https:", b"file:", b"#", b"arn:")):
        return True
    if value.startswith(b"/") and not (
        is_random(value, 24) and is_mixed(value) and b"." not in value
    ):
        return True
    if b"://" in value or (
        value.count(b"/") >= 2 and cost(value) < 4_850 and not _is_base64_at_random(value)
    ):
        return True
    # The name of a module or a class.
    is_dotted = value.count(b".") >= 2 and value.replace(b".", b"").replace(b"_", b"").isalnum()
    return is_dotted and cost(value) < 4_600 and sum(48 <= byte <= 57 for byte in value) < 4
