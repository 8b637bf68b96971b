"""Pack a task and its files into a limit of characters.

Invariants:

* `totalChars` is the number of characters of the pack as compact JSON, itself included, and is
  never above the limit of the tier.
* The task, its acceptance criteria, its constraints and all error outputs are in every pack, whole.
* Every text that was cut says `[context truncated]`, and `truncated` is true if one was or if a
  file was left out.
* What is cut first is fixed: files of the contract, the diff, docs, the task's own files, files of
  issues. The same inputs give the same pack.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

import attrs
import msgspec

from sightline.recipes.task import Task, top_issues
from sightline.refusals import Refusal, RefusalKind

MARKER = "[context truncated]"


class Tier(StrEnum):
    STRONG = "strong"
    DEFAULT = "default"
    CHEAP = "cheap"


LIMITS = {Tier.STRONG: 120_000, Tier.DEFAULT: 60_000, Tier.CHEAP: 25_000}
"""Characters of a pack, by the tier of the model that it is for."""


class Importance(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@attrs.frozen
class PackedText:
    """A text in shorter and shorter forms, the whole one first. The others have the marker."""

    path: str
    forms: tuple[str, ...]
    importance: Importance = Importance.MEDIUM
    may_be_left_out: bool = False


@attrs.frozen
class TaskTexts:
    """What a task's pack may hold, cleared and in its order."""

    files: tuple[PackedText, ...] = ()
    docs: tuple[PackedText, ...] = ()
    diff: tuple[str, ...] = ("",)
    """Shorter and shorter forms of the last iteration's diff."""
    has_left_out: bool = False
    """True if a file of the task could not be shown at all."""


@attrs.frozen
class _TakenForms:
    """Which form of each text is taken; None where a file is left out."""

    files: tuple[int | None, ...]
    docs: tuple[int, ...]
    diff: int = 0


def pack_task(task: Task, texts: TaskTexts, tier: Tier) -> dict[str, Any] | Refusal:
    """Return the pack for a task, or why it cannot be made."""
    limit = LIMITS[tier]
    fullest = _TakenForms((0,) * len(texts.files), (0,) * len(texts.docs))
    pack = _pack(task, texts, fullest)
    for choice in _shorter(texts, fullest):
        if pack["totalChars"] <= limit:
            break
        pack = _pack(task, texts, choice)
    if pack["totalChars"] > limit:
        return _too_large(pack["totalChars"], tier)
    return pack


def _shorter(texts: TaskTexts, choice: _TakenForms) -> Iterator[_TakenForms]:
    """Yield the choices from the fullest to the leanest, each one step shorter than the last."""
    for importance in (Importance.LOW, None, Importance.MEDIUM, Importance.HIGH):
        if importance is None:
            for form in range(1, len(texts.diff)):
                choice = attrs.evolve(choice, diff=form)
                yield choice
            continue
        if importance is Importance.MEDIUM:
            for index, form in _steps(texts.docs):
                choice = attrs.evolve(choice, docs=_replaced(choice.docs, index, form))
                yield choice
        own = [each.importance is importance for each in texts.files]
        for index, form in _steps(texts.files):
            if own[index]:
                choice = attrs.evolve(choice, files=_replaced(choice.files, index, form))
                yield choice
        for index in reversed(range(len(texts.files))):
            if own[index] and texts.files[index].may_be_left_out:
                choice = attrs.evolve(choice, files=_replaced(choice.files, index, None))
                yield choice


def _steps(texts: Sequence[PackedText]) -> Iterator[tuple[int, int]]:
    """Yield an index and its next form: every text one form shorter, the last one first."""
    for form in range(1, max((len(each.forms) for each in texts), default=0)):
        for index in reversed(range(len(texts))):
            if form < len(texts[index].forms):
                yield index, form


def _replaced(forms: tuple[Any, ...], index: int, form: int | None) -> tuple[Any, ...]:
    return (*forms[:index], form, *forms[index + 1 :])


def _pack(task: Task, texts: TaskTexts, choice: _TakenForms) -> dict[str, Any]:
    pack: dict[str, Any] = {
        "task": {
            "id": task.id,
            "title": task.title,
            "goal": task.goal,
            "acceptance": _values(task.acceptance),
        },
        "constraints": {
            "allowedGlobs": list(task.contract.allowed_globs),
            "forbiddenGlobs": list(task.contract.forbidden_globs),
            "allowNewFiles": task.contract.allow_new_files,
        },
    }
    if task.previous is not None:
        pack["previousState"] = {
            "iteration": task.previous.iteration,
            "diffSummary": texts.diff[choice.diff],
            "issues": _values(top_issues(task)),
        }
    pack["files"] = [
        {"path": each.path, "content": each.forms[form], "priority": each.importance.value}
        for each, form in zip(texts.files, choice.files, strict=True)
        if form is not None
    ]
    pack["docs"] = [
        {"path": each.path, "content": each.forms[form]}
        for each, form in zip(texts.docs, choice.docs, strict=True)
    ]
    if task.repair_tickets:
        pack["repairTickets"] = _values(task.repair_tickets)
    pack["totalChars"] = 0
    pack["truncated"] = (
        texts.has_left_out
        or any((*choice.files, *choice.docs, choice.diff))
        or (None in choice.files)
    )
    pack["totalChars"] = _own_size(pack)
    return pack


def _values(given: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(given))


def _own_size(pack: dict[str, Any]) -> int:
    """Return how many characters a pack has that says so itself."""
    size = len(msgspec.json.encode(pack).decode("utf-8"))
    total = size
    while size - 1 + len(str(total)) != total:
        total = size - 1 + len(str(total))
    return total


def _too_large(size: int, tier: Tier) -> Refusal:
    return Refusal(
        RefusalKind.CONTEXT_TOO_LARGE,
        "over_tier_limit",
        None,
        f"the task, its issues and error outputs alone need {size} characters, and the tier "
        f"'{tier}' takes {LIMITS[tier]}",
        "shorten the error outputs, split the task, or use a stronger tier",
        rule=f"{tier}={LIMITS[tier]}",
        source="tier",
        smallest_budget=size,
    )
