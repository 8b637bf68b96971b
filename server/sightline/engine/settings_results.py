"""The results that are about a person's own settings and machine.

`results.py` lists them with all others and says what holds of every result.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sightline.bundle import Status
from sightline.refusals import Refusal


class SettingOrigin(msgspec.Struct, frozen=True):
    """Where the value of a setting comes from."""

    layer: str
    """`default`, `user`, `workspace`, `environment` or `request`."""
    places: tuple[str, ...]
    """The files or variables that say so."""


class SettingMessage(msgspec.Struct, frozen=True):
    """Something that was given and does not hold."""

    key: str
    source: str
    problem: str


class SettingsResult(msgspec.Struct, frozen=True):
    """The settings in force and where each comes from."""

    status: Status
    refusal: Refusal | None = None
    settings: dict[str, Any] = {}
    """The values, by section."""
    origins: dict[str, SettingOrigin] = {}
    """By dotted key."""
    model: dict[str, Any] = {}
    """The profile of the model in use; its `note` says why another one holds."""
    messages: tuple[SettingMessage, ...] = ()


class ModelEntry(msgspec.Struct, frozen=True):
    """A model, or a family of models, that limits are known of."""

    model: str
    provider: str
    max_input_tokens: int
    max_output_tokens: int
    response_token_reserve: int
    """Kept free for the answer."""
    estimator: str
    """What counts tokens for it."""
    is_own: bool
    """True if the user's settings describe it."""


class ModelsResult(msgspec.Struct, frozen=True):
    """The models that limits are known of, and the one that is set."""

    status: Status
    refusal: Refusal | None = None
    selected: str | None = None
    """The setting `model.name`."""
    note: str | None = None
    """Why other limits hold for it; null where it is known."""
    models: tuple[ModelEntry, ...] = ()
    """By provider and name. A name stands for all names that begin with it."""


class DoctorCheck(msgspec.Struct, frozen=True):
    """One thing that Sightline needs."""

    name: str
    passed: bool
    detail: str


class DoctorResult(msgspec.Struct, frozen=True):
    """Whether everything that Sightline needs works on this machine."""

    ok: bool
    """True if every check passed."""
    checks: tuple[DoctorCheck, ...]


class AllowanceEntry(msgspec.Struct, frozen=True):
    """A default rule, or one file, that the user allowed in a workspace."""

    rule: str
    """The rule as written, such as `packages/**`, or the file's path."""
    is_file: bool
    """True if it is one file's path."""
    date: str
    """The day it was allowed, such as `2026-05-04`."""


class AllowResult(msgspec.Struct, frozen=True):
    """What the user allowed in a workspace, and what has just changed."""

    status: Status
    refusal: Refusal | None = None
    root: str | None = None
    """The name of the workspace's directory."""
    changed: AllowanceEntry | None = None
    """What was added or taken back; null where nothing was."""
    allowances: tuple[AllowanceEntry, ...] = ()
    """All that holds in this workspace, oldest first."""


class HarmlessEntry(msgspec.Struct, frozen=True):
    """A value that the user marked as harmless in a workspace; never the value itself."""

    id: str
    """Names the mark: the beginning of a keyed hash, which tells nothing about the value."""
    file: str
    """The file that it was found in."""
    detector: str
    """The rule that found it."""
    date: str
    """The day it was marked, such as `2026-05-04`."""


class HarmlessResult(msgspec.Struct, frozen=True):
    """What the user marked as harmless in a workspace, and what has just changed."""

    status: Status
    refusal: Refusal | None = None
    root: str | None = None
    """The name of the workspace's directory."""
    changed: HarmlessEntry | None = None
    """What was added or taken back; null where nothing was."""
    marks: tuple[HarmlessEntry, ...] = ()
    """All that holds in this workspace, oldest first."""
