"""Facts: what the index keeps of one file, packed, and what they mean.

A workspace has millions of references, so facts are a table of names and columns of numbers.
`extracting` packs them as a query finds them. What they mean, which frame stands in which and which
of two patterns has its say, is made out when somebody asks for a file (`FactsView`): most are never
asked for.

Units: offsets are byte offsets; names are numbers into `names`, where 0 is "nothing".

Invariants:

* Facts are a function of text, grammar and query alone. They hold names, numbers and the plain
  type or receiver in front of a name, and no other text of the file.
* Every table is sorted by the offset its rows start at, so that an edit can cut a table in two.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from itertools import accumulate

import msgspec

from sightline.languages import Language
from sightline.languages.tags import PatternRole
from sightline.symbols.frames import (
    Definitions,
    Frame,
    frame_of,
    joined_name,
    name_key,
    nest,
    unnamed_functions,
    unquoted,
)
from sightline.symbols.importing import Imports
from sightline.symbols.model import Import, qualified
from sightline.text import Span

COMPLEX = "…"
"""Stands for a receiver that is too long to be kept, whatever is left out of it."""

SCHEMA = 9
"""Changes whenever what is packed, or how, does."""

_QUOTES = b"`'\":"

# A look-up in an enumeration costs more than most of what is done for a frame.
_DEFINITION = PatternRole.DEFINITION

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
    parameters: Table
    """offset of a function's name, its parameters; in languages whose overloads are told apart"""
    references: Table
    """offset, pattern, name, receiver"""
    arguments: Table
    """offset of the name that is called, what is passed (see `argument_shapes`); a call
    whose pattern would tell and that has no row passes nothing"""
    imports: Table
    """offset, end, whether it is a statement or a name in one, module, name, alias"""
    bindings: Table
    """offset, end of what says its type or of its name, name, type, form; see `Binding`"""
    blocks: Table
    """offset, end"""
    packages: Table
    """offset, name"""
    line_lengths: bytes
    """In bytes, one less than from the start of a line to that of the next."""
    is_private: bool = False
    """Whether a name is a secret: such facts are not kept on disk. Set by who packs them."""

    @property
    def declaration_count(self) -> int:
        """How many names are declared, local ones included."""
        return len(self.frames[0]) // 4

    @property
    def reference_count(self) -> int:
        return len(self.references[0]) // 4


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


WRITTEN, CALLED, SECOND, VALUE, ELEMENT, ITEM, HELD, BOUND, HIDING = range(9)
"""What the text of a binding is: the type as written; what is called to make the value, alone or as
the second of several; an expression of the same type; one whose elements, or whose last values by
key, have the type; the constructor in a pattern, which holds such a value; the bound of a type
parameter; or nothing but the name itself, which hides what else has it."""


class Binding(msgspec.Struct, frozen=True, array_like=True, gc=False):
    start: int
    end: int
    """Behind what says its type: from there on the name is known."""
    name: str
    type: str
    form: int


class _Outline(msgspec.Struct, frozen=True, gc=False):
    """What is made of a file's frames, which are not kept: they are many, and of many parts."""

    definitions: tuple[Definition, ...]
    scopes: tuple[tuple[int, int, str], ...]
    unnamed: tuple[Span, ...]
    """Functions without a name."""
    declared: Set[int]
    """Every name that is declared, a local one as well; see `name_key`."""
    local_names: tuple[tuple[int, str], ...]
    """Where variables of functions are declared, which are no symbols, and their names."""


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
            tuple(definitions.local_names),
        )

    def _definitions(self, frames: Sequence[Frame]) -> tuple[Definition, ...]:
        leads = {lead: start for start, lead in _numbers(self._facts.decorators)}
        found = []
        for frame, kind in nest(frames, self._language, is_clean=self.parse_clean):
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

    @property
    def local_names(self) -> tuple[tuple[int, str], ...]:
        """Where variables of functions are declared, which are no symbols, and their names."""
        return self._outline.local_names

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """Uses in order. Of several patterns that capture one name the first has its say."""
        names = self._facts.names
        quotes = self._language.symbols.quotes
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
                names[receiver],
            )
            for key, (index, name, receiver) in sorted(found.items())
            # A name that is declared is no use of itself, but an embedded type is both.
            if key not in declared or kinds[index] == "base"
        )

    @cached_property
    def parameters(self) -> dict[int, str]:
        """What functions take, as written, by the offsets of their names."""
        names = self._facts.names
        return {start: names[written] for start, written in _numbers(self._facts.parameters)}

    @cached_property
    def arguments(self) -> dict[int, str]:
        """What calls pass, by the offsets of the names that are called; see `shapes_of`."""
        names = self._facts.names
        found = {
            start: ""
            for start, index, _, _ in _numbers(self._facts.references)
            if "arguments" in self._patterns[index].parts
        }
        for start, passed in _numbers(self._facts.arguments):
            found[start] = names[passed]
        return found

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
            Binding(start, end, names[name], names[written], form)
            for start, end, name, written, form in _numbers(self._facts.bindings)
        )

    @cached_property
    def blocks(self) -> tuple[tuple[int, int], ...]:
        """Start and end of what variables declared in it do not leave, in nesting order."""
        extents = [(start, end) for start, end in _numbers(self._facts.blocks)]
        return tuple(sorted(extents, key=lambda each: (each[0], -each[1])))

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

    @cached_property
    def byte_size(self) -> int:
        """Of the text, in UTF-8."""
        lengths = memoryview(self._facts.line_lengths).cast("I")
        return sum(lengths) + len(lengths) - 1

    def line_number(self, offset: int) -> int:
        """The 1-based line an offset stands in."""
        return bisect_right(self.line_starts, offset)


def name_keys(facts: Facts, language: Language) -> frozenset[int]:
    """Under which keys a file is found by name; see `defined` and `used`."""
    names = [name.encode() for name in facts.names]
    patterns = language.patterns
    given = {patterns[index].name for index in set(_column(facts.frames, 3))}

    def column(table: Table, index: int) -> set[bytes]:
        return {names[number] for number in set(_column(table, index))}

    return keys_of_names(
        column(facts.frames, 5) | {name.encode() for name in given if name is not None},
        # What is imported under another name is used under its own one.
        column(facts.references, 2) | column(facts.imports, 4),
        [names[number] for number in _column(facts.packages, 1)],
    )


def keys_of_names(
    declared: Set[bytes], used_names: Set[bytes], packages: Sequence[bytes]
) -> frozenset[int]:
    """As `name_keys`, from the names that a file declares and uses, and its package clauses."""
    keys = {zlib.crc32(name) << 1 | 1 for name in declared}
    keys.update([zlib.crc32(name) << 1 for name in used_names])
    for name in declared | used_names:
        bare = name.translate(None, _QUOTES)
        if bare != name:
            # Without the signs that only serve to write it.
            keys.update((zlib.crc32(bare) << 1 | 1, zlib.crc32(bare) << 1))
    if packages:
        keys.add(defined(package_key(b".".join(packages).decode("utf-8"))))
    return frozenset(keys)


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
