"""Pack a task and its files into a limit of characters.

Invariants:

* `totalChars` is the number of characters of the pack as compact JSON, itself included, and is
  never above the limit of the tier.
* The task, its acceptance criteria, its constraints and all error outputs are in every pack, whole.
* Every text that was cut says `[context truncated]`, and `truncated` is true if one was or if a
  file was left out.
* What is cut first is fixed: files of the contract, the diff, docs, the task's own files, files of
  issues; of these the longest first. The same inputs give the same pack.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from heapq import heapify, heappop, heappush
from typing import Any

import attrs
import msgspec

from sightline.recipes.task import Task, top_issues, written
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
    left_out: str | None = None
    """The first file that the pack has no room for, whatever its limit."""


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
        if _least_size(texts, choice) <= limit:
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
        own = [index for index, each in enumerate(texts.files) if each.importance is importance]
        for number, form in _steps([texts.files[index] for index in own]):
            choice = attrs.evolve(choice, files=_replaced(choice.files, own[number], form))
            yield choice
        for index in reversed(own):
            if texts.files[index].may_be_left_out:
                choice = attrs.evolve(choice, files=_replaced(choice.files, index, None))
                yield choice


def _steps(texts: Sequence[PackedText]) -> Iterator[tuple[int, int]]:
    """Yield an index and its next form: of the text that is longest now, the last one of several.

    A short text stays whole while a long one can be cut.
    """
    waiting = [(-len(each.forms[0]), -index, 0) for index, each in enumerate(texts)]
    heapify(waiting)
    while waiting:
        _, negative, form = heappop(waiting)
        forms = texts[-negative].forms
        if form + 1 < len(forms):
            yield -negative, form + 1
            heappush(waiting, (-len(forms[form + 1]), negative, form + 1))


def _replaced(forms: tuple[Any, ...], index: int, form: int | None) -> tuple[Any, ...]:
    return (*forms[:index], form, *forms[index + 1 :])


def _pack(task: Task, texts: TaskTexts, choice: _TakenForms) -> dict[str, Any]:
    pack: dict[str, Any] = {
        "task": {
            "id": task.id,
            "title": task.title,
            "goal": task.goal,
            "acceptance": [*map(written, task.acceptance)],
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
            "issues": [*map(written, top_issues(task))],
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
        pack["repairTickets"] = [*map(written, task.repair_tickets)]
    left_out = [
        (each.path, each.importance)
        for each, form in zip(texts.files, choice.files, strict=True)
        if form is None
    ]
    left_out += [(texts.left_out, Importance.LOW)] if texts.left_out else []
    is_cut = any((*choice.files, *choice.docs, choice.diff)) or texts.diff[0].endswith(MARKER)
    if left_out and not is_cut:
        # The marker stands for files that are left out, if it stands nowhere else.
        path, importance = left_out[0]
        pack["files"].append({"path": path, "content": MARKER, "priority": importance.value})
    pack["totalChars"] = 0
    pack["truncated"] = bool(is_cut or left_out)
    pack["totalChars"] = _own_size(pack)
    return pack


def _least_size(texts: TaskTexts, choice: _TakenForms) -> int:
    """Return how many characters a choice has at least: those of its texts."""
    chosen = [
        *zip(texts.files, choice.files, strict=True),
        *zip(texts.docs, choice.docs, strict=True),
    ]
    size = sum(len(each.forms[form]) for each, form in chosen if form is not None)
    return size + len(texts.diff[choice.diff])


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
