"""The VS Code client's mirror of the protocol names the server's methods and commands.

The fields of the messages are compared in `tests/test_protocol_drift.py`.
"""

from __future__ import annotations

import re
from pathlib import Path

from sightline.lsp import extensions

_MIRROR = (Path(__file__).parents[2] / "editors/vscode/src/protocol.ts").read_text("utf-8")


def test_methods_and_commands_are_the_servers() -> None:
    methods = {*extensions.REQUESTS, *extensions.NOTIFICATIONS, *extensions.TO_CLIENT}
    assert set(re.findall(r'"(sightline/\w+)"', _MIRROR)) == methods
    assert set(re.findall(r'"(sightline\.\w+)"', _MIRROR)) == set(extensions.COMMANDS)
