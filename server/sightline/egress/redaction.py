"""Redaction: a piece of a text without the secrets that overlap it.

Invariant: what stands for a secret says which rule found it and nothing about its value, not
even its length or its number of lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from sightline.egress.model import Finding
from sightline.text import Span


def redacted(data: bytes, piece: Span, findings: Sequence[Finding]) -> bytes:
    """The bytes of `piece`, with a placeholder for every part of a finding in it."""
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


def placeholder(finding: Finding) -> bytes:
    return f"[REDACTED:{finding.detector}]".encode("ascii")
