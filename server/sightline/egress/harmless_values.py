"""Values that a person vouched for, known by keyed hashes alone.

The key is random and belongs to one installation, so that a hash tells nothing about a value that
is short or common.
"""

from __future__ import annotations

import hashlib
import hmac

import attrs


@attrs.frozen
class HarmlessValues:
    """What a scan leaves out, because a person said that it is no secret."""

    key: bytes = attrs.field(default=b"", repr=False)
    hashes: frozenset[str] = frozenset()
    """Each by `keyed_hash` with this key."""

    def has(self, value: bytes) -> bool:
        return bool(self.hashes) and keyed_hash(self.key, value) in self.hashes


NOTHING_HARMLESS = HarmlessValues()


def keyed_hash(key: bytes, value: bytes) -> str:
    """Return the HMAC-SHA-256 of a value, in hexadecimal."""
    return hmac.new(key, value, hashlib.sha256).hexdigest()
