"""The results of `context.py`, and how they are printed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import attrs

SIGHTLINE = "sightline"


@attrs.frozen
class MissedLine:
    """A line that a bundle does not show, and why."""

    path: str
    line: int
    cause: str
    relation: str
    """The relation of its file to the target."""


@attrs.frozen
class Related:
    """A number of items, and how many of them are shown."""

    all: int
    shown: int


@attrs.frozen
class Outcome:
    """The result for one commit, by budget."""

    repository: str
    commit: str
    target: str
    language: str
    wanted: int
    """The number of lines to find."""
    found: Mapping[str, Mapping[int, int]]
    """By row and budget: how many of them are shown with as many tokens as Sightline spent."""
    tokens: Mapping[str, Mapping[int, int]]
    """By row and budget: the tokens that were spent."""
    found_nominal: Mapping[str, Mapping[int, int]]
    """Like `found`, but each row may spend the soft limit."""
    tokens_nominal: Mapping[str, Mapping[int, int]]
    refusals: Mapping[int, str]
    missed: Mapping[int, Sequence[MissedLine]]
    """By budget, for Sightline only."""
    related: Mapping[int, Related | None]
    """None for a target without direct relations, or with too many."""
    own: Mapping[int, Related | None]
    """The changed lines of the target's file outside of the target; None if there are none."""

    @property
    def is_test(self) -> bool:
        """True if the target is in a test."""
        return is_test(self.target.partition("::")[0])

    def title(self) -> str:
        shares = " ".join(
            f"{100 * found // self.wanted:3} %" for found in self.found[SIGHTLINE].values()
        )
        refused = f"  {', '.join(sorted(set(self.refusals.values())))}" if self.refusals else ""
        return (
            f"{self.repository:22}{self.commit[:9]}  {shares}  of {self.wanted:3}  {self.target}"
            f"{refused}"
        )


def is_test(path: str) -> bool:
    return any("test" in part or "spec" in part for part in path.lower().split("/"))


def print_report(
    outcomes: Sequence[Outcome],
    rows: Sequence[str],
    budgets: Sequence[int],
    *,
    missing: bool,
    cases: bool,
) -> None:
    lines = sum(each.wanted for each in outcomes)
    repositories = {each.repository for each in outcomes}
    print(f"\n{len(outcomes)} commits of {len(repositories)} repositories, {lines} lines to find")
    _print_rows("equal spend", outcomes, rows, budgets, lambda each: (each.found, each.tokens))
    _print_rows(
        "nominal (others spend the soft limit)",
        outcomes,
        rows,
        budgets,
        lambda each: (each.found_nominal, each.tokens_nominal),
    )
    print("\ndirect relations of targets with at most 20 of them, shown as regions")
    _print_related([each.related for each in outcomes], budgets)
    print("\nchanged lines of the target's file outside of the target")
    _print_related([each.own for each in outcomes], budgets)
    _print_groups("by language", outcomes, budgets, lambda each: each.language)
    _print_groups("by repository", outcomes, budgets, lambda each: each.repository)
    _print_groups("by target", outcomes, budgets, lambda each: "test" if each.is_test else "code")
    for budget in budgets:
        refused = Counter(each.refusals[budget] for each in outcomes if budget in each.refusals)
        if refused:
            said = ", ".join(f"{count} {kind}" for kind, count in sorted(refused.items()))
            print(f"refused at {budget}: {said}")
    if missing:
        _print_missing(outcomes, budgets)
    if cases:
        print()
        for each in outcomes:
            print(each.title())


Chosen = Callable[
    [Outcome], tuple[Mapping[str, Mapping[int, int]], Mapping[str, Mapping[int, int]]]
]


def _print_rows(
    title: str,
    outcomes: Sequence[Outcome],
    rows: Sequence[str],
    budgets: Sequence[int],
    chosen: Chosen,
) -> None:
    """Print the mean share, the share of all lines, tokens spent, and tokens for a line found."""
    print(f"\n{title:16}{''.join(f'{budget:>32}' for budget in budgets)}")
    heads = f"{'share':>11}{'micro':>7}{'tokens':>8}{'/line':>6}"
    print(f"{'':16}{heads * len(budgets)}")
    for row in rows:
        measured = [each for each in outcomes if row in chosen(each)[0]]
        if not measured:
            continue
        cells = []
        for budget in budgets:
            found = [chosen(each)[0][row][budget] for each in measured]
            tokens = sum(chosen(each)[1][row][budget] for each in measured)
            wanted = [each.wanted for each in measured]
            mean = sum(one / all_ for one, all_ in zip(found, wanted, strict=True)) / len(found)
            micro = sum(found) / sum(wanted)
            per_line = tokens // max(1, sum(found))
            cells.append(f"{mean:11.3f}{micro:7.3f}{tokens // len(measured):8}{per_line:6}")
        print(f"{row:16}{''.join(cells)}")


def _print_related(shown: Sequence[Mapping[int, Related | None]], budgets: Sequence[int]) -> None:
    for budget in budgets:
        found = [related for each in shown if (related := each[budget])]
        if found:
            mean = sum(each.shown / each.all for each in found) / len(found)
            all_ = sum(each.all for each in found)
            micro = sum(each.shown for each in found) / all_
            print(f"{budget:>9}: {mean:.3f} (micro {micro:.3f}; {len(found)} targets, {all_})")


def _print_groups(
    title: str,
    outcomes: Sequence[Outcome],
    budgets: Sequence[int],
    group: Callable[[Outcome], str],
) -> None:
    groups: dict[str, list[Outcome]] = {}
    for each in outcomes:
        groups.setdefault(group(each), []).append(each)
    if len(groups) < 2:
        return
    print(f"\n{title:30}{'commits':>8}{''.join(f'{budget:>9}' for budget in budgets)}")
    for name, members in sorted(groups.items()):
        shares = "".join(f"{_mean(members, budget):9.3f}" for budget in budgets)
        print(f"{name:30}{len(members):8}{shares}")


def _mean(outcomes: Sequence[Outcome], budget: int) -> float:
    shares = [each.found[SIGHTLINE][budget] / each.wanted for each in outcomes]
    return sum(shares) / len(shares)


def _print_missing(outcomes: Sequence[Outcome], budgets: Sequence[int]) -> None:
    """Print why lines are missing: the share of each cause, each commit with the same weight."""
    for budget in budgets:
        causes: Counter[tuple[str, str, str]] = Counter()
        lines: Counter[tuple[str, str, str]] = Counter()
        for outcome in outcomes:
            for key, count in _causes(outcome.missed[budget]).items():
                causes[key] += round(1_000_000 * count / outcome.wanted / len(outcomes))
                lines[key] += count
        total = sum(causes.values()) / 1_000_000
        print(f"\nmissing at {budget}: {total:.3f}, {sum(lines.values())} lines")
        for key, share in sorted(causes.items(), key=lambda each: (-each[1], each[0])):
            cause, relation, kind = key
            print(f"{share / 1_000_000:7.3f}{lines[key]:6}  {cause:30}{relation:32}{kind}")


def _causes(missed: Iterable[MissedLine]) -> Counter[tuple[str, str, str]]:
    return Counter(
        (each.cause, each.relation, "test" if is_test(each.path) else "") for each in missed
    )


def write_json(path: Path, outcomes: Sequence[Outcome]) -> None:
    plain = [attrs.asdict(each) for each in outcomes]
    path.write_text(json.dumps(plain, indent=1) + "\n", "utf-8")
