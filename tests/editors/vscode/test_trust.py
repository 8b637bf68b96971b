"""A workspace cannot choose what runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.editors.vscode.conftest import SIGHTLINE, Windows
from tests.editors.vscode.server_process import running_code_server, wait_until
from tests.editors.vscode.workbench import Workbench
from tests.editors.workspace import EDIT_LINE, EDITED

TOKENS = re.compile(r"\d.*/.*\d")
SETTINGS = ("sightline.server.path", "sightline.install.python", "python.defaultInterpreterPath")


def test_a_trusted_workspace_starts_nothing_of_its_own(window: Workbench, project: Path) -> None:
    """The person trusts the workspace's code, and still runs the server of their own settings."""
    mark = set_a_trap(project)
    window.open(project, EDITED)
    expect(window.status).to_have_text(TOKENS)
    before = window.servers()
    window.run("Sightline: Restart Server")
    wait_until(lambda: window.servers() - before != set())
    expect(window.status).to_have_text(TOKENS)
    assert not mark.exists()


@pytest.mark.parametrize("machine", [{"sightline.server.path": str(SIGHTLINE)}, {}])
def test_an_untrusted_workspace_starts_nothing_of_its_own(
    windows: Windows, extension: Path, project: Path, tmp_path: Path, machine: dict[str, str]
) -> None:
    """With a server of the person's it works; without one it asks, and tries nothing."""
    mark = set_a_trap(project)
    place = tmp_path / "code-server"
    with running_code_server(place, extension, machine, trusting=False) as server:
        window = windows(server)
        window.open(project, EDITED)
        expect(window.page.locator('[id="status.workspaceTrust"]')).to_be_visible()
        if machine:
            window.go_to(EDIT_LINE)
            expect(window.status).to_have_text(TOKENS)
            window.build()
            assert "## `orders/tax.py`" in window.text_of("AI Context: total.md")
        else:
            offer = window.notification("not installed yet").get_by_role("button", name="Install")
            expect(offer).to_be_visible()
        assert not mark.exists()


def set_a_trap(project: Path) -> Path:
    """Settings of the workspace that name a program, which would leave a mark."""
    mark = project / "mark"
    trap = project / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch '{mark}'\n", encoding="utf-8")
    trap.chmod(0o755)
    settings = project / ".vscode" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps(dict.fromkeys(SETTINGS, str(trap))), encoding="utf-8")
    return mark
