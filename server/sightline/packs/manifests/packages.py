"""One package as its own project files describe it, and code that readers of such files share.

Readers are pure: they get the text of a file and return a `Package`, or None if the text does not
match the file's name. Every reader is linear in the text: no reader expands entities or references,
and no text over `LARGEST` characters is parsed as a tree.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol
from xml.etree import ElementTree

import attrs

from sightline.packs.model import Dependency, DependencyType
from sightline.plain_yaml import read_plain_yaml

LARGEST = 1 << 20
_MOST_DEPENDENCIES = 500

Row = tuple[str, str, DependencyType]
"""The name of a dependency, its version or "", and what it is for."""


class ManifestSource(Protocol):
    """The visible files of a project, in bytewise order, with their redacted texts."""

    @property
    def paths(self) -> Sequence[str]: ...

    def read(self, path: str) -> str | None: ...


@attrs.frozen
class Package:
    """What one project file says."""

    path: str
    """The project file."""
    ecosystem: str
    """`node`, `python`, `rust`, …"""
    name: str = ""
    purpose: str = ""
    dependencies: tuple[Dependency, ...] = ()
    entry_points: tuple[str, ...] = ()
    """Paths from the root, if the file names them; they may not exist."""
    commands: tuple[str, ...] = ()
    """Names of the programs that the package installs."""
    build_system: str = ""
    test_framework: str = ""
    members: tuple[str, ...] = ()
    """Patterns of folders with the packages of this workspace."""
    is_library: bool = False

    @property
    def folder(self) -> str:
        return posixpath.dirname(self.path)


def within(path: str, relative: str) -> str:
    """Return the path of a file that a project file names relative to itself;
    "" if it is outside.
    """
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))
    return "" if joined.startswith(("..", "/")) or joined == "." else joined


def dependencies_of(found: Iterable[Row]) -> tuple[Dependency, ...]:
    """Return (name, version, type) as dependencies, each name once, in the given order.

    A run-time dependency takes precedence over a development one.
    """
    rank: dict[DependencyType, int] = {"runtime": 0, "peer": 1, "dev": 2}
    by_name: dict[str, tuple[str, DependencyType]] = {}
    for name, version, kind in found:
        name = name.strip()
        if not name or len(name) > 200:
            continue
        known = by_name.get(name)
        if known is None:
            by_name[name] = (version.strip(), kind)
        else:
            by_name[name] = (known[0] or version.strip(), min(known[1], kind, key=rank.__getitem__))
    rows = [
        Dependency(name=name, version=version or None, type=kind)
        for name, (version, kind) in by_name.items()
    ]
    return tuple(rows[:_MOST_DEPENDENCIES])


def first_of(known: Sequence[tuple[str, str]], names: Iterable[str]) -> str:
    """Return the label of the first (name, label) whose name is among the names."""
    present = set(names)
    return next((label for name, label in known if name in present), "")


def read_json(text: str) -> dict[str, object] | None:
    if len(text) > LARGEST:
        return None
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_xml(text: str) -> ElementTree.Element | None:
    """Return the root element; None for a text with a DOCTYPE, which could expand entities."""
    if len(text) > LARGEST or "<!DOCTYPE" in text or "<!ENTITY" in text:
        return None
    try:
        return ElementTree.fromstring(text.removeprefix("\ufeff"))
    except (ElementTree.ParseError, ValueError):
        return None


def read_yaml(text: str) -> dict[str, object] | None:
    if len(text) > LARGEST // 8:
        return None
    try:
        value = read_plain_yaml(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def strings(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def string(value: object) -> str:
    return value if isinstance(value, str) else ""


def local_name(tag: str) -> str:
    """Return the name of an XML element without its namespace."""
    return tag.rpartition("}")[2]


def child_text(element: ElementTree.Element, name: str) -> str:
    """Return the text of a direct child, without blanks around it."""
    for child in element:
        if local_name(child.tag) == name:
            return (child.text or "").strip()
    return ""


def child(element: ElementTree.Element, name: str) -> ElementTree.Element | None:
    return next((each for each in element if local_name(each.tag) == name), None)
