"""What goes wrong around the extension, which goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest
from playwright.sync_api import expect

from tests.editors.costs import cost, status_of
from tests.editors.vscode.conftest import SIGHTLINE, Windows
from tests.editors.vscode.server_process import (
    CodeServer,
    running_code_server,
    wait_until,
)
from tests.editors.vscode.workbench import Workbench
from tests.editors.workspace import EDIT_LINE, EDITED, make_workspace

INSTALLING = 600.0
"""Seconds that an installation may take on a slow line."""
BUNDLE = "AI Context: total.md"
REMARK = "  # unsaved"


def test_the_server_is_killed_and_comes_back(window: Workbench, project: Path) -> None:
    """By a crash, and by a person who restarts it; unsaved text is still what is built."""
    window.open(project, EDITED)
    window.go_to(EDIT_LINE)
    expect(window.status).to_contain_text(cost(status_of(project)))
    unsaved = cost(status_of(project, add_remark))
    window.page.keyboard.press("End")
    window.page.keyboard.type(REMARK)
    for end in (kill_server, restart_server):
        before = window.servers()
        assert len(before) == 1
        end(window)
        wait_for_another_server(window, before)
        expect(window.status).to_contain_text(unsaved)
        window.focus(Path(EDITED).name)
        window.build()
        assert "# unsaved" in window.text_of(BUNDLE)
        window.run("View: Close Editor")
        window.tab(BUNDLE).wait_for(state="detached")


def test_a_wrong_server_path_is_said_and_can_be_mended(
    windows: Windows, lost: CodeServer, project: Path
) -> None:
    """The message names the setting; nothing else is started in its place."""
    window = windows(lost)
    window.open(project, EDITED)
    problem = window.notification("sightline.server.path")
    expect(problem.get_by_role("button", name="Choose Server…")).to_be_visible()
    expect(problem.get_by_role("button", name="Show Log")).to_be_visible()
    expect(window.status).to_have_class(re.compile(r"\berror-kind\b"))
    assert window.servers() == set()
    lost.set_machine({"sightline.server.path": str(SIGHTLINE)})
    window.open(project, EDITED)
    window.go_to(EDIT_LINE)
    expect(window.status).to_contain_text(cost(status_of(project)))


def test_a_missing_server_is_installed(
    windows: Windows, extension: Path, project: Path, tmp_path: Path
) -> None:
    """Where there is no Python the person hears so; where there is one, a click is enough."""
    variables = {"PATH": "/nowhere", **pip_variables()}
    with running_code_server(
        tmp_path / "bare", extension, {}, trusting=True, variables=variables
    ) as bare:
        window = windows(bare)
        window.open(project, EDITED)
        install = window.notification("not installed yet").get_by_role("button", name="Install")
        install.click()
        expect(window.notification("no Python 3.11 or newer was found")).to_be_visible()
        bare.set_machine({"sightline.install.python": sys.executable})
        window.open(project, EDITED)
        install.click()
        window.go_to(EDIT_LINE)
        expect(window.status).to_contain_text(cost(status_of(project)), timeout=INSTALLING * 1000)
        commands = [command_line(number) for number in window.servers()]
        assert [line for line in commands if "/server-" in line] == commands != []


def test_a_huge_file_and_a_file_outside(window: Workbench, project: Path, tmp_path: Path) -> None:
    """Neither has a bundle, both say why, and the next file is served as ever."""
    huge = project / "orders" / "huge.py"
    huge.write_text("x = 1\n" * 900_000, encoding="utf-8")
    outside = tmp_path / "outside.py"
    outside.write_text("def elsewhere() -> int:\n    return 1\n", encoding="utf-8")
    window.open(project, EDITED)
    for path in (huge, outside):
        name = path.name
        window.open_file(str(path))
        window.go_to(1)
        expect(window.status).to_have_text("–")
        window.build()
        refusal = window.notification(name)
        expect(refusal).to_be_visible()
        refusal.hover()
        refusal.get_by_role("button", name=re.compile("Clear Notification")).click()
    window.focus(Path(EDITED).name)
    window.go_to(EDIT_LINE)
    expect(window.status).to_contain_text(cost(status_of(project)))
    window.build()
    assert "orders/store.py" in window.text_of(BUNDLE)


def test_an_open_file_is_renamed(window: Workbench, project: Path) -> None:
    """The bundle has the new name, and the old one is gone."""
    renamed = status_of(
        project,
        lambda copy: (copy / EDITED).rename(copy / "orders/prices.py"),
        "orders/prices.py",
    )
    window.open(project, EDITED)
    window.go_to(EDIT_LINE)
    expect(window.status).to_contain_text(cost(status_of(project)))
    window.run("File: Reveal Active File in Explorer View")
    row = window.page.locator(".explorer-folders-view .monaco-list-row", has_text="pricing.py")
    row.click()
    window.page.keyboard.press("F2")
    box = window.page.locator(".explorer-folders-view input")
    box.fill("prices.py")
    box.press("Enter")
    window.active_tab("prices.py").wait_for()
    window.focus("prices.py")
    window.go_to(EDIT_LINE)
    expect(window.status).to_contain_text(cost(renamed))
    window.build()
    text = window.text_of(BUNDLE)
    assert "## `orders/prices.py`" in text
    assert "orders/pricing.py" not in text


def test_a_second_folder_has_its_own_bundles(window: Workbench, tmp_path: Path) -> None:
    """Each file is built in the folder that it is in."""
    first = make_workspace(tmp_path / "first")
    second = tmp_path / "second"
    (second / "lamps").mkdir(parents=True)
    lamp = "def light() -> int:\n    return power()\n"
    (second / "lamps" / "lamp.py").write_text(
        f"from lamps.power import power\n\n\n{lamp}", encoding="utf-8"
    )
    (second / "lamps" / "power.py").write_text("def power() -> int:\n    return 40\n")
    workspace = tmp_path / "both.code-workspace"
    workspace.write_text(
        json.dumps({"folders": [{"path": "first"}, {"path": "second"}]}), encoding="utf-8"
    )
    window.open(workspace, f"first/{EDITED}")
    window.go_to(EDIT_LINE)
    expect(window.status).to_contain_text(cost(status_of(first)))
    window.open_file("lamps/lamp.py")
    window.go_to(5)
    expect(window.status).not_to_contain_text(cost(status_of(first)))
    window.build()
    text = window.text_of("AI Context: light.md")
    assert "## `lamps/power.py`" in text
    assert "orders/" not in text
    window.focus(Path(EDITED).name)
    window.go_to(EDIT_LINE)
    window.build()
    text = window.text_of(BUNDLE)
    assert "## `orders/tax.py`" in text
    assert "lamps/" not in text


def pip_variables() -> dict[str, str]:
    """pip is as on this machine, though its home is elsewhere."""
    config = Path(platformdirs.user_config_dir("pip")) / "pip.conf"
    named = {"PIP_CONFIG_FILE": str(config)} if config.exists() else {}
    return {"PIP_CACHE_DIR": platformdirs.user_cache_dir("pip"), **named}


def command_line(process: int) -> str:
    return Path(f"/proc/{process}/cmdline").read_bytes().decode().replace("\0", " ")


@pytest.fixture
def lost(extension: Path, tmp_path: Path) -> Iterator[CodeServer]:
    """One whose person wrote a wrong path into the settings."""
    machine = {"sightline.server.path": "/nowhere/sightline"}
    with running_code_server(tmp_path / "lost", extension, machine, trusting=True) as server:
        yield server


def kill_server(window: Workbench) -> None:
    for number in window.servers():
        os.kill(number, signal.SIGKILL)


def restart_server(window: Workbench) -> None:
    window.run("Sightline: Restart Server")
    window.run("Sightline: Show Log")
    expect(window.output_channel("Sightline").first).to_be_attached()


def wait_for_another_server(window: Workbench, before: set[int]) -> None:
    wait_until(lambda: window.servers() - before != set())


def add_remark(project: Path) -> None:
    lines = (project / EDITED).read_text(encoding="utf-8").split("\n")
    lines[EDIT_LINE - 1] += REMARK
    (project / EDITED).write_text("\n".join(lines), encoding="utf-8")
