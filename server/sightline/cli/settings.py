"""`sightline settings`: what holds in a workspace, and where each value comes from."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from rich.cells import cell_len

from sightline.cli.output import DONE, Output, padded
from sightline.refusals import Refusal, RefusalKind
from sightline.settings import (
    KEYS,
    Key,
    Layer,
    Loaded,
    settings_for,
)
from sightline.settings.profiles import profile_fields
from sightline.workspace import RootError, Workspace, find_root

_MOST_SHOWN = 3
_WIDEST_VALUE = 48


def run(options: argparse.Namespace, output: Output) -> int:
    loaded = _loaded(options.root)
    if isinstance(loaded, Refusal):
        return output.refuse(loaded)
    if output.json:
        output.record(_record(loaded))
    else:
        _show(loaded, output)
    for message in loaded.messages:
        output.reason(str(message))
    _, note = loaded.settings.profile()
    if note is not None:
        output.reason(f"model.name in {loaded.origins['model.name'].place}: {note}")
    return DONE


def _loaded(root: str | None) -> Loaded | Refusal:
    try:
        place = find_root(Path(), Path.cwd()) if root is None else Path(root or "\0")
        workspace = Workspace(place)
    except (RootError, OSError, ValueError):
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "invalid_root",
            None,
            "the workspace is not a directory",
            "give an existing directory with --root",
        )
    return settings_for(workspace, os.environ, {})


def _record(loaded: Loaded) -> dict[str, object]:
    profile, note = loaded.settings.profile()
    return {
        "settings": loaded.settings.as_dict(),
        "origins": {
            name: {"layer": origin.layer.value, "places": list(origin.places)}
            for name, origin in loaded.origins.items()
        },
        "model": {"model": profile.model, **profile_fields(profile), "note": note},
        "messages": [
            {"key": message.key, "source": message.source, "problem": message.problem}
            for message in loaded.messages
        ],
    }


def _show(loaded: Loaded, output: Output) -> None:
    """One line for each key; what is not a default stands out."""
    rows = [(key, _shown(loaded, key), loaded.origins[key.name]) for key in KEYS]
    key_width = max(len(key.name) for key, _, _ in rows)
    value_width = min(_WIDEST_VALUE, max(cell_len(value) for _, value, _ in rows))
    for key, value, origin in rows:
        style = "dim" if origin.layer is Layer.DEFAULT else "bold"
        output.line(
            (padded(key.name, key_width) + "  ", "" if origin.layer is Layer.DEFAULT else "bold"),
            (padded(value, value_width) + "  ", style),
            (origin.place, style),
        )


def _shown(loaded: Loaded, key: Key) -> str:
    value = loaded.settings.value(key)
    if value is None and key.section == "budget":
        profile, _ = loaded.settings.profile()
        return f"{getattr(profile, key.field)} (the model's own)"
    if value is None:
        return "automatic"
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, tuple):
        return str(value)
    entries = [each if isinstance(each, str) else each.model for each in value]
    more = f", and {len(entries) - _MOST_SHOWN} more" if len(entries) > _MOST_SHOWN else ""
    return ", ".join(entries[:_MOST_SHOWN]) + more if entries else "none"
