"""`tags.scm`: the one query of a language, and what each of its patterns means.

Every pattern has one *main* capture, which gives its role:

* `@definition.KIND`   a declaration. With `@name`; with `@body` where it has one that a signature
                       leaves out or that holds members; `@value` for an initialiser; `@container`
                       for an owner that does not enclose it (a receiver, `Owner::name`).
                       `@name.within` in place of `@name`: the names stand somewhere below that
                       node, and `[names]` in `language.toml` says where. Each is a declaration.
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
* `@reference.KIND`    the name at a use, with `@receiver` where it has one: `call`, `type`, `base`,
                       or `value` where something is named that may be a function or a type, and
                       is neither called nor written as a type (`run(handler)`). A call may
                       have `@arguments`, in brackets, and further ones behind them.
* `@binding`           the name of a variable, parameter, field or function whose type is plain,
                       with one of: `@binding.type` for the type as written (of a function, what
                       it returns), `@binding.call` for what is called to make its value,
                       `@binding.second` for what is called to make several, it being the second,
                       `@binding.value` for an expression of the same type, `@binding.element` for
                       one whose elements are of the type (what a loop runs over),
                       `@binding.item` where the last value by key is meant (`k, v := range m`),
                       `@binding.holder` for the constructor in a pattern (`Work(w)`),
                       `@binding.bound` for the bound of a type parameter, `@binding.passed` for
                       what is called with a function of which it is a parameter, or
                       `@binding.taken` for that function's type, with `@binding.arguments` and
                       `@binding.parameters` for the lists these stand in; or `@binding.of` for
                       the pattern around it that takes something apart and is bound itself, with
                       `@binding.key` where the name is that of a member. A name alone, or one
                       that is bound to itself, has no plain type and hides what else has it.
                       `@binding.initializer` is the whole of what does not see the name yet;
                       `@binding.at` is the part in which alone the name has that type.
* `@block`             what variables that are declared in it do not leave.
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
`(#set! through "KIND")` passes over names below `@name.within` unless a node of that kind stands
between. `(#set! constructor "in_type")` makes a function that stands directly in a type its
constructor, `"named_like_type"` only where it has the name of its type, be that the one it stands
in or the last one of its container. `(#set! only "named_like_type")` lets a pattern hold where a
declaration stands directly in a type of its name, and nowhere else. `(#set! tokens "calls")` makes
uses of all names before a bracket in text that the grammar leaves alone: the body of a macro;
`"values"` of all names that stand between commas or brackets there.
`(#set! receiver "inside")` takes a use as it stands, `f` or `a.f`: the name is behind the last dot,
and its receiver in front of it. That costs less than a capture for each. `(#set! for "cutting")`
leaves a pattern out of the index, where another one declares the same name as the same kind.

Where a part is captured several times in one match it reaches from the first node to the last.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from enum import IntEnum
from typing import cast

import attrs
import tree_sitter

from sightline.languages.fragments import Expansion, Token

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

REFERENCE_KINDS = ("call", "type", "base", "value")


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
    BLOCK = 15


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
    "block": PatternRole.BLOCK,
}
_LONE = {
    "body": PatternRole.BODY,
    "value": PatternRole.VALUE,
    "import.name": PatternRole.IMPORTED,
    "import.alias": PatternRole.IMPORTED,
}
"""Parts that define the role of a pattern without a main capture."""

_PARTS = frozenset(
    [
        *("name", "name.within", "body", "value", "container", "wrapped", "receiver", "arguments"),
        *("import.module", "import.name", "import.alias"),
        *("binding.type", "binding.call", "binding.value", "binding.element", "binding.item"),
        *("binding.second", "binding.holder", "binding.bound", "binding.initializer", "binding.at"),
        *("binding.passed", "binding.taken", "binding.arguments", "binding.parameters"),
        *("binding.of", "binding.key"),
    ]
)
_KNOWN = frozenset([*_MAIN, *_PARTS])
_SETTINGS: Mapping[str, frozenset[str] | None] = {
    "name": None,
    "strip": None,
    "placeholder": None,
    "extent": frozenset(["rest"]),
    "local": frozenset(["drop", "keep"]),
    "members": frozenset(["yes"]),
    "through": None,
    "constructor": frozenset(["in_type", "named_like_type"]),
    "only": frozenset(["named_like_type"]),
    "tokens": frozenset(["calls", "values"]),
    "receiver": frozenset(["inside"]),
    "for": frozenset(["cutting"]),
}
"""The settings of a pattern, and their allowed values; None for any value."""
# The predicates that the binding evaluates; it ignores others silently.
_PREDICATES = frozenset(["eq?", "not-eq?", "match?", "not-match?", "any-of?", "set!"])

_SETTING = re.compile(
    r'\(\s*#set!\s+(?P<key>[\w.\-]+)\s+(?:"(?P<quoted>(?:\\.|[^"\\])*)"|(?P<bare>[^\s()"]+))\s*\)'
)
_NOTHING = "(ERROR)"
"""A pattern for any grammar that takes no time to compile. tree-sitter counts a pattern for any
node once, so it reads beyond its table when one of those is disabled.
"""
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
    is_nested: bool
    """True if its names are below `@name.within`."""
    through: str
    constructor: str
    only: str
    has_tokens: bool
    """True if it captures text that the grammar does not parse: the calls in it are the uses."""
    has_receiver_inside: bool
    """True if it captures a name, or a name after its receiver and a dot."""
    is_for_cutting: bool
    """True if the index has no need of it: another pattern declares the same there."""
    parts: frozenset[str]
    """Its other captures; parts that are not listed are not looked up."""


@attrs.frozen(eq=False)
class Tags:
    query: tree_sitter.Query
    patterns: tuple[QueryPattern, ...]
    """All patterns of the language, including those that this query skips: their numbers are the
    same.
    """


def load_tags(
    query: Expansion,
    grammar: tree_sitter.Language,
    patterns: tuple[QueryPattern, ...],
    skipped: Set[int] = frozenset(),
    parts: Sequence[str] = (),
) -> Tags:
    """Compile and validate a query without some patterns, and some parts of the others.

    For callers that need only part of the query: what is left out costs no time, neither here nor
    when a file is read. Raises `ValueError` with file and line of an error.
    """
    written = query.patterns
    lines = [
        # A skipped pattern keeps its number and its lines.
        line
        for number, tokens in enumerate(written)
        for line in (
            [_NOTHING, *[";"] * (len(tokens) - 1)]
            if number in skipped
            else [token[0] for token in tokens]
        )
    ]
    try:
        # A separate string: the binding writes into the string it gets to find the row of an error.
        compiled = tree_sitter.Query(grammar, "\n".join(lines) + "\n")
    except tree_sitter.QueryError as error:
        message = str(error)
        row = _ROW.search(message)
        number = int(row[1]) if row and "EOF" not in message else -1
        fault = _ROW.sub("", message, count=1)
        raise query.tokens[number].place.error(fault) from error
    # The binding's stubs declare a method; it is a property.
    if len(patterns) != cast(int, compiled.pattern_count):
        raise ValueError(f"{query.files[-1]}: its patterns cannot be told apart")
    for number, pattern in enumerate(patterns):
        if number in skipped:
            compiled.disable_pattern(number)
        elif pattern.through and not grammar.id_for_node_kind(pattern.through, True):
            place = written[number][0].place
            raise place.error(f"the grammar has no node kind '{pattern.through}'")
    for part in parts:
        compiled.disable_capture(part)
    return Tags(compiled, patterns)


def read_patterns(query: Expansion) -> tuple[QueryPattern, ...]:
    """Return the meaning of a query's patterns, without compiling the query."""
    patterns = []
    for tokens in query.patterns:
        texts = [token[0] for token in tokens]
        captures = [text[1:] for text in texts if text[0] == "@"]
        if not _KNOWN.issuperset(captures) or "#" in "".join(texts):
            _check_vocabulary(tokens)
        settings = _settings(texts) if "#set!" in texts else {}
        try:
            patterns.append(_pattern(captures, settings))
        except ValueError as error:
            raise tokens[0].place.error(str(error)) from error
    return tuple(patterns)


def _settings(texts: Sequence[str]) -> dict[str, str]:
    return {
        found["key"]: found["bare"] or _ESCAPE.sub(r"\1", found["quoted"] or "")
        for found in _SETTING.finditer(" ".join(texts))
    }


def _check_vocabulary(tokens: Sequence[Token]) -> None:
    for text, place in tokens:
        if text[0] == "@":
            capture = text[1:]
            if capture not in _MAIN and capture not in _PARTS and capture[0] != "_":
                raise place.error(f"unknown capture '{text}'")
        elif text[0] == "#" and text[1:] not in _PREDICATES:
            raise place.error(f"unknown predicate '{text}'")


def _pattern(captures: Sequence[str], settings: dict[str, str]) -> QueryPattern:
    main = sorted({capture for capture in captures if capture in _MAIN})
    if not main:
        main = [each for each in _LONE if each in captures][:1]
    if len(main) != 1:
        raise ValueError(
            "a pattern needs exactly one main capture, and has "
            + (", ".join(f"@{each}" for each in main) or "none")
        )
    for key, value in settings.items():
        if key not in _SETTINGS:
            raise ValueError(f"unknown setting '{key}'")
        values = _SETTINGS[key]
        if values is not None and value not in values:
            raise ValueError(f"'{key}' must be one of {', '.join(sorted(values))}")
    capture = main[0]
    is_nested = "name.within" in captures
    role = _MAIN[capture] if capture in _MAIN else _LONE[capture]
    has_name = is_nested or "name" in captures or "name" in settings
    if role is PatternRole.DEFINITION and not has_name:
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
        through=settings.get("through") or "",
        constructor=settings.get("constructor") or "",
        only=settings.get("only") or "",
        has_tokens="tokens" in settings,
        is_for_cutting=settings.get("for") == "cutting",
        has_receiver_inside=settings.get("receiver") == "inside",
        is_nested=is_nested,
        parts=frozenset([*captures, "name", "container"] if is_nested else captures),
    )
