"""Project packs: what a codebase is, for somebody who has not seen it.

    from sightline.packs import PackSerializer, SnapshotScanner, SummaryPackBuilder

    snapshot = SnapshotScanner().scan("path/to/project")
    pack = SummaryPackBuilder().build(snapshot)
    print(PackSerializer().serialize(pack))

The modules of this folder are pure: they read no file and ask no git; a `PackSource` hands them
what they work on. The scanner and the builders are offered here and live in `engine`, which is
loaded when one is first asked for.
"""

from __future__ import annotations

import importlib

from sightline.packs.model import (
    ContextPack,
    Dependency,
    DependencyType,
    DirectoryNode,
    EncodingConfig,
    EntrypointSummary,
    EntrypointType,
    ExcludedFile,
    ExclusionReason,
    ExclusionStats,
    FileCategory,
    FileContent,
    FileIndexEntry,
    FileMetadata,
    FileNode,
    FileType,
    FullPack,
    Importance,
    KeyFile,
    KeyFileLimits,
    KeyFileSummary,
    Manifest,
    PackConstraints,
    PackMetadata,
    PackType,
    ProjectSnapshot,
    RepositoryMap,
    RepoSummary,
    RiskHotspot,
    RiskType,
    SummaryPack,
    TransparencyRecord,
    TruncationConfig,
)
from sightline.packs.path_form import normalize_path
from sightline.packs.serializing import PackFormatError, PackSerializer
from sightline.packs.truncating import truncate

__all__ = [
    "ContextPack",
    "Dependency",
    "DependencyType",
    "DirectoryNode",
    "EncodingConfig",
    "EntrypointSummary",
    "EntrypointType",
    "ExcludedFile",
    "ExclusionReason",
    "ExclusionStats",
    "FileCategory",
    "FileContent",
    "FileIndexEntry",
    "FileMetadata",
    "FileNode",
    "FileType",
    "FullPack",
    "FullPackBuilder",
    "Importance",
    "KeyFile",
    "KeyFileDetector",
    "KeyFileLimits",
    "KeyFileSummary",
    "Manifest",
    "PackConstraints",
    "PackError",
    "PackFormatError",
    "PackMetadata",
    "PackSelector",
    "PackSerializer",
    "PackType",
    "ProjectSnapshot",
    "RepoSummary",
    "RepositoryMap",
    "RiskHotspot",
    "RiskType",
    "SnapshotScanner",
    "SummaryPack",
    "SummaryPackBuilder",
    "TransparencyRecord",
    "TruncationConfig",
    "normalizePath",
    "normalize_path",
    "truncate",
]

normalizePath = normalize_path  # noqa: N816 - the name that the document gives it
_OFFERED = dict.fromkeys(
    (
        "FullPackBuilder",
        "KeyFileDetector",
        "PackError",
        "PackSelector",
        "SnapshotScanner",
        "SummaryPackBuilder",
    ),
    "pack_classes",
)
"""By name, the module of `engine` that has it."""


def __getattr__(name: str) -> object:
    if name not in _OFFERED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"sightline.engine.{_OFFERED[name]}"), name)
