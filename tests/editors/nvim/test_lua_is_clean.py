"""The plugin's source: what a linter says of it, and that every module of it is typed."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.editors.nvim.editor import PLUGIN
from tests.editors.nvim.installation import Installation

SOURCES = sorted(PLUGIN.rglob("*.lua"))


def test_luacheck_finds_nothing(neovim: Installation) -> None:
    """Neovim runs the linter itself: there is no other Lua."""
    if neovim.luacheck is None:
        pytest.skip("luacheck did not come with this Neovim")
    modules, libraries = neovim.lua_path.split("\n")
    said = subprocess.run(
        [str(neovim.executable), "--clean", "-l", str(neovim.luacheck), "--no-color", "."],
        cwd=PLUGIN,
        env={**os.environ, "LUA_PATH": modules, "LUA_CPATH": libraries},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"0 warnings / 0 errors in {len(SOURCES)} files" in said.stdout + said.stderr


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(PLUGIN)))
def test_every_parameter_has_a_type(source: Path) -> None:
    """No checker of these types can be had everywhere; that they are there can be checked."""
    lines = source.read_text(encoding="utf-8").splitlines()
    untyped = []
    for number, line in enumerate(lines):
        declared = re.match(r"\s*(?:local )?function [\w.:]+\(([^)]*)\)", line)
        if declared is None:
            continue
        notes = []
        for above in reversed(lines[:number]):
            if not above.strip().startswith("--"):
                break
            notes.append(above)
        typed = {found[1] for note in notes if (found := re.match(r"\s*---@param ([\w.]+)", note))}
        wanted = [name.strip() for name in declared[1].split(",") if name.strip()]
        untyped += [f"{number + 1}: {name}" for name in wanted if name not in typed]
    assert untyped == []
