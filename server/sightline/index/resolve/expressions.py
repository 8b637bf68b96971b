"""Expressions and types as they are written: short texts, of any language, taken apart.

Receivers and types are kept as text of one line, so these few forms are all there is to read. What
is not plainly one of them is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sightline.index.resolve import type_texts

_DEEPEST = 24
LEFT_OUT = "…"
"""Stands between the brackets of a call for what was left out there; see `shortening`."""
LINK = re.compile(r"‥(?:\.|->)\s*(\w+)(?:::<[^()]*>|<[^()]*>)?\(…?\)")
"""The first call that is left of a long chain; see `LINKED`."""
SEPARATOR = re.compile(r"\s*(?:\?\.|!!?\.|->|::|\.|\\)\s*")
PLAIN = re.compile(r"[\w$@#]+(?:(?:\?\.|!!?\.|->|::|\.|\\)[\w$@#]+)*!{0,2}")
CHOSEN = re.compile(r"(\w+)[<@\[]([\w.]+)[>\]]?")
"""One of several that a word may mean: `super<A>`, `this@Outer`."""
_DECORATION = re.compile(
    r"^(?:[*&\s(]+|(?:mut|const|ref|dyn|impl|final|readonly|struct|class|enum|out|in|inout|volatile|"
    r"unsigned|static|typename|some|any|keyof|typeof)\s+|'\w+\s+)+|[?!*&\s)]+$"
)
_ARRAY = re.compile(r"\[[\s\d]*\]$")
REQUIRED = re.compile(r"""(\w+)\s*\(?\s*(["'])([^"']+)\2\s*\)?""")
NAMED_SUPER = re.compile(r"(\w+)\((\w+),[^()]*\)$")
"""`super(Type, self)`."""
QUALIFIED = re.compile(r"<.+\sas\s+([\w$:]+)(?:<.*>)?>$")
"""`<T as Trait>`, which has the trait's members."""
CAST = re.compile(r"\sas[?!]?\s+([\w$.<>]+)$")
_ANONYMOUS_BODY = re.compile(r"\)\s*\{.*\}$")
_STEP = re.compile(r"(?:\?\.|!!?\.|->|::|\.|\\)\s*([\w$@#]+)(?:(?:::)?<[\w$@.,:&'?<>\s]*>)?$")
_NOTHING = frozenset(["None", "null", "undefined", "nil", "void", "never", "NoneType"])


def dotted(module: str) -> str:
    return module.strip("\\").replace("\\", ".").replace("::", ".")


def unwrapped(expression: str) -> str:
    """An expression without what is around it and says nothing about its type."""
    for _ in range(_DEEPEST):
        before = expression
        expression = expression.strip().removeprefix("await ").strip()
        if expression.startswith("new "):
            # The body of an anonymous class adds to what is made.
            expression = _ANONYMOUS_BODY.sub(")", expression.removeprefix("new ")).strip()
        if expression.startswith("(") and _opening(expression) == 0:
            expression = expression[1:-1]
        if expression == before:
            break
    return expression


def _opening(expression: str) -> int:
    """Where the bracket at the end of an expression was opened; -1 where there is none."""
    depth = 0
    for position in range(len(expression) - 1, -1, -1):
        if expression[position] == ")":
            depth += 1
        elif expression[position] == "(":
            depth -= 1
        if not depth:
            return position if expression[position] == "(" else -1
    return -1


def callee_of(expression: str) -> str:
    """What stands before the brackets of a call at the end of an expression."""
    opening = _opening(expression)
    return _without_types(expression[:opening].strip()) if opening > 0 else ""


def _without_types(callee: str) -> str:
    """A callee without type arguments behind it: `f<A>`, `f::<A<B>>`."""
    depth = 0
    for position in range(len(callee) - 1, 0, -1) if callee.endswith(">") else ():
        character = callee[position]
        if character == ">" and callee[position - 1] not in "-=":
            depth += 1
        elif character == "<":
            depth -= 1
        elif character in "()":
            return callee
        if not depth:
            head = callee[:position].removesuffix("::")
            return head if head[-1:].isalnum() or head[-1:] == "_" else callee
    return callee


def passed_to(expression: str) -> str | None:
    """What the call at the end of an expression passes; None where that was left out of it."""
    passed = expression[_opening(expression) + 1 : -1].strip()
    return None if LEFT_OUT in passed else passed


def last_step(expression: str) -> tuple[str, str]:
    """What stands before the last name of an expression, "" for nothing, and that name."""
    found = _STEP.search(expression)
    if not found:
        return "", expression
    return expression[: found.start()].rstrip(), found[1]


def bare_type(written: str, wrappers: Sequence[str]) -> str:
    """The one name in a type as written; "" where there is not one alone."""
    for _ in range(_DEEPEST):
        written = written.strip().strip("\"'`").strip()
        before = written
        if _ARRAY.search(written):
            return ""
        written = _DECORATION.sub("", written)
        if "|" in written and not _bracket(written):
            kept = [each.strip() for each in written.split("|") if each.strip() not in _NOTHING]
            if len(kept) != 1:
                return ""
            written = kept[0]
        opening = _bracket(written)
        if opening:
            head = written[: opening - 1].strip()
            if head in wrappers or head.rpartition(".")[2] in wrappers:
                end = type_texts.closing(written, opening - 1)
                inner = type_texts.split(written[opening:end] if end > 0 else "", ",")
                written = next((each for each in inner if not each.startswith("'")), "")
            elif written.rstrip().endswith((">", "]")):
                written = head
            else:
                return ""
        if written == before:
            break
    return written if PLAIN.fullmatch(written) else ""


def _bracket(written: str) -> int:
    """The position after the first bracket of type arguments; 0 without one."""
    found = re.search(r"[<\[]", written)
    return found.end() if found else 0
