"""PROTOCOL.md has every message and every command, and the server serves them.

The fields of the messages are compared in `tests/test_protocol_drift.py`.
"""

from __future__ import annotations

import re
from pathlib import Path

from lsprotocol import types

from sightline.engine.host import Toolchain
from sightline.lsp import extensions
from sightline.lsp.server import Server
from sightline.workers import Workers

_PAGE = (Path(__file__).parents[2] / "PROTOCOL.md").read_text("utf-8")
_MESSAGES = {**extensions.REQUESTS, **extensions.NOTIFICATIONS, **extensions.TO_CLIENT}


def test_messages_and_commands_are_documented_and_no_others() -> None:
    documented = re.findall(r"^### `(sightline/\w+)`", _PAGE, re.MULTILINE)
    assert sorted(documented) == sorted(_MESSAGES)
    commands = re.findall(r"^\| `(sightline\.\w+)` \|", _PAGE, re.MULTILINE)
    assert sorted(commands) == sorted(extensions.COMMANDS)


def test_every_message_has_a_handler() -> None:
    """What the page promises is served: our own requests, and the standard ones it names."""
    with Workers(1) as workers:
        handled = set(Server(Toolchain(workers)).handled_methods)
    assert set(extensions.REQUESTS) <= handled
    assert set(extensions.NOTIFICATIONS) <= handled
    table = _PAGE[_PAGE.index("## Standard messages") :]
    for name in (
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL,
        types.WORKSPACE_SYMBOL,
        types.TEXT_DOCUMENT_CODE_LENS,
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
    ):
        assert name in table
        assert name in handled
