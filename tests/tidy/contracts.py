"""Which room may import what. Each rule names who may; it holds for every other room by itself.

The rooms and their order are the layers of the import-linter contract in `pyproject.toml`, the one
list of them. A room that is not in it, a library without a row in `LIBRARIES`, and a dependency
that no row covers are reported.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Mapping

from tests.tidy.tree import ROOT, Import, is_in, room_of

EVERYWHERE = ("",)

LIBRARIES: Mapping[str, tuple[str, ...]] = {
    "attrs": EVERYWHERE,
    "attr": (),
    "msgspec": EVERYWHERE,
    "rfc8785": ("bundle",),
    "re2": ("egress", "workspace.ignore_patterns"),
    "splintr": ("budget.estimators",),
    "tree_sitter": ("languages", "syntax", "symbols"),
    "pathspec": ("workspace",),
    "yaml": ("plain_yaml",),
    "pygit2": ("workspace",),
    "watchfiles": ("workspace",),
    "platformdirs": ("index.store", "settings"),
    "tomlkit": ("settings",),
    "rich": ("cli",),
    "pygls": ("lsp",),
    "lsprotocol": ("lsp",),
    "cattrs": ("lsp",),
}
"""The rooms that may import a library, by the name it is imported under."""

STANDARD: Mapping[str, tuple[str, ...]] = {
    "tomllib": ("settings", "languages", "egress", "workspace", "toml"),
    # Sightline starts its own workers and nothing else, but for the system's own program that fills
    # the clipboard where a person says --copy; it talks to nobody but its client.
    "subprocess": ("workers", "workspace.script_process", "cli.delivery"),
    "multiprocessing": (),
    "socket": ("lsp",),
    "asyncio": ("lsp",),
    "ssl": (),
    "http": (),
    "ftplib": (),
    "smtplib": (),
    "xmlrpc": (),
    "socketserver": (),
    "urllib.request": (),
    # A worker's answer or a stored file must not be able to run code.
    "pickle": (),
    "marshal": (),
    "shelve": (),
}
"""The same for modules of the standard library; the others may be imported everywhere."""

_GRAMMAR = re.compile(r"tree_sitter_\w+")
"""Grammars are loaded by the name in `language.toml`; no module imports one."""

FRONTS = ("cli", "lsp", "mcp", "api")

BEHIND = {"cli": ("lsp", "mcp"), "": ("api",)}
"""Fronts that another one starts or offers; the empty name is `sightline/__init__.py`."""

FRONT_VALUES: Mapping[str, frozenset[str] | None] = {
    "": frozenset(["__version__"]),
    "refusals": None,
    "suggesting": frozenset(["did_you_mean"]),
    "text": None,
    "bundle": None,
    "budget": frozenset(["Decision"]),
    "render": frozenset(["Format"]),
    "slicing": frozenset(["Level", "SignatureDocs"]),
    "symbols": frozenset(["FileSummary", "Symbol"]),
    "settings": frozenset(["Loaded"]),
    "workspace": frozenset(["Root"]),
    "context": frozenset(
        ["BuildRequest", "Constraint", "Intent", "LastError", "PlanStep", "Scope", "TargetSpec"]
    ),
}
"""What a front may import from below the engine: plain values alone. None is the whole module."""

DISK = frozenset(
    [
        *(*FRONTS, "__main__", "engine", "schemas", "project", "provenance", "workers"),
        *("settings", "workspace"),
    ]
)
"""Rooms that may read or write files. Every other room is handed what it works on."""

ONLY_FROM: Mapping[str, tuple[str, ...]] = {
    # Only the engine knows both the contract and a workspace that is kept true. For fronts there
    # is a rule of its own.
    "project": ("engine", *FRONTS),
    # Settings are values that the workspace's door reads.
    "workspace": ("settings", "project", "provenance", "engine", *FRONTS),
}


def listed_rooms() -> tuple[str, ...]:
    """The rooms in the order of their layers, from the top."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [layers] = [
        contract["layers"]
        for contract in document["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers" and contract["containers"] == ["sightline"]
    ]
    return tuple(re.findall(r"\w+", " ".join(layers)))


def dependencies() -> list[str]:
    """The distributions that the server depends on, extras for its users included."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = [*document["dependencies"], *document["optional-dependencies"]["exact"]]
    return [re.split(r"[^\w.-]", each)[0] for each in required]


def room_problems(found: Iterable[str], listed: Iterable[str]) -> list[str]:
    return [f"{room} is in no layer" for room in sorted({*found} - {*listed})]


def table_problems(listed: Iterable[str]) -> list[str]:
    """Rooms that a table names and that are in no layer."""
    tables = (*LIBRARIES.values(), *STANDARD.values(), *ONLY_FROM.values())
    named = {room_of(place) for places in tables for place in places if place}
    named |= {*FRONTS, *DISK, *ONLY_FROM, *(room for room in map(room_of, FRONT_VALUES) if room)}
    return [f"a table names {room}, which is in no layer" for room in sorted(named - {*listed})]


def library_problems(imports: Iterable[Import]) -> list[str]:
    """Libraries outside of their rooms, and those that have no row."""
    problems = []
    for each in imports:
        if each.is_own:
            continue
        top = room_of(each.module)
        if top in sys.stdlib_module_names:
            name = f"{each.module}.{each.name}" if each.name else each.module
            rows = [places for guarded, places in STANDARD.items() if is_in(name, guarded)]
            places = rows[0] if rows else EVERYWHERE
        elif top in LIBRARIES:
            places = LIBRARIES[top]
        else:
            problems.append(f"{each}: it has no row in LIBRARIES")
            continue
        if places != EVERYWHERE and not any(is_in(each.importer, place) for place in places):
            problems.append(f"{each}: it belongs in {', '.join(places) or 'no room'}")
    return problems


def dependency_problems(
    required: Iterable[str], installed: Mapping[str, Iterable[str]]
) -> list[str]:
    """Dependencies that no row covers. `installed` has the distributions of each import name."""
    names: dict[str, set[str]] = {}
    for name, distributions in installed.items():
        for distribution in distributions:
            names.setdefault(_normal(distribution), set()).add(name)
    problems = []
    for distribution in required:
        imported = {
            name for name in names.get(_normal(distribution), ()) if not name.startswith("_")
        }
        if not imported:
            problems.append(f"{distribution} is not installed")
        problems += [
            f"{distribution}: '{name}' has no row in LIBRARIES"
            for name in sorted(imported)
            if name not in LIBRARIES and not _GRAMMAR.fullmatch(name)
        ]
    return problems


def _normal(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def disk_problems(imports: Iterable[Import]) -> list[str]:
    """Rooms that touch no disk import none that does, the settings aside: those are values."""
    return [
        f"{each}: it touches no disk, and {room_of(each.module)} does"
        for each in imports
        if each.is_own
        and room_of(each.importer) not in DISK | {""}
        and room_of(each.module) in DISK - {"settings"}
    ]


def workspace_problems(imports: Iterable[Import]) -> list[str]:
    """The workspace knows text and refusals alone."""
    known = ("workspace", "text", "refusals", "")
    return [
        f"{each}: the workspace knows text and refusals alone"
        for each in imports
        if each.is_own and is_in(each.importer, "workspace") and room_of(each.module) not in known
    ]


def reserved_problems(imports: Iterable[Import]) -> list[str]:
    """Rooms that only some may know, imported by others."""
    return [
        f"{each}: only {', '.join(ONLY_FROM[room])} may"
        for each in imports
        if each.is_own
        and (room := room_of(each.module)) in ONLY_FROM
        and room_of(each.importer) not in (room, *ONLY_FROM[room])
    ]


def front_problems(imports: Iterable[Import]) -> dict[tuple[str, str], list[str]]:
    """What fronts import below the engine, values aside, by front and the room it reaches into."""
    problems: dict[tuple[str, str], list[str]] = {}
    for each in imports:
        front, room = room_of(each.importer), room_of(each.module)
        if front not in (*FRONTS, "") or not each.is_own:
            continue
        if room in (front, "engine", *BEHIND.get(front, ())):
            continue
        values = FRONT_VALUES.get(each.module, frozenset())
        if values is None or each.name in values:
            continue
        problems.setdefault((front, room), []).append(
            f"{each}: a front calls the engine and nothing below it"
        )
    return problems
