"""Weak values: a plain word, number or phrase after a name like `password`.

`hunter2` and `sunshine` look like any word, so the name alone is the evidence. A weak value is only
replaced: it refuses nothing and is not searched for elsewhere. What represents a value (references,
look-ups, types, labels) is not one.
"""

from __future__ import annotations

import itertools
from functools import lru_cache

from sightline.egress.named_values import Form, NamedValue, is_configured
from sightline.egress.randomness import entropy
from sightline.egress.secret_patterns import compiled_for_values
from sightline.egress.settings_lines import Surroundings
from sightline.egress.telling_names import (
    Promise,
    is_plain_word_for_secret,
    is_word_for_secret,
    promise_of,
    words_of,
)
from sightline.egress.telling_words import FOREIGN_PASSWORDS, FOREIGN_WHOLE
from sightline.egress.value_forms import is_digest

PLACEHOLDERS = frozenset(
    b"secret test testing changeme change me your my the this here enter example sample dummy fake"
    b" mock foo bar baz qux foobar placeholder redacted hidden masked removed replace insert todo"
    b" fixme tbd none null nil undefined empty unset default value string text some any"
    b" changeit user"
    b" username admin root guest demo temp tmp abcd abc xxx xxxx invalid wrong".split()
)
"""Words that nobody uses as a password. A value made only of them and of words for a password is
not a finding. The list is part of the documented behaviour: sixty words at most.
"""

_TYPES = frozenset(
    b"string str text bytes byte char varchar nvarchar boolean bool number integer int long float"
    b" double object array list dict tuple map any unknown never void none null nil true false yes"
    b" undefined optional required secretstr secretstring securestring ctype uuid binary blob"
    b" password text varchar2 mixed scalar keyword symbol buffer option maybe data interface"
    b" form json html function async await return const static this self super new inherit"
    # What a browser does with its credentials.
    b" include omit same-origin oauth oauth2".split()
)
_ENDINGS = frozenset(
    b"prod production dev development stage staging test testing qa uat live local main db database"
    b" admin root user smtp mail email mysql postgres pg redis mongo ldap ftp ssh wifi wlan api app"
    b" service client server backup old new default value plain plaintext clear raw string text str"
    b" bd bdd banco base bazy datos utente d ordine usuario benutzer utilisateur gebruiker"
    b" utilizador acceso"
    b" master slave replica env var literal const confirmation confirm again repeat verify".split()
)
"""Words after `password` in a name that still names one."""
_SPEAKING = frozenset(
    b"forgot forgotten reset show hide enter missing invalid incorrect require requires required"
    b" has have is use uses no without verify check validate get generate remember lost encrypt"
    b" existing decrypt hash change update create delete remove revoke refresh max min num count"
    b" total next prev"
    b" previous last first peek expect expected match parse read skip unexpected error bad wrong"
    b" syntax lex lexer sort page continuation cancellation cancel css design punctuation"
    b" id select find bos eos pad unk sep cls mask special stop start end open close".split()
)
"""Words before `password` or `token` in a name that is about one, or about something else."""
_EDIBLE = frozenset((b"pepper",))
"""Words for a secret that have other meanings, and are used as passwords."""
_SPEAKING_PLACEHOLDERS = frozenset(
    b"your fake dummy mock placeholder example sample changeme redacted replace insert xxx".split()
)
"""Placeholders whatever stands beside them."""
_COMPANIONS = frozenset((b"key", b"api", b"auth", b"access", b"client", b"private", b"db"))
"""Words beside those for a secret, in names and in placeholders."""
_ALGORITHMS = frozenset(b"hash hashed encoded encrypted encryption digest sha md5 base64".split())
_KEYS = frozenset((b"key", b"keys"))
_SETTERS = frozenset((b"set", b"with", b"use", b"add", b"put"))
_HALVES = frozenset((b"key", b"code", b"phrase", b"word"))
"""Words that mean a secret only after another word."""
_BEFORE_OWNERS = (b"for", b"of")
_FOREIGN = frozenset(FOREIGN_PASSWORDS) | frozenset(FOREIGN_WHOLE)
_AMBIGUOUS = frozenset((b"pass", b"token", b"clave", b"parole", b"sandi"))
"""Names with many other meanings."""

_BRACKETED = compiled_for_values(
    rb"ENC\[.*|`.*|<[^<>]*>|\[[^\[\]]*\]|\{.*\}|\(.*\)|%[^%]+%|@[^@]+@|__\w+__|\*\*?\w+\*\*?|:[a-z_]\w*|\*+.*\*+"
)
_TEMPLATE = compiled_for_values(
    rb"\$\{|\$\(|\$\[|#\{|\{\{|\{%|<%|\[\[|%\(\w|\{[A-Za-z_][\w.:!\[\]()]*\}|\{\d?\}|\\\(|<\?|%[sdvq@]|%\d"
    rb"|\{0|(?:^|[^A-Za-z0-9])\$[A-Za-z_]|^\$|\$[A-Z]+_[A-Z_]+|\$(?i:[a-z]*(?:pass|pwd|token|secret|user))"
)
_REFERENCE = compiled_for_values(
    rb"[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.|/|:|\[)[A-Za-z_$\"'][\w$\"'\])]*)+(?:\(.*\)?)?;?"
    rb"|[A-Za-z_$][\w$.:]*\(.*|[#.][A-Za-z][\w\-]*|[&*!@][A-Za-z_][\w.\-]*|!{1,2}[A-Za-z:]+(?: .*)?"
    rb"|(?:https?|file|arn|urn|env|vault|ssm|sm|secret|op|kms|sops|doppler|base64|ref|aws)[:|].*"
    rb"|[\[{(].*|.*[\[({]|-+[A-Za-z][\w\-]*|\\?[A-Za-z]+(?:\\[A-Za-z]+)+|&[a-z]+;?|&'.*|.*=>.*"
)
_NUMBERED_WORDS = compiled_for_values(rb"[A-Za-z]{3,}\.[A-Za-z]{2,}[0-9]{2,}")
# `#Admin1794`: no selector and no reference has such an ending.
_NUMBERED_SIGN = compiled_for_values(rb"[#*!@&][A-Za-z][A-Za-z0-9]{3,}[0-9]{2,}")
_ESCAPED_DOLLAR = b"\\$"
_PATTERN = compiled_for_values(
    rb"\[[^\]]*[a-zA-Z0-9]-[a-zA-Z0-9]|\\[dwsSWb]|\.[*+]|\(\?|^\^.*\$$|\{\d+,?\d*\}"
)
_PATH = compiled_for_values(
    rb"(?i)(?:[a-z]:)?[/\\]|\.{1,2}/|~/|.*://|(?:[\w.@\-]+/)+[\w.@\-]*$|.*</|.*/>"
    rb"|.*\.(?:com|conf|cfg|crt|css|env|gif|go|gz|html?|ini|io|java|jks|jpe?g|json|js|key|log|md|net"
    rb"|org|p12|pem|pfx|php|png|properties|py|rb|svg|text|toml|ts|tsx|txt|vue|xml|ya?ml|zip)$"
)
_CONSTANT = compiled_for_values(rb"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
# `SOMMER_3944`: a word and a number that is not an index.
_NUMBERED_CONSTANT = compiled_for_values(rb"[A-Z]{3,}[_][0-9]{3,6}")
_IDENTIFIER = compiled_for_values(rb"[A-Za-z_]+(?:[_\-.][A-Za-z]+)*")
_SENTENCE = compiled_for_values(rb"[A-Z\"'(\xc3-\xff].*[.:!?\u2026)]$".replace(b"\\u2026", b""))
_DIGIT = compiled_for_values(rb"[0-9]")
_SIGN = compiled_for_values(rb"[!@#$%^&*?~+=]")
_LETTER = compiled_for_values(rb"[A-Za-z\x80-\xff]")
_WORD = compiled_for_values(rb"[A-Za-z_\-]+")
_PUNCTUATED = compiled_for_values(rb"[\"(=<>`|]|[,:;] | - | /")
_SPACE = compiled_for_values(rb"[ \t]")
_FUNCTION_WORDS = frozenset(
    b"the a an your my is are was be to for of with not this that when from and or in on if it as"
    b" by option flag argument parameter value cannot requires required command field"
    b" must should can will may has have no at only use used uses using you we i its their which"
    b" all le la les de du des un une el los der die das den ein eine und".split()
)
_EXPLAINING = frozenset(
    b"must should cannot can will may required requires require enter used use uses using"
    b" your if when which set optional default provide file user users login account server"
    b" not invalid valid field option flag argument parameter value values command least characters"
    b" character letters digits long short missing does do match matches see same above below leave"
    b" blank generated stored given name type string random unique current reset sent send"
    b" request response client api auth authentication for from this that was were been be are has"
    b" have only".split()
)
"""Words in texts about passwords, and in few passwords."""
_ALGORITHM = compiled_for_values(
    rb"(?i)(?:scram[\-_])?(?:hs|rs|es|ps|sha|md|aes|rsa|ed|hmac|utf)[\-_]?[0-9]{1,5}"
    rb"(?:[\-_][a-z]{2,6}){0,2}"
)
# `setPasswordCommandV1`, `GetOAuth2GrantByID`: program names with a version in them.
_VERSIONED = compiled_for_values(
    rb"(?:[A-Za-z][A-Za-z0-9]*\.)?_?[A-Za-z]{3,}(?:V[0-9](?:(?:[Aa]lpha|[Bb]eta)[0-9])?|OAuth2|Http2"
    rb"|IPv[46]|Utf8|Sha(?:1|256|512)|Base64|X509)(?:[A-Z][A-Za-z]*)?"
)
# `testpassword`, `dummytoken`: one of the words says that it is not a real one.
_GLUED = compiled_for_values(
    rb"(?i)(?:my|the|new|old|a|some|any|bad|wrong|invalid|valid|admin|user|root|db|api|auth|role)?"
    rb"(?:test(?:ing)?|dummy|fake|mock|sample|example|wrong|invalid|placeholder|changeme)"
    rb"(?:my|admin|user|root|db|api|auth|role|access|client)?"
    rb"(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|value|string)?[0-9]?"
)
_CALL = compiled_for_values(rb"([A-Za-z_]+)[ \t]?[(\[][ \t\r\n]*[a-zA-Z]?[\"'`]$")
_MAKE_VARIABLE = compiled_for_values(
    rb"(?:export[ \t]+|override[ \t]+)?[A-Z][A-Z0-9_]*[ \t]*(?::{1,2}|\?)=[ \t]*"
)
_STORING = frozenset(
    b"get getenv env put set setdefault setenv property define fetch config param".split()
)
_IN_QUOTES = frozenset((Form.QUOTED, Form.COMPARED, Form.CALL, Form.ARGUMENT, Form.SPOKEN))
_LONGEST = 200
_SHORTEST = 4
_LEAST_ENTROPY = 1_400


@lru_cache(maxsize=8_192)
def weak_promise(name: bytes) -> Promise:
    """Return PASSWORD or SECRET if a literal after this name is a weak value, otherwise NONE."""
    parts = name.strip(b".-").rsplit(b".", 2)
    last = parts[-1] or name
    if len(parts) > 1 and last.lower() in _HALVES:
        # `service.api.key`
        last = parts[-2] + b"_" + last
    words = [word for word in words_of(last) if not word.isdigit()]
    for owner in _BEFORE_OWNERS:
        if owner in words[1:]:
            # `password_for_admin`
            words = words[: words.index(owner, 1)]
    while len(words) > 1 and words[-1] in _ENDINGS and not is_word_for_secret(*words[:-3:-1]):
        words.pop()
    # In many languages the owner follows: `senha_do_banco`.
    leads = any(word not in _AMBIGUOUS and word in _FOREIGN for word in words)
    if not words or not (
        leads or is_word_for_secret(words[-1], words[-2] if len(words) > 1 else b"")
    ):
        return Promise.NONE
    if not _SPEAKING.isdisjoint(words[:-1]):
        return Promise.NONE
    return min(promise_of(b"_".join(words)), Promise.PASSWORD)


def is_weak(data: bytes, value: NamedValue, surroundings: Surroundings) -> bool:
    """True if a named value that is not certainly secret is a weak one."""
    if weak_promise(value.name) is Promise.NONE:
        return False
    content = data[value.start : value.end]
    if not is_weak_content(content, value.name, value.form):
        return False
    if value.form in _IN_QUOTES:
        behind = data[value.end + 1 : value.end + 12]
        # In a diff, the line below begins with a sign.
        behind = b"" if b"\n+" in behind else behind.lstrip()
        if (behind[:1] in (b"+", b"%") and behind[:2] != b"%>") or behind.startswith(
            (b".format", b".join", b". ")
        ):
            return False
    has_space = _SPACE.search(content) is not None
    is_word = _WORD.fullmatch(content) is not None
    if value.form is Form.ARGUMENT and (has_space or is_word) and not _is_set(data, value):
        return False
    if (
        value.form is Form.CALL
        and has_space
        and not (
            _is_set(data, value)
            or b"." in value.name
            or b"{" in data[value.start - 3 : value.start]
        )
    ):
        return False
    if (has_space or _DIGIT.search(content) is None) and surroundings.are_labels(data, value):
        return False
    if value.is_open:
        return False
    if value.form is Form.LINE and (value.is_spaced or has_space):
        return _is_make_variable(data, value) or surroundings.allow_line(data, value)
    return True


def _is_make_variable(data: bytes, value: NamedValue) -> bool:
    """True for `export NAME ?= …`: a makefile has commands around its variables."""
    line = data[max(0, value.start - _LONGEST) : value.start].rpartition(b"\n")[2]
    return _MAKE_VARIABLE.fullmatch(line) is not None


def _is_set(data: bytes, value: NamedValue) -> bool:
    """True if the call around a value stores it or falls back to it; other
    calls show it to people.
    """
    if value.form is Form.CALL:
        return not _SETTERS.isdisjoint(words_of(value.name.rsplit(b".", 1)[-1])[:1])
    start = data.rfind(value.name, max(0, value.start - 200), value.start)
    if is_configured(data, max(0, start)):
        return True
    call = _CALL.search(data[max(0, start - 60) : max(0, start)])
    return call is not None and not _STORING.isdisjoint(words_of(call.group(1)))


@lru_cache(maxsize=4_096)
def is_weak_content(content: bytes, name: bytes, form: Form) -> bool:
    """True if a literal is a weak value whatever stands around it."""
    value = content.strip(b" \t\"'`").rstrip(b",;") if form is Form.LINE else content.strip()
    value = value.replace(_ESCAPED_DOLLAR, b"$")
    if b"." in value and all(map(bytes.isalpha, value.split(b"."))):
        # A member of something, like most values without quotes.
        return False
    if not _SHORTEST <= len(value) <= _LONGEST:
        return False
    if not value.isascii() and len(value.decode("utf-8", "replace")) < _SHORTEST:
        return False
    if b"\n" in value or len(set(value)) <= 2 or entropy(value) < _LEAST_ENTROPY:
        return False
    promise = weak_promise(name)
    if _LETTER.search(value) is None and not (
        value.isdigit() and (promise is Promise.PASSWORD or len(value) >= 6)
    ):
        return False
    if _stands_for_another(value) or (promise is Promise.SECRET and _is_counted(value)):
        return False
    if _SPACE.search(value) is not None:
        return form is not Form.WORD and _is_phrase(value)
    is_plain = _DIGIT.search(value) is None and _SIGN.search(value) is None
    return not is_plain or _is_plain_value(
        value, words_of(name.strip(b".").rsplit(b".", 1)[-1]), promise, form
    )


def _is_plain_value(value: bytes, words: list[bytes], promise: Promise, form: Form) -> bool:
    """True if letters alone are a value there, although many other names consist of letters."""
    is_ambiguous = words[-1] in _AMBIGUOUS and len(words) == 1
    if is_ambiguous and (form in (Form.COMPARED, Form.SPOKEN) or value.isupper()):
        return False
    if (
        form is Form.CALL
        and (words[0] not in _SETTERS or is_ambiguous)
        and (promise is not Promise.PASSWORD or len(words) > 1)
    ):
        return False
    if form is Form.WORD and value.lower() in _FUNCTION_WORDS:
        return False
    return not _is_name(value)


def _stands_for_another(value: bytes) -> bool:
    if value.isalpha() and value.islower():
        # One word in lower case, which needs no further checks.
        return (
            value in PLACEHOLDERS
            or value in _TYPES
            or value in _COMPANIONS
            or (is_plain_word_for_secret(value) and value not in _EDIBLE)
            or b"example" in value
            or b"xxxx" in value
            or _GLUED.fullmatch(value) is not None
        )
    lower = value.lower()
    if is_digest(value) or _ALGORITHM.fullmatch(value) is not None:
        return True
    if _GLUED.fullmatch(value) is not None or _VERSIONED.fullmatch(value) is not None:
        return True
    if lower in PLACEHOLDERS or lower in _TYPES or _BRACKETED.fullmatch(value) is not None:
        return True
    if _TEMPLATE.search(value) is not None or _PATTERN.search(value) is not None:
        return True
    if _PATH.match(value) is not None:
        return True
    if (
        _REFERENCE.fullmatch(value) is not None
        and _NUMBERED_WORDS.fullmatch(value) is None
        and _NUMBERED_SIGN.fullmatch(value) is None
    ):
        return True
    if _CONSTANT.fullmatch(value) is not None and _NUMBERED_CONSTANT.fullmatch(value) is None:
        return True
    words = words_of(value)
    if b"..." in value or not _SPEAKING_PLACEHOLDERS.isdisjoint(words):
        return True
    if (
        b"example" in lower
        or b"xxxx" in lower
        or (b"_" in value and not _ALGORITHMS.isdisjoint(words))
    ):
        return True
    return all(
        word in PLACEHOLDERS
        or (is_plain_word_for_secret(word) and word not in _EDIBLE)
        or word in _COMPANIONS
        or (word.isdigit() and len(word) < 2 and b"password" not in lower)
        for word in words
    )


def _is_counted(value: bytes) -> bool:
    """True if it follows the digits or the alphabet, as example keys do."""
    steps = sum(1 for one, other in itertools.pairwise(value) if -1 <= other - one <= 1)
    return len(value) > 10 and steps * 5 >= len(value) * 3


def _is_name(value: bytes) -> bool:
    """True for several words, one of them for a secret: the name of a field."""
    words = words_of(value)
    if len(words) < 2 or _IDENTIFIER.fullmatch(value) is None:
        return False
    return words[-1] in _KEYS or any(map(is_plain_word_for_secret, words))


def _is_phrase(value: bytes) -> bool:
    """True for words with spaces between them, unlike labels and sentences."""
    words = [word.lower() for word in value.split()]
    if not 2 <= len(words) <= 12 or _SENTENCE.fullmatch(value) is not None:
        return False
    bare = {word.strip(b".,:;!?()\"'") for word in words} - _EDIBLE
    if any(is_word_for_secret(word, b"") for word in bare):
        return False
    if _PUNCTUATED.search(value) is not None:
        return False
    if not _EXPLAINING.isdisjoint(words):
        return False
    common = sum(1 for word in words if word in _FUNCTION_WORDS)
    if (common >= 2 and len(words) < 4) or words[0] in (
        b"your",
        b"enter",
        b"a",
        b"an",
        b"if",
        b"in",
        b"to",
        b"is",
    ):
        return False
    is_label = value[:1].isupper() and _DIGIT.search(value) is None
    return not (is_label and words[0] != b"i" and (common or len(words) <= 3))
