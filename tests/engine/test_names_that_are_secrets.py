"""A secret that is a name, a path or a choice is in no result of any capability."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

import sightline

_KEY = "ghp_" + "u8jzPde0IgxLd6GncfBAepfJBd0Kh8oOOL8d"
_PASSWORD = "Vq8zT2mWx5Kc9RfLb3Hn"
"""A secret only by the assignment in its file."""
_FILES = {
    "a.py": f'password = "{_PASSWORD}"\n\n\nclass {_KEY}:\n    def run(self): ...\n\n\n'
    f"def {_PASSWORD}(x): ...\n\n\ndef caller():\n    return {_PASSWORD}({_KEY}())\n\n\n"
    "class Other:\n    def run(self): ...\n",
    "r.rs": f"struct Plain;\nimpl {_KEY} {{\n    pub fn new() -> i32 {{\n        1\n    }}\n}}\n",
    f"{_KEY}.py": "def inside(): ...\n",
    f"{_KEY}.bin": "\0\1\2",
    "use.py": "from a import caller\n\n\ndef use():\n    return caller()\n",
}
_ASKED: dict[str, Callable[[sightline.OpenWorkspace], msgspec.Struct]] = {
    "full": lambda workspace: workspace.slice("a.py"),
    "summary": lambda workspace: workspace.slice("a.py", "summary"),
    "signatures": lambda workspace: workspace.slice("a.py", "signatures"),
    "region": lambda workspace: workspace.slice("a.py", "region", "caller"),
    "region of its member": lambda workspace: workspace.slice("a.py", "region", f"{_KEY}.run"),
    "region, several": lambda workspace: workspace.slice("a.py", "region", "run"),
    "region, near": lambda workspace: workspace.slice("a.py", "region", _PASSWORD[:-2] + "xx"),
    "outline": lambda workspace: workspace.outline("a.py"),
    "outline, owner elsewhere": lambda workspace: workspace.outline("r.rs"),
    "path, sliced": lambda workspace: workspace.slice(f"{_KEY}.py"),
    "path, outlined": lambda workspace: workspace.outline(f"{_KEY}.py"),
    "path, summary": lambda workspace: workspace.slice(f"{_KEY}.py", "summary"),
    "path, explained": lambda workspace: workspace.explain(f"{_KEY}.py"),
    "path of no text": lambda workspace: workspace.slice(f"{_KEY}.bin"),
    "path of nothing": lambda workspace: workspace.outline(f"{_KEY}-gone.py"),
    "line": lambda workspace: workspace.explain(f"{_KEY}.py", 99),
    "explained": lambda workspace: workspace.explain("a.py", 8),
    "explained, callee": lambda workspace: workspace.explain("a.py", 12),
    "target": lambda workspace: workspace.explain("use.py", target=f"{_KEY}.py"),
    "target by symbol": lambda workspace: workspace.explain("use.py", target=f"a.py::{_PASSWORD}"),
    "references": lambda workspace: workspace.references("caller"),
    "references of it": lambda workspace: workspace.references(_KEY),
    "references of a password": lambda workspace: workspace.references(f"a.py::{_PASSWORD}"),
    "index": lambda workspace: workspace.index(),
    "build": lambda workspace: workspace.build("use.py::use"),
    "build of it": lambda workspace: workspace.build(f"{_KEY}.py"),
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sightline.OpenWorkspace]:
    folder = tmp_path_factory.mktemp("names")
    root = folder / "root"
    root.mkdir()
    for name, text in _FILES.items():
        (root / name).write_text(text)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(folder / "cache"))
        monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(folder / "config"))
        monkeypatch.setenv("SIGHTLINE_INDEX_JOBS", "1")
        with sightline.open(root) as opened:
            yield opened


@pytest.mark.parametrize("asked", _ASKED)
def test_no_result_names_a_secret(workspace: sightline.OpenWorkspace, asked: str) -> None:
    shown = msgspec.json.encode(_ASKED[asked](workspace)).decode()
    assert _KEY not in shown
    assert _PASSWORD not in shown


def test_the_length_of_a_secret_is_not_told(workspace: sightline.OpenWorkspace) -> None:
    """Offsets of what stands around it would tell."""
    assert workspace.slice("a.py").pieces == ()
    assert len(workspace.slice("use.py").pieces) == 1


def test_a_folder_that_is_named_like_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / _KEY).mkdir()
    with sightline.open(tmp_path / _KEY) as opened:
        assert _KEY not in (opened.index().root or "")
