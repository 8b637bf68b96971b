"""What goes wrong around a plugin: servers that crash, files that are odd, buffers that vanish."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from tests.editors.nvim.conftest import Start
from tests.editors.nvim.editor import Editor, processes_with, setup, until
from tests.editors.workspace import EDITED, make_workspace

_PROCESS = "vim.lsp.get_clients({ name = 'sightline' })[1].id"


def test_a_server_that_crashes_is_started_again(start: Start) -> None:
    """Once on its own here, then on command; what is built afterwards is right."""
    editor = start(setup(restarts="1"))
    editor.edit(EDITED)
    editor.until_ready()
    first = editor.ask(_PROCESS)
    _crash(editor)
    editor.until_notice("stopped (signal 9) and is started again")
    editor.until_lua(
        f"#vim.lsp.get_clients({{ name = 'sightline' }}) == 1 and {_PROCESS} > {first}"
    )
    editor.until_ready()
    _crash(editor)
    editor.until_notice("stopped (signal 9). :SightlineRestart")
    editor.until("an empty status", lambda: editor.status()[0] == "")
    editor.command("SightlineRestart")
    editor.until_ready()
    assert "def total" in editor.built(lambda: editor.command("BuildAIContext"))


def test_a_server_is_restarted_on_command(editor: Editor) -> None:
    editor.edit(EDITED)
    editor.until_ready()
    before = editor.server_processes()
    editor.lua("vim.cmd('SightlineRestart') _G.status = require('sightline').statusline()")
    assert editor.ask("_G.status") == ""
    # What is asked meanwhile is answered by the new one.
    assert "def total" in editor.built(lambda: editor.command("BuildAIContext!"))
    editor.until("other processes", lambda: not {*editor.server_processes()} & {*before})
    editor.command("wincmd p")
    editor.until_ready()
    assert editor.ask("#vim.lsp.get_clients()") == 1
    assert not editor.notices()


def test_no_server(start: Start) -> None:
    """It is said once, and commands say it again; nothing else happens."""
    editor = start(setup(cmd="{ '/nowhere/python', '-m', 'sightline', 'lsp' }"))
    editor.edit(EDITED)
    message = editor.until_notice("The server was not found")
    assert "pipx install ." in message
    editor.edit("orders/tax.py")
    assert len(editor.notices()) == 1
    editor.command("BuildAIContext")
    assert len(editor.notices()) == 2
    assert editor.status()[0] == ""
    editor.command("SightlineRestart")
    editor.command("checkhealth sightline")
    assert "ERROR there is no '/nowhere/python'" in editor.text()


def test_a_server_that_does_not_start(start: Start) -> None:
    editor = start(setup(cmd=f"{{ {sys.executable!r}, '-m', 'sightline.nowhere' }}"))
    editor.edit(EDITED)
    editor.until_notice("The server did not start (exit code 1)")
    editor.command("checkhealth sightline")
    assert "it does not run" in editor.text()


def test_odd_files(editor: Editor, workspace: Path, tmp_path: Path) -> None:
    """Five megabytes, a file elsewhere, and a buffer without a name: refused in words."""
    (workspace / "huge.py").write_text("value = 1\n" * 500_000)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/far.py").write_text("def far():\n    return 1\n")
    editor.edit(EDITED)
    editor.until_ready()
    editor.edit("huge.py")
    editor.until_status("withheld", "SightlineNone")
    editor.command("BuildAIContext")
    editor.until("a refusal", lambda: editor.notices())
    editor.edit(tmp_path / "elsewhere/far.py")
    editor.until_status("withheld", "SightlineNone")
    editor.command("BuildAIContext")
    editor.until_notice("far.py")
    editor.command("enew")
    editor.command("BuildAIContext")
    editor.until_notice("This buffer is no file")
    editor.command("edit term://true")
    editor.command("SightlineExplain")
    editor.until_notice("Put the cursor into a file")
    assert editor.ask("#vim.lsp.get_clients()") == 1
    editor.edit(EDITED)
    assert "def total" in editor.built(lambda: editor.command("BuildAIContext"))


def test_another_name(editor: Editor) -> None:
    """A buffer that is renamed or saved under another name is another document."""
    editor.edit("orders/tax.py")
    editor.until_ready()
    editor.command("saveas orders/duty.py")
    editor.until_ready()
    editor.command("normal! Go# of duty")
    editor.command("call cursor(6, 1)")
    bundle = editor.built(lambda: editor.command("BuildAIContext!"))
    assert "orders/duty.py" in bundle
    assert "# of duty" in bundle
    editor.command("wincmd p")
    editor.command("file orders/levy.py")
    editor.command("normal! Go# of levy")
    editor.until_ready()
    bundle = editor.built(lambda: editor.command("BuildAIContext!"))
    assert "orders/levy.py" in bundle
    assert "# of levy" in bundle
    assert not [each for each in editor.notices() if "agree" in each]


def test_a_second_folder(editor: Editor, tmp_path: Path) -> None:
    """Another project is another folder of the same server, however it comes."""
    second = make_workspace(tmp_path / "second")
    (second / ".git").mkdir()
    third = make_workspace(tmp_path / "third")
    editor.edit(EDITED)
    editor.until_ready()
    editor.edit(second / EDITED)
    editor.until_ready()
    editor.command("call cursor(11, 1)")
    assert "def total" in editor.built(lambda: editor.command("BuildAIContext"))
    assert editor.ask("#vim.lsp.get_clients()") == 1
    assert editor.ask("require('sightline.build').last.root") == str(second)
    editor.command("wincmd p")
    editor.lua("vim.lsp.buf.add_workspace_folder(...)", str(third))
    editor.edit(third / EDITED)
    editor.until("a place in it", lambda: editor.status()[0].startswith("AI ●"))
    editor.built(lambda: editor.command("BuildAIContext"))
    assert editor.ask("require('sightline.build').last.root") == str(third)


def test_a_buffer_that_vanishes_while_it_is_built(editor: Editor) -> None:
    editor.edit("orders/tax.py")
    editor.edit(EDITED)
    editor.until_ready()
    editor.built(lambda: editor.lua("vim.cmd('BuildAIContext') vim.cmd('bwipeout!')"))
    assert not editor.notices()


def test_the_last_of_two_builds_is_shown(editor: Editor) -> None:
    editor.edit(EDITED)
    editor.until_ready()
    editor.built(
        lambda: editor.lua("vim.cmd('BuildAIContext json') vim.cmd('17BuildAIContext markdown')")
    )
    assert editor.ask("vim.bo.filetype") == "markdown"
    assert "discount" in editor.ask("vim.wo.winbar")


def test_nothing_is_left_behind(editor: Editor, tmp_path: Path) -> None:
    """The editor is left in the middle of a build."""
    editor.edit(EDITED)
    editor.until_ready()
    assert editor.server_processes()
    editor.nvim.exec_lua("vim.cmd('BuildAIContext') vim.cmd('qall!')", async_=True)
    until("the end of every process", lambda: not processes_with(str(tmp_path / "editor/cache")))


def _crash(editor: Editor) -> None:
    """Kill the server itself: its workers end with it."""
    own = set(editor.server_processes())
    for process in own:
        parent = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        if parent not in own:
            os.kill(process, signal.SIGKILL)
