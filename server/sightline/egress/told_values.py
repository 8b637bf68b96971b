"""Told values: passwords in sentences and notes in any human language.

`das Passwort für den Router lautet …`, `пароль от базы — …`, `密码是 …`, `password:` with the value
below it, `with the password` and a value in backticks. Only words that do not occur in sentences
are taken.
"""

from __future__ import annotations

from collections.abc import Iterator

from sightline.egress.generated import is_generated
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form
from sightline.egress.secret_patterns import (
    SecretPatternSet,
    compiled,
    compiled_for_texts,
    compiled_for_values,
    texts,
)
from sightline.egress.spoken import is_made_up_word
from sightline.egress.telling_words import FOREIGN_PASSWORDS, FOREIGN_PHRASES
from sightline.egress.value_forms import is_password
from sightline.egress.weak import is_weak_content
from sightline.text import Span

_ASCII = (
    rb"(?:pass(?:wor[dt]|wd|phrase|code|ord)|pwd|pw|"
    + b"|".join(word for word in FOREIGN_PASSWORDS if word.isascii() and len(word) > 4)
    + rb"|palavra[ \-]passe|mot[ \-]de[ \-]passe|"
    + b"|".join(b"[ \\-]".join(words) for words in FOREIGN_PHRASES if b"".join(words).isascii())
    + rb")"
)
_OTHER = (
    rb"(?:"
    + b"|".join(word for word in FOREIGN_PASSWORDS if not word.isascii())
    + "|رمز عبور|كلمة المرور|كلمة السر|mật khẩu|비번|parolă)".encode()
)
_PASSWORD = rb"(?:\b" + _ASCII + rb"\b|" + _OTHER + rb")"
_WORDS = rb"(?:[ \t][^\s:=\"'`(){}<>;,]{1,24}){0,5}"
_LINK = (
    rb"(?:[ \t](?i:is(?:[ \t](?:now|still))?|was|lautet|ist|es|est|era|jest|to|on|er|var|je"
    rb"|\xc3\xa9|\xc3\xa8|\xc3\xa4r)[ \t:]|[ \t]?(?::|->|=>|\xe2\x80\x94|\xe2\x80\x93"
    rb"|\xef\xbc\x9a|\xe2\x86\x92)[ \t]|[ \t]-{1,2}[ \t])"
)
_SENTENCE = (
    rb"(?i)" + _PASSWORD + _WORDS + _LINK + rb"[ \t]{0,3}`?([!#-&*-;?-Z^_a-z~][^\s\"'`]{4,80})"
)
# Without blanks, as Chinese, Japanese and Korean are written.
_UNSPACED = (
    "(?:パスワード|暗証番号|密码|密碼|口令|비밀번호|비번|암호|패스워드)"
    '(?:は|が|是|为|為|은|는|이|가|:|：|=|＝)[ \t]?(?:「|『|“|"|`|【)?([!#-&*-~][!#-&(-~]{3,60})'
).encode()
_IN_BACKTICKS = rb"(?i)" + _PASSWORD + rb"(?:[ \t](?:is|of))?[ \t]`([^`\s]{4,80})`"
_LAST = (
    rb"(?im)[,;(][ \t]{1,4}(?:password|passwd|passwort|kennwort|pass|pwd|pw)[ \t]{1,4}([^\s]{5,80})"
    rb"[ \t]*\r?$"
)
_BELOW_LABEL = (
    rb"(?im)^[ \t>*\-]*(?:password|passwort|kennwort|passwd|pwd|pw|passphrase)[ \t]*:?\r?\n"
    rb"[ \t]*([^\s\"'`:=]{6,40})[ \t]*\r?$"
)
_SIGN_IN = (
    rb"(?i)(?:log|sign)[ \-]?(?:in|on)[ \t](?:with|as|using)[ \t][^\r\n/]{1,40}/[ \t]?[*`\"']{0,2}"
    rb"([^\s*`\"'/]{5,60})"
)
# Between backticks it may contain any sign.
_SIGN_IN_LITERAL = (
    rb"(?i)(?:log|sign)[ \-]?(?:in|on)[ \t](?:with|as|using)[ \t][^\r\n/]{1,40}/[ \t]?"
    rb"`([^`\s]{5,120})`"
)
_CODE_WORD = (
    rb"(?i)\b(?:pin|puk|(?:safe|door|alarm|gate|entry|lock|vault|elevator)[ _\-]code)"
    rb"(?:[ \t]{0,2}[:=]|[ \t]is)?[ \t]{1,2}([0-9]{4,8})\b"
)
_BELOW = (
    rb"(?im)^[ \t]*[\w.\-]*(?:password|passwd|passphrase|passwort|pwd)[ \t]*:[ \t]*\r?\n"
    rb"[ \t]+([^\s:#\-][^\s:]{4,80})[ \t]*\r?$"
)
_LABEL = (
    rb"(?im)^[ \t>*]*(?:[A-Za-z]+[ \t]){1,4}(?:password|passwd|passphrase|pwd)[ \t]{0,2}=[ \t]"
    rb"([^\s\"'`]{5,80})[ \t]*\r?$"
)
_PIN = (
    rb"(?i)(?:^|[^A-Za-z0-9])(?:[A-Za-z]+[_ \-])?pin(?:[_ \-]?code)?[\"']?[ \t]{0,2}[:=][ \t]{0,2}"
    rb"[\"']?([0-9]{4,8})(?:[\"']|\s|$)"
)
# A plain word that ends a sentence, or is the only text after the name of a setting.
_PLAIN_SENTENCE = (
    rb"(?im)" + _PASSWORD + rb"(?:[ \t][^\s:=\"'`(){}<>;,.]{1,24}){0,6}" + _LINK
    + rb"[ \t]{0,3}(?:\*\*|`|[\"'])?([A-Za-z]{4,24})(?:[.!][ \t]|[.!,;*`\"'/]{0,4}[ \t]*\r?$"
    rb"|[ \t](?:for|on|until|now)[ \t])"
)  # fmt: skip
_PLAIN_SETTING = (
    rb"(?im)^[ \t]*[a-z0-9]+(?:[_.\-][a-z0-9]+)*[_.\-](?:password|passwd|passphrase|pass|pwd|pw)"
    rb"[ \t]+([A-Za-z]{4,24})[ \t]*;?\r?$"
)
# A label in bold, followed by one word.
_PLAIN_LABEL = (
    rb"(?im)^[ \t]*(?:[-*+][ \t]+|[0-9]{1,2}[.)][ \t]+)?(?:\*\*|__)(?:[^\s*:_]{1,24}[ \t]){0,3}"
    + _PASSWORD
    + rb"(?:[ \t][^\s*:_]{1,24}){0,3}(?::(?:\*\*|__)|(?:\*\*"
    rb"|__)[ \t]?:)[ \t]+([A-Za-z]{4,24})[ \t]*\r?$"
)
_PLAIN = tuple(map(compiled, (_PLAIN_SENTENCE, _PLAIN_SETTING, _PLAIN_LABEL)))
# A word or a phrase that a sentence marks as a literal.
_LITERAL = (
    rb"(?i)(?:" + _PASSWORD + rb"|\bgeheim\b|\bsegreto\b|\bsecreto\b)"
    rb"[ \t](?:is|lautet|ist|es|est|era|jest|\xc3\xa8|\xc3\xa9)[ \t]{1,3}"
    rb"(?:``([^`\r\n]{4,80})``|`([^`\r\n]{4,80})`|\\verb\*?\|([^|\r\n]{4,80})\||\\verb\*?!([^!\r\n]{4,80})!"
    rb"|\\verb\*?\+([^+\r\n]{4,80})\+|\*\*([^*\r\n]{4,80})\*\*)"
)
_LITERAL_PATTERN = compiled_for_texts(_LITERAL)
_PLAIN_SIGN = compiled(
    rb"(?i)"
    + _PASSWORD
    + rb"[^\r\n\"'`(){}<>;]{1,160}[a-z]{4}"
    + rb"|[_.\-](?:password|passwd|passphrase|pass|pwd|pw)[ \t]+[a-z]{4}"
)
_STATES = frozenset(
    b"blank correct corretto different empty false good here incorrect invalid invalide known ldap"
    b" long missing needed none null onjuist optional plain plaintext possible present public right"
    b" safe same sent short strong there true unknown valid weak wrong required case sensitive that"
    b" this what your with used only text then used both also just hard easy open true more less"
    b" incorrecta incorrecto correcta correcto incorreta incorreto errata erronea invalida"
    b" invalido requerida obbligatoria obligatoria bijgewerkt onjuist vereist felaktig forkert feil"
    b" falsch leer richtig vide vacia errata ok base string bytes".split()
)
"""Words that describe a password instead of giving it."""
_STATE_ENDINGS = (b"ed", b"ing", b"able", b"ible", b"ory", b"ally", b"word", b"wort", b"phrase")
_RULES = (
    (_PASSWORD + rb"[^\r\n]", _SENTENCE),
    ("パスワード|暗証番号|密码|密碼|口令|비밀번호|비번|암호|패스워드".encode(), _UNSPACED),
    (rb"[ \t]`[^`\s]{4}", _IN_BACKTICKS),
    (rb"(?i)[,;(][ \t]{1,4}(?:password|passwd|passwort|kennwort|pass|pwd|pw)[ \t]", _LAST),
    (rb"(?im)(?:password|passwort|kennwort|passwd|pwd|pw|passphrase)[ \t]*:?\r?$", _BELOW_LABEL),
    (rb"(?im)(?:password|passwd|passphrase|passwort|pwd)[ \t]*:[ \t]*\r?$", _BELOW),
    (rb"(?i)[ \t](?:password|passwd|passphrase|pwd)[ \t]{0,2}=[ \t]", _LABEL),
)
_PATTERNS = tuple(compiled(source) for _, source in _RULES)
_SIGNS = SecretPatternSet(rb"(?i)" + sign for sign, _ in _RULES)
_SIGNED_IN = tuple(map(compiled_for_texts, (_SIGN_IN_LITERAL, _SIGN_IN)))
_NUMBERS = (compiled_for_texts(_PIN), compiled_for_texts(_CODE_WORD))
_SEEMS_NUMBER = (b"pin", b"PIN", b"Pin", b"PUK", b"code", b"Code", b"CODE")
_PURPOSE = compiled_for_values(
    rb"(?i)(?:password|passwd|passphrase|passcode|pwd)s?[ \t]+(?:to|on)[ \t]+$"
)
_SETTING_VERB = compiled_for_values(
    rb"(?i)\b(?:set|chang|reset|updat|switch|rotat|now|back)[a-z]*\b.*\bto\b"
)
_SENTENCE_REACH = 120
_END = b".,;:)*'\"!?"
_ORDINARY = compiled_for_values(
    rb"[A-Za-z]+[.!?]?|[0-9.,:/\-]+|https?:.*|[^\s]*[(){}\[\]<>=][^\s]*"
)
_MEMORABLE = compiled_for_values(rb"[A-Za-z]{3,12}(?:[\-_.][A-Za-z]{3,12}){3,6}")


def told_values(data: bytes) -> Iterator[Finding]:
    if texts.told_in(data):
        yield from _told(data)
    for pattern in _SIGNED_IN:
        for found in pattern.finditer(data):
            yield from _judged(data, found.start(1), found.end(1))
    if not any(word in data for word in _SEEMS_NUMBER):
        return
    for pattern in _NUMBERS:
        for found in pattern.finditer(data):
            if len(set(found.group(1))) > 1:
                yield _weak(found.start(1), found.end(1))


def _told(data: bytes) -> Iterator[Finding]:
    for index in _SIGNS.found_in(data):
        for found in _PATTERNS[index].finditer(data):
            yield from _judged(data, found.start(1), found.end(1))
    yield from _literals(data)
    if _PLAIN_SIGN.search(data) is not None:
        for pattern in _PLAIN:
            for found in pattern.finditer(data):
                if _is_told(found.group(1).lower()) and not _is_purpose(data, found.start(1)):
                    yield _weak(found.start(1), found.end(1))


def _literals(data: bytes) -> Iterator[Finding]:
    for found in _LITERAL_PATTERN.finditer(data):
        group = next(index for index in range(1, 7) if found.start(index) >= 0)
        value = found.group(group)
        is_word = value.isalpha() and value.isascii()
        if _is_told(value.lower()) if is_word else is_weak_content(value, b"password", Form.QUOTED):
            yield _weak(found.start(group), found.end(group))


def _is_told(word: bytes) -> bool:
    """True if a plain word is a value there: sentences often mention passwords
    without giving one.
    """
    return (
        word not in _STATES
        and not word.endswith(_STATE_ENDINGS)
        and is_weak_content(word, b"password", Form.WORD)
    )


def _is_purpose(data: bytes, start: int) -> bool:
    """True if a sentence says what a password is for, or where it is used: `the
    password to check`.
    """
    before = data[max(0, start - _SENTENCE_REACH) : start].rpartition(b"\n")[2]
    return _PURPOSE.search(before) is not None and _SETTING_VERB.search(before) is None


def _weak(start: int, end: int) -> Finding:
    return Finding(Span(start, end), "weak-password", "weak", Certainty.WEAK, True)


def _judged(data: bytes, start: int, end: int) -> Iterator[Finding]:
    value = data[start:end]
    if not is_generated(value):
        value = value.rstrip(_END)
        is_memorable = _MEMORABLE.fullmatch(value) is not None and not value.islower()
        if _ORDINARY.fullmatch(value) is not None:
            return
        if not is_memorable and not is_made_up_word(value):
            return
        if not is_memorable and not is_weak_content(value, b"password", Form.WORD):
            return
    span = Span(start, start + len(value))
    if is_generated(value) or (is_password(value) and len(value) >= 10):
        yield Finding(span, "spoken-password", "password", Certainty.CERTAIN, True)
    else:
        yield _weak(span.start, span.end)
