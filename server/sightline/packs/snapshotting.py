"""Make the snapshot of a project from a listing.

Invariants:

* A listing may have any length: at most `MOST_FILES` files and `MOST_EXCLUDED` exclusions are
  listed, all of them are counted.
* The tree contains the listed files and the folders that lead to them, in bytewise order of names.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

import attrs
import msgspec

from sightline.packs.file_kinds import extension_of, kind_of, type_of
from sightline.packs.model import (
    DirectoryNode,
    ExcludedFile,
    ExclusionReason,
    ExclusionStats,
    FileMetadata,
    FileNode,
    FileType,
    ProjectSnapshot,
)

MOST_FILES = 50_000
MOST_EXCLUDED = 5_000
_GROUPS: dict[str, ExclusionReason] = {
    "credentials": "credentials",
    "dependencies": "dependency_dir",
    "build_outputs": "build_output",
    "caches": "cache",
    "binaries": "binary",
}


@attrs.frozen
class ListedFile:
    """A file whose contents may be shown."""

    path: str
    size_bytes: int


@attrs.frozen
class LeftOut:
    """A file, or a folder with everything below it, that is not shown."""

    path: str | None
    """None if the name itself is withheld. The path of a folder ends in `/`."""
    reason: ExclusionReason


def reason_of(group: str | None) -> ExclusionReason:
    """Return the document's reason for a group of rules; None means a rule without a group."""
    return _GROUPS.get(group or "", "pattern_match")


def make_snapshot(
    files: Iterable[ListedFile], left_out: Iterable[LeftOut], timestamp: str = ""
) -> ProjectSnapshot:
    """Return the snapshot of a listing whose files are in bytewise order of their paths."""
    listed: list[FileMetadata] = []
    folders: set[str] = set()
    count = total = 0
    for file in files:
        count += 1
        total += file.size_bytes
        if len(listed) < MOST_FILES:
            listed.append(metadata_of(file.path, file.size_bytes))
        folder = posixpath.dirname(file.path)
        while folder and folder not in folders:
            folders.add(folder)
            folder = posixpath.dirname(folder)
    excluded, stats = _exclusions(left_out)
    return ProjectSnapshot(
        root_path=".",
        scan_timestamp=timestamp,
        directory_tree=_tree(listed),
        total_files=count,
        total_directories=len(folders),
        total_size_bytes=total,
        files=listed,
        excluded_files=excluded,
        exclusion_stats=stats,
    )


def metadata_of(path: str, size_bytes: int) -> FileMetadata:
    kind = kind_of(path)
    return FileMetadata(
        path=path,
        relative_path=path,
        name=posixpath.basename(path),
        extension=extension_of(path),
        size_bytes=size_bytes,
        type=text_type_of(path),
        category=kind.category,
        is_key_file=kind.importance is not None,
        content_extractable=True,
    )


def text_type_of(path: str) -> FileType:
    """Return the type of a file that is known to contain text."""
    found = type_of(path)
    return found if found in ("text", "data") else "text"


def _exclusions(left_out: Iterable[LeftOut]) -> tuple[list[ExcludedFile], ExclusionStats]:
    listed: list[ExcludedFile] = []
    counts = {"by_pattern": 0, "by_size": 0, "by_binary": 0, "by_credentials": 0}
    for each in left_out:
        counts[_STATISTIC.get(each.reason, "by_pattern")] += 1
        if each.path is not None and each.reason != "credentials" and len(listed) < MOST_EXCLUDED:
            listed.append(ExcludedFile(each.path, each.reason))
    listed.sort(key=lambda each: each.path.encode("utf-8", "replace"))
    return listed, ExclusionStats(**counts)


_STATISTIC = {
    "credentials": "by_credentials",
    "binary": "by_binary",
    "size_limit": "by_size",
}


class _Folder(msgspec.Struct):
    folders: dict[str, _Folder]
    files: list[FileNode]


def _tree(files: Iterable[FileMetadata]) -> DirectoryNode:
    root = _Folder({}, [])
    for file in files:
        folder = root
        for part in file.path.split("/")[:-1]:
            folder = folder.folders.setdefault(part, _Folder({}, []))
        folder.files.append(FileNode(file.name, file.path, file.size_bytes, file.type))
    return _node(root)


def _node(root: _Folder) -> DirectoryNode:
    """Build the tree of folders from its leaves up, because names may be nested deeply."""
    pending: list[tuple[str, str, _Folder]] = [(".", ".", root)]
    ordered: list[tuple[str, str, _Folder]] = []
    while pending:
        name, path, folder = pending.pop()
        ordered.append((name, path, folder))
        prefix = "" if path == "." else f"{path}/"
        pending.extend((each, prefix + each, inner) for each, inner in folder.folders.items())
    made: dict[int, DirectoryNode] = {}
    for name, path, folder in reversed(ordered):
        children: list[DirectoryNode | FileNode] = [
            *(made.pop(id(inner)) for inner in folder.folders.values()),
            *folder.files,
        ]
        children.sort(key=lambda each: each.name.encode("utf-8", "replace"))
        made[id(folder)] = DirectoryNode(name, path, children)
    return made[id(root)]
