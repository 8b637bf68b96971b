"""The classes of project packs under the names that the document gives them.

    from sightline.packs import FullPackBuilder, PackSelector, PackSerializer, SnapshotScanner

    snapshot = SnapshotScanner().scan("path/to/project")
    kind = PackSelector().select(snapshot, {"max_files": 200})
    pack = FullPackBuilder().build(snapshot)
    text = PackSerializer().serialize(pack)

An argument may be a dictionary, a value of `sightline.packs`, or any object with the attributes.
What cannot be done raises `PackError`.
"""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from sightline.engine.host import Host, open_host
from sightline.engine.pack_scanning import PackScope, ScannedProject, scan_project
from sightline.engine.pack_sources import HostPackSource
from sightline.engine.packs import build_pack_of, cleared_fields
from sightline.packs.file_kinds import choose_key_files, kind_of
from sightline.packs.full_pack import PackLimits
from sightline.packs.model import (
    ContextPack,
    DirectoryNode,
    EncodingConfig,
    ExcludedFile,
    ExclusionStats,
    FileMetadata,
    FullPack,
    Importance,
    KeyFileLimits,
    PackConstraints,
    PackType,
    ProjectSnapshot,
    SummaryPack,
    TruncationConfig,
)
from sightline.packs.pack_selection import PackChoice, select_pack
from sightline.packs.path_form import normalize_path
from sightline.packs.serializing import pack_of
from sightline.packs.snapshotting import make_snapshot, metadata_of
from sightline.refusals import Refusal, RefusalKind

_T = TypeVar("_T", bound=msgspec.Struct)
_SCANNED = "scanned"


class PackError(ValueError):
    """Something cannot be packed; `refusal` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.sentence())
        self.refusal = refusal


class SnapshotScanner:
    """Scans a directory for a pack."""

    def __init__(
        self,
        encoding: object = None,
        *,
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        timestamp: str | None = None,
    ) -> None:
        """`timestamp` is the time of the scan in the snapshot; by default the current time."""
        self.encoding = _taken(encoding, EncodingConfig)
        self.scope = PackScope((), tuple(include), tuple(exclude))
        self.timestamp = timestamp

    def scan(self, path: str | os.PathLike[str]) -> ProjectSnapshot:
        """Return the snapshot of a directory. Raises `PackError`."""
        root = Path.cwd() / (os.fspath(path) or "\0")
        with _opened(root) as host:
            found = scan_project(host, self.scope, self.encoding, self._now())
        if isinstance(found, Refusal):
            if found.reason != "nothing_to_pack":
                raise PackError(found)
            found = ScannedProject(make_snapshot((), (), self._now()))
        # The location of a project is not part of a pack: builders find it beside the fields.
        found.snapshot.__dict__[_SCANNED] = (root, found.encoding_issues)
        return found.snapshot

    def _now(self) -> str:
        if self.timestamp is not None:
            return self.timestamp
        return (
            datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        )


class PackSelector:
    """Decides between a full and a summary pack."""

    def select(self, snapshot: object, constraints: object = None) -> PackType:
        return self.explain(snapshot, constraints).type

    def explain(self, snapshot: object, constraints: object = None) -> PackChoice:
        """Return the type and the reason for it."""
        return select_pack(_snapshot(snapshot), _taken(constraints, PackConstraints))


class _Builder:
    """The base of both builders."""

    _form: PackType

    def __init__(self, truncation: object = None, key_files: object = None) -> None:
        self.truncation = _taken(truncation, TruncationConfig)
        self.key_files = _taken(key_files, KeyFileLimits)

    def _built(self, given: object, constraints: object) -> ContextPack:
        snapshot = _snapshot(given)
        root, scanned = _origin(given, snapshot)
        limits = PackLimits(_taken(constraints, PackConstraints), self.truncation, self.key_files)
        with _opened(root, keeps_index=self._form == "summary") as host:
            if self._form == "summary":
                host.open_index(is_agreed=True, counts_terms=False)
            source = HostPackSource(host, scanned)
            pack = build_pack_of(self._form, snapshot, source, limits, host)
            if isinstance(pack, Refusal):
                raise PackError(pack)
            read = pack_of(cleared_fields(host, source, pack))
        assert isinstance(read, FullPack | SummaryPack)
        return read


class FullPackBuilder(_Builder):
    """Builds the pack with every text within the limits."""

    _form: PackType = "full"

    def build(self, snapshot: object, constraints: object = None) -> FullPack:
        """Return the full pack. Raises `PackError`."""
        pack = self._built(snapshot, constraints)
        assert isinstance(pack, FullPack)
        return pack


class SummaryPackBuilder(_Builder):
    """Builds the pack that describes a project."""

    _form: PackType = "summary"

    def build(self, snapshot: object, constraints: object = None) -> SummaryPack:
        """Return the summary pack. Raises `PackError`."""
        pack = self._built(snapshot, constraints)
        assert isinstance(pack, SummaryPack)
        return pack


class KeyFileDetector:
    """Finds the files that are critical for understanding a project."""

    def __init__(self, limits: object = None) -> None:
        self.limits = _taken(limits, KeyFileLimits)

    def is_key_file(self, path: str) -> bool:
        return self.importance(path) is not None

    def importance(self, path: str) -> Importance | None:
        """Return how important a file is by its path; None if it is not a key file."""
        return kind_of(path).importance

    def category(self, path: str) -> str:
        """Return the category of a file by its path."""
        return kind_of(path).category

    def detect(self, files: object) -> list[FileMetadata]:
        """Return the key files of a snapshot, or of a list of files or paths, the most important
        first.

        The limits on their number apply.
        """
        is_snapshot = isinstance(files, Mapping | ProjectSnapshot) or hasattr(files, "files")
        listed = _listed(files, "files") if is_snapshot else files
        given = [_file(each) for each in listed] if isinstance(listed, Iterable) else []
        chosen = {each.path: None for each, _ in choose_key_files(given, self.limits)}
        by_path = {each.path: each for each in given}
        return [by_path[path] for path in chosen]


@contextlib.contextmanager
def _opened(root: Path, *, keeps_index: bool = False) -> Iterator[Host]:
    """Open a workspace and close it again. Raises `PackError`."""
    host = open_host(root, keeps_index=keeps_index)
    if isinstance(host, Refusal):
        raise PackError(host)
    with host:
        yield host


def _origin(given: object, snapshot: ProjectSnapshot) -> tuple[Path, ScannedProject]:
    """Return where the files of a snapshot are, and what a scan found there."""
    kept = getattr(given, "__dict__", {}).get(_SCANNED)
    if kept is not None:
        root, issues = kept
        return root, ScannedProject(snapshot, issues)
    return Path.cwd() / str(_value(given, "root_path") or "."), ScannedProject(snapshot)


def _snapshot(given: object) -> ProjectSnapshot:
    """Return a snapshot of our type: a caller's own object may have fewer fields."""
    if isinstance(given, ProjectSnapshot):
        return given
    files = [_file(each) for each in _listed(given, "files")]
    size = sum(each.size_bytes for each in files)
    stats = _value(given, "exclusion_stats")
    counts = {name: _number(stats, name, 0) for name in ExclusionStats.__struct_fields__}
    try:
        excluded = [
            msgspec.convert(
                {name: _value(each, name) for name in ExcludedFile.__struct_fields__}, ExcludedFile
            )
            for each in _listed(given, "excluded_files")
        ]
    except msgspec.ValidationError as error:
        raise PackError(_wrong(f"this is no snapshot: {error}")) from None
    return ProjectSnapshot(
        root_path=".",
        scan_timestamp=str(_value(given, "scan_timestamp") or ""),
        directory_tree=DirectoryNode(".", "."),
        total_files=_number(given, "total_files", len(files)),
        total_directories=_number(given, "total_directories", 0),
        total_size_bytes=_number(given, "total_size_bytes", size),
        files=files,
        excluded_files=excluded,
        exclusion_stats=ExclusionStats(**counts),
    )


def _file(given: object) -> FileMetadata:
    if isinstance(given, FileMetadata):
        return given
    if isinstance(given, str):
        return metadata_of(normalize_path(given), 1)
    path = _value(given, "relative_path") or _value(given, "path")
    if not isinstance(path, str):
        raise PackError(_wrong("a file of a snapshot has no path"))
    found = metadata_of(normalize_path(path), _number(given, "size_bytes", 0))
    is_extractable = _value(given, "content_extractable")
    if is_extractable is None:
        return found
    return msgspec.structs.replace(found, content_extractable=bool(is_extractable))


def _taken(given: object, kind: type[_T]) -> _T:
    """Return settings by name; a missing value or None becomes the default."""
    if given is None:
        return kind()
    if isinstance(given, kind):
        return given
    fields = {
        name: value for name in kind.__struct_fields__ if (value := _value(given, name)) is not None
    }
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise PackError(_wrong(f"{kind.__name__}: {error}")) from None


def _value(given: object, name: str) -> object:
    """Return a field of a dictionary, or an attribute of any other object; None
    if it has neither.
    """
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)


def _listed(given: object, name: str) -> Iterable[object]:
    value = _value(given, name)
    return value if isinstance(value, Iterable) else ()


def _number(given: object, name: str, default: int) -> int:
    value = _value(given, name)
    return value if isinstance(value, int) else default


def _wrong(problem: str) -> Refusal:
    return Refusal(RefusalKind.INVALID_REQUEST, "usage", None, problem, "see docs/packs.md")
