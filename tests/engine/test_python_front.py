"""What Python answers to wrong use: a typed refusal or one clear error, never a hang."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import sightline


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sightline.OpenWorkspace]:
    root = tmp_path / "root"
    root.mkdir()
    (root / "m.py").write_text("def f():\n    return g()\n\n\ndef g():\n    return f()\n")
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("SIGHTLINE_INDEX_JOBS", "1")
    monkeypatch.chdir(tmp_path)
    with sightline.open("root") as opened:
        yield opened


def test_a_workspace_may_be_closed_twice_and_says_that_it_is_closed(
    workspace: sightline.OpenWorkspace,
) -> None:
    workspace.outline("m.py")
    workspace.close()
    workspace.close()
    for ask in (workspace.index, workspace.refresh, lambda: workspace.slice("m.py")):
        with pytest.raises(sightline.WorkspaceError, match="the workspace is closed"):
            ask()


def test_a_relative_root_stays_where_it_was(workspace: sightline.OpenWorkspace) -> None:
    os.chdir("/")
    assert workspace.slice("m.py").status.value == "ok"
    assert workspace.build("m.py::f", max_input_tokens=20_000).status.value == "ok"


@pytest.mark.parametrize("hops", [0, -1, 65, 10**9])
def test_relations_are_not_followed_without_end(
    workspace: sightline.OpenWorkspace, hops: int
) -> None:
    for result in (workspace.references("g", hops), workspace.explain("m.py", 1, hops=hops)):
        assert result.refusal is not None
        assert "from 1 to 64" in result.refusal.message


def test_wrong_use_is_refused(workspace: sightline.OpenWorkspace) -> None:
    refusals = {
        "docs": workspace.slice("m.py", "signatures", docs="bogus"),
        "level": workspace.slice("m.py", "bogus"),
        "line of a target": workspace.status("m.py:0"),
        "lines of a target": workspace.status("m.py:2-1"),
        "unknown setting": workspace.explain("m.py", settings={"context.max_hops": -5}),
        "setting of a build": workspace.build("m.py", settings={"context.max_hops": -5}),
        "id": workspace.build("m.py", correlation_id="not a uuid"),
        "place of no error": workspace.build("m.py", error_at="m.py:1"),
        "purpose": workspace.build("m.py", purpose="bogus"),
        "half a character": workspace.references("\udc80"),
        "no record": workspace.verify(b"{}"),
    }
    for name, result in refusals.items():
        refusal = msgspec.to_builtins(result)["refusal"]
        assert refusal is not None, name
        assert refusal["kind"] == "InvalidRequest", name


def test_one_string_is_not_taken_apart(workspace: sightline.OpenWorkspace) -> None:
    result = workspace.slice("m.py", "region", "f")
    assert [region.symbol for region in result.regions] == ["f"]
    assert workspace.build("m.py", constraints="be brief").request["constraints"] == [
        {"text": "be brief", "scope": "user"}
    ]


@pytest.mark.parametrize("root", ["", "gone", "root/m.py"])
def test_what_is_no_workspace_raises_one_error(
    workspace: sightline.OpenWorkspace, root: str
) -> None:
    del workspace
    with pytest.raises(sightline.WorkspaceError, match="not a directory"):
        sightline.open(root)


def test_a_large_directory_without_a_repository_is_opened_only_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIGHTLINE_INDEX_ASK_ABOVE", "1")
    (tmp_path / "many").mkdir()
    for name in ("a.py", "b.py"):
        (tmp_path / "many" / name).write_text("x = 1\n")
    with pytest.raises(sightline.WorkspaceError, match="--large") as caught:
        sightline.open("many")
    assert caught.value.refusal.reason == "large_workspace"
    with sightline.open("many", large=True) as opened:
        assert opened.index().files == 2
