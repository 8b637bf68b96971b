"""Manifests: what a project file says about the places of its modules.

`package.json`, `tsconfig.json`, `go.mod` and `Cargo.toml` name the project in their directory and
map names to places. Nothing else in them is read, and nothing in them is run.

Invariant: the cost is linear in the text, whatever it contains.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import msgspec

from sightline.toml import read_toml

_LARGEST = 1 << 20
# A string or comment is matched to its end, or to the end of the text. Otherwise each quote in a
# text of quotes would be visited again from every earlier quote.
_COMMENT_OR_STRING = re.compile(
    r'("(?:\\.|[^"\\])*+(?:"|\\?\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL
)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\])*+(?:"|\\?\Z))|,(?=\s*[}\]])', re.DOTALL)
_GO_MODULE = re.compile(rb"^module\s+(\S+)", re.MULTILINE)


class ModuleManifest(msgspec.Struct, frozen=True, array_like=True):
    name: str = ""
    """The name under which others import the project."""
    base: str = ""
    """The folder, relative to the manifest, in which plain names are looked up; "" for none."""
    aliases: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Patterns with at most one `*`, each with the places it leads to."""
    entries: tuple[str, ...] = ()
    """Where the project's own name leads, relative to the manifest."""
    extends: tuple[str, ...] = ()
    """Manifests from which it inherits, relative to itself."""


def read_manifest(file_name: str, data: bytes) -> ModuleManifest | None:
    """Return what a manifest says about modules; None if the file is not a readable manifest."""
    reader = _reader(file_name)
    if reader is None or len(data) > _LARGEST:
        return None
    try:
        return reader(data)
    except (ValueError, RecursionError):
        return None


def _reader(file_name: str) -> Callable[[bytes], ModuleManifest | None] | None:
    if re.fullmatch(r"(?:ts|js)config(?:\.[\w.-]+)?\.json", file_name):
        return _tsconfig
    return {"package.json": _package, "go.mod": _go_module, "Cargo.toml": _cargo}.get(file_name)


def _package(data: bytes) -> ModuleManifest | None:
    table = json.loads(data)
    if not isinstance(table, dict):
        return None
    entries = [table.get(key) for key in ("source", "types", "typings", "module", "main")]
    exported = table.get("exports")
    pending = [exported.get(".", exported) if isinstance(exported, dict) else exported]
    for _ in range(64):
        if not pending:
            break
        value = pending.pop()
        if isinstance(value, dict):
            pending.extend(value.values())
        else:
            entries.append(value)
    return ModuleManifest(
        name=_text(table.get("name")),
        entries=tuple(dict.fromkeys(each for each in entries if isinstance(each, str) and each)),
    )


def _tsconfig(data: bytes) -> ModuleManifest | None:
    source = _COMMENT_OR_STRING.sub(lambda found: found[1] or "", data.decode("utf-8-sig"))
    table = json.loads(_TRAILING_COMMA.sub(lambda found: found[1] or "", source))
    if not isinstance(table, dict):
        return None
    options = table.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    paths = options.get("paths")
    extends = table.get("extends")
    return ModuleManifest(
        base=_text(options.get("baseUrl")),
        aliases=tuple(
            (pattern, tuple(each for each in targets if isinstance(each, str)))
            for pattern, targets in (paths.items() if isinstance(paths, dict) else ())
            if isinstance(targets, list)
        ),
        extends=tuple(
            each
            for each in (extends if isinstance(extends, list) else [extends])
            if isinstance(each, str) and each.startswith(".")
        ),
    )


def _go_module(data: bytes) -> ModuleManifest | None:
    found = _GO_MODULE.search(data)
    return ModuleManifest(name=found[1].decode("utf-8").strip('"')) if found else None


def _cargo(data: bytes) -> ModuleManifest | None:
    table = read_toml(data.decode("utf-8"))
    package = table.get("package")
    package = package if isinstance(package, dict) else {}
    library = table.get("lib")
    library = library if isinstance(library, dict) else {}
    name = _text(library.get("name")) or _text(package.get("name"))
    entries = [_text(library.get("path")) or "src/lib.rs"]
    for kind in ("bin", "test", "example", "bench"):
        targets = table.get(kind)
        for target in targets if isinstance(targets, list) else ():
            if isinstance(target, dict):
                entries.append(_text(target.get("path")))
    return ModuleManifest(
        name=name.replace("-", "_"), entries=tuple(dict.fromkeys(filter(None, entries)))
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
