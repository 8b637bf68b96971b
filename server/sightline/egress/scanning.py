"""The scan: every detector on every reading of a text, as one ordered list of findings.

Invariants: linear in the size of the text; no allow comment in a text has any effect; the union
of the spans covers everything that any detector found, and the same values elsewhere in the text.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

import attrs

from sightline.egress.assignments import assignments
from sightline.egress.commands import command_secrets
from sightline.egress.headers import credentials
from sightline.egress.literals import literals
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_secrets import named_secrets
from sightline.egress.placed_values import placed_values
from sightline.egress.private_keys import private_keys
from sightline.egress.public_values import tempered
from sightline.egress.records import recorded_secrets
from sightline.egress.sql_columns import sql_columns
from sightline.egress.structured import document_secrets
from sightline.egress.vendors import vendor_credentials
from sightline.egress.views import readings
from sightline.text import Span

_MOST_FINDINGS = 3_000
"""In one text. More than that is a list of secrets, and following each would take too long."""

_MOST_VALUES = 100
"""In one text that are looked for elsewhere in it: each costs a look at the whole text."""

_SHORTEST_VALUE = 8
_LONG_VALUE = 16
"""Bytes that stand for one thing alone, also in the middle of a name."""

_WORD = re.compile(rb"[A-Za-z_]{1,15}")
_INSIDE = re.compile(rb"[A-Za-z0-9_]{2}")

_GENERAL = (
    "assigned-",
    "argument-",
    "authorization-",
    "bearer-",
    "dotted-",
    "hyphenated-",
    "joined-",
    "prefixed-",
    "separated-",
    "unnamed-",
    "webhook-",
    "weak-",
)
"""Detectors that know less about a value than any other that finds it too."""


def scan(data: bytes, harmless: frozenset[str] = frozenset()) -> tuple[Finding, ...]:
    """Every secret in a text, ordered, without overlaps.

    `harmless` are SHA-256 digests, in hexadecimal, of values that a person vouched for.
    """
    found = _few(_detected(data), len(data))
    for reading in readings(data):
        for finding in _few(_detected(reading.data), len(reading.data)):
            found.append(attrs.evolve(finding, span=reading.span_of(finding.span)))
    kept = (
        attrs.evolve(finding, span=_whole_characters(data, finding.span))
        for finding in found
        if not _is_harmless(data, finding, harmless)
    )
    told = [each for each in _merged(kept) if not _is_harmless(data, each, harmless)]
    again = _few(_repeated(data, told), len(data))
    return tuple(_few(_merged([*told, *again]), len(data)) if again else told)


def _detected(data: bytes) -> Iterator[Finding]:
    return (tempered(data, finding) for finding in _found(data))


def _found(data: bytes) -> Iterator[Finding]:
    yield from private_keys(data)
    yield from credentials(data)
    yield from command_secrets(data)
    yield from vendor_credentials(data)
    yield from document_secrets(data)
    yield from assignments(data)
    yield from named_secrets(data)
    yield from placed_values(data)
    yield from sql_columns(data)
    yield from recorded_secrets(data)
    yield from literals(data)


def _repeated(data: bytes, findings: Sequence[Finding]) -> Iterator[Finding]:
    """The same values where nothing around them tells that they are secrets."""
    values: dict[bytes, Finding] = {}
    for finding in findings:
        if finding.is_weak:
            continue
        value = data[finding.span.start : finding.span.end]
        if len(values) < _MOST_VALUES and finding.is_bounded and not _is_word(value):
            values.setdefault(value, finding)
    for value, finding in values.items():
        if data.count(value) == 1:
            continue
        start = data.find(value)
        while start >= 0:
            end = start + len(value)
            is_part = _is_inside_name(data, start) or _is_inside_name(data, end)
            if len(value) >= _LONG_VALUE or not is_part:
                yield attrs.evolve(finding, span=Span(start, end))
            start = data.find(value, end)


def _is_word(value: bytes) -> bool:
    """Whether it may well stand for something else elsewhere."""
    return len(value) < _SHORTEST_VALUE or b"\n" in value or _WORD.fullmatch(value) is not None


def _is_inside_name(data: bytes, offset: int) -> bool:
    """Whether letters or digits go on across an offset."""
    return _INSIDE.fullmatch(data[max(0, offset - 1) : offset + 1]) is not None


def _few(findings: Iterator[Finding], size: int) -> list[Finding]:
    """The findings, or all of the text as one where there are too many to tell apart."""
    found = list(itertools.islice(findings, _MOST_FINDINGS + 1))
    if len(found) <= _MOST_FINDINGS:
        return found
    return [Finding(Span(0, size), "flood-of-secrets", "flood", Certainty.CERTAIN, False)]


def _merged(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Overlapping findings as one, under the name of the one that says most."""
    open_finding: Finding | None = None
    for finding in sorted(findings, key=_order):
        if open_finding is None:
            open_finding = finding
        elif finding.span.start < open_finding.span.end:
            open_finding = _joined(open_finding, finding)
        else:
            yield open_finding
            open_finding = finding
    if open_finding is not None:
        yield open_finding


def _order(finding: Finding) -> tuple[int, int, bool, str, str, bool]:
    """Longer ones first where two begin together, and then the one whose name says more."""
    span, detector = finding.span, finding.detector
    return (
        span.start,
        -span.end,
        detector.startswith(_GENERAL),
        detector,
        finding.certainty,
        finding.is_bounded,
    )


def _joined(first: Finding, second: Finding) -> Finding:
    end = max(first.span.end, second.span.end)
    contains = first.span.contains(second.span)
    return attrs.evolve(
        # A weak finding knows less than any other.
        second if first.is_weak and not second.is_weak else first,
        span=Span(first.span.start, end),
        certainty=min(first.certainty, second.certainty, key=_CERTAINTIES.index),
        # Sure bounds inside unsure ones do not make those sure.
        is_bounded=first.is_bounded and (contains or second.is_bounded),
    )


_CERTAINTIES = (Certainty.CERTAIN, Certainty.UNCERTAIN, Certainty.WEAK)


def _whole_characters(data: bytes, span: Span) -> Span:
    """The span with the rest of any character that it cuts, so that what is left is text."""
    start, end = span.start, span.end
    while start > max(0, span.start - 3) and data[start] & 0xC0 == 0x80:
        start -= 1
    while end < min(len(data), span.end + 3) and data[end] & 0xC0 == 0x80:
        end += 1
    return Span(start, end)


def _is_harmless(data: bytes, finding: Finding, harmless: frozenset[str]) -> bool:
    if not harmless:
        return False
    value = data[finding.span.start : finding.span.end]
    return hashlib.sha256(value).hexdigest() in harmless
