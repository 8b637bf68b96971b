"""Nearby values: a random-looking value close to a word for a secret, in any syntax.

The other rules know how a language or format connects a value to its name. This one knows no
syntax. It takes the words and strings of a line that mentions a password, a secret or a token, and
of the lines below a line that contains nothing else. It checks whether each could be anything but a
credential. A value beyond doubt is certain; the rest is weak.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from functools import lru_cache

import attrs

from sightline.egress.generated import is_generated
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form
from sightline.egress.own_names import is_named_otherwise, names_itself_otherwise
from sightline.egress.randomness import cost, entropy, is_random, is_uuid
from sightline.egress.secret_patterns import compiled, compiled_for_telling, compiled_for_values
from sightline.egress.spoken import is_made_up_word
from sightline.egress.telling_names import Promise, promise_of, speaks_of_another
from sightline.egress.value_forms import (
    has_template,
    is_constraint,
    is_ordinary,
    is_pattern,
    is_placeholder,
    is_sequence,
)
from sightline.egress.weak import is_weak_content
from sightline.text import Span

_TELLING = compiled_for_telling()
_NAME_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-." + bytes(
    range(128, 256)
)
_NAME_REST = compiled_for_values(rb"[A-Za-z0-9_.\-\x80-\xff]*")
_CLOSED = compiled_for_values(rb"[^\s\"'`]{0,40}[\"'`]")
# Calls whose arguments are keys.
_KEYED_CALL = compiled(
    rb"(?i)(?:hmac|jwt|cipher|fernet|totp|hotp|(?:sign|encrypt|decrypt)[a-z]*|secretkeyspec"
    rb"|signingkey|secretbox|itsdangerous|serializer)[a-z0-9_:.]{0,24}\("
    # `key, err := hex.DecodeString("…")`
    rb"|(?:key|secret|seed)[a-z0-9_]{0,24}(?:[ \t]{0,2},[ \t]?[a-z_]{1,8})?[ \t]{0,4}:?="
    rb"[ \t]{0,4}[a-z0-9_.:]{0,40}"
    rb"(?:decode[a-z0-9_]*|from_?hex[a-z]*|unhexlify|hex_?to_?bytes|parse_?hex[a-z]*|hex2bin)\("
)
# A string in quotes, or a word.
_CANDIDATE = compiled_for_values(
    rb"\"([^\"\r\n]{4,200})\"|'([^'\r\n]{4,200})'|`([^`\r\n]{4,200})`|([^\s\"'`]{4,200})"
)
_PIECE = compiled_for_values(rb"[^=:,;|&(){}\[\]<>\\]{4,}")
_DIGIT = compiled_for_values(rb"[0-9]")
_SIGN_INSIDE = compiled_for_values(rb"[A-Za-z0-9][@$#!%^&*][A-Za-z0-9]")
# Syntax of a program: `name(`, `).name`, `name=value,`.
_CALL = compiled_for_values(rb"[A-Za-z_]\(|\)\.|^[A-Za-z_]+=")
_CHAIN = compiled_for_values(rb"[A-Za-z_]+(?:\.[A-Za-z_][A-Za-z0-9_]*)+")
# Also syntax of a program: `$self->stack[$position-(2-1`, `this.table[i+1`.
_MEMBER = compiled_for_values(
    rb"[$&*!(]{0,2}[A-Za-z_][A-Za-z0-9_]*(?:(?:->|::|\.)[$A-Za-z_][A-Za-z0-9_]*)+\[.*"
)
_NUMBER = compiled_for_values(rb"0[xX][0-9A-Fa-f]{1,40}[uUlL]{0,3}")
# What follows a string that is itself a name.
_KEY_END = compiled_for_values(rb"[\"'`]?[ \t]{0,2}(?::(?!:)|=>)")
_COLOR = compiled_for_values(rb"#(?:[0-9A-Fa-f]{3,4}){1,2}")
# Ruby: `User#password_salt`. Also markup, links, and a sum of calls.
_TAG = compiled_for_values(rb"</[A-Za-z]|/>|<[A-Za-z]+>|\]\(|\)[*+/\-][A-Za-z_0-9]+\(")
# `uses: owner/configure-credentials@…`
_PINNED = compiled_for_values(rb"@[0-9a-f]{40}")
_METHOD = compiled_for_values(rb"[A-Z][A-Za-z0-9_:]*#[a-z_]+[?!]?")
# A value contains at least one of these, or is in quotes.
_ANY_SIGN = compiled_for_values(rb"[0-9\"'`@$#!%^&*]")
_WORD_SIGN = compiled_for_values(rb"[0-9@$#!%^&*]")
_PROGRAM = compiled_for_values(rb"[(){}\[\];=<>]|::|->|//")
_SEALED = b"ENC["
_BOTH_CASES = compiled_for_values(rb"[a-z].*[A-Z]|[A-Z].*[a-z]")
_HEXADECIMAL = compiled_for_values(rb"(?:0x)?(?:[0-9a-f]{32,}|[0-9A-F]{32,})")
_PUBLIC = compiled(
    rb"(?i)hash|digest|sha[_\-]?(?:1|2|256|384|512)|md5|checksum|fingerprint|commit|revision|integrity"
    rb"|etag|nonce|public|signature|\bsalt|\buuid|\bguid|csrf|xsrf|base64|\bcert|crypt"
)
# For values that contain a slash or a dot, or begin with a tilde.
_PATH = compiled_for_values(rb"(?:[\w.@~\-]*/){2,}|^[/~.]|^www\.|\.[a-z]{2,5}$|^[a-z]+://|/.*\.")
_IDENTIFIER = compiled_for_values(
    rb"[A-Za-z_$][A-Za-z_$]*[0-9]{0,3}|[A-Za-z]+(?:[_\-.][A-Za-z0-9]+)+"
)
# Other texts with digits between letters or signs: times, versions, sizes, formats.
_MEASURE = compiled_for_values(
    rb"(?i)[0-9]{2,4}[\-/][0-9]{2}[\-/].*|[0-9:.]+(?:z|am|pm)|v?[0-9]+(?:\.[0-9x]+)+.*"
    rb"|.*%[a-z0-9].*|[a-z]+\.[a-z.]+\+.*|.*::?/.*|[a-z0-9_.\-]+@[a-z0-9.\-]+|.*:x?:[0-9].*|pre-.*"
    rb"|\W*(?:u?int|float|char|vec|mat|cve|php|rfc|issue|image|pkcs|x|oauth)[0-9\-_].*|[0-9]xx.*"
)
_TYPE_NAME = compiled_for_values(rb"(?:[A-Z][a-z]+){2,}[A-Z]*[0-9]{1,2}")
_STARTS = b"([{<*_~:=,;|#$@%!&+\xc2\xab"
_ENDS = b".,;:?*_~)]}>|"
_LINE_ENDS = b" \t\r.,;:?!)]}>|*_~-\"'`"
_BEFORE = 240
_AFTER = 320
_LINES_BELOW = 2
_LONGEST_BELOW = 240
_MOST_WORDS_BELOW = 6
_FEWEST_DIGITS = 2
_SHORTEST_GENERATED = 14
_SHORTEST_TOKEN = 16
_LONG_TOKEN = 20
_LONGEST_NAME = 64


class _ValueSide(Enum):
    BEHIND = auto()
    BEFORE = auto()
    BELOW = auto()


@attrs.frozen
class _Value:
    start: int
    content: bytes
    is_quoted: bool

    @property
    def end(self) -> int:
        return self.start + len(self.content)


class _Line:
    """The positions of words that help to judge values; each is found on first use."""

    __slots__ = ("_data", "_end", "_is_program", "_is_public", "_start")

    def __init__(self, data: bytes, start: int, end: int) -> None:
        self._data, self._start, self._end = data, start, end
        self._is_public: bool | None = None
        self._is_program: bool | None = None

    @property
    def is_public(self) -> bool:
        """True if a word there says that a random value is something public."""
        if self._is_public is None:
            self._is_public = _PUBLIC.search(self._data, self._start, self._end) is not None
        return self._is_public

    @property
    def is_program(self) -> bool:
        if self._is_program is None:
            self._is_program = _PROGRAM.search(self._data, self._start, self._end) is not None
        return self._is_program


@attrs.frozen
class _Setting:
    """What is known about the place in which values are searched."""

    promise: Promise
    side: _ValueSide
    line: _Line

    @property
    def is_public(self) -> bool:
        return self.line.is_public

    @property
    def is_prose(self) -> bool:
        """True if the place is not in a program."""
        return self.side is not _ValueSide.BELOW and not self.line.is_program


@attrs.frozen
class _Told:
    """A word for a secret, and the line that contains it, within bounds."""

    start: int
    end: int
    promise: Promise
    line_start: int
    line_end: int
    is_whole: bool
    """True if the line ends there."""


@attrs.frozen
class _SearchedPart:
    """Up to where the values after a word were judged, and how."""

    end: int
    promise: Promise
    line: _Line

    def says_all(self, promise: Promise) -> bool:
        """True if another word would find nothing more there: more is found after a word than
        before it.
        """
        return self.promise >= promise and not self.line.is_public


def nearby_secrets(data: bytes) -> Iterator[Finding]:
    position = 0
    judged = _SearchedPart(0, Promise.NONE, _Line(data, 0, 0))
    asked: dict[int, Promise] = {}
    """For the lines below a word that were examined, by their beginning: what
    the word suggested.
    """
    while (found := _TELLING.search(data, position)) is not None:
        start, end = _name_around(data, found.start(), found.end())
        position = max(position + 1, end)
        promise = _promise(data[start:end])
        if promise >= Promise.SECRET:
            told = _line_around(data, start, end, promise)
            if data.find(_SEALED, told.line_start, told.line_end) < 0:
                line = _Line(data, told.line_start, told.line_end)
                yield from _near(data, told, line, judged, asked)
                judged = _SearchedPart(told.line_end, told.promise, line)
            position = max(position, told.line_end)
    for found in _KEYED_CALL.finditer(data):
        end = data.find(b"\n", found.end(), found.end() + _AFTER)
        end = end if end >= 0 else min(len(data), found.end() + _AFTER)
        for value in _values(data, found.end(), end):
            if value.is_quoted and _strength(value.content) is not None:
                yield _finding(Span(value.start, value.end), Certainty.WEAK)


def _near(
    data: bytes, told: _Told, line: _Line, judged: _SearchedPart, asked: dict[int, Promise]
) -> Iterator[Finding]:
    setting = _Setting(told.promise, _ValueSide.BEHIND, line)
    first = told.line_start
    if first < judged.end and judged.says_all(told.promise):
        # For a long line. A word that is cut there is read as a whole.
        first = max(first, _word_start(data, first, judged.end))
    if first < told.start:
        before = _Setting(told.promise, _ValueSide.BEFORE, line)
        yield from _judged_all(data, first, told.start, before)
    # If the name is a string, its closing quote opens nothing.
    closed = _CLOSED.match(data, told.end, told.line_end)
    end = closed.end() if closed is not None and _is_open(data, told, closed.group()) else told.end
    behind = list(_judged_all(data, end, told.line_end, setting))
    yield from behind
    if (
        told.is_whole
        and not behind
        and not data[told.line_start : told.line_end].rstrip().endswith(b",")
    ):
        yield from _below(data, told.line_end + 1, told.promise, asked)


def _word_start(data: bytes, start: int, end: int) -> int:
    """Return where the word at an offset begins."""
    return max(start, *(data.rfind(space, start, end) + 1 for space in (b" ", b"\t")))


def _is_open(data: bytes, told: _Told, closing: bytes) -> bool:
    """True if a quote before the name is closed by what follows the name."""
    return data.count(closing[-1:], told.line_start, told.start) % 2 == 1


def _name_around(data: bytes, start: int, end: int) -> tuple[int, int]:
    low = max(0, start - _LONGEST_NAME)
    rest = _NAME_REST.match(data, end, end + _LONGEST_NAME)
    start = low + len(data[low:start].rstrip(_NAME_BYTES))
    return start, rest.end() if rest is not None else end


def _line_around(data: bytes, start: int, end: int, promise: Promise) -> _Told:
    low = max(0, start - _BEFORE)
    line_start = max(low, data.rfind(b"\n", low, start) + 1)
    line_end = data.find(b"\n", end, end + _AFTER)
    is_whole = line_end >= 0
    line_end = line_end if is_whole else min(len(data), end + _AFTER)
    # A line that mentions a password further on may contain one as well.
    position = end
    while promise < Promise.PASSWORD:
        found = _TELLING.search(data, position, line_end)
        if found is None:
            break
        name_start, position = _name_around(data, found.start(), found.end())
        promise = max(promise, _promise(data[name_start:position]))
    return _Told(start, end, promise, line_start, line_end, is_whole)


@lru_cache(maxsize=4_096)
def _promise(name: bytes) -> Promise:
    return promise_of(name.strip(b".-").replace(b" ", b"_"))


def _judged_all(data: bytes, start: int, end: int, setting: _Setting) -> Iterator[Finding]:
    if _ANY_SIGN.search(data, start, end) is None:
        return
    for value in _values(data, start, end):
        certainty = _judged(data, value, setting, end)
        if certainty is not None and not _is_explained(data, value):
            yield _finding(Span(value.start, value.end), certainty)


def _is_explained(data: bytes, value: _Value) -> bool:
    """True if the surroundings say what else the value is. Checked last: few values get here."""
    if value.is_quoted and _KEY_END.match(data, value.end) is not None:
        return True
    if names_itself_otherwise(value.content) or is_named_otherwise(data, value.start):
        return True
    return _is_color(data, value)


def _is_color(data: bytes, value: _Value) -> bool:
    """`#3f51b5`"""
    start = value.start - (data[value.start - 1 : value.start] == b"#")
    return _COLOR.fullmatch(data, start, value.end) is not None


def _below(
    data: bytes, position: int, promise: Promise, asked: dict[int, Promise]
) -> Iterator[Finding]:
    """Find a value that is alone on one of the next lines, unless a word above was tried for as
    much.
    """
    for _ in range(_LINES_BELOW):
        before = asked.get(position, Promise.NONE)
        asked[position] = max(before, promise)
        end = data.find(b"\n", position, position + _LONGEST_BELOW)
        end = end if end >= 0 else min(len(data), position + _LONGEST_BELOW)
        words = data[position:end].split() if before < promise else []
        if words and len(words) <= _MOST_WORDS_BELOW:
            # Beside other words it is the value of another name, unless it can only be a secret.
            least = Promise.PASSWORD if len(words) == 1 else Promise.SECRET
            setting = _Setting(min(promise, least), _ValueSide.BELOW, _Line(data, position, end))
            yield from _judged_all(data, position, end, setting)
        position = end + 1


def _values(data: bytes, start: int, end: int) -> Iterator[_Value]:
    while start < end and (found := _CANDIDATE.search(data, start, end)) is not None:
        group = found.lastindex or 4
        first, content = found.start(group), found.group(group)
        if group == 4:
            start = found.end()
            if _WORD_SIGN.search(content) is not None:
                yield from _words(first, content)
        elif b" " in content or b"\t" in content:
            # A sentence, or the end of one string and the start of the next.
            start = found.start() + 1
        else:
            start = found.end()
            yield _Value(first, content, is_quoted=True)


def _words(start: int, content: bytes) -> Iterator[_Value]:
    for starts, ends in ((b"([{<=:|,;>", b")]}>.,;"), (_STARTS, _ENDS)):
        whole = content.lstrip(starts)
        trimmed = whole.rstrip(ends)
        if (
            len(trimmed) >= _SHORTEST_GENERATED
            and _CALL.search(trimmed) is None
            and _MEMBER.fullmatch(trimmed) is None
            and not names_itself_otherwise(trimmed)
            and is_generated(trimmed)
        ):
            yield _Value(start + len(content) - len(whole), trimmed, is_quoted=False)
            return
    for found in _PIECE.finditer(content):
        if content[found.end() : found.end() + 1] == b"(":
            # The name of a function.
            continue
        piece = found.group().lstrip(_STARTS)
        offset = start + found.end() - len(piece)
        yield _Value(offset, piece.rstrip(_ENDS), is_quoted=False)


def _judged(data: bytes, value: _Value, setting: _Setting, end: int) -> Certainty | None:
    content = value.content
    is_plain = _DIGIT.search(content) is None and _SIGN_INSIDE.search(content) is None
    if is_plain and (not value.is_quoted or b"." in content):
        return None
    if content[:1] == b"0" and _NUMBER.fullmatch(content) is not None:
        return None
    strength = _strength(content)
    if strength is not None and not setting.is_public:
        is_certain = strength is Certainty.CERTAIN and setting.side is _ValueSide.BEHIND
        return Certainty.CERTAIN if is_certain else Certainty.WEAK
    if setting.promise is not Promise.PASSWORD and not (
        setting.side is _ValueSide.BEHIND
        and _SIGN_INSIDE.search(content) is not None
        and setting.is_prose
    ):
        return None
    return Certainty.WEAK if _is_password(data, value, setting, end) else None


def _finding(span: Span, certainty: Certainty) -> Finding:
    kind = "weak" if certainty is Certainty.WEAK else "token"
    return Finding(span, "nearby-secret", kind, certainty, True)


@lru_cache(maxsize=8_192)
def _strength(content: bytes) -> Certainty | None:
    """Return how certain it is that a value near a word for a secret is a credential; None if there
    is no evidence.
    """
    if len(content) < _SHORTEST_GENERATED or _is_path(content):
        return None
    if _TAG.search(content) is not None or _PINNED.fullmatch(content) is not None:
        return None
    if is_placeholder(content) or is_ordinary(content) or is_sequence(content):
        return None
    if _CHAIN.fullmatch(content.rstrip(b"([{")) is not None or is_constraint(content):
        return None
    if is_generated(content):
        return Certainty.CERTAIN
    if _HEXADECIMAL.fullmatch(content) is not None:
        return Certainty.WEAK
    if len(content) < _SHORTEST_TOKEN or is_uuid(content) or has_template(content):
        return None
    if _IDENTIFIER.fullmatch(content) is not None or is_pattern(content):
        return None
    if speaks_of_another(content):
        return None
    bare = content.translate(None, b"_-+/=.~")
    digits = len(_DIGIT.findall(bare))
    if not bare.isalnum() or not digits or digits == len(bare):
        return None
    if digits < _FEWEST_DIGITS and _BOTH_CASES.search(bare) is None:
        return None
    if not is_random(bare, _SHORTEST_TOKEN) or entropy(bare) < 3_000:
        return None
    if len(bare) < _LONG_TOKEN or cost(bare) < 5_000 or digits <= _FEWEST_DIGITS:
        return Certainty.WEAK
    # In databases and clusters, many names consist of small letters and digits.
    return Certainty.CERTAIN if _BOTH_CASES.search(bare) is not None else Certainty.WEAK


def _is_password(data: bytes, value: _Value, setting: _Setting, end: int) -> bool:
    """True if a word is almost certainly a password."""
    content = value.content
    if not _may_be_password(content, value.is_quoted):
        return False
    if not value.is_quoted and _TYPE_NAME.fullmatch(content) is not None and not setting.is_prose:
        return False
    digits = len(_DIGIT.findall(content))
    if digits >= _FEWEST_DIGITS or _SIGN_INSIDE.search(content) is not None:
        return True
    if not digits or setting.side is _ValueSide.BEFORE:
        return False
    if value.is_quoted and setting.side is _ValueSide.BEHIND:
        return True
    # The last one of its line.
    return not data[value.end : end].strip(_LINE_ENDS)


def _is_path(content: bytes) -> bool:
    if b"/" not in content and b"." not in content and content[:1] != b"~":
        return False
    return _PATH.search(content) is not None


@lru_cache(maxsize=4_096)
def _may_be_password(content: bytes, is_quoted: bool) -> bool:
    """True if neither a program nor a sentence contains such a word."""
    if _is_path(content) or _METHOD.fullmatch(content) is not None:
        return False
    if _MEASURE.fullmatch(content) is not None or not is_made_up_word(content):
        return False
    return is_weak_content(content, b"password", Form.QUOTED if is_quoted else Form.WORD)
