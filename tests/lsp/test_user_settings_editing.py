"""Additions to the user's own settings: whole or not at all, and nothing else is touched."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.refusals import Refusal
from sightline.settings import Loaded, load
from sightline.settings.editing import add_to_user_list

_HASH = "a" * 64


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config"


def _add(config: Path, value: str, key: str = "policy.allow") -> Refusal | None:
    return add_to_user_list({"SIGHTLINE_CONFIG_DIR": str(config)}, key, value)


def _text(config: Path) -> str:
    return (config / "settings.toml").read_text("utf-8")


def test_a_file_is_made_where_there_is_none(config: Path) -> None:
    """For its user alone, with one entry; no other file is left behind."""
    assert _add(config, ".env") is None
    assert tomllib.loads(_text(config)) == {"policy": {"allow": [".env"]}}
    assert stat.S_IMODE((config / "settings.toml").stat().st_mode) == 0o600
    assert [each.name for each in config.iterdir()] == ["settings.toml"]


def test_comments_and_order_stay(config: Path) -> None:
    """A person's file is a person's file."""
    config.mkdir()
    before = (
        "# mine\n\n[model]\nname = 'x' # why\n\n[policy]\n"
        'allow = [\n  "a.py", # this\n]\ndeny = ["/b/"]\n'
    )
    (config / "settings.toml").write_text(before)
    assert _add(config, "c.py") is None
    after = _text(config)
    for piece in ("# mine", "name = 'x' # why", '"a.py", # this', 'deny = ["/b/"]'):
        assert piece in after
    assert tomllib.loads(after)["policy"]["allow"] == ["a.py", "c.py"]
    assert _add(config, _HASH, "secrets.harmless") is None
    assert tomllib.loads(_text(config))["secrets"]["harmless"] == [_HASH]
    assert _text(config).startswith("# mine\n\n[model]\n")


def test_what_is_there_already_is_not_added_again(config: Path) -> None:
    """Twice is once."""
    for _ in range(3):
        assert _add(config, ".env") is None
    assert tomllib.loads(_text(config)) == {"policy": {"allow": [".env"]}}


@pytest.mark.parametrize(
    "text",
    [
        "[policy",
        "policy = 1\n",
        "[policy]\nallow = 'x'\n",
        "[policy]\nallow = {}\n",
        "[[policy]]\nallow = []\n",
        "policy.allow = [1]\n",
        "unknown_section = 1\n[policy]\nallow = 3\n",
    ],
)
def test_a_file_that_is_not_sound_is_left_as_it_is(config: Path, text: str) -> None:
    """It may hold what guards, and nobody knows what it means."""
    config.mkdir()
    (config / "settings.toml").write_text(text)
    assert isinstance(_add(config, ".env"), Refusal)
    assert _text(config) == text
    assert [each.name for each in config.iterdir()] == ["settings.toml"]


@pytest.mark.parametrize(
    ("key", "value"),
    [("secrets.harmless", "no hash"), ("secrets.harmless", ""), ("policy.allow", "../outside")],
)
def test_a_value_that_is_not_sound_is_not_written(config: Path, key: str, value: str) -> None:
    """The file would refuse every build from then on."""
    assert isinstance(_add(config, value, key), Refusal)
    assert not (config / "settings.toml").exists()


def test_a_file_that_others_may_write_is_not_trusted(config: Path) -> None:
    """Neither read nor written."""
    config.mkdir()
    (config / "settings.toml").write_text("")
    (config / "settings.toml").chmod(0o666)
    assert isinstance(_add(config, ".env"), Refusal)
    assert _text(config) == ""


def test_a_folder_that_cannot_be_made_is_a_refusal(tmp_path: Path) -> None:
    """No exception, and nothing of the path in the message."""
    (tmp_path / "file").write_text("")
    refusal = _add(tmp_path / "file" / "config", ".env")
    assert isinstance(refusal, Refusal)
    assert str(tmp_path) not in f"{refusal.message} {refusal.advice}"


def test_a_draft_that_was_left_behind_is_no_obstacle(config: Path) -> None:
    """A process that was killed while it wrote had perhaps the same number."""
    config.mkdir()
    (config / f".settings.toml.{os.getpid()}.part").write_text("left behind")
    assert _add(config, ".env") is None
    assert tomllib.loads(_text(config)) == {"policy": {"allow": [".env"]}}


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_stays_a_link(config: Path, tmp_path: Path) -> None:
    """People keep their settings in a folder of their own and link to them."""
    config.mkdir()
    kept = tmp_path / "kept.toml"
    kept.write_text("# kept\n")
    (config / "settings.toml").symlink_to(kept)
    assert _add(config, ".env") is None
    assert (config / "settings.toml").is_symlink()
    assert kept.read_text().startswith("# kept\n")


@given(st.text(max_size=30))
@settings(max_examples=60, deadline=None)
def test_any_path_is_written_or_refused(
    tmp_path_factory: pytest.TempPathFactory, path: str
) -> None:
    """What was written is read back as it was given; what was not leaves no file."""
    config = tmp_path_factory.mktemp("config")
    outcome = _add(config, path)
    if outcome is not None:
        assert not (config / "settings.toml").exists()
        return
    loaded = load(None, (config / "settings.toml").read_bytes().decode("utf-8"), {}, {})
    assert isinstance(loaded, Loaded)
    assert len(loaded.settings.policy.allow) == 1
