"""A task file: what is to be done, in which files, and what happened before.

The names of fields are those of the JSON. Unknown fields are an error: `forbiddenGlobs` with a
letter wrong would forbid nothing.
"""

from __future__ import annotations

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
    """Return the task that JSON values describe, or what is wrong with them.

    An acceptance criterion may be a plain sentence; it is numbered by its place.
    """
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


def malformed_task(problem: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "malformed_task",
        None,
        f"the task is not one: {problem}",
        "compare it with the JSON Schema of a task: server/sightline/schemas/task.schema.json",
    )


def top_issues(task: Task) -> tuple[Issue, ...]:
    """Return the ten gravest issues of the last iteration, in the order of their severity."""
    issues = task.previous.issues if task.previous is not None else ()
    return tuple(sorted(issues, key=_gravity)[:MOST_ISSUES])


def _gravity(issue: Issue) -> int:
    severity = issue.severity.lower()
    return _SEVERITIES.index(severity) if severity in _SEVERITIES else len(_SEVERITIES)
