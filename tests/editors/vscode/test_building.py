"""From the code to the bundle, as a person goes."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.editors.costs import cost, status_of
from tests.editors.vscode.server_process import wait_until
from tests.editors.vscode.workbench import Workbench
from tests.editors.workspace import EDIT_LINE, EDITED, GOLDEN, SYMBOL, TYPED

BUNDLE = f"AI Context: {SYMBOL}.md"


def test_typed_text_gives_the_golden(window: Workbench, project: Path) -> None:
    """What is shown and what is copied are, byte for byte, the command line's bundle."""
    type_the_edit(window, project)
    window.build()
    assert window.text_of(BUNDLE) == golden()
    window.focus(Path(EDITED).name)
    window.page.evaluate("navigator.clipboard.writeText('')")
    window.run("Sightline: Copy AI Context")
    wait_until(lambda: window.clipboard() != "")
    assert window.clipboard() == golden()


def test_the_bundle_is_read_only_and_refreshed(window: Workbench, project: Path) -> None:
    """A person cannot change it; building again shows the new text in the same document."""
    window.open(project, EDITED)
    window.go_to(EDIT_LINE)
    expect(window.status).to_contain_text(cost(status_of(project)))
    window.build()
    before = window.text_of(BUNDLE)
    window.page.keyboard.type("x")
    assert window.text_of(BUNDLE) == before
    window.focus(Path(EDITED).name)
    window.page.keyboard.press("End")
    window.page.keyboard.press("Enter")
    window.page.keyboard.type(TYPED)
    window.page.keyboard.press("Control+K")
    window.page.keyboard.press("a")
    wait_until(lambda: window.text_of(BUNDLE) == golden())
    expect(window.tab(BUNDLE)).to_have_count(1)


def test_the_explorer_builds_for_a_file(window: Workbench, project: Path) -> None:
    """Without opening it, from its context menu."""
    window.open(project, EDITED)
    explorer = window.page.locator(".explorer-folders-view")
    row = explorer.locator(".monaco-list-row", has_text="tax.py")
    window.choose(row, "Build AI Context for File")
    text = window.text_of("AI Context: tax.py.md")
    assert text.index("## `orders/tax.py`") == text.index("## `")


def type_the_edit(window: Workbench, project: Path) -> None:
    window.open(project, EDITED)
    window.go_to(EDIT_LINE)
    expect(window.status).to_contain_text(cost(status_of(project)))
    window.page.keyboard.press("End")
    window.page.keyboard.press("Enter")
    window.page.keyboard.type(TYPED)


def golden() -> str:
    return GOLDEN.read_bytes().decode()
