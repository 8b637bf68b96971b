"""Frames: find the messages in an untrusted stream of bytes.

A frame is header lines, an empty line, and as many bytes as `Content-Length` says. Header names are
case-insensitive. Bytes that form no frame are reported once and skipped: the reader continues at
the next line that ends in a `Content-Length`, which no line of a JSON text does. So a wrong length
costs one message, but not the next one.

Invariants: no input makes this raise or hold more than `LARGEST` bytes; end of input is `None`.
"""

from __future__ import annotations

import asyncio
import re

import attrs

LARGEST = 64 * 1024 * 1024
"""The largest message in bytes. A larger one is skipped, and the client gets an error."""

_LONGEST_LINE = 8 * 1024
_MOST_HEADERS = 32
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*([0-9]{1,20})[ \t]*", re.IGNORECASE)
_LENGTH_AT_END = re.compile(_LENGTH.pattern + rb"\r?\n?\Z", re.IGNORECASE)
_STUCK_LENGTH = re.compile(rb"(?<![a-z0-9-])" + _LENGTH_AT_END.pattern, re.IGNORECASE)
_HEADER = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*:[^\r\n]*")
_LONGEST_LENGTH = 256
"""The longest end of a line that may hold the beginning of a `Content-Length`, in bytes."""


@attrs.frozen
class BadFrame:
    problem: str
    """One sentence. It quotes no byte of the input."""


class FrameReader:
    """Reads frames from a stream of bytes whose limit is above `_LONGEST_LINE`."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream
        self._is_lost = False
        """True after a bad frame: the next bytes may be the rest of it."""

    async def next(self) -> bytes | BadFrame | None:
        """Return the next message's bytes, or what is wrong with it; None at the end."""
        try:
            if self._is_lost:
                await self._find_length()
            length = await self._header()
            if isinstance(length, int) and length > LARGEST:
                length = BadFrame(f"a message is larger than {LARGEST} bytes")
            if isinstance(length, BadFrame):
                self._is_lost = True
                return length
            return await self._stream.readexactly(length)
        except asyncio.IncompleteReadError:
            return None

    async def _header(self) -> int | BadFrame:
        """Read the header lines; return the length of the message that follows."""
        length: int | None = None
        count = 0
        while True:
            line = await self._line()
            if len(line) > _LONGEST_LINE:
                self._push_back(line)
                return BadFrame("a header line is too long")
            bare = line.rstrip(b"\r\n")
            if not bare:
                if length is not None:
                    return length
                if count:
                    return BadFrame("a header has no Content-Length")
                # Empty lines between messages are allowed.
                continue
            count += 1
            found = _LENGTH.fullmatch(bare)
            if found:
                length = int(found[1])
            elif not _HEADER.fullmatch(bare) or _STUCK_LENGTH.search(bare) or count > _MOST_HEADERS:
                self._push_back(line)
                return BadFrame("this is no header")

    async def _find_length(self) -> None:
        """Skip to the next `Content-Length` that ends a line."""
        while True:
            line = await self._line()
            found = _LENGTH_AT_END.search(line, max(0, len(line) - _LONGEST_LENGTH))
            if found and line.endswith(b"\n"):
                self._push_back(line[found.start() :])
                self._is_lost = False
                return

    async def _line(self) -> bytes:
        """Return a line with its end, or part of a line that is longer than the stream's limit."""
        try:
            return await self._stream.readuntil(b"\n")
        except asyncio.LimitOverrunError as error:
            return await self._stream.readexactly(max(1, error.consumed - _LONGEST_LENGTH))

    def _push_back(self, line: bytes) -> None:
        # The stream keeps unread bytes in its buffer.
        self._stream._buffer[0:0] = line  # type: ignore[attr-defined]
