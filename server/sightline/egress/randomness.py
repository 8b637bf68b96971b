"""Measure how random a value looks, in integers only.

Costs are in milli-bits: the cost of a byte after the one before it, in a model of the words that
programs contain. Text by people costs about 4,000 per byte, random text 6,000.

Invariant: the same answer on every machine, so there is no floating point here.
"""

from __future__ import annotations

import itertools
from functools import lru_cache

from sightline.egress.secret_patterns import compiled, compiled_for_values

# The cost of the second letter after the first, in quarters of a bit: one row for each first
# letter, written in base 62. Counted over the words in identifiers of public code in twenty
# languages; each word is weighted by the logarithm of the number of files that contain it.
_BIGRAMS = (
    "WHFIZRKYJbPCJDaIaDGAMOSVOX",
    "CONQCSVXDPa9STDSaGHOEXXbNc",
    "CXLTCVaDIfGHTX9ScHNCJXeYPj",
    "EOQK7RQXAUXLRRFThKGQHRWXPb",
    "HSGCMMOYTcXIJDTLSACHVNSKUc",
    "EWPPDEUW8ebGTUBVYFLKGeYZMm",
    "EQRW8SJGDhYJOHGRZDISGUUYSZ",
    "9VST8WZbCcXPNSCSaHPGJWXfOa",
    "JNGJJLKhacUHI8DMbLFEaLjSgM",
    "ANMLASRWIVSSKPCLTPBREPOccc",
    "DSQP7QQMBZRKPLGQVODKISOdOY",
    "CURL9TXaAlWDVUDRnWKKJRefFh",
    "9KUR8WXaCbWOKUECXWJSJYacSc",
    "FVGEELAVGYQQTNIUbUDAOOZcTc",
    "NOIJUPNYOXOHG8KIhBIIGLJSYa",
    "CWQSBRUMGiWDWYDHgBJGJYZdPi",
    "MbPQPUWUMbWGTONNVQMP2PTWWW",
    "CTML8SOZChPOKNDQlKFHLPVeMg",
    "IWHUASVHDePNPRHIVTE9GWRcNg",
    "DVMT9TaH9ebNSWFQuEGKLaUVKc",
    "IHJNIPLhIeYFHARGqCDCYadUaX",
    "AXQW4XXWAkZURTGWeSRTSUdaWg",
    "9VQRBTVGBbTOUFETYFGNUdRbYb",
    "IPEQCLXNDWYULSOAgONAQaVGNX",
    "GNJMFOPTFZUJGEIAcKCIOTNYQQ",
    "BRVS4USSDYdPNQIZYWMTLdQTLH",
)
_DIGITS_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_LETTER_AND_DIGIT = 5_500
_DIGIT_AND_DIGIT = 3_320
_PUNCTUATION = 2_500

_MOST_BYTES = 96
"""The number of bytes that are examined: randomness shows early, and every scan stays linear."""

_LONG = 40
_HEXADECIMAL = compiled_for_values(rb"(?:0x)?[0-9a-fA-F]{16,}")
_UUID = compiled_for_values(
    rb"[0-9A-Za-z]{8,11}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-(?:[0-9A-Za-z]{4}-)?[0-9A-Za-z]{12}"
)
_INSIDE = compiled(
    rb"(?:^|[^0-9A-Za-z])([0-9a-f]{24,}|[0-9A-F]{24,}|(?i:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}))"
    rb"(?:\b|_)"
)
_PUNCTUATION_BYTES = bytes(
    set(range(128)) - set(b"0123456789") - set(range(65, 91)) - set(range(97, 123))
)


def is_random(value: bytes, least: int) -> bool:
    """True if a value of at least `least` bytes looks random."""
    if len(value) < least:
        return False
    if is_hexadecimal(value) or is_uuid(value):
        return True
    if _has_long_number(value):
        return True
    if len(value) >= 20 and _is_interleaved(value):
        return entropy(value) >= _least_entropy(len(value))
    return are_random_letters(value)


def are_random_letters(value: bytes) -> bool:
    """The same for values of letters only, without a check for numbers."""
    # A short value gives little evidence, so the bar is higher.
    bar = 4_850 if len(value) >= 20 else 5_000
    return cost(value) >= bar and entropy(value) >= _least_entropy(len(value))


def is_random_between(value: bytes, least: int) -> bool:
    """The same, without the punctuation that some alphabets contain."""
    bare = value.translate(None, _PUNCTUATION_BYTES)
    return len(bare) * 3 >= len(value) * 2 and is_random(bare, least)


def is_hexadecimal(value: bytes) -> bool:
    return (
        _HEXADECIMAL.fullmatch(value) is not None
        and entropy(value) >= 2_600
        and not value.isalpha()
        and not value.isdigit()
    )


def is_uuid(value: bytes) -> bool:
    return _UUID.fullmatch(value) is not None and entropy(value) >= 2_600 and _has_digit(value)


def _has_long_number(value: bytes) -> bool:
    """True if a part of it is a long hexadecimal number or a UUID."""
    if len(value) < 25 or value.isalnum():
        return False
    numbers = (found.group(1) for found in _INSIDE.finditer(value[:400]))
    return any(is_hexadecimal(number) or is_uuid(number) for number in numbers)


@lru_cache(maxsize=4_096)
def cost(value: bytes) -> int:
    """Return the average cost of a byte, in milli-bits."""
    value = value[:_MOST_BYTES]
    if len(value) < 2:
        return 0
    rows = _COSTS
    total = sum([rows[first][second] for first, second in itertools.pairwise(value)])
    return total // (len(value) - 1)


@lru_cache(maxsize=4_096)
def entropy(value: bytes) -> int:
    """Return the Shannon entropy per byte, in milli-bits."""
    value = value[:_MOST_BYTES]
    if not value:
        return 0
    size = len(value)
    total = sum(map(_PRODUCTS.__getitem__, map(value.count, set(value))))
    return _LOGARITHMS[size] - total // size


def _is_interleaved(value: bytes) -> bool:
    """True if letters and digits alternate so often that there can be no words."""
    if not value.isalnum():
        return False
    kinds = value[:_MOST_BYTES].translate(_KINDS)
    # A long value needs a smaller share: no word is so long.
    share = 5 if len(value) < _LONG else 7
    return (kinds.count(b"ad") + kinds.count(b"da")) * share >= len(kinds)


def _least_entropy(size: int) -> int:
    if size >= 20:
        return 3_000
    return 2_800 if size >= 14 else 2_500


def _has_digit(value: bytes) -> bool:
    return any(48 <= byte <= 57 for byte in value)


def _logarithms() -> tuple[int, ...]:
    """Binary logarithms in milli-bits, by bisection on integers."""
    answer = [0, 0]
    for number in range(2, _MOST_BYTES + 1):
        power = number**1_000
        answer.append(power.bit_length() - 1)
    return tuple(answer)


def _cost_table() -> tuple[tuple[int, ...], ...]:
    kinds = []
    for byte in range(256):
        character = chr(byte)
        if byte < 128 and character.isalpha():
            kinds.append("letter")
        else:
            kinds.append("digit" if byte < 128 and character.isdigit() else "other")
    table = []
    for first in range(256):
        row_of_first = []
        for second in range(256):
            if kinds[first] == kinds[second] == "letter":
                row = _BIGRAMS[(first | 32) - 97]
                price = _DIGITS_62.index(row[(second | 32) - 97]) * 250
                # A capital after a small letter begins a word; other changes of case are random.
                if first & 32 and not second & 32:
                    price = max(price, 4_500)
                row_of_first.append(price)
            elif kinds[first] == kinds[second] == "digit":
                row_of_first.append(_DIGIT_AND_DIGIT)
            elif "other" in (kinds[first], kinds[second]):
                row_of_first.append(_PUNCTUATION)
            else:
                row_of_first.append(_LETTER_AND_DIGIT)
        table.append(tuple(row_of_first))
    return tuple(table)


_KINDS = bytes(100 if chr(byte).isdigit() else 97 for byte in range(256))
_LOGARITHMS = _logarithms()
_PRODUCTS = tuple(number * logarithm for number, logarithm in enumerate(_LOGARITHMS))
"""For each number, its product with its logarithm."""
_COSTS = _cost_table()
