"""Decide which weak findings count, by the folder of a file."""

from __future__ import annotations

import re

from sightline.egress.model import Finding, ScanFailure

_TEST_FOLDER = re.compile(
    r"(?:unit|integration|functional|e2e|acceptance|[a-z]{1,20}[._-])?tests?(?:[._-][a-z]{1,20})?"
    r"|specs?|__tests__|__mocks__|__fixtures__|mocks?|fixtures?|test_?(?:data|fixtures)|e2e"
    r"|androidtest|[a-z]{1,20}\.unittests?",
    re.ASCII,
)
"""A folder of tests or of their data, in lower case: `tests`, `spec`, `__tests__`, `testdata`,
`fixtures`, `integration-tests`, `Shop.Tests`, …
"""


def is_test_path(path: str) -> bool:
    """True if a file is below a folder of tests. Its own name does not count."""
    folders = path.lower().split("/")[:-1]
    return any(_TEST_FOLDER.fullmatch(folder) is not None for folder in folders)


def counted_findings(
    findings: tuple[Finding, ...] | ScanFailure, path: str, *, keeps_weak: bool
) -> tuple[Finding, ...] | ScanFailure:
    """Return the findings in a file, without the weak ones if the user keeps those of tests."""
    if isinstance(findings, ScanFailure) or not keeps_weak or not is_test_path(path):
        return findings
    return tuple(each for each in findings if not each.is_weak)
