"""The VS Code client's mirror of the protocol and the server's own types say the same."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from sightline.lsp import extensions
from sightline.schemas import schema

_MIRROR = (Path(__file__).parents[2] / "editors/vscode/src/protocol.ts").read_text("utf-8")
_INTERFACES = {
    name: set(re.findall(r"^  readonly (\w+)\??:", body, re.MULTILINE))
    for name, body in re.findall(
        r"^export interface (\w+)[^{]*\{\n(.*?)^\}", _MIRROR, re.MULTILINE | re.DOTALL
    )
}
_STRUCTS = {
    name: each
    for name, each in vars(extensions).items()
    if isinstance(each, type) and issubclass(each, msgspec.Struct)
}
_RESULT = schema("build_result")
_OBJECTS = {name: each for name, each in _RESULT["$defs"].items() if each.get("type") == "object"}


@pytest.mark.parametrize("name", sorted(_STRUCTS))
def test_a_message_has_the_same_fields_on_both_sides(name: str) -> None:
    fields = {field.encode_name for field in msgspec.structs.fields(_STRUCTS[name])}
    assert _INTERFACES[name] == fields


@pytest.mark.parametrize("name", sorted(_OBJECTS.keys() & _INTERFACES.keys()))
def test_what_the_client_reads_of_a_result_is_in_the_schema(name: str) -> None:
    """It need not read everything; what it reads exists."""
    assert _INTERFACES[name] <= _OBJECTS[name]["properties"].keys()


def test_the_result_of_a_build_is_the_schemas_with_the_revisions() -> None:
    revisions = {"revision", "current_revision"}
    assert _INTERFACES["BuildResult"] <= _RESULT["properties"].keys() | revisions
    assert {"Refusal", "ContextBlock", "BudgetReport"} <= _OBJECTS.keys() & _INTERFACES.keys()


def test_methods_and_commands_are_the_servers() -> None:
    methods = {*extensions.REQUESTS, *extensions.NOTIFICATIONS, *extensions.TO_CLIENT}
    assert set(re.findall(r'"(sightline/\w+)"', _MIRROR)) == methods
    assert set(re.findall(r'"(sightline\.\w+)"', _MIRROR)) == set(extensions.COMMANDS)
