"""Facts: what the index keeps of one file, packed.

A workspace has millions of references, so what the query finds is packed as it is found: a table
of names and columns of numbers. What it means, which frame stands in which and which of two
patterns has its say, is made out when somebody asks for a file (`FactsView`): most are never asked
for.

Units: offsets are byte offsets; names are numbers into `names`, where 0 is "nothing".

Invariants:

* Facts are a function of text, grammar and query alone. They hold names, numbers and the plain
  type or receiver in front of a name, and no other text of the file.
* Every table is sorted by the offset its rows start at, so that an edit can cut a table in two.
"""

from __future__ import annotations

import re
import zlib
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from itertools import accumulate, count, pairwise
from typing import Any

import msgspec

from sightline.languages import Language
from sightline.languages.tags import Role
from sightline.symbols.frames import (
    Definitions,
    Frame,
    RawFrame,
    extent_of,
    frame_of,
    joined_name,
    name_key,
    nest,
    raw_frame,
    unnamed_functions,
    unquoted,
)
from sightline.symbols.importing import Imports, import_parts
from sightline.symbols.model import Import, qualified
from sightline.syntax import Parsed, matches
from sightline.text import Span, Text

COMPLEX = "…"
"""Stands for a receiver that is more than a short expression on one line."""

SCHEMA = 3
"""Changes whenever what is packed, or how, does."""

_LONGEST_EXPRESSION = 80
_COMPLEX = COMPLEX.encode()

_QUOTES = b"`'\":"
_SPACE = re.compile(rb"[ \t\r\n\f\v]*")

# A look-up in an enumeration costs more than most of what is done for a match.
_REFERENCE = Role.REFERENCE
_DEFINITION = Role.DEFINITION
_BINDING = Role.BINDING
_IMPORT = Role.IMPORT
_IMPORTED = Role.IMPORTED
_DECORATOR = Role.DECORATOR
_PACKAGE = Role.PACKAGE

Table = tuple[bytes, ...]
"""Columns of unsigned 32-bit numbers, all of one length. The first is the offset of each row."""


class Facts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    language: str
    parse_clean: bool
    names: tuple[str, ...]
    frames: Table
    """offset, end, end of the node, pattern, offset of the name, name, where its body starts
    counted from one byte before it or 0, container as written"""
    decorators: Table
    """offset, offset of what it stands before"""
    references: Table
    """offset, pattern, name, receiver"""
    imports: Table
    """offset, end, whether it is a statement or a name in one, module, name, alias"""
    bindings: Table
    """offset, name, type, whether the type is that of what is called"""
    packages: Table
    """offset, name"""
    line_lengths: bytes
    """In bytes, one less than from the start of a line to that of the next."""

    @property
    def declaration_count(self) -> int:
        """How many names are declared, local ones included."""
        return len(self.frames[0]) // 4

    @property
    def reference_count(self) -> int:
        return len(self.references[0]) // 4


def extract(parsed: Parsed) -> Facts:
    """Every declaration, use and import of one file."""
    return extract_with_keys(parsed)[0]


def extract_with_keys(parsed: Parsed) -> tuple[Facts, frozenset[int]]:
    """The facts of a file, and the keys it is found by; see `keys_of`."""
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
        **tables,
    )
    return facts, keys_of(rows)


class _Shape(msgspec.Struct, frozen=True):
    """Which columns of a table are what, by their positions."""

    width: int
    names: tuple[int, ...]
    offsets: tuple[int, ...] = (0,)
    has_end: bool = False


TABLES = {
    "frames": _Shape(8, (5, 7), (0, 1, 2, 4), has_end=True),
    "decorators": _Shape(2, (), (0, 1)),
    "references": _Shape(4, (2, 3)),
    "imports": _Shape(6, (3, 4, 5), (0, 1)),
    "bindings": _Shape(4, (1, 2)),
    "packages": _Shape(2, (1,)),
}


def line_lengths(text: Text) -> bytes:
    data = text.data
    if b"\r" in data:
        starts = [*text.line_starts, len(data) + 1]
        return array("I", [end - start - 1 for start, end in pairwise(starts)]).tobytes()
    return array("I", map(len, data.split(b"\n"))).tobytes()


Columns = tuple[Sequence[Any], ...]
"""A table before it is packed: names still as UTF-8."""


class Rows:
    """What was found in a text, each table by columns and in order."""

    __slots__ = ("_tables", "given", "is_open_ended")

    def __init__(
        self, *, is_open_ended: bool = False, given: Set[bytes] = frozenset(), **tables: Columns
    ) -> None:
        self._tables = tables
        self.is_open_ended = is_open_ended
        """A declaration reaches to the next one like it: what stands far away depends on it."""
        self.given = given
        """Names that stand in no text: patterns give them."""

    def __getitem__(self, table: str) -> Columns:
        return self._tables[table]

    def within(self, window: Span) -> Rows:
        """Without what does not touch a part of the text."""
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


def extract_rows(parsed: Parsed, within: Span | None) -> Rows:
    """What the query finds in a text, or in what overlaps a part of it."""
    language = parsed.language
    tags = language.index_tags
    patterns = tags.patterns
    text = parsed.text
    data = text.data
    frames: list[RawFrame] = []
    references: list[tuple[int, int, bytes, bytes]] = []
    imports: list[tuple[int, int, int, bytes, bytes, bytes]] = []
    bindings: dict[int, tuple[int, bytes, bytes, int]] = {}
    packages: list[tuple[int, bytes]] = []
    decorators: list[tuple[int, int]] = []
    add_reference = references.append
    for index, captures in matches(parsed, tags.query, within):
        pattern = patterns[index]
        role = pattern.role
        if role is _REFERENCE:
            node = captures[pattern.capture][0]
            start = node.start_byte
            name = data[start : node.end_byte]
            if "receiver" in captures:
                node = captures["receiver"][0]
                before = node.start_byte
                end = node.end_byte
                if end - before > _LONGEST_EXPRESSION:
                    add_reference((start, index, name, _COMPLEX))
                else:
                    add_reference((start, index, name, data[before:end]))
            else:
                add_reference((start, index, name, b""))
        elif role is _BINDING:
            name_node = captures["binding"][0]
            start = name_node.start_byte
            if start not in bindings:
                is_call = "binding.type" not in captures
                type_nodes = captures["binding.call" if is_call else "binding.type"]
                bindings[start] = (
                    start,
                    data[start : extent_of(captures["binding"])[1]],
                    _expression(*extent_of(type_nodes), data),
                    is_call,
                )
        elif role is _IMPORT or role is _IMPORTED:
            node = captures[pattern.capture][0]
            module, imported, alias = import_parts(captures, data, language)
            if module and "://" in module:
                # An address leads nowhere in a workspace, and may have a password in it.
                module = module[: module.index("://") + 3]
            imports.append(
                (
                    node.start_byte,
                    text.trimmed(node.start_byte, node.end_byte).end,
                    role is _IMPORT,
                    module.encode() if module else b"",
                    imported.encode() if imported else b"",
                    alias.encode() if alias else b"",
                )
            )
        elif role is _DECORATOR:
            node = captures["decorator"][0]
            space = _SPACE.match(data, node.end_byte)
            decorators.append((node.start_byte, space.end() if space else node.end_byte))
        elif role is _PACKAGE:
            start, end = extent_of(captures["package"])
            packages.append((start, data[start:end]))
        else:
            frames.append(raw_frame(index, pattern, captures, data, language))
    frames.sort()
    decorators.sort()
    references.sort()
    imports.sort()
    packages.sort()
    used_patterns = {raw[3] for raw in frames}
    return Rows(
        is_open_ended=any(patterns[index].extends for index in used_patterns),
        given={
            given.encode() for index in used_patterns if (given := patterns[index].name) is not None
        },
        frames=_columns(frames, "frames"),
        decorators=_columns(decorators, "decorators"),
        references=_columns(references, "references"),
        imports=_columns(imports, "imports"),
        bindings=_columns(sorted(bindings.values()), "bindings"),
        packages=_columns(packages, "packages"),
    )


def _expression(start: int, end: int, data: bytes) -> bytes:
    """A receiver or type as written, where it is one line and short."""
    if end - start > _LONGEST_EXPRESSION:
        return _COMPLEX
    written = data[start:end]
    return _COMPLEX if b"\n" in written or b"\r" in written else written


class Names:
    """Numbers for names, in the order they are first met."""

    def __init__(self) -> None:
        # Not the length of the table, though it is the same: a table that refers to itself is kept
        # for ever where nobody collects garbage, and workers do not.
        self._numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
        _ = self._numbers[b""]
        self._table: tuple[str, ...] = ()

    def table(self) -> tuple[str, ...]:
        if len(self._table) < len(self._numbers):
            self._table = tuple(name.decode("utf-8") for name in self._numbers)
        return self._table

    def pack(self, rows: Rows, table: str) -> list[array[int]]:
        """Rows as columns, with numbers in place of names."""
        named = TABLES[table].names
        numbers = self._numbers
        packed: list[array[int]] = []
        for position, column in enumerate(rows[table]):
            if position in named:
                packed.append(array("I", [numbers[name] for name in column]))
            else:
                packed.append(array("I", column))
        return packed


class Definition(msgspec.Struct, frozen=True, array_like=True, gc=False):
    start: int
    end: int
    name_start: int
    kind: str
    name: str
    container: str
    body: int = -1
    """Where its body starts; -1 where it has none."""

    @property
    def qualified_name(self) -> str:
        return qualified(self.kind, self.container, self.name)


class Reference(msgspec.Struct, frozen=True, array_like=True, gc=False):
    start: int
    kind: str
    name: str
    receiver: str
    """The expression in front of the name (`self`, `os.path`); "" for none, or `COMPLEX`."""


class Imported(msgspec.Struct, frozen=True, array_like=True, gc=False):
    start: int
    module: str
    name: str
    alias: str
    is_local: bool


class Binding(msgspec.Struct, frozen=True, array_like=True, gc=False):
    start: int
    name: str
    type: str
    is_call: bool
    """The type is that of what is called, not as written."""


class _Outline(msgspec.Struct, frozen=True, gc=False):
    """What is made of a file's frames, which are not kept: they are many, and of many parts."""

    definitions: tuple[Definition, ...]
    scopes: tuple[tuple[int, int, str], ...]
    unnamed: tuple[Span, ...]
    """Functions without a name."""
    declared: Set[int]
    """Every name that is declared, a local one as well; see `name_key`."""


class FactsView:
    """What a file's facts mean, made out when first asked for."""

    def __init__(self, facts: Facts, language: Language) -> None:
        self._facts = facts
        self._language = language
        self._patterns = language.patterns
        self.language = facts.language
        self.parse_clean = facts.parse_clean

    @cached_property
    def _outline(self) -> _Outline:
        names = [name.encode() for name in self._facts.names]
        patterns = self._patterns
        language = self._language
        definitions = Definitions(
            patterns, lambda raw, pattern, _: frame_of(raw, pattern, language)
        )
        others: list[Frame] = []
        for start, end, own_end, index, name_start, name, body, container in _numbers(
            self._facts.frames
        ):
            raw = (start, end, own_end, index, name_start, names[name], body, names[container])
            if patterns[index].role is _DEFINITION:
                definitions.add(raw, 0)
            else:
                others.append(frame_of(raw, patterns[index], language))
        frames = definitions.nested_with(others)
        return _Outline(
            self._definitions(frames),
            # What stands in a frame is known once all are nested.
            tuple(
                (frame.start, frame.end, frame.qualified or "")
                for frame in frames
                if frame.container and not frame.is_definition
            ),
            tuple(unnamed_functions(frames)),
            definitions.declared,
        )

    def _definitions(self, frames: Sequence[Frame]) -> tuple[Definition, ...]:
        leads = {lead: start for start, lead in _numbers(self._facts.decorators)}
        found = []
        for frame, kind in nest(frames, self._language):
            if not kind:
                continue
            start = frame.start
            while start in leads:
                start = leads[start]
            container = joined_name(frame.qualified, frame.container) or ""
            body = frame.body.start if frame.body else -1
            found.append(
                Definition(start, frame.end, frame.name_start, kind, frame.name, container, body)
            )
        found.sort(key=lambda each: (each.start, -each.end))
        return tuple(found)

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """In source order, an enclosing one before those inside it.

        Each starts with the decorators that stand before its own node.
        """
        return self._outline.definitions

    @property
    def scopes(self) -> tuple[tuple[int, int, str], ...]:
        """Start, end and owner of what holds members without being a symbol."""
        return self._outline.scopes

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """Uses in order. Of several patterns that capture one name the first has its say."""
        names = self._facts.names
        quotes = self._language.name_quotes
        kinds = [pattern.kind for pattern in self._patterns]
        declared = self._outline.declared
        found: dict[int, tuple[int, int, int]] = {}
        for start, index, name, receiver in _numbers(self._facts.references):
            key = name_key(start, start + len(names[name].encode()))
            known = found.get(key)
            if known is None or index < known[0]:
                found[key] = (index, name, receiver)
        return tuple(
            Reference(
                key >> 32,
                kinds[index],
                unquoted(names[name], quotes),
                COMPLEX if "\n" in names[receiver] or "\r" in names[receiver] else names[receiver],
            )
            for key, (index, name, receiver) in sorted(found.items())
            # A name that is declared is no use of itself, but an embedded type is both.
            if key not in declared or kinds[index] == "base"
        )

    @cached_property
    def imports(self) -> tuple[Imported, ...]:
        names = self._facts.names
        imports = Imports()
        for start, end, is_statement, module, name, alias in _numbers(self._facts.imports):
            found = Import(
                names[module] or None,
                names[name] or None,
                names[alias] or None,
                Span(start, end),
                0,
            )
            imports.add(bool(is_statement), found)
        return tuple(
            Imported(
                each.span.start, each.module or "", each.name or "", each.alias or "", each.is_local
            )
            for each in imports.among(self._outline.unnamed)
        )

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        names = self._facts.names
        return tuple(
            Binding(start, names[name], names[written], bool(is_call))
            for start, name, written, is_call in _numbers(self._facts.bindings)
        )

    @cached_property
    def packages(self) -> tuple[str, ...]:
        """The package clauses of the file, each inside the one before it."""
        names = self._facts.names
        return tuple(names[name] for _, name in _numbers(self._facts.packages))

    @property
    def package(self) -> str:
        """The name under which others know what the file declares; several clauses are joined."""
        return ".".join(self.packages)

    @cached_property
    def line_starts(self) -> list[int]:
        lengths = memoryview(self._facts.line_lengths).cast("I")
        return [0, *accumulate(length + 1 for length in lengths)][:-1]

    def line_number(self, offset: int) -> int:
        """The 1-based line an offset stands in."""
        return bisect_right(self.line_starts, offset)


def keys_of(rows: Rows) -> frozenset[int]:
    """Under which keys a file is found by name; see `defined` and `used`."""
    # What is imported under another name is used under its own one.
    used_names = {*rows["references"][2], *rows["imports"][4]}
    declared = {*rows["frames"][5], *rows.given}
    keys = {zlib.crc32(name) << 1 | 1 for name in declared}
    keys.update([zlib.crc32(name) << 1 for name in used_names])
    for name in declared | used_names:
        bare = name.translate(None, _QUOTES)
        if bare != name:
            # Without the signs that only serve to write it.
            keys.update((zlib.crc32(bare) << 1 | 1, zlib.crc32(bare) << 1))
    packages = rows["packages"][1]
    if packages:
        keys.add(defined(package_key(b".".join(packages).decode("utf-8"))))
    return frozenset(keys)


def name_keys(facts: Facts, language: Language) -> frozenset[int]:
    """As `keys_of`, from facts."""
    names = [name.encode() for name in facts.names]
    patterns = language.patterns
    given = {patterns[index].name for index in set(_column(facts.frames, 3))}

    def column(table: Table, index: int) -> list[bytes]:
        return [names[number] for number in set(_column(table, index))]

    empty: list[bytes] = []
    return keys_of(
        Rows(
            given={name.encode() for name in given if name is not None},
            frames=(empty,) * 5 + (column(facts.frames, 5),),
            references=(empty,) * 2 + (column(facts.references, 2),),
            imports=(empty,) * 4 + (column(facts.imports, 4),),
            packages=(empty, [names[number] for number in _column(facts.packages, 1)]),
        )
    )


def defined(name: str) -> int:
    """The key of a name that is declared. Two names may share one: it finds, and proves nothing."""
    return zlib.crc32(name.encode()) << 1 | 1


def used(name: str) -> int:
    return zlib.crc32(name.encode()) << 1


def package_key(name: str) -> str:
    """What a package is looked up by, so that no symbol is met in its place."""
    return f"package {name}"


def _column(table: Table, index: int) -> memoryview:
    return memoryview(table[index]).cast("I")


def _numbers(table: Table) -> Iterator[tuple[int, ...]]:
    return zip(*(memoryview(column).cast("I") for column in table), strict=True)
