"""Read SARIF, the exchange format of static analysis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from sightline.recipes.model import ParsedError
from sightline.recipes.readers.places import make_error

_LEVELS = {"error": "error", "warning": "warning", "note": "warning", "none": "warning"}


def read_sarif(report: Any) -> Iterator[ParsedError | None]:
    """Yield a complaint for each result that has a place. Suppressed results do not count."""
    for run in _objects(report.get("runs")):
        rules = _objects(_at(run, "tool", "driver", "rules"))
        artifacts = _objects(run.get("artifacts"))
        for result in _objects(run.get("results")):
            if result.get("suppressions"):
                continue
            rule = _at(result, "ruleId")
            described = _listed(rules, result.get("ruleIndex")) or next(
                (each for each in rules if each.get("id") == rule), {}
            )
            level = result.get("level") or _at(described, "defaultConfiguration", "level")
            for location in _objects(result.get("locations")):
                region = _at(location, "physicalLocation", "region")
                artifact = _at(location, "physicalLocation", "artifactLocation")
                listed = _listed(artifacts, _at(artifact, "index"))
                uri = _at(artifact, "uri") or _at(listed, "location", "uri")
                yield make_error(
                    _path(uri),
                    _at(region, "startLine") or 1,
                    _message(result.get("message")),
                    column=_at(region, "startColumn"),
                    severity=_LEVELS.get(str(level or "warning"), "error"),
                    code=rule if rule is not None else described.get("id"),
                )


def _message(message: Any) -> str:
    text = _at(message, "text")
    if isinstance(text, str):
        return text
    markdown = _at(message, "markdown")
    return markdown if isinstance(markdown, str) else ""


def _path(uri: Any) -> Any:
    """Return a relative address as a path; `make_error` reads those that begin with `file:`."""
    is_relative = isinstance(uri, str) and not uri.startswith("file:")
    return unquote(uri) if is_relative else uri


def _listed(values: list[dict[str, Any]], index: Any) -> dict[str, Any]:
    """Return the value of a list at an index; an empty one where there is none."""
    is_there = isinstance(index, int) and 0 <= index < len(values)
    return values[index] if is_there else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _at(value: Any, *steps: str) -> Any:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value
