"""Listed places: where devices, servers, dialogues and statements have passwords, as data.

`places.toml` lists the places and how much a value there has to say for itself.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from importlib.resources import files

from sightline.egress.generated import is_generated
from sightline.egress.headers import is_secret_word
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form
from sightline.egress.randomness import is_hexadecimal, is_random
from sightline.egress.secret_patterns import SecretPatternSet, compiled, compiled_for_values
from sightline.egress.spoken import is_made_up_word
from sightline.egress.telling_words import FOREIGN_KEYS
from sightline.egress.value_forms import is_example, is_password, is_sequence
from sightline.egress.weak import is_weak_content
from sightline.text import Span

PLACES = files("sightline.egress").joinpath("places.toml").read_bytes()

_SHORT_WORD = 4
"""Bytes of a word for a key that is a part of too many others: `cle`, `clau`."""


def _loosened(word: bytes) -> str:
    """Return a word as a pattern: beside letters that are not ASCII, those that are may be any.

    Few letters between others are parts of too many words to be worth asking for.
    """
    text = word.decode("utf-8")
    return text if text.isascii() else "".join("[a-z]" if each.isascii() else each for each in text)


_MARKS = {
    "<V>": r"(?:\"([^\"\r\n]{4,200})\"|'([^'\r\n]{4,200})'|([^\s\"'<>`]{4,200}))",
    "<S>": r"(?:@?\"([^\"\r\n]{4,200})\"|'([^'\r\n]{4,200})')",
    "<M>": (
        r"(?:(?:[0-9]{1,2}|cipher|simple|plain|plaintext|plain-text|encrypted|hash|clear|cleartext"
        r"|text|ascii|hex|ascii-text|irreversible-cipher|hashed|unencrypted|local|remote)"
        r"[ \t]+){0,2}"
    ),
    "<A>": (
        r"(?:[^,()\"'\r\n]{0,80}(?:\([^()\r\n]{0,80}\))?"
        r"|[a-zA-Z]{0,2}\"[^\"\r\n]{0,200}\"|[a-zA-Z]{0,2}'[^'\r\n]{0,200}')[ \t]*,\s{0,40}"
    ),
    "<K>": "|".join(_loosened(word) for word in FOREIGN_KEYS if len(word) > _SHORT_WORD),
    "<N>": r"[A-Za-z0-9_.@\-\\]{1,60}",
}
_STANDING_FOR_ANOTHER = compiled_for_values(rb"[$%<{\[(&*].*[>}%\])]|\$[A-Za-z_]\w*|%[A-Za-z_]\w*%")
_DIGITS = compiled_for_values(rb"[0-9]{8}")
_WORDS_OF_DEVICES = frozenset(
    b"public private encrypted cipher simple hash none auth noauth priv read write level role group"
    b" local default disable enable disabled enabled authorization unencrypted nopassword required"
    b" optional remote clear text plaintext ascii type version change prompt encryption command"
    b" hidden ldap radius tacacs reset recovery expired field page check login only".split()
)
_KEY_LENGTH = 32
_FEWEST_BYTES = 6
_END = b",;)}"
_EXACT = b"(?-i)"


def listed_places(data: bytes) -> Iterator[Finding]:
    for index in _SIGNS.found_in(data):
        judge = _JUDGES[index]
        for found in _PATTERNS[index].finditer(data):
            values = found.groups()
            group = next(index for index, value in enumerate(values) if value is not None)
            # Of three, those in quotes come first.
            is_quoted = len(values) > 1 and group < len(values) - 1
            yield from judge(values[group], found.start(group + 1), is_quoted=is_quoted)


def _password(value: bytes, start: int, *, is_quoted: bool) -> Iterator[Finding]:
    if not is_quoted and not is_generated(value):
        value = value.rstrip(_END)
    if len(value) < 4 or _STANDING_FOR_ANOTHER.fullmatch(value) is not None:
        return
    if value.lower() in _WORDS_OF_DEVICES:
        return
    if _is_certain(value):
        yield _certain(value, start)
    elif is_weak_content(value, b"password", Form.QUOTED if is_quoted else Form.WORD):
        yield _weak(value, start)


def _made_up(value: bytes, start: int, *, is_quoted: bool) -> Iterator[Finding]:
    if is_made_up_word(value.rstrip(_END)) or is_generated(value):
        yield from _password(value, start, is_quoted=is_quoted)


def _key(value: bytes, start: int, *, is_quoted: bool) -> Iterator[Finding]:
    del is_quoted
    if is_example(value) or len(set(value)) < _FEWEST_BYTES or is_sequence(value):
        return
    if is_random(value, 12) or _is_certain(value):
        yield _certain(value, start)


def _always(value: bytes, start: int, *, is_quoted: bool) -> Iterator[Finding]:
    del is_quoted
    if b"\n" in value:
        for found in _DIGITS.finditer(value):
            yield _certain(found.group(), start + found.start())
    elif is_random(value, 16):
        yield _certain(value, start)
    else:
        yield _weak(value, start)


def _is_certain(value: bytes) -> bool:
    if len(value) >= _KEY_LENGTH and is_hexadecimal(value):
        return len(set(value)) > _FEWEST_BYTES
    return (is_secret_word(value) and (len(value) >= 10 or is_password(value))) or is_generated(
        value
    )


def _certain(value: bytes, start: int) -> Finding:
    span = Span(start, start + len(value))
    return Finding(span, "placed-password", "password", Certainty.CERTAIN, True)


def _weak(value: bytes, start: int) -> Finding:
    return Finding(Span(start, start + len(value)), "weak-password", "weak", Certainty.WEAK, True)


_KINDS: dict[str, Callable[..., Iterator[Finding]]] = {
    "passwords": _password,
    "made_up": _made_up,
    "keys": _key,
    "always": _always,
}


def _load() -> Iterator[tuple[bytes, Callable[..., Iterator[Finding]]]]:
    for kind, places in tomllib.loads(PLACES.decode("utf-8")).items():
        for place in places.values():
            for mark, meaning in _MARKS.items():
                place = place.replace(mark, meaning)
            source = place.encode("utf-8")
            is_exact = source.startswith(_EXACT)
            yield source.removeprefix(_EXACT) if is_exact else b"(?i)" + source, _KINDS[kind]


_RULES = tuple(_load())
_JUDGES = tuple(judge for _, judge in _RULES)
_PATTERNS = tuple(compiled(source) for source, _ in _RULES)
# As one automaton they have too many states: each is searched for by itself.
_SIGNS = SecretPatternSet((source for source, _ in _RULES), group="forms", most_singles=len(_RULES))
