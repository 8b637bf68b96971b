"""Messages about documents: opened, changed, closed, saved, focused.

All but `did_save` are changes: they are applied in order, by plain functions that never wait.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from sightline.lsp import extensions
from sightline.lsp.folder_messages import files_changed
from sightline.lsp.open_documents import ContentChange, OpenDocument, OutOfStep
from sightline.lsp.publishing import publish, publish_later
from sightline.lsp.session import Focus
from sightline.lsp.state import ServerState
from sightline.text import Position


def did_open(state: ServerState, params: types.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    session = state.session
    opened = session.open(document.uri, document.language_id, document.version, document.text)
    if not opened.is_in_step:
        state.client.show("A document is too large to be followed.")
    if session.focus is None and not state.is_told_of_no_focus:
        session.focus = Focus(document.uri, None)
    state.debouncer.poke()
    state.start(publish(state, document.uri))


def did_change(state: ServerState, params: types.DidChangeTextDocumentParams) -> None:
    document = params.text_document
    changes = []
    for each in params.content_changes:
        if isinstance(each, types.TextDocumentContentChangePartial):
            start, end = each.range.start, each.range.end
            changes.append(
                ContentChange(
                    each.text,
                    Position(start.line, start.character),
                    Position(end.line, end.character),
                )
            )
        else:
            changes.append(ContentChange(each.text))
    outcome = state.session.change(document.uri, document.version, changes)
    _changed(state, document.uri, outcome)


def did_close(state: ServerState, params: types.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    session = state.session
    session.close_document(uri)
    if session.focus is not None and session.focus.uri == uri:
        session.focus = None
    state.client.publish(types.PublishDiagnosticsParams(uri, []))


def did_save(state: ServerState, params: types.DidSaveTextDocumentParams) -> None:
    files_changed(state, [params.text_document.uri])


def did_change_active_file(
    state: ServerState, params: extensions.DidChangeActiveFileParams
) -> None:
    document = params.text_document
    state.has_plugin = True
    state.is_told_of_no_focus = document is None
    state.session.focus = Focus(document.uri, params.position) if document else None
    state.debouncer.poke()


async def misunderstood(state: ServerState, method: str, params: Any) -> None:
    """Mark a document as unknown after an open or change message that cannot be read."""
    if method not in (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE):
        return
    document = params.get("textDocument") if isinstance(params, dict) else None
    uri = document.get("uri") if isinstance(document, dict) else None
    if isinstance(uri, str):
        async with state.protocol.turns:
            problem = "a message about it cannot be understood"
            _changed(state, uri, state.session.lose(uri, problem))


def _changed(state: ServerState, uri: str, outcome: OpenDocument | OutOfStep) -> None:
    if isinstance(outcome, OutOfStep) and outcome.is_news:
        state.client.show(
            "Sightline and the editor do not agree on a document any more "
            f"({outcome.problem}): close it and open it again."
        )
    state.debouncer.poke()
    publish_later(state, uri)
