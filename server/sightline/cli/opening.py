"""From what a person types to a workspace with its settings, and to its project."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from sightline.cli.output import Output
from sightline.index import Snapshot
from sightline.index.store import Fault, NoStore, SaveFailure, open_store
from sightline.languages import Registry, load_registry
from sightline.project import Project
from sightline.refusals import Refusal, RefusalKind
from sightline.settings import Layer, Loaded, Message, open_workspace
from sightline.workers import Workers
from sightline.workspace import RootError, Workspace, find_root, is_lift


@attrs.frozen
class Place:
    workspace: Workspace
    loaded: Loaded


@attrs.frozen
class Opened:
    workspace: Workspace
    loaded: Loaded
    registry: Registry
    workers: Workers
    project: Project
    snapshot: Snapshot
    store_note: str


def root_of(root: str | None, path: str | None) -> Path:
    """The root that was given, else the one around a path. Raises `OSError` or `ValueError`."""
    # An empty string would mean the current directory; it is more likely a mistake.
    return Path(root or "\0") if root is not None else find_root(Path(path or "."), Path.cwd())


def open_place(
    root: Path, allowed: Sequence[str], request: Mapping[str, object] | None = None
) -> Place | Refusal:
    """A workspace as its settings make it. Raises `RootError`, `OSError` or `ValueError`."""
    for lift in allowed:
        if not is_lift(lift):
            return no_lift(lift)
    asked: dict[str, object] = {"policy.allow": list(allowed)} if allowed else {}
    opened = open_workspace(root, os.environ, {**asked, **(request or {})})
    return opened if isinstance(opened, Refusal) else Place(*opened)


@contextlib.contextmanager
def open_project(
    options: argparse.Namespace,
    path: str | None,
    output: Output,
    request: Mapping[str, object] | None = None,
) -> Iterator[Opened | Refusal]:
    """The index of the workspace a command is about, brought up to date and stored."""
    asked = {
        **(request or {}),
        "index.jobs": options.jobs,
        "index.store": None if options.store else False,
    }
    try:
        place = open_place(root_of(options.root, path), options.allow, asked)
    except (RootError, OSError, ValueError):
        yield no_root() if options.root is not None or path is None else _nothing_there(path)
        return
    if isinstance(place, Refusal):
        yield place
        return
    for message in place.loaded.messages:
        if message.source == Layer.REQUEST.value:
            # What a person types here and now is corrected by that person, not by a default.
            yield _bad_option(message)
            return
        output.reason(str(message))
    workspace, settings = place.workspace, place.loaded.settings
    keeps = settings.index.store
    store = open_store(str(workspace.root)) if keeps else NoStore(Fault.UNAVAILABLE)
    registry = load_registry()
    with (
        Workers(settings.index.jobs) as workers,
        Project(workspace, registry, workers, store) as project,
    ):
        snapshot = _scan(project)
        note = ""
        if isinstance(store, NoStore) and keeps:
            note = f"the index is not kept: {_FAULTS.get(store.fault, store.fault)}"
        elif project.is_unsaved:
            outcome = project.save()
            if isinstance(outcome, SaveFailure):
                note = f"the index is not kept: {_FAULTS.get(outcome.fault, outcome.fault)}"
        yield Opened(workspace, place.loaded, registry, workers, project, snapshot, note)


def no_lift(lift: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "unknown_rule",
        None,
        f"'{lift}' is neither a default rule nor a path inside the workspace",
        "give --allow a rule as a refusal prints it, or a file's path relative to the root",
    )


def no_root() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "invalid_root",
        None,
        "the workspace is not a directory",
        "give an existing directory",
    )


def _nothing_there(path: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "not_found",
        path,
        "there is no such file",
        "check the path, or name the workspace with --root",
    )


def _bad_option(message: Message) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "usage",
        None,
        f"{message.key} {message.problem.partition(';')[0]}",
        "give a value that it can have, or leave it to the settings",
        rule=message.key,
        source=message.source,
    )


def _scan(project: Project) -> Snapshot:
    """Bring the index up to date, with a bar for whoever watches."""
    if sys.stderr is None or not sys.stderr.isatty():
        return project.open()
    columns = (
        TextColumn("indexing"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("indexing", total=None)
        return project.open(lambda done, total: progress.update(task, completed=done, total=total))


_FAULTS = {
    Fault.INSIDE_WORKSPACE: "the cache directory is inside the workspace",
    Fault.UNSAFE: "the cache directory is not ours alone",
    Fault.FULL: "the disk is full",
    Fault.DENIED: "the cache directory cannot be written to",
    Fault.BUSY: "another process is saving it",
    Fault.UNAVAILABLE: "the cache directory cannot be used",
}
