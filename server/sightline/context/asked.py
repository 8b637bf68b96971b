"""The request, for the first lines of the rendered text."""

from __future__ import annotations

from sightline.context.blocks import meant_symbols
from sightline.context.request import BuildRequest
from sightline.context.sources import DocumentCut, ScannedDocument, Sources
from sightline.context.targets import TargetFile, Targets
from sightline.index import Snapshot
from sightline.render import Asked, AskedTarget
from sightline.symbols import Symbol
from sightline.text import Span

_INCOMPLETE = (
    "Not complete: not every file of the project had been read when this was built. Callers, "
    "dependencies and other related code may be missing."
)
_UNCOUNTED = (
    "Not complete: the words of the project had not been counted when this was built. Code that "
    "is like the target may be missing."
)


def asked_of(sources: Sources, request: BuildRequest, targets: Targets) -> Asked:
    """Return the targets of a request with their lines, and its purpose.

    The names of targets were scanned before; the finished text is scanned once more.
    """
    documents = sources.documents([each.path for each in targets.files])
    return Asked(
        request.purpose,
        tuple(
            target
            for each in targets.files
            if isinstance(document := documents[each.path], ScannedDocument)
            for target in _targets(sources, each, document)
        ),
        _warning(sources.snapshot),
    )


def _warning(snapshot: Snapshot) -> str | None:
    if not snapshot.index_complete:
        return _INCOMPLETE
    return None if snapshot.terms_complete else _UNCOUNTED


def asked_symbol(document: ScannedDocument, symbol: Symbol) -> AskedTarget:
    """Return one symbol of a document as the target of a separate text."""
    return _target(document, symbol.qualified_name, symbol.kind, symbol.region)


def _targets(sources: Sources, target: TargetFile, document: ScannedDocument) -> list[AskedTarget]:
    if not target.symbols:
        return [AskedTarget(document.path, 1, max(1, document.text.last_line_number))]
    snapshot = sources.snapshot
    cut = sources.cuts([document])[document.path] if document.language is not None else None
    if isinstance(cut, DocumentCut):
        found = meant_symbols(snapshot, document.path, target.symbols, cut.summary)
        if len(found) == len(target.symbols):
            return [asked_symbol(document, each) for each in found]
    scope = snapshot.scope(document.path)
    assert scope is not None, "a symbol was found in it"
    meant = [scope.definitions[index] for _, index in target.symbols]
    return [
        _target(document, each.qualified_name, each.kind, Span(each.start, each.end))
        for each in meant
    ]


def _target(document: ScannedDocument, symbol: str, kind: str, span: Span) -> AskedTarget:
    first, last = (document.text.line_of(offset) + 1 for offset in (span.start, span.end - 1))
    return AskedTarget(document.path, first, last, symbol, kind)
