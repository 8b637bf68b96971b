"""Symbols for any client: of a document, of the workspace, and the cost of each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from lsprotocol import types

from sightline.engine.file_symbols import begin_buffer_symbols, file_symbols, symbol_costs
from sightline.engine.host import Host
from sightline.engine.references import MOST_SYMBOLS, FoundSymbol, find_symbols
from sightline.lsp import uris
from sightline.lsp.folder import WorkspaceFolder
from sightline.lsp.open_documents import OpenDocument
from sightline.lsp.session import DocumentLocation, Session
from sightline.refusals import Refusal
from sightline.symbols import FileSummary, Symbol
from sightline.text import PositionEncoding, Span, Text

MOST_FOUND = MOST_SYMBOLS

_KINDS = {
    "class": types.SymbolKind.Class,
    "interface": types.SymbolKind.Interface,
    "struct": types.SymbolKind.Struct,
    "enum": types.SymbolKind.Enum,
    "trait": types.SymbolKind.Interface,
    "module": types.SymbolKind.Module,
    "type": types.SymbolKind.Class,
    "function": types.SymbolKind.Function,
    "method": types.SymbolKind.Method,
    "constructor": types.SymbolKind.Constructor,
    "property": types.SymbolKind.Property,
    "field": types.SymbolKind.Field,
    "constant": types.SymbolKind.Constant,
    "variable": types.SymbolKind.Variable,
    "macro": types.SymbolKind.Function,
}
_Found = TypeVar("_Found")


async def of_file(place: DocumentLocation, session: Session) -> list[types.DocumentSymbol] | None:
    """Return every symbol of a file, nested; None if it is withheld or its language is unknown."""
    found = await _read(place, file_symbols)
    return _nested(found.summary, found.text, session.encoding) if found is not None else None


async def of_buffer(document: OpenDocument, session: Session) -> list[types.DocumentSymbol] | None:
    """Return the symbols of a document without a file, from the editor's text."""
    begun = begin_buffer_symbols(session.toolchain, document.language_id, document.text)
    if begun is None:
        return None
    answer = await asyncio.wrap_future(begun)
    if isinstance(answer, Refusal):
        return None
    return _nested(answer.summary, document.text, session.encoding)


async def in_folder(folder: WorkspaceFolder, query: str) -> list[types.WorkspaceSymbol]:
    """Return symbols whose name contains the query, the shortest names first."""
    lost = folder.lost()
    found = await folder.run_for_request(lambda: find_symbols(folder.host, query, lost))
    return [_workspace_symbol(folder, each) for each in found]


async def lenses(place: DocumentLocation, uri: str, session: Session) -> list[types.CodeLens]:
    """Return the cost of each outermost symbol, shown as a region."""
    costs = await _read(place, symbol_costs)
    if costs is None:
        return []
    text, found = costs
    shown = []
    is_complete = place.folder.host.snapshot.index_complete
    for symbol, tokens in found:
        span = _range(text, symbol.name_span, session.encoding)
        command = types.Command(
            f"{tokens} tokens" if is_complete else f"{tokens} tokens, index not complete yet",
            "sightline.buildContext",
            arguments=[{"textDocument": {"uri": uri}, "position": _wire(span.start)}],
        )
        shown.append(types.CodeLens(span, command))
    return shown


async def _read(
    place: DocumentLocation, look_up: Callable[[Host, str], _Found | None]
) -> _Found | None:
    """Look something up in a file whose text the client and the server agree on."""
    folder, path = place.folder, place.path
    if path in folder.lost():
        return None

    def work() -> _Found | None:
        folder.await_closed([path])
        return look_up(folder.host, path)

    try:
        return await folder.run_for_request(work)
    except TimeoutError:
        return None


def _wire(position: types.Position) -> dict[str, int]:
    return {"line": position.line, "character": position.character}


def _workspace_symbol(folder: WorkspaceFolder, found: FoundSymbol) -> types.WorkspaceSymbol:
    # Without the text the column is not known; editors jump to the line.
    place = types.Position(found.line - 1, 0)
    return types.WorkspaceSymbol(
        location=types.Location(
            uris.of_path(folder.host.root / found.path), types.Range(place, place)
        ),
        name=found.name,
        kind=_KINDS.get(found.kind, types.SymbolKind.Variable),
        container_name=found.container,
    )


def _nested(
    summary: FileSummary, text: Text, encoding: PositionEncoding
) -> list[types.DocumentSymbol]:
    children: dict[int, list[int]] = {}
    for index, symbol in enumerate(summary.symbols):
        children.setdefault(symbol.parent, []).append(index)

    def made(indexes: Sequence[int]) -> list[types.DocumentSymbol]:
        return [
            _symbol(summary.symbols[index], text, encoding, made(children.get(index, ())))
            for index in indexes
        ]

    return made(children.get(-1, ()))


def _symbol(
    symbol: Symbol, text: Text, encoding: PositionEncoding, inside: list[types.DocumentSymbol]
) -> types.DocumentSymbol:
    name = _range(text, symbol.name_span, encoding)
    region = Span(
        min(symbol.region.start, symbol.name_span.start),
        max(symbol.region.end, symbol.name_span.end),
    )
    return types.DocumentSymbol(
        name=symbol.name or "?",
        kind=_KINDS.get(symbol.kind, types.SymbolKind.Variable),
        range=_range(text, region, encoding),
        selection_range=name,
        detail=symbol.kind,
        children=inside,
    )


def _range(text: Text, span: Span, encoding: PositionEncoding) -> types.Range:
    start, end = text.position_at(span.start, encoding), text.position_at(span.end, encoding)
    return types.Range(
        types.Position(start.line, start.column), types.Position(end.line, end.column)
    )
