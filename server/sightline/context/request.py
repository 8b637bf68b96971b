"""A build request as plain values, and how it is read from JSON.

A request comes from an editor or a shell, or from a record that is to be verified. A value that is
not understood is refused by name; nothing is repaired or guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from sightline.bundle import Purpose
from sightline.refusals import Refusal, RefusalKind

_LONGEST_TEXT = 200_000
_MOST_ITEMS = 1_000
_LAST_LINE = 1_000_000_000
_HALF_A_CHARACTER = "a text of it holds half of a character (a lone surrogate)"


class Scope(StrEnum):
    """Where a constraint comes from, in canonical order."""

    SYSTEM = "system"
    PROJECT = "project"
    SESSION = "session"
    USER = "user"


class Constraint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str
    scope: Scope = Scope.USER


class PlanStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str = ""
    title: str = ""
    description: str = ""
    target_files: tuple[str, ...] = ()
    target_symbols: tuple[str, ...] = ()


class Intent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str
    id: str = ""


class LastError(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    message: str
    path: str | None = None
    line: int | None = None
    """1-based."""
    code: str | None = None
    severity: str = "error"
    is_outside: bool = False
    """True if it is outside of the workspace: its location was left out."""


class TargetSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A target: a file, a line of it, a symbol of it, or a symbol in any file."""

    path: str | None = None
    line: int | None = None
    """1-based; the symbol around the line is meant."""
    column: int | None = None
    """1-based, in characters; by default the first one on the line that is not white space."""
    end_line: int | None = None
    """With `line`: every outermost symbol that is in these lines or around one of them."""
    symbol: str | None = None

    @classmethod
    def named(cls, symbol: str) -> TargetSpec:
        """Parse `SYMBOL` (in any file) or `PATH::SYMBOL`, as lists of choices write it."""
        path, separator, name = symbol.partition("::")
        if separator and ("/" in path or "." in path):
            return cls(path=path, symbol=name)
        return cls(symbol=symbol)

    def __str__(self) -> str:
        if self.symbol is not None:
            return f"{self.path}::{self.symbol}" if self.path else self.symbol
        places = [str(each) for each in (self.path, self.line, self.column) if each is not None]
        return ":".join(places)


class BuildRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    purpose: Purpose = Purpose.DIFF
    active: TargetSpec | None = None
    """The active file and position."""
    targets: tuple[TargetSpec, ...] = ()
    """Named by the request itself; they come before the active file."""
    plan_step: PlanStep | None = None
    intent: Intent | None = None
    constraints: tuple[Constraint, ...] = ()
    user_selected_targets: tuple[TargetSpec, ...] = ()
    dropped_paths: tuple[str, ...] = ()
    """Files that a person wants to leave out."""
    last_error: LastError | None = None


def read_request(value: object) -> BuildRequest | Refusal:
    """Read a request from JSON values."""
    try:
        request = msgspec.convert(value, BuildRequest)
    except msgspec.ValidationError as error:
        return malformed(without_values(str(error)))
    except UnicodeEncodeError:
        return malformed(_HALF_A_CHARACTER)
    return check_request(request) or request


def check_request(request: BuildRequest) -> Refusal | None:
    """Refuse a request that contradicts itself or is too large."""
    try:
        msgspec.json.encode(request)
    except UnicodeEncodeError:
        return malformed(_HALF_A_CHARACTER)
    texts: dict[str, str | None] = {
        "intent": request.intent.text if request.intent else None,
        "plan_step": request.plan_step.description if request.plan_step else None,
        "last_error": request.last_error.message if request.last_error else None,
    }
    for index, constraint in enumerate(request.constraints):
        texts[f"constraints[{index}]"] = constraint.text
    for name, text in texts.items():
        if text is not None and len(text) > _LONGEST_TEXT:
            return malformed(f"'{name}' is longer than {_LONGEST_TEXT} characters")
    step = request.plan_step or PlanStep()
    lists: Mapping[str, int] = {
        "targets": len(request.targets),
        "constraints": len(request.constraints),
        "user_selected_targets": len(request.user_selected_targets),
        "dropped_paths": len(request.dropped_paths),
        "plan_step": len(step.target_files) + len(step.target_symbols),
    }
    for name, count in lists.items():
        if count > _MOST_ITEMS:
            return malformed(f"'{name}' has more than {_MOST_ITEMS} items")
    wanted = [*request.targets, *request.user_selected_targets]
    if request.active is not None:
        wanted.append(request.active)
        if request.active.path is None:
            return malformed("'active' has no path")
    for each in wanted:
        if each.path is None and each.symbol is None:
            return malformed("a target names neither a path nor a symbol")
        if each.path is None and each.line is not None:
            return malformed("a target has a line but no path")
        numbers = [each.line, each.column, each.end_line]
        if any(number is not None and not 1 <= number <= _LAST_LINE for number in numbers):
            return malformed("lines and columns count from 1")
        if each.end_line is not None and (each.line is None or each.end_line < each.line):
            return malformed("a range of lines ends before it starts")
    error = request.last_error
    if (
        error is not None
        and error.line is not None
        and (not 1 <= error.line <= _LAST_LINE or error.path is None)
    ):
        return malformed(
            "'last_error' has a line that cannot be: it needs a path and counts from 1"
        )
    return None


def malformed(problem: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "malformed_request",
        None,
        f"the request cannot be read: {problem}",
        "correct it and ask again",
    )


def without_values(problem: str) -> str:
    """Return a validation message without the value that it quotes."""
    head, separator, place = problem.rpartition(" - at ")
    if not separator:
        head, place = problem, ""
    if head.startswith("Invalid"):
        head = "Invalid value"
    return head + (f" at {place}" if place else "")
