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
