"""What the parts of the resolver ask of each other.

A receiver is an expression, an expression has names in it, and a name may be a member of a
receiver's type: `bare_names`, `members` and `values` call each other. They know each other only by
the protocols below, and `resolver` puts them together. So none of them imports another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sightline.index.resolve.declared import Declared
from sightline.index.resolve.meaning import Found, Module, Outcome, Written
from sightline.index.resolve.namespaces import Namespaces
from sightline.index.resolve.scopes import FileScope, SymbolId
from sightline.symbols.facts import Binding, Imported, Reference


class NameLookup(Protocol):
    """Names that stand alone; see `bare_names`."""

    def bare(
        self, scope: FileScope, name: str, offset: int, depth: int, use: str = ""
    ) -> Found: ...

    def import_(
        self, scope: FileScope, each: Imported, seen: set[tuple[str, str]]
    ) -> Found | Module: ...

    def in_module(
        self, scope: FileScope, module: str, name: str, seen: set[tuple[str, str]] | None = None
    ) -> Found: ...

    def module_passed_on(self, module: Module, name: str) -> Module | None: ...

    def imported_within(self, found: Sequence[SymbolId], name: str) -> Found | Module: ...


class MemberLookup(Protocol):
    """Members of types, and their bases; see `members`."""

    def member(self, types: Sequence[SymbolId], name: str, use: str = "") -> Found: ...

    def types(self, scope: FileScope, qualified: str) -> list[SymbolId]: ...

    def base_types(self, target: SymbolId) -> tuple[list[SymbolId], bool]: ...

    def base_references(self, target: SymbolId) -> list[tuple[str, Reference]]: ...


class ValueLookup(Protocol):
    """Types of expressions and of variables; see `values`."""

    steps: int
    """Expressions looked at for the use that is being resolved."""
    asked_from: tuple[FileScope, int] | None
    """Where that use stands; None for what is remembered whoever asks."""

    def value(
        self, scope: FileScope, expression: str, offset: int, depth: int
    ) -> list[SymbolId] | Module | Outcome: ...

    def type_of(
        self, scope: FileScope, bindings: Sequence[Binding], offset: int, depth: int
    ) -> list[SymbolId] | Outcome: ...

    def written_type(
        self, scope: FileScope, written: str, offset: int, depth: int = 0
    ) -> list[SymbolId] | Outcome: ...

    def declared_module(self, target: SymbolId) -> Module | None: ...


class TypeTextLookup(Protocol):
    """Types of expressions as they are written; see `written_types`."""

    def of(self, scope: FileScope, expression: str, offset: int, depth: int) -> Written | None: ...

    def bound(self, scope: FileScope, binding: Binding, depth: int) -> Written | None: ...

    def element(self, written: Written, depth: int, *, is_keyed: bool) -> Written | None: ...

    def part_of(self, whole: Written, key: str, depth: int) -> Written | None: ...

    def filled(
        self,
        scope: FileScope,
        receiver: str,
        offset: int,
        written: Written,
        member: SymbolId,
        depth: int,
    ) -> Written: ...


class OverloadChoice(Protocol):
    """Functions of one name, told apart by what they take; see `overloads`."""

    def are_alike(self, one: SymbolId, other: SymbolId) -> bool: ...

    def taking(self, found: Sequence[SymbolId], passed: str) -> Sequence[SymbolId]: ...


class Lookups(Protocol):
    """Everything that a part may ask; see `resolver`, which answers."""

    @property
    def declared(self) -> Declared: ...

    @property
    def namespaces(self) -> Namespaces: ...

    @property
    def names(self) -> NameLookup: ...

    @property
    def members(self) -> MemberLookup: ...

    @property
    def values(self) -> ValueLookup: ...

    @property
    def written(self) -> TypeTextLookup: ...

    @property
    def overloads(self) -> OverloadChoice: ...

    def resolve(self, scope: FileScope, reference: Reference) -> Found:
        """The definitions that a use means."""

    def look_up(
        self, scope: FileScope, name: str, receiver: str, offset: int, depth: int, use: str = ""
    ) -> Found:
        """What a name behind a receiver means; `use` is the kind of the reference, if it is one."""
