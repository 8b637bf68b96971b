"""What a person sees in a terminal, and the pictures of it for the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.editors.nvim.editor import setup
from tests.editors.nvim.installation import Installation
from tests.editors.nvim.screen import Screen, running_screen
from tests.editors.workspace import EDIT_LINE, EDITED, SECRET, TYPED, make_workspace

IMAGES = Path(__file__).parents[3] / "docs" / "images"
PLAIN = """
vim.o.number = true
vim.o.termguicolors = true
vim.o.ruler = false
vim.o.statusline = " %f%m%=%{%v:lua.require'sightline'.statusline()%}  %l:%c "
-- Neovim has a grammar of its own for Markdown and none for the Python in it.
vim.g.markdown_fenced_languages = { "python" }
vim.api.nvim_create_autocmd("FileType", { pattern = "markdown", callback = function(event)
  vim.schedule(function()
    pcall(vim.treesitter.stop, event.buf)
    vim.bo[event.buf].syntax = "markdown"
  end)
end })
"""
SMALL = (
    "{ budget = { maxInputTokens = 1000, responseTokenReserve = 100, softLimitThresholdPct = 80 } }"
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return make_workspace(tmp_path / "orders-project")


def test_code_bundle_and_budget(
    neovim: Installation, tmp_path: Path, place: Path, request: pytest.FixtureRequest
) -> None:
    init = setup() + PLAIN
    with running_screen(neovim.executable, tmp_path / "editor", place, init, EDITED) as screen:
        screen.until_ready()
        screen.type(f"{EDIT_LINE}GA\r{TYPED}")
        screen.until_shown(TYPED)
        screen.until_shown("AI ● 7")
        screen.type("\x1b:BuildAIContext\r")
        screen.until_shown("total · orders/pricing.py")
        screen.until_shown("## Rules")
        screen.type("G")
        screen.until_shown("whole file: ")
        _keep(screen, "nvim.png", request)
        screen.type("gb")
        screen.until_shown("of 96,000 tokens")
        _keep(screen, "nvim-budget.png", request)
        screen.type("q:qa!\r")


def test_colours_while_one_types(neovim: Installation, tmp_path: Path, place: Path) -> None:
    init = setup(settings=SMALL) + PLAIN
    with running_screen(neovim.executable, tmp_path / "editor", place, init, EDITED) as screen:
        screen.until_ready()
        colours = [screen.colour_of("● ")]
        screen.type(f"{EDIT_LINE}GA")
        for icon, count in {"▲": 8, "✖": 30}.items():
            for _ in range(count):
                screen.type("\ramount += order.surcharge(country, amount, tax(2, country))")
            screen.until_shown(f"AI {icon} ")
            colours.append(screen.colour_of(f"{icon} "))
        assert len(set(colours)) == 3


def test_a_choice_in_the_editors_own_list(
    neovim: Installation, tmp_path: Path, place: Path
) -> None:
    """Without any other plugin, choices are a numbered list."""
    init = setup() + PLAIN + "vim.notify, vim.ui.select = _G.own_notify, _G.own_select\n"
    with running_screen(neovim.executable, tmp_path / "editor", place, init, EDITED) as screen:
        screen.until_ready()
        screen.type(":SightlinePick save\r")
        screen.until_shown("2: orders/store.py::Store.save:9")
        screen.type("2\r")
        screen.until_shown("Store.save · orders/store.py")
        screen.type("q:edit orders/mail.py\r")
        screen.until_shown("AI ✖ secret")
        screen.type(":call cursor(6, 1) | normal! zt\r:BuildAIContext!\r")
        screen.until_shown("1: Go to line 3 of orders/mail.py")
        assert not any(SECRET in line for line in screen.lines())
        screen.type("1\r")
        screen.until_shown("3:1 ")


def _keep(screen: Screen, name: str, request: pytest.FixtureRequest) -> None:
    """Pictures are made anew when that is asked for, of the newest Neovim."""
    path = IMAGES / name
    is_wanted = request.config.getoption("--update-golden") or not path.exists()
    if is_wanted and "newest" in request.node.name:
        screen.save(path)
