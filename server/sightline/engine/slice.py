"""Cut one file to one level, with its secrets replaced."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from sightline.bundle import BlockRegion
from sightline.context import DocumentCut, ScannedDocument
from sightline.engine.host import Host
from sightline.engine.requests import SliceRequest
from sightline.engine.results import (
    SlicePiece,
    SliceResult,
    SliceSelfCheck,
    Status,
    refused,
)
from sightline.engine.shown import (
    Concealer,
    conceal_names,
    concealed,
    secrets_in,
    shown_document,
    shown_text,
    weak_secrets_in,
)
from sightline.languages import Language
from sightline.refusals import Refusal, RefusalKind
from sightline.slicing import (
    Level,
    Piece,
    SelfCheck,
    SignatureDocs,
    Slice,
    full_file,
    regions,
    summary_only,
)
from sightline.symbols import FileSummary, Symbol, find_symbol

LEVELS = {
    "full": Level.FULL_FILE,
    "region": Level.TARGET_REGION_ONLY,
    "signatures": Level.SIGNATURES_ONLY,
    "summary": Level.SUMMARY_ONLY,
}
"""Levels, by their names in requests."""


def slice_file(host: Host, request: SliceRequest) -> SliceResult:
    """Return a file at a level, or why that is not possible."""
    level = LEVELS.get(request.level)
    if level is None:
        return refused(SliceResult, concealed(host, _unknown_level(request), request.path))
    document = shown_document(host, request.path)
    if isinstance(document, Refusal):
        return refused(SliceResult, concealed(host, document, request.path))
    concealer = conceal_names(host, [request.path], request.symbols)
    found = _cut(host, document, level, request)
    if isinstance(found, Refusal):
        about = found if found.path else attrs.evolve(found, path=document.path)
        return refused(SliceResult, concealer.refusal(about))
    slice_, summary = found
    contents = [_shown(host, document, piece, concealer) for piece in slice_.pieces]
    redactions, weak = secrets_in(document), weak_secrets_in(document)
    return SliceResult(
        status=Status.OK,
        path=concealer.text(document.path),
        language=document.language.name if document.language else None,
        parse_clean=summary.parse_clean if summary else None,
        level=slice_.level.value,
        content="".join(contents),
        hash=document.sha256,
        encoding=document.encoding.value,
        bom=document.bom,
        regions=tuple(
            BlockRegion(concealer.text(each.symbol), each.start_line, each.end_line, each.sha256)
            for each in slice_.regions
        ),
        # Offsets would reveal the length of a replaced secret.
        pieces=() if redactions or weak else tuple(map(_piece, slice_.pieces, contents)),
        check=_self_check(slice_.check) if slice_.check else None,
        document_version=document.version,
        redactions=redactions,
        weak_redactions=weak,
    )


def require_language(host: Host, document: ScannedDocument, purpose: str) -> Language | Refusal:
    """Return the language of a document, or why nothing can be cut without one."""
    if document.language is not None:
        return document.language
    titles = ", ".join(language.title for language in host.registry.languages.values())
    return Refusal(
        RefusalKind.UNSUPPORTED_TARGET,
        "unsupported_language",
        document.path,
        f"its language is not one that Sightline can {purpose}",
        f"show the whole file with 'sightline slice PATH --level full'; known languages: {titles}",
        rule="no tree to trust, no slice",
    )


def _cut(
    host: Host, document: ScannedDocument, level: Level, request: SliceRequest
) -> tuple[Slice, FileSummary | None] | Refusal:
    if level is Level.FULL_FILE:
        # This level needs no tree, so it works for any text.
        return full_file(document.text), None
    language = require_language(host, document, "cut")
    if isinstance(language, Refusal):
        return language
    docs = request.docs or host.settings.slicing.signature_docs
    if docs not in tuple(SignatureDocs):
        return _unknown_docs(request)
    cut = host.cache.cut([document], SignatureDocs(docs))[document.path]
    if isinstance(cut, Refusal):
        return cut
    if level is Level.SIGNATURES_ONLY:
        signatures = cut.signatures
        return signatures if isinstance(signatures, Refusal) else (signatures, cut.summary)
    if level is Level.SUMMARY_ONLY:
        return summary_only(document.path, language.title, cut.summary), cut.summary
    symbols = _chosen(document, cut, request)
    if isinstance(symbols, Refusal):
        return symbols
    outcome = regions(language, document.text, cut.summary, symbols)
    return outcome if isinstance(outcome, Refusal) else (outcome, cut.summary)


def _chosen(
    document: ScannedDocument, cut: DocumentCut, request: SliceRequest
) -> Sequence[Symbol] | Refusal:
    """Return the symbols whose regions are requested, in source order."""
    chosen: list[Symbol] = []
    for name in request.symbols:
        symbol = find_symbol(cut.summary, name)
        if isinstance(symbol, Refusal):
            return symbol
        if symbol not in chosen:
            chosen.append(symbol)
    if not chosen and request.offset is not None:
        around = symbol_around(cut.summary, request.offset)
        chosen = [around] if around is not None else []
    if not chosen:
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "no_slice",
            document.path,
            "a region needs a symbol: none was named, and there is none at the position",
            "name a symbol, or take the whole file",
        )
    return sorted(chosen, key=lambda symbol: (symbol.region.start, symbol.region.end))


def symbol_around(summary: FileSummary, offset: int) -> Symbol | None:
    """Return the innermost symbol whose region an offset is in."""
    around = [
        symbol for symbol in summary.symbols if symbol.region.start <= offset < symbol.region.end
    ]
    return min(around, key=lambda symbol: symbol.region.size, default=None)


def _piece(piece: Piece, content: str) -> SlicePiece:
    if piece.span is None:
        return SlicePiece(content, None, None, len(content))
    return SlicePiece(None, piece.span.start, piece.span.end, len(content))


def _shown(host: Host, document: ScannedDocument, piece: Piece, concealer: Concealer) -> str:
    if piece.span is None:
        return concealer.text(piece.literal.decode("utf-8"))
    if host.shows_secrets:
        return document.text.cut(piece.span).decode("utf-8")
    return shown_text(document, piece.span)


def _self_check(check: SelfCheck) -> SliceSelfCheck:
    return SliceSelfCheck(
        check.parses_clean,
        check.same_declarations,
        f"{check.declarations_kept}/{check.declarations_expected}",
        check.no_body_bytes,
        check.in_original_order,
    )


def _unknown_docs(request: SliceRequest) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "unknown_docs",
        request.path,
        "there is no such value for doc comments",
        f"use {', '.join(SignatureDocs)}",
    )


def _unknown_level(request: SliceRequest) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "unknown_level",
        request.path,
        "there is no such level",
        f"use {', '.join(LEVELS)}",
    )
