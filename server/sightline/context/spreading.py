"""The second pass of a build: what one document shows to be a secret is one in all of them.

First every document of the answer is read and scanned by itself. Then the values that are certain
secrets in any of them are looked for in all of them, in names and in the request's own words. So
the order in which documents are read does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs
import msgspec

from sightline.bundle import ExcludedCandidate, ExclusionReason
from sightline.context.blocks import Item, ItemRole
from sightline.context.request import BuildRequest
from sightline.context.secret_checks import (
    UNNAMED,
    is_free_of_secrets,
    secret_in_names,
    secret_in_request,
)
from sightline.context.selecting import cleared_document, excluded_candidate, names_of
from sightline.context.sources import ScannedDocument, Sources
from sightline.context.target_clearing import target_items
from sightline.context.targets import Targets
from sightline.egress import redacted
from sightline.refusals import Refusal
from sightline.settings import Settings
from sightline.text import Span


def spread_secrets(
    sources: Sources,
    request: BuildRequest,
    settings: Settings,
    targets: Targets,
    items: Sequence[Item],
) -> tuple[list[Item], list[ExcludedCandidate]] | Refusal:
    """The items with what all documents tell, and those that may no longer be shown."""
    refusal = secret_in_request(sources, request) or secret_in_names(sources, targets)
    if refusal is not None:
        return refusal
    others = [each for each in items if each.role not in (ItemRole.TARGET, ItemRole.REST)]
    own_paths = [each.path for each in targets.files]
    documents = sources.documents([*own_paths, *(each.path for each in others)])
    kept: list[Item] = []
    for target in targets.files:
        document = documents[target.path]
        if isinstance(document, Refusal):
            return document
        own = target_items(sources, target, document, settings)
        if isinstance(own, Refusal):
            return own
        kept += own
    excluded: list[ExcludedCandidate] = []
    nameable = _nameable(sources, [_names(item) for item in others])
    for item, is_nameable in zip(others, nameable, strict=True):
        cleared = cleared_document(documents[item.path])
        if not is_nameable:
            excluded.append(_unnamed(item.score))
        elif isinstance(cleared, ScannedDocument):
            is_same = cleared is item.document
            kept.append(item if is_same else attrs.evolve(item, document=cleared))
        else:
            excluded.append(excluded_candidate(item.path, cleared))
    return kept, excluded


def nameable_exclusions(
    sources: Sources, excluded: Iterable[ExcludedCandidate]
) -> list[ExcludedCandidate]:
    """The excluded candidates; one whose path or rule holds a secret is not named."""
    all_excluded = list(excluded)
    nameable = _nameable(sources, [f"{each.path}\n{each.rule or ''}" for each in all_excluded])
    return [
        each if is_nameable else _unnamed(each.score)
        for each, is_nameable in zip(all_excluded, nameable, strict=True)
    ]


def without_weak_values(
    sources: Sources, request: BuildRequest
) -> tuple[BuildRequest, dict[str, tuple[int, ...]]]:
    """The request with the weak secrets in its words replaced, and their lines by field."""
    lines: dict[str, tuple[int, ...]] = {}

    def shown(field: str, text: str) -> str:
        found = sources.weak(text)
        if not found:
            return text
        data = text.encode("utf-8")
        told = tuple(data.count(b"\n", 0, each.span.start) + 1 for each in found)
        lines[field] = (*lines.get(field, ()), *told)
        return redacted(data, Span(0, len(data)), found).decode("utf-8")

    changes: dict[str, object] = {}
    if request.intent is not None:
        text = shown("intent", request.intent.text)
        changes["intent"] = msgspec.structs.replace(request.intent, text=text)
    step = request.plan_step
    if step is not None:
        title, description = shown("plan_step", step.title), shown("plan_step", step.description)
        changes["plan_step"] = msgspec.structs.replace(step, title=title, description=description)
    changes["constraints"] = tuple(
        msgspec.structs.replace(each, text=shown("constraints", each.text))
        for each in request.constraints
    )
    if request.last_error is not None:
        message = shown("last_error", request.last_error.message)
        changes["last_error"] = msgspec.structs.replace(request.last_error, message=message)
    return msgspec.structs.replace(request, **changes) if lines else request, lines


def _names(item: Item) -> str:
    names = names_of(item.candidate) if item.candidate is not None else {item.path}
    return "\n".join(sorted(names))


def _nameable(sources: Sources, names: Sequence[str]) -> list[bool]:
    """For each text with names whether it holds no secret. One scan tells where none does."""
    if is_free_of_secrets(sources, "\n".join(names)):
        return [True] * len(names)
    return [is_free_of_secrets(sources, each) for each in names]


def _unnamed(score: int | None) -> ExcludedCandidate:
    return ExcludedCandidate(UNNAMED, ExclusionReason.SECRET_RISK, "known secret", "egress", score)
