"""Requests for context snapshots: convert parameters, call the engine, convert the result."""

from __future__ import annotations

import asyncio
from typing import Any

from sightline.engine.results import SnapshotResult, Status
from sightline.engine.snapshot_requests import SnapshotRequest, answer_snapshot
from sightline.lsp import extensions
from sightline.lsp.folder import busy, run_aside
from sightline.lsp.own_requests import answer, build_record
from sightline.lsp.state import ServerState
from sightline.refusals import Refusal


async def snapshot(state: ServerState, params: extensions.SnapshotParams) -> dict[str, Any]:
    folder = state.session.folder_for(params.text_document.uri if params.text_document else None)
    if isinstance(folder, Refusal):
        return answer(SnapshotResult(Status.REFUSED, folder), 0, 0)
    revision = folder.revision
    request = SnapshotRequest(
        action=params.action,
        id=params.id,
        other=params.other,
        path=params.path,
        since=params.since,
        commit=params.commit,
        result=build_record(params.result) if params.result is not None else None,
        created_by=params.created_by,
        retention=params.retention,
        summary=params.summary,
    )

    if params.action != "create":
        # It reads only the repository, so it runs beside the editors' thread.
        result = await asyncio.to_thread(answer_snapshot, folder.host, request)
        return answer(result, revision, folder.revision)

    def work() -> SnapshotResult:
        folder.await_all_closed()
        return answer_snapshot(folder.host, request)

    try:
        return answer(await run_aside(folder, work), revision, folder.revision)
    except TimeoutError:
        return answer(SnapshotResult(Status.REFUSED, busy()), 0, 0)
