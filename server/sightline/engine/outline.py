"""List the symbols of files, with secrets in signatures and names replaced."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

import attrs

from sightline.context import ScannedDocument
from sightline.engine.hidden_counts import with_amount
from sightline.engine.host import Host
from sightline.engine.results import (
    OutlineBody,
    OutlineResult,
    OutlineSymbol,
    Status,
    refused,
)
from sightline.engine.shown import (
    Concealer,
    conceal_names,
    secrets_in,
    shown_document,
    shown_text,
    weak_secrets_in,
)
from sightline.engine.slice import require_language
from sightline.refusals import Refusal
from sightline.symbols import FileSummary, Symbol
from sightline.symbols.model import qualified
from sightline.text import Span, Text
from sightline.workers import ParseRequest, ParseTask


def outline(host: Host, path: str) -> OutlineResult:
    """Return every symbol of a file, or why there is no outline."""
    return next(outlines(host, [path]))


def outlines(host: Host, paths: Iterable[str]) -> Iterator[OutlineResult]:
    """Return an outline for each path, in order. The files are parsed in parallel.

    They are one answer: what one file shows to be a secret is one in all of them.
    """
    paths = list(paths)
    concealer = conceal_names(host, paths)
    # Documents whose parse is under way, and refusals that wait for their turn.
    begun: deque[ScannedDocument | Refusal] = deque()

    def requests() -> Iterator[ParseRequest]:
        for path in paths:
            document = shown_document(host, path, concealer.known)
            if isinstance(document, Refusal):
                told = with_amount(host, _about(document, path))
                begun.append(concealer.refusal(told))
                continue
            language = require_language(host, document, "outline")
            if isinstance(language, Refusal):
                begun.append(concealer.refusal(language))
                continue
            begun.append(document)
            yield ParseRequest(ParseTask.SUMMARIZE, language.name, document.text.data)

    for answer in host.workers.ask_all(requests()):
        yield from _waiting_refusals(begun)
        document = begun.popleft()
        assert not isinstance(document, Refusal)
        if isinstance(answer, Refusal):
            yield refused(OutlineResult, concealer.refusal(_about(answer, document.path)))
        else:
            yield _outline(concealer, document, answer.summary)
    yield from _waiting_refusals(begun)


def _waiting_refusals(begun: deque[ScannedDocument | Refusal]) -> Iterator[OutlineResult]:
    while begun and isinstance(begun[0], Refusal):
        refusal = begun.popleft()
        assert isinstance(refusal, Refusal)
        yield refused(OutlineResult, refusal)


def _about(refusal: Refusal, path: str) -> Refusal:
    return refusal if refusal.path else attrs.evolve(refusal, path=path)


def _outline(
    concealer: Concealer, document: ScannedDocument, summary: FileSummary
) -> OutlineResult:
    text = document.text
    depths: list[int] = []
    symbols: list[OutlineSymbol] = []
    for index, symbol in enumerate(summary.symbols):
        depths.append(depths[symbol.parent] + 1 if symbol.parent >= 0 else 0)
        name = concealer.text(symbol.name)
        container = concealer.text(symbol.container) if symbol.container is not None else None
        symbols.append(
            OutlineSymbol(
                name=name,
                qualified_name=qualified(symbol.kind, container, name),
                kind=symbol.kind,
                container=container,
                start_line=symbol.start_line,
                name_line=symbol.name_line,
                end_line=symbol.end_line,
                body=_body(text, symbol),
                signature=shown_text(document, symbol.header),
                reliable=symbol.reliable,
                depth=depths[index],
            )
        )
    return OutlineResult(
        status=Status.OK,
        path=concealer.text(document.path),
        language=summary.language,
        language_title=document.language.title if document.language else None,
        parse_clean=summary.parse_clean,
        first_error_line=text.line_of(summary.errors[0].start) + 1 if summary.errors else None,
        line_count=summary.line_count,
        symbols=tuple(symbols),
        redactions=secrets_in(document),
        weak_redactions=weak_secrets_in(document),
    )


def _body(text: Text, symbol: Symbol) -> OutlineBody | None:
    span: Span | None = symbol.body_lines
    if span is None:
        return None
    return OutlineBody(
        text.line_of(span.start) + 1, text.line_of(max(span.start, span.end - 1)) + 1
    )
