"""Read what recipes need from a caller's own objects, by attribute or by key.

A caller may pass objects of another library, or mocks that have every attribute: a value counts
only if it has the expected type.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from sightline.recipes.model import CommitInfo, DiffStats, GitHubIssue, ParsedError

_SHORT_HASH = 7
_SEVERITIES = ("error", "warning")


def commit_of(given: object) -> CommitInfo:
    whole = text_attribute(given, "hash", "sha", "id")
    short = text_attribute(given, "short_hash", "short_sha") or whole[:_SHORT_HASH]
    date = attribute(given, "date")
    iso = getattr(date, "isoformat", None)
    return CommitInfo(
        hash=whole or short,
        short_hash=short,
        message=text_attribute(given, "message", "subject").lstrip().partition("\n")[0],
        author=_author(given),
        date=date if isinstance(date, str) else _text(iso()) if callable(iso) else "",
    )


def stats_of(given: object) -> DiffStats:
    return DiffStats(
        files_changed=number_attribute(given, "files_changed"),
        insertions=number_attribute(given, "insertions"),
        deletions=number_attribute(given, "deletions"),
        file_list=tuple(filter(None, map(path_text, _changed_files(given)))),
    )


def _changed_files(given: object) -> list[object]:
    """Return the changed files in a diff's statistics: a list, or a mapping by file."""
    for name in ("file_list", "files", "per_file"):
        value = attribute(given, name)
        if found := list(value) if isinstance(value, Mapping) else items(value):
            return found
    return []


def error_of(given: object) -> ParsedError:
    severity = text_attribute(given, "severity").lower()
    code = attribute(given, "code")
    column = attribute(given, "column")
    return ParsedError(
        file=path_text(attribute(given, "file")),
        line=number_attribute(given, "line"),
        message=text_attribute(given, "message"),
        column=_number(column) or None,
        severity=severity if severity in _SEVERITIES else "error",
        code=str(code) if isinstance(code, str | int) and code != "" else None,
    )


def errors_of(given: object) -> list[ParsedError]:
    """Return the errors of all stages of a validation's output, in order."""
    return [
        error_of(error)
        for stage in items(attribute(given, "stages"))
        for error in items(attribute(stage, "errors"))
    ]


def issue_of(given: object) -> GitHubIssue:
    labels = items(attribute(given, "labels"))
    return GitHubIssue(
        number=number_attribute(given, "number"),
        title=text_attribute(given, "title"),
        body=text_attribute(given, "body"),
        labels=tuple(_label(each) for each in labels),
        state=text_attribute(given, "state"),
        assignees=tuple(str(each) for each in items(attribute(given, "assignees"))),
        url=text_attribute(given, "url", "html_url"),
    )


def _label(given: object) -> str:
    return given if isinstance(given, str) else text_attribute(given, "name")


def _author(given: object) -> str:
    """Return the author's name, if the author is a text or an object with a name."""
    named = text_attribute(attribute(given, "author"), "name")
    return text_attribute(given, "author", "author_name") or named


def attribute(given: object, name: str) -> object:
    """Return an attribute of an object or a value of a mapping; None if there is none."""
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)


def text_attribute(given: object, *names: str) -> str:
    """Return the first of some attributes that is a text, or ""."""
    for name in names:
        value = attribute(given, name)
        if isinstance(value, str):
            return value
    return ""


def number_attribute(given: object, name: str) -> int:
    return _number(attribute(given, name))


def path_text(given: object) -> str:
    """Return a path, given as text or as a path, as text; otherwise ""."""
    path = os.fspath(given) if isinstance(given, os.PathLike) else given
    return path if isinstance(path, str) else ""


def items(given: object) -> list[object]:
    if isinstance(given, str | bytes | Mapping):
        return []
    return list(given) if isinstance(given, Iterable) else []


def _number(value: object) -> int:
    """Return a whole number, which may be written in digits; otherwise 0."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
