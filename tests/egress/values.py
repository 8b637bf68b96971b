"""Values for the tests, made when they run: nothing in this folder has the form of a credential."""

from __future__ import annotations

import base64
import random
import string

_MIXED = string.ascii_letters + string.digits


def mixed(size: int, seed: int = 1) -> str:
    """Letters of both cases and digits, at random, with at least one of each."""
    chance = random.Random(f"{size} {seed}")
    while True:
        value = "".join(chance.choices(_MIXED, k=size))
        if any(map(str.isdigit, value)) and any(map(str.islower, value)) and value != value.lower():
            return value


def hexadecimal(size: int, seed: int = 1) -> str:
    return random.Random(f"hex {size} {seed}").randbytes(size)[: size // 2].hex()


def uuid(seed: int = 1) -> str:
    digits = hexadecimal(32, seed)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def letters(size: int, seed: int = 1) -> str:
    return "".join(random.Random(f"letters {size} {seed}").choices(string.ascii_letters, k=size))


def key_lines(count: int = 12, width: int = 64, seed: int = 1) -> list[str]:
    """Lines as in the base64 body of a key."""
    encoded = base64.b64encode(random.Random(f"key {seed}").randbytes(count * width)).decode()
    return [encoded[start * width : start * width + width] for start in range(count)]


def marker(edge: str, kind: str = "RSA ") -> str:
    return f"-----{edge} {kind}PRIVATE " + "KEY-----"


def private_key(kind: str = "RSA ", count: int = 12) -> str:
    return "\n".join([marker("BEGIN", kind), *key_lines(count), marker("END", kind)])
