"""Which folders project files declare as source, and who was asked about them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pygit2
import pytest

from sightline.engine.declared_source import declared_folders, note_asked, rules_to_ask_about
from sightline.engine.host import Host, open_host
from sightline.refusals import Refusal

_SOLUTION = 'Project("{F}") = "Tool", "src\\bin\\Tool.csproj", "{A}"\r\nEndProject\r\n'
_DECLARED = {
    "package.json": '{"workspaces": ["packages/*"]}',
    "pnpm-workspace.yaml": "# all\npackages:\n  - 'packages/*'\n  - apps/*\nother:\n  - no\n",
    "lerna.json": '{"version": "1.0.0"}',
    "Cargo.toml": '[workspace]\nmembers = ["packages/core"]\n',
    "go.work": "go 1.22\n\nuse (\n\t./packages/core\n)\n",
    "all.sln": _SOLUTION,
}
_HOSTILE = {
    "package.json": '{"workspaces": ["!packages/*", 5, null]}',
    "lerna.json": "[" * 90_000,
    "pnpm-workspace.yaml": "packages:\n" + "  - '\n" * 50_000,
    "Cargo.toml": "a." * 30_000 + "a = 1\n",
    "go.work": "use \t" * 50_000,
    "all.sln": 'Project("' * 50_000,
}


def _host(root: Path, files: Mapping[str, str]) -> Host:
    told = {"packages/core/core.py": "x = 1\n", "src/bin/tool.py": "x = 1\n", **files}
    for path, text in told.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    repository = pygit2.init_repository(str(root))
    repository.index.add_all(["*"])
    repository.index.write()
    host = open_host(root)
    assert not isinstance(host, Refusal)
    host.open_index()
    return host


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "config"))


@pytest.mark.parametrize("manifest", _DECLARED)
def test_each_kind_of_project_file_is_read(tmp_path: Path, manifest: str) -> None:
    with _host(tmp_path / "root", {manifest: _DECLARED[manifest]}) as host:
        (found,) = rules_to_ask_about(host)
        assert found.rule == ("**/bin/**" if manifest == "all.sln" else "packages/**")
        assert found.files == 1


def test_nobody_is_asked_twice(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with _host(root, {"package.json": _DECLARED["package.json"]}) as host:
        (found,) = rules_to_ask_about(host)
        note_asked(host, found.rule)
        assert rules_to_ask_about(host) == ()
    (noted,) = (tmp_path / "cache/asked").iterdir()
    assert "root" not in noted.name


def test_project_files_that_make_no_sense_declare_nothing(tmp_path: Path) -> None:
    with _host(tmp_path / "root", _HOSTILE) as host:
        assert [each.rule for each in host.snapshot.hidden] == ["**/bin/**", "packages/**"]
        assert rules_to_ask_about(host) == ()
        assert [each for each in declared_folders(host) if not each.startswith("!")] == []
