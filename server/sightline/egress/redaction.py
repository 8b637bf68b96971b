"""Redaction: return a piece of a text without the secrets that overlap it.

Invariant: a placeholder says which rule found the secret, and nothing about its value, not even its
length or number of lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from sightline.egress.model import Finding
from sightline.egress.views import escape_invisible
from sightline.text import Span

_CONTROLS = bytes([*range(0x09), 0x0B, *range(0x0E, 0x20), 0x7F])


def redacted(data: bytes, piece: Span, findings: Sequence[Finding]) -> bytes:
    """Return the bytes of `piece`, with a placeholder for every part of a finding in it."""
    if not piece.size:
        return b""
    parts: list[bytes] = []
    position = piece.start
    for finding in sorted(findings, key=lambda each: each.span):
        if finding.span.end <= position or finding.span.start >= piece.end:
            continue
        if finding.span.start >= position or not parts:
            parts.append(data[position : max(position, finding.span.start)])
            parts.append(placeholder(finding))
        position = max(position, min(finding.span.end, piece.end))
    parts.append(data[position : piece.end])
    return b"".join(parts)


def made_visible(data: bytes) -> tuple[str, int]:
    """Like `escape_invisible`, for bytes."""
    if data.isascii() and len(data.translate(None, _CONTROLS)) == len(data):
        # Nothing to escape, as in most texts; a pattern would take eight times as long.
        return data.decode("ascii"), 0
    return escape_invisible(data.decode("utf-8"))


def placeholder(finding: Finding) -> bytes:
    return f"[REDACTED:{finding.detector}]".encode("ascii")
