"""Named parts of queries: written once and inserted wherever they are used.

* `(define.NAME …)` at the top of a file defines a part: the rest after the name.
* `(use.NAME)` is replaced by the part. A field, a quantifier or a capture around a use applies to
  the part. `(use.NAME ARGUMENT)` passes one or two expressions.
* `(argument.1)` and `(argument.2)` in a part are replaced by what its use passes.

Tools for query files read all three as nodes. The last file that defines a name wins: a language
that extends others replaces parts in their patterns too.

Invariant: the expansion has one token per line, and each knows where it was written: every error,
including the grammar's, names file and line as written, and the uses that led there.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import attrs

FRAGMENTS = "fragments.scm"
"""The query file of a shared folder: parts for several languages, without patterns."""

_DEFINE, _USE, _ARGUMENT = "define.", "use.", "argument."
_MARKS = (_DEFINE, _USE, _ARGUMENT)
_MOST_ARGUMENTS = 2

_TOKEN = re.compile(
    r"""
      ;.*
    | ( " (?: \\. | [^"\\] )* " | [()\[\]] | [*+?] | @[\w.\-]+ | \#[\w.\-]+[?!]?
      | ![\w.\-]+ | [\w.\-/]+ :? | \S )
    """,
    re.VERBOSE,
)
"""A comment, or in the only group a token, of one line."""
_SINGLE = frozenset("()[]*+?.-/_")
"""Characters that can be a token besides letters and digits."""
_CLOSING = {"(": ")", "[": "]"}


class Place(NamedTuple):
    """Where a token was written, and the use that inserted it."""

    file: Path
    line: int
    use: Place | None = None

    def __str__(self) -> str:
        written, use = f"{self.file}:{self.line}", self.use
        return written if use is None else f"{written} (used at {use})"

    def error(self, fault: str) -> ValueError:
        """Return an error at this place, followed by the uses that led there."""
        used = f" (used at {self.use})" if self.use else ""
        return ValueError(f"{self.file}:{self.line}: {fault}{used}")


class Token(NamedTuple):
    text: str
    place: Place


@attrs.frozen(eq=False)
class Expansion:
    """The query of a language with every use replaced by its part."""

    files: tuple[Path, ...]
    tokens: tuple[Token, ...]
    patterns: Sequence[Sequence[Token]]
    """The tokens of each pattern: a node, a list or a string, with what follows it."""

    @property
    def source(self) -> str:
        return "\n".join(token.text for token in self.tokens)


def expand(files: Sequence[Path]) -> Expansion:
    """Return the query in some files. Raises `ValueError` with file and line of an error.

    If two parts have the same name, the later file wins. Parts of the last file must be used:
    otherwise they would not be checked.
    """
    definitions: dict[str, _Fragment] = {}
    patterns: list[_Item] = []
    for file in files:
        own: dict[str, _Fragment] = {}
        for item in _parsed(_tokens_of(file)):
            definition = _definition(item)
            if definition is None:
                if file.name == FRAGMENTS:
                    raise _place(item).error("a pattern stands where only parts are defined")
                patterns.append(item)
                continue
            if definition.name in own:
                raise definition.place.error(f"'{definition.name}' is defined twice")
            own[definition.name] = definition
        definitions.update(own)
    expander = _Expander(definitions)
    tokens = expander.expanded(patterns, _Insertion())
    for name, definition in definitions.items():
        if name not in expander.used and definition.place.file == files[-1]:
            raise definition.place.error(f"'{name}' is defined and never used")
    flat = [_with_flat_lists(each) for each in _patterns(tokens)]
    return Expansion(tuple(files), tuple(itertools.chain.from_iterable(flat)), flat)


def _patterns(tokens: Sequence[Token]) -> list[list[Token]]:
    patterns: list[list[Token]] = []
    depth = start = 0
    is_begun = False
    for index, (text, _) in enumerate(tokens):
        if text == "(" or text == "[":
            if not depth:
                if is_begun:
                    patterns.append(list(tokens[start:index]))
                start, is_begun = index, True
            depth += 1
        elif text == ")" or text == "]":
            depth -= 1
        elif not depth and text[0] == '"':
            if is_begun:
                patterns.append(list(tokens[start:index]))
            start, is_begun = index, True
    if is_begun:
        patterns.append(list(tokens[start:]))
    return patterns


class _Brackets(NamedTuple):
    """A pair of brackets and its contents."""

    opening: Token
    items: tuple[_Item, ...]
    closing: Token
    plain: Sequence[Token]
    """All tokens, including the brackets, if no part is used inside; else empty."""

    @property
    def head(self) -> str:
        """Return the name of a node, "" for a list or a group."""
        first = self.items[0] if self.items and self.opening.text == "(" else None
        return first.text if isinstance(first, Token) else ""

    def named(self, prefix: str) -> str:
        """Return the rest of a node's name after a prefix."""
        return self.head.removeprefix(prefix) if self.head.startswith(prefix) else ""


_Item = Token | _Brackets


@attrs.frozen(eq=False)
class _Fragment:
    name: str
    place: Place
    body: tuple[_Item, ...]
    arguments: int
    """How many arguments it takes."""


@attrs.frozen(eq=False)
class _Insertion:
    """The context in which a part is expanded: the use that it replaces."""

    use: Place | None = None
    arguments: Sequence[Sequence[Token]] | None = None
    """None outside of a part."""
    names: tuple[str, ...] = ()
    """The names of the parts around it."""
    places: dict[int, Place] = attrs.Factory(dict)
    """The place of each line of the part, for this use."""

    def placed(self, tokens: Sequence[Token]) -> list[Token]:
        """Return tokens of the part with their places for this use."""
        places, use = self.places, self.use
        placed: list[Token] = []
        for text, (file, line, _) in tokens:
            place = places.get(line)
            if place is None:
                place = places[line] = Place(file, line, use)
            placed.append(Token(text, place))
        return placed


def _tokens_of(file: Path) -> list[Token]:
    try:
        source = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{file}: {error}") from error
    tokens: list[Token] = []
    for number, line in enumerate(source.split("\n"), 1):
        if not line or line[0] == ";":
            continue
        place = Place(file, number)
        for text in _TOKEN.findall(line):
            if text:
                tokens.append(Token(text, place))
                if len(text) == 1 and not (text in _SINGLE or text.isalnum()):
                    raise place.error(f"unexpected character {text!r}")
    return tokens


def _parsed(tokens: Sequence[Token]) -> list[_Item]:
    """Return tokens grouped by their brackets."""
    items: list[_Item] = []
    # For each open bracket: the items before it in the one around it, its number, and True if no
    # part is used in it so far.
    stack: list[tuple[list[_Item], int, bool]] = []
    is_plain = True
    for index, token in enumerate(tokens):
        text = token.text
        if text == "(" or text == "[":
            stack.append((items, index, is_plain))
            items, is_plain = [], True
        elif text == ")" or text == "]":
            if not stack or _CLOSING[tokens[stack[-1][1]].text] != text:
                raise token.place.error(f"'{text}' closes nothing")
            around, start, is_plain_around = stack.pop()
            plain = tokens[start : index + 1] if is_plain else ()
            around.append(_Brackets(tokens[start], tuple(items), token, plain))
            items, is_plain = around, is_plain and is_plain_around
        else:
            items.append(token)
            if text.startswith(_MARKS):
                is_plain = False
    if stack:
        opening = tokens[stack[-1][1]]
        raise opening.place.error(f"'{opening.text}' is never closed")
    return items


def _place(item: _Item) -> Place:
    return item.place if isinstance(item, Token) else item.opening.place


def _definition(item: _Item) -> _Fragment | None:
    name = item.named(_DEFINE) if isinstance(item, _Brackets) else ""
    if not name or not isinstance(item, _Brackets):
        return None
    place, body = item.opening.place, item.items[1:]
    if not body:
        raise place.error(f"'{name}' is defined as nothing")
    numbers = set(_argument_numbers(body))
    if numbers == {"2"}:
        raise place.error(f"'{name}' has no use for its first argument")
    return _Fragment(name, place, body, len(numbers))


def _argument_numbers(items: Sequence[_Item]) -> Iterator[str]:
    for item in items:
        if not isinstance(item, _Brackets):
            continue
        number = item.named(_ARGUMENT)
        if number:
            if number not in map(str, range(1, _MOST_ARGUMENTS + 1)):
                raise item.opening.place.error(
                    f"'{_ARGUMENT}{number}': a part takes {_MOST_ARGUMENTS} arguments at most"
                )
            yield number
        yield from _argument_numbers(item.items)


class _Expander:
    """Replaces uses by parts."""

    def __init__(self, definitions: Mapping[str, _Fragment]) -> None:
        self._definitions = definitions
        self.used: set[str] = set()

    def expanded(self, items: Sequence[_Item], scope: _Insertion) -> list[Token]:
        tokens: list[Token] = []
        for index, item in enumerate(items):
            plain = (item,) if isinstance(item, Token) else item.plain
            if plain or isinstance(item, Token):
                tokens += plain if scope.use is None else scope.placed(plain)
                continue
            before = items[index - 1] if index else None
            after = items[index + 1] if index + 1 < len(items) else None
            tokens += self._brackets(item, scope, before, after)
        return tokens

    def _brackets(
        self, item: _Brackets, scope: _Insertion, before: _Item | None, after: _Item | None
    ) -> list[Token]:
        opening = _at_use(item.opening, scope)
        if item.named(_DEFINE):
            raise opening.place.error(f"'{item.head}' does not stand at the top of its file")
        number = item.named(_ARGUMENT)
        if number:
            return self._argument(item, number, scope)
        name = item.named(_USE)
        if not name:
            closing = _at_use(item.closing, scope)
            return [opening, *self.expanded(item.items, scope), closing]
        part = self._part(item, name, opening.place, scope)
        is_repeated = isinstance(after, Token) and after.text in "*+?"
        has_field = isinstance(before, Token) and before.text.endswith(":")
        is_captured = isinstance(after, Token) and after.text.startswith("@")
        if has_field or is_captured or is_repeated:
            count = len(_expressions(self._definitions[name].body))
            if count > 1 and not is_repeated:
                around = "field" if has_field else "capture"
                raise opening.place.error(f"'{name}' has several parts: no {around} fits them all")
            if count > 1 or (is_repeated and len(self._definitions[name].body) > 1):
                return [Token("(", opening.place), *part, Token(")", opening.place)]
        return part

    def _argument(self, item: _Brackets, number: str, scope: _Insertion) -> list[Token]:
        place = _at_use(item.opening, scope).place
        if scope.arguments is None:
            raise place.error(f"'{item.head}' stands in no part")
        if len(item.items) > 1:
            raise place.error(f"'{item.head}' takes nothing")
        return list(scope.arguments[int(number) - 1])

    def _part(self, item: _Brackets, name: str, place: Place, scope: _Insertion) -> list[Token]:
        definition = self._definitions.get(name)
        if definition is None:
            raise place.error(f"no part is called '{name}'")
        if name in scope.names:
            cycle = " → ".join([*scope.names[scope.names.index(name) :], name])
            raise place.error(f"'{name}' uses itself: {cycle}")
        self.used.add(name)
        given = _expressions(item.items[1:])
        if len(given) != definition.arguments:
            raise place.error(f"'{name}' takes {definition.arguments} arguments, not {len(given)}")
        arguments = [self.expanded(each, scope) for each in given]
        return self.expanded(definition.body, _Insertion(place, arguments, (*scope.names, name)))


def _at_use(token: Token, scope: _Insertion) -> Token:
    return token if scope.use is None else scope.placed([token])[0]


def _expressions(items: Sequence[_Item]) -> list[list[_Item]]:
    """Group items by expression: each with the field before it, and quantifiers and captures after
    it.
    """
    found: list[list[_Item]] = []
    is_open = False
    for item in items:
        text = item.text if isinstance(item, Token) else ""
        if text and (text in "*+?" or text[0] == "@") and found:
            found[-1].append(item)
        elif is_open:
            found[-1].append(item)
            is_open = text.endswith(":")
        else:
            found.append([item])
            is_open = text.endswith(":") or text == "."
    return found


def _with_flat_lists(tokens: list[Token]) -> list[Token]:
    """Return tokens with nested lists merged into the list around them.

    A part is often a list, used as a branch of another list. tree-sitter would then find only the
    first branch of the inner list. A list in a group in a list is refused.
    """
    if [text for text, _ in tokens].count("[") < 2:
        return tokens
    flat: list[Token] = []
    # The open brackets; "[(" for a group that is a branch of a list.
    stack: list[str] = []
    start, is_nested = 0, False
    for index, token in enumerate(tokens):
        text = token.text
        if text == "(" or text == "[":
            around = stack[-1] if stack else ""
            if not around:
                flat += tokens[start:index]
                start, is_nested = index, False
            elif text == "[" and around == "[(":
                raise token.place.error("a list stands in a group that is a branch of a list")
            elif text == "[" == around:
                is_nested = True
            elif around[0] == "[" and tokens[index + 1].text in ("(", "["):
                text = "[("
            stack.append(text)
        elif text == ")" or text == "]":
            stack.pop()
            if not stack and is_nested:
                flat += _flattened(_parsed(tokens[start : index + 1]))
                start = index + 1
    return flat + tokens[start:]


def _flattened(items: Sequence[_Item]) -> list[Token]:
    tokens: list[Token] = []
    for item in items:
        if isinstance(item, Token):
            tokens.append(item)
            continue
        is_list = item.opening.text == "["
        inside = _branches(item) if is_list else _flattened(item.items)
        tokens += (item.opening, *inside, item.closing)
    return tokens


def _branches(brackets: _Brackets) -> list[Token]:
    """Return the branches of a list. A field or capture of an inner list goes to each of its
    branches.
    """
    tokens: list[Token] = []
    for expression in _expressions(brackets.items):
        index = next((i for i, each in enumerate(expression) if isinstance(each, _Brackets)), 0)
        inner = expression[index]
        if isinstance(inner, Token) or inner.opening.text != "[":
            tokens += _flattened(expression)
            continue
        before, behind = _flattened(expression[:index]), _flattened(expression[index + 1 :])
        if any(token.text in "*+?" for token in behind):
            raise inner.opening.place.error("a list that is a branch of a list cannot be repeated")
        for branch in _expressions(_parsed(_branches(inner))):
            tokens += (*before, *_flattened(branch), *behind)
    return tokens
