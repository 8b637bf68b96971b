"""Read JUnit and Checkstyle XML.

A document with a DOCTYPE is refused, so no entity is ever expanded.
"""

from __future__ import annotations

from typing import Any
from xml.parsers import expat

from sightline.recipes.model import ParsedError
from sightline.recipes.readers.places import MOST_ERRORS, make_error, severity_of
from sightline.recipes.readers.texts import read_text

_FAILED = ("failure", "error")
_LONGEST_OUTPUT = 1 << 20


class _DoctypeError(Exception):
    pass


def looks_like_xml(text: str) -> bool:
    head = text[:1000].lstrip()
    return head.startswith(("<?xml", "<testsuite", "<checkstyle", "<!DOCTYPE", "<!--"))


def read_junit(text: str) -> list[ParsedError] | str:
    """Return the failures of a report, or what is wrong with it."""
    reading = _JUnitReport()
    parser = expat.ParserCreate(encoding="utf-8")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.characters
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except _DoctypeError:
        return "it has a DOCTYPE, which no report needs"
    except expat.ExpatError:
        return "it is not well-formed"
    if not reading.is_report:
        return "it is not a JUnit or Checkstyle report"
    return reading.errors


def _refuse_doctype(*_: object) -> None:
    raise _DoctypeError


class _JUnitReport:
    def __init__(self) -> None:
        self.errors: list[ParsedError] = []
        self.is_report = False
        self._case: dict[str, str] = {}
        self._suite = ""
        self._file: str | None = None
        """Of a Checkstyle report."""
        self._failed: dict[str, str] | None = None
        self._output: list[str] = []
        self._size = 0

    def start(self, name: str, attributes: dict[str, Any]) -> None:
        self.is_report |= name in ("testsuite", "testsuites", "checkstyle")
        if name == "file":
            self._file = attributes.get("name", "")
        elif name == "error" and self._file is not None:
            self._take_style(attributes)
        elif name == "testsuite":
            self._suite = attributes.get("name", "")
        elif name == "testcase":
            self._case = attributes
        elif name in _FAILED:
            self._failed, self._output, self._size = attributes, [], 0

    def _take_style(self, attributes: dict[str, Any]) -> None:
        """Take a complaint of Checkstyle, which stands below its file."""
        severity = severity_of(attributes.get("severity"))
        if severity == "note" or len(self.errors) >= MOST_ERRORS:
            return
        made = make_error(
            self._file,
            attributes.get("line"),
            attributes.get("message"),
            column=attributes.get("column"),
            severity=severity or "error",
            code=attributes.get("source"),
        )
        if made is not None:
            self.errors.append(made)

    def characters(self, data: str) -> None:
        if self._failed is not None and self._size < _LONGEST_OUTPUT:
            self._output.append(data)
            self._size += len(data)

    def end(self, name: str) -> None:
        if name == "file":
            self._file = None
        if name not in _FAILED or self._failed is None:
            return
        failed, self._failed = self._failed, None
        if len(self.errors) >= MOST_ERRORS:
            return
        names = (self._case.get("classname", ""), self._case.get("name", ""))
        test = "::".join(each for each in names if each)
        output = "".join(self._output)
        message = failed.get("message") or output.strip().partition("\n")[0]
        told = f"{test}: {message}" if test else message
        _, found = read_text(output)
        named = self._case.get("classname", "")
        # A linter's suite is a file, whose ending is not in the names of its cases.
        suite = self._suite if named and self._suite.startswith(f"{named}.") else ""
        file = self._case.get("file") or suite or named or "unknown"
        places: list[tuple[str, object]] = [(each.file, each.line) for each in found]
        places = places or [(file, self._case.get("line"))]
        for path, line in places:
            made = make_error(path, line, told, code=failed.get("type"))
            if made is not None:
                self.errors.append(made)
