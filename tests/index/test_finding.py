"""Finding: files and symbols for a task, on a small workspace, and how that follows edits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sightline.index import Snapshot
from sightline.index.finding import ClueKind, Proposals, find
from sightline.index.store import Fault, NoStore
from sightline.languages import load_registry
from sightline.project import Project
from sightline.text import Text
from sightline.workers import Workers
from sightline.workspace import Workspace
from tests.index.editing import edit

_FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": '''"""Carts."""


class Cart:
    """What a customer wants to buy."""

    def __init__(self, currency):
        self.currency = currency

    def add(self, item, amount):
        self.check_stock(item)

    def check_stock(self, item):
        raise OutOfStock("nothing left of", item)


class OutOfStock(Exception):
    pass
''',
    "shop/prices.py": '''"""Prices and discounts."""

LARGEST_DISCOUNT = 40


def discounted(price, percent):
    """Return a price after a discount in percent."""
    return round_price(price - price * percent)


def round_price(price):
    return price
''',
    "shop/utils.py": "def run(value):\n    return value\n",
    "shop/export/utils.py": "def run(rows):\n    return rows\n",
    "tests/test_cart.py": "def test_cart_discount_percent_currency_stock():\n    assert Cart\n",
    "web/src/basketView.ts": """\
export class BasketView {
  renderTotal(): string { return formatMoney(1); }
}
export function formatMoney(cents: number): string { return `${cents}`; }
""",
    "server/store/stock.go": """\
package store

type Shelf struct { Items int }

func (s *Shelf) TakeItem(name string) error {
	return nil
}
""",
    "crates/till/src/drawer.rs": "pub struct Drawer { coins: u32 }\n\n"
    "impl Drawer {\n    pub fn open_drawer(&self) -> u32 { self.coins }\n}\n",
    "java/org/acme/Ledger.java": "package org.acme;\n\npublic class Ledger {\n"
    "    int total;\n    public int bookEntry(int cents) {\n        return total;\n    }\n}\n",
    "README.md": "# Shop\n\nThe discount in percent of a cart.\n",
}


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(1, time_limit=60) as workers:
        yield workers


def _write(root: Path) -> Path:
    for path, text in _FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def _open(root: Path, workers: Workers) -> Project:
    project = Project(Workspace(root), load_registry(), workers, NoStore(Fault.UNAVAILABLE))
    project.open()
    return project


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory, workers: Workers) -> Snapshot:
    return _open(_write(tmp_path_factory.mktemp("finding")), workers).count_terms()


def _find(snapshot: Snapshot, text: str) -> Proposals:
    return find(snapshot, text, most_files=20, most_symbols=20)


def _first(snapshot: Snapshot, text: str) -> tuple[str, str]:
    found = _find(snapshot, text)
    first = found.symbols[0]
    return found.files[0].path, f"{first.path}:{first.symbol}"


def test_words_of_code_comments_and_docs_lead_to_it(snapshot: Snapshot) -> None:
    found = _find(snapshot, "A discount of fifty percent is wrong")
    assert found.files[0].path == "shop/prices.py"
    symbol = found.symbols[0]
    assert (symbol.path, symbol.symbol, symbol.kind, symbol.line) == (
        "shop/prices.py",
        "discounted",
        "function",
        6,
    )
    assert (symbol.clues[0].kind, set(symbol.clues[0].detail)) == (
        ClueKind.WORDS,
        {"discount", "percent"},
    )


def test_tests_and_documents_are_no_answers(snapshot: Snapshot) -> None:
    found = _find(snapshot, "cart discount percent currency stock test")
    assert not {"tests/test_cart.py", "README.md"} & {each.path for each in found.files}


def test_a_constructor_is_part_of_its_type(snapshot: Snapshot) -> None:
    found = _find(snapshot, "The currency of a new cart")
    assert found.symbols[0].symbol == "Cart"
    assert "Cart.__init__" not in {each.symbol for each in found.symbols}


@pytest.mark.parametrize(
    "path", [path for path in _FILES if "test" not in path and "R" not in path]
)
def test_a_path_that_is_mentioned_in_full_is_first(snapshot: Snapshot, path: str) -> None:
    if _FILES[path]:
        for text in (f"See {path}", f"Discount in percent\n\nThe stock of a cart: {path}:3 is it."):
            found = _find(snapshot, text).files[0]
            assert found.path == path
            assert ClueKind.PATH in {each.kind for each in found.clues}


@pytest.mark.parametrize(
    ("named", "place"),
    [
        ("round_price", "shop/prices.py:round_price"),
        ("OutOfStock", "shop/cart.py:OutOfStock"),
        ("Cart.check_stock()", "shop/cart.py:Cart.check_stock"),
        ("renderTotal", "web/src/basketView.ts:BasketView.renderTotal"),
        ("formatMoney", "web/src/basketView.ts:formatMoney"),
        ("TakeItem", "server/store/stock.go:Shelf.TakeItem"),
        ("Drawer::open_drawer", "crates/till/src/drawer.rs:Drawer.open_drawer"),
        ("Ledger#bookEntry", "java/org/acme/Ledger.java:Ledger.bookEntry"),
    ],
)
def test_a_symbol_between_backticks_is_first(snapshot: Snapshot, named: str, place: str) -> None:
    text = f"Customers see a wrong value\n\nI think that `{named}` is to blame, not the discount."
    found = _first(snapshot, text)
    assert found == (place.partition(":")[0], place)


@pytest.mark.parametrize(
    ("trace", "place"),
    [
        (
            "Traceback (most recent call last):\n"
            '  File "/home/me/run.py", line 2, in <module>\n    main()\n'
            '  File "/app/shop/utils.py", line 2, in run\n'
            '  File "/app/shop/cart.py", line 13, in check_stock\n'
            '  File "/usr/lib/python3/json/decoder.py", line 3, in decode\nValueError: no\n',
            "shop/cart.py:Cart.check_stock",
        ),
        (
            "TypeError: no\n    at parse (node:internal/x:1:2)\n"
            "    at formatMoney (/srv/web/src/basketView.ts:4:50)\n"
            "    at BasketView.renderTotal (/srv/web/src/basketView.ts:2:3)\n",
            "web/src/basketView.ts:formatMoney",
        ),
        (
            "panic: no\n\ngoroutine 1 [running]:\nstore.(*Shelf).TakeItem(...)\n"
            "\t/go/acme/server/store/stock.go:6 +0x1d\nmain.main()\n\t/go/acme/main.go:3 +0x2\n",
            "server/store/stock.go:Shelf.TakeItem",
        ),
        (
            "thread 'main' panicked at crates/till/src/drawer.rs:4:9:\nno\n",
            "crates/till/src/drawer.rs:Drawer.open_drawer",
        ),
        (
            'Exception in thread "main" java.lang.IllegalStateException: no\n'
            "\tat org.acme.Ledger.bookEntry(Ledger.java:6)\n\tat org.acme.Main.main(Main.java:3)\n",
            "java/org/acme/Ledger.java:Ledger.bookEntry",
        ),
    ],
)
def test_the_innermost_frame_of_the_workspace_is_first(
    snapshot: Snapshot, trace: str, place: str
) -> None:
    found = _find(snapshot, f"It crashes when I start it\n\n{trace}")
    first = found.symbols[0]
    assert (found.files[0].path, f"{first.path}:{first.symbol}") == (
        place.partition(":")[0],
        place,
    )
    assert ClueKind.TRACEBACK in {each.kind for each in first.clues}


def test_a_frame_of_another_librarys_file_of_that_name_leads_nowhere(snapshot: Snapshot) -> None:
    text = 'It crashes\n\n  File "/usr/lib/python3/other/utils.py", line 1, in run\n'
    found = _find(snapshot, text)
    told = [each.clues for each in found.files] + [each.clues for each in found.symbols]
    kinds = {clue.kind for clues in told for clue in clues}
    assert ClueKind.TRACEBACK not in kinds


@pytest.mark.parametrize(
    "text", ["", " \n", "!!", "the of and", "zzgrblx", "\0", "\ud800", "日本語", "_", "`", "a" * 99]
)
def test_a_text_that_tells_nothing_finds_nothing(snapshot: Snapshot, text: str) -> None:
    assert _find(snapshot, text) == Proposals((), ())


def test_long_texts_and_thousands_of_frames_are_answered(snapshot: Snapshot) -> None:
    frames = '  File "shop/cart.py", line 13, in check_stock\n' * 20_000
    assert _first(snapshot, f"Broken\n\n{frames}")[0] == "shop/cart.py"
    names = " ".join(f"`name{number}.other`" for number in range(20_000))
    assert _first(snapshot, f"discount percent\n\n{names}")[0] == "shop/prices.py"
    assert _find(snapshot, "x" * (1 << 20)) == Proposals((), ())


_TASKS = (
    "A discount of fifty percent is wrong",
    "Cart.add of `OutOfStock` raises\n\nin shop/cart.py with formatMoney",
    'Stock\n\n  File "shop/cart.py", line 13, in check_stock\nOutOfStock: nothing left of',
)


def test_an_edit_gives_what_a_fresh_index_gives(tmp_path: Path, workers: Workers) -> None:
    project = _open(_write(tmp_path), workers)
    project.count_terms()
    # Asked in between, what is kept of one moment must not reach the next one.
    before = [_find(project.snapshot, task) for task in _TASKS]
    path, more = "shop/prices.py", b"def stock_percent(cart):\n    return OutOfStock\n\n\n"
    project.show(path, Text(_FILES[path].encode()))
    assert isinstance(edit(project, path, 0, 0, more), Snapshot)
    (tmp_path / "shop/export/utils.py").unlink()
    (tmp_path / "shop/stock.py").write_text("def discount():\n    return check_stock()\n")
    after = [_find(project.refresh(), task) for task in _TASKS]
    assert after != before
    (tmp_path / path).write_bytes(more + _FILES[path].encode())
    fresh = _open(tmp_path, workers).count_terms()
    assert after == [_find(fresh, task) for task in _TASKS]


def test_another_key_of_the_terms_and_another_root_change_nothing(
    snapshot: Snapshot, tmp_path: Path, workers: Workers
) -> None:
    other = _open(_write(tmp_path), workers).count_terms()
    assert [_find(other, task) for task in _TASKS] == [_find(snapshot, task) for task in _TASKS]
