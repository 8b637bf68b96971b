"""The start and end of the server: capabilities, folders, shutdown."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from lsprotocol import types

from sightline import __version__
from sightline.lsp import uris
from sightline.lsp.capabilities import ENCODINGS, encoding_of, offered
from sightline.lsp.folder_messages import open_folder, pull_configuration, root_of
from sightline.lsp.protocol import LifecycleState
from sightline.lsp.session import Session
from sightline.lsp.state import ServerState


async def initialize(state: ServerState, params: types.InitializeParams) -> types.InitializeResult:
    state.client.capabilities = params.capabilities
    state.client.name = params.client_info.name if params.client_info else None
    state.parent_process = params.process_id or state.parent_process
    kind = encoding_of(params.capabilities)
    state.current_session = Session(state.toolchain, ENCODINGS[kind])
    state.roots = [root for root in map(root_of, _named_folders(params)) if root is not None]
    return types.InitializeResult(
        capabilities=offered(kind),
        server_info=types.ServerInfo("sightline", __version__),
    )


async def initialized(state: ServerState, params: object) -> None:
    del params
    if state.is_initialized:
        return
    state.is_initialized = True
    state.is_watched_by_client = asyncio.create_task(state.client.register_watching())
    await pull_configuration(state)
    if state.protocol.state is LifecycleState.RUNNING:
        for root in state.roots:
            open_folder(state, root)


async def shutdown(state: ServerState, params: object) -> None:
    del params
    state.protocol.state = LifecycleState.SHUT_DOWN
    state.debouncer.stop()
    if state.current_session is not None:
        state.current_session.close()


def cancel_progress(state: ServerState, params: types.WorkDoneProgressCancelParams) -> None:
    state.client.cancel(params.token)


def set_trace(state: ServerState, params: object) -> None:
    """Ignore the request: messages carry contents, so nothing is traced."""
    del state, params


def _named_folders(params: types.InitializeParams) -> list[str]:
    """Return the URIs of the folders that the client opens at its start."""
    if params.workspace_folders:
        return [each.uri for each in params.workspace_folders]
    if params.root_uri:
        return [params.root_uri]
    if params.root_path and Path(params.root_path).is_absolute():
        # A lone surrogate cannot be in a file name and cannot be written as a URI.
        with contextlib.suppress(UnicodeError):
            return [uris.of_path(Path(params.root_path))]
    return []
