"""The languages Sightline can cut: one folder each, with `language.toml` and `tags.scm`.

Adding a language is adding a folder. Nothing here knows any language by name, and no grammar
or query is loaded before a file of that language is.

Invariants:

* A query is validated against its grammar when it is loaded. An unknown node, field, capture
  or setting is a `LanguageError` that names file and line; nothing is skipped in silence.
* Language folders come from the package or from the user, never from a workspace: a grammar
  is code.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.machinery
import importlib.util
import os
import re
import tomllib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path, PurePosixPath

import attrs
import tree_sitter

from sightline.languages.tags import Pattern, Role, Tags, load_tags, read_patterns

LANGUAGE_PATH_VARIABLE = "SIGHTLINE_LANGUAGE_PATH"
"""Further language folders of the user's own, separated as in `PATH`."""

_FOR_CUTTING_ALONE = frozenset([Role.WRAPPER, Role.COMMENT, Role.KEEP, Role.VALUE, Role.ERROR])
_FOR_INDEX_ALONE = frozenset([Role.REFERENCE, Role.BINDING, Role.PACKAGE])
_BUILTIN = Path(__file__).parent
_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?(\S+)(?:[ \t]+(?:-\S+[ \t]+)*(?:\S*/)?(\S+))?")


class LanguageError(Exception):
    """A language folder that cannot be used, and where in it the fault stands."""


@attrs.frozen
class SignatureRules:
    """How a file of this language becomes its signatures."""

    body: str
    """What stands for a function's body."""
    value: str
    """What stands for an initialiser of several lines."""
    blocks: frozenset[str]
    """Nodes whose children are statements: those that declare nothing are left out."""
    empty: Mapping[str, str]
    """What a block of this node kind needs when nothing is left in it."""
    keep: frozenset[str]
    """Statement nodes that always stay."""


@attrs.frozen
class ModuleRules:
    """How a file of this language is known to others, and what a name in it may mean."""

    scheme: str
    """How an import finds what it names: `files` (a path), `packages` (a name that files declare),
    `folders` (a directory) or `none`."""
    separator: str
    """What parts the names of a module."""
    files: tuple[str, ...]
    """Where a module may stand, `{}` being its path: `{}.py`, `{}/__init__.py`."""
    relative: str
    """`dots` climb (Python), `slashes` as in a path, `words` (`crate`, `self`, `super`), or
    `beside` for a path that may also be relative to the importing file."""
    roots: tuple[str, ...]
    """Folders at or above the importing file below which a module may stand."""
    package_file: str
    """A directory that holds it is a package, and no root."""
    brought_along: frozenset[str]
    """Modules that come with the language: one of the same name far away is not meant."""
    manifest: str
    """The file that names the project its directory holds."""
    starts: tuple[str, ...]
    """Patterns of files, from the manifest's directory, in which a tree of modules starts."""
    private_files: tuple[str, ...]
    """Patterns of file names whose names no import brings into another package."""
    module_folders: tuple[str, ...]
    """Folders each of whose subdirectories holds one module, whatever is below it."""
    capital_types: bool
    """Types, and they alone, have names that begin with a capital letter."""
    visible: str
    """What needs no import: names of the `file`, the `package` or the whole `workspace`."""
    imports_all: bool
    """An import brings in every name of what it imports, and of what that imports."""
    implicit_members: bool
    """A member is called without naming the object it is called on."""
    scattered_members: bool
    """Members of a type may stand in other files of its package."""
    package_first: bool
    """Names of the package hide those that come in by a wildcard."""
    wildcards: tuple[str, ...]
    """What an import may say for every name, beside `*`."""
    types_apart: bool
    """Where a type is meant, no function or variable of its name hides it."""
    calls_apart: bool
    """Where something is called, no variable of its name hides it."""
    declared_first: bool
    """A variable is declared before it is used: of several of one name the last before a use
    is meant, and none behind it."""
    bare_calls: bool
    """A function may be called without brackets, as a field is read."""
    companions: tuple[str, ...]
    """Members of a type that hold further members of it."""
    extension: str
    """The name that a function binds to what it is called on, though it is no member of that."""
    plain_extensions: bool
    """Such a function may also be called like any other, with what it extends as an argument."""
    self_names: tuple[str, ...]
    super_names: tuple[str, ...]
    constructors: tuple[str, ...]
    """Members that a call of their type calls."""
    makers: tuple[str, ...]
    """Members that make one of the type they are called on, declared or not: `new`."""
    exports: tuple[str, ...]
    """Names that a file binds to what it is as a whole, whose members are what it exports."""
    import_calls: tuple[str, ...]
    """Functions that give the module whose name is written between their brackets."""
    default_export: str
    """The name of what is imported by whoever names nothing."""
    open_values: bool
    """Variables and functions have members as types do: tables, objects, prototypes."""
    field_sign: str
    """What the name of a field begins with, wherever it stands."""
    run_time_prefix: re.Pattern[bytes] | None
    """What may stand before a path and is not known before the program runs."""
    wrappers: tuple[str, ...]
    """Types that stand for the one between their brackets."""
    family: str
    """Languages that call each other share one."""


@attrs.frozen(eq=False, slots=False)
class Language:
    name: str
    title: str
    folder: Path
    bases: tuple[Path, ...]
    """Folders of the languages that this one extends; their patterns come first."""
    extensions: tuple[str, ...]
    file_names: tuple[str, ...]
    interpreters: tuple[str, ...]
    configs: tuple[str, ...]
    """Names of project files that say how files of this language are built or checked."""
    contents: re.Pattern[bytes] | None
    """Where an extension is shared, the language whose pattern is found in the text wins."""
    line_comment: str
    doc_comment: re.Pattern[bytes] | None
    """What a doc comment starts with; None where the language has none of its own."""
    constant_name: re.Pattern[str] | None
    """A variable with a name like this is a constant by convention."""
    name_quotes: str
    """Characters that may stand around a name and are no part of it."""
    joining_brackets: Mapping[str, str]
    """Brackets between which a line break means nothing, opening to closing."""
    read_as: tuple[tuple[re.Pattern[bytes], bytes], ...]
    """What the grammar cannot read, and what would do in its place: a name for `import('x')`."""
    misread: re.Pattern[bytes] | None
    """What the grammar may misread without an error, so that `read_as` is tried there too."""
    has_removable_definitions: bool
    """A definition without braces can go, and the grammar reads the rest as if it were there."""
    signatures: SignatureRules
    modules: ModuleRules
    grammar_module: str
    grammar_function: str
    wants_final_newline: bool
    """The grammar takes a text without a line break at its end for broken."""
    harmless: re.Pattern[bytes] | None
    """What the grammar takes for broken though nothing is missing: `()` in Swift."""
    lost: re.Pattern[bytes] | None
    """What the grammar loses at the end of a declaration: a `?` in Kotlin."""

    @cached_property
    def grammar(self) -> tree_sitter.Language:
        try:
            module = importlib.import_module(self.grammar_module)
            entry = getattr(module, self.grammar_function)
        except (ImportError, AttributeError) as error:
            raise LanguageError(
                f"{self.folder / 'language.toml'}: the grammar "
                f"{self.grammar_module}.{self.grammar_function} cannot be loaded: {error}"
            ) from error
        with warnings.catch_warnings():
            # Some wheels still hand over the pointer as an int, which the binding deprecates.
            warnings.simplefilter("ignore", DeprecationWarning)
            return tree_sitter.Language(entry())

    @cached_property
    def tags(self) -> Tags:
        """What cutting a file needs: all but its uses."""
        tags = self._load_tags()
        tags.disable(_FOR_INDEX_ALONE, ())
        return tags

    @cached_property
    def index_tags(self) -> Tags:
        """What the index needs of a file: declarations, imports and uses, and no more."""
        tags = self._load_tags()
        tags.disable(_FOR_CUTTING_ALONE, ("value",))
        return tags

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """What the patterns of its query mean. The grammar is not loaded for that."""
        try:
            return read_patterns(self._queries)
        except ValueError as error:
            raise LanguageError(str(error)) from error

    @property
    def _queries(self) -> list[Path]:
        return [*(base / "tags.scm" for base in self.bases), self.folder / "tags.scm"]

    @cached_property
    def sources(self) -> tuple[Path, ...]:
        """Every file that decides what is read out of a text: settings, queries, the grammar.

        The grammar's version says little: a patch release can change what it does.
        """
        own = [
            each / name
            for each in (*self.bases, self.folder)
            for name in ("language.toml", "tags.scm")
        ]
        return (*own, *_binaries("tree_sitter"), *_binaries(self.grammar_module))

    def _load_tags(self) -> Tags:
        self._check_node_kinds()
        try:
            return load_tags(self._queries, self.grammar)
        except ValueError as error:
            raise LanguageError(str(error)) from error

    def _check_node_kinds(self) -> None:
        rules = self.signatures
        known = {
            self.grammar.node_kind_for_id(number)
            for number in range(self.grammar.node_kind_count)
            if self.grammar.node_kind_is_named(number)
        }
        for kind in sorted(rules.blocks | rules.empty.keys() | rules.keep):
            if kind not in known:
                file = self.folder / "language.toml"
                line = _line_holding(file.read_text("utf-8"), f'"{kind}"', kind)
                raise LanguageError(f"{file}:{line}: the grammar has no node kind '{kind}'")


class Registry:
    """All known languages, by name and by what their files are called."""

    def __init__(self, languages: Iterable[Language]) -> None:
        self.languages = {
            language.name: language for language in sorted(languages, key=lambda each: each.name)
        }
        self._by_extension: dict[str, list[Language]] = {}
        self._by_file_name: dict[str, Language] = {}
        self._by_interpreter: dict[str, Language] = {}
        for language in self.languages.values():
            for extension in language.extensions:
                self._by_extension.setdefault(extension, []).append(language)
            for file_name in language.file_names:
                self._by_file_name[file_name] = language
            for interpreter in language.interpreters:
                self._by_interpreter[interpreter] = language

    @cached_property
    def digest(self) -> str:
        """Of what decides which file is of which language."""
        rules = [
            (
                each.name,
                each.extensions,
                each.file_names,
                each.interpreters,
                each.contents.pattern.decode() if each.contents else "",
            )
            for each in self.languages.values()
        ]
        return hashlib.sha256(repr(rules).encode()).hexdigest()

    def get(self, name: str) -> Language | None:
        return self.languages.get(name)

    def for_path(self, path: str, data: bytes) -> Language | None:
        """The language of a file, by its name, then its extension, then its first line."""
        pure = PurePosixPath(path)
        if pure.name in self._by_file_name:
            return self._by_file_name[pure.name]
        suffix = pure.suffix
        claimants = self._by_extension.get(suffix) or self._by_extension.get(suffix.lower())
        if claimants:
            return _choose(claimants, data)
        if not suffix:
            return self._for_shebang(data)
        return None

    def _for_shebang(self, data: bytes) -> Language | None:
        found = _SHEBANG.match(data[:200])
        if not found:
            return None
        program = found[1].decode("ascii", "replace")
        if program == "env" and found[2]:
            program = found[2].decode("ascii", "replace")
        return self._by_interpreter.get(program) or self._by_interpreter.get(
            program.rstrip("0123456789.")
        )


def load_registry(extra_folders: Iterable[Path] = ()) -> Registry:
    """The built-in languages, the user's own (by environment) and those in `extra_folders`.

    A later folder replaces an earlier language of the same name.
    """
    found: dict[str, Language] = {}
    for parent in [_BUILTIN, *_user_folders(), *extra_folders]:
        if not parent.is_dir():
            raise LanguageError(f"{parent}: no such folder of languages")
        for file in sorted(parent.glob("*/language.toml")):
            language = load_language(file.parent)
            found[language.name] = language
    return Registry(found.values())


def load_named(name: str, extra_folders: Iterable[Path] = ()) -> Language:
    """One language, as `load_registry` would have it, without a look at the others."""
    for parent in reversed([_BUILTIN, *_user_folders(), *extra_folders]):
        if (parent / name / "language.toml").is_file():
            return load_language(parent / name)
    raise LanguageError(f"there is no language '{name}'")


def load_language(folder: Path) -> Language:
    """Read one language folder. The grammar and the query are loaded on first use.

    A language may extend another: what its `language.toml` does not say itself is as in that one,
    section by section, and its `tags.scm` adds to the other's.
    """
    file = folder / "language.toml"
    table = _read_table(file)
    bases: tuple[Path, ...] = ()
    extended = table.pop("extends", None)
    if extended is not None:
        base = _folder_of(file, extended)
        table = {**_read_table(base / "language.toml"), **table}
        bases = (base,)
    reader = _Reader(file, table)
    language = Language(
        name=folder.name,
        bases=bases,
        title=reader.string("title"),
        folder=folder,
        grammar_module=reader.string("grammar", "module"),
        grammar_function=reader.string("grammar", "function", default="language"),
        lost=reader.pattern("grammar", "lost"),
        harmless=reader.pattern("grammar", "harmless"),
        wants_final_newline=reader.boolean("grammar", "final_newline"),
        extensions=reader.strings("files", "extensions"),
        file_names=reader.strings("files", "names"),
        interpreters=reader.strings("files", "interpreters"),
        configs=reader.strings("files", "configs"),
        contents=reader.pattern("files", "contents"),
        line_comment=reader.string("comments", "line"),
        doc_comment=reader.pattern("comments", "doc"),
        constant_name=_text_pattern(reader.string("symbols", "constant", default="")),
        name_quotes=reader.string("symbols", "quotes", default=""),
        read_as=reader.substitutions("syntax", "read_as"),
        misread=reader.pattern("syntax", "misread"),
        joining_brackets=reader.mapping("syntax", "joining_brackets"),
        has_removable_definitions=reader.boolean("syntax", "removable_definitions"),
        signatures=SignatureRules(
            body=reader.string("signatures", "body"),
            value=reader.string("signatures", "value"),
            blocks=frozenset(reader.strings("signatures", "blocks")),
            empty=reader.mapping("signatures", "empty"),
            keep=frozenset(reader.strings("signatures", "keep")),
        ),
        modules=ModuleRules(
            scheme=reader.choice("modules", "scheme", ("none", "files", "packages", "folders")),
            separator=reader.string("modules", "separator", default="/"),
            files=reader.strings("modules", "files"),
            relative=reader.choice("modules", "relative", ("slashes", "dots", "words", "beside")),
            roots=reader.strings("modules", "roots"),
            package_file=reader.string("modules", "package_file", default=""),
            brought_along=frozenset(reader.strings("modules", "brought_along")),
            manifest=reader.string("modules", "manifest", default=""),
            starts=reader.strings("modules", "starts"),
            private_files=reader.strings("modules", "private_files"),
            module_folders=reader.strings("modules", "module_folders"),
            capital_types=reader.boolean("modules", "capital_types"),
            visible=reader.choice("modules", "visible", ("file", "package", "workspace")),
            imports_all=reader.boolean("modules", "imports_all"),
            implicit_members=reader.boolean("modules", "implicit_members"),
            scattered_members=reader.boolean("modules", "scattered_members"),
            package_first=reader.boolean("modules", "package_first"),
            wildcards=reader.strings("modules", "wildcards"),
            types_apart=reader.boolean("modules", "types_apart"),
            calls_apart=reader.boolean("modules", "calls_apart"),
            declared_first=reader.boolean("modules", "declared_first"),
            bare_calls=reader.boolean("modules", "bare_calls"),
            companions=reader.strings("modules", "companions"),
            extension=reader.string("modules", "extension", default=""),
            plain_extensions=reader.boolean("modules", "plain_extensions"),
            self_names=reader.strings("modules", "self"),
            super_names=reader.strings("modules", "super"),
            constructors=reader.strings("modules", "constructors"),
            makers=reader.strings("modules", "makers"),
            exports=reader.strings("modules", "exports"),
            import_calls=reader.strings("modules", "import_calls"),
            default_export=reader.string("modules", "default_export", default=""),
            open_values=reader.boolean("modules", "open_values"),
            field_sign=reader.string("modules", "field_sign", default=""),
            run_time_prefix=reader.pattern("modules", "run_time_prefix"),
            wrappers=reader.strings("modules", "wrappers"),
            family=reader.string("modules", "family", default=folder.name),
        ),
    )
    reader.refuse_unread()
    return language


def _read_table(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LanguageError(f"{file}: {error}") from error


def _folder_of(file: Path, extended: object) -> Path:
    """The folder of the language that another extends: beside it, or a built-in one."""
    for parent in (file.parent.parent, _BUILTIN):
        base = parent / str(extended)
        if base != file.parent and (base / "language.toml").is_file():
            return base
    line = _line_holding(file.read_text("utf-8"), "extends")
    raise LanguageError(f"{file}:{line}: extends no known language: {extended!r}")


class _Reader:
    """Reads typed values out of `language.toml` and knows which keys nobody asked for."""

    def __init__(self, file: Path, table: Mapping[str, object]) -> None:
        self._file = file
        self._values: dict[tuple[str, ...], object] = {}
        for key, value in table.items():
            if isinstance(value, dict):
                self._values.update({(key, inner): each for inner, each in value.items()})
            else:
                self._values[(key,)] = value

    def string(self, *key: str, default: str | None = None) -> str:
        value = self._values.pop(key, default)
        if not isinstance(value, str):
            raise self._error(key, "must be a string")
        return value

    def boolean(self, *key: str) -> bool:
        value = self._values.pop(key, False)
        if not isinstance(value, bool):
            raise self._error(key, "must be true or false")
        return value

    def choice(self, section: str, name: str, values: Sequence[str]) -> str:
        """One of some values, the first where nothing is said."""
        value = self.string(section, name, default=values[0])
        if value not in values:
            raise self._error((section, name), f"must be one of {', '.join(values)}")
        return value

    def strings(self, *key: str) -> tuple[str, ...]:
        value = self._values.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self._error(key, "must be a list of strings")
        return tuple(value)

    def mapping(self, *key: str) -> dict[str, str]:
        value = self._values.pop(key, {})
        if not isinstance(value, dict) or not all(isinstance(e, str) for e in value.values()):
            raise self._error(key, "must be a table of strings")
        return dict(value)

    def pattern(self, *key: str) -> re.Pattern[bytes] | None:
        source = self.string(*key, default="")
        return self._compiled(key, source) if source else None

    def substitutions(self, *key: str) -> tuple[tuple[re.Pattern[bytes], bytes], ...]:
        """Pairs of a regular expression and what its matches are read as."""
        value = self._values.pop(key, [])
        if not isinstance(value, list) or not all(_is_pair_of_strings(each) for each in value):
            raise self._error(key, "must be a list of pairs of strings")
        pairs = tuple((self._compiled(key, one), other.encode("utf-8")) for one, other in value)
        if any(pattern.groups > 1 for pattern, _ in pairs):
            raise self._error(key, "must have one group at most in each regular expression")
        return pairs

    def _compiled(self, key: tuple[str, ...], source: str) -> re.Pattern[bytes]:
        try:
            return re.compile(source.encode("utf-8"))
        except re.error as error:
            raise self._error(key, f"is not a regular expression: {error}") from error

    def refuse_unread(self) -> None:
        for key in self._values:
            raise self._error(key, "is not a known key")

    def _error(self, key: tuple[str, ...], fault: str) -> LanguageError:
        line = _line_holding(self._file.read_text("utf-8"), key[-1])
        return LanguageError(f"{self._file}:{line}: {'.'.join(key)} {fault}")


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


def _user_folders() -> list[Path]:
    return [
        Path(each) for each in os.environ.get(LANGUAGE_PATH_VARIABLE, "").split(os.pathsep) if each
    ]


def _choose(claimants: list[Language], data: bytes) -> Language:
    for language in claimants:
        if language.contents and language.contents.search(data):
            return language
    return next((each for each in claimants if not each.contents), claimants[0])


def _is_pair_of_strings(value: object) -> bool:
    return isinstance(value, list) and [type(each) for each in value] == [str, str]


def _text_pattern(source: str) -> re.Pattern[str] | None:
    return re.compile(source) if source else None


def _line_holding(text: str, *needles: str) -> int:
    """The 1-based line of the first needle that occurs; 1 if none does."""
    for needle in needles:
        position = text.find(needle)
        if position >= 0:
            return text.count("\n", 0, position) + 1
    return 1
