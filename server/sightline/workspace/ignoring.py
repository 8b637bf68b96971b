"""Ignore files: how a workspace withholds more of itself.

`.gitignore` (with `.git/info/exclude`, and libgit2's answer on both) and the ignore files of AI
tools, in every directory. Each file is independent: a `!` line only re-includes what the same file
ignores, so adding a file never makes anything visible. Everything below an ignored directory is
ignored. A file that is not understood (not text, too large, not a regular file, a link that leaves
the root, an invalid line) denies its whole directory, because it is not known what it should
withhold.

libgit2 and pathspec differ in rare cases; a path is ignored if either ignores it. libgit2 is asked
only after this module has read the same files through the jail, and only in a process that can be
killed: paths for which there is no answer in time are withheld. `core.excludesfile` of the user or
the machine is not used, because the answer must not depend on the machine. (libgit2 would use it,
and `~/.config/git/ignore`; overriding it with an empty setting disables both.) `core.ignorecase` is
used as the repository sets it.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Sequence

import attrs
import msgspec

from sightline.refusals import Refusal
from sightline.workspace.defaults import DefaultRules, PolicyVerdict
from sightline.workspace.entries import Stamp
from sightline.workspace.git_folder import looks_plain, rules_besides
from sightline.workspace.git_ignores import GitIgnores
from sightline.workspace.ignore_patterns import IgnorePatterns, PatternError, compile_patterns
from sightline.workspace.jail import Chain, Jail
from sightline.workspace.reading import read_bounded

MAX_IGNORE_FILE_BYTES = 1_000_000

IGNORE_FILES = (
    ".gitignore",
    ".sightlineignore",
    ".aiignore",
    ".aiexclude",
    ".cursorignore",
    ".aiderignore",
    ".codeiumignore",
    ".repomixignore",
    ".councilignore",
)
_GIT_EXCLUDE = ".git/info/exclude"
_GIT_PLACES = (".git", ".git/config", ".git/commondir", ".git/info", _GIT_EXCLUDE)
_MISSING = b""
_UNREADABLE = b"?"
_CONSULTED = (*IGNORE_FILES, _GIT_EXCLUDE)


def speaks_for(path: str) -> str | None:
    """Return the directory whose visible contents may change with a file at this path.

    None for a path that is neither an ignore file nor a place where git keeps its own rules.
    """
    directory, _, name = path.rpartition("/")
    if name in IGNORE_FILES:
        return directory
    for place in _GIT_PLACES:
        if path == place or path.endswith("/" + place):
            return path[: -len(place)].removesuffix("/")
    return None


class IgnoreState(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The state of an ignore file when it was read. Its name is one of those known here."""

    number: int
    """The number of its name, so that stored data names no file that may be denied."""
    digest: bytes
    """SHA-256 of its bytes; shorter if they could not be read."""
    stamp: Stamp | None
    """None if the status of the name alone is not enough: for a link, or an unreadable file."""

    @property
    def name(self) -> str:
        return _CONSULTED[self.number]

    @property
    def is_of_git(self) -> bool:
        return self.name == _GIT_EXCLUDE

    @property
    def is_known(self) -> bool:
        return 0 <= self.number < len(_CONSULTED)

    @property
    def is_there(self) -> bool:
        return self.digest != _MISSING


@attrs.frozen
class _IgnoreFile:
    """One ignore file. Its patterns see paths without their first `base` characters."""

    source: str
    base: int
    patterns: IgnorePatterns


@attrs.frozen
class _IgnoreDirectory:
    """The ignore files' verdict on a directory, and those that apply to its contents."""

    verdict: PolicyVerdict | None
    files: tuple[_IgnoreFile, ...]
    consulted: tuple[IgnoreState, ...] = ()
    """The ignore files in the directory itself, up to one that denies it."""


class IgnoreRules:
    """The ignore files of one workspace, read once and kept until `forget`."""

    def __init__(self, jail: Jail, defaults: DefaultRules) -> None:
        self._jail = jail
        self._defaults = defaults
        self._directories: dict[str, _IgnoreDirectory] = {}
        self._git = GitIgnores(jail.root)
        self._has_repository: bool | None = None
        """None until it was checked."""
        self._told_by_git: dict[str, bool] = {}
        """Git's answers for paths that will be judged soon."""
        self._chain: Chain | None = None
        """During a walk: the open directories on the way to the current one."""

    @contextlib.contextmanager
    def along_a_walk(self) -> Iterator[None]:
        """Prepare for requests about one directory after another, from this thread only."""
        with contextlib.closing(Chain()) as self._chain:
            try:
                yield
            finally:
                self._chain = None

    def forget(self) -> None:
        self._directories.clear()
        self._told_by_git = {}
        self._has_repository = None
        self._git.look_anew()

    def verdict(self, path: str) -> PolicyVerdict | None:
        """Return what ignores a file; None if nothing does."""
        parent, _, _ = path.rpartition("/")
        directory = self._directory(parent)
        return directory.verdict or self._ignored(path, directory.files)

    def directory_verdict(self, path: str) -> PolicyVerdict | None:
        """Return what ignores a directory and so everything below it."""
        return self._directory(path).verdict

    def consulted(self, path: str) -> tuple[IgnoreState, ...]:
        """Return the ignore files in a directory, in the state in which they were read."""
        return self._directory(path).consulted

    def consult(self, path: str, number: int) -> IgnoreState:
        """Return an ignore file of a directory in its current state, bypassing the cache."""
        name = _CONSULTED[number]
        return self._load(f"{path}/{name}" if path else name, number)[1]

    def reopen_repository(self) -> str:
        """Look at the repository anew; what libgit2 goes by besides the ignore files below.

        Its exclude file may lie outside the root, as in a linked worktree.
        """
        self._has_repository = looks_plain(self._jail)
        if not self._has_repository:
            return "no repository"
        return rules_besides(self._jail)

    def _directory(self, path: str) -> _IgnoreDirectory:
        known = self._directories.get(path)
        if known is not None:
            return known
        if not path:
            directory = self._enter("", _IgnoreDirectory(None, ()))
        else:
            parent, _, _ = path.rpartition("/")
            above = self._directory(parent)
            verdict = above.verdict or self._ignored(path + "/", above.files)
            directory = _IgnoreDirectory(verdict, ()) if verdict else self._enter(path, above)
        self._directories[path] = directory
        return directory

    def _ignored(self, subject: str, files: tuple[_IgnoreFile, ...]) -> PolicyVerdict | None:
        for file in files:
            pattern = file.patterns.deciding(subject[file.base :])
            if pattern is not None:
                return PolicyVerdict(pattern.written, f"{file.source}:{pattern.line}")
        return self._git_verdict(subject)

    def ask_git_at_once(self, subjects: Sequence[str]) -> None:
        """Ask git about many paths that will be judged soon."""
        self._told_by_git = {}
        if self._is_repository:
            told = self._git.ask(subjects) if subjects else []
            if told is not None:
                self._told_by_git = dict(zip(subjects, told, strict=True))

    def _git_verdict(self, subject: str) -> PolicyVerdict | None:
        if not self._is_repository:
            return None
        is_ignored = self._told_by_git.get(subject)
        if is_ignored is None:
            told = self._git.ask([subject])
            if told is None:
                return PolicyVerdict(None, ".git", malformed=True)
            [is_ignored] = told
        return PolicyVerdict(None, "git") if is_ignored else None

    def _enter(self, path: str, above: _IgnoreDirectory) -> _IgnoreDirectory:
        """Return a directory that is not ignored, with its own ignore files."""
        if self._chain is not None:
            names = self._jail.names_along(self._chain, path)
        else:
            names = self._jail.names(path)
        if isinstance(names, Refusal):
            if names.reason == "not_found":
                return above
            return _IgnoreDirectory(PolicyVerdict(None, path or ".", malformed=True), ())
        files = list(above.files)
        consulted = []
        for number, name in enumerate(_CONSULTED):
            if name.partition("/")[0] not in names:
                continue
            read, state = self._read(f"{path}/{name}" if path else name, path, number)
            consulted.append(state)
            if isinstance(read, PolicyVerdict):
                return _IgnoreDirectory(read, (), tuple(consulted))
            if read is not None:
                files.append(read)
        return _IgnoreDirectory(None, tuple(files), tuple(consulted))

    def _read(
        self, path: str, directory: str, number: int
    ) -> tuple[_IgnoreFile | PolicyVerdict | None, IgnoreState]:
        """Read an ignore file; None if there is none; a verdict on everything if it is invalid."""
        raw, state = self._load(path, number)
        if not isinstance(raw, bytes):
            return raw, state
        malformed = PolicyVerdict(None, path, malformed=True)
        if b"\0" in raw:
            return malformed, state
        try:
            lines = raw.decode("utf-8-sig", "strict").split("\n")
            patterns = compile_patterns(line.removesuffix("\r") for line in lines)
        except UnicodeDecodeError:
            return malformed, state
        except PatternError as error:
            return PolicyVerdict(None, f"{path}:{error.line}", malformed=True), state
        return _IgnoreFile(path, len(directory) + 1 if directory else 0, patterns), state

    def _load(self, path: str, number: int) -> tuple[bytes | PolicyVerdict | None, IgnoreState]:
        malformed = (
            PolicyVerdict(None, path, malformed=True),
            IgnoreState(number, _UNREADABLE, None),
        )
        with self._jail.open(path) as opened:
            if isinstance(opened, Refusal):
                if path.endswith(_GIT_EXCLUDE) and self._leave_to_git(opened):
                    return None, IgnoreState(number, _MISSING, None)
                return malformed
            if opened.path != path and self._defaults.verdict(opened.path):
                # Lines of an ignore file are shown as rules; lines of a denied file must never be.
                return malformed
            raw = read_bounded(path, opened, MAX_IGNORE_FILE_BYTES)
            # Checking the exclude file's name would follow links on the way to it.
            is_told_by_stamp = opened.path == path and not path.endswith(_GIT_EXCLUDE)
            stamp = Stamp.of(opened.status) if is_told_by_stamp else None
        if isinstance(raw, Refusal):
            return malformed
        return raw, IgnoreState(number, hashlib.sha256(raw).digest(), stamp)

    def _leave_to_git(self, refusal: Refusal) -> bool:
        """True if an exclude file that cannot be opened is no reason to deny everything.

        It may be missing. If `.git` is the file of a linked worktree, or `info` a link into a
        shared store, it is outside of the root and libgit2 applies it.
        """
        if refusal.reason == "not_found":
            return True
        return refusal.reason == "outside_sandbox" and self._is_repository

    @property
    def _is_repository(self) -> bool:
        if self._has_repository is None:
            self._has_repository = looks_plain(self._jail)
        return self._has_repository
