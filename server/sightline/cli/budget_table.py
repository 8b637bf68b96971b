"""A bundle as a table for a person: its blocks, their cost and their reason."""

from __future__ import annotations

import textwrap
from collections import Counter

from rich.console import Console
from rich.table import Table
from rich.text import Text as Styled

from sightline.budget import Decision
from sightline.bundle import (
    BlockRelation,
    BudgetReport,
    BuildResult,
    ContextBlock,
    Priority,
    Reason,
)
from sightline.cli.output import escape_controls

_WIDEST_BAR = 40
_ROOM_FOR_REASONS = 72
_ROOM_FOR_LEVELS = 44
"""On terminals with fewer columns than these, columns of the table are left out."""
_BELOW_THE_PATH = " " * 11
_COLOURS = {
    Decision.OK: "green",
    Decision.WARN_SOFT_LIMIT: "yellow",
    Decision.REFUSE_HARD_LIMIT: "red",
}
LEVELS = {
    "FULL_FILE": "whole file",
    "TARGET_REGION_ONLY": "region",
    "SIGNATURES_ONLY": "signatures",
    "SUMMARY_ONLY": "summary",
}


def show_bundle(result: BuildResult) -> None:
    """Print the blocks in the order of the bundle, and the budget as a bar."""
    bundle, manifest, report = result.bundle, result.manifest, result.budget_report
    assert bundle is not None
    assert manifest is not None
    assert report is not None
    console = Console(stderr=True, highlight=False, emoji=False)
    has_levels = console.width >= _ROOM_FOR_LEVELS
    has_reasons = console.width >= _ROOM_FOR_REASONS
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("", no_wrap=True)
    table.add_column("block", overflow="fold")
    if has_levels:
        table.add_column("level", no_wrap=True)
    table.add_column("tokens", justify="right", no_wrap=True)
    if has_reasons:
        table.add_column("why", overflow="fold", style="dim")
    for block, cost in zip(bundle.blocks, report.blocks, strict=True):
        table.add_row(
            block.priority.value,
            Styled(escape_controls(_title(block))),
            *([_level(block)] if has_levels else []),
            str(cost.tokens),
            *([Styled(escape_controls(_why(block)))] if has_reasons else []),
        )
    console.print(table)
    is_plain = not console.encoding.lower().startswith("utf")
    console.print(budget_line(report, min(_WIDEST_BAR, console.width), is_plain=is_plain))
    excluded = Counter(each.reason.value for each in manifest.selection.excluded_candidates)
    if excluded:
        counts = ", ".join(f"{excluded[reason]} {reason}" for reason in sorted(excluded))
        console.print(Styled(f"left out: {counts}; --explain lists them", "dim"))


def budget_line(report: BudgetReport, width: int, *, is_plain: bool) -> Styled:
    """Return the budget as a bar: the used part, and the position of the soft limit."""
    hard = max(1, report.hard_limit_tokens)
    used = min(width, -(-report.estimated_input_tokens * width // hard))
    soft = min(width - 1, report.soft_limit_tokens * width // hard)
    full, empty, mark = "#.|" if is_plain else "█·│"
    cells = [full if index < used else empty for index in range(width)]
    if used <= soft:
        cells[soft] = mark
    line = Styled()
    line.append("".join(cells), _COLOURS[report.decision])
    line.append(f" {_spent(report)}")
    return line


def spent(result: BuildResult) -> str:
    """Return the budget in one line."""
    assert result.budget_report is not None
    return _spent(result.budget_report)


def _spent(report: BudgetReport) -> str:
    optional = sum(each.tokens for each in report.blocks if each.priority is Priority.P3)
    needed = report.estimated_input_tokens - optional
    return (
        f"{needed}{f' + {optional}' if optional else ''} of {report.hard_limit_tokens} tokens "
        f"({report.decision.value}, soft limit {report.soft_limit_tokens}, {report.estimator})"
    )


def show_candidates(result: BuildResult) -> None:
    """Print every candidate with its score, and its rule or evidence, on stderr."""
    assert result.manifest is not None
    console = Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)
    selection = result.manifest.selection
    for included in sorted(selection.included_files, key=lambda each: (-each.score, each.path)):
        evidence = f"  {evidence_of(included.relation)}" if included.relation else ""
        _print_candidate(
            console,
            f"in   {included.score:>4}  {included.path}  {included.reason.value}, "
            f"{LEVELS[included.level]}{evidence}",
        )
    for optional in selection.optional_files:
        evidence = evidence_of(optional.relation) if optional.relation else ""
        _print_candidate(
            console,
            f"in   {optional.score:>4}  {optional.path}  {optional.reason.value}, "
            f"{LEVELS[optional.level]}  {evidence}",
        )
    for excluded in selection.excluded_candidates:
        symbol = f"::{excluded.symbol}" if excluded.symbol else ""
        score = "    " if excluded.score is None else f"{excluded.score:>4}"
        source = f" ({excluded.rule_source})" if excluded.rule_source else ""
        _print_candidate(
            console,
            f"out  {score}  {excluded.path}{symbol}  {excluded.reason.value}: "
            f"{excluded.rule}{source}",
            "dim",
        )


def _print_candidate(console: Console, line: str, style: str = "") -> None:
    """Print a line; a terminal shows it as several lines below each other if it is too long."""
    shown = escape_controls(line)
    if console.is_terminal and len(shown) > console.width > 2 * len(_BELOW_THE_PATH):
        shown = textwrap.fill(
            shown,
            console.width,
            subsequent_indent=_BELOW_THE_PATH,
            break_long_words=False,
            break_on_hyphens=False,
        )
    console.print(Styled(shown, style))


def _title(block: ContextBlock) -> str:
    if block.meta.path is None:
        return block.title
    symbol = f"  {block.meta.symbol}" if block.meta.symbol else ""
    return f"{block.title}{symbol}"


def _level(block: ContextBlock) -> str:
    return LEVELS.get(block.meta.level or "", block.block_type.value)


def _why(block: ContextBlock) -> str:
    """Return the reason and its evidence; for a configuration file, the reason alone."""
    reason, relation = block.meta.reason, block.meta.relation
    if reason is None:
        return evidence_of(relation) if relation is not None else ""
    if relation is None or reason is Reason.CONFIG:
        return reason.value
    evidence = evidence_of(relation)
    return evidence if relation.kind == reason.value else f"{reason.value}: {evidence}"


def evidence_of(relation: BlockRelation) -> str:
    evidence = relation.evidence
    if evidence is None:
        return f"{relation.kind}: shares {', '.join(relation.shared)}"
    return f"{relation.kind} {evidence.name} at {evidence.path}:{evidence.line}" + (
        f" ({relation.confidence})" if relation.confidence != "resolved" else ""
    )
