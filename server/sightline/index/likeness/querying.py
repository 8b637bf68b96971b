"""Turn a text into a query."""

from __future__ import annotations

from collections import Counter

from sightline.index.likeness.lexing import lex
from sightline.index.likeness.words import WORD, split
from sightline.languages import Language


def query_words(data: bytes, language: Language | None) -> tuple[tuple[str, int], ...]:
    """Return the words of a text and how often each occurs, in the order of first occurrence.

    Possible secrets are left out. A language tells code from strings. Without one, values in code
    that only look like secrets are left out as well.
    """
    lexed = lex(data, language)
    text = bytearray(lexed.code if language is not None else lexed.prose)
    for start, end, kind in lexed.segments:
        text[start:end] = lexed.prose[start:end] if kind else b" " * (end - start)
    counts = Counter(WORD.findall(text))
    return tuple(
        (word.decode("utf-8", "replace"), count)
        for word, count in counts.items()
        if any(split(word))
    )
