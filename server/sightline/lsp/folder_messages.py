"""Messages about folders, their settings and the files in them.

A change of folders or of the configuration holds the turn until it is done, since it may ask the
client. Changed files are noted at once and read a moment later.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from sightline.engine.settings import SETTINGS_FILE
from sightline.lsp import uris
from sightline.lsp.configuration import pushed_section, requested_settings
from sightline.lsp.folder import WorkspaceFolder
from sightline.lsp.indexing_progress import index_folder
from sightline.lsp.publishing import publish_all
from sightline.lsp.state import ServerState
from sightline.refusals import Refusal

_MANY_CHANGES = 1_000
"""More changed files than this in one message: a branch was checked out, or something installed."""


async def did_change_configuration(
    state: ServerState, params: types.DidChangeConfigurationParams
) -> None:
    if not await pull_configuration(state) and params.settings is not None:
        # A client that sends no settings at all has not removed its earlier deny rules.
        _configure(state, pushed_section(params.settings))
    reload_settings(state)


async def did_change_folders(
    state: ServerState, params: types.DidChangeWorkspaceFoldersParams
) -> None:
    for each in params.event.removed:
        if (root := root_of(each.uri)) is not None:
            state.session.remove_folder(root)
    for each in params.event.added:
        if (root := root_of(each.uri)) is not None:
            open_folder(state, root)
    state.debouncer.poke()


def did_change_watched_files(state: ServerState, params: types.DidChangeWatchedFilesParams) -> None:
    files_changed(state, [each.uri for each in params.changes])


def did_create_files(state: ServerState, params: types.CreateFilesParams) -> None:
    files_changed(state, [each.uri for each in params.files])


def did_rename_files(state: ServerState, params: types.RenameFilesParams) -> None:
    files_changed(state, [each.old_uri for each in params.files])
    files_changed(state, [each.new_uri for each in params.files])


def did_delete_files(state: ServerState, params: types.DeleteFilesParams) -> None:
    files_changed(state, [each.uri for each in params.files])


# Folders and their settings. In turn.


def open_folder(state: ServerState, root: str) -> None:
    _take_opened(state, state.session.add_folder(root))


def reopen_refused(state: ServerState) -> None:
    """Try folders again that were refused: their settings may have been corrected."""
    for root in sorted(state.session.refusals):
        _reopen(state, root)


def reload_settings(state: ServerState) -> None:
    """Reload all settings."""
    session = state.session
    for root in sorted({*session.folders, *session.refusals}):
        _reopen(state, root)
    publish_all(state)
    state.debouncer.poke()


async def pull_configuration(state: ServerState) -> bool:
    """Request our section from the client; return True if it answered."""
    answer = await state.client.configuration()
    if answer is None:
        return False
    _configure(state, answer[0] if answer else None)
    return True


def root_of(uri: str) -> str | None:
    """Return the path of a folder that a client names, in canonical form."""
    parsed = uris.parse(uri)
    if not isinstance(parsed, uris.FilePath):
        return None
    stripped = parsed.path.rstrip("/")
    return stripped if "/" in stripped else parsed.path


def _reopen(state: ServerState, root: str) -> None:
    """Reload a folder's settings. A refusal that is already known is not shown again."""
    known = state.session.refusals.get(root)
    opened = state.session.reload_folder(root)
    if opened != known:
        _take_opened(state, opened)


def _take_opened(state: ServerState, opened: WorkspaceFolder | Refusal | None) -> None:
    if isinstance(opened, Refusal):
        state.client.tell(opened, types.MessageType.Error)
    elif opened is not None:
        for message in opened.host.loaded.messages:
            state.client.show(str(message))
        _, unknown_model = opened.host.settings.profile()
        if unknown_model is not None:
            state.client.show(f"{unknown_model}. 'sightline models' lists the known ones.")
        publish_all(state)

        def disk_changed(paths: Sequence[str]) -> None:
            _disk_changed(state, opened, paths)

        def begin_indexing() -> None:
            state.start(index_folder(state, opened, disk_changed, lambda: reload_settings(state)))

        opened.begin_indexing = begin_indexing
        begin_indexing()


def _configure(state: ServerState, section: object) -> None:
    requested, lenses, problems = requested_settings(section)
    state.session.requested = requested
    state.shows_lenses = lenses
    for problem in problems:
        state.client.show(problem)


# Files. At once.


def files_changed(state: ServerState, changed: Sequence[str]) -> None:
    """Note files that have changed on the disk, by URI, and read them a moment later."""
    session = state.session
    by_folder: dict[WorkspaceFolder, list[str]] = {}
    if len(changed) > _MANY_CHANGES:
        # Assigning each file to its folder takes longer than checking all files.
        by_folder = {folder: [SETTINGS_FILE] for folder in session.folders.values()}
    else:
        for uri in changed:
            for place in session.places(uri):
                by_folder.setdefault(place.folder, []).append(place.path)
    for folder, paths in by_folder.items():
        # Reading the disk takes a while; files that are denied by now must not be served meanwhile.
        folder.host.mark_rules_stale()
        _take_settings(state, folder, paths)
        _refresh_soon(state, folder, paths)


def _refresh_soon(state: ServerState, folder: WorkspaceFolder, paths: Sequence[str]) -> None:
    """Check the disk once for all changes that arrive within a moment."""
    folder.looks.tell(paths)
    state.refreshes.soon(
        folder, lambda: state.start(_refresh(state, folder, folder.looks.take_told()))
    )


async def _refresh(state: ServerState, folder: WorkspaceFolder, paths: Sequence[str]) -> None:
    await folder.refresh(paths)
    _disk_changed(state, folder, paths)


def _disk_changed(state: ServerState, folder: WorkspaceFolder, paths: Sequence[str]) -> None:
    """Reload settings and status after a change on the disk. An empty list of paths means any
    path.
    """
    _take_settings(state, folder, paths or [SETTINGS_FILE])
    state.debouncer.poke()


def _take_settings(state: ServerState, folder: WorkspaceFolder, changed: Sequence[str]) -> None:
    if SETTINGS_FILE in changed:
        for root, each in list(state.session.folders.items()):
            if each is folder:
                _reopen(state, root)
