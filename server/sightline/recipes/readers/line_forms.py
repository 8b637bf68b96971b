"""The forms of single lines of linters, test runners and stacks of frames, as patterns."""

from __future__ import annotations

import re

NAME = r"(?:[A-Za-z]:[\\/])?[^\s:()\"'`<>|*?][^:()\"'`<>|*?\t]{0,300}"

LOG_TIME = re.compile(
    r"^(?:[^\t\n]{1,100}\t[^\t\n]{1,100}\t)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z (?=\S)",
    re.MULTILINE,
)
"""What a build server puts in front of each line."""
FORMATTER = re.compile(
    r"(?:would reformat|Would reformat:|\[warn\]) ([^\s:]{1,300}\.\w{1,12})$", re.I
)
BIOME = re.compile(rf"({NAME}):(\d+):(\d+) ((?:lint|parse|assist|suppressions)[\w/-]{{0,100}})\b")
ESLINT_COMPACT = re.compile(
    rf"({NAME}): line (\d+), col (\d+), (Error|Warning) - (.*?)(?: \(([\w@/-]{{1,100}})\))?$"
)
KOTLIN = re.compile(
    rf"([ew]): (?:file://)?({NAME})(?::(\d+):(\d+)| ?: \((\d+), (\d+)\))(?::|\s)\s?(.*)"
)
PHP = re.compile(rf"(?:PHP )?(\w+(?: \w+)?):\s+(.*) in ({NAME}) on line (\d+)$")
COP = re.compile(r"([CRWEF]): (?:\[\w+\] )?([A-Z]\w+/\w+): (.*)")
PYRIGHT_TAIL = re.compile(r"\s{2,40}(\S.*) \((report[A-Z]\w{1,80})\)$")
SIGN_HEAD = re.compile(r"\s*([×✖⚠x!])\s+(?:([\w-]{1,40}\([\w@/-]{1,100}\)): )?(\S.*)")
SIGN_ARROW = re.compile(rf"\s*(?:╭─|,-)\[\s?({NAME}):(\d+):(\d+)\]")
SHOUTED_HEAD = re.compile(r"\s*(ERROR|WARN|WARNING) (\S.*?)(?: \[([\w-]{1,60})\])?$")
JAVA_FRAME = re.compile(
    r"\s+at (?:[\w.-]{1,100}//?)?([\w.$]{1,300})\(([\w-]{1,200}\.(?:java|kt|scala|groovy)):(\d+)\)"
)
SCRIPT_FRAME = re.compile(
    rf"\s+(?:at (?:.{{0,300}}? \()?(?:file://)?({NAME}):(\d+):(\d+)\)?|❯ ({NAME}):(\d+):(\d+))$"
)
SCRIPT = re.compile(r"^node:|\.(?:[cm]?[jt]sx?|vue|svelte|astro)$")
TEST_TITLE = re.compile(r"\s*(?:●|FAIL |\d{1,5}\)) ?\s*(\S.*)")
"""How jest, vitest and mocha begin what they say of a failed test."""
CODE_LINE = re.compile(r"\s*(?:>\s*)?\d*\s*\|")
JAVA_LIBRARY = re.compile(
    r"(?:java|javax|jdk|sun|com\.sun|kotlin|scala|groovy|org\.(?:junit|testng|hamcrest|assertj|mockito"
    r"|opentest4j|apache\.maven|gradle|scalatest|spockframework|codehaus\.groovy))\."
)
ESCAPES = re.compile(
    r"\x0f|\x1b(?:[()][A-Za-z0-9]|\[[0-9;:?]{0,30}[A-Za-z]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\))"
)


def script_frame(line: str) -> re.Match[str] | None:
    """Return the frame of a stack of JavaScript that a line is."""
    frame = SCRIPT_FRAME.match(line)
    return frame if frame is not None and SCRIPT.search(frame[1] or frame[4]) else None
