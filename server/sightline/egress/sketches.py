"""Sketches: a simplified pattern without counts, to check whether a text can contain the pattern.

A pattern with counts needs a state for each number, and many such patterns in one automaton need a
state for each combination. A sketch matches wherever its pattern does, and in some more places.
After a match, the caller searches for the pattern itself.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(rb"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{([0-9]+)(,?)([0-9]*)\}", re.DOTALL)
_SMALL = 10
"""Smaller counts are kept: they need few states and are selective."""
_MOST = 64
"""The most of the minimal match that is kept; more would not exclude more texts."""


def sketched(source: bytes) -> bytes:
    """Return a pattern that matches wherever another does, with fewer and smaller counts."""
    return _TOKEN.sub(_relaxed, source)


def _relaxed(found: re.Match[bytes]) -> bytes:
    if found.group(1) is None:
        return found.group()
    least, comma, most = found.groups()
    if int(most or (b"" if comma else least) or _MOST) <= _SMALL:
        return found.group()
    count = min(int(least), _MOST)
    return (b"*", b"+")[count] if count < 2 else b"{%d,}" % count
