"""Find code, comments and strings in a text, by one regular expression and without a parse.

In a language with subtle syntax it may confuse them (a quote in a regular expression); then words
are counted in another field. These are left out:

* a string or value that follows a name like `password` or `token`;
* armoured keys, and addresses with a user in them.

A scan for secrets takes several times as long as all other work on a file, so these rules replace
it here; they leave out more than it would find. Words that look random are left out one by one
(`words`).

Invariant: every pattern matches from wherever it starts, so the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import attrs

from sightline.languages import Language

COMMENT = 1
STRING = 2

_ARMOUR = rb"-----BEGIN[^\n]{0,80}(?:\n[ \t#*/\"']*[A-Za-z0-9+/=:, \t-]{0,200}){0,400}"
_TELLING = (
    *(b"pass", b"pwd", b"psk", b"secret", b"token", b"key", b"auth", b"credential", b"bearer"),
    *(b"connection", b"dsn", b"mnemonic", b"salt", b"pepper", b"login", b"session", b"cookie"),
)
"""The parts of a name that suggest a secret, in lower case."""
_LEADS_TO_STRING = re.compile(rb"[\w.\-\])\"' \t]{0,40}(?:=>|:=|[=:,(>])[ \t=({\[brfu&@]{0,8}")
"""What may stand between such a name and the quote of a string."""
_VALUE = re.compile(
    rb"(?P<lead>[\w.\-\])\"'`]{0,40}"
    rb"(?:[ \t]{0,4}(?:=>|:=|[=:>])[ \t=({\[\"'`]{0,8}|[ \t]{1,4}[\"'`]?))"
    rb"(?P<value>[^\s\"'`]{1,200})"
)
"""In prose or configuration: what may follow such a name, and then a value."""
_ADDRESS = re.compile(rb"\b\w{2,20}://[^\s/@\"'`]{1,200}@[^\s\"'`]{0,300}")


@attrs.frozen
class Lexed:
    """A text, divided for reading its words."""

    segments: Sequence[tuple[int, int, int]]
    """Start, end and kind of every comment and string, in order; kind 0 is to be left out."""
    code: bytes
    """The text, with blanks for values that may be secrets in the syntax of a shell."""
    prose: bytes
    """The text, with blanks for values that may be secrets in the syntax of a comment."""


def lex(data: bytes, language: Language | None) -> Lexed:
    """Divide a text. A text without a language is all prose."""
    small = data.lower()
    told: set[int] = set()
    in_code: list[tuple[int, int]] = []
    in_prose: list[tuple[int, int]] = []
    for end in _telling_ends(small):
        lead = _LEADS_TO_STRING.match(small, end)
        if lead is not None:
            told.add(lead.end())
        value = _VALUE.match(small, end)
        if value is not None:
            in_prose.append(value.span("value"))
            if value["lead"].endswith(b"="):
                in_code.append(value.span("value"))
    if b"://" in data:
        addresses = [found.span() for found in _ADDRESS.finditer(data)]
        in_code += addresses
        in_prose += addresses
    found = [
        (*each.span(), 0 if each.lastindex == STRING and each.start() in told else each.lastindex)
        for each in _pattern(language).finditer(data)
    ]
    segments = [(start, end, kind or 0) for start, end, kind in found]
    return Lexed(segments, _blanked(data, in_code), _blanked(data, in_prose))


def _telling_ends(small: bytes) -> Iterator[int]:
    """Return the ends of the parts of a name that suggest a secret."""
    for name in _TELLING:
        length = len(name)
        position = small.find(name)
        while position >= 0:
            yield position + length
            position = small.find(name, position + length)


def _blanked(data: bytes, spans: Sequence[tuple[int, int]]) -> bytes:
    if not spans:
        return data
    copy = bytearray(data)
    for start, end in spans:
        copy[start:end] = b" " * (end - start)
    return bytes(copy)


@lru_cache(maxsize=64)
def _pattern(language: Language | None) -> re.Pattern[bytes]:
    """Return a pattern: the first group is a comment, the second a string; text to be left out has
    neither.

    Each alternative begins with one of a few bytes, which makes the search fast; the rest looks
    back at it.
    """
    if language is None:
        return re.compile(_ARMOUR)
    rules, strings = language.comments, language.strings
    comments = [(opening, _block(closing, escapes=False)) for opening, closing in rules.blocks]
    comments += [(each, rb"[^\n]*") for each in (rules.line, *rules.also)]
    quoted = [(opening, _block(closing, escapes=True)) for opening, closing in strings.long]
    quoted += [(each, _line_string(each)) for each in strings.short]
    first = {opening[:1].encode() for opening, _ in comments + quoted} | {b"-"}
    choices = [rb"(?<=-)" + _ARMOUR[1:]]
    choices += [rb"(" + rb"|".join(map(_behind_first, each)) + rb")" for each in (comments, quoted)]
    charset = b"".join(sorted(map(re.escape, first)))
    return re.compile(rb"[" + charset + rb"](?:" + rb"|".join(choices) + rb")")


def _behind_first(choice: tuple[str, bytes]) -> bytes:
    opening, rest = choice[0].encode(), choice[1]
    return rb"(?<=" + re.escape(opening[:1]) + rb")" + re.escape(opening[1:]) + rest


def _line_string(quote: str) -> bytes:
    """A pattern for the rest of a string that ends with its line at the latest."""
    end = re.escape(quote.encode())
    plain = rb"[^\\\n" + end + rb"]*+"
    return plain + rb"(?:\\." + plain + rb")*+(?:" + end + rb")?"


def _block(closing: str, *, escapes: bool) -> bytes:
    """Return a pattern for a construct of several lines, up to the end of the text if it is not
    closed.
    """
    end, last = re.escape(closing.encode()), re.escape(closing[:1].encode())
    plain = rb"[^" + last + (rb"\\" if escapes else b"") + rb"]*+"
    escaped = rb"\\[\s\S]|" if escapes else b""
    inner = rb"(?:" + escaped + rb"(?!" + end + rb")" + last + rb")" + plain
    return plain + rb"(?:" + inner + rb")*+(?:" + end + rb")?"
