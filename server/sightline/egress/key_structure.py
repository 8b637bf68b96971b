"""Recognise private keys in their binary encodings by the first bytes.

Certificates, requests, signatures and public keys have another structure and are not secret.
"""

from __future__ import annotations

import attrs

_SEQUENCE, _INTEGER, _OCTETS, _OBJECT = 0x30, 0x02, 0x04, 0x06
_PKCS7_DATA = bytes.fromhex("2a864886f70d0107")
_PASSWORD_BASED = (bytes.fromhex("2a864886f70d0105"), bytes.fromhex("2a864886f70d010c01"))
_OPENSSH = b"openssh-key-v1\0"
_KEYSTORE = bytes.fromhex("feedfeed")
_PGP_SECRET_TAGS = (0x94, 0x95, 0xC5)
_PGP_ALGORITHMS = frozenset([1, 2, 3, 16, 17, 18, 19, 22, 25, 26, 27, 28])
_SHORTEST_SECRET = 16
LEAST = 20
"""The number of bytes that is needed."""


@attrs.frozen
class KeyStructure:
    detector: str
    size: int
    """The size of the whole encoding in bytes; 0 if its beginning does not say."""


@attrs.frozen
class _Element:
    tag: int
    start: int
    size: int


def key_structure(head: bytes) -> KeyStructure | None:
    """Return the private key that begins with these bytes, at least `LEAST` of them, or None."""
    if head.startswith(_OPENSSH):
        return KeyStructure("encoded-private-key", 0)
    if head.startswith(_KEYSTORE):
        # The first entry is a private key, not a trusted certificate.
        return KeyStructure("encoded-keystore", 0) if head[11:16] == b"\0\0\0\1\0" else None
    if head[:1] and head[0] in _PGP_SECRET_TAGS:
        return _pgp(head)
    outer = _element(head, 0)
    if outer is None or outer.tag != _SEQUENCE or outer.size < LEAST:
        return None
    size = outer.start + outer.size
    first = _element(head, outer.start)
    if first is None:
        return None
    if first.tag == _SEQUENCE:
        algorithm = _element(head, first.start)
        if algorithm is not None and algorithm.tag == _OBJECT:
            content = head[algorithm.start : algorithm.start + algorithm.size]
            if content.startswith(_PASSWORD_BASED):
                return KeyStructure("encoded-private-key", size)
        return None
    if first.tag != _INTEGER or first.size != 1 or len(head) <= first.start:
        return None
    version = head[first.start]
    second = _element(head, first.start + 1)
    if second is None:
        return None
    if version == 3:
        content_type = _element(head, second.start) if second.tag == _SEQUENCE else None
        if content_type is None or content_type.tag != _OBJECT:
            return None
        is_store = head[content_type.start : content_type.start + 8] == _PKCS7_DATA
        return KeyStructure("encoded-pkcs12", size) if is_store else None
    return KeyStructure("encoded-private-key", size) if _is_key(head, version, second) else None


def _is_key(head: bytes, version: int, second: _Element) -> bool:
    if version not in (0, 1):
        return False
    if second.tag == _INTEGER:
        # PKCS #1: a modulus follows; so it does in DSA keys.
        return version == 0 and second.size >= 32
    if second.tag == _SEQUENCE:
        algorithm = _element(head, second.start)
        if algorithm is None or algorithm.tag != _OBJECT or not 3 <= algorithm.size <= 12:
            return False
        # The key follows the algorithm; in parameters of a curve, more parameters do.
        third = second.start + second.size
        return third >= len(head) or head[third] == _OCTETS
    return version == 1 and second.tag == _OCTETS and _SHORTEST_SECRET <= second.size <= 80


def _pgp(head: bytes) -> KeyStructure | None:
    """Recognise a packet with a secret key, of version 4 to 6."""
    start = {0x94: 2, 0x95: 3, 0xC5: 3 if 192 <= head[1] < 224 else 2}[head[0]]
    size = int.from_bytes(head[1:start], "big")
    if len(head) < start + 6 or size < 64 or head[start] not in (4, 5, 6):
        return None
    is_dated = 0x30000000 <= int.from_bytes(head[start + 1 : start + 5], "big") < 0x80000000
    if not is_dated or head[start + 5] not in _PGP_ALGORITHMS:
        return None
    return KeyStructure("encoded-private-key", 0)


def _element(data: bytes, offset: int) -> _Element | None:
    """Return the tag and the bounds of an ASN.1 element in distinguished encoding."""
    if offset + 2 > len(data):
        return None
    tag, size = data[offset], data[offset + 1]
    if size < 0x80:
        return _Element(tag, offset + 2, size)
    count = size & 0x7F
    content = data[offset + 2 : offset + 2 + count]
    if not 1 <= count <= 3 or len(content) < count:
        return None
    size = int.from_bytes(content, "big")
    # Only the shortest form is valid.
    is_short = size < 0x80 or size >> (8 * (count - 1)) == 0
    return None if is_short else _Element(tag, offset + 2 + count, size)
