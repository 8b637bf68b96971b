"""Count the terms of one file by unit and field, and pack the counts.

Invariant: the counts are a function of text, language and facts. The key only decides how terms are
stored, and in which order.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain

import attrs
import msgspec

from sightline.egress.names import may_be_secret
from sightline.index.likeness.lexing import COMMENT, STRING, Lexed, lex
from sightline.index.likeness.model import Field, FileTerms
from sightline.index.likeness.units import Cut, Lines, cut_units, lines_of
from sightline.index.likeness.words import WORD, WORD_OR_CALL, TermHasher
from sightline.languages import Language
from sightline.symbols import CALLABLE_KINDS, Definition, Facts, FactsView

_MOST_COUNT = 31
_MOST_LENGTH = 65_535
_MOST_BYTES = 1 << 17
"""A larger file without a known language is treated as data."""
_LONGEST_LINES = 400
"""So is a file whose lines have more bytes than this on average."""

NOTHING = FileTerms(b"", (), b"", b"", b"", b"")


def count_terms(
    data: bytes,
    language: Language | None,
    definitions: Sequence[Definition],
    hasher: TermHasher,
    *,
    is_private: bool = False,
) -> FileTerms:
    """Return the counts of a text. A text without a language has no definitions.

    In a private file a name may be a secret: names are read like prose, and no symbol is named.
    """
    lines = lines_of(data)
    if language is None and _is_data(data, lines):
        return NOTHING
    lexed = lex(data, language)
    comments = [
        (lines.at(start), lines.at(max(start, end - 1)))
        for start, end, kind in lexed.segments
        if kind == COMMENT
    ]
    cuts = cut_units(lines, definitions, comments)
    if not cuts:
        return NOTHING
    texts = [_UnitText() for _ in cuts]
    _name(texts, cuts, lines, definitions)
    zones = _zones(lines, cuts, definitions)
    code = lexed.code if language is not None and not is_private else lexed.prose
    _distribute(code, lexed, zones, texts, language)
    keywords = language.keywords if language is not None else frozenset()
    postings, lengths = _counted(texts, hasher.code(keywords), hasher.prose)
    symbols = tuple(
        _kept_name(definitions[cut.definition]) if cut.definition >= 0 and not is_private else ""
        for cut in cuts
    )
    return _packed(cuts, symbols, postings, lengths)


def count_packed(data: bytes, language: Language | None, facts: bytes, key: bytes) -> bytes:
    """Like `count_terms`, from packed facts to packed counts."""
    definitions: Sequence[Definition] = ()
    is_private = False
    if language is not None and facts:
        read = msgspec.msgpack.decode(facts, type=Facts)
        definitions, is_private = FactsView(read, language).definitions, read.is_private
    counted = count_terms(data, language, definitions, _hasher(key), is_private=is_private)
    return msgspec.msgpack.encode(counted)


@lru_cache(maxsize=4)
def _hasher(key: bytes) -> TermHasher:
    """Cached: a worker counts files of only a workspace or two."""
    return TermHasher(key)


def _is_data(data: bytes, lines: Lines) -> bool:
    return len(data) > _MOST_BYTES or len(data) > _LONGEST_LINES * (lines.count + 1)


def _kept_name(definition: Definition) -> str:
    name = definition.qualified_name
    return "" if may_be_secret(name) else name


@attrs.define
class _UnitText:
    """The text of a unit, by field."""

    names: list[bytes] = attrs.Factory(list)
    head: list[bytes] = attrs.Factory(list)
    body: list[bytes] = attrs.Factory(list)
    docs: list[bytes] = attrs.Factory(list)
    comments: list[bytes] = attrs.Factory(list)
    strings: list[bytes] = attrs.Factory(list)


_Terms = Mapping[bytes, tuple[int, ...]]
_Postings = dict[int, list[int]]
"""By term; see `FileTerms.postings`."""


def _counted(
    texts: Sequence[_UnitText], code: _Terms, prose: _Terms
) -> tuple[_Postings, array[int]]:
    """Return the postings of a file, and the number of words in each field of each unit."""
    postings: _Postings = defaultdict(list)
    lengths = array("H")
    for unit, text in enumerate(texts):
        words, calls = _words_and_calls(text.body)
        for field, terms, found in (
            (Field.NAME, code, _words(text.names)),
            (Field.PARAMETERS, code, _words(text.head)),
            (Field.DOCS, prose, _words(text.docs)),
            (Field.COMMENTS, prose, _words(text.comments)),
            (Field.IDENTIFIERS, code, words),
            (Field.STRINGS, prose, _words(text.strings)),
            (Field.CALLS, code, calls),
        ):
            length = len(found)
            lengths.append(length if length < _MOST_LENGTH else _MOST_LENGTH)
            start = unit << 8 | field << 5
            if length == 1:
                for term in terms[found[0]]:
                    postings[term].append(start | 1)
            elif length:
                counts: dict[int, int] = {}
                for word in found:
                    for term in terms[word]:
                        counts[term] = counts[term] + 1 if term in counts else 1
                for term, count in counts.items():
                    postings[term].append(start | (count if count < _MOST_COUNT else _MOST_COUNT))
    return postings, lengths


_BRACKET = 40


def _words_and_calls(pieces: Sequence[bytes]) -> tuple[list[bytes], list[bytes]]:
    words: list[bytes] = []
    calls: list[bytes] = []
    for word in WORD_OR_CALL.findall(b" ".join(pieces)):
        if word[-1] == _BRACKET:
            calls.append(word[:-1])
        else:
            words.append(word)
    return words, calls


def _words(pieces: Sequence[bytes]) -> list[bytes]:
    return WORD.findall(b" ".join(pieces)) if pieces else []


def _name(
    texts: Sequence[_UnitText], cuts: Sequence[Cut], lines: Lines, definitions: Sequence[Definition]
) -> None:
    """Assign the declared names to units: a function has its own, a piece all that it contains."""
    firsts = [cut.first for cut in cuts]
    for number, each in enumerate(definitions):
        line = lines.at(each.name_start)
        unit = bisect_right(firsts, line) - 1
        if unit < 0 or line >= cuts[unit].end:
            continue
        if not cuts[unit].is_function or cuts[unit].definition == number:
            texts[unit].names.append(each.name.encode())


@attrs.frozen
class _Zone:
    start: int
    unit: int
    """-1 for lines outside of every unit."""
    is_head: bool
    declared: int
    """Where the declaration starts, or the comment before it that documents it; -1 if there is
    none.
    """


def _zones(lines: Lines, cuts: Sequence[Cut], definitions: Sequence[Definition]) -> list[_Zone]:
    """Return, in order, parts of a text that belong to one unit and are all header or all body."""
    zones = [_Zone(0, -1, False, -1)]
    heads = _heads(definitions)
    at = 0
    for unit, cut in enumerate(cuts):
        start, end = lines.start(cut.first), lines.start(cut.end)
        if cut.is_function:
            each = definitions[cut.definition]
            name_end = each.name_start + len(each.name.encode())
            body = each.body if each.body >= 0 else end
            zones += [_Zone(start, unit, True, each.start), _Zone(each.name_start, -1, True, -1)]
            zones += [_Zone(name_end, unit, True, -1), _Zone(body, unit, False, -1)]
        else:
            zones.append(_Zone(start, unit, False, -1))
            while at < len(heads) and heads[at][0] < start:
                at += 1
            while at < len(heads) and heads[at][1] <= end:
                zones += [_Zone(heads[at][0], unit, True, -1), _Zone(heads[at][1], unit, False, -1)]
                at += 1
        zones.append(_Zone(end, -1, False, -1))
    reached = 0
    kept: list[_Zone] = []
    for zone in zones:
        # Keep the order even if a fact is wrong, as in a text that does not parse.
        if zone.start >= reached:
            kept.append(zone)
            reached = zone.start
    return kept


def _heads(definitions: Sequence[Definition]) -> list[tuple[int, int]]:
    """Return the start and end of the headers of types and namespaces."""
    found: list[tuple[int, int]] = []
    for each in definitions:
        reached = found[-1][1] if found else 0
        if each.kind not in CALLABLE_KINDS and each.body > each.start >= reached:
            found.append((each.start, each.body))
    return found


def _distribute(
    code: bytes,
    lexed: Lexed,
    zones: Sequence[_Zone],
    texts: Sequence[_UnitText],
    language: Language | None,
) -> None:
    """Assign every piece of the text to its unit and field."""
    prose = lexed.prose
    doc = language.comments.doc if language else None
    size = len(code)
    ends = [*(zone.start for zone in zones[1:]), size]
    position = number = 0
    for start, end, kind in (*lexed.segments, (size, size, 0)):
        piece = b""
        while True:
            zone = zones[number]
            stop = min(ends[number], start)
            if stop > position:
                piece = code[position:stop]
                position = stop
                if zone.unit >= 0:
                    text = texts[zone.unit]
                    (text.head if zone.is_head else text.body).append(piece)
            if ends[number] > start or number == len(zones) - 1:
                break
            number += 1
            piece = b""
        zone = zones[number]
        if zone.unit >= 0 and kind:
            text = texts[zone.unit]
            if kind == STRING:
                is_first = not text.strings and not text.docs and not piece.strip()
                is_doc = is_first and not zone.is_head
            else:
                is_doc = start < zone.declared or (
                    doc is not None and doc.match(prose, start) is not None
                )
            where = text.docs if is_doc else text.strings if kind == STRING else text.comments
            where.append(prose[start:end])
        position = max(position, end)
        while number < len(zones) - 1 and ends[number] <= position:
            number += 1


def _packed(
    cuts: Sequence[Cut], symbols: tuple[str, ...], postings: _Postings, lengths: array[int]
) -> FileTerms:
    terms = sorted(postings)
    rows = [postings[term] for term in terms]
    return FileTerms(
        array("I", [line for cut in cuts for line in (cut.first + 1, cut.end)]).tobytes(),
        symbols,
        lengths.tobytes(),
        array("Q", terms).tobytes(),
        _column(list(map(len, rows))),
        _column(list(chain.from_iterable(rows))),
    )


def _column(numbers: Sequence[int]) -> bytes:
    largest = max(numbers, default=0)
    return array("B" if largest < 1 << 8 else "H" if largest < 1 << 16 else "I", numbers).tobytes()
