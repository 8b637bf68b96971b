"""Writes what follows from the types of Sightline's messages and results.

`python editors/protocol_types.py` names the files that are out of date; `--write` writes them anew:

* the published JSON Schemas, `server/sightline/schemas/*.schema.json`,
* the tables of `PROTOCOL.md`, between `<!-- generated: … -->` and `<!-- end -->`,
* the VS Code client's types, `editors/vscode/src/protocol.ts`,
* the Neovim plugin's types, `editors/nvim/lua/sightline/types.lua`.

The sources are `sightline.engine.results` for results and `sightline.lsp.extensions` for parameters
and notifications. Descriptions are the docstrings of types and fields.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path

import attrs
import msgspec
from msgspec import inspect

from sightline import bundle, refusals, schemas
from sightline.bundle import Purpose
from sightline.context import Scope
from sightline.engine import (
    find_results,
    pack_results,
    recipe_results,
    results,
    settings_results,
    snapshot_results,
)
from sightline.engine.slice import LEVELS
from sightline.lsp import extensions

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "PROTOCOL.md"
TYPESCRIPT = ROOT / "editors/vscode/src/protocol.ts"
LUA = ROOT / "editors/nvim/lua/sightline/types.lua"
SCHEMAS = ROOT / "server/sightline/schemas"

_TYPESCRIPT_WIDTH = 100
_LUA_WIDTH = 110


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--write", action="store_true", help="write the files anew")
    should_write = parser.parse_args().write
    stale = {path: text for path, text in generated().items() if read(path) != text}
    for path, text in stale.items():
        print(f"{'written' if should_write else 'out of date'}: {path.relative_to(ROOT)}")
        if should_write:
            path.write_text(text, encoding="utf-8", newline="\n")
    return 0 if should_write or not stale else 1


def generated() -> dict[Path, str]:
    """Return every generated file with the text that it has to hold."""
    return {
        **{
            SCHEMAS / f"{name}.schema.json": schemas.serialized(schemas.generated(name)).decode()
            for name in schemas.NAMES
        },
        PAGE: page(read(PAGE)),
        TYPESCRIPT: typescript(),
        LUA: lua(),
    }


def read(path: Path) -> str:
    """Return the text of a file, or an empty text if the file does not exist."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


# The types.


@attrs.frozen
class Field:
    name: str
    """As it is on the wire."""
    type: inspect.Type
    note: str
    is_optional: bool
    """Whether a sender may leave it out."""
    default: object
    values: tuple[str, ...] | None
    """The strings that it may hold, where those are known."""
    structure: str | None
    """The name of the record that it holds, where its type does not say so."""


@attrs.frozen
class Record:
    """An object of a message."""

    name: str
    note: str
    is_sent: bool
    """Whether clients send it."""
    fields: tuple[Field, ...]


@attrs.frozen
class Enumeration:
    name: str
    note: str
    values: tuple[str, ...]


_NOTES = schemas.documentation(
    (
        bundle,
        refusals,
        results,
        settings_results,
        recipe_results,
        snapshot_results,
        pack_results,
        find_results,
        extensions,
    )
)

_SENT = {**extensions.REQUESTS, **extensions.NOTIFICATIONS}
_SENT_TYPES = (*_SENT.values(), *extensions.COMMAND_PARAMETERS.values())
"""What clients send. They may leave out what has a default; the server leaves nothing out."""

_FURTHER_RESULTS = tuple(
    each
    for each in results.RESULTS.values()
    if each not in (*extensions.RESULTS.values(), *extensions.COMMANDS.values())
)
"""Results that no message carries."""

_PARAMETER_VALUES = {
    "BudgetStatusParams.decision": schemas.STRING_VALUES["BudgetStatus.decision"],
    "BuildContextParams.purpose": tuple(each.value for each in Purpose),
    "ConstraintParams.scope": tuple(each.value for each in Scope),
    "SliceParams.level": tuple(LEVELS),
}
"""Like `schemas.STRING_VALUES`."""

_STRUCTURES = {"VerifyParams.result": bundle.BuildResult.__name__}
"""Fields that are maps in Python, since what comes in is converted later, by what they hold."""


def records(roots: Iterable[type[msgspec.Struct]]) -> list[Record | Enumeration]:
    """Return the types with all that their fields are made of, each before what it is made of."""
    found: dict[str, Record | Enumeration] = {}
    for root in roots:
        _collect(inspect.type_info(root), root in _SENT_TYPES, found)
    return list(found.values())


def _collect(type_: inspect.Type, is_sent: bool, found: dict[str, Record | Enumeration]) -> None:
    match type_:
        case (
            inspect.StructType(cls=cls, fields=fields)
            | inspect.DataclassType(cls=cls, fields=fields)
        ):
            if cls.__name__ not in found:
                found[cls.__name__] = _record(cls, fields, is_sent)
                for field in fields:
                    _collect(field.type, is_sent, found)
        case inspect.EnumType(cls=cls):
            found[cls.__name__] = _enumeration(cls)
        case inspect.VarTupleType(item_type=item):
            _collect(item, is_sent, found)
        case inspect.DictType(value_type=value):
            _collect(value, is_sent, found)
        case inspect.UnionType(types=types):
            for each in types:
                _collect(each, is_sent, found)


def _record(cls: type, fields: Iterable[inspect.Field], is_sent: bool) -> Record:
    name = cls.__name__
    made = tuple(_field(name, field, is_sent) for field in fields)
    return Record(name, _NOTES.get(name, ""), is_sent, made)


def _field(type_name: str, field: inspect.Field, is_sent: bool) -> Field:
    key = f"{type_name}.{field.name}"
    note = _NOTES.get(key, "")
    values = _values(type_name, field)
    if values is not None and note == f"{_listed(values)}.":
        note = ""  # The type says it already.
    is_optional = is_sent and not field.required
    return Field(
        field.encode_name,
        field.type,
        note,
        is_optional,
        field.default,
        values,
        _STRUCTURES.get(key),
    )


def _enumeration(cls: type[Enum]) -> Enumeration:
    return Enumeration(
        cls.__name__, _NOTES.get(cls.__name__, ""), tuple(each.value for each in cls)
    )


def _values(type_name: str, field: inspect.Field) -> tuple[str, ...] | None:
    tables: Mapping[str, tuple[str, ...]] = {**schemas.STRING_VALUES, **_PARAMETER_VALUES}
    known = tables.get(f"{type_name}.{field.name}", tables.get(field.name))
    if known is not None:
        return known
    for each in _alternatives(field.type):
        if isinstance(each, inspect.StrType) and each.pattern is not None:
            listed = re.fullmatch(r"\^\(([a-z|]+)\)\\Z", each.pattern)
            if listed:
                return tuple(listed[1].split("|"))
    return None


def _listed(values: Sequence[str]) -> str:
    """Return the values as a sentence lists them."""
    quoted = [f"`{value}`" for value in values]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _alternatives(type_: inspect.Type) -> tuple[inspect.Type, ...]:
    return type_.types if isinstance(type_, inspect.UnionType) else (type_,)


def _is_nullable(type_: inspect.Type) -> bool:
    return any(isinstance(each, inspect.NoneType) for each in _alternatives(type_))


def _named_values() -> dict[str, tuple[str, ...]]:
    """Return names for the values of strings that are no enumerations in Python."""
    build = inspect.type_info(extensions.BuildContextParams)
    assert isinstance(build, inspect.StructType)
    formats = next(_values("", field) for field in build.fields if field.name == "format")
    assert formats is not None
    return {
        "Format": formats,
        "Level": schemas.STRING_VALUES["level"],
        "Confidence": schemas.STRING_VALUES["confidence"],
    }


def _answers() -> Iterator[tuple[str, str, str]]:
    """Yield each request with the name of its answer's type and of its result's type."""
    for method, params in extensions.REQUESTS.items():
        name = params.__name__.removesuffix("Params") + "Answer"
        yield method, name, extensions.RESULTS[method].__name__


def _messages() -> list[Record | Enumeration]:
    """Return all types that messages are made of."""
    return records(
        [
            *extensions.REQUESTS.values(),
            *extensions.NOTIFICATIONS.values(),
            *extensions.COMMAND_PARAMETERS.values(),
            *extensions.TO_CLIENT.values(),
            *extensions.RESULTS.values(),
            extensions.AnswerRevisions,
            *extensions.COMMANDS.values(),
        ]
    )


def _further() -> list[Record | Enumeration]:
    """Return the types that only results which no message carries are made of."""
    known = {each.name for each in _messages()}
    return [each for each in records(_FURTHER_RESULTS) if each.name not in known]


def _constants(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each method or command with the name of its constant."""
    for name in names:
        words = re.sub(r"([A-Z])", r"_\1", re.split(r"[/.]", name)[1])
        yield name, words.upper()


# How types are written.


@attrs.frozen
class Dialect:
    words: Mapping[type[inspect.Type], str]
    list_of: Callable[[str], str]
    map_of: Callable[[str], str]
    reference: Callable[[str], str]
    """To a record, by its name."""
    enumeration: Callable[[str, Sequence[str]], str]
    """A name, which is empty where the values have none, and the values."""
    separator: str
    null: str | None
    """None where the name of the field says that it may be null."""


def _spelled(dialect: Dialect, field: Field) -> str:
    """Return the type of a field as a dialect writes it."""
    if field.structure is not None:
        return dialect.reference(field.structure)
    written = []
    for each in _alternatives(field.type):
        if isinstance(each, inspect.NoneType):
            continue
        if isinstance(each, inspect.StrType) and field.values is not None:
            names = [name for name, values in _named_values().items() if values == field.values]
            written.append(dialect.enumeration(names[0] if names else "", field.values))
        else:
            written.append(_spelled_type(dialect, each))
    if _is_nullable(field.type) and dialect.null is not None:
        written.append(dialect.null)
    return dialect.separator.join(written)


def _spelled_type(dialect: Dialect, type_: inspect.Type) -> str:
    match type_:
        case inspect.VarTupleType(item_type=item):
            return dialect.list_of(_spelled_type(dialect, item))
        case inspect.DictType(value_type=value):
            return dialect.map_of(_spelled_type(dialect, value))
        case inspect.StructType(cls=cls) | inspect.DataclassType(cls=cls):
            return dialect.reference(cls.__name__)
        case inspect.EnumType(cls=cls):
            each = _enumeration(cls)
            return dialect.enumeration(each.name, each.values)
    return dialect.words[type(type_)]


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


# TypeScript.

_TYPESCRIPT = Dialect(
    words={
        inspect.StrType: "string",
        inspect.IntType: "number",
        inspect.BoolType: "boolean",
        inspect.AnyType: "unknown",
    },
    list_of=lambda item: f"readonly {item}[]",
    map_of=lambda value: f"Readonly<Record<string, {value}>>",
    reference=lambda name: name,
    enumeration=lambda name, values: name or " | ".join(f'"{value}"' for value in values),
    separator=" | ",
    null="null",
)

_TYPESCRIPT_HEAD = """\
// Generated by editors/protocol_types.py from the server's types: do not edit by hand.

/**
 * The server's own messages, one interface each; `PROTOCOL.md` documents them.
 *
 * Parameters and notifications are camelCase. Results are snake_case, and every field of one is
 * always there. Lines and characters of a `WirePosition` are 0-based; lines in results are 1-based.
 */
"""


def typescript() -> str:
    """Return the VS Code client's types."""
    methods = [*_SENT, *extensions.TO_CLIENT]
    parts = [
        _TYPESCRIPT_HEAD,
        _lines(f'export const {name} = "{method}";' for method, name in _constants(methods)),
        "/** Commands of the server, run with `workspace/executeCommand`. */\n"
        + _lines(
            f'export const {name}_COMMAND = "{command}";'
            for command, name in _constants(extensions.COMMANDS)
        ),
        *(_ts_union(name, "", values) for name, values in _named_values().items()),
        *map(_ts_declaration, _messages()),
        *(
            f"/** The answer to `{method}`. */\n"
            f"export type {answer} = {result} & {extensions.AnswerRevisions.__name__};\n"
            for method, answer, result in _answers()
        ),
        "// Results that no message carries: the command line prints them with `--format json`.\n",
        *map(_ts_declaration, _further()),
    ]
    return "\n".join(parts)


def _ts_declaration(each: Record | Enumeration) -> str:
    if isinstance(each, Enumeration):
        return _ts_union(each.name, each.note, each.values)
    lines = [*_ts_comment(each.note, ""), f"export interface {each.name} {{"]
    for field in each.fields:
        optional = "?" if field.is_optional else ""
        lines += _ts_comment(field.note, "  ")
        lines.append(f"  readonly {field.name}{optional}: {_spelled(_TYPESCRIPT, field)};")
    return _lines([*lines, "}"])


def _ts_union(name: str, note: str, values: Sequence[str]) -> str:
    quoted = [f'"{value}"' for value in values]
    line = f"export type {name} = {' | '.join(quoted)};"
    if len(line) > _TYPESCRIPT_WIDTH:
        line = f"export type {name} =\n  | " + "\n  | ".join(quoted) + ";"
    return _lines([*_ts_comment(note, ""), line])


def _ts_comment(note: str, indent: str) -> list[str]:
    if not note:
        return []
    line = f"{indent}/** {note} */"
    if len(line) <= _TYPESCRIPT_WIDTH:
        return [line]
    wrapped = textwrap.wrap(note, _TYPESCRIPT_WIDTH - len(indent) - 3)
    return [f"{indent}/**", *(f"{indent} * {each}" for each in wrapped), f"{indent} */"]


# Lua.

_LUA = Dialect(
    words={
        inspect.StrType: "string",
        inspect.IntType: "integer",
        inspect.BoolType: "boolean",
        inspect.AnyType: "any",
    },
    list_of=lambda item: f"{item}[]",
    map_of=lambda value: f"table<string, {value}>",
    reference=lambda name: f"sightline.{name}",
    enumeration=lambda name, values: (
        f"sightline.{name}" if name else "|".join(f'"{value}"' for value in values)
    ),
    separator="|",
    null=None,
)

_LUA_HEAD = """\
---@meta
-- Generated by editors/protocol_types.py from the server's types: do not edit by hand.
-- What client and server send, as PROTOCOL.md has it, with null as nil. Lines and characters
-- of a position count from 0, lines in results from 1.
"""


def lua() -> str:
    """Return the Neovim plugin's types."""
    parts = [
        _LUA_HEAD,
        *(_lua_alias(name, "", values) for name, values in _named_values().items()),
        *map(_lua_declaration, _messages()),
        *(
            f"---The answer to `{method}`.\n---@class sightline.{answer}: "
            f"sightline.{result}, sightline.{extensions.AnswerRevisions.__name__}\n"
            for method, answer, result in _answers()
        ),
        "-- Results that no message carries: the command line prints them with `--format json`.\n",
        *map(_lua_declaration, _further()),
    ]
    return "\n".join(parts)


def _lua_declaration(each: Record | Enumeration) -> str:
    if isinstance(each, Enumeration):
        return _lua_alias(each.name, each.note, each.values)
    lines = [*_lua_comment(each.note), f"---@class sightline.{each.name}"]
    for field in each.fields:
        optional = "?" if field.is_optional or _is_nullable(field.type) else ""
        line = f"---@field {field.name}{optional} {_spelled(_LUA, field)}"
        if field.note and len(line) + 1 + len(field.note) <= _LUA_WIDTH:
            lines.append(f"{line} {field.note}")
        else:
            lines += [*_lua_comment(field.note), line]
    return _lines(lines)


def _lua_alias(name: str, note: str, values: Sequence[str]) -> str:
    quoted = [f'"{value}"' for value in values]
    line = f"---@alias sightline.{name} {'|'.join(quoted)}"
    if len(line) <= _LUA_WIDTH:
        return _lines([*_lua_comment(note), line])
    listed = [f"---| {value}" for value in quoted]
    return _lines([*_lua_comment(note), f"---@alias sightline.{name}", *listed])


def _lua_comment(note: str) -> list[str]:
    return [f"---{each}" for each in textwrap.wrap(note, _LUA_WIDTH - 3)]


# PROTOCOL.md.

_MARKDOWN = Dialect(
    words={
        inspect.StrType: "string",
        inspect.IntType: "integer",
        inspect.BoolType: "boolean",
        inspect.AnyType: "any",
    },
    list_of=lambda item: f"list of {item}",
    map_of=lambda value: "object" if value == "any" else f"object of {value} by key",
    reference=lambda name: _link(name),
    enumeration=lambda _, values: _listed(values),
    separator=" or ",
    null="null",
)

_REGION = re.compile(r"(<!-- generated: ([^>]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def page(text: str) -> str:
    """Return PROTOCOL.md with every table made anew. What stands around them is left alone."""
    tables = _tables()
    written = [match[2] for match in _REGION.finditer(text)]
    if sorted(written) != sorted(tables):
        wrong = sorted({*written} ^ {*tables}) or written
        raise ValueError(f"PROTOCOL.md must have each table once: {', '.join(wrong)}")
    return _REGION.sub(lambda match: f"{match[1]}\n{tables[match[2]]}\n{match[3]}", text)


def _tables() -> dict[str, str]:
    """Return each table by what its marker says."""
    known = {each.name: each for each in _messages() if isinstance(each, Record)}
    tables = {}
    for method, struct in {**_SENT, **extensions.TO_CLIENT}.items():
        tables[f"parameters of {method}"] = _table(known.pop(struct.__name__))
    revisions = known.pop(extensions.AnswerRevisions.__name__).fields
    for method, _, result in _answers():
        tables[f"result of {method}"] = _table(known.pop(result), revisions)
    tables["types"] = "\n".join(_section(known[name]) for name in sorted(known))
    return tables


def _section(record: Record) -> str:
    note = f"{record.note}\n\n" if record.note else ""
    return f"### {record.name}\n\n{note}{_table(record)}"


def _table(record: Record, further: Iterable[Field] = ()) -> str:
    rows = [
        f"| `{field.name}` | {_type_cell(record, field)} | {field.note} |"
        for field in (*record.fields, *further)
    ]
    return _lines(["| field | type | what |", "|---|---|---|", *rows])


def _type_cell(record: Record, field: Field) -> str:
    spelled = _spelled(_MARKDOWN, field)
    if record.is_sent and not field.is_optional:
        return f"{spelled}; required"
    if field.is_optional and isinstance(field.default, str) and field.default:
        return f"{spelled}; default `{field.default}`"
    return spelled


def _link(name: str) -> str:
    """Return a link to a type. A request's result is described in the section of the request."""
    described = {result: method.replace("/", "") for method, _, result in _answers()}
    return f"[{name}](#{described.get(name, name).lower()})"


if __name__ == "__main__":
    sys.exit(main())
