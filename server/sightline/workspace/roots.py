"""Choose the root of the workspace for a path that a person names.

Invariants:

* A root that nobody named is a repository, the current directory or the running Python's standard
  library: never a file system's root and never the home directory.
* A path outside the project is refused, unless it stands in a repository of its own.
* Nothing is read but the first bytes of a `.git` file.
"""

from __future__ import annotations

import os
import stat
import sysconfig
from pathlib import Path

import attrs

from sightline.refusals import Refusal, RefusalKind


@attrs.frozen
class Root:
    directory: Path
    is_elsewhere: bool = False
    """True if the path leads into another repository than that of the current directory."""


def find_root(path: Path, cwd: Path) -> Root | Refusal:
    """Return the root of the workspace around a path, or why no root can be chosen.

    It is the nearest directory at or above the path that holds a repository; else the current
    directory, if the path is inside it. The running Python's standard library is a root of its own
    if it is the inner one: a checkout that holds a Python may git-ignore it.
    """
    absolute = Path(os.path.normpath(cwd / path))
    here = Path(os.path.normpath(cwd))
    project = repository_around(here)
    repository = repository_around(absolute)
    if repository is not None:
        is_elsewhere = project is not None and not _is_same(project, repository)
        return _unless_too_wide(repository, is_elsewhere)
    if project is not None or not absolute.is_relative_to(here):
        return _outside(path, project or here)
    return _unless_too_wide(here, is_elsewhere=False)


def find_named_root(folder: Path, cwd: Path) -> Root | Refusal:
    """Return the root of the workspace for a folder that a person names to have all of it.

    As `find_root`, but a folder outside of every repository is a root of its own unless the
    current directory is inside a project.
    """
    root = find_root(folder, cwd)
    here = Path(os.path.normpath(cwd / folder))
    if not isinstance(root, Refusal) or not _is_directory(here) or repository_around(cwd):
        return root
    return _unless_too_wide(here, is_elsewhere=False)


def holds_repository(directory: Path) -> bool:
    """Return True if `.git` is more than a name.

    An empty one must not cut a folder off from its rules.
    """
    git = directory / ".git"
    try:
        if git.is_dir():
            return (git / "HEAD").is_file() and (git / "objects").is_dir()
        # A pipe in place of the file would block whoever opens it; a link leads anywhere.
        if git.is_symlink() or not git.is_file():
            return False
        with git.open("rb") as file:
            return file.read(8) == b"gitdir: "
    except (OSError, ValueError):
        return False


def repository_around(path: Path) -> Path | None:
    """Return the nearest directory at or above a path that is a repository.

    The running Python's standard library counts as one.
    """
    library = os.path.realpath(sysconfig.get_path("stdlib"))
    directories = [path, *path.parents] if _is_directory(path) else path.parents
    for directory in directories:
        if holds_repository(directory) or os.path.realpath(directory) == library:
            return directory
    return None


def _unless_too_wide(directory: Path, is_elsewhere: bool) -> Root | Refusal:
    if directory == Path(directory.anchor):
        return _too_wide("the root of the file system")
    home = _home()
    if home is not None and _is_same(directory, home):
        return _too_wide("your home directory")
    return Root(directory, is_elsewhere)


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:
        return None


def _is_directory(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _is_same(one: Path, other: Path) -> bool:
    return one == other or os.path.realpath(one) == os.path.realpath(other)


def _outside(path: Path, project: Path) -> Refusal:
    return Refusal(
        RefusalKind.UNSUPPORTED_TARGET,
        "outside_sandbox",
        str(path),
        f"the path is outside the project {project}",
        "name the workspace that it belongs to with --root",
        rule="only files of the project are read",
    )


def _too_wide(what: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "root_too_wide",
        None,
        f"the workspace would be {what}",
        "go to the project's directory, or name a directory with --root",
        rule="a root that nobody named is a project",
    )
