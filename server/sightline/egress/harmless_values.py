"""Values that a person marked as harmless, stored only as keyed hashes.

The key is random and specific to one installation, so that a hash does not reveal a value that is
short or common.
"""

from __future__ import annotations

import hashlib
import hmac

import attrs


@attrs.frozen
class HarmlessValues:
    """The values that a scan ignores, because a person said that they are not secret."""

    key: bytes = attrs.field(default=b"", repr=False)
    hashes: frozenset[str] = frozenset()
    """Hashes of values, made by `keyed_hash` with this key."""

    def has(self, value: bytes) -> bool:
        return bool(self.hashes) and keyed_hash(self.key, value) in self.hashes


NOTHING_HARMLESS = HarmlessValues()


def keyed_hash(key: bytes, value: bytes) -> str:
    """Return the HMAC-SHA-256 of a value, in hexadecimal."""
    return hmac.new(key, value, hashlib.sha256).hexdigest()
