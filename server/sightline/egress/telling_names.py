"""What the name of a variable, field, option or header suggests about its value.

Names are judged by their words, so `tokenize`, `passenger` and `keyboard` suggest nothing while
`dbPassword`, `X-API-KEY` and `authtoken` do.
"""

from __future__ import annotations

import itertools
import unicodedata
from enum import IntEnum
from functools import lru_cache

from sightline.egress.secret_patterns import compiled_for_values
from sightline.egress.telling_words import (
    FOREIGN_KEYS,
    FOREIGN_PASSWORDS,
    FOREIGN_PHRASES,
    FOREIGN_SECRETS,
    FOREIGN_WHOLE,
)
from sightline.egress.vendors import SERVICES


class Promise(IntEnum):
    """What a name says about its value, from the weakest to the strongest."""

    NONE = 0
    BARE_KEY = 1
    """`key` alone: only a long random value that is not a number is secret."""
    WEAK = 2
    """`some_key`, `auth`: only a long random value is secret."""
    SERVICE = 3
    """The name of a service: a random value that is not too short is secret."""
    SECRET = 4
    """`token`, `api_key`, `client_secret`: a random value is secret."""
    VENDOR = 5
    """The name of a service and one of those: even a value that is not random is secret."""
    PASSWORD = 6
    """A value that is hard to guess is secret."""


_PASSWORD_WORDS = frozenset(
    b"password passwd passwort passphrase passcode pass pwd pswd psswd pw paswd pasword psswrd"
    b" pswrd paswrd pssword passwrd passworsd passwords passwds pwds contrase"
    b" identified psk wpapsk preshared masterauth requirepass passkey pincode accesscode unlockcode"
    b" recoverycode backupcode securitycode securityanswer".split()
)
_COMPOUNDS = frozenset(
    b"password passphrase passcode passwd passkey pincode accesscode unlockcode recoverycode"
    b" backupcode securitycode securityanswer".split()
) | frozenset(
    b"".join(words[:count]) for words in FOREIGN_PHRASES for count in range(2, len(words) + 1)
)
_FIRST_HALVES = frozenset(b"pass pin access unlock recovery backup security".split()) | frozenset(
    words[0] for words in FOREIGN_PHRASES
)
_PHRASES = {
    b"passe": (b"de", b"palavra"),
    b"sandi": (b"kata",),
    b"laluan": (b"kata",),
    b"khau": (b"mat",),
    "khẩu".encode(): ("mật".encode(),),
    "المرور".encode(): ("كلمة".encode(),),
    "السر".encode(): ("كلمة".encode(),),
    "عبور".encode(): ("رمز".encode(),),
}
"""Words for a password that are written as two: the last one, and the words that may precede it."""
_ALL_PASSWORD_WORDS = _PASSWORD_WORDS | frozenset(FOREIGN_PASSWORDS) | FOREIGN_WHOLE
_LONG_FOREIGN = tuple(
    word for word in FOREIGN_PASSWORDS + FOREIGN_SECRETS if not word.isascii() or len(word) >= 7
)
_TAIL = 2
_TAILS_OF_LONG = frozenset(word[-_TAIL:] for word in _LONG_FOREIGN)
"""Checked first, because comparing the ends of so many words takes long."""
_FOREIGN_SECRETS = frozenset(FOREIGN_SECRETS)
_FOREIGN_KEYS = frozenset(FOREIGN_KEYS)
_PASSWORD_ENDINGS = (
    *(b"password", b"passwd", b"passwort", b"passphrase", b"pwd", b"passcode"),
    *(b"pass", b"rootpw", b"adminpw", b"bindpw", b"userpw", b"dbpw"),
)
_OTHER_PASSES = (b"compass", b"bypass", b"surpass", b"trespass", b"overpass", b"underpass")
_SECRET_WORDS = frozenset(
    b"secret secrets secrete token tokens apikey apikeys accesskey secretkey authkey authtoken"
    b" accesstoken credential credentials creds cred bearer privatekey licensekey pepper fernet"
    b" mnemonic".split()
)
_SECRET_ENDINGS = (b"secret", b"token", b"apikey", b"accesskey", b"secretkey", b"authkey")
_KEY_OWNERS = frozenset(
    b"api access auth secret private client account service app application consumer encryption"
    b" signing master admin shared license deploy license subscription storage user project write"
    b" read developer dev server rest platform integration ingest sdk".split()
)
_WEAK_WORDS = frozenset(b"key keys auth private access dsn pat authorization login".split())
_SESSION_WORDS = (b"sessionid", b"sessid")
_COOKIE_OWNERS = frozenset(b"erlang release auth session login".split())
# A name with one of these is about another random value.
_PUBLIC_WORDS = frozenset(
    b"public pub idempotency hash hashes hashed digest checksum fingerprint csrf xsrf authenticity"
    b" nonce commit revision rev sha sha1 sha256 md5 integrity etag foreign primary cache sort"
    b" partition salt iv"
    b" vector".split()
)
# A name that ends in one of these is about a secret and does not contain it.
_ASPECT_WORDS = frozenset(
    b"url uri endpoint path file filename dir charset alphabet chars"
    b" characters folder label placeholder regex pattern field fields"
    b" param header prefix suffix type types kind algorithm alg ttl length len size expires expiry"
    b" expiration title description message error hint version column table policy provider"
    b" strategy format encoding encoder class handler callback validator binding shortcut"
    b" identifier".split()
)
_OWNER_WORDS = frozenset(b"id ids user username name email group role".split())
# Frameworks call values public that go into a bundle for browsers; they are keys all the same.
_FRAMEWORK_PREFIXES = (b"next_public_", b"nuxt_public_", b"expo_public_", b"gatsby_public_")
# Other random values: names that were made unique.
_IDENTITY_WORDS = frozenset(
    b"id ids uuid guid uid kid jti x5t cid txid tx block address addr contract mint handle cursor"
    b" verification site sitekey measurement file filename asset image img font sri version etag"
    b" slug anchor href src url uri path class classname style base64 thumbprint sum crc challenge"
    b" state signature x y n mod modulus exponent h1 sha384 sha512 rsa ed25519 ecdsa mappings data"
    b" content body payload text message sample vector expected".split()
)
_NUMBER_WORDS = frozenset(
    b"id ids uuid guid uid kid jti cid tid etag block address addr version thumbprint slug sum crc"
    b" cursor serial build trace span tenant image ref".split()
)
# A name with such an ending is a file, and the value is its digest.
_FILE_ENDINGS = frozenset(b"gz zip tgz xz bz2 zst exe deb rpm dmg msi whl jar apk iso img".split())
_SERVICES_BY_HEAD = {
    head: tuple(names) for head, names in itertools.groupby(sorted(SERVICES), lambda name: name[:3])
}
_SEPARATORS = compiled_for_values(rb"[_.\-]")
_LAST_CAPITAL = compiled_for_values(rb"(?<=[A-Z])(?=[A-Z][a-z])")
_WORDS = compiled_for_values(rb"[A-Z]+[a-z\x80-\xff]*|[a-z\x80-\xff]+|[0-9]+")


@lru_cache(maxsize=8_192)
def promise_of(name: bytes) -> Promise:
    lower = name.lower()
    for prefix in _FRAMEWORK_PREFIXES:
        if lower.startswith(prefix):
            name, lower = name[len(prefix) :], lower[len(prefix) :]
    words = words_of(name)
    best = Promise.NONE
    before = b""
    for word in words[-8:]:
        if len(word) < 2 or word.isdigit():
            continue
        if _is_password_word(word, before):
            best = max(best, Promise.PASSWORD)
        elif _is_secret_word(word, before):
            best = max(best, Promise.SECRET)
        elif (
            word in _WEAK_WORDS
            or (word.endswith(b"key") and b"pub" not in word)
            or _is_session(word, before)
        ):
            best = max(best, Promise.WEAK)
        before = word
    if begins_with_service(lower):
        if best is Promise.NONE:
            best = Promise.SERVICE
        elif best is not Promise.PASSWORD:
            best = Promise.VENDOR
    elif best is Promise.WEAK and len(words) == 1 and not name.isupper():
        best = Promise.BARE_KEY
    if best is Promise.SERVICE and (words[-1] in _FILE_ENDINGS or words[-1] in (b"id", b"ids")):
        best = Promise.NONE
    if best is Promise.WEAK and _is_of_an_owner(words):
        best = Promise.NONE
    if best is Promise.WEAK and words[0] == b"sec" and b"socket" in b"".join(words):
        # The key of a WebSocket handshake is a nonce.
        best = Promise.NONE
    if best is Promise.NONE:
        return best
    # Only the last part of a dotted name counts: `hashes.token` is not a hash.
    last = words_of(name.rsplit(b".", 1)[-1])
    if last[-2:] == [b"auth", b"salt"]:
        # The keys with which WordPress signs its cookies.
        return best
    if last[-1:] == [b"secret"] and last[-2:-1] in ([b"csrf"], [b"xsrf"]):
        # The keys with which a server signs its public tokens.
        return best
    if not _PUBLIC_WORDS.isdisjoint(last) or not _ASPECT_WORDS.isdisjoint(last[-2:]):
        return Promise.NONE
    return best


def speaks_of_another(name: bytes) -> bool:
    """True if a name says that its value is random for another reason than secrecy."""
    last = words_of(name)[-3:]
    return not _PUBLIC_WORDS.isdisjoint(last) or not _IDENTITY_WORDS.isdisjoint(last)


@lru_cache(maxsize=4_096)
def names_another(name: bytes) -> bool:
    """True if the value is random and public: a digest, the number of a record."""
    last = words_of(name)[-2:]
    return not _PUBLIC_WORDS.isdisjoint(last) or not _NUMBER_WORDS.isdisjoint(last[-1:])


def begins_with_service(name: bytes) -> bool:
    """True if its first or second part begins with the name of a service."""
    if name.startswith(_SERVICES_BY_HEAD.get(name[:3], ())):
        return True
    separator = _SEPARATORS.search(name)
    if separator is None:
        return False
    start = separator.end()
    return name.startswith(_SERVICES_BY_HEAD.get(name[start : start + 3], ()), start)


def is_word_for_secret(word: bytes, before: bytes) -> bool:
    """True if a word means a password, a secret or a token; `before` is the word before it."""
    return _is_password_word(word, before) or _is_secret_word(word, before)


def is_plain_word_for_secret(word: bytes) -> bool:
    """The same for a word that is not a compound: `password` and not `supersecret`."""
    return word in _ALL_PASSWORD_WORDS or word in _SECRET_WORDS or word in _FOREIGN_SECRETS


def _is_of_an_owner(words: list[bytes]) -> bool:
    """True for `authUserId`, `access_name`: they name a person and not a secret."""
    return words[-1] in _OWNER_WORDS and {b"key", b"session"}.isdisjoint(words)


def _is_password_word(word: bytes, before: bytes) -> bool:
    if word in _ALL_PASSWORD_WORDS:
        return True
    if word == b"auth":
        return before in (b"rediscli", b"requirepass")
    if word == b"shared":
        return before == b"pre"
    if before in _PHRASES.get(word, ()):
        return True
    if (
        word[-_TAIL:] in _TAILS_OF_LONG
        and word.endswith(_LONG_FOREIGN)
        and not word.endswith(FOREIGN_SECRETS)
    ):
        return True
    return word.endswith(_PASSWORD_ENDINGS) and not word.endswith(_OTHER_PASSES)


def _is_session(word: bytes, before: bytes) -> bool:
    return word.endswith(_SESSION_WORDS) or (word == b"id" and before == b"session")


def _is_secret_word(word: bytes, before: bytes) -> bool:
    if word in _SECRET_WORDS or word.endswith(_SECRET_ENDINGS) or word in _FOREIGN_SECRETS:
        return True
    if word == b"login":
        return before.startswith(b"sonar")
    if word == b"cookie":
        return before in _COOKIE_OWNERS
    if word in _FOREIGN_KEYS:
        return before in _KEY_OWNERS or before in _FOREIGN_SECRETS
    if word in _KEY_OWNERS and before in _FOREIGN_KEYS:
        return True
    return word in (b"key", b"keys") and (before in _KEY_OWNERS or before.endswith(b"api"))


def words_of(name: bytes) -> list[bytes]:
    """Return the words of a name in lower case: `парольБд` has two, like `dbPassword`."""
    if not name.isascii():
        return _words_beyond_ascii(name)
    if name.islower():
        return [name] if name.isalpha() else _compounds(_WORDS.findall(name))
    if name.isupper():
        return _compounds(_WORDS.findall(name.lower()))
    return _compounds([each.lower() for each in _WORDS.findall(_split_capitals(name))])


def _compounds(words: list[bytes]) -> list[bytes]:
    """Join words that some write as two: `pass_word`, `PassPhrase`, `pin-code`."""
    if _FIRST_HALVES.isdisjoint(words[:-1]):
        return words
    whole: list[bytes] = []
    for word in words:
        if whole and whole[-1] + word in _COMPOUNDS:
            whole[-1] += word
        else:
            whole.append(word)
    return whole


@lru_cache(maxsize=1_024)
def _words_beyond_ascii(name: bytes) -> list[bytes]:
    words: list[str] = []
    before = " "
    for character in name.decode("utf-8", "replace"):
        # A mark belongs to the letter before it.
        if unicodedata.category(character)[0] not in "LMN":
            before = " "
            continue
        starts = (
            not words
            or before == " "
            or (character.isupper() and before.islower())
            or character.isdigit() is not before.isdigit()
        )
        if starts:
            words.append("")
        words[-1] += character
        before = character
    return _compounds([word.lower().encode() for word in words])


def _split_capitals(name: bytes) -> bytes:
    """Return `HTTPToken` as `HTTP-Token`, so that each word begins at its capital."""
    return _LAST_CAPITAL.sub(b"-", name)
