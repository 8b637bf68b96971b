"""Read what tools print about code: their reports, and the issues of a code host.

Invariants:

* A report of any tool in any human language is read in time linear in its length. What is longer
  than a limit is refused, and so is a report that names no place in a file.
* Nothing here reads a file or decides what may be shown.
"""

from __future__ import annotations

from sightline.recipes.model import ParsedError, StageResult, ValidationOutput
from sightline.recipes.readers.issues import read_issue
from sightline.recipes.readers.json_reports import read_json_report
from sightline.recipes.readers.junit import looks_like_xml, read_junit
from sightline.recipes.readers.places import MOST_ERRORS, distinct
from sightline.recipes.readers.texts import read_text, says_success
from sightline.refusals import Refusal, RefusalKind

__all__ = ["read_check_output", "read_issue"]

LONGEST_REPORT = 16 << 20


def read_check_output(report: str | bytes) -> ValidationOutput | Refusal:
    """Return what a tool complains about, from its JSON, its XML or its text.

    Known are LSP diagnostics, SARIF, JUnit XML, and what ruff, mypy, pyright, eslint, tsc, pytest,
    go, cargo, javac, Maven, gcc and clang print, and many more; of others, lines with `path:line`
    count.
    """
    text = report.decode("utf-8", "replace") if isinstance(report, bytes) else report
    if len(text) > LONGEST_REPORT:
        return _unreadable("too_large", f"the report is longer than {LONGEST_REPORT >> 20} MiB")
    text = text.removeprefix("\ufeff")
    if looks_like_xml(text):
        found = read_junit(text)
        if isinstance(found, str):
            return _unreadable("malformed_report", f"the report is XML, and {found}")
        return _output("junit", text, found)
    told = read_json_report(text)
    if told is not None:
        return _output(told[0], text, told[1])
    tool, errors = read_text(text)
    if not errors and not says_success(text):
        return _unreadable("no_places", "the report names no place in a file (path:line)")
    return _output(tool, text, errors)


def _output(tool: str, text: str, errors: list[ParsedError]) -> ValidationOutput:
    kept = distinct(errors)[:MOST_ERRORS]
    passed = not any(each.severity == "error" for each in kept)
    return ValidationOutput(passed, (StageResult(tool, passed, text, errors=tuple(kept)),))


def _unreadable(reason: str, message: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        reason,
        None,
        message,
        "give what the tool prints, or its JSON, SARIF or JUnit XML report",
    )
