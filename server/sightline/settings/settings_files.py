"""Read the two settings files, and merge all layers.

A file that exists but cannot be read is refused: it may guard something. No answer contains an
absolute path.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from sightline.refusals import Refusal
from sightline.settings.layers import (
    MAX_USER_FILE_BYTES,
    USER_FILE,
    USER_PLACE,
    WORKSPACE_FILE,
    Loaded,
    bad_file,
    load,
)
from sightline.settings.private_files import CONFIG_VARIABLE
from sightline.workspace import ReadLimits, Workspace


def settings_for(
    workspace: Workspace, environment: Mapping[str, str], request: Mapping[str, object]
) -> Loaded | Refusal:
    """Return the effective settings of a workspace, reading both files now."""
    user_text = read_user_file(environment)
    if isinstance(user_text, Refusal):
        return user_text
    root_text = read_workspace_file(workspace)
    if isinstance(root_text, Refusal):
        return root_text
    return load(root_text, user_text, environment, request, str(workspace.root))


def open_workspace(
    root: Path,
    environment: Mapping[str, str],
    request: Mapping[str, object],
    source_extensions: frozenset[str],
) -> tuple[Workspace, Loaded] | Refusal:
    """Open a workspace with its settings. Raises `RootError` if there is no directory.

    `source_extensions` are those of known languages.
    """
    loaded = settings_for(Workspace(root), environment, request)
    if isinstance(loaded, Refusal):
        return loaded
    settings = loaded.settings
    workspace = Workspace(
        root,
        limits=ReadLimits(max_file_bytes=settings.limits.max_file_bytes),
        lifted=settings.policy.allow,
        denied=loaded.deny_sources,
        source_extensions=source_extensions,
    )
    return workspace, loaded


def user_file(environment: Mapping[str, str]) -> Path:
    """Return the path of the user's settings, whether the file exists or not."""
    chosen = environment.get(CONFIG_VARIABLE)
    folder = Path(chosen) if chosen else platformdirs.user_config_path("sightline", appauthor=False)
    return folder / USER_FILE


def read_user_file(environment: Mapping[str, str]) -> str | Refusal | None:
    """Return the text of the user's settings; None if there are none."""
    file = user_file(environment)
    try:
        # Without O_NONBLOCK, opening a pipe of that name would block.
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        # A dangling link names a file that should exist.
        return bad_file(USER_PLACE, *_UNREADABLE) if file.is_symlink() else None
    except (OSError, ValueError):
        return bad_file(USER_PLACE, *_UNREADABLE)
    try:
        return _read_private(descriptor)
    except OSError:
        return bad_file(USER_PLACE, *_UNREADABLE)
    finally:
        os.close(descriptor)


def read_workspace_file(workspace: Workspace) -> str | Refusal | None:
    """Return the text of the workspace's settings; None if there are none.

    They are read like any other file of the workspace. If a rule withholds them, their guards are
    unknown, so that is a refusal.
    """
    if workspace.is_denied:
        # The whole workspace is denied, whatever its settings say; each read reports that.
        return None
    document = workspace.read(WORKSPACE_FILE)
    if not isinstance(document, Refusal):
        return document.text.data.decode("utf-8")
    if document.reason == "not_found":
        return None
    by = f" (rule {document.rule}, from {document.source})" if document.rule else ""
    return bad_file(
        WORKSPACE_FILE,
        f"is there and cannot be read: {document.reason}{by}",
        "let it be seen and read, or remove it",
    )


_UNREADABLE = ("is there and cannot be read", "make it readable, or remove it")


def _read_private(descriptor: int) -> str | Refusal:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return bad_file(USER_PLACE, "is no file", "put a file there, or nothing")
    if hasattr(os, "getuid") and (
        status.st_uid not in (os.getuid(), 0) or status.st_mode & stat.S_IWOTH
    ):
        return bad_file(
            USER_PLACE, "can be written by other users", "make it yours, and yours alone to write"
        )
    raw = b""
    while len(raw) <= MAX_USER_FILE_BYTES:
        piece = os.read(descriptor, MAX_USER_FILE_BYTES + 1 - len(raw))
        if not piece:
            break
        raw += piece
    if len(raw) > MAX_USER_FILE_BYTES:
        problem = f"is larger than {MAX_USER_FILE_BYTES} bytes"
        return bad_file(USER_PLACE, problem, "make it smaller")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return bad_file(USER_PLACE, "is not UTF-8", "save it as UTF-8")
