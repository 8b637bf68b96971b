"""The Context view in the side bar, and what explains a bundle."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from tests.editors.costs import cost, status_of
from tests.editors.vscode.conftest import Picture
from tests.editors.vscode.server_process import wait_until
from tests.editors.vscode.workbench import Workbench
from tests.editors.workspace import EDIT_LINE, EDITED

BUNDLE = "AI Context: total.md"


def test_a_file_is_dropped_and_taken_back(
    window: Workbench, project: Path, picture: Picture
) -> None:
    """Each change builds again; a block leads to its source."""
    window.open(project, EDITED)
    window.go_to(EDIT_LINE)
    expect(window.status).to_contain_text(cost(status_of(project)))
    window.build()
    window.tab(BUNDLE).wait_for()
    window.run("View: Show Sightline")
    for path in ("orders/pricing.py", "orders/model.py", "orders/store.py", "pyproject.toml"):
        expect(window.tree_row(path)).to_be_visible()
    window.focus(Path(EDITED).name)
    window.resize(1440, 860)
    picture("workbench", window.page)
    window.resize(1440, 480)
    picture("context-view", window.page, window.page.locator(".part.sidebar"))
    # Rows that do not fit are not made: what was dropped stands at the end.
    window.resize(1440, 860)
    window.tree_button("orders/store.py", "Drop").click()
    wait_until(lambda: "orders/store.py" not in headings(window))
    window.tree_button("orders/store.py", "Restore").click()
    wait_until(lambda: "orders/store.py" in headings(window))
    window.tree_row("orders/archive.py").click()
    window.active_tab("archive.py").wait_for()
    # The block shows the whole file, so no lines of it are selected.
    expect(window.status_entry("status.editor.selection")).to_contain_text("Ln 1, Col 1")


def test_a_bundle_is_accounted_for(window: Workbench, project: Path) -> None:
    """What it was made from, that it can be made again, and why a file is in it."""
    window.open(project, EDITED)
    window.go_to(EDIT_LINE)
    expect(window.status).to_contain_text(cost(status_of(project)))
    window.build()
    window.text_of(BUNDLE)
    window.title_button(BUNDLE, "Show Manifest").click()
    manifest = json.loads(window.text_of("Manifest: total.json"))
    assert manifest["manifest"]["selection"]["target_files"] == [EDITED]
    assert manifest["budget_report"]["estimated_input_tokens"] == status_of(project).tokens
    window.run("Sightline: Verify Context")
    expect(window.said(re.compile("verified", re.IGNORECASE))).to_be_visible()
    window.open_file("orders/store.py")
    window.go_to(9, 9)
    window.run("Sightline: Explain Inclusion")
    explanation = window.text_of("Explanation: Store.save.md")
    assert "orders/store.py" in explanation
    assert "total" in explanation


def headings(window: Workbench) -> str:
    return "\n".join(line for line in window.text_of(BUNDLE).splitlines() if line.startswith("## "))
