"""Find calls in text that the grammar leaves alone: the body or the arguments of a macro."""

from __future__ import annotations

import re

from sightline.symbols.facts import COMPLEX
from sightline.symbols.shortening import short_expression

_COMPLEX = COMPLEX.encode()
_FARTHEST = 400
_TOKENS = re.compile(
    rb'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'|//[^\n]*|/\*.*?\*/'
    rb"|(?P<step>(?:\?\.|\.|->|::)\s*)?(?<!fn )(?P<name>(?<![\w$])[A-Za-z_]\w*)"
    rb"(?:[ \t]*\(|!\s*[(\[{]|::<[^;{}()]{0,80}>\()",
    re.DOTALL,
)
_OPENING = {ord(")"): ord("("), ord("]"): ord("[")}
_SPACE = b" \t\r\n\\"
_BEFORE = re.compile(rb"(?:\?\.|\.|->|::)\s*$")
_NAME = re.compile(rb"[\w$]+$")


def calls_in_tokens(
    start: int, end: int, index: int, data: bytes, line_comment: str
) -> list[tuple[int, int, bytes, bytes]]:
    """Names before a bracket, each with the expression that it is called on: rows of references."""
    found: list[tuple[int, int, bytes, bytes]] = []
    for token in _TOKENS.finditer(data, start, end):
        if token["name"]:
            receiver = b""
            if token["step"]:
                receiver = _receiver(data, start, token.start("step"), line_comment)
            found.append((token.start("name"), index, token["name"], receiver))
    return found


def _receiver(data: bytes, start: int, end: int, line_comment: str) -> bytes:
    """The chain of names and calls that ends at an offset."""
    first = max(start, end - _FARTHEST)
    position = end
    while True:
        position = _operand_start(data, first, position)
        if position < 0:
            return _COMPLEX
        step = _BEFORE.search(data, first, position)
        if not step:
            return short_expression(data, position, end, line_comment)
        position = step.start()


def _operand_start(data: bytes, first: int, end: int) -> int:
    """Where a name with the brackets behind it starts; -1 where there is none."""
    position = _without_space(data, first, end)
    while position > first and data[position - 1] in _OPENING:
        position = _opening(data, first, position)
        if position < 0:
            return -1
    name = _NAME.search(data, first, position)
    if name:
        return name.start()
    return position if position < end and data[position : position + 1] == b"(" else -1


def _without_space(data: bytes, first: int, end: int) -> int:
    while end > first and data[end - 1] in _SPACE:
        end -= 1
    return end


def _opening(data: bytes, first: int, end: int) -> int:
    closed = data[end - 1]
    opened = _OPENING[closed]
    depth = 0
    for position in range(end - 1, first - 1, -1):
        if data[position] == closed:
            depth += 1
        elif data[position] == opened:
            depth -= 1
            if not depth:
                return position
    return -1
