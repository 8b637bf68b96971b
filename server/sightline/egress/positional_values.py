"""Positional values: the name stands in one sequence, the value at the same place of another.

`def connect(host, user, password)` and `connect("…", "…", "…")`, `local password=$3` and a call in
a shell, `user, password = "…:…".split(":")`, `keys: [user, password]` above `values: […]`, a
question for a password and the answer below it, `f3: Password` and `f3: …`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from sightline.egress.generated import is_generated
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form
from sightline.egress.secret_patterns import compiled_for_texts, compiled_for_values, texts
from sightline.egress.spoken import is_made_up_word
from sightline.egress.telling_names import Promise, promise_of
from sightline.egress.weak import is_weak_content
from sightline.text import Span

_WORD = compiled_for_values(rb"[A-Za-z_][A-Za-z0-9_]*")
_NAME_REST = compiled_for_values(rb"[A-Za-z0-9_]*")
_BEFORE_PARAMETERS = compiled_for_values(
    rb"([A-Za-z_][A-Za-z0-9_]{1,60}[!?]?)[ \t]{0,2}(?:<[^<>()]{0,40}>)?(?:[ \t]{0,2}(?:=|<-|:=|:)"
    rb"[ \t]{0,2}(?:async[ \t]?)?(?:function|func|fn|proc|lambda|sub)?)?[ \t]{0,2}\Z"
)
_CLASS = compiled_for_values(
    rb"(?:class|struct|record|object|type)[ \t]{1,4}([A-Za-z_][A-Za-z0-9_]{1,60})"
)
_MADE_BY = frozenset((b"__init__", b"constructor", b"initialize", b"init", b"__construct", b"new"))
_RECEIVERS = frozenset((b"self", b"cls", b"this", b"&self", b"&mut self", b"mut self"))
_KEYWORDS = frozenset(
    b"if for while switch catch return function func fn def sub and or not in print foreach match"
    b" elif when select insert values".split()
)
_SPLIT_FIELDS = re.compile(
    rb"([A-Za-z_][A-Za-z0-9_]{0,60})[ \t]{0,4}=[ \t]{0,4}[A-Za-z_.]{0,30}"
    rb"(?:namedtuple|Struct\.new|make_dataclass)[( ][ \t]{0,4}"
    rb"(?:[\"'][A-Za-z0-9_]{1,60}[\"'][ \t]{0,4},)?"
    rb"([^()\r\n]{1,300})\)"
)
_ARGUMENT = compiled_for_values(
    rb"[ \t\r\n]{0,20}(?:\"((?:[^\"\\\r\n]|\\.){0,200})\"|'((?:[^'\\\r\n]|\\.){0,200})'"
    rb"|[^,()\r\n\"']{0,80})[ \t\r\n]{0,20}(,|\)|;|\r?\n|$)"
)
_ONE_ARGUMENT = compiled_for_values(
    rb"[ \t]{1,8}(?:\"([^\"\r\n]{1,200})\"|'([^'\r\n]{1,200})'|([^\s\"'|;&<>()]{1,200}))"
)
# `password=$3`, with the function around it.
_NUMBERED = compiled_for_texts(rb"([A-Za-z_][A-Za-z0-9_]{1,40})=[\"']?\$\{?([1-9])")
_SHELL_FUNCTION = compiled_for_values(
    rb"(?:^|\n)[ \t]*"
    rb"(?:function[ \t]+)?([A-Za-z_][A-Za-z0-9_\-]{1,60})[ \t]?(?:\([ \t]?\))?[ \t\r\n]{0,4}\{"
)
# `usage: connect.sh HOST USER PASSWORD`.
_USAGE = compiled_for_texts(
    rb"(?im)^[ \t]*(?:#|//|--|;|rem|\*|echo)?[ \t\"']*(?:usage|args?|arguments|synopsis"
    rb"|params?|parameters"
    rb"|call(?:ed)?[ \t](?:as|with)|order):?[ \t]{1,4}([^\r\n:]{6,160})\r?\n"
)
_SPLIT = compiled_for_texts(
    rb"(?m)((?:[$@]?[A-Za-z_][A-Za-z0-9_]{0,40}[ \t]?,[ \t]?){1,6}"
    rb"[$@]?[A-Za-z_][A-Za-z0-9_]{0,40})[\])]?"
    rb"[ \t]{0,4}:?=[ \t]{0,4}(?:[a-z_.]{2,20}\([^\r\n\"']{0,20}"
    rb"(?:[\"'][^\"'\r\n]{1,3}[\"'],[ \t]?)?)?[\"']([^\"'\r\n]{6,200})[\"']"
    rb"(?:\.split|\.partition|\)|[ \t]-split)"
)
_READ = compiled_for_texts(
    rb"\bread[ \t]+(?:-[a-z]+[ \t]+){0,3}"
    rb"((?:[A-Za-z_][A-Za-z0-9_]{0,40}[ \t]+){2,6})<<<[ \t]*[\"']([^\"'\r\n]{6,200})[\"']"
)
_SEPARATOR = compiled_for_values(rb"[ \t]{0,2}[:;,/|][ \t]{0,2}|[ \t]{1,4}")
# Two lines that are lists, each behind a label.
_LABELLED = compiled_for_texts(
    rb"(?m)^[ \t{]*[\"']?[A-Za-z_.\- ]{2,20}[\"']?[ \t]*[:=][ \t]*[\"'\[({]{0,2}"
    rb"([^\r\n\[\](){}\"':=]+"
    rb"(?:[\"'][,;|][ \t]?[\"'][^\r\n\[\](){}\"':=]+)*)[\"'\])}]{0,2},?[ \t]*\r?\n[ \t]*"
    rb"[\"']?[A-Za-z0-9_.\- ]{2,20}[\"']?[ \t]*[:=][ \t]*[\"'\[({]{0,2}([^\r\n\[\](){}]{3,300})"
)
_QUESTION = compiled_for_texts(
    rb"(?im)(?:pass(?:word|wd|phrase|code|wort)|kennwort|contrase\xc3\xb1a|mot de passe|senha"
    rb"|\bpwd?\b|\bpw\b|\bpin\b)"
    rb"[^\r\n?]{0,60}\?[\"'*_) ]{0,4}\r?\n"
    rb"[ \t>*\-]{0,8}(?:\[[^\]\r\n]{1,30}\][ \t]{0,4})?(?:<[^<>\r\n]{1,30}>"
    rb"|\(?[A-Za-z0-9_ .#@]{1,30}\)?:)?[ \t]{0,4}"
    rb"(?:it'?s[ \t]|is[ \t]|try[ \t])?[\"'`*]{0,2}([^\s\"'`]{5,80})[\"'`*]{0,2}[.!]?[ \t]*\r?$"
)
_COMMENT_BELOW = compiled_for_texts(
    rb"(?im)^[ \t]*(?:/\*+|//+|#+|--|;+|%+|'|\"|rem|\*)[ \t]{0,4}(?:[a-z0-9_]{1,16}[ \t]){0,3}"
    rb"(?:pass(?:word|wd|phrase|code|wort)|kennwort|contrase\xc3\xb1a|senha|pwd)"
    rb"(?:[ \t][a-z0-9_.]{1,24}){0,4}[ \t]{0,2}:?\r?\n"
    rb"[ \t]*(?:\*|//+|#+|--|;+|%+|'|\"|rem)[ \t]{1,20}[\"'`]?([^\s\"'`]{5,80})[\"'`]?[ \t]*\r?$"
)
# The name of a place, and what another line or an element has at that place.
_PLACE_NAME = compiled_for_texts(
    rb"(?im)(?:^[ \t\-]*[\"']?([a-z_]{0,8}[0-9]{1,3}|[a-z][0-9a-z]?)[\"']?[ \t]*[:=][ \t]*[\"']?"
    rb"(?:[a-z]{1,12}[ _])?(?:password|passwd|passwort|kennwort|contrase\xc3\xb1a"
    rb"|senha)[\"']?,?[ \t]*\r?$"
    rb"|\bid=[\"']([a-z0-9_\-]{1,20})[\"'][^<>\r\n]{0,80}[=\"'>](?:password|passwd|passwort)[\"'<])"
)
_DIGIT = compiled_for_values(rb"[0-9]")
_REACH = 240
_FAR = 800
_MOST_NAMES = 40
_MOST_PLACES = 2_000
_MOST_CALLS = 2_000
_MOST_ARGUMENTS = 12


def positional_values(data: bytes) -> Iterator[Finding]:
    if not texts.told_in(data):
        return
    yield from _called(data)
    if b"=$" in data or b'="$' in data or _USAGE.search(data) is not None:
        yield from _in_shell(data)
    if b"split" in data or b"partition" in data or b"<<<" in data:
        yield from _split(data)
    yield from _listed(data)
    for pattern in (_QUESTION, _COMMENT_BELOW):
        for found in itertools.islice(pattern.finditer(data), _MOST_PLACES):
            yield from _judged(data, *found.span(1))
    yield from _named_places(data)


def _called(data: bytes) -> Iterator[Finding]:
    """Arguments of calls whose functions have a telling parameter at that place."""
    places: dict[bytes, set[int]] = {}
    for name, index in itertools.chain(_parameters(data), _fields(data)):
        if name not in places and len(places) == _MOST_NAMES:
            break
        places.setdefault(name, set()).add(index)
    if not places:
        return
    call = re.compile(
        rb"(?<![A-Za-z0-9_])(" + b"|".join(map(re.escape, places)) + rb")"
        rb"(?:::new|\.new|\.create)?(?:[ \t]?\(|[ \t]{1,2}(?=[\"']))"
    )
    for found in itertools.islice(call.finditer(data), _MOST_CALLS):
        position = found.end()
        wanted = places[found.group(1)]
        for index in range(_MOST_ARGUMENTS):
            argument = _ARGUMENT.match(data, position)
            if argument is None:
                break
            if index in wanted and max(argument.start(1), argument.start(2)) >= 0:
                group = 1 if argument.start(1) >= 0 else 2
                yield from _judged(data, *argument.span(group))
            if argument.group(3) != b",":
                break
            position = argument.end()


def _parameters(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Functions and the places of their telling parameters."""
    reached = 0
    for start in itertools.islice(texts.told_in(data).starts, _MOST_PLACES):
        if start < reached:
            continue
        low = max(0, start - _REACH)
        opened = max(data.rfind(b"(", low, start), data.rfind(b"{", low, start))
        if opened < 0:
            continue
        rest = _NAME_REST.match(data, start)
        assert rest is not None
        reached = rest.end()
        closing = b")" if data[opened : opened + 1] == b"(" else b"}"
        closed = data.find(closing, reached, reached + _REACH)
        inside = data[opened + 1 : closed] if closed >= 0 else b""
        if not inside or any(sign in inside for sign in (b'"', b"'", b"(", b")", b";", b"`", b"{")):
            continue
        named = _BEFORE_PARAMETERS.search(data, max(0, opened - 100), opened)
        name = named.group(1) if named is not None else b""
        if name in _MADE_BY or name in (b"", b"type"):
            classes = _CLASS.findall(data, max(0, opened - _FAR), opened)
            name = classes[-1] if classes else b""
        if not name or name in _KEYWORDS:
            continue
        parameters = inside.split(b",")
        if parameters[0].strip() in _RECEIVERS:
            parameters = parameters[1:]
        for index, parameter in enumerate(parameters):
            words = _WORD.findall(parameter.partition(b"=")[0])
            if any(promise_of(word) is Promise.PASSWORD for word in words[:3]):
                yield name, index


def _fields(data: bytes) -> Iterator[tuple[bytes, int]]:
    """`Db = namedtuple("Db", "host user password")`."""
    if not any(maker in data for maker in (b"namedtuple", b"Struct.new", b"make_dataclass")):
        return
    for found in itertools.islice(_SPLIT_FIELDS.finditer(data), _MOST_PLACES):
        for index, word in enumerate(_WORD.findall(found.group(2))):
            if promise_of(word) is Promise.PASSWORD:
                yield found.group(1), index


def _in_shell(data: bytes) -> Iterator[Finding]:
    commands: dict[bytes, set[int]] = {}
    for found in itertools.islice(_NUMBERED.finditer(data), _MOST_PLACES):
        if promise_of(found.group(1)) is not Promise.PASSWORD:
            continue
        functions = _SHELL_FUNCTION.findall(data, max(0, found.start() - _FAR), found.start())
        command = functions[-1] if functions else b"set --"
        commands.setdefault(command, set()).add(int(found.group(2)) - 1)
    for usage in itertools.islice(_USAGE.finditer(data), _MOST_PLACES):
        words = usage.group(1).split()
        places = {
            index
            for index, word in enumerate(words)
            if promise_of(word.strip(b"<>[]$\"',.()")) is Promise.PASSWORD
        }
        if not places:
            continue
        if b"." in words[0] or words[0][:1] in b"./$":
            commands.setdefault(words[0].rpartition(b"/")[2], set()).update(
                index - 1 for index in places
            )
        else:
            line = data[usage.end() : usage.end() + _REACH].partition(b"\n")[0].split()
            if len(line) == len(words) + 1:
                commands.setdefault(line[0].rpartition(b"/")[2], set()).update(places)
    if not commands or len(commands) > _MOST_NAMES:
        return
    call = re.compile(rb"(?:^|[\s;&|/])(" + b"|".join(map(re.escape, commands)) + rb")(?=[ \t])")
    for called in itertools.islice(call.finditer(data), _MOST_CALLS):
        position = called.end()
        for index in range(_MOST_ARGUMENTS):
            word = _ONE_ARGUMENT.match(data, position)
            if word is None:
                break
            if index in commands[called.group(1)]:
                yield from _judged(data, *word.span(word.lastindex or 0))
            position = word.end()


def _split(data: bytes) -> Iterator[Finding]:
    """`user, password = "…:…".split(":")`."""
    for pattern in (_SPLIT, _READ):
        for found in itertools.islice(pattern.finditer(data), _MOST_PLACES):
            names = _WORD.findall(found.group(1))
            yield from _at_places(data, names, *found.span(2))


def _listed(data: bytes) -> Iterator[Finding]:
    # Only lines with a word for a secret: to read every line takes long.
    starts = (
        data.rfind(b"\n", max(0, start - _REACH), start) + 1
        for start in itertools.islice(texts.told_in(data).starts, _MOST_PLACES)
    )
    for line in dict.fromkeys(starts):
        found = _LABELLED.match(data, line)
        if found is None:
            continue
        names = [name.strip(b" \t\"'") for name in re.split(rb"[,;|\t]", found.group(1))]
        if len(names) > 1 and all(len(name.split()) == 1 for name in names):
            end = found.end(2) - len(found.group(2)) + len(found.group(2).rstrip(b"\"']}), \t\r"))
            yield from _at_places(data, names, found.start(2), end)


def _at_places(data: bytes, names: list[bytes], start: int, end: int) -> Iterator[Finding]:
    """The values of a text that is parted as often as there are names."""
    places = [index for index, name in enumerate(names) if promise_of(name) is Promise.PASSWORD]
    if not places:
        return
    for separators in (rb"[:;,/|\t]", rb"[ \t]+"):
        parts: list[tuple[int, int]] = []
        position = start
        for separator in re.compile(separators).finditer(data, start, end):
            parts.append((position, separator.start()))
            position = separator.end()
        parts.append((position, end))
        if len(parts) == len(names):
            for index in places:
                first, last = parts[index]
                value = data[first:last]
                first += len(value) - len(value.lstrip(b" \t\"'"))
                yield from _judged(data, first, first + len(value.strip(b" \t\"'")))
            return


def _named_places(data: bytes) -> Iterator[Finding]:
    """`f3: Password` and, under another heading, `f3: …`."""
    keys = {
        found.group(1) or found.group(2)
        for found in itertools.islice(_PLACE_NAME.finditer(data), _MOST_NAMES)
    }
    if not keys:
        return
    again = re.compile(
        rb"(?m)(?:^[ \t\-]*[\"']?(?:"
        + b"|".join(map(re.escape, sorted(keys)))
        + rb")[\"']?[ \t]*[:=][ \t]*"
        rb"[\"']?([^\s\"',]{5,100})|(?:ref|for|idref|href|id|key)=[\"']#?(?:"
        + b"|".join(map(re.escape, sorted(keys)))
        + rb")[\"'][^<>\r\n]{0,60}>([^<>\r\n]{5,100})<)"
    )
    for found in itertools.islice(again.finditer(data), _MOST_CALLS):
        yield from _judged(data, *found.span(found.lastindex or 0))


def _judged(data: bytes, start: int, end: int) -> Iterator[Finding]:
    value = data[start:end]
    if len(value) < 5:
        return
    if is_generated(value):
        yield Finding(Span(start, end), "positional-value", "password", Certainty.CERTAIN, True)
    elif (
        _DIGIT.search(value) is not None
        and is_made_up_word(value)
        and is_weak_content(value, b"password", Form.QUOTED)
    ):
        yield Finding(Span(start, end), "weak-password", "weak", Certainty.WEAK, True)
