"""Targets under many budgets, checked by rules that are written down here once more.

`--sweep N` tries N budgets for each target.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from sightline.bundle import ContextBlock, IncludedFile, OptionalFile
from sightline.context import Built, Refused
from sightline.languages import Registry
from sightline.workers import Workers
from tests.context import workspaces as w
from tests.context.bench import Bench, file_blocks, included, shown

_WEIGHTS = {
    "target": 100,
    "user_selected": 100,
    "interface": 55,
    "base_type": 55,
    "config": 30,
}
_KIND_WEIGHTS = {"dependency": 60, "import": 0, "implementer": 40, "overridden_by": 40}
_TARGETS = (
    w.TOTAL,
    w.PRICING,
    f"{w.SERVICE}::LoginAsync",
    "orders/ledger.py::Ledger.book",
    f"{w.MODEL}::Order",
)


def _files() -> dict[str, str | bytes]:
    """Both projects of the other tests, a class of many methods, and many callers of one."""
    methods = "".join(
        f"\n    def entry_{number}(self, order: Order) -> int:\n"
        f"        amount_{number} = order.amount + {number}\n"
        f"        return self.pricing.rounded(amount_{number})\n"
        for number in range(60)
    )
    ledger = (
        "from orders.model import Order\nfrom orders.pricing import Pricing\n\n\n"
        "class Ledger:\n    def __init__(self) -> None:\n        self.pricing = Pricing()\n\n"
        "    def book(self, order: Order) -> int:\n        return self.entry_7(order)\n" + methods
    )
    callers = {
        f"orders/shop_{number:02}.py": (
            "from orders.ledger import Ledger\nfrom orders.model import Order\n\n\n"
            f"def sell_{number}(order: Order) -> int:\n    ledger = Ledger()\n"
            + "".join(f"    note_{number}_{line} = {line}\n" for line in range(number))
            + f"    return ledger.book(order) + {number}\n"
        )
        for number in range(14)
    }
    return {**w.SHOP, **w.ORDERS, "orders/ledger.py": ledger, **callers}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, registry: Registry, workers: Workers) -> Bench:
    bench = Bench(tmp_path_factory.mktemp("sweep"), registry, workers)
    bench.write(_files())
    return bench


@pytest.mark.parametrize("target", _TARGETS)
def test_every_rule_holds_under_every_budget(
    made: Bench, target: str, request: pytest.FixtureRequest
) -> None:
    """Steps in their order, nothing unaccounted, scores that follow, and no smaller budget more."""
    count = request.config.getoption("--sweep")
    ample = made.build(target, settings=_budget(200_000))
    most = ample.budget_report.estimated_input_tokens * 5 // 4
    budgets = sorted({most * number // count for number in range(1, count + 1)})
    before: Built | None = None
    refused = 0
    is_cut = _tokens(made, target, "region") < _tokens(made, target, "full")
    for tokens in budgets:
        outcome = made.attempt(target, settings=_budget(tokens))
        if isinstance(outcome, Refused):
            refused += 1
            assert before is None, "a larger budget never refuses what a smaller one shows"
            continue
        _check_steps(outcome, is_cut=is_cut)
        _check_scores(outcome)
        _check_accounts(outcome, ample)
        if before is not None:
            _check_nothing_lost(before, outcome)
        before = outcome
    assert before is not None
    assert refused < len(budgets)
    _check_removed(made, target, ample)


def _budget(tokens: int) -> dict[str, object]:
    return {"budget.max_input_tokens": tokens, "budget.response_token_reserve": 0}


def _tokens(made: Bench, target: str, level: str) -> int:
    """Return what a target costs alone, at a level."""
    settings = {"context.depth": "target", "context.target_level": level}
    return made.build(target, settings=settings).budget_report.estimated_input_tokens


def _steps(built: Built) -> list[tuple[int, str]]:
    """The number of each step that was taken, and what it says."""
    found = [re.match(r"step (\d): (.*)", note) for note in built.budget_report.notes]
    return [(int(each[1]), each[2]) for each in found if each is not None]


def _check_steps(built: Built, *, is_cut: bool) -> None:
    """`is_cut` says whether the target costs less as a region than with its whole file."""
    steps = _steps(built)
    numbers = [number for number, _ in steps]
    assert numbers == sorted(numbers)
    priorities = {block.priority.value for block in file_blocks(built)}
    report = built.budget_report
    is_enriched = any(note.startswith("enrichment") for note in report.notes)
    if steps:
        assert not is_enriched
        assert "P3" not in priorities
    if is_enriched:
        assert report.estimated_input_tokens <= report.soft_limit_tokens
    if any(number >= 3 for number in numbers):
        assert "P2" not in priorities
    target = [block for block in file_blocks(built) if block.priority.value == "P0"]
    was_p1_removed = any(
        number == 4 and text.startswith("removed") and "(P1)" in text for number, text in steps
    )
    if was_p1_removed and is_cut:
        assert all(block.meta.level != "FULL_FILE" for block in target)
    for redaction in built.redaction_report.redactions:
        if redaction.type == "content_sliced" and redaction.reason == "budget":
            assert any(f"{redaction.target} as " in text for _, text in steps)


def _check_scores(built: Built) -> None:
    for file in shown(built).values():
        assert file.score == _expected_score(file), (file.path, file.score, file.relation)
    for block in file_blocks(built):
        relation = block.meta.relation
        if block.meta.reason is None:
            assert relation is not None
            assert (relation.kind, relation.hops, relation.evidence) == ("similar", None, None)
            assert relation.shared
            assert block.meta.likeness


def _expected_score(file: IncludedFile | OptionalFile) -> int:
    size = min(30, file.byte_size // 200_000)
    relation = file.relation
    if isinstance(file, OptionalFile):
        return -size
    weight = _WEIGHTS.get(file.reason.value, 40)
    hops = 1
    if relation is not None:
        weight = _KIND_WEIGHTS.get(relation.kind, weight)
        hops = relation.hops or 1
        if relation.confidence != "resolved":
            weight = 0
    return weight - size - 10 * (hops - 1)


def _check_accounts(built: Built, ample: Built) -> None:
    """Whatever relates to the target is in or out, with its rule."""
    excluded = built.manifest.selection.excluded_candidates
    known = {*shown(built), *(each.path for each in excluded)}
    everything = ample.manifest.selection
    related = {
        *(each.path for each in everything.included_files),
        *(each.path for each in everything.excluded_candidates),
    }
    assert related <= known
    for each in excluded:
        assert each.rule
        assert each.rule_source


def _check_nothing_lost(smaller: Built, larger: Built) -> None:
    mine, theirs = _lines(smaller), _lines(larger)
    for path, lines in mine.items():
        assert lines <= theirs.get(path, set()), path
    assert set(included(smaller)) <= set(shown(larger))


def _lines(built: Built) -> dict[str, set[int]]:
    """By path the lines that are shown whole."""
    found: dict[str, set[int]] = {}
    for block in file_blocks(built):
        found.setdefault(block.meta.path or "", set()).update(_block_lines(block))
    return found


def _block_lines(block: ContextBlock) -> Iterator[int]:
    if block.meta.level == "FULL_FILE":
        yield from range(1, block.meta.line_count + 1)
    elif block.meta.level == "TARGET_REGION_ONLY":
        for region in block.meta.regions:
            yield from range(region.start_line, region.end_line + 1)


def _check_removed(made: Bench, target: str, ample: Built) -> None:
    """P2 blocks go in the reverse of the contract's rank."""
    needed = made.build(target, settings={**_budget(200_000), "context.depth": "needed"})
    files = {
        block.meta.path or "": block for block in file_blocks(needed) if block.priority == "P2"
    }

    def rank(path: str) -> tuple[int, int, int, bytes]:
        meta = files[path].meta
        assert meta.score is not None
        hops = meta.relation.hops if meta.relation and meta.relation.hops else 1
        return -meta.score, hops, meta.byte_size, path.encode()

    expected = sorted(files, key=rank, reverse=True)
    least = made.attempt(target, settings=_budget(1))
    assert isinstance(least, Refused)
    assert least.budget_report is not None
    smallest = made.build(target, settings=_budget(least.budget_report.estimated_input_tokens))
    removed = [
        found[1]
        for number, text in _steps(smallest)
        if number == 2 and (found := re.match(r"removed (.*) \(P2\)", text))
    ]
    assert removed == expected
    assert {*removed} <= {*shown(ample)}
