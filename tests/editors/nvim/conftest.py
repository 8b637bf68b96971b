"""The two Neovims, each with the plugin and a project to try it on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.editors.nvim.editor import Editor, running_editor, setup
from tests.editors.nvim.installation import Installation, newest_neovim, oldest_neovim
from tests.editors.workspace import make_workspace

Start = Callable[..., Editor]


@pytest.fixture(scope="session", params=[oldest_neovim, newest_neovim], ids=["oldest", "newest"])
def neovim(request: pytest.FixtureRequest) -> Installation:
    installation: Installation = request.param()
    return installation


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return make_workspace(tmp_path / "orders-project")


@pytest.fixture
def start(neovim: Installation, tmp_path: Path, workspace: Path) -> Iterator[Start]:
    """Starts an editor with what its `init.lua` says at the end."""
    with contextlib.ExitStack() as stack:

        def started(init: str, *, folder: Path = workspace) -> Editor:
            return stack.enter_context(
                running_editor(neovim.executable, tmp_path / "editor", folder, init)
            )

        yield started


@pytest.fixture
def editor(start: Start) -> Editor:
    """An editor in the project, with nothing set but the server."""
    return start(setup())
