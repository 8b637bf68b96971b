"""Rewrite a name and its value that stand in another order, or with other text between.

`{"value": "…", "key": "db_password"}`, `… <- this is the api key`, `the token was … until May`,
`/exports/password=…/dump.sql`, `P A S S W O R D : …`: each becomes `name = value` on a line of its
own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from sightline.egress.generated import is_generated
from sightline.egress.restated_forms import NAMED_RULES, PLACE_RULES
from sightline.egress.secret_patterns import (
    Match,
    SecretPattern,
    SecretPatternSet,
    compiled,
    texts,
)
from sightline.egress.telling_names import Promise, promise_of
from sightline.egress.text_reading import Change, Reading, changed

_KEYWORD = rb"(?:pass(?:word|wd|phrase|code|wort)?|pwd|secret|token|key|credential|auth|kennwort)"
_NAMING = (
    rb"[\"']?\b(?:key|name|id|variable|var|field|label|setting|param|parameter|option|env|property)"
    rb"[\"']?"
)
_VALUED = rb"[\"']?\b(?:value|val|content|default|data|secretvalue|stringvalue)[\"']?"
_STRING = rb"(\"[^\"\n]+\"|'[^'\n]+')"
_NAME = rb"[\"']?([A-Za-z0-9_.\- ]*" + _KEYWORD + rb"[A-Za-z0-9_.\-]*)"
_SIGN = rb"[ \t]{0,4}(?:[:=]|=>)[ \t]{0,4}"
# The value, followed by its name.
_FIELDS = (
    rb"(?i)" + _VALUED + _SIGN + _STRING
    + rb"(?:[ \t]{0,8},\s{0,60}"
    rb"(?:[\"'][a-z_]{1,16}[\"'][ \t]?:[ \t]?[\"'][^\"'\n{}]*[\"'],\s{0,60}){0,2}"
    rb"|\s{1,60}|\s{1,20}(?:where|and)\s{1,20})" + _NAMING + _SIGN + _NAME
)  # fmt: skip
_ITEM = (
    rb"(?im)^[ \t]{0,40}-[ \t]{1,4}value:[ \t]{1,4}([^\s\"'|>{\[&*!][^\n]*)\n"
    rb"[ \t]{1,40}(?:key|name):[ \t]{1,4}" + _NAME
)
_ELEMENTS = (
    rb"(?i)<(?:value|string)>([^<>\n]+)</(?:value|string)>\s{0,60}<(?:name|key|id)>[ \t]{0,4}"
    + _NAME
)
_ARGUMENTS = (
    rb"(?i)\([ \t]{0,4}"
    + _STRING
    + rb",[ \t]{0,4}[\"']([A-Za-z0-9_.\-]*"
    + _KEYWORD
    + rb"[A-Za-z0-9_.\-]*)[\"'][ \t]{0,4}\)"
)
_PAIR = (
    rb"(?i)"
    + _STRING
    + rb"[ \t]{0,4}(?:=>|:)[ \t]{0,4}[\"']([A-Za-z0-9_.\-]*"
    + _KEYWORD
    + rb"[A-Za-z0-9_.\-]*)[\"']"
)
_REMARKED = (
    rb"(?im)(?:^|[ \t])([^\s\"'`(){}<>,;=:]{10,})[ \t]{1,4}(?:#|//|\()[ \t]?"
    rb"(?:(?:the|our|my|old|new|current)[ \t]){0,3}([A-Za-z0-9_.\- ]*"
    + _KEYWORD
    + rb")\)?[ \t]{0,4}\r?$"
)
_POINTED = (
    rb"(?im)(?:^|[\s\"'`(])([^\s\"'`(){}<>,;=:]{8,})[\"'`]?[ \t]{1,4}"
    rb"(?:<[-=]{1,3}|\xe2\x86\x90|is|was)[ \t]{1,4}(?:(?:this|that|it)[ \t](?:is|was)[ \t])?"
    rb"(?:(?:the|our|my|your|an?|old|new|current)[ \t]){1,3}"
    rb"([A-Za-z0-9_.\- ]*" + _KEYWORD + rb"[A-Za-z0-9_\-]*)"
)
# The name first, with words or signs between.
_SPOKEN = (
    rb"(?i)\b([A-Za-z0-9_.\-]*"
    + _KEYWORD
    + rb"[A-Za-z0-9_\-]*)[\"'`]?[ \t]{1,2}(?:was|were|used to be|had been|is now"
    rb"|is still|is currently|has been|(?:was |is |were )?(?:re)?(?:set|changed|rotated) to|becomes"
    rb"|equals|lautet|ist|est|es)[ \t]{1,2}[\"'`]?([^\s\"'`][^\s]{5,})"
)
_NOTED = (
    rb"(?im)(?:(?:<!--|//|#|/\*)[ \t]|^[ \t]*(?:\*|--|;|rem)[ \t])[^\n]*?"
    rb"[^A-Za-z0-9_\n](pass(?:word|wd|phrase|code)?|pwd)[ \t]{1,2}"
    rb"([^\s\"'<>(){}]{6,40})[ \t]{0,8}(?:-->|\*/|$)"
)
_TITLE = (
    rb"(?im)^[ \t>*\-]{0,8}((?:[A-Za-z0-9]+ ){1,4}"
    rb"(?:password|passwd|passphrase|passcode|pass|pwd)):[ \t]{1,4}"
    rb"([^\s\"'`]{6,60})[ \t]{0,4}\r?$"
)
_SEGMENT = rb"(?i)[/\\]([A-Za-z0-9_.\-]*" + _KEYWORD + rb")=([^\s/\\\"'?&]{6,})[/\\]"
_GLUED_SEGMENT = (
    rb"(?i)[/\\]([A-Za-z0-9_.\-]*(?:password|passwd|passphrase|secret|token|api_?key))[_\-]"
    rb"([^\s/\\\"'?&=]{8,})[/\\]"
)
_INLINE = rb"(?:b|code|strong|em|i|kbd|tt|span|samp|u|mark|font|pre)"
_MARKED_UP = (
    rb"(?i)([A-Za-z0-9_.\- ]*" + _KEYWORD + rb"[A-Za-z0-9_.\- ]{0,20}[ \t]{0,2}"
    rb"(?:</[a-z]{1,8}>)?[:=](?:</[a-z]{1,8}>)?[ \t]{0,4})(<" + _INLINE
    + rb"(?:[ \t][^<>\n]*)?>[ \t]{0,4})([^<>\n]+)(</)"
)  # fmt: skip
_SPREAD = rb"(?:^|[^A-Za-z0-9])([A-Za-z](?: {1,4}[A-Za-z]){3,40}) {0,4}[:=]"
_SPREAD_VALUE = rb"(?m)[:=][ \t]{1,4}[\"'`]?([!-~](?: [!-~]){7,60})[\"'`]?[ \t]{0,4}\r?$"
_GROUPS = (
    rb"[:=\"'`(>][ \t]{0,2}[\"'`]?("
    + b"|".join(
        rb"[A-Za-z0-9_\-]{%d}(?: [A-Za-z0-9_\-]{%d}){3,40}(?: [A-Za-z0-9_\-]{1,%d})?"
        % (size, size, size)
        for size in (4, 5, 6, 8, 10)
    )
    + rb")(?:[\s\"'`)<.,;]|$)"
)
# The name first, the value in another field, in many human languages.
_NAMED_FIRST = (
    rb"(?i)(?:^|[\s\"'{,<])(?:key|name|id|variable|var|setting|param|parameter|option|field|env)"
    rb"[\"']?[ \t]{0,4}(?:[:=]|=>)[ \t]{0,4}[\"']?([^\s\"'<>:={}(),;]{3,64})[\"']?"
    rb"((?:[ \t]{0,4},\s{0,60}|\s{1,60})[\"']?(?:value|val|content|default|data)[\"']?"
    rb"[ \t]{0,4}(?:[:=]|=>)[ \t]{0,4})"
    rb"(\"[^\"\r\n]+\"|'[^'\r\n]+'|[^\s\"'|>{\[&*!<(][^\r\n\"'<>{}();]*)"
)
# An annotation, and the field that it fills.
_ANNOTATED = (
    rb"@[A-Za-z.]+\([ \t]{0,4}(?:[a-z]+[ \t]{0,2}=[ \t]{0,2})?(\"[^\"\r\n]+\")[ \t]{0,4}\)\s{1,60}"
    rb"(?:(?:private|public|protected|internal|final|static|var|val|lateinit|volatile|readonly)\s{1,8})"
    rb"{0,5}(?:[A-Za-z][A-Za-z0-9_.<>\[\]?]{0,40}\s{1,4})?"
    rb"([A-Za-z0-9_\x80-\xff]+)[ \t]{0,4}[;=,):]"
)
# A field that a build writes into a program.
_BUILD_FIELD = (
    rb"(?:buildConfigField|resValue)[ \t(]{1,4}[\"'][A-Za-z]+[\"'][ \t]{0,4},[ \t]{0,4}"
    rb"[\"']([^\"'\s]+)([\"'][ \t]{0,4},[ \t]{0,4}[\"'](?:\\?\"|'))([^\"'\r\n\\]+)(?:\\?\"|')[\"']"
)
_DIGIT = re.compile(rb"[0-9]")
_LETTER = re.compile(rb"[A-Za-z]")
_LOWER = re.compile(rb"[a-z]")
_SHORTEST_THICK = 10
_UPPER = re.compile(rb"[A-Z]")
_WORD_GAP = re.compile(rb" {2,4}")
_HEXADECIMAL = re.compile(rb"[0-9A-Fa-f _\-]+")
_MOST_WORDS = 6
_LONGEST_NAME = 80
_LONGEST_VALUE = 400


def restated(data: bytes, before: Reading | None) -> Reading | None:
    """Return the text with each such pair as an assignment; None if it has no such pair."""
    apart: list[Change] = []
    for change in sorted(_changes(data)):
        if not apart or change[0] >= apart[-1][1]:
            apart.append(change)
    return changed(data, apart, before) if apart else None


def _changes(data: bytes) -> Iterator[Change]:
    is_told = bool(texts.told_in(data))
    found_rules = [
        first + index
        for first, signs in _SIGNS
        if first < _TOLD or is_told
        for index in signs.found_in(data)
    ]
    for index in found_rules:
        restate = _RULES[index][1]
        pattern = _PATTERNS[index]
        position = 0
        while (found := pattern.search(data, position)) is not None:
            # The end of one may begin the next.
            position = max(found.end() - 1, found.start() + 1)
            yield from restate(found)


def _name_behind(found: Match) -> Iterator[Change]:
    """The value is the first group, its name the second."""
    value, name = found.group(1), _as_name(found.group(2))
    if name and len(value) <= _LONGEST_VALUE:
        yield found.start(1), found.start(1), b"\n" + name + b" = "
        yield found.end(1), found.end(1), b"\n"


def _pointed(found: Match) -> Iterator[Change]:
    if _is_mixed(found.group(1)) and len(found.group(2).split()) <= _MOST_WORDS:
        yield from _name_behind(found)


def _thick_name_behind(found: Match) -> Iterator[Change]:
    if _is_thick(found.group(1).strip(b"\"'")):
        yield from _name_behind(found)


def _name_before(found: Match) -> Iterator[Change]:
    """The name is the first group, the value the second, with any text between."""
    if _is_mixed(found.group(2)):
        yield from _assigned(found)


def _assigned(found: Match) -> Iterator[Change]:
    value, name = found.group(2), _as_name(found.group(1))
    if name and len(value) <= _LONGEST_VALUE:
        end = found.start(2) + len(value.rstrip(b"\"'`,;.)"))
        yield found.start(1), found.start(2), b"\n" + name + b" = "
        yield end, found.end(2), b"\n"


def _glued(found: Match) -> Iterator[Change]:
    value = found.group(2)
    if _UPPER.search(value) is not None or sum(48 <= byte <= 57 for byte in value) >= 3:
        yield from _assigned(found)


def _marked_up(found: Match) -> Iterator[Change]:
    if len(found.group(1)) <= _LONGEST_NAME:
        yield found.start(1), found.start(1), b"\n"
        yield found.start(2), found.end(2), b""
        yield found.start(4), found.end(4), b"\n"


def _spread(found: Match) -> Iterator[Change]:
    words = [word.replace(b" ", b"") for word in _WORD_GAP.split(found.group(1))]
    name = _as_name(b"_".join(words))
    if name:
        yield found.start(1), found.end(1), b"\n" + name


def _spread_value(found: Match) -> Iterator[Change]:
    value = found.group(1).replace(b" ", b"")
    if _is_thick(value):
        yield found.start(1), found.end(1), value


def _grouped(found: Match) -> Iterator[Change]:
    groups = found.group(1).split(b" ")
    with_digits = sum(_DIGIT.search(each) is not None for each in groups)
    if with_digits * 2 >= len(groups) and _HEXADECIMAL.fullmatch(found.group(1)) is None:
        yield found.start(1), found.end(1), b"".join(groups)


def _named_first(found: Match) -> Iterator[Change]:
    name, value = found.group(1), found.group(3)
    if promise_of(name) >= Promise.SECRET and len(value) <= _LONGEST_VALUE:
        quote = b"" if value[:1] in b"\"'" else b'"'
        end = found.start(3) + len(value.rstrip(b" \t,"))
        yield found.start(1), found.start(3), b"\n" + name + b" = " + quote
        yield end, end, quote + b"\n"


def _annotated(found: Match) -> Iterator[Change]:
    value, name = found.group(1)[1:-1], found.group(2)
    if promise_of(name) >= Promise.SECRET and (
        is_generated(value) or _is_thick(value) or found.group().startswith(b"@Value")
    ):
        yield found.start(1), found.start(1), b"\n" + name + b" = "
        yield found.end(1), found.end(1), b"\n"


def _build_field(found: Match) -> Iterator[Change]:
    if promise_of(found.group(1)) >= Promise.SECRET:
        yield found.start(1), found.start(3), b"\n" + found.group(1) + b' = "'
        yield found.end(3), found.end(), b'"\n'


def _is_mixed(value: bytes) -> bool:
    return _DIGIT.search(value) is not None and _LETTER.search(value) is not None


def _is_thick(value: bytes) -> bool:
    """True if it is unlikely to be a word, a name or a path."""
    return (
        len(value) >= _SHORTEST_THICK
        and len(_DIGIT.findall(value)) >= 2
        and _UPPER.search(value) is not None
        and _LOWER.search(value) is not None
        and b"/" not in value
        and b" " not in value
    )


def _as_name(words: bytes) -> bytes:
    """Return words joined to one name; empty if they do not suggest a secret."""
    name = b"_".join(words.split())
    return name if len(name) <= _LONGEST_NAME and promise_of(name) >= Promise.WEAK else b""


_RULES: tuple[tuple[bytes, Callable[[Match], Iterator[Change]]], ...] = (
    (_FIELDS, _name_behind),
    (_ITEM, _name_behind),
    (_ELEMENTS, _name_behind),
    (_ARGUMENTS, _thick_name_behind),
    (_PAIR, _thick_name_behind),
    (_REMARKED, _thick_name_behind),
    (_POINTED, _pointed),
    (_SPOKEN, _name_before),
    (_NOTED, _name_before),
    (_TITLE, _name_before),
    (_SEGMENT, _name_before),
    (_GLUED_SEGMENT, _glued),
    (_MARKED_UP, _marked_up),
    (_SPREAD, _spread),
    (_SPREAD_VALUE, _spread_value),
    (_GROUPS, _grouped),
    (_NAMED_FIRST, _named_first),
    (_ANNOTATED, _annotated),
    (_BUILD_FIELD, _build_field),
    *PLACE_RULES,
    *NAMED_RULES,
)
_PATTERNS: tuple[SecretPattern, ...] = tuple(compiled(source) for source, _ in _RULES)
# Separate patterns: together they would have far more states than the two have.
_TOLD = len(_RULES) - len(NAMED_RULES)
_OWN = _TOLD - len(PLACE_RULES)
_PARTS = (0, _OWN // 2, _OWN, _TOLD, _TOLD + len(NAMED_RULES) // 2, len(_RULES))
_SIGNS = tuple(
    (first, SecretPatternSet(source for source, _ in _RULES[first:last]))
    for first, last in pairwise(_PARTS)
)
