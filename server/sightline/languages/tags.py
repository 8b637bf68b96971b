"""`tags.scm`: the one query of a language, and what each of its patterns means.

Every pattern has one *main* capture, which gives its role:

* `@definition.KIND`   a declaration. With `@name`; with `@body` where it has one that a signature
                       leaves out or that holds members; `@value` for an initialiser; `@container`
                       for an owner that does not enclose it (a receiver, `Owner::name`).
* `@scope`             something that encloses members but is no symbol of its own (`impl`), with
                       `@body` and, where it names the owner of its members, `@container`.
* `@wrapper`           a node around a declaration (`export`, `template<…>`) that belongs to its
                       region; `@wrapped` is the node inside.
* `@decorator`         a decorator, attribute or annotation.
* `@comment`           any comment.
* `@local`             a function without a name: variables inside it are no symbols.
* `@keep`              a statement that declares nothing but belongs in the signatures.
* `@error`             something the grammar is known to misread without saying so.
* `@body`              alone: a body without a symbol (an accessor, an initialiser block).
* `@value`             alone: a value without a symbol, left out where it has several lines.
* `@reference.KIND`    the name at a use, with `@receiver` where it has one.
* `@binding`           the name of a variable, parameter, field or function whose type is plain,
                       with `@binding.type` for the type as written (of a function, what it
                       returns) or `@binding.call` for what is called to make its value.
* `@package`           the name under which the rest of the file, or of what holds it, is known to
                       others, where that is no symbol (`package a.b;`).
* `@import`            an import statement, with `@import.module`, `@import.name`, `@import.alias`.
* `@import.name`       or `@import.alias` alone: a name imported by the statement around it. (A list
                       of names that waits for a module behind it takes a query cubic time.)

Captures that begin with `_` serve predicates only. Where two patterns capture the same name as a
definition, the one that stands first in the file wins.

Settings: `(#set! name "…")` names a declaration that has no name of its own,
`(#set! strip "…")` takes characters off both ends of the name (`:` of a Ruby symbol),
`(#set! placeholder "…")` stands for this pattern's body or value in a signature,
`(#set! extent "rest")` makes a declaration reach to the next one like it or to the end of the node
around it (`namespace N;`), and `(#set! local "drop")` or `"keep"` says whether it is a symbol
inside a function, where that is not as for its kind: variables are none, all else is.
`(#set! members "yes")` makes what stands in a scope or declaration its members, as in a type.

Where a part is captured several times in one match it reaches from the first node to the last.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import cast

import attrs
import tree_sitter

KINDS = (
    "class",
    "interface",
    "struct",
    "enum",
    "trait",
    "module",
    "type",
    "function",
    "method",
    "constructor",
    "property",
    "field",
    "constant",
    "variable",
    "macro",
)

REFERENCE_KINDS = ("call", "type", "base")


class PatternRole(IntEnum):
    DEFINITION = 0
    SCOPE = 1
    WRAPPER = 2
    DECORATOR = 3
    COMMENT = 4
    LOCAL = 5
    BODY = 6
    REFERENCE = 7
    IMPORT = 8
    KEEP = 9
    VALUE = 10
    ERROR = 11
    IMPORTED = 12
    BINDING = 13
    PACKAGE = 14


_MAIN = {
    **{f"definition.{kind}": PatternRole.DEFINITION for kind in KINDS},
    **{f"reference.{kind}": PatternRole.REFERENCE for kind in REFERENCE_KINDS},
    "scope": PatternRole.SCOPE,
    "wrapper": PatternRole.WRAPPER,
    "decorator": PatternRole.DECORATOR,
    "comment": PatternRole.COMMENT,
    "local": PatternRole.LOCAL,
    "import": PatternRole.IMPORT,
    "keep": PatternRole.KEEP,
    "error": PatternRole.ERROR,
    "binding": PatternRole.BINDING,
    "package": PatternRole.PACKAGE,
}
_LONE = {
    "body": PatternRole.BODY,
    "value": PatternRole.VALUE,
    "import.name": PatternRole.IMPORTED,
    "import.alias": PatternRole.IMPORTED,
}
"""Parts that have a meaning of their own where nothing else gives a pattern its role."""

_PARTS = frozenset(
    [
        *("name", "body", "value", "container", "wrapped", "receiver"),
        *("import.module", "import.name", "import.alias"),
        *("binding.type", "binding.call"),
    ]
)
_SETTINGS = frozenset(["name", "strip", "placeholder", "extent", "local", "members"])
# Those that the binding evaluates; it passes over any other in silence.
_PREDICATES = frozenset(["eq?", "not-eq?", "match?", "not-match?", "any-of?", "set!"])

# A string, a comment, a capture or a predicate; the first two only so that they are passed over.
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|;[^\n]*|@(?P<capture>[\w.\-]+)|#(?P<predicate>[\w\-]+[?!])')
_PART = re.compile(r'"(?:\\.|[^"\\])*"|;[^\n]*|[()\[\]]|@[\w.\-]+')
_SETTING = re.compile(
    r'\(\s*#set!\s+(?P<key>[\w.\-]+)\s+(?:"(?P<quoted>(?:\\.|[^"\\])*)"|(?P<bare>[^\s()"]+))\s*\)'
)
_ESCAPE = re.compile(r"\\(.)")
_ROW = re.compile(r" at row (\d+), column \d+")


@attrs.frozen
class QueryPattern:
    role: PatternRole
    kind: str
    capture: str
    name: str | None
    strip: str
    placeholder: str | None
    extends: bool
    local: str
    has_members: bool
    parts: frozenset[str]
    """What it may capture besides, so that nobody looks for what is never there."""


@attrs.frozen(eq=False)
class Tags:
    query: tree_sitter.Query
    patterns: tuple[QueryPattern, ...]

    def disable(self, roles: frozenset[PatternRole], parts: Sequence[str]) -> None:
        """Let the query pass over patterns with these roles, and leave these parts out of others.

        For those who need less of a file than the query can tell: what is not looked for costs
        no time.
        """
        for index, pattern in enumerate(self.patterns):
            if pattern.role in roles:
                self.query.disable_pattern(index)
        for part in parts:
            self.query.disable_capture(part)


def load_tags(files: Sequence[Path], grammar: tree_sitter.Language) -> Tags:
    """Compile and validate the query in some files. A ValueError names file and line of a fault."""
    sources = [_read(file) for file in files]
    source = "".join(f"{each}\n" for each in sources)
    starts = [0, *itertools.accumulate(each.count("\n") + 1 for each in sources)]

    def place(line: int) -> str:
        which = bisect_left(starts, line) - 1
        return f"{files[which]}:{line - starts[which]}"

    try:
        # A copy: to tell the row of an error the binding writes into the very string it was given.
        query = tree_sitter.Query(grammar, source + "\n")
    except tree_sitter.QueryError as error:
        line = _line_of_error(source, str(error))
        raise ValueError(f"{place(line)}: {_ROW.sub('', str(error), count=1)}") from error
    patterns = read_patterns(files)
    # The binding's stubs call this a method; it is a property.
    if len(patterns) != cast(int, query.pattern_count):
        raise ValueError(f"{files[-1]}: its patterns cannot be told apart")
    return Tags(query, patterns)


def read_patterns(files: Sequence[Path]) -> tuple[QueryPattern, ...]:
    """What the patterns in some files mean, for whoever has no use for the query itself."""
    patterns = []
    for file in files:
        source = _read(file)
        for start, end in _extents(source):
            written = source[start:end]
            settings = {
                found["key"]: found["bare"] or _ESCAPE.sub(r"\1", found["quoted"] or "")
                for found in _SETTING.finditer(written)
            }
            try:
                patterns.append(_pattern(written, settings))
            except ValueError as error:
                line = source.count("\n", 0, start) + 1
                raise ValueError(f"{file}:{line}: {error}") from error
    return tuple(patterns)


def _read(file: Path) -> str:
    try:
        source = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{file}: {error}") from error
    _check_vocabulary(file, source)
    return source


def _extents(source: str) -> list[tuple[int, int]]:
    """Where each pattern of a query stands: a node, a list or a string, with what is behind it."""
    extents: list[tuple[int, int]] = []
    depth = 0
    for token in _PART.finditer(source):
        part = token[0]
        if part.startswith(";"):
            continue
        if not depth and part[0] in '(["':
            extents.append((token.start(), token.end()))
        if part in "([":
            depth += 1
        elif part in ")]":
            depth -= 1
        if extents:
            extents[-1] = (extents[-1][0], token.end())
    return extents


def _line_of_error(source: str, message: str) -> int:
    """The 1-based line a query error is about. The binding's rows do not count empty lines."""
    row = _ROW.search(message)
    numbers = [number for number, line in enumerate(source.split("\n"), 1) if line]
    if row is None or "EOF" in message:
        return numbers[-1] if numbers else 1
    return numbers[min(int(row[1]), len(numbers) - 1)]


def _check_vocabulary(file: Path, source: str) -> None:
    for token in _TOKEN.finditer(source):
        line = source.count("\n", 0, token.start()) + 1
        capture = token["capture"]
        if capture and capture not in _MAIN and capture not in _PARTS and capture[0] != "_":
            raise ValueError(f"{file}:{line}: unknown capture '@{capture}'")
        predicate = token["predicate"]
        if predicate and predicate not in _PREDICATES:
            raise ValueError(f"{file}:{line}: unknown predicate '#{predicate}'")


def _pattern(source: str, settings: dict[str, str]) -> QueryPattern:
    captures = [token["capture"] for token in _TOKEN.finditer(source) if token["capture"]]
    main = sorted({capture for capture in captures if capture in _MAIN})
    if not main:
        main = [each for each in _LONE if each in captures][:1]
    if len(main) != 1:
        raise ValueError(
            "a pattern needs exactly one main capture, and has "
            + (", ".join(f"@{each}" for each in main) or "none")
        )
    for key in settings:
        if key not in _SETTINGS:
            raise ValueError(f"unknown setting '{key}'")
    capture = main[0]
    role = _MAIN[capture] if capture in _MAIN else _LONE[capture]
    if role is PatternRole.DEFINITION and "name" not in captures and "name" not in settings:
        raise ValueError(f"@{capture} needs a @name")
    if role is PatternRole.WRAPPER and "wrapped" not in captures:
        raise ValueError("@wrapper needs a @wrapped")
    return QueryPattern(
        role=role,
        kind=capture.partition(".")[2],
        capture=capture,
        name=settings.get("name"),
        strip=settings.get("strip") or "",
        placeholder=settings.get("placeholder"),
        extends=settings.get("extent") == "rest",
        local=settings.get("local") or "",
        has_members=settings.get("members") == "yes",
        parts=frozenset(captures),
    )
