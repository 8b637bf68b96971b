"""Frames of tracebacks, as Python, JavaScript, Java, C#, Go, Rust, Ruby, PHP and others print them.

A line has at most one frame. Every pattern takes time linear in its line.
"""

from __future__ import annotations

import re

import attrs

_PATH = r"(?:[A-Za-z]:)?[^\s:()\"'<>|]{1,500}\.\w{1,6}"
_NAME = r"[\w.$<>:#\[\]]{1,200}"


@attrs.frozen
class TraceFrame:
    """A frame of a traceback, or the place that a tool's message names."""

    path: str
    line: int
    """0 if the frame does not name it."""
    function: str
    """"" if the frame does not name it."""
    is_outermost_first: bool
    """Python prints the innermost frame last; most others print it first."""


_OUTERMOST_FIRST = (
    re.compile(
        r"File \"(?P<path>[^\"\n]{1,500})\", line (?P<line>\d{1,7})(?:, in (?P<name>[\w.<>]+))?"
    ),
    re.compile(rf"\bFile (?P<path>{_PATH}):(?P<line>\d{{1,7}})(?:, in (?P<name>[\w.<>]+))?"),
    re.compile(rf"^\s*+(?P<path>{_PATH}) in (?P<name>[\w.<>]+)\("),
    re.compile(rf"^\s*+(?P<path>{_PATH}):(?P<line>\d{{1,7}}):? in (?P<name>[\w.<>]+)$"),
)
_INNERMOST_FIRST = (
    # JavaScript: `at name (path:1:2)`; Java and Kotlin: `at package.Type.name(File.java:1)`.
    re.compile(
        rf"^\s*+at (?P<name>[\w.$<>\[\] /@-]{{1,200}}?) ?"
        rf"\((?:file://|webpack://|webpack-internal:///)?(?P<path>{_PATH}):(?P<line>\d{{1,7}})"
        r"(?::\d+)?\)"
    ),
    re.compile(rf"^\s*+at (?:async )?(?:file://)?(?P<path>{_PATH}):(?P<line>\d{{1,7}})(?::\d+)?$"),
    # C#
    re.compile(
        r"^\s*+at (?P<name>[\w.$<>`+\[\]]{1,300})\(.{0,300}?\) in (?P<path>[^\n]{1,500}):line "
        r"(?P<line>\d{1,7})"
    ),
    # Ruby
    re.compile(
        rf"^\s*+(?:from )?(?P<path>{_PATH}):(?P<line>\d{{1,7}}):in [`'](?:block in )?"
        r"(?P<name>[\w.#:<>?! ]+)'"
    ),
    # Go
    re.compile(rf"^\s++(?P<path>{_PATH}):(?P<line>\d{{1,7}})(?: \+0x[0-9a-f]+)?$"),
    # Rust
    re.compile(
        rf"panicked at (?:'.{{0,500}}', )?(?P<path>{_PATH}):(?P<line>\d{{1,7}})(?::\d+)?:?$"
    ),
    re.compile(rf"^\s*+-->\s(?P<path>{_PATH}):(?P<line>\d{{1,7}}):\d+"),
    # PHP
    re.compile(rf"^#\d+ (?P<path>{_PATH})\((?P<line>\d{{1,7}})\)"),
    # Debuggers and sanitizers
    re.compile(
        rf"^\s*+#\d+ .{{0,300}}\bin (?P<name>{_NAME})(?: ?\(.{{0,300}}\) at)? "
        rf"(?P<path>{_PATH}):(?P<line>\d{{1,7}})"
    ),
    # Compilers and checkers
    re.compile(rf"^\s*+(?P<path>{_PATH})\((?P<line>\d{{1,7}}),\d+\): "),
    re.compile(rf"^\s*+(?P<path>{_PATH}):(?P<line>\d{{1,7}})(?::\d+)?(?::? - |: )"),
)
_PACKAGED = re.compile(r"\w+\.(?:java|kt|scala|groovy)")


def read_frame(line: str) -> TraceFrame | None:
    """Return the frame on a line, or None."""
    if not any(each.isdigit() for each in line) and " in " not in line:
        return None
    for patterns, is_outermost_first in ((_OUTERMOST_FIRST, True), (_INNERMOST_FIRST, False)):
        for pattern in patterns:
            found = pattern.search(line)
            if found is not None:
                return _frame(found, is_outermost_first=is_outermost_first)
    return None


def _frame(found: re.Match[str], *, is_outermost_first: bool) -> TraceFrame:
    named = found.groupdict()
    qualified = (named.get("name") or "").strip()
    *owners, name = re.split(r"[.#:$/ ]+", qualified)
    path = named["path"].replace("\\", "/")
    if _PACKAGED.fullmatch(path) and len(owners) > 1:
        # The package is the folder.
        folder = [each for each in owners if each[:1].islower()]
        path = "/".join([*folder, path])
    function = name if name.isidentifier() else ""
    return TraceFrame(path, int(named.get("line") or 0), function, is_outermost_first)
