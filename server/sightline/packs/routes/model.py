"""A route or a command that a file offers, and functions that readers of them share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import attrs


@attrs.frozen(order=True)
class Offer:
    """A route or command of a program."""

    path: str
    """The file that declares it."""
    line: int
    kind: str
    """`route` or `command`."""
    text: str
    """`GET /users/{id}`, or the name of a command."""
    framework: str


METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
LONGEST_TEXT = 1 << 18
"""A longer file is generated or a bundle, and is not searched for routes."""

_C_TOKENS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`""", re.DOTALL
)
_HASH_TOKENS = re.compile(r"""#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""")
_LONGEST_CALL = 4_000
_QUOTED = r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`(?:[^`\\]|\\.)*`'
_BRACKETS = {
    "()": re.compile(rf"{_QUOTED}|[()]"),
    "{}": re.compile(rf"{_QUOTED}|[{{}}]"),
}
_MORE_SLASHES = re.compile(r"/{2,}")


def without_comments(text: str, *, hashes: bool) -> str:
    """Return a text with its comments blanked, with the same lines."""
    tokens = _HASH_TOKENS if hashes else _C_TOKENS
    return tokens.sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    token = found[0]
    if token[0] in "\"'`":
        return token
    return re.sub(r"[^\n]", " ", token)


def line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def joined(*parts: str) -> str:
    """Return the parts of a route joined to one path that begins with a slash."""
    return _MORE_SLASHES.sub("/", "/" + "/".join(part.strip() for part in parts if part))


def routed(methods: Iterable[str], route: str) -> list[str]:
    """Return a route once for each method, or once without a method if none is known."""
    known = [method.upper() for method in methods]
    return [f"{method} {route}" for method in known] or [route]


def closing(text: str, start: int, pair: str = "()") -> int:
    """Return where the bracket at `start` is closed, or the end of the searched text.

    Strings on one line are skipped. A call of more than 4,000 characters is not a plain route.
    """
    end = min(len(text), start + _LONGEST_CALL)
    depth = 0
    for found in _BRACKETS[pair].finditer(text, start, end):
        if found[0] == pair[0]:
            depth += 1
        elif found[0] == pair[1]:
            depth -= 1
            if not depth:
                return found.start()
    return end


def prefixes(
    node: tuple[str, str],
    parents: dict[tuple[str, str], list[tuple[tuple[str, str], str]]],
    seen: Sequence[tuple[str, str]] = (),
) -> list[str]:
    """Return every prefix of a router; [""] for one that is not included anywhere."""
    if node in seen or len(seen) > 8:
        return []
    found = [
        joined(outer, prefix)
        for parent, prefix in parents.get(node, ())
        for outer in prefixes(parent, parents, (*seen, node))
    ]
    return list(dict.fromkeys(found)) or [""]
