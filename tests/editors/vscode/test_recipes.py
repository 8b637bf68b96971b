"""Context for a review, for diagnostics, for an issue and for a task file, as a person asks."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from tests.editors.vscode.workbench import Workbench
from tests.editors.workspace import EDITED, FILES, SECRET, commit_all

_BROKEN = '{\n  "rate": 20,\n  "token": \n}\n'
_ISSUE = {"number": 7, "title": "Wrong total", "body": "See `orders/tax.py`.", "state": "open"}
_TASK = {
    "id": "T1",
    "title": "Limit the discount",
    "goal": "No order is free.",
    "context": {"files": ["orders/pricing.py"]},
}


def test_a_review_is_built_from_the_source_control_view(window: Workbench, project: Path) -> None:
    """Of what is not committed: the changed function, and who calls it."""
    _commit(project)
    changed = FILES[EDITED].replace("10_000", "20_000")
    (project / EDITED).write_text(changed, encoding="utf-8")
    window.open(project, EDITED)
    activities = window.page.locator(".part.activitybar")
    activities.get_by_role("tab", name=re.compile("^Source Control")).click()
    window.page.locator(".part.sidebar .pane-header", has_text="Changes").first.hover()
    sidebar = window.page.locator(".part.sidebar")
    sidebar.get_by_role("button", name="Build Review Context").first.click()
    window.quick_rows.filter(has_text="Uncommitted Changes").click()
    name = "Review Context: orders-project, uncommitted.md"
    window.active_tab(name).wait_for()
    text = window.text_of(name)
    assert "+    return cents * DISCOUNT // 100 if cents > 20_000 else 0" in text
    assert "change `modified`" in text
    assert "orders/pricing.py::total" in text


def test_a_fix_is_built_from_the_lightbulb_and_the_problems_panel(
    window: Workbench, project: Path
) -> None:
    (project / "rates.json").write_text(_BROKEN, encoding="utf-8")
    window.open(project, "rates.json")
    window.page.locator(".squiggly-error").first.wait_for()
    window.go_to(4)
    window.take_action("Build Fix Context")
    name = "Fix Context: rates.json.md"
    assert "Value expected" in window.text_of(name)
    window.run("View: Close Editor")
    window.tab(name).wait_for(state="detached")
    window.page.keyboard.press("Control+Shift+M")
    problem = window.page.locator(".markers-panel .monaco-list-row", has_text="Value expected")
    problem.click()
    problem.locator(".quickFix").wait_for(state="attached")
    window.choose(problem, "Build Fix Context")
    assert "Value expected" in window.text_of(name)


def test_an_issue_and_a_task_are_built_from_files(window: Workbench, project: Path) -> None:
    (project / "issue.json").write_text(json.dumps(_ISSUE), encoding="utf-8")
    task = {**_TASK, "goal": f"No order is free. password = '{SECRET}'"}
    (project / "task.json").write_text(json.dumps(task), encoding="utf-8")
    window.open(project, EDITED)
    window.run("Sightline: Build Context for an Issue…")
    window.choose_file(project / "issue.json")
    text = window.text_of("Issue Context: issue.json.md")
    assert "Wrong total" in text
    assert "return cents * RATES[country] // 100" in text
    explorer = window.page.locator(".explorer-folders-view")
    row = explorer.locator(".monaco-list-row", has_text="task.json")
    window.choose(row, "Build Context Pack for a Task File…")
    expect(window.quick_rows).to_have_count(3)
    window.quick_rows.filter(has_text="cheap").click()
    pack = window.text_of("Task Pack: task.json.md")
    assert "Limit the discount" in pack
    assert "def discount(cents: int) -> int:" in pack
    assert SECRET not in pack


def _commit(project: Path) -> None:
    settings = project / ".vscode" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"git.enabled": true}\n', encoding="utf-8")
    commit_all(project)
