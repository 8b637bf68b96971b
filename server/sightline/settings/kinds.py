"""Kinds of values: what a setting may hold, in every notation.

A kind reads a value from TOML or a request strictly (no `true` for a number, no `"8000"`), and from
the text of an environment variable. An invalid value gives a `Problem`.

Invariant: a problem says what is allowed and never repeats the value, which may be a secret in the
wrong place.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import attrs

from sightline.workspace import is_lift
from sightline.workspace.ignore_patterns import PatternError, translate

MAX_ENTRIES = 5_000
MAX_NAME_CHARACTERS = 200

_DIGITS = re.compile(r"[0-9]{1,18}", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_UNSET = object()


@attrs.frozen
class Problem:
    """Why a value is invalid; the text continues after the name of its key."""

    text: str


class Kind(Protocol):
    """`read` and `read_text` return a value or a `Problem`."""

    def read(self, value: object) -> object: ...

    def read_text(self, written: str) -> object: ...

    def schema(self) -> dict[str, object]: ...

    def rank(self, value: object) -> int:
        """Return the position of a value in the order of its kind, if the kind has one."""
        ...


class Unordered:
    """A kind whose values have no order."""

    def rank(self, value: object) -> int:
        raise TypeError(f"{type(self).__name__} has no order: {type(value).__name__}")


@attrs.frozen
class Flag:
    def read(self, value: object) -> object:
        return value if isinstance(value, bool) else Problem(f"must be true or false{_is(value)}")

    def read_text(self, written: str) -> object:
        return self.read({"true": True, "false": False}.get(written, written))

    def schema(self) -> dict[str, object]:
        return {"type": "boolean"}

    def rank(self, value: object) -> int:
        assert isinstance(value, bool)
        return int(value)


@attrs.frozen
class Number:
    least: int
    most: int

    def read(self, value: object) -> object:
        if type(value) is int and self.least <= value <= self.most:
            return value
        given = _UNSET if type(value) is int else value
        return Problem(f"must be a whole number from {self.least} to {self.most}{_is(given)}")

    def read_text(self, written: str) -> object:
        return self.read(int(written) if _DIGITS.fullmatch(written) else _UNSET)

    def schema(self) -> dict[str, object]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}

    def rank(self, value: object) -> int:
        assert isinstance(value, int)
        return value


@attrs.frozen
class Choice:
    """One of a few words, ordered from the tightest to the loosest if there is such an order."""

    words: tuple[str, ...]

    def read(self, value: object) -> object:
        if isinstance(value, str) and value in self.words:
            return value
        given = _UNSET if isinstance(value, str) else value
        return Problem(f"must be one of {', '.join(self.words)}{_is(given)}")

    def read_text(self, written: str) -> object:
        return self.read(written)

    def schema(self) -> dict[str, object]:
        return {"enum": list(self.words)}

    def rank(self, value: object) -> int:
        assert isinstance(value, str)
        return self.words.index(value)


@attrs.frozen
class Name(Unordered):
    """A name on one line, in the spelling that `known` returns; `known` may not know it."""

    known: Callable[[str], str | Problem] = str

    def read(self, value: object) -> object:
        if not isinstance(value, str):
            return Problem(f"must be a string{_is(value)}")
        if not is_name(value):
            return Problem(f"must be 1 to {MAX_NAME_CHARACTERS} printable characters")
        return self.known(value)

    def read_text(self, written: str) -> object:
        return self.read(written)

    def schema(self) -> dict[str, object]:
        return {"type": "string", "minLength": 1, "maxLength": MAX_NAME_CHARACTERS}


@attrs.frozen
class StringSet(Unordered):
    """A list of strings, kept sorted and without duplicates: its order has no meaning."""

    check: Callable[[str], bool]
    each: str
    """What every entry must be, in words."""
    pattern: str | None = None

    def read(self, value: object) -> object:
        if isinstance(value, str) or not isinstance(value, Sequence):
            return Problem(f"must be a list of strings{_is(value)}")
        if len(value) > MAX_ENTRIES:
            return Problem(f"must have at most {MAX_ENTRIES} entries")
        for number, entry in enumerate(value, 1):
            if not isinstance(entry, str) or not _is_encodable(entry) or not self.check(entry):
                return Problem(f"has an entry that cannot be used, number {number}: {self.each}")
        return sorted_entries(value)

    def read_text(self, written: str) -> object:
        if written.startswith("["):
            decoded = decode_json(written)
            # A pattern can begin with a bracket; guessing between the two could lose one.
            return self.read(decoded) if isinstance(decoded, list) else Problem("is no JSON list")
        return self.read([entry.strip() for entry in written.split(",")] if written else [])

    def schema(self) -> dict[str, object]:
        entry: dict[str, object] = {"type": "string", "minLength": 1}
        if self.pattern is not None:
            entry["pattern"] = self.pattern
        return {"type": "array", "items": entry, "maxItems": MAX_ENTRIES, "uniqueItems": False}


def sorted_entries(entries: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(set(entries), key=lambda entry: entry.encode("utf-8")))


def deny_patterns() -> StringSet:
    return StringSet(
        _is_deny_pattern,
        "each is one line of gitignore syntax that matches something, without '!'",
    )


def lifts() -> StringSet:
    return StringSet(
        is_lift, "each is a default rule as a refusal prints it, or one file's path in a workspace"
    )


def digests() -> StringSet:
    return StringSet(
        lambda entry: _SHA256.fullmatch(entry) is not None,
        "each is a keyed SHA-256 of 64 lower-case hexadecimal digits",
        "^[0-9a-f]{64}$",
    )


def decode_json(written: str) -> object:
    """Return the value of a JSON text; None if it is not JSON."""
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return None


def is_name(value: str) -> bool:
    return 1 <= len(value) <= MAX_NAME_CHARACTERS and value.isprintable() and value == value.strip()


def _is_deny_pattern(pattern: str) -> bool:
    """Return True if a pattern denies something, in every form in which paths are compared with
    it.
    """
    folded = pattern.casefold()
    if any(each in folded for each in ("\n", "\r", "\0", "[:upper:]")):
        return False
    return all(
        _denies(each)
        for each in (pattern, *(unicodedata.normalize(form, folded) for form in ("NFC", "NFKC")))
    )


def _denies(line: str) -> bool:
    try:
        translated = translate(line, 0)
    except PatternError:
        return False
    # A line that matches nothing, or makes something visible again, is a mistake.
    return translated is not None and translated[1]


def _is_encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is(value: object) -> str:
    """Return what a value is instead, by its type alone."""
    for python_type, title in _TITLES:
        if isinstance(value, python_type):
            return f", and is {title}"
    return "" if value is _UNSET else ", and is something else"


_TITLES: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a number with a fraction"),
    (str, "a string"),
    (Mapping, "a table"),
    (Sequence, "a list"),
)
