"""One file as names are looked up in it."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from sightline.languages import Language
from sightline.symbols import TYPE_KINDS, FactsView
from sightline.symbols.facts import Binding, Definition, Imported, Reference

SCOPE_KINDS = TYPE_KINDS | {"module", "type"}
"""Kinds whose members are found by their names."""

Target = tuple[str, int]
"""A definition: the path of its file and its index there."""


class FileScope:
    """A file's facts, and where each name in it is to be found. Immutable once made."""

    def __init__(self, path: str, language: Language, view: FactsView) -> None:
        self.path = path
        self.folder = path.rpartition("/")[0]
        self.language = language
        self.rules = language.modules
        self.view = view
        self.definitions = view.definitions
        self.package = view.package.replace(self.rules.separator, ".")

    def full_name(self, index: int) -> str:
        """The name by which other packages know a definition."""
        name = self.definitions[index].qualified_name
        return f"{self.package}.{name}" if self.package else name

    @cached_property
    def members(self) -> dict[str, dict[str, list[int]]]:
        """Definitions by qualified name of what they belong to, "" at the top, and name."""
        found: dict[str, dict[str, list[int]]] = {}
        for index, each in enumerate(self.definitions):
            found.setdefault(each.container, {}).setdefault(each.name, []).append(index)
        return found

    @cached_property
    def _starts(self) -> list[int]:
        return [each.start for each in self.definitions]

    @cached_property
    def parents(self) -> list[int]:
        """The index of the definition that each stands in; -1 at the top."""
        parents: list[int] = []
        stack: list[int] = []
        for index, each in enumerate(self.definitions):
            while stack and self.definitions[stack[-1]].end <= each.start:
                stack.pop()
            # Two names of one declaration, as in `int a, b;`: neither stands in the other.
            siblings = 0
            while siblings < len(stack) and _same_extent(
                self.definitions[stack[-1 - siblings]], each
            ):
                siblings += 1
            outer = len(stack) - siblings
            parents.append(stack[outer - 1] if outer else -1)
            stack.append(index)
        return parents

    def enclosing(self, offset: int) -> int:
        """The innermost definition around an offset; -1 outside of all."""
        index = bisect_right(self._starts, offset) - 1
        while index >= 0 and self.definitions[index].end <= offset:
            index = self.parents[index]
        return index

    def user(self, offset: int) -> int:
        """The definition that a use belongs to: the innermost one that is more than a value.

        What a field is made of is the type's doing. At the top the value itself is all there is.
        """
        index = around = self.enclosing(offset)
        while index >= 0 and self.definitions[index].kind in _VALUES:
            index = self.parents[index]
        return index if index >= 0 else around

    def chain(self, offset: int) -> list[int]:
        """The definitions around an offset, the innermost first."""
        chain = []
        index = self.enclosing(offset)
        while index >= 0:
            chain.append(index)
            index = self.parents[index]
        return chain

    def owner(self, offset: int) -> str | None:
        """The qualified name of the type whose member stands at an offset."""
        best, owner = -1, None
        for start, end, name in self.view.scopes:
            if start <= offset < end and start > best:
                best, owner = start, name
        for index in self.chain(offset):
            each = self.definitions[index]
            if each.kind in TYPE_KINDS and each.start > best:
                return each.qualified_name
            if each.container and each.kind in ("method", "constructor", "property"):
                # Its owner may stand elsewhere: a receiver, `Owner::name`.
                return each.container
        return owner

    @cached_property
    def imported(self) -> dict[str, list[Imported]]:
        """Imports by the name they bring into the file; wildcards under `*`."""
        found: dict[str, list[Imported]] = {}
        for each in self.view.imports:
            separator = self.rules.separator
            name = each.alias or each.name or each.module.rpartition(separator)[2]
            if each.name == "*" and not each.alias:
                name = "*"
            found.setdefault(name, []).append(each)
            if not each.alias and not each.name and separator != "/" and separator in each.module:
                # `import a.b` brings in `a`, and with it the path to `b`.
                found.setdefault(each.module.partition(separator)[0], []).append(each)
        return found

    @cached_property
    def _bindings(self) -> dict[int, dict[str, list[Binding]]]:
        found: dict[int, dict[str, list[Binding]]] = {}
        for each in self.view.bindings:
            around = self.enclosing(each.start)
            if around >= 0 and self.definitions[around].name_start == each.start:
                if self.definitions[around].kind not in _VALUES:
                    continue
                around = self.parents[around]
            found.setdefault(around, {}).setdefault(each.name, []).append(each)
        return found

    @cached_property
    def _results(self) -> dict[int, Binding]:
        return {each.start: each for each in self.view.bindings}

    def bound(self, name: str, around: int) -> list[Binding]:
        """What is said about a variable's type directly in a definition, -1 being the file."""
        return self._bindings.get(around, {}).get(name, [])

    def result(self, index: int) -> Binding | None:
        """What a function returns or a field holds, where it is written at its name."""
        return self._results.get(self.definitions[index].name_start)

    def fields(self, index: int, name: str) -> list[Binding]:
        """What is said about a field of a type, in the type or in its methods (`self.name = …`)."""
        found = list(self.bound(name, index))
        type_ = self.definitions[index]
        for inner, named in self._bindings.items():
            if inner < 0 or not type_.start <= self.definitions[inner].start < type_.end:
                continue
            for self_name in self.rules.self_names:
                found.extend(named.get(f"{self_name}.{name}", []))
                found.extend(named.get(f"{self_name}->{name}", []))
        return found

    @cached_property
    def references(self) -> dict[str, list[Reference]]:
        found: dict[str, list[Reference]] = {}
        for each in self.view.references:
            found.setdefault(each.name, []).append(each)
        return found

    def bases(self, index: int) -> list[Reference]:
        """The base types that a definition names in its header."""
        each = self.definitions[index]
        return [
            base
            for base in self.base_references
            if each.start <= base.start < each.end and self.enclosing(base.start) == index
        ]

    @cached_property
    def base_references(self) -> list[Reference]:
        return [each for each in self.view.references if each.kind == "base"]

    def scope_bases(self, owner: str) -> list[Reference]:
        """Base types given to an owner by a scope of its own (`impl Trait for Owner`)."""
        return [
            base
            for base in self.base_references
            for start, end, name in self.view.scopes
            if start <= base.start < end and name == owner
        ]

    def references_in(self, index: int) -> list[Reference]:
        """Uses that belong to a definition; those outside of all for -1."""
        return [each for each in self.view.references if self.user(each.start) == index]


_VALUES = frozenset(["variable", "constant", "field", "property"])


def _same_extent(one: Definition, other: Definition) -> bool:
    return one.start == other.start and one.end == other.end
