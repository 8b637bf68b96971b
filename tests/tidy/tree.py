"""The server's sources as the tidy tests read them: syntax trees, and what they import."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "server" / "sightline"


class Import(NamedTuple):
    """One imported name. Modules of Sightline are written without `sightline.` in front."""

    importer: str
    """`lsp.server`; empty for `sightline/__init__.py`."""
    module: str
    """`context.blocks`; empty for `sightline/__init__.py`; a library's module as it is."""
    name: str | None
    """What is taken out of the module; None where the module itself is imported."""
    is_own: bool
    """The module is one of Sightline."""

    def __str__(self) -> str:
        taken = f" ({self.name})" if self.name else ""
        return f"{self.importer or '__init__'} imports {self.module or '__init__'}{taken}"


@functools.cache
def sources() -> MappingProxyType[str, ast.Module]:
    """The syntax tree of each Python file of the server, by path below `server/sightline`."""
    files = sorted(PACKAGE.rglob("*.py"))
    return MappingProxyType(
        {
            path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
            for path in files
        }
    )


def rooms() -> set[str]:
    """The packages and modules directly below `sightline`."""
    return {room_of(module) for module in map(module_of, sources()) if module}


def imports() -> list[Import]:
    return [each for path, tree in sources().items() for each in imports_of(module_of(path), tree)]


def module_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("__init__").rstrip("/").replace("/", ".")


def room_of(module: str) -> str:
    return module.partition(".")[0]


def is_in(module: str, place: str) -> bool:
    """True if the module is `place` or below it."""
    return module == place or module.startswith(f"{place}.")


def imports_of(importer: str, tree: ast.Module) -> Iterator[Import]:
    """Every import of a module, those in functions and of `import_module("name")` included."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield _import(importer, alias.name, None)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                for alias in names:
                    yield _import(importer, module, alias.name)
            case ast.ImportFrom():
                raise ValueError(f"{importer} has a relative import, which is not looked into")
            case ast.Call(
                func=ast.Attribute(attr="import_module"), args=[ast.Constant(value=str(module))]
            ):
                yield _import(importer, module, None)


def _import(importer: str, module: str, name: str | None) -> Import:
    if module == "sightline" and name is not None and not name.startswith("__"):
        # `from sightline import text` imports a module.
        return Import(importer, name, None, True)
    top, _, rest = module.partition(".")
    return Import(importer, rest if top == "sightline" else module, name, top == "sightline")
