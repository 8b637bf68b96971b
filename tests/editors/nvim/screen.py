"""Neovim on a real terminal: a pseudo terminal that is typed into, and the screen it draws."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
from collections.abc import Iterator
from pathlib import Path

import pyte
from PIL import Image, ImageDraw, ImageFont

from tests.editors.nvim.editor import prepared, processes_with, until

COLUMNS, LINES = 132, 34

_NOT_FOR_A_SCREEN = re.compile(
    rb"\x1b[P_^X].*?\x1b\\"  # questions to the terminal, as strings
    rb"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles and colours
    rb"|\x1b\[[<=>][0-9;]*[A-Za-z]"  # keyboard protocols
    rb"|\x1b\[\?[0-9;]*\$?[up]",
    re.DOTALL,
)
_CURLY = re.compile(rb"\x1b\[4:[0-9]m")
_INCOMPLETE = re.compile(rb"\x1b(?:[P_^X\]][^\x07]{0,4000}|\[[0-9;:<=>?$]*)?$", re.DOTALL)
_FONTS = (
    "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf",
    "/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf",
)
_CORNERS = {"╭": (True, True), "╮": (False, True), "╰": (True, False), "╯": (False, False)}
"""Whether a line goes to the right of it, and down."""
_INK, _PAPER = "e0e2ea", "14161b"
"""Neovim's own default colours."""


class Screen:
    """What a person sees."""

    def __init__(self, terminal: int, process: int) -> None:
        self._terminal = terminal
        self._process = process
        self._screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self._screen)
        self._pending = b""

    def type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def lines(self) -> list[str]:
        self._read()
        return [str(line) for line in self._screen.display]

    def until_shown(self, text: str) -> None:
        until(
            f"'{text}' on the screen",
            lambda: any(text in line for line in self.lines()),
            lambda: "\n".join(self.lines()),
        )

    def until_ready(self) -> None:
        """The status is of a whole index."""
        until(
            "a status on the screen",
            lambda: any(
                re.search(r"AI . [0-9,k.]+(?: \+ [0-9,k.]+)?/\w+ ", line) for line in self.lines()
            ),
            lambda: "\n".join(self.lines()),
        )

    def colour_of(self, text: str) -> str:
        """The foreground of the first letter of a text on the screen."""
        for row, line in enumerate(self.lines()):
            if (column := line.find(text)) >= 0:
                return str(self._screen.buffer[row][column].fg)
        raise AssertionError(f"'{text}' is not on the screen")

    def save(self, path: Path) -> None:
        """A picture of the screen; none where this machine has no font for it."""
        if not all(Path(font).exists() for font in _FONTS):
            return
        self._read()
        size = 15
        plain, bold = (ImageFont.truetype(font, size) for font in _FONTS)
        width, height = round(plain.getlength("M")), size + 5
        margin = 10
        picture = Image.new(
            "RGB", (COLUMNS * width + 2 * margin, LINES * height + 2 * margin), f"#{_PAPER}"
        )
        pen = ImageDraw.Draw(picture)
        for row in range(LINES):
            for column in range(COLUMNS):
                cell = self._screen.buffer[row][column]
                ink, paper = _hex(cell.fg, _INK), _hex(cell.bg, _PAPER)
                if cell.reverse:
                    ink, paper = paper, ink
                left, top = margin + column * width, margin + row * height
                pen.rectangle((left, top, left + width - 1, top + height - 1), fill=f"#{paper}")
                _glyph(
                    pen,
                    cell.data,
                    (left, top, width, height),
                    f"#{ink}",
                    bold if cell.bold else plain,
                )
                if cell.underscore:
                    pen.line((left, top + height - 3, left + width, top + height - 3), f"#{ink}")
        path.parent.mkdir(parents=True, exist_ok=True)
        picture.save(path, optimize=True)

    def _read(self) -> None:
        while select.select([self._terminal], [], [], 0)[0]:
            try:
                data = os.read(self._terminal, 65536)
            except OSError:
                return
            if not data:
                return
            data = self._pending + data
            cut = _INCOMPLETE.search(data)
            end = cut.start() if cut else len(data)
            self._pending = data[end:]
            clean = _CURLY.sub(b"\x1b[4m", _NOT_FOR_A_SCREEN.sub(b"", data[:end]))
            self._stream.feed(clean)


@contextlib.contextmanager
def running_screen(
    executable: Path, folder: Path, workspace: Path, init: str, file: str
) -> Iterator[Screen]:
    environment, arguments = prepared(folder, init)
    environment |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(workspace)
        os.execve(executable, [str(executable), *arguments, file], environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    try:
        yield Screen(terminal, process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)
        Path(arguments[-1]).unlink(missing_ok=True)
        until("the end of every process", lambda: not processes_with(str(folder / "cache")))


def _hex(colour: str, default: str) -> str:
    return colour if re.fullmatch("[0-9a-f]{6}", colour) else default


def _glyph(
    pen: ImageDraw.ImageDraw,
    text: str,
    box: tuple[int, int, int, int],
    ink: str,
    font: ImageFont.FreeTypeFont,
) -> None:
    """A character; what is drawn from edge to edge is drawn here, as terminals do."""
    left, top, width, height = box
    middle, centre = top + height // 2, left + width // 2
    if text == "█":
        pen.rectangle((left, top + 3, left + width - 1, top + height - 4), fill=ink)
    elif text == "░":
        for y in range(top + 4, top + height - 4, 4):
            for x in range(left + (y // 4) % 2 * 2, left + width, 4):
                pen.point((x, y), fill=ink)
    elif text in "│┃":
        pen.line((centre, top, centre, top + height), ink, 2 if text == "┃" else 1)
    elif text in _CORNERS:
        right, down = _CORNERS[text]
        pen.line((centre, middle, left + width if right else left, middle), ink)
        pen.line((centre, middle, centre, top + height if down else top), ink)
    elif text in "─━":
        pen.line((left, middle, left + width, middle), ink)
    elif text.strip():
        pen.text((left, top + 2), text, fill=ink, font=font)
