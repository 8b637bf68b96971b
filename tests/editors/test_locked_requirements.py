"""What the extension installs: pinned, with hashes, and all that the server needs."""

from __future__ import annotations

import importlib.util
import re
from importlib.metadata import distribution
from pathlib import Path

import pytest

_FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
_ENTRY = re.compile(r"^([a-z0-9-]+)==(\S+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n", re.M)


def test_all_that_the_server_needs_is_pinned_with_its_hashes() -> None:
    """And nothing else stands in the file. `lock.py` writes it anew when a dependency changes."""
    if importlib.util.find_spec("packaging") is None:
        pytest.skip("needs the library that reads requirements")
    spec = importlib.util.spec_from_file_location("lock", _FOLDER / "lock.py")
    assert spec is not None
    assert spec.loader is not None
    lock = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(lock)
    text = (_FOLDER / "requirements.txt").read_text("utf-8")
    entries = {name: version for name, version, _ in _ENTRY.findall(text)}
    assert sorted(entries) == sorted(lock.needed())
    assert _ENTRY.sub("", text).startswith("# Made by lock.py")
    assert _ENTRY.sub("", text).count("\n") == 1
    pinned = [each for each in entries if each.startswith("tree-sitter-")]
    assert {each: entries[each] for each in pinned} == {
        each: distribution(each).version for each in pinned
    }
