"""What a bundle costs: the status bar while a person types, and the budget picture."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import FrameLocator, expect

from tests.editors.costs import cost, status_of
from tests.editors.vscode.conftest import Picture
from tests.editors.vscode.workbench import Workbench
from tests.editors.workspace import EDIT_LINE, EDITED

SMALL_WINDOW = {"sightline.budget.maxInputTokens": 5200}
"""Of which 4,000 are kept for the answer; four fifths of the rest are the soft limit."""

WARNING = re.compile(r"\bwarning-kind\b")
ALARM = re.compile(r"\berror-kind\b")
COLOURED = re.compile(r"\b(warning|error)-kind\b")

RULES = [f"amount -= order.customer == 'customer {number}'" for number in range(80)]
"""The editor indents them."""

LEDGER = (
    "class Ledger:\n    def long(self, cents: int) -> int:\n"
    + "        cents += 1\n" * 200
    + "        return cents\n\n    def short(self, cents: int) -> int:\n        return cents\n"
)


def test_the_status_bar_warns_and_alarms_while_typing(
    window: Workbench, project: Path, picture: Picture
) -> None:
    """Past the soft limit, past the hard limit, and back when the person takes it back."""
    give_a_small_window(project)
    small = status_of(project, settings={"budget.max_input_tokens": 5200})
    window.open(project, EDITED)
    window.go_to(EDIT_LINE)
    window.resize(860, 420)
    window.run("View: Toggle Primary Side Bar Visibility")
    expect(window.status).to_contain_text(cost(small))
    expect(window.status).not_to_have_class(COLOURED)
    picture("status-ok", window.page)
    window.page.keyboard.press("End")
    window.page.keyboard.type("  # before any rule")
    expect(window.status).not_to_contain_text(cost(small))
    window.page.keyboard.insert_text("\n" + "\n".join(RULES[:35]))
    expect(window.status).to_have_class(WARNING)
    picture("status-warn", window.page)
    window.page.keyboard.insert_text("\n" + "\n".join(RULES[35:]))
    expect(window.status).to_have_class(ALARM)
    picture("status-refuse", window.page)
    while window.page.locator(".tab.active.dirty").count():
        window.page.keyboard.press("Control+Z")
    expect(window.status).not_to_have_class(COLOURED)
    expect(window.status).to_contain_text(cost(small))
    window.resize(860, 560)
    window.status.hover()
    tooltip = window.page.locator(".monaco-hover", has_text="AI context for total")
    expect(tooltip).to_contain_text("orders/pricing.py")
    expect(tooltip).to_contain_text(f"{small.tokens:,} of 1,200 tokens")
    picture("status-tooltip", window.page)


def test_too_large_is_narrowed_or_allowed_once(window: Workbench, project: Path) -> None:
    """The refusal offers smaller symbols, and the budget that would do for this build."""
    give_a_small_window(project)
    with (project / EDITED).open("a", encoding="utf-8") as file:
        file.write(f"\n\n{LEDGER}")
    window.open(project, EDITED)
    window.go_to(20)
    window.build()
    refusal = window.notification("smallest bundle needs")
    refusal.get_by_role("button", name=re.compile("Allow [0-9,. ]+ Tokens Once")).click()
    assert "cents += 1" in window.text_of("AI Context: Ledger.md")
    window.focus(Path(EDITED).name)
    window.build()
    refusal.get_by_role("button", name="Narrow…").click()
    window.quick_rows.filter(has_text="Ledger.short").click()
    text = window.text_of("AI Context: Ledger.short.md")
    assert "def short" in text
    assert "cents += 1" not in text


def test_the_budget_picture_adds_up(window: Workbench, project: Path, picture: Picture) -> None:
    """Blocks, frame and total agree; the keyboard comes to the table and opens a source."""
    window.open(project, EDITED)
    window.go_to(EDIT_LINE)
    expect(window.status).to_contain_text(cost(status_of(project)))
    window.build()
    window.tab("AI Context: total.md").wait_for()
    window.resize(1440, 900)
    window.status.click()
    panel = window.panel("AI Context Budget")
    view = window.webview()
    rows = view.locator("tbody tr")
    expect(rows.first).to_be_visible()
    blocks = numbers(view, "tbody td.tokens")
    frame, total, free = numbers(view, "tfoot td.tokens")
    assert sum(blocks) + frame == total
    assert total + free == 96_000
    assert sum(numbers(view, "tbody .percent, tfoot tr:first-child .percent")) == 100
    window.use_colours("dark")
    picture("budget-dark", window.page, panel)
    window.use_colours("light")
    picture("budget-light", window.page, panel)
    view.locator("button").last.focus()
    window.page.keyboard.press("Tab")
    expect(view.locator("tbody tr:focus")).to_be_visible()
    titles = [title.strip() for title in view.locator("tbody td.block .name").all_inner_texts()]
    for _ in range(titles.index("orders/tax.py")):
        window.page.keyboard.press("ArrowDown")
    expect(view.locator("tbody tr:focus")).to_contain_text("orders/tax.py")
    window.page.keyboard.press("Enter")
    window.active_tab("tax.py").wait_for()


def test_the_budget_picture_follows_the_cursor(window: Workbench, project: Path) -> None:
    """Before anything is built it shows what a bundle would cost, live."""
    window.open(project, EDITED)
    window.go_to(EDIT_LINE)
    expect(window.status).to_contain_text(cost(status_of(project)))
    tokens = f"{status_of(project).tokens:,}"
    window.run("Sightline: Show Budget")
    expect(window.webview().locator("h1")).to_contain_text("total")
    total = window.webview().locator("tfoot tr.total td.tokens")
    expect(total).to_have_text(tokens)
    window.run("View: Move Editor into Right Group")
    window.append(Path(EDITED).name, "  # one more remark")
    expect(window.status).not_to_contain_text(cost(status_of(project)))
    expect(total).not_to_have_text(tokens)
    window.go_to(17)
    expect(window.webview().locator("h1")).to_contain_text("discount")


def give_a_small_window(project: Path) -> None:
    settings = project / ".vscode" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps(SMALL_WINDOW), encoding="utf-8")


def numbers(view: FrameLocator, selector: str) -> list[int]:
    texts = view.locator(selector).all_inner_texts()
    return [int(re.sub(r"[^0-9]", "", text)) for text in texts]
