"""Logarithms and powers in whole numbers: the same on every machine."""

from __future__ import annotations

from functools import lru_cache

ONE = 1 << 10
"""The unit of fixed-point numbers: it represents 1."""

_BITS = 10
_WORK = 30


def log2(numerator: int, denominator: int = 1) -> int:
    """Return the binary logarithm of a fraction that is at least 1, times `ONE`, rounded down."""
    whole = max(0, numerator.bit_length() - denominator.bit_length())
    if numerator < denominator << whole:
        whole -= 1
    if whole < 0:
        return 0
    # From here 1 <= value < 2; each squaring gives one bit of the fraction.
    value = (numerator << _WORK) // (denominator << whole)
    result = whole
    for _ in range(_BITS):
        value = value * value >> _WORK
        result <<= 1
        if value >> (_WORK + 1):
            value >>= 1
            result |= 1
    return result


@lru_cache(maxsize=65_536)
def rarity(units: int, having: int) -> int:
    """Return the weight of a term that occurs in `having` of `units`, times `ONE`.

    It is `log2((units + 1) / (having + 1/2))` to the power of 1.3.
    """
    logarithm = log2(2 * units + 2, 2 * having + 1)
    if logarithm <= 0:
        return 0
    # x ** 1.3 is the tenth root of x ** 13, and x is a number times ONE.
    return root(logarithm**13 // ONE**3, 10)


def root(number: int, degree: int) -> int:
    """Return the whole part of a root."""
    if number < 2:
        return number
    guess = 1 << -(-number.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + number // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better
