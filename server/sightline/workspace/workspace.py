"""A workspace: one root, what may be seen below it, and the one door through which it is read.

Order of the checks, the same for every read: the form of the path, the default rules on the
path as named, the jail, the ignore files, both kinds of rules again on the path that links
lead to, regular file, size, bytes, binary, encoding. The bytes that were checked are the bytes
that are served.

Invariants: no refusal carries contents; no `str` makes any function here raise; nothing is
written, logged or executed.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import attrs

from sightline.refusals import Refusal
from sightline.text import Text
from sightline.workspace.defaults import DefaultRules, Verdict
from sightline.workspace.ignoring import IgnoreRules
from sightline.workspace.jail import Jail
from sightline.workspace.paths import check_form, refuse
from sightline.workspace.reading import Undecodable, decode, read_bounded


class RootError(Exception):
    """The root is missing, is no directory or cannot be reached."""


@attrs.frozen
class Limits:
    max_file_bytes: int = 4 * 1024 * 1024


_DEFAULT_LIMITS = Limits()


@attrs.frozen
class Document:
    """A file as it stood on disk when it was read."""

    path: str
    """As asked for: relative to the root, `/` separated, spelled as on disk."""
    text: Text
    """UTF-8, without byte order mark, line ends untouched."""
    encoding: str
    """`utf-8`, `utf-16le`, `utf-16be`, `ascii` or `windows-1252`."""
    bom: bool
    sha256: str
    """Of the raw bytes on disk."""
    byte_size: int
    """Of the raw bytes on disk."""


class Workspace:
    """The visible part of one directory tree.

    Ignore files are read once and kept; call `refresh` when files have changed on disk.
    `lifted` holds the user's own exceptions from the default rules, see `defaults`.
    Raises `RootError` if the root is not a directory.
    """

    def __init__(
        self, root: Path, *, limits: Limits = _DEFAULT_LIMITS, lifted: tuple[str, ...] = ()
    ) -> None:
        try:
            self._named_root = Path(os.path.normpath(Path.cwd() / root))
            self.root = Path(os.path.realpath(root))
            is_directory = self.root.is_dir()
        except (OSError, ValueError):
            is_directory = False
        if not is_directory:
            raise RootError(f"not a directory: {str(root)!r}")
        self._limits = limits
        self._jail = Jail(self.root)
        self._defaults = DefaultRules(lifted)
        self._root_verdict = self._defaults.root_verdict(self.root.as_posix())
        self._ignores = IgnoreRules(self._jail, self._defaults)

    def refresh(self) -> None:
        """Forget what was read of ignore files and directories."""
        self._jail.forget()
        self._ignores.forget()

    def read(self, path: str) -> Document | Refusal:
        """The file at a workspace path, or why it is withheld."""
        refusal = check_form(path) or self._denied_by_default(path, path)
        if refusal is not None:
            return refusal
        with self._jail.open(path) as opened:
            if isinstance(opened, Refusal):
                return opened
            refusal = self._denied(path, opened.path)
            if refusal is not None:
                return refusal
            raw = read_bounded(path, opened.descriptor, self._limits.max_file_bytes)
        if isinstance(raw, Refusal):
            return raw
        decoded = decode(raw)
        if isinstance(decoded, Undecodable):
            return _undecodable(path, decoded)
        return Document(
            path=path,
            text=decoded.text,
            encoding=decoded.encoding,
            bom=decoded.bom,
            sha256=hashlib.sha256(raw).hexdigest(),
            byte_size=len(raw),
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

    def relative(self, path: str | Path) -> str | Refusal:
        """The workspace path of a path as a person types it: absolute, or relative to the cwd.

        `.` and `..` are resolved lexically. A path is inside if it lies below the root as it
        was named, below the real root, or below a directory that is the root under another name.
        """
        typed = str(path)
        if not typed:
            return check_form(typed) or _elsewhere(typed)
        try:
            inside = self._below_root(Path(os.path.normpath(Path.cwd() / typed)))
        except (OSError, ValueError):
            inside = None
        if inside is None:
            return _elsewhere(typed)
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
        if self._root_verdict or self._ignores.directory_verdict("") is not None:
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

    def _visible_in(self, directory: str) -> list[str]:
        """The visible files in a directory, and the directories to enter, ending in `/`."""
        visible = []
        for entry in self._jail.entries(directory.removesuffix("/")):
            path = directory + entry.name
            if check_form(path) is not None:
                continue
            if entry.kind == "directory":
                if self._is_entered(path):
                    visible.append(path + "/")
            elif entry.kind == "file":
                denied = self._defaults.verdict(path) or self._ignores.verdict(path)
                if denied is None:
                    visible.append(path)
            elif entry.kind == "link" and self._leads_to_visible_file(path):
                visible.append(path)
        return visible

    def _is_entered(self, directory: str) -> bool:
        denied = self._defaults.verdict(directory + "/")
        if denied is not None and not self._defaults.leads_to_lift(directory):
            return False
        return self._ignores.directory_verdict(directory) is None

    def _leads_to_visible_file(self, link: str) -> bool:
        place = self._jail.find(link)
        return not isinstance(place, Refusal) and place.kind == "file" and self.judge(link) is None

    def _denied(self, path: str, resolved: str) -> Refusal | None:
        """By ignore files as named, and by everything as resolved. Defaults as named come first."""
        verdict = self._ignores.verdict(path)
        if verdict is not None:
            return _denial(path, path, verdict)
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
        verdict = self._ignores.verdict(resolved)
        return None if verdict is None else _denial(path, resolved, verdict)

    def _denied_by_default(self, path: str, resolved: str) -> Refusal | None:
        verdict = self._root_verdict or self._defaults.verdict(resolved)
        return None if verdict is None else _denial(path, resolved, verdict)

    def _below_root(self, absolute: Path) -> Path | None:
        for root in (self._named_root, self.root):
            if absolute.is_relative_to(root):
                return absolute.relative_to(root)
        root_status = self.root.stat()
        for above in absolute.parents:
            status = _status(above)
            if status is not None and os.path.samestat(status, root_status):
                return absolute.relative_to(above)
        return None


def find_root(path: Path, cwd: Path) -> Path:
    """The root for a path named on the command line.

    The nearest directory at or above it that holds a repository; else `cwd` if the path is inside;
    else the path's own directory. The running Python's standard library is a root of its own
    if it is the inner one: a checkout that holds a Python may git-ignore it.
    """
    absolute = Path(os.path.normpath(cwd / path))
    status = _status(absolute)
    directories = [absolute] if status is not None and stat.S_ISDIR(status.st_mode) else []
    directories.extend(absolute.parents)
    library = os.path.realpath(sysconfig.get_path("stdlib"))
    for directory in directories:
        if _holds_repository(directory) or os.path.realpath(directory) == library:
            return directory
    if absolute.is_relative_to(os.path.normpath(cwd)):
        return cwd
    return directories[0]


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (OSError, ValueError):
        return None


def _holds_repository(directory: Path) -> bool:
    """Whether `.git` is more than a name: an empty one must not cut a folder off from its rules."""
    git = directory / ".git"
    try:
        if git.is_dir():
            return (git / "HEAD").is_file() and (git / "objects").is_dir()
        with git.open("rb") as file:
            return file.read(8) == b"gitdir: "
    except (OSError, ValueError):
        return False


def _denial(path: str, resolved: str, verdict: Verdict) -> Refusal:
    if verdict.malformed:
        message = "An ignore file cannot be understood, so all it may cover is withheld: {path}"
        advice = f"Repair {verdict.source}: a small UTF-8 file with one pattern per line."
    elif verdict.source.startswith("default:"):
        message = "A default rule withholds this file: {path}"
        advice = _lift_advice(verdict.source.removeprefix("default:"))
    else:
        message = "The workspace's own ignore rules withhold this file: {path}"
        advice = f"Change the rule in {verdict.source} if the file may be seen."
    if resolved != path:
        message += " (by where its link leads)"
    return refuse("deny_rule", path, message, advice, rule=verdict.rule, source=verdict.source)


def _lift_advice(group: str) -> str:
    if group == "version_control":
        return "Name another file: this rule has no exceptions."
    if group == "credentials":
        return "If the file holds no secret, allow it by its full path (--allow PATH)."
    return "If the file may be seen, allow the rule or the file's full path (--allow RULE)."


def _undecodable(path: str, problem: Undecodable) -> Refusal:
    if problem.reason == "binary":
        message = "This is not a text file, or not certainly one: {path}"
        advice = "Name a text file."
    else:
        message = "The file's encoding is not supported, or not certain: {path}"
        advice = "Save it as UTF-8."
    return refuse(problem.reason, path, message, advice, rule=problem.check)


def _elsewhere(path: str) -> Refusal:
    return refuse(
        "outside_sandbox",
        path,
        "The file is outside the workspace: {path}",
        "Name a file inside the workspace, or open the workspace that holds it.",
    )
