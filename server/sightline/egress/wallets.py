"""Keys of wallets and seeds of one-time passwords, recognised by a checksum,
their words or a name.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.resources import files

from sightline.egress.model import Certainty, Finding
from sightline.egress.randomness import cost, entropy, is_hexadecimal
from sightline.egress.secret_patterns import compiled
from sightline.egress.value_forms import is_example, is_sequence
from sightline.text import Span

SEED_WORDS = files("sightline.egress").joinpath("seed_words.txt").read_bytes()
"""The English words of BIP 39."""

_BASE58 = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_WIF = compiled(rb"\b[5KLc9][1-9A-HJ-NP-Za-km-z]{50,51}\b")
_EXTENDED = compiled(rb"\b[xyzYZtuvUV]prv[1-9A-HJ-NP-Za-km-z]{100,112}\b")
_NOSTR = compiled(rb"\bn(?:sec|cryptsec)1[ac-hj-np-z02-9]{58,200}\b")
_NAMED_NUMBER = compiled(
    rb"(?i)(?:wallet|private[_ \-]?key|priv[_ \-]?key|secret[_ \-]?key|signer|deployer|accounts?"
    rb"|mnemonic"
    rb"|from_key|seed|keypair|key_?store)[^\n;]{0,50}?(?:[\"'`(\[,=: \t]|\r?\n[ \t]{1,20}[\"'])"
    rb"((?:0x)?[0-9a-f]{64})(?:[^0-9a-z]|$)"
)
_KEY_NAME = re.compile(
    rb"(?i)wallet|priv|secret|signer|deployer|accounts?\b|mnemonic|from_key|seed|keypair|keystore"
)
_OTHER_NAME = re.compile(
    rb"(?i)hash|digest|sha|tx|address|topic|block|root|public|pubkey|checksum|commit|signature|proof"
)
_NUMBERS = compiled(
    rb"(?i)(?:secret|key_?pair|private|wallet|signer)[^\n]{0,60}?[\[(]\s{0,20}"
    rb"((?:[0-9]{1,3}\s{0,8},\s{0,8}){31,63}[0-9]{1,3})\s{0,8},?\s{0,8}[\])]"
)
_ALL_NUMBERS = re.compile(rb"\s*\[\s*((?:[0-9]{1,3}\s*,\s*){63}[0-9]{1,3})\s*\]\s*")
_SEPARATOR = rb"(?:[ \t,\"'`\r\n]{1,12}(?:[0-9]{1,2}[.):]?[ \t\"']{0,4})?)"
_WORDS = compiled(rb"\b(?:[a-z]{3,8}" + _SEPARATOR + rb"){11}[a-z]{3,8}\b")
_WORD = re.compile(rb"[a-z]+")
_MOST_WORDS = 24
_FEWEST_WORDS = 12
_ONE_TIME_URL = compiled(
    rb"(?i)otpauth(?:-migration)?://[^\s\"'`<>]*?[?&](?:secret|data)=([A-Za-z0-9%+/=]{8,})"
)
_ONE_TIME = compiled(
    rb"(?i:totp|hotp|\botp|_otp|mfa|2fa|oathtool|authenticator|two[_\-]?factor|base32)[^\n]{0,60}?"
    rb"[\s\"'`=:(,]((?:[A-Z2-7]{16,128}|[A-Z2-7]{4}(?:[ \-][A-Z2-7]{4}){3,15}"
    rb"|[a-z2-7]{4}(?:[ \-][a-z2-7]{4}){3,15})"
    rb"={0,6})(?:[^A-Za-z0-9=]|$)"
)


def _whole_lists(data: bytes) -> Iterator[Finding]:
    """Find a file that contains only a key as a list of numbers."""
    numbers = _ALL_NUMBERS.fullmatch(data) if len(data) < _LONGEST_LIST else None
    if numbers is not None:
        yield _certain(*numbers.span(1), "wallet-key")


_LONGEST_LIST = 1_000


def _checked(data: bytes) -> Iterator[Finding]:
    for pattern in (_WIF, _EXTENDED):
        for found in pattern.finditer(data):
            if _has_checksum(found.group()):
                yield _certain(found.start(), found.end(), "wallet-key")


def _nostr(data: bytes) -> Iterator[Finding]:
    for found in _NOSTR.finditer(data):
        if entropy(found.group()) >= 3_000:
            yield _certain(found.start(), found.end(), "wallet-key")


def _named_numbers(data: bytes) -> Iterator[Finding]:
    position = 0
    while (found := _NAMED_NUMBER.search(data, position)) is not None:
        position = found.start(1)
        lead = data[found.start() : found.start(1)]
        value = found.group(1)
        if not is_hexadecimal(value) or is_sequence(value) or entropy(value) < 3_000:
            continue
        name = _KEY_NAME.findall(lead)
        if name and _OTHER_NAME.search(lead) is None:
            yield _certain(found.start(1), found.end(1), "wallet-key")


def _number_lists(data: bytes) -> Iterator[Finding]:
    for found in _NUMBERS.finditer(data):
        numbers = [int(each) for each in found.group(1).split(b",")]
        is_key = (
            len(numbers) in (32, 64) and max(numbers) < 256 and len(set(numbers)) * 2 > len(numbers)
        )
        if is_key and not _is_run(numbers):
            yield _certain(found.start(1), found.end(1), "wallet-key")


def _is_run(numbers: list[int]) -> bool:
    """True if they count up, as test vectors do."""
    steps = [second - first for first, second in itertools.pairwise(numbers)]
    return max(map(steps.count, set(steps))) * 2 > len(steps)


def _seed_phrases(data: bytes) -> Iterator[Finding]:
    """Find twelve or more words of the list in a row, with only space and numbers between."""
    position = 0
    while (found := _WORDS.search(data, position)) is not None:
        words: list[re.Match[bytes]] = []
        position = found.end()
        for word in _WORD.finditer(data, found.start(), found.end() + _ROOM):
            is_near = not words or word.start() - words[-1].end() <= _WIDEST_GAP
            if word.group() in _seed_words() and is_near:
                words.append(word)
                if len(words) == _MOST_WORDS:
                    break
            elif len(words) >= _FEWEST_WORDS or word.start() >= found.end():
                break
            else:
                words = []
        texts = [word.group() for word in words]
        if len(words) >= _FEWEST_WORDS and texts != sorted(texts):
            position = max(position, words[-1].end())
            if len(set(texts)) * 2 > len(texts):
                yield _certain(words[0].start(), words[-1].end(), "mnemonic")
        else:
            # The tail of this run may begin the next one.
            is_tail = bool(words) and len(words) < _FEWEST_WORDS
            end = words[-1].end() if words else position
            position = max(words[0].start(), found.start() + 1) if is_tail else max(position, end)


_ROOM = 240
_WIDEST_GAP = 18


def _one_time_urls(data: bytes) -> Iterator[Finding]:
    for found in _ONE_TIME_URL.finditer(data):
        if not is_example(found.group(1)):
            yield _certain(found.start(1), found.end(1), "one-time-seed")


def _one_time_seeds(data: bytes) -> Iterator[Finding]:
    for found in _ONE_TIME.finditer(data):
        value = found.group(1)
        bare = value.translate(None, b" -=")
        has_digit = any(byte in b"234567" for byte in bare)
        if len(bare) % 8 in (1, 3, 6) and b" " not in value:
            continue
        if (
            entropy(bare) >= 2_800
            and has_digit
            and cost(bare.lower()) >= 4_200
            and not is_sequence(bare)
        ):
            yield _certain(found.start(1), found.end(1), "one-time-seed")


def _has_checksum(value: bytes) -> bool:
    number = 0
    for byte in value:
        number = number * 58 + _BASE58.index(byte)
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    digest = hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()
    return raw[-4:] == digest[:4]


@lru_cache(maxsize=1)
def _seed_words() -> frozenset[bytes]:
    return frozenset(SEED_WORDS.split())


def _certain(start: int, end: int, detector: str) -> Finding:
    return Finding(Span(start, end), detector, "private_key", Certainty.CERTAIN, True)


# What a text must contain for a rule to be tried, and the rule.
WALLET_RULES: tuple[tuple[bytes, Callable[[bytes], Iterator[Finding]]], ...] = (
    (rb"\b[5KLc9xyzYZtuvUV][1-9A-HJ-NP-Za-km-z]{50}", _checked),
    (rb"\bn(?:sec|cryptsec)1", _nostr),
    (rb"[^0-9A-Za-z](?:0x)?[0-9A-Fa-f]{64}", _named_numbers),
    (rb"(?:[0-9]{1,3}\s{0,8},\s{0,8}){31}", _number_lists),
    (rb"\b(?:[a-z]{3,8}" + _SEPARATOR + rb"){11}", _seed_phrases),
    (rb"\A\s*\[\s*[0-9]{1,3}\s*,", _whole_lists),
    (rb"(?i)otpauth", _one_time_urls),
    (rb"(?i)otp|mfa|2fa|oathtool|authenticator|two[_\-]?factor|base32", _one_time_seeds),
)
