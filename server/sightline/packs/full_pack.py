"""The full pack: manifest, index, key files, and every text within the limits.

Texts come from a `PackSource`, whole and with secrets replaced; they are cut here. If the limit on
all content is small, key files come first, so that the most important files are whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from sightline.packs.file_kinds import choose_key_files, kind_of, type_of
from sightline.packs.manifests import read_manifest
from sightline.packs.model import (
    EncodingIssue,
    ExcludedFile,
    ExclusionReason,
    FileContent,
    FileIndexEntry,
    FileMetadata,
    FullPack,
    KeyFile,
    KeyFileLimits,
    PackConstraints,
    PackMetadata,
    PackType,
    ProjectSnapshot,
    TruncationConfig,
)
from sightline.packs.source import PackSource
from sightline.packs.truncating import truncate

_SHORTEST_PIECE = 200
"""A shorter piece of a file says too little: the file is left out instead."""


class PackLimits(msgspec.Struct, frozen=True):
    constraints: PackConstraints = PackConstraints()
    truncation: TruncationConfig = TruncationConfig()
    key_files: KeyFileLimits = KeyFileLimits()

    @property
    def total_bytes(self) -> int:
        return min(self.truncation.max_total_bytes, self.constraints.content_limit)


def build_full_pack(
    snapshot: ProjectSnapshot, source: PackSource, limits: PackLimits, name: str = "project"
) -> FullPack:
    """Return the full pack of a snapshot; `name` is for a project that nothing names."""
    chosen = choose_key_files(snapshot.files, limits.key_files)
    order = [each.path for each, _ in chosen]
    first = set(order)
    order += [each.path for each in _by_use(snapshot) if each.path not in first]
    source.expect(order, limits.total_bytes)
    contents, left_out = _contents(order, source, limits)
    metadata = {each.path: each for each in snapshot.files}
    return FullPack(
        manifest=read_manifest(source, name),
        file_index=file_index(snapshot, set(contents), left_out),
        key_files=[
            _key_file(each.path, limits, source) for each, _ in chosen if each.path in contents
        ],
        contents=[contents[path] for path in metadata if path in contents],
        metadata=pack_metadata(
            "full",
            snapshot,
            files_included=len(contents),
            content_bytes=sum(len(each.content.encode()) for each in contents.values()),
            is_truncated=any(each.truncated for each in contents.values())
            or "size_limit" in left_out.values(),
            source=source,
        ),
    )


def _by_use(snapshot: ProjectSnapshot) -> list[FileMetadata]:
    """Return the files with content, source before files about it, tests last."""
    files = [each for each in snapshot.files if each.content_extractable]
    return sorted(files, key=lambda each: _ORDER.get(each.category, 1))


_ORDER = {"config": 2, "documentation": 3, "other": 3, "build": 4, "dependency": 5, "test": 6}
"""The order of categories; every other category contains source and comes first."""


def _contents(
    order: Sequence[str], source: PackSource, limits: PackLimits
) -> tuple[dict[str, FileContent], dict[str, ExclusionReason]]:
    contents: dict[str, FileContent] = {}
    left_out: dict[str, ExclusionReason] = {}
    room = limits.total_bytes
    for path in order:
        if room < _SHORTEST_PIECE and source.size(path) > room:
            left_out[path] = "size_limit"
            continue
        text = source.read(path)
        if text is None:
            left_out[path] = source.withheld(path)
            continue
        most = min(limits.truncation.max_file_bytes, room)
        cut, is_cut = truncate(text, limits.truncation, most)
        if is_cut and most < limits.truncation.max_file_bytes and len(cut) < _SHORTEST_PIECE:
            left_out[path] = "size_limit"
            continue
        room -= len(cut.encode())
        contents[path] = FileContent(path, cut, is_cut, source.size(path))
    return contents, left_out


def _key_file(path: str, limits: PackLimits, source: PackSource) -> KeyFile:
    kind = kind_of(path)
    assert kind.importance is not None, "only key files were chosen"
    text = source.read(path) or ""
    most = min(limits.key_files.max_content_per_file_bytes, limits.total_bytes)
    cut, is_cut = truncate(text, limits.truncation, most)
    return KeyFile(path, kind.category, kind.importance, cut, is_cut)


def file_index(
    snapshot: ProjectSnapshot,
    included: set[str],
    left_out: Mapping[str, ExclusionReason],
) -> list[FileIndexEntry]:
    """Return an entry for every file that may be named, in bytewise order of paths.

    A file whose content is not in the pack, and that is not excluded, has no reason.
    """
    entries = [_visible(each, included, left_out) for each in snapshot.files]
    entries += [_excluded(each) for each in snapshot.excluded_files]
    entries = [each for each in entries if each.exclusion_reason != "credentials"]
    entries.sort(key=lambda each: each.path.encode("utf-8", "replace"))
    return entries


def _visible(
    file: FileMetadata, included: set[str], left_out: Mapping[str, ExclusionReason]
) -> FileIndexEntry:
    is_in = file.path in included
    reason = None if is_in else left_out.get(file.path)
    return FileIndexEntry(file.path, file.type, file.category, file.size_bytes, is_in, reason)


def _excluded(file: ExcludedFile) -> FileIndexEntry:
    is_folder = file.path.endswith("/")
    category = kind_of(file.path + "x" if is_folder else file.path).category
    return FileIndexEntry(
        file.path,
        "unknown" if is_folder else type_of(file.path),
        category,
        0,
        False,
        file.reason,
    )


def pack_metadata(
    form: PackType,
    snapshot: ProjectSnapshot,
    *,
    files_included: int,
    content_bytes: int,
    is_truncated: bool,
    source: PackSource,
) -> PackMetadata:
    scanned = max(snapshot.total_files, len(snapshot.files)) + snapshot.exclusion_stats.total
    issues: Sequence[EncodingIssue] = source.encoding_issues
    return PackMetadata(
        pack_type=form,
        created_at=snapshot.scan_timestamp,
        source_root=".",
        total_files_scanned=scanned,
        files_included=files_included,
        files_excluded=scanned - files_included,
        total_content_bytes=content_bytes,
        truncation_applied=is_truncated,
        encoding_issues=issues,
        redactions=source.redactions,
    )
