"""Choose between a full and a summary pack: the document's five steps, and the reason in words."""

from __future__ import annotations

import attrs

from sightline.packs.model import PackConstraints, PackType, ProjectSnapshot


@attrs.frozen
class PackChoice:
    type: PackType
    reason: str


def select_pack(snapshot: ProjectSnapshot, constraints: PackConstraints) -> PackChoice:
    """Return which pack fits the constraints, and why."""
    if constraints.prefer_summary:
        return PackChoice("summary", "a summary was asked for")
    size = estimated_bytes(snapshot)
    for name, limit in sorted(
        {"max_content_bytes": constraints.max_content_bytes, **constraints.provider_limits}.items(),
        key=lambda each: (each[1], each[0]),
    ):
        if size > limit:
            which = name if name == "max_content_bytes" else f"the limit of {name}"
            return PackChoice("summary", f"{size} bytes of content exceed {which}, {limit}")
    count = max(snapshot.total_files, len(snapshot.files))
    if count > constraints.max_files:
        return PackChoice("summary", f"{count} files exceed max_files, {constraints.max_files}")
    return PackChoice("full", f"{count} files with {size} bytes of content are within the limits")


def estimated_bytes(snapshot: ProjectSnapshot) -> int:
    """Return the size of the content of a full pack if nothing were cut."""
    if not snapshot.files or len(snapshot.files) < snapshot.total_files:
        return snapshot.total_size_bytes
    return sum(each.size_bytes for each in snapshot.files if each.content_extractable)
