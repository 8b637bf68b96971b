"""Requests for project packs: convert parameters, call the engine, convert the result."""

from __future__ import annotations

from typing import Any

from sightline.engine.pack_results import ProjectPackResult
from sightline.engine.packs import build_project_pack, pack_request
from sightline.engine.results import Status
from sightline.lsp import extensions, uris
from sightline.lsp.folder import WorkspaceFolder, busy, run_aside
from sightline.lsp.own_requests import answer
from sightline.lsp.session import Session
from sightline.lsp.state import ServerState
from sightline.refusals import Refusal, RefusalKind


async def project_pack(
    state: ServerState, params: extensions.BuildProjectPackParams
) -> dict[str, Any]:
    located = _located(state.session, params)
    if isinstance(located, Refusal):
        return _refused(located)
    folder, paths = located
    request = pack_request(
        {
            "paths": paths,
            "include": params.include,
            "exclude": params.exclude,
            "type": params.type,
            "format": params.format,
            "constraints": _constraints(params),
            "encoding": {"on_decode_error": params.on_decode_error},
            "map_tokens": params.map_tokens,
            "timestamp": params.timestamp,
        }
    )
    if isinstance(request, Refusal):
        return _refused(request)
    revision = folder.revision

    def work() -> ProjectPackResult:
        folder.await_all_closed()
        return build_project_pack(folder.host, request, opens_index=False)

    try:
        with state.client.shown(params.work_done_token, "Packing the project"):
            return answer(await run_aside(folder, work), revision, folder.revision)
    except TimeoutError:
        return _refused(busy())


def _located(
    session: Session, params: extensions.BuildProjectPackParams
) -> tuple[WorkspaceFolder, list[str]] | Refusal:
    """Return the folder, and the paths to pack; no paths means the whole folder."""
    found: list[tuple[WorkspaceFolder, str]] = []
    for uri in params.uris:
        parsed = uris.parse(uri)
        root = parsed.path if isinstance(parsed, uris.FilePath) else ""
        if root in session.folders:
            # The root of a folder is not a document in it.
            found.append((session.folders[root], root))
            continue
        place = session.place(uri)
        if isinstance(place, Refusal):
            return place
        found.append((place.folder, str(place.folder.host.root / place.path)))
    if not found:
        about = params.text_document.uri if params.text_document else None
        folder = session.folder_for(about)
        return folder if isinstance(folder, Refusal) else (folder, [])
    first = found[0][0]
    if any(folder is not first for folder, _ in found):
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "several_folders",
            None,
            "the folders to pack belong to several workspaces",
            "pack one workspace after the other",
        )
    return first, [path for _, path in found]


def _constraints(params: extensions.BuildProjectPackParams) -> dict[str, object]:
    given = {
        "max_content_bytes": params.max_content_bytes,
        "max_files": params.max_files,
        "prefer_summary": params.prefer_summary,
        "provider_limits": params.provider_limits,
    }
    return {key: value for key, value in given.items() if value is not None}


def _refused(refusal: Refusal) -> dict[str, Any]:
    return answer(ProjectPackResult(Status.REFUSED, refusal), 0, 0)
