"""Print answers, reasons and notes of the command line.

Invariants: stdout carries answers, stderr carries reasons. Off a terminal, contents are written
byte for byte. On a terminal, control characters are shown as escapes: a file cannot control the
terminal.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
import textwrap

import attrs
import msgspec
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text as Styled

from sightline.refusals import Refusal, RefusalKind

DONE = 0
WRONG_USE = 2
REFUSED = 3

_LEAST_ROOM = 8
"""With fewer columns left than these, a row is not cropped: the terminal breaks it."""

# C0 without tab and newline, DEL, C1, and the marks that reorder what a terminal shows.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class OutputError(Exception):
    """The answer could not be written."""


class Output:
    """The streams for one command's answers and reasons."""

    def __init__(self, *, json: bool) -> None:
        self.json = json
        # Only the stream decides if it is a terminal: no variable may change contents.
        self.is_terminal = sys.stdout is not None and sys.stdout.isatty()
        self._console = Console(
            file=sys.stdout,
            force_terminal=self.is_terminal,
            highlight=False,
            soft_wrap=True,
            emoji=False,
        )

    def result(self, result: msgspec.Struct) -> None:
        """Print a result of the engine as one JSON object on one line."""
        self._record(msgspec.to_builtins(result))

    def _record(self, value: dict[str, object]) -> None:
        line = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        self.raw(line.encode("utf-8", "replace") + b"\n")

    def line(self, *parts: tuple[str, str]) -> None:
        """Print one line of styled parts, each a string and a style."""
        styled = Styled()
        for part, style in parts:
            styled.append(escape_controls(part), style)
        styled.rstrip()
        if self.is_terminal:
            self._console.print(styled)
        else:
            self.raw(styled.plain.encode("utf-8", "backslashreplace") + b"\n")

    def row(self, *parts: tuple[str, str]) -> None:
        """Print a row of a table. A terminal cuts the last part off at its edge."""
        *columns, (last, style) = parts
        room = self._console.width - sum(cell_len(escape_controls(each)) for each, _ in columns)
        if self.is_terminal and room >= _LEAST_ROOM:
            cropped = Styled(escape_controls(last))
            cropped.truncate(room, overflow="ellipsis")
            last = cropped.plain
        self.line(*columns, (last, style))

    def paragraph(self, indent: str, text: str, style: str) -> None:
        """Print indented text. A terminal shows it as lines that are all indented."""
        room = self._console.width - len(indent)
        lines = [text]
        if self.is_terminal and room >= _LEAST_ROOM:
            lines = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False)
        for line in lines:
            self.line((indent, ""), (line, style))

    def contents(self, content: bytes, *, inserted: bool) -> None:
        """Print a piece of a file; on a terminal, text that Sightline inserted is dimmed."""
        if self.is_terminal:
            shown = escape_controls(content.decode("utf-8").replace("\r\n", "\n"))
            self._console.print(Styled(shown, "dim" if inserted else ""), end="")
        else:
            self.raw(content)

    def raw(self, content: bytes) -> None:
        if sys.stdout is None:
            raise OutputError("it is closed")
        try:
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(error.strerror) from error

    def note(self, message: str) -> None:
        """Print a note for a person at a terminal. It is not part of the answer."""
        if sys.stderr is not None and sys.stderr.isatty():
            print(escape_controls(message), file=sys.stderr)

    def reason(self, message: str) -> None:
        """Print one line on stderr; without stderr, only the exit code tells."""
        shown = escape_controls(message).replace("\n", " ")
        try:
            if sys.stderr is not None:
                sys.stderr.write(f"sightline: {shown.encode('utf-8', 'replace').decode()}\n")
                sys.stderr.flush()
        except OSError:
            return

    def guide(self, text: str) -> None:
        """Print several lines on stderr, for a person who does not know the commands yet."""
        with contextlib.suppress(OSError):
            if sys.stderr is not None:
                sys.stderr.write(text)
                sys.stderr.flush()

    def refuse(
        self, refusal: Refusal, result: msgspec.Struct | None = None, *, path: str | None = None
    ) -> int:
        """Report a refusal, inside its result if there is one.

        Return its exit code.
        """
        refusal = about(refusal, path)
        if self.json and result is not None:
            self.result(result)
        elif self.json:
            self._record({"path": refusal.path, "status": "refused", "refusal": refusal.as_dict()})
        self.reason(refusal.sentence())
        return WRONG_USE if refusal.kind is RefusalKind.INVALID_REQUEST else REFUSED


def about(refusal: Refusal, path: str | None) -> Refusal:
    """Return the refusal with a path, unless it has one already."""
    return refusal if refusal.path or path is None else attrs.evolve(refusal, path=path)


def escape_controls(shown: str) -> str:
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", shown)


def padded(cell: str, width: int) -> str:
    """Return a cell filled with spaces to a width in terminal columns; wide characters count as
    two.
    """
    return cell + " " * max(0, width - cell_len(cell))
