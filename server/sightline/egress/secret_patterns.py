"""Compiled patterns: linear on every input, because re2 does not backtrack.

Patterns are matched on bytes, one byte for each character, so offsets are byte offsets.
"""

from __future__ import annotations

import re
import threading
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, cast

import re2  # type: ignore[import-untyped]

from sightline.egress.atoms import BEYOND_ASCII, RARE_BYTES, atoms_of
from sightline.egress.sketches import sketched
from sightline.egress.telling_words import TELLING

_MEMORY = 64 << 20
"""For each pattern's automaton. With too little memory, re2 falls back to a slower one."""

_UNANCHORED = re2._Anchor.UNANCHORED
_ANCHOR_START = re2._Anchor.ANCHOR_START
_ANCHOR_BOTH = re2._Anchor.ANCHOR_BOTH

_MOST_SINGLES = 16
"""Up to so many patterns of a set are searched for one by one; more take longer
than all at once.
"""

_MOST_TEXTS = 10
"""The most texts and readings that are in use at a time."""


class Match:
    """Where a pattern was found: like the library's own class, with less overhead."""

    __slots__ = ("_spans", "_text")

    def __init__(self, text: bytes, spans: Sequence[tuple[int, int]]) -> None:
        self._text = text
        self._spans = spans

    def start(self, group: int = 0) -> int:
        return self._spans[group][0]

    def end(self, group: int = 0) -> int:
        return self._spans[group][1]

    def span(self, group: int = 0) -> tuple[int, int]:
        return self._spans[group]

    def group(self, group: int = 0) -> bytes:
        start, end = self._spans[group]
        # Only for groups that every match has; callers check others by `start`.
        return self._text[start:end] if start >= 0 else cast(bytes, None)

    def groups(self) -> tuple[bytes | None, ...]:
        return tuple(self.group(group) for group in range(1, len(self._spans)))


class SecretPattern:
    """A pattern over bytes, compiled on first use: most commands never scan."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._matched: Any = None

    def search(self, text: bytes, pos: int = 0, endpos: int | None = None) -> Match | None:
        if endpos is None and pos == 0 and self._matched is not None:
            # The common case, without the checks of the others.
            spans = self._matched(_UNANCHORED, text, 0, len(text))
            return Match(text, spans) if spans[0][0] >= 0 else None
        return self._first(_UNANCHORED, text, pos, endpos)

    def match(self, text: bytes, pos: int = 0, endpos: int | None = None) -> Match | None:
        return self._first(_ANCHOR_START, text, pos, endpos)

    def fullmatch(self, text: bytes) -> Match | None:
        return self._first(_ANCHOR_BOTH, text, 0, None)

    def finditer(self, text: bytes, pos: int = 0, endpos: int | None = None) -> Iterator[Match]:
        position = pos
        while (found := self._first(_UNANCHORED, text, position, endpos)) is not None:
            yield found
            # Do not find an empty match again.
            position = max(found.end(), position + 1)
            if position > len(text):
                return

    def _first(self, anchor: Any, text: bytes, pos: int, endpos: int | None) -> Match | None:
        if self._matched is None:
            # The library's own methods take longer than most searches.
            self._matched = re2.compile(self._source, _options())._regexp.Match
        size = len(text)
        end = size if endpos is None or endpos > size else endpos
        start = pos if pos <= size else size
        if start > end:
            return None
        spans = self._matched(anchor, text, start, end)
        return Match(text, spans) if spans[0][0] >= 0 else None


def compiled(source: bytes) -> SecretPattern:
    return SecretPattern(source)


class TextPattern(SecretPattern):
    """A pattern for whole texts: a text without its atoms is not searched."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self._number = texts.registered(source)

    def search(self, text: bytes, pos: int = 0, endpos: int | None = None) -> Match | None:
        if texts.is_without(text, self._number):
            return None
        return super().search(text, pos, endpos)

    def finditer(self, text: bytes, pos: int = 0, endpos: int | None = None) -> Iterator[Match]:
        if texts.is_without(text, self._number):
            return iter(())
        return super().finditer(text, pos, endpos)


def compiled_for_texts(source: bytes) -> SecretPattern:
    """Return a pattern for whole texts, most of which cannot contain it."""
    return TextPattern(source)


def compiled_for_values(pattern: bytes) -> re.Pattern[bytes]:
    """Return a pattern for values of limited length, where calling re2 costs more than matching.

    Only for patterns without nested repetitions, so that nothing is tried twice.
    """
    return re.compile(pattern)


class SecretPatternSet:
    """Many patterns at once: says which of them are in a text.

    Patterns whose atoms a text lacks are not searched for; these are nearly all. Patterns without
    atoms are searched for as sketches, all at once, together with those of other sets of the same
    `group`. This pays if they form a small automaton together.
    """

    def __init__(
        self, sources: Iterable[bytes], group: str = "", most_singles: int = _MOST_SINGLES
    ) -> None:
        self._sources = tuple(sources)
        self._most_singles = most_singles
        self._group = group
        if group:
            texts.grouped(group, self._sources)
        self._numbers = tuple(texts.registered(source) for source in self._sources)
        self._always: _OneSet | None = None
        self._rest: _OneSet | None = None
        self._mask = 0
        self._singles: dict[int, SecretPattern] = {}

    @property
    def sources(self) -> tuple[bytes, ...]:
        return self._sources

    def found_in(self, text: bytes) -> list[int]:
        """Return the positions of the patterns that occur, ascending."""
        hits = texts.hits_in(text)
        if self._always is None or self._rest is None:
            self._part()
        assert self._always is not None
        assert self._rest is not None
        if self._group:
            sketches = texts.sketches_in(text, self._group)
            seen = [each for each in self._without_atoms if self._sources[each] in sketches]
        else:
            seen = self._always.found_in(text)
        found = [each for each in seen if self._single(each).search(text) is not None]
        there = hits & self._mask
        if not there:
            return sorted(found) if len(found) > 1 else found
        if there.bit_count() > self._most_singles:
            return sorted(found + self._rest.found_in(text))
        while there:
            number = there.bit_length() - 1
            there ^= 1 << number
            positions = self._positions[number]
            if self._single(positions[0]).search(text) is not None:
                found += positions
        return sorted(found)

    def _part(self) -> None:
        """Split them by whether they have atoms; this needs the built gate."""
        with_atoms = [texts.has_atoms(number) for number in self._numbers]
        positions = range(len(self._sources))
        # Two rules may share one sign.
        self._positions = {
            number: [each for each in positions if self._numbers[each] == number]
            for number in {self._numbers[each] for each in positions if with_atoms[each]}
        }
        self._mask = sum(1 << number for number in self._positions)
        self._rest = _OneSet(
            [(each, self._sources[each]) for each in positions if with_atoms[each]]
        )
        self._without_atoms = [each for each in positions if not with_atoms[each]]
        self._always = _OneSet(
            [(each, sketched(self._sources[each])) for each in self._without_atoms]
        )

    def _single(self, position: int) -> SecretPattern:
        if position not in self._singles:
            self._singles[position] = SecretPattern(self._sources[position])
        return self._singles[position]


class _OneSet:
    """Patterns as one automaton, which reports their positions."""

    def __init__(self, sources: list[tuple[int, bytes]]) -> None:
        self._sources = sources
        self._matched: Any = None

    def found_in(self, text: bytes) -> list[int]:
        if not self._sources:
            return []
        if self._matched is None:
            together = re2.Set.SearchSet(_options())
            for _, source in self._sources:
                together.Add(source)
            together.Compile()
            # The library's own method takes longer than many searches.
            self._matched = together._set.Match
        return [self._sources[index][0] for index in self._matched(text)]


class _Texts(threading.local):
    """For the last texts of a thread: the atoms that occur, and the positions of telling words."""

    def __init__(self) -> None:
        self._last: list[tuple[bytes, int]] = []
        self._told: list[tuple[bytes, _Places]] = []
        self._sketches: list[tuple[bytes, str, Collection[bytes]]] = []

    def told_in(self, text: bytes) -> _Places:
        """Return the positions of words that mean a secret."""
        for known, places in self._told:
            if known is text:
                return places
        places = _Places(text)
        self._told.insert(0, (text, places))
        del self._told[_MOST_TEXTS:]
        return places

    def registered(self, source: bytes) -> int:
        return _gate.registered(source)

    def grouped(self, group: str, sources: Iterable[bytes]) -> None:
        _groups.setdefault(group, _Group()).add(sources)

    def sketches_in(self, text: bytes, group: str) -> Collection[bytes]:
        """Return the patterns without atoms of a group whose sketches occur in a text."""
        for known, name, there in self._sketches:
            if known is text and name == group:
                return there
        there = _groups[group].found_in(text)
        self._sketches.insert(0, (text, group, there))
        del self._sketches[_MOST_TEXTS:]
        return there

    def has_atoms(self, number: int) -> bool:
        return _gate.has_atoms(number)

    def hits_in(self, text: bytes) -> int:
        """Return the numbers of the patterns that a text may contain, as bits."""
        for known, hits in self._last:
            if known is text:
                return hits
        hits = _gate.hits_in(text)
        self._last.insert(0, (text, hits))
        del self._last[_MOST_TEXTS:]
        return hits

    def is_without(self, text: bytes, number: int) -> bool:
        """True if a text is known not to contain a pattern; parts of texts are not checked."""
        for known, hits in self._last:
            if known is text:
                return not hits >> number & 1
        return False

    def forget(self) -> None:
        """Drop a text after its scan."""
        self._last.clear()
        self._told.clear()
        self._sketches.clear()


class ToldPattern(SecretPattern):
    """A pattern that begins with a telling word, and is tried only at such words."""

    def __init__(self, name_byte: bytes, behind: bytes) -> None:
        super().__init__(TELLING + name_byte + b"*" + behind)
        self._run = re.compile(name_byte + b"*")

    def search(self, text: bytes, pos: int = 0, endpos: int | None = None) -> Match | None:
        places = texts.told_in(text)
        starts, ends = places.starts, places.ends
        # Up to here, no word that ends before it begins a match.
        tried = pos
        for index in range(bisect_left(starts, pos), len(starts)):
            start = starts[index]
            if endpos is not None and start >= endpos:
                return None
            if start < tried and ends[index] <= tried:
                continue
            found = self._first(_ANCHOR_START, text, start, endpos)
            if found is not None:
                return found
            run = self._run.match(text, start)
            if run is not None:
                # The text after one word of a name also follows the others in it.
                tried = run.end()
        return None

    def finditer(self, text: bytes, pos: int = 0, endpos: int | None = None) -> Iterator[Match]:
        position = pos
        while (found := self.search(text, position, endpos)) is not None:
            yield found
            position = max(found.end(), found.start() + 1)


class TellingPattern(SecretPattern):
    """A telling word: its positions are known, so no search is needed."""

    def search(self, text: bytes, pos: int = 0, endpos: int | None = None) -> Match | None:
        places = texts.told_in(text)
        starts, ends = places.starts, places.ends
        index = bisect_left(starts, pos)
        if index == len(starts) or (endpos is not None and starts[index] >= endpos):
            return None
        if endpos is not None and ends[index] > endpos:
            # A shorter word may end before that.
            return self._first(_UNANCHORED, text, pos, endpos)
        return Match(text, ((starts[index], ends[index]),))


def compiled_for_told(name_byte: bytes, behind: bytes) -> SecretPattern:
    """Return a pattern for whole texts: a telling word, the rest of a name, and what follows it."""
    return ToldPattern(name_byte, behind)


def compiled_for_telling() -> SecretPattern:
    """Return a pattern for whole texts: a telling word by itself."""
    return TellingPattern(TELLING)


class _Places:
    """The positions of telling words, by their beginning; they may overlap."""

    __slots__ = ("ends", "starts")

    def __init__(self, text: bytes) -> None:
        self.starts = array("q")
        self.ends = array("q")
        position = 0
        while (found := _TELLING.search(text, position)) is not None:
            self.starts.append(found.start())
            self.ends.append(found.end())
            position = found.start() + 1

    def __bool__(self) -> bool:
        return bool(self.starts)


class _Group:
    """The patterns without atoms of several sets, as one automaton."""

    def __init__(self) -> None:
        self._sources: list[bytes] = []
        self._asked: _OneSet | None = None

    def add(self, sources: Iterable[bytes]) -> None:
        self._sources += [each for each in sources if each not in self._sources]
        self._asked = None

    def found_in(self, text: bytes) -> Collection[bytes]:
        sources = self._sources
        if self._asked is None:
            self._asked = _OneSet(
                [
                    (position, sketched(source))
                    for position, source in enumerate(sources)
                    if not texts.has_atoms(texts.registered(source))
                ]
            )
        return {sources[position] for position in self._asked.found_in(text)}


class _Gate:
    """One pass over a text for the atoms of all patterns registered before the first pass."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._sources: list[bytes] = []
        self._lock = threading.Lock()
        self._matched: Any = None
        self._masks: list[int] = []
        self._single_bytes: list[tuple[bytes, int]] = []
        self._beyond_ascii = 0
        self._always = -1
        """A number with all bits set: patterns that are added later are always searched for."""

    def registered(self, source: bytes) -> int:
        if source not in self._numbers:
            self._numbers[source] = len(self._sources)
            self._sources.append(source)
        return self._numbers[source]

    def has_atoms(self, number: int) -> bool:
        return not self._always >> number & 1

    def hits_in(self, text: bytes) -> int:
        if self._matched is None:
            with self._lock:
                if self._matched is None:
                    self._build()
        hits = self._always
        masks = self._masks
        for index in self._matched(text):
            hits |= masks[index]
        for byte, mask in self._single_bytes:
            if byte in text:
                hits |= mask
        return hits if text.isascii() else hits | self._beyond_ascii

    def _build(self) -> None:
        together = re2.Set.SearchSet(_options())
        masks: dict[bytes, int] = {}
        for number, source in enumerate(self._sources):
            atoms = atoms_of(source)
            if atoms is None or not all(map(_is_rare, atoms)):
                continue
            self._always &= ~(1 << number)
            for atom in atoms:
                masks[atom] = masks.get(atom, 0) | 1 << number
        self._beyond_ascii = masks.pop(BEYOND_ASCII, 0)
        self._single_bytes = [(atom, masks.pop(atom)) for atom in sorted(masks) if len(atom) == 1]
        for atom in sorted(masks):
            together.Add(b"(?i)" + re2.escape(atom))
            self._masks.append(masks[atom])
        together.Compile()
        self._matched = together._set.Match


def _is_rare(atom: bytes) -> bool:
    return len(atom) > 2 or (not atom.isalnum() and (len(atom) > 1 or atom in RARE_BYTES))


_TELLING = SecretPattern(TELLING)
_gate = _Gate()
_groups: dict[str, _Group] = {}
texts = _Texts()


def _options() -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY
    options.log_errors = False
    return options
