"""More forms to rewrite: special syntax in which a language or tool assigns a value to a name.

`{root_pwd, "…"}`, `set token {…}`, `by lazy { "…" }`, `, do: "…"`, `.set("…", forKey: "token")`,
`"jdbc:…", "user", "…"`, `token: &anchor …`, `{{ lookup(…) | default('…') }}`. Each becomes `name =
value` and is judged like it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sightline.egress.generated import is_generated
from sightline.egress.secret_patterns import Match, compiled_for_values
from sightline.egress.telling_names import Promise, promise_of
from sightline.egress.text_reading import Change

_NAME = rb"[A-Za-z0-9_.\-\x80-\xff]{2,64}"
_STRING = rb"(\"(?:[^\"\\\r\n]|\\.)+\"|'(?:[^'\\\r\n]|\\.)+')"
# With a name.
_TUPLE = (
    rb"\{[ \t]{0,4}:?("
    + _NAME
    + rb")[ \t]{0,4},[ \t]{0,4}(?:<<)?"
    + _STRING
    + rb"(?:>>)?[ \t]{0,4}\}"
)
_SET_BRACES = rb"(?m)^[ \t]*(?:set|variable)[ \t]{1,4}(" + _NAME + rb")[ \t]{1,4}(\{[^{}\r\n]+\})"
_SET_STRING = (
    rb"(?m)^[ \t]*(?:set|variable)[ \t]{1,4}(" + _NAME + rb")[ \t]{1,4}(\"[^\"\r\n]+\")[ \t]*\r?$"
)
_MACRO = (
    rb"\\(?:(?:re)?newcommand\*?|providecommand|def|gdef)\{?\\([A-Za-z@]{3,40})\}?(?:\[[^\]\r\n]*\])?"
    rb"(\{[^{}\r\n]+\})"
)
_LAZY = (
    rb"\b(?:val|var|let)[ \t]{1,4}("
    + _NAME
    + rb")[ \t]{0,4}(?::[^=\r\n{}\"]{1,40})?[ \t]by[ \t]lazy"
    rb"(?:\([^()\r\n]*\))?[ \t]{0,4}\{\s{0,20}" + _STRING
)
_DO = (
    rb"\bdefp?[ \t]{1,4}(" + _NAME + rb")(?:\([^()\r\n]{0,60}\))?,[ \t]{0,4}do:[ \t]{0,4}" + _STRING
)
_FLAG = (
    rb"\b(?:[Ss]tring(?:Var)?P?|DEFINE_string|ABSL_FLAG)\([^\"'()\r\n]{0,60}[\"']("
    + _NAME
    + rb")[\"'][ \t]{0,4},[ \t]{0,4}(?:\"[A-Za-z]?\"[ \t]{0,4},[ \t]{0,4})?"
    + _STRING
)
_JINJA = (
    rb"(?m)^[ \t\-]*("
    + _NAME
    + rb"):[ \t]{1,4}[\"']?\{\{[^\r\n]*?\|[ \t]{0,4}d(?:efault)?\([ \t]{0,4}"
    rb"(\"[^\"\r\n]+\"|'[^'\r\n]+')"
)
_ACTION = (
    rb"(?m)^[ \t\-]*(" + _NAME + rb"):[ \t]{1,4}[\"']?\$\{\{[^\r\n]*?\|\|[ \t]{0,4}('[^'\r\n]+')"
)
_MARKED = (
    rb"(?m)^[ \t\-]*[\"']?("
    + _NAME
    + rb")[\"']?:[ \t]{1,4}(?:![A-Za-z:/_\-!]{0,30}|&[A-Za-z0-9_\-]{1,40})"
    rb"[ \t]{1,4}(?:![A-Za-z:/_\-!]{0,30}[ \t]{1,4})?([^\s&!|>\[{][^\r\n]*)"
)
_CHILD = (
    rb"(?m)^[ \t]*(" + _NAME + rb"):[ \t]*\r?\n"
    rb"(?:[ \t]+(?:description|desc|expand|type|options|sensitive|masked):[^\r\n]*\r?\n){0,3}"
    rb"[ \t]+(?:value|default):[ \t]{1,4}([^\s|>\[{&*!][^\r\n]*)"
)
_BRACED = rb"\b[A-Za-z_:]*[Ss]tring(?:_view)?[ \t]{1,4}(" + _NAME + rb")\{" + _STRING + rb"\}"
_MEMBER = (
    rb"(?:->|\$[A-Za-z_]+)\{[\"']?("
    + _NAME
    + rb")[\"']?\}[ \t]{0,4}(?:\|\||//)?=[ \t]{0,4}"
    + _STRING
)
_CHAINED = rb"\)\s{0,40}\.(" + _NAME + rb")\([ \t]{0,2}" + _STRING + rb"[ \t]{0,2}\)\s{0,40}\."
# Without parentheses: `systemProperty 'jwt.secret', '…'`.
_BARE_CALL = (
    rb"(?m)^[ \t]*[A-Za-z_][A-Za-z0-9_.]{1,40}[ \t]{1,2}[\"']("
    + _NAME
    + rb")[\"'][ \t]{0,2},[ \t]{0,4}"
    + _STRING
    + rb"[ \t]*;?\r?$"
)
_COPIED = (
    rb"\b(?:str[nl]?cpy(?:_s)?|strdup|setenv|put_env|sprintf)\([ \t]{0,4}(?::[a-z_]+,[ \t]?:)?[&*]?"
    rb"(?:[A-Za-z_][A-Za-z0-9_]*->)?("
    + _NAME
    + rb")(?:\[[^\]\r\n]*\])?[ \t]{0,4},[ \t]{0,4}"
    + _STRING
)
_FALLBACK = (
    rb"(?m)\b("
    + _NAME
    + rb")(?:[ \t]?:[^=\r\n]{1,40})?[ \t]{0,4}:?=[ \t]{0,4}[^;\r\n]{0,80}?(?:unwrap_or(?:_else)?"
    rb"|[gG]etOrElse|defaultValue|orElse|get_or|valueOr|value_or|withDefault|fallback)"
    rb"[ \t(]{0,4}(?:\|_?\|[ \t]?)?" + _STRING
)
_FETCHED = (
    rb"\b(?:fetch|get|getenv)\([\"'](" + _NAME + rb")[\"']\)[ \t]{0,4}(?:\{|do)[ \t]{1,4}" + _STRING
)
_LISP = rb"\((?:def[a-z]*|setq|setf)[ \t]{1,4}[*+]?(" + _NAME + rb"?)[*+]?[ \t]{1,4}" + _STRING
_SCOPED = (
    rb"(?m)^[ \t]*("
    + _NAME
    + rb")[ \t]{1,4}(?:in[ \t]{1,4}[A-Za-z]+|/[ \t]?[A-Za-z]+)[ \t]{0,4}:=[ \t]{0,4}"
    + _STRING
)
_ROW = (
    rb"(?i)\bvalues\s{0,8}\([ \t]{0,4}(?:[0-9]{1,9}[ \t]{0,4},[ \t]{0,4})?'("
    + _NAME
    + rb")'[ \t]{0,4},[ \t]{0,4}('(?:[^'\r\n]|'')+')[ \t]{0,4}[,)]"
)
_DOCKER = (
    rb"(?m)^[ \t]*ENV[ \t]{1,4}(?:[A-Za-z0-9_]+=[^\s\"']+[ \t]{1,4}){0,8}("
    + _NAME
    + rb")=([^\s\"'$]+)[ \t]"
)
_PARAMETER = (
    rb"ParameterKey:[ \t]{0,4}[\"']?("
    + _NAME
    + rb")[\"']?\s{1,60}ParameterValue:[ \t]{0,4}([^\s\"'!{][^\r\n]*)"
)
_STORED = (
    rb"\b(?:consul[ \t]+kv[ \t]+put|etcdctl[ \t]+(?:put|set)|aws[ \t]+configure[ \t]+set"
    rb"|npm[ \t]+(?:config[ \t]+)?set"
    rb"|git[ \t]+config(?:[ \t]+--[a-z]+)*"
    rb"|(?:gcloud|pulumi|poetry|composer|heroku)[ \t]+config[ \t]+set"
    rb"(?:[ \t]+--[a-z]+)*"
    rb"|dict[ \t]+set[ \t]+[A-Za-z_]+|Set-Item|set[ \t]+::env)[ \t(]{1,4}[^\s=]*?("
    + _NAME
    + rb")\)?[ \t]{1,4}([^\s\"'$\-<{][^\s]*)"
)
# The value first.
_KEYED = (
    rb"(?:\.|\b)(?:set|save|store|put|write|add|setObject|setValue|setString|setPassword)(?:\("
    rb"|:)[ \t]{0,4}@?"
    + _STRING
    + rb"[ \t]{0,4},?[ \t]{1,4}(?:forKey|key|forKeyPath|withKey|account"
    rb"|identifier)[ \t]{0,4}:[ \t]{0,4}@?"
    rb"[\"'](" + _NAME + rb")[\"']"
)
_LISTED = (
    rb"(?m)^[ \t]*-[ \t]{1,4}value:[ \t]{1,4}('(?:[^'\r\n]|'')+'|\"(?:[^\"\\\r\n]"
    rb"|\\.)+\")[ \t]*\r?\n"
    rb"[ \t]{1,40}(?:key|name):[ \t]{1,4}[\"']?(" + _NAME + rb")"
)
# No name: the place is the evidence.
_SECURED = rb"ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?" + _STRING
_INLINE_LOGIN = (
    rb"<auth-user-pass>\s{1,8}[^\s<]+[ \t]*\r?\n[ \t]*([^\s<]{4,120})\s{1,8}</auth-user-pass>"
)
_STRINGS = rb"[bru]?(?:\"[^\"\r\n]*\"|'[^'\r\n]*')[ \t]{0,4},\s{0,40}"
_LOGGED_IN = (
    rb"\b(?:UsernamePassword[A-Za-z]*|NetworkCredential|username_pw_set|usernamePwSet|BasicAuth[A-Za-z]*"
    rb"|PasswordCredentials?|UserPass[A-Za-z]*|setCredentials|with_?[cC]redentials|add_user|addUser)"
    rb"\([ \t]{0,4}" + _STRINGS + _STRING
)
_LOGGED_IN_AT = (
    rb"\b(?:(?:Plain|CRAMMD5)Auth|create_(?:super)?user|FTP(?:_TLS)?|IMAP4|SMTP)\([ \t]{0,4}"
    + _STRINGS
    + _STRINGS
    + _STRING
)
_LOGGED_IN_FOR = (
    rb"(?:\bCredentials\([ \t]{0,4}"
    + _STRINGS
    + _STRINGS
    + _STRINGS
    + rb"|\bmysql_real_connect\([^,\"']{1,40},[ \t]{0,4}"
    + _STRINGS
    + _STRINGS
    + rb"|\bPQsetdbLogin\((?:[^,]{1,60},){6}[ \t]{0,4}"
    rb"|\.open\([ \t]{0,4}[\"'][A-Z]{3,7}[\"'](?:,[^,\"']{1,60}){2},[ \t]{0,4}"
    + _STRINGS
    + rb"|\bhashpw\([ \t]{0,4}b?)"
    + _STRING
)
_CLIENT = (
    rb"(?i)(?:mqtt[a-z_]*|client|device)(?:\.|->|_)?connect\("
    rb"[ \t]{0,4}(?:[a-z_]+[ \t]{0,4},[ \t]{0,4})?"
    + _STRINGS
    + rb"(?:"
    + _STRINGS
    + rb")?"
    + _STRING
)
_HANDED_OVER = rb"--pass[a-z\-]*file[= ]<\([ \t]?(?:echo|printf)[ \t]{1,4}[\"']?([^\s\"')]{4,120})"
_USER_AND_PASSWORD = (
    rb"(?m)[ \t](?:-u|--?user(?:name)?)[= \t][^\s\-][^\s]*[ \t]{1,4}(?:-p|-P|-w)[= \t]{1,4}"
    rb"([^\s\"'$\-<|][^\s\"']{3,120})"
)
_HTPASSWD = (
    rb"\bhtpasswd[ \t]+-[a-zA-Z]*b[a-zA-Z]*[ \t]+(?:-[a-zA-Z]+[ \t]+)*"
    rb"(?:[^\s\-][^\s]*[ \t]+){1,2}([^\s\"'$]{4,120})[ \t]*(?:\r?\n|$)"
)
_PLACE = rb"(?:[ \t]{0,4},\s{0,40}(?:[a-zA-Z]+[ \t]{0,2}[:=][ \t]{0,2})?)"
_DATABASE = rb"[\"']jdbc:[^\"'\r\n]+[\"']" + _PLACE + rb"[\"'][^\"'\r\n]*[\"']" + _PLACE + _STRING
_CONNECTED = (
    rb"\.(?:connect|login|open|authenticate)\([ \t]{0,4}(?:[\"'][^\"'\r\n]+[\"']"
    rb"|[A-Za-z_.]+)[ \t]{0,4},"
    rb"[ \t]{0,4}(?:[0-9]{2,5}|[A-Za-z_.]+)[ \t]{0,4},[ \t]{0,4}[\"'][^\"'\r\n]+[\"']"
    rb"[ \t]{0,4},[ \t]{0,4}" + _STRING
)
# What also follows the name of a user.
_ADDRESS = compiled_for_values(
    rb"[\"']?[A-Za-z0-9_.+\-]{1,60}@[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)+[\"']?"
)
_DIGIT = compiled_for_values(rb"[0-9]")
_WORD = compiled_for_values(rb"[^\"'`\r\n]*")


def _named(found: Match) -> Iterator[Change]:
    """The name is the first group, the value the second."""
    yield from _assigned(found.group(1), found, 2)


def _named_behind(found: Match) -> Iterator[Change]:
    yield from _assigned(found.group(2), found, 1)


def _placed(found: Match) -> Iterator[Change]:
    yield from _assigned(b"password", found, 1)


def _placed_by_chance(found: Match) -> Iterator[Change]:
    """The same for a place where another name may stand."""
    if is_generated(found.group(1)[1:-1]):
        yield from _assigned(b"password", found, 1)


def _placed_with_number(found: Match) -> Iterator[Change]:
    """The same for a place where any word may stand: the value must contain a digit and not be a
    number.
    """
    content = found.group(1)[1:-1] if found.group(1)[:1] in b"\"'" else found.group(1)
    if _DIGIT.search(content) is not None and not content.isdigit():
        yield from _assigned(b"password", found, 1)


def _placed_word(found: Match) -> Iterator[Change]:
    if not found.group(1).isdigit():
        yield from _assigned(b"password", found, 1)


def _assigned(name: bytes, found: Match, group: int) -> Iterator[Change]:
    if promise_of(name) < Promise.SECRET or _ADDRESS.fullmatch(found.group(group)) is not None:
        return
    start, end = found.start(group), found.end(group)
    value = found.group(group).rstrip()
    end = start + len(value)
    yield start, start, b"\n" + name + b" = "
    first, last = value[:1], value[-1:]
    if len(value) >= 2 and (
        (first == last != b"{" and first in b"\"'") or (first, last) == (b"{", b"}")
    ):
        content = value[1:-1]
        quote = next((each for each in (b'"', b"'", b"`") if each not in content), b'"')
        yield start, start + 1, quote
        if first == b"'":
            # YAML and SQL write a quote in a string so.
            position = content.find(b"''")
            while position >= 0:
                yield start + 1 + position, start + 3 + position, b"'"
                position = content.find(b"''", position + 2)
        yield end - 1, end, quote + b"\n"
    elif _WORD.fullmatch(value) is not None:
        yield start, start, b'"'
        yield end, end, b'"\n'
    else:
        yield end, end, b"\n"


NAMED_RULES: tuple[tuple[bytes, Callable[[Match], Iterator[Change]]], ...] = (
    (_TUPLE, _named),
    (_SET_BRACES, _named),
    (_SET_STRING, _named),
    (_MACRO, _named),
    (_LAZY, _named),
    (_DO, _named),
    (_FLAG, _named),
    (_JINJA, _named),
    (_ACTION, _named),
    (_MARKED, _named),
    (_CHILD, _named),
    (_BRACED, _named),
    (_MEMBER, _named),
    (_CHAINED, _named),
    (_BARE_CALL, _named),
    (_KEYED, _named_behind),
    (_LISTED, _named_behind),
    (_COPIED, _named),
    (_FALLBACK, _named),
    (_FETCHED, _named),
    (_LISP, _named),
    (_SCOPED, _named),
    (_ROW, _named),
    (_DOCKER, _named),
    (_PARAMETER, _named),
    (_STORED, _named),
)
"""Patterns for a text that contains a word for a secret, and how to rewrite each match."""
PLACE_RULES: tuple[tuple[bytes, Callable[[Match], Iterator[Change]]], ...] = (
    (_DATABASE, _placed),
    (_CONNECTED, _placed_by_chance),
    (_SECURED, _placed),
    (_INLINE_LOGIN, _placed_word),
    (_LOGGED_IN, _placed),
    (_LOGGED_IN_AT, _placed),
    (_LOGGED_IN_FOR, _placed),
    (_CLIENT, _placed_with_number),
    (_HANDED_OVER, _placed_word),
    (_USER_AND_PASSWORD, _placed_word),
    (_HTPASSWD, _placed_word),
)
"""The same for every text."""
