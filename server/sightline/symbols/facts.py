"""Facts: what the index keeps of one file, packed, and how to read it.

A workspace has millions of references, so facts are a table of names and columns of numbers.
`extracting` packs them as a query finds them. Nesting the frames, and choosing between two
patterns, happens when the facts of a file are read (`FactsView`): those of most files never are.

Units: offsets are byte offsets; names are numbers into `names`, where 0 is "nothing".

Invariants:

* Facts are a function of text, grammar and query alone. They hold names, numbers and the plain type
  or receiver before a name, and no other text of the file.
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
"""Replaces a receiver that is too long even when shortened."""

LINKED = "‥"
"""Stands for the first links of a chain of calls that is too long to be kept: the call behind it is
the last one of its name before the use."""

SCHEMA = 11
"""Changes whenever what is packed, or how, does."""

_QUOTES = b"`'\":"

# Copied: an attribute of an enumeration costs more than most work on a frame.
_DEFINITION = PatternRole.DEFINITION

Table = tuple[bytes, ...]
"""Columns of unsigned 32-bit numbers, all of the same length. The first is the offset of each
row.
"""


class Facts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    language: str
    parse_clean: bool
    names: tuple[str, ...]
    frames: Table
    """offset, end, end of the node, pattern, offset of the name, name, where its body starts
    counted from one byte before it or 0, container as written"""
    decorators: Table
    """offset, offset of the decorated declaration"""
    parameters: Table
    """offset of a function's name, its parameters; only for languages with overloads"""
    references: Table
    """offset, pattern, name, receiver"""
    arguments: Table
    """offset of the called name, the arguments (see `argument_shapes`); a call without a row passes
    no arguments, if its pattern captures them
    """
    imports: Table
    """offset, end, 1 if it is a statement or 0 if a name in one, module, name, alias"""
    bindings: Table
    """offset, end of the part that gives its type or of its name, name, type, form; see
    `Binding`
    """
    blocks: Table
    """offset, end"""
    packages: Table
    """offset, name"""
    line_lengths: bytes
    """In bytes, one less than from the start of a line to the start of the next."""
    is_private: bool = False
    """True if a name is a secret: such facts are not kept on disk. Set by the code that packs
    them.
    """

    @property
    def declaration_count(self) -> int:
        """Return how many names are declared, including local ones."""
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
    """Where its body starts; -1 if it has none."""

    @property
    def qualified_name(self) -> str:
        return qualified(self.kind, self.container, self.name)


class Reference(msgspec.Struct, frozen=True, array_like=True, gc=False):
    start: int
    kind: str
    name: str
    receiver: str
    """The expression before the name (`self`, `os.path`); "" for none, or `COMPLEX`."""


class Imported(msgspec.Struct, frozen=True, array_like=True, gc=False):
    start: int
    module: str
    name: str
    alias: str
    is_local: bool


WRITTEN, CALLED, SECOND, VALUE, ELEMENT, ITEM, HELD, BOUND, HIDING, PASSED, TAKEN, PART = range(12)
"""What the text of a binding is: the type as written; what is called to make the value, alone or as
the second of several; an expression of the same type; one whose elements, or whose last values by
key, have the type; the constructor in a pattern, which holds such a value; the bound of a type
parameter; or nothing but the name itself, which hides what else has it. The type of a parameter of
a function without a name is what the function that it is passed to says (`1.0 run`: of the argument
at 1 the parameter at 0), or what the type of the function says (`0 Handler`), with the member whose
value it is where it stands in an object (`0.0.onReady run`, `0.onReady Handlers`). In a pattern
that takes something apart the type of one part (`8 name`, `1 0`): how far the name stands behind
the start of the pattern, and the member or the place."""


class Binding(msgspec.Struct, frozen=True, array_like=True, gc=False):
    start: int
    end: int
    """The end of the part that gives its type: after it, the name is known."""
    name: str
    type: str
    form: int


class _Outline(msgspec.Struct, frozen=True, gc=False):
    """The result of nesting a file's frames. The frames are dropped: they are many and large."""

    definitions: tuple[Definition, ...]
    scopes: tuple[tuple[int, int, str], ...]
    unnamed: tuple[Span, ...]
    """Functions without a name."""
    declared: Set[int]
    """Every declared name, including local ones; see `name_key`."""
    local_names: tuple[tuple[int, str], ...]
    """Offsets and names of variables inside functions, which are not symbols."""


class FactsView:
    """Reads a file's facts; each part is computed when first used."""

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
            # The contents of a frame are known once all frames are nested.
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
        """Return definitions in source order, an enclosing one before those inside it.

        Each starts with the decorators before its own node.
        """
        return self._outline.definitions

    @property
    def scopes(self) -> tuple[tuple[int, int, str], ...]:
        """Return start, end and owner of scopes that hold members but are not symbols."""
        return self._outline.scopes

    @property
    def local_names(self) -> tuple[tuple[int, str], ...]:
        """Return offsets and names of variables inside functions, which are not symbols."""
        return self._outline.local_names

    @property
    def unnamed(self) -> tuple[Span, ...]:
        """Functions without a name, and statements that keep their variables to themselves."""
        return self._outline.unnamed

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """Return uses in order. If several patterns capture one name, the first pattern wins."""
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
            # A declared name is not a use of itself, but an embedded type is both.
            if key not in declared or kinds[index] == "base"
        )

    @cached_property
    def parameters(self) -> dict[int, str]:
        """Return the parameters of functions as written, by the offsets of their names."""
        names = self._facts.names
        return {start: names[written] for start, written in _numbers(self._facts.parameters)}

    @cached_property
    def arguments(self) -> dict[int, str]:
        """Return the arguments of calls, by the offsets of the called names; see `shapes_of`."""
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
        """Return start and end of the blocks that limit variables declared in them, in nesting
        order.
        """
        extents = [(start, end) for start, end in _numbers(self._facts.blocks)]
        return tuple(sorted(extents, key=lambda each: (each[0], -each[1])))

    @cached_property
    def packages(self) -> tuple[str, ...]:
        """Return the package clauses of the file, each inside the one before it."""
        names = self._facts.names
        return tuple(names[name] for _, name in _numbers(self._facts.packages))

    @property
    def package(self) -> str:
        """Return the file's package; several clauses are joined."""
        return ".".join(self.packages)

    @cached_property
    def line_starts(self) -> list[int]:
        lengths = memoryview(self._facts.line_lengths).cast("I")
        return [0, *accumulate(length + 1 for length in lengths)][:-1]

    @cached_property
    def byte_size(self) -> int:
        """Return the size of the text in UTF-8."""
        lengths = memoryview(self._facts.line_lengths).cast("I")
        return sum(lengths) + len(lengths) - 1

    def line_number(self, offset: int) -> int:
        """Return the 1-based line of an offset."""
        return bisect_right(self.line_starts, offset)


def name_keys(facts: Facts, language: Language) -> frozenset[int]:
    """Return the keys that find a file by name; see `defined` and `used`."""
    names = [name.encode() for name in facts.names]
    patterns = language.patterns
    given = {patterns[index].name for index in set(_column(facts.frames, 3))}

    def column(table: Table, index: int) -> set[bytes]:
        return {names[number] for number in set(_column(table, index))}

    return keys_of_names(
        column(facts.frames, 5) | {name.encode() for name in given if name is not None},
        # A name imported under an alias is used under its own name too.
        column(facts.references, 2) | column(facts.imports, 4),
        [names[number] for number in _column(facts.packages, 1)],
    )


def keys_of_names(
    declared: Set[bytes], used_names: Set[bytes], packages: Sequence[bytes]
) -> frozenset[int]:
    """Like `name_keys`, from the names that a file declares and uses, and its package clauses."""
    keys = {zlib.crc32(name) << 1 | 1 for name in declared}
    keys.update([zlib.crc32(name) << 1 for name in used_names])
    for name in declared | used_names:
        bare = name.translate(None, _QUOTES)
        if bare != name:
            # The same name without its quotes.
            keys.update((zlib.crc32(bare) << 1 | 1, zlib.crc32(bare) << 1))
    if packages:
        keys.add(defined(package_key(b".".join(packages).decode("utf-8"))))
    return frozenset(keys)


def defined(name: str) -> int:
    """Return the key of a declared name. Two names may share a key: it finds candidates, not
    proof.
    """
    return zlib.crc32(name.encode()) << 1 | 1


def used(name: str) -> int:
    return zlib.crc32(name.encode()) << 1


def package_key(name: str) -> str:
    """Return the key text of a package; it never equals the name of a symbol."""
    return f"package {name}"


def _column(table: Table, index: int) -> memoryview:
    return memoryview(table[index]).cast("I")


def _numbers(table: Table) -> Iterator[tuple[int, ...]]:
    return zip(*(memoryview(column).cast("I") for column in table), strict=True)
