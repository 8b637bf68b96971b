"""Marks in the user's own settings: of one workspace, whole or not at all."""

from __future__ import annotations

import os
import stat
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.egress import NOTHING_HARMLESS, keyed_hash
from sightline.refusals import Refusal
from sightline.settings import Loaded, Settings, harmless_values, load
from sightline.settings.editing import Mark, add_mark, read_marks, remove_mark
from sightline.settings.keys import SecretSettings
from sightline.settings.marks import Allowance, HarmlessMark, WorkspaceMarks, made_key, read_key

_HERE, _THERE = "/home/me/shop", "/home/me/other"
_DATE = "2026-05-04"
_ENV = Allowance(".env", _DATE)
_PACKAGES = Allowance("packages/**", _DATE)
_VALUE = HarmlessMark("a" * 64, "src/a.py", "assigned-password", _DATE)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config"


def _environment(config: Path) -> dict[str, str]:
    return {"SIGHTLINE_CONFIG_DIR": str(config)}


def _add(config: Path, mark: Mark = _ENV, root: str = _HERE) -> Refusal | None:
    return add_mark(_environment(config), root, mark)


def _remove(config: Path, mark: Mark = _ENV, root: str = _HERE) -> Refusal | None:
    return remove_mark(_environment(config), root, mark)


def _marks(config: Path, root: str = _HERE) -> WorkspaceMarks:
    marks = read_marks(_environment(config), root)
    assert isinstance(marks, WorkspaceMarks)
    return marks


def _text(config: Path) -> str:
    return (config / "settings.toml").read_text("utf-8")


def _settings(config: Path, root: str) -> Settings:
    loaded = load(None, _text(config), {}, {}, root)
    assert isinstance(loaded, Loaded)
    return loaded.settings


def test_a_mark_is_recorded_with_workspace_file_detector_and_date(config: Path) -> None:
    """For its user alone to read; no other file is left behind."""
    assert _add(config, _PACKAGES) is None
    assert _add(config, _VALUE) is None
    assert tomllib.loads(_text(config)) == {
        "workspaces": [
            {
                "root": _HERE,
                "allow": [{"rule": "packages/**", "date": _DATE}],
                "harmless": [
                    {
                        "hash": "a" * 64,
                        "file": "src/a.py",
                        "detector": "assigned-password",
                        "date": _DATE,
                    }
                ],
            }
        ]
    }
    assert stat.S_IMODE((config / "settings.toml").stat().st_mode) == 0o600
    assert [each.name for each in config.iterdir()] == ["settings.toml"]


def test_a_mark_holds_in_its_workspace_and_in_no_other(config: Path) -> None:
    for mark in (_ENV, _PACKAGES, _VALUE):
        assert _add(config, mark) is None
    here = _settings(config, _HERE)
    assert here.policy.allow == (".env", "packages/**")
    assert here.secrets.harmless == ("a" * 64,)
    for root in (_THERE, _HERE + "/sub", "/home/me", ""):
        elsewhere = _settings(config, root)
        assert (elsewhere.policy.allow, elsewhere.secrets.harmless) == ((), ())


def test_marks_are_taken_back_one_by_one(config: Path) -> None:
    """Nothing of a workspace stays once its last mark is gone; other workspaces keep theirs."""
    for mark in (_ENV, _PACKAGES, _VALUE):
        assert _add(config, mark) is None
    assert _add(config, _ENV, _THERE) is None
    assert _remove(config, _ENV) is None
    assert [each.rule for each in _marks(config).allow] == ["packages/**"]
    assert [each.rule for each in _marks(config, _THERE).allow] == [".env"]
    assert _remove(config, _PACKAGES) is None
    assert _remove(config, _VALUE) is None
    assert [each["root"] for each in tomllib.loads(_text(config))["workspaces"]] == [_THERE]
    assert _remove(config, _ENV, _THERE) is None
    assert tomllib.loads(_text(config)) == {}


def test_comments_and_order_stay(config: Path) -> None:
    """A person's file is a person's file."""
    config.mkdir()
    before = (
        "# mine\n\n[model]\nname = 'x' # why\n\n[policy]\n"
        'allow = [\n  "packages/**", # this\n]\ndeny = ["/b/"]\n'
    )
    (config / "settings.toml").write_text(before)
    assert _add(config) is None
    assert _text(config).startswith(before)
    assert _add(config, _VALUE, _THERE) is None
    assert _text(config).startswith(before)
    assert _remove(config) is None
    assert _remove(config, _VALUE, _THERE) is None
    assert _text(config).rstrip() == before.rstrip()


def test_what_is_marked_again_is_marked_once(config: Path) -> None:
    for date in (_DATE, "2026-06-01", "2026-07-01"):
        assert _add(config, Allowance(".env", date)) is None
    assert _marks(config).allow == (Allowance(".env", "2026-07-01"),)


_UNSOUND = [
    "[policy",
    "workspaces = 1\n",
    "[workspaces]\nallow = []\n",
    "[[workspaces]]\nallow = []\n",
    "[[workspaces]]\nroot = '/x'\nallow = ['.env']\n",
    "[[workspaces]]\nroot = '/x'\nallow = [{rule = '.env'}]\n",
    "[[workspaces]]\nroot = '/x'\nallow = [{rule = '../x', date = '2026-05-04'}]\n",
    "[[workspaces]]\nroot = '/x'\nallow = [{rule = '.env', date = 'today'}]\n",
    "[[workspaces]]\nroot = '/x'\ndeny = []\n",
    "[[workspaces]]\nroot = '/x'\nharmless = ['aaaa']\n",
]


@pytest.mark.parametrize("text", _UNSOUND)
def test_a_file_that_is_not_sound_refuses_and_is_left_as_it_is(config: Path, text: str) -> None:
    """It decides what is sent, and nobody knows what it means."""
    assert isinstance(load(None, text, {}, {}, _HERE), Refusal)
    config.mkdir()
    (config / "settings.toml").write_text(text)
    assert isinstance(_add(config), Refusal)
    assert _text(config) == text
    assert [each.name for each in config.iterdir()] == ["settings.toml"]


def test_a_workspaces_own_file_marks_nothing() -> None:
    """What comes along with code cannot vouch for itself."""
    text = f"[[workspaces]]\nroot = '{_HERE}'\nallow = [{{rule = '.env', date = '{_DATE}'}}]\n"
    loaded = load(text, None, {}, {}, _HERE)
    assert isinstance(loaded, Loaded)
    assert loaded.settings.policy.allow == ()
    assert [each.key for each in loaded.messages] == ["workspaces"]


def test_what_an_older_version_wrote_for_every_workspace_has_no_effect_and_is_said() -> None:
    """A path and a value were once allowed everywhere. A rule that a person wrote still holds."""
    text = f"[policy]\nallow = ['.env', 'packages/**']\n[secrets]\nharmless = ['{'a' * 64}']\n"
    loaded = load(None, text, {}, {}, _HERE)
    assert isinstance(loaded, Loaded)
    assert loaded.settings.policy.allow == ("packages/**",)
    assert loaded.settings.secrets.harmless == ()
    said = {each.key: each.problem for each in loaded.messages}
    assert "'sightline allow PATH'" in said["policy.allow"]
    assert "'sightline harmless PATH:LINE'" in said["secrets.harmless"]


@pytest.mark.parametrize(
    "mark", [Allowance("../outside", _DATE), Allowance("", _DATE), Allowance("a*b", _DATE)]
)
def test_a_mark_that_is_not_sound_is_not_written(config: Path, mark: Mark) -> None:
    """The file would refuse every build from then on."""
    assert isinstance(_add(config, mark), Refusal)
    assert not (config / "settings.toml").exists()


def test_a_root_that_cannot_be_written_down_is_a_refusal(config: Path) -> None:
    assert isinstance(_add(config, root="/home/\udcff"), Refusal)
    assert not (config / "settings.toml").exists()


def test_a_file_that_others_may_write_is_not_trusted(config: Path) -> None:
    """Neither read nor written."""
    config.mkdir()
    (config / "settings.toml").write_text("")
    (config / "settings.toml").chmod(0o666)
    assert isinstance(_add(config), Refusal)
    assert _text(config) == ""


def test_a_folder_that_cannot_be_made_is_a_refusal(tmp_path: Path) -> None:
    """No exception, and nothing of the path in the message."""
    (tmp_path / "file").write_text("")
    refusal = _add(tmp_path / "file" / "config")
    assert isinstance(refusal, Refusal)
    assert str(tmp_path) not in f"{refusal.message} {refusal.advice}"


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_stays_a_link(config: Path, tmp_path: Path) -> None:
    """People keep their settings in a folder of their own and link to them."""
    config.mkdir()
    kept = tmp_path / "kept.toml"
    kept.write_text("# kept\n")
    (config / "settings.toml").symlink_to(kept)
    assert _add(config) is None
    assert (config / "settings.toml").is_symlink()
    assert kept.read_text().startswith("# kept\n")


@given(st.text(max_size=30), st.text(min_size=1, max_size=30))
@settings(max_examples=60, deadline=None)
def test_any_path_and_root_is_written_or_refused(
    tmp_path_factory: pytest.TempPathFactory, path: str, root: str
) -> None:
    """What was written is read back as it was given; what was not leaves no file."""
    config = tmp_path_factory.mktemp("config")
    if _add(config, Allowance(path, _DATE), root) is not None:
        assert not (config / "settings.toml").exists()
        return
    assert _settings(config, root).policy.allow == (path,)
    assert _remove(config, Allowance(path, _DATE), root) is None
    assert _settings(config, root).policy.allow == ()


# The key of an installation.


def test_the_key_is_made_once_and_is_the_users_alone(config: Path) -> None:
    environment = _environment(config)
    assert read_key(environment) is None
    key = made_key(environment)
    assert key is not None
    assert made_key(environment) == read_key(environment) == key
    assert stat.S_IMODE((config / "marks.key").stat().st_mode) == 0o600
    assert len(key) == 32


def test_marks_that_are_made_at_the_same_time_are_all_recorded(config: Path) -> None:
    """An editor and a shell write one file; and all their marks hold under one key."""

    def mark(number: int) -> bytes | None:
        key = made_key(_environment(config))
        assert _add(config, Allowance(f"file{number}.env", _DATE)) is None
        return key

    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(mark, range(24)))
    assert keys == {read_key(_environment(config))}
    assert {each.rule for each in _marks(config).allow} == {f"file{n}.env" for n in range(24)}


def test_two_installations_do_not_share_a_key(tmp_path: Path) -> None:
    one, other = (made_key(_environment(tmp_path / name)) for name in ("one", "other"))
    assert one is not None
    assert other is not None
    assert keyed_hash(one, b"hunter2") != keyed_hash(other, b"hunter2")


def test_a_damaged_key_is_not_replaced(config: Path) -> None:
    """It may be restored; with another key every mark that was made would be lost."""
    config.mkdir()
    (config / "marks.key").write_bytes(b"zz")
    assert made_key(_environment(config)) is None
    assert (config / "marks.key").read_bytes() == b"zz"


@pytest.mark.parametrize("content", [None, b"", b"zz", b"ab" * 31, b"ab" * 33, b"\xff" * 64])
def test_without_its_key_a_mark_has_no_effect(config: Path, content: bytes | None) -> None:
    """What cannot be checked is withheld."""
    config.mkdir()
    if content is not None:
        (config / "marks.key").write_bytes(content)
    marked = attrs.evolve(Settings(), secrets=SecretSettings(harmless=("a" * 64,)))
    assert harmless_values(marked, _environment(config)) == NOTHING_HARMLESS
