"""Read an issue: JSON of GitHub's REST interface or of `gh issue view --json`, or plain text."""

from __future__ import annotations

from typing import Any

import msgspec

from sightline.recipes.model import GitHubIssue
from sightline.refusals import Refusal, RefusalKind

_LONGEST_ISSUE = 4 << 20
_MOST_LABELS = 100


def read_issue(given: str | bytes) -> GitHubIssue | Refusal:
    """Return an issue, or why a text is not one.

    A text that is not JSON is an issue in words: its first line is the title.
    """
    text = given.decode("utf-8", "replace") if isinstance(given, bytes) else given
    text = text.removeprefix("\ufeff").strip()
    if len(text) > _LONGEST_ISSUE:
        return _no_issue("it is longer than 4 MiB")
    if not text:
        return _no_issue("it is empty")
    try:
        value: Any = msgspec.json.decode(text.encode("utf-8", "replace"))
    except RecursionError:
        return _no_issue("it is nested too deeply")
    except msgspec.DecodeError:
        if text.startswith("{"):
            return _no_issue("it is not JSON, though it begins like it")
        title, _, body = text.partition("\n")
        return GitHubIssue(0, title.lstrip("# ").strip(), body.strip("\n"))
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict) or not isinstance(value.get("title"), str):
        return _no_issue("it is JSON without a title")
    number = value.get("number", 0)
    return GitHubIssue(
        number=number if isinstance(number, int) and not isinstance(number, bool) else 0,
        title=value["title"],
        body=_text(value.get("body")),
        labels=_names(value.get("labels"), "name"),
        state=_text(value.get("state")).lower() or "open",
        assignees=_names(value.get("assignees"), "login"),
        url=_text(value.get("html_url")) or _text(value.get("url")),
    )


def _names(values: object, key: str) -> tuple[str, ...]:
    if isinstance(values, dict):
        values = values.get("nodes")
    if not isinstance(values, list):
        return ()
    names = (_text(each.get(key)) if isinstance(each, dict) else _text(each) for each in values)
    return tuple(each for each in names if each)[:_MOST_LABELS]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _no_issue(problem: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "malformed_issue",
        None,
        f"the issue cannot be read: {problem}",
        "give the JSON of 'gh issue view NUMBER --json number,title,body,labels,state,url', "
        "or a text whose first line is the title",
    )
