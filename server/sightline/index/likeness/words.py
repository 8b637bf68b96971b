"""Words and terms: what is counted in a text, and how a term is stored.

A *word* is an identifier or a word of prose as it is written. Two words are compared by their
*terms*: a compound as a whole, which is the same for `retry_policy` and `RetryPolicy`, and each of
its parts in lower case and without its ending (`retri`, `polic`). A term is stored as a keyed hash
of 64 bits: terms are only compared for equality, and without the key no text can be derived from
it.

Invariants:

* Terms are a function of the word alone. The key only decides how a term is stored.
* A random-looking string is not a word: it may be a secret.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Mapping, Set
from functools import lru_cache

from sightline.egress.names import may_be_secret

_LONGEST = 64
"""Longer words are data."""
_MOST_KNOWN = 1 << 18

WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
WORD_OR_CALL = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*+\(?")
"""A word, with the bracket if one follows it."""
_PART = re.compile(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[\x80-\xff]+")
_SUSPECT = re.compile(rb"[0-9]|[A-Za-z]{14}|[a-z][A-Z][A-Za-z]{0,2}[A-Z]")
"""Every name that may be a secret matches this; other names need no further check."""
_VOWEL = re.compile(rb"[aeiouy]")

_NUMBER = struct.Struct("<Q")

_STOP_WORDS = frozenset(
    b"about above after again against all also although always am an and another any are around as"
    b" at be because been before being below between both but by can cannot could did do does doing"
    b" done down during each either else etc even ever every few for from further get gets getting"
    b" give given go goes going had has have having he hence her here him his how however if in"
    b" instead into is it its itself just let like made make makes many may maybe me might more"
    b" most much must my neither no nor not now of off often on once one only or other our out over"
    b" own per perhaps put rather same see seems several she should since so some still such than"
    b" that the their them then there these they thing this those though through thus to too under"
    b" until up upon us use used uses using very via was way we well were what when where whether"
    b" which while who whole whose why will with within without would yet you your".split()
)


class TermHasher:
    """Turns words into stored terms, and caches them."""

    def __init__(self, key: bytes) -> None:
        self._keyed = hashlib.blake2b(key=key, digest_size=8)
        self.prose = _TermsByWord(self, frozenset())
        """By word: its stored terms, each once."""
        self._code: dict[Set[bytes], _TermsByWord] = {}
        self._parts: dict[bytes, int] = {}

    def code(self, keywords: Set[bytes]) -> Mapping[bytes, tuple[int, ...]]:
        """Return the stored terms of each word of code; a keyword has none."""
        if keywords not in self._code:
            self._code[keywords] = _TermsByWord(self, keywords)
        return self._code[keywords]

    def terms(self, word: bytes) -> tuple[int, ...]:
        """Return the stored terms of a word, each once."""
        if is_left_out(word):
            return ()
        whole, parts = split(word)
        known = self._parts
        found = [known[part] if part in known else self._part(part) for part in parts]
        if whole:
            found.append(self.hash(b"=" + whole))
        elif len(found) == 1:
            return tuple(found) if found[0] else ()
        return tuple({each: None for each in found if each})

    def hash(self, term: bytes) -> int:
        """Return the stored form of a term; never 0."""
        state = self._keyed.copy()
        state.update(term)
        return _NUMBER.unpack(state.digest())[0] or 1

    def _part(self, part: bytes) -> int:
        if len(self._parts) >= _MOST_KNOWN:
            self._parts.clear()
        small = part.lower()
        known = self._parts[part] = 0 if small in _STOP_WORDS else self.hash(stem(small))
        return known


class _TermsByWord(dict[bytes, tuple[int, ...]]):
    """The stored terms of words, computed on first use."""

    def __init__(self, hasher: TermHasher, keywords: Set[bytes]) -> None:
        super().__init__()
        self._hasher = hasher
        self._keywords = keywords

    def __missing__(self, word: bytes) -> tuple[int, ...]:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        prose = self._hasher.prose
        if word in self._keywords:
            found: tuple[int, ...] = ()
        elif prose is not self:
            found = prose[word]
        else:
            found = self._hasher.terms(word)
        self[word] = found
        return found


def split(word: bytes) -> tuple[bytes, list[bytes]]:
    """Return a compound in lower case without underscores, or "", and its meaningful parts."""
    if word.isalpha() and word.islower():
        # The case of nearly all words.
        return b"", [word] if len(word) >= 2 else []
    bare = word.strip(b"_")
    parts = _PART.findall(bare)
    told = [part for part in parts if len(part) >= 2]
    is_compound = len(bare) >= 2 and (len(parts) > 1 or b"_" in bare or not told)
    return bare.translate(None, b"_").lower() if is_compound else b"", told


def is_left_out(word: bytes) -> bool:
    """True if a word is data, or may be a secret."""
    return len(word) > _LONGEST or (
        _SUSPECT.search(word) is not None and may_be_secret(word.decode("utf-8", "replace"))
    )


def spelled_terms(word: bytes) -> list[tuple[bytes, bytes]]:
    """Return the terms of a word, each with the part of the word that it represents."""
    if is_left_out(word):
        return []
    whole, parts = split(word)
    terms = [(b"=" + whole, word)] if whole else []
    return terms + [
        (stem(small), part) for part in parts if (small := part.lower()) not in _STOP_WORDS
    ]


@lru_cache(maxsize=65_536)
def stem(word: bytes) -> bytes:
    """Return a word in lower case without its ending."""
    if len(word) <= 3 or not word.isascii():
        return word
    word = _without_plural(word)
    word = _without_participle(word)
    word = _without_suffix(word)
    if word.endswith(b"e") and len(word) > 3:
        word = word[:-1]
    return word[:-1] + b"i" if word.endswith(b"y") and len(word) > 2 else word


def _without_plural(word: bytes) -> bytes:
    if word.endswith(b"ies"):
        return word[:-3] + b"y"
    if word.endswith((b"sses", b"xes", b"ches", b"shes")):
        return word[:-2]
    if word.endswith(b"s") and not word.endswith((b"ss", b"us", b"is")):
        return word[:-1]
    return word


_IZE = (b"ization", b"izing", b"ized", b"izer", b"ize")
_ATE = (b"ational", b"ations", b"ation", b"ating", b"ated", b"ator", b"ate")
_SUFFIXES = (
    *(b"ement", b"ment", b"ness", b"able", b"ible", b"ally"),
    *(b"ly", b"er", b"or", b"ion", b"al", b"ive"),
)


def _without_participle(word: bytes) -> bytes:
    for ending in _IZE:
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            return word[: -len(ending)] + b"iz"
    for ending in _ATE:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)] + b"at"
    for ending in (b"ing", b"edly", b"ed"):
        left = word[: -len(ending)]
        if word.endswith(ending) and len(left) >= 3 and _VOWEL.search(left):
            if left[-1:] == left[-2:-1] and left[-1:] not in b"lsz":
                return left[:-1]
            return left
    return word


def _without_suffix(word: bytes) -> bytes:
    for ending in _SUFFIXES:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
