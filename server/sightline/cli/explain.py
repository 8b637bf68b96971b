"""`sightline explain PATH[:LINE|::SYMBOL] [--for TARGET]`: relations, and the place in a bundle."""

from __future__ import annotations

import argparse

from sightline.cli.budget_table import LEVELS, evidence_of
from sightline.cli.opening import open_indexed
from sightline.cli.output import DONE, Output
from sightline.cli.references import evidence_lines, show_relations, show_symbol
from sightline.engine.explain import explain
from sightline.engine.host import Host
from sightline.engine.requests import ExplainRequest
from sightline.engine.results import (
    CandidateStatus,
    ExplainCandidate,
    ExplainResult,
    RelatedSymbol,
)
from sightline.engine.shown import EvidenceLines
from sightline.engine.typed_targets import typed_line, typed_path, typed_target
from sightline.refusals import Refusal, RefusalKind

_SHOWN_LINES = {
    "shown": "is shown",
    "signatures": "is shown as far as it belongs to a signature",
    "left_out": "is left out",
}


def run(options: argparse.Namespace, output: Output) -> int:
    if options.max_input_tokens is not None and options.target is None:
        return output.refuse(_without_target())
    typed, symbol = typed_path(options.path), None
    if typed == options.path or "::" not in options.path:
        typed, line = typed_line(options.path)
    else:
        symbol, line = options.path.removeprefix(f"{typed}::"), None
    around = typed if options.target is None else typed_path(options.target)
    overrides = {
        "budget.max_input_tokens": options.max_input_tokens,
        "context.max_hops": options.hops if options.target is not None else None,
    }
    with open_indexed(options, around, output, overrides) as host:
        if isinstance(host, Refusal):
            return output.refuse(host)
        request = _request(host, options, typed, line, symbol)
        if isinstance(request, Refusal):
            return output.refuse(request)
        result = explain(host, request)
        refusal = result.refusal or (result.candidate.refusal if result.candidate else None)
        if refusal is not None:
            return output.refuse(refusal, result)
        if output.json:
            output.result(result)
        elif result.candidate is not None:
            _show_candidate(output, host, result.path or typed, result.candidate)
        else:
            _show(output, host, result)
    return DONE


def _request(
    host: Host, options: argparse.Namespace, typed: str, line: int | None, symbol: str | None
) -> ExplainRequest | Refusal:
    path = host.path_of(typed)
    if isinstance(path, Refusal):
        return path
    target = typed_target(host, options.target) if options.target is not None else None
    if isinstance(target, Refusal):
        return target
    return ExplainRequest(path, line=line, symbol=symbol, target=target, hops=options.hops or 1)


def _show(output: Output, host: Host, result: ExplainResult) -> None:
    symbol = RelatedSymbol(
        result.path or "", result.symbol, result.kind or "file", result.line or 1
    )
    show_symbol(output, symbol)
    show_relations(output, evidence_lines(host, [symbol.path], result.relations), result.relations)


def _show_candidate(output: Output, host: Host, path: str, candidate: ExplainCandidate) -> None:
    target = candidate.target
    if candidate.status is CandidateStatus.NOT_A_CANDIDATE:
        output.line(
            (path, "bold"), (f"  not a candidate: nothing relates it to {target}", "yellow")
        )
        return
    if candidate.status is CandidateStatus.EXCLUDED:
        source = f", from {candidate.rule_source}" if candidate.rule_source else ""
        score = f", score {candidate.score}" if candidate.score is not None else ""
        output.line((path, "bold"), (f"  out of the bundle for {target}", "yellow"))
        output.line((f"  {candidate.reason}{score}  [rule {candidate.rule}{source}]", ""))
    else:
        output.line((path, "bold"), (f"  in the bundle for {target}", "green"))
    for block in candidate.blocks:
        level = LEVELS.get(block.level or "", "")
        symbol = f" of {block.symbol}" if block.symbol else ""
        output.line(
            (f"  {block.priority.value}  ", "bold"),
            (f"{candidate.reason}, score {candidate.score}, {level}{symbol}", ""),
        )
    told = [each.evidence for each in candidate.relations if each.evidence is not None]
    lines = EvidenceLines(host, [each.path for each in told])
    for relation in candidate.relations:
        evidence = relation.evidence
        line = lines.line(evidence.path, evidence.line) if evidence is not None else ""
        output.row((f"      {evidence_of(relation)}{': ' if line else ''}", "dim"), (line, "dim"))
    if candidate.line is not None:
        output.line((f"  line {candidate.line.number} {_SHOWN_LINES[candidate.line.status]}", ""))


def _without_target() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "usage",
        None,
        "--max-input-tokens needs --for",
        "see 'sightline explain --help'",
    )
