"""Names that may be secrets: what is kept on disk holds none of them.

A secret that is written bare, without quotes, is a name to a parser. Nothing but the text around
it tells that it is a secret, so every name that looks like chance is taken for one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sightline.egress.randomness import is_random

_SHORTEST = 8
_LONG = 14
"""Bytes from which chance is told from words by itself; shorter names need digits among letters
of both cases, or many digits."""
_MANY_DIGITS = 6
_PART = re.compile(rb"[A-Za-z0-9]{8,}")
_DIGIT, _SMALL, _CAPITAL = re.compile(rb"[0-9]"), re.compile(rb"[a-z]"), re.compile(rb"[A-Z]")
_HUMP = re.compile(rb"[a-z][A-Z]")
"""Where a word begins in a name. Words have more letters than two."""
_PUNCTUATION = bytes(byte for byte in range(128) if not chr(byte).isalnum())


@lru_cache(maxsize=65_536)
def may_be_secret(name: str) -> bool:
    """Whether a name, or a part of it, looks like chance."""
    if len(name) < _SHORTEST:
        return False
    data = name.encode("utf-8", "replace")
    if any(map(_is_chance, _PART.findall(data))):
        return True
    bare = data.translate(None, _PUNCTUATION)
    return len(bare) >= _LONG and _DIGIT.search(bare) is not None and _is_chance(bare)


def _is_chance(part: bytes) -> bool:
    digits = len(_DIGIT.findall(part))
    if _MANY_DIGITS <= digits < len(part) or len(_HUMP.findall(part)) * 3 >= len(part):
        return True
    if not is_random(part, _SHORTEST):
        return False
    is_mixed = _SMALL.search(part) is not None and _CAPITAL.search(part) is not None
    return len(part) >= _LONG or digits >= 3 or (digits >= 1 and is_mixed)
