"""Notifications without a request: the cost of a bundle, and possible secrets."""

from __future__ import annotations

import contextlib

from sightline.engine.results import BudgetStatus
from sightline.engine.status import no_status, status_of
from sightline.lsp import actions, extensions, folder_builds
from sightline.lsp.capabilities import may_show_status
from sightline.lsp.extensions import BudgetStatusParams, TargetParams
from sightline.lsp.folder import FolderClosedError, WorkspaceFolder
from sightline.lsp.positions import EditorRequest
from sightline.lsp.session import Focus, Session
from sightline.lsp.state import ServerState
from sightline.refusals import Refusal


async def send_status(state: ServerState) -> None:
    """Send the cost of a bundle for the focus."""
    session = state.current_session
    if session is None or session.focus is None:
        return
    if not state.has_plugin and not may_show_status(state.client.name):
        return
    with contextlib.suppress(FolderClosedError):
        status = await budget_status(session, session.focus)
        # If the focus is gone by now, a later status reports that.
        if session.focus is not None:
            state.protocol.notify_struct(extensions.BUDGET_STATUS, status)


def publish_all(state: ServerState) -> None:
    for document in state.session.documents.all():
        publish_later(state, document.uri)


def publish_later(state: ServerState, uri: str) -> None:
    state.debouncer.later(f"diagnostics {uri}", lambda: publish(state, uri))


async def publish(state: ServerState, uri: str) -> None:
    """Publish diagnostics for possible secrets in an open file."""
    with contextlib.suppress(FolderClosedError):
        found = await actions.diagnostics(uri, state.session)
        if found is not None:
            state.client.publish(found)


async def budget_status(session: Session, focus: Focus) -> BudgetStatusParams:
    """Return the cost of a bundle for the focus. Raises `OvertakenError` when a request arrives."""
    place = session.place(focus.uri)
    document = session.documents.get(focus.uri)
    version = document.version if document else None
    refusal = session.out_of_step(focus.uri)
    if isinstance(place, Refusal):
        return _params(focus.uri, version, no_status(refusal or place), 0)
    folder = place.folder
    if refusal is not None:
        return _params(focus.uri, version, _none(refusal, folder), folder.revision)
    target = session.target(folder, TargetParams(focus.uri, focus.position))
    answered = await folder_builds.build_unasked(folder, EditorRequest(active=target))
    if isinstance(answered, Refusal):
        return _params(focus.uri, version, _none(answered, folder), folder.revision)
    return _params(focus.uri, version, status_of(answered.result), answered.revision)


def _none(refusal: Refusal, folder: WorkspaceFolder) -> BudgetStatus:
    return no_status(refusal, index_complete=folder.host.snapshot.index_complete)


def _params(
    uri: str, version: int | None, status: BudgetStatus, revision: int
) -> BudgetStatusParams:
    return BudgetStatusParams(
        uri=uri,
        version=version,
        decision=status.decision,
        tokens=status.tokens,
        needed_tokens=status.needed_tokens,
        optional_tokens=status.optional_tokens,
        soft_limit_tokens=status.soft_limit_tokens,
        hard_limit_tokens=status.hard_limit_tokens,
        symbol=status.symbol,
        level=status.level,
        refusal=status.refusal,
        blocks=status.blocks,
        index_complete=status.index_complete,
        revision=revision,
    )
