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


def element(tag: int, *contents: bytes) -> bytes:
    """An element of ASN.1 in its distinguished encoding."""
    content = b"".join(contents)
    size = len(content)
    if size < 128:
        return bytes([tag, size]) + content
    count = (size.bit_length() + 7) // 8
    return bytes([tag, 0x80 | count]) + size.to_bytes(count, "big") + content


def _integer(size: int, seed: str) -> bytes:
    return element(0x02, b"\x5a" + random.Random(seed).randbytes(size - 1))


def binary_key(kind: str = "rsa", size: int = 128) -> bytes:
    """A private key in its binary encoding: the numbers are random, the structure is right."""
    version_0, version_1 = b"\x02\x01\x00", b"\x02\x01\x01"
    sizes = (size, 3, size, *[size // 2] * 5)
    numbers = [_integer(each, f"{kind} {index}") for index, each in enumerate(sizes)]
    rsa = element(0x30, version_0, *numbers)
    secret = element(0x04, random.Random(kind).randbytes(32))
    curve = bytes.fromhex("06082a8648ce3d030107")
    if kind == "rsa":
        return rsa
    if kind == "pkcs8":
        algorithm = element(0x30, bytes.fromhex("06092a864886f70d0101010500"))
        return element(0x30, version_0, algorithm, element(0x04, rsa))
    if kind == "ec":
        public = element(0x03, b"\0\4" + random.Random("public").randbytes(64))
        return element(0x30, version_1, secret, element(0xA0, curve), element(0xA1, public))
    if kind == "ed25519":
        algorithm = element(0x30, bytes.fromhex("06032b6570"))
        return element(0x30, version_0, algorithm, element(0x04, secret))
    if kind == "encrypted":
        scheme = element(0x30, bytes.fromhex("06092a864886f70d01050d"), element(0x30, curve))
        return element(0x30, scheme, element(0x04, random.Random(kind).randbytes(600)))
    if kind == "pkcs12":
        data = bytes.fromhex("06092a864886f70d010701")
        content = element(0xA0, element(0x04, random.Random(kind).randbytes(900)))
        return element(0x30, b"\x02\x01\x03", element(0x30, data, content))
    if kind == "openssh":
        return b"openssh-key-v1\0\0\0\0\4none" + random.Random(kind).randbytes(400)
    raise ValueError(kind)


def public_certificate() -> bytes:
    """A certificate: as random as a key, and no secret."""
    version = element(0xA0, b"\x02\x01\x02")
    body = element(0x30, version, _integer(16, "serial"), _integer(400, "certificate"))
    return element(0x30, body, _integer(256, "signature"))


def cut(text: str, width: int = 64) -> list[str]:
    return [text[start : start + width] for start in range(0, len(text), width)]
