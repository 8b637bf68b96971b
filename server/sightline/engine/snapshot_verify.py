"""Check a context snapshot, and build its bundle again from the snapshot alone.

Invariant: only the snapshot and the objects that it names are read, not the work tree and not the
settings of the person who verifies.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from sightline.bundle import BuildResult
from sightline.context import read_request
from sightline.engine.build import build, result_json
from sightline.engine.host import Host, open_host
from sightline.engine.snapshot_builds import EXCLUDE, RECORD, RENDERED
from sightline.engine.snapshot_contents import EXCLUDE_FILE
from sightline.engine.snapshot_store import (
    Objects,
    SnapshotInfo,
    commit_of,
    no_objects,
    pairs,
)
from sightline.engine.verify import compare, read_record, replayed
from sightline.provenance.model import ContextItem, ContextSnapshot
from sightline.refusals import Refusal, RefusalKind
from sightline.text import Text
from sightline.workspace.git_objects import GitObjects, ObjectFault, TreeFile
from sightline.workspace.paths import check_form, normal_forms, showable

_EXECUTABLE = 0o100755
_LINK = 0o120000
_REGULAR = 0o100644
_NO_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
_FILES_AT_ONCE = 200
_INPUTS = ("project_index_fingerprint:", "config_fingerprint:")


@attrs.frozen
class SnapshotCheck:
    """What `verify` found. The snapshot is good if both lists are empty."""

    snapshot: ContextSnapshot
    missing: tuple[str, ...]
    """Objects that are missing or do not match their id, by the items that need them."""
    differences: tuple[str, ...]
    """What was changed in the snapshot, and how a fresh build differs."""
    is_rebuilt: bool
    """True if the bundle was built again, False if the snapshot does not contain a bundle."""
    notes: tuple[str, ...] = ()

    def sentence(self) -> str:
        if self.missing or self.differences:
            return f"not verified: {len(self.missing)} missing, {len(self.differences)} different"
        built = "a fresh build from it alone is the same"
        return f"verified: {built if self.is_rebuilt else 'everything is there and unchanged'}"


def verify_snapshot(objects: Objects, info: SnapshotInfo) -> SnapshotCheck | Refusal:
    """Check that everything is present and unchanged, and build a bundle again from it alone."""
    snapshot = info.snapshot
    build = snapshot.more.get("build")
    build = build if isinstance(build, Mapping) else None
    needed = [(each.path, each.blob or "") for each in snapshot.items]
    changed = pairs(build.get("changed_files")) if build is not None else []
    data = objects.read([blob for _, blob in (*needed, *changed)])
    if isinstance(data, ObjectFault):
        return no_objects(data)
    missing = [
        path for (path, _), found in zip((*needed, *changed), data, strict=True) if found is None
    ]
    altered = _changed_object(info)
    told = [*altered, *_unkept(objects, info, [blob for _, blob in (*needed, *changed)])]
    check = SnapshotCheck(snapshot, tuple(dict.fromkeys(missing)), tuple(told), is_rebuilt=False)
    if missing or altered or build is None:
        # A changed snapshot is not built: it does not show what was seen.
        return check
    parts = [(each, found or b"") for each, found in zip(snapshot.items, data, strict=False)]
    contents = {
        path: found or b"" for (path, _), found in zip(changed, data[len(needed) :], strict=True)
    }
    return _with_rebuild(objects, check, build, parts, contents)


def _changed_object(info: SnapshotInfo) -> list[str]:
    """Return how the object itself was changed since it was stored."""
    snapshot = info.snapshot
    told = []
    if info.name is not None and info.name != snapshot.object_id:
        told.append(f"ref refs/ai/snapshots/{info.name}: leads to snapshot {snapshot.object_id}")
    forms = (snapshot.to_json(), snapshot.to_json(interop=True))
    if not snapshot.is_sealed or (info.raw is not None and info.raw not in forms):
        told.append(
            "snapshot: its id does not follow from its content: it was changed after it was "
            "stored, or another program made it"
        )
    return told


def _unkept(objects: Objects, info: SnapshotInfo, ids: Sequence[str]) -> list[str]:
    """Return refs that point to something else, and objects that git may prune although they should
    have a ref.
    """
    kept = objects.kept(info.snapshot.object_id, ids, commit_of(info))
    if isinstance(kept, ObjectFault):
        return [] if kept is ObjectFault.MISSING else [f"refs/ai: {kept.value}"]
    told = [f"ref {each}: leads to another object" for each in kept.wrong]
    names = {item.blob: item.path for item in reversed(info.snapshot.items)}
    for each in kept.unkept:
        name = names.get(each, "a changed file")
        told.append(f"ref refs/ai/blobs/{each}: is missing, so git may prune {name}")
    return told


def _with_rebuild(
    objects: Objects,
    check: SnapshotCheck,
    build: Mapping[str, object],
    parts: Sequence[tuple[ContextItem, bytes]],
    contents: Mapping[str, bytes],
) -> SnapshotCheck | Refusal:
    """Return a check with the differences between a snapshot and a fresh build."""
    own = {str(each.kind): content for each, content in parts}
    excludes = {each.path: content for each, content in parts if each.kind == EXCLUDE}
    rendered = own.get(RENDERED, b"")
    record = read_record(own.get(RECORD, b""))
    if isinstance(record, Refusal):
        return _also(check, [f"{RECORD}: {record.message}"])
    told = _changed_record(build, record)
    commit = build.get("commit")
    files = objects.tree(commit) if isinstance(commit, str) else ()
    if isinstance(files, ObjectFault):
        return attrs.evolve(_also(check, told), missing=(f"commit {commit}",))
    wrong = [path for path in contents if not _is_safe(path)]
    if wrong:
        # The snapshot is forged: such a path is outside of the temporary directory.
        return _also(check, [*told, f"build.changed_files: not a path: {showable(wrong[0])}"])
    tracked = [each for each in files if _is_safe(each.path)]
    try:
        with tempfile.TemporaryDirectory(prefix="sightline-snapshot-") as folder:
            place = Path(os.path.realpath(folder)) / "workspace"
            fault = _staged(place, build, tracked, excludes)
            if fault is not None:
                return no_objects(fault)
            gone = set(_texts(build, "deleted_files"))
            missing = _materialised(objects, place, tracked, contents, gone)
            if missing:
                return attrs.evolve(_also(check, told), missing=tuple(missing))
            opened = _open_documents(build)
            told += _rebuilt(place, record, rendered, opened, Path(folder) / "settings")
    except OSError as error:
        return _not_written(error)
    redacted = _texts(build, "redacted_files")
    notes = [f"{path}: stored without its secrets" for path in redacted]
    hidden = [f"{rule}: hides {count} files of source" for rule, count in _hidden(build)]
    if told and all(each.startswith(_INPUTS) for each in told) and (redacted or hidden):
        # The bundle is the same, although its inputs cannot be: the snapshot lists what it lacks.
        notes += [
            *hidden,
            *(f"{each}, an input changed that the bundle does not show" for each in told),
        ]
        told = []
    elif told and redacted:
        notes.append("the build read the files with their secrets, so it may differ")
    return attrs.evolve(_also(check, told), is_rebuilt=True, notes=tuple(notes))


def _hidden(build: Mapping[str, object]) -> list[tuple[str, int]]:
    """Return the rules that hid files which git does not track, and the numbers of files."""
    values = build.get("hidden")
    return [(each[0], each[1]) for each in values] if isinstance(values, tuple) else []


def _also(check: SnapshotCheck, told: Sequence[str]) -> SnapshotCheck:
    return attrs.evolve(check, differences=(*check.differences, *told))


def _texts(build: Mapping[str, object], name: str) -> list[str]:
    values = build.get(name)
    return [each for each in values if isinstance(each, str)] if isinstance(values, tuple) else []


def _changed_record(build: Mapping[str, object], record: BuildResult) -> list[str]:
    """Return the first place where the snapshot contradicts the record of the build."""
    if record.manifest is None or record.bundle is None:
        return [f"{RECORD}: it has no bundle"]
    fingerprints = record.manifest.fingerprints
    said = {
        "bundle_id": record.bundle.bundle_id,
        "bundle_fingerprint": fingerprints.bundle_fingerprint,
        "project_index_fingerprint": fingerprints.project_index_fingerprint,
        "config_fingerprint": fingerprints.config_fingerprint,
    }
    return [
        f"build.{name}: is not that of the record"
        for name, value in said.items()
        if build.get(name) != value
    ]


def _staged(
    place: Path,
    build: Mapping[str, object],
    files: Sequence[TreeFile],
    excludes: Mapping[str, bytes],
) -> ObjectFault | None:
    """Turn a directory into a repository if the workspace was one."""
    told = build.get("repository")
    told = told if isinstance(told, Mapping) else {}
    if "repository" in build or isinstance(build.get("commit"), str):
        removed = set(_texts(told, "removed"))
        added = [
            TreeFile(each, _REGULAR, _NO_BLOB) for each in _texts(told, "added") if _is_safe(each)
        ]
        fault = GitObjects(place).stage(
            [*(each for each in files if each.path not in removed), *added],
            excludes.get(EXCLUDE_FILE),
            is_linked=told.get("is_linked") is True,
            ignores_case=told.get("ignores_case") is True,
            is_unreadable=told.get("is_unreadable") is True,
        )
        if fault is not None:
            return fault
    place.mkdir(exist_ok=True)
    for path, content in excludes.items():
        directory, found, _ = path.rpartition(f"/{EXCLUDE_FILE}")
        if found and path.endswith(EXCLUDE_FILE) and _is_safe(directory):
            _write_file(place / path, content, executable=False)
    return None


def _not_written(error: OSError) -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "not_writable",
        None,
        f"the files cannot be written to a temporary directory: {error.strerror}",
        "check the disk, or name another directory in TMPDIR",
    )


def _is_safe(path: str) -> bool:
    """True for a path below the root and outside of git's own directory."""
    if check_form(path) is not None:
        return False
    return all(".git" not in form.split("/") for form in normal_forms(path))


def _materialised(
    objects: Objects,
    place: Path,
    files: Sequence[TreeFile],
    overlay: Mapping[str, bytes],
    gone: set[str],
) -> list[str]:
    """Write the files of a commit and those that differ from it. Return what is missing."""
    missing: list[str] = []
    wanted = [each for each in files if each.path not in gone and each.path not in overlay]
    # Links come last, so that no file is written through one.
    regular = [each for each in wanted if each.mode != _LINK]
    for path, content in overlay.items():
        _write_file(place / path, content, executable=False)
    for each, content in _contents(objects, regular, missing):
        _write_file(place / each.path, content, executable=each.mode == _EXECUTABLE)
    links = [each for each in wanted if each.mode == _LINK]
    for each, content in _contents(objects, links, missing):
        _make_link(place / each.path, content)
    return missing


def _contents(
    objects: Objects, files: Sequence[TreeFile], missing: list[str]
) -> Iterator[tuple[TreeFile, bytes]]:
    """Yield files with their contents, a few at a time, and add missing ones to the list."""
    for first in range(0, len(files), _FILES_AT_ONCE):
        some = files[first : first + _FILES_AT_ONCE]
        data = objects.read([each.blob for each in some])
        if isinstance(data, ObjectFault):
            missing.extend(each.path for each in some)
            continue
        for each, content in zip(some, data, strict=True):
            if content is None:
                missing.append(each.path)
            else:
                yield each, content


def _write_file(place: Path, content: bytes, *, executable: bool) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    if executable:
        place.chmod(0o700)


def _make_link(place: Path, target: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    if os.path.realpath(place.parent) == str(place.parent) and not os.path.lexists(place):
        place.symlink_to(os.fsdecode(target))


def _open_documents(build: Mapping[str, object]) -> list[tuple[str, int | None]]:
    """Return the paths that an editor showed, with the version of each text."""
    values = build.get("open_documents")
    pairs_ = values if isinstance(values, tuple) else ()
    return [
        (each[0], each[1])
        for each in pairs_
        if isinstance(each, tuple)
        and len(each) == 2
        and isinstance(each[0], str)
        and isinstance(each[1], int | None)
        and _is_safe(each[0])
    ]


def _show(host: Host, place: Path, documents: Sequence[tuple[str, int | None]]) -> None:
    """Give the host the texts that an editor showed, in the way of an editor."""
    for path, version in documents:
        data = (place / path).read_bytes() if (place / path).is_file() else b""
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            continue
        host.project.show(path, Text(data), version)


def _rebuilt(
    place: Path,
    record: BuildResult,
    rendered: bytes,
    opened: Sequence[tuple[str, int | None]],
    settings: Path,
) -> list[str]:
    """Return how a fresh build, with the recorded settings, differs from the recorded build."""
    request = read_request(record.request)
    if isinstance(request, Refusal):
        return [request.sentence()]
    settings.mkdir()
    environment = {"SIGHTLINE_CONFIG_DIR": str(settings)}
    requested = {**_dotted(record.settings), "index.store": False}
    host = open_host(place, requested, keeps_index=False, environment=environment)
    if isinstance(host, Refusal):
        return [host.sentence()]
    with host:
        refusal = host.open_index(is_agreed=True)
        if refusal is not None:
            return [refusal.sentence()]
        _show(host, place, opened)
        derived = build(host, request, replayed(record.overrides))
    result = compare(record, derived)
    told = [f"{each.where}: {each.detail}" for each in result.differences]
    if result.build_refusal is not None:
        told.append(result.build_refusal.sentence())
    if not told and not _is_rendered(rendered, derived):
        told.append(f"{RENDERED}: is not what a fresh build renders")
    return told


def _is_rendered(sent: bytes, derived: BuildResult) -> bool:
    """True if what was sent equals a fresh build: rendered, or its result as JSON."""
    if sent == (derived.rendered or "").encode("utf-8"):
        return True
    record = read_record(sent)
    if isinstance(record, Refusal) or result_json(record) != sent:
        return False
    return not compare(record, derived).differences


def _dotted(settings: Mapping[str, object]) -> dict[str, object]:
    """Return settings by their dotted keys."""
    return {
        f"{section}.{name}": value
        for section, values in settings.items()
        if isinstance(values, dict)
        for name, value in values.items()
        if value is not None
    }
