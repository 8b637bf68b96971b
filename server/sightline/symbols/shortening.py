"""Write a receiver or a type on one short line, without what says nothing about its type."""

from __future__ import annotations

import re
from functools import cache

from sightline.symbols.facts import COMPLEX

_LONGEST = 80
_LONGEST_SHORTENED = 120
_LONGEST_READ = 2000
"""Every link of a chain has all links before it as its receiver: a bound keeps that linear."""

_COMPLEX = COMPLEX.encode()
_OPENING = {b"(": b")", b"[": b"]", b"{": b"}"}
_CLOSING = frozenset(_OPENING.values())
_WORD = re.compile(rb"[\w$\x80-\xff]")
_CALLED = re.compile(rb"[\w$\x80-\xff)\]}>!?]$")


def short_expression(data: bytes, start: int, end: int, line_comment: str) -> bytes:
    """An expression as written, or shortened, or `COMPLEX` where it is long even then.

    One that is long or has several lines loses its comments, its line breaks and what it passes to
    calls: `New().⏎  A(1).⏎  B()` is `New().A(…).B()`.
    """
    size = end - start
    if size <= _LONGEST:
        written = data[start:end]
        if b"\n" not in written and b"\r" not in written:
            return written
    elif size > _LONGEST_READ:
        return _COMPLEX
    short = shortened(data[start:end], line_comment)
    return short if 0 < len(short) <= _LONGEST_SHORTENED else _COMPLEX


@cache
def _tokens(line_comment: str) -> re.Pattern[bytes]:
    comment = re.escape(line_comment.encode())
    return re.compile(
        rb'(?P<string>"(?:[^"\\]|\\.)*"|`[^`]*`|\'(?:[^\'\\\n]|\\.)*\')'
        rb"|(?P<space>(?:[ \t\r\n\f\v\\]|" + comment + rb"[^\r\n]*|/\*.*?\*/)+)"
        rb"|(?P<bracket>[()\[\]{}])|[\w$\x80-\xff]+|.",
        re.DOTALL,
    )


def shortened(written: bytes, line_comment: str) -> bytes:
    """Empty where brackets do not match."""
    kept: list[bytes] = []
    opened: list[bytes] = []
    dropped_below = 0
    has_space = is_dropping = False
    for token in _tokens(line_comment).finditer(written):
        text = token[0]
        if token["bracket"]:
            has_space = False
            if text in _CLOSING:
                if not opened or opened.pop() != text:
                    return b""
                if len(opened) < dropped_below:
                    dropped_below = 0
                    if text == b")" and is_dropping:
                        kept.append(_COMPLEX)
                    is_dropping = False
                if not dropped_below:
                    kept.append(text)
                continue
            opened.append(_OPENING[text])
            if not dropped_below:
                is_argument = bool(kept) and _CALLED.search(kept[-1])
                kept.append(text)
                if is_argument or text == b"{":
                    dropped_below = len(opened)
            else:
                is_dropping = True
        elif dropped_below:
            is_dropping = is_dropping or not token["space"]
            continue
        elif token["space"]:
            has_space = True
        else:
            if has_space and kept and _WORD.match(kept[-1][-1:]) and _WORD.match(text):
                kept.append(b" ")
            has_space = False
            kept.append(b'""' if token["string"] else text)
    return b"" if opened else b"".join(kept)
