"""What a file is by its path: its type, its category, and whether it is a key file.

The patterns of key files are the document's, matched on the name alone and without regard to case.
A folder with the name of a category (`routes/`, `models/`) gives its files the category and medium
importance. Tests and documentation are never key files.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import translate
from functools import lru_cache
from importlib import resources
from typing import Protocol

import attrs
import msgspec

from sightline.packs.hotspots import is_aside, is_test
from sightline.packs.model import FileCategory, FileType, Importance, KeyFileLimits
from sightline.toml import read_toml


def _matcher(patterns: Iterable[str]) -> re.Pattern[str]:
    """Return one pattern that matches what any of some globs matches."""
    return re.compile("|".join(map(translate, sorted(patterns))))


def _words(key: str) -> frozenset[str]:
    text = resources.files("sightline.packs").joinpath("file_kinds.toml").read_text("utf-8")
    return frozenset(
        msgspec.convert(read_toml(text), dict[str, dict[str, str]])["words"][key].split()
    )


_IMAGES = _words("images")
_BINARIES = _words("binaries")
_DATA = _words("data")
_DOCUMENTS = _words("documents")
_PLAIN = _words("plain_text")
_SOURCE = _words("source")
_CONFIG_ENDINGS = _words("config_endings")
_CONFIG_NAMES = _matcher(_words("config_names"))
_ENTRYPOINTS = _matcher(["main.*", "index.*", "app.*", "server.*"])
_BY_NAME: Sequence[tuple[FileCategory, re.Pattern[str]]] = (
    ("auth", _matcher(["*auth*", "*login*", "*session*", "*jwt*"])),
    ("api", _matcher(["*route*", "*controller*", "*handler*", "*api*"])),
    ("database", _matcher(["*model*", "*schema*", "*migration*"])),
    # The document's category *Security*.
    ("auth", _matcher(["*permission*", "*rbac*", "*acl*"])),
)
_BY_FOLDER: Mapping[str, FileCategory] = {
    "auth": "auth",
    "authentication": "auth",
    "authorization": "auth",
    "security": "auth",
    "permissions": "auth",
    "api": "api",
    "apis": "api",
    "routes": "api",
    "routers": "api",
    "controllers": "api",
    "handlers": "api",
    "endpoints": "api",
    "models": "database",
    "migrations": "database",
    "migrate": "database",
    "entities": "database",
    "repositories": "database",
    "queries": "database",
    "db": "database",
    "database": "database",
}
_DEPENDENCY_FOLDERS = _words("dependency_folders")
_BUILD_FOLDERS = _words("build_folders")
_DOCUMENT_FOLDERS = _words("document_folders")
_DOCUMENT_NAMES = _words("document_names")
_IMPORTANCES: Mapping[Importance, int] = {"critical": 0, "high": 1, "medium": 2}


@attrs.frozen
class FileKind:
    category: FileCategory
    importance: Importance | None = None
    """The importance of a key file; None for every other file."""


class RankedFile(Protocol):
    """What the order of key files depends on."""

    @property
    def path(self) -> str: ...

    @property
    def size_bytes(self) -> int: ...


def type_of(path: str) -> FileType:
    """Return the type of a file by its name; `unknown` if the name does not say."""
    ending = extension_of(path)
    if ending in _IMAGES:
        return "image"
    if ending in _BINARIES:
        return "binary"
    if ending in _DATA:
        return "data"
    is_known = ending in _SOURCE or ending in _PLAIN or ending in _DOCUMENTS
    return "text" if is_known or ending in _CONFIG_ENDINGS else "unknown"


def extension_of(path: str) -> str:
    return posixpath.splitext(path)[1].lower()


@lru_cache(maxsize=1 << 16)
def kind_of(path: str) -> FileKind:
    """Return the category of a file, and its importance if it is a key file."""
    folder, _, name = path.lower().rpartition("/")
    folders = folder.split("/") if folder else []
    stem, ending = posixpath.splitext(name)
    if _DEPENDENCY_FOLDERS.intersection(folders):
        return FileKind("dependency")
    if is_test(path):
        return FileKind("test")
    if _CONFIG_NAMES.match(name):
        return FileKind("config", "critical")
    if ending in _DOCUMENTS or stem in _DOCUMENT_NAMES or _DOCUMENT_FOLDERS.intersection(folders):
        return FileKind("documentation")
    is_code = ending in _SOURCE and ending not in (".css", ".scss", ".sass", ".less")
    if is_code and _ENTRYPOINTS.match(name):
        return FileKind("entrypoint", "critical")
    if is_code or type_of(path) == "data" or ending == ".prisma":
        for category, pattern in _BY_NAME:
            if pattern.match(name):
                return FileKind(category, "high")
        for each in reversed(folders):
            if each in _BY_FOLDER:
                return FileKind(_BY_FOLDER[each], "medium")
    if _BUILD_FOLDERS.intersection(folders):
        return FileKind("build")
    if is_code or ending in _SOURCE:
        return FileKind("source")
    if ending in _CONFIG_ENDINGS or (not ending and name.startswith(".")):
        return FileKind("config")
    return FileKind("other")


def choose_key_files(
    files: Iterable[RankedFile], limits: KeyFileLimits
) -> list[tuple[RankedFile, FileKind]]:
    """Return the key files within the limits, in the order of their priority.

    An empty file is the last of its rank, however small. Examples and benchmarks have the names of
    what they demonstrate: their files count only in a project that has no other key files.
    """
    found = [(each, kind) for each in files if (kind := kind_of(each.path)).importance is not None]
    found = [each for each in found if not is_aside(each[0].path)] or found

    def rank(entry: tuple[RankedFile, FileKind]) -> tuple[object, ...]:
        file, kind = entry
        assert kind.importance is not None
        keys: Mapping[str, object] = {
            "category_importance": _IMPORTANCES[kind.importance],
            "file_size": (not file.size_bytes, file.size_bytes),
            "path_depth": file.path.count("/"),
        }
        ranks = [keys[each] for each in limits.prioritize_by]
        return (*ranks, file.path.encode())

    chosen: list[tuple[RankedFile, FileKind]] = []
    counts: dict[FileCategory, int] = {}
    for file, kind in sorted(found, key=rank):
        if len(chosen) >= limits.max_total:
            break
        if counts.get(kind.category, 0) < limits.max_per_category:
            counts[kind.category] = counts.get(kind.category, 0) + 1
            chosen.append((file, kind))
    return chosen
