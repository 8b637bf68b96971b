"""The server put together: which handler handles which message.

Handlers hold no logic: convert, call the session, convert. Long work runs on a folder's threads;
the event loop only applies changes and sends answers.

To add a message: its type in `extensions`, a handler in the file of its group, a line in one of
these tables. The tables say what a handler may do:

* a change is made in turn, by a plain function that never waits;
* a long change holds the turn until it is done, since it may ask the client;
* a notice is handled at once, without a turn;
* a request begins after all changes before it have been applied, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from sightline import __version__
from sightline.engine.host import Toolchain
from sightline.lsp import (
    command_requests,
    document_messages,
    extensions,
    folder_messages,
    lifecycle,
    own_requests,
    pack_messages,
    recipe_messages,
    snapshot_messages,
    standard_requests,
)
from sightline.lsp.client import Client
from sightline.lsp.folder import FolderClosedError
from sightline.lsp.protocol import Code, FailureError, Protocol, converter
from sightline.lsp.publishing import send_status
from sightline.lsp.state import ServerState

_Function = Callable[[ServerState, Any], None]
_Coroutine = Callable[[ServerState, Any], Awaitable[Any]]

_CHANGES: dict[str, _Function] = {
    types.TEXT_DOCUMENT_DID_OPEN: document_messages.did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: document_messages.did_change,
    types.TEXT_DOCUMENT_DID_CLOSE: document_messages.did_close,
    extensions.DID_CHANGE_ACTIVE_FILE: document_messages.did_change_active_file,
}

_LONG_CHANGES: dict[str, _Coroutine] = {
    types.INITIALIZED: lifecycle.initialized,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: folder_messages.did_change_configuration,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: folder_messages.did_change_folders,
}

_NOTICES: dict[str, _Function] = {
    types.SET_TRACE: lifecycle.set_trace,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: lifecycle.cancel_progress,
    types.TEXT_DOCUMENT_DID_SAVE: document_messages.did_save,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: folder_messages.did_change_watched_files,
    types.WORKSPACE_DID_CREATE_FILES: folder_messages.did_create_files,
    types.WORKSPACE_DID_RENAME_FILES: folder_messages.did_rename_files,
    types.WORKSPACE_DID_DELETE_FILES: folder_messages.did_delete_files,
}

_REQUESTS: dict[str, _Coroutine] = {
    extensions.BUILD_CONTEXT: own_requests.build_context,
    extensions.SLICE: own_requests.slice_document,
    extensions.EXPLAIN: own_requests.explain,
    extensions.VERIFY: own_requests.verify,
    extensions.INDEX_STATUS: own_requests.index_status,
    extensions.MODELS: own_requests.models,
    extensions.BUILD_RECIPE: recipe_messages.recipe,
    extensions.BUILD_TASK_PACK: recipe_messages.task_pack,
    extensions.BUILD_PROJECT_PACK: pack_messages.project_pack,
    extensions.SNAPSHOT: snapshot_messages.snapshot,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: standard_requests.document_symbol,
    types.TEXT_DOCUMENT_CODE_LENS: standard_requests.code_lens,
    types.TEXT_DOCUMENT_CODE_ACTION: standard_requests.code_action,
    types.WORKSPACE_SYMBOL: standard_requests.workspace_symbol,
    types.WORKSPACE_EXECUTE_COMMAND: command_requests.execute_command,
}

_LIFECYCLE: dict[str, _Coroutine] = {
    types.INITIALIZE: lifecycle.initialize,
    types.SHUTDOWN: lifecycle.shutdown,
}
"""Requests that begin at once."""


class Server:
    """The server of one client. Created and used on the event loop."""

    def __init__(self, toolchain: Toolchain) -> None:
        library = LanguageServer(
            "sightline", __version__, protocol_cls=Protocol, converter_factory=converter
        )
        protocol = library.protocol
        assert isinstance(protocol, Protocol)
        self.protocol = protocol
        self.state = state = ServerState(toolchain, protocol, Client(library))
        state.debounce(partial(send_status, state))
        for method, change in _CHANGES.items():
            protocol.handle_change(method, partial(change, state))
        for method, long_change in _LONG_CHANGES.items():
            protocol.handle_long_change(method, partial(long_change, state))
        for method, notice in _NOTICES.items():
            protocol.handle_notice(method, partial(notice, state))
        for method, request in _REQUESTS.items():
            protocol.handle_request(method, partial(_once_settled, request, state))
        for method, request in _LIFECYCLE.items():
            protocol.handle_request(method, partial(request, state))
        protocol.on_misunderstood = lambda method, params: state.start(
            document_messages.misunderstood(state, method, params)
        )

    @property
    def handled_methods(self) -> list[str]:
        return sorted({**_CHANGES, **_LONG_CHANGES, **_NOTICES, **_REQUESTS, **_LIFECYCLE})


async def _once_settled(request: _Coroutine, state: ServerState, params: Any) -> Any:
    """Begin a request after all earlier changes and before any later one.

    Its work is queued on the folder's thread before any other handler has a turn.
    """
    async with state.protocol.turns:
        folder_messages.reopen_refused(state)
    try:
        return await request(state, params)
    except FolderClosedError:
        raise FailureError(
            Code.CONTENT_MODIFIED, "the folder was opened anew meanwhile: ask again"
        ) from None
