"""A task file: what is to be done, in which files, and what happened before.

The names of fields are those of the JSON; with underscores (`allowed_globs`) they count as well,
and so do the names that a pack has for the same: `constraints` for `contract`, `previousState` for
`previous`.

Invariants:

* An unknown field of a contract is an error, and so is a field of a task that is spelled nearly
  like a known one: `forbiddenGlobs` with a letter wrong would forbid nothing.
* Acceptance criteria, issues and tickets are the caller's own: fields that are not known here are
  carried into the pack.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from difflib import get_close_matches
from enum import Enum
from typing import Any

import msgspec

from sightline.refusals import Refusal, RefusalKind

MOST_ISSUES = 10

_SEVERITIES = ("critical", "high", "error", "major", "medium", "warning", "minor", "low", "info")


_SEVERITY = "error"


class AcceptanceCriteria(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True
):
    id: str
    """Its place in the list, where none is given."""
    # Always written: only a plain default is left out.
    description: str = msgspec.field(default_factory=str)
    verify: str | None = None
    """How to check it: a command, or words."""
    more: dict[str, Any] = {}
    """Fields of the caller's own."""


class Issue(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename="camel"
):
    """A fault of the last iteration."""

    id: str
    """Its place in the list, where none is given."""
    severity: str = msgspec.field(default_factory=lambda: _SEVERITY)
    message: str = msgspec.field(default_factory=str)
    file: str | None = None
    line: int | None = None
    symbol: str | None = None
    evidence: str | None = None
    """What a tool printed."""
    more: dict[str, Any] = {}
    """Fields of the caller's own."""


class RepairTicket(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    id: str
    """Its place in the list, where none is given."""
    issue_ids: tuple[str, ...] = ()
    instructions: str = ""
    files: tuple[str, ...] = ()
    error_output: str | msgspec.UnsetType | None = msgspec.UNSET
    """Never cut."""
    more: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    """Fields of the caller's own."""


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
    more: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    """Fields that a pack has no use for."""


def read_task(values: object) -> Task | Refusal:
    """Return the task that JSON values or an object's attributes describe, or what is wrong.

    A criterion, an issue or a ticket may be a plain sentence; without an id it has its place as its
    id. Other fields of a task are ignored, unless they are nearly called like one of ours.
    """
    values = _plain(values, Task)
    if isinstance(values, dict):
        known = [*Task.__struct_encode_fields__, *_OTHER_NAMES[Task]]
        for name in values.get("more", ()):
            if near := get_close_matches(name, known, 1, 0.8):
                return malformed_task(f"it has no field `{name}`; did you mean `{near[0]}`?")
    try:
        task = msgspec.convert(values, Task)
        msgspec.json.encode(task)
    except msgspec.ValidationError as error:
        return malformed_task(str(error))
    except (TypeError, ValueError, RecursionError):
        return malformed_task("one of its fields is not JSON")
    return task


def written(part: msgspec.Struct) -> dict[str, Any]:
    """Return a criterion, an issue or a ticket as JSON values, its caller's own fields last."""
    values: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(part))
    more = values.pop("more", {})
    return {**values, **{name: each for name, each in more.items() if name not in values}}


_PARTS: dict[str, type[msgspec.Struct]] = {
    "acceptance": AcceptanceCriteria,
    "context": TaskContext,
    "contract": TaskContract,
    "previous": PreviousIteration,
    "issues": Issue,
    "repairTickets": RepairTicket,
}
"""By the field that has it."""

_SENTENCES: dict[type[msgspec.Struct], str] = {
    AcceptanceCriteria: "description",
    Issue: "message",
    RepairTicket: "instructions",
}
"""What a plain sentence is, in the place of such an object."""

_OTHER_NAMES: dict[type[msgspec.Struct], dict[str, str]] = {
    Task: {
        "constraints": "contract",
        "fileContract": "contract",
        "file_contract": "contract",
        "previousState": "previous",
        "previous_state": "previous",
    },
    PreviousIteration: {"diffSummary": "diff", "diff_summary": "diff"},
}
"""Other names of fields, mostly those of a pack for the same."""


def _plain(given: object, kind: type[msgspec.Struct]) -> object:
    """Return values by the names of the JSON; what a mapping or an object leaves out is left out.

    None counts as left out, but for the error output of a ticket, which may be null. An object
    may be of any class: what is read of it is the attributes of these names.
    """
    names = dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))
    names = {**names, **_OTHER_NAMES.get(kind, {})}
    takes_more = names.pop("more", None) is not None
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
    taken = {*names.values()}
    own = {name: found[name] for name in found if takes_more and name not in taken}
    values = {
        name: _plain_part(value, _PARTS.get(name))
        for name, value in found.items()
        if name not in own and (value is not None or name == "errorOutput")
    }
    if own:
        values["more"] = {name: _plain_part(value, None) for name, value in own.items()}
    return values


def _plain_part(value: object, kind: type[msgspec.Struct] | None) -> object:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)
    if isinstance(value, str) and kind in _SENTENCES:
        value = [value]
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        if kind not in _SENTENCES:
            return [_plain(each, kind) if kind else _plain_part(each, None) for each in value]
        return [_numbered(each, kind, number) for number, each in enumerate(value, 1)]
    return _plain(value, kind) if kind else value


def _numbered(given: object, kind: type[msgspec.Struct], number: int) -> object:
    """Return the values of a criterion, an issue or a ticket, which has an id."""
    values = {_SENTENCES[kind]: given} if isinstance(given, str) else _plain(given, kind)
    if not isinstance(values, dict):
        return values
    name = values.get("id", number)
    return {**values, "id": str(name) if type(name) is int else name}


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
