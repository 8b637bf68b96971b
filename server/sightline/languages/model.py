"""One language: what its folder says of it, and the grammar and query that come with that.

The structs are the sections of `language.toml`: their fields are its keys, and what is not said
there has the default that stands here. Nothing is loaded before it is asked for.

Invariant: a query is validated against its grammar when it is loaded, for cutting or for the index,
as far as it is needed for that. An unknown node, field or capture is a `LanguageError` that names
file and line; nothing is skipped in silence.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import itertools
import re
import warnings
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

import msgspec
import tree_sitter

from sightline.languages.fragments import FRAGMENTS, Expansion, expand
from sightline.languages.tags import PatternRole, QueryPattern, Tags, load_tags, read_patterns

_FOR_CUTTING_ALONE = frozenset(
    [
        PatternRole.WRAPPER,
        PatternRole.COMMENT,
        PatternRole.KEEP,
        PatternRole.VALUE,
        PatternRole.ERROR,
    ]
)
_FOR_INDEX_ALONE = frozenset(
    [PatternRole.REFERENCE, PatternRole.BINDING, PatternRole.PACKAGE, PatternRole.BLOCK]
)


class LanguageError(Exception):
    """A language folder that cannot be used, and where in it the fault stands."""


class _TomlSection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of `language.toml`."""


class GrammarRules(_TomlSection, frozen=True):
    """Where the grammar is, and what it is known to get wrong."""

    module: str
    function: str = "language"
    final_newline: bool = False
    """The grammar takes a text without a line break at its end for broken."""
    harmless: re.Pattern[bytes] | None = None
    """What the grammar takes for broken though nothing is missing: `()` in Swift."""
    lost: re.Pattern[bytes] | None = None
    """What the grammar loses at the end of a declaration: a `?` in Kotlin."""


class FileRules(_TomlSection, frozen=True):
    """Which files are of this language."""

    extensions: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    configs: tuple[str, ...] = ()
    """Names of project files that say how files of this language are built or checked."""
    contents: re.Pattern[bytes] | None = None
    """Where an extension is shared, the language whose pattern is found in the text wins."""


class CommentRules(_TomlSection, frozen=True):
    line: str
    """What a comment of one line starts with."""
    doc: re.Pattern[bytes] | None = None
    """What a doc comment starts with; None where the language has none of its own."""
    also: tuple[str, ...] = ()
    """What else a comment of one line starts with."""
    blocks: tuple[tuple[str, str], ...] = ()
    """What a comment of several lines starts and ends with."""


class StringRules(_TomlSection, frozen=True):
    """What strings look like, for words that are counted without a parse."""

    short: tuple[str, ...] = ('"',)
    """Quotes around a string that ends with its line at the latest."""
    long: tuple[tuple[str, str], ...] = ()
    """What a string that may have several lines starts and ends with."""


class SymbolRules(_TomlSection, frozen=True):
    constant: re.Pattern[str] | None = None
    """A variable with a name like this is a constant by convention."""
    quotes: str = ""
    """Characters that may stand around a name and are no part of it."""
    nested_functions: bool = True
    """Whether a function that stands in another is its part where the text does not parse. If not
    it stands beside it: a brace was lost, or conditions split a block."""


class NameRules(_TomlSection, frozen=True):
    """Where the names of a declaration stand, below what a pattern captures as `@name.within`."""

    kinds: frozenset[str] = frozenset()
    """Nodes that are a name."""
    within: Mapping[str, tuple[str, ...]] = {}
    """Nodes that hold names at any depth: in which fields, or in all children if there is none."""
    owners: Mapping[str, str] = {}
    """Nodes that name the owner of the name in them, and the field it stands in."""


class NamePath(msgspec.Struct, frozen=True):
    """How names are reached through one kind of node, in the grammar's own numbers."""

    is_name: bool = False
    fields: tuple[int, ...] = ()
    owner: int = 0


class ReadAs(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What the grammar cannot read, and what would do in its place: a name for `import('x')`."""

    pattern: re.Pattern[bytes]
    """What matches, or the one group in it."""
    replacement: str

    def __post_init__(self) -> None:
        if self.pattern.groups > 1:
            raise ValueError("must have one group at most in each regular expression")


class SyntaxRules(_TomlSection, frozen=True):
    """How a text is parsed that the grammar calls broken, and what can be left out of one."""

    joining_brackets: Mapping[str, str] = {}
    """Brackets between which a line break means nothing, opening to closing."""
    read_as: tuple[ReadAs, ...] = ()
    misread: re.Pattern[bytes] | None = None
    """What the grammar may misread without an error, so that `read_as` is tried there too."""
    removable_definitions: bool = False
    """A definition without braces can go, and the grammar reads the rest as if it were there."""


class SignatureRules(_TomlSection, frozen=True):
    """How a file of this language becomes its signatures."""

    body: str
    """What stands for a function's body."""
    value: str
    """What stands for an initialiser of several lines."""
    blocks: frozenset[str] = frozenset()
    """Nodes whose children are statements: those that declare nothing are left out."""
    empty: Mapping[str, str] = {}
    """What a block of this node kind needs when nothing is left in it."""
    keep: frozenset[str] = frozenset()
    """Statement nodes that always stay."""


class ModuleRules(_TomlSection, frozen=True):
    """How a file of this language is known to others, and what a name in it may mean."""

    scheme: Literal["none", "files", "packages", "folders"] = "none"
    """How an import finds what it names: `files` (a path), `packages` (a name that files declare),
    `folders` (a directory) or `none`."""
    separator: str = "/"
    """What parts the names of a module."""
    files: tuple[str, ...] = ()
    """Where a module may stand, `{}` being its path: `{}.py`, `{}/__init__.py`."""
    relative: Literal["slashes", "dots", "words", "beside"] = "slashes"
    """`dots` climb (Python), `slashes` as in a path, `words` (`crate`, `self`, `super`), or
    `beside` for a path that may also be relative to the importing file."""
    roots: tuple[str, ...] = ()
    """Folders at or above the importing file below which a module may stand."""
    package_file: str = ""
    """A directory that holds it is a package, and no root."""
    brought_along: frozenset[str] = frozenset()
    """Modules that come with the language: one of the same name far away is not meant."""
    manifest: str = ""
    """The file that names the project its directory holds."""
    starts: tuple[str, ...] = ()
    """Patterns of files, from the manifest's directory, in which a tree of modules starts."""
    private_files: tuple[str, ...] = ()
    """Patterns of file names whose names no import brings into another package."""
    module_folders: tuple[str, ...] = ()
    """Folders each of whose subdirectories holds one module, whatever is below it."""
    capital_types: bool = False
    """Types, and they alone, have names that begin with a capital letter."""
    visible: Literal["file", "package", "workspace"] = "file"
    """What needs no import: names of the `file`, the `package` or the whole `workspace`."""
    imports_all: bool = False
    """An import brings in every name of what it imports, and of what that imports."""
    implicit_members: bool = False
    """A member is called without naming the object it is called on."""
    scattered_members: bool = False
    """Members of a type may stand in other files of its package."""
    package_first: bool = False
    """Names of the package hide those that come in by a wildcard."""
    wildcards: tuple[str, ...] = ()
    """What an import may say for every name, beside `*`."""
    types_apart: bool = False
    """Where a type is meant, no function or variable of its name hides it."""
    calls_apart: bool = False
    """Where something is called, no variable of its name hides it."""
    declared_first: bool = False
    """A variable is declared before it is used: of several of one name the last before a use
    is meant, and none behind it."""
    bare_calls: bool = False
    """A function may be called without brackets, as a field is read."""
    companions: tuple[str, ...] = ()
    """Members of a type that hold further members of it."""
    extension: str = ""
    """The name that a function binds to what it is called on, though it is no member of that."""
    plain_extensions: bool = False
    """Such a function may also be called like any other, with what it extends as an argument."""
    self_names: tuple[str, ...] = msgspec.field(default=(), name="self")
    super_names: tuple[str, ...] = msgspec.field(default=(), name="super")
    constructors: tuple[str, ...] = ()
    """Members that a call of their type calls."""
    makers: tuple[str, ...] = ()
    """Members that make one of the type they are called on, declared or not: `new`."""
    makers_of_type: tuple[str, ...] = ()
    """Functions that make one of the type that they are given: `new(T)`."""
    views: tuple[str, ...] = ()
    """Members of types outside the workspace that give what they are called on: `iter`."""
    elements: tuple[str, ...] = ()
    """Members of types outside the workspace that give an element of what they are called on."""
    exports: tuple[str, ...] = ()
    """Names that a file binds to what it is as a whole, whose members are what it exports."""
    import_calls: tuple[str, ...] = ()
    """Functions that give the module whose name is written between their brackets."""
    default_export: str = ""
    """The name of what is imported by whoever names nothing."""
    open_values: bool = False
    """Variables and functions have members as types do: tables, objects, prototypes."""
    field_sign: str = ""
    """What the name of a field begins with, wherever it stands."""
    run_time_prefix: re.Pattern[bytes] | None = None
    """What may stand before a path and is not known before the program runs."""
    wrappers: tuple[str, ...] = ()
    """Types that stand for the one between their brackets."""
    overloads: bool = False
    """Functions of one name are told apart by what they take."""
    hides_overloads: bool = False
    """A member hides all inherited ones of its name, whatever they take."""
    structural: bool = False
    """A type that has the methods of an interface implements it, without saying so."""
    argument_labels: bool = False
    """Labels of arguments, in their order, are part of a function's name."""
    implicit_conversions: bool = False
    """A value may be passed for a type that is made from it."""
    literals: dict[str, str] = {}
    """The types of literals: `""`, `''`, `0`, `0L`, `0.0`, `0f` and words such as `true`."""
    conversions: dict[str, tuple[str, ...]] = {}
    """By type that comes with the language: every other one it is passed for, the nearest first."""
    family: str = ""
    """Languages that call each other share one; by default it is the language's own name."""


class LanguageTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `language.toml` says, all of it."""

    title: str
    grammar_rules: GrammarRules = msgspec.field(name="grammar")
    files: FileRules
    comments: CommentRules
    strings: StringRules
    symbols: SymbolRules
    names: NameRules
    syntax: SyntaxRules
    signatures: SignatureRules
    modules: ModuleRules


class Language(LanguageTable, frozen=True, eq=False, dict=True):
    """A language as its folder describes it, with what that leads to, loaded on first use."""

    name: str
    folder: Path
    bases: tuple[Path, ...]
    """Folders that this one extends, languages and shared parts; what they say comes first."""

    @cached_property
    def grammar(self) -> tree_sitter.Language:
        rules = self.grammar_rules
        try:
            entry = getattr(importlib.import_module(rules.module), rules.function)
        except (ImportError, AttributeError) as error:
            raise LanguageError(
                f"{self.folder / 'language.toml'}: the grammar "
                f"{rules.module}.{rules.function} cannot be loaded: {error}"
            ) from error
        with warnings.catch_warnings():
            # Some wheels still hand over the pointer as an int, which the binding deprecates.
            warnings.simplefilter("ignore", DeprecationWarning)
            return tree_sitter.Language(entry())

    @cached_property
    def tags(self) -> Tags:
        """What cutting a file needs: all but its uses."""
        return self._load_tags(_FOR_INDEX_ALONE)

    @cached_property
    def index_tags(self) -> Tags:
        """What the index needs of a file: declarations, imports and uses, and no more."""
        return self._load_tags(_FOR_CUTTING_ALONE, "value")

    @cached_property
    def takes_parameters(self) -> bool:
        """Whether the index has to know what functions take."""
        return self.modules.overloads or self.modules.structural

    @cached_property
    def patterns(self) -> tuple[QueryPattern, ...]:
        """What the patterns of its query mean. The grammar is not loaded for that."""
        try:
            return read_patterns(self._query)
        except ValueError as error:
            raise LanguageError(str(error)) from error

    @cached_property
    def _query(self) -> Expansion:
        """The query as it is compiled, with every use of a part replaced by it."""
        return expand([each / query_file(each) for each in (*self.bases, self.folder)])

    @cached_property
    def name_paths(self) -> Mapping[int, NamePath]:
        """What `[names]` says, by the number of a kind of node."""
        rules, grammar = self.names, self.grammar
        paths: dict[int, NamePath] = {}
        for kind in rules.kinds:
            paths |= dict.fromkeys(self.kind_ids(kind), NamePath(is_name=True))
        for kind, fields in rules.within.items():
            owner = rules.owners.get(kind)
            path = NamePath(
                fields=tuple(grammar.field_id_for_name(field) or 0 for field in fields),
                owner=grammar.field_id_for_name(owner) or 0 if owner else 0,
            )
            paths |= dict.fromkeys(self.kind_ids(kind), path)
        return paths

    def kind_ids(self, kind: str) -> frozenset[int]:
        """The numbers of a kind of node: an alias may give it several."""
        return self._kind_ids.get(kind, frozenset())

    @cached_property
    def keywords(self) -> frozenset[bytes]:
        """Words of the grammar itself, which name nothing."""
        grammar = self.grammar
        kinds = [
            grammar.node_kind_for_id(number) or ""
            for number in range(grammar.node_kind_count)
            if grammar.node_kind_is_visible(number) and not grammar.node_kind_is_named(number)
        ]
        own = (*self.modules.self_names, *self.modules.super_names)
        return frozenset(each.encode() for each in (*kinds, *own) if each.isidentifier())

    @cached_property
    def _kind_ids(self) -> Mapping[str, frozenset[int]]:
        grammar = self.grammar
        found: dict[str, set[int]] = {}
        for number in range(grammar.node_kind_count):
            if grammar.node_kind_is_named(number):
                found.setdefault(grammar.node_kind_for_id(number) or "", set()).add(number)
        return {kind: frozenset(numbers) for kind, numbers in found.items()}

    @cached_property
    def sources(self) -> tuple[Path, ...]:
        """Every file that decides what is read out of a text: settings, queries, the grammar.

        The grammar's version says little: a patch release can change what it does.
        """
        folders = (*self.bases, self.folder)
        tables = [each / "language.toml" for each in folders if is_language(each)]
        queries = [each / query_file(each) for each in folders]
        return (*tables, *queries, *_binaries("tree_sitter"), *_binaries(self.grammar_rules.module))

    def _load_tags(self, roles: frozenset[PatternRole], *parts: str) -> Tags:
        """Compile the query without patterns of some roles and without some captures."""
        self._check_node_kinds()
        patterns = self.patterns
        try:
            return load_tags(self._query, self.grammar, patterns, roles, parts)
        except ValueError as error:
            raise LanguageError(str(error)) from error

    def _check_node_kinds(self) -> None:
        """Check every kind of node and every field that `language.toml` names."""
        rules, names = self.signatures, self.names
        kinds = rules.blocks | rules.empty.keys() | rules.keep
        kinds |= names.kinds | names.within.keys() | names.owners.keys()
        for kind in sorted(kinds):
            if not self.kind_ids(kind):
                raise self._table_error(f"the grammar has no node kind '{kind}'", kind)
        for field in sorted({*names.owners.values(), *itertools.chain(*names.within.values())}):
            if self.grammar.field_id_for_name(field) is None:
                raise self._table_error(f"the grammar has no field '{field}'", field)

    def _table_error(self, fault: str, needle: str) -> LanguageError:
        """A fault in `language.toml`, or in that of a language it extends."""
        files = [each / "language.toml" for each in (self.folder, *reversed(self.bases))]
        texts = {file: file.read_text("utf-8") for file in files if file.is_file()}
        file = next((file for file, text in texts.items() if needle in text), files[0])
        line = line_holding(texts[file], f'"{needle}"', needle)
        return LanguageError(f"{file}:{line}: {fault}")


def is_language(folder: Path) -> bool:
    """False for a folder of parts, which languages share and which is none itself."""
    return (folder / "language.toml").is_file()


def query_file(folder: Path) -> str:
    """The name of the one query file of a folder."""
    return "tags.scm" if is_language(folder) else FRAGMENTS


def line_holding(text: str, *needles: str) -> int:
    """The 1-based line of the first needle that occurs; 1 if none does."""
    for needle in needles:
        position = text.find(needle)
        if position >= 0:
            return text.count("\n", 0, position) + 1
    return 1


@cache
def _binaries(module: str) -> list[Path]:
    """The compiled files of a package, which is not loaded for that."""
    spec = importlib.util.find_spec(module)
    suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    return [
        binary
        for place in (spec.submodule_search_locations or [] if spec else [])
        for binary in sorted(Path(place).iterdir())
        if binary.name.endswith(suffixes)
    ]
