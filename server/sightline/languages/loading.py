"""Read a language folder: `language.toml` as typed values.

Invariant: a setting that is unknown or of the wrong type raises `LanguageError` with file, line and
key; nothing is skipped silently.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec

from sightline.languages.fragments import FRAGMENTS
from sightline.languages.model import (
    Language,
    LanguageError,
    LanguageTable,
    ReadAs,
    is_language,
    line_holding,
)

BUILTIN = Path(__file__).parent

_SECTIONS = [key for key in LanguageTable.__struct_encode_fields__ if key != "title"]
_PLACE = re.compile(r" - at `\$(?P<path>[^`]*)`\Z")
_FIELD = re.compile(r"Object (?P<fault>missing required|contains unknown) field `(?P<key>[^`]*)`")
_DEMANDS: Mapping[object, str] = {
    bool: "must be true or false",
    tuple[str, ...]: "must be a list of strings",
    frozenset[str]: "must be a list of strings",
    Mapping[str, str]: "must be a table of strings",
    Mapping[str, tuple[str, ...]]: "must be a table of lists of strings",
    tuple[ReadAs, ...]: "must be a list of pairs of strings",
    tuple[tuple[str, str], ...]: "must be a list of pairs of strings",
}
"""What a value must be, by the type of its field. All others must be strings."""


def load_language(folder: Path) -> Language:
    """Read one language folder. The grammar and the query are loaded on first use.

    A language may extend others: what its `language.toml` does not set is taken from the last of
    them that sets it, section by section, and its `tags.scm` adds to theirs. A folder without
    `language.toml` only holds parts of queries, in its `fragments.scm`.
    """
    file = folder / "language.toml"
    table: dict[str, Any] = {}
    *bases, _ = order = _with_bases(folder, ())
    for each in order:
        if is_language(each) or each == folder:
            table |= _read_table(each / "language.toml")
    table.pop("extends", None)
    for section in _SECTIONS:
        table.setdefault(section, {})
    if isinstance(table["modules"], dict):
        table["modules"].setdefault("family", folder.name)
    try:
        described = msgspec.convert(table, LanguageTable, dec_hook=_compiled)
    except msgspec.ValidationError as error:
        raise _language_error(file, error) from error
    return Language(
        **msgspec.structs.asdict(described), name=folder.name, folder=folder, bases=tuple(bases)
    )


def _read_table(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LanguageError(f"{file}: {error}") from error


def _with_bases(folder: Path, inner: tuple[Path, ...]) -> list[Path]:
    """Return a folder after those that it extends, each once."""
    file = folder / "language.toml"
    if inner and not is_language(folder):
        return [folder]
    extended = _read_table(file).get("extends", [])
    names = [extended] if isinstance(extended, str) else extended
    found: list[Path] = []
    for name in names if isinstance(names, list) else [names]:
        base = _folder_of(file, name)
        if base == folder or base in inner:
            raise _extends_error(file, f"{name!r} extends '{folder.name}'")
        found += [each for each in _with_bases(base, (*inner, folder)) if each not in found]
    return [*found, folder]


def _folder_of(file: Path, extended: object) -> Path:
    """Return the folder that a language extends: next to it, or a built-in one."""
    for parent in (file.parent.parent, BUILTIN):
        base = parent / str(extended)
        if base != file.parent and (is_language(base) or (base / FRAGMENTS).is_file()):
            return base
    raise _extends_error(file, f"extends no known language: {extended!r}")


def _extends_error(file: Path, fault: str) -> LanguageError:
    line = line_holding(file.read_text("utf-8"), "extends")
    return LanguageError(f"{file}:{line}: {fault}")


def _compiled(kind: type, source: object) -> re.Pattern[Any]:
    """Compile a regular expression, the only type of a `LanguageTable` that TOML does not have."""
    if not isinstance(source, str):
        raise TypeError
    if not source:
        raise ValueError("must not be empty")
    try:
        return re.compile(source if kind == re.Pattern[str] else source.encode("utf-8"))
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from error


def _language_error(file: Path, error: msgspec.ValidationError) -> LanguageError:
    """Return the error with file, line and key at the start."""
    message = str(error)
    place = _PLACE.search(message)
    key = re.findall(r"\.(\w+)", place["path"]) if place else []
    named = _FIELD.match(message)
    if named:
        key.append(named["key"])
    if named and named["fault"] == "contains unknown":
        fault = "is not a known key"
    elif isinstance(error.__cause__, ValueError):
        fault = str(error.__cause__)
    else:
        fault = _demand(key)
    line = line_holding(file.read_text("utf-8"), key[-1])
    return LanguageError(f"{file}:{line}: {'.'.join(key)} {fault}")


def _demand(key: list[str]) -> str:
    """Return what the value of a key must be."""
    kind: Any = LanguageTable
    for name in key:
        fields = msgspec.structs.fields(kind)
        kind = next(field.type for field in fields if field.encode_name == name)
    if get_origin(kind) is Literal:
        return f"must be one of {', '.join(get_args(kind))}"
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return "must be a table"
    return _DEMANDS.get(kind, "must be a string")
