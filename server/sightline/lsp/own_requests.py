"""Sightline's own requests: convert parameters, call the engine, convert the result.

Each begins after all changes that arrived before it have been applied. A refusal is an ordinary
answer and has every field.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sightline.bundle import BuildResult
from sightline.context import BuildRequest, TargetSpec
from sightline.engine.build import refused_build
from sightline.engine.cancelling import NotReadyError
from sightline.engine.explain import explain as engine_explain
from sightline.engine.explain import explain_candidate
from sightline.engine.index import index_status as engine_index_status
from sightline.engine.model_list import models_of
from sightline.engine.requests import ExplainRequest, SliceRequest, build_request
from sightline.engine.results import (
    ExplainResult,
    IndexResult,
    ModelsResult,
    SliceResult,
    VerifyResult,
    VerifyStatus,
    refused,
)
from sightline.engine.slice import slice_file
from sightline.engine.verify import compare, read_record, replayed, wrong_overrides
from sightline.lsp import extensions
from sightline.lsp.folder import busy
from sightline.lsp.indexing_progress import ask_again
from sightline.lsp.session import DocumentLocation, Session
from sightline.lsp.state import ServerState
from sightline.refusals import Refusal


async def build_context(
    state: ServerState, params: extensions.BuildContextParams
) -> dict[str, Any]:
    return answer(*await build(state, params))


async def build(
    state: ServerState, params: extensions.BuildContextParams
) -> tuple[BuildResult, int, int]:
    """Return a build, its revision, and the current revision."""
    session = state.session
    asked = session.request_of(params)
    if isinstance(asked, Refusal):
        return refused_build(asked), 0, 0
    folder, request = asked
    ask_again(folder)
    with state.client.shown(params.work_done_token, "Building AI context") as progress:

        def waiting(done: int, total: int) -> None:
            if progress is not None:
                message = f"waiting for the index: {done} of {total} files"
                progress.report(100 * done // max(1, total), message)

        answered = await session.build(
            folder,
            request,
            _overrides(params),
            params.correlation_id,
            awaits_index=not params.take_incomplete,
            waiting=waiting,
        )
    if isinstance(answered, Refusal):
        return refused_build(answered), 0, 0
    return answered.result, answered.revision, folder.revision


async def slice_document(state: ServerState, params: extensions.SliceParams) -> dict[str, Any]:
    session = state.session
    place = _place(session, params.text_document.uri)
    if isinstance(place, Refusal):
        return answer(refused(SliceResult, place), 0, 0)
    offset = await _offset(session, place, params.text_document.uri, params.position)
    if isinstance(offset, Refusal):
        return answer(refused(SliceResult, offset), 0, 0)
    folder, revision = place.folder, place.folder.revision
    request = SliceRequest(place.path, params.level, params.symbols, offset)

    def work() -> SliceResult:
        folder.await_closed([request.path])
        return slice_file(folder.host, request)

    try:
        return answer(await folder.run_for_request(work), revision, folder.revision)
    except TimeoutError:
        return answer(refused(SliceResult, busy()), 0, 0)


async def explain(state: ServerState, params: extensions.ExplainParams) -> dict[str, Any]:
    session = state.session
    place = _place(session, params.text_document.uri)
    if isinstance(place, Refusal):
        return answer(refused(ExplainResult, place), 0, 0)
    offset = await _offset(session, place, params.text_document.uri, params.position)
    if isinstance(offset, Refusal):
        return answer(refused(ExplainResult, offset), 0, 0)
    folder, revision = place.folder, place.folder.revision
    request = ExplainRequest(place.path, offset)

    def work() -> ExplainResult:
        folder.await_closed([request.path])
        folder.await_all_closed()
        return engine_explain(folder.host, request)

    if params.target is None:
        try:
            return answer(await folder.run_for_request(work), revision, folder.revision)
        except TimeoutError:
            return answer(refused(ExplainResult, busy()), 0, 0)
    asked = session.request_of(extensions.BuildContextParams(targets=(params.target,)), folder)
    if isinstance(asked, Refusal):
        return answer(refused(ExplainResult, asked), 0, 0)
    # Both begin before the event loop continues, so that they read the same text.
    explained = folder.begin_for_request(work)
    try:
        answered = await session.build(*asked, {}, None)
    except BaseException:
        explained.cancel()
        raise
    try:
        result = await folder.result_of(explained)
    except NotReadyError:
        return answer(refused(ExplainResult, busy()), 0, 0)
    if isinstance(answered, Refusal):
        return answer(refused(ExplainResult, answered), 0, 0)
    about = msgspec.structs.replace(request, target=_target_of(answered.result.request))
    candidate = explain_candidate(answered.result, about)
    return answer(msgspec.structs.replace(result, candidate=candidate), revision, folder.revision)


async def verify(state: ServerState, params: extensions.VerifyParams) -> dict[str, Any]:
    session = state.session
    record = read_record(build_record(params.result))
    if isinstance(record, Refusal):
        return answer(VerifyResult(VerifyStatus.REFUSED, record), 0, 0)
    request = build_request(record.request)
    if isinstance(request, Refusal):
        return answer(VerifyResult(VerifyStatus.REFUSED, request), 0, 0)
    folder = session.folder_for(params.text_document.uri if params.text_document else None)
    if isinstance(folder, Refusal):
        return answer(VerifyResult(VerifyStatus.REFUSED, folder), 0, 0)
    overrides = replayed(record.overrides)
    refusal = wrong_overrides(folder.host, overrides)
    if refusal is not None:
        return answer(VerifyResult(VerifyStatus.REFUSED, refusal), 0, 0)
    answered = await session.build(folder, request, overrides, None, awaits_index=True)
    if isinstance(answered, Refusal):
        return answer(VerifyResult(VerifyStatus.REFUSED, answered), 0, 0)
    return answer(compare(record, answered.result), answered.revision, folder.revision)


def build_record(result: dict[str, Any]) -> bytes:
    """Return the JSON of a build, taken from the answer that carried it."""
    written = {key: value for key, value in result.items() if key not in extensions.ANSWER_FIELDS}
    try:
        return msgspec.json.encode(written)
    except (UnicodeEncodeError, RecursionError):
        # A lone surrogate, or nested too deeply: no build writes that.
        return b""


async def models(state: ServerState, params: extensions.ModelsParams) -> dict[str, Any]:
    folder = state.session.folder_for(params.text_document.uri if params.text_document else None)
    if isinstance(folder, Refusal):
        return answer(refused(ModelsResult, folder), 0, 0)
    return answer(models_of(folder.host.settings), folder.revision, folder.revision)


async def index_status(state: ServerState, params: extensions.IndexStatusParams) -> dict[str, Any]:
    folder = state.session.folder_for(params.text_document.uri if params.text_document else None)
    if isinstance(folder, Refusal):
        return answer(refused(IndexResult, folder), 0, 0)
    result = engine_index_status(folder.host, pending=folder.pending)
    return answer(result, folder.revision, folder.revision)


def answer(result: msgspec.Struct, revision: int, current_revision: int) -> dict[str, Any]:
    """Return a result with its revision and the current revision."""
    answer: dict[str, Any] = msgspec.to_builtins(result)
    return {**answer, "revision": revision, "current_revision": current_revision}


def _target_of(request: dict[str, Any]) -> TargetSpec:
    """Return the single target of a request, or an empty one."""
    built: BuildRequest = msgspec.convert(request, BuildRequest)
    return built.targets[0] if built.targets else TargetSpec()


def _place(session: Session, uri: str) -> DocumentLocation | Refusal:
    return session.out_of_step(uri) or session.place(uri)


async def _offset(
    session: Session, place: DocumentLocation, uri: str, position: extensions.WirePosition | None
) -> int | Refusal | None:
    if position is None:
        return None
    text = await session.text_of(place, uri)
    if isinstance(text, Refusal):
        return text
    return text.at_cursor(text.offset_at(position.to_position(), session.encoding))


def _overrides(params: extensions.BuildContextParams) -> dict[str, object]:
    model = params.model or extensions.ModelParams()
    return {
        "model.name": model.name,
        "budget.max_input_tokens": model.max_input_tokens,
        "budget.response_token_reserve": model.response_token_reserve,
        "budget.soft_limit_threshold_pct": model.soft_limit_threshold_pct,
        "budget.estimator": model.estimator,
        "render.format": params.format,
        "context.depth": params.depth,
        "secrets.on_target_secret": "redact" if params.redact_target else None,
    }
