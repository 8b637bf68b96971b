"""The commands besides the build, health, the status line's parts, and how options are checked."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import jsonschema

import sightline.schemas
from tests.editors.costs import status_of
from tests.editors.nvim.conftest import Start
from tests.editors.nvim.editor import PLUGIN, Editor, setup
from tests.editors.workspace import EDITED, SECRET

SCHEMA = Path(sightline.schemas.__file__).with_name("build_result.schema.json")
ON_PATH = f"vim.env.PATH = vim.fs.dirname({sys.executable!r}) .. ':' .. vim.env.PATH"


def test_what_was_built_is_shown_and_verified(editor: Editor, tmp_path: Path) -> None:
    for name in ("Manifest", "Verify", "Yank"):
        editor.command(f"Sightline{name}")
    assert len([each for each in editor.notices() if "Nothing was built yet" in each]) == 3
    editor.edit(EDITED)
    editor.until_ready()
    editor.command("call cursor(11, 1)")
    editor.built(lambda: editor.command("BuildAIContext"))

    editor.command("SightlineManifest")
    manifest = json.loads(editor.until_page("manifest"))
    assert manifest["selection"]["target_symbols"] == ["orders/pricing.py::total"]
    assert editor.ask("vim.bo.filetype") == "json"
    assert editor.ask("#vim.api.nvim_list_wins()") == 2
    editor.command("SightlineVerify")
    editor.until_notice("Verified")
    record = tmp_path / "record.json"
    written = editor.built(lambda: editor.command("BuildAIContext json"))
    editor.command(f"write {record}")
    assert record.read_text() == written
    jsonschema.validate(json.loads(written), json.loads(SCHEMA.read_text()))

    editor.command("wincmd p")
    editor.command("normal! ggO# changed")
    editor.command("SightlineVerify")
    assert "orders/pricing.py" in editor.until_notice("is another")


def test_relations_lead_to_their_places(editor: Editor) -> None:
    editor.edit(EDITED)
    editor.until_ready()
    editor.command("call cursor(9, 5)")
    editor.built(lambda: editor.command("BuildAIContext"))
    editor.command("wincmd p")
    editor.edit("orders/tax.py")
    editor.command("call cursor(6, 5)")
    editor.command("SightlineExplain")
    page = editor.until_page("explain")
    assert page.startswith("tax  function  orders/tax.py:6\n")
    assert "in the bundle for orders/pricing.py::total: dependency, FULL_FILE, P1" in page
    assert "orders/pricing.py::total:9" in page
    editor.command("call search('by orders/pricing.py:13')")
    editor.type("<CR>")
    editor.until_lua("vim.fn.bufname() == 'orders/pricing.py'")
    assert editor.ask("vim.api.nvim_win_get_cursor(0)[1]") == 13


def test_recipes_are_shown(editor: Editor, tmp_path: Path) -> None:
    """For diagnostics, an issue and a task; a review needs a repository, which is said."""
    editor.edit(EDITED)
    editor.until_ready()
    editor.command("SightlineFix")
    editor.until_notice("There are no diagnostics here")
    editor.command(
        "lua vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 0,"
        " {{ lnum = 10, col = 0, message = 'It is wrong', severity = 1 }})"
    )
    editor.command("SightlineFix")
    assert "message `It is wrong`" in editor.until_page("fix")
    issue = tmp_path / "issue.md"
    issue.write_text("Wrong tax\n\nIn orders/tax.py.\n")
    editor.command(f"SightlineIssue {issue}")
    assert "### `orders/tax.py`" in editor.until_page("issue")
    task = tmp_path / "task.json"
    task.write_text('{"id": "1", "title": "T", "goal": "The tax is right."}')
    editor.command(f"SightlineTaskPack {task} cheap")
    assert "The tax is right." in editor.until_page("task")
    editor.command(f"SightlineTaskPack {tmp_path}/none")
    editor.until_notice("cannot be read")
    editor.command("SightlinePack full orders")
    page = editor.until_page("pack")
    assert "### `orders/tax.py` (" in page
    assert "### `app.py` (" not in page
    editor.command("SightlinePack huge")
    editor.until_notice("no such type of pack")
    editor.command("SightlineReview nowhere..else")
    editor.until_notice("use a folder that is in a git repository")


def test_the_budget_is_drawn(editor: Editor, workspace: Path) -> None:
    """Of what would be built, as long as nothing is; then of the bundle in its window."""
    editor.command("SightlineBudget")
    assert "Nothing is known" in editor.notices()[-1]
    editor.edit(EDITED)
    editor.until_ready()
    editor.command("call cursor(11, 1)")
    editor.until_lua("require('sightline').status().symbol == 'total'")
    editor.command("SightlineBudget")
    assert editor.ask("vim.api.nvim_win_get_config(0).relative") == "editor"
    live = editor.text()
    assert "total  orders/pricing.py" in live
    tokens = status_of(workspace).tokens
    assert f"{tokens} of 96,000 tokens, 1 %   ┊ warns at 76,800   ┃ refuses past 96,000" in live
    assert re.search(r"P1  orders/tax.py +█+░+ +\d+\n", live)
    groups = editor.ask(
        "vim.tbl_map(function(mark) return mark[4].hl_group end,"
        " vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true }))"
    )
    assert {"SightlineOk", "SightlineP0", "SightlineP3", "SightlineSoftLimit"} <= set(groups)
    editor.type("q")
    editor.until_lua("#vim.api.nvim_list_wins() == 1")
    editor.built(lambda: editor.command("BuildAIContext"))
    editor.type("gb")
    editor.until_lua("vim.bo.filetype == 'sightline-budget'")
    assert re.search(r"Framing +█+░+ +\d+\n", editor.text())


def test_settings_and_log(editor: Editor, tmp_path: Path) -> None:
    editor.edit("orders/mail.py")
    editor.until_status("secret", "SightlineRefuse")
    editor.command("SightlineSettings")
    settings = tmp_path / "editor/config/settings.toml"
    editor.until_lua(f"vim.api.nvim_buf_get_name(0) == '{settings}'")
    editor.command("SightlineLog")
    assert SECRET not in editor.until_page("log")


def test_health(editor: Editor) -> None:
    editor.edit(EDITED)
    editor.until_ready()
    editor.command("checkhealth sightline")
    page = editor.text()
    assert "OK sightline 0." in page
    assert re.search(r"OK .*orders-project: 7 files, 22 symbols, complete", page)
    assert "ERROR" not in page
    assert "WARNING" not in page


def test_options_are_checked(editor: Editor) -> None:
    """A wrong option is an error that names it, and leaves everything as it was."""

    def problem(options: str) -> str:
        done = editor.ask(f"{{ pcall(require('sightline').setup, {options}) }}")
        assert done[0] is False
        return str(done[1])

    assert "no option 'formt'; there are: cmd, focus, format" in problem("{ formt = 'xml' }")
    assert "'format' must be one of json, markdown, xml" in problem("{ format = 'yaml' }")
    assert "'cmd' must be a list of words" in problem("{ cmd = 'sightline' }")
    assert "'split' must be one of" in problem("{ split = 'up' }")
    assert "no option 'statusline.icon'" in problem("{ statusline = { icon = {} } }")
    assert "'statusline.icons' must be a table" in problem("{ statusline = { icons = 1 } }")
    assert "'restarts' must be a whole number" in problem("{ restarts = -1 }")
    assert "a table is expected" in problem("'xml'")
    assert editor.ask("require('sightline.options').current.cmd[1]") == sys.executable


def test_the_status_line_and_its_parts(start: Start) -> None:
    icons = "{ ok = '50%', warn = 'w', refuse = 'r', none = 'n' }"
    editor = start(setup(statusline=f"{{ label = 'Context', icons = {icons} }}"))
    assert editor.status() == ("", "StatusLine")
    editor.lua(
        "vim.api.nvim_create_autocmd('User', { pattern = 'SightlineStatus',"
        " callback = function(event) _G.told = event.data end })"
    )
    editor.edit(EDITED)
    assert editor.until_ready().startswith("Context 50% 7")
    assert editor.until_lua("_G.told and _G.told.decision") == "ok"
    assert editor.ask("require('sightline').status().hardLimitTokens") == 96000
    # The interface of lualine that a component uses, as far as it does.
    editor.lua(
        "package.loaded['lualine.component'] = { extend = function()"
        " return { super = { init = function() end },"
        " create_hl = function(_, colour, name) return name end,"
        " format_hl = function(_, name) return '%#' .. name .. '#' end } end }"
    )
    component = "local c = require('lualine.components.sightline') c:init({}) "
    shown = editor.lua(component + "return c:update_status()")
    assert shown.startswith("%#SightlineOk#Context 50%% 7")
    editor.command("enew")
    assert editor.lua(component + "return c:update_status()") == ""


def test_options_that_are_set_later_hold(editor: Editor) -> None:
    editor.edit(EDITED)
    editor.until_ready()
    editor.command("lua " + setup(settings="{ budget = { maxInputTokens = 20000 } }"))
    editor.until_status("/16k", "SightlineOk")


def test_nothing_of_yesterday_is_used(editor: Editor) -> None:
    """What Neovim is about to drop would be said by it."""
    editor.lua("_G.old = {} vim.deprecate = function(name) table.insert(_G.old, name) end")
    editor.edit(EDITED)
    editor.until_ready()
    for command in ("BuildAIContext", "SightlineManifest", "SightlineVerify", "SightlineBudget"):
        editor.command(command)
        editor.until_lua("vim.bo.buftype == 'nofile'")
    editor.until_notice("Verified")
    editor.command("wincmd t")
    editor.command("SightlineExplain")
    editor.until_page("explain")
    editor.command("SightlineLog")
    editor.command("wincmd t")
    editor.command("file orders/other.py")
    editor.command("checkhealth sightline")
    editor.command("SightlineRestart")
    editor.until_lua("#vim.lsp.get_clients() == 1")
    assert editor.ask("_G.old") == []


def test_it_runs_as_a_plain_configuration(start: Start) -> None:
    """`vim.lsp.enable` alone is enough, where Neovim has it."""
    editor = start(
        f"{ON_PATH}\n"
        "if vim.lsp.enable then vim.lsp.enable('sightline') else require('sightline').setup() end"
    )
    editor.edit(EDITED)
    editor.until_ready()
    editor.built(lambda: editor.command("BuildAIContext"))
    editor.command("wincmd p")
    editor.edit("pyproject.toml")
    editor.until_ready()


def test_commands_start_the_server(start: Start) -> None:
    """Nothing is enabled, and a build is asked for: it is built."""
    editor = start(f"vim.o.statusline = '' {ON_PATH}")
    names = "vim.tbl_keys(package.loaded)"
    loaded = f"vim.tbl_filter(function(name) return name:find('^sightline') end, {names})"
    assert editor.ask(loaded) == []
    editor.edit(EDITED)
    editor.command("call cursor(11, 1)")
    assert "def total" in editor.built(lambda: editor.command("BuildAIContext"))


def test_help_says_everything(editor: Editor, tmp_path: Path) -> None:
    """Tags can be made, and every command and option is in the help and in the README."""
    commands = [
        name
        for name, each in editor.nvim.api.get_commands({}).items()
        if "Sightline" in name or name == "BuildAIContext"
    ]
    assert len(commands) == 21
    options = editor.lua(
        "local names = vim.tbl_keys(require('sightline.options').current)"
        " table.insert(names, 'format') return names"
    )
    shutil.copytree(PLUGIN / "doc", tmp_path / "doc")
    editor.command(f"helptags {tmp_path / 'doc'}")
    help_text = (PLUGIN / "doc/sightline.txt").read_text()
    readme = (PLUGIN / "README.md").read_text()
    for name in commands:
        assert f"*:{name}*" in help_text
        assert f":{name}" in readme
    for name in options:
        assert f"*sightline-option-{name}*" in help_text
    tags = set(re.findall(r"\*(\S+)\*", help_text))
    links = {each for each in re.findall(r"\|(\S+)\|", help_text) if "ightline" in each}
    assert links <= tags


def test_nothing_is_told_twice(editor: Editor) -> None:
    """The focus goes to the server when it is another, and only then."""
    editor.lua(
        "_G.sent = 0 vim.api.nvim_create_autocmd('LspNotify', { callback = function(event)"
        " if event.data.method == 'sightline/didChangeActiveFile' then _G.sent = _G.sent + 1 end"
        " end })"
    )
    editor.edit(EDITED)
    editor.until_ready()
    editor.until_lua("_G.sent == 1")
    editor.command("doautocmd CursorMoved")
    editor.command("doautocmd BufEnter")
    editor.command("call cursor(9, 2)")
    editor.command("doautocmd CursorMoved")
    editor.until_lua("_G.sent == 2")
