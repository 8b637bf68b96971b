"""What may be shown of a document or a name: nothing that a scan did not clear.

Every capability that shows text reads it here. A bundle has the same rule in `context`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from sightline.context import ScannedDocument
from sightline.context.selecting import cleared_document
from sightline.egress import Finding, ScanFailure, made_visible, placeholder, redacted
from sightline.engine.host import Host
from sightline.engine.results import SecretFound
from sightline.refusals import Refusal, RefusalKind
from sightline.text import Span, Text

_WITHHELD = "[REDACTED]"
_LONGEST_LINE = 120
_SHORTEST_SECRET = 8
"""Shorter values stand in other names by chance."""
UNREADABLE_LINE = "(the file can no longer be read)"
WITHHELD_LINE = "(withheld: the file holds what looks like a secret)"


def shown_document(host: Host, path: str) -> ScannedDocument | Refusal:
    """Read a document whose secrets all have known bounds; refuse any other."""
    found = host.cache.look_at(path)
    if host.shows_secrets and not isinstance(found, Refusal):
        return attrs.evolve(found, findings=())
    cleared = cleared_document(host.cache.with_findings(found, host.harmless))
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
    """Return a piece of a document without its secrets and invisible characters."""
    findings = document.findings
    assert not isinstance(findings, ScanFailure), "a document that was not scanned is not shown"
    data = redacted(document.text.data, span, findings)
    # A form feed parts the sections of many sources, and hides nothing.
    return "\f".join(made_visible(part)[0] for part in data.split(b"\f"))


def secrets_in(document: ScannedDocument) -> tuple[SecretFound, ...]:
    """Return what was found in a document, in its order."""
    findings = document.findings if not isinstance(document.findings, ScanFailure) else ()
    return tuple(
        SecretFound(each.detector, document.text.line_of(each.span.start) + 1) for each in findings
    )


class Concealer:
    """Replaces secrets in the names, paths and messages of one result.

    A secret of a document counts wherever else its value stands: in a symbol's name, in evidence,
    in a list of choices. Names are scanned by themselves as well.
    """

    def __init__(self, host: Host, paths: Iterable[str] = (), names: Iterable[str] = ()) -> None:
        """`paths` are the files that the result speaks of, `names` everything that it names.

        Without paths, any thread may make one.
        """
        self._replaced: dict[str, str] = {}
        if host.shows_secrets:
            return
        for path in sorted(set(paths)):
            document = host.cache.with_findings(host.cache.look_at(path), host.harmless)
            if not isinstance(document, Refusal):
                self._learn(document.text.data, document.findings)
        for name in _suspicious(host, sorted({*names, *paths})):
            data = name.encode("utf-8", "replace")
            found = host.cache.scan(data, host.harmless)
            if isinstance(found, ScanFailure):
                self._replaced[name] = _WITHHELD
            else:
                self._learn(data, found)

    def text(self, text: str) -> str:
        """Return a name, a path or a message without secrets."""
        for secret in sorted(self._replaced, key=lambda each: (-len(each), each)):
            if secret in text:
                text = text.replace(secret, self._replaced[secret])
        return text

    def refusal(self, refusal: Refusal) -> Refusal:
        """Return a refusal without secrets."""
        if not self._replaced:
            return refusal
        return attrs.evolve(
            refusal,
            path=self.text(refusal.path) if refusal.path is not None else None,
            message=self.text(refusal.message),
            advice=self.text(refusal.advice),
            candidates=tuple(self.text(each) for each in refusal.candidates),
        )

    def _learn(self, data: bytes, found: tuple[Finding, ...] | ScanFailure) -> None:
        if isinstance(found, ScanFailure):
            return
        for each in found:
            secret = data[each.span.start : each.span.end].decode("utf-8", "replace")
            if len(secret) >= _SHORTEST_SECRET:
                self._replaced.setdefault(secret, placeholder(each).decode("ascii"))


def concealed(host: Host, refusal: Refusal, *names: str) -> Refusal:
    """Return a refusal without secrets in what it says or was asked for."""
    said = [*names, *refusal.candidates]
    return Concealer(host, names=[*said, refusal.path] if refusal.path else said).refusal(refusal)


def _suspicious(host: Host, names: Sequence[str]) -> list[str]:
    """Return the names in which a scan of all of them finds something."""
    if not names:
        return []
    encoded = [name.encode("utf-8", "replace") for name in names]
    found = host.cache.scan(b"\n".join(encoded), host.harmless)
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
    """Lines of files that speak for relations, as they may be shown. Each file is read once."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._documents: dict[str, ScannedDocument | Refusal] = {}

    def line(self, path: str, number: int) -> str:
        """Return a line without its indentation, cut where it is long."""
        if path not in self._documents:
            self._documents[path] = shown_document(self._host, path)
        document = self._documents[path]
        if isinstance(document, Refusal):
            is_secret = document.kind is RefusalKind.SECRET_RISK
            return WITHHELD_LINE if is_secret else UNREADABLE_LINE
        if number > document.text.line_count:
            return UNREADABLE_LINE
        line = shown_text(document, line_span(document.text, number)).strip()
        return line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "…"


def line_span(text: Text, number: int) -> Span:
    """Return the bytes of a line, 1-based, without its line break."""
    return Span(text.line_start(number - 1), text.line_end(number - 1))
