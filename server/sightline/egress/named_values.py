"""Named values: a name that says password, secret or token, and the literal that follows it.

One reader for every syntax: assignments of code, JSON, YAML, TOML, properties, shell, attributes
and elements of XML, options, defaults. Whether the value is a secret is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from functools import lru_cache

import attrs

from sightline.egress.secret_patterns import compiled, compiled_for_told, compiled_for_values


class Form(Enum):
    """The syntax in which a value follows its name."""

    QUOTED = auto()
    """Assigned, in quotes."""
    ARGUMENT = auto()
    """In quotes, as the next item of a list: `("password", "…")`."""
    CALL = auto()
    """In quotes, between parentheses: `password("…")`."""
    COMPARED = auto()
    """In quotes, after `==` or `!=`."""
    SPOKEN = auto()
    """In quotes, after only a space or a word: `PASSWORD '…'`, `password is "…"`."""
    LINE = auto()
    """Without quotes: the rest of a line that contains nothing else."""
    WORD = auto()
    """Without quotes: one word of a command, or of the query of a URL."""
    ELEMENT = auto()
    """The text of an element of XML."""


@attrs.frozen
class NamedValue:
    name: bytes
    start: int
    end: int
    form: Form
    is_spaced: bool = False
    """For a line: true if it could also be a line of a program."""
    is_open: bool = False
    """For a line: true if it begins with a quote that is not closed."""


_NAME_BYTE = rb"[A-Za-z0-9_.\-\x80-\xff]"
_QUOTE = rb"\\{0,4}[\"'`]"
_CLOSING = rb"(?:" + _QUOTE + rb")?[ \t]{0,2}[\])]{0,2}"
_TYPE = rb"(?:&'[a-z]{1,10}[ \t])?[&*?]{0,2}[A-Za-z_][A-Za-z0-9_<>\[\]|.?&*]*"
# Brackets and blanks too: `[]const u8`, `Option<&'static str>`, `Map[String, String]`.
_ANY_TYPE = rb"(?:[\[&*?A-Za-z_][^\"'`\r\n=;{}()#]{0,40}(?:'static[ \t][A-Za-z0-9_\]>]{1,20})?)"
_SIGN = rb"(?::=|=>|->|<-|::?|[?+~]?=|\xef\xbc\x9a|\xef\xbc\x9d)"
# A type between name and value.
_TYPED = (
    rb"(?:[ \t]{0,4}[!?]?:[ \t]{0,4}" + _ANY_TYPE + rb"[ \t]{0,4}="
    rb"|[ \t]{1,4}(?:[Aa]s[ \t]{1,4})?" + _TYPE + rb"[ \t]{0,4}=|\[[0-9]{0,5}\][ \t]{0,4}="
    rb"|[ \t]{0,4}\{[ \t]{0,2}get;[a-z; \t]{0,30}\}[ \t]{0,4}=)"
)
_ASSIGN = (
    rb"(?:[ \t]{0,20}"
    + _SIGN
    # A value to fall back to: `env.TOKEN || "…"`, `get("TOKEN") or "…"`.
    + rb"|[ \t]{0,4}(?:\|\||\?\?|\?:|\bor\b)=?"
    # `<add key="Password" value="…">`, `"name": "password", "value": "…"`.
    + rb"|,?\s{1,20}[\"']?[Vv]alue[\"']?[ \t]{0,2}[=:])"
)
_WRAPPER = (
    rb"(?:(?:new[ \t]{1,2})?(?i:str(?:ing)?|some|just|ok|secret(?:str|string)?|securestring|bytes?"
    rb"|bytearray|buffer\.from|std::string|qstring|text|_t|string::from|optional\.of|password"
    rb"|sensitive)[ \t]?\([ \t]{0,4})?"
)
_OPENING = rb"(?:<<|u8|[@$]|[bruflnBRUFLN]{1,2}|NSString)?#{0,2}" + _QUOTE + rb"[ \t]{0,2}"
_ASSIGNED = rb"\s{0,40}" + _WRAPPER + _OPENING
_BARE = rb"[ \t]{0,20}(?:::?=|\?=|\+=|::|[:=]|\xef\xbc\x9a)[ \t]{0,20}"
_TAG_END = rb"(?:[ \t][A-Za-z:_\-]{1,30}=[\"'][^<>\"'\r\n]{0,80}[\"'])?[ \t]?>"
_BEHIND = (
    rb"(?:"
    + _TYPED
    + _ASSIGNED
    + rb"|"
    + _CLOSING
    + rb"(?:"
    + _ASSIGN
    + _ASSIGNED
    + rb"|[ \t]{0,4}[!=]==?[ \t]{0,4}"
    + _QUOTE
    + rb"|[ \t]{0,2},\s{0,20}"
    + _OPENING
    + rb"|[({][ \t]{0,2}"
    + _OPENING
    + rb"|[ \t]{1,2}(?:(?i:is|to|as)[ \t]{1,2})?[\"'`]"
    # Bare.
    + rb"|:[-=]|"
    + _BARE
    + rb"|"
    + _TAG_END
    + rb"|[ \t]{1,4}))"
)
_CANDIDATE = compiled_for_told(_NAME_BYTE, _BEHIND + rb"[^\s]")
_PARTS = compiled(
    rb"(?i)((?:mot[_\- ]de[_\- ]|parola[_\- ]d[_\- ']|kata[_\- ]|mat[_\- ]|m\xe1\xba\xadt |api )?"
    rb"(?:" + "كلمة ".encode() + rb")?[A-Za-z0-9_.\-\x80-\xff]+)"
    rb"(?:(" + _TYPED + rb"\s{0,40}" + _WRAPPER + rb")(" + _OPENING + rb")"
    rb"|(" + _CLOSING + rb")(?:(" + _ASSIGN + rb"\s{0,40}" + _WRAPPER + rb")(" + _OPENING + rb")"
    rb"|([ \t]{0,4}[!=]==?[ \t]{0,4})(" + _QUOTE + rb")"
    rb"|([ \t]{0,2},\s{0,20})(" + _OPENING + rb")"
    rb"|([({][ \t]{0,2})(" + _OPENING + rb")"
    rb"|([ \t]{1,2}(?:(?:is|to|as)[ \t]{1,2})?)([\"'`])"
    rb"|(:[-=]|" + _BARE + rb"|" + _TAG_END + rb"|[ \t]{1,4})))"
)
_CLOSING_GROUP = 4
_FORMS = {
    2: Form.QUOTED, 5: Form.QUOTED, 7: Form.COMPARED, 9: Form.ARGUMENT, 11: Form.CALL,
    13: Form.SPOKEN, 15: Form.LINE,
}  # fmt: skip
_BARE_GROUP = 15
_SPACE_GROUP = 13
_KEY_START = compiled_for_values(rb"[\"'`](?:[A-Za-z0-9]{1,20} )?$")
# What may stand before a name in a line of settings.
_LEAD = compiled_for_values(
    rb"[ \t#/;*!>|:\-]*(?:<!--[ \t]*)?(?:[0-9]{1,2}[.)][ \t]+)?"
    rb"(?:(?i:export|set|setx|env|arg|declare|local|readonly|typeset)"
    rb"[ \t]+(?:-[a-z]+[ \t]+)*|env\.|\$env:)?[\"'\[@$%.]{0,2}"
)
# More of a label for people: `My Smtp Password: …`.
_LABEL = compiled_for_values(rb"[ \t#/;*!>|:\-]*(?:[A-Z][A-Za-z0-9]*[ \t]){1,4}")
_SETTING = compiled_for_values(rb"-\S*|[A-Za-z_][\w.\-]*=[^\s,(){}]+")
_PROGRAM = compiled_for_values(rb"[(),\"'`{}\[\];<>=\\]")
_COMMENT = compiled_for_values(rb"[ \t]+(?:#|//|;|<!--|-->|\*/)")
# A command with variables before it: `TOKEN=… ./run`.
_COMMAND_BEHIND = compiled_for_values(
    rb"([^\s\"'`]*[0-9@#%^&*!][^\s\"'`]*)[ \t]+(?:\.{0,2}/[\w.]|(?:exec|sudo|env|python3?|node|npm"
    rb"|npx|yarn|pnpm|go|cargo|make|docker|psql|mysql|pg_dump|java|mvn|ruby|bundle|rake|rails|php|bash"
    rb"|sh|kubectl|helm|terraform|curl|git|aws|ssh)\b|[a-z][\w\-]*[ \t]+(?:[a-z]+[ \t]+)?--?[a-z])"
)
_LINE_REST = compiled_for_values(rb"[^\r\n]{1,600}")
_TEXT = compiled_for_values(rb"[^<>]{1,600}")
_OPTION_WORD = compiled_for_values(rb"[^\s\"'`]{1,600}")
_QUERY_WORD = compiled_for_values(rb"[^\s\"'`&<>#;)\]}]{1,600}")
_FIELD_WORD = compiled_for_values(rb"[^\s\"'`;,&<>]{1,600}")
_PAIR_BEFORE = compiled_for_values(rb"[A-Za-z0-9_ ]=[^=;,\r\n]{1,60}[;,]\Z")
_STRING_WORD = compiled_for_values(rb"[^\s\"'`]{1,600}")
_NEXT_FIELD = compiled_for_values(rb"&(?=[\w.\-]+=)")
_DEFAULT = compiled_for_values(rb"[^{}\r\n]{1,600}(?=\})")
_NAME_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-." + bytes(
    range(128, 256)
)
_BEHIND_QUOTES = frozenset(b"%c" % byte for byte in b" \t\r\n,;)]}>/.+&|:#?*\\`\"'") | {b""}
# `config :app, :password, "…"`
_CONFIGURING = compiled_for_values(rb"[ \t]*config[ \t]+:")
_VARIABLE = compiled_for_values(rb"[A-Z][A-Z0-9_]{3,}=[^=\s]")
# All that a string contains after a label: `'X-Api-Key: …'`.
_LABELLED_WORD = compiled_for_values(rb"[^\s\"'`]*[0-9@#$!%^&*][^\s\"'`]*")
_QUOTES = frozenset((b'"', b"'", b"`"))
_SHELL_QUOTE = b"\\''"
"""How a shell writes a quote between quotes, after the closing one."""
_BACKSLASH = ord("\\")
_LONGEST_NAME = 64
_LONGEST_PREFIX = 240
_LONGEST_VALUE = 1_000


@attrs.frozen
class _Prefix:
    """The text before a value, split into its parts."""

    name_end: int
    opening_size: int
    quote: bytes
    form: Form
    separator: bytes
    is_name_quoted: bool


def named_values(data: bytes) -> Iterator[NamedValue]:
    """Every one, in the order of the text; a value may stand in the value of another."""
    position = 0
    while (found := _CANDIDATE.search(data, position)) is not None:
        start, value_start = found.start(), found.end() - 1
        position = value_start
        name_start = _name_start(data, start)
        before = data[name_start - 1 : name_start]
        if before == b"=" and not _is_variable(data, name_start):
            continue
        if before == b"*" and data[value_start : value_start + 2] == b"*/":
            # `/*token=*/value`: the name of a parameter in a comment.
            continue
        prefix = _prefix(data[max(start, value_start - _LONGEST_PREFIX) : value_start])
        if prefix is None or (prefix.quote == before != b"" and not prefix.is_name_quoted):
            # As in `"token=" + value`, where the quote closes.
            continue
        value = _value(data, name_start, start + prefix.name_end, value_start, prefix)
        if value is not None:
            yield value


def _is_variable(data: bytes, name_start: int) -> bool:
    """Whether a name behind `=` is one of a variable: `Environment=DB_PASSWORD=…`."""
    found = _VARIABLE.match(data, name_start, name_start + _LONGEST_NAME)
    return found is not None and data[name_start - 2 : name_start - 1] != b"="


@lru_cache(maxsize=8_192)
def _prefix(prefix: bytes) -> _Prefix | None:
    found = _PARTS.fullmatch(prefix)
    if found is None:
        return None
    group = next(index for index in _FORMS if found.start(index) >= 0)
    opening = found.group(group + 1) if group != _BARE_GROUP else b""
    quote = opening.strip(b"<@$#8bruflnBRUFLNString \t")
    has_closing = found.start(_CLOSING_GROUP) >= 0
    is_name_quoted = has_closing and bool(found.group(_CLOSING_GROUP).strip(b" \t])"))
    form = _FORMS[group]
    separator = found.group(group)
    if group == _SPACE_GROUP and (is_name_quoted or (quote == b"`" and not separator.strip())):
        return None
    return _Prefix(found.end(1), len(opening), quote, form, separator, is_name_quoted)


def _value(
    data: bytes, name_start: int, name_end: int, start: int, prefix: _Prefix
) -> NamedValue | None:
    name = data[name_start:name_end]
    if prefix.is_name_quoted:
        key = data[max(0, name_start - 24) : name_start]
        if prefix.form is Form.ARGUMENT:
            if key[-1:] not in (b'"', b"'", b"`"):
                return None
        elif _KEY_START.search(key) is None:
            return None
    separator = prefix.separator
    if prefix.quote:
        return _quoted(data, name, name_start, start, prefix)
    before = data[name_start - 1 : name_start]
    if separator.endswith(b">"):
        return _element(data, name, name_start, start)
    if separator[:1] == b":" and data[name_start - 2 : name_start] == b"${":
        # A message, or what to take instead: `${PASSWORD:?missing}`, `${PASSWORD:+set}`.
        if data[start] in b"\"'?+":
            return None
        return _matched(_DEFAULT, data, name, start, Form.WORD)
    if name[:1] == b"-" and separator.strip() in (b"", b"=") and not prefix.is_name_quoted:
        return _matched(_OPTION_WORD, data, name.lstrip(b"-"), start, Form.WORD)
    if not separator.strip():
        return None
    if (
        separator == b"="
        and before in (b";", b",")
        and _PAIR_BEFORE.search(data, max(0, name_start - _LONGEST_NAME), name_start)
    ):
        return _matched(_FIELD_WORD, data, name, start, Form.WORD)
    if separator == b"=" and before in (b"?", b"&"):
        return _matched(_QUERY_WORD, data, name, start, Form.WORD)
    if separator == b"=" and before in (b'"', b"'"):
        # All that a string holds, or the first of several: `"token=…"`, `'password=…&user=…'`.
        found = _STRING_WORD.match(data, start)
        if found is not None and data[found.end() : found.end() + 1] == before:
            end = start + len(_NEXT_FIELD.split(found.group(), maxsplit=1)[0])
            return NamedValue(name, start, end, Form.WORD) if end > start else None
    if separator.strip() == b":" and before in _QUOTES:
        found = _LABELLED_WORD.match(data, start, start + _LONGEST_VALUE)
        if found is not None and data[found.end() : found.end() + 1] == before:
            return NamedValue(name, start, found.end(), Form.WORD)
    if before == b"=":
        return _matched(_OPTION_WORD, data, name, start, Form.WORD)
    return _line(data, name, name_start, start, separator)


def _quoted(
    data: bytes, name: bytes, name_start: int, start: int, prefix: _Prefix
) -> NamedValue | None:
    end = closing(data, start, prefix.quote)
    behind = data[end + len(prefix.quote) : end + len(prefix.quote) + 1]
    if end < 0 or behind not in _BEHIND_QUOTES:
        # A bare value that begins with a quote.
        if prefix.form is Form.QUOTED and prefix.quote in (b'"', b"'", b"`"):
            start -= prefix.opening_size
            line = _line(data, name, name_start, start, prefix.separator)
            return attrs.evolve(line, is_open=True) if line is not None else None
        return None
    if end == start:
        return None
    if (
        prefix.form is Form.ARGUMENT
        and not _is_pair(data, name_start, end + len(prefix.quote))
        and not is_configured(data, name_start)
    ):
        return None
    return NamedValue(name, start, end, prefix.form)


def _is_pair(data: bytes, name_start: int, behind: int) -> bool:
    """Whether a name in quotes and its value are the first things between two brackets."""
    # A name without quotes is one of a macro, or an atom: `define(PASSWORD, "…")`.
    opened = name_start - (data[name_start - 1 : name_start] in _QUOTES)
    before = data[max(0, opened - 6) : opened].rstrip(b"bruflnBRUFLN@$: \t\r\n")
    after = data[behind : behind + 8].lstrip(b"> \t\r\n")
    return before[-1:] in (b"(", b"[", b"{") and after[:1] in (b")", b"]", b"}", b",")


def is_configured(data: bytes, name_start: int) -> bool:
    """Whether a statement before a name sets values of an application."""
    low = max(0, name_start - _LONGEST_PREFIX)
    line_start = data.rfind(b"\n", low, name_start) + 1 or low
    return _CONFIGURING.match(data, line_start, name_start) is not None


def _line(
    data: bytes, name: bytes, name_start: int, start: int, separator: bytes
) -> NamedValue | None:
    line_start = max(data.rfind(b"\n", max(0, name_start - 100), name_start) + 1, name_start - 100)
    if _LEAD.fullmatch(data, line_start, name_start) is None and (
        separator.strip() != b":" or _LABEL.fullmatch(data, line_start, name_start) is None
    ):
        if separator == b"=" and _is_among_settings(data, line_start, name_start, name):
            return _matched(_OPTION_WORD, data, name, start, Form.WORD)
        return None
    rest = _LINE_REST.match(data, start)
    if rest is None:
        return None
    value = rest.group()
    command = _COMMAND_BEHIND.match(value) if separator == b"=" else None
    if command is not None:
        return NamedValue(name, start, start + command.end(1), Form.WORD)
    comment = _COMMENT.search(value)
    if comment is not None:
        value = value[: comment.start()]
    value = value.rstrip()
    is_spaced = separator != b"="
    return NamedValue(name, start, start + len(value), Form.LINE, is_spaced)


def _is_among_settings(data: bytes, line_start: int, name_start: int, name: bytes) -> bool:
    """`run -e TOKEN=… image`, `--set token=…`, `TOKEN=… command`, `user=… password=…`."""
    if data[name_start - 1 : name_start] not in (b" ", b"\t"):
        return False
    lead = data[line_start:name_start]
    before = lead.split()
    if _PROGRAM.search(lead) is None:
        return True
    return name.isupper() or (bool(before) and _SETTING.fullmatch(before[-1]) is not None)


def _element(data: bytes, name: bytes, name_start: int, start: int) -> NamedValue | None:
    before = data[max(0, name_start - 20) : name_start]
    opened = before.rfind(b"<")
    if opened < 0 or not (before[opened + 1 :] == b"" or before.endswith(b":")):
        return None
    found = _TEXT.match(data, start)
    if found is None or data[found.end() : found.end() + 2] != b"</":
        return None
    return NamedValue(name, start, start + len(found.group().rstrip()), Form.ELEMENT)


def _matched(
    pattern: re.Pattern[bytes], data: bytes, name: bytes, start: int, form: Form
) -> NamedValue | None:
    found = pattern.match(data, start)
    return NamedValue(name, start, found.end(), form) if found else None


def _name_start(data: bytes, start: int) -> int:
    low = max(0, start - _LONGEST_NAME)
    return low + len(data[low:start].rstrip(_NAME_BYTES))


def closing(data: bytes, start: int, quote: bytes) -> int:
    """Where a value in quotes ends, escaped and doubled quotes being part of it; -1 if nowhere."""
    limit = min(len(data), start + _LONGEST_VALUE)
    line_end = data.find(b"\n", start, limit)
    limit = line_end if line_end >= 0 else limit
    end = data.find(quote, start, limit)
    if len(quote) > 1:
        return end
    while end >= 0:
        if _is_escaped(data, start, end):
            end = data.find(quote, end + 1, limit)
        elif data[end + 1 : end + 2] == quote:
            end = data.find(quote, end + 2, limit)
        elif data[end + 1 : end + 4] == _SHELL_QUOTE and quote == b"'":
            end = data.find(quote, end + 4, limit)
        else:
            break
    return end


def _is_escaped(data: bytes, start: int, end: int) -> bool:
    """Whether an odd number of backslashes stands before an offset."""
    position = end
    while position > start and data[position - 1] == _BACKSLASH:
        position -= 1
    return (end - position) % 2 == 1
