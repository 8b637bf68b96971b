"""Explain what a file or symbol relates to, and its place in the bundle for a target.

The place is read from a bundle that is built for the purpose: nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from sightline.bundle import BuildResult, ContextBlock, ContextBundle, Status
from sightline.context import BuildRequest, ScannedDocument
from sightline.context.targets import symbol_around, symbol_named
from sightline.engine.build import build
from sightline.engine.build_sources import BuildSources
from sightline.engine.cancelling import Cancellation
from sightline.engine.host import Host
from sightline.engine.references import conceal, related_symbol, symbol_relations, wrong_hops
from sightline.engine.requests import ExplainRequest
from sightline.engine.results import (
    CandidateBlock,
    CandidateLine,
    CandidateStatus,
    ExplainCandidate,
    ExplainResult,
    refused,
)
from sightline.engine.shown import concealed
from sightline.index import SymbolId, SymbolLocation
from sightline.refusals import Refusal, RefusalKind


def explain(
    host: Host, request: ExplainRequest, overrides: Mapping[str, object] | None = None
) -> ExplainResult:
    """Return what a file, or the symbol at a place in it, relates to.

    With a target, also say whether the file is in that target's bundle; `overrides` are settings of
    that build.
    """
    document = host.cache.look_at(request.path)
    refusal = document if isinstance(document, Refusal) else wrong_hops(request.hops)
    if not isinstance(document, Refusal) and request.line is not None:
        last = document.text.last_line_number
        if not 1 <= request.line <= max(1, last):
            refusal = no_such_line(request.path, request.line, last)
    if isinstance(document, Refusal) or refusal is not None:
        assert refusal is not None
        return refused(ExplainResult, concealed(host, refusal, request.path))
    target = _symbol(host, document, request)
    if isinstance(target, Refusal):
        return refused(ExplainResult, concealed(host, target, request.path))
    snapshot = host.snapshot
    relations = snapshot.relations.around(request.path, target, request.hops)
    place = snapshot.place(target) if target else SymbolLocation(request.path, "", "file", 1)
    target_name = str(request.target) if request.target is not None else ""
    names = conceal(host, [place], relations, target_name)
    about = related_symbol(place, names)
    state = snapshot.files.get(request.path)
    candidate = None
    if request.target is not None:
        result = build(host, BuildRequest(targets=(request.target,)), overrides)
        candidate = explain_candidate(result, request)
        candidate = msgspec.structs.replace(candidate, target=names.text(candidate.target))
    return ExplainResult(
        status=Status.OK,
        path=about.path,
        symbol=about.symbol,
        kind=about.kind,
        line=about.line,
        language=state.language if state and state.language else None,
        fault=state.fault if state and state.fault else None,
        relations=symbol_relations(relations, names),
        candidate=candidate,
        index_complete=snapshot.index_complete,
    )


def explain_candidate(result: BuildResult, request: ExplainRequest) -> ExplainCandidate:
    """Say whether, how and why a file is in the bundle for the request's target."""
    target = str(request.target)
    bundle, manifest, budget = result.bundle, result.manifest, result.budget_report
    if bundle is None or manifest is None or budget is None:
        return ExplainCandidate(target, CandidateStatus.REFUSED, result.refusal)
    blocks = _blocks(bundle, request.path)
    line = _line(blocks, request.line)
    if blocks:
        best = blocks[0].meta
        costs = {each.block_id: each.tokens for each in budget.blocks}
        return ExplainCandidate(
            target,
            CandidateStatus.INCLUDED,
            reason=best.reason.value if best.reason else "similar",
            score=best.score,
            priority=blocks[0].priority,
            level=best.level,
            blocks=tuple(
                CandidateBlock(
                    block.priority, block.meta.level, block.meta.symbol, costs[block.block_id]
                )
                for block in blocks
            ),
            relations=(*([best.relation] if best.relation else []), *best.further_relations),
            line=line,
        )
    for excluded in manifest.selection.excluded_candidates:
        if excluded.path == request.path:
            return ExplainCandidate(
                target,
                CandidateStatus.EXCLUDED,
                reason=excluded.reason.value,
                score=excluded.score,
                rule=excluded.rule,
                rule_source=excluded.rule_source,
                line=line,
            )
    return ExplainCandidate(target, CandidateStatus.NOT_A_CANDIDATE, line=line)


def no_such_line(path: str, line: int, last: int) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "no_such_line",
        path,
        f"it has no line {line}",
        f"its last line is {last}",
    )


def _symbol(
    host: Host, document: ScannedDocument, request: ExplainRequest
) -> SymbolId | Refusal | None:
    if request.symbol is not None:
        return symbol_named(host.snapshot, request.path, request.symbol)
    offset = request.offset
    if request.line is not None:
        offset = document.text.first_character(request.line - 1)
    if offset is None:
        return None
    sources = BuildSources(host.cache, host.snapshot, host.settings, Cancellation())
    return symbol_around(sources, document, offset)


def _blocks(bundle: ContextBundle, path: str) -> list[ContextBlock]:
    """Return the blocks that show a file; the block of the target itself comes first."""
    return [
        block for block in bundle.blocks if block.meta.path == path and block.meta.level is not None
    ]


def _line(blocks: Sequence[ContextBlock], line: int | None) -> CandidateLine | None:
    if line is None:
        return None
    metas = [block.meta for block in blocks]
    if any(
        meta.level == "FULL_FILE"
        or any(region.start_line <= line <= region.end_line for region in meta.regions)
        for meta in metas
        if meta.level != "SIGNATURES_ONLY"
    ):
        return CandidateLine(line, "shown")
    is_cut = any(meta.level == "SIGNATURES_ONLY" for meta in metas)
    return CandidateLine(line, "signatures" if is_cut else "left_out")
