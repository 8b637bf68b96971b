"""Settings: one typed set from five layers, and where each value comes from.

`load` is pure: texts, environment and request are pushed in. `settings_for` reads the two files
through their doors first.
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
