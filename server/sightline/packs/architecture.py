"""Recognise the architecture of a project, with the folders, files and counts that are the
evidence.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence

from sightline.packs.hotspots import is_aside
from sightline.packs.model import Manifest
from sightline.packs.routes import Offer
from sightline.packs.source import PackSource

_LAYERS: Sequence[tuple[str, frozenset[str]]] = (
    (
        "presentation",
        frozenset(
            {
                "controllers",
                "controller",
                "handlers",
                "views",
                "routes",
                "api",
                "web",
                "ui",
                "presentation",
            }
        ),
    ),
    (
        "services",
        frozenset({"services", "service", "usecases", "use_cases", "application", "domain"}),
    ),
    (
        "data",
        frozenset(
            {
                "repositories",
                "repository",
                "dao",
                "models",
                "model",
                "entities",
                "infrastructure",
                "persistence",
                "db",
                "database",
            }
        ),
    ),
)
_SERVICE_FOLDERS = {"services", "apps", "microservices"}
_PLUGIN_FOLDERS = {"plugins", "extensions", "addons", "providers", "backends"}

Shape = tuple[str, str]
"""The name of an architecture, and the evidence for it."""


def architecture_pattern(source: PackSource, manifest: Manifest, offers: Sequence[Offer]) -> str:
    """Return the recognised architectures, the widest first, each with its evidence."""
    folders = _folders(source.paths)
    checks: Sequence[Callable[[], Shape | None]] = (
        lambda: _monorepo(manifest),
        lambda: _services(source, folders),
        lambda: _mvc(folders),
        lambda: _layers(folders),
        lambda: _plugins(folders),
        lambda: _program(manifest, offers),
        lambda: _library(manifest, offers),
    )
    found = [shape for check in checks if (shape := check()) is not None]
    if not found:
        return "no pattern recognised (no package, layer, route or command was found)"
    return "; ".join(f"{name} ({indicators})" for name, indicators in found[:3])


def _folders(paths: Sequence[str]) -> dict[str, list[str]]:
    """Return folders by the lower case of their name, without tests and examples."""
    found: dict[str, dict[str, None]] = {}
    for path in paths:
        if is_aside(path):
            continue
        folder = posixpath.dirname(path)
        while folder:
            found.setdefault(posixpath.basename(folder).lower(), {})[folder] = None
            folder = posixpath.dirname(folder)
    return {name: sorted(listed, key=str.encode) for name, listed in found.items()}


def _monorepo(manifest: Manifest) -> Shape | None:
    members = manifest.members
    if len(members) < 2:
        return None
    listed = ", ".join(each.path for each in members[:3])
    return "monorepo", f"{len(members)} packages, among them {listed}"


def _services(source: PackSource, folders: dict[str, list[str]]) -> Shape | None:
    images = [
        path
        for path in source.paths
        if posixpath.basename(path).lower().startswith("dockerfile") and "/" in path
    ]
    below = {posixpath.dirname(path) for path in images}
    if len(below) >= 3:
        return (
            "services",
            f"{len(below)} folders have an image of their own: {', '.join(sorted(below)[:3])}",
        )
    for name in sorted(_SERVICE_FOLDERS & folders.keys()):
        outer = folders[name][0]
        inner = {
            path[len(outer) + 1 :].split("/", 1)[0]
            for path in source.paths
            if path.startswith(f"{outer}/") and path.count("/") > outer.count("/") + 1
        }
        starts = [
            each
            for each in sorted(inner)
            if any(
                f"{outer}/{each}/{start}" in source.paths
                for start in (
                    "package.json",
                    "go.mod",
                    "main.go",
                    "Cargo.toml",
                    "pyproject.toml",
                    "pom.xml",
                )
            )
        ]
        if len(starts) >= 2:
            return "services", f"{outer}/ holds {len(starts)} programs: {', '.join(starts[:3])}"
    return None


def _mvc(folders: dict[str, list[str]]) -> Shape | None:
    parts = [
        folders.get(name) or folders.get(f"{name}s") for name in ("model", "view", "controller")
    ]
    if all(parts):
        return "MVC", "folders " + ", ".join(f"{each[0]}/" for each in parts if each)
    return None


def _layers(folders: dict[str, list[str]]) -> Shape | None:
    found = [
        (layer, min(folders[name][0] for name in names if name in folders))
        for layer, names in _LAYERS
        if names & folders.keys()
    ]
    if len(found) < 3:
        return None
    return "layers", ", ".join(f"{layer} in {folder}/" for layer, folder in found)


def _plugins(folders: dict[str, list[str]]) -> Shape | None:
    for name in sorted(_PLUGIN_FOLDERS & folders.keys()):
        outer = folders[name][0]
        inner = [
            each
            for listed in folders.values()
            for each in listed
            if posixpath.dirname(each) == outer
        ]
        if len(inner) >= 3:
            return "plugins", f"{outer}/ holds {len(inner)} folders"
    return None


def _program(manifest: Manifest, offers: Sequence[Offer]) -> Shape | None:
    routes = [each for each in offers if each.kind == "route"]
    commands = [each for each in offers if each.kind == "command"]
    if len(routes) >= 2 and len(routes) >= len(commands):
        return "web application", f"{len(routes)} routes, the first in {routes[0].path}"
    if commands and not _is_imported(manifest):
        return "command line program", f"{len(commands)} commands, the first in {commands[0].path}"
    starts = [each for each in manifest.entry_points if "main" in posixpath.basename(each)]
    if starts:
        return "program", f"starts in {starts[0]}"
    first = next(iter(manifest.entry_points), "")
    if posixpath.dirname(first) == "bin":
        return "command line program", f"starts in {first}"
    return None


def _library(manifest: Manifest, offers: Sequence[Offer]) -> Shape | None:
    first = next(iter(manifest.entry_points), "")
    has_routes = any(each.kind == "route" for each in offers)
    if offers and (has_routes or not _is_imported(manifest)):
        return None
    if "main" in posixpath.basename(first) or posixpath.dirname(first) == "bin":
        return None
    starts = manifest.entry_points
    where = f"its entry is {starts[0]}" if starts else "no file starts a program"
    answers = "no routes" if offers else "no routes and no commands"
    return "library", f"{answers}; {where}"


def _is_imported(manifest: Manifest) -> bool:
    """True if the first entry point is a module that others import, as in a library."""
    first = next(iter(manifest.entry_points), "")
    return posixpath.basename(first) in {"lib.rs", "__init__.py"}
