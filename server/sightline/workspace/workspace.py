"""A workspace: one root, what may be seen below it, and the one door through which it is read.

Order of the checks, the same for every read: the form of the path, the default rules on the
path as named, the jail, the ignore files, both kinds of rules again on the path that links
lead to, regular file, size, bytes, binary, encoding. The bytes that were checked are the bytes
that are served.

Invariants: no refusal carries contents; no `str` makes any function here raise; nothing is
written, logged or executed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import attrs
import msgspec

from sightline.refusals import Refusal
from sightline.text import Text
from sightline.workspace.backups import SIGNS_OF_BACKUPS
from sightline.workspace.defaults import DefaultRules, default_rules
from sightline.workspace.denials import denial, elsewhere, undecodable
from sightline.workspace.entries import DirectoryEntries, Stamp
from sightline.workspace.exclusions import exclusion_lister
from sightline.workspace.first_look import holds_more_than
from sightline.workspace.hidden_source import HiddenSource
from sightline.workspace.ignoring import IGNORE_FILES, IgnoreRules, speaks_for
from sightline.workspace.jail import Chain, Jail
from sightline.workspace.paths import check_form, refuse
from sightline.workspace.reading import Undecodable, decode, read_bounded, replaced, too_large
from sightline.workspace.roots import holds_repository
from sightline.workspace.survey import Survey
from sightline.workspace.survey_walk import Judge, Judged, take_survey
from sightline.workspace.tracking import GitTracking, HiddenByRule


class RootError(Exception):
    """The root is missing, is no directory or cannot be reached."""


@attrs.frozen
class ReadLimits:
    max_file_bytes: int = 4 * 1024 * 1024


_DEFAULT_LIMITS = ReadLimits()
_MOST_WALKS = 3
_GIT_INDEX = ".git/index"


@attrs.frozen
class DiskDocument:
    """A file as it stood on disk when it was read."""

    path: str
    """As asked for: relative to the root, `/` separated, spelled as on disk."""
    text: Text
    """UTF-8, without byte order mark, line ends untouched."""
    encoding: str
    """`utf-8`, `utf-16le`, `utf-16be`, `ascii` or `windows-1252`."""
    bom: bool
    sha256: str
    """Of the raw bytes on disk, as is the size."""
    byte_size: int


class RawDocument(msgspec.Struct, frozen=True):
    """A file as it stood on disk when it was read, its lines not yet counted."""

    path: str
    """As asked for: relative to the root, `/` separated, spelled as on disk."""
    data: bytes
    """The text in UTF-8, without byte order mark, line ends untouched."""
    encoding: str
    bom: bool
    digest: bytes
    """SHA-256 of the raw bytes on disk."""
    stamp: Stamp
    """Of the very file that was read, from before it was read."""


class Workspace:
    """The visible part of one directory tree.

    Ignore files are read once and kept; call `refresh` when files have changed on disk.
    `lifted` holds the user's own exceptions from the default rules, see `defaults`; `denied` has
    further patterns of what is never shown, each with the place where it stands;
    `source_extensions` are the endings of names that are source, which some rules say nothing of.
    Raises `RootError` if the root is not a directory.
    """

    def __init__(
        self,
        root: Path,
        *,
        limits: ReadLimits = _DEFAULT_LIMITS,
        lifted: tuple[str, ...] = (),
        denied: Mapping[str, str] = MappingProxyType({}),
        source_extensions: frozenset[str] = frozenset(),
    ) -> None:
        try:
            self._named_root = _absolute(root)
            self.root = Path(os.path.realpath(root))
            is_directory = self.root.is_dir()
        except (OSError, ValueError):
            is_directory = False
        if not is_directory:
            raise RootError(f"not a directory: {str(root)!r}")
        self.limits = limits
        self._jail = Jail(self.root)
        self._lifted = lifted
        self._denials = denied
        self._source_extensions = source_extensions
        self._defaults = DefaultRules(lifted, denied, source_extensions)
        self._root_verdict = self._defaults.root_verdict(self.root.as_posix())
        self.ignores = IgnoreRules(self._jail, self._defaults)
        self._tracking = GitTracking(self._jail, self._defaults.sort_tracked)
        self._defaults.tracked = lambda: self._tracking.paths
        self.hidden_by_git: Callable[[], tuple[HiddenByRule, ...]] = lambda: (
            self._tracking.paths.hidden
        )
        """Returns what `hidden` has, of what git tracks alone: no walk is needed."""
        self.exclusions = exclusion_lister(self._jail, self._defaults)
        """Returns an iterator of what a survey left out."""
        self.replaced: frozenset[str] = frozenset()
        """Files whose undecodable bytes are replaced: a person asks for it, in a copy."""
        self._surveyed: Survey | None = None
        """Found visible under the ignore files that are kept, hence cleared with them."""

    def copy(self) -> Workspace:
        """The same workspace with nothing read yet, for another thread."""
        return Workspace(
            self.root,
            limits=self.limits,
            lifted=self._lifted,
            denied=self._denials,
            source_extensions=self._source_extensions,
        )

    @property
    def is_denied(self) -> bool:
        """Whether the root itself is a place of which nothing is shown."""
        return self._root_verdict is not None

    @property
    def surveyed(self) -> Survey | None:
        """The last survey, unless there was a `refresh` since."""
        return self._surveyed

    def refresh(self) -> None:
        """Forget what was read of ignore files, directories and git's index."""
        self._surveyed = None
        self._jail.forget()
        self.ignores.forget()
        self._tracking.look_anew()

    @property
    def hidden(self) -> tuple[HiddenByRule, ...]:
        """How many files of source are hidden by rules that a person may allow."""
        return (self._surveyed or self.survey()).hidden_by_rule

    def read(self, path: str) -> DiskDocument | Refusal:
        """The file at a workspace path, or why it is withheld."""
        raw = self.read_raw(path)
        if isinstance(raw, Refusal):
            return raw
        return DiskDocument(
            path=path,
            text=Text(raw.data),
            encoding=raw.encoding,
            bom=raw.bom,
            sha256=raw.digest.hex(),
            byte_size=raw.stamp.size,
        )

    def read_raw(self, path: str) -> RawDocument | Refusal:
        """As `read`, for whoever has no use for lines."""
        with contextlib.closing(Chain()) as chain:
            return self._read_along(chain, path)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Callable[[str], RawDocument | Refusal]]:
        """`read_raw` for many files in a row, best in the order of `files`.

        The directories that lead to a file stay open until the next one or the end of the block,
        so that a neighbour is reached by looking at them instead of opening them again; no check
        is left out. For one thread; each takes its own.
        """
        with contextlib.closing(Chain()) as chain:
            yield lambda path: self._read_along(chain, path)

    def _read_along(self, chain: Chain, path: str) -> RawDocument | Refusal:
        # What a survey has found visible was judged by the same rules, which are pure.
        is_judged = self._surveyed is not None and path in self._surveyed.rows
        if not is_judged:
            refusal = check_form(path) or self._denied_by_default(path, path)
            if refusal is not None:
                return refusal
        opened = self._jail.open_along(chain, path)
        if isinstance(opened, Refusal):
            return opened
        try:
            if not is_judged or opened.path != path:
                refusal = self._denied(path, opened.path)
                if refusal is not None:
                    return refusal
            raw = read_bounded(path, opened, self.limits.max_file_bytes)
        finally:
            os.close(opened.descriptor)
        if isinstance(raw, Refusal):
            return raw
        decoded = decode(raw)
        if path in self.replaced and isinstance(decoded, Undecodable):
            decoded = replaced(raw, decoded)
        if isinstance(decoded, Undecodable):
            return undecodable(path, decoded)
        return RawDocument(
            path,
            decoded.data,
            decoded.encoding,
            decoded.bom,
            hashlib.sha256(raw).digest(),
            Stamp.of(opened.status),
        )

    def judge(self, path: str) -> Refusal | None:
        """Why a file at this path would be denied; None if policy has nothing against it.

        Nothing is read but ignore files. The file need not exist; links are followed if it does.
        """
        refusal = check_form(path) or self._denied_by_default(path, path)
        if refusal is not None:
            return refusal
        place = self._jail.find(path)
        if isinstance(place, Refusal):
            return self._denied(path, path) if place.reason == "not_found" else place
        return self._denied(path, place.path)

    def judge_text(self, path: str, text: bytes) -> Refusal | None:
        """Why a file at this path would not be read if it held this text."""
        if len(text) > self.limits.max_file_bytes:
            return too_large(path, self.limits.max_file_bytes)
        decoded = decode(text)
        return undecodable(path, decoded) if isinstance(decoded, Undecodable) else None

    def decides(self, path: str) -> bool:
        """Whether a change at this path may change what is visible elsewhere.

        Ignore files do, and where git keeps its own rules; but not in a denied directory. Git's
        index does where a rule is about what it tracks.
        """
        if path == _GIT_INDEX:
            self._tracking.look_anew()
            surveyed = self._surveyed
            return surveyed is None or self._tracking.differs_from(surveyed.tracked)
        directory = speaks_for(path)
        return directory is not None and (not directory or self.enters(directory))

    def enters(self, directory: str) -> bool:
        """Whether policy has nothing against looking into a directory, should there be one."""
        if self._root_verdict is not None or check_form(directory) is not None:
            return False
        denied = self._defaults.verdict(directory + "/")
        if denied is not None and not self._defaults.leads_to_lift(directory):
            return False
        verdict = self.ignores.directory_verdict(directory)
        # A bad ignore file may have been repaired.
        return verdict is None or verdict.malformed

    def relative(self, path: str | Path) -> str | Refusal:
        """The workspace path of a path as a person types it: absolute, or relative to the cwd.

        Where the cwd is outside the workspace, a relative path counts from the root.
        `.` and `..` are resolved lexically. A path is inside if it lies below the root as it
        was named, below the real root, or below a directory that is the root under another name.
        """
        typed = str(path)
        if not typed:
            return check_form(typed) or elsewhere(typed)
        roots = self._named_root, self.root
        try:
            inside = _below_root(*roots, _absolute(typed))
            is_relative = inside is None and not Path(typed).is_absolute()
            if is_relative and _below_root(*roots, Path.cwd()) is None:
                inside = _below_root(*roots, _absolute(self.root / typed))
        except (OSError, ValueError):
            inside = None
        if inside is None:
            return elsewhere(typed)
        if inside == Path():
            return refuse(
                "is_directory", typed, "This is the workspace itself: {path}", "Name a file in it."
            )
        workspace_path = inside.as_posix()
        return check_form(workspace_path) or workspace_path

    def files(self) -> Iterator[str]:
        """Every visible file, in bytewise order of its UTF-8 path.

        Links to directories are not followed; a link to a file is listed if its target is
        visible. Denied directories are not entered. A file listed here can still be refused
        by `read` for its contents.
        """
        if self._root_verdict or self.ignores.directory_verdict("") is not None:
            return
        pending = [""]
        while pending:
            path = pending.pop()
            if path and not path.endswith("/"):
                yield path
                continue
            visible = self._visible_in(path)
            # A directory's key ends in a slash, as every path below it goes on with one.
            visible.sort(key=lambda each: each.encode("utf-8"), reverse=True)
            pending.extend(visible)

    def survey(self, previous: Survey | None = None) -> Survey:
        """Every visible file with its stamp, in one walk: the paths of `files`, after a `refresh`.

        With a `previous` survey of this root, directories that hold the same names under the
        same rules are not judged again. Ignore files are looked at in any case.
        """
        basis = self._basis()
        is_denied = self._root_verdict is not None
        source = HiddenSource(self._jail, self.ignores, self._defaults, self._source_extensions)
        judge = Judge(
            basis,
            is_denied,
            self._judge_entries,
            self._status_behind,
            self._tracking.record,
            source.count,
        )
        for _ in range(_MOST_WALKS):
            self.refresh()
            survey = take_survey(self._jail, self.ignores, judge, previous)
            if not self._tracking.has_read_otherwise(survey.tracked):
                break
            # Another git index was written during the walk.
            previous = None
        self._surveyed = survey
        return survey

    def is_large(self, most: int) -> bool:
        """Return True if the root is no repository and holds more than so many files and folders.

        A bounded look at names: it costs little, however many there are. What default rules deny
        is not looked into.
        """
        if self._root_verdict is not None or holds_repository(self.root):
            return False
        return holds_more_than(self.root, most, self._is_open_by_default)

    def _basis(self) -> tuple[str, ...]:
        rules = [
            (rule.group, rule.pattern, rule.exception, rule.is_soft) for rule in default_rules()
        ]
        root = self._root_verdict and self._root_verdict.rule
        return (
            json.dumps([rules, SIGNS_OF_BACKUPS]),
            json.dumps(sorted(set(self._lifted))),
            json.dumps(sorted(self._denials)),
            json.dumps(sorted(self._source_extensions)),
            json.dumps([self.limits.max_file_bytes, root, IGNORE_FILES]),
        )

    def _visible_in(self, directory: str) -> list[str]:
        """The visible files in a directory, and the directories to enter, ending in `/`."""
        entries = self._jail.entries(directory.removesuffix("/"))
        visible = self._judge_entries(directory, entries).children
        clashing = entries.clashing() if entries.links else frozenset()
        for name in entries.links:
            if name not in clashing and self._status_behind(directory + name):
                visible.append(name)
        return [directory + name for name in visible]

    def _judge_entries(self, directory: str, entries: DirectoryEntries) -> Judged:
        """Links are left out."""
        clashing = entries.clashing()
        names = [
            name
            for name in entries.names
            if name.removesuffix("/") not in clashing
            and check_form((directory + name).removesuffix("/")) is None
            and self._is_open_by_default(directory + name)
        ]
        self.ignores.ask_git_at_once([directory + name for name in names])
        children = []
        barred = []
        for name in names:
            path = directory + name
            if not name.endswith("/"):
                if self.ignores.verdict(path) is None:
                    children.append(name)
                continue
            denied = self.ignores.directory_verdict(path.removesuffix("/"))
            if denied is None:
                children.append(name)
            elif denied.malformed:
                barred.append(name.removesuffix("/"))
        return Judged(children, barred)

    def _is_open_by_default(self, path: str) -> bool:
        """Return True if no default rule denies a file, or all of a directory."""
        if self._defaults.verdict(path) is None:
            return True
        return path.endswith("/") and self._defaults.leads_to_lift(path.removesuffix("/"))

    def _status_behind(self, link: str) -> os.stat_result | None:
        """The status of the visible file that a link leads to."""
        if check_form(link) is not None or self._denied_by_default(link, link) is not None:
            return None
        place = self._jail.find(link)
        if isinstance(place, Refusal) or place.kind != "file":
            return None
        return place.status if self._denied(link, place.path) is None else None

    def _denied(self, path: str, resolved: str) -> Refusal | None:
        """By ignore files as named, and by everything as resolved. Defaults as named come first."""
        verdict = self.ignores.verdict(path)
        if verdict is not None:
            return denial(path, path, verdict)
        if resolved == path:
            return None
        if check_form(resolved) is not None:
            return refuse(
                "invalid_path",
                path,
                "A link leads to a file whose own path cannot be used: {path}",
                "Rename the file that the link leads to.",
            )
        refusal = self._denied_by_default(path, resolved)
        if refusal is not None:
            return refusal
        verdict = self.ignores.verdict(resolved)
        return None if verdict is None else denial(path, resolved, verdict)

    def _denied_by_default(self, path: str, resolved: str) -> Refusal | None:
        verdict = self._root_verdict or self._defaults.verdict(resolved)
        return None if verdict is None else denial(path, resolved, verdict)


def _below_root(named: Path, real: Path, absolute: Path) -> Path | None:
    """Return a path relative to a root, by either of its names or as the same directory."""
    for root in (named, real):
        if absolute.is_relative_to(root):
            return absolute.relative_to(root)
    root_status = real.stat()
    for above in (absolute, *absolute.parents):
        status = _status(above)
        if status is not None and os.path.samestat(status, root_status):
            return absolute.relative_to(above)
    return None


def _absolute(path: str | Path) -> Path:
    """Lexically. The working directory may be gone: what is absolute does not ask for it."""
    return Path(os.path.normpath(path if Path(path).is_absolute() else Path.cwd() / path))


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (OSError, ValueError):
        return None
