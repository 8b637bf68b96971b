"""What a pack costs: each file is read once, and git is asked about many files at once."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from sightline.context import ScannedDocument
from sightline.engine.host import Host, open_host
from sightline.engine.packs import PackRequest, build_project_pack
from sightline.refusals import Refusal
from sightline.workspace.git_history import GitHistory
from sightline.workspace.git_ignores import GitIgnores

_FOLDERS, _FILES = 50, 10


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in range(_FOLDERS):
        for number in range(_FILES):
            place = tmp_path / f"src/part{folder}/m{number}.py"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"value = {number}\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "add", "-A"], check=True)
    return tmp_path


def test_a_full_pack_reads_each_file_once_and_asks_git_little(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    ask = GitIgnores.ask

    def count_ask(self: GitIgnores, subjects: list[str]) -> list[bool] | None:
        asked.update(subjects)
        asked["questions"] += 1
        return ask(self, subjects)

    def no_history(_self: GitHistory, _most: int) -> None:
        raise AssertionError("a full pack tells nothing of history")

    monkeypatch.setattr(GitIgnores, "ask", count_ask)
    monkeypatch.setattr(GitHistory, "changes", no_history)
    host = open_host(project, {"index.store": False}, keeps_index=False)
    assert isinstance(host, Host)
    with host:
        look_at = host.cache.look_at

        def count_read(path: str) -> ScannedDocument | Refusal:
            read[path] += 1
            return look_at(path)

        monkeypatch.setattr(host.cache, "look_at", count_read)
        result = build_project_pack(host, PackRequest(type="full"))
    assert result.pack is not None
    assert len(result.pack["contents"]) == _FOLDERS * _FILES
    assert set(read.values()) == {1}
    assert len(read) == _FOLDERS * _FILES
    # One for each folder while the tree is looked at, and a few for all files.
    assert asked["questions"] < 2 * _FOLDERS
