"""Write bundles, and read records and requests: files and the clipboard.

Invariants: a plain file is written whole or not at all, and keeps its permissions; anything else (a
device, a pipe, a link) is written to and never replaced. No call waits for a pipe whose other end
is closed.
"""

from __future__ import annotations

import base64
import contextlib
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from sightline.cli.output import OutputError
from sightline.refusals import Refusal, RefusalKind

_CLIPBOARD_SECONDS = 10.0
_LARGEST_INPUT = 64 * 1024 * 1024
# Some systems lack these flags; there they are not needed.
_NO_WAITING = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def write_file(written: str, content: bytes) -> None:
    path = Path(written or "\0")
    try:
        if _is_plain(path):
            _replace(path, content)
        else:
            _write_through(path, content)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "this is no file name"
        raise OutputError(f"{written}: {reason or 'it cannot be written'}") from error


def copy_to_clipboard(content: bytes) -> str:
    """Put the text on the system's clipboard, else on the terminal's; return which one it was.

    The system's clipboard is filled by its own program. The terminal's (OSC 52) is the only one
    that works over a remote shell; the terminal does not report if it accepts the text.
    """
    for program, *options in _clipboard_programs():
        if _runs(program, options, content):
            return f"copied to the clipboard with {Path(program).name}"
    _copy_to_terminal(content)
    return "sent to the terminal's clipboard; some terminals ignore it, or cut long texts off"


def _clipboard_programs() -> Iterator[list[str]]:
    """Yield the system's programs that fill a clipboard, with their options; never one of a
    workspace.
    """
    wanted: list[list[str]] = []
    if sys.platform == "darwin":
        wanted.append(["pbcopy"])
    elif sys.platform == "win32":
        wanted.append(["clip"])
    else:
        if os.environ.get("WAYLAND_DISPLAY"):
            wanted.append(["wl-copy"])
        if os.environ.get("DISPLAY"):
            wanted += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    # A relative entry of the path may be a folder of a hostile workspace.
    folders = [each for each in os.get_exec_path() if Path(each).is_absolute()]
    for name, *options in wanted:
        program = shutil.which(name, path=os.pathsep.join(folders))
        if program is not None:
            yield [program, *options]


def _runs(program: str, options: Sequence[str], content: bytes) -> bool:
    try:
        ended = subprocess.run(
            [program, *options],
            input=content,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_CLIPBOARD_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return ended.returncode == 0


def _copy_to_terminal(content: bytes) -> None:
    sequence = b"\x1b]52;c;" + base64.b64encode(content) + b"\x07"
    try:
        with Path("/dev/tty").open("wb", buffering=0) as terminal:
            _write_all(terminal.fileno(), sequence)
    except OSError as error:
        raise OutputError("there is no terminal whose clipboard could take it") from error


def read_file(written: str, advice: str) -> bytes | Refusal:
    """Read a file that a person names. It may be anywhere, not only in a workspace."""
    try:
        descriptor = os.open(written or "\0", os.O_RDONLY | _NO_WAITING | _BINARY)
        with os.fdopen(descriptor, "rb") as stream:
            if _NO_WAITING:
                os.set_blocking(descriptor, True)
            data = stream.read(_LARGEST_INPUT + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "this is no file name"
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "unreadable",
            written,
            f"the file cannot be read: {reason}",
            advice,
        )
    if len(data) > _LARGEST_INPUT:
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "too_large",
            written,
            f"the file is larger than {_LARGEST_INPUT} bytes",
            advice,
            rule=f"largest_input={_LARGEST_INPUT}",
        )
    return data


def read_given(written: str, advice: str) -> bytes | Refusal:
    """Return the contents of a file that a person names, or for `-` those of stdin."""
    if written != "-":
        return read_file(written, advice)
    if sys.stdin is None or sys.stdin.isatty():
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "usage",
            None,
            "'-' reads standard input, but nothing is piped to it",
            advice,
        )
    data = sys.stdin.buffer.read(_LARGEST_INPUT + 1)
    if len(data) > _LARGEST_INPUT:
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "too_large",
            None,
            f"the input is larger than {_LARGEST_INPUT} bytes",
            advice,
            rule=f"largest_input={_LARGEST_INPUT}",
        )
    return data


def _is_plain(path: Path) -> bool:
    """Return True if the path is a plain file or does not exist."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return True


def _replace(path: Path, content: bytes) -> None:
    part = path.with_name(f".sightline-{os.getpid()}.part")
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode or 0o666)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        if mode is not None:
            # Apply the permissions that the umask would have removed.
            part.chmod(mode)
        part.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def _write_through(path: Path, content: bytes) -> None:
    # Like the shell, create the file that a dangling link names.
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NO_WAITING | _BINARY
    descriptor = os.open(path, flags, 0o666)
    try:
        if _NO_WAITING:
            os.set_blocking(descriptor, True)
        _write_all(descriptor, content)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
