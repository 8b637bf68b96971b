"""One file, prepared for looking up names in it."""

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
"""Kinds whose uses as values are reported: functions and types."""

SymbolId = tuple[str, int]
"""A definition: the path of its file and its index there."""


class FileScope:
    """A file's facts, and where each name in it is found. Immutable once made.

    There are many names and scopes are kept. So the value for a name is a tuple of plain values,
    which the garbage collector need not visit.
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
        """The folder below which folders are packages; the file's own folder if folders are no
        packages.
        """
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
        """Return a definition's name as its members write it: that of a namespace may have several
        parts.
        """
        return self.definitions[index].qualified_name.replace(self.rules.separator, ".")

    @cached_property
    def members(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """Definitions by the qualified name of their owner ("" at the top level) and their own
        name.
        """
        found: dict[str, dict[str, list[int]]] = {}
        for index, each in enumerate(self.definitions):
            found.setdefault(each.container, {}).setdefault(each.name, []).append(index)
        return {
            container: {name: tuple(indexes) for name, indexes in named.items()}
            for container, named in found.items()
        }

    @cached_property
    def top(self) -> dict[str, tuple[int, ...]]:
        """Top-level definitions by name, without members of anonymous values.

        A plain name never means `render` in `mount({ render() {} })`.
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
        """Return the enumeration that a definition is a value of."""
        around = self.nesting.parents[index]
        if self.definitions[index].kind != "constant" or around < 0:
            return None
        return (self.path, around) if self.definitions[around].kind == "enum" else None

    def is_anonymous(self, index: int) -> bool:
        """True if a definition is a member of an anonymous class, one that is defined where it is
        used.
        """
        around = self.nesting.parents[index]
        return (
            around >= 0
            and self.definitions[index].kind in _MEMBERS
            and self.definitions[around].kind not in SCOPE_KINDS
        )

    def anonymous_base(self, index: int) -> Reference | None:
        """Return the base type of the anonymous class of a member: the last
        type named before it.
        """
        around, start = self.nesting.parents[index], self.definitions[index].start
        found = None
        for base in self.base_references:
            if base.start < start and self.nesting.enclosing(base.start) == around:
                found = base
        return found

    def owner(self, offset: int) -> str | None:
        """Return the qualified name of the type that the member at an offset belongs to."""
        best, owner = -1, None
        for start, end, name in self.view.scopes:
            if start <= offset < end and start > best:
                best, owner = start, name
        for index in self.nesting.chain(offset):
            each = self.definitions[index]
            if each.kind in TYPE_KINDS and each.start > best:
                return each.qualified_name
            if each.container and each.kind in ("method", "constructor", "property"):
                # Its owner may be declared elsewhere: a receiver, `Owner::name`.
                return each.container
        return owner

    @cached_property
    def imports(self) -> list[Imported]:
        """Imports, with their modules written as from the top of the file."""
        return [self.import_from_top(each) for each in self.view.imports]

    def import_from_top(self, each: Imported) -> Imported:
        module = self.path_from_top(each.module, each.start)
        return each if module == each.module else structs.replace(each, module=module)

    def path_from_top(self, path: str, offset: int) -> str:
        """Return a path as the top of the file would write it: `super` may mean the file."""
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
        """The aliases that imports give to names, in order."""
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
        """Imports by the name that they bring into the file; wildcards under `*`."""
        found: dict[str, list[Imported]] = {}
        for each in self.imports:
            separator = self.rules.separator
            name = each.alias or each.name or each.module.rpartition(separator)[2]
            if (each.name in ("*", *self.rules.wildcards) and not each.alias) or each.alias == ".":
                each, name = structs.replace(each, name="*"), "*"
            elif not each.name and not each.alias and self.rules.imports_all:
                # It imports a namespace, and so only the names in it.
                continue
            elif self.rules.imports_all and name == each.module.rpartition("::")[2]:
                # It imports the constructors of a base: no new name.
                continue
            is_path = not each.alias and not each.name and separator in each.module
            if is_path and separator != "/":
                # `import a.b` makes `a` visible, and with it the path to `b`.
                found.setdefault(each.module.partition(separator)[0], []).append(each)
            if not is_path or self.rules.relative != "dots":
                found.setdefault(name, []).append(each)
        return found

    def is_imported_too(self, name: str) -> bool:
        """True if a name that the file declares may also be imported, conditionally or later."""
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
        """Return the base types that a definition names in its header."""
        each = self.definitions[index]
        return [
            base
            for base in self.base_references
            # The base in an embedded field belongs to the type. An extension's own name is not its
            # base.
            if each.start <= base.start < each.end
            and self.nesting.user(base.start) == index
            and base.start != each.name_start
        ]

    @cached_property
    def extension_names(self) -> frozenset[int]:
        """Return where extensions are named."""
        return frozenset(self.definitions[index].name_start for index in self.extensions)

    @cached_property
    def extensions(self) -> frozenset[int]:
        """Return definitions that add members to the type of their name, which stands there as a
        base.
        """
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
        """Return base types that a separate scope (`impl Trait for Owner`) gives to an owner."""
        return [
            base
            for base in self.base_references
            for start, end, name in self.view.scopes
            if start <= base.start < end and name == owner
        ]

    def references_in(self, index: int) -> list[Reference]:
        """Return the uses in a definition; for -1, those outside of all definitions."""
        user = self.nesting.user
        return [each for each in self.view.references if user(each.start) == index]


_OWN_WORDS = frozenset(["self", "super"])
_MEMBERS = frozenset(["method", "constructor", "property", "field"])
