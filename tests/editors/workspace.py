"""The project that every front is tried on, and the one golden that all of them must give.

The golden is the Markdown bundle for `EDITED` after a person put the cursor behind line
`EDIT_LINE`, pressed Enter and typed `TYPED`; editors indent the new line by themselves.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

SECRET = "Vq8zT2mWx5Kc9RfLb3Hn"
"""Harmless and random: it stands for a password that somebody left in a file."""

GOLDEN = Path(__file__).parent / "golden" / "total.md"

EDITED = "orders/pricing.py"
EDIT_LINE = 11
TYPED = "# The discount is taken before the tax."
SYMBOL = "total"

FILES = {
    "pyproject.toml": '[project]\nname = "orders"\nversion = "1.0"\n',
    "orders/__init__.py": "",
    "orders/model.py": (
        '"""What a customer buys."""\n\n'
        "from dataclasses import dataclass, field\n\n\n"
        "@dataclass\nclass Line:\n    name: str\n    cents: int\n    count: int = 1\n\n"
        "    def price(self) -> int:\n        return self.cents * self.count\n\n\n"
        "@dataclass\nclass Order:\n    customer: str\n"
        "    lines: list[Line] = field(default_factory=list)\n\n"
        "    def add(self, line: Line) -> None:\n"
        '        """One more thing."""\n        self.lines.append(line)\n'
    ),
    "orders/tax.py": (
        '"""Taxes by country."""\n\n'
        'RATES = {"AT": 20, "DE": 19, "FR": 20}\n\n\n'
        "def tax(cents: int, country: str) -> int:\n"
        "    return cents * RATES[country] // 100\n"
    ),
    "orders/pricing.py": (
        '"""What an order costs."""\n\n'
        "from orders.model import Order\nfrom orders.tax import tax\n\n"
        "DISCOUNT = 5\n\n\n"
        "def total(order: Order, country: str) -> int:\n"
        '    """What the customer pays, in cents."""\n'
        "    amount = sum(line.price() for line in order.lines)\n"
        "    amount -= discount(amount)\n"
        "    return amount + tax(amount, country)\n\n\n"
        "def discount(cents: int) -> int:\n"
        "    return cents * DISCOUNT // 100 if cents > 10_000 else 0\n"
    ),
    "orders/store.py": (
        "from orders.model import Order\nfrom orders.pricing import total\n\n\n"
        "class Store:\n"
        "    def __init__(self) -> None:\n        self.orders: list[Order] = []\n\n"
        "    def save(self, order: Order) -> int:\n"
        "        self.orders.append(order)\n"
        '        return total(order, "AT")\n'
    ),
    "orders/archive.py": (
        "from orders.model import Order\n\n\n"
        "class Archive:\n"
        "    def save(self, order: Order) -> None:\n"
        '        print("archived", order.customer)\n'
    ),
    "orders/mail.py": (
        "from orders.model import Order\n\n"
        f'password = "{SECRET}"\n\n\n'
        "def send(order: Order) -> bool:\n    return bool(password and order.customer)\n"
    ),
    "build/generated.py": "def generated() -> int:\n    return 1\n",
}


def make_workspace(folder: Path) -> Path:
    """`save` is there twice, `orders/mail.py` holds a secret, `build/` is denied."""
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


def commit_all(folder: Path) -> None:
    """Make the project a repository with one commit of everything in it."""
    for arguments in (
        ["init", "-q", "-b", "main"],
        ["add", "-f", "-A"],
        ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "Begin"],
    ):
        subprocess.run(["git", *arguments], cwd=folder, check=True)


def edited_text() -> str:
    """`EDITED` as it is once a person has typed."""
    lines = FILES[EDITED].splitlines(keepends=True)
    return "".join([*lines[:EDIT_LINE], f"    {TYPED}\n", *lines[EDIT_LINE:]])
