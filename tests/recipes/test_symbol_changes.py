"""Which symbols a change touches, and a review by symbol on real repositories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sightline.recipes import (
    GitOperations,
    ParsedError,
    StageResult,
    ValidationOutput,
    build_fix_context,
    build_review_context,
)
from sightline.recipes.symbol_changes import (
    ChangedLines,
    SymbolRegion,
    shown_lines,
    symbol_changes,
    symbol_regions,
    user_lines,
)
from tests.recipes.conftest import SECRET, Git, write

_SHOP = """import os

RATE = 2


def price(item):
    value = item.cost
    value = value + RATE
    return value


class Cart:
    limit = 10

    def total(self, items):
        return sum(price(each) for each in items)

    def empty(self):
        return []
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("SIGHTLINE_INDEX_JOBS", "1")


@pytest.fixture
def shop(tmp_path: Path, git: Git) -> Path:
    root = tmp_path / "project"
    write(root, "src/shop.py", _SHOP)
    write(
        root, "src/use.py", "from shop import price\n\n\ndef sell(item):\n    return price(item)\n"
    )
    write(
        root,
        "tests/test_shop.py",
        "from use import sell\n\n\ndef test_sell():\n    assert sell(3) == 5\n",
    )
    git("add", "-A")
    git("commit", "-qm", "Begin")
    return root


def _review(root: Path, base: str = "HEAD") -> dict[str, Any]:
    return build_review_context(GitOperations(root), base, by_symbol=True)


def _told(context: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    return [
        (each["change"], each["symbol"], each["old_symbol"]) for each in context["changed_symbols"]
    ]


def test_a_changed_function_is_shown_before_and_behind_with_its_users(shop: Path) -> None:
    write(shop, "src/shop.py", _SHOP.replace("value + RATE", "value * RATE"))
    context = _review(shop)
    [symbol] = context["changed_symbols"]
    assert (symbol["change"], symbol["symbol"]) == ("modified", "price")
    assert "    value = value + RATE\n" in symbol["base"]
    assert "    value = value * RATE\n" in symbol["head"]
    assert symbol["head"].startswith("def price(item):\n")
    assert symbol["callers"] == ["src/shop.py::Cart.total", "src/use.py::sell"]
    assert symbol["tests"] == ["tests/test_shop.py::test_sell"]
    assert context["callers"]["src/use.py"] == "...\ndef sell(item):\n    return price(item)\n"
    assert "def empty" not in context["callers"]["src/shop.py"]
    assert "assert sell(3) == 5" in context["tests"]["tests/test_shop.py"]
    assert context["changed_files"] == {}


def test_added_deleted_and_renamed_symbols_are_told_apart(shop: Path) -> None:
    changed = _SHOP.replace("def price(item)", "def cost(item)")
    changed = changed.replace("    def empty(self):\n        return []\n", "")
    write(shop, "src/shop.py", changed + "\n\ndef fresh():\n    return 1\n")
    assert _told(_review(shop)) == [
        ("renamed", "cost", "price"),
        ("added", "fresh", None),
        ("deleted", "Cart.empty", None),
    ]


def test_lines_outside_symbols_stay_in_their_file(shop: Path) -> None:
    write(shop, "src/shop.py", _SHOP.replace("import os", "import sys"))
    context = _review(shop)
    assert context["changed_symbols"] == []
    assert context["changed_files"]["src/shop.py"].startswith("import sys\n\nRATE = 2\n")


def test_a_line_of_a_class_shows_the_class_without_its_methods(shop: Path) -> None:
    write(shop, "src/shop.py", _SHOP.replace("class Cart:", "class Cart(dict):"))
    [symbol] = _review(shop)["changed_symbols"]
    assert symbol["symbol"] == "Cart"
    assert symbol["head"].startswith("class Cart(dict):\n    limit = 10\n")
    assert "def empty" not in symbol["head"]


def test_new_deleted_and_unstaged_files(shop: Path, git: Git) -> None:
    write(shop, "src/more.py", "def more():\n    return 2\n")
    git("add", "-A")
    write(shop, "src/more.py", "def more():\n    return 3\n")
    (shop / "src/use.py").unlink()
    context = _review(shop)
    assert _told(context) == [("added", "more", None), ("deleted", "sell", None)]
    [more, sell] = context["changed_symbols"]
    assert more["head"] == "def more():\n    return 3\n"
    assert (sell["path"], sell["head"]) == ("src/use.py", None)
    assert sell["base"] == "def sell(item):\n    return price(item)\n"


def test_withheld_files_and_secrets_stay_out(shop: Path, git: Git) -> None:
    write(shop, ".env", "TOKEN=abcdefgh\n")
    write(shop, "src/shop.py", _SHOP.replace("item.cost", f'"{SECRET}"'))
    git("add", "-Af")
    git("commit", "-qm", "Add")
    write(shop, "src/shop.py", _SHOP)
    write(shop, ".env", "TOKEN=ijklmnop\n")
    told = str(_review(shop))
    assert SECRET not in told
    assert "abcdefgh" not in told
    assert "REDACTED" in told


def test_a_callers_own_git_gets_whole_files(shop: Path) -> None:
    class Own:
        root = str(shop)

        def diff(self, base: str) -> str:
            return GitOperations(shop).diff(base)

        def diff_stats(self, base: str) -> object:
            return GitOperations(shop).diff_stats(base)

    write(shop, "src/shop.py", _SHOP.replace("value + RATE", "value * RATE"))
    context = build_review_context(Own(), "HEAD", by_symbol=True)
    assert "src/shop.py" in context["changed_files"]
    assert any("not by symbol" in each for each in context["_metadata"]["warnings"])


def test_a_fix_shows_the_symbol_around_an_error(shop: Path) -> None:
    """The innermost one; lines around an error that is in none, or in a long one."""

    def shown(line: int) -> str:
        error = ParsedError("src/shop.py", line, "wrong")
        output = ValidationOutput(False, (StageResult("check", False, errors=(error,)),))
        context = build_fix_context(output, [shop / "src/shop.py"], by_symbol=True)
        [text] = context["source_files"].values()
        return str(text)

    assert shown(16) == (
        "...\n    def total(self, items):\n        return sum(price(each) for each in items)\n..."
    )
    assert shown(1).startswith("import os\n")
    write(shop, "src/shop.py", "def long():\n" + "    x = 1\n" * 200)
    assert shown(100).count("x = 1") == 21


def test_every_new_line_is_in_a_symbol_or_loose() -> None:
    old = symbol_regions([("a", "function", 1, 3), ("B", "class", 5, 9), ("B.c", "method", 7, 9)])
    new = symbol_regions([("a", "function", 1, 4), ("B", "class", 6, 9), ("B.d", "method", 8, 9)])
    rows = ["x"] * 12
    changes, loose = symbol_changes(old, new, ChangedLines((2, 7, 8), (2, 5, 8, 9, 11)), rows, rows)
    covered = {line for each in changes for line in each.new_lines}
    assert covered | set(loose) == {2, 5, 8, 9, 11}
    assert loose == (5, 11)


def test_a_new_class_comes_whole_and_once() -> None:
    new = symbol_regions([("B", "class", 1, 6), ("B.c", "method", 2, 3), ("B.d", "method", 5, 6)])
    changes, loose = symbol_changes([], new, ChangedLines((), tuple(range(1, 7))), [], ["x"] * 6)
    assert [(each.change, each.new and each.new.name) for each in changes] == [("added", "B")]
    assert loose == ()
    [change] = changes
    assert change.new is not None
    assert shown_lines(change.new, change.new_lines) == [(1, 6)]


def test_overloads_of_one_name_are_told_apart() -> None:
    regions = symbol_regions([("f", "function", 1, 2), ("f", "function", 4, 5)])
    changes, _ = symbol_changes(regions, regions, ChangedLines((5,), (5,)), ["x"] * 6, ["x"] * 6)
    assert [each.new.first for each in changes if each.new] == [4]


def test_a_very_long_symbol_is_cut_around_its_changes() -> None:
    region = SymbolRegion("f", "function", 10, 500)
    assert shown_lines(region, [300, 305]) == [(10, 10), (290, 315)]


def test_callers_of_deleted_and_renamed_symbols_are_shown(shop: Path, git: Git) -> None:
    """They still use the old name, which now means nothing."""
    write(shop, "src/other.py", "def price(item):\n    return 1\n\n\nprice(2)\n")
    git("add", "-A")
    git("commit", "-qm", "Add a namesake")
    write(shop, "src/shop.py", _SHOP.replace("def price(item)", "def cost(item)"))
    renamed = _review(shop)
    [symbol] = [each for each in renamed["changed_symbols"] if each["change"] == "renamed"]
    assert symbol["callers"] == ["src/shop.py::Cart.total", "src/use.py::sell"]
    assert renamed["callers"]["src/use.py"] == "...\ndef sell(item):\n    return price(item)\n"
    (shop / "src/shop.py").unlink()
    deleted = _review(shop)
    [symbol] = [each for each in deleted["changed_symbols"] if each["symbol"] == "price"]
    assert (symbol["change"], symbol["callers"]) == ("deleted", ["src/use.py::sell"])


def test_a_use_outside_of_symbols_is_a_caller(shop: Path, git: Git) -> None:
    write(shop, "src/main.py", "from shop import price\n\n\nprint(price(3))\n")
    git("add", "-A")
    git("commit", "-qm", "Use it")
    write(shop, "src/shop.py", _SHOP.replace("value + RATE", "value * RATE"))
    context = _review(shop)
    [symbol] = context["changed_symbols"]
    assert "src/main.py" in symbol["callers"]
    assert "print(price(3))" in context["callers"]["src/main.py"]


def test_a_very_long_user_is_cut_around_its_use() -> None:
    assert user_lines(SymbolRegion("f", "function", 10, 60), 30) == [(10, 60)]
    region = SymbolRegion("f", "function", 10, 500)
    assert user_lines(region, 300) == [(10, 12), (290, 310)]
    assert user_lines(region, None) == [(10, 12)]
    assert user_lines(region, 5) == [(10, 12)]


def test_a_suite_that_is_one_long_function_is_not_shown_whole(shop: Path, git: Git) -> None:
    lines = [f"    step_{number} = {number}\n" for number in range(300)]
    lines[200] = "    assert sell(3) == 5\n"
    suite = "from use import sell\n\n\ndef test_all():\n" + "".join(lines)
    write(shop, "tests/test_shop.py", suite)
    git("add", "-A")
    git("commit", "-qm", "One long test")
    write(shop, "src/shop.py", _SHOP.replace("value + RATE", "value * RATE"))
    context = _review(shop)
    assert context["changed_symbols"][0]["tests"] == ["tests/test_shop.py::test_all"]
    shown = context["tests"]["tests/test_shop.py"]
    assert shown.startswith("...\ndef test_all():\n    step_0 = 0\n    step_1 = 1\n...\n")
    assert "    assert sell(3) == 5\n" in shown
    assert "step_100 " not in shown
