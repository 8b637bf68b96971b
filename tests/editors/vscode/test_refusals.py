"""What is refused, and what is offered instead of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.editors.costs import cost, status_of
from tests.editors.vscode.server_process import CodeServer
from tests.editors.vscode.workbench import Workbench
from tests.editors.workspace import EDIT_LINE, EDITED, SECRET


def test_an_ambiguous_name_is_chosen_among(window: Workbench, project: Path) -> None:
    """`save` is there twice: the person chooses, and the bundle is for that one."""
    window.open(project, EDITED)
    window.go_to(EDIT_LINE)
    expect(window.status).to_contain_text(cost(status_of(project)))
    window.run("Sightline: Pick Targets…")
    window.quick_input.fill("save")
    window.quick_input.press("Enter")
    for name in ("Archive.save", "Store.save"):
        expect(window.quick_rows.filter(has_text=name)).to_be_visible()
    window.quick_rows.filter(has_text="Archive.save").click()
    text = window.text_of("AI Context: Archive.save.md")
    target = text[text.index("## `") :].split("\n## `")[0]
    assert "orders/archive.py" in target
    assert ": the target" in target


def test_a_secret_is_refused_and_found(window: Workbench, project: Path) -> None:
    """The status bar alarms, the refusal leads to the line, and the value is shown nowhere."""
    window.open(project, "orders/mail.py")
    window.go_to(1)
    expect(window.status).to_have_class(re.compile(r"\berror-kind\b"))
    window.build()
    refusal = window.notification(re.compile("secret", re.IGNORECASE))
    expect(refusal).not_to_contain_text(SECRET)
    refusal.get_by_role("button", name="Go to Line 3").click()
    expect(window.status_entry("status.editor.selection")).to_have_text(re.compile("Ln 3, "))
    window.focus("mail.py")
    window.run("View: Close Editor")
    window.tab("mail.py").wait_for(state="detached")
    assert SECRET not in window.page.content()
    assert files_with(SECRET, window.server.place) == []


def test_a_denied_path_is_allowed_by_the_person(
    window: Workbench, project: Path, user_settings: Path
) -> None:
    """The refusal names its rule; the server asks, then builds; it is the user's, and undone."""
    window.open(project, "build/generated.py")
    window.go_to(1)
    window.build()
    refusal = window.notification("build/")
    expect(refusal).to_contain_text("default:")
    refusal.get_by_role("button", name="Allow in This Workspace…").click()
    question = window.notification("Allow 'build/generated.py' in the workspace")
    expect(question).to_contain_text("**/build/**")
    assert not user_settings.exists()
    question.get_by_role("button", name="Allow in This Workspace").click()
    assert "def generated() -> int:" in window.text_of("AI Context: generated.md")
    assert "build/generated.py" in user_settings.read_text(encoding="utf-8")
    told = window.notification("build/generated.py is allowed in the workspace")
    told.get_by_role("button", name="Undo").click()
    window.notification("It was taken back.").wait_for()
    assert "build/generated.py" not in user_settings.read_text(encoding="utf-8")
    assert not (project / ".vscode").exists()
    assert not (project / ".sightline").exists()


def test_a_value_is_marked_as_harmless_by_the_person(
    window: Workbench, project: Path, user_settings: Path
) -> None:
    """The server asks, naming line and detector; the mark is taken back by the notification."""
    window.open(project, "orders/mail.py")
    window.go_to(1)
    window.build()
    refusal = window.notification(re.compile("secret", re.IGNORECASE))
    refusal.get_by_role("button", name="Mark as Harmless…").click()
    question = window.notification(re.compile("Mark the value on line 3 of 'orders/mail.py'"))
    expect(question).not_to_contain_text(SECRET)
    question.get_by_role("button", name="Mark as Harmless in This Workspace").click()
    told = window.notification("is marked as harmless in the workspace")
    told.wait_for()
    assert 'file = "orders/mail.py"' in user_settings.read_text(encoding="utf-8")
    assert SECRET not in user_settings.read_text(encoding="utf-8")
    told.get_by_role("button", name="Undo").click()
    window.notification("It was taken back.").wait_for()
    assert "orders/mail.py" not in user_settings.read_text(encoding="utf-8")


def files_with(text: str, folder: Path) -> list[Path]:
    """Logs, stores and states that have it; a file may go while it is looked for."""
    found = []
    for path in folder.rglob("*"):
        with suppress(OSError):
            if path.is_file() and text.encode() in path.read_bytes():
                found.append(path)
    return found


@pytest.fixture
def user_settings(code_server: CodeServer) -> Iterator[Path]:
    """What is allowed there holds for every window, so it ends with the test."""
    yield code_server.sightline_settings
    code_server.sightline_settings.unlink(missing_ok=True)
