"""Read what recipes need of a caller's own objects, by attribute.

A caller may pass objects of another library, or stand-ins that answer every attribute: a value
counts only if it has the type that is meant.
"""

from __future__ import annotations

from collections.abc import Iterable

from sightline.recipes.model import CommitInfo, DiffStats, GitHubIssue, ParsedError

_SHORT_HASH = 7
_SEVERITIES = ("error", "warning")


def commit_of(given: object) -> CommitInfo:
    whole = text_attribute(given, "hash", "sha", "id")
    short = text_attribute(given, "short_hash", "short_sha") or whole[:_SHORT_HASH]
    date = getattr(given, "date", "")
    iso = getattr(date, "isoformat", None)
    return CommitInfo(
        hash=whole or short,
        short_hash=short,
        message=text_attribute(given, "message", "subject").lstrip().partition("\n")[0],
        author=text_attribute(given, "author", "author_name"),
        date=date if isinstance(date, str) else _text(iso()) if callable(iso) else "",
    )


def stats_of(given: object) -> DiffStats:
    return DiffStats(
        files_changed=number_attribute(given, "files_changed"),
        insertions=number_attribute(given, "insertions"),
        deletions=number_attribute(given, "deletions"),
        file_list=tuple(str(each) for each in items(getattr(given, "file_list", ()))),
    )


def error_of(given: object) -> ParsedError:
    severity = text_attribute(given, "severity").lower()
    code = getattr(given, "code", None)
    column = getattr(given, "column", None)
    return ParsedError(
        file=str(getattr(given, "file", "")),
        line=number_attribute(given, "line"),
        message=text_attribute(given, "message"),
        column=column if _is_number(column) else None,
        severity=severity if severity in _SEVERITIES else "error",
        code=str(code) if isinstance(code, str | int) and code != "" else None,
    )


def errors_of(given: object) -> list[ParsedError]:
    """Return the errors of all stages of a validation's output, in order."""
    return [
        error_of(error)
        for stage in items(getattr(given, "stages", ()))
        for error in items(getattr(stage, "errors", ()))
    ]


def issue_of(given: object) -> GitHubIssue:
    labels = items(getattr(given, "labels", ()))
    return GitHubIssue(
        number=number_attribute(given, "number"),
        title=text_attribute(given, "title"),
        body=text_attribute(given, "body"),
        labels=tuple(_label(each) for each in labels),
        state=text_attribute(given, "state"),
        assignees=tuple(str(each) for each in items(getattr(given, "assignees", ()))),
        url=text_attribute(given, "url", "html_url"),
    )


def _label(given: object) -> str:
    return given if isinstance(given, str) else text_attribute(given, "name")


def text_attribute(given: object, *names: str) -> str:
    """Return the first of some attributes that is a text; else an empty one."""
    for name in names:
        value = getattr(given, name, None)
        if isinstance(value, str):
            return value
    return ""


def number_attribute(given: object, name: str) -> int:
    value = getattr(given, name, 0)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def items(given: object) -> list[object]:
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str) else []


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
