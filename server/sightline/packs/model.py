"""The values of project packs, with the names and defaults of the document that describes them.

Invariants:

* Types are plain and frozen. A field that the document marks as optional is left out of JSON and
  MessagePack if it has no value.
* Fields that the document does not define (`members`, `encoding_issues`, `redactions`) are
  optional, too: a pack that does not need them has exactly the document's fields.
* Paths are relative to the workspace, with `/`.
* A field can be read in two ways: `pack.manifest` and `pack["manifest"]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

FileType = Literal["text", "binary", "image", "data", "unknown"]

FileCategory = Literal[
    "config",
    "entrypoint",
    "auth",
    "api",
    "database",
    "test",
    "documentation",
    "build",
    "dependency",
    "source",
    "other",
]

ExclusionReason = Literal[
    "credentials",
    "binary",
    "size_limit",
    "pattern_match",
    "dependency_dir",
    "build_output",
    "cache",
]

PackType = Literal["full", "summary"]
PackForm = Literal["full", "summary", "map"]
DependencyType = Literal["runtime", "dev", "peer"]
Importance = Literal["critical", "high", "medium"]
EntrypointType = Literal["cli", "web", "api", "library", "script"]
RiskType = Literal["security", "performance", "complexity", "coupling"]
_RUNTIME: DependencyType = "runtime"


class Record(msgspec.Struct, frozen=True):
    """A plain value that can also be read like a dictionary, for code that expects one."""

    def __getitem__(self, field: str) -> Any:
        if field not in self.__struct_fields__:
            raise KeyError(field)
        return getattr(self, field)

    def __contains__(self, field: object) -> bool:
        """True if JSON has the field: an optional one without a value is left out."""
        return field in tuple(self.keys())

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> list[str]:
        """Return the fields that JSON has."""
        leaves_out = self.__struct_config__.omit_defaults
        return [
            name
            for name in self.__struct_fields__
            if not (leaves_out and (getattr(self, name) is None or _is_empty(self, name)))
        ]

    def get(self, field: str, default: Any = None) -> Any:
        is_there = field in self.keys()
        return self[field] if is_there else default


def _is_empty(record: Record, name: str) -> bool:
    """True if a field has its empty default value."""
    required = len(record.__struct_fields__) - len(record.__struct_defaults__)
    is_optional = record.__struct_fields__.index(name) >= required
    return is_optional and not getattr(record, name)


class FileNode(Record, frozen=True):
    name: str
    path: str
    size_bytes: int
    type: FileType


class DirectoryNode(Record, frozen=True):
    name: str
    path: str
    """`.` for the root."""
    children: Sequence[DirectoryNode | FileNode] = ()
    """In bytewise order of their names."""


class FileMetadata(Record, frozen=True):
    path: str
    """The same as `relative_path`: a pack contains no absolute path."""
    relative_path: str
    name: str
    extension: str
    """With its dot, in lower case; empty if there is none."""
    size_bytes: int
    type: FileType
    category: FileCategory
    is_key_file: bool
    content_extractable: bool


class ExcludedFile(Record, frozen=True):
    path: str
    """The path of a directory ends in `/` and stands for everything below it."""
    reason: ExclusionReason


class ExclusionStats(Record, frozen=True):
    by_pattern: int = 0
    """Files excluded by patterns of any kind, including dependencies, build outputs and caches."""
    by_size: int = 0
    by_binary: int = 0
    by_credentials: int = 0
    """Files counted here are not named anywhere."""

    @property
    def total(self) -> int:
        return self.by_pattern + self.by_size + self.by_binary + self.by_credentials


class ProjectSnapshot(Record, frozen=True, dict=True):
    """What a scan found. It contains no absolute path."""

    root_path: str
    """Always `.`."""
    scan_timestamp: str
    """The caller's; empty if it gives none."""
    directory_tree: DirectoryNode
    total_files: int
    """Of `files`, as is the size."""
    total_directories: int
    """Directories below the root that contain a file."""
    total_size_bytes: int
    files: Sequence[FileMetadata]
    """In bytewise order of their paths."""
    excluded_files: Sequence[ExcludedFile] = ()
    """Without those that may contain credentials."""
    exclusion_stats: ExclusionStats = ExclusionStats()


class Dependency(Record, frozen=True, omit_defaults=True):
    name: str
    version: str | None = None
    """As it is written: a version or a range."""
    # Always written: only a plain default is left out.
    type: DependencyType = msgspec.field(default_factory=lambda: _RUNTIME)


class Manifest(Record, frozen=True, omit_defaults=True):
    project_name: str
    project_type: str
    purpose_guess: str
    structure_summary: str
    dependencies: Sequence[Dependency]
    entry_points: Sequence[str]
    build_system: str | None = None
    test_framework: str | None = None
    members: Sequence[ManifestMember] = ()
    """The projects in a monorepo, in bytewise order of their paths."""


class ManifestMember(Record, frozen=True, omit_defaults=True):
    """A project in a monorepo."""

    path: str
    """Of its folder."""
    project_name: str
    project_type: str
    purpose_guess: str = ""
    dependencies: Sequence[Dependency] = ()
    entry_points: Sequence[str] = ()
    build_system: str | None = None
    test_framework: str | None = None


class FileIndexEntry(Record, frozen=True, omit_defaults=True):
    path: str
    type: FileType
    category: FileCategory
    size_bytes: int
    included: bool
    exclusion_reason: ExclusionReason | None = None


class KeyFile(Record, frozen=True):
    path: str
    category: FileCategory
    importance: Importance
    content: str
    truncated: bool = False


class FileContent(Record, frozen=True):
    path: str
    content: str
    truncated: bool
    original_size_bytes: int
    """On the disk."""


class EncodingIssue(Record, frozen=True):
    path: str
    encoding: str
    """The encoding in which the file was read."""
    action: Literal["decoded", "replaced", "skipped"]


class PackMetadata(Record, frozen=True, omit_defaults=True):
    pack_type: PackType
    created_at: str
    """The caller's; empty if it gives none."""
    source_root: str
    """Always `.`."""
    total_files_scanned: int
    files_included: int
    """Full pack: files whose content is included. Summary: files on which the pack is based."""
    files_excluded: int
    total_content_bytes: int
    """The size of the content of files, each counted once."""
    truncation_applied: bool
    encoding_issues: Sequence[EncodingIssue] = ()
    """Files that are not UTF-8, and how they were handled."""
    redactions: Mapping[str, int] = {}
    """The number of replaced secrets of each kind."""


class FullPack(Record, frozen=True, kw_only=True):
    type: Literal["full"] = "full"
    manifest: Manifest
    file_index: Sequence[FileIndexEntry]
    key_files: Sequence[KeyFile]
    contents: Sequence[FileContent]
    metadata: PackMetadata


class RepoSummary(Record, frozen=True):
    description: str
    """Two or three paragraphs; each sentence is based on facts."""
    architecture_pattern: str
    key_technologies: Sequence[str]
    notable_patterns: Sequence[str]
    potential_concerns: Sequence[str]


class KeyFileSummary(Record, frozen=True):
    path: str
    category: FileCategory
    summary: str
    exports: Sequence[str]
    dependencies: Sequence[str]
    notable_code: Sequence[str]


class EntrypointSummary(Record, frozen=True, omit_defaults=True):
    path: str
    type: EntrypointType
    description: str
    routes_or_commands: Sequence[str] | None = None


class RiskHotspot(Record, frozen=True):
    path: str
    risk_type: RiskType
    description: str
    indicators: Sequence[str]


class SummaryPack(Record, frozen=True, kw_only=True):
    type: Literal["summary"] = "summary"
    manifest: Manifest
    file_index: Sequence[FileIndexEntry]
    repo_summary: RepoSummary
    key_files_summary: Sequence[KeyFileSummary]
    entrypoints: Sequence[EntrypointSummary]
    risk_hotspots: Sequence[RiskHotspot]
    metadata: PackMetadata


ContextPack = FullPack | SummaryPack


class PackConstraints(Record, frozen=True):
    max_content_bytes: int = 500_000
    max_files: int = 200
    prefer_summary: bool = False
    provider_limits: Mapping[str, int] = {}
    """Bytes of content by provider. A pack must suit all of them, so the smallest limit applies."""

    @property
    def content_limit(self) -> int:
        """Return the largest content of a pack in bytes."""
        return min([self.max_content_bytes, *self.provider_limits.values()])


class TruncationConfig(Record, frozen=True):
    max_file_bytes: int = 50_000
    max_total_bytes: int = 500_000
    preserve_head_lines: int = 100
    preserve_tail_lines: int = 50
    truncation_marker: str = "\n... [truncated] ...\n"


class KeyFileLimits(Record, frozen=True):
    max_per_category: int = 5
    max_total: int = 25
    max_content_per_file_bytes: int = 50_000
    prioritize_by: Sequence[Literal["category_importance", "file_size", "path_depth"]] = (
        "category_importance",
        "file_size",
        "path_depth",
    )


class EncodingConfig(Record, frozen=True):
    default_encoding: Literal["utf-8"] = "utf-8"
    fallback_encodings: Sequence[str] = ("utf-16", "latin-1")
    on_decode_error: Literal["replace", "skip"] = "skip"


class ExclusionsByReason(Record, frozen=True):
    credentials: int = 0
    binary: int = 0
    size: int = 0
    pattern: int = 0


class RepositoryMap(Record, frozen=True, kw_only=True):
    """The third form of a pack: the most important signatures, within a number of tokens."""

    type: Literal["map"] = "map"
    map: str
    tokens: int
    """The cost of the map in tokens."""
    max_tokens: int
    metadata: MapMetadata


class MapMetadata(Record, frozen=True):
    created_at: str
    """The caller's; empty if it gives none."""
    source_root: str
    """Always `.`."""
    total_files_scanned: int
    files_included: int
    """Files of which the map shows something."""
    symbols_shown: int
    symbols_ranked: int


class TransparencyRecord(Record, frozen=True):
    """What a pack was made from: the document's `context_pack_info`."""

    type: PackForm
    selection_reason: str
    files_scanned: int
    files_included: int
    files_excluded: int
    exclusions_by_reason: ExclusionsByReason
    content_bytes: int
    truncated_files: int
