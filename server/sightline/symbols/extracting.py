"""Extract facts: the query's matches in a text are packed as they are found.

Every file of a workspace passes through here; it takes most of the time of a scan.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import count, pairwise
from typing import Any

import msgspec
import tree_sitter

from sightline.languages import Language
from sightline.languages.tags import PatternRole, QueryPattern, Tags
from sightline.symbols.argument_shapes import add_arguments, parameter_list
from sightline.symbols.binding_rows import FoundBindings, add_binding, binding_form
from sightline.symbols.facts import Facts, Table, keys_of_names
from sightline.symbols.frames import RawFrame, extent_of, namesakes, raw_frame
from sightline.symbols.importing import import_parts
from sightline.symbols.model import CALLABLE_KINDS
from sightline.symbols.nested_names import with_names
from sightline.symbols.shortening import Expressions
from sightline.symbols.token_calls import calls_in_tokens, values_in_tokens
from sightline.syntax import Parsed, matches
from sightline.text import Span, Text

_SPACE = re.compile(rb"[ \t\r\n\f\v]*")

# Copied: an attribute of an enumeration costs more than most work on a match.
_REFERENCE = PatternRole.REFERENCE
_BINDING = PatternRole.BINDING
_IMPORT = PatternRole.IMPORT
_IMPORTED = PatternRole.IMPORTED
_DECORATOR = PatternRole.DECORATOR
_PACKAGE = PatternRole.PACKAGE
_BLOCK = PatternRole.BLOCK
_DEFINITION = PatternRole.DEFINITION
_TOKENS = "tokens"
_SELECTION = "selection"
"""Used instead of a role: references that are plain tokens for the grammar, and references whose
node includes the receiver.
"""

_ReferenceRow = tuple[int, int, bytes, bytes]
_ImportRow = tuple[int, int, int, bytes, bytes, bytes]


def extract(parsed: Parsed) -> Facts:
    """Return every declaration, use and import of one file."""
    return extract_with_keys(parsed)[0]


def extract_with_keys(parsed: Parsed) -> tuple[Facts, frozenset[int]]:
    """Return the facts of a file, and the keys that find it; see `keys_of`."""
    rows = extract_rows(parsed, None)
    names = Names()
    tables: dict[str, Table] = {
        name: tuple(column.tobytes() for column in names.pack(rows, name)) for name in TABLES
    }
    facts = Facts(
        language=parsed.language.name,
        parse_clean=not parsed.errors,
        names=names.table(),
        line_lengths=line_lengths(parsed.text),
        is_private=False,
        **tables,
    )
    return facts, keys_of(rows)


class _TableShape(msgspec.Struct, frozen=True):
    """The roles of a table's columns, by position."""

    width: int
    names: tuple[int, ...]
    offsets: tuple[int, ...] = (0,)
    has_end: bool = False


TABLES = {
    "frames": _TableShape(8, (5, 7), (0, 1, 2, 4), has_end=True),
    "decorators": _TableShape(2, (), (0, 1)),
    "parameters": _TableShape(2, (1,)),
    "references": _TableShape(4, (2, 3)),
    "arguments": _TableShape(2, (1,)),
    "imports": _TableShape(6, (3, 4, 5), (0, 1)),
    "bindings": _TableShape(5, (2, 3), (0, 1), has_end=True),
    "blocks": _TableShape(2, (), (0, 1), has_end=True),
    "packages": _TableShape(2, (1,)),
}


def line_lengths(text: Text) -> bytes:
    data = text.data
    if b"\r" in data:
        starts = [*text.line_starts, len(data) + 1]
        return array("I", [end - start - 1 for start, end in pairwise(starts)]).tobytes()
    return array("I", map(len, data.split(b"\n"))).tobytes()


Columns = tuple[Sequence[Any], ...]
"""A table before it is packed: names are still UTF-8."""


class Rows:
    """The matches of a text, each table by columns and in order."""

    __slots__ = ("_tables", "given", "is_open_ended")

    def __init__(
        self, *, is_open_ended: bool = False, given: Set[bytes] = frozenset(), **tables: Columns
    ) -> None:
        self._tables = tables
        self.is_open_ended = is_open_ended
        """True if a declaration extends to the next one of its kind, so that distant text affects
        it.
        """
        self.given = given
        """Names that are not in the text: patterns give them."""

    def __getitem__(self, table: str) -> Columns:
        return self._tables[table]

    def within(self, window: Span) -> Rows:
        """Return the rows that touch a part of the text."""
        start, end = window.start, window.end
        kept: dict[str, Columns] = {}
        for name, columns in self._tables.items():
            if TABLES[name].has_end:
                rows = [
                    row for row in zip(*columns, strict=True) if row[0] < end and row[1] > start
                ]
            else:
                rows = [row for row in zip(*columns, strict=True) if start <= row[0] < end]
            kept[name] = _columns(rows, name)
        return Rows(is_open_ended=self.is_open_ended, given=self.given, **kept)


def _columns(rows: Sequence[tuple[Any, ...]], table: str) -> Columns:
    return tuple(zip(*rows, strict=True)) if rows else ((),) * TABLES[table].width


@lru_cache(maxsize=64)
def _ways(tags: Tags) -> list[tuple[PatternRole | str, str, bool, tuple[str, int]]]:
    """Return how to read each pattern's matches, by its number, to save look-ups per match.

    Role, main capture, True if a reference has other parts, and what a binding says.
    """
    return [
        (
            _TOKENS
            if pattern.has_tokens
            else _SELECTION
            if pattern.has_receiver_inside
            else pattern.role,
            pattern.capture,
            not pattern.parts.isdisjoint(("receiver", "arguments")),
            binding_form(pattern) if pattern.role is _BINDING else ("", -1),
        )
        for pattern in tags.patterns
    ]


def extract_rows(parsed: Parsed, within: Span | None) -> Rows:
    """Return what the query finds in a text, or in what overlaps a part of it."""
    language, text, data = parsed.language, parsed.text, parsed.text.data
    tags, patterns = language.index_tags, language.patterns
    frames, candidates = list[RawFrame](), list[RawFrame]()
    references: list[_ReferenceRow] = []
    arguments: dict[int, bytes] = {}
    imports: list[_ImportRow] = []
    bindings: FoundBindings = {}
    packages: list[tuple[int, bytes]] = []
    decorators, blocks = list[tuple[int, int]](), list[tuple[int, int]]()
    expressions = Expressions(data, language.comments.line)
    ways = _ways(tags)
    has_arrows = language.modules.arrow_members
    for index, captures in matches(parsed, tags.query, within):
        role, capture, has_parts, form = ways[index]
        if role is _REFERENCE:
            start, end = captures[capture][0].byte_range
            receiver = b""
            if has_parts:
                if "arguments" in captures:
                    add_arguments(arguments, start, captures["arguments"], data, has_arrows)
                if "receiver" in captures:
                    receiver = expressions.short(*captures["receiver"][0].byte_range)
            references.append((start, index, data[start:end], receiver))
        elif role is _BINDING:
            add_binding(bindings, index, captures, data, expressions, form)
        elif role is _SELECTION:
            references.append(_selection_row(captures[capture][0], index, data, expressions))
        elif role is _TOKENS:
            start, end = captures[capture][0].byte_range
            found = values_in_tokens if patterns[index].kind == "value" else calls_in_tokens
            references += found(start, end, index, data, expressions)
        elif role is _BLOCK:
            blocks.append(captures["block"][0].byte_range)
        elif role is _IMPORT or role is _IMPORTED:
            imports.append(_import_row(patterns[index], captures, text, language))
        elif role is _DECORATOR:
            decorators.append(_decorator_row(captures["decorator"][0], data))
        elif role is _PACKAGE:
            packages.append((captures["package"][0].start_byte, _text(captures["package"], data)))
        else:
            pattern = patterns[index]
            for each in (
                with_names(captures, pattern, language) if pattern.is_nested else (captures,)
            ):
                raw = raw_frame(index, pattern, each, data, language)
                (candidates if pattern.only else frames).append(raw)
    frames += [candidates[number] for number in namesakes(candidates, frames, patterns)]
    return _rows(
        parsed,
        frames=frames,
        decorators=decorators,
        references=references,
        arguments=list(arguments.items()),
        imports=imports,
        bindings=[row for *_, row in bindings.values()],
        blocks=blocks,
        packages=packages,
    )


def _selection_row(
    node: tree_sitter.Node, index: int, data: bytes, expressions: Expressions
) -> _ReferenceRow:
    """Return the row of a reference that is captured whole: `f` or `a.f`."""
    start, end = node.byte_range
    dot = data.rfind(b".", start, end)
    if dot < 0:
        return start, index, data[start:end], b""
    behind = data[dot + 1 : end]
    name = behind.lstrip()
    receiver = data[start:dot].rstrip().removesuffix(b"?").rstrip()
    return end - len(name), index, name, expressions.short(start, start + len(receiver))


def _text(nodes: list[tree_sitter.Node], data: bytes) -> bytes:
    return data[slice(*extent_of(nodes))]


def _parameter_rows(
    frames: Sequence[RawFrame], patterns: Sequence[QueryPattern], data: bytes
) -> list[tuple[int, bytes]]:
    found: dict[int, bytes] = {}
    for _, _, _, index, name_start, name, _, _ in frames:
        pattern = patterns[index]
        if pattern.role is _DEFINITION and pattern.kind in CALLABLE_KINDS:
            written = parameter_list(data, name_start + len(name))
            if written is not None:
                found[name_start] = written
    return list(found.items())


def _decorator_row(node: tree_sitter.Node, data: bytes) -> tuple[int, int]:
    """Return where a decorator starts, and where the decorated declaration does."""
    space = _SPACE.match(data, node.end_byte)
    return node.start_byte, space.end() if space else node.end_byte


def _rows(parsed: Parsed, frames: list[RawFrame], **found: list[Any]) -> Rows:
    language = parsed.language
    patterns = language.patterns
    found["parameters"] = (
        _parameter_rows(frames, patterns, parsed.text.data) if language.takes_parameters else []
    )
    used_patterns = [patterns[index] for index in {raw[3] for raw in frames}]
    return Rows(
        is_open_ended=any(pattern.extends for pattern in used_patterns),
        given={pattern.name.encode() for pattern in used_patterns if pattern.name is not None},
        frames=_sorted_columns(frames, "frames"),
        **{table: _sorted_columns(rows, table) for table, rows in found.items()},
    )


def _sorted_columns(rows: list[Any], table: str) -> Columns:
    rows.sort()
    return _columns(rows, table)


def _import_row(
    pattern: QueryPattern,
    captures: dict[str, list[tree_sitter.Node]],
    text: Text,
    language: Language,
) -> _ImportRow:
    node = captures[pattern.capture][0]
    module, imported, alias = import_parts(captures, text.data, language)
    if module and "://" in module:
        # A URL never names a module of the workspace, and it may contain a password.
        module = module[: module.index("://") + 3]
    return (
        node.start_byte,
        text.trimmed(node.start_byte, node.end_byte).end,
        pattern.role is _IMPORT,
        module.encode() if module else b"",
        imported.encode() if imported else b"",
        alias.encode() if alias else b"",
    )


class Names:
    """Assigns numbers to names, in the order of their first use."""

    def __init__(self) -> None:
        # Not the length of the table: a table that refers to itself is never freed without a
        # garbage collector, and workers have it turned off.
        self._numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
        _ = self._numbers[b""]
        self._table: tuple[str, ...] = ()

    def table(self) -> tuple[str, ...]:
        if len(self._table) < len(self._numbers):
            self._table = tuple(name.decode("utf-8") for name in self._numbers)
        return self._table

    def pack(self, rows: Rows, table: str) -> list[array[int]]:
        """Return rows as columns, with numbers in place of names."""
        named = TABLES[table].names
        numbers = self._numbers
        packed: list[array[int]] = []
        for position, column in enumerate(rows[table]):
            if position in named:
                packed.append(array("I", [numbers[name] for name in column]))
            else:
                packed.append(array("I", column))
        return packed


def keys_of(rows: Rows) -> frozenset[int]:
    """Like `name_keys`, from rows."""
    return keys_of_names(
        {*rows["frames"][5], *rows.given},
        # A name imported under an alias is used under its own name too.
        {*rows["references"][2], *rows["imports"][4]},
        rows["packages"][1],
    )
