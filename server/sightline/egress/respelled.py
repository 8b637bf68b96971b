"""Rewrite names in other letters, and strings in other quotes, in the usual spelling.

`p4ssw0rd`, `p-a-s-s-w-o-r-d` and `drowssap` are names too. `q{…}`, `[[…]]`, `R"(…)"`, `$$…$$`, a
here-document and a block of lines are strings. `password …`, `\\password{…}` and a form field
assign. Each is rewritten as `name = "value"`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sightline.egress.generated import is_generated
from sightline.egress.secret_patterns import Match, SecretPattern, SecretPatternSet, compiled
from sightline.egress.spoken import is_made_up_word
from sightline.egress.telling_names import Promise, promise_of
from sightline.egress.telling_words import FOREIGN_PASSWORDS
from sightline.egress.text_reading import Change, Reading, changed

_BEHIND_NAME = rb"[\"'`*]{0,2}[ \t]{0,4}(?::=|=>|[:=])[^=]"
_LEET = (
    rb"(?i)(?:^|[^A-Za-z0-9])((?:[a-z0-9]+[_\-])*(?:p[a4@][s5$]{2}(?:w[o0]rd|wd|phr[a4@]s[e3])?"
    rb"|[s5$][e3]cr[e3][t7]|[t7][o0]k[e3]n|[a4@]p[i1!][_\-]?k[e3]y|drowssap|nekot|terces|yek_?ipa)"
    rb"(?:[_\-][a-z0-9]+)*)" + _BEHIND_NAME
)
_LEET_LETTERS = bytes.maketrans(b"013457@$!", b"oieastasi")
_BACKWARDS = {
    b"drowssap": b"password", b"nekot": b"token", b"terces": b"secret", b"yekipa": b"apikey",
    b"yek_ipa": b"api_key",
}  # fmt: skip
_GAPS = (rb"_", rb"\.", rb"-", rb"\*", rb"\|", rb"/", rb"\xc2\xb7", rb"\t", rb" {1,4}")
_SPREAD = (
    rb"(?:^|[^A-Za-z0-9])("
    + b"|".join(rb"[A-Za-z](?:" + gap + rb"[A-Za-z]){3,}" for gap in _GAPS)
    + rb")"
    + _BEHIND_NAME
)
_GAP = re.compile(rb"[ _.\-*|/\t]|\xc2\xb7")
# Up to the content of a string: a letter with brackets, long brackets, raw strings, dollars.
_LETTERED = (
    rb"(?:[:=(,]|=>|->|<-)[ \t]{0,4}('''|\"\"\"|''|(?:q[qw]?|%[qQ]?|~[sS])[ \t]?[{(\[<|!/]|\[=*\["
    rb"|(?:u8|L)?R\"[A-Za-z_]*\(|\$[A-Za-z_]*\$)[^\s]"
)
_CLOSERS = {b"{": b"}", b"(": b")", b"[": b"]", b"<": b">"}
# A string that begins on the line after its mark.
_BELOW = (
    rb"(?:[:=(,]|=>|->|<-)([ \t]{0,4}(?:\$\([ \t]?cat[ \t]{1,2})?"
    rb"(?:<<[<~\-]?[ \t]?[\"']?[A-Za-z_]{2,}[\"']?|@[\"']|\"\"\"|'''|''|`)"
    rb"[ \t]*\\?\r?\n[ \t]{0,40})[^\s\"'`]"
)
_HERE_STRING = (
    rb"\bread[ \t]+(?:-[a-z]+[ \t]+)*([A-Za-z_][A-Za-z0-9_]*)([ \t]*<<(?:<[ \t]*"
    rb"|-?[ \t]?[\"']?[A-Za-z_]+[\"']?[ \t]*\r?\n[ \t]*))[^\s]"
)
# A name and a word with only space between them: settings of many programs, and commands.
_BESIDE = (
    rb"(?im)(?:^|[\s!?/:.])([A-Za-z0-9_.\-]*(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|_key"
    rb"|apikey))[\"']?([ \t]+)(?:[0-9][ \t]+)?([^\s\"'`(){}<>=,;]{6,})[ \t]*(?:\r?$|[#;|&][ \t])"
)
_EXPORTED = (
    rb"(?im)^[ \t]*(?:ENV|ARG|setx|setenv|set(?:[ \t]+-[a-z\-]+)+|#[ \t]*define)[ \t]+"
    rb"([A-Za-z0-9_\x80-\xff]+)([ \t]+)(0[xX]|[\"']?[^\s=\"'])"
)
_MACRO = rb"\\([A-Za-z@]+)(\}?\{)([^{}\r\n\\]+)(\})"
_FIELD = rb"(?i)<input\b[^<>]*\btype[ \t]?=[ \t]?[\"']?password\b[^<>]*>"
_FIELD_VALUE = re.compile(rb"(?i)\bvalue[ \t]?=[ \t]?[\"']?[^\s\"']")
# Words between a name and its value: `the password you asked for: …`.
_HEADED = (
    rb"(?im)(?:^|[\s(*_\"'`])([A-Za-z0-9_\-]*(?:pass(?:word|wd|phrase|code|wort)?|secret|token"
    rb"|api[ _\-]?key|" + b"|".join(FOREIGN_PASSWORDS) + rb"))"
    rb"[\"'`*]{0,2}([ \t][A-Za-z0-9'.,()@ \t\-]{2,80}(?:[:=]|\bis\b)[ \t]{1,4}[\"'`*]{0,2})"
    rb"([^\s\"'`*<>]{6,})[\"'`*.]{0,3}[ \t]{0,4}\r?$"
)
_TOLD = (
    rb"(?im)\b([A-Za-z0-9_\-]*(?:secret|token|api[ _\-]?key))[\"'`*]{0,2}"
    rb"([ \t]{1,2}(?:is|was|ist|->|:)[ \t]{1,2}[\"'`*]{0,2})([^\s\"'`*<>]{8,})"
    rb"[\"'`*.,]{0,3}[ \t]{0,4}\r?$"
)
_VERBATIM = (
    rb"(?i)\b([A-Za-z0-9_\-]*(?:secret|token|key|passw(?:or)?d))([ \t]?[:=]?[ \t]{0,4}"
    rb"(?:\\verb\*?[|+!/]|\\[a-z]{2,12}\{|``|<(?:code|kbd|tt|samp|b|strong)>))([^\s|+!{}`<>]{6,})"
    rb"[|+!/}`<]"
)
# Shell strings in different quotes, one after the other: `"…"'…'"…"`.
_ADJACENT = (
    rb"[A-Za-z0-9_]=((?:\"[^\"\s$`\\]+\"(?:'[^'\s]+')+|'[^'\s]+'(?:\"[^\"\s$`\\]+\")+)"
    rb"(?:\"[^\"\s$`\\]+\"|'[^'\s]+')*)(?:[\s;&|)]|$)"
)
# A block of YAML of one line.
_BLOCK = (
    rb"(?m)^[ \t]*(?:-[ \t]+)?[\"']?([A-Za-z0-9_.\-\x80-\xff]+)[\"']?[ \t]*:"
    rb"([ \t]*[|>][+\-0-9]{0,2}[ \t]*\r?\n[ \t]+)([^\s\"'][^\r\n\"]*)"
)
_SHELL_STRINGS = re.compile(rb"\"([^\"]*)\"|'([^']*)'")
_DIGIT = re.compile(rb"[0-9]")
# Paths, references, numbers and quantities.
_OTHER = re.compile(
    rb"[./\\:~$%@<\[{*-]|https?:|[A-Za-z]+[:/.]|0[xX]|[0-9.,]+[A-Za-z%]{0,4}[.,;:)]?\Z"
    rb"|[A-Za-z]{1,3}[0-9.]+\Z"
)
_MOST_PLACES = 2_000
"""The most places that one rule rewrites, plus one for each `_PLACE_SHARE` bytes."""
_PLACE_SHARE = 128
_LONGEST = 300
_LONGEST_NAME = 80
_LEAST_DIGITS = 2


def respelled(data: bytes, before: Reading | None) -> Reading | None:
    """Return the text in the usual spelling; None if nothing in it is spelled otherwise."""
    apart: list[Change] = []
    for change in sorted(_changes(data)):
        if not apart or change[0] >= apart[-1][1]:
            apart.append(change)
    return changed(data, apart, before) if apart else None


def _changes(data: bytes) -> Iterator[Change]:
    for index in _SIGNS.found_in(data):
        respell, pattern = _RULES[index][1], _PATTERNS[index]
        position = 0
        left = _MOST_PLACES + len(data) // _PLACE_SHARE
        while left and (found := pattern.search(data, position)) is not None:
            left -= 1
            position = max(found.end() - 1, found.start() + 1)
            yield from respell(data, found)


def _leet(_data: bytes, found: Match) -> Iterator[Change]:
    written = found.group(1)
    plain = written.lower()
    for backwards, forwards in _BACKWARDS.items():
        plain = plain.replace(backwards, forwards)
    plain = plain.translate(_LEET_LETTERS)
    if plain != written.lower() and _is_telling(plain):
        yield found.start(1), found.end(1), plain


def _spread(_data: bytes, found: Match) -> Iterator[Change]:
    name = _GAP.sub(b"", found.group(1)[: _LONGEST_NAME * 2])
    if _is_telling(name):
        yield found.start(1), found.end(1), b"\n" + name


def _lettered(data: bytes, found: Match) -> Iterator[Change]:
    opening = found.group(1)
    bracket = opening[-1:]
    if opening[:1] in b"$'\"":
        closer = opening
    elif b'"' in opening:
        closer = b")" + opening[opening.index(b'"') + 1 : -1] + b'"'
    elif opening[:1] == b"[":
        closer = opening.replace(b"[", b"]")
    else:
        closer = _CLOSERS.get(bracket, bracket)
    start = found.end(1)
    end = data.find(closer, start, start + _LONGEST)
    content = data[start:end]
    if end < 0 or not content or b"\n" in content or b'"' in content:
        return
    yield found.start(1), start, b'"'
    yield end, end + len(closer), b'"'


def _below(data: bytes, found: Match) -> Iterator[Change]:
    start = found.end(1)
    end = data.find(b"\n", start, start + _LONGEST)
    if end > start and b'"' not in data[start:end]:
        yield found.start(1), start, b' "'
        yield end, end, b'"'


def _here_string(_data: bytes, found: Match) -> Iterator[Change]:
    if _is_telling(found.group(1)):
        yield found.start(1), found.start(1), b"\n"
        yield found.start(2), found.end(2), b"="


def _beside(_data: bytes, found: Match) -> Iterator[Change]:
    """Accept only a word that does not occur in sentences: people write about passwords too."""
    if _is_made_up(found.group(3)) and _is_telling(found.group(1)):
        yield found.start(1), found.start(1), b"\n"
        yield found.start(2), found.end(2), b"="
        yield found.end(3), found.end(3), b"\n"


def _exported(_data: bytes, found: Match) -> Iterator[Change]:
    if _is_telling(found.group(1)) and found.group(3)[:1] != b"0":
        yield found.start(2), found.end(2), b"="


def _macro(_data: bytes, found: Match) -> Iterator[Change]:
    if _is_telling(found.group(1)) and _is_made_up(found.group(3)):
        yield found.start(2), found.end(2), b' = "'
        yield found.start(4), found.end(4), b'"\n'


def _field(data: bytes, found: Match) -> Iterator[Change]:
    value = _FIELD_VALUE.search(data, found.start(), found.end())
    if value is not None:
        yield value.start(), value.start(), b"\npassword-"


def _headed(_data: bytes, found: Match) -> Iterator[Change]:
    if _is_made_up(found.group(3)) and _is_telling(found.group(1).replace(b" ", b"_")):
        yield found.start(1), found.start(1), b"\n"
        yield found.start(2), found.end(2), b"="
        yield found.end(3), found.end(3), b"\n"


def _adjacent(_data: bytes, found: Match) -> Iterator[Change]:
    written = found.group(1)
    if len(written) <= _LONGEST:
        plain = b"".join(first or last for first, last in _SHELL_STRINGS.findall(written))
        if b'"' not in plain:
            yield found.start(1), found.end(1), b'"' + plain + b'"'


def _block(_data: bytes, found: Match) -> Iterator[Change]:
    if _is_telling(found.group(1)):
        yield found.start(2), found.end(2), b' "'
        yield found.end(3), found.end(3), b'"'


def _is_telling(name: bytes) -> bool:
    return len(name) <= _LONGEST_NAME and promise_of(name) >= Promise.SECRET


def _is_made_up(value: bytes) -> bool:
    if is_generated(value):
        return True
    return (
        len(value) <= _LONGEST
        and len(_DIGIT.findall(value)) >= _LEAST_DIGITS
        and _OTHER.match(value) is None
        and is_made_up_word(value.rstrip(b".,;:)"))
    )


_RULES: tuple[tuple[bytes, Callable[[bytes, Match], Iterator[Change]]], ...] = (
    (_LEET, _leet),
    (_SPREAD, _spread),
    (_LETTERED, _lettered),
    (_BELOW, _below),
    (_HERE_STRING, _here_string),
    (_BESIDE, _beside),
    (_EXPORTED, _exported),
    (_MACRO, _macro),
    (_FIELD, _field),
    (_HEADED, _headed),
    (_TOLD, _headed),
    (_VERBATIM, _headed),
    (_ADJACENT, _adjacent),
    (_BLOCK, _block),
)
_PATTERNS: tuple[SecretPattern, ...] = tuple(compiled(source) for source, _ in _RULES)
_SIGNS = SecretPatternSet(source for source, _ in _RULES)
