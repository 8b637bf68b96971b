"""`sightline explain PATH[:LINE] --for TARGET`: in the bundle for a target, out of it, or neither.

The answer is read off a bundle that is built for the purpose: nothing is decided here.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import msgspec

from sightline.bundle import ContextBlock, ExcludedCandidate
from sightline.cli.budget_table import LEVELS, evidence_of
from sightline.cli.building import built, path_of, wanted_targets
from sightline.cli.evidence import Lines, no_line, split_line
from sightline.cli.opening import open_project
from sightline.cli.output import DONE, Output
from sightline.context import Built, Refused, Request
from sightline.refusals import Refusal

_SHOWN_LINES = {
    "shown": "is shown",
    "signatures": "is shown as far as it belongs to a signature",
    "left_out": "is left out",
}


def run(options: argparse.Namespace, output: Output) -> int:
    typed, line = split_line(options.path)
    overrides = {
        "budget.max_input_tokens": options.max_input_tokens,
        "context.max_hops": options.hops,
    }
    with open_project(options, path_of(options.target), output, overrides) as opened:
        if isinstance(opened, Refusal):
            return output.refuse(opened)
        path = opened.workspace.relative(typed)
        if isinstance(path, Refusal):
            return output.refuse(path)
        document = opened.workspace.read(path)
        if isinstance(document, Refusal):
            return output.refuse(document)
        last = document.text.last_line_number
        if line is not None and not 1 <= line <= max(1, last):
            return output.refuse(no_line(path, line, last))
        targets = wanted_targets(opened.workspace, [options.target])
        if isinstance(targets, Refusal):
            return output.refuse(targets)
        outcome = built(opened, Request(targets=tuple(targets)))
        if isinstance(outcome, Refused):
            return output.refuse(outcome.refusal)
        record = _record(outcome, path, line, options.target)
        if output.json:
            output.record({**record, "index_complete": opened.project.snapshot.index_complete})
        else:
            _show(output, Lines(opened.workspace), record, _blocks(outcome, path))
    return DONE


def _record(outcome: Built, path: str, line: int | None, target: str) -> dict[str, object]:
    blocks = _blocks(outcome, path)
    excluded = _excluded(outcome, path)
    best = blocks[0].meta if blocks else None
    status = "included" if blocks else "excluded" if excluded else "not_a_candidate"
    relations = [
        *([best.relation] if best and best.relation else []),
        *(best.further_relations if best else ()),
    ]
    costs = {each.block_id: each.tokens for each in outcome.budget_report.blocks}
    return {
        "path": path,
        "for": target,
        "status": status,
        "reason": (best.reason if best else excluded.reason if excluded else None),
        "score": best.score if best else excluded.score if excluded else None,
        "rule": excluded.rule if excluded else None,
        "rule_source": excluded.rule_source if excluded else None,
        "blocks": [
            {
                "priority": block.priority.value,
                "level": block.meta.level,
                "symbol": block.meta.symbol,
                "tokens": costs[block.block_id],
            }
            for block in blocks
        ],
        "relations": [msgspec.to_builtins(each) for each in relations],
        "line": None if line is None else {"number": line, "status": _line_status(blocks, line)},
    }


def _blocks(outcome: Built, path: str) -> list[ContextBlock]:
    """The blocks that show a file; a target's own stands in front of the rest of its file."""
    return [
        block
        for block in outcome.bundle.blocks
        if block.meta.path == path and block.meta.reason is not None
    ]


def _excluded(outcome: Built, path: str) -> ExcludedCandidate | None:
    candidates = outcome.manifest.selection.excluded_candidates
    return next((each for each in candidates if each.path == path), None)


def _line_status(blocks: Sequence[ContextBlock], line: int) -> str:
    metas = [block.meta for block in blocks]
    if any(
        meta.level == "FULL_FILE"
        or any(region.start_line <= line <= region.end_line for region in meta.regions)
        for meta in metas
        if meta.level != "SIGNATURES_ONLY"
    ):
        return "shown"
    is_cut = any(meta.level == "SIGNATURES_ONLY" for meta in metas)
    return "signatures" if is_cut else "left_out"


def _show(
    output: Output, lines: Lines, record: dict[str, object], blocks: Sequence[ContextBlock]
) -> None:
    path, target = str(record["path"]), str(record["for"])
    if record["status"] == "not_a_candidate":
        output.line(
            (path, "bold"), (f"  not a candidate: nothing relates it to {target}", "yellow")
        )
        return
    if record["status"] == "excluded":
        source = f", from {record['rule_source']}" if record["rule_source"] else ""
        score = f", score {record['score']}" if record["score"] is not None else ""
        output.line((path, "bold"), (f"  out of the bundle for {target}", "yellow"))
        output.line((f"  {record['reason']}{score}  [rule {record['rule']}{source}]", ""))
    else:
        output.line((path, "bold"), (f"  in the bundle for {target}", "green"))
    for block in blocks:
        level = LEVELS.get(block.meta.level or "", "")
        symbol = f" of {block.meta.symbol}" if block.meta.symbol else ""
        output.line(
            (f"  {block.priority.value}  ", "bold"),
            (f"{record['reason']}, score {block.meta.score}, {level}{symbol}", ""),
        )
    for relation in (
        each
        for block in blocks[:1]
        for each in (block.meta.relation, *block.meta.further_relations)
        if each is not None
    ):
        evidence = relation.evidence
        output.line(
            (f"      {evidence_of(relation)}: ", "dim"),
            (lines.line(evidence.path, evidence.line), "dim"),
        )
    line = record["line"]
    if isinstance(line, dict):
        output.line((f"  line {line['number']} {_SHOWN_LINES[line['status']]}", ""))
