"""Runs the command line as a person would: in a folder of its own, and at a terminal if need be."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from sightline.cli import main

Run = Callable[..., subprocess.CompletedProcess[bytes]]

_SHAPES = "class Shape:\n    def area(self) -> int:\n        return 0\n"
_USE = (
    "from shapes import Shape\n\n\n"
    "class Square(Shape):\n    def twice(self) -> int:\n        return self.area() * 2\n\n\n"
    "def total(shape: Shape) -> int:\n    return shape.area()\n"
)
_OTHER = "class Other:\n    def area(self) -> int:\n        return 1\n"
SECRET = "Vq8zT2mWx5Kc9RfLb3Hn"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def run_in_folder(
        *arguments: str, cwd: Path = tmp_path, **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        # The time-out is there so that a hang fails the test instead of the whole run.
        return subprocess.run(
            [sys.executable, "-P", "-m", "sightline.cli", *arguments],
            cwd=cwd,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
            check=False,
        )

    return run_in_folder


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project, which is the current directory, and nobody's settings or cache."""
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "config"))
    # Starting a second worker takes longer than all of these files do in one.
    monkeypatch.setenv("SIGHTLINE_INDEX_JOBS", "1")
    folder = tmp_path / "workspace"
    (folder / "a folder").mkdir(parents=True)
    (folder / "shapes.py").write_text(_SHAPES)
    (folder / "use.py").write_text(_USE)
    (folder / "other.py").write_text(_OTHER)
    (folder / "a folder" / "ünï code.py").write_text("def spaced() -> None: ...\n")
    (folder / "empty.py").write_bytes(b"")
    (folder / "picture.dat").write_bytes(b"\0\1\2")
    (folder / "secret.py").write_text(f'import use\n\npassword = "{SECRET}"\nuse.total(None)\n')
    (folder / ".env").write_text(f"TOKEN={SECRET}\n")
    (folder / "pyproject.toml").write_text("[project]\nname = 'shapes'\n")
    monkeypatch.chdir(folder)
    return folder


@attrs.frozen
class Answer:
    code: int
    out: bytes
    err: str


Ask = Callable[..., Answer]


@pytest.fixture
def ask(
    workspace: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Ask:
    """The command line in this process: quicker, where nothing depends on the process."""

    def ask_in_workspace(*arguments: str, cwd: Path = workspace) -> Answer:
        monkeypatch.chdir(cwd)
        code = main(arguments)
        out, err = capsysbinary.readouterr()
        shown = err.decode()
        assert "Traceback" not in shown
        assert "went wrong" not in shown
        return Answer(code, out, shown)

    return ask_in_workspace


def run_at_terminal(
    folder: Path,
    *arguments: str,
    columns: int = 100,
    piped: bool = False,
    typed: bytes = b"",
    **environment: str,
) -> tuple[int, bytes, bytes]:
    """Exit code, what the terminal got, and stdout where that is a pipe."""
    # A variable would be believed before the terminal, and whoever runs the tests may set it.
    around = {name: each for name, each in os.environ.items() if name not in ("COLUMNS", "LINES")}
    terminal, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "sightline.cli", *arguments],
        cwd=folder,
        stdin=inside,
        stdout=subprocess.PIPE if piped else inside,
        stderr=inside,
        env={**around, "TERM": "xterm", "LC_ALL": "C.UTF-8", **environment},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(inside)
    os.write(terminal, typed)
    shown = bytearray()
    # A terminal whose other end is closed ends in an error, not in an empty read.
    with contextlib.suppress(OSError):
        while chunk := os.read(terminal, 65536):
            shown += chunk
    os.close(terminal)
    out, _ = process.communicate(timeout=300)
    return process.returncode, bytes(shown), out or b""


def plain(shown: bytes) -> str:
    """What a terminal shows, without colours and without the bar that was there before."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\f", shown.decode())
    lines = text.replace("\r", "").replace("\f", "").split("\n")
    return "\n".join(line.rstrip() for line in lines if not line.startswith("indexi"))
