"""Settings: one typed set from five layers, and the source of each value.

`load` is pure: its caller passes texts, environment and request. `settings_for` first reads the two
files.
"""

from sightline.settings.keys import KEYS, Authority, Key, Settings
from sightline.settings.layers import (
    USER_PLACE,
    WORKSPACE_FILE,
    Layer,
    Loaded,
    Message,
    Origin,
    load,
)
from sightline.settings.marks import harmless_values
from sightline.settings.private_files import CONFIG_VARIABLE
from sightline.settings.schema import settings_schema
from sightline.settings.settings_files import (
    open_workspace,
    read_user_file,
    read_workspace_file,
    settings_for,
)

__all__ = [
    "CONFIG_VARIABLE",
    "KEYS",
    "USER_PLACE",
    "WORKSPACE_FILE",
    "Authority",
    "Key",
    "Layer",
    "Loaded",
    "Message",
    "Origin",
    "Settings",
    "harmless_values",
    "load",
    "open_workspace",
    "read_user_file",
    "read_workspace_file",
    "settings_for",
    "settings_schema",
]
