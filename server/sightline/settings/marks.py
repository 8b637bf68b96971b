"""What a person allowed or marked as harmless in one workspace, as their settings file records it.

    [[workspaces]]
    root = "/home/me/shop"

    [[workspaces.allow]]
    rule = "packages/**"
    date = "2026-05-04"

    [[workspaces.harmless]]
    hash = "…"
    file = "src/config.py"
    detector = "assigned-password"
    date = "2026-05-04"

A mark holds in the workspace whose real root it names, and in no other. The hash is keyed: the key
is random, belongs to this installation and is not in the settings file, which people hand on.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import platformdirs

from sightline.settings.kinds import MAX_ENTRIES, Problem
from sightline.settings.private_files import CONFIG_VARIABLE, locked, write_private
from sightline.workspace import is_lift

if TYPE_CHECKING:
    from sightline.egress.harmless_values import HarmlessValues
    from sightline.settings.keys import Settings

MARKS_SECTION = "workspaces"
_KEY_FILE = "marks.key"
_KEY_BYTES = 32
_UNSOUND = "is not as 'sightline allow' and 'sightline harmless' write it"

_Line = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
_Hash = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$", max_length=64)]
_Date = Annotated[str, msgspec.Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$", max_length=10)]


class Allowance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule, or a file by its full path, that the user allowed in a workspace."""

    rule: _Line
    date: _Date


class HarmlessMark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A value that the user marked as harmless in a workspace."""

    hash: _Hash
    file: _Line
    """Where it was found, relative to the workspace."""
    detector: _Line
    """The rule that found it."""
    date: _Date

    @property
    def id(self) -> str:
        """A short name for a list."""
        return self.hash[:12]


class WorkspaceMarks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The marks of one workspace, oldest first."""

    root: _Line
    """The real path of the workspace."""
    allow: tuple[Allowance, ...] = ()
    harmless: tuple[HarmlessMark, ...] = ()


def marks_in(content: object, root: str | None) -> WorkspaceMarks | Problem:
    """Return the marks of a workspace from the `workspaces` section of the user's file.

    All of the section must be sound: it decides what is sent.
    """
    try:
        every = msgspec.convert(content, list[WorkspaceMarks])
    except (msgspec.ValidationError, RecursionError):
        # The error's own words can quote the file.
        return Problem(_UNSOUND)
    count = sum(len(each.allow) + len(each.harmless) for each in every)
    if count > MAX_ENTRIES or not all(is_lift(each.rule) for one in every for each in one.allow):
        return Problem(_UNSOUND)
    here = [each for each in every if each.root == root]
    return WorkspaceMarks(
        root or "/",
        tuple(each for one in here for each in one.allow),
        tuple(each for one in here for each in one.harmless),
    )


def harmless_values(settings: Settings, environment: Mapping[str, str]) -> HarmlessValues:
    """Return what a scan leaves out under these settings. Without the key, that is nothing."""
    # Loading the scanner's rules takes longer than reading settings, which need none of them.
    from sightline.egress.harmless_values import NOTHING_HARMLESS, HarmlessValues

    if not settings.secrets.harmless:
        return NOTHING_HARMLESS
    key = read_key(environment)
    if key is None:
        return NOTHING_HARMLESS
    return HarmlessValues(key, frozenset(settings.secrets.harmless))


def read_key(environment: Mapping[str, str]) -> bytes | None:
    """Return this installation's key; None where there is none that can be used."""
    try:
        descriptor = os.open(key_file(environment), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return None
    try:
        raw = os.read(descriptor, 2 * _KEY_BYTES + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    try:
        key = bytes.fromhex(raw.decode("ascii"))
    except ValueError:
        return None
    return key if len(key) == _KEY_BYTES else None


def made_key(environment: Mapping[str, str]) -> bytes | None:
    """Return this installation's key, made if there is none; None where it cannot be made.

    A file that holds no key is left as it is: every mark that was made with it would be lost.
    """
    known = read_key(environment)
    if known is not None:
        return known
    file = key_file(environment)
    with locked(file) as is_locked:
        # Another process may have made one at the same time: a mark holds under one key alone.
        if is_locked and not os.path.lexists(file):
            write_private(file, secrets.token_hex(_KEY_BYTES))
    return read_key(environment)


def key_file(environment: Mapping[str, str]) -> Path:
    """Where the key stands: beside no file that people publish, unless they chose the folder."""
    chosen = environment.get(CONFIG_VARIABLE)
    folder = Path(chosen) if chosen else platformdirs.user_state_path("sightline", appauthor=False)
    return folder / _KEY_FILE
