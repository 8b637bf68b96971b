"""Context snapshots from Neovim: store the last bundle, list, show, verify and compare."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.editors.nvim.editor import Editor
from tests.editors.workspace import EDITED, FILES, commit_all

_REFS = ["git", "for-each-ref", "--format=%(refname:lstrip=3)", "refs/ai/snapshots"]


def test_a_bundle_is_stored_listed_shown_and_verified(editor: Editor, workspace: Path) -> None:
    """Stock git has the snapshot; the trailer that is offered names it."""
    commit_all(workspace)
    editor.command("SightlineSnapshot")
    editor.until_notice("Nothing was built yet")
    editor.edit(EDITED)
    editor.until_ready()
    editor.command("SightlineSnapshots")
    editor.until_notice("There are no snapshots yet")
    sent = _built(editor)
    editor.command("SightlineSnapshot")
    told = editor.until_notice("AI-Context: ")
    [name] = _stored(workspace)
    assert told.endswith(f"AI-Context: {name}")

    (workspace / EDITED).write_text(FILES[EDITED] + "\n\nTAX_FREE = 3\n", encoding="utf-8")
    _choose(editor, name[:13], "Show what was sent")
    assert editor.until_page(f"cat {name}") == sent
    _choose(editor, name[:13], "Show what it holds")
    assert "orders/pricing.py" in editor.until_page(f"show {name}")
    _choose(editor, name[:13], "Verify")
    assert editor.until_page(f"verify {name}").startswith("verified")


def test_two_snapshots_are_compared(editor: Editor, workspace: Path) -> None:
    """The older one is the first, whichever was chosen; with `!` only those of the file."""
    commit_all(workspace)
    editor.edit(EDITED)
    editor.until_ready()
    for count in (1, 2):
        editor.command(f"call setline(6, 'DISCOUNT = {count}')")
        editor.command("write")
        _built(editor)
        editor.command("SightlineSnapshot")
        _until_stored(editor, workspace, count)
        editor.command("wincmd p")
        editor.edit(EDITED)
    old, new = _stored(workspace)
    editor.edit("orders/not_written_yet.py")
    editor.command("SightlineSnapshots!")
    editor.until_notice("There are no snapshots")
    editor.edit(EDITED)
    editor.lua(
        "local turn = 0 "
        "vim.ui.select = function(items, options, chosen) "
        "turn = turn + 1 "
        "chosen(turn == 2 and items[4] or items[1]) "
        "end"
    )
    editor.command("SightlineSnapshots!")
    page = editor.until_page(f"diff {old} {new}")
    assert "-DISCOUNT = 1" in page
    assert "+DISCOUNT = 2" in page


def _built(editor: Editor) -> str:
    editor.command("call cursor(11, 1)")
    return editor.built(lambda: editor.command("BuildAIContext"))


def _choose(editor: Editor, name: str, action: str) -> None:
    """Choose a snapshot in the list, then what to do with it."""
    editor.lua(
        "local wanted = { ... } "
        "vim.ui.select = function(items, options, chosen) "
        "for _, item in ipairs(items) do "
        "local label = options.format_item(item) "
        "for _, each in ipairs(wanted) do "
        "if label:find(each, 1, true) then return chosen(item) end "
        "end end end",
        name,
        action,
    )
    editor.command("SightlineSnapshots")


def _until_stored(editor: Editor, workspace: Path, count: int) -> None:
    editor.until(f"{count} snapshots", lambda: len(_stored(workspace)) == count)


def _stored(workspace: Path) -> list[str]:
    done = subprocess.run(_REFS, cwd=workspace, check=True, capture_output=True, text=True)
    names = done.stdout.split()
    assert all(re.fullmatch(r"[0-9a-f-]{36}", each) for each in names)
    return names
