"""Workspaces to build bundles of, and everything that comes out of a build as plain bytes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from sightline.bundle import canonical
from sightline.context import BuildRequest, Built, Refused, TargetSpec
from sightline.egress import guarded_scan
from sightline.engine.build import attempt_build
from sightline.engine.cache import BuildCache, Scan
from sightline.index.store import Fault, NoStore, open_store
from sightline.languages import load_registry
from sightline.project import Project
from sightline.settings import Loaded, Settings, load
from sightline.workers import Workers
from sightline.workspace import ReadLimits, Workspace

MAX_FILE_BYTES = 1 << 20
_MOMENT = "2020-02-02T02:02:02Z"
_CORRELATION = "00000000-0000-4000-8000-000000000000"

SHOP: Mapping[str, str | bytes] = {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n',
    ".gitignore": "*.tmp\n/private/\n",
    "shop/__init__.py": "",
    "shop/base.py": """\
class Entity:
    key: int = 0

    def describe(self) -> str:
        text = "entity"
        return text


class Priced:
    def price(self) -> int:
        return 1
""",
    "shop/money.py": """\
from shop.base import Priced

RATE = 3


def rounded(amount: int) -> int:
    low = amount - amount % RATE
    return low


class Money(Priced):
    def __init__(self, amount: int) -> None:
        self.amount = rounded(amount)

    def price(self) -> int:
        return self.amount
""",
    "shop/order.py": """\
from shop.base import Entity
from shop.money import Money, rounded


class Order(Entity):
    def __init__(self, money: Money) -> None:
        self.money = money

    def total(self) -> int:
        first = self.money.price()
        second = rounded(first)
        return first + second

    def describe(self) -> str:
        return f"order of {self.total()}"
""",
    "shop/desk.py": """\
from shop.money import Money
from shop.order import Order


def checkout(amount: int) -> int:
    order = Order(Money(amount))
    return order.total()


def report(amounts: list[int]) -> list[str]:
    return [Order(Money(each)).describe() for each in amounts]
""",
    "shop/zwölf.py": "from shop.order import Order\n\n\ndef zwölf(o: Order) -> int:\n"
    "    return o.total()\n",
    "shop/Wide.py": "from shop.desk import checkout\r\n\r\nTWICE = checkout(2) * 2\r\n",
    "shop/wide16.py": "from shop.order import Order\n\n\ndef wide(o: Order) -> int:\n"
    "    return o.total()\n".encode("utf-16"),
    "web/package.json": '{"name": "web", "version": "1.0.0"}\n',
    "web/tsconfig.json": '{"compilerOptions": {"baseUrl": "."}}\n',
    "web/api.ts": """\
import { Cart } from "./cart";

export interface Pricing {
  price(cart: Cart): number;
}

export function total(cart: Cart, pricing: Pricing): number {
  const base = pricing.price(cart);
  return base + cart.size();
}
""",
    "web/cart.ts": """\
export class Cart {
  private items: string[] = [];

  add(item: string): void {
    this.items.push(item);
  }

  size(): number {
    return this.items.length;
  }
}
""",
    "web/page.ts": """\
import { total, Pricing } from "./api";
import { Cart } from "./cart";

class Flat implements Pricing {
  price(cart: Cart): number {
    return cart.size() * 2;
  }
}

export function page(): number {
  const cart = new Cart();
  cart.add("one");
  return total(cart, new Flat());
}
""",
    "go.mod": "module example.test/shop\n\ngo 1.22\n",
    "tool/tool.go": """\
package tool

import "example.test/shop/store"

// Run empties a store.
func Run(s *store.Store) int {
\tcount := 0
\tfor s.Take() {
\t\tcount++
\t}
\treturn count
}
""",
    "store/store.go": """\
package store

type Store struct {
\tLeft int
}

// Take takes one.
func (s *Store) Take() bool {
\tif s.Left == 0 {
\t\treturn false
\t}
\ts.Left--
\treturn true
}
""",
    "notes.md": "# Notes\n\nNothing to see.\n",
}
"""Three languages with imports, bases, callers and configuration, and files of odd encodings."""

SHOP_TARGETS: Mapping[str, TargetSpec] = {
    "method": TargetSpec(path="shop/order.py", symbol="Order.total"),
    "file": TargetSpec(path="shop/order.py"),
    "function": TargetSpec(path="web/api.ts", symbol="total"),
    "receiver": TargetSpec(path="store/store.go", line=9),
}


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """The files below a root, made in the order of the mapping."""
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return root


@contextlib.contextmanager
def build_cache_on(
    root: Path, workers: Workers, *, cache: Path | None = None, scan: Scan = guarded_scan
) -> Iterator[BuildCache]:
    """A build cache on a workspace as a new process would have it, with a store or without one."""
    workspace = Workspace(root, limits=ReadLimits(max_file_bytes=MAX_FILE_BYTES))
    registry = load_registry()
    store = open_store(str(workspace.root), cache) if cache else NoStore(Fault.UNAVAILABLE)
    with Project(workspace, registry, workers, store) as project:
        project.open()
        project.count_terms()
        yield BuildCache(project, registry, workers, scan)


def settings(**values: object) -> Settings:
    """Settings with some changed: `budget__max_input_tokens=900`."""
    asked = {name.replace("__", "."): value for name, value in values.items()}
    loaded = load(None, None, {}, asked)
    assert isinstance(loaded, Loaded), loaded
    return loaded.settings


def build(build_cache: BuildCache, request: BuildRequest, chosen: Settings) -> Built | Refused:
    return attempt_build(
        build_cache, request, chosen, created_at=_MOMENT, correlation_id=_CORRELATION
    ).outcome


def built(outcome: Built | Refused) -> Built:
    assert isinstance(outcome, Built), outcome
    return outcome


def plain(outcome: Built | Refused) -> dict[str, Any]:
    """Every object that a build answers with, as plain values."""
    if isinstance(outcome, Refused):
        report = outcome.budget_report
        return {
            "refusal": outcome.refusal.as_dict(),
            "budget_report": msgspec.to_builtins(report) if report else None,
        }
    parts = ("bundle", "manifest", "redaction_report", "budget_report")
    found: dict[str, Any] = {part: msgspec.to_builtins(getattr(outcome, part)) for part in parts}
    return {**found, "rendered": outcome.rendering.text}


def everything(outcome: Built | Refused) -> bytes:
    """A build as bytes: two that are equal cannot be told apart."""
    return canonical(plain(outcome))
