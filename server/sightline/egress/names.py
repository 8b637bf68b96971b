"""Names that are or may be secrets: nothing that is stored on disk contains one.

To a parser, a secret that is written without quotes is a name. A name that looks random is treated
as a secret. Whether a plain word is one depends on the text around it: `names_a_secret` checks such
words where they can be names. In a text without syntax errors these are the values of settings;
everything else that a rule finds there is in strings and comments. A text with errors is scanned
completely.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from sightline.egress.model import Finding
from sightline.egress.named_secrets import named_secrets
from sightline.egress.randomness import are_random_letters, is_random
from sightline.egress.secret_patterns import compiled

_SHORTEST = 8
_LONG = 14
"""In bytes. A name of this length can be told from words by itself; shorter names need digits among
letters of both cases, or many digits.
"""
_MANY_DIGITS = 6
_PART = re.compile(rb"[A-Za-z0-9]{8,}")
_HUMP = re.compile(rb"[a-z][A-Z]")
"""Where a word begins in a name. Words have more than two letters."""
_PUNCTUATION = bytes(byte for byte in range(128) if not chr(byte).isalnum())
_WORD = re.compile(rb"[\w$\x80-\xff]+")
_ODD = re.compile(r"[^:]:[^:/]|=.|[^/]@.|!.")
"""Punctuation in a name of several parts that no name in a program has."""
_SHORTEST_NAME = 3
_TELLING_LINE = compiled(
    rb"(?im)^[^\n]*?(?:pass|pwd|secret|token|key|phrase)[A-Za-z0-9_]*"
    rb"['\"]?[ \t\r\f\v]*[:=][^\n]*$"
)
_MOST_LINES = 500
_MOST_FINDINGS = 100


def names_a_secret(data: bytes, names: Sequence[str], *, is_clean: bool) -> bool:
    """True if any name of a text is a secret there, or a part of one.

    `is_clean` if the text has no syntax errors.
    """
    if any(map(may_be_secret, names)):
        return True
    # Checked for all names at once first, because odd names are rare.
    is_any_odd = _ODD.search("\n".join(names)) is not None
    odd = [name for name in names if _ODD.search(name) is not None] if is_any_odd else []
    if is_clean and not odd:
        return _is_named(data, names, named_secrets(data))
    # Few texts have errors, and most of the rules are only for them.
    from sightline.egress.scanning import scan

    if is_clean:
        # A word of a shell may be an account with its password.
        listed = "\n".join(odd).encode()
        return _is_named(data, names, named_secrets(data)) or bool(scan(listed))
    if _is_named(data, names, scan(data)):
        return True
    # In code a word is a reference; where the code has errors, it may be a value.
    lines = [found.group() for found in _TELLING_LINE.finditer(data)]
    return any(_is_named(line, names, scan(line)) for line in dict.fromkeys(lines[:_MOST_LINES]))


def _is_named(data: bytes, names: Iterable[str], findings: Iterable[Finding]) -> bool:
    known: set[bytes] | None = None
    for count, finding in enumerate(findings):
        if known is None:
            known = {word for name in names for word in _WORD.findall(name.encode())}
        if count >= _MOST_FINDINGS:
            return True
        for word in _WORD.findall(data, finding.span.start, finding.span.end):
            if len(word) >= _SHORTEST_NAME and word in known:
                return True
    return False


@lru_cache(maxsize=65_536)
def may_be_secret(name: str) -> bool:
    """True if a name, or a part of it, looks random."""
    if len(name) < _SHORTEST or (len(name) < _LONG and name.isalpha() and name.islower()):
        return False
    data = name.encode("utf-8", "replace")
    if any(map(_is_chance, _PART.findall(data))):
        return True
    bare = data.translate(None, _PUNCTUATION)
    return len(bare) >= _LONG and _digits_in(bare) > 0 and _is_chance(bare)


def _is_chance(part: bytes) -> bool:
    digits = _digits_in(part)
    if _MANY_DIGITS <= digits < len(part):
        return True
    is_mixed = not (part.islower() or part.isupper())
    if is_mixed and len(_HUMP.findall(part)) * 3 >= len(part):
        return True
    if not digits:
        return len(part) >= _LONG and are_random_letters(part)
    if len(part) < _LONG and digits < 3 and not is_mixed:
        return False
    return is_random(part, _SHORTEST)


def _digits_in(part: bytes) -> int:
    return len(part) - len(part.translate(None, b"0123456789"))
