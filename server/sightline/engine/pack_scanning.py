"""Scan a workspace for a pack: what there is, what may be shown, and why the rest may not.

Invariants:

* Files that may contain credentials are counted; their names are not passed on.
* A file is read to decide whether it is text, unless the index knows that already.
* Only a limited number of files is listed and read; all others are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Literal

import attrs

from sightline.engine.globs import compiled_globs, is_matched
from sightline.engine.host import Host
from sightline.engine.taking_turns import now_and_then
from sightline.packs.file_kinds import type_of
from sightline.packs.model import EncodingConfig, EncodingIssue, ExclusionReason, ProjectSnapshot
from sightline.packs.snapshotting import MOST_FILES, LeftOut, ListedFile, make_snapshot, reason_of
from sightline.refusals import Refusal, RefusalKind
from sightline.workspace import RawDocument
from sightline.workspace.denials import denied_folder
from sightline.workspace.ignore_patterns import IgnorePatterns, PatternError

Progress = Callable[[int, int], None]
"""Called with the number of files that are done and the total."""

_REASONS: dict[str, ExclusionReason] = {
    "binary": "binary",
    "encoding": "binary",
    "too_large": "size_limit",
}

_FALLBACKS: dict[str, set[str]] = {
    "utf-16": {"utf-16le", "utf-16be"},
    "utf-16le": {"utf-16le"},
    "utf-16be": {"utf-16be"},
    "latin-1": {"windows-1252"},
    "iso-8859-1": {"windows-1252"},
    "windows-1252": {"windows-1252"},
    "cp1252": {"windows-1252"},
}


@attrs.frozen
class PackScope:
    """The part of a workspace that is packed."""

    paths: tuple[str, ...] = ()
    """Folders and files, as a person writes them; empty for the whole workspace."""
    include: tuple[str, ...] = ()
    """Patterns in gitignore syntax: only files that match one."""
    exclude: tuple[str, ...] = ()
    """Patterns in gitignore syntax: files to leave out."""


@attrs.frozen
class ScannedProject:
    snapshot: ProjectSnapshot
    encoding_issues: tuple[EncodingIssue, ...] = ()
    """For files that were left out, or whose characters were replaced."""


def scan_project(
    host: Host,
    scope: PackScope,
    encoding: EncodingConfig,
    timestamp: str = "",
    progress: Progress | None = None,
) -> ScannedProject | Refusal:
    """Return the material for a pack, or why there is nothing to pack."""
    chosen = _chosen(host, scope)
    if isinstance(chosen, Refusal):
        return chosen
    scan = _Scan(host, chosen, encoding, progress)
    files = list(scan.files())
    left_out = chain(scan.left_out, scan.exclusions())
    snapshot = make_snapshot(now_and_then(files), left_out, timestamp)
    if not files:
        return _nothing(scope, snapshot)
    return ScannedProject(snapshot, tuple(scan.issues))


@attrs.frozen
class _Chosen:
    """A scope whose folders and patterns were checked."""

    folders: tuple[str, ...]
    """Each ends with `/`; the root is empty."""
    files: frozenset[str]
    include: IgnorePatterns | None
    exclude: IgnorePatterns | None

    def holds(self, path: str) -> bool:
        """True if a path is in the packed part, excluded or not."""
        return path in self.files or any(path.startswith(folder) for folder in self.folders)

    def includes(self, path: str) -> bool:
        return self.include is None or is_matched(self.include, path)

    def excludes(self, path: str) -> bool:
        return self.exclude is not None and is_matched(self.exclude, path)


class _Scan:
    """One scan of everything that is packed."""

    def __init__(
        self, host: Host, chosen: _Chosen, encoding: EncodingConfig, progress: Progress | None
    ) -> None:
        self._host = host
        self._chosen = chosen
        self._replaces = encoding.on_decode_error == "replace"
        self._encodings = _allowed(encoding)
        self._progress = progress
        self._survey = host.workspace.surveyed or host.workspace.survey()
        self.left_out: list[LeftOut] = []
        self.issues: list[EncodingIssue] = []

    def files(self) -> Iterator[ListedFile]:
        """Yield the files that may be shown, in bytewise order; record those that may not."""
        survey, indexed = self._survey, self._host.snapshot.files
        paths = [
            (path, row)
            for row, path in enumerate(survey.paths)
            if self._chosen.holds(path) and self._chosen.includes(path)
        ]
        paths.sort(key=lambda each: each[0].encode("utf-8", "replace"))
        looked = 0
        with self._host.workspace.reading() as read:
            for number, (path, row) in enumerate(now_and_then(paths)):
                if self._progress is not None and number % 100 == 0:
                    self._progress(number, len(paths))
                size = survey.stamps[row * 4]
                if not is_utf8(path):
                    self.left_out.append(LeftOut(as_utf8(path), "pattern_match"))
                elif self._chosen.excludes(path):
                    self.left_out.append(LeftOut(path, "pattern_match"))
                elif path in indexed or looked >= MOST_FILES:
                    yield ListedFile(path, size)
                elif type_of(path) in ("binary", "image"):
                    self.left_out.append(LeftOut(path, "binary"))
                else:
                    looked += 1
                    if self._is_text(path, read(path)):
                        yield ListedFile(path, size)
        if self._progress is not None:
            self._progress(len(paths), len(paths))

    def _is_text(self, path: str, found: RawDocument | Refusal) -> bool:
        if not isinstance(found, Refusal) and found.encoding in self._encodings:
            return True
        if not isinstance(found, Refusal):
            self.issues.append(EncodingIssue(path, found.encoding, "skipped"))
            self.left_out.append(LeftOut(path, "binary"))
            return False
        if found.reason == "encoding":
            action: Literal["replaced", "skipped"] = "replaced" if self._replaces else "skipped"
            self.issues.append(EncodingIssue(path, "unknown", action))
            if self._replaces:
                return True
        if self._host.project.text_of(path) is not None:
            return True
        if found.reason in ("not_found", "is_directory"):
            # It was removed meanwhile.
            return False
        self.left_out.append(LeftOut(path, _REASONS.get(found.reason, "pattern_match")))
        return False

    def exclusions(self) -> Iterator[LeftOut]:
        """Yield what rules hide in the packed part."""
        for each in self._host.workspace.exclusions(self._survey):
            if each.path is None:
                # A withheld name is counted wherever it is in the packed part.
                if any(each.folder.startswith(folder) for folder in self._chosen.folders):
                    yield LeftOut(None, "credentials")
            elif self._chosen.holds(each.path) and self._chosen.includes(each.path):
                yield LeftOut(as_utf8(each.path), reason_of(each.group))


def is_utf8(name: str) -> bool:
    """True if a pack can contain the name: names on the disk may be any bytes."""
    return as_utf8(name) == name


def as_utf8(name: str) -> str:
    """Return a name with a mark in place of each byte that is not UTF-8."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _chosen(host: Host, scope: PackScope) -> _Chosen | Refusal:
    folders: list[str] = []
    files: list[str] = []
    survey = host.workspace.surveyed or host.workspace.survey()
    for written in scope.paths or (".",):
        path = host.path_of(written)
        if isinstance(path, Refusal):
            if path.reason != "is_directory":
                return path
            folders.append("")
        elif f"{path}/" in survey.tree.directories:
            folders.append(f"{path}/")
        elif path in survey.rows:
            files.append(path)
        else:
            return host.judge(path) or _denied_folder(host, path) or _missing(path)
    try:
        root = str(host.root)
        include = compiled_globs(scope.include, root) if scope.include else None
        exclude = compiled_globs(scope.exclude, root) if scope.exclude else None
    except PatternError:
        return _wrong("a pattern of --include or --exclude cannot be used")
    return _Chosen(tuple(folders), frozenset(files), include, exclude)


def _denied_folder(host: Host, path: str) -> Refusal | None:
    """Return why nothing in a folder is packed, if a rule denies everything in it."""
    refusal = host.judge(f"{path}/any")
    if refusal is None or refusal.reason != "deny_rule":
        return None
    return denied_folder(path, refusal)


def _allowed(config: EncodingConfig) -> frozenset[str]:
    """Return the encodings that a configuration accepts as text, under the workspace's names."""
    allowed = {"utf-8", "ascii"}
    for name in config.fallback_encodings:
        allowed |= _FALLBACKS.get(name.lower().replace("_", "-"), set())
    return frozenset(allowed)


def _missing(path: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "not_found",
        path,
        "there is no such file or folder",
        "name a file or a folder of the workspace",
    )


def _nothing(scope: PackScope, snapshot: ProjectSnapshot) -> Refusal:
    stats = snapshot.exclusion_stats
    if scope.include or scope.exclude:
        return _wrong("no file is left by --include and --exclude", "no_match")
    if stats.total:
        problem = f"every one of {stats.total} files is withheld or no text"
        return Refusal(
            RefusalKind.UNSUPPORTED_TARGET,
            "nothing_to_pack",
            None,
            problem,
            "'sightline explain PATH' says which rule withholds a file",
        )
    return _wrong("the folder holds no file", "nothing_to_pack")


def _wrong(problem: str, reason: str = "usage") -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST, reason, None, problem, "see 'sightline pack --help'"
    )
