"""Commands: actions of a person in an editor, with or without our plugin."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from lsprotocol import types

from sightline.bundle import BuildResult, Status
from sightline.engine.bundle_files import write_bundle_file
from sightline.lsp import actions, extensions, mark_requests, own_requests
from sightline.lsp.folder_messages import reload_settings
from sightline.lsp.indexing_progress import ask_again
from sightline.lsp.protocol import Code, FailureError
from sightline.lsp.state import ServerState
from sightline.refusals import Refusal

_OK = {"status": "ok", "refusal": None}


async def execute_command(state: ServerState, params: types.ExecuteCommandParams) -> Any:
    arguments = list(params.arguments or [])
    if params.command == "sightline.buildContext":
        return await _build_context(state, arguments)
    if params.command == "sightline.reindex":
        return await _reindex(state)
    if params.command == "sightline.userSettings":
        return _user_settings(state)
    if params.command in _MARKING:
        return await _mark(state, params.command, arguments)
    raise FailureError(Code.INVALID_PARAMS, "there is no such command")


async def _build_context(state: ServerState, arguments: Sequence[object]) -> dict[str, Any]:
    try:
        asked = msgspec.convert(arguments[0] if arguments else {}, extensions.BuildContextParams)
    except msgspec.ValidationError as error:
        raise FailureError(Code.INVALID_PARAMS, f"invalid parameters: {error}") from None
    except (UnicodeError, RecursionError):
        raise FailureError(Code.INVALID_PARAMS, "invalid parameters") from None
    result, revision, current_revision = await own_requests.build(state, asked)
    state.debouncer.later("showing", lambda: _show(state, result))
    return own_requests.answer(result, revision, current_revision)


async def _reindex(state: ServerState) -> dict[str, Any]:
    reload_settings(state)
    for folder in list(state.session.folders.values()):
        if not ask_again(folder):
            await folder.refresh()
    state.debouncer.poke()
    return _OK


def _user_settings(state: ServerState) -> dict[str, Any]:
    file = actions.user_settings()
    if isinstance(file, Refusal):
        return {**_refused(state, file), "path": None}
    if not state.has_plugin:
        state.start(state.client.present(Path(file), "Your own Sightline settings"))
    return {**_OK, "path": file}


async def _mark(state: ServerState, command: str, arguments: Sequence[object]) -> dict[str, Any]:
    """Add a person's decision to their own settings, or remove it."""
    outcome = await _MARKING[command](state, arguments)
    if not isinstance(outcome, Refusal):
        answer: dict[str, Any] = msgspec.to_builtins(outcome)
        return answer
    if not state.has_plugin:
        state.client.tell(outcome)
    kind = extensions.COMMANDS[command]
    refused: dict[str, Any] = msgspec.to_builtins(kind(Status.REFUSED, outcome))
    return refused


_MARKING: dict[str, Callable[[ServerState, Sequence[object]], Awaitable[msgspec.Struct | Refusal]]]
_MARKING = {
    "sightline.allowPath": mark_requests.allow_path,
    "sightline.markHarmless": mark_requests.mark_harmless,
    "sightline.takeBack": mark_requests.take_back,
}


def _refused(state: ServerState, refusal: Refusal) -> dict[str, Any]:
    """Return the answer to a refused command. A client without a plugin also gets a message."""
    if not state.has_plugin:
        state.client.tell(refusal)
    return {"status": "refused", "refusal": refusal.as_dict()}


async def _show(state: ServerState, result: BuildResult) -> None:
    """Open a build in a client that has no plugin and would ignore the answer."""
    if result.refusal is not None or result.budget_report is None:
        if result.refusal is not None:
            state.client.tell(result.refusal)
        return
    file = write_bundle_file(result, state.session.folders)
    what = f"AI context of {result.budget_report.estimated_input_tokens} tokens"
    if file is None:
        state.client.show(what, types.MessageType.Info)
    else:
        await state.client.present(file, what)
