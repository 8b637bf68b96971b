"""Show the settings in force."""

from __future__ import annotations

import os
from pathlib import Path

from sightline.bundle import Status
from sightline.engine.host import no_workspace
from sightline.engine.results import SettingMessage, SettingOrigin, SettingsResult, refused
from sightline.refusals import Refusal
from sightline.settings import WORKSPACE_FILE, Loaded, settings_for
from sightline.settings.editing import made_user_file
from sightline.settings.profiles import profile_fields
from sightline.settings.settings_files import user_file
from sightline.workspace import Root, RootError, Workspace, find_root

SETTINGS_FILE = WORKSPACE_FILE
"""The settings file of a workspace, which can only tighten."""


def settings(root: str | None) -> SettingsResult:
    """Return the settings of a workspace; of the one around the current directory by default."""
    loaded = load_settings(root)
    return refused(SettingsResult, loaded) if isinstance(loaded, Refusal) else settings_of(loaded)


def load_settings(root: str | None) -> Loaded | Refusal:
    """Read the settings of a workspace without opening anything else of it."""
    try:
        # An empty string would mean the current directory; it is more likely a mistake.
        found = find_root(Path(), Path.cwd()) if root is None else Root(Path(root or "\0"))
        # Reading settings reads nothing else of the directory, however wide it is.
        workspace = Workspace(Path.cwd() if isinstance(found, Refusal) else found.directory)
    except (RootError, OSError, ValueError):
        return no_workspace()
    return settings_for(workspace, os.environ, {})


def settings_of(loaded: Loaded) -> SettingsResult:
    profile, note = loaded.settings.profile()
    return SettingsResult(
        status=Status.OK,
        settings=loaded.settings.as_dict(),
        origins={
            name: SettingOrigin(origin.layer.value, tuple(origin.places))
            for name, origin in loaded.origins.items()
        },
        model={"model": profile.model, **profile_fields(profile), "note": note},
        messages=tuple(
            SettingMessage(each.key, each.source, each.problem) for each in loaded.messages
        ),
    )


def user_settings_place() -> str:
    """Return the path of the user's settings file, and a remark if the file does not exist."""
    file = user_file(os.environ)
    return str(file) if file.exists() else f"{file} (it does not exist yet)"


def user_settings_file() -> str | Refusal:
    """Return the path of the user's settings file, which is created if it does not exist."""
    return made_user_file(os.environ)
