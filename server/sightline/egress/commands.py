"""Passwords that are told by their place: an option of a command, an argument of a call.

Their name is not beside them; the program or the function says what stands there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sightline.egress.generated import is_generated
from sightline.egress.headers import is_opaque, is_secret_word
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form, closing
from sightline.egress.own_names import is_named_otherwise
from sightline.egress.randomness import is_random
from sightline.egress.secret_patterns import (
    SecretPattern,
    SecretPatternSet,
    compiled,
    compiled_for_texts,
    compiled_for_values,
)
from sightline.egress.value_forms import is_patchwork
from sightline.egress.weak import is_weak_content
from sightline.text import Span

_USER_OPTION = compiled(
    rb"(?i)\b(?:curl|https?|xh)\b[^\r\n]{0,300}?[ \t](?:-u|-a|--user|--auth|--proxy-user)[ =]{0,2}"
    rb"[\"']?([A-Za-z0-9_.@\-]{1,80}):[\"']?([^\s\"']{6,200})"
)
_PROGRAM = (
    rb"(?i)\b(?:sshpass|psexec(?:64)?(?:\.exe)?|(?:docker|podman|registry|az|oc|helm|ibmcloud|cf)"
    rb"[ \t](?:registry[ \t])?login|mysql|mysqldump|mysqladmin|mariadb|sqlcmd|osql|isql|bcp|tsql"
    rb"|redis-cli|ldap(?:search|add|modify|passwd|whoami)|smbclient|ipmitool|mongo(?:sh|dump|restore)?"
    rb"|cqlsh|mosquitto_(?:pub|sub)|useradd|usermod|unzip|zip|7za?|rdesktop|crackmapexec|evil-winrm"
    rb"|snmpwalk|security[ \t](?:unlock-keychain|create-keychain|import)"
    rb"|impala-shell|beeline|vsql|gsec|hdbsql|db2|plink|pscp|neo4j-admin|cypher-shell)\b"
)
_SHORT_OPTION = compiled(
    _PROGRAM + rb"[^\r\n]{0,300}?[ \t]-[pPawXA][ \t]?[\"']?([^\s\"'][^\s]{3,200})"
)
_KEY_PROGRAM = (
    rb"(?i)\b(?:doctl|codecov|nuget|vercel|netlify|surge|snyk|heroku|flyctl|cargo[ \t]login"
    rb"|composer[ \t]config|bundle[ \t]config|pulumi|ngrok|sentry-cli|argocd)\b"
)
_KEY_ARGUMENT = compiled(
    _KEY_PROGRAM + rb"[^\r\n]{0,200}?[ \t:][\"']?([A-Za-z0-9_\-]{20,200})[\"']?(?:[ \t\r\n]|$)"
)
_PIPED = compiled(
    rb"\becho[ \t]{1,4}(?:-n[ \t]{1,4})?[\"']?(?:[a-z_][a-z0-9_\-]{0,30}:)?([^\s\"'|]{6,400})[\"']?"
    rb"[ \t]{0,4}\|[^\r\n]{0,200}"
    rb"(?:--password-stdin|--passphrase-fd|passwd|sudo[ \t]-S|--with-token)"
)
# The last word of a command that adds a user, and other places of their own.
_PLACED = compiled(
    rb"(?i)(?:\bhtpasswd[ \t]{1,4}-[a-z]*b[a-z]*[ \t]{1,4}(?:-[a-z]{1,4}[ \t]{1,4})*"
    rb"\S{1,200}[ \t]{1,4}\S{1,80}"
    rb"|\brabbitmqctl[ \t]{1,4}(?:add_user|change_password)[ \t]{1,4}\S{1,80}"
    rb"|\bnet[ \t]{1,4}use[ \t]{1,4}(?:[a-z*]:?[ \t]{1,4})?\\\\\S{1,200}"
    rb"|\bnet[ \t]{1,4}user[ \t]{1,4}\S{1,80}"
    rb"|\b(?:smbclient|winexe|rpcclient|net[ \t]rpc)\b[^\r\n]{0,200}[ \t]-U[ \t]?[\"']?"
    rb"[a-z0-9_.\\/@\-]{1,80}%"
    rb"|\blftp\b[^\r\n]{0,200}[ \t]-u[ \t]?[\"']?[a-z0-9_.@\-]{1,80},"
    rb"|[ \t]-pass(?:in|out)?[ \t]{1,4}[\"']?pass:|\b[xw]?l?freerdp\b[^\r\n]{0,200}[ \t]/p:"
    rb"|\bspawn\b[^\r\n]*(?:\r?\n[^\r\n]*){0,6}assword[^\r\n]*\r?\n[ \t]*send[ \t]{1,4}(?:-- )?"
    rb"|\bexpect\b[^\r\n]*assword[^\r\n]*[\r\n;{ \t]+send[ \t]{1,4}(?:-- )?)"
    rb"[ \t]{0,4}[\"']?([^\s\"'\\]{6,200})"
)
_PASSWORD_FILE = compiled(
    rb"(?m)^[A-Za-z0-9_.*\-]{1,100}:(?:[0-9]{2,5}|\*):[A-Za-z0-9_.*\-]{1,60}:[A-Za-z0-9_.\-]{1,60}:"
    rb"([^\s:]{6,120})[ \t\r]*$"
)
# Calls that take a password, and calls that take a key, up to their first string.
_TO_STRING = rb"[ \t]{0,2}(?:[:=][ \t]{0,2})?[(\[][^\r\n\"'`)]{0,100}[\"'`]"
_LOGIN_CALL = (
    rb"(?:login|logon|sign_?in|auth|authenticate|authentication|credentials?|get_?connection|connect"
    rb"|securestring|basic|add_?user|create_?user|mysqli|pdo|sequelize|ldap_?bind|data_?source"
    rb"|send_?line|telnet[a-z0-9_]{0,12}\.write|btoa|base64_?encode|b64encode)"
)
_KEY_CALL = (
    rb"(?:hmac(?:\.new)?|cipher(?:iv)?|aes(?:\.new)?|encrypt|decrypt|sign|sign_?with|verify"
    rb"|jwt[a-z_.]{0,12}|key_?spec|symmetric_?key|secret_?key|base64encoded:|client|handler|api|sdk"
    rb"|twilio|tweepy|oauth[a-z0-9]{0,8})"
)
_LOGIN_CALLED = compiled_for_texts(rb"(?i)" + _LOGIN_CALL + _TO_STRING)
_KEY_CALLED = compiled_for_texts(rb"(?i)" + _KEY_CALL + rb"(?:" + _TO_STRING + rb"|[ \t]?[\"'])")
_STRING = compiled_for_values(rb"([\"'`])([^\s\"'`]{8,160})\1")
_USER_AND = compiled_for_values(rb"[A-Za-z0-9_.@\-]{1,60}:")
_ADDRESS = compiled_for_values(
    rb"[^\s@]+@[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)+$|[a-z+]+://|[./~?&]"
    rb"|[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+){2}|[A-Za-z0-9_.\-]+@localhost$"
)
# A table of users with their passwords.
_TABLE = compiled(
    rb"(?i)\b(?:[a-z_]{0,20}credentials?|creds|logins?|users|accounts)[\"'`]?[ \t]{0,2}(?:[:=]|=>)"
    rb"[ \t]{0,2}[{\[(]\s{0,20}[\[(]?[\"'`][^\r\n\"'`]{1,60}[\"'`][ \t]{0,2}(?:[:,]|=>)[ \t]{0,2}"
    rb"[\"'`]([^\s\"'`]{8,80})[\"'`]"
)
_SECURE_STRING = compiled(rb"(?i)-securestring\b[^\r\n\"']{0,60}[\"']([^\r\n\"']{6,120})[\"']")
_MNEMONIC = compiled(
    rb"(?i)(?:mnemonic|seed|recovery|backup|secret)[_ \-]?(?:phrase|words)?[\"']?[ \t]{0,4}"
    rb"(?:[:=]|is|=>)[ \t]{0,4}[\"'`]?((?:[a-z]{3,8} ){11}(?:(?:[a-z]{3,8} ){3}){0,4}[a-z]{3,8})\b"
)
_SYMBOL = compiled_for_values(rb"[!@#$%^&*?~]")
_NAMED_DIGEST = compiled_for_values(rb"sha[0-9]{1,3}[:\-][0-9a-f]{32}")
_TYPED_END = compiled_for_values(rb"(?:\\[rn]){1,2}$")
_QUOTE = compiled_for_values(rb"[\"']")
_SHORTEST = 6
_LONGEST_CALL = 240


def command_secrets(data: bytes) -> Iterator[Finding]:
    for index in _SIGNS.found_in(data):
        yield from _RULES[index][1](data)


def _user_options(data: bytes) -> Iterator[Finding]:
    for found in _USER_OPTION.finditer(data):
        yield from _password(found.group(2), found.start(2))


def _short_options(data: bytes) -> Iterator[Finding]:
    yield from _passwords(_SHORT_OPTION, data)


def _piped(data: bytes) -> Iterator[Finding]:
    yield from _passwords(_PIPED, data)


def _placed(data: bytes) -> Iterator[Finding]:
    yield from _passwords(_PLACED, data)


def _password_files(data: bytes) -> Iterator[Finding]:
    """As in `.pgpass`: host, port, database and user, and then what they are for."""
    yield from _passwords(_PASSWORD_FILE, data)


def _key_arguments(data: bytes) -> Iterator[Finding]:
    for found in _KEY_ARGUMENT.finditer(data):
        value = found.group(1)
        if is_opaque(value, 20) and any(48 <= byte <= 57 for byte in value):
            yield _certain(found.start(1), value, "command-key", "token")


def _login_calls(data: bytes) -> Iterator[Finding]:
    for start, value in _strings_of_calls(_LOGIN_CALLED, data):
        user = _USER_AND.match(value)
        skipped = user.end() if user else 0
        password = value[skipped:]
        if len(password) >= 8 and _is_argument(password):
            yield _certain(start + skipped, password, "argument-password", "password")


def _key_calls(data: bytes) -> Iterator[Finding]:
    for start, value in _strings_of_calls(_KEY_CALLED, data):
        if _NAMED_DIGEST.match(value) is not None:
            continue
        if len(value) >= 24 and is_opaque(value, 24) and any(48 <= byte <= 57 for byte in value):
            yield _certain(start, value, "argument-key", "token")


def _strings_of_calls(calls: SecretPattern, data: bytes) -> Iterator[tuple[int, bytes]]:
    """The strings among the arguments of calls, each looked at once."""
    position = 0
    while (call := calls.search(data, position)) is not None:
        position = call.end()
        window = data[position - 1 : position + _LONGEST_CALL].partition(b"\n")[0]
        for found in _STRING.finditer(window):
            if is_named_otherwise(data, position - 1 + found.start(2)):
                continue
            yield position - 1 + found.start(2), found.group(2)
        position += max(0, len(window) - 1)


def _is_argument(value: bytes) -> bool:
    """Beyond doubt, since all kinds of names stand there."""
    if not is_secret_word(value) or _ADDRESS.match(value) is not None:
        return False
    if is_random(value, 10) or is_patchwork(value):
        return True
    return _SYMBOL.search(value) is not None and any(48 <= byte <= 57 for byte in value)


def _tables(data: bytes) -> Iterator[Finding]:
    for found in _TABLE.finditer(data):
        value = found.group(1)
        if is_secret_word(value) and any(48 <= byte <= 57 for byte in value):
            yield _certain(found.start(1), value, "argument-password", "password")


def _secure_strings(data: bytes) -> Iterator[Finding]:
    yield from _passwords(_SECURE_STRING, data)


def _mnemonics(data: bytes) -> Iterator[Finding]:
    """Twelve words or more that are a key to a wallet."""
    for found in _MNEMONIC.finditer(data):
        words = found.group(1).split()
        if len(set(words)) * 2 >= len(words):
            yield _certain(found.start(1), found.group(1), "mnemonic", "private_key")


def _passwords(pattern: SecretPattern, data: bytes) -> Iterator[Finding]:
    for found in pattern.finditer(data):
        start = found.start(1)
        quote = data[start - 1 : start]
        end = closing(data, start, quote) if quote in (b'"', b"'") else -1
        if end >= 0:
            yield from _password(_TYPED_END.sub(b"", data[start:end]), start)
        elif len(value := _QUOTE.split(found.group(1), 1)[0]) >= _SHORTEST:
            yield from _password(value, start)


def _password(value: bytes, start: int) -> Iterator[Finding]:
    if is_secret_word(value) or is_generated(value):
        yield _certain(start, value, "command-password", "password")
    elif is_weak_content(value, b"password", Form.WORD) and value[:1] != b"-":
        span = Span(start, start + len(value))
        yield Finding(span, "weak-password", "weak", Certainty.WEAK, True)


def _certain(start: int, value: bytes, detector: str, kind: str) -> Finding:
    return Finding(Span(start, start + len(value)), detector, kind, Certainty.CERTAIN, True)


# What a text must have for a rule to be worth its time, and the rule.
_RULES: tuple[tuple[bytes, Callable[[bytes], Iterator[Finding]]], ...] = (
    (rb"(?i)\b(?:curl|https?|xh)[ \t]", _user_options),
    (_PROGRAM, _short_options),
    (_KEY_PROGRAM, _key_arguments),
    (rb"\becho\b[^\r\n]*\|", _piped),
    (
        rb"(?i)\bhtpasswd|\brabbitmqctl|\bnet[ \t]{1,4}use|smbclient|winexe|rpcclient|\blftp"
        rb"|-pass(?:in|out)?[ \t]|freerdp|\bexpect\b|\bspawn\b",
        _placed,
    ),
    (rb":(?:[0-9]{2,5}|\*):[A-Za-z0-9_.*\-]{1,60}:[A-Za-z0-9_.\-]{1,60}:[^\s:]", _password_files),
    (rb"(?i)" + _LOGIN_CALL + _TO_STRING, _login_calls),
    (rb"(?i)" + _KEY_CALL + rb"(?:" + _TO_STRING + rb"|[ \t]?[\"'])", _key_calls),
    (
        rb"(?i)(?:credentials?|creds|logins?|users|accounts)[\"'`]?[ \t]{0,2}(?:[:=]|=>)"
        rb"[ \t]{0,2}[{\[(]",
        _tables,
    ),
    (rb"(?i)-securestring\b", _secure_strings),
    (rb"(?i)mnemonic|(?:seed|recovery|backup|secret)[_ \-]?(?:phrase|words)", _mnemonics),
)
_SIGNS = SecretPatternSet((sign for sign, _ in _RULES), group="forms")
