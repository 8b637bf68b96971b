"""What may be shown of a document or a name: only what a scan has cleared.

Every capability that shows text reads it here. `context` has the same rule for bundles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import attrs

from sightline.context import ScannedDocument
from sightline.context.selecting import cleared_document
from sightline.egress import (
    NOTHING_KNOWN,
    Finding,
    KnownSecrets,
    ScanFailure,
    guarded_scan,
    known_secrets,
    made_visible,
    redacted,
    with_known,
)
from sightline.engine.hidden_counts import with_amount
from sightline.engine.host import Host
from sightline.engine.results import SecretFound
from sightline.refusals import Refusal, RefusalKind
from sightline.text import Span, Text

_WITHHELD = "[REDACTED]"
_LONGEST_LINE = 120
UNREADABLE_LINE = "(the file can no longer be read)"
WITHHELD_LINE = "(withheld: the file holds what looks like a secret)"


def shown_document(
    host: Host, path: str, known: KnownSecrets = NOTHING_KNOWN
) -> ScannedDocument | Refusal:
    """Read a document if the bounds of all its secrets are known; refuse any other.

    `known` are secrets of other documents of the same answer.
    """
    found = host.cache.look_at(path)
    if host.shows_secrets and not isinstance(found, Refusal):
        return attrs.evolve(found, findings=())
    document = host.cache.with_findings(found, host.harmless, keeps_weak=host.keeps_weak)
    if not isinstance(document, Refusal) and not isinstance(document.findings, ScanFailure):
        findings = with_known(document.text.data, document.findings, known)
        document = attrs.evolve(document, findings=findings)
    cleared = cleared_document(document)
    if not isinstance(cleared, str):
        return cleared
    return Refusal(
        RefusalKind.SECRET_RISK,
        "secret_risk",
        path,
        f"the file holds what looks like a secret ({cleared})",
        "move the secret out of the project, or add a deny rule",
        rule=cleared,
        source="egress",
    )


def shown_text(document: ScannedDocument, span: Span) -> str:
    """Return a piece of a document with its secrets replaced and invisible characters escaped."""
    findings = document.findings
    assert not isinstance(findings, ScanFailure), "a document that was not scanned is not shown"
    return made_visible(redacted(document.text.data, span, findings))[0]


def secrets_in(document: ScannedDocument) -> tuple[SecretFound, ...]:
    """Return the findings in a document, in order, without weak ones."""
    return tuple(_places(document, [each for each in _findings(document) if not each.is_weak]))


def weak_secrets_in(document: ScannedDocument) -> tuple[SecretFound, ...]:
    """Return the weak findings in a document, in order."""
    return tuple(_places(document, [each for each in _findings(document) if each.is_weak]))


def _findings(document: ScannedDocument) -> tuple[Finding, ...]:
    return document.findings if not isinstance(document.findings, ScanFailure) else ()


def _places(document: ScannedDocument, findings: Iterable[Finding]) -> Iterator[SecretFound]:
    for each in findings:
        yield SecretFound(each.detector, document.text.line_of(each.span.start) + 1)


@attrs.frozen
class Concealer:
    """Replaces secrets in the names, paths and messages of one result.

    A secret of a document counts wherever its value occurs: in a symbol's name, in evidence, in a
    list of choices. Names are scanned by themselves as well.
    """

    known: KnownSecrets = NOTHING_KNOWN
    _withheld: frozenset[str] = frozenset()
    """Names that could not be scanned."""

    def text(self, text: str) -> str:
        """Return a name, a path or a message with secrets replaced."""
        for name in sorted(self._withheld, key=lambda each: (-len(each), each)):
            text = text.replace(name, _WITHHELD)
        if not self.known:
            return text
        data = text.encode("utf-8", "replace")
        found = with_known(data, (), self.known)
        return redacted(data, Span(0, len(data)), found).decode("utf-8") if found else text

    def refusal(self, refusal: Refusal) -> Refusal:
        """Return a refusal with secrets replaced."""
        return attrs.evolve(
            refusal,
            path=self.text(refusal.path) if refusal.path is not None else None,
            message=self.text(refusal.message),
            advice=self.text(refusal.advice),
            candidates=tuple(self.text(each) for each in refusal.candidates),
        )


def conceal_names(host: Host, paths: Iterable[str] = (), names: Iterable[str] = ()) -> Concealer:
    """Return a function that replaces secrets in a result.

    `paths` are the files of the result, `names` all names in it. Without paths, it may be called
    from any thread.
    """
    if host.shows_secrets:
        return Concealer()
    read = sorted(set(paths))
    scan = partial(host.cache.scan, harmless=host.harmless)
    return _concealer(scan, [*_scanned(host, read)], sorted({*names, *read}))


def conceal_record(texts: Iterable[str], names: Iterable[str]) -> Concealer:
    """Return a function that replaces secrets in names of a record, which may be forged."""
    scanned = []
    for text in texts:
        data = text.encode("utf-8", "replace")
        found = guarded_scan(data)
        if not isinstance(found, ScanFailure):
            scanned.append((data, found))
    return _concealer(guarded_scan, scanned, sorted(set(names)))


def _scanned(host: Host, paths: Iterable[str]) -> Iterator[tuple[bytes, tuple[Finding, ...]]]:
    for path in paths:
        found = host.cache.look_at(path)
        document = host.cache.with_findings(found, host.harmless, keeps_weak=host.keeps_weak)
        if not isinstance(document, Refusal) and not isinstance(document.findings, ScanFailure):
            yield document.text.data, document.findings


def _concealer(
    scan: Callable[[bytes], tuple[Finding, ...] | ScanFailure],
    scanned: list[tuple[bytes, tuple[Finding, ...]]],
    names: Sequence[str],
) -> Concealer:
    withheld: set[str] = set()
    for name in _suspicious(scan, names):
        data = name.encode("utf-8", "replace")
        found = scan(data)
        if isinstance(found, ScanFailure):
            withheld.add(name)
        else:
            scanned.append((data, found))
    return Concealer(known_secrets(scanned, with_uncertain=True), frozenset(withheld))


def concealed(host: Host, refusal: Refusal, *names: str) -> Refusal:
    """Return a refusal with secrets replaced, also those from the request."""
    said = [*names, *refusal.candidates]
    if refusal.path:
        said.append(refusal.path)
    return conceal_names(host, names=said).refusal(with_amount(host, refusal))


def _suspicious(
    scan: Callable[[bytes], tuple[Finding, ...] | ScanFailure], names: Sequence[str]
) -> list[str]:
    """Return the names in which a scan of all of them finds something."""
    if not names:
        return []
    encoded = [name.encode("utf-8", "replace") for name in names]
    found = scan(b"\n".join(encoded))
    if isinstance(found, ScanFailure):
        return list(names)
    suspicious = []
    start = 0
    for name, data in zip(names, encoded, strict=True):
        end = start + len(data)
        if any(each.span.start < end and start < each.span.end for each in found):
            suspicious.append(name)
        start = end + 1
    return suspicious


class EvidenceLines:
    """Lines of files that are evidence for relations, with secrets replaced. Each file is read
    once.

    A secret of one of the files counts in the lines of all of them.
    """

    def __init__(self, host: Host, paths: Iterable[str]) -> None:
        self._host = host
        self._known = conceal_names(host, paths).known
        self._documents: dict[str, ScannedDocument | Refusal] = {}

    def line(self, path: str, number: int) -> str:
        """Return a line without its indentation, shortened if it is long."""
        if path not in self._documents:
            self._documents[path] = shown_document(self._host, path, self._known)
        document = self._documents[path]
        if isinstance(document, Refusal):
            is_secret = document.kind is RefusalKind.SECRET_RISK
            return WITHHELD_LINE if is_secret else UNREADABLE_LINE
        if number > document.text.line_count:
            return UNREADABLE_LINE
        line = shown_text(document, line_span(document.text, number)).strip()
        return line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "…"


def line_span(text: Text, number: int) -> Span:
    """Return the span of a line, 1-based, without its line break."""
    return Span(text.line_start(number - 1), text.line_end(number - 1))
