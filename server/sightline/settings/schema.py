"""The settings files as a JSON Schema, for editors that complete and check them."""

from __future__ import annotations

from typing import Any

from sightline.settings.keys import KEYS, Authority, Key


def settings_schema() -> dict[str, Any]:
    sections: dict[str, dict[str, Any]] = {}
    for key in KEYS:
        section = sections.setdefault(
            key.section, {"type": "object", "properties": {}, "additionalProperties": False}
        )
        section["properties"][key.field] = _property(key)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Sightline settings",
        "description": "settings.toml of a user, and .sightline.toml at the root of a workspace.",
        "type": "object",
        "properties": sections,
        "additionalProperties": False,
    }


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
