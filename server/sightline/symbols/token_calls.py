"""Find uses in text that the grammar does not parse: the body or the arguments of a macro."""

from __future__ import annotations

import re

from sightline.symbols.facts import COMPLEX
from sightline.symbols.shortening import Expressions

_COMPLEX = COMPLEX.encode()
_FARTHEST = 400
_TOKENS = re.compile(
    rb'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'|//[^\n]*|/\*.*?\*/'
    rb"|(?P<step>(?:\?\.|\.|->|::)\s*)?(?<!fn )(?P<name>(?<![\w$])[A-Za-z_]\w*)"
    rb"(?:[ \t]*\(|!\s*[(\[{]|::<[^;{}()]{0,80}>\()",
    re.DOTALL,
)
_VALUES = re.compile(
    rb'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'|//[^\n]*|/\*.*?\*/'
    rb"|(?<![\w$.!'])(?<!::)(?P<path>(?:[A-Za-z_]\w*::)*)(?P<name>[A-Za-z_]\w*)"
    rb"(?:::<[^;{}()]{0,80}>)?(?=[ \t\r\n]*[,)\]};])",
    re.DOTALL,
)
_OPENING = {ord(")"): ord("("), ord("]"): ord("[")}
_SPACE = b" \t\r\n\\"
_STEPS = (b".", b"->", b"::")
_NAME_CHARACTERS = bytes(
    code for code in range(256) if code >= 128 or chr(code).isalnum() or code in b"_$"
)


def calls_in_tokens(
    start: int, end: int, index: int, data: bytes, expressions: Expressions
) -> list[tuple[int, int, bytes, bytes]]:
    """Return rows of references: names before a bracket, each with the expression it is called
    on.
    """
    found: list[tuple[int, int, bytes, bytes]] = []
    if data.find(b"(", start + 1, end) < 0 and data.find(b"!", start + 1, end) < 0:
        # A call has a bracket or a sign behind its name, and the first bracket is around them all.
        return found
    for token in _TOKENS.finditer(data, start, end):
        if token["name"]:
            receiver = b""
            if token["step"]:
                receiver = _receiver(data, start, token.start("step"), expressions)
            found.append((token.start("name"), index, token["name"], receiver))
    return found


def values_in_tokens(
    start: int, end: int, index: int, data: bytes, _expressions: Expressions
) -> list[tuple[int, int, bytes, bytes]]:
    """Return rows of references: names and paths that stand alone between commas or brackets."""
    return [
        (token.start("name"), index, token["name"], token["path"].removesuffix(b"::"))
        for token in _VALUES.finditer(data, start, end)
        if token["name"]
    ]


def _receiver(data: bytes, start: int, end: int, expressions: Expressions) -> bytes:
    """Return the chain of names and calls that ends at an offset."""
    first = max(start, end - _FARTHEST)
    position = end
    while True:
        position = _operand_start(data, first, position)
        if position < 0:
            return _COMPLEX
        before = data[first:position].rstrip(_SPACE)
        step = next((step for step in _STEPS if before.endswith(step)), None)
        if step is None:
            return expressions.short(position, end)
        position = first + len(before) - len(step)
        if before.endswith(b"?."):
            position -= 1


def _operand_start(data: bytes, first: int, end: int) -> int:
    """Return where a name with its brackets starts; -1 if there is none."""
    position = first + len(data[first:end].rstrip(_SPACE))
    while position > first and data[position - 1] in _OPENING:
        position = _opening(data, first, position)
        if position < 0:
            return -1
    name = first + len(data[first:position].rstrip(_NAME_CHARACTERS))
    if name < position:
        return name
    return position if position < end and data[position : position + 1] == b"(" else -1


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
