"""The protocol's own requests: symbols, code lenses and code actions.

Each begins after all changes that arrived before it have been applied.
"""

from __future__ import annotations

from lsprotocol import types

from sightline.lsp import actions, symbols
from sightline.lsp.session import DocumentLocation
from sightline.lsp.state import ServerState
from sightline.refusals import Refusal


async def document_symbol(
    state: ServerState, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | None:
    session = state.session
    uri = params.text_document.uri
    document = session.documents.get(uri)
    if session.out_of_step(uri) is not None:
        return None
    place = session.place(uri)
    if isinstance(place, DocumentLocation):
        return await symbols.of_file(place, session)
    if document is None:
        return None
    return await symbols.of_buffer(document, session)


async def workspace_symbol(
    state: ServerState, params: types.WorkspaceSymbolParams
) -> list[types.WorkspaceSymbol]:
    session = state.session
    found: list[types.WorkspaceSymbol] = []
    # Folders may be opened and closed meanwhile.
    for _, folder in sorted(session.folders.items()):
        inside = await symbols.in_folder(folder, params.query)
        # Folders may be nested.
        found += [each for each in inside if each not in found]
    return found[: symbols.MOST_FOUND]


async def code_lens(state: ServerState, params: types.CodeLensParams) -> list[types.CodeLens]:
    session = state.session
    place = session.place(params.text_document.uri)
    if not state.shows_lenses or isinstance(place, Refusal):
        return []
    return await symbols.lenses(place, params.text_document.uri, session)


async def code_action(state: ServerState, params: types.CodeActionParams) -> list[types.CodeAction]:
    uri = params.text_document.uri
    place = state.session.place(uri)
    if isinstance(place, Refusal):
        return []
    return await actions.offered(place, uri, params)
