"""Symbols for any client: of a document, of the workspace, and what each costs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lsprotocol import types

from sightline.budget import Estimator, estimator
from sightline.index import Snapshot
from sightline.languages import Language
from sightline.lsp import uris
from sightline.lsp.documents import OpenDocument
from sightline.lsp.folder import Folder
from sightline.lsp.session import Place, Session
from sightline.refusals import Refusal
from sightline.slicing import SignatureDocs
from sightline.symbols import FileSummary, Symbol
from sightline.text import PositionEncoding, Span, Text
from sightline.workers import Request, Task

MOST_FOUND = 200
_MOST_FILES = 400

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
_LANGUAGE_IDS = {
    "typescriptreact": "tsx",
    "javascriptreact": "javascript",
    "shellscript": "bash",
    "sh": "bash",
    "cs": "csharp",
    "c++": "cpp",
}
"""Names that editors give to languages, where they are not ours."""


async def of_file(place: Place, session: Session) -> list[types.DocumentSymbol] | None:
    """Every symbol of a file, nested; None where it is withheld or of no known language."""
    document = (await place.folder.documents([place.path]))[place.path]
    if isinstance(document, Refusal) or document.language is None:
        return None
    docs = SignatureDocs(place.folder.loaded.settings.slicing.signature_docs)
    cuts = await place.folder.on_editors(lambda: place.folder.desk.cut([document], docs))
    cut = cuts[place.path]
    if isinstance(cut, Refusal):
        return None
    return _nested(cut.summary, document.text, session.encoding)


async def of_buffer(document: OpenDocument, session: Session) -> list[types.DocumentSymbol] | None:
    """The symbols of a document that is no file, from what the editor shows alone."""
    language = _language(document, session)
    if language is None:
        return None
    request = Request(Task.SUMMARIZE, language.name, document.text.data)
    answer = await _asked(session, request)
    if isinstance(answer, Refusal):
        return None
    return _nested(answer, document.text, session.encoding)


async def in_folder(folder: Folder, query: str) -> list[types.WorkspaceSymbol]:
    """Symbols whose name has the query in it, the shortest names first."""
    return await folder.on_editors(lambda: _found(folder, query))


async def lenses(place: Place, uri: str, session: Session) -> list[types.CodeLens]:
    """What each outermost symbol costs, as its region would be shown."""
    document = (await place.folder.documents([place.path]))[place.path]
    if isinstance(document, Refusal) or document.language is None:
        return []
    docs = SignatureDocs(place.folder.loaded.settings.slicing.signature_docs)
    cuts = await place.folder.on_editors(lambda: place.folder.desk.cut([document], docs))
    cut = cuts[place.path]
    counting = estimator(place.folder.loaded.settings.profile()[0].estimator)
    if isinstance(cut, Refusal) or not isinstance(counting, Estimator):
        return []
    found = []
    for symbol in cut.summary.symbols:
        if symbol.parent >= 0:
            continue
        tokens = counting.tokens(document.text.cut(symbol.region))
        span = _range(document.text, symbol.name_span, session.encoding)
        command = types.Command(
            f"{tokens} tokens",
            "sightline.buildContext",
            arguments=[{"textDocument": {"uri": uri}, "position": _wire(span.start)}],
        )
        found.append(types.CodeLens(span, command))
    return found


def _wire(position: types.Position) -> dict[str, int]:
    return {"line": position.line, "character": position.character}


def _found(folder: Folder, query: str) -> list[types.WorkspaceSymbol]:
    snapshot: Snapshot = folder.project.snapshot
    wanted = query.casefold()
    found: list[tuple[int, str, bytes, types.WorkspaceSymbol]] = []
    looked_at = 0
    for path in snapshot.paths_naming(wanted):
        scope = snapshot.scope(path)
        if scope is None or folder.out_of_step(path) is not None:
            continue
        looked_at += 1
        if looked_at > _MOST_FILES:
            break
        for each in scope.definitions:
            if wanted not in each.name.casefold():
                continue
            line = scope.view.line_number(each.name_start) - 1
            # The column is not known without the text; editors jump to the line.
            place = types.Position(line, 0)
            symbol = types.WorkspaceSymbol(
                location=types.Location(
                    uris.of_path(folder.root / path), types.Range(place, place)
                ),
                name=each.name,
                kind=_KINDS.get(each.kind, types.SymbolKind.Variable),
                container_name=each.container or None,
            )
            found.append((len(each.name), each.name, path.encode("utf-8"), symbol))
    found.sort(key=lambda each: each[:3])
    return [symbol for *_, symbol in found[:MOST_FOUND]]


async def _asked(session: Session, request: Request) -> FileSummary | Refusal:
    answer = await asyncio.wrap_future(session.workers.begin(request))
    return answer if isinstance(answer, Refusal) else answer.summary


def _language(document: OpenDocument, session: Session) -> Language | None:
    name = _LANGUAGE_IDS.get(document.language_id, document.language_id)
    return session.registry.get(name)


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
