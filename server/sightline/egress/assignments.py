"""Assignments: a name that suggests a secret, a separator of any language, a value that looks like
one.

For speed there are two patterns: one without groups finds candidates, a small one splits them. Then
the value is cut out, within bounds, and judged by what its name suggests.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import attrs

from sightline.egress.judging import (
    LONGEST_BARE,
    SecretVerdict,
    bare_secret,
    is_mixed,
    quoted_secret,
)
from sightline.egress.model import Certainty, Finding
from sightline.egress.randomness import is_random, is_uuid
from sightline.egress.secret_patterns import (
    SecretPattern,
    compiled,
    compiled_for_texts,
    compiled_for_values,
)
from sightline.egress.telling_names import Promise, begins_with_service, promise_of
from sightline.egress.value_forms import (
    is_numbered,
    is_password,
    is_placeholder,
    is_sequence,
    is_thicket,
)
from sightline.egress.vendors import SERVICES
from sightline.text import Span

# No upper bound: counting would multiply the states of the automaton, and a run of such bytes is
# skipped at once, however long it is.
REST = rb"[A-Za-z0-9_.\-]*"
_PHRASE = (
    rb"(?:[ \t](?:secret|private|access|api|auth|token|key|client|rest|code|id|passw|pwd)"
    rb"[A-Za-z0-9_.\-]*){0,3}"
)
KEYWORD = (
    rb"(?:pa?ss?w?o?r?s?d|pass(?:wort|phrase|code)?|pwd?|secret|token|key|auth|cred|bearer|private"
    rb"|access|psk|fernet|pepper|pre-?shared|(?:erlang|release|session)_cookie|sess(?:ion)?_?id|senha|contrase|mot_?de_?passe|kennwort|wachtwoord|dsn|_pat|(?-i:[a-z]Pat)|sonar\.?login"
    rb"|identified[ \t]{1,4}(?:with[ \t]{1,4}[a-z0-9_]{1,40}[ \t]{1,4})?by)"
)
_SERVICE = rb"(?:\b|_)(?:" + b"|".join(SERVICES) + rb")" + REST + _PHRASE
_ANY_NAME = rb"(?:identified[ \ta-z0-9_]{1,60}by|[A-Za-z0-9_.\-]+" + _PHRASE + rb")"
_QUOTE = rb"(?:\\{0,4}[\"'`])"
_CLOSING = _QUOTE + rb"?[ \t]{0,2}[\])]{0,2}"
_TYPE = rb"[&*?]{0,2}[A-Za-z_][A-Za-z0-9_<>\[\]|.?&']*"
_SEPARATOR = (
    # A type between name and value: `password: string = `, `token string = `, `secret[16] = `.
    rb"(?:[ \t]{0,4}:[ \t]{0,4}(?:&'[a-z]{1,10}[ \t])?" + _TYPE + rb"[ \t]{0,4}=[ \t]{0,4}"
    rb"|[ \t]{1,4}" + _TYPE + rb"[ \t]{0,4}=[ \t]{0,4}"
    rb"|\[[0-9]{0,4}\][ \t]{0,4}=[ \t]{0,4}"
    rb"|[ \t]{1,2}for[ \t]{1,2}[A-Za-z0-9_.@]{1,30}(?:[:=]|[ \t]is[ \t])\s{0,2}"
    # A value to fall back to: `get("TOKEN") or "…"`, `env.TOKEN ?? "…"`, `${TOKEN:-…}`.
    rb"|\)?[ \t]{0,4}(?:\bor\b|\|\||\?\?|\?:|:-)[ \t\r\n]{0,12}"
    # In any language: = == != := ::= ?= += => -> <- : and their forms in a URL.
    rb"|[ \t]{0,12}(?:[:!?.+|~<]{0,3}={1,3}[>~]?|[:=\-]>|<-|::?|%3[ADad])\s{0,12}"
    # Prose, or a list of names with their values.
    rb"|[ \t](?:to|is|as|with)[ \t]|[\"']?,?\s{1,12}[\"']?value[\"']?:[ \t]{0,4}"
    # A block of YAML, a tag before the value, a table.
    rb"|[ \t]{0,4}:[ \t]{1,4}(?:[|>][+\-]?[ \t]{0,2}\r?\n[ \t]{1,20}|!{1,2}[A-Za-z:/]+[ \t]{1,2})"
    rb"|[ \t]*\|[ \t]{0,8}"
    # The next argument, a default, an attribute, an element, a call.
    rb"|[ \t]{0,4},\s{0,12}(?:default[ \t]{0,2}[=:][ \t]{0,2})?"
    rb"|\s{1,4}value[ \t]{0,2}=[ \t]{0,2}"
    rb"|>\s{0,20}|</key>\s{0,20}<string>"
    rb"|[ \t]{0,2}\([ \t]{0,2}"
    # Only space: `password "…"`, `--token …`, `acme secret …`; or a dash.
    rb"|[ \t]{1,4}|-|[ \t]{1,2}-[ \t]{1,2}|[ \t]{0,2}[\r\n]{1,2}[ \t]{0,8})"
)
# Another expression begins before the value, which is in quotes: `= String("…")`, `: ["…"]`,
# `fetch("TOKEN") { "…" }`, `token | default("…")`, `"token=" + "…"`, `"token: %s", "…"`, `variable
# "token" { default = "…" }`.
_INSIDE = (
    rb"(?:[ \t]{0,4}[:=][ \t]{0,4}(?:new[ \t])?[A-Za-z_.:]*[\[({]{1,2}\s{0,20}"
    rb"|[ \t]{1,2}\{[ \t]{1,2}"
    rb"|[ \t]*\|[ \t]{0,2}default[ \t]?\([ \t]{0,2}"
    rb"|[:=][ \t]{0,2}(?:%[sv](?:\\n)?)?[\"'][ \t]{0,2}[+,.][ \t]{0,2}"
    rb"|[ \t]{0,2}\{\s{0,20}(?:type\s{0,8}=\s{0,4}[a-z]{1,10}\s{1,20})?default\s{0,8}=[ \t]{0,4})"
)
_OPENING = rb"[@$bruflnBRUFLN]{0,2}" + _QUOTE + rb"{1,3}[ \t]?"
# The first bytes of a value; every secret has at least so many.
_QUOTED_HEAD = rb"[^\s\"'`]{6}"
_OTHER_QUOTES_HEAD = rb"(?:\"[^\s\"]{6}|'[^\s']{6})"
_BARE_HEAD = rb"[A-Za-z0-9+/_.$\\{(\[!@#%^&*~\-][^\s\"'`<>,;|=]{7}"
_QUOTED_SIZE = 6
_BARE_SIZE = 8
_BEHIND = (
    _CLOSING
    + rb"(?:"
    + _INSIDE
    + _OPENING
    + _QUOTED_HEAD
    + rb"|"
    + _SEPARATOR
    + rb"(?:"
    + _OPENING
    + _QUOTED_HEAD
    + rb"|"
    + _OTHER_QUOTES_HEAD
    + rb"|"
    + _BARE_HEAD
    + rb"))"
)
# Separate patterns: together they would have far more states than the two have.
_CANDIDATES = (
    compiled_for_texts(rb"(?i)" + KEYWORD + REST + _BEHIND),
    # Not preselected by atoms: there are too many services to search a text for each.
    compiled(rb"(?i)" + _SERVICE + _BEHIND),
)
_PARTS = compiled(
    rb"(?i)(" + _ANY_NAME + rb")(" + _CLOSING + rb")(?:(" + _SEPARATOR + rb")(" + _OPENING + rb")?"
    rb"|(" + _INSIDE + rb")(" + _OPENING + rb"))"
)
_PLAIN_PARTS = compiled_for_values(
    rb"([A-Za-z0-9_.\-]+)(?:[ \t]{1,4}|[\"']?[ \t]{0,12}(?:=>?|:=?)[ \t]{0,12}([\"'`]?))"
)
_REVERSED = compiled_for_texts(
    rb"(?i)[\"']([^\"'\s]{8,120})[\"'][ \t]{0,4}[!=]={1,2}[ \t]{0,4}[A-Za-z_.$\->]{0,40}"
    rb"(?:password|passwd|secret|token|key)\b"
)
_GLUED = compiled_for_texts(
    rb"(?i)(?:secret|token|private|access|key)[_\-]"
    rb"([0-9a-f]{8,11}-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{12}|[0-9A-Za-z]{20,80})\b"
)
_UNBROKEN = compiled(rb"[^\s\"'`<>,;|]+")
# What may stand before a name in a settings file, and after its value.
_LEAD = compiled_for_values(rb"[ \t#/;\-]*(?:(?i:export|set|setx|env|arg|define)[ \t]+)?")
_LAST_WORD = compiled_for_values(rb"[a-z]{3,24}(?:[.,!?)\"']|$)")
_LINKING = compiled_for_values(rb"[ \t](?:is|to|as|with)[ \t]\Z")
_DIGIT = compiled_for_values(rb"[0-9]")
_SENTENCE = compiled_for_values(rb"[ \t][A-Za-z\x80-\xff%{]")
_LINE_END = compiled(rb";?[ \t]{0,8}(?:[\r\n]|$|#)")
_WORD = compiled(rb"[^\s\"'`<>,;|(){}]{6,200}")
_WORD_AND_BAR = compiled(rb"[^\s\"'`<>,;|(){}]{6,200}[ \t]{0,40}\|")
_WORD_AND_TAG = compiled(rb"[^\s\"'`<>,;|(){}]{6,200}\s{0,20}</")
# The name of a table before a name in it: between brackets, or on the line above.
_OWNER = compiled(
    rb"([A-Za-z][A-Za-z0-9_\-]{2,40})(?:[\"']?\]\[[\"']?"
    rb"|[\"']?[ \t]{0,2}(?:[:=]|=>)?[ \t]{0,2}[{(\[]?[ \t]{0,2}\r?\n[ \t]{1,40}[\"']?)$"
)
_JOINTS = frozenset(b"%c" % byte for byte in b" \t+.&\\\r\n")
_CONTINUED = compiled(
    rb"([\"'])(?:[ \t]{0,4}[+.&\\][ \t]{0,4}(?:\r?\n[ \t]{0,60})?"
    rb"|[ \t]{0,4}\\?\r?\n[ \t]{1,60}(?:[+.&][ \t]{0,4})?|[ \t]{1,2})"
    rb"[\"']([A-Za-z0-9+/=_.!@#%^&*~\-]{2,200})([\"'])"
)
_LOOSE = (b"", b",", b"(", b"-", b"|")
"""Separators with many other uses: the value after one must be beyond doubt."""
_MODIFIERS = (b"private", b"Private", b"access", b"protected", b"auth")
"""Words that may stand before the type of a member, or before anything."""
_NAME_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
_BACKSLASH = ord("\\")
_HYPHEN = ord("-")
_MOST_PIECES = 40
_SHORTEST_QUOTED = 8
_LONGEST_VALUE = 4_096
_LONGEST_NAME = 48
_LONGEST_LOOSE = 40
_MOST_DIGITS = 6
_LONGEST_PREFIX = 200
_LONGEST_LEAD = 60
_LONGEST_OWNER = 100


@attrs.frozen
class Parts:
    """The text before a value, split into its parts."""

    name_end: int
    quote: bytes
    """Empty if the value has no quotes."""
    is_loose: bool
    is_inside: bool
    """True if another expression begins between the name and the value."""


def assignments(data: bytes) -> Iterator[Finding]:
    for candidates in _CANDIDATES:
        yield from _assigned(data, candidates)
    for found in _GLUED.finditer(data):
        value = found.group(1)
        if is_uuid(value) or (is_random(value, 20) and is_mixed(value) and not is_sequence(value)):
            yield _certain(found.start(1), found.end(1), "joined-secret", "token")
    if b'" =' in data or b'" !' in data or b"' =" in data or b"' !" in data:
        for found in _REVERSED.finditer(data):
            value = found.group(1)
            if is_thicket(value) or (is_password(value) and not is_placeholder(value)):
                yield _certain(found.start(1), found.end(1), "compared-secret", "password")


def _assigned(data: bytes, candidates: SecretPattern) -> Iterator[Finding]:
    position = 0
    while (found := candidates.search(data, position)) is not None:
        start, end = found.start(), found.end()
        # A quote, or a space after it: the first bytes of a value without quotes contain neither.
        is_quoted = data[end - _QUOTED_SIZE - 1] in b"\"'` \t"
        # A value may contain further assignments: continue where it begins, not where it ends.
        position = end - (_QUOTED_SIZE if is_quoted else _BARE_SIZE)
        start = max(start, position - _LONGEST_PREFIX)
        parts = _parts(data[start:position])
        if parts is None or _is_too_short(data, position, parts.quote):
            continue
        finding = judged(data, start, position, parts)
        if finding is not None:
            yield finding
            position = max(position, finding.span.end)


def _is_too_short(data: bytes, start: int, quote: bytes) -> bool:
    """True if a string is too short to be a secret and no other string continues it."""
    if len(quote) != 1:
        return False
    end = data.find(quote, start, start + _SHORTEST_QUOTED)
    return end > start and data[end - 1] != _BACKSLASH and data[end + 1 : end + 2] not in _JOINTS


@lru_cache(maxsize=4_096)
def _parts(prefix: bytes) -> Parts | None:
    plain = _PLAIN_PARTS.fullmatch(prefix)
    if plain is not None:
        # The common case; the other way takes ten times as long.
        quote = plain.group(2)
        return Parts(plain.end(1), quote or b"", is_loose=quote is None, is_inside=False)
    found = _PARTS.fullmatch(prefix)
    if found is None:
        return None
    is_inside = found.start(5) >= 0
    separator = found.group(5 if is_inside else 3).strip()
    opening = found.group(6 if is_inside else 4)
    if separator == b"," and not opening and b"\n" in found.group(3):
        # A list of names, one below another.
        return None
    is_loose = separator in _LOOSE or is_inside
    if opening and separator == b"," and found.group(2) and b"\n" not in found.group(3):
        # The name stands in quotes as well: `setenv("TOKEN", "…")`.
        is_loose = False
    if found.group(1)[:10].lower() == b"identified":
        is_loose = False
    quote = opening.lstrip(b"@$bruflnBRUFLN").rstrip() if opening else b""
    return Parts(found.end(1), quote, is_loose, is_inside)


def judged(data: bytes, start: int, value_start: int, parts: Parts) -> Finding | None:
    name_start = start_of_name(data, start)
    name = data[name_start : start + parts.name_end]
    before = data[name_start - 1] if name_start else 0
    # `KEY-----` ends the first line of a block that is recognised by its markers.
    if name.endswith(b"--") or (parts.is_loose and _is_by_chance(name, before)):
        return None
    if parts.is_loose and not parts.quote and name in _MODIFIERS:
        return None
    if data[value_start : value_start + len(name)].lower() == name.lower():
        # The name itself, passed on by a program.
        return None
    promise = promise_of(name)
    if promise is Promise.NONE or (parts.is_inside and promise is Promise.SERVICE):
        return None
    finding = _in_place(data, name_start, value_start, parts, promise)
    if finding is None and promise <= Promise.WEAK and before in b"\"'[ \t":
        owned = _promise_with_owner(data, name_start, name)
        if owned > promise:
            finding = _in_place(data, name_start, value_start, parts, owned)
    return finding


def _is_by_chance(name: bytes, before: int) -> bool:
    """True if the name is part of a number or of base64, in which every short name occurs by
    chance.
    """
    if before in b"+/" or len(name) > _LONGEST_LOOSE:
        return True
    return len(name) - len(name.translate(None, b"0123456789")) > _MOST_DIGITS


def _in_place(
    data: bytes, name_start: int, start: int, parts: Parts, promise: Promise
) -> Finding | None:
    if parts.quote:
        end = _closing(data, start, parts.quote)
        if end >= 0 and parts.is_loose and data[end + 1 : end + 4].lstrip()[:1] == b":":
            # The next name of a table.
            return None
        if end >= 0:
            verdict = _quoted(data, name_start, start, end, parts, promise)
            return _finding(promise, start, verdict, is_bounded=True) if verdict else None
    verdict = _bare(data, name_start, start, parts, promise)
    return _finding(promise, start, verdict, is_bounded=False) if verdict else None


def _quoted(
    data: bytes, name_start: int, start: int, end: int, parts: Parts, promise: Promise
) -> SecretVerdict | None:
    content = data[start:end]
    verdict = quoted_secret(content, promise, parts.is_loose)
    if data[end + 1 : end + 2] in _JOINTS:
        joined = _joined(data, start, end, parts.quote)
        if verdict is None and joined.end > end:
            verdict = quoted_secret(joined.content, promise, parts.is_loose)
        if verdict is not None and joined.end > end:
            verdict = SecretVerdict(verdict.start, joined.end - start, verdict.certainty)
    is_long = len(content) >= (8 if promise is Promise.PASSWORD else 12)
    if verdict is None and is_long and parts.is_loose and not parts.is_inside:
        behind = end + len(parts.quote)
        if _has_digit(content) and _is_directive(data, name_start, behind):
            verdict = quoted_secret(content, promise, False)
    return verdict


def _bare(
    data: bytes, name_start: int, start: int, parts: Parts, promise: Promise
) -> SecretVerdict | None:
    # The value of a command option follows a space: `--token …`.
    is_option = data[name_start] == _HYPHEN
    is_loose = parts.is_loose and not is_option
    is_query = data[name_start - 1 : name_start] in (b"?", b"&")
    content = data[start : start + LONGEST_BARE].split(None, 1)[0]
    if content.isalpha() and _SENTENCE.match(data, start + len(content)) is not None:
        # A word of a text for people, in a language without rules here.
        return None
    if _LAST_WORD.match(content) is not None and _LINKING.search(data, max(0, start - 6), start):
        # `wachtwoord is bijgewerkt.`
        return None
    verdict = bare_secret(content, promise, is_loose, is_query, is_option or is_query)
    if verdict is None:
        is_numeric = promise is Promise.PASSWORD and is_numbered(content[:_LONGEST_LEAD])
        may_be_set = is_loose or is_numeric
        if is_option or not may_be_set or not _has_digit(content):
            return None
        if not _is_setting(data, name_start, start):
            return None
        verdict = bare_secret(content, promise, False, is_query, True)
    if verdict is not None and verdict.end >= LONGEST_BARE - 2:
        # The value is longer than what was judged, and all of it must be covered.
        rest = _UNBROKEN.match(data, start + verdict.end)
        return attrs.evolve(verdict, end=rest.end() - start if rest else verdict.end)
    return verdict


def _has_digit(content: bytes) -> bool:
    """True if there is a digit near its beginning: values without one are not examined further."""
    return _DIGIT.search(content, 0, _LONGEST_LEAD) is not None


def _promise_with_owner(data: bytes, name_start: int, name: bytes) -> Promise:
    """Return what a plain `key` suggests in a table of a service: `config["acme"]["key"]`, or below
    it.
    """
    before = data[max(0, name_start - _LONGEST_OWNER) : name_start]
    owner = _OWNER.search(before)
    if owner is None or not begins_with_service(owner.group(1).lower()):
        return Promise.NONE
    return promise_of(owner.group(1) + b"_" + name)


def _is_setting(data: bytes, name_start: int, value_start: int) -> bool:
    """True if a word without quotes is a value and not a name, because the text is not a program.

    It is a line with a single name and a single word, the text of an element, or a shell default.
    """
    if data[max(0, name_start - 2) : name_start] == b"${":
        return True
    lead = data[max(0, value_start - 40) : value_start].rstrip()
    if lead.endswith(b"|"):
        return _WORD_AND_BAR.match(data, value_start) is not None
    if lead.endswith(b">"):
        return _WORD_AND_TAG.match(data, value_start) is not None
    word = _WORD.match(data, value_start)
    return word is not None and _is_directive(data, name_start, word.end())


def _is_directive(data: bytes, name_start: int, value_end: int) -> bool:
    """True if a line contains only a name and its value."""
    lead = data[max(0, name_start - _LONGEST_LEAD) : name_start].rpartition(b"\n")[2]
    return _LEAD.fullmatch(lead) is not None and _LINE_END.match(data, value_end) is not None


def start_of_name(data: bytes, start: int) -> int:
    """Return where the identifier that contains the keyword begins."""
    low = max(0, start - _LONGEST_NAME)
    return low + len(data[low:start].rstrip(_NAME_BYTES))


def _closing(data: bytes, start: int, quote: bytes) -> int:
    """Return where the quoted value ends; -1 if it does not end, or not on its line if it must."""
    limit = min(len(data), start + _LONGEST_VALUE)
    is_block = len(quote) == 3 and len(set(quote)) == 1
    if not is_block:
        line_end = data.find(b"\n", start, limit)
        limit = line_end if line_end >= 0 else limit
        # For nested quotes, the inner one; an escaped quote with its backslashes.
        quote = quote[len(quote[:-1].rstrip(b"\\")) :]
    end = data.find(quote, start, limit)
    if len(quote) == 1:
        # An escaped quote is part of the value.
        while end > start and data[end - 1] == _BACKSLASH and data[end - 2] != _BACKSLASH:
            end = data.find(quote, end + 1, limit)
    return end


@attrs.frozen
class _Joined:
    """A value that is written as several strings, and where the last one ends."""

    content: bytes
    end: int


def _joined(data: bytes, start: int, end: int, quote: bytes) -> _Joined:
    """Return the value with the strings that continue it: `"…" + "…"`, or one below another."""
    pieces = [data[start:end]]
    while len(pieces) < _MOST_PIECES:
        found = _CONTINUED.match(data, end)
        if found is None or found.group(1) != quote or found.group(3) != quote:
            break
        pieces.append(found.group(2))
        end = found.end(2)
    return _Joined(b"".join(pieces), end)


_DETECTORS = {
    Promise.BARE_KEY: ("assigned-key", "token"),
    Promise.WEAK: ("assigned-key", "token"),
    Promise.SERVICE: ("assigned-to-service", "vendor"),
    Promise.SECRET: ("assigned-secret", "token"),
    Promise.VENDOR: ("assigned-service-key", "vendor"),
    Promise.PASSWORD: ("assigned-password", "password"),
}


def _finding(promise: Promise, start: int, verdict: SecretVerdict, *, is_bounded: bool) -> Finding:
    detector, kind = _DETECTORS[promise]
    span = Span(start + verdict.start, start + verdict.end)
    if verdict.certainty is Certainty.WEAK:
        return Finding(span, "weak-password", "weak", Certainty.WEAK, True)
    return Finding(span, detector, kind, verdict.certainty, is_bounded)


def _certain(start: int, end: int, detector: str, kind: str) -> Finding:
    return Finding(Span(start, end), detector, kind, Certainty.CERTAIN, True)
