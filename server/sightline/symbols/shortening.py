"""Shorten a receiver or a type to one line, without parts that do not affect its type."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from sightline.symbols.facts import COMPLEX, LINKED

_LONGEST = 80
_LONGEST_SHORTENED = 120
_LONGEST_READ = 8000
"""Every link of a chain has all links before it as its receiver: a bound keeps that linear."""

_COMPLEX = COMPLEX.encode()
_LINKED = LINKED.encode()
_OPENING = {b"(": ord(")"), b"[": ord("]"), b"{": ord("}")}
_WORD = frozenset(
    code for code in range(256) if code >= 128 or chr(code).isalnum() or code in b"_$"
)
_CALLED = _WORD | frozenset(b")]}>!?")

_Reader = Callable[[bytes, int, int], re.Match[bytes] | None]


class Expressions:
    """The expressions of one text, each on one short line."""

    def __init__(self, data: bytes, line_comment: str) -> None:
        self._data = data
        self._line_comment = line_comment
        self._chains: dict[int, _ChainLinks] = {}

    def short(self, start: int, end: int) -> bytes:
        """Return an expression as written, or shortened, or `COMPLEX` if it is still too long.

        One that is long or has several lines loses its comments, its line breaks and what it passes
        to calls: `New().⏎  A(1).⏎  B()` is `New().A(…).B()`. Of a chain that is long even so the
        last calls are left, behind `LINKED`.
        """
        if end - start <= _LONGEST:
            written = self._data[start:end]
            if b"\n" not in written and b"\r" not in written:
                return written
        elif end - start > _LONGEST_READ:
            return _COMPLEX
        chain = self._chains.get(start)
        if chain is None:
            tokens = _tokens(self._line_comment)
            chain = _ChainLinks(tokens, self._data, start, start + _LONGEST_READ)
            self._chains[start] = chain
        short = chain.until(end)
        if short is None:
            # The end is inside a token of the longer text.
            short = shortened(self._data[start:end], self._line_comment)
        return short or _COMPLEX


def shortened(written: bytes, line_comment: str) -> bytes:
    """Empty where brackets do not match, and where it is long even so."""
    size = len(written)
    short = _ChainLinks(_tokens(line_comment), written, 0, size).until(size) or b""
    return b"" if short.startswith(_LINKED) else short


class _ChainLinks:
    """A shortened expression, read as far as requested.

    Every link of a chain is requested, and all begin at one place: each is read from the end of the
    one before it.
    """

    __slots__ = (
        "_call",
        "_data",
        "_dropped_below",
        "_has_failed",
        "_has_space",
        "_is_dropping",
        "_kept",
        "_limit",
        "_opened",
        "_read_to",
        "_sizes",
        "_step",
        "_tokens",
    )

    def __init__(self, tokens: _Tokens, data: bytes, start: int, limit: int) -> None:
        self._tokens = tokens
        self._data = data
        self._limit = limit
        self._kept = bytearray()
        self._sizes: dict[int, tuple[bytearray, int]] = {}
        """What is kept and how much of it counts, by where a token ends."""
        self._read_to = start
        self._has_failed = False
        self._opened: list[int] = []
        """The brackets that close those that are open."""
        self._dropped_below = 0
        """How deep the outermost bracket is whose content is left out; 0 outside of one."""
        self._has_space = self._is_dropping = False
        self._step = self._call = -1
        """Where in what is kept the last step begins, and the last one that is a call."""

    def until(self, end: int) -> bytes | None:
        """Return the shortened text up to an offset; empty if it is too long or brackets do not
        match.

        None if no token ends there.
        """
        if self._read_to < end and not self._has_failed:
            self._has_failed = not self._read(end)
        if self._read_to < end:
            return b""
        known = self._sizes.get(end)
        return None if known is None else bytes(known[0][: known[1]])

    def _read(self, end: int) -> bool:
        """Read tokens up to an offset; false where there is no use in going on."""
        data, limit, sizes = self._data, self._limit, self._sizes
        while self._read_to < end:
            if self._dropped_below:
                self._pass_over()
            token = self._tokens.one(data, self._read_to, limit)
            if token is None:
                return False
            kind, text, kept = token.lastgroup, token[0], self._kept
            self._read_to = token.end()
            if kind == "bracket":
                if not self._take_bracket(text):
                    # What ends here is not closed either.
                    sizes[self._read_to] = (kept, 0)
                    return False
            elif kind == "space":
                self._has_space = True
            else:
                if self._has_space and kept and kept[-1] in _WORD and text[0] in _WORD:
                    kept += b" "
                self._has_space = False
                if not self._opened and (text == b"." or (text == b">" and kept[-1:] == b"-")):
                    self._step = len(kept) - (text != b".")
                kept += b'""' if kind == "string" else text
            if len(kept) > _LONGEST_SHORTENED and not self._forget_links():
                sizes[self._read_to] = (kept, 0)
                return False
            sizes[self._read_to] = (self._kept, 0 if self._opened else len(self._kept))
        return True

    def _forget_links(self) -> bool:
        """Keep the last call and what is behind it; false where that is too long as well."""
        kept, call = self._kept, self._call
        if self._opened or call <= len(_LINKED) or len(kept) - call > _LONGEST:
            return False
        # What was kept up to former links stays as it was.
        self._kept = bytearray(_LINKED + kept[call:])
        moved = len(_LINKED) - call
        self._call, self._step = call + moved, self._step + moved
        return True

    def _pass_over(self) -> None:
        """Go on to the next bracket: what is left out is read no closer."""
        start = self._read_to
        passed = self._tokens.within(self._data, start, self._limit)
        if passed is not None and passed.end() > start:
            self._read_to = stop = passed.end()
            if not self._is_dropping:
                space = self._tokens.space(self._data, start, stop)
                self._is_dropping = space is None or space.end() < stop

    def _take_bracket(self, text: bytes) -> bool:
        """False where a bracket closes none that is open."""
        kept, opened = self._kept, self._opened
        self._has_space = False
        closing = _OPENING.get(text)
        if closing is None:
            if not opened or opened.pop() != text[0]:
                return False
            if len(opened) < self._dropped_below:
                self._dropped_below = 0
                if text == b")" and self._is_dropping:
                    kept += _COMPLEX
                self._is_dropping = False
            if not self._dropped_below:
                kept += text
            return True
        opened.append(closing)
        if self._dropped_below:
            self._is_dropping = True
            return True
        is_argument = bool(kept) and kept[-1] in _CALLED
        if is_argument and text == b"(" and len(opened) == 1:
            self._call = self._step
        kept += text
        if is_argument or text == b"{":
            self._dropped_below = len(opened)
        return True


class _Tokens(NamedTuple):
    """How the text of a language is read, each from an offset on."""

    one: _Reader
    """One token."""
    space: _Reader
    """White space and comments."""
    within: _Reader
    """Everything up to the next bracket."""


@cache
def _tokens(line_comment: str) -> _Tokens:
    comment = re.escape(line_comment.encode()) + rb"[^\r\n]*|/\*.*?\*/"
    string = rb'"(?:[^"\\]|\\.)*"|`[^`]*`|\'(?:[^\'\\\n]|\\.)*\''
    space = rb"(?:[ \t\r\n\f\v\\]|" + comment + rb")"
    plain = rb"[^()\[\]{}\"'`/" + re.escape(line_comment[:1].encode()) + rb"]+"
    return _Tokens(
        re.compile(
            rb"(?P<string>" + string + rb")|(?P<space>" + space + rb"+)"
            rb"|(?P<bracket>[()\[\]{}])|[\w$\x80-\xff]+|.",
            re.DOTALL,
        ).match,
        re.compile(space + rb"*", re.DOTALL).match,
        re.compile(
            rb"(?:" + plain + rb"|" + string + rb"|" + comment + rb"|[^()\[\]{}])*",
            re.DOTALL,
        ).match,
    )
