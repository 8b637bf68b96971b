"""The summary pack: manifest, index, and a description of the project based on facts."""

from __future__ import annotations

import msgspec

from sightline.packs.file_kinds import choose_key_files
from sightline.packs.full_pack import PackLimits, file_index, pack_metadata
from sightline.packs.manifests import read_manifest
from sightline.packs.model import ProjectSnapshot, SummaryPack
from sightline.packs.source import PackSource
from sightline.packs.summaries import summarize


def build_summary_pack(
    snapshot: ProjectSnapshot, source: PackSource, limits: PackLimits, name: str = "project"
) -> SummaryPack:
    """Return the summary pack of a snapshot; `name` is for a project that nothing names."""
    manifest = read_manifest(source, name)
    chosen = {each.path for each, _ in choose_key_files(snapshot.files, limits.key_files)}
    files = [
        msgspec.structs.replace(each, is_key_file=each.path in chosen) for each in snapshot.files
    ]
    summaries = summarize(source, manifest, files)
    rests_on = {
        *(each.path for each in summaries.key_files),
        *(each.path for each in summaries.entrypoints),
        *(each.path for each in summaries.hotspots),
    }
    return SummaryPack(
        manifest=manifest,
        file_index=file_index(snapshot, rests_on, {}),
        repo_summary=summaries.repository,
        key_files_summary=summaries.key_files,
        entrypoints=summaries.entrypoints,
        risk_hotspots=summaries.hotspots,
        metadata=pack_metadata(
            "summary",
            snapshot,
            files_included=len(rests_on & {each.path for each in files}),
            content_bytes=0,
            is_truncated=False,
            source=source,
        ),
    )
