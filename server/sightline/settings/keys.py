"""Every setting: its type, default, bounds, purpose and who may change it.

The classes are the only definition of the keys; `KEYS` is derived from them. Guarding sections
(`GUARDING`) decide what is sent: a value there that cannot be understood is never replaced by
another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import attrs

from sightline.budget import ModelProfile
from sightline.settings.kinds import (
    Choice,
    Flag,
    Kind,
    Number,
    Problem,
    StringSet,
    deny_patterns,
    digests,
    lifts,
)
from sightline.settings.profiles import (
    ESTIMATOR,
    MODEL_NAME,
    PERCENT,
    RESERVE,
    TOKENS,
    Profiles,
    overridden,
    own_profile,
    profile_fields,
)
from sightline.workspace import ReadLimits as WorkspaceLimits

GUARDING = frozenset({"model", "budget", "secrets", "policy", "limits"})
_WITHOUT_EFFECT = frozenset({"log", "index"})
"""Sections that change no byte of a bundle, and so are not part of its fingerprint."""


class Authority(StrEnum):
    """How the workspace's own file may change a key. The user may change everything."""

    NOTHING = "nothing"
    LOWER = "lower"
    RAISE = "raise"
    ADD = "add"


@attrs.frozen
class Key:
    name: str
    """The dotted name: `budget.max_input_tokens`."""
    kind: Kind
    default: Any
    authority: Authority
    description: str
    """One sentence."""

    @property
    def section(self) -> str:
        return self.name.partition(".")[0]

    @property
    def field(self) -> str:
        return self.name.partition(".")[2]

    @property
    def guards(self) -> bool:
        return self.section in GUARDING

    @property
    def adds_up(self) -> bool:
        """True if layers add to each other instead of replacing one another."""
        return isinstance(self.kind, StringSet)

    @property
    def tightening(self) -> str:
        """Return how the workspace's own file may change it; completes the words "may only"."""
        if isinstance(self.kind, Flag):
            return "switch it off"
        if isinstance(self.kind, Choice):
            return f"choose what comes earlier in: {', '.join(self.kind.words)}"
        return f"{self.authority.value} it"

    def plain(self, value: Any) -> object:
        """Return a value of this key as JSON."""
        if isinstance(self.kind, Profiles):
            return {profile.model: profile_fields(profile) for profile in value}
        return list(value) if isinstance(self.kind, StringSet) else value

    @property
    def variable(self) -> str:
        return "SIGHTLINE_" + self.name.replace(".", "_").upper()


def _key(default: Any, kind: Kind, authority: Authority, description: str) -> Any:
    return attrs.field(
        default=default,
        metadata={"kind": kind, "authority": authority, "description": description},
    )


@attrs.frozen
class ModelSettings:
    name: str = _key(
        "generic",
        MODEL_NAME,
        Authority.NOTHING,
        "The model that a bundle is for; it sets the limits and how tokens are counted.",
    )
    profiles: tuple[ModelProfile, ...] = _key(
        (),
        Profiles(),
        Authority.NOTHING,
        "Limits of further models, or other limits for a built-in model, by model name.",
    )


@attrs.frozen
class BudgetSettings:
    """None takes the value of the model."""

    max_input_tokens: int | None = _key(
        None, TOKENS, Authority.LOWER, "The model's context window in tokens, including its answer."
    )
    max_output_tokens: int | None = _key(
        None, TOKENS, Authority.LOWER, "The most tokens in the model's answer."
    )
    response_token_reserve: int | None = _key(
        None,
        RESERVE,
        Authority.RAISE,
        "How many tokens of the window are kept free for the answer.",
    )
    soft_limit_threshold_pct: int | None = _key(
        None,
        PERCENT,
        Authority.LOWER,
        "The percentage of the hard limit above which there is a warning.",
    )
    estimator: str | None = _key(
        None, ESTIMATOR, Authority.NOTHING, "The estimator that counts tokens, by its full name."
    )


@attrs.frozen
class RenderSettings:
    format: str = _key(
        "markdown",
        Choice(("json", "markdown", "xml")),
        Authority.NOTHING,
        "The format of a bundle.",
    )
    order: str = _key(
        "priority",
        Choice(("priority", "cache")),
        Authority.NOTHING,
        "What a model reads first: with priority, the target; with cache, the parts that an edit "
        "in the target does not change, which suits prompt caches.",
    )


@attrs.frozen
class SlicingSettings:
    signature_docs: str = _key(
        "none",
        Choice(("none", "first_line", "full")),
        Authority.LOWER,
        "How much of each doc comment a signatures slice keeps.",
    )
    summary_only: bool = _key(
        False,
        Flag(),
        Authority.NOTHING,
        "Whether a file may, as the last resort, be reduced to the names of its declarations.",
    )


@attrs.frozen
class ContextSettings:
    max_hops: int = _key(
        1,
        Number(1, 4),
        Authority.LOWER,
        "How many steps callers and callees of the target are followed.",
    )
    max_candidates: int = _key(
        400,
        Number(1, 100_000),
        Authority.LOWER,
        "The most related files that are considered, the best ranked first.",
    )
    optional_blocks: bool = _key(
        True, Flag(), Authority.LOWER, "Whether optional context (P3) is added while there is room."
    )
    depth: str = _key(
        "fill",
        Choice(("target", "needed", "fill")),
        Authority.LOWER,
        "How much is shown with the target: nothing, what it needs (P1 and the best of P2), or "
        "also related and similar code while there is room below the soft limit.",
    )
    fill_tokens: int = _key(
        24_000,
        Number(0, 10_000_000),
        Authority.LOWER,
        "The most tokens beyond what the target needs, if no budget was requested and the model's "
        "own limits apply.",
    )
    target_level: str = _key(
        "auto",
        Choice(("auto", "full", "region")),
        Authority.NOTHING,
        "Whether the whole file of a target is shown or only its region; auto decides by size.",
    )


@attrs.frozen
class SecretSettings:
    on_target_secret: str = _key(
        "refuse",
        Choice(("refuse", "redact")),
        Authority.LOWER,
        "What to do if the target itself contains a secret.",
    )
    weak: str = _key(
        "redact",
        Choice(("redact", "keep")),
        Authority.LOWER,
        "What happens to weak secrets (a plain word after `password`) in files below test folders; "
        "elsewhere they are always replaced.",
    )
    harmless: tuple[str, ...] = _key(
        (),
        digests(),
        Authority.NOTHING,
        "Keyed hashes of values that look like secrets and are none, which 'sightline harmless' "
        "records for one workspace.",
    )


@attrs.frozen
class PolicySettings:
    allow: tuple[str, ...] = _key(
        (),
        lifts(),
        Authority.NOTHING,
        "Default rules to lift, as written; for one request also files to see in spite of one, by "
        "full path. 'sightline allow' records both for one workspace.",
    )
    deny: tuple[str, ...] = _key(
        (),
        deny_patterns(),
        Authority.ADD,
        "Patterns in gitignore syntax of what is never sent, besides the default rules.",
    )


@attrs.frozen
class LimitSettings:
    max_file_bytes: int = _key(
        WorkspaceLimits().max_file_bytes,
        Number(1, 64 * 1024 * 1024),
        Authority.LOWER,
        "The size in bytes above which a file is not read.",
    )


@attrs.frozen
class LogSettings:
    paths: bool = _key(True, Flag(), Authority.LOWER, "Whether logs may name files by their path.")


@attrs.frozen
class IndexSettings:
    store: bool = _key(
        True,
        Flag(),
        Authority.NOTHING,
        "Whether the index is kept in the user's cache directory between runs.",
    )
    jobs: int | None = _key(
        None,
        Number(1, 64),
        Authority.NOTHING,
        "How many worker processes parse; by default one for each available core.",
    )
    ask_above: int = _key(
        200_000,
        Number(1, 1_000_000_000),
        Authority.NOTHING,
        "How many files and folders a workspace without a repository may hold before Sightline "
        "asks whether to index it.",
    )


@attrs.frozen
class Settings:
    """All effective settings. The model is first: the budget depends on it."""

    model: ModelSettings = ModelSettings()
    budget: BudgetSettings = BudgetSettings()
    render: RenderSettings = RenderSettings()
    slicing: SlicingSettings = SlicingSettings()
    context: ContextSettings = ContextSettings()
    secrets: SecretSettings = SecretSettings()
    policy: PolicySettings = PolicySettings()
    limits: LimitSettings = LimitSettings()
    log: LogSettings = LogSettings()
    index: IndexSettings = IndexSettings()

    def profile(self) -> tuple[ModelProfile, str | None]:
        """Return the model's profile with the budget settings applied; with a note if the model is
        unknown.

        Raises `ValueError` if they do not fit together; loaded settings always do.
        """
        own, note = own_profile(self.model.name, self.model.profiles)
        profile = overridden(own, attrs.asdict(self.budget))
        if isinstance(profile, Problem):
            raise ValueError(profile.text)
        return profile, note

    def canonical(self) -> dict[str, dict[str, object]]:
        """Return the settings that can change a bundle, as JSON values in a fixed order."""
        values = self.as_dict()
        return {name: values[name] for name in values if name not in _WITHOUT_EFFECT}

    def as_dict(self) -> dict[str, dict[str, object]]:
        """Return every setting, by section and key, as JSON values in a fixed order."""
        sections: dict[str, dict[str, object]] = {}
        for key in KEYS:
            sections.setdefault(key.section, {})[key.field] = key.plain(self.value(key))
        return sections

    def value(self, key: Key) -> Any:
        return getattr(getattr(self, key.section), key.field)


def settings_of(values: Mapping[str, Any]) -> Settings:
    """Return the settings with these values by dotted name; every key must be given."""
    return Settings(
        **{
            name: section(**{key.field: values[key.name] for key in KEYS if key.section == name})
            for name, section in _SECTIONS.items()
        }
    )


_SECTIONS: Mapping[str, Any] = {
    section.name: type(section.default) for section in attrs.fields(Settings)
}

KEYS: tuple[Key, ...] = tuple(
    Key(f"{name}.{field.name}", default=field.default, **field.metadata)
    for name, section in _SECTIONS.items()
    for field in attrs.fields(section)
)
"""In the order in which they are resolved, printed and hashed."""
