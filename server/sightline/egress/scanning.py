"""The scan: every detector on every reading of a text, as one ordered list of findings.

Invariants: linear in the size of the text; no allow comment in a text has any effect; the union
of the spans covers everything that any detector found, and the same values elsewhere in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import attrs

from sightline.egress.assembled_values import assembled_values
from sightline.egress.assignments import assignments
from sightline.egress.call_arguments import call_arguments
from sightline.egress.command_lines import command_lines
from sightline.egress.commands import command_secrets
from sightline.egress.continued_values import continuations, labelled_pieces
from sightline.egress.disguises import with_unseen
from sightline.egress.encoded_values import encoded_values
from sightline.egress.handed_values import handed_values
from sightline.egress.harmless_values import NOTHING_HARMLESS, HarmlessValues
from sightline.egress.headers import credentials
from sightline.egress.known import KnownSecrets, known_secrets
from sightline.egress.known_places import known_places
from sightline.egress.listed_places import listed_places
from sightline.egress.literals import literals
from sightline.egress.marked_tables import marked_tables
from sightline.egress.markup import markup_values
from sightline.egress.model import FLOOD, Certainty, Finding
from sightline.egress.named_secrets import named_secrets
from sightline.egress.nearby import nearby_secrets
from sightline.egress.placed_values import placed_values
from sightline.egress.positional_values import positional_values
from sightline.egress.private_keys import private_keys
from sightline.egress.public_values import tempered
from sightline.egress.records import recorded_secrets
from sightline.egress.secret_patterns import texts
from sightline.egress.siblings import siblings
from sightline.egress.spoken import spoken_secrets
from sightline.egress.sql_columns import sql_columns
from sightline.egress.structured import document_secrets
from sightline.egress.told_values import told_values
from sightline.egress.vendor_pieces import vendor_pieces
from sightline.egress.vendors import vendor_credentials
from sightline.egress.views import readings
from sightline.egress.yielding import without_repeated
from sightline.text import Span

_MOST_FINDINGS = 3_000
"""In one text. More than that is a list of secrets, and following each would take too long."""

_MOST_WITH_WEAK = 50_000
"""Weak ones are replaced where they stand, which takes little."""

_MOST_OF_ONE = 5_000
"""That one detector finds, weak ones too: so much at once takes long to find and is no program."""

Detector = Callable[[bytes], Iterator[Finding]]

DETECTORS: tuple[Detector, ...] = (
    private_keys,
    credentials,
    command_secrets,
    command_lines,
    vendor_credentials,
    vendor_pieces,
    known_places,
    listed_places,
    document_secrets,
    assignments,
    named_secrets,
    handed_values,
    assembled_values,
    encoded_values,
    labelled_pieces,
    positional_values,
    placed_values,
    call_arguments,
    markup_values,
    marked_tables,
    spoken_secrets,
    told_values,
    sql_columns,
    recorded_secrets,
    nearby_secrets,
    literals,
)
"""Each looks for secrets of some kind in one reading of a text."""

_GENERAL = (
    "assigned-",
    "argument-",
    "authorization-",
    "bearer-",
    "dotted-",
    "hyphenated-",
    "joined-",
    "key-in-pieces",
    "nearby-",
    "placed-",
    "prefixed-",
    "separated-",
    "unnamed-",
    "value-in-place",
    "webhook-",
    "weak-",
)
"""Detectors that know less about a value than any other that finds it too."""


def scan(data: bytes, harmless: HarmlessValues = NOTHING_HARMLESS) -> tuple[Finding, ...]:
    """Every secret in a text, ordered, without overlaps.

    `harmless` are values that a person vouched for.
    """
    try:
        return _scanned(data, harmless)
    finally:
        texts.forget()


def _scanned(data: bytes, harmless: HarmlessValues) -> tuple[Finding, ...]:
    found = _few(data, _found(data))
    for reading in readings(data):
        for finding in _few(reading.data, _found(reading.data)):
            found.append(attrs.evolve(finding, span=reading.span_of(finding.span)))
    kept = (
        attrs.evolve(finding, span=with_unseen(data, _whole_characters(data, finding.span)))
        for finding in without_repeated(found)
        if not _is_harmless(data, finding, harmless)
    )
    told = [each for each in _merged(kept) if not _is_harmless(data, each, harmless)]
    if any(each.is_flood for each in told):
        # Nothing of the text is left in which a value could stand again.
        return tuple(told)
    more = [
        each
        for each in (*siblings(data, told), *continuations(data, told))
        if not _is_harmless(data, each, harmless)
    ]
    told = list(_merged([*told, *more])) if more else told
    return with_known(data, told, known_secrets([(data, told)], with_uncertain=True))


def with_known(
    data: bytes, findings: Sequence[Finding], known: KnownSecrets
) -> tuple[Finding, ...]:
    """The findings in a text, and every place where it says a value that is known elsewhere."""
    if not known:
        return tuple(findings)
    again = known.places(data)
    for reading in readings(data):
        for finding in known.places(reading.data):
            span = _whole_characters(data, reading.span_of(finding.span))
            again.append(attrs.evolve(finding, span=span))
    return tuple(_few(data, _merged([*findings, *again])))


def detected(data: bytes, detector: Detector) -> list[Finding]:
    """What one detector finds in one reading of a text, as far as a scan asks it."""
    return _few(data, _found_by(data, detector))


def _found(data: bytes) -> Iterator[Finding]:
    for detector in DETECTORS:
        yield from _found_by(data, detector)


def _found_by(data: bytes, detector: Detector) -> Iterator[Finding]:
    for count, finding in enumerate(detector(data)):
        if count == _MOST_OF_ONE:
            yield _flood(data)
            return
        yield tempered(data, finding)


def _flood(data: bytes) -> Finding:
    """All of a text as one finding."""
    return Finding(Span(0, len(data)), "flood-of-secrets", FLOOD, Certainty.CERTAIN, False)


def _few(data: bytes, findings: Iterable[Finding]) -> list[Finding]:
    """The findings, or all of the text as one where there are too many to tell apart."""
    found: list[Finding] = []
    strong = 0
    for finding in findings:
        found.append(finding)
        strong += not finding.is_weak
        if finding.is_flood or strong > _MOST_FINDINGS or len(found) > _MOST_WITH_WEAK:
            return [_flood(data)]
    return found


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


def _is_harmless(data: bytes, finding: Finding, harmless: HarmlessValues) -> bool:
    return not finding.is_flood and harmless.has(data[finding.span.start : finding.span.end])
