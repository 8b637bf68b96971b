"""Facts: what the index keeps of one file, packed.

A workspace has millions of references, so a file's facts are a table of names and columns of
numbers, made without an object per row, and rows are read only when somebody asks for them.

Units: offsets are byte offsets; names are numbers into `names`, where 0 is "nothing".

Invariants:

* Facts are a function of text, grammar and query alone. They hold names, numbers and the plain
  type or receiver in front of a name, and no other text of the file.
* Every table is sorted by the offset its rows start at, so that an edit can cut a table in two.
"""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec
import tree_sitter

from sightline.languages.tags import KINDS, REFERENCE_KINDS, Role
from sightline.symbols.frames import (
    Definitions,
    Frame,
    extent_of,
    joined_name,
    make_frame,
    name_key,
    nest,
    unquoted,
)
from sightline.symbols.importing import Imports
from sightline.syntax import Match, Parsed, matches
from sightline.text import WHITE_SPACE, Span

COMPLEX = "…"
"""Stands for a receiver that is more than a short expression on one line."""

SCHEMA = 1
"""Changes whenever what is packed, or how, does."""

_LONGEST_EXPRESSION = 80
_COMPLEX = COMPLEX.encode()

_KIND_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
_REFERENCE_KIND_NUMBERS = {kind: number for number, kind in enumerate(REFERENCE_KINDS)}
_BASE = _REFERENCE_KIND_NUMBERS["base"]

# A look-up in an enumeration costs more than most of what is done for a match.
_REFERENCE = Role.REFERENCE
_DEFINITION = Role.DEFINITION
_BINDING = Role.BINDING

Table = tuple[bytes, ...]
"""Columns of unsigned 32-bit numbers, all of one length. The first is the offset of each row."""


class Facts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    language: str
    parse_clean: bool
    names: tuple[str, ...]
    packages: Table
    """offset, name"""
    definitions: Table
    """offset, end, offset of the name, kind, name, container"""
    scopes: Table
    """offset, end, name of the owner of its members, for what is no symbol of its own (`impl`)"""
    references: Table
    """offset, kind, name, receiver"""
    imports: Table
    """offset, module, name, alias, whether it stands in a function without a name"""
    bindings: Table
    """offset, name, type, whether the type is that of what is called"""
    line_starts: bytes

    @property
    def definition_count(self) -> int:
        return len(self.definitions[0]) // 4

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
    tables = {name: names.pack(rows, name) for name in TABLES}
    facts = Facts(
        language=parsed.language.name,
        parse_clean=not parsed.errors,
        names=names.table(),
        line_starts=array("I", parsed.text.line_starts).tobytes(),
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
    "definitions": _Shape(6, (4, 5), (0, 1, 2), has_end=True),
    "scopes": _Shape(3, (2,), (0, 1), has_end=True),
    "references": _Shape(4, (2, 3)),
    "imports": _Shape(5, (1, 2, 3)),
    "bindings": _Shape(4, (1, 2)),
    "packages": _Shape(2, (1,)),
}


class Rows:
    """Rows with their names still as UTF-8, each list in order."""

    __slots__ = (
        "bindings",
        "definitions",
        "imports",
        "is_open_ended",
        "packages",
        "references",
        "scopes",
    )

    packages: list[tuple[int, bytes]]
    definitions: list[tuple[int, int, int, int, bytes, bytes]]
    scopes: list[tuple[int, int, bytes]]
    references: list[tuple[int, int, bytes, bytes]]
    imports: list[tuple[int, bytes, bytes, bytes, int]]
    bindings: list[tuple[int, bytes, bytes, int]]
    is_open_ended: bool
    """A declaration reaches to the next one like it: what stands far away depends on it."""

    def keep_within(self, window: Span) -> None:
        """Leave out what does not touch a part of the text."""
        start, end = window.start, window.end
        self.definitions = [row for row in self.definitions if row[0] < end and row[1] > start]
        self.scopes = [row for row in self.scopes if row[0] < end and row[1] > start]
        self.references = [row for row in self.references if start <= row[0] < end]
        self.imports = [row for row in self.imports if start <= row[0] < end]
        self.bindings = [row for row in self.bindings if start <= row[0] < end]
        self.packages = [row for row in self.packages if start <= row[0] < end]


def extract_rows(parsed: Parsed, within: Span | None) -> Rows:
    """What the query finds in a text, or in what overlaps a part of it."""
    language = parsed.language
    tags = language.index_tags
    patterns = tags.patterns
    text = parsed.text
    data = text.data
    definitions = Definitions(patterns, text, language)
    imports = Imports(text, language)
    frames: list[Frame] = []
    references: dict[int, tuple[int, dict[str, list[tree_sitter.Node]]]] = {}
    bindings: dict[int, tuple[int, bytes, bytes, int]] = {}
    wrappers: dict[int, int] = {}
    decorators: dict[int, int] = {}
    rows = Rows()
    rows.packages = []
    for match in matches(parsed, tags.query, within):
        index, captures = match
        pattern = patterns[index]
        role = pattern.role
        if role is _REFERENCE:
            node = captures[pattern.capture][0]
            key = node.start_byte << 32 | node.end_byte
            known = references.get(key)
            if known is None or index < known[0]:
                references[key] = match
        elif role is _DEFINITION:
            definitions.add(index, pattern, captures)
        elif role is _BINDING:
            start, end = extent_of(captures["binding"])
            written = captures.get("binding.type")
            type_nodes = written or captures.get("binding.call")
            if start not in bindings and type_nodes:
                type_ = _expression(type_nodes[0], data)
                bindings[start] = (start, data[start:end], type_, 0 if written else 1)
        elif role is Role.IMPORT or role is Role.IMPORTED:
            imports.add(pattern, captures)
        elif role is Role.WRAPPER:
            # What belongs to a declaration and stands before it: decorators, `export`.
            node = captures["wrapper"][0]
            key = name_key(*extent_of(captures["wrapped"]))
            if node.start_byte < key >> 32:
                wrappers[key] = name_key(node.start_byte, node.end_byte)
        elif role is Role.DECORATOR:
            node = captures["decorator"][0]
            decorators[node.end_byte] = node.start_byte
        elif role is Role.PACKAGE:
            start, end = extent_of(captures["package"])
            rows.packages.append((start, data[start:end]))
        else:
            frames.append(make_frame(index, pattern, captures, text, language))
    frames = definitions.nested_with(frames)
    rows.is_open_ended = any(frame.pattern.extends for frame in frames)
    rows.definitions = [
        (
            _whole_start(frame, wrappers, decorators, data),
            frame.end,
            frame.name_start,
            _KIND_NUMBERS[kind],
            frame.name.encode(),
            (joined_name(frame.qualified, frame.container) or "").encode(),
        )
        for frame, kind in nest(frames, language)
        if kind
    ]
    if wrappers or decorators:
        rows.definitions.sort(key=lambda row: (row[0], -row[1]))
    rows.scopes = [
        (frame.start, frame.end, (frame.qualified or "").encode())
        for frame in frames
        if frame.container and not frame.is_definition
    ]
    rows.references = _references(references, definitions.declared, parsed)
    rows.imports = [
        (
            each.span.start,
            (each.module or "").encode(),
            (each.name or "").encode(),
            (each.alias or "").encode(),
            int(each.is_local),
        )
        for each in imports.among(frames)
    ]
    rows.bindings = sorted(bindings.values())
    rows.packages.sort()
    return rows


def _whole_start(
    frame: Frame, wrappers: dict[int, int], decorators: dict[int, int], data: bytes
) -> int:
    """Where a declaration starts with what belongs to it and stands before its own node."""
    start = frame.start
    if wrappers:
        key = name_key(start, frame.own_end)
        while key in wrappers:
            key = wrappers[key]
        start = key >> 32
    if decorators:
        while True:
            before = start
            while before and data[before - 1] in WHITE_SPACE:
                before -= 1
            if before not in decorators:
                break
            start = decorators[before]
    return start


def _references(
    found: dict[int, Match], declared: set[int], parsed: Parsed
) -> list[tuple[int, int, bytes, bytes]]:
    data = parsed.text.data
    quotes = parsed.language.name_quotes
    patterns = parsed.language.index_tags.patterns
    kinds = [_REFERENCE_KIND_NUMBERS.get(pattern.kind, 0) for pattern in patterns]
    rows: list[tuple[int, int, bytes, bytes]] = []
    add = rows.append
    for key in sorted(found):
        index, captures = found[key]
        kind = kinds[index]
        # A name that is declared is no use of itself, but an embedded type is both.
        if key in declared and kind != _BASE:
            continue
        start = key >> 32
        name = data[start : key & 0xFFFFFFFF]
        if quotes:
            name = unquoted(name.decode("utf-8"), quotes).encode()
        if "receiver" in captures:
            add((start, kind, name, _expression(captures["receiver"][0], data)))
        else:
            add((start, kind, name, b""))
    return rows


def _expression(node: tree_sitter.Node, data: bytes) -> bytes:
    """A receiver or type as written, where it is one line and short."""
    start, end = node.start_byte, node.end_byte
    if end - start > _LONGEST_EXPRESSION:
        return _COMPLEX
    written = data[start:end]
    return _COMPLEX if b"\n" in written or b"\r" in written else written


class Names:
    """Numbers for names, in the order they are first met."""

    def __init__(self) -> None:
        self._numbers: defaultdict[bytes, int] = defaultdict()
        # A name that is met for the first time has as many before it as there are.
        self._numbers.default_factory = self._numbers.__len__
        _ = self._numbers[b""]

    def table(self) -> tuple[str, ...]:
        return tuple(name.decode("utf-8") for name in self._numbers)

    def pack(self, rows: Rows, table: str) -> Table:
        """Rows as columns, with numbers in place of names."""
        shape = TABLES[table]
        named = shape.names
        found: Sequence[Sequence[int | bytes]] = getattr(rows, table)
        if not found:
            return (b"",) * shape.width
        numbers = self._numbers
        packed: list[bytes] = []
        for position, column in enumerate(zip(*found, strict=True)):
            if position in named:
                packed.append(array("I", [numbers[name] for name in column]).tobytes())
            else:
                packed.append(array("I", column).tobytes())
        return tuple(packed)


class Definition(msgspec.Struct, frozen=True, array_like=True, gc=False):
    start: int
    end: int
    name_start: int
    kind: str
    name: str
    container: str

    @property
    def qualified_name(self) -> str:
        return f"{self.container}.{self.name}" if self.container else self.name


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


class FactsView:
    """The rows of a file's facts, read when first asked for."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self.language = facts.language
        self.parse_clean = facts.parse_clean

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """In source order, an enclosing one before those inside it."""
        names = self._facts.names
        return tuple(
            Definition(start, end, name_start, KINDS[kind], names[name], names[container])
            for start, end, name_start, kind, name, container in _numbers(self._facts.definitions)
        )

    @cached_property
    def scopes(self) -> tuple[tuple[int, int, str], ...]:
        """Start, end and owner of what holds members without being a symbol."""
        names = self._facts.names
        return tuple(
            (start, end, names[owner]) for start, end, owner in _numbers(self._facts.scopes)
        )

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        names = self._facts.names
        return tuple(
            Reference(start, REFERENCE_KINDS[kind], names[name], names[receiver])
            for start, kind, name, receiver in _numbers(self._facts.references)
        )

    @cached_property
    def imports(self) -> tuple[Imported, ...]:
        names = self._facts.names
        return tuple(
            Imported(start, names[module], names[name], names[alias], bool(is_local))
            for start, module, name, alias, is_local in _numbers(self._facts.imports)
        )

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        names = self._facts.names
        return tuple(
            Binding(start, names[name], names[written], bool(is_call))
            for start, name, written, is_call in _numbers(self._facts.bindings)
        )

    @cached_property
    def package(self) -> str:
        """The name under which others know what the file declares; several clauses are joined."""
        return _package(self._facts)

    @cached_property
    def _line_starts(self) -> memoryview:
        return memoryview(self._facts.line_starts).cast("I")

    def line_number(self, offset: int) -> int:
        """The 1-based line an offset stands in."""
        return bisect_right(self._line_starts, offset)


def keys_of(rows: Rows) -> frozenset[int]:
    """Under which keys a file is found by name; see `defined` and `used`."""
    defined_names = {row[4] for row in rows.definitions}
    used_names = {row[2] for row in rows.references}
    # What is imported under another name is used under its own one.
    used_names.update(row[2] for row in rows.imports)
    keys = {zlib.crc32(name) << 1 | 1 for name in defined_names}
    keys.update(zlib.crc32(name) << 1 for name in used_names)
    if rows.packages:
        keys.add(defined(package_key(b".".join(row[1] for row in rows.packages).decode("utf-8"))))
    return frozenset(keys)


def name_keys(facts: Facts) -> list[int]:
    """As `keys_of`, sorted, from facts."""
    names = facts.names
    keys = {defined(names[number]) for number in set(_column(facts.definitions, 4))}
    used_names = {*_column(facts.references, 2), *_column(facts.imports, 2)}
    keys.update(used(names[number]) for number in used_names)
    if package := _package(facts):
        keys.add(defined(package_key(package)))
    return sorted(keys)


def defined(name: str) -> int:
    """The key of a name that is declared. Two names may share one: it finds, and proves nothing."""
    return zlib.crc32(name.encode()) << 1 | 1


def used(name: str) -> int:
    return zlib.crc32(name.encode()) << 1


def package_key(name: str) -> str:
    """What a package is looked up by, so that no symbol is met in its place."""
    return f"package {name}"


def _package(facts: Facts) -> str:
    return ".".join(facts.names[number] for number in _column(facts.packages, 1))


def _column(table: Table, index: int) -> memoryview:
    return memoryview(table[index]).cast("I")


def _numbers(table: Table) -> Iterator[tuple[int, ...]]:
    return zip(*(memoryview(column).cast("I") for column in table), strict=True)
