"""Requests for recipes and task packs: convert parameters, call the engine, convert the result."""

from __future__ import annotations

from typing import Any

from sightline.engine.recipe_requests import RecipeRequest, build_pack, build_recipe
from sightline.engine.results import RecipeResult, Status, TaskPackResult
from sightline.lsp import extensions
from sightline.lsp.folder import busy, run_aside
from sightline.lsp.own_requests import answer
from sightline.lsp.state import ServerState
from sightline.refusals import Refusal


async def recipe(state: ServerState, params: extensions.BuildRecipeParams) -> dict[str, Any]:
    session = state.session
    folder = session.folder_for(params.text_document.uri if params.text_document else None)
    if isinstance(folder, Refusal):
        return answer(RecipeResult(Status.REFUSED, folder), 0, 0)
    paths = []
    for uri in (*([params.task_uri] if params.task_uri else []), *params.file_uris):
        place = session.place(uri)
        if isinstance(place, Refusal):
            return answer(RecipeResult(Status.REFUSED, place), 0, 0)
        paths.append(str(folder.host.root / place.path))
    revision = folder.revision
    task_file = paths.pop(0) if params.task_uri else None

    def work() -> RecipeResult:
        folder.await_all_closed()
        request = RecipeRequest(
            recipe=params.recipe,
            task_file=task_file,
            base=params.base,
            head=params.head,
            staged=params.staged,
            report=params.report,
            files=tuple(paths),
            issue=params.issue,
            max_tokens=params.max_tokens,
            by_symbol=params.by_symbol,
            may_scan=False,
        )
        return build_recipe(folder.host, request)

    try:
        return answer(await run_aside(folder, work), revision, folder.revision)
    except TimeoutError:
        return answer(RecipeResult(Status.REFUSED, busy()), 0, 0)


async def task_pack(state: ServerState, params: extensions.BuildTaskPackParams) -> dict[str, Any]:
    folder = state.session.folder_for(params.text_document.uri if params.text_document else None)
    if isinstance(folder, Refusal):
        return answer(TaskPackResult(Status.REFUSED, folder), 0, 0)
    revision = folder.revision

    def work() -> TaskPackResult:
        folder.await_all_closed()
        return build_pack(folder.host, params.task, params.tier)

    try:
        return answer(await run_aside(folder, work), revision, folder.revision)
    except TimeoutError:
        return answer(TaskPackResult(Status.REFUSED, busy()), 0, 0)
