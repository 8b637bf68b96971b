"""Open a workspace, for every front: settings, workers, index and store.

Invariants:

* Every front opens a workspace only here, so a workspace means the same in all.
* A host does not index by itself: `open_index` scans. Slices and outlines need no index.
* One thread uses a host at a time, except for what `Project` allows to two.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, TypeGuard, cast

from sightline.index import PENDING, Snapshot
from sightline.index.store import Fault, NoStore, SaveFailure, Store, open_store
from sightline.languages import LanguageError, Registry, load_registry
from sightline.project import Project
from sightline.refusals import Refusal, RefusalKind
from sightline.settings import (
    Layer,
    Loaded,
    Message,
    Settings,
    harmless_values,
    open_workspace,
)
from sightline.text import Text
from sightline.workers import Workers
from sightline.workers.messages import faulty_language
from sightline.workspace import Root, RootError, Workspace, find_root, is_lift, rule_named
from sightline.workspace.roots import find_named_root

if TYPE_CHECKING:
    from sightline.egress import HarmlessValues
    from sightline.engine.cache import BuildCache

Progress = Callable[[int, int], None]
"""Called with the number of files that are done and the total."""


class Toolchain:
    """What the workspaces of one process share: the languages and the worker processes."""

    def __init__(self, workers: Workers | None = None) -> None:
        self.workers = workers or Workers()

    @cached_property
    def registry(self) -> Registry:
        return load_registry()

    def close(self) -> None:
        self.workers.close()


class Host:
    """One open workspace."""

    def __init__(
        self,
        root: Path,
        workspace: Workspace,
        loaded: Loaded,
        requested: Mapping[str, object],
        registry: Registry,
        workers: Workers,
        store: Store | NoStore,
        store_note: str | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.root = root
        self.workspace = workspace
        self.loaded = loaded
        self.requested = requested
        """Settings in the request to open it, by dotted key."""
        self._environment = environment
        self.registry = registry
        self.workers = workers
        self.project = Project(workspace, registry, workers, store)
        self.refresh: Callable[[], object] = self.look_at_disk
        """Updates the index; a front with threads of its own replaces this function."""
        self.store_note = store_note
        """Why the index is not kept between runs, if it is not."""
        self.shows_secrets = False
        """True only for a person's own terminal: slices and outlines show secrets.

        A bundle never does.
        """
        self.held: Refusal | None = None
        """Why nothing is indexed until a person agrees; see `take_first_look`."""
        self.is_closed = False
        self._store = store
        self._owned_workers: Workers | None = None

    def __enter__(self) -> Host:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def own(self, workers: Workers) -> None:
        """Stop these workers together with the host."""
        self._owned_workers = workers

    def close(self) -> None:
        """Close everything that the host owns. Closing it again does nothing."""
        if self.is_closed:
            return
        self.is_closed = True
        if self._owned_workers is not None and self.project.limited.is_unsaved:
            # A build may have found results that the next run can use.
            self.save()
        if self._owned_workers is not None:
            self._owned_workers.close()
        if isinstance(self._store, Store):
            self._store.close()

    @cached_property
    def cache(self) -> BuildCache:
        """The documents that builds, slices and outlines have read, scanned and cut. For one
        thread.
        """
        # Loading the scanner's rules takes longer than a warm start, and an index does not need
        # them.
        from sightline.engine.cache import BuildCache

        return BuildCache(self.project, self.registry, self.workers)

    @property
    def settings(self) -> Settings:
        return self.loaded.settings

    @property
    def snapshot(self) -> Snapshot:
        return self.project.snapshot

    @property
    def harmless(self) -> HarmlessValues:
        """The values that the user marked as harmless in this workspace."""
        return harmless_values(self.settings, os.environ)

    @property
    def keeps_weak(self) -> bool:
        """True if the user keeps weak secrets of files below test folders."""
        return self.settings.secrets.weak == "keep"

    def path_of(self, written: str) -> str | Refusal:
        """Return the workspace path for a path of a person or a client."""
        return self.workspace.relative(written)

    def judge(self, path: str) -> Refusal | None:
        """Return why policy withholds a path, if it does."""
        return self.project.judge(path)

    def mark_rules_stale(self) -> None:
        """Judge visibility again from the next read on. From any thread."""
        self.project.mark_rules_stale()

    def text_of(self, path: str) -> Text | Refusal:
        """Return a file's current text: the editor's, otherwise the disk's."""
        found = self.cache.look_at(path)
        return found if isinstance(found, Refusal) else found.text

    def leave_slow_texts(self, settled: Callable[[], object]) -> None:
        """Do not wait for texts that take long to parse: for a front with a single thread.

        An open text is pending until it is parsed; then `settled` is called, on any thread. An
        operation that must cut a slow text raises `NotReadyError`.
        """
        self.project.leave_slow_texts(settled)
        self.cache.leaves_slow_texts = True

    def parse_awaited_by(self, refusal: Refusal | None) -> Future[object] | None:
        """Return the parse for which a refused request has to wait, if that is the reason."""
        if refusal is None or refusal.reason != PENDING or refusal.path is None:
            return None
        return cast("Future[object] | None", self.project.parse_of_pending(refusal.path))

    def shows(self, written: str) -> bool:
        """True if a path of a person is a visible file of the workspace."""
        path = self.path_of(written)
        return not isinstance(path, Refusal) and path in self.snapshot.files

    def take_first_look(self) -> Refusal | None:
        """Return why the workspace is not indexed before a person agrees, or None.

        That is a large directory without a repository: it may not be a project. If it was indexed
        before, the person is not asked again.
        """
        most = self.settings.index.ask_above
        is_known = isinstance(self._store, Store) and self._store.state is not None
        self.held = _large(most) if not is_known and self.workspace.is_large(most) else None
        return self.held

    def open_index(
        self,
        progress: Progress | None = None,
        *,
        is_agreed: bool = False,
        counts_terms: bool = True,
    ) -> Refusal | None:
        """Update the index from the disk and save it.

        Return why not, if a person has to agree first; `is_agreed` says that one did. Without its
        terms, an index cannot rank similar code.
        """
        if not is_agreed and self.take_first_look() is not None:
            return self.held
        self.held = None
        self.project.open(progress)
        if counts_terms:
            self.project.count_terms()
        self.save()
        return None

    def look_at_disk(self, again: Sequence[str] = ()) -> None:
        """Index what has changed on the disk, unless a person has to agree first."""
        if self.held is None:
            self.project.refresh(again=again)

    def save(self) -> bool:
        """Save what the store does not have. Return True if there was anything."""
        if not self.project.is_unsaved or isinstance(self._store, NoStore):
            return False
        outcome = self.project.save()
        self.store_note = _not_kept(outcome.fault) if isinstance(outcome, SaveFailure) else None
        return True

    def settings_with(self, overrides: Mapping[str, object]) -> Loaded | Refusal:
        """Return the settings overridden by those of a request."""
        given = {key: value for key, value in overrides.items() if value is not None}
        if not given:
            return self.loaded
        return self.settings_now({**self.requested, **given})

    def settings_now(self, requested: Mapping[str, object]) -> Loaded | Refusal:
        """Read the settings files again, and return them overridden by a request."""
        try:
            opened = open_workspace(
                self.root, self._environment, requested, self.registry.source_extensions
            )
        except (RootError, OSError, ValueError):
            return no_workspace()
        return opened if isinstance(opened, Refusal) else opened[1]

    def reload(self, requested: Mapping[str, object]) -> bool:
        """Use the current settings. Return False if the workspace must be opened again.

        It must if they cannot be read, or if they change what is visible.
        """
        loaded = self.settings_now(requested)
        if isinstance(loaded, Refusal):
            return False
        now, then = loaded.settings, self.loaded.settings
        if (now.limits, now.index, now.policy) != (then.limits, then.index, then.policy):
            return False
        if loaded.deny_sources != self.loaded.deny_sources:
            return False
        self.loaded, self.requested = loaded, requested
        return True


def open_host(
    root: Path,
    requested: Mapping[str, object] | None = None,
    *,
    keeps_index: bool = True,
    toolchain: Toolchain | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Host | Refusal:
    """Open a workspace, or say why it cannot be opened.

    `requested` are settings by dotted key. `keeps_index=False` opens no store, for operations that
    need no index. Without a toolchain the host creates its own, and closes it. `environment` says
    where the user's settings are.
    """
    given = {key: value for key, value in (requested or {}).items() if value is not None}
    if isinstance(lifts := given.get("policy.allow"), list):
        given["policy.allow"] = [
            rule_named(each) or each if isinstance(each, str) else each for each in lifts
        ]
    for lift in _strings(given.get("policy.allow")):
        if not is_lift(lift):
            return _no_lift(lift)
    try:
        registry = toolchain.registry if toolchain is not None else load_registry()
        # The working directory may change later.
        root = Path.cwd() / root
        opened = open_workspace(root, environment, given, registry.source_extensions)
    except LanguageError as error:
        return faulty_language(error)
    except (RootError, OSError, ValueError):
        return no_workspace()
    if isinstance(opened, Refusal):
        return opened
    workspace, loaded = opened
    settings = loaded.settings
    store: Store | NoStore = NoStore(Fault.UNAVAILABLE)
    if keeps_index and settings.index.store:
        store = open_store(str(workspace.root))
    note = _not_kept(store.fault) if keeps_index and _lacks_store(store, settings) else None
    workers = toolchain.workers if toolchain is not None else Workers(settings.index.jobs)
    host = Host(root, workspace, loaded, given, registry, workers, store, note, environment)
    if toolchain is None:
        host.own(workers)
    return host


def _lacks_store(store: Store | NoStore, settings: Settings) -> TypeGuard[NoStore]:
    return isinstance(store, NoStore) and settings.index.store


def wrong_request(loaded: Loaded) -> Refusal | None:
    """Return a refusal if a setting in the request itself is not valid.

    A person can correct such a value, so no default replaces it.
    """
    for message in loaded.messages:
        if message.source == Layer.REQUEST.value:
            return _bad_option(message)
    return None


def root_around(path: str) -> Root | Refusal:
    """Return the root of the workspace around a path, or why there is none.

    Raises `OSError` or `ValueError`.
    """
    return find_root(Path(path), Path.cwd())


def root_named(folder: str) -> Root | Refusal:
    """Return the root for a folder that the person named, or why there is none.

    Raises `OSError` or `ValueError`.
    """
    return find_named_root(Path(folder), Path.cwd())


def _large(most: int) -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "large_workspace",
        None,
        f"the workspace is not a repository and holds more than {most:,} files and folders",
        "name the project's own directory with --root, or index the whole directory with --large",
        rule=f"index.ask_above = {most}",
    )


def no_workspace() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "invalid_root",
        None,
        "the workspace is not a directory",
        "give an existing directory",
    )


def _strings(value: object) -> Sequence[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _no_lift(lift: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "unknown_rule",
        None,
        f"'{lift}' is neither a default rule nor a path inside the workspace",
        "give --allow a rule as a refusal prints it, or a file's path relative to the root",
    )


def _bad_option(message: Message) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "usage",
        None,
        f"{message.key} {message.problem.partition(';')[0]}",
        "give a valid value, or leave it out",
        rule=message.key,
        source=message.source,
    )


def _not_kept(fault: Fault) -> str:
    return f"the index is not kept: {_FAULTS.get(fault, fault)}"


_FAULTS = {
    Fault.INSIDE_WORKSPACE: "the cache directory is inside the workspace",
    Fault.UNSAFE: "the cache directory is not ours alone",
    Fault.FULL: "the disk is full",
    Fault.DENIED: "the cache directory cannot be written to",
    Fault.BUSY: "another process is saving it",
    Fault.UNAVAILABLE: "the cache directory cannot be used",
}
