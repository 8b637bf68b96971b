"""Spoken values: passwords in notes, manuals and lists of accounts.

`log in as root with the password …`, `ssh host  pw: …`, `password \\texttt{…}`, `**Psk:** …`, lines
of `mail@host:…`. Prose mentions passwords far more often than it contains one. So a word must look
unlike ordinary words, or be marked as a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sightline.egress.generated import is_generated
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form
from sightline.egress.secret_patterns import (
    SecretPatternSet,
    compiled,
    compiled_for_values,
    texts,
)
from sightline.egress.value_forms import is_password
from sightline.egress.weak import is_weak_content
from sightline.text import Span

_PASSWORD = (
    rb"(?:passwor[dt]|passwd|passphrase|passcode|pwd|pw|psk|pass|kennwort|wachtwoord|senha|clave"
    rb"|contrase(?:\xc3\xb1|n)a|mot[ \-]de[ \-]passe|haslo|has\xc5\x82o|parola|heslo|losenord"
    rb"|l\xc3\xb6senord|\xd0\xbf\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8c)"
)
_EMPHASISED = compiled(
    rb"(?i)\b(?:[a-z]+[_\-])?"
    + _PASSWORD
    + rb"(?:\*\*|__|</[a-z]{1,6}>|\})?[ \t]{0,2}(?:is\b|:|=|\xef\xbc\x9a)?"
    rb"(?:\*\*|__|</[a-z]{1,6}>)?"
    rb"[ \t]{0,2}(\*\*|``|\\[a-z]{2,12}\{|\\verb\*?[|+!]|<(?:code|b|strong|kbd|tt|em|i|samp)>)[^\s]"
)
_SAID = compiled(
    rb"(?i)\b(?:with|use|using|enter|type|try|set|log[ \-]?in|sign[ \-]?in"
    rb"|(?:user(?:name)?|login)[ \t]+\S+)[ \t](?:[^\r\n.;:(){}\"'`=]{0,60}[ \t])?"
    + _PASSWORD
    + rb"[ \t]+(?:(?:is|of|to)[ \t]+)?([^\s\"'`][^\s]{4,199})"
)
_BESIDE_USER = compiled(
    rb"(?im)^[ \t]*(?:#|//|;|--|\*)?[ \t]*(?:user(?:name)?|login)[ \t]+[^\s:=]+[ \t]+"
    rb"(?:password|passwd|pass|pwd|pw)[ \t]+([^\s]{4,200})[ \t]*\r?$"
)
_NOTED = compiled(
    rb"(?im)\b(?:ssh|s?ftps?|rdp|vnc|telnet|mysql|psql|log[ \-]?in|user(?:name)?|host|wi-?fi|ssid"
    rb"|account|admin|root|vpn|https?://\S+)\b[^\r\n{}\"'`=]*[ \t,;(/|]"
    rb"(?:password|passwd|passwort|pass|pwd|pw)[ \t]?[:=][ \t]{0,3}([^\s\"'`]{4,200})[ \t)]*\r?$"
)
_LINKED = rb"(?:is|lautet|ist|es|est|era|jest|:|=|->|=>|-|\.{3,}|\xef\xbc\x9a)"
_TOLD = compiled(
    rb"(?i)\b"
    + _PASSWORD
    + rb"(?:(?:[ \t]for[ \t][^\s:]+|[ \t]?\([^()\r\n]{1,30}\))[ \t]?"
    + _LINKED
    + rb"|\*{1,2}[ \t]?[:=]|:\*{1,2}|[ \t](?:lautet|ist|es|est|jest|is)|[ \t](?:->|-|\.{3,})"
    + rb")[ \t]+`?([^\s\"'`][^\s`]{4,199})"
)
# In a comment, a log or a list item, outside of a program.
_REMARKED = compiled(
    rb"(?im)^[ \t]*(?://|#|--|<!--|/?\*|;|rem\b|\[[a-z]+\]|[0-9]{4}-[0-9]{2}-|<(?:li|p|td|div)>|\|)"
    rb"[^\r\n\"'`{}=]*?\b"
    + _PASSWORD
    + rb"[ \t]?(?:"
    + _LINKED
    + rb"|\|)[ \t]{0,8}([^\s\"'`<|][^\s<|]{3,199})"
)
# A label followed by its owner: `Mot de passe SMTP : …`.
_LABELLED = compiled(
    rb"(?im)^[ \t*#>\-]*(?:[^\s:=\"'(){}]+[ \t]){0,3}"
    + _PASSWORD
    + rb"(?:[ \t][^\s:=\"'(){}]+){1,5}[ \t]?:[ \t]+([^\s\"'`][^\s]{4,199})[ \t]*\r?$"
)
_PAIRED = compiled(
    rb"(?i)\b(?:credentials?|creds|log[ \-]?ins?|accounts?|user(?:name)?/pass(?:word)?|u/p"
    rb"|user/pw)\b[^\r\n/:\"'`(){}=]{0,40}[: \t][ \t]{0,4}[a-z0-9_.@\-]{2,60}(?:[ \t]/[ \t]|/|:)"
    rb"([^\s\"'`/]{5,60})"
)
_COMBINATIONS = compiled(
    rb"(?m)(?:^[ \t>]*[A-Za-z0-9_.+\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]+[:;|][^\s]+[ \t]*(?:\r?\n|$)){2,}"
)
_COMBINATION = compiled_for_values(rb"(?m)^[ \t>]*[^\s@]+@[A-Za-z0-9.\-]+[:;|]([^\s]+)")
_LETTER = compiled_for_values(rb"[A-Za-z]")
_DIGIT = compiled_for_values(rb"[0-9]")
_INNER_SIGN = compiled_for_values(rb"[A-Za-z0-9][@$#!%^&*+][A-Za-z0-9]")
_EXPRESSION = compiled_for_values(rb"[()\[\]{}<>=/\\\"'`,;|]|::|->|^[-.$%&@#*:]|\.[a-z]|^[A-Z_]+$")
_NUMBERED_WORDS = compiled_for_values(rb"[A-Za-z]{3,}\.[A-Za-z]{3,}[0-9]{2,}")
_TECHNICAL = compiled_for_values(
    rb"(?i)(?:sha|md|crc|curve|ed|base|utf|oauth|https?|v|ipv?|x|rfc|php|python|win|argon"
    rb"|b?crypt|pbkdf|aes|des|s|ec|k"
    rb"|i|l|tls|ssl|wpa|mysql|sql)[\-_.]?[0-9][0-9.\-_a-z]{0,16}"
    rb"|(?:web|auth|(?:new|old)?_?pass(?:word|wd)?|pwd|user|option|type|level|test|part|step|key|token"
    rb"|secret|str(?:ing)?|u?int|char|arg|param|value|val)[\-_.]?[0-9]"
    rb"|[0-9]+[\-_]?(?:st|nd|rd|th|x|px|s|ms|min|h|d|fa|mb|kb|bit|byte|char)?s?"
)
_PLAIN_WORD = compiled_for_values(rb"[A-Za-z]{4,40}")
_LABEL_END = compiled_for_values(rb"`?[ \t]{0,40}(?:\||</|\r?\n|$)")
_USER_LABEL = compiled_for_values(
    rb"(?i)\b(?:user(?:[ _]?name)?|login|e?-?mail|ssid)\b[*`\"']{0,2}(?:</[a-z]+>)?"
    rb"[ \t]{0,20}(?:[:|]|<td)[^\r\n]*[^\s|:]"
)
_LABEL_REACH = 12
_USER_REACH = 160
_END = b".,;:)*'\""
_LONGEST = 200
_SHORTEST = 4


def spoken_secrets(data: bytes) -> Iterator[Finding]:
    if texts.told_in(data):
        for index in _TOLD_SIGNS.found_in(data):
            yield from _TOLD_RULES[index][1](data)
    for index in _SIGNS.found_in(data):
        yield from _RULES[index][1](data)


def _emphasised(data: bytes) -> Iterator[Finding]:
    for found in _EMPHASISED.finditer(data):
        opening, start = found.group(1), found.end() - 1
        end = data.find(_closing(opening), start, start + _LONGEST)
        if end < 0 or b"\n" in data[start:end]:
            continue
        # After a colon there is a value; after a space it may be the name of a field.
        is_labelled = data[found.start() : found.start(1)].rstrip(b" \t*_").endswith((b":", b"="))
        if is_labelled or opening[:1] == b"\\" or is_made_up_word(data[start:end]):
            yield from _judged(data, start, end)


def _closing(opening: bytes) -> bytes:
    if opening[:1] == b"<":
        return b"</"
    if opening[:1] == b"\\":
        return b"}" if opening[-1:] == b"{" else opening[-1:]
    return opening


def _said(data: bytes) -> Iterator[Finding]:
    for pattern in (_SAID, _NOTED, _TOLD, _REMARKED, _LABELLED):
        for found in pattern.finditer(data):
            start, end = found.start(1), found.end(1)
            value = data[start:end]
            if is_generated(value):
                yield from _judged(data, start, end)
            elif is_made_up_word(word := value.rstrip(_END)) or _is_beside_user(data, start, end):
                yield from _judged(data, start, start + len(word))


def _is_beside_user(data: bytes, start: int, end: int) -> bool:
    """Whether a plain word is all that a label has, and the label of a user stands before it."""
    if _PLAIN_WORD.fullmatch(data, start, end) is None or _LABEL_END.match(data, end) is None:
        return False
    if data[max(0, start - _LABEL_REACH) : start].rstrip(b" \t*`")[-1:] not in (b":", b"|", b">"):
        return False
    return _USER_LABEL.search(data, max(0, start - _USER_REACH), start) is not None


def _paired(data: bytes) -> Iterator[Finding]:
    for found in _PAIRED.finditer(data):
        word = found.group(1).rstrip(_END)
        if is_made_up_word(word) and _DIGIT.search(word) is not None:
            yield from _judged(data, found.start(1), found.start(1) + len(word))


def _beside_users(data: bytes) -> Iterator[Finding]:
    for found in _BESIDE_USER.finditer(data):
        if not _is_expression(found.group(1)):
            yield from _judged(data, found.start(1), found.end(1))


def _combinations(data: bytes) -> Iterator[Finding]:
    """Find several lines, each with a mail address and a password."""
    for block in _COMBINATIONS.finditer(data):
        for found in _COMBINATION.finditer(data, block.start(), block.end()):
            start, end = found.start(1), found.end(1)
            if b"/" not in found.group(1) or is_generated(found.group(1)):
                yield from _judged(data, start, end)


def is_made_up_word(value: bytes) -> bool:
    """True if no sentence contains such a word: letters with digits, or with a
    sign between them.
    """
    if _LETTER.search(value) is None or _is_expression(value):
        return is_generated(value)
    if _TECHNICAL.fullmatch(value) is not None:
        return False
    return _DIGIT.search(value) is not None or _INNER_SIGN.search(value) is not None


def _is_expression(value: bytes) -> bool:
    return _EXPRESSION.search(value) is not None and _NUMBERED_WORDS.fullmatch(value) is None


def _judged(data: bytes, start: int, end: int) -> Iterator[Finding]:
    value = data[start:end]
    if len(value) < _SHORTEST:
        return
    span = Span(start, end)
    is_weak = is_weak_content(value, b"password", Form.WORD)
    if is_generated(value) or (is_weak and is_password(value)):
        yield Finding(span, "spoken-password", "password", Certainty.CERTAIN, True)
    elif is_weak:
        yield Finding(span, "weak-password", "weak", Certainty.WEAK, True)


# What a text must contain for a rule to be tried, and the rule. The rules for telling words come
# first.
_TOLD_RULES: tuple[tuple[bytes, Callable[[bytes], Iterator[Finding]]], ...] = (
    (
        rb"(?i)"
        + _PASSWORD
        + rb"[^\r\n]{0,12}(?:\*\*|``|\\[a-z]|<(?:code|b|strong|kbd|tt|em|i|samp)>)",
        _emphasised,
    ),
    (rb"(?i)" + _PASSWORD + rb"(?:[ \t]+[^\s]|[ \t]?[:=|*(])", _said),
)
_RULES: tuple[tuple[bytes, Callable[[bytes], Iterator[Finding]]], ...] = (
    (rb"(?i)\b(?:credentials?|creds|log[ \-]?ins?|accounts?|pass(?:word)?|u/p|user/pw)\b", _paired),
    (
        rb"(?i)(?:user(?:name)?|login)[ \t]+[^\s:=]+[ \t]+(?:password|passwd|pass|pwd|pw)[ \t]",
        _beside_users,
    ),
    (rb"(?m)^[ \t>]*[A-Za-z0-9_.+\-]+@[A-Za-z0-9.\-]+[:;|][^\s/]", _combinations),
)
_TOLD_SIGNS = SecretPatternSet(sign for sign, _ in _TOLD_RULES)
_SIGNS = SecretPatternSet(sign for sign, _ in _RULES)
