"""Model profiles as settings: a table of profiles, and the effective profile.

Only this file of the room imports `budget`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from sightline.budget import ModelProfile, estimator, profile_for
from sightline.budget.models import MOST_TOKENS
from sightline.refusals import Refusal
from sightline.settings.kinds import (
    MAX_NAME_CHARACTERS,
    Name,
    Number,
    Problem,
    Unordered,
    decode_json,
    is_name,
)

MAX_PROFILES = 200


def _known_estimator(name: str) -> str | Problem:
    """Return the full name of an estimator. An unknown one is refused: a replacement would be a
    guess.
    """
    found = estimator(name)
    if isinstance(found, Refusal):
        return Problem(f"is no estimator that can be used here: {found.advice}")
    return found.name


MODEL_NAME = Name()
ESTIMATOR = Name(_known_estimator)
TOKENS = Number(1, MOST_TOKENS)
RESERVE = Number(0, MOST_TOKENS)
PERCENT = Number(1, 100)

_FIELDS: Mapping[str, Name | Number] = {
    "provider": MODEL_NAME,
    "max_input_tokens": TOKENS,
    "max_output_tokens": TOKENS,
    "response_token_reserve": RESERVE,
    "soft_limit_threshold_pct": PERCENT,
    "estimator": ESTIMATOR,
}


@attrs.frozen
class Profiles(Unordered):
    """Profiles by model name. A field that is missing keeps its value from before the profile."""

    def read(self, value: object) -> object:
        if not isinstance(value, Mapping):
            return Problem("must be a table of profiles, each under the name of its model")
        if len(value) > MAX_PROFILES:
            return Problem(f"must have at most {MAX_PROFILES} profiles")
        profiles: dict[str, ModelProfile] = {}
        for number, (name, fields) in enumerate(value.items(), 1):
            profile = _read_profile(name, fields)
            if isinstance(profile, Problem):
                return Problem(
                    f"has a profile that cannot be used, number {number}: {profile.text}"
                )
            # Models are compared without case, so two spellings would be one model.
            if profiles.setdefault(profile.model.lower(), profile) is not profile:
                return Problem(f"has two profiles for one model, the second is number {number}")
        return tuple(sorted(profiles.values(), key=lambda profile: profile.model.encode("utf-8")))

    def read_text(self, written: str) -> object:
        return self.read(decode_json(written))

    def schema(self) -> dict[str, object]:
        profile = {
            "type": "object",
            "properties": {name: kind.schema() for name, kind in _FIELDS.items()},
            "additionalProperties": False,
        }
        return {
            "type": "object",
            "propertyNames": {"minLength": 1, "maxLength": MAX_NAME_CHARACTERS},
            "maxProperties": MAX_PROFILES,
            "additionalProperties": profile,
        }


def own_profile(name: str, profiles: Sequence[ModelProfile]) -> tuple[ModelProfile, str | None]:
    """Return a model's profile before any budget setting, with a note if the model is unknown."""
    return profile_for(name, {profile.model: profile for profile in profiles})


def overridden(profile: ModelProfile, settings: Mapping[str, Any]) -> ModelProfile | Problem:
    """Return the profile, with its fields replaced by the settings that are not None."""
    values = {
        name: getattr(profile, name) if settings.get(name) is None else settings[name]
        for name in _FIELDS
    }
    reserve, most = values["response_token_reserve"], values["max_input_tokens"]
    if reserve >= most:
        return Problem(
            f"leaves no room: of {most} tokens of input (max_input_tokens), {reserve} are kept "
            "for the answer (response_token_reserve)"
        )
    return attrs.evolve(profile, **values)


def profile_fields(profile: ModelProfile) -> dict[str, object]:
    """Return a profile's fields without its model's name, in a fixed order."""
    return {name: getattr(profile, name) for name in _FIELDS}


def _read_profile(name: object, fields: object) -> ModelProfile | Problem:
    if not isinstance(name, str) or not is_name(name):
        return Problem("its name must be that of a model, in printable characters")
    if not isinstance(fields, Mapping):
        return Problem("it must be a table")
    values: dict[str, object] = {}
    for field, value in fields.items():
        kind = _FIELDS.get(field) if isinstance(field, str) else None
        if kind is None:
            return Problem(f"its keys can only be {', '.join(_FIELDS)}")
        read = kind.read(value)
        if isinstance(read, Problem):
            return Problem(f"its {field} {read.text}")
        values[field] = read
    profile, _ = profile_for(name)
    return overridden(profile, values)
