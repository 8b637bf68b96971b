"""A task file: what is to be done, in which files, and what happened before.

The names of fields are those of the JSON; with underscores (`allowed_globs`) they count as well.
Unknown fields are an error: `forbiddenGlobs` with a letter wrong would forbid nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import Enum

import msgspec

from sightline.refusals import Refusal, RefusalKind

MOST_ISSUES = 10

_SEVERITIES = ("critical", "high", "error", "major", "medium", "warning", "minor", "low", "info")


class AcceptanceCriteria(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True
):
    id: str
    description: str
    verify: str | None = None
    """How to check it: a command, or words."""


class Issue(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"
):
    """A fault of the last iteration."""

    id: str
    severity: str
    message: str
    file: str | None = None
    line: int | None = None
    symbol: str | None = None
    evidence: str | None = None
    """What a tool printed."""


class RepairTicket(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    id: str
    issue_ids: tuple[str, ...] = ()
    instructions: str = ""
    files: tuple[str, ...] = ()
    error_output: str | msgspec.UnsetType | None = msgspec.UNSET
    """Never cut."""


class TaskContext(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    files: tuple[str, ...] = ()
    docs: tuple[str, ...] = ()


class TaskContract(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    allowed_globs: tuple[str, ...] = ()
    forbidden_globs: tuple[str, ...] = ()
    allow_new_files: bool = False


class PreviousIteration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    iteration: int
    diff: str = ""
    issues: tuple[Issue, ...] = ()


class Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    id: str
    title: str
    goal: str
    acceptance: tuple[AcceptanceCriteria, ...] = ()
    context: TaskContext = TaskContext()
    contract: TaskContract = TaskContract()
    previous: PreviousIteration | None = None
    repair_tickets: tuple[RepairTicket, ...] = ()


def read_task(values: object) -> Task | Refusal:
    """Return the task that JSON values or an object's attributes describe, or what is wrong.

    An acceptance criterion may be a plain sentence; it is numbered by its place.
    """
    values = _plain(values, Task)
    if isinstance(values, dict) and isinstance(criteria := values.get("acceptance"), list):
        numbered = [
            {"id": str(number), "description": each} if isinstance(each, str) else each
            for number, each in enumerate(criteria, 1)
        ]
        values = {**values, "acceptance": numbered}
    try:
        return msgspec.convert(values, Task)
    except msgspec.ValidationError as error:
        return malformed_task(str(error))


_PARTS: dict[str, type[msgspec.Struct]] = {
    "acceptance": AcceptanceCriteria,
    "context": TaskContext,
    "contract": TaskContract,
    "previous": PreviousIteration,
    "issues": Issue,
    "repairTickets": RepairTicket,
}
"""By the field that has it."""


def _plain(given: object, kind: type[msgspec.Struct]) -> object:
    """Return values by the names of the JSON; what a mapping or an object leaves out is left out.

    None counts as left out, but for the error output of a ticket, which may be null. An object
    may be of any class: what is read of it is the attributes of these names.
    """
    names = dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))
    if isinstance(given, Mapping):
        found = {names.get(str(key), str(key)): value for key, value in given.items()}
    elif _is_object(given):
        found = {
            written: value
            for name, written in names.items()
            for each in (name, written)
            if not _answers_anything(value := getattr(given, each, msgspec.UNSET))
            and value is not msgspec.UNSET
        }
    else:
        return given
    return {
        name: _plain_part(value, _PARTS.get(name))
        for name, value in found.items()
        if value is not None or name == "errorOutput"
    }


def _plain_part(value: object, kind: type[msgspec.Struct] | None) -> object:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return [_plain(each, kind) if kind else _plain_part(each, None) for each in value]
    return _plain(value, kind) if kind else value


def _is_object(given: object) -> bool:
    """Return True for a value with attributes of its own: of a class, or a named tuple."""
    is_plain = given is None or isinstance(
        given, str | bytes | int | float | list | tuple | set | frozenset | type
    )
    return hasattr(given, "_fields") or not is_plain


def _answers_anything(value: object) -> bool:
    """Return True for a stand-in that has every attribute: it says nothing of its own."""
    return hasattr(value, "no_task_has_this_attribute")


def malformed_task(problem: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "malformed_task",
        None,
        f"this is not a task: {problem}",
        "compare it with the JSON Schema of a task: server/sightline/schemas/task.schema.json",
    )


def top_issues(task: Task) -> tuple[Issue, ...]:
    """Return the ten gravest issues of the last iteration, in the order of their severity."""
    issues = task.previous.issues if task.previous is not None else ()
    return tuple(sorted(issues, key=_gravity)[:MOST_ISSUES])


def _gravity(issue: Issue) -> int:
    severity = issue.severity.lower()
    return _SEVERITIES.index(severity) if severity in _SEVERITIES else len(_SEVERITIES)
