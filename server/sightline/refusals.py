"""Refusals: the typed answer if Sightline withholds something.

A refusal is a normal result, not an exception. It says what was withheld, which rule decided, where
that rule is written and what a person can do next.

Invariant: no field ever contains file contents.
"""

from __future__ import annotations

from enum import StrEnum

import attrs


class RefusalKind(StrEnum):
    """The five refusals of the contract, and `InvalidRequest` for a request that is not valid."""

    CONTEXT_TOO_LARGE = "ContextTooLarge"
    SECRET_RISK = "SecretRisk"
    AMBIGUOUS_TARGET = "AmbiguousTarget"
    UNSUPPORTED_TARGET = "UnsupportedTarget"
    INDEX_UNAVAILABLE = "IndexUnavailable"
    INVALID_REQUEST = "InvalidRequest"


@attrs.frozen
class RefusalAction:
    """What a person can do about a refusal in one step."""

    kind: str
    """`redact_once`: build again with the secrets of the target replaced, this time only.
    `mark_harmless`: mark one value as harmless in this workspace.
    """
    title: str
    line: int | None = None
    """For `mark_harmless`: the line of the refusal's path in which the value begins, 1-based."""
    detector: str | None = None
    """For `mark_harmless`: the rule that found the value."""


@attrs.frozen
class Refusal:
    """Why something was withheld. `message` and `advice` are one line each."""

    kind: RefusalKind
    reason: str
    """Machine-readable, snake_case: `deny_rule`, `binary`, `too_large`, `encoding`, …"""
    path: str | None
    message: str
    advice: str
    rule: str | None = None
    """The rule that decided, as written: a pattern, a limit, a check."""
    source: str | None = None
    """Where that rule is written: `default:credentials`, `.gitignore:3`, …"""
    candidates: tuple[str, ...] = ()
    """What to choose from: the meanings of an ambiguous request, or smaller
    symbols that would fit.
    """
    lines: tuple[int, ...] = ()
    """The lines of `path` that are the reason, 1-based: for example those that contain secrets."""
    smallest_budget: int | None = None
    """The number of input tokens that would be enough, if the context is too large."""
    actions: tuple[RefusalAction, ...] = ()
    """What a person can do in one step, the best first."""

    def sentence(self) -> str:
        """Return one line: what happened, what to choose from, which rule
        decided, and what to do.
        """
        where = f"{self.path}: " if self.path and self.path not in self.message else ""
        choices = f" ({', '.join(self.candidates)})" if self.candidates else ""
        reasons = [f"rule {self.rule}"] if self.rule else []
        reasons += [f"from {self.source}"] if self.rule and self.source else []
        why = f" [{', '.join(reasons)}]" if reasons else ""
        return f"{where}{self.message}{choices}{why}; {self.advice}"

    def as_dict(self) -> dict[str, object]:
        return {
            "kind": self.kind.value,
            "reason": self.reason,
            "path": self.path,
            "message": self.message,
            "advice": self.advice,
            "rule": self.rule,
            "source": self.source,
            "candidates": list(self.candidates),
            "lines": list(self.lines),
            "smallest_budget": self.smallest_budget,
            "actions": [attrs.asdict(each) for each in self.actions],
        }
