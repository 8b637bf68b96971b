"""Budgets over random workspaces: a ceiling, an account that adds up, one order of steps.

Workspaces have files in three languages that import, extend and call each other. What they hold
is written line by line so that a line says which file it is of: a line of a block that is no line
of a richer block of the same file would be seen.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as trials
from hypothesis import strategies as st

from sightline.budget import Decision, Estimator, estimator
from sightline.bundle import BlockType, ContextBlock, ExclusionReason, RedactionType
from sightline.context import (
    BuildRequest,
    Built,
    Constraint,
    Intent,
    LastError,
    Refused,
    TargetSpec,
)
from sightline.egress import guarded_scan
from sightline.engine.cache import BuildCache
from sightline.refusals import RefusalKind
from sightline.settings import Settings
from sightline.workers import Workers
from tests.properties.bundles import build, build_cache_on, built, everything, settings, write
from tests.properties.canaries import token, traces

_LEVELS = ("FULL_FILE", "TARGET_REGION_ONLY", "SIGNATURES_ONLY", "SUMMARY_ONLY")
_TRIALS = trials(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


_scan = functools.cache(guarded_scan)
"""Each text once: the same ones come up again and again."""


@attrs.frozen
class _Case:
    files: Mapping[str, str]
    request: BuildRequest
    related: frozenset[str]
    """Files that the target's file uses, and files that use it."""


@st.composite
def _cases(draw: st.DrawFn) -> _Case:
    language = draw(st.sampled_from(sorted(_WRITERS)))
    count = draw(st.integers(1, 5))
    files: dict[str, str] = dict(_EXTRAS[language])
    related: set[str] = set()
    paths = [_WRITERS[language](number, [], 0)[0] for number in range(count)]
    guarded = draw(st.integers(1, 9))
    for number in range(count):
        uses = draw(st.sets(st.integers(0, count - 1), max_size=3)) - {number}
        lines = draw(st.integers(0, 6))
        path, text = _WRITERS[language](number, sorted(uses), lines)
        files[path] = text + (_COMMENTS[language] + _SECRET + "\n" if number == guarded else "")
        if number == 0:
            related |= {paths[each] for each in uses}
        elif 0 in uses:
            related.add(path)
    symbol = draw(st.sampled_from([None, "run0", "Kind0"]))
    some_path = st.sampled_from([None, None, *paths[1:]])
    selected, dropped, copied, failed = (draw(some_path) for _ in range(4))
    if copied is not None:
        # In another folder it relates to nothing by import, and yet is the same bytes.
        files[f"copies/{copied}"] = files[copied]
    request = BuildRequest(
        targets=(TargetSpec(path=paths[0], symbol=symbol),),
        intent=Intent("try"),
        constraints=(Constraint("be short"),),
        user_selected_targets=(TargetSpec(path=selected),) if selected else (),
        dropped_paths=(dropped,) if dropped and dropped != selected else (),
        last_error=LastError("it broke", failed, 3) if failed else None,
    )
    # What relates to a symbol is a smaller set; which one is for other tests to say.
    return _Case(files, request, frozenset() if symbol else frozenset(related))


def _python(number: int, uses: list[int], lines: int) -> tuple[str, str]:
    imports = [f"from file{each} import Kind{each}, run{each}\n" for each in uses]
    base = f"(Kind{uses[0]})" if uses else ""
    body = [f"    line{number}_{each} = {each}\n" for each in range(lines)]
    calls = [f"    run{each}()\n    unknown().act{each}()\n" for each in uses]
    return f"file{number}.py", "".join(
        [
            *imports,
            f"\n\nclass Kind{number}{base}:\n",
            f"    def act{number}(self) -> int:\n",
            *(f"    {each}" for each in body),
            f"        return {number}\n",
            f"\n\ndef run{number}() -> None:\n",
            *body,
            *calls,
            "    return None\n",
        ]
    )


def _typescript(number: int, uses: list[int], lines: int) -> tuple[str, str]:
    imports = [f'import {{ Kind{each}, run{each} }} from "./file{each}";\n' for each in uses]
    base = f" extends Kind{uses[0]}" if uses else ""
    body = [f"  const line{number}_{each} = {each};\n" for each in range(lines)]
    calls = [f"  run{each}();\n  unknown().act{each}();\n" for each in uses]
    return f"file{number}.ts", "".join(
        [
            *imports,
            f"\nexport class Kind{number}{base} {{\n",
            f"  act{number}(): number {{\n",
            *(f"  {each}" for each in body),
            f"    return {number};\n",
            "  }\n}\n",
            f"\nexport function run{number}(): void {{\n",
            *body,
            *calls,
            "}\n",
        ]
    )


def _go(number: int, uses: list[int], lines: int) -> tuple[str, str]:
    imports = [f'import "example.test/made/file{each}"\n' for each in uses]
    body = [
        f"\tline{number}_{each} := {each}\n\t_ = line{number}_{each}\n" for each in range(lines)
    ]
    calls = [f"\tfile{each}.Run{each}()\n" for each in uses]
    return f"file{number}/file{number}.go", "".join(
        [
            f"package file{number}\n\n",
            *imports,
            f"\ntype Kind{number} struct {{\n\tField{number} int\n}}\n",
            f"\nfunc Run{number}() {{\n\trun{number}()\n}}\n",
            f"\nfunc run{number}() {{\n",
            *body,
            *calls,
            "}\n",
        ]
    )


_WRITERS = {"python": _python, "typescript": _typescript, "go": _go}
_EXTRAS: Mapping[str, Mapping[str, str]] = {
    "python": {"pyproject.toml": '[project]\nname = "made"\n'},
    "typescript": {"package.json": '{"name": "made"}\n', "tsconfig.json": "{}\n"},
    "go": {"go.mod": "module example.test/made\n\ngo 1.22\n"},
}


@st.composite
def _limits(draw: st.DrawFn) -> dict[str, object]:
    reserve = draw(st.sampled_from([0, 1, 37]))
    return {
        "budget__max_input_tokens": reserve + draw(st.integers(150, 1_100)),
        "budget__response_token_reserve": reserve,
        "budget__soft_limit_threshold_pct": draw(st.sampled_from([1, 33, 80, 100])),
    }


_ways = st.fixed_dictionaries(
    {
        "budget__estimator": st.sampled_from(["chars4", "lexical:max", "lexical:o200k"]),
        "render__format": st.sampled_from(["markdown", "xml", "json"]),
        "context__target_level": st.sampled_from(["auto", "auto", "full", "region"]),
        "context__max_hops": st.sampled_from([1, 2]),
        "slicing__summary_only": st.booleans(),
    }
)


_COMMENTS = {"python": "# ", "typescript": "// ", "go": "// "}
_SECRET = token("budget")


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(1, time_limit=60) as workers:
        yield workers


@_TRIALS
@given(_cases(), _ways, st.lists(_limits(), min_size=2, max_size=5))
def test_a_budget_is_kept_accounted_for_and_a_smaller_one_never_shows_more(
    workers: Workers, case: _Case, way: dict[str, object], limits: list[dict[str, object]]
) -> None:
    """Every claim that the reports make about one build, and about a build beside a richer one."""
    request = case.request
    with (
        TemporaryDirectory() as place,
        build_cache_on(write(Path(place), case.files), workers, scan=_scan) as build_cache,
    ):
        candidates = _candidates(build_cache, request, way)
        assert case.related <= candidates
        seen = []
        for each in limits:
            chosen = settings(**way, **each)
            outcome = build(build_cache, request, chosen)
            if isinstance(outcome, Refused):
                _check_refusal(build_cache, request, {**way, **each}, outcome)
            else:
                _check_limits(outcome, chosen)
                _check_sums(outcome)
                _check_accounts(outcome, request, candidates)
                seen.append(outcome)
        for one in seen:
            for other in seen:
                if _is_smaller(one, other):
                    _check_nothing_added(one, other)


@pytest.mark.parametrize("name", ["chars4", "lexical:max"])
def test_a_text_that_costs_exactly_a_limit_is_within_it(
    name: str, tmp_path: Path, workers: Workers
) -> None:
    """At each border, one token more and one token less; the share of the soft limit is all."""
    path, text = _python(0, [], 3)
    request = BuildRequest(targets=(TargetSpec(path=path),))
    with build_cache_on(write(tmp_path, {path: text}), workers, scan=_scan) as build_cache:
        cost = built(build(build_cache, request, settings(budget__estimator=name)))
        tokens = cost.budget_report.estimated_input_tokens
        decisions = {}
        for percentage, hard in [(50, 2 * tokens), (50, 2 * tokens - 1), (100, tokens)]:
            chosen = settings(
                budget__estimator=name,
                budget__max_input_tokens=hard + 5,
                budget__response_token_reserve=5,
                budget__soft_limit_threshold_pct=percentage,
            )
            outcome = built(build(build_cache, request, chosen))
            assert outcome.budget_report.estimated_input_tokens == tokens
            decisions[percentage, hard] = outcome.budget_report.decision
    assert decisions == {
        (50, 2 * tokens): Decision.OK,
        (50, 2 * tokens - 1): Decision.WARN_SOFT_LIMIT,
        (100, tokens): Decision.OK,
    }


def _candidates(build_cache: BuildCache, request: BuildRequest, way: dict[str, object]) -> set[str]:
    """The paths of all candidates: where there is room for everything, no budget leaves any out."""
    roomy = {"budget__max_input_tokens": 1_000_000, "budget__response_token_reserve": 0}
    outcome = built(build(build_cache, request, settings(**way, **roomy)))
    selection = outcome.manifest.selection
    excluded = {each.path: each.reason for each in selection.excluded_candidates}
    assert ExclusionReason.TOKEN_BUDGET not in excluded.values()
    needed = {each.path for each in selection.included_files}
    return {*excluded, *needed, *(each.path for each in selection.optional_files)}


def _check_limits(outcome: Built, chosen: Settings) -> None:
    report = outcome.budget_report
    profile, _ = chosen.profile()
    hard = profile.max_input_tokens - profile.response_token_reserve
    soft = hard * profile.soft_limit_threshold_pct // 100
    assert (report.hard_limit_tokens, report.soft_limit_tokens) == (hard, soft)
    assert report.max_input_tokens == profile.max_input_tokens
    assert report.reserve_output_tokens == profile.response_token_reserve
    assert report.estimated_input_tokens == _tokens(outcome.rendering.text, profile.estimator)
    assert report.estimated_input_tokens <= hard
    is_warned = report.estimated_input_tokens > soft
    assert report.decision is (Decision.WARN_SOFT_LIMIT if is_warned else Decision.OK)
    assert any(note.startswith("warning") for note in report.notes) == is_warned
    assert f"estimator {_named(profile.estimator).name}" in report.notes


def _check_sums(outcome: Built) -> None:
    report = outcome.budget_report
    costs = sum(each.tokens for each in report.blocks)
    assert costs + report.framing_tokens == report.estimated_input_tokens
    assert [each.block_id for each in report.blocks] == [
        each.block_id for each in outcome.bundle.blocks
    ]
    ids = {part.bundle_id for part in (outcome.bundle, outcome.manifest, report)}
    assert ids == {outcome.redaction_report.bundle_id}


def _check_accounts(outcome: Built, request: BuildRequest, candidates: set[str]) -> None:
    """Every candidate is in or out, and every step is written down twice."""
    selection = outcome.manifest.selection
    included = {
        *(each.path for each in selection.included_files),
        *(each.path for each in selection.optional_files),
    }
    excluded = {each.path: each for each in selection.excluded_candidates if not each.symbol}
    for each in selection.excluded_candidates:
        assert each.symbol is None or (each.path in included and each.rule and each.rule_source)
    shown = {each.meta.path for each in outcome.bundle.blocks if each.meta.path}
    assert included == shown
    assert not included & excluded.keys()
    assert candidates == included | excluded.keys()
    redactions = {(each.type, each.target) for each in outcome.redaction_report.redactions}
    notes = "\n".join(outcome.budget_report.notes)
    for path, each in excluded.items():
        assert each.rule
        assert each.rule_source
        assert any(target == path for _, target in redactions)
        was_removed = (RedactionType.BLOCK_REMOVED, path) in redactions
        assert was_removed == (f"removed {path} " in notes)
        if was_removed and path not in request.dropped_paths:
            assert each.reason is ExclusionReason.TOKEN_BUDGET
    for block in outcome.bundle.blocks:
        if block.meta.path is not None and block.meta.level != "FULL_FILE":
            assert (RedactionType.CONTENT_SLICED, block.meta.path) in redactions
    assert traces(_SECRET, everything(outcome)) == []
    for block in outcome.bundle.blocks:
        if block.meta.path is not None and "[REDACTED:" in block.content:
            assert (RedactionType.PATTERN_REDACTED, block.meta.path) in redactions
    has_description = any(
        each.block_type is BlockType.PROJECT_META for each in outcome.bundle.blocks
    )
    assert has_description != ((RedactionType.BLOCK_REMOVED, "project_meta") in redactions)


def _check_refusal(
    build_cache: BuildCache, request: BuildRequest, way: dict[str, object], outcome: Refused
) -> None:
    """The smallest workable budget works, and one token less does not."""
    assert outcome.refusal.kind is RefusalKind.CONTEXT_TOO_LARGE
    report = outcome.budget_report
    assert report is not None
    assert report.decision is Decision.REFUSE_HARD_LIMIT
    assert report.estimated_input_tokens > report.hard_limit_tokens
    found = re.search(r"smallest workable budget is (\d+) input tokens", outcome.refusal.message)
    assert found is not None
    smallest = int(found[1])
    enough = build(build_cache, request, settings(**{**way, "budget__max_input_tokens": smallest}))
    assert isinstance(enough, Built)
    assert enough.budget_report.estimated_input_tokens == enough.budget_report.hard_limit_tokens
    less = build(
        build_cache, request, settings(**{**way, "budget__max_input_tokens": smallest - 1})
    )
    assert isinstance(less, Refused)


def _is_smaller(one: Built, other: Built) -> bool:
    mine, theirs = one.budget_report, other.budget_report
    return (mine.hard_limit_tokens, mine.soft_limit_tokens) != (
        theirs.hard_limit_tokens,
        theirs.soft_limit_tokens,
    ) and (
        mine.hard_limit_tokens <= theirs.hard_limit_tokens
        and mine.soft_limit_tokens <= theirs.soft_limit_tokens
    )


def _check_nothing_added(smaller: Built, larger: Built) -> None:
    for path, blocks in _by_path(smaller).items():
        richer = _by_path(larger).get(path)
        assert richer is not None, path
        assert _richest(blocks) >= _richest(richer), path
        lines = {line for block in richer for line in _bare_lines(block)}
        for block in blocks:
            assert [line for line in _bare_lines(block) if line not in lines] == []


def _by_path(outcome: Built) -> dict[str, list[ContextBlock]]:
    """The blocks of each file; those of no file under their type."""
    found: dict[str, list[ContextBlock]] = {}
    for block in outcome.bundle.blocks:
        found.setdefault(block.meta.path or block.block_type.value, []).append(block)
    return found


def _richest(blocks: list[ContextBlock]) -> int:
    return min(_LEVELS.index(each.meta.level) if each.meta.level else 0 for each in blocks)


def _bare_lines(block: ContextBlock) -> list[str]:
    """The lines of a block without what stands for a body, and without lines that only mark."""
    if block.meta.level == "SUMMARY_ONLY":
        return []
    lines = []
    for line in block.content.split("\n"):
        if re.match(r"\s*(?:#|//) .*(?:left out|line)", line):
            continue
        bare = re.sub(r"\s*(?:\.\.\.|\{\s*\}|;|\{)\s*$", "", line).rstrip()
        bare = re.sub(r"\s*\{\s*$", "", bare).strip()
        if bare not in ("", "}", "..."):
            lines.append(bare)
    return lines


def _tokens(text: str, name: str) -> int:
    return len(text) // 4 if name.startswith("chars4") else _named(name).tokens(text)


def _named(name: str) -> Estimator:
    found = estimator(name)
    assert isinstance(found, Estimator)
    return found
