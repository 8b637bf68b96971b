"""A field of a message is on every side or on none: Python, schema, PROTOCOL.md, TypeScript, Lua.

The files are generated, and compared with what the generator makes. Besides, every side is read
here in its own way, without the generator, and held against the Python types.
"""

from __future__ import annotations

import json
import re
import sys
import typing
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
import msgspec
import pytest

from editors import protocol_types
from sightline.engine import results
from sightline.lsp import extensions

_GENERATED = protocol_types.generated()
_SCHEMAS = {
    name: (protocol_types.SCHEMAS / f"{name}.schema.json").read_text("utf-8")
    for name in results.RESULTS
}
_PAGE = protocol_types.PAGE.read_text("utf-8")
_TYPESCRIPT = protocol_types.TYPESCRIPT.read_text("utf-8")
_LUA = protocol_types.LUA.read_text("utf-8")

Types = dict[str, tuple[str, ...]]
"""The fields of each type, by its name."""


@attrs.frozen
class Sides:
    """The Python modules, and the texts that follow from them."""

    results: ModuleType = results
    extensions: ModuleType = extensions
    schemas: Mapping[str, str] = attrs.field(factory=lambda: _SCHEMAS)
    page: str = _PAGE
    typescript: str = _TYPESCRIPT
    lua: str = _LUA


@pytest.mark.parametrize("path", sorted(_GENERATED), ids=lambda path: path.name)
def test_every_generated_file_is_as_the_generator_makes_it(path: Path) -> None:
    """`python editors/protocol_types.py --write` writes them anew."""
    assert path.read_text("utf-8") == _GENERATED[path]


def test_every_field_of_every_message_is_on_every_side() -> None:
    assert drift(Sides()) == []


def test_a_table_that_the_page_lost_is_not_forgotten() -> None:
    """Without its markers a table cannot be written anew."""
    marker = "<!-- generated: result of sightline/slice -->"
    with pytest.raises(ValueError, match="result of sightline/slice"):
        protocol_types.page(_PAGE.replace(marker, ""))


def test_every_request_has_a_result_of_the_engine() -> None:
    assert extensions.RESULTS.keys() == extensions.REQUESTS.keys()
    assert set(extensions.RESULTS.values()) <= set(results.RESULTS.values())
    assert extensions.ANSWER_FIELDS == ("revision", "current_revision")


# Every side can be found to be wrong.

_REPORTED = {
    "schema": "slice_result.schema.json: SliceResult",
    "page": "PROTOCOL.md: result of sightline/slice",
    "typescript": "protocol.ts: SliceResult",
    "lua": "types.lua: SliceResult",
}


def test_a_field_that_python_alone_has_is_reported_for_every_other_side() -> None:
    text = _source(results).replace("    bom: bool", "    surprise: int = 0\n    bom: bool")
    assert drift(Sides(results=_module(text))) == [
        f"{place} lacks surprise" for place in sorted(_REPORTED.values())
    ]


def test_a_field_that_python_lacks_is_reported_for_every_other_side() -> None:
    text = _source(results).replace("    bom: bool | None = None\n", "")
    assert drift(Sides(results=_module(text))) == [
        f"{place} has bom, which is not in Python" for place in sorted(_REPORTED.values())
    ]


def test_a_parameter_that_python_alone_has_is_reported_for_every_other_side() -> None:
    text = _source(extensions).replace("    level: str\n", "    level: str\n    new_one: int\n", 1)
    assert drift(Sides(extensions=_module(text))) == [
        "PROTOCOL.md: parameters of sightline/slice lacks newOne",
        "protocol.ts: SliceParams lacks newOne",
        "types.lua: SliceParams lacks newOne",
    ]


def test_a_parameter_that_python_lacks_is_reported_for_every_other_side() -> None:
    text = _source(extensions).replace("    dropped_uris: tuple[str, ...] = ()\n", "")
    assert drift(Sides(extensions=_module(text))) == [
        f"{place} has droppedUris, which is not in Python"
        for place in (
            "PROTOCOL.md: parameters of sightline/buildContext",
            "protocol.ts: BuildContextParams",
            "types.lua: BuildContextParams",
        )
    ]


_ADDED: list[tuple[str, Sides]] = [
    (
        "schema",
        Sides(
            schemas={
                **_SCHEMAS,
                "slice_result": _SCHEMAS["slice_result"].replace(
                    '"bom": {', '"surprise": {},\n    "bom": {', 1
                ),
            }
        ),
    ),
    ("page", Sides(page=_PAGE.replace("| `bom` |", "| `surprise` | | |\n| `bom` |", 1))),
    (
        "typescript",
        Sides(
            typescript=_TYPESCRIPT.replace(
                "  readonly bom:", "  readonly surprise: 1;\n  readonly bom:"
            )
        ),
    ),
    ("lua", Sides(lua=_LUA.replace("---@field bom?", "---@field surprise 1\n---@field bom?"))),
]


@pytest.mark.parametrize(("side", "sides"), _ADDED, ids=[side for side, _ in _ADDED])
def test_a_field_that_another_side_alone_has_is_reported(side: str, sides: Sides) -> None:
    assert drift(sides) == [f"{_REPORTED[side]} has surprise, which is not in Python"]


def test_every_property_that_a_schema_loses_is_reported() -> None:
    """Each one in turn, of every object of every schema."""
    for name, text in _SCHEMAS.items():
        objects = _objects(text)
        for title, fields in objects.items():
            for field in fields:
                published = json.loads(text)
                described = published if published["title"] == title else published["$defs"][title]
                del described["properties"][field]
                found = drift(Sides(schemas={**_SCHEMAS, name: json.dumps(published)}))
                assert found == [f"{name}.schema.json: {title} lacks {field}"]


@pytest.mark.parametrize(
    ("file", "pattern", "side"),
    [
        ("PROTOCOL.md", r"^\| `(\w+)` \|.*\n", "page"),
        ("protocol.ts", r"^  readonly (\w+)\??:.*\n", "typescript"),
        ("types.lua", r"^---@field (\w+)\??.*\n", "lua"),
    ],
)
def test_every_field_that_a_file_loses_is_reported(file: str, pattern: str, side: str) -> None:
    """Each one in turn, of every message and of every object of it."""
    text = getattr(Sides(), side)
    declared = list(re.finditer(pattern, text, re.MULTILINE))
    assert len(declared) > 200
    for match in declared:
        found = drift(attrs.evolve(Sides(), **{side: text[: match.start()] + text[match.end() :]}))
        assert len(found) == 1
        assert re.fullmatch(rf"{file}: .+ lacks {match[1]}", found[0])


# How the sides are read and compared.


def drift(sides: Sides) -> list[str]:
    """Return every field that is on some sides only."""
    found: list[str] = []
    for name, kind in sides.results.RESULTS.items():
        objects = _objects(sides.schemas[name])
        found += _compared(f"{name}.schema.json", _types((kind,)), objects)
    shown = _types(_roots(sides))
    found += _compared("protocol.ts", shown, _interfaces(sides.typescript))
    found += _compared("types.lua", shown, _classes(sides.lua))
    found += _compared("PROTOCOL.md", _documented(sides), _tables(sides.page))
    return sorted(found)


def _compared(place: str, python: Types, other: Types) -> Iterator[str]:
    for name in sorted(python.keys() | other.keys()):
        expected, actual = python.get(name), other.get(name)
        if actual is None:
            yield f"{place} lacks {name}"
        elif expected is None:
            yield f"{place} has {name}, which is not in Python"
        else:
            yield from (
                f"{place}: {name} lacks {field}" for field in expected if field not in actual
            )
            yield from (
                f"{place}: {name} has {field}, which is not in Python"
                for field in actual
                if field not in expected
            )


def _roots(sides: Sides) -> tuple[type, ...]:
    """Return every type that is sent as a whole, and every result."""
    own = sides.extensions
    return (
        *own.REQUESTS.values(),
        *own.NOTIFICATIONS.values(),
        *own.COMMAND_PARAMETERS.values(),
        *own.TO_CLIENT.values(),
        own.AnswerRevisions,
        *own.COMMANDS.values(),
        *sides.results.RESULTS.values(),
    )


def _documented(sides: Sides) -> Types:
    """Return the fields that PROTOCOL.md has to list, by the name of the message or of the type."""
    own = sides.extensions
    sent = {**own.REQUESTS, **own.NOTIFICATIONS, **own.TO_CLIENT}
    answers = {
        method: sides.results.RESULTS[_schema_of(kind)] for method, kind in own.RESULTS.items()
    }
    commands = (*own.COMMAND_PARAMETERS.values(), *own.COMMANDS.values())
    parts = {**_types((*sent.values(), *answers.values(), *commands))}
    documented = {}
    for method, kind in sent.items():
        documented[f"parameters of {method}"] = parts.pop(kind.__name__)
    for method, kind in answers.items():
        documented[f"result of {method}"] = (*parts.pop(kind.__name__), *own.ANSWER_FIELDS)
    return {**parts, **documented}


def _schema_of(kind: type) -> str:
    return next(name for name, each in results.RESULTS.items() if each.__name__ == kind.__name__)


@lru_cache
def _types(roots: tuple[type, ...]) -> Types:
    """Return the fields of Python types and of all types that these fields are made of."""
    found: Types = {}
    waiting: list[Any] = list(reversed(roots))
    while waiting:
        each = waiting.pop()
        waiting += typing.get_args(each)
        if not isinstance(each, type) or each.__name__ in found:
            continue
        if issubclass(each, msgspec.Struct):
            found[each.__name__] = each.__struct_encode_fields__
        elif attrs.has(each):
            found[each.__name__] = tuple(field.name for field in attrs.fields(each))
        else:
            continue
        waiting += typing.get_type_hints(each).values()
    return found


@lru_cache
def _objects(schema: str) -> Types:
    """Return the properties of each object of a schema."""
    published = json.loads(schema)
    return {
        each["title"]: tuple(each["properties"])
        for each in (published, *published.get("$defs", {}).values())
        if each["type"] == "object"
    }


@lru_cache
def _interfaces(typescript: str) -> Types:
    declared = re.findall(
        r"^export interface (\w+) \{\n(.*?)^\}", typescript, re.MULTILINE | re.DOTALL
    )
    return {name: _names(r"^  readonly (\w+)\??:", body) for name, body in declared}


@lru_cache
def _classes(lua: str) -> Types:
    declared = re.findall(r"^---@class sightline\.(\w+)\n((?:---.*\n)*)", lua, re.MULTILINE)
    return {name: _names(r"^---@field (\w+)", body) for name, body in declared}


@lru_cache
def _tables(page: str) -> Types:
    """Return the rows of each table, by what it is of."""
    regions = dict(re.findall(r"<!-- generated: (.+?) -->\n(.*?)<!-- end -->", page, re.DOTALL))
    types = re.findall(r"^### (\w+)\n(.*?)(?=^### |\Z)", regions.pop("types"), re.M | re.DOTALL)
    return {name: _names(r"^\| `(\w+)` \|", body) for name, body in (*regions.items(), *types)}


def _names(pattern: str, body: str) -> tuple[str, ...]:
    return tuple(re.findall(pattern, body, re.MULTILINE))


def _source(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text("utf-8")


def _module(source: str) -> ModuleType:
    """Return a changed copy of a module. It is known by its name, for its annotations' sake."""
    copy = ModuleType("changed_copy_of_a_module")
    sys.modules[copy.__name__] = copy
    exec(compile(source, copy.__name__, "exec"), vars(copy))
    return copy
