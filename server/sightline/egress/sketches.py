"""Sketches: the source of a pattern without its counts, for asking whether a text can hold it.

A pattern that counts needs a state for each number, and many such patterns in one automaton a
state for each of their combinations. A sketch matches wherever its pattern does, and in some more
places: whoever asks searches for the pattern itself after that.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(rb"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{([0-9]+)(,?)([0-9]*)\}", re.DOTALL)
_SMALL = 10
"""Counts up to here are kept: they need few states and say much."""
_MOST = 64
"""Of what a match must have at least; more says no more about most texts."""


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
