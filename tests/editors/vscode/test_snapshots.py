"""Context snapshots from VS Code: store the last bundle, list, show, verify and compare."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.editors.vscode.server_process import wait_until
from tests.editors.vscode.workbench import Workbench
from tests.editors.workspace import EDITED, FILES, commit_all


def test_bundles_are_stored_verified_and_compared(window: Workbench, project: Path) -> None:
    """Stock git has the snapshots; two of them are compared as a page, then side by side."""
    commit_all(project)
    window.open(project, EDITED)
    for count in (1, 2):
        if count == 2:
            changed = FILES[EDITED].replace("10_000", "20_000")
            (project / EDITED).write_text(changed, encoding="utf-8")
        window.focus(EDITED.rpartition("/")[2])
        window.go_to(9)
        window.build()
        window.page.locator('.tab.active[aria-label*="pricing"]').first.wait_for()
        window.run("Sightline: Create Snapshot of the Context")
        _wait_for(project, count)
    old, new = (each[:13] for each in _stored(project))
    window.notification("is stored in the repository").first.wait_for()

    window.run("Sightline: Context Snapshots…")
    window.quick_rows.filter(has_text=old).click()
    window.quick_rows.filter(has_text="Verify").click()
    assert window.text_of(f"Verification: {old}.txt").startswith("verified")

    window.run("Sightline: Compare Context Snapshots…")
    window.quick_rows.filter(has_text=new).click()
    window.quick_rows.filter(has_text=old).click()
    window.quick_rows.filter(has_text=EDITED).first.click()
    window.page.locator(f'.tab.active[aria-label*="{old} ↔ {new}"]').wait_for()
    page = window.text_of(f"Compare: {old} and {new}.diff")
    assert "+    return cents * DISCOUNT // 100 if cents > 20_000 else 0" in page


def _wait_for(project: Path, count: int) -> None:
    wait_until(lambda: len(_stored(project)) == count)


def _stored(project: Path) -> list[str]:
    command = ["git", "for-each-ref", "--format=%(refname:lstrip=3)", "refs/ai/snapshots"]
    done = subprocess.run(command, cwd=project, check=True, capture_output=True, text=True)
    return done.stdout.split()
