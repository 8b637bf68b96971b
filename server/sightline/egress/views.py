"""Other readings of a text, in which a secret cannot hide, with a map back to its bytes.

* as a reader sees it: without disguises;
* unescaped: escapes of strings, URLs and markup decoded, also nested ones;
* joined: without the syntax between the pieces of a value;
* built: a value that a program assembles from constants, as the resulting string;
* respelled: names in other letters, strings in other quotes;
* restated: a name and its value in another order, or apart, as an assignment;
* decoded: text in base64, hexadecimal or numbers in clear, also nested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sightline.egress.built_values import built
from sightline.egress.disguises import INVISIBLE_RANGES, seen, turned
from sightline.egress.encodings import decoded
from sightline.egress.escapes import unescaped
from sightline.egress.joints import joined
from sightline.egress.respelled import respelled
from sightline.egress.restated import restated
from sightline.egress.text_reading import Reading

# A form feed separates the sections of many sources, and hides nothing.
_CONTROLS = "\x00-\x08\x0b\x0e-\x1f\x7f-\x9f"
_ESCAPED = re.compile(f"[{INVISIBLE_RANGES}{_CONTROLS}\u2028\u2029]")
_DEEPEST = 3
"""How many nested encodings are decoded."""


def escape_invisible(content: str) -> tuple[str, int]:
    """Return the content with every invisible or control character made
    visible, and their number.
    """
    return _ESCAPED.subn(lambda found: f"\\u{{{ord(found.group()):04X}}}", content)


def readings(data: bytes) -> Iterator[Reading]:
    """Yield the other readings of a text, if they differ from it."""
    shown = turned(data)
    if shown is not None:
        yield shown
        yield from _undisguised(shown.data, shown)
    yield from _undisguised(data, None)
    yield from _further(data, None, _DEEPEST)


def _undisguised(data: bytes, before: Reading | None) -> Iterator[Reading]:
    plain = seen(data, before)
    if plain is not None:
        yield plain
        # The text near a disguise is read further without it.
        yield from _further(plain.data, plain, _DEEPEST)


def _further(data: bytes, before: Reading | None, depth: int) -> Iterator[Reading]:
    if not depth:
        return
    clear = unescaped(data, before)
    whole = joined(data, before)
    made = built(data, before)
    text = decoded(data, before)
    usual = respelled(data, before)
    for reading in (clear, whole, made, restated(data, before), usual, text):
        if reading is not None:
            yield reading
    if made is not None:
        moved = restated(made.data, made)
        if moved is not None:
            yield moved
    if clear is not None:
        yield from _further(clear.data, clear, depth - 1)
    if whole is not None:
        moved = restated(whole.data, whole)
        if moved is not None:
            yield moved
        inner = decoded(whole.data, whole)
        if inner is not None:
            yield inner
            yield from _further(inner.data, inner, depth - 1)
    if text is not None:
        yield from _further(text.data, text, depth - 1)
