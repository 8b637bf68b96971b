"""Types as they are written, taken apart: what stands between their brackets, and behind arrows.

The few forms that languages share are all there is to read: `[]T`, `[T]`, `T[]`, `map[K]V`,
`Head<A, B>`, `Head[A]`, `func(A) R`, `(A) -> R`. What is none of them has no elements.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_DECORATION = re.compile(
    r"^(?:[*&\s]+|(?:mut|const|ref|dyn|impl|final|readonly|out|in|inout|some|any|async)\s+|'\w+\s+)+"
    r"|[?!*&\s]+$"
)
_SEQUENCE = re.compile(r"^(?:\.\.\.|<-\s*chan\s+|chan\s*(?:<-)?\s+)\s*")
"""What `...T` and `chan T` begin with."""
_NAMED = re.compile(r"^\w+\s*[=:]\s*(?=[\w&*(\[])")
"""`Item = T`, `value: T`."""
_ARRAY_END = re.compile(r"\[[\w\s]*\]$")
_HEAD = re.compile(r"^[\w$.:\\]+$")
_NAMED_RESULT = re.compile(r"^\w+\s+(?<!chan )(?<!func )(?=[\w*\[<&])")
_UNNAMED = re.compile(r"(?:struct|union)\b|\{")
_FUNCTION = re.compile(r"^(?:fn|func|Fn|FnMut|FnOnce)\s*(?=\()")


def plain(written: str) -> str:
    """A type without signs around it that say how it is passed or kept."""
    before = ""
    while before != written:
        before = written
        written = _DECORATION.sub("", written.strip().strip("\"'`"))
        if written.startswith("(") and closing(written, 0) == len(written) - 1:
            inner = written[1:-1]
            if len(split(inner, ",")) == 1:
                written = inner
    return written


def owner(written: str) -> str:
    """The name under which scopes add to a type: `Vec` of `&Vec<u8>`, `[u8]` of `[u8; 4]`."""
    written = plain(written)
    if written.startswith("[") and ";" in written:
        return f"{split(written[1:-1], ';')[0]}".join("[]")
    return head_and_arguments(written)[0].replace("::", ".").rpartition(".")[2]


def is_unnamed(written: str) -> bool:
    """Whether a type is one whose fields are written in it."""
    return bool(_UNNAMED.match(plain(written)))


def closing(text: str, opening: int) -> int:
    """Where the bracket at a position is closed; -1 where it is not."""
    depth = 0
    opened, closed = text[opening], _CLOSING[text[opening]]
    for position in range(opening, len(text)):
        character = text[position]
        if character == opened:
            depth += 1
        elif character == closed and not (character == ">" and text[position - 1] in "-="):
            depth -= 1
            if not depth:
                return position
    return -1


def split(text: str, sign: str) -> list[str]:
    """The parts of a text between signs that stand in no bracket."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character in "([{<":
            depth += 1
        elif character in ")]}" or (character == ">" and text[position - 1 : position] not in "-="):
            depth -= 1
        elif character == sign and not depth:
            parts.append(text[start:position].strip())
            start = position + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def head_and_arguments(written: str) -> tuple[str, list[str]]:
    """`Map` and `K`, `V` of `Map<K, V>` or `Map[K, V]`; no arguments where there are none."""
    written = plain(written)
    opening = next((index for index, sign in enumerate(written) if sign in "<["), -1)
    if opening <= 0 or closing(written, opening) != len(written) - 1:
        return written, []
    head = written[:opening].strip().removesuffix("::")
    if not _HEAD.match(head):
        return written, []
    arguments = split(written[opening + 1 : -1], ",")
    return head, [_NAMED.sub("", each) for each in arguments if not each.startswith("'")]


def arguments_within(written: str, wrappers: Sequence[str]) -> list[str]:
    """The arguments of a type, or of what stands within types that only hold it."""
    head, arguments = head_and_arguments(written)
    while arguments and head.replace("::", ".").rpartition(".")[2] in wrappers:
        head, arguments = head_and_arguments(arguments[0])
    return arguments


def element(written: str, wrappers: Sequence[str], *, is_keyed: bool) -> str:
    """The type of the elements of a type, "" where it has none.

    Where values are found by a key, they are the elements only if asked for (`is_keyed`).
    """
    if sequence := _SEQUENCE.match(written.strip()):
        return written.strip()[sequence.end() :]
    written = (split(plain(written), "+") or [""])[0]
    if written.startswith("map[") and (end := closing(written, 3)) > 0:
        return written[end + 1 :] if is_keyed else ""
    if written.startswith("["):
        end = closing(written, 0)
        if end < 0:
            return ""
        if written[end + 1 :].strip():
            return written[end + 1 :]
        inner = split(written[1:end], ";")[:1]
        pair = split(inner[0].replace("::", "\0"), ":") if inner else []
        if len(pair) == 2:
            return pair[1].replace("\0", "::") if is_keyed else ""
        return inner[0] if inner else ""
    if array := _ARRAY_END.search(written):
        if not written[: array.start()].strip() or (
            array[0] != "[]" and not array[0][1:2].isdigit()
        ):
            return _of_arguments(written, wrappers, is_keyed=is_keyed)
        return written[: array.start()]
    return _of_arguments(written, wrappers, is_keyed=is_keyed)


def _of_arguments(written: str, wrappers: Sequence[str], *, is_keyed: bool) -> str:
    head, arguments = head_and_arguments(written)
    if not arguments:
        return ""
    if head in wrappers or head.rpartition("::")[2].rpartition(".")[2] in wrappers:
        return element(arguments[0], wrappers, is_keyed=is_keyed) or arguments[0]
    if len(arguments) > 1 and not is_keyed:
        return ""
    return arguments[-1]


def place(written: str, position: int) -> str:
    """One part of a type of several, "" where there is none: `(A, B)`, `[A, B]`, `tuple[A, B]`."""
    written = plain(written)
    if written[:1] in ("(", "[") and closing(written, 0) == len(written) - 1:
        parts = split(written[1:-1], ",")
        is_list = written.startswith("[") and (len(parts) < 2 and ";" in written)
    else:
        head, parts = head_and_arguments(written)
        is_list = head.lower() not in ("tuple", "pair")
    if is_list or position >= len(parts):
        return ""
    return _NAMED.sub("", parts[position]) if len(parts) > 1 else ""


def result(written: str) -> str:
    """What a function of a type returns, "" where the type is of none: `func(A) R`."""
    written = plain(written)
    for arrow in ("->", "=>"):
        position = _arrow(written, arrow)
        if position >= 0:
            return written[position + 2 :].strip()
    found = _FUNCTION.match(written)
    if found and (end := closing(written, found.end())) > 0:
        return one_result(written[end + 1 :].strip(), 0)
    return ""


def parameter(written: str, position: int) -> str:
    """The type of one parameter of a function's type, "" where none is written: `(a: A) => R`."""
    written = plain(written)
    if written.startswith("<") and (end := closing(written, 0)) > 0:
        written = written[end + 1 :].strip()
    if not written.startswith("("):
        return ""
    end = closing(written, 0)
    if end < 0 or not written[end + 1 :].lstrip().startswith(("=>", "->")):
        return ""
    return listed(split(written[1:end], ","), position)


def listed(parameters: Sequence[str], position: int) -> str:
    """The type of one of some parameters as written, "" where it has none: `a: A`, `...b: B[]`."""
    if not parameters:
        return ""
    is_rest = parameters[-1].startswith("...") and position >= len(parameters) - 1
    if position >= len(parameters) and not is_rest:
        return ""
    parts = split(parameters[min(position, len(parameters) - 1)], ":")
    if len(parts) < 2:
        return ""
    written = ":".join(parts[1:])
    return part_of_rest(written, position - len(parameters) + 1) if is_rest else written


def part_of_rest(written: str, position: int) -> str:
    """The type of one argument that a last parameter takes: `T[]`, `[A, B]`, `Array<T>`."""
    if written.startswith("[") and written.endswith("]"):
        parts = split(written[1:-1], ",")
        return parts[position] if position < len(parts) else ""
    return element(written, (), is_keyed=False)


def intersected(written: str) -> list[str]:
    """The types that one is all of at once: `A & B`. Empty where it is none."""
    if "&" not in written or "->" in written or "=>" in written or written.startswith("&"):
        return []
    parts = split(written, "&")
    return parts if len(parts) > 1 and not written.endswith("&") else []


def _arrow(written: str, arrow: str) -> int:
    depth = 0
    for position, character in enumerate(written):
        if not depth and written.startswith(arrow, position):
            return position
        if character in "([{<":
            depth += 1
        elif character in ")]}" or (
            character == ">" and written[position - 1 : position] not in "-="
        ):
            depth -= 1
    return -1


def one_result(written: str, position: int) -> str:
    """One of several results in brackets, `(n T, err error)`, -1 for the last of them.

    What has no brackets is the first and the last.
    """
    if not written.startswith("(") or closing(written, 0) != len(written) - 1:
        return "" if position > 0 else written
    parts = split(written[1:-1], ",")
    if position >= len(parts):
        return ""
    position %= len(parts)
    named = _NAMED_RESULT.match(parts[position])
    if named or not _NAMED_RESULT.match(parts[-1]):
        return parts[position][named.end() :] if named else parts[position]
    # `(a, b T)`
    following = (_NAMED_RESULT.match(part) for part in parts[position:])
    return next(
        part[match.end() :]
        for part, match in zip(parts[position:], following, strict=True)
        if match
    )
