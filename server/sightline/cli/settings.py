"""`sightline settings`: print the settings of a workspace, and the source of each value."""

from __future__ import annotations

import argparse

from rich.cells import cell_len

from sightline.cli.output import DONE, Output, padded
from sightline.engine.results import SettingsResult
from sightline.engine.settings import settings, user_settings_place

_MOST_SHOWN = 3
_WIDEST_VALUE = 48


def run(options: argparse.Namespace, output: Output) -> int:
    result = settings(options.root)
    if result.refusal is not None:
        return output.refuse(result.refusal)
    if output.json:
        output.result(result)
    else:
        _show(result, output)
        output.note(f"your own settings file: {user_settings_place()}")
    for message in result.messages:
        where = f" in {message.source}" if message.source != message.key else ""
        output.reason(f"{message.key}{where} {message.problem}")
    note = result.model["note"]
    if note is not None:
        places = ", ".join(result.origins["model.name"].places)
        output.reason(f"model.name in {places}: {note}")
    return DONE


def _show(result: SettingsResult, output: Output) -> None:
    """Print one line for each key; values that are not defaults stand out."""
    rows = [(name, _shown(result, name), origin) for name, origin in result.origins.items()]
    key_width = max(len(name) for name, _, _ in rows)
    value_width = min(_WIDEST_VALUE, max(cell_len(value) for _, value, _ in rows))
    for name, value, origin in rows:
        is_default = origin.layer == "default"
        style = "dim" if is_default else "bold"
        output.row(
            (padded(name, key_width) + "  ", "" if is_default else "bold"),
            (padded(value, value_width) + "  ", style),
            (", ".join(origin.places), style),
        )


def _shown(result: SettingsResult, name: str) -> str:
    section, _, field = name.partition(".")
    value = result.settings[section][field]
    if value is None and section == "budget":
        return f"{result.model[field]} (the model's own)"
    if value is None:
        return "automatic"
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, list | tuple | dict):
        return str(value)
    entries = [str(each) for each in value]
    more = f", and {len(entries) - _MOST_SHOWN} more" if len(entries) > _MOST_SHOWN else ""
    return ", ".join(entries[:_MOST_SHOWN]) + more if entries else "none"
