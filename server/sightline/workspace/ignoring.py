"""Ignore files: how a workspace withholds more of itself.

`.gitignore` (with `.git/info/exclude`, and libgit2's opinion on both) and the ignore files of
AI tools, in every directory. Each file stands on its own: a `!` line takes back only what the
same file ignores, so adding a file can never make anything visible. What is below an ignored
directory is ignored. A file that cannot be understood (not text, too large, not a regular
file, a link that leaves the root, a line that is no pattern) denies its whole directory, since
what it meant to withhold is unknown.

libgit2 and pathspec differ in corners; ignored is what either ignores. libgit2 is asked only
after this module has read the same files through the jail, so it is never handed a pipe.
Neither the user's nor the machine's `core.excludesfile` counts: the answer must not depend on
whose machine it is. (libgit2 would honour it, and `~/.config/git/ignore`; an empty setting laid
over the configuration turns both off.) `core.ignorecase` is left as the repository has it.
"""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

import attrs
import pygit2
from pygit2.enums import ConfigLevel, RepositoryOpenFlag

from sightline.refusals import Refusal
from sightline.workspace.defaults import DefaultRules, Verdict
from sightline.workspace.jail import Jail
from sightline.workspace.patterns import PatternError, PatternList, compile_patterns
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
)
_GIT_EXCLUDE = ".git/info/exclude"


@attrs.frozen
class _IgnoreFile:
    """One ignore file. Its patterns see paths from which `base` characters are cut off."""

    source: str
    base: int
    patterns: PatternList


@attrs.frozen
class _Directory:
    """What ignore files say about a directory, and those that speak about what is in it."""

    verdict: Verdict | None
    files: tuple[_IgnoreFile, ...]


class IgnoreRules:
    """The ignore files of one workspace, read once and kept until `forget`."""

    def __init__(self, jail: Jail, defaults: DefaultRules) -> None:
        self._jail = jail
        self._defaults = defaults
        self._directories: dict[str, _Directory] = {}
        self._repository: pygit2.Repository | None = None
        self._repository_is_open = False

    def forget(self) -> None:
        self._directories.clear()
        self._repository = None
        self._repository_is_open = False

    def verdict(self, path: str) -> Verdict | None:
        """What ignores a file; None if nothing does."""
        parent, _, _ = path.rpartition("/")
        directory = self._directory(parent)
        return directory.verdict or self._ignored(path, directory.files)

    def directory_verdict(self, path: str) -> Verdict | None:
        """What ignores a directory and so everything below it."""
        return self._directory(path).verdict

    def _directory(self, path: str) -> _Directory:
        known = self._directories.get(path)
        if known is not None:
            return known
        if not path:
            directory = self._enter("", _Directory(None, ()))
        else:
            parent, _, _ = path.rpartition("/")
            above = self._directory(parent)
            verdict = above.verdict or self._ignored(path + "/", above.files)
            directory = _Directory(verdict, ()) if verdict else self._enter(path, above)
        self._directories[path] = directory
        return directory

    def _ignored(self, subject: str, files: tuple[_IgnoreFile, ...]) -> Verdict | None:
        for file in files:
            pattern = file.patterns.deciding(subject[file.base :])
            if pattern is not None:
                return Verdict(pattern.written, f"{file.source}:{pattern.line}")
        return Verdict(None, "git") if self._ignored_by_git(subject) else None

    def _ignored_by_git(self, subject: str) -> bool:
        repository = self._open_repository()
        try:
            return repository is not None and repository.path_is_ignored(subject)
        except (pygit2.GitError, OSError, ValueError, KeyError):
            return True

    def _enter(self, path: str, above: _Directory) -> _Directory:
        """A directory that is not ignored, with the ignore files that it holds itself."""
        names = self._jail.names(path)
        if isinstance(names, Refusal):
            if names.reason == "not_found":
                return above
            return _Directory(Verdict(None, path or ".", malformed=True), ())
        files = list(above.files)
        for name in (*IGNORE_FILES, _GIT_EXCLUDE):
            if name.partition("/")[0] not in names:
                continue
            read = self._read(f"{path}/{name}" if path else name, len(path) + 1 if path else 0)
            if isinstance(read, Verdict):
                return _Directory(read, ())
            if read is not None:
                files.append(read)
        return _Directory(None, tuple(files))

    def _read(self, path: str, base: int) -> _IgnoreFile | Verdict | None:
        """An ignore file; None where there is none; a verdict on everything where it is bad."""
        malformed = Verdict(None, path, malformed=True)
        with self._jail.open(path) as opened:
            if isinstance(opened, Refusal):
                if path.endswith(_GIT_EXCLUDE) and self._leave_to_git(opened):
                    return None
                return malformed
            if opened.path != path and self._defaults.verdict(opened.path):
                # Lines of an ignore file are shown as rules; lines of a denied file never are.
                return malformed
            raw = read_bounded(path, opened.descriptor, MAX_IGNORE_FILE_BYTES)
        if isinstance(raw, Refusal) or b"\0" in raw:
            return malformed
        try:
            lines = raw.decode("utf-8-sig", "strict").split("\n")
            patterns = compile_patterns(line.removesuffix("\r") for line in lines)
        except UnicodeDecodeError:
            return malformed
        except PatternError as error:
            return Verdict(None, f"{path}:{error.line}", malformed=True)
        return _IgnoreFile(path, base, patterns)

    def _leave_to_git(self, refusal: Refusal) -> bool:
        """Whether an exclude file that cannot be opened is no reason to deny everything.

        It may be missing. Where `.git` is the file of a linked worktree, or `info` a link into
        a shared store, it lies outside the root and libgit2 speaks for it.
        """
        if refusal.reason == "not_found":
            return True
        return refusal.reason == "outside_sandbox" and self._open_repository() is not None

    def _open_repository(self) -> pygit2.Repository | None:
        if not self._repository_is_open:
            self._repository = _repository_at(self._jail)
            self._repository_is_open = True
        return self._repository


def _repository_at(jail: Jail) -> pygit2.Repository | None:
    """The repository whose work tree is exactly the root; None where there is doubt.

    Without it `.gitignore` files are still read by pathspec; only libgit2's opinion is lost.
    Owner validation stays on, no directory above the root is searched, and no setting or
    variable of the environment is used.
    """
    if not _looks_plain(jail):
        return None
    try:
        repository = pygit2.Repository(str(jail.root), RepositoryOpenFlag.NO_SEARCH)
        workdir = repository.workdir
        if workdir is None or Path(os.path.realpath(workdir)) != jail.root:
            return None
        overlay = resources.files(__package__).joinpath("isolated.gitconfig")
        with resources.as_file(overlay) as file:
            repository.config.add_file(str(file), ConfigLevel.APP)
            # The setting is read once, at the first question; ask while the file is there.
            repository.path_is_ignored("a")
    except (pygit2.GitError, OSError, ValueError, KeyError):
        return None
    return repository


def _looks_plain(jail: Jail) -> bool:
    """Whether libgit2 can open `.git` without being led about by the workspace's own bytes.

    A `.git` directory must not redirect (`commondir`) or include other configuration, which may
    be a pipe. A `.git` file, as of a linked worktree or a submodule, must lead out of the root.
    """
    names = jail.names("")
    if isinstance(names, Refusal) or ".git" not in names:
        return False
    inside = jail.names(".git")
    if not isinstance(inside, Refusal):
        config = _small_file(jail, ".git/config")
        return (
            "commondir" not in inside and config is not None and b"[include" not in config.lower()
        )
    link = _small_file(jail, ".git")
    if link is None or not link.startswith(b"gitdir:"):
        return False
    target = os.path.realpath(jail.root / os.fsdecode(link[len(b"gitdir:") :].strip()))
    return Path(target) != jail.root and jail.root not in Path(target).parents


def _small_file(jail: Jail, path: str) -> bytes | None:
    with jail.open(path) as opened:
        if isinstance(opened, Refusal):
            return None
        raw = read_bounded(path, opened.descriptor, MAX_IGNORE_FILE_BYTES)
    return None if isinstance(raw, Refusal) or b"\0" in raw else raw
