"""Bundles in files: private, in the user's own folder, never through a link."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

import sightline
from sightline.bundle import BuildResult
from sightline.engine.bundle_files import write_bundle_file


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BuildResult:
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "project").mkdir()
    (tmp_path / "project/a.py").write_text("def area() -> int:\n    return 2\n")
    with sightline.open(tmp_path / "project") as workspace:
        return workspace.build("a.py")


def test_a_bundle_is_written_to_a_private_file(result: BuildResult, tmp_path: Path) -> None:
    file = write_bundle_file(result, [str(tmp_path / "project")])
    assert file is not None
    assert file.read_text() == result.rendered
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert write_bundle_file(result, []) == file


def test_a_link_is_replaced_and_not_followed(result: BuildResult, tmp_path: Path) -> None:
    first = write_bundle_file(result, [])
    assert first is not None
    first.unlink()
    (tmp_path / "precious").write_text("as it was\n")
    first.symlink_to(tmp_path / "precious")
    assert write_bundle_file(result, []) == first
    assert (tmp_path / "precious").read_text() == "as it was\n"
    assert not first.is_symlink()


@pytest.mark.parametrize("kind", ["link", "open to others"])
def test_a_folder_that_is_not_ours_alone_is_not_used(
    result: BuildResult, tmp_path: Path, kind: str
) -> None:
    shown = tmp_path / "cache/shown"
    (tmp_path / "elsewhere").mkdir()
    if kind == "link":
        shown.symlink_to(tmp_path / "elsewhere")
    else:
        shown.mkdir()
        shown.chmod(0o777)
    assert write_bundle_file(result, []) is None
    assert not list((tmp_path / "elsewhere").iterdir())
