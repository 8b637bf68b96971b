"""The second pass of a build: a secret in one document is a secret in all of them.

First every document of the answer is read and scanned by itself. Then the values that are certain
secrets in any of them are searched in all of them, in names and in the request's own words. So the
order in which documents are read does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from sightline.bundle import ExcludedCandidate, ExclusionReason
from sightline.context.fusing import Step
from sightline.context.request import BuildRequest
from sightline.context.secret_checks import UNNAMED, is_free_of_secrets, unscanned
from sightline.context.sources import Sources
from sightline.egress import ScanFailure, redacted
from sightline.refusals import Refusal
from sightline.text import Span


def nameable_exclusions(
    sources: Sources, excluded: Iterable[ExcludedCandidate]
) -> list[ExcludedCandidate]:
    """Return the excluded candidates, without names if the path or rule contains a secret."""
    all_excluded = list(excluded)
    nameable = _nameable(
        sources,
        [f"{each.path}\n{each.symbol or ''}\n{each.rule or ''}" for each in all_excluded],
    )
    return [
        each if is_nameable else _unnamed(each.score)
        for each, is_nameable in zip(all_excluded, nameable, strict=True)
    ]


def nameable_steps(sources: Sources, steps: Sequence[Step]) -> list[Step] | Refusal:
    """Return the steps without those whose path, symbol or words contain a secret.

    Related candidates were checked before; this is for similar ones.
    """
    names = [_names(each) for each in steps]
    found = sources.scan("".join(f"{name}\n" for name in names))
    if isinstance(found, ScanFailure):
        return unscanned(None, "the names of files", found)
    if not found:
        return list(steps)
    return [
        each for each, name in zip(steps, names, strict=True) if is_free_of_secrets(sources, name)
    ]


def without_weak_values(
    sources: Sources, request: BuildRequest
) -> tuple[BuildRequest, dict[str, tuple[int, ...]]]:
    """Return the request with the weak secrets in its words replaced, and their lines by field."""
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


def _names(step: Step) -> str:
    words = step.relation.shared if step.relation is not None else ()
    return "\n".join([step.path, step.part.symbol if step.part else "", *words])


def _nameable(sources: Sources, names: Sequence[str]) -> list[bool]:
    """Return, for each text with names, whether it contains no secret. A single scan is enough if
    none does.
    """
    if is_free_of_secrets(sources, "\n".join(names)):
        return [True] * len(names)
    return [is_free_of_secrets(sources, each) for each in names]


def _unnamed(score: int | None) -> ExcludedCandidate:
    return ExcludedCandidate(UNNAMED, ExclusionReason.SECRET_RISK, "known secret", "egress", score)
