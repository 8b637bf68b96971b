"""Limits, decisions, the five steps of the fit, and slices that are exact or not there."""

from __future__ import annotations

import pytest

from sightline.budget import Decision, TokenLimits, decide, estimator, estimator_names, token_limits
from sightline.context import BuildRequest, Built, LastError, PlanStep, Refused, TargetSpec
from sightline.languages import Registry
from sightline.refusals import Refusal, RefusalKind
from sightline.settings import Loaded, load
from sightline.workers import Workers
from tests.context import workspaces as w
from tests.context.bench import (
    Bench,
    block_of,
    blocks_of,
    excluded,
    file_blocks,
    included,
    redactions,
    shape,
)
from tests.context.conftest import MakeBench

_RESERVE = 100
_LOGIN = f"{w.SERVICE}::LoginAsync"


def _budget(tokens: int, reserve: int = _RESERVE, percent: int = 80) -> dict[str, object]:
    """Settings under which the hard limit is `tokens`."""
    return {
        "budget.max_input_tokens": tokens + reserve,
        "budget.response_token_reserve": reserve,
        "budget.soft_limit_threshold_pct": percent,
    }


# Limits and decisions.


@pytest.mark.parametrize(
    ("max_input", "reserve", "percent", "hard", "soft"),
    [
        (100_000, 4_000, 80, 96_000, 76_800),
        (1_000, 1, 80, 999, 799),
        (1_000, 0, 100, 1_000, 1_000),
        (101, 0, 99, 101, 99),
        (2, 1, 1, 1, 0),
    ],
)
def test_hard_and_soft_limit(
    max_input: int, reserve: int, percent: int, hard: int, soft: int
) -> None:
    """Hard is what the reserve leaves; soft is a share of it, rounded down."""
    loaded = load(
        None,
        None,
        {},
        {
            "budget.max_input_tokens": max_input,
            "budget.response_token_reserve": reserve,
            "budget.soft_limit_threshold_pct": percent,
        },
    )
    assert isinstance(loaded, Loaded)
    found = token_limits(loaded.settings.profile()[0])
    assert found == TokenLimits(max_input, hard, soft, reserve)


@pytest.mark.parametrize(
    ("tokens", "decision"),
    [
        (0, Decision.OK),
        (80, Decision.OK),
        (81, Decision.WARN_SOFT_LIMIT),
        (100, Decision.WARN_SOFT_LIMIT),
        (101, Decision.REFUSE_HARD_LIMIT),
    ],
)
def test_a_limit_belongs_to_what_is_below_it(tokens: int, decision: Decision) -> None:
    assert decide(tokens, TokenLimits(110, 100, 80, 10)) is decision


def _tokens(made: Bench, target: str) -> int:
    """What a target costs where nothing has to go."""
    return made.build(target).budget_report.estimated_input_tokens


def test_exactly_the_soft_limit_is_ok(bench: MakeBench) -> None:
    made = bench({"a.xml": "<a/>\n"})
    tokens = _tokens(made, "a.xml")
    built = made.build("a.xml", settings=_budget(tokens, percent=100))
    report = built.budget_report
    assert (report.decision, report.estimated_input_tokens) == (Decision.OK, tokens)


def test_exactly_the_hard_limit_comes_with_a_warning(bench: MakeBench) -> None:
    made = bench({"a.xml": "<a/>\n"})
    tokens = _tokens(made, "a.xml")
    report = made.build("a.xml", settings=_budget(tokens, percent=99)).budget_report
    assert (report.decision, report.estimated_input_tokens) == (Decision.WARN_SOFT_LIMIT, tokens)
    assert any("warning" in note and str(tokens) in note for note in report.notes)


def test_one_token_below_what_is_needed_is_refused(bench: MakeBench) -> None:
    """Nothing but fixed blocks and a file that cannot be cut: the smallest bundle is exact."""
    made = bench({"a.xml": "<a>text</a>\n" * 40})
    refused = made.refuse(RefusalKind.CONTEXT_TOO_LARGE, "a.xml", settings=_budget(50))
    assert refused.budget_report is not None
    smallest = refused.budget_report.estimated_input_tokens
    assert refused.budget_report.decision is Decision.REFUSE_HARD_LIMIT
    made.refuse(RefusalKind.CONTEXT_TOO_LARGE, "a.xml", settings=_budget(smallest - 1))
    made.build("a.xml", settings=_budget(smallest))


# Estimators.


def test_the_estimator_and_its_version_are_recorded(bench: MakeBench) -> None:
    made = bench({"a.py": "first = 1\n"})
    for name in estimator_names():
        report = made.build("a.py", settings={"budget.estimator": name}).budget_report
        assert report.estimator == name
        assert f"estimator {name}" in report.notes
        assert report.estimated_input_tokens > 0


@pytest.mark.parametrize("name", estimator_names())
def test_the_same_text_has_the_same_count(name: str) -> None:
    first, second = estimator(name), estimator(name)
    assert not isinstance(first, Refusal)
    assert not isinstance(second, Refusal)
    text = "def größe(x):\n    return x ** 2  # 語\n" * 9
    counts = {each.tokens(text) for each in (first, second, first)}
    assert len(counts) == 1
    assert 0 < counts.pop() < len(text.encode())
    assert first.tokens("") == 0


def test_the_estimate_is_of_the_final_text(bench: MakeBench) -> None:
    """Framing included: for an estimator that anybody can work out, to the token."""
    for form in ("markdown", "xml"):
        built = bench(w.ORDERS).build(w.TOTAL, settings={"render.format": form})
        assert built.budget_report.estimated_input_tokens == len(built.rendering.text) // 4


# The five steps.


def _needed(made: Bench, target: str) -> int:
    """The hard limit below which a target is refused."""
    refused = made.attempt(target, settings=_budget(1))
    assert isinstance(refused, Refused)
    assert refused.budget_report is not None
    return refused.budget_report.estimated_input_tokens


_STEPS = ("step 1", "step 2", "step 3", "step 4")


def _descent(made: Bench, target: str) -> list[Built]:
    """A target under ever smaller budgets, from ample to the smallest."""
    ample, least = _tokens(made, target) * 3 // 2, _needed(made, target)
    return [
        made.build(target, settings=_budget(tokens))
        for tokens in sorted({*range(ample, least, -12), least}, reverse=True)
    ]


@pytest.fixture(scope="module")
def descent(
    tmp_path_factory: pytest.TempPathFactory, registry: Registry, workers: Workers
) -> list[Built]:
    """The contract's example all the way down."""
    made = Bench(tmp_path_factory.mktemp("shop"), registry, workers)
    made.write(w.SHOP)
    return _descent(made, _LOGIN)


def _notes(built: Built) -> list[str]:
    """The steps that were taken, by name."""
    return [step for note in built.budget_report.notes for step in _STEPS if note.startswith(step)]


def test_the_steps_come_in_their_order(descent: list[Built]) -> None:
    """However far down a budget goes, P2 is not touched by a step before P3 is gone, and so on."""
    seen: set[str] = set()
    for built in descent:
        contract = _notes(built)
        assert contract == sorted(contract)
        seen.update(contract)
        priorities = {block.priority.value for block in file_blocks(built)}
        if "step 2" in contract:
            assert "P3" not in priorities
        if "step 3" in contract:
            assert not priorities & {"P2", "P3"}
    assert {"step 2", "step 3"} <= seen


def test_p2_is_removed_in_reverse_ranked_order(descent: list[Built]) -> None:
    """The lowest ranked first: the project file, then the larger of two callers."""
    removed: list[tuple[str, ...]] = []
    for built in descent:
        order = tuple(
            note.split(" removed ")[1].split(" (")[0]
            for note in built.budget_report.notes
            if note.startswith("step 2")
        )
        if order not in removed:
            removed.append(order)
    assert removed[-1] == ("Shop.csproj", w.STORE, w.PAGE)
    assert all(removed[-1][: len(each)] == each for each in removed)


def test_optional_blocks_go_before_any_other(bench: MakeBench) -> None:
    """No P2 block is removed while a P3 block is there, and what is left out is reported."""
    made = bench(w.ORDERS)
    ample = {"context.max_hops": 2}
    whole = made.build(w.TOTAL, settings=ample)
    assert w.ABROAD in included(whole)
    without = 0
    for tokens in range(whole.budget_report.estimated_input_tokens - 1, 400, -60):
        outcome = made.attempt(w.TOTAL, settings={**ample, **_budget(tokens, percent=100)})
        if not isinstance(outcome, Built):
            break
        if "step 2" in _notes(outcome):
            assert excluded(outcome)[w.ABROAD].rule == "step 1"
            (redaction,) = [
                each for each in redactions(outcome, "path_excluded") if each.target == w.ABROAD
            ]
            assert redaction.reason == "budget"
            without += 1
    assert without


def test_optional_blocks_can_be_switched_off(bench: MakeBench) -> None:
    settings = {"context.max_hops": 2, "context.optional_blocks": False}
    built = bench(w.ORDERS).build(w.TOTAL, settings=settings)
    assert w.ABROAD not in included(built)
    assert excluded(built)[w.ABROAD].rule == "optional_blocks=false"


def test_p1_is_cut_to_signatures_before_it_is_given_up(descent: list[Built]) -> None:
    levels: list[str] = []
    for built in descent:
        file = included(built).get(w.INTERFACE)
        level = file.level if file else "none"
        if level not in levels:
            levels.append(level)
    assert levels == ["FULL_FILE", "SIGNATURES_ONLY", "none"]


def test_the_target_is_whole_where_it_fits(bench: MakeBench) -> None:
    built = bench(w.ORDERS).build(w.TOTAL)
    assert block_of(built, w.PRICING).content == w.ORDERS[w.PRICING]
    levels = {block.meta.level for block in file_blocks(built) if block.priority.value != "P3"}
    assert levels == {"FULL_FILE"}


def test_a_whole_file_target_is_cut_last(bench: MakeBench) -> None:
    """The file that was asked for stays whole until P2 is gone and P1 is cut; then P1 goes."""
    made = bench(w.SHOP)
    levels = []
    for built in _descent(made, w.SERVICE):
        target = block_of(built, w.SERVICE)
        levels.append(target.meta.level or "")
        if target.meta.level != "FULL_FILE":
            others = [each for each in file_blocks(built) if each is not target]
            assert {each.priority.value for each in others} <= {"P1"}
            assert {each.meta.level for each in others} <= {"SIGNATURES_ONLY"}
    assert levels == sorted(levels)
    assert list(dict.fromkeys(levels)) == ["FULL_FILE", "SIGNATURES_ONLY"]


def test_a_smaller_budget_never_costs_more(descent: list[Built]) -> None:
    """Each step makes the bundle smaller: no cut makes it larger than it was."""
    tokens = [built.budget_report.estimated_input_tokens for built in descent]
    assert tokens == sorted(tokens, reverse=True)


def test_a_smaller_budget_never_shows_more_files(descent: list[Built]) -> None:
    before: set[str] | None = None
    for built in descent:
        files = set(included(built))
        assert before is None or files <= before
        before = files
    assert before == {w.SERVICE}


def test_every_loss_is_in_the_notes_and_in_the_report(descent: list[Built]) -> None:
    """INV-CONTEXT-3: whatever an ample budget shows and a small one does not is accounted for."""
    ample = set(included(descent[0]))
    for built in descent:
        gone = ample - set(included(built))
        assert gone == set(excluded(built))
        removed = {each.target for each in redactions(built, "block_removed")}
        assert gone <= removed
        for path in gone:
            assert any(path in note for note in built.budget_report.notes)


# Slices.


def test_signatures_have_no_bodies(bench: MakeBench) -> None:
    cut = [
        blocks_of(built, w.MODEL)[0]
        for built in _descent(bench(w.ORDERS), w.TOTAL)
        if w.MODEL in included(built) and included(built)[w.MODEL].level == "SIGNATURES_ONLY"
    ]
    assert cut
    for block in cut:
        assert "def describe(self) -> str: ..." in block.content
        assert "parts" not in block.content


def test_a_file_without_reliable_boundaries_is_whole_or_out(bench: MakeBench) -> None:
    """A syntax error in a related file: no cut of it exists, under no budget."""
    broken = str(w.SHOP[w.INTERFACE]).replace("Task Logout", "Task ( Logout")
    made = bench({**w.SHOP, w.INTERFACE: broken})
    levels = set()
    for built in _descent(made, _LOGIN):
        for block in blocks_of(built, w.INTERFACE):
            levels.add(block.meta.level)
    assert levels == {"FULL_FILE"}


def test_a_target_without_reliable_boundaries_is_whole_or_refused(bench: MakeBench) -> None:
    """An error inside the symbol: no region is guessed, the file is whole until it is refused."""
    broken = str(w.ORDERS[w.PRICING]).replace("self.rounded(doubled)", "self.rounded(doubled))")
    made = bench({**w.ORDERS, w.PRICING: broken})
    bundles = _descent(made, f"{w.PRICING}:13")
    assert {block_of(built, w.PRICING).meta.level for built in bundles} == {"FULL_FILE"}
    for built in bundles:
        (note,) = [each for each in built.budget_report.notes if "is shown whole" in each]
        assert note.startswith(f"{w.PRICING} is shown whole: the region cannot be cut, ")
    refused = made.refuse(
        RefusalKind.CONTEXT_TOO_LARGE,
        f"{w.PRICING}:13",
        settings=_budget(_needed(made, f"{w.PRICING}:13") - 1),
    )
    assert refused.budget_report is not None


def test_a_file_of_no_known_language_is_whole_or_out(bench: MakeBench) -> None:
    made = bench({**w.ORDERS, "notes.txt": "some notes\n" * 30})
    levels: set[str | None] = set()
    tokens = _needed(made, w.TOTAL)
    for more in range(0, 400, 20):
        built = made.build(
            w.TOTAL,
            user_selected_targets=(TargetSpec(path="notes.txt"),),
            settings=_budget(tokens + more),
        )
        levels.update(each.meta.level for each in blocks_of(built, "notes.txt"))
        assert ("notes.txt" in excluded(built)) == ("notes.txt" not in included(built))
    assert levels == {"FULL_FILE"}


def test_a_summary_is_not_used_unless_settings_allow_it(bench: MakeBench) -> None:
    made = bench(w.ORDERS)
    plain = {each.level for built in _descent(made, w.TOTAL) for each in included(built).values()}
    assert "SUMMARY_ONLY" not in plain
    tokens = _needed(made, w.PRICING)
    allowed = made.build(w.PRICING, settings={**_budget(tokens - 1), "slicing.summary_only": True})
    assert block_of(allowed, w.PRICING).meta.level == "SUMMARY_ONLY"
    sliced = redactions(allowed, "content_sliced")
    (target,) = [each for each in sliced if each.target == w.PRICING]
    assert (target.details, target.reason) == ("SUMMARY_ONLY", "budget")


# Refused for its size.


def test_too_large_says_how_to_fit(bench: MakeBench) -> None:
    """The smallest budget that works, and symbols that would fit; both are true."""
    body = "".join(f"    step_{number} = {number}\n" for number in range(80))
    made = bench({"long.py": f"def small():\n    return 1\n\n\ndef large():\n{body}"})
    refused = made.refuse(RefusalKind.CONTEXT_TOO_LARGE, "long.py::large", settings=_budget(300))
    report = refused.budget_report
    assert report is not None
    assert report.decision is Decision.REFUSE_HARD_LIMIT
    assert report.estimated_input_tokens > report.hard_limit_tokens
    smallest = report.estimated_input_tokens + _RESERVE
    assert str(smallest) in refused.refusal.message
    assert str(smallest) in " ".join(report.notes)
    assert "narrow the scope" in refused.refusal.advice
    made.build("long.py::large", settings=_budget(report.estimated_input_tokens))
    made.refuse(
        RefusalKind.CONTEXT_TOO_LARGE,
        "long.py::large",
        settings=_budget(report.estimated_input_tokens - 1),
    )


def test_too_large_names_symbols_that_would_fit(bench: MakeBench) -> None:
    names = "".join(f"def part_{number}():\n    return {number}\n\n\n" for number in range(120))
    made = bench({"long.py": names})
    refused = made.refuse(RefusalKind.CONTEXT_TOO_LARGE, "long.py", settings=_budget(400))
    advice = refused.refusal.advice
    assert "ask for long.py::part_" in advice
    symbol = advice.split("long.py::")[1].split(" ")[0]
    made.build(f"long.py::{symbol}", settings=_budget(400))


@pytest.mark.parametrize("form", ["markdown", "xml"])
def test_what_too_large_names_fits_at_every_budget(bench: MakeBench, form: str) -> None:
    """The frame of a block counts as well, and one of several namesakes is named by its line."""
    line = "    value = 1\n"
    parts = [f"def part():\n{line * number}    return {number}\n\n\n" for number in range(9)]
    made = bench({"long.py": "".join(parts)})
    named = 0
    for tokens in range(150, 300, 7):
        settings = {**_budget(tokens), "render.format": form}
        refused = made.attempt("long.py", settings=settings)
        if isinstance(refused, Refused):
            for place in refused.refusal.candidates:
                made.build(place, settings=settings)
                assert f"ask for {place} (" in refused.refusal.advice
                named += 1
    assert named


def test_too_large_does_not_send_a_person_to_symbols_that_cannot_fit(bench: MakeBench) -> None:
    made = bench({"a.py": "def small():\n    return 1\n"})
    step = PlanStep(description="word " * 400)
    refused = made.refuse(
        RefusalKind.CONTEXT_TOO_LARGE, "a.py", settings=_budget(300), plan_step=step
    )
    assert "shorten what is asked" in refused.refusal.advice
    assert "symbol" not in refused.refusal.advice
    made.build("a.py", settings=_budget(300))


def test_what_is_always_there_counts(bench: MakeBench) -> None:
    """A last error alone can be too much; it is refused and not shortened."""
    made = bench({"a.py": "first = 1\n"})
    refused = made.attempt(
        request=BuildRequest(
            targets=(TargetSpec(path="a.py"),), last_error=LastError("no " * 2000)
        ),
        settings=_budget(500),
    )
    assert isinstance(refused, Refused)
    assert refused.refusal.kind is RefusalKind.CONTEXT_TOO_LARGE
    assert shape(made.build("a.py", settings=_budget(500)))
