"""What the server offers, and what it reads from a client's capabilities."""

from __future__ import annotations

from lsprotocol import types

from sightline.lsp import extensions
from sightline.text import PositionEncoding

ENCODINGS = {
    types.PositionEncodingKind.Utf8: PositionEncoding.UTF8,
    types.PositionEncodingKind.Utf16: PositionEncoding.UTF16,
    types.PositionEncodingKind.Utf32: PositionEncoding.UTF32,
}


def encoding_of(capabilities: types.ClientCapabilities) -> types.PositionEncodingKind:
    """Return the first encoding that the client lists and the server knows; utf-16 if it lists
    none.
    """
    general = capabilities.general
    for each in (general.position_encodings if general else None) or []:
        if each in ENCODINGS:
            return types.PositionEncodingKind(each)
    return types.PositionEncodingKind.Utf16


_OVERLOOKING = frozenset({"Eglot", "helix"})
"""Clients that offer to watch files but do not report every change: Eglot reports no renames, Helix
reports only files that it wrote itself.
"""


def can_watch(capabilities: types.ClientCapabilities, name: str | None) -> bool:
    """True if the client should be asked to watch files."""
    workspace = capabilities.workspace
    watched = workspace.did_change_watched_files if workspace else None
    return bool(watched and watched.dynamic_registration) and name not in _OVERLOOKING


def tells_all(name: str | None) -> bool:
    """True if a client that watches files reports every change. A client without a name may be an
    old Eglot.
    """
    return name is not None and name not in _OVERLOOKING


_WITHOUT_PLUGIN = frozenset({"Eglot", "emacs", "helix", "vim-lsp"})
"""Clients that have no plugin for Sightline. lsp-mode, which calls itself emacs, opens a window of
warnings for every notification that it does not know.
"""


def may_show_status(name: str | None) -> bool:
    """True if a client that has not reported its focus may still show the budget status."""
    return name not in _WITHOUT_PLUGIN


def can_be_asked(capabilities: types.ClientCapabilities) -> bool:
    """True if the client answers requests for its configuration."""
    return bool(capabilities.workspace and capabilities.workspace.configuration)


def refreshes_lenses(capabilities: types.ClientCapabilities) -> bool:
    """True if the client can be told that code lenses have changed."""
    lenses = capabilities.workspace.code_lens if capabilities.workspace else None
    return bool(lenses and lenses.refresh_support)


def shows_progress(capabilities: types.ClientCapabilities) -> bool:
    return bool(capabilities.window and capabilities.window.work_done_progress)


def shows_documents(capabilities: types.ClientCapabilities) -> bool:
    window = capabilities.window
    return bool(window and window.show_document and window.show_document.support)


def offered(kind: types.PositionEncodingKind) -> types.ServerCapabilities:
    every_file = types.FileOperationRegistrationOptions(
        [types.FileOperationFilter(types.FileOperationPattern("**/*"), scheme="file")]
    )
    return types.ServerCapabilities(
        position_encoding=kind,
        text_document_sync=types.TextDocumentSyncOptions(
            open_close=True,
            change=types.TextDocumentSyncKind.Incremental,
            save=types.SaveOptions(include_text=False),
        ),
        document_symbol_provider=True,
        workspace_symbol_provider=True,
        code_lens_provider=types.CodeLensOptions(resolve_provider=False),
        code_action_provider=types.CodeActionOptions(
            code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind("source")]
        ),
        execute_command_provider=types.ExecuteCommandOptions(list(extensions.COMMANDS)),
        workspace=types.WorkspaceOptions(
            workspace_folders=types.WorkspaceFoldersServerCapabilities(
                supported=True, change_notifications=True
            ),
            file_operations=types.FileOperationOptions(
                did_create=every_file, did_rename=every_file, did_delete=every_file
            ),
        ),
        experimental={"sightline": {"requests": sorted(extensions.REQUESTS)}},
    )
