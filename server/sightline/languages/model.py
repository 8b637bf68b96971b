"""One language: the settings of its folder, and its grammar and query.

The structs are the sections of `language.toml`: their fields are its keys and default values.
Nothing is loaded before it is used.

Invariant: a query is validated against its grammar when it is loaded, for cutting or for the index,
as far as that needs it. An unknown node, field or capture raises `LanguageError` with file and
line; nothing is skipped silently.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import itertools
import re
import warnings
from collections.abc import Callable, Mapping
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
    """A language folder that cannot be used; the message gives the place of the error."""


class _TomlSection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of `language.toml`."""


class GrammarRules(_TomlSection, frozen=True):
    """Where the grammar is, and its known errors."""

    module: str
    function: str = "language"
    final_newline: bool = False
    """True if the grammar reports an error for a text without a line break at its end."""
    harmless: re.Pattern[bytes] | None = None
    """Text that the grammar reports as incomplete although it is complete: `()` in Swift."""
    lost: re.Pattern[bytes] | None = None
    """Text that the grammar loses at the end of a declaration: a `?` in Kotlin."""


class FileRules(_TomlSection, frozen=True):
    """Rules that assign files to this language."""

    extensions: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    configs: tuple[str, ...] = ()
    """Names of project files that configure how files of this language are built or checked."""
    contents: re.Pattern[bytes] | None = None
    """If languages share an extension, the one whose pattern is found in the text wins."""


class CommentRules(_TomlSection, frozen=True):
    line: str
    """The start of a comment of one line."""
    doc: re.Pattern[bytes] | None = None
    """The start of a doc comment; None if the language has none of its own."""
    also: tuple[str, ...] = ()
    """Other starts of a comment of one line."""
    blocks: tuple[tuple[str, str], ...] = ()
    """Start and end of a comment of several lines."""


class StringRules(_TomlSection, frozen=True):
    """The forms of strings, for counting words without a parse."""

    short: tuple[str, ...] = ('"',)
    """Quotes around a string that ends on its line."""
    long: tuple[tuple[str, str], ...] = ()
    """Start and end of a string that may have several lines."""


class SymbolRules(_TomlSection, frozen=True):
    constant: re.Pattern[str] | None = None
    """Variables with such names are constants by convention."""
    quotes: str = ""
    """Quotes around a name that are not part of it."""
    nested_functions: bool = True
    """If the text does not parse: True if a function inside another is a part of it. Otherwise it
    stands beside it: a brace was lost, or conditions split a block.
    """


class NameRules(_TomlSection, frozen=True):
    """Where the names of a declaration are, below what a pattern captures as `@name.within`."""

    kinds: frozenset[str] = frozenset()
    """Nodes that are names."""
    within: Mapping[str, tuple[str, ...]] = {}
    """Nodes that contain names at any depth: in these fields, or in all children if none is
    given.
    """
    owners: Mapping[str, str] = {}
    """Nodes that name the owner of the name in them, and the field of the owner."""


class NamePath(msgspec.Struct, frozen=True):
    """How to reach names through one kind of node, in the grammar's own numbers."""

    is_name: bool = False
    fields: tuple[int, ...] = ()
    owner: int = 0


class ReadAs(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Text that the grammar cannot read, and its replacement: a name for `import('x')`."""

    pattern: re.Pattern[bytes]
    """Matches the text to replace; if it has a group, only the group is replaced."""
    replacement: str

    def __post_init__(self) -> None:
        if self.pattern.groups > 1:
            raise ValueError("must have one group at most in each regular expression")


class SyntaxRules(_TomlSection, frozen=True):
    """How to parse a text that the grammar cannot read, and what can be left out of a parse."""

    joining_brackets: Mapping[str, str] = {}
    """Brackets between which a line break has no meaning, opening to closing."""
    conditionals: bool = False
    """True if `#if` may split a statement or a block: one alternative is read then."""
    read_as: tuple[ReadAs, ...] = ()
    misread: re.Pattern[bytes] | None = None
    """Text that the grammar may misread without an error, so that `read_as` is tried there too."""
    removable_definitions: bool = False
    """True if the grammar reads the rest correctly after a definition without braces is removed."""


class SignatureRules(_TomlSection, frozen=True):
    """How to cut the signatures of a file of this language."""

    body: str
    """Replaces a function's body."""
    value: str
    """Replaces an initialiser of several lines."""
    blocks: frozenset[str] = frozenset()
    """Nodes whose children are statements: those that declare nothing are left out."""
    empty: Mapping[str, str] = {}
    """By node kind, the filler for a block that becomes empty."""
    keep: frozenset[str] = frozenset()
    """Statement nodes that always stay."""


class ModuleRules(_TomlSection, frozen=True):
    """How other files name a file of this language, and how names in it are resolved."""

    scheme: Literal["none", "files", "packages", "folders"] = "none"
    """How an import finds its target: `files` (a path), `packages` (a name that files declare),
    `folders` (a directory) or `none`.
    """
    separator: str = "/"
    """The separator in the names of modules."""
    files: tuple[str, ...] = ()
    """Where a module may be, `{}` being its path: `{}.py`, `{}/__init__.py`."""
    relative: Literal["slashes", "dots", "words", "beside"] = "slashes"
    """`dots` go up (Python), `slashes` as in a path, `words` (`crate`, `self`, `super`), or
    `beside` for a path that may also be relative to the importing file.
    """
    roots: tuple[str, ...] = ()
    """Folders at or above the importing file that may contain modules."""
    package_file: str = ""
    """A directory with this file is a package, and not a root."""
    brought_along: frozenset[str] = frozenset()
    """Modules of the language's own library: one of the same name far away is not meant."""
    manifest: str = ""
    """The file that gives the project in its directory a name."""
    starts: tuple[str, ...] = ()
    """Patterns of files, from the manifest's directory, that are roots of a tree of modules."""
    private_files: tuple[str, ...] = ()
    """Patterns of file names whose contents cannot be imported into another package."""
    module_folders: tuple[str, ...] = ()
    """Folders in which each subdirectory is one module, with everything below it."""
    capital_types: bool = False
    """Only types have names that begin with a capital letter, and all types do."""
    visible: Literal["file", "package", "workspace"] = "file"
    """What needs no import: names of the `file`, the `package` or the whole `workspace`."""
    imports_all: bool = False
    """An import brings in every name of its target, and of the target's imports."""
    implicit_members: bool = False
    """A member can be called without naming the object it is called on."""
    scattered_members: bool = False
    """Members of a type may be in other files of its package."""
    package_first: bool = False
    """Names of the package hide those from wildcard imports."""
    wildcards: tuple[str, ...] = ()
    """Further words in an import for every name, besides `*`."""
    types_apart: bool = False
    """In a type's position, no function or variable of its name hides it."""
    calls_apart: bool = False
    """In a call, no variable of the function's name hides it."""
    declared_first: bool = False
    """A variable is declared before its use: of several with one name, the last before a use is
    meant.
    """
    bare_calls: bool = False
    """A function may be called without brackets, like reading a field."""
    companions: tuple[str, ...] = ()
    """Members of a type that contain further members of it."""
    extension: str = ""
    """The name that a function binds to its receiver, although it is not a member of that type."""
    plain_extensions: bool = False
    """Such a function may also be called with the object as an argument."""
    self_names: tuple[str, ...] = msgspec.field(default=(), name="self")
    super_names: tuple[str, ...] = msgspec.field(default=(), name="super")
    scope_word: str = ""
    """The word at which a scope that adds to a type says the type of its members' object."""
    open_results: bool = False
    """What a function of another package returns may be of the workspace, such as what it was
    passed."""
    constructors: tuple[str, ...] = ()
    """Members that a call of their type calls."""
    makers: tuple[str, ...] = ()
    """Members that create an object of the type they are called on, declared or not: `new`."""
    makers_of_type: tuple[str, ...] = ()
    """Functions that create an object of the type passed to them: `new(T)`."""
    views: tuple[str, ...] = ()
    """Members of external types that return the object they are called on: `iter`."""
    elements: tuple[str, ...] = ()
    """Members of external types that return an element of the object they are called on."""
    exports: tuple[str, ...] = ()
    """Names that a file binds to its exports as a whole; their members are exported."""
    import_calls: tuple[str, ...] = ()
    """Functions that return the module named in their argument."""
    default_export: str = ""
    """The name of a default export, imported without naming it."""
    open_values: bool = False
    """Variables and functions have members like types: tables, objects, prototypes."""
    field_sign: str = ""
    """The first character of a field's name, wherever it is used."""
    run_time_prefix: re.Pattern[bytes] | None = None
    """What may stand before a path and is not known before the program runs."""
    block_scopes: bool = False
    """A variable is known in the innermost function without a name, or other part that is marked
    as local, around its declaration; one further in hides it."""
    folds: frozenset[str] = frozenset()
    """Methods that pass no element of what they are called on to a function."""
    wrappers: tuple[str, ...] = ()
    """Types that stand for their type argument."""
    overloads: bool = False
    """Functions of one name are distinguished by their parameters."""
    hides_overloads: bool = False
    """A member hides all inherited ones of its name, regardless of parameters."""
    structural: bool = False
    """A type with the methods of an interface implements it without declaring so."""
    argument_labels: bool = False
    """Labels of arguments, in their order, are part of a function's name."""
    implicit_conversions: bool = False
    """A value may be passed for a type that is constructed from it."""
    arrow_members: bool = False
    """`a->b` is a member of `a`, and no function without a name."""
    literals: dict[str, str] = {}
    """The types of literals: `""`, `''`, `0`, `0L`, `0.0`, `0f` and words such as `true`."""
    conversions: dict[str, tuple[str, ...]] = {}
    """By built-in type: the types it converts to implicitly, the nearest first."""
    family: str = ""
    """The group of languages that call each other; by default the language's own name."""


class LanguageTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of `language.toml`."""

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
    """A language as its folder describes it; grammar and query are loaded on first use."""

    name: str
    folder: Path
    bases: tuple[Path, ...]
    """Folders that this one extends, languages and shared parts; their settings come first."""

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
            # Some wheels still return the pointer as an int, which the binding deprecates.
            warnings.simplefilter("ignore", DeprecationWarning)
            return tree_sitter.Language(entry())

    @cached_property
    def tags(self) -> Tags:
        """The query for cutting a file: everything except uses."""
        return self._load_tags(lambda pattern: pattern.role in _FOR_INDEX_ALONE)

    @cached_property
    def index_tags(self) -> Tags:
        """The query for the index: declarations, imports and uses only."""
        return self._load_tags(
            lambda pattern: pattern.is_for_cutting or pattern.role in _FOR_CUTTING_ALONE, "value"
        )

    @cached_property
    def takes_parameters(self) -> bool:
        """True if the index needs the parameters of functions."""
        return self.modules.overloads or self.modules.structural

    @cached_property
    def patterns(self) -> tuple[QueryPattern, ...]:
        """Return the meaning of the query's patterns. This does not load the grammar."""
        try:
            return read_patterns(self._query)
        except ValueError as error:
            raise LanguageError(str(error)) from error

    @cached_property
    def _query(self) -> Expansion:
        """Return the query to compile, with every use of a part expanded."""
        return expand([each / query_file(each) for each in (*self.bases, self.folder)])

    @cached_property
    def name_paths(self) -> Mapping[int, NamePath]:
        """Return the paths of `[names]`, by the number of a node kind."""
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
        """Return the numbers of a node kind: an alias may give it several."""
        return self._kind_ids.get(kind, frozenset())

    @cached_property
    def keywords(self) -> frozenset[bytes]:
        """Return the keywords of the grammar, which are not names."""
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
        """Return every file that decides which facts are extracted: settings, queries, the grammar.

        The grammar's version is not enough: a patch release can change its results.
        """
        folders = (*self.bases, self.folder)
        tables = [each / "language.toml" for each in folders if is_language(each)]
        queries = [each / query_file(each) for each in folders]
        return (*tables, *queries, *_binaries("tree_sitter"), *_binaries(self.grammar_rules.module))

    def _load_tags(self, is_skipped: Callable[[QueryPattern], bool], *parts: str) -> Tags:
        """Compile the query without some patterns and without some captures."""
        self._check_node_kinds()
        patterns = self.patterns
        skipped = {number for number, pattern in enumerate(patterns) if is_skipped(pattern)}
        try:
            return load_tags(self._query, self.grammar, patterns, skipped, parts)
        except ValueError as error:
            raise LanguageError(str(error)) from error

    def _check_node_kinds(self) -> None:
        """Check every node kind and field that `language.toml` names."""
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
        """Return an error in `language.toml`, or in that of a language it extends."""
        files = [each / "language.toml" for each in (self.folder, *reversed(self.bases))]
        texts = {file: file.read_text("utf-8") for file in files if file.is_file()}
        file = next((file for file, text in texts.items() if needle in text), files[0])
        line = line_holding(texts[file], f'"{needle}"', needle)
        return LanguageError(f"{file}:{line}: {fault}")


def is_language(folder: Path) -> bool:
    """Return False for a folder of shared parts, which is not a language itself."""
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
    """Return the compiled files of a package, without loading it."""
    spec = importlib.util.find_spec(module)
    suffixes = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    return [
        binary
        for place in (spec.submodule_search_locations or [] if spec else [])
        for binary in sorted(Path(place).iterdir())
        if binary.name.endswith(suffixes)
    ]
