"""Atoms of a pattern: literals of which every match contains at least one.

A text without any of them needs no search. They are derived from the pattern's source, so a rule
need not list them. A source with unknown syntax has no atoms, and its pattern is always searched.

Atoms are in lower case, because a text is searched for them without regard to case. `BEYOND_ASCII`
stands for any byte that is not ASCII: how such bytes are case-folded depends on the encoding.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

BEYOND_ASCII = b"\x80"
RARE_BYTES = b"@|?$`\\^~%" + BEYOND_ASCII
"""Single-byte atoms that are rare enough to be useful."""

_MOST_STRINGS = 64
_MOST_IN_CLASS = 6
_ZERO_WIDTH = frozenset(b"bBAzZ")
_CLASSES = frozenset(b"dDsSwW")
_CONTROLS = {ord("n"): b"\n", ord("t"): b"\t", ord("r"): b"\r", ord("f"): b"\f", ord("v"): b"\v"}
_QUANTIFIERS = frozenset(b"*+?{")


class _UnknownSyntaxError(Exception):
    """The source contains syntax that is not known here."""


@attrs.frozen
class _Part:
    """What is known about a part of a pattern."""

    strings: frozenset[bytes] | None
    """All strings that it matches; None if there are too many to list."""
    atoms: frozenset[bytes] | None
    """Each match contains one of these; None if a match may contain none."""


_NOTHING_KNOWN = _Part(None, None)
_EMPTY = _Part(frozenset([b""]), None)


def atoms_of(source: bytes) -> frozenset[bytes] | None:
    """Return literals of which every match of a pattern contains one, or None if unknown."""
    try:
        reader = _Reader(source)
        part = reader.alternatives()
        if reader.position != len(source):
            return None
    except (_UnknownSyntaxError, IndexError):
        return None
    return _without_longer(part.atoms) if part.atoms else None


class _Reader:
    """Reads a source from left to right, with one method for each level of its grammar."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self.position = 0

    def alternatives(self) -> _Part:
        parts = [self._sequence()]
        while self._source[self.position : self.position + 1] == b"|":
            self.position += 1
            parts.append(self._sequence())
        return parts[0] if len(parts) == 1 else _either(parts)

    def _sequence(self) -> _Part:
        run: frozenset[bytes] = frozenset([b""])
        best: frozenset[bytes] | None = None
        is_whole = True
        source = self._source
        while self.position < len(source) and source[self.position] not in b"|)":
            part = self._repeated(self._single())
            strings = part.strings
            if strings is not None and len(run) * len(strings) <= _MOST_STRINGS:
                run = frozenset([first + last for first in run for last in strings])
                continue
            is_whole = False
            best = _rarer(_rarer(best, _as_atoms(run)), part.atoms)
            run = frozenset([b""]) if strings is None else strings
        best = _rarer(best, _as_atoms(run))
        return _Part(run if is_whole else None, best)

    def _single(self) -> _Part:
        byte = self._source[self.position]
        self.position += 1
        if byte == 0x28:
            return self._group()
        if byte == 0x5B:
            return self._class()
        if byte == 0x5C:
            return self._escape()
        if byte in b"^$":
            return _EMPTY
        if byte == 0x2E:
            return _NOTHING_KNOWN
        return _literal(byte)

    def _group(self) -> _Part:
        source = self._source
        if source[self.position] == 0x3F:
            end = self.position + 1
            while source[end] in b"imsU":
                end += 1
            self.position = end + 1
            if source[end] == 0x29:
                return _EMPTY
            if source[end] != 0x3A:
                raise _UnknownSyntaxError
        part = self.alternatives()
        if source[self.position] != 0x29:
            raise _UnknownSyntaxError
        self.position += 1
        return part

    def _class(self) -> _Part:
        source = self._source
        is_negated = source[self.position] == 0x5E
        self.position += is_negated
        start = self.position
        members: set[int] = set()
        is_wide = is_negated
        while source[self.position] != 0x5D or self.position == start:
            if source[self.position : self.position + 2] == b"[:":
                raise _UnknownSyntaxError
            first = self._member()
            last = first
            if source[self.position] == 0x2D and source[self.position + 1] != 0x5D:
                self.position += 1
                last = self._member()
            if first is None or last is None:
                is_wide = True
            else:
                members.update(range(first, last + 1))
        self.position += 1
        folded = {byte + 32 if 65 <= byte <= 90 else byte for byte in members}
        if is_wide or len(folded) > _MOST_IN_CLASS or max(folded) >= 0x80:
            return _NOTHING_KNOWN
        return _Part(frozenset(bytes([byte]) for byte in folded), None)

    def _member(self) -> int | None:
        """Read one byte of a character class; None for a nested class."""
        byte = self._source[self.position]
        self.position += 1
        if byte != 0x5C:
            return byte
        byte = self._source[self.position]
        self.position += 1
        if byte in _CLASSES:
            return None
        return self._escaped_byte(byte)

    def _escape(self) -> _Part:
        byte = self._source[self.position]
        self.position += 1
        if byte in _ZERO_WIDTH:
            return _EMPTY
        if byte in _CLASSES or byte == ord("C"):
            return _NOTHING_KNOWN
        return _literal(self._escaped_byte(byte))

    def _escaped_byte(self, byte: int) -> int:
        if byte in _CONTROLS:
            return _CONTROLS[byte][0]
        if byte == ord("x"):
            digits = self._source[self.position : self.position + 2]
            self.position += 2
            try:
                return int(digits, 16)
            except ValueError:
                raise _UnknownSyntaxError from None
        if bytes([byte]).isalnum():
            raise _UnknownSyntaxError
        return byte

    def _repeated(self, part: _Part) -> _Part:
        source = self._source
        while self.position < len(source) and source[self.position] in _QUANTIFIERS:
            least, most = self._bounds()
            if source[self.position : self.position + 1] == b"?":
                self.position += 1
            part = _times(part, least, most)
        return part

    def _bounds(self) -> tuple[int, int | None]:
        byte = self._source[self.position]
        self.position += 1
        if byte != 0x7B:
            return {0x2A: (0, None), 0x2B: (1, None), 0x3F: (0, 1)}[byte]
        end = self._source.index(b"}", self.position)
        least, comma, most = self._source[self.position : end].partition(b",")
        self.position = end + 1
        if not least.isdigit() or (most and not most.isdigit()):
            raise _UnknownSyntaxError
        if not comma:
            return int(least), int(least)
        return int(least), int(most) if most else None


def _literal(byte: int) -> _Part:
    if byte >= 0x80:
        return _Part(None, frozenset([BEYOND_ASCII]))
    return _Part(frozenset([bytes([byte]).lower()]), None)


def _times(part: _Part, least: int, most: int | None) -> _Part:
    strings = part.strings
    if (least, most) == (0, 1) and strings is not None:
        return _Part(strings | {b""}, None)
    if least == 0:
        return _NOTHING_KNOWN
    if strings is None:
        return _Part(None, part.atoms)
    repeated = frozenset([b""])
    count = 0
    while count < least and len(repeated) * len(strings) <= _MOST_STRINGS:
        repeated = frozenset([first + last for first in repeated for last in strings])
        count += 1
    return _Part(repeated if count == least == most else None, _as_atoms(repeated))


def _either(parts: list[_Part]) -> _Part:
    strings: set[bytes] | None = set()
    atoms: set[bytes] | None = set()
    for part in parts:
        if strings is not None:
            strings = None if part.strings is None else strings | part.strings
        if atoms is not None:
            of_part = part.atoms or (_as_atoms(part.strings) if part.strings else None)
            atoms = None if of_part is None else atoms | of_part
    if strings is not None and len(strings) > _MOST_STRINGS:
        strings = None
    return _Part(
        None if strings is None else frozenset(strings),
        None if atoms is None else frozenset(atoms),
    )


def _as_atoms(strings: frozenset[bytes]) -> frozenset[bytes] | None:
    return None if b"" in strings else strings


def _rarer(
    first: frozenset[bytes] | None, second: frozenset[bytes] | None
) -> frozenset[bytes] | None:
    if first is None or second is None:
        return second if first is None else first
    return first if _chance(first) <= _chance(second) else second


def _chance(atoms: Iterable[bytes]) -> int:
    """Estimate the probability that a place in source code begins with one of them, as a whole
    number.
    """
    return sum(4 ** max(0, 16 - _weight(atom)) for atom in atoms)


def _weight(atom: bytes) -> int:
    """Return twice its length, and more for rare bytes."""
    rare = len(atom) - len(atom.translate(None, RARE_BYTES))
    return 2 * len(atom) + 2 * rare - atom.count(b" ")


def _without_longer(atoms: frozenset[bytes]) -> frozenset[bytes]:
    """Drop literals that contain another one."""
    kept: list[bytes] = []
    for atom in sorted(atoms, key=len):
        if not any(other in atom for other in kept):
            kept.append(atom)
    return frozenset(kept)
