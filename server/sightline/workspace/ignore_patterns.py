"""Ignore patterns: gitignore syntax by pathspec, with git's way to decide.

pathspec translates a line into a regular expression, except for bracket expressions, which it reads
differently from git (classes, escapes, slashes). The result of several lines is computed here as in
git. A subject is a path relative to the file with the patterns, with a `/` at its end if it is a
directory. The last pattern that matches the subject itself decides. A pattern that matches one of
its parents decides about that parent, which a walk asks about first (see `ignoring`). pathspec's
own answer for a whole path is not used: it re-includes a file whose parent is ignored.

Invariant: a match takes time linear in the subject, whatever the patterns are: RE2 matches them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import attrs
import re2  # type: ignore[import-untyped]
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

_MAX_DOUBLE_STARS = 4
_MAX_STARS = 8
"""In one component. libgit2 backtracks over them: eleven in a name of sixty letters take hours."""
_MAX_PATTERNS = 5_000
_NAMED_GROUP = re.compile(r"\(\?P<\w+>")
_TRAILING_DOUBLE_STAR = re.compile(r"(?<!\\)/\*\*(/?)\s*\Z")
_STAR = "[^/]*"

_STAND_IN = 0x10F000
_MAX_BRACKETS = 256
_MOST_MEMORY = 64 << 20
_MOST_COMPILED = 2_048
_NOTHING = f"[^\x00-{chr(0x10FFFF)}]"
_CLASS = re.compile(r"\[:([^\]]*):\]")
_CLASSES = {
    "alnum": ("az", "AZ", "09"),
    "alpha": ("az", "AZ"),
    "blank": ("  ", "\t\t"),
    "cntrl": ("\x00\x1f", "\x7f\x7f"),
    "digit": ("09",),
    "graph": ("!~",),
    "lower": ("az",),
    "print": (" ~",),
    "punct": ("!/", ":@", "[`", "{~"),
    "space": ("  ", "\t\r"),
    "upper": ("AZ",),
    "xdigit": ("09", "af", "AF"),
}
"""The first and the last character of each range."""


class PatternError(ValueError):
    """A line that is not a usable pattern. `line` counts from 1."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line}")
        self.line = line


@attrs.frozen
class IgnorePattern:
    """One line of an ignore file. `expression` matches the subjects that the line matches."""

    written: str
    line: int
    ignores: bool
    expression: Expression


@attrs.frozen
class IgnorePatterns:
    """The patterns of one file, in order. `any_ignoring` matches every subject that one of them
    ignores.
    """

    patterns: tuple[IgnorePattern, ...]
    any_ignoring: Expression | None

    def deciding(self, subject: str) -> IgnorePattern | None:
        """Return the pattern that ignores the subject itself; None if it is not ignored."""
        found = self._deciding(subject)
        if found is None and not subject.isascii():
            # The pattern and the disk may use different normal forms; a match in either form
            # counts.
            for form in ("NFC", "NFD"):
                found = found or self._deciding(unicodedata.normalize(form, subject))
        return found

    def _deciding(self, subject: str) -> IgnorePattern | None:
        if self.any_ignoring is None or not self.any_ignoring.matches(subject):
            return None
        for pattern in reversed(self.patterns):
            if pattern.expression.matches(subject):
                return pattern if pattern.ignores else None
        return None


def compile_patterns(lines: Iterable[str]) -> IgnorePatterns:
    """Return the patterns in a file's lines. Raises `PatternError` for an unusable line."""
    patterns = []
    ignoring = []
    for number, line in enumerate(lines, 1):
        translated = translate(line, number)
        if translated is None:
            continue
        source, ignores = translated
        try:
            expression = Expression(source)
        except ValueError as error:
            raise PatternError(number) from error
        patterns.append(IgnorePattern(line.strip(), number, ignores, expression))
        if ignores:
            ignoring.append(source)
        if len(patterns) > _MAX_PATTERNS:
            raise PatternError(number)
    try:
        return IgnorePatterns(tuple(patterns), any_of(ignoring) if ignoring else None)
    except ValueError as error:
        raise PatternError(len(patterns)) from error


class Expression:
    """Return a regular expression that matches whole subjects. Raises `ValueError` if it is
    unusable.

    RE2 needs valid UTF-8: in other names each bad byte is replaced. Only the most recently used
    compiled forms are kept: there may be a million patterns.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        _compiled(source)

    def matches(self, subject: str) -> bool:
        return _compiled(self._source).fullmatch(subject.encode("utf-8", "replace")) is not None


@lru_cache(_MOST_COMPILED)
def _compiled(source: str) -> Any:
    options = re2.Options()
    options.dot_nl = True
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MOST_MEMORY
    try:
        return re2.compile(source.encode(), options)
    except re2.error as error:
        raise ValueError("not an expression") from error


def any_of(expressions: Iterable[str]) -> Expression:
    """Return an expression that matches what any of some expressions matches."""
    return Expression("|".join(f"(?:{each})" for each in expressions))


def translate(line: str, number: int) -> tuple[str, bool] | None:
    """Return a line as an expression for whole subjects, and whether it ignores.

    None if it matches nothing: a blank line, a comment, a bracket that is never closed.
    """
    if line.startswith("#"):
        return None
    if line.startswith("!") and not line[1:].strip("/\\ \t\r"):
        # A `!` with nothing after it. libgit2 1.9 crashes on some of these.
        raise PatternError(number)
    taken_out = _take_out_brackets(line, number)
    if taken_out is None:
        return None
    line, brackets = taken_out
    components = line.split("/")
    if components.count("**") > _MAX_DOUBLE_STARS or any(
        component.count("*") > _MAX_STARS for component in components
    ):
        # Each one multiplies the work of a match: a hostile line could stall the server.
        raise PatternError(number)
    # `a/**` matches what is inside `a`, and not `a/` itself; pathspec's expression does both.
    line = _TRAILING_DOUBLE_STAR.sub(r"/**/*\1", line)
    try:
        expression, ignores = GitIgnoreSpecPattern.pattern_to_regex(line)
    except ValueError as error:
        raise PatternError(number) from error
    if expression is None or ignores is None:
        return None
    expression = _NAMED_GROUP.sub("(?:", expression)
    if expression == ".":
        return ".+", ignores
    if expression in ("/", "(?:/)"):
        return ".+/", ignores
    for place, bracket in enumerate(brackets, _STAND_IN):
        expression = expression.replace(chr(place), bracket)
    return expression, ignores


def _take_out_brackets(line: str, number: int) -> tuple[str, list[str]] | None:
    """Replace each bracket expression by a stand-in character; return the line and the expressions.

    None if a bracket is malformed; in git, such a line matches nothing.
    """
    if any(ord(character) >= _STAND_IN for character in line):
        raise PatternError(number)
    parts: list[str] = []
    brackets: list[str] = []
    anchored = False
    at = 0
    while at < len(line):
        if line[at] == "\\":
            parts.append(line[at : at + 2])
            at += 2
        elif line[at] == "[":
            bracket = _read_bracket(line, at + 1)
            if bracket is None:
                return None
            expression, end = bracket
            anchored = anchored or "/" in line[at:end]
            at = end
            parts.append(chr(_STAND_IN + len(brackets)))
            brackets.append(expression)
            if len(brackets) > _MAX_BRACKETS:
                raise PatternError(number)
        else:
            parts.append(line[at])
            at += 1
    start = 1 if parts[:1] == ["!"] else 0
    if anchored and parts[start] != "/":
        # A slash anchors a pattern even in a bracket, where it matches nothing.
        parts.insert(start, "/")
    return "".join(parts), brackets


def _read_bracket(line: str, at: int) -> tuple[str, int] | None:
    """Return the expression of a bracket that opens before `at`, and where it ends. It never
    matches a slash.
    """
    negated = line[at : at + 1] in ("!", "^")
    at += negated
    first = at
    ranges: list[tuple[int, int]] = []
    last = ""
    while at < len(line) and (line[at] != "]" or at == first):
        if line.startswith("[:", at) and (named := _CLASS.match(line, at)):
            if named[1] not in _CLASSES:
                return None
            ranges += [(ord(each[0]), ord(each[1])) for each in _CLASSES[named[1]]]
            last, at = "", named.end()
            continue
        is_range = line[at] == "-" and last != "" and line[at + 1 : at + 2] not in ("", "]")
        at += is_range
        at += line[at] == "\\"
        if at >= len(line):
            return None
        member = line[at]
        at += 1
        if not is_range:
            ranges.append((ord(member), ord(member)))
            last = member
        else:
            if last <= member:
                ranges.append((ord(last), ord(member)))
            last = ""
    if at >= len(line):
        return None
    return _bracket(ranges, negated), at + 1


def _bracket(ranges: list[tuple[int, int]], negated: bool) -> str:
    """Return the expression for one character in some ranges, or in none of them, and never a
    slash.
    """
    slash = ord("/")
    if negated:
        members = [*ranges, (slash, slash)]
    else:
        members = []
        for low, high in ranges:
            if low <= slash <= high:
                members += [(low, slash - 1), (slash + 1, high)]
            else:
                members.append((low, high))
    written = "".join(f"{_member(low)}-{_member(high)}" for low, high in members if low <= high)
    if not written:
        return _NOTHING
    return f"[{'^' if negated else ''}{written}]"


def _member(code: int) -> str:
    """Return a character as it is written in a class."""
    return f"\\x{code:02x}" if code < 0x80 else chr(code)
