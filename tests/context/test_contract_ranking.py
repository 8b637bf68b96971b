"""Weights, penalties and tie-breakers, as pure functions on hand-made candidates."""

from __future__ import annotations

import itertools

import pytest

from sightline.bundle import BlockRelation, EvidenceLine, Priority, Reason
from sightline.context import candidates as ranking
from sightline.context.candidates import Candidate, rank, score
from tests.context import workspaces as w
from tests.context.bench import block_of, included
from tests.context.conftest import MakeBench


def _candidate(path: str = "a.py", weight: int = 40, hops: int = 1, line: int = 0) -> Candidate:
    evidence = EvidenceLine("target.py", 1, "name")
    relation = BlockRelation("caller", "resolved", hops, None, evidence)
    return Candidate(path, None, line, Reason.CALLER, weight, hops, Priority.P2, (relation,))


def test_base_weights_are_those_of_the_contract() -> None:
    assert (
        ranking.TARGET_FILE,
        ranking.TARGET_SYMBOL_FILE,
        ranking.DEPENDENCY,
        ranking.BASE_TYPE,
        ranking.CALLER,
        ranking.CONFIG,
        ranking.OTHER,
    ) == (100, 90, 60, 55, 40, 30, 0)


@pytest.mark.parametrize(
    ("byte_size", "penalty"),
    [
        (0, 0),
        (199_999, 0),
        (200_000, 1),
        (399_999, 1),
        (400_000, 2),
        (5_999_999, 29),
        (6_000_000, 30),
        (6_200_000, 30),
        (1_000_000_000, 30),
    ],
)
def test_size_penalty(byte_size: int, penalty: int) -> None:
    """One point for each whole 200,000 bytes, and never more than thirty."""
    assert score(_candidate(), byte_size, is_represented=False) == 40 - penalty


@pytest.mark.parametrize(("hops", "penalty"), [(1, 0), (2, 10), (3, 20), (4, 30)])
def test_distance_penalty(hops: int, penalty: int) -> None:
    assert score(_candidate(hops=hops), 0, is_represented=False) == 40 - penalty


def test_duplicate_penalty() -> None:
    assert score(_candidate(), 0, is_represented=True) == 40 - 5


def test_penalties_add_up_and_may_take_a_score_below_zero() -> None:
    candidate = _candidate(weight=0, hops=4)
    assert score(candidate, 6_000_000, is_represented=True) == 0 - 30 - 30 - 5


def test_tie_breakers_in_order() -> None:
    """Score, then hops, then size, then path; whatever order the candidates come in."""
    expected = [
        ("z.py", 55, 1, 900),  # The higher score.
        ("y.py", 40, 1, 800),  # The same score as the next, fewer hops.
        ("b.py", 50, 2, 10),
        ("x.py", 30, 1, 5),  # The smaller file.
        ("B.py", 30, 1, 7),  # The path, bytewise: capitals before small letters.
        ("a.py", 30, 1, 7),
        ("a/b.py", 30, 1, 7),
        ("é.py", 30, 1, 7),
    ]
    pairs = [(_candidate(path, weight, hops), size) for path, weight, hops, size in expected]
    rotated = [pairs[number:] + pairs[:number] for number in range(len(pairs))]
    for arranged in itertools.chain(rotated, [pairs[::-1]]):
        found = sorted(arranged, key=lambda each: rank(*each, is_represented=False))
        assert [each.path for each, _ in found] == [path for path, _, _, _ in expected]


def test_symbols_of_one_file_rank_by_their_lines() -> None:
    lines = [30, 7, 112]
    found = sorted(
        (_candidate(line=line) for line in lines),
        key=lambda each: rank(each, 1, is_represented=False),
    )
    assert [each.line for each in found] == sorted(lines)


def test_a_path_that_another_block_shows_a_part_of_ranks_lower() -> None:
    found = sorted(
        [rank(_candidate(path), 1, is_represented=path == "a.py") for path in ("a.py", "b.py")]
    )
    assert [each[0] for each in found] == [-40, -35]


def test_scores_of_a_real_build(bench: MakeBench) -> None:
    """Each relation of a real project has the contract's weight."""
    made = bench({**w.ORDERS, "orders/large.py": w.ORDERS[w.CHECKOUT]})
    made.write({"orders/large.py": str(w.ORDERS[w.CHECKOUT]) + "#" * 200_000})
    files = included(made.build(w.TOTAL, settings={"context.max_hops": 2}))
    assert {path: (each.score, each.reason.value) for path, each in files.items()} == {
        w.PRICING: (100, "target"),
        w.MODEL: (60, "dependency"),
        w.RULES: (55, "base_type"),
        w.CHECKOUT: (40, "caller"),
        "orders/large.py": (39, "caller"),
        "pyproject.toml": (30, "config"),
        w.ABROAD: (30, "caller"),
    }


def test_the_file_of_a_symbol_that_was_not_named_itself_weighs_ninety(bench: MakeBench) -> None:
    files = included(bench(w.ORDERS).build("::Pricing.total"))
    assert (files[w.PRICING].score, files[w.PRICING].reason.value) == (90, "target")


def test_a_relation_that_is_not_resolved_weighs_nothing(bench: MakeBench) -> None:
    """Two classes of one name behind one call: both are kept, neither outranks what is sure."""
    made = bench(
        {
            "first.py": "class Box:\n    def opened(self):\n        return 1\n",
            "second.py": "class Bag:\n    def opened(self):\n        return 2\n",
            "main.py": "def run(thing):\n    return thing.opened()\n",
        }
    )
    files = included(made.build("main.py::run"))
    assert {path: each.score <= 0 for path, each in files.items() if path != "main.py"} == {
        "first.py": True,
        "second.py": True,
    }
    for path in ("first.py", "second.py"):
        relation = files[path].relation
        assert relation is not None
        assert relation.confidence != "resolved"
        assert relation.evidence is not None
        assert (relation.evidence.path, relation.evidence.line) == ("main.py", 2)


@pytest.mark.parametrize(
    "path", ["third_party/rules.py", "orders/_vendor/rules.py", "orders/rules_pb2.py"]
)
def test_third_party_and_generated_files_are_optional(bench: MakeBench, path: str) -> None:
    """The same relation makes the project's own file necessary."""
    module = path.removesuffix(".py").replace("/", ".")
    target = f"from {module} import Rule\n\n\ndef order(rule: Rule) -> None:\n    rule.apply()\n"
    rule = "class Rule:\n    def apply(self) -> None: ...\n"
    foreign = bench({path: rule, "main.py": target})
    found = block_of(foreign.build("main.py::order"), path)
    assert found.priority is Priority.P3
    own = {"main.py": target.replace(module, "own.rules"), "own/rules.py": rule}
    foreign.write(own)
    foreign.build_cache().project.refresh()
    assert block_of(foreign.build("main.py::order"), "own/rules.py").priority is Priority.P1


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("vendor/github.com/a/b.go", True),
        ("a/Third-Party/b.c", True),
        ("web/app.min.js", True),
        ("api/v1/zz_generated.deepcopy.go", True),
        ("api/types.pb.go", True),
        ("vendors/list.py", False),
        ("src/vendor.py", False),
        ("src/build/plan.py", False),
        ("generated.py", False),
    ],
)
def test_which_paths_are_of_others(path: str, expected: bool) -> None:
    assert ranking.is_foreign(path) == expected
