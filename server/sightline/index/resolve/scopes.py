"""One file as names are looked up in it."""

from __future__ import annotations

from functools import cached_property

from msgspec import structs

from sightline.index.resolve.definition_nesting import Nesting
from sightline.index.resolve.file_bindings import FileBindings
from sightline.languages import Language
from sightline.symbols import CALLABLE_KINDS, TYPE_KINDS, FactsView
from sightline.symbols.facts import Imported, Reference

SCOPE_KINDS = TYPE_KINDS | {"module", "type"}
"""Kinds whose members are found by their names."""

NAMED_KINDS = (CALLABLE_KINDS | TYPE_KINDS | {"type"}) - {"property"}
"""Kinds of which a use is told where they are named as values: functions and types."""

SymbolId = tuple[str, int]
"""A definition: the path of its file and its index there."""


class FileScope:
    """A file's facts, and where each name in it is to be found. Immutable once made.

    Names are many and scopes are kept: what stands under a name is a tuple of plain values, which
    the collector of garbage need not look at time and again.
    """

    def __init__(self, path: str, language: Language, view: FactsView) -> None:
        self.path = path
        self.folder = path.rpartition("/")[0]
        self.language = language
        self.rules = language.modules
        self.view = view
        self.definitions = view.definitions
        self.package = view.package.replace(self.rules.separator, ".")
        self.nesting = Nesting(self.definitions)
        self.bindings = FileBindings(view, self.nesting, self.rules)

    @cached_property
    def source_root(self) -> str:
        """The folder below which folders are packages; the file's own where they are not."""
        inside = self.package.replace(".", "/")
        if inside and f"/{self.folder}".endswith(f"/{inside}"):
            return self.folder[: -len(inside)]
        return self.folder

    @cached_property
    def packages(self) -> list[str]:
        """The packages whose names the file sees, the innermost first."""
        clauses = [each.replace(self.rules.separator, ".") for each in self.view.packages]
        return [".".join(clauses[:count]) for count in range(len(clauses), 0, -1)] or [""]

    def full_name(self, index: int) -> str:
        """The name by which other packages know a definition."""
        name = self.qualified(index)
        return f"{self.package}.{name}" if self.package else name

    def qualified(self, index: int) -> str:
        """A definition's name as its members give it: that of a namespace has several parts."""
        return self.definitions[index].qualified_name.replace(self.rules.separator, ".")

    @cached_property
    def members(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """Definitions by qualified name of what they belong to, "" at the top, and name."""
        found: dict[str, dict[str, list[int]]] = {}
        for index, each in enumerate(self.definitions):
            found.setdefault(each.container, {}).setdefault(each.name, []).append(index)
        return {
            container: {name: tuple(indexes) for name, indexes in named.items()}
            for container, named in found.items()
        }

    @cached_property
    def top(self) -> dict[str, tuple[int, ...]]:
        """Definitions at the top by name, without members of values that have no name.

        `render` in `mount({ render() {} })` is nothing that a plain name means.
        """
        found = self.members.get("", {})
        if self.rules.implicit_members:
            return found
        plain = {
            name: tuple(index for index in indexes if self.definitions[index].kind not in _MEMBERS)
            for name, indexes in found.items()
        }
        return {name: indexes for name, indexes in plain.items() if indexes}

    def enum_of(self, index: int) -> SymbolId | None:
        """The enumeration that a definition is one value of."""
        around = self.nesting.parents[index]
        if self.definitions[index].kind != "constant" or around < 0:
            return None
        return (self.path, around) if self.definitions[around].kind == "enum" else None

    def is_anonymous(self, index: int) -> bool:
        """Whether a definition is a member of what has no name: a class made where it is used."""
        around = self.nesting.parents[index]
        return (
            around >= 0
            and self.definitions[index].kind in _MEMBERS
            and self.definitions[around].kind not in SCOPE_KINDS
        )

    def anonymous_base(self, index: int) -> Reference | None:
        """The type that an anonymous member's own one is made from: the last named before it."""
        around, start = self.nesting.parents[index], self.definitions[index].start
        found = None
        for base in self.base_references:
            if base.start < start and self.nesting.enclosing(base.start) == around:
                found = base
        return found

    def owner(self, offset: int) -> str | None:
        """The qualified name of the type whose member stands at an offset."""
        best, owner = -1, None
        for start, end, name in self.view.scopes:
            if start <= offset < end and start > best:
                best, owner = start, name
        for index in self.nesting.chain(offset):
            each = self.definitions[index]
            if each.kind in TYPE_KINDS and each.start > best:
                return each.qualified_name
            if each.container and each.kind in ("method", "constructor", "property"):
                # Its owner may stand elsewhere: a receiver, `Owner::name`.
                return each.container
        return owner

    @cached_property
    def imports(self) -> list[Imported]:
        """Imports with their modules named as from the top of the file."""
        return [self.import_from_top(each) for each in self.view.imports]

    def import_from_top(self, each: Imported) -> Imported:
        module = self.path_from_top(each.module, each.start)
        return each if module == each.module else structs.replace(each, module=module)

    def path_from_top(self, path: str, offset: int) -> str:
        """A path of words as the top of the file would write it: `super` may mean the file."""
        separator = self.rules.separator
        words = path.split(separator)
        if self.rules.relative != "words" or words[0] not in _OWN_WORDS:
            return path
        inner = [
            self.definitions[index].name
            for index in reversed(self.nesting.chain(offset))
            if self.definitions[index].kind == "module"
        ]
        climbed = 0
        while words and words[0] in _OWN_WORDS:
            if words.pop(0) == "super":
                if inner:
                    inner.pop()
                else:
                    climbed += 1
        return separator.join(
            ["super"] * climbed + (["self"] if not climbed else []) + inner + words
        )

    @cached_property
    def aliases(self) -> dict[str, list[str]]:
        """Other names that imports give to a name, in order."""
        renamed = {
            (each.name, each.alias)
            for each in self.view.imports
            if each.alias and each.alias != each.name
        }
        found: dict[str, list[str]] = {}
        for name, alias in sorted(renamed):
            found.setdefault(name, []).append(alias)
        return found

    @cached_property
    def imported(self) -> dict[str, list[Imported]]:
        """Imports by the name they bring into the file; wildcards under `*`."""
        found: dict[str, list[Imported]] = {}
        for each in self.imports:
            separator = self.rules.separator
            name = each.alias or each.name or each.module.rpartition(separator)[2]
            if (each.name in ("*", *self.rules.wildcards) and not each.alias) or each.alias == ".":
                each, name = structs.replace(each, name="*"), "*"
            elif not each.name and not each.alias and self.rules.imports_all:
                # It names a namespace, whose names alone are brought in.
                continue
            elif self.rules.imports_all and name == each.module.rpartition("::")[2]:
                # The constructors of a base: no name that was not there before.
                continue
            is_path = not each.alias and not each.name and separator in each.module
            if is_path and separator != "/":
                # `import a.b` brings in `a`, and with it the path to `b`.
                found.setdefault(each.module.partition(separator)[0], []).append(each)
            if not is_path or self.rules.relative != "dots":
                found.setdefault(name, []).append(each)
        return found

    def is_imported_too(self, name: str) -> bool:
        """Whether what the file declares may be imported instead: on a condition, or later."""
        last = max((each.start for each in self.imported.get(name, ())), default=-1)
        line_starts = self.view.line_starts
        return last >= 0 and not any(
            self.definitions[index].start > last and self.definitions[index].start in line_starts
            for index in self.members.get("", {}).get(name, ())
        )

    @cached_property
    def references(self) -> dict[str, tuple[Reference, ...]]:
        found: dict[str, list[Reference]] = {}
        for each in self.view.references:
            found.setdefault(each.name, []).append(each)
        return {name: tuple(uses) for name, uses in found.items()}

    def bases(self, index: int) -> list[Reference]:
        """The base types that a definition names in its header."""
        each = self.definitions[index]
        return [
            base
            for base in self.base_references
            # What an embedded field is, its type is; an extension's own name is no base of it.
            if each.start <= base.start < each.end
            and self.nesting.user(base.start) == index
            and base.start != each.name_start
        ]

    @cached_property
    def extension_names(self) -> frozenset[int]:
        """Where extensions are named."""
        return frozenset(self.definitions[index].name_start for index in self.extensions)

    @cached_property
    def extensions(self) -> frozenset[int]:
        """Definitions that add to a type of their name: it stands there as a base."""
        named = {base.start for base in self.base_references}
        return frozenset(
            index
            for index, each in enumerate(self.definitions)
            if each.kind in TYPE_KINDS and each.name_start in named
        )

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
        user = self.nesting.user
        return [each for each in self.view.references if user(each.start) == index]


_OWN_WORDS = frozenset(["self", "super"])
_MEMBERS = frozenset(["method", "constructor", "property", "field"])
