"""What a target needs comes lean: bodies of what is large come only where there is room."""

from __future__ import annotations

from sightline.context import TargetSpec
from tests.context.bench import blocks_of
from tests.context.conftest import MakeBench

_METHODS = "".join(
    f"    def step_{number}(self, amount):\n"
    f'        """How step {number} changes an amount."""\n'
    f"        return self.rates[{number}] * amount + {number}\n\n"
    for number in range(40)
)
_LARGE_TYPE = {
    "ledger.py": f"class Ledger:\n    def __init__(self, rates):\n        self.rates = rates\n\n"
    f"{_METHODS}",
    "report.py": "from ledger import Ledger\n\n\n"
    "def total(ledger: Ledger, amount):\n"
    "    return ledger.step_7(amount) + ledger.step_21(amount)\n",
}


def test_of_a_large_type_the_members_that_the_target_names_are_shown(bench: MakeBench) -> None:
    built = bench(_LARGE_TYPE).build(
        TargetSpec(path="report.py", symbol="total"), settings={"context.depth": "needed"}
    )
    (block,) = blocks_of(built, "ledger.py")
    assert "class Ledger" in block.content
    assert [number for number in range(40) if f"def step_{number}(" in block.content] == [7, 21]


def _function(name: str) -> str:
    lines = "".join(f"    {name}_{each} = amount * {each} + {each}\n" for each in range(60))
    return f"def {name}(amount):\n{lines}    return amount\n\n\n"


def test_large_bodies_come_as_signatures_until_there_is_room(bench: MakeBench) -> None:
    made = bench(
        {
            "rates.py": _function("first") + _function("second") + "def third():\n    return 3\n",
            "report.py": "from rates import first, second, third\n\n\n"
            "def total(amount):\n    return first(amount) + second(amount) + third()\n",
        }
    )
    target = TargetSpec(path="report.py", symbol="total")
    (lean,) = blocks_of(made.build(target, settings={"context.depth": "needed"}), "rates.py")
    assert "def second(amount): ..." in lean.content
    assert "second_59 =" not in lean.content
    assert "    return 3\n" in lean.content
    (raised,) = blocks_of(made.build(target), "rates.py")
    assert "first_59 =" in raised.content
    assert "second_59 =" in raised.content
