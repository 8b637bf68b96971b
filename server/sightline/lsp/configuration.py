"""Read a client's configuration as settings of a request.

A client merges a person's settings with those of the workspace and does not say which is which. So
the server takes only the keys that cannot loosen a guard; the others belong in the user's settings
file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_TAKEN = frozenset(
    [
        "model.name",
        "budget.max_input_tokens",
        "budget.max_output_tokens",
        "budget.response_token_reserve",
        "budget.soft_limit_threshold_pct",
        "budget.estimator",
        "render.format",
        "render.order",
        "slicing.signature_docs",
        "context.max_hops",
        "context.max_candidates",
        "context.optional_blocks",
        "context.depth",
        "context.target_level",
        "policy.deny",
    ]
)
_OF_THE_CLIENT = frozenset(["code_lens", "server", "trace", "status_bar", "install"])
"""Sections that only the editor plugin reads."""

_SECTIONS = frozenset([*(name.partition(".")[0] for name in _TAKEN), *_OF_THE_CLIENT])

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LENSES = ("code_lens", "code_lens.enabled")
_MOST_SHOWN = 80
_MOST_PROBLEMS = 5


def requested_settings(section: object) -> tuple[dict[str, object], bool, list[str]]:
    """Return settings by dotted key, whether code lenses are on, and a message for each ignored
    key.
    """
    if not isinstance(section, Mapping):
        return {}, False, []
    taken: dict[str, object] = {}
    problems: list[str] = []
    shows_lenses = False
    for name, value in _leaves("", section):
        if name in _LENSES:
            shows_lenses = value is True
        if value is None or name.partition(".")[0] in _OF_THE_CLIENT:
            continue
        if name in _TAKEN:
            taken[name] = value
        elif len(problems) < _MOST_PROBLEMS:
            problems.append(
                f"The setting 'sightline.{name[:_MOST_SHOWN]}' has no effect here: what guards "
                "belongs into Sightline's own settings file."
            )
    return taken, shows_lenses, problems


def pushed_section(settings: object) -> object:
    """Return Sightline's section from a client's settings: below its name, or the whole object if
    all its keys are ours.
    """
    if not isinstance(settings, Mapping) or "sightline" in settings:
        return settings.get("sightline") if isinstance(settings, Mapping) else None
    names = {_snake(str(name).partition(".")[0]) for name in settings}
    return settings if names <= _SECTIONS else None


def _leaves(prefix: str, section: Mapping[object, object]) -> Iterator[tuple[str, object]]:
    for name, value in section.items():
        if not isinstance(name, str):
            continue
        dotted = prefix + ".".join(_snake(part) for part in name.split("."))
        if isinstance(value, Mapping):
            yield from _leaves(f"{dotted}.", value)
        else:
            yield dotted, value


def _snake(name: str) -> str:
    return _HUMP.sub("_", name).lower()
