"""Builds and documents of a folder, requested on the event loop, made on the editors' thread.

Invariants:

* A build begins when all changes that arrived before its request have been applied, and includes no
  later edit. Its positions are resolved in its own job.
* No answer contains text of a document that is out of step or was closed meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait

import attrs
import msgspec

from sightline.bundle import BuildResult
from sightline.context import BuildRequest
from sightline.engine.build import build as engine_build
from sightline.engine.cancelling import Cancellation, NotReadyError
from sightline.engine.status import unshown_build
from sightline.lsp.folder import WorkspaceFolder, busy, large, not_there, out_of_step
from sightline.lsp.positions import EditorRequest, located_request
from sightline.lsp.scheduling import TURN_SECONDS
from sightline.refusals import Refusal
from sightline.settings import Loaded
from sightline.text import Text


@attrs.frozen
class BuildAnswer:
    result: BuildResult
    revision: int


@attrs.frozen
class _PendingBuild:
    """A build as it was requested."""

    asked: EditorRequest | BuildRequest
    overrides: Mapping[str, object]
    correlation_id: str | None
    is_shown: bool
    """False if only its cost is needed."""
    awaits_index: bool
    """True if it waits for the first scan."""
    cancellation: Cancellation
    look: Future[bool] | None
    """The check of files whose changes were reported before the request."""
    revision: int
    lost: frozenset[str]
    """Documents that were out of step."""


async def build(
    folder: WorkspaceFolder,
    asked: EditorRequest | BuildRequest,
    overrides: Mapping[str, object],
    correlation_id: str | None = None,
    *,
    awaits_index: bool = False,
    waiting: Callable[[int, int], None] | None = None,
) -> BuildAnswer | Refusal:
    """Return a bundle. Cancelling the task that awaits it cancels the build.

    With `awaits_index` it begins after the first scan; `waiting` is called with the scan's
    progress.
    """
    folder.background_builds.overtake()
    pending = _PendingBuild(
        asked,
        overrides,
        correlation_id,
        True,
        awaits_index,
        Cancellation(),
        folder.looks.begin_at_told(),
        folder.revision,
        folder.lost(),
    )
    return await _awaited(folder, pending, waiting)


async def build_unasked(
    folder: WorkspaceFolder, asked: EditorRequest | BuildRequest
) -> BuildAnswer | Refusal:
    """Return a bundle for background work. Raises `OvertakenError` as soon as a request arrives."""
    with folder.background_builds.unasked() as cancellation:
        pending = _PendingBuild(
            asked, {}, None, False, False, cancellation, None, folder.revision, folder.lost()
        )
        return await _awaited(folder, pending)


async def read_text(folder: WorkspaceFolder, path: str) -> Text | Refusal:
    """Return the text of a file as a build would read it."""
    lost = folder.lost()
    if path in lost:
        return out_of_step(path)
    try:
        return await folder.run_for_request(lambda: _text_of(folder, path))
    except TimeoutError:
        return busy()


async def _awaited(
    folder: WorkspaceFolder,
    pending: _PendingBuild,
    waiting: Callable[[int, int], None] | None = None,
) -> BuildAnswer | Refusal:
    try:
        return await folder.run_in_turn(lambda: _answer(folder, pending), waiting)
    except asyncio.CancelledError:
        pending.cancellation.cancel()
        raise
    except TimeoutError:
        return busy()


# The editors' thread.


def _answer(folder: WorkspaceFolder, pending: _PendingBuild) -> BuildAnswer | Refusal:
    pending.cancellation.check()
    if folder.host.held is not None:
        return large(folder.host.held)
    if pending.awaits_index and not folder.first_scan.done():
        raise NotReadyError(folder.first_scan)
    request = located_request(pending.asked, lambda path: _text_of(folder, path))
    if isinstance(request, Refusal):
        return request
    loaded = folder.host.settings_with(pending.overrides)
    if isinstance(loaded, Refusal):
        return not_there() if loaded.reason == "invalid_root" else loaded
    if pending.look is not None:
        # It does not wait for a long check, and the answer says so.
        wait([pending.look], TURN_SECONDS)
    folder.await_all_closed()
    result = _built(folder, pending, request, loaded)
    while folder.await_closed(_involved(result)) or folder.await_all_closed():
        result = _built(folder, pending, request, loaded)
    parsing = folder.host.parse_awaited_by(result.refusal) if pending.is_shown else None
    if parsing is not None:
        raise NotReadyError(parsing)
    for path in _involved(result):
        if path in pending.lost:
            return out_of_step(path)
    if pending.look is not None and not pending.look.done():
        result = msgspec.structs.replace(result, index_complete=False)
    revision = pending.revision
    if result.manifest is not None:
        fingerprint = result.manifest.fingerprints.project_index_fingerprint
        revision = folder.revision_of(fingerprint, revision)
    return BuildAnswer(result, revision)


def _built(
    folder: WorkspaceFolder, pending: _PendingBuild, request: BuildRequest, loaded: Loaded
) -> BuildResult:
    if not pending.is_shown:
        return unshown_build(folder.host, request, cancellation=pending.cancellation)
    return engine_build(
        folder.host,
        request,
        pending.overrides,
        correlation_id=pending.correlation_id,
        cancellation=pending.cancellation,
        loaded=loaded,
    )


def _involved(result: BuildResult) -> list[str]:
    """Return the files whose contents an answer depends on."""
    if result.manifest is not None:
        selection = result.manifest.selection
        needed = [each.path for each in selection.included_files]
        return [*needed, *(each.path for each in selection.optional_files)]
    path = result.refusal.path if result.refusal is not None else None
    return [path] if path is not None else []


def _text_of(folder: WorkspaceFolder, path: str) -> Text | Refusal:
    """Return a file's text as it is now."""
    folder.await_closed([path])
    return folder.host.text_of(path)
