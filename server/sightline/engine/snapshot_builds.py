"""Record a bundle as a context snapshot.

Invariant: everything that a rebuild needs is in the snapshot: the record of the build, the commit,
and every visible file that differs from it. `snapshot_verify` reads nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import msgspec

from sightline import __version__
from sightline.bundle import BuildResult, Status
from sightline.engine.host import Host
from sightline.engine.snapshot_contents import (
    BundleFiles,
    NotCurrentError,
    StoredFile,
    bundle_files,
    exclude_files,
    open_documents,
    repository_fields,
)
from sightline.engine.snapshot_files import object_id
from sightline.engine.snapshot_items import without_secret_words
from sightline.engine.snapshot_store import (
    Objects,
    SnapshotInfo,
    no_objects,
    stored,
    unknown_retention,
)
from sightline.engine.verify import read_record, verify
from sightline.provenance.model import ContextItem, ContextSnapshot, preview_of
from sightline.provenance.vocabulary import ActorRef, ContextItemKind, SelectionStrategy
from sightline.refusals import Refusal, RefusalKind
from sightline.workspace.git_objects import GitObjects, ObjectFault, Retention, WorkTree

RENDERED = "rendered_bundle"
"""The kind of the item with the exact bytes that were sent."""
RECORD = "build_record"
"""The kind of the item with the build as JSON."""
EXCLUDE = "exclude_file"
"""The kind of the items with patterns that git ignores in this repository only."""
NOTHING_COMMITTED = WorkTree(None, (), (), (), (), (), ())

_FILE_PREVIEW = 80
"""Short, because the beginnings of many files are licences and say less than their paths."""
_PREVIEW_BYTES = 4_000


def snapshot_build(
    host: Host,
    result: BuildResult,
    *,
    created_by: ActorRef,
    retention: str = Retention.REFS,
    summary: str | None = None,
    objects: Objects | None = None,
    sent: bytes | None = None,
) -> SnapshotInfo | Refusal:
    """Store a bundle as a snapshot, with everything that is needed to build it again.

    Without `objects`, it is stored in the repository of the workspace. `sent` is what the AI got:
    the rendered bundle, or the JSON of the result.
    """
    if result.status is not Status.OK or result.bundle is None or result.manifest is None:
        return _no_bundle()
    if retention not in tuple(Retention):
        return unknown_retention()
    if not result.index_complete:
        return _incomplete()
    repository = GitObjects(host.root)
    found = repository.work_tree()
    if objects is None and isinstance(found, ObjectFault):
        return no_objects(found)
    tree = None if isinstance(found, ObjectFault) else found
    if objects is None:
        objects = repository
    elif tree is not None:
        # A file must be complete by itself: it contains every visible file, not only those that
        # differ.
        tree = msgspec.structs.replace(tree, commit=None, files=(), added=tree.tracked, removed=())
    try:
        files = bundle_files(host, result.manifest, tree or NOTHING_COMMITTED)
    except NotCurrentError:
        return _not_current()
    exclude = exclude_files(host)
    own = _own_items(result, sent, exclude)
    contents = {each.path: each.data for each in (*files.shown, *files.changed)}
    ids = {path: object_id(data) for path, data in contents.items()}
    in_tree = {each.blob for each in tree.files} if tree is not None else set()
    there = in_tree.difference(tree.unseen) if tree is not None else set()
    new = {ids[path]: data for path, data in contents.items() if ids[path] not in there}
    written = objects.write([*new.values(), *(data for _, _, data in own)])
    if isinstance(written, ObjectFault):
        return no_objects(written)
    draft = ContextSnapshot.new(created_by, SelectionStrategy.HEURISTIC)
    for each in files.shown:
        draft.add_item(_file_item(each, ids[each.path]))
    for (kind, path, _), blob in zip(own, written[len(new) :], strict=True):
        draft.add_item(ContextItem(kind, path, None, blob))
    draft.set_summary(without_secret_words(summary) or _summary(result))
    build = _build_fields(host, result, tree, files, ids)
    build |= repository_fields(host, found, tree)
    draft = attrs.evolve(draft, more={"build": build})
    commit = tree.commit if tree is not None else None
    besides = [ids[each.path] for each in files.changed]
    return stored(objects, draft, retention, commit, besides, in_tree=in_tree)


def _own_items(
    result: BuildResult, sent: bytes | None, exclude: Sequence[StoredFile]
) -> list[tuple[str, str, bytes]]:
    """Return the kind, name and content of the items other than the files of the bundle."""
    assert result.bundle is not None
    bundle_id = result.bundle.bundle_id
    rendered = (result.rendered or "").encode("utf-8")
    form = "json" if sent is not None and sent != rendered else _extension(result)
    return [
        (RECORD, f"{bundle_id}.json", _record(result)),
        (RENDERED, f"{bundle_id}.sent.{form}", rendered if sent is None else sent),
        *((EXCLUDE, each.path, each.data) for each in exclude),
    ]


def _build_fields(
    host: Host,
    result: BuildResult,
    tree: WorkTree | None,
    files: BundleFiles,
    ids: Mapping[str, str],
) -> dict[str, object]:
    """Return the fields that are needed to build a bundle again."""
    assert result.bundle is not None
    assert result.manifest is not None
    fingerprints = result.manifest.fingerprints
    fields: dict[str, object] = {
        "tool_version": __version__,
        "commit": tree.commit if tree is not None else None,
        "bundle_id": result.bundle.bundle_id,
        "bundle_fingerprint": fingerprints.bundle_fingerprint,
        "project_index_fingerprint": fingerprints.project_index_fingerprint,
        "config_fingerprint": fingerprints.config_fingerprint,
        "changed_files": [[each.path, ids[each.path]] for each in files.changed],
        "deleted_files": list(files.deleted),
        "redacted_files": list(files.redacted),
    }
    opened = open_documents(host)
    if opened:
        fields["open_documents"] = [list(each) for each in opened]
    hidden = [[each.rule, each.files] for each in host.snapshot.hidden]
    if hidden:
        fields["hidden"] = hidden
    return fields


def _file_item(file: StoredFile, blob: str) -> ContextItem:
    more = {"note": ", ".join(file.notes)} if file.notes else {}
    preview = preview_of(file.data[:_PREVIEW_BYTES].decode("utf-8", "replace"), _FILE_PREVIEW)
    return ContextItem(ContextItemKind.FILE, file.path, preview, blob, more)


def _record(result: BuildResult) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(result, rendered=None))


def _extension(result: BuildResult) -> str:
    render = result.settings.get("render")
    form = render.get("format") if isinstance(render, dict) else None
    return {"json": "json", "xml": "xml"}.get(str(form), "md")


def _summary(result: BuildResult) -> str:
    """Describe the purpose of a bundle, and how much it shows."""
    assert result.manifest is not None
    selection = result.manifest.selection
    targets = selection.target_symbols or selection.target_files
    names = ", ".join(targets[:3]) + (f" and {len(targets) - 3} more" if len(targets) > 3 else "")
    shown = {each.path for each in selection.included_files}
    shown |= {each.path for each in selection.optional_files}
    return f"{names}: {len(shown)} {'file' if len(shown) == 1 else 'files'}"


def snapshot_record(
    host: Host,
    data: bytes,
    *,
    created_by: ActorRef,
    retention: str = Retention.REFS,
    summary: str | None = None,
    objects: Objects | None = None,
) -> SnapshotInfo | Refusal:
    """Store a bundle from the JSON of a build; the workspace must still give the same bundle."""
    record = read_record(data)
    if isinstance(record, Refusal):
        return record
    checked = verify(host, data)
    if checked.refusal is not None:
        return checked.refusal
    if checked.differences:
        return _not_current()
    return snapshot_build(
        host,
        record,
        created_by=created_by,
        retention=retention,
        summary=summary,
        objects=objects,
    )


def _not_current() -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "not_current",
        None,
        "the workspace has changed since this bundle was built, so it could not be verified later",
        "build it again with 'sightline build --snapshot'",
    )


def _incomplete() -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "incomplete_index",
        None,
        "the bundle was built before every file was read, so it could not be verified later",
        "build it again in a moment, when the index is complete",
    )


def _no_bundle() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "no_bundle",
        None,
        "there is no bundle to record: the build was refused",
        "change what the refusal of the build names, and build again",
    )
