"""List the models whose limits are known."""

from __future__ import annotations

from sightline.budget import MODELS, ModelProfile
from sightline.bundle import Status
from sightline.engine.results import ModelEntry, ModelsResult, refused
from sightline.engine.settings import load_settings
from sightline.refusals import Refusal
from sightline.settings import Settings


def models(root: str | None) -> ModelsResult:
    """Return the models, with those that the settings of a workspace describe."""
    loaded = load_settings(root)
    if isinstance(loaded, Refusal):
        return refused(ModelsResult, loaded)
    return models_of(loaded.settings)


def models_of(settings: Settings) -> ModelsResult:
    """Return the models that some settings know, and the one that they choose."""
    _, note = settings.profile()
    own = {profile.model.lower(): profile for profile in settings.model.profiles}
    built_in = [profile for profile in MODELS if profile.model not in own]
    entries = [
        *(_entry(profile, is_own=False) for profile in built_in),
        *(_entry(profile, is_own=True) for profile in own.values()),
    ]
    entries.sort(key=lambda each: (each.provider, each.model))
    return ModelsResult(Status.OK, None, settings.model.name, note, tuple(entries))


def _entry(profile: ModelProfile, *, is_own: bool) -> ModelEntry:
    return ModelEntry(
        profile.model,
        profile.provider,
        profile.max_input_tokens,
        profile.max_output_tokens,
        profile.response_token_reserve,
        profile.estimator,
        is_own,
    )
