"""Read SARIF, the exchange format of static analysis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sightline.recipes.model import ParsedError
from sightline.recipes.readers.places import make_error

_LEVELS = {"error": "error", "warning": "warning", "note": "warning", "none": "warning"}


def read_sarif(report: Any) -> Iterator[ParsedError | None]:
    """Yield a complaint for each result that has a place. Suppressed results do not count."""
    for run in _objects(report.get("runs")):
        rules = _objects(_at(run, "tool", "driver", "rules"))
        for result in _objects(run.get("results")):
            if result.get("suppressions"):
                continue
            rule = _at(result, "ruleId")
            index = result.get("ruleIndex")
            if rule is None and isinstance(index, int) and 0 <= index < len(rules):
                rule = rules[index].get("id")
            for location in _objects(result.get("locations")):
                region = _at(location, "physicalLocation", "region")
                yield make_error(
                    _at(location, "physicalLocation", "artifactLocation", "uri"),
                    _at(region, "startLine") or 1,
                    _message(result.get("message")),
                    column=_at(region, "startColumn"),
                    severity=_LEVELS.get(str(result.get("level", "warning")), "error"),
                    code=rule,
                )


def _message(message: Any) -> str:
    text = _at(message, "text")
    if isinstance(text, str):
        return text
    markdown = _at(message, "markdown")
    return markdown if isinstance(markdown, str) else ""


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _at(value: Any, *steps: str) -> Any:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value
