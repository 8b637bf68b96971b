"""Reading a language folder: `language.toml` as typed values.

Invariant: a setting that is unknown or of the wrong type is a `LanguageError` that names file, line
and key; nothing is skipped in silence.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec

from sightline.languages.model import (
    Language,
    LanguageError,
    LanguageTable,
    ReadAs,
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
    tuple[ReadAs, ...]: "must be a list of pairs of strings",
}
"""What a value has to be, by the type of its field. All others are strings."""


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
    for section in _SECTIONS:
        table.setdefault(section, {})
    if isinstance(table["modules"], dict):
        table["modules"].setdefault("family", folder.name)
    try:
        described = msgspec.convert(table, LanguageTable, dec_hook=_compiled)
    except msgspec.ValidationError as error:
        raise _language_error(file, error) from error
    return Language(
        **msgspec.structs.asdict(described), name=folder.name, folder=folder, bases=bases
    )


def _read_table(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LanguageError(f"{file}: {error}") from error


def _folder_of(file: Path, extended: object) -> Path:
    """The folder of the language that another extends: beside it, or a built-in one."""
    for parent in (file.parent.parent, BUILTIN):
        base = parent / str(extended)
        if base != file.parent and (base / "language.toml").is_file():
            return base
    line = line_holding(file.read_text("utf-8"), "extends")
    raise LanguageError(f"{file}:{line}: extends no known language: {extended!r}")


def _compiled(kind: type, source: object) -> re.Pattern[Any]:
    """A regular expression: the one type in a `LanguageTable` that TOML does not have."""
    if not isinstance(source, str):
        raise TypeError
    if not source:
        raise ValueError("must not be empty")
    try:
        return re.compile(source if kind == re.Pattern[str] else source.encode("utf-8"))
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from error


def _language_error(file: Path, error: msgspec.ValidationError) -> LanguageError:
    """The error with file, line and key of the fault in front."""
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
    """What the value of a key has to be."""
    kind: Any = LanguageTable
    for name in key:
        fields = msgspec.structs.fields(kind)
        kind = next(field.type for field in fields if field.encode_name == name)
    if get_origin(kind) is Literal:
        return f"must be one of {', '.join(get_args(kind))}"
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return "must be a table"
    return _DEMANDS.get(kind, "must be a string")
