"""Read what tools print for people, line by line.

Most write `path:line:column: severity: message`. Others say what is wrong before they say where
(rustc, ruff, pytest) or name the file once for many lines (eslint). Where no line has a known form,
any `path:line` in a line counts.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sightline.recipes.model import ParsedError
from sightline.recipes.readers.line_forms import (
    BIOME,
    CODE_LINE,
    COP,
    ESCAPES,
    ESLINT_COMPACT,
    FORMATTER,
    JAVA_FRAME,
    JAVA_LIBRARY,
    KOTLIN,
    LOG_TIME,
    NAME,
    PHP,
    PYRIGHT_TAIL,
    SHOUTED_HEAD,
    SIGN_ARROW,
    SIGN_HEAD,
    TEST_TITLE,
    script_frame,
)
from sightline.recipes.readers.places import (
    MOST_ERRORS,
    SEVERITIES,
    is_library,
    make_error,
    severity_of,
)

_LONGEST_LINE = 4_000

_WORD = "|".join(sorted(map(re.escape, (w for w in SEVERITIES if len(w) > 1)), key=len)[::-1])

_PIPELINE = re.compile(r"##vso\[task\.logissue ([^\]]{0,2000})\](.*)")
_WRAPPED = re.compile(r"(?:(\S.{0,200})  )?\[([a-z][a-z0-9-]{1,60})\]\s*$")
_ANNOTATION = re.compile(r"::(error|warning|notice) ([^:]{0,1000})::(.*)")
_MAVEN = re.compile(rf"\[(ERROR|WARNING|INFO)\] ({NAME}):\[(\d+)(?:,(\d+))?\] (.*)")
_PARENTHESES = re.compile(
    rf"\s*({NAME})\((\d+)(?:,(\d+))?(?:,\d+,\d+)?\)\s?: "
    rf"(?:(?:\w+ )?({_WORD})\s?([\w-]*)\s?: )?(.*)",
    re.IGNORECASE,
)
_COLONS = re.compile(
    rf"\s*(?:\[\w+\] )?({NAME}):(\d{{1,8}})(?::(\d{{1,6}}))?(?::\d+:\d+)?"
    r"(?:\s?[:：]\s?| - )(.*)"
)
_MOST_WORDS = 8
_STACKS = ("java", "javascript")
_HEAD = re.compile(rf"(?:fatal )?({_WORD})\s?(?:\[([\w:-]+)\]|([A-Z]+\d+))?\s?[:：]\s*(.*)", re.I)
_RULE_HEAD = re.compile(r"([A-Z]{1,8}\d{1,6}|invalid-syntax|[A-Z]\d{3,5}):? (?:\[\*\] )?(.*)")
_RULE_BRACKETS = re.compile(r"\[([A-Z]{1,8}\d{1,6})[^\]]{0,100}\] (.*)")
_RULE_TAIL = re.compile(r"(.*\S)\s+(?:\[([\w.:,=+/-]{1,100})\]|\(([a-z][\w.:/-]{2,100})\))")
_ARROW = re.compile(rf"\s*(?:-->|╭▸|┌─|:::)\s+({NAME}):(\d+):(\d+)")
_PANIC = re.compile(rf"thread '.{{0,300}}?' (?:\(\d+\) )?panicked at ({NAME}):(\d+):(\d+):")
_FRAME = re.compile(r'\s*(?:E\s{1,20})?File "([^"\n]{1,400})", line (\d+)(?:, in (.*))?')
_RAISED = re.compile(
    r"([A-Za-z_][\w.]*(?:Error|Exception|Warning|Interrupt|Exit|Failure))(?:: .*)?"
)
_PYTEST_FRAME = re.compile(rf"({NAME}):(\d+): (?:in .*|[A-Za-z_][\w.]*)?$")
_PYTEST_CAUSE = re.compile(r"E\s{1,20}(\S.*)")
_SUMMARY = re.compile(r"(?:FAILED|ERROR) ([^\s:]{1,300}\.py)(?:::(\S+))?(?: - (.*))?$")
_PYTEST = re.compile(
    r"^=+ (?:FAILURES|ERRORS|short test summary info|test session starts) =+$", re.MULTILINE
)
_GROUPED = re.compile(r"\s+(\d+):(\d+)\s+([A-Z]{1,8}\d{1,6}|invalid-syntax):? (?:\[\*\] )?(.*)")
_ESLINT = re.compile(r"\s+(\d+):(\d+)\s+(error|warning)\s+(.*?)(?:\s{2,40}([\w@/-]+))?$")
_ENDING = re.compile(r"[^/\\]*[^/\\.]\.[A-Za-z][A-Za-z0-9_+]{0,11}")
_ANYWHERE = re.compile(
    r"(?<![\w:/\\.@+,$~-])((?:[A-Za-z]:[\\/])?[\w@+.,$~/\\-]{1,300}\.[A-Za-z]\w{0,11})"
    r"(?::(\d{1,8})(?::(\d{1,6}))?|\((\d{1,8})(?:,(\d{1,6}))?\)|[\"']?,? (?:on )?line (\d{1,8}))"
)
_SUCCESS = re.compile(
    r"all checks passed|no issues found|\b\d+ passed\b|\b0 errors\b|test result: ok|^ok\s|"
    r"build success|^\s*Finished |no errors",
    re.IGNORECASE | re.MULTILINE,
)


_FAILURE = re.compile(r"\b[1-9]\d{0,8} (?:failed|errors?)\b|^FAILED ", re.IGNORECASE | re.MULTILINE)


def read_text(text: str) -> tuple[str, list[ParsedError]]:
    """Return the tool, as far as its form tells it, and its complaints in order."""
    text = plain(text)
    lines = [line[:_LONGEST_LINE].rstrip("\r") for line in text.split("\n")]
    reading = _ReportLines()
    for line in lines:
        reading.take(line)
        if len(reading.errors) >= MOST_ERRORS:
            break
    reading.end()
    if _PYTEST.search(text) is not None:
        return "pytest", reading.errors
    if reading.tool is None or reading.tool in _STACKS:
        # Where only frames of stacks were understood, other lines may name places as well.
        told = {(each.file, each.line) for each in reading.errors}
        others = [each for each in lines if not (JAVA_FRAME.match(each) or script_frame(each))]
        more = [each for each in _mentions(others) if (each.file, each.line) not in told]
        return reading.tool or "text", [*reading.errors, *more]
    return reading.tool, reading.errors


def says_success(text: str) -> bool:
    """Return True if a tool that names no place says that nothing is wrong, or says nothing."""
    told = plain(text[:100_000] + text[-100_000:])
    return not text.strip() or (_SUCCESS.search(told) is not None and _FAILURE.search(told) is None)


def plain(text: str) -> str:
    """Return a text without a terminal's colours and a build server's times."""
    text = ESCAPES.sub("", text) if "\x1b" in text else text
    return LOG_TIME.sub("", text)


class _ReportLines:
    """What was understood so far."""

    def __init__(self) -> None:
        self.errors: list[ParsedError] = []
        self.tool: str | None = None
        """None until a line had a known form."""
        self._head: tuple[str, str, str | None] | None = None
        """Severity, message and code that wait for the place they are about."""
        self._frames: list[tuple[str, str]] = []
        """Frames of a stack, which wait for what was raised."""
        self._panic: tuple[str, str, str] | None = None
        self._listed_file: str | None = None
        self._cause: str | None = None
        self._last_words = ""
        """The last line that is no frame of a stack."""
        self._test: list[str] = []
        """The title of a failed test and the lines below it."""
        self._follows_error = False
        self._summary: list[tuple[str, str]] = []
        """Files and messages of pytest's summary, for failures that nothing else tells of."""

    def take(self, line: str) -> None:
        """Understand one more line."""
        count, follows_error = len(self.errors), self._follows_error
        self._follows_error = False
        self._listen(line)
        if not (follows_error and self._continue(line)):
            self._begin(line)
            is_indented = line.startswith("    ") and bool(line.strip())
            self._follows_error = len(self.errors) > count or (follows_error and is_indented)

    def _listen(self, line: str) -> None:
        """Keep what is said before the frames of a stack."""
        words = line.strip()
        if not words or words.startswith(("at ", "❯ ")) or CODE_LINE.match(line):
            return
        self._last_words = words
        title = TEST_TITLE.match(line)
        if title is not None:
            self._test = [title[1]]
        elif len(self._test) < _MOST_WORDS and self._test:
            self._test.append(words)

    def _begin(self, line: str) -> None:
        if self._panic is not None:
            self._add("cargo", *self._panic[:2], line, column=self._panic[2])
            self._panic = None
        elif not line.strip():
            # A blank line ends what is said about one place.
            self._head = None
        elif not (
            self._take_annotation(line)
            or self._take_stack(line)
            or self._take_headed(line)
            or self._take_listed(line)
        ):
            self._take_one_line(line)

    def end(self) -> None:
        """Report what waits: frames of a stack, and failures that only a summary tells of."""
        self._raise(self._cause or "")
        told = {_parts(each.file)[-1] for each in self.errors}
        for file, message in self._summary:
            if _parts(file)[-1] not in told:
                self._add("pytest", file, "0", message)

    def _add(
        self,
        tool: str,
        file: str,
        line: str,
        message: str,
        *,
        column: str | None = None,
        severity: str | None = "error",
        code: str | None = None,
    ) -> None:
        self.tool = self.tool or tool
        # Go says at the end of a list that it is cut.
        if severity == "note" or is_library(file) or message == "too many errors":
            return
        made = make_error(file, line, message, column=column, severity=severity, code=code)
        if made is not None:
            self.errors.append(made)

    def _continue(self, line: str) -> bool:
        """Understand the end of a message of mypy or pyright whose code is on another line."""
        found = _WRAPPED.match(line) or PYRIGHT_TAIL.match(line)
        last = self.errors[-1]
        if found is None or last.code is not None:
            return False
        message = f"{last.message} {found[1] or ''}".strip()
        self.errors[-1] = replace(last, message=message, code=found[2])
        return True

    def _take_annotation(self, line: str) -> bool:
        found = _ANNOTATION.match(line)
        if found is not None:
            pairs = (part.partition("=") for part in found[2].split(","))
            values = {name.strip(): value for name, _, value in pairs}
            severity = severity_of(found[1])
            message = found[3].replace("%0A", "\n").replace("%25", "%")
            file, number = values.get("file", ""), values.get("line", "0")
            self._add(
                "annotations", file, number, message, column=values.get("col"), severity=severity
            )
            return True
        found = _PIPELINE.match(line)
        if found is not None:
            values = dict(part.split("=", 1) for part in found[1].split(";") if "=" in part)
            self._add(
                "annotations",
                values.get("sourcepath", ""),
                values.get("linenumber", "0"),
                found[2],
                column=values.get("columnnumber"),
                severity=severity_of(values.get("type")) or "error",
                code=values.get("code"),
            )
            return True
        found = _MAVEN.match(line)
        if found is not None:
            severity = severity_of(found[1])
            self._add("maven", found[2], found[3], found[5], column=found[4], severity=severity)
            return True
        return self._take_marked(line)

    def _take_marked(self, line: str) -> bool:
        """Understand lines of formatters, biome, eslint's compact form, kotlinc and PHP."""
        found = FORMATTER.match(line)
        if found is not None:
            self._add("formatter", found[1], "0", "the file is not formatted", code="format")
            return True
        found = BIOME.match(line)
        if found is not None:
            file, number, column, code = found.groups()
            self._add("biome", file, number, code, column=column, code=code)
            return True
        found = ESLINT_COMPACT.match(line)
        if found is not None:
            file, number, column, word, message, code = found.groups()
            severity = severity_of(word)
            self._add("eslint", file, number, message, column=column, severity=severity, code=code)
            return True
        found = KOTLIN.match(line)
        if found is not None:
            severity = severity_of(found[1])
            number, column = found[3] or found[5], found[4] or found[6]
            self._add("kotlinc", found[2], number, found[7], column=column, severity=severity)
            return True
        found = PHP.match(line)
        if found is not None:
            severity = severity_of(found[1].rpartition(" ")[2]) or "error"
            self._add("php", found[3], found[4], found[2], severity=severity)
        return found is not None

    def _take_stack(self, line: str) -> bool:
        """Understand stacks of Python and of pytest, and panics of Rust."""
        panic = _PANIC.match(line)
        if panic is not None:
            self._panic = (panic[1], panic[2], panic[3])
            return True
        frame = _FRAME.match(line)
        if frame is not None:
            self._frames.append((frame[1], frame[2]))
            return True
        frame = JAVA_FRAME.match(line)
        if frame is not None:
            if not JAVA_LIBRARY.match(frame[1]):
                folder = "/".join(frame[1].split(".")[:-2])
                self._add("java", f"{folder}/{frame[2]}".lstrip("/"), frame[3], self._last_words)
            return True
        frame = script_frame(line)
        if frame is not None:
            file = frame[1] or frame[4]
            if not file.startswith("node:"):
                number, column = frame[2] or frame[5], frame[3] or frame[6]
                message = "\n".join(self._test) or self._last_words
                self._add("javascript", file, number, message, column=column)
            return True
        cause = _PYTEST_CAUSE.match(line)
        if cause is not None:
            is_better = self._cause is None or (
                _RAISED.match(cause[1]) is not None and _RAISED.match(self._cause) is None
            )
            self._cause = cause[1] if is_better else self._cause
            return True
        summary = _SUMMARY.match(line)
        if summary is not None:
            name = f"{summary[2]}: " if summary[2] else ""
            self._summary.append((summary[1], f"{name}{summary[3] or 'failed'}"))
            return True
        frame = _PYTEST_FRAME.match(line)
        if frame is not None and _is_file(frame[1]):
            self._frames.append((frame[1], frame[2]))
            if line.endswith((": ", ":")) or ": in " in line:
                return True
            self._raise(self._cause or line.rpartition(": ")[2], "pytest")
            return True
        if line.startswith(("___", "===")):
            self._raise(self._cause or "", "pytest")
            return False
        if self._frames and (raised := _RAISED.fullmatch(line.strip())) is not None:
            self._raise(raised[0])
            return True
        return False

    def _raise(self, message: str, tool: str = "python") -> None:
        """Report every frame of a stack with what was raised."""
        frames, self._frames, self._cause = self._frames, [], None
        for file, line in frames:
            self._add(tool, file, line, message)

    def _take_headed(self, line: str) -> bool:
        """Understand a message with the place below it, as rustc and ruff write it."""
        arrow = _ARROW.match(line) or SIGN_ARROW.match(line)
        if arrow is not None:
            # Further places under one message explain it.
            if self._head is not None:
                severity, message, code = self._head
                tool = "rustc" if severity else "ruff"
                self._add(
                    tool,
                    arrow[1],
                    arrow[2],
                    message,
                    column=arrow[3],
                    severity=severity or "error",
                    code=code,
                )
                self._head = None
            return True
        head = _HEAD.match(line)
        if head is not None:
            self._head = (severity_of(head[1]) or "error", head[4], head[2] or head[3])
            return True
        sign = SIGN_HEAD.match(line)
        if sign is not None:
            severity = "error" if sign[1] in "×✖x" else "warning"
            self._head = (severity, sign[3], sign[2])
            return False
        shouted = SHOUTED_HEAD.match(line)
        if shouted is not None:
            severity = "error" if shouted[1] == "ERROR" else "warning"
            self._head = (severity, shouted[2], shouted[3])
            return False
        rule = _RULE_HEAD.match(line)
        if rule is not None:
            self._head = ("", rule[2], rule[1])
        return rule is not None

    def _take_listed(self, line: str) -> bool:
        """Understand eslint's list: a file, and below it a line for each complaint."""
        if not line.startswith((" ", "\t")):
            # ruff writes a colon behind the file.
            file = line.removesuffix(":")
            self._listed_file = file if _is_file(file) and ":" not in file[2:] else None
            return self._listed_file is not None
        if self._listed_file is None:
            return False
        grouped = _GROUPED.match(line)
        if grouped is not None:
            number, column, code, message = grouped.groups()
            self._add("ruff", self._listed_file, number, message, column=column, code=code)
            return True
        found = _ESLINT.match(line)
        if found is None:
            return False
        number, column, severity, message, code = found.groups()
        self._add(
            "eslint",
            self._listed_file,
            number,
            message,
            column=column,
            severity=severity,
            code=code,
        )
        return True

    def _take_one_line(self, line: str) -> None:
        found = _PARENTHESES.match(line)
        if found is not None and (found[4] or _is_file(found[1])):
            file, number, column, word, code, message = found.groups()
            self._add(
                "tsc", file, number, message, column=column,
                severity=severity_of(word) or "error", code=code or None,
            )  # fmt: skip
            return
        found = _COLONS.match(line)
        if found is None:
            return
        file, number, column, rest = found.groups()
        severity, message, code = _said(rest)
        if severity is None and not _is_file(file):
            return
        if " " in file and not _ENDING.fullmatch(file.replace("\\", "/").rpartition("/")[2]):
            return
        self._add(
            "compiler", file, number, message, column=column,
            severity=severity or "error", code=code,
        )  # fmt: skip


def _said(rest: str) -> tuple[str | None, str, str | None]:
    """Return severity, message and code of what stands behind a place."""
    severity = code = None
    head = _HEAD.match(rest)
    if head is not None:
        severity, code, rest = severity_of(head[1]), head[2] or head[3], head[4]
    elif (cop := COP.match(rest)) is not None:
        return ("error" if cop[1] in "EF" else "warning"), cop[3], cop[2]
    else:
        rule = _RULE_HEAD.match(rest) or _RULE_BRACKETS.match(rest)
        if rule is not None:
            code, rest = rule[1], rule[2]
            if re.fullmatch(r"[CRW]\d{4}", code):
                severity = "warning"
    tail = _RULE_TAIL.fullmatch(rest)
    if tail is not None and code is None:
        rest, code = tail[1], tail[2] or tail[3]
        # eslint's form for Unix: `[Error/no-unused-vars]`.
        word, _, name = code.partition("/")
        if word in ("Error", "Warning") and name:
            severity, code = severity_of(word), name
    return severity, rest, code


def _mentions(lines: list[str]) -> list[ParsedError]:
    """Return every place that lines of no known form name."""
    errors: list[ParsedError] = []
    for line in lines:
        for found in _ANYWHERE.finditer(line):
            file, *numbers = found.groups()
            number = numbers[0] or numbers[2] or numbers[4]
            made = make_error(file, number, line, column=numbers[1] or numbers[3])
            if made is not None and not is_library(file) and "://" not in file:
                errors.append(made)
        if len(errors) >= MOST_ERRORS:
            break
    return errors


def _parts(path: str) -> list[str]:
    return path.replace("\\", "/").split("/")


def _is_file(path: str) -> bool:
    """Return True if a word looks like a path: it has no spaces and its name has an ending."""
    name = path.strip().replace("\\", "/").rpartition("/")[2]
    return " " not in path.strip() and (
        _ENDING.fullmatch(name) is not None or name in ("Makefile", "Dockerfile")
    )
