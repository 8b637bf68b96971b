"""PROTOCOL.md and the types of the messages say the same."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from lsprotocol import types

from sightline.lsp import extensions
from sightline.lsp.server import Server
from sightline.workers import Workers

_PAGE = (Path(__file__).parents[2] / "PROTOCOL.md").read_text("utf-8")
_MESSAGES = {**extensions.REQUESTS, **extensions.NOTIFICATIONS, **extensions.TO_CLIENT}


def _section(method: str) -> str:
    found = re.search(rf"^### `{re.escape(method)}`.*?(?=^##|\Z)", _PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, f"{method} has no section"
    return found[0]


@pytest.mark.parametrize("method", sorted(_MESSAGES))
def test_every_message_is_documented_with_every_parameter(method: str) -> None:
    """A field that a client can send or receive is named in the section of its message."""
    section = _section(method)
    for field in msgspec.structs.fields(_MESSAGES[method]):
        assert f"`{field.encode_name}`" in section


def test_nothing_is_documented_that_does_not_exist() -> None:
    """Each section and each command of the page is one of ours."""
    documented = re.findall(r"^### `(sightline/\w+)`", _PAGE, re.MULTILINE)
    assert sorted(documented) == sorted(_MESSAGES)
    commands = re.findall(r"^\| `(sightline\.\w+)` \|", _PAGE, re.MULTILINE)
    assert sorted(commands) == sorted(extensions.COMMANDS)


def test_every_message_has_a_handler() -> None:
    """What the page promises is served: our own requests, and the standard ones it names."""
    with Workers(1) as workers:
        handled = set(Server(workers).handled_methods)
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
