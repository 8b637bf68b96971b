"""Sightline's own requests: parameters in, the contract's objects out.

A refusal is an answer like any other, and has every field of one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec

from sightline.building import build_result
from sightline.bundle import BuildResult
from sightline.context import Built, read_request
from sightline.context.verify import differences, read_result
from sightline.index import Snapshot
from sightline.lsp import explaining, extensions
from sightline.lsp.folder import Answered, Asked, Folder
from sightline.lsp.session import Place, Session
from sightline.refusals import Refusal
from sightline.text import Position

_OF_ANSWERS = ("revision", "current_revision")
"""What an answer has besides a build's result."""

_FIELDS = {
    extensions.SLICE: (
        *("path", "level", "content", "hash", "encoding", "regions"),
        *("document_version", "redactions"),
    ),
    extensions.EXPLAIN: ("path", "symbol", "kind", "line", "relations", "candidate"),
    extensions.VERIFY: ("differences",),
    extensions.INDEX_STATUS: (
        *("root", "visible", "files", "symbols", "references", "pending", "fingerprint"),
    ),
}


async def build_context(
    session: Session, folder: Folder, asked: Asked, params: extensions.BuildContextParams
) -> dict[str, Any]:
    overrides = _overrides(params)
    answered = await session.build(folder, asked, overrides, params.correlation_id)
    if isinstance(answered, Refusal):
        return refused_build(answered)
    result = _result(answered, overrides)
    return {
        **msgspec.to_builtins(result),
        "revision": answered.revision,
        "current_revision": folder.revision,
    }


async def slice_of(session: Session, params: extensions.SliceParams) -> dict[str, Any]:
    place = _place(session, params.text_document.uri)
    if isinstance(place, Refusal):
        return _refused(extensions.SLICE, place)
    offset = await _offset(session, place, params.text_document.uri, params.position)
    if isinstance(offset, Refusal):
        return _refused(extensions.SLICE, offset)
    revision = place.folder.revision
    found = await place.folder.on_editors(
        lambda: explaining.slice_of(place.folder, place.path, params.level, params.symbols, offset)
    )
    if isinstance(found, Refusal):
        return _refused(extensions.SLICE, found)
    return {"refusal": None, **found, "revision": revision}


async def explain(session: Session, params: extensions.ExplainParams) -> dict[str, Any]:
    place = _place(session, params.text_document.uri)
    if isinstance(place, Refusal):
        return _refused(extensions.EXPLAIN, place)
    offset = await _offset(session, place, params.text_document.uri, params.position)
    if isinstance(offset, Refusal):
        return _refused(extensions.EXPLAIN, offset)
    revision = place.folder.revision
    explained = place.folder.on_editors(
        lambda: explaining.explained(place.folder, place.path, offset)
    )
    if params.target is None:
        return {**await explained, "revision": revision}
    asked = session.request_of(
        extensions.BuildContextParams(targets=(params.target,)), place.folder
    )
    if isinstance(asked, Refusal):
        explained.close()
        return _refused(extensions.EXPLAIN, asked)
    # Both are begun before anything else has its turn, so that they are of one text.
    result, answered = await asyncio.gather(explained, session.build(*asked, {}, None))
    if isinstance(answered, Refusal):
        return _refused(extensions.EXPLAIN, answered)
    candidate = explaining.verdict(answered.outcome, place.path)
    return {**result, "candidate": candidate, "revision": revision}


async def verify(session: Session, params: extensions.VerifyParams) -> dict[str, Any]:
    written = {key: value for key, value in params.result.items() if key not in _OF_ANSWERS}
    try:
        data = msgspec.json.encode(written)
    except (UnicodeEncodeError, RecursionError):
        # Half a character, or too deep: nothing that a build ever wrote.
        data = b""
    recorded = read_result(data)
    if isinstance(recorded, Refusal):
        return _refused(extensions.VERIFY, recorded)
    request = read_request(recorded.request)
    if isinstance(request, Refusal):
        return _refused(extensions.VERIFY, request)
    folder = session.folder_for(params.text_document.uri if params.text_document else None)
    if isinstance(folder, Refusal):
        return _refused(extensions.VERIFY, folder)
    overrides = explaining.replayed(recorded.overrides)
    answered = await session.build(folder, lambda: request, overrides, None)
    if isinstance(answered, Refusal):
        return _refused(extensions.VERIFY, answered)
    derived = _result(answered, overrides)
    if recorded.rendered is None:
        derived = msgspec.structs.replace(derived, rendered=None)
    found = differences(recorded, derived)
    return {
        "status": "different" if found else "verified",
        "differences": [msgspec.to_builtins(each) for each in found],
        "refusal": None,
        "revision": answered.revision,
        "index_complete": answered.index_complete,
    }


def index_status(session: Session, params: extensions.IndexStatusParams) -> dict[str, Any]:
    folder = session.folder_for(params.text_document.uri if params.text_document else None)
    if isinstance(folder, Refusal):
        return _refused(extensions.INDEX_STATUS, folder)
    snapshot: Snapshot = folder.snapshot
    states = [state for state in snapshot.files.values() if state.language and not state.fault]
    return {
        "status": "ok",
        "refusal": None,
        "root": folder.root.name,
        "visible": len(snapshot.files),
        "files": len(states),
        "symbols": sum(state.declarations for state in states),
        "references": sum(state.references for state in states),
        "pending": folder.pending,
        "fingerprint": snapshot.fingerprint,
        "index_complete": snapshot.index_complete,
        "revision": folder.revision,
    }


def refused_build(refusal: Refusal) -> dict[str, Any]:
    """A refusal that came before there was anything to build from."""
    return {
        "status": "refused",
        "bundle": None,
        "manifest": None,
        "redaction_report": None,
        "budget_report": None,
        "refusal": refusal.as_dict(),
        "request": {},
        "settings": {},
        "overrides": {},
        "index_complete": False,
        "rendered": None,
        "revision": 0,
        "current_revision": 0,
    }


def _refused(method: str, refusal: Refusal) -> dict[str, Any]:
    return {
        "status": "refused",
        "refusal": refusal.as_dict(),
        **dict.fromkeys(_FIELDS[method]),
        "revision": 0,
        "index_complete": False,
    }


def _result(answered: Answered, overrides: Mapping[str, object]) -> BuildResult:
    return build_result(
        answered.outcome,
        answered.request,
        answered.loaded.settings,
        overrides,
        index_complete=answered.index_complete,
        rendered=isinstance(answered.outcome, Built),
    )


def _place(session: Session, uri: str) -> Place | Refusal:
    return session.out_of_step(uri) or session.place(uri)


async def _offset(
    session: Session, place: Place, uri: str, position: extensions.Position | None
) -> int | Refusal | None:
    if position is None:
        return None
    text = await session.text_of(place, uri)
    if isinstance(text, Refusal):
        return text
    offset = text.offset_at(Position(position.line, position.character), session.encoding)
    line = text.line_of(offset)
    # A cursor behind the last character of a line belongs to what ends there, as in a build.
    return min(offset, max(text.line_start(line), text.line_end(line) - 1))


def _overrides(params: extensions.BuildContextParams) -> dict[str, object]:
    model = params.model or extensions.ModelOverride()
    return {
        "model.name": model.name,
        "budget.max_input_tokens": model.max_input_tokens,
        "budget.response_token_reserve": model.response_token_reserve,
        "budget.soft_limit_threshold_pct": model.soft_limit_threshold_pct,
        "budget.estimator": model.estimator,
        "render.format": params.format,
    }
