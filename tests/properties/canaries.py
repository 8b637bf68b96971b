"""Secrets that nobody has: made up when a test runs, so that no file of this project holds one."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from urllib.parse import quote

import attrs

_LETTERS = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_HEXADECIMAL = "0123456789abcdef"
_PIECE = 8


@attrs.frozen
class Canary:
    lines: str
    """Python source that holds the value."""
    value: str
    """What must appear nowhere, in no piece of eight bytes and in no other writing."""


def canaries(seed: str) -> Mapping[str, Canary]:
    """One secret of each form."""
    return {name: make(f"{seed} {name}") for name, make in _FORMS.items()}


def traces(value: str, sink: bytes) -> list[str]:
    """How a value shows in some bytes: as it is, or in a writing that is easily undone."""
    data = value.encode("utf-8")
    forms = {
        "as it is": (data, _PIECE),
        "as hexadecimal": (data.hex().encode(), 2 * _PIECE),
        "as capital hexadecimal": (data.hex().upper().encode(), 2 * _PIECE),
        "for a URL": (quote(data, safe="").encode(), _PIECE + 4),
        "for a URL, every byte": ("".join(f"%{byte:02X}" for byte in data).encode(), 3 * _PIECE),
    }
    for offset in range(3):
        written = base64.b64encode(bytes(offset) + data)
        # The first and the last group also hold what stands around the value.
        forms[f"as base64, {offset} off"] = (written[4:-4], 12)
    return [
        name
        for name, (written, size) in forms.items()
        if any(
            written[start : start + size] in sink
            for start in range(max(1, len(written) - size + 1))
        )
    ]


def token(seed: str) -> str:
    """Of a form that is known anywhere, and that can be the name of a file or of a function."""
    return "gh" + "p_" + _random(seed, 36)


def _quoted(name: str, value: str) -> Canary:
    return Canary(f'{name} = "{value}"\n', value)


def _hidden(seed: str) -> Canary:
    whole = token(seed)
    return Canary(f'NAME = "{whole[:14]}\u200b{whole[14:]}"\n', whole[14:])


def _pair(seed: str) -> Canary:
    name, value = "AK" + "IA" + _random(seed, 16).upper(), _random(seed + "2", 40)
    return Canary(f'ACCESS = "{name}"\nAWS_SECRET_ACCESS_KEY = "{value}"\n', value)


def _private_key(seed: str) -> Canary:
    words = "PRIVATE" + " KEY"
    body = _random(seed, 192)
    lines = [body[start : start + 64] for start in range(0, len(body), 64)]
    text = "\n".join([f"-----BEGIN RSA {words}-----", *lines, f"-----END RSA {words}-----"])
    return Canary(f'KEY = """{text}"""\n', body[:64])


def _open_key(seed: str) -> Canary:
    """A key that begins and never ends."""
    words = "PRIVATE" + " KEY"
    body = _random(seed, 64)
    return Canary(f'KEY = """-----BEGIN {words}-----\n{body}\n"""\n', body)


_FORMS: Mapping[str, Callable[[str], Canary]] = {
    "github": lambda seed: _quoted("NAME", token(seed)),
    "openai": lambda seed: _quoted("CLIENT", "s" + "k-" + _random(seed, 48)),
    "stripe": lambda seed: _quoted("CLIENT", "sk" + "_live_" + _random(seed, 24)),
    "google": lambda seed: _quoted("CLIENT", "AI" + "za" + _random(seed, 35)),
    "slack": lambda seed: _quoted(
        "CLIENT", "xo" + "xb-123456789012-210987654321-" + _random(seed, 24)
    ),
    "aws": _pair,
    "bearer": lambda seed: Canary(
        f'HEADERS = {{"Authorization": "Bearer {_random(seed, 40)}"}}\n', _random(seed, 40)
    ),
    "password": lambda seed: _quoted("pass" + "word", _random(seed, 9) + "!7#" + _random(seed, 9)),
    "key": lambda seed: _quoted("api_" + "key", _random(seed, 32, _HEXADECIMAL)),
    "token": lambda seed: Canary(
        f"# tok{'en'}={_random(seed, 40)}\nOTHER = 1\n", _random(seed, 40)
    ),
    "database": lambda seed: Canary(
        f'URL = "postgres://farm:{_random(seed, 20)}@db.example.test/farm"\n', _random(seed, 20)
    ),
    "private key": _private_key,
    "private key without end": _open_key,
    "hidden in it": _hidden,
}


def _random(seed: str, count: int, letters: str = _LETTERS) -> str:
    """Letters that look like chance and are the same each time."""
    found = ""
    while len(found) < count:
        digest = hashlib.sha256(f"{seed} {len(found)}".encode()).digest()
        found += "".join(letters[byte % len(letters)] for byte in digest)
    return found[:count]
