"""Shorten a receiver or a type to one line, without parts that do not affect its type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from sightline.symbols.facts import COMPLEX

_LONGEST = 80
_LONGEST_SHORTENED = 120
_LONGEST_READ = 2000
"""Every link of a chain has all links before it as its receiver: this limit keeps the work
linear.
"""

_COMPLEX = COMPLEX.encode()
_OPENING = {b"(": b")", b"[": b"]", b"{": b"}"}
_CLOSING = frozenset(_OPENING.values())
_WORD = frozenset(
    code for code in range(256) if code >= 128 or chr(code).isalnum() or code in b"_$"
)
_CALLED = _WORD | frozenset(b")]}>!?")


class Expressions:
    """The expressions of one text, each on one short line."""

    def __init__(self, data: bytes, line_comment: str) -> None:
        self._data = data
        self._line_comment = line_comment
        self._chains: dict[int, _ChainLinks] = {}

    def short(self, start: int, end: int) -> bytes:
        """Return an expression as written, or shortened, or `COMPLEX` if it is still too long.

        A long expression, or one of several lines, loses its comments, line breaks and arguments:
        `New().⏎ A(1).⏎ B()` becomes `New().A(…).B()`.
        """
        size = end - start
        if size <= _LONGEST:
            written = self._data[start:end]
            if b"\n" not in written and b"\r" not in written:
                return written
        elif size > _LONGEST_READ:
            return _COMPLEX
        chain = self._chains.get(start)
        if chain is None:
            tokens = _tokens(self._line_comment)
            chain = _ChainLinks(tokens.finditer(self._data, start, start + _LONGEST_READ))
            self._chains[start] = chain
        short = chain.until(end)
        if short is None:
            # The end is inside a token of the longer text.
            short = shortened(self._data[start:end], self._line_comment)
        return short or _COMPLEX


def shortened(written: bytes, line_comment: str) -> bytes:
    """Return a shortened expression; empty if brackets do not match or it is still too long."""
    return _ChainLinks(_tokens(line_comment).finditer(written)).until(len(written)) or b""


class _ChainLinks:
    """A shortened expression, read as far as requested.

    Every link of a chain is requested, and all begin at one place: each is read from the end of the
    one before it.
    """

    def __init__(self, tokens: Iterator[re.Match[bytes]]) -> None:
        self._kept = bytearray()
        self._sizes: dict[int, int] = {}
        """The kept length, by the end of each token."""
        self._steps = self._read(tokens)
        self._read_to = -1
        self._has_failed = False

    def until(self, end: int) -> bytes | None:
        """Return the shortened text up to an offset; empty if it is too long or brackets do not
        match.

        None if no token ends there.
        """
        while self._read_to < end and not self._has_failed:
            self._has_failed = next(self._steps, True)
        if self._read_to < end:
            return b""
        size = self._sizes.get(end)
        return None if size is None else bytes(self._kept[:size])

    def _read(self, tokens: Iterator[re.Match[bytes]]) -> Iterator[bool]:
        """Read one token after the other; yield False for each, until the rest is known to fail."""
        kept, sizes = self._kept, self._sizes
        opened: list[bytes] = []
        dropped_below = 0
        has_space = is_dropping = False
        for token in tokens:
            kind, text = token.lastgroup, token[0]
            self._read_to = token.end()
            if kind == "bracket":
                has_space = False
                if text in _CLOSING:
                    if not opened or opened.pop() != text:
                        # The bracket is still open at this token.
                        sizes[self._read_to] = 0
                        return
                    if len(opened) < dropped_below:
                        dropped_below = 0
                        if text == b")" and is_dropping:
                            kept += _COMPLEX
                        is_dropping = False
                    if not dropped_below:
                        kept += text
                else:
                    opened.append(_OPENING[text])
                    if not dropped_below:
                        is_argument = bool(kept) and kept[-1] in _CALLED
                        kept += text
                        if is_argument or text == b"{":
                            dropped_below = len(opened)
                    else:
                        is_dropping = True
            elif dropped_below:
                is_dropping = is_dropping or kind != "space"
            elif kind == "space":
                has_space = True
            else:
                if has_space and kept and kept[-1] in _WORD and text[0] in _WORD:
                    kept += b" "
                has_space = False
                kept += b'""' if kind == "string" else text
            sizes[self._read_to] = 0 if opened else len(kept)
            if len(kept) > _LONGEST_SHORTENED:
                sizes[self._read_to] = 0
                return
            yield False


@cache
def _tokens(line_comment: str) -> re.Pattern[bytes]:
    comment = re.escape(line_comment.encode())
    return re.compile(
        rb'(?P<string>"(?:[^"\\]|\\.)*"|`[^`]*`|\'(?:[^\'\\\n]|\\.)*\')'
        rb"|(?P<space>(?:[ \t\r\n\f\v\\]|" + comment + rb"[^\r\n]*|/\*.*?\*/)+)"
        rb"|(?P<bracket>[()\[\]{}])|[\w$\x80-\xff]+|.",
        re.DOTALL,
    )
