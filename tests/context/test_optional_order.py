"""What optional code is worth: the order of enrichment, and where it ends."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sightline.bundle import Priority
from sightline.context import Built, TargetSpec, building, fusing
from sightline.context.fusing import Step, enrichment_steps
from tests.context.bench import Bench
from tests.context.conftest import MakeBench

_TARGET = TargetSpec(path="core/pricing.py", symbol="coupon_discount")
_PRICING = (
    "def coupon_discount(invoice, coupon):\n"
    "    rebate = invoice.subtotal * coupon.percentage\n"
    "    return min(rebate, coupon.ceiling)\n"
)
_LIKE = (
    "def voucher_rebate(invoice, coupon):\n"
    "    rebate = invoice.subtotal * coupon.percentage\n"
    "    return rebate - coupon.ceiling\n\n\n"
)


def _plain(name: str, lines: int = 2) -> str:
    body = "".join(f"    {name}_{each} = {each}\n" for each in range(lines))
    return f"def {name}(argument):\n{body}\n\n"


class _Steps:
    """The steps of every build of a test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.last: Sequence[Step] = ()
        made = enrichment_steps

        def kept(*arguments: object) -> list[Step]:
            steps: list[Step] = made(*arguments)  # type: ignore[arg-type]
            self.last = steps
            return steps

        monkeypatch.setattr(building, "enrichment_steps", kept)

    def of(self, bench: Bench, room: int = 100_000) -> dict[str, int]:
        """The value of each symbol that could be shown besides."""
        built = bench.build(_TARGET, settings={"budget.max_input_tokens": room})
        assert isinstance(built, Built)
        return {each.part.symbol: each.value for each in self.last if each.part is not None}


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> _Steps:
    return _Steps(monkeypatch)


def test_what_stands_beside_similar_code_is_worth_more(bench: MakeBench, steps: _Steps) -> None:
    apart = "".join(_plain(f"apart_{each}") for each in range(4))
    values = steps.of(
        bench({"core/pricing.py": _PRICING, "core/shop.py": f"{_LIKE}{_plain('beside')}{apart}"})
    )
    assert values["voucher_rebate"] > values["beside"] > values["apart_3"]
    assert values["apart_2"] == values["apart_3"]


def test_what_types_have_by_custom_is_worth_less(bench: MakeBench, steps: _Steps) -> None:
    members = "".join(
        f"    def {name}(self):\n        return {number}\n\n"
        for number, name in enumerate(["first", "second", "__repr__", "fourth"])
    )
    values = steps.of(
        bench({"core/pricing.py": _PRICING, "core/shop.py": f"{_LIKE}class Shop:\n{members}"})
    )
    assert values["Shop.fourth"] > values.get("Shop.__repr__", 0)


def test_a_part_of_very_many_lines_is_worth_less(bench: MakeBench, steps: _Steps) -> None:
    long_, longer = _plain("long", 118), _plain("longer", 124)
    values = steps.of(
        bench({"core/pricing.py": _PRICING, "core/shop.py": f"{long_}{longer}{_plain('x')}{_LIKE}"})
    )
    assert values["long"] - values.get("longer", 0) > fusing._TOO_LONG // 2


def test_in_a_test_likeness_is_worth_less(
    bench: MakeBench, steps: _Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = bench(
        {
            "core/pricing.py": _PRICING,
            "core/shop.py": _LIKE,
            "tests/test_shop.py": _LIKE.replace("voucher_rebate", "test_rebate"),
        }
    )
    values = steps.of(made)
    monkeypatch.setattr(fusing, "_LIKE_TEST", 0)
    without = steps.of(made)
    assert without["test_rebate"] > values["test_rebate"]
    assert without["voucher_rebate"] == values["voucher_rebate"]


def test_unlikely_code_comes_last_and_only_where_there_is_much_room(
    bench: MakeBench, steps: _Steps
) -> None:
    """A small budget is not filled with what hardly ever helps."""
    apart = "".join(_plain(f"apart_{each}", 8) for each in range(60))
    made = bench({"core/pricing.py": _PRICING, "far/away/shop.py": f"{_LIKE}{apart}"})
    few = steps.of(made, 30_000)
    ordered = list(steps.last)
    many = steps.of(made, 100_000)
    assert few.keys() < many.keys()
    assert list(steps.last)[: len(ordered)] == ordered
    assert all(each.is_unlikely for each in list(steps.last)[len(ordered) :])
    assert all(each.priority is Priority.P3 for each in steps.last if each.is_unlikely)


def test_without_a_budget_of_its_own_a_build_leaves_out_what_is_unlikely(
    bench: MakeBench, steps: _Steps
) -> None:
    apart = "".join(_plain(f"apart_{each}", 8) for each in range(60))
    made = bench({"core/pricing.py": _PRICING, "far/away/shop.py": f"{_LIKE}{apart}"})
    made.build(_TARGET, settings={"budget.max_input_tokens": None})
    assert steps.last
    assert not any(each.is_unlikely for each in steps.last)
