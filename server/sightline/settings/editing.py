"""Additions to the user's own settings file, which keeps its comments and its order."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from sightline.refusals import Refusal, RefusalKind
from sightline.settings.layers import USER_PLACE, load
from sightline.settings.settings_files import read_user_file, user_file

_FIRST_TEXT = """\
# Your own settings of Sightline: they hold in every workspace.
# A guard can be loosened here and nowhere else.
# 'sightline settings' prints every setting, its value and where it comes from.
"""


def add_to_user_list(environment: Mapping[str, str], key: str, value: str) -> Refusal | None:
    """Put one more entry into a list, if the file is sound with it; written whole or not at all."""
    text = read_user_file(environment)
    if isinstance(text, Refusal):
        return text
    section, _, name = key.partition(".")
    try:
        document = tomlkit.parse(text or "")
        table = document.setdefault(section, tomlkit.table())
        entries = table.setdefault(name, tomlkit.array())
        if value not in entries:
            entries.append(value)
        written = tomlkit.dumps(document)
    except (TOMLKitError, TypeError, AttributeError, ValueError):
        return _cannot("it cannot be added to what is there")
    loaded = load(None, written, {}, {})
    if isinstance(loaded, Refusal):
        return loaded
    return (
        None if write_private(user_file(environment), written) else _cannot("it cannot be written")
    )


def made_user_file(environment: Mapping[str, str]) -> str | Refusal:
    """The path of the user's settings file, which is there from now on."""
    text = read_user_file(environment)
    if isinstance(text, Refusal):
        return text
    file = user_file(environment)
    if text is None and not write_private(file, _FIRST_TEXT):
        return _cannot("it cannot be written")
    return str(file)


def write_private(file: Path, text: str) -> bool:
    """Put a text into a file's place at once, behind the link if the file is one."""
    part: Path | None = None
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = file.resolve()
        part = file.with_name(f".{file.name}.{secrets.token_hex(8)}.part")
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(text.encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(file)
    except (OSError, ValueError, RuntimeError):
        # A circle of links is a RuntimeError, or an OSError in later versions.
        if part is not None:
            with contextlib.suppress(OSError):
                part.unlink()
        return False
    return True


def _cannot(problem: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "settings_not_written",
        None,
        f"your settings file is as it was: {problem}",
        "edit it by hand; 'sightline settings' says what holds",
        rule="settings",
        source=USER_PLACE,
    )
