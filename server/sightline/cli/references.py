"""`sightline refs SYMBOL`: list the uses of a symbol."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from sightline.cli.opening import open_indexed
from sightline.cli.output import DONE, Output, padded
from sightline.engine.host import Host
from sightline.engine.references import references
from sightline.engine.requests import ReferencesRequest
from sightline.engine.results import RelatedSymbol, SymbolRelation
from sightline.engine.shown import EvidenceLines
from sightline.refusals import Refusal

_MOST_SHOWN = 200
_STYLES = {"resolved": "green", "dispatch": "cyan", "ambiguous": "yellow", "textual": "dim"}
_TITLES = {
    "caller": "called by",
    "callee": "calls",
    "base": "extends or implements",
    "implementer": "extended or implemented by",
    "dependency": "depends on",
    "dependent": "used by",
    "overrides": "overrides or implements",
    "overridden_by": "overridden or implemented by",
    "may_dispatch_to": "may lead to",
    "config": "configured by",
}


def run(options: argparse.Namespace, output: Output) -> int:
    with open_indexed(options, None, output) as host:
        if isinstance(host, Refusal):
            return output.refuse(host)
        result = references(host, ReferencesRequest(options.symbol, options.hops))
        if result.refusal is not None:
            return output.refuse(result.refusal, result)
        if output.json:
            output.result(result)
            return DONE
        found = result.definitions
        relations = [relation for each in found for relation in each.relations]
        lines = evidence_lines(host, [each.path for each in found], relations)
        for number, each in enumerate(found):
            if number:
                output.line(("", ""))
            show_symbol(output, RelatedSymbol(each.path, each.symbol, each.kind, each.line))
            show_relations(output, lines, each.relations)
    return DONE


def evidence_lines(
    host: Host, paths: Iterable[str], relations: Iterable[SymbolRelation]
) -> EvidenceLines:
    """Return the lines to print: those of `paths` and of every file that a relation names."""
    named = set(paths)
    for relation in relations:
        named.add(relation.evidence.path)
        named.update(each.path for each in relation.targets)
    return EvidenceLines(host, named)


def show_symbol(output: Output, symbol: RelatedSymbol) -> None:
    where = f"{symbol.path}:{symbol.line}" if symbol.symbol else symbol.path
    output.line((symbol.symbol or symbol.path, "bold"), (f"  {symbol.kind}  {where}", "dim"))


def show_relations(
    output: Output, lines: EvidenceLines, relations: Sequence[SymbolRelation]
) -> None:
    """Print relations by kind, each with the line that is its evidence."""
    by_kind: dict[str, list[SymbolRelation]] = {}
    for relation in relations:
        by_kind.setdefault(relation.kind, []).append(relation)
    if not relations:
        output.line(("  nothing in the workspace relates to it", "dim"))
    for kind, found in by_kind.items():
        output.line((f"  {_TITLES[kind]} ({len(found)})", "cyan"))
        for relation in found[:_MOST_SHOWN]:
            targets = ", ".join(_shown(symbol) for symbol in relation.targets[:3])
            more = max(0, len(relation.targets) - 3) + relation.left_out
            evidence = relation.evidence
            output.line(
                (f"    {padded(relation.confidence, 10)}", _STYLES[relation.confidence]),
                (targets + (f" and {more} more" if more > 0 else ""), ""),
                (f"  [{relation.hops} hops]" if relation.hops > 1 else "", "dim"),
            )
            if kind != "config":
                output.row(
                    (f"               {evidence.path}:{evidence.line}: ", "dim"),
                    (lines.line(evidence.path, evidence.line), "dim"),
                )
        if len(found) > _MOST_SHOWN:
            output.line((f"    and {len(found) - _MOST_SHOWN} more; see --format json", "dim"))


def _shown(symbol: RelatedSymbol) -> str:
    return f"{symbol.path}::{symbol.symbol}:{symbol.line}" if symbol.symbol else symbol.path
