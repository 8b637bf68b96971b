"""What a person allowed or marked as harmless in a workspace, as their settings file records it.

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

A mark applies only to the workspace with that real root. The hash is keyed: the key is random,
belongs to this installation and is not in the settings file, which people share.
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
    """The file of the value, relative to the workspace."""
    detector: _Line
    """The rule that found the value."""
    date: _Date

    @property
    def id(self) -> str:
        """Return a short name for lists."""
        return self.hash[:12]


class WorkspaceMarks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The marks of one workspace, oldest first."""

    root: _Line
    """The real path of the workspace."""
    allow: tuple[Allowance, ...] = ()
    harmless: tuple[HarmlessMark, ...] = ()


def marks_in(content: object, root: str | None) -> WorkspaceMarks | Problem:
    """Return the marks of a workspace from the `workspaces` section of the user's file.

    The whole section must be valid: it decides what is sent.
    """
    try:
        every = msgspec.convert(content, list[WorkspaceMarks])
    except (msgspec.ValidationError, RecursionError):
        # The error's own text can quote the file.
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
    """Return the values that a scan ignores under these settings; none without the key."""
    # Imported late: the scanner's rules load slower than settings, which do not need them.
    from sightline.egress.harmless_values import NOTHING_HARMLESS, HarmlessValues

    if not settings.secrets.harmless:
        return NOTHING_HARMLESS
    key = read_key(environment)
    if key is None:
        return NOTHING_HARMLESS
    return HarmlessValues(key, frozenset(settings.secrets.harmless))


def read_key(environment: Mapping[str, str]) -> bytes | None:
    """Return this installation's key; None if there is no usable one."""
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
    """Return this installation's key, created if needed; None if that fails.

    A file without a valid key is left as it is: replacing it would lose every mark made with it.
    """
    known = read_key(environment)
    if known is not None:
        return known
    file = key_file(environment)
    with locked(file) as is_locked:
        # Another process may have made one at the same time: all marks must use one key.
        if is_locked and not os.path.lexists(file):
            write_private(file, secrets.token_hex(_KEY_BYTES))
    return read_key(environment)


def key_file(environment: Mapping[str, str]) -> Path:
    """Return the path of the key: not next to files that people publish, unless they chose the
    folder.
    """
    chosen = environment.get(CONFIG_VARIABLE)
    folder = Path(chosen) if chosen else platformdirs.user_state_path("sightline", appauthor=False)
    return folder / _KEY_FILE
