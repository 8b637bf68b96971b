"""Watching: report which files of a workspace change, when they change.

Only the visible directories are watched, one by one if the system watches directories (Linux). So
dependencies and build outputs cost nothing and no link is followed. If the system watches whole
trees, denied paths are dropped by the default rules before anything is read.

Batches name visible paths, or ask for a rescan if names are not enough: when watching begins, when
a directory or a rule about visibility is added, removed or changed, when there are too many changes
to name, when the system may have lost some. A rescan is requested after the new directories are
watched, so a survey taken then misses nothing.

Invariants: the rules that judge paths here are this module's own copy, so a watch may run in a
thread of its own. No denied path is named. If the system cannot watch, or not so many directories,
surveys are compared with each other.
"""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from collections.abc import Generator, Iterator

import attrs
from watchfiles import Change
from watchfiles._rust_notify import RustNotify

from sightline.workspace.survey import Survey, SurveyDifference
from sightline.workspace.workspace import RootError, Workspace

STORM = 2_000
"""More changes than this are not named."""

_LOSSES = 4_000
"""After this many changes at once, visible or not, the system's queue may have overflowed."""
_LINKS = 64
_ATTEMPTS = 20
_LOOK_AFTER = 1_000
"""Milliseconds between checks whether the root still exists."""
_IDLE_SHARE = 20
"""The pause after a survey is at least so many times as long as the survey."""
_WATCHES_DIRECTORIES = sys.platform.startswith("linux")


@attrs.frozen
class Changes:
    """What has changed since the last batch."""

    paths: tuple[str, ...]
    """Visible files that are new, changed or removed, in bytewise order; empty for a rescan.

    A removed path may have been a directory, and stands for everything below it.
    """
    rescan: bool
    """True if anything may have changed, rules included: time for a survey."""
    polling: bool
    """True if the system cannot watch, so that surveys are compared instead."""


@attrs.frozen
class Pace:
    """When a batch is complete, in milliseconds."""

    quiet: int = 50
    """After this time without another change."""
    longest: int = 400
    """After this time in any case."""
    polling: int = 2_000
    """Between two surveys if the system cannot watch; longer if a survey takes long."""


_DEFAULT_PACE = Pace()


def watch(
    workspace: Workspace, stop: threading.Event, pace: Pace = _DEFAULT_PACE
) -> Iterator[Changes]:
    """Yield batches of changes until `stop` is set or the root is gone.

    The first one comes when watching has begun, and asks for a rescan.
    """
    try:
        copy = workspace.copy()
    except RootError:
        return
    survey = yield from _listen(copy, copy.survey(workspace.surveyed), stop, pace)
    if survey is not None:
        yield from _poll(copy, survey, stop, pace)


def _listen(
    copy: Workspace, survey: Survey, stop: threading.Event, pace: Pace
) -> Generator[Changes, None, Survey | None]:
    """Yield batches from the system; return the last survey if the system stops reporting."""
    root = _identity(copy)
    while not stop.is_set():
        begun = _begin(copy, survey)
        if begun is None:
            return survey
        watcher, watched, survey = begun
        with watcher:
            yield Changes((), rescan=True, polling=False)
            while True:
                try:
                    found = watcher.watch(pace.longest, pace.quiet, _LOOK_AFTER, stop)
                except (OSError, RuntimeError):
                    return survey
                if found == "stop" or root is None or _identity(copy) != root:
                    return None
                if found == "signal":
                    raise KeyboardInterrupt
                if isinstance(found, str):
                    continue
                sifted = _sift(copy, survey, found)
                if sifted.is_due:
                    survey = copy.survey(survey)
                    if sifted.has_other_directories or _directories(copy, survey) != watched:
                        break
                    yield Changes((), rescan=True, polling=False)
                elif sifted.paths:
                    yield Changes(sifted.paths, rescan=False, polling=False)
    return None


def _begin(copy: Workspace, survey: Survey) -> tuple[RustNotify, list[str], Survey] | None:
    """Return a watcher of directories, and a survey taken since then that finds no others.

    None if the system cannot watch, or not so many directories, or if they change too fast.
    """
    for _ in range(_ATTEMPTS):
        watched = _directories(copy, survey)
        try:
            watcher = RustNotify(
                watched,
                debug=False,
                force_polling=False,
                poll_delay_ms=0,
                recursive=not _WATCHES_DIRECTORIES,
                # It would hide every error, including that of a reached limit.
                ignore_permission_denied=False,
            )
        except FileNotFoundError:
            survey = copy.survey(survey)
            continue
        except (OSError, RuntimeError):
            return None
        survey = copy.survey(survey)
        if _directories(copy, survey) == watched:
            return watcher, watched, survey
        watcher.close()
    return None


def _poll(copy: Workspace, survey: Survey, stop: threading.Event, pace: Pace) -> Iterator[Changes]:
    """Yield batches by comparing surveys.

    The library's own polling follows links and treats two changes within a second as one.
    """
    root = _identity(copy)
    pause = 0.0
    changes = Changes((), rescan=True, polling=True)
    while root is not None and not stop.wait(pause):
        began = time.monotonic()
        now = copy.survey(survey)
        pause = max(pace.polling / 1_000, (time.monotonic() - began) * _IDLE_SHARE)
        if _identity(copy) != root:
            return
        if now.policy != survey.policy:
            changes = Changes((), rescan=True, polling=True)
        elif not changes.rescan:
            changes = _named(now.since(survey))
        survey = now
        if changes.rescan or changes.paths:
            yield changes
        changes = Changes((), rescan=False, polling=True)


def _named(difference: SurveyDifference) -> Changes:
    paths = (*difference.added, *difference.changed, *difference.removed)
    if len(paths) > STORM:
        return Changes((), rescan=True, polling=True)
    return Changes(tuple(sorted(paths, key=_bytewise)), rescan=False, polling=True)


def _directories(copy: Workspace, survey: Survey) -> list[str]:
    """Return what to watch: all visible directories, and where git keeps its own rules."""
    root = str(copy.root)
    if not _WATCHES_DIRECTORIES:
        return [root]
    places = [f"{root}/{path}" if path else root for path in survey.directories]
    for path in survey.repositories:
        git = f"{root}/{path}/.git" if path else f"{root}/.git"
        places.extend(place for place in (git, git + "/info") if _is_directory(place))
    return places or [root]


@attrs.frozen
class _Sifted:
    """`is_due` if a survey is; `has_other_directories` if the directories to watch will change."""

    paths: tuple[str, ...]
    is_due: bool
    has_other_directories: bool


def _sift(copy: Workspace, survey: Survey, found: set[tuple[int, str]]) -> _Sifted:
    if len(found) > _LOSSES:
        return _Sifted((), True, True)
    prefix = str(copy.root).removesuffix(os.sep) + os.sep
    paths: set[str] = set()
    is_due = False
    has_other_directories = False
    for change, name in found:
        path = name.removeprefix(prefix).replace(os.sep, "/")
        if name == path:
            continue
        if copy.decides(path):
            is_due = True
        elif change == Change.deleted or not _is_directory(name):
            if copy.judge(path) is None:
                paths.add(path)
        elif copy.enters(path):
            has_other_directories = True
    if paths:
        paths.update(survey.links)
    if len(paths) > STORM or (paths and len(survey.links) > _LINKS):
        has_other_directories = True
    ordered = tuple(sorted(paths, key=_bytewise))
    return _Sifted(ordered, is_due or has_other_directories, has_other_directories)


def _is_directory(name: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(name).st_mode)
    except (OSError, ValueError):
        return False


def _identity(copy: Workspace) -> tuple[int, int] | None:
    try:
        status = copy.root.lstat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _bytewise(path: str) -> bytes:
    return path.encode("utf-8")
