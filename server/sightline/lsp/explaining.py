"""Answers about a place: what it relates to, whether it would be in, what it would cost."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import msgspec

from sightline.bundle import Priority, Reason
from sightline.context import Built, Document, Refused, Request, Sources
from sightline.context.blocks import Item, Role, Shape, Workshop
from sightline.context.selecting import cleared_document
from sightline.context.targets import symbol_around
from sightline.index import Place as Symbol
from sightline.index import Target
from sightline.lsp.extensions import BudgetStatusParams
from sightline.lsp.extensions import Target as WireTarget
from sightline.lsp.folder import Folder, busy
from sightline.lsp.session import Focus, Session
from sightline.refusals import Refusal, RefusalKind
from sightline.symbols import find_symbol

_SHAPES = {
    "full": Shape.FULL,
    "region": Shape.REGION,
    "signatures": Shape.SIGNATURES,
    "summary": Shape.SUMMARY,
}
_REPLAYED = ("model.", "budget.", "render.", "slicing.", "context.")


def replayed(overrides: Mapping[str, object]) -> dict[str, object]:
    """Overrides that a recorded build may bring with it: none of them guards."""
    return {key: value for key, value in overrides.items() if key.startswith(_REPLAYED)}


def slice_of(
    folder: Folder, path: str, level: str, names: Sequence[str], offset: int | None
) -> dict[str, Any] | Refusal:
    """One file at one level, its secrets replaced. On the editors' thread."""
    shape = _SHAPES.get(level)
    if shape is None:
        return _refuse("unknown_level", path, "there is no such level", f"use {', '.join(_SHAPES)}")
    try:
        folder.settle([path])
        document = _current(folder, path)
    except TimeoutError:
        return busy()
    if isinstance(document, Refusal):
        return document
    snapshot = folder.project.snapshot
    sources = folder.desk.sources(folder.loaded.settings)
    targets = _named(sources, document, names)
    if isinstance(targets, Refusal):
        return targets
    if shape is Shape.REGION and not targets and offset is not None:
        around = symbol_around(sources, document, offset)
        targets = [around] if around else []
    workshop = Workshop(sources, allow_summary=True)
    item = Item(Role.TARGET, Priority.P0, document, Reason.TARGET, 100, targets=tuple(targets))
    block = workshop.block(item, shape)
    if block is None:
        problem = workshop.problem(path, shape) or "it cannot be cut exactly"
        return _refuse("no_slice", path, problem, "take the whole file")
    return {
        "status": "ok",
        "path": path,
        "level": block.meta.level,
        "content": block.content,
        "hash": block.meta.hash,
        "encoding": block.meta.encoding.value,
        "regions": msgspec.to_builtins(block.meta.regions),
        "document_version": block.meta.document_version,
        "redactions": _redactions(document),
        "index_complete": snapshot.index_complete,
    }


def _named(sources: Sources, document: Document, names: Sequence[str]) -> list[Target] | Refusal:
    """Symbols of a file by their names, as `outline` gives them."""
    path = document.path
    if not names:
        return []
    if document.language is None:
        return _refuse("unknown_symbol", path, "it has no symbols", "take the whole file")
    cut = sources.cuts([document])[path]
    if isinstance(cut, Refusal):
        return cut
    starts = set()
    for name in names:
        symbol = find_symbol(cut.summary, name)
        if isinstance(symbol, Refusal):
            return attrs.evolve(symbol, path=path)
        starts.add(symbol.name_span.start)
    scope = sources.snapshot.scope(path)
    definitions = scope.definitions if scope is not None else ()
    return [(path, index) for index, each in enumerate(definitions) if each.name_start in starts]


def _current(folder: Folder, path: str) -> Document | Refusal:
    """A document that the index knows as it is, with nothing in it that may not be shown."""
    sources = folder.desk.sources(folder.loaded.settings)
    found = sources.documents([path])[path]
    state = sources.snapshot.files.get(path)
    if (
        not isinstance(found, Refusal)
        and state is not None
        and state.digest != hashlib.sha256(found.text.data).digest()
    ):
        folder.catch_up()
    document = cleared_document(found)
    if isinstance(document, str):
        return Refusal(
            RefusalKind.SECRET_RISK,
            "secret_risk",
            path,
            f"the file holds what looks like a secret ({document})",
            "move the secret out of the project, or add a deny rule",
            rule=document,
            source="egress",
        )
    return document


def explained(folder: Folder, path: str, offset: int | None) -> dict[str, Any]:
    """What a file, or the symbol at an offset, stands in relation to. On the editors' thread."""
    try:
        folder.settle([path])
        folder.settle_relations()
        found = folder.desk.look_at(path)
    except TimeoutError:
        found = busy()
    refusal = found if isinstance(found, Refusal) else None
    snapshot = folder.project.snapshot
    target: Target | None = None
    if offset is not None and not isinstance(found, Refusal):
        sources = folder.desk.sources(folder.loaded.settings)
        target = symbol_around(sources, found, offset)
    relations = [] if refusal is not None else snapshot.around(path, target)
    place = snapshot.place(target) if target else Symbol(path, "", "file", 1)
    return {
        "status": "ok" if refusal is None else "refused",
        "refusal": refusal.as_dict() if refusal else None,
        **place.as_dict(),
        "relations": [each.as_dict() for each in relations],
        "candidate": None,
        "index_complete": snapshot.index_complete,
    }


def verdict(outcome: Built | Refused, path: str) -> dict[str, Any]:
    """Whether a path is in a bundle, and why or why not."""
    if isinstance(outcome, Refused):
        return {"verdict": "refused", "refusal": outcome.refusal.as_dict()}
    selection = outcome.manifest.selection
    for included in selection.included_files:
        if included.path == path:
            blocks = [each for each in outcome.bundle.blocks if each.meta.path == path]
            return {
                "verdict": "in",
                **msgspec.to_builtins(included),
                "priority": blocks[0].priority.value,
            }
    for excluded in selection.excluded_candidates:
        if excluded.path == path:
            return {"verdict": "out", **msgspec.to_builtins(excluded)}
    return {"verdict": "not_a_candidate", "path": path}


async def budget_status(session: Session, focus: Focus) -> BudgetStatusParams:
    """What a bundle for the focus would cost. Raises `OvertakenError` when somebody asks."""
    place = session.place(focus.uri)
    document = session.documents.get(focus.uri)
    version = document.version if document else None
    refusal = session.out_of_step(focus.uri)
    if isinstance(place, Refusal):
        return _no_status(focus.uri, version, refusal or place, None)
    if refusal is not None:
        return _no_status(focus.uri, version, refusal, place.folder)
    wanted = session.wanted(place.folder, WireTarget(focus.uri, focus.position))

    def asked() -> Request | Refusal:
        active = wanted()
        return active if isinstance(active, Refusal) else Request(active=active)

    answered = await place.folder.build_unasked(asked)
    if isinstance(answered, Refusal):
        return _no_status(focus.uri, version, answered, place.folder)
    outcome = answered.outcome
    report = outcome.budget_report
    built = outcome if isinstance(outcome, Built) else None
    if report is None:
        assert isinstance(outcome, Refused)
        return _no_status(focus.uri, version, outcome.refusal, place.folder)
    targets = built.manifest.selection.target_symbols if built else ()
    levels = [
        each.meta.level
        for each in (built.bundle.blocks if built else ())
        if each.meta.path == place.path and each.priority is Priority.P0
    ]
    return BudgetStatusParams(
        uri=focus.uri,
        version=version,
        decision=report.decision.value,
        tokens=report.estimated_input_tokens,
        soft_limit_tokens=report.soft_limit_tokens,
        hard_limit_tokens=report.hard_limit_tokens,
        symbol=targets[0].partition("::")[2] or None if targets else None,
        level=levels[0] if levels else None,
        refusal=outcome.refusal.as_dict() if isinstance(outcome, Refused) else None,
        blocks=tuple(
            {"title": each.title, "priority": each.priority.value, "tokens": each.tokens}
            for each in report.blocks
        ),
        index_complete=answered.index_complete,
        revision=answered.revision,
    )


def _no_status(
    uri: str, version: int | None, refusal: Refusal, folder: Folder | None
) -> BudgetStatusParams:
    return BudgetStatusParams(
        uri=uri,
        version=version,
        decision="none",
        tokens=0,
        soft_limit_tokens=0,
        hard_limit_tokens=0,
        symbol=None,
        level=None,
        refusal=refusal.as_dict(),
        blocks=(),
        index_complete=folder.snapshot.index_complete if folder else False,
        revision=folder.revision if folder else 0,
    )


def _redactions(document: Document) -> list[dict[str, Any]]:
    findings = document.findings if isinstance(document.findings, tuple) else ()
    return [
        {
            "detector": each.detector,
            "line": document.text.line_of(each.span.start) + 1,
        }
        for each in findings
    ]


def _refuse(reason: str, path: str, message: str, advice: str) -> Refusal:
    return Refusal(RefusalKind.INVALID_REQUEST, reason, path, message, advice)
