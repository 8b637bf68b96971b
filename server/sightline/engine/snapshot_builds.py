"""Record a bundle as a context snapshot, and build it again from the snapshot alone.

Invariant: what is needed to build again is in the snapshot: the record of the build, the commit,
and every visible file that differs from it. `verify_snapshot` reads nothing else.
"""

from __future__ import annotations

import codecs
import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import attrs
import msgspec

from sightline import __version__
from sightline.bundle import BuildResult, Encoding, Status
from sightline.context import ScannedDocument
from sightline.context.secret_checks import is_removable
from sightline.egress import ScanFailure, redacted
from sightline.engine.build import now
from sightline.engine.host import Host, open_host
from sightline.engine.snapshot_store import (
    SnapshotInfo,
    head_commit,
    new_id,
    no_objects,
    pairs,
    stored,
    without_secret_words,
)
from sightline.engine.verify import read_record, verify
from sightline.provenance.model import (
    Actor,
    ContextItem,
    ContextSnapshot,
    ItemKind,
    SelectionStrategy,
    preview_of,
)
from sightline.refusals import Refusal, RefusalKind
from sightline.text import Span, Text
from sightline.workspace.git_history import GitFault, GitHistory
from sightline.workspace.git_objects import GitObjects, ObjectFault, Retention, TreeFile
from sightline.workspace.paths import check_form

RENDERED = "rendered_bundle"
"""The kind of the item that has the very bytes that were sent."""
RECORD = "build_record"
"""The kind of the item that has the build as JSON."""
EXCLUDE = "exclude_file"
"""The kind of the item that has the patterns that git ignores in this repository alone."""

_EXECUTABLE = 0o100755
_LINK = 0o120000


@attrs.frozen
class SnapshotCheck:
    """What `verify` found. Everything holds where both lists are empty."""

    snapshot: ContextSnapshot
    missing: tuple[str, ...]
    """Objects that are gone or are not what their id says, by the items that need them."""
    differences: tuple[str, ...]
    """What a fresh build gives otherwise."""
    is_rebuilt: bool
    """True if the bundle was built again, False where the snapshot is not of a bundle."""
    notes: tuple[str, ...] = ()


def snapshot_build(
    host: Host,
    result: BuildResult,
    *,
    created_by: Actor,
    retention: str = Retention.REFS,
    summary: str | None = None,
) -> SnapshotInfo | Refusal:
    """Store a bundle as a snapshot, with what is needed to build it again."""
    if result.status is not Status.OK or result.bundle is None or result.manifest is None:
        return _no_bundle()
    objects = GitObjects(host.root)
    files, changed, redacted_paths = _files_of(host, result)
    record = msgspec.json.encode(msgspec.structs.replace(result, rendered=None))
    rendered = (result.rendered or "").encode("utf-8")
    exclude = objects.exclude_file()
    blobs = [*(data for _, data in files), *(data for _, data in changed), record, rendered]
    blobs += [exclude] if exclude is not None else []
    ids = objects.write(blobs)
    if isinstance(ids, ObjectFault):
        return no_objects(ids)
    own, other = ids[: len(files)], ids[len(files) : len(files) + len(changed)]
    head = head_commit(host.root)
    items = [
        ContextItem(ItemKind.FILE, path, preview_of(data.decode("utf-8", "replace")), blob)
        for (path, data), blob in zip(files, own, strict=True)
    ]
    fingerprints = result.manifest.fingerprints
    build = {
        "tool_version": __version__,
        "commit": head,
        "bundle_id": result.bundle.bundle_id,
        "bundle_fingerprint": fingerprints.bundle_fingerprint,
        "project_index_fingerprint": fingerprints.project_index_fingerprint,
        "config_fingerprint": fingerprints.config_fingerprint,
        "changed_files": [[path, blob] for (path, _), blob in zip(changed, other, strict=True)],
        "deleted_files": _deleted(host),
        "redacted_files": redacted_paths,
    }
    items += [
        ContextItem(RECORD, f"{result.bundle.bundle_id}.json", None, ids[len(own) + len(other)]),
        ContextItem(
            RENDERED, f"{result.bundle.bundle_id}.md", None, ids[len(own) + len(other) + 1]
        ),
    ]
    if exclude is not None:
        items.append(ContextItem(EXCLUDE, ".git/info/exclude", None, ids[-1]))
    final = ContextSnapshot(
        new_id(),
        now(),
        created_by,
        SelectionStrategy.HEURISTIC,
        tuple(items),
        without_secret_words(summary) or f"{len(files)} files",
        is_final=True,
        more={"build": build},
    )
    return stored(objects, final, retention, head, other)


def snapshot_record(
    host: Host,
    data: bytes,
    *,
    created_by: Actor,
    retention: str = Retention.REFS,
    summary: str | None = None,
) -> SnapshotInfo | Refusal:
    """Store a bundle that a build wrote as JSON; the workspace must still give the same."""
    record = read_record(data)
    if isinstance(record, Refusal):
        return record
    checked = verify(host, data)
    if checked.refusal is not None:
        return checked.refusal
    if checked.differences:
        return Refusal(
            RefusalKind.INDEX_UNAVAILABLE,
            "not_current",
            None,
            "the workspace no longer gives this bundle, so it could not be built again later",
            "build it anew with 'sightline build --snapshot'",
        )
    return snapshot_build(host, record, created_by=created_by, retention=retention, summary=summary)


def verify_snapshot(root: Path, info: SnapshotInfo) -> SnapshotCheck | Refusal:
    """Check that everything is there, and build a bundle again from the snapshot alone."""
    objects = GitObjects(root)
    snapshot = info.snapshot
    build = snapshot.more.get("build")
    needed = [(each.path, each.blob or "") for each in snapshot.items]
    changed = pairs(build.get("changed_files")) if isinstance(build, dict) else []
    data = objects.read([blob for _, blob in (*needed, *changed)])
    if isinstance(data, ObjectFault):
        return no_objects(data)
    missing = [
        path for (path, _), found in zip((*needed, *changed), data, strict=True) if found is None
    ]
    if missing or not isinstance(build, dict):
        return SnapshotCheck(snapshot, tuple(missing), (), is_rebuilt=False)
    record = next(
        found
        for each, found in zip(snapshot.items, data, strict=False)
        if each.kind == RECORD and found is not None
    )
    files: tuple[TreeFile, ...] | ObjectFault = ()
    if isinstance(build.get("commit"), str):
        files = objects.tree(build["commit"])
    if isinstance(files, ObjectFault):
        return SnapshotCheck(snapshot, (f"commit {build['commit']}",), (), is_rebuilt=False)
    exclude = next(
        (found for each, found in zip(snapshot.items, data, strict=False) if each.kind == EXCLUDE),
        None,
    )
    overlay = {
        path: found or b"" for (path, _), found in zip(changed, data[len(needed) :], strict=True)
    }
    gone = {each for each in build.get("deleted_files", []) if isinstance(each, str)}
    with tempfile.TemporaryDirectory(prefix="sightline-snapshot-") as folder:
        place = Path(folder) / "workspace"
        tracked = [each for each in files if check_form(each.path) is None]
        missing = _materialised(objects, place, tracked, overlay, gone)
        if missing:
            return SnapshotCheck(snapshot, tuple(missing), (), is_rebuilt=False)
        fault = GitObjects(place).stage(tracked, exclude)
        if fault is not None:
            return no_objects(fault)
        found_differences = _rebuilt(place, record)
    notes = tuple(f"{path}: stored without its secrets" for path in build.get("redacted_files", []))
    return SnapshotCheck(snapshot, (), found_differences, is_rebuilt=True, notes=notes)


def _files_of(
    host: Host, result: BuildResult
) -> tuple[list[tuple[str, bytes]], list[tuple[str, bytes]], list[str]]:
    """Return the files of a bundle, those that differ from the commit, and those redacted.

    A file is stored as it is in the tree where it has no secret; its blob is the tree's then.
    """
    assert result.manifest is not None
    selection = result.manifest.selection
    shown = [each.path for each in selection.included_files]
    shown += [each.path for each in getattr(selection, "optional_files", ())]
    redacted_paths: list[str] = []
    files = _read_all(host, shown, redacted_paths)
    status = GitHistory(host.root).status()
    if isinstance(status, GitFault):
        paths = sorted(host.snapshot.files)
    else:
        told = {*status.staged, *status.unstaged, *status.untracked}
        paths = sorted(path for path in told if path in host.snapshot.files)
    changed = _read_all(host, paths, redacted_paths)
    return files, changed, sorted(set(redacted_paths))


def _read_all(
    host: Host, paths: Iterable[str], redacted_paths: list[str]
) -> list[tuple[str, bytes]]:
    """Return files as they are stored: without secrets, and left out where that is not sure."""
    read = []
    for path in dict.fromkeys(paths):
        found = host.cache.look_at(path)
        document = host.cache.with_findings(found, host.harmless, keeps_weak=host.keeps_weak)
        if isinstance(document, Refusal):
            continue
        findings = document.findings
        if isinstance(findings, ScanFailure) or not all(map(is_removable, findings)):
            redacted_paths.append(path)
            continue
        if findings:
            redacted_paths.append(path)
            clean = redacted(document.text.data, Span(0, len(document.text.data)), findings)
            document = attrs.evolve(document, text=Text(clean))
        read.append((path, _as_on_disk(document)))
    return read


def _as_on_disk(document: ScannedDocument) -> bytes:
    """Return the bytes of a document in its own encoding."""
    data = document.text.data
    if document.encoding in (Encoding.UTF_8, Encoding.ASCII):
        return (codecs.BOM_UTF8 if document.bom else b"") + data
    mark = {Encoding.UTF_16LE: codecs.BOM_UTF16_LE, Encoding.UTF_16BE: codecs.BOM_UTF16_BE}
    encoded = data.decode("utf-8").encode(document.encoding.value)
    return (mark.get(document.encoding, b"") if document.bom else b"") + encoded


def _deleted(host: Host) -> list[str]:
    status = GitHistory(host.root).status()
    if isinstance(status, GitFault):
        return []
    return [
        path
        for path in sorted({*status.staged, *status.unstaged})
        if not (host.root / path).exists()
    ]


def _materialised(
    objects: GitObjects,
    place: Path,
    files: Sequence[TreeFile],
    overlay: dict[str, bytes],
    gone: set[str],
) -> list[str]:
    """Write the files of a commit and what differs from it. Return what is missing."""
    wanted = [each for each in files if each.path not in gone and each.path not in overlay]
    data = objects.read([each.blob for each in wanted])
    if isinstance(data, ObjectFault):
        return ["the files of the commit"]
    place.mkdir(parents=True)
    missing = []
    for each, content in zip(wanted, data, strict=True):
        if content is None:
            missing.append(each.path)
        elif each.mode == _LINK:
            _make_link(place / each.path, content)
        else:
            _write_file(place / each.path, content, executable=each.mode == _EXECUTABLE)
    for path, content in overlay.items():
        _write_file(place / path, content, executable=False)
    return missing


def _write_file(place: Path, content: bytes, *, executable: bool) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    if executable:
        place.chmod(0o700)


def _make_link(place: Path, target: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(os.fsdecode(target))


def _rebuilt(place: Path, record: bytes) -> tuple[str, ...]:
    """Return how a fresh build of a recorded one differs from it."""
    host = open_host(place, {"index.store": False}, keeps_index=False)
    if isinstance(host, Refusal):
        return (host.sentence(),)
    with host:
        refusal = host.open_index(is_agreed=True)
        if refusal is not None:
            return (refusal.sentence(),)
        result = verify(host, record)
    if result.refusal is not None:
        return (result.refusal.sentence(),)
    return tuple(f"{each.where}: {each.detail}" for each in result.differences)


def _no_bundle() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "no_bundle",
        None,
        "there is no bundle to record: the build was refused",
        "build it first; the refusal says what helps",
    )
