"""Generated passwords: fourteen or more random characters of any alphabet.

Generators use any sign, so a `#`, a `<`, a `$V0` or a `%s` in a value proves nothing. The evidence
is how often the class of the characters changes, and that there are no words between the changes.
"""

from __future__ import annotations

import html
from functools import lru_cache

from sightline.egress.randomness import cost, entropy
from sightline.egress.secret_patterns import compiled_for_values
from sightline.egress.value_forms import is_digest, is_example, is_pattern, is_sequence

_SHORTEST = 14
_LONGEST = 128
_RUN = compiled_for_values(rb"[a-z]+|[A-Z]+|[0-9]+|[^a-zA-Z0-9]+")
_WORD = compiled_for_values(rb"[A-Z]?[a-z]{3,}|[A-Z]{4,}")
_PRINTABLE = compiled_for_values(rb"[!-~]+")
_CLASSES = tuple(map(compiled_for_values, (rb"[a-z]", rb"[A-Z]", rb"[0-9]", rb"[^a-zA-Z0-9]")))
_ESCAPE = compiled_for_values(rb"\\([\"'`\\/$])")
# Templates whose braces close: random text rarely contains many of these.
_TEMPLATE = compiled_for_values(
    rb"\$\{[A-Za-z_][^{}]*\}|\$\([A-Za-z_][^()]*\)|#\{[A-Za-z_@][^{}]*\}|\{\{[^{}]+\}\}|<%[^%]*%>"
    rb"|%\(\w+\)[sdr]|\$\{\{[^{}]*\}\}|%[A-Z_]{4,}%|@[A-Z_]{4,}@|\{[a-z_]{3,}\}|%[sdv]"
)
_EXPRESSION = compiled_for_values(
    rb"[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)*[\[(].*[\])][;,]?|[A-Za-z]+://.*|\{[A-Za-z_.]+\(\)\}"
    # `args[0][0].topic`
    rb"|[A-Za-z_$][\w$]*(?:\.[A-Za-z_]\w*)*(?:\[\w{0,20}\])+(?:(?:\.|->)[A-Za-z_]\w*)*"
)
_CHAIN = compiled_for_values(rb"(?:[A-Za-z0-9]+[.\-_/:]){2,}[A-Za-z0-9]+")
# `*authv1.TokenReview`, `&api.ACLToken{`
_DEREFERENCE = compiled_for_values(
    rb"[*&]+[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|::|->)[A-Za-z_][A-Za-z0-9_]*)*[{(\[]{0,2}"
)
# `MapView_GMapsAPIKey`
_OF_A_FIELD = compiled_for_values(
    rb"[A-Za-z]+(?:[_\-.][A-Za-z]+)*[_\-.][A-Za-z]*(?:[Kk]ey|KEY|[Tt]oken|[Ss]ecret|[Pp]assword)s?"
)
_CLOSES = dict(zip(b"([{", b")]}", strict=True))


@lru_cache(maxsize=4_096)
def is_generated(content: bytes) -> bool:
    """True if a whole literal looks like the output of a password generator."""
    if not _SHORTEST <= len(content) <= _LONGEST or _PRINTABLE.fullmatch(content) is None:
        return False
    if is_digest(content):
        return False
    value = _ESCAPE.sub(rb"\1", content)
    if b"&" in value and b";" in value:
        value = html.unescape(value.decode("ascii")).encode("ascii", "ignore")
    if len(value) < _SHORTEST:
        return False
    classes = sum(1 for each in _CLASSES if each.search(value) is not None)
    if classes < 3 or len(_RUN.findall(value)) * 5 < len(value) * 2 or entropy(value) < 3_000:
        return False
    return not _has_words(value) and not _is_written(value)


def _has_words(value: bytes) -> bool:
    """True if words make up a larger part of it than in random text."""
    words = [word for word in _WORD.findall(value) if len(word) >= 4 and cost(word.lower()) < 4_200]
    return sum(map(len, words)) * 3 > len(value) or any(len(word) >= 6 for word in words)


def _is_written(value: bytes) -> bool:
    """True if a person wrote it as a template, a pattern, an expression or an example."""
    templates = sum(len(found.group()) for found in _TEMPLATE.finditer(value))
    if templates * 4 > len(value) or is_pattern(value) or is_sequence(value):
        return True
    if is_example(value) and (value[0] != ord("<") and value[-1] != ord(">")):
        return True
    if value[0] == ord("<") and value[-1] == ord(">"):
        return True
    if _DEREFERENCE.fullmatch(value) is not None or _OF_A_FIELD.fullmatch(value) is not None:
        return True
    if _EXPRESSION.fullmatch(value) is not None and _is_balanced(value):
        return True
    return _CHAIN.fullmatch(value.rstrip(b";,)")) is not None


def _is_balanced(value: bytes) -> bool:
    """True if every bracket is closed, in the right order."""
    opened: list[int] = []
    for byte in value:
        if byte in b"([{":
            opened.append(byte)
        elif byte in b")]}" and (not opened or _CLOSES[opened.pop()] != byte):
            return False
    return not opened
