"""The settings files as a JSON Schema, for editors that complete and check them."""

from __future__ import annotations

from typing import Any

import msgspec

from sightline.settings.keys import KEYS, Authority, Key
from sightline.settings.marks import MARKS_SECTION, WorkspaceMarks


def settings_schema() -> dict[str, Any]:
    sections: dict[str, dict[str, Any]] = {}
    for key in KEYS:
        section = sections.setdefault(
            key.section, {"type": "object", "properties": {}, "additionalProperties": False}
        )
        section["properties"][key.field] = _property(key)
    sections[MARKS_SECTION] = _marks()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Sightline settings",
        "description": "settings.toml of a user, and .sightline.toml at the root of a workspace.",
        "type": "object",
        "properties": sections,
        "additionalProperties": False,
    }


def _marks() -> dict[str, Any]:
    """Return the schema of the section that only the user's file has. The shell and editors write
    it.
    """
    described = msgspec.json.schema(list[WorkspaceMarks], ref_template="#/$defs/{name}")
    definitions = described.pop("$defs")

    def inlined(value: Any) -> Any:
        if isinstance(value, list):
            return [inlined(each) for each in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            return inlined(definitions[value["$ref"].rpartition("/")[2]])
        return {name: inlined(each) for name, each in value.items()}

    note = (
        "What you allowed and marked as harmless in each workspace, as 'sightline allow' and "
        "'sightline harmless' write it. A workspace's file has no say in it."
    )
    return {"description": note, **inlined(described)}


def _property(key: Key) -> dict[str, Any]:
    described: dict[str, Any] = {
        "description": f"{key.description} {_workspace_may(key)}",
        **key.kind.schema(),
    }
    if key.default is not None:
        described["default"] = key.plain(key.default)
    return described


def _workspace_may(key: Key) -> str:
    if key.authority is Authority.NOTHING:
        return "A workspace's file has no say in it."
    if key.authority is Authority.ADD:
        return "A workspace's file may add to it."
    return f"A workspace's file may only {key.tightening}."
