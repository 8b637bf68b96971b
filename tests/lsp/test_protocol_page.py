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
    table = re.search(r"^## Standard messages\n(.*?)^## ", _PAGE, re.DOTALL | re.MULTILINE)
    assert table is not None
    named = set(re.findall(r"`([a-z$]\w*(?:/\w+)*)`(?=[^|\n]*\|[^|\n]*\|$)", table[1], re.M))
    own = {*_MESSAGES, types.EXIT}
    assert handled - named - own == set()
    assert named - handled - own - _SENT - _BY_THE_LIBRARY == set()


_SENT = {
    types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
    types.WINDOW_SHOW_DOCUMENT,
    types.WINDOW_SHOW_MESSAGE,
    types.WINDOW_SHOW_MESSAGE_REQUEST,
    types.WINDOW_WORK_DONE_PROGRESS_CREATE,
    types.WORKSPACE_CONFIGURATION,
    types.PROGRESS,
}
"""Messages from the server to the client."""
_BY_THE_LIBRARY = {types.CANCEL_REQUEST}
