"""From the cursor to the bundle: what is typed, what is shown, what can be done about a refusal."""

from __future__ import annotations

import json
from pathlib import Path

import pygit2
import pytest

from tests.editors.nvim.conftest import Start
from tests.editors.nvim.editor import Editor, setup
from tests.editors.workspace import EDIT_LINE, EDITED, GOLDEN, SECRET, TYPED

SMALL = (
    "{ budget = { maxInputTokens = 1000, responseTokenReserve = 100, softLimitThresholdPct = 80 } }"
)


def test_what_is_typed_is_in_the_golden(editor: Editor) -> None:
    """One golden, three fronts; and what is yanked is what was built, to the byte."""
    editor.edit(EDITED)
    before = editor.until_ready()
    editor.type(f"{EDIT_LINE}GA<CR>{TYPED}<Esc>")
    editor.until_status_other_than(before)
    golden = GOLDEN.read_bytes().decode()

    assert editor.built(lambda: editor.command("BuildAIContext")) == golden
    assert editor.ask("vim.bo.filetype") == "markdown"
    assert editor.ask("vim.bo.buftype") == "nofile"
    assert editor.ask("vim.bo.modifiable") is False
    assert "Building AI context" in editor.until_lua("#_G.progress > 0 and _G.progress")
    editor.command("%yank a")
    editor.command("SightlineYank b")
    assert editor.ask("vim.fn.getreg('a')") == golden
    assert editor.ask("vim.fn.getreg('b')") == golden
    editor.type("gy")
    editor.until_lua("vim.fn.getreg('\"') == vim.fn.getreg('b')")
    assert editor.status()[0].startswith("AI ● 8")


def test_a_bundle_keeps_to_its_window(editor: Editor) -> None:
    editor.edit(EDITED)
    editor.until_ready()
    markdown = editor.built(lambda: editor.command("BuildAIContext markdown"))
    assert editor.ask("#vim.api.nvim_list_wins()") == 2
    written = editor.built(lambda: editor.command("BuildAIContext json"))
    assert json.loads(written)["rendered"] == markdown
    assert editor.ask("vim.bo.filetype") == "json"
    assert editor.ask("#vim.api.nvim_list_wins()") == 2
    editor.type("q")
    editor.until_lua("#vim.api.nvim_list_wins() == 1")
    assert editor.built(lambda: editor.command("BuildAIContext xml")).startswith("<")
    assert editor.ask("vim.bo.filetype") == "xml"
    editor.command("BuildAIContext yaml")
    assert "no format 'yaml'" in editor.notices()[-1]
    assert editor.ask("vim.fn.getcompletion('BuildAIContext m', 'cmdline')") == ["markdown"]


def test_lines_and_whole_files(editor: Editor) -> None:
    def targets() -> list[str]:
        found = editor.ask("require('sightline.build').last.result.manifest.selection")
        return list(found["target_symbols"])

    editor.edit(EDITED)
    editor.until_ready()
    editor.command("call cursor(17, 1)")
    editor.built(lambda: editor.command("BuildAIContext"))
    assert targets() == ["orders/pricing.py::discount"]
    editor.command("wincmd p")
    editor.built(lambda: editor.command("9,17BuildAIContext"))
    assert targets() == ["orders/pricing.py::total", "orders/pricing.py::discount"]
    editor.command("wincmd p")
    editor.built(lambda: editor.type("9GVj:BuildAIContext<CR>"))
    assert targets() == ["orders/pricing.py::total"]
    editor.command("wincmd p")
    editor.built(lambda: editor.command("BuildAIContext!"))
    assert targets() == []


def test_the_status_warns_and_refuses_while_one_types(start: Start) -> None:
    editor = start(setup(settings=SMALL))
    editor.edit(EDITED)
    editor.until_ready()
    seen: list[str] = []
    editor.type(f"{EDIT_LINE}GA")
    for number in range(40):
        text, group = editor.status()
        if group not in seen:
            seen.append(group)
        if group == "SightlineRefuse":
            break
        for _ in range(3):
            editor.type(f"<CR>amount = amount + order.surcharge({number}, country)")
        editor.until_status_other_than(text)
    assert seen[-2:] == ["SightlineWarn", "SightlineRefuse"]
    editor.type("<Esc>")

    editor.choose("input tokens, this time")
    bundle = editor.built(lambda: editor.command("BuildAIContext"))
    assert "surcharge(0, country)" in bundle
    editor.command("wincmd p")
    editor.choose("discount")
    bundle = editor.built(lambda: editor.command("BuildAIContext!"))
    assert "the hard limit is 900" in editor.ask("_G.selections[#_G.selections].prompt")
    assert "surcharge(0, country)" not in bundle


def test_a_name_that_is_two_symbols_is_chosen(editor: Editor) -> None:
    editor.edit(EDITED)
    editor.until_ready()
    editor.choose("Store.save")
    bundle = editor.built(lambda: editor.command("SightlinePick save"))
    assert editor.ask("_G.selections[1].labels") == [
        "orders/archive.py::Archive.save:5",
        "orders/store.py::Store.save:9",
    ]
    assert editor.ask("_G.selections[1].prompt") == "Sightline: 'save' names 2 symbols"
    assert "self.orders.append(order)" in bundle
    assert "Store.save · orders/store.py" in editor.ask("vim.wo.winbar")


def test_targets_are_picked_by_name(editor: Editor) -> None:
    """Several names at once, a part of a name, and names that are asked for one by one."""
    selected = "require('sightline.build').last.result.manifest.selection.target_symbols"
    editor.edit(EDITED)
    editor.until_ready()
    editor.built(lambda: editor.command("SightlinePick tax Order.add"))
    assert editor.ask(selected) == ["orders/model.py::Order.add", "orders/tax.py::tax"]
    editor.command("wincmd p")
    editor.choose("discount")
    editor.built(lambda: editor.command("SightlinePick disc"))
    assert editor.ask(selected) == ["orders/pricing.py::discount"]
    assert "SightlinePick" in editor.ask("vim.fn.getcompletion('SightlinePi', 'command')")[0]
    assert editor.ask("vim.fn.getcompletion('SightlinePick Order.', 'cmdline')") == [
        "Order.add",
        "Order.customer",
        "Order.lines",
    ]
    editor.command("SightlinePick nowhere")
    editor.until_notice("there is no symbol 'nowhere'")

    editor.lua(
        "_G.answers = { 'price', 'send' } "
        "vim.ui.input = function(_, answer) answer(table.remove(_G.answers, 1)) end "
        "_G.steps = { 'Line.price', 'Add another', 'send', 'Build for 2' } "
        "local take = vim.ui.select "
        "vim.ui.select = function(...) _G.choice = table.remove(_G.steps, 1) take(...) end"
    )
    text = editor.built(lambda: editor.command("SightlinePick"))
    assert editor.ask(selected) == ["orders/mail.py::send", "orders/model.py::Line.price"]
    # The secret stands outside of what was asked for.
    assert "def send" in text
    assert SECRET not in text


def test_a_secret_is_refused_and_its_line_reached(editor: Editor) -> None:
    editor.edit("orders/mail.py")
    editor.until_status("secret", "SightlineRefuse")
    editor.until_lua("vim.diagnostic.get(0)[1]")
    assert editor.ask("vim.diagnostic.get(0)[1].lnum") == 2
    editor.command("call cursor(6, 1)")
    editor.choose("Go to line 3")
    editor.command("BuildAIContext!")
    editor.until_lua("vim.api.nvim_win_get_cursor(0)[1] == 3")
    # In `send` the secret was outside of what is meant; the status follows the cursor.
    editor.until_status("secret", "SightlineRefuse")
    editor.command("SightlineBudget")
    assert "secret" in editor.text()
    said = [*editor.notices(), editor.command_output(), editor.text()]
    said += editor.ask("vim.tbl_map(function(each) return each.message end, vim.diagnostic.get())")
    said += [str(editor.ask("_G.selections"))]
    assert "line 3: assigned-password" in said[-1]
    assert not [each for each in said if SECRET in each]
    assert not editor.ask("require('sightline.build').last")


def test_a_withheld_path_is_allowed_once_confirmed_and_taken_back(
    editor: Editor, tmp_path: Path
) -> None:
    """The server asks; who does not answer with yes has allowed nothing."""
    settings = tmp_path / "editor/config/settings.toml"
    editor.edit("build/generated.py")
    editor.until_status("withheld", "SightlineNone")
    editor.choose("Allow build/generated.py")
    editor.command("BuildAIContext")
    question = editor.until_lua("_G.selections[2]")
    for piece in ("build/generated.py", "**/build/**", "in the workspace"):
        assert piece in question["prompt"]
    assert question["labels"] == ["Allow in This Workspace", "Cancel"]
    assert not settings.exists()
    editor.choose("Allow")
    assert "def generated()" in editor.built(lambda: editor.command("BuildAIContext"))
    assert "build/generated.py" in settings.read_text()
    editor.command("wincmd p")
    editor.until_status("/", "SightlineOk")
    editor.until_notice(":SightlineUndo takes it back")
    editor.command("SightlineUndo")
    editor.until_notice("Taken back: build/generated.py")
    editor.until_status("withheld", "SightlineNone")
    assert "build/generated.py" not in settings.read_text()
    editor.command("SightlineUndo")
    editor.until_notice("Nothing was allowed or marked")


def test_a_rule_that_hides_files_is_told_and_allowed_once_confirmed(
    editor: Editor, tmp_path: Path
) -> None:
    """A build says how many source files which rule hides; a command has the server ask."""
    root = Path(str(editor.ask("vim.fn.getcwd()")))
    (root / "packages").mkdir()
    (root / "packages/core.py").write_text("def in_core(): ...\n")
    repository = pygit2.init_repository(str(root))
    repository.index.add_all(["packages"])
    repository.index.write()
    editor.command("SightlineRestart")
    editor.edit("orders/pricing.py")
    editor.built(lambda: editor.command("BuildAIContext"))
    editor.until_notice("packages/** hides 1 source file; :SightlineAllow packages/** allows it")
    editor.choose("Allow")
    editor.command("SightlineAllow")
    editor.until_notice("packages/** is allowed in the workspace")
    question = editor.ask("_G.selections[1]")
    assert "hides 1 source file" in question["prompt"]
    assert "packages/**" in (tmp_path / "editor/config/settings.toml").read_text()


@pytest.mark.parametrize("way", ["BuildAIContext!", "lua vim.lsp.buf.code_action()"])
def test_a_value_is_marked_as_harmless_once_confirmed_and_taken_back(
    editor: Editor, tmp_path: Path, way: str
) -> None:
    """From a refusal and from a diagnostic; the question names line, detector and workspace."""
    settings = tmp_path / "editor/config/settings.toml"
    editor.edit("orders/mail.py")
    editor.until_status("secret", "SightlineRefuse")
    editor.until_lua("vim.diagnostic.get(0)[1]")
    editor.lua("vim.api.nvim_win_set_cursor(0, { 3, vim.diagnostic.get(0)[1].col })")
    editor.choose("Mark ")
    editor.command(way)
    editor.until_notice(":SightlineUndo takes it back")
    question = editor.ask("_G.selections[2]")
    for piece in ("line 3", "orders/mail.py", "assigned-password", "in the workspace"):
        assert piece in question["prompt"]
    assert 'file = "orders/mail.py"' in settings.read_text()
    editor.until_lua("#vim.diagnostic.get() == 0")
    editor.command("SightlineUndo")
    editor.until_notice("Taken back: a value of orders/mail.py")
    editor.until_lua("#vim.diagnostic.get() == 1")
    said = [*editor.notices(), str(editor.ask("_G.selections")), settings.read_text()]
    assert not [each for each in said if SECRET in each]


def test_actions_and_lenses_of_the_server_are_builds(start: Start) -> None:
    editor = start(setup(settings="{ codeLens = { enabled = true } }"))
    editor.edit(EDITED)
    editor.until_ready()
    editor.command("call cursor(17, 1)")
    editor.choose("Build AI context for this symbol")
    bundle = editor.built(lambda: editor.command("lua vim.lsp.buf.code_action()"))
    assert "def discount" in bundle
    editor.command("wincmd p")
    if editor.ask("vim.lsp.codelens.enable ~= nil"):
        editor.command("lua vim.lsp.codelens.enable(true, { bufnr = 0 })")
        editor.until_lua("#vim.lsp.codelens.get({ bufnr = 0 }) > 0")
    else:
        editor.command("lua vim.lsp.codelens.refresh({ bufnr = 0 })")
        editor.until_lua("#vim.lsp.codelens.get(0) > 0")
    editor.command("call cursor(9, 1)")
    editor.choose("tokens")
    editor.built(lambda: editor.command("lua vim.lsp.codelens.run()"))
    assert "total" in editor.ask("vim.wo.winbar")


def test_where_a_bundle_opens(start: Start) -> None:
    editor = start(setup(focus="false", format="'xml'"))
    editor.edit(EDITED)
    editor.until_ready()
    for split, shape in {"right": "row", "below": "col"}.items():
        editor.lua("require('sightline.options').set({ split = ..., focus = false })", split)
        editor.command("BuildAIContext xml")
        editor.until_lua("#vim.api.nvim_list_wins() == 2")
        assert editor.ask("vim.fn.winlayout()[1]") == shape
        assert editor.ask("vim.fn.bufname()") == EDITED
        editor.command("only")
    editor.lua("require('sightline.options').set({ split = 'tab' })")
    assert editor.built(lambda: editor.command("BuildAIContext xml")).startswith("<")
    assert editor.ask("#vim.api.nvim_list_tabpages()") == 2
    editor.type("q")
    editor.until_lua("#vim.api.nvim_list_tabpages() == 1")


def test_a_page_is_its_text_to_the_byte(editor: Editor, tmp_path: Path) -> None:
    """However it ends, and whatever stands in it."""
    for number, text in enumerate(["a\n", "a", "a\n\n", "a\r\nb\n", "\ufeffä\n", "𝄞\tx", ""]):
        editor.lua(
            "require('sightline.view').show("
            "{ name = 'page', text = ..., filetype = 'text', title = '100 %' })",
            text,
        )
        path = tmp_path / f"page-{number}"
        editor.command(f"write {path}")
        assert path.read_bytes() == text.encode()
