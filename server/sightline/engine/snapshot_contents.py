"""Which files a snapshot of a bundle has to store, so that the bundle can be built again from it.

Invariants:

* Every visible file that differs from the commit is stored, whether the bundle shows it or not.
* A text is stored without its secrets, and not at all where that is not sure. So is a file that is
  no text.
* What is stored is what the bundle was built from: if a file has changed since, nothing is stored.
"""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Container, Iterable

import attrs

from sightline.bundle import ContextManifest, Encoding, Source
from sightline.context import ScannedDocument
from sightline.context.secret_checks import is_removable
from sightline.egress import NOTHING_HARMLESS, ScanFailure, guarded_scan, redacted
from sightline.engine.host import Host
from sightline.engine.snapshot_files import object_id
from sightline.project import EditorText
from sightline.refusals import Refusal
from sightline.text import Span, Text
from sightline.workspace.entries import is_file, is_there
from sightline.workspace.git_folder import exclude_file, ignores_case, looks_plain
from sightline.workspace.git_ignores import GitIgnores
from sightline.workspace.git_objects import ObjectFault, WorkTree
from sightline.workspace.jail import Jail
from sightline.workspace.reading import read_bounded

EXCLUDE_FILE = ".git/info/exclude"
_MOST_BYTES = 1_000_000


@attrs.frozen
class StoredFile:
    path: str
    data: bytes
    """As it is stored: in its own encoding, without secrets."""
    notes: tuple[str, ...] = ()
    """Why it is not what the disk has: `unsaved`, `redacted`."""


@attrs.frozen
class BundleFiles:
    shown: tuple[StoredFile, ...]
    """Those of the bundle."""
    changed: tuple[StoredFile, ...]
    """Visible files that differ from the commit, or are not in it."""
    deleted: tuple[str, ...]
    redacted: tuple[str, ...]
    """Files that are stored without their secrets, or not at all."""


class NotCurrentError(Exception):
    """A file is not any more what the bundle was built from."""


def bundle_files(host: Host, manifest: ContextManifest, tree: WorkTree) -> BundleFiles:
    """Return the files of a bundle, and those that differ from the commit.

    A file is stored as it is in the tree where it has no secret; its blob is the tree's then.
    Raises `NotCurrentError`.
    """
    if manifest.fingerprints.project_index_fingerprint != host.snapshot.fingerprint:
        raise NotCurrentError
    selection = manifest.selection
    shown = {each.path: each.hash for each in selection.included_files}
    shown |= {each.path: each.hash for each in selection.optional_files}
    visible = host.snapshot.files
    committed = {each.path: each.blob for each in tree.files}
    suspected = {path for path in (*tree.changed, *host.project.open_paths()) if path in visible}
    suspected |= {path for path in visible if path not in committed}
    redacted_paths: list[str] = []
    read: dict[str, StoredFile] = {}
    looked_at = dict.fromkeys([*shown, *sorted(suspected)])
    host.project.expect([path for path in looked_at if path in visible])
    for path in looked_at:
        document = host.cache.look_at(path)
        if isinstance(document, Refusal):
            stored_file = _stored_bytes(host, path)
        else:
            is_as_built = document.digest == visible[path].digest if path in visible else True
            if not is_as_built or document.sha256 != shown.get(path, document.sha256):
                raise NotCurrentError
            if path not in shown and object_id(_as_on_disk(document)) == committed.get(path):
                continue
            stored_file = stored_text(host, document)
        if stored_file is None or "redacted" in stored_file.notes:
            redacted_paths.append(path)
        if stored_file is not None:
            read[path] = stored_file
    changed = [
        each
        for path, each in sorted(read.items())
        if path in suspected and object_id(each.data) != committed.get(path)
    ]
    return BundleFiles(
        tuple(read[path] for path in shown if path in read),
        tuple(changed),
        tuple(_gone(host, committed, {*tree.changed})),
        tuple(sorted(redacted_paths)),
    )


def _gone(host: Host, committed: Iterable[str], changed: Container[str]) -> list[str]:
    """Return the files of the commit that a build from it must not see.

    They are not there, in an editor as on the disk, or have changed to something that is withheld.
    """
    visible = host.snapshot.files
    return [
        path
        for path in committed
        if path not in visible and (path in changed or not _is_there(host, path))
    ]


def _is_there(host: Host, path: str) -> bool:
    place = host.root / path
    return place.is_symlink() or (is_there(place) and not place.is_dir())


def _stored_bytes(host: Host, path: str) -> StoredFile | None:
    """Return a file that is no text; None where it may hold a secret, or cannot be read."""
    with Jail(host.root).open(path) as opened:
        if isinstance(opened, Refusal):
            return None
        data = read_bounded(path, opened, host.workspace.limits.max_file_bytes)
    if isinstance(data, Refusal):
        return None
    known = host.snapshot.files[path].digest if path in host.snapshot.files else b""
    if len(known) == hashlib.sha256().digest_size and hashlib.sha256(data).digest() != known:
        raise NotCurrentError
    found = guarded_scan(data, host.harmless)
    return None if isinstance(found, ScanFailure) or found else StoredFile(path, data)


def stored_text(host: Host, document: ScannedDocument) -> StoredFile | None:
    """Return a text as it is stored: without secrets; None where that is not sure."""
    found = host.cache.with_findings(document, host.harmless, keeps_weak=host.keeps_weak)
    if isinstance(found, Refusal):
        return None
    findings = found.findings
    if isinstance(findings, ScanFailure) or not all(map(is_removable, findings)):
        return None
    notes = []
    if found.source is Source.USER and _differs_on_disk(host, found):
        notes.append("unsaved")
    if findings:
        notes.append("redacted")
        clean = redacted(found.text.data, Span(0, len(found.text.data)), findings)
        found = attrs.evolve(found, text=Text(clean))
    return StoredFile(document.path, _as_on_disk(found), tuple(notes))


def _differs_on_disk(host: Host, document: ScannedDocument) -> bool:
    saved = host.workspace.read(document.path)
    return isinstance(saved, Refusal) or saved.text.data != document.text.data


def _as_on_disk(document: ScannedDocument) -> bytes:
    """Return the bytes of a document in its own encoding."""
    data = document.text.data
    if document.encoding in (Encoding.UTF_8, Encoding.ASCII):
        return (codecs.BOM_UTF8 if document.bom else b"") + data
    mark = {Encoding.UTF_16LE: codecs.BOM_UTF16_LE, Encoding.UTF_16BE: codecs.BOM_UTF16_BE}
    encoded = data.decode("utf-8").encode(document.encoding.value)
    return (mark.get(document.encoding, b"") if document.bom else b"") + encoded


def exclude_files(host: Host) -> list[StoredFile]:
    """Return the patterns that git ignores in this repository alone, and in those below it."""
    jail = Jail(host.root)
    own = exclude_file(jail)
    found = [] if own is None else [StoredFile(EXCLUDE_FILE, _without_secrets(host, own))]
    survey = host.workspace.surveyed
    for directory in survey.repositories if survey is not None else ():
        path = f"{directory}/{EXCLUDE_FILE}"
        if not directory:
            continue
        with jail.open(path) as opened:
            data = None if isinstance(opened, Refusal) else read_bounded(path, opened, _MOST_BYTES)
        if isinstance(data, bytes):
            found.append(StoredFile(path, _without_secrets(host, data)))
    return found


def _without_secrets(host: Host, data: bytes) -> bytes:
    found = host.cache.scanned(data, NOTHING_HARMLESS)
    if isinstance(found, ScanFailure):
        return b""
    return redacted(data, Span(0, len(data)), found)


def open_documents(host: Host) -> list[tuple[str, int | None]]:
    """Return what editors show, with the version of each text: a bundle names both."""
    found = [(path, host.project.read(path)) for path in host.project.open_paths()]
    return [(path, text.version) for path, text in found if isinstance(text, EditorText)]


def repository_fields(
    host: Host, found: WorkTree | ObjectFault, tree: WorkTree | None
) -> dict[str, object]:
    """Return what a fresh build must know of the repository, besides its commit.

    Where objects cannot be read, as with SHA-256, git's rules may count all the same.
    """
    jail = Jail(host.root)
    if tree is None and not looks_plain(jail):
        return {}
    tracked = GitIgnores(host.root).tracked() if tree is None else None
    fields = {
        # Of a linked worktree or a submodule, git's directory is elsewhere.
        "is_linked": is_file(host.root / ".git"),
        "ignores_case": ignores_case(jail),
        "is_unreadable": found is ObjectFault.UNSUPPORTED_HASH,
        "added": list(tree.added) if tree is not None else sorted(tracked or ()),
        "removed": list(tree.removed) if tree is not None else [],
    }
    return {"repository": {key: value for key, value in fields.items() if value}}
