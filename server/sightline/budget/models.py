"""Model profiles, the token limits that follow from them, and the decision.

A profile's limits are those that the maker documents for the family; if members differ, the
smallest. A model that is not known gets the contract's generic limits, the safe estimator and a
note that says so: an unknown name is never a reason to send more.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

import attrs

MOST_TOKENS = 100_000_000
"""The largest number a profile may hold; far above any model, far below any overflow."""


def _positive(instance: object, attribute: attrs.Attribute[int], value: int) -> None:
    del instance
    if type(value) is not int or not 1 <= value <= MOST_TOKENS:
        raise ValueError(f"{attribute.name} must be an integer from 1 to {MOST_TOKENS}")


def _named(instance: object, attribute: attrs.Attribute[str], value: str) -> None:
    del instance
    if type(value) is not str or not value:
        raise ValueError(f"{attribute.name} must be a string that is not empty")


@attrs.frozen
class ModelProfile:
    """The contract's `model` object, and the estimator that counts for it.

    A profile that breaks an invariant cannot be made: `ValueError` names the field.
    """

    provider: str = attrs.field(validator=_named)
    model: str = attrs.field(validator=_named)
    max_input_tokens: int = attrs.field(validator=_positive)
    max_output_tokens: int = attrs.field(validator=_positive)
    response_token_reserve: int = attrs.field()
    """Below `max_input_tokens`, so that the hard limit is positive."""
    soft_limit_threshold_pct: int = attrs.field()
    estimator: str = attrs.field(validator=_named)
    """A name that `estimator()` knows, or refuses when it is asked."""

    @response_token_reserve.validator
    def _reserve_leaves_room(self, attribute: attrs.Attribute[int], value: int) -> None:
        if type(value) is not int or not 0 <= value < self.max_input_tokens:
            raise ValueError(f"{attribute.name} must be an integer from 0 to max_input_tokens - 1")

    @soft_limit_threshold_pct.validator
    def _threshold_is_a_percentage(self, attribute: attrs.Attribute[int], value: int) -> None:
        if type(value) is not int or not 1 <= value <= 100:
            raise ValueError(f"{attribute.name} must be an integer from 1 to 100")


@attrs.frozen
class TokenLimits:
    """The contract's limits, in tokens of input."""

    max_input: int
    hard: int
    """`max_input - reserve`: a text above this is refused."""
    soft: int
    """`floor(hard * pct / 100)`: a text above this causes a warning."""
    reserve: int


class Decision(StrEnum):
    OK = "ok"
    WARN_SOFT_LIMIT = "warn_soft_limit"
    REFUSE_HARD_LIMIT = "refuse_hard_limit"


def token_limits(profile: ModelProfile) -> TokenLimits:
    hard = profile.max_input_tokens - profile.response_token_reserve
    return TokenLimits(
        max_input=profile.max_input_tokens,
        hard=hard,
        soft=hard * profile.soft_limit_threshold_pct // 100,
        reserve=profile.response_token_reserve,
    )


def decide(tokens: int, limits: TokenLimits) -> Decision:
    """Decide whether a text fits. A text that costs exactly a limit is within it."""
    if tokens <= limits.soft:
        return Decision.OK
    if tokens <= limits.hard:
        return Decision.WARN_SOFT_LIMIT
    return Decision.REFUSE_HARD_LIMIT


def profile_for(
    model: str, extra: Mapping[str, ModelProfile] = MappingProxyType({})
) -> tuple[ModelProfile, str | None]:
    """Return the profile of a model, and a note if the name is not known.

    Look the name up as it is, then by the longest known name that it begins with, then both again
    without a gateway's prefix (`openai/`, `us.anthropic.`). Case does not matter, and `extra` takes
    precedence over the built-in profiles. A profile found by its family has the name that was asked
    for.
    """
    known = {profile.model: profile for profile in MODELS}
    known.update((name.strip().lower(), profile) for name, profile in extra.items())
    asked = model.strip()
    for name in _spellings(asked.lower()):
        if name in known:
            return known[name], None
        family = _longest_family(name, known)
        if family is not None:
            return attrs.evolve(known[family], model=asked), None
    note = f"model {asked[:80]!r} is not known: generic limits and {GENERIC.estimator} are used"
    return (attrs.evolve(GENERIC, model=asked) if asked else GENERIC), note


def _spellings(name: str) -> list[str]:
    """Yield the name, the name without its path, and the name without the parts before its
    provider.
    """
    last = name.rpartition("/")[2]
    parts = last.split(".")
    providers = [index for index, part in enumerate(parts) if part in _PROVIDERS]
    bare = ".".join(parts[providers[-1] + 1 :]) if providers else last
    return [name, last, bare]


def _longest_family(name: str, known: Mapping[str, ModelProfile]) -> str | None:
    """Return the longest known name that `name` begins with and that ends at a boundary.

    `gpt-4` is not the family of `gpt-4o` or `gpt-45`, but `qwen` is the family of `qwen3-coder`.
    """
    families = [each for each in known if name.startswith(each) and _is_border(name, len(each))]
    return max(families, key=len, default=None)


def _is_border(name: str, end: int) -> bool:
    before, after = name[max(0, end - 1) : end], name[end : end + 1]
    return not after.isalnum() or (before.isalpha() and after.isdigit())


_O200K = "lexical-1:o200k"
_CL100K = "lexical-1:cl100k"
_CLAUDE = "lexical-1:claude"
_SAFE = "lexical-1:max"

GENERIC = ModelProfile("generic", "generic", 100_000, 16_000, 4_000, 80, _SAFE)
"""The contract's own numbers."""

# Provider, estimator, then each name with input, output and reserve. Input and output share one
# window in most of these; the reserve is the part of it that is kept for the answer.
_TABLE: tuple[tuple[str, str, tuple[tuple[str, int, int, int], ...]], ...] = (
    (
        "openai",
        _O200K,
        (
            ("gpt-4o", 128_000, 16_384, 8_000),
            ("chatgpt-4o", 128_000, 16_384, 8_000),
            ("gpt-4.1", 1_047_576, 32_768, 16_000),
            ("gpt-4.5", 128_000, 16_384, 8_000),
            ("gpt-5", 272_000, 128_000, 16_000),
            ("gpt-5-chat", 128_000, 16_384, 8_000),
            ("gpt-oss", 131_072, 32_768, 8_000),
            ("codex-mini", 200_000, 100_000, 16_000),
            ("o1", 200_000, 100_000, 16_000),
            ("o1-mini", 128_000, 65_536, 16_000),
            ("o1-preview", 128_000, 32_768, 16_000),
            ("o3", 200_000, 100_000, 16_000),
            ("o4-mini", 200_000, 100_000, 16_000),
        ),
    ),
    (
        "openai",
        _CL100K,
        (
            ("gpt-4", 8_192, 4_096, 2_000),
            ("gpt-4-32k", 32_768, 4_096, 4_000),
            ("gpt-4-turbo", 128_000, 4_096, 4_000),
            ("gpt-3.5-turbo", 16_385, 4_096, 4_000),
        ),
    ),
    (
        "anthropic",
        _CLAUDE,
        (
            ("claude", 200_000, 4_096, 4_000),
            ("claude-instant", 100_000, 4_096, 4_000),
            ("claude-2", 100_000, 4_096, 4_000),
            ("claude-3-5", 200_000, 8_192, 8_000),
            ("claude-3-7", 200_000, 64_000, 16_000),
            ("claude-sonnet", 200_000, 64_000, 16_000),
            ("claude-opus", 200_000, 32_000, 16_000),
            ("claude-haiku", 200_000, 64_000, 16_000),
        ),
    ),
    (
        "google",
        _SAFE,
        (
            ("gemini", 1_000_000, 8_192, 8_000),
            ("gemini-2.5", 1_048_576, 65_536, 16_000),
            ("gemini-3", 1_048_576, 65_536, 16_000),
            ("gemma", 8_192, 4_096, 2_000),
            ("gemma-3", 131_072, 8_192, 8_000),
            ("gemma3", 131_072, 8_192, 8_000),
        ),
    ),
    (
        "meta",
        _SAFE,
        (
            ("llama", 8_192, 4_096, 2_000),
            ("llama-3.1", 128_000, 4_096, 4_000),
            ("llama3.1", 128_000, 4_096, 4_000),
            ("llama-3.2", 128_000, 4_096, 4_000),
            ("llama3.2", 128_000, 4_096, 4_000),
            ("llama-3.3", 128_000, 4_096, 4_000),
            ("llama3.3", 128_000, 4_096, 4_000),
            ("llama-4", 1_000_000, 8_192, 8_000),
            ("llama4", 1_000_000, 8_192, 8_000),
        ),
    ),
    (
        "qwen",
        _SAFE,
        (
            ("qwen", 32_768, 8_192, 4_000),
            ("qwen2.5", 131_072, 8_192, 8_000),
            ("qwen3-coder", 262_144, 65_536, 16_000),
        ),
    ),
    (
        "deepseek",
        _SAFE,
        (
            ("deepseek", 64_000, 8_000, 8_000),
            ("deepseek-v3", 128_000, 8_000, 8_000),
        ),
    ),
    (
        "mistral",
        _SAFE,
        (
            ("mistral", 32_768, 4_096, 4_000),
            ("mistral-large", 128_000, 4_096, 4_000),
            ("mistral-medium", 128_000, 4_096, 4_000),
            ("devstral", 128_000, 4_096, 4_000),
            ("codestral", 32_768, 4_096, 4_000),
        ),
    ),
)

MODELS: tuple[ModelProfile, ...] = (
    GENERIC,
    *(
        ModelProfile(provider, model, most_input, most_output, reserve, 80, estimator)
        for provider, estimator, models in _TABLE
        for model, most_input, most_output, reserve in models
    ),
)
"""The built-in models and families of models, none twice."""

_PROVIDERS = frozenset(provider for provider, _, _ in _TABLE)
