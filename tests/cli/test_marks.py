"""`sightline allow` and `sightline harmless`: what a person decides, for one workspace."""

from __future__ import annotations

import json
import random
import re
import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import SECRET, Ask

_OTHER = "Kx7vB2nQw9Lm4RtZc6Yd"


@pytest.fixture
def second(workspace: Path, tmp_path: Path) -> Path:
    """Another workspace with files of the same names and the same value."""
    folder = tmp_path / "second"
    folder.mkdir()
    for name in ("secret.py", ".env", "use.py"):
        (folder / name).write_bytes((workspace / name).read_bytes())
    for each in (workspace, folder):
        (each / "packages").mkdir()
        (each / "packages" / "core.py").write_text("def core() -> None: ...\n")
    return folder


def _settings(workspace: Path) -> str:
    return (workspace.parent / "config" / "settings.toml").read_text("utf-8")


def test_a_value_is_harmless_in_the_workspace_where_it_was_marked_and_in_no_other(
    ask: Ask, second: Path
) -> None:
    assert ask("build", "secret.py").code == 3
    marked = ask("harmless", "secret.py:3")
    assert marked.code == 0
    assert b"secret.py (assigned-password) is marked as harmless in workspace" in marked.out
    assert SECRET.encode() in ask("build", "secret.py").out
    refused = ask("build", "secret.py", cwd=second)
    assert refused.code == 3
    assert SECRET not in refused.err
    assert b"[REDACTED" in ask("slice", "secret.py", "--level", "full", cwd=second).out


def test_a_file_is_allowed_in_one_workspace_and_in_no_other(
    ask: Ask, workspace: Path, second: Path
) -> None:
    """`.env` of one project says nothing about `.env` of another."""
    (workspace / ".env").write_text("COLOUR=blue\n")
    (second / ".env").write_text("COLOUR=blue\n")
    assert ask("slice", ".env", "--level", "full").code == 3
    assert ask("allow", ".env").out == b".env is allowed in workspace\n"
    assert ask("slice", ".env", "--level", "full").out == b"COLOUR=blue\n"
    assert ask("slice", ".env", "--level", "full", cwd=second).code == 3


@pytest.mark.parametrize("written", ["packages/**", "packages", "packages/"])
def test_a_rule_is_allowed_by_its_name_or_by_its_folder(
    ask: Ask, second: Path, written: str
) -> None:
    assert ask("outline", "packages/core.py").code == 3
    assert ask("allow", written).out == b"packages/** is allowed in workspace\n"
    assert ask("outline", "packages/core.py").code == 0
    assert ask("outline", "packages/core.py", cwd=second).code == 3
    assert ask("allow", "--remove", written).code == 0
    assert ask("outline", "packages/core.py").code == 3


@pytest.mark.parametrize("written", ["packages", "packages/**"])
def test_a_rule_is_allowed_for_once_by_the_same_names(ask: Ask, second: Path, written: str) -> None:
    assert ask("outline", "packages/core.py", "--allow", written).code == 0
    assert not (second.parent / "config").exists()


def test_marks_are_listed_and_taken_back(ask: Ask, second: Path) -> None:
    assert ask("harmless", "--list").out == b""
    assert ask("allow", "--list").out == b""
    ask("harmless", "secret.py:3")
    ask("allow", "packages")
    ask("allow", ".env")
    today = r"\d{4}-\d\d-\d\d"
    listed = ask("harmless", "--list").out.decode()
    found = re.fullmatch(rf"([0-9a-f]{{12}})  {today}  secret\.py  assigned-password\n", listed)
    assert found is not None
    allowed = ask("allow", "--list").out.decode()
    assert re.fullmatch(rf"{today}  rule  packages/\*\*\n{today}  file  \.env\n", allowed)
    for command in ("harmless", "allow"):
        assert ask(command, "--list", cwd=second).out == b""
    assert ask("harmless", "--remove", found[1], cwd=second).code == 2
    assert ask("harmless", "--remove", found[1]).code == 0
    assert ask("allow", "--remove", ".env").code == 0
    assert ask("build", "secret.py").code == 3
    assert ask("slice", ".env", "--level", "full").code == 3
    assert ask("harmless", "--list").out == b""
    assert b"packages/**" in ask("allow", "--list").out


def test_the_settings_file_records_file_detector_and_date_and_no_value(
    ask: Ask, workspace: Path
) -> None:
    ask("harmless", "secret.py:3")
    [recorded] = tomllib.loads(_settings(workspace))["workspaces"]
    assert recorded["root"] == str(workspace.resolve())
    [mark] = recorded["harmless"]
    assert sorted(mark) == ["date", "detector", "file", "hash"]
    assert (mark["file"], mark["detector"]) == ("secret.py", "assigned-password")
    assert SECRET not in _settings(workspace)


def test_the_hash_is_keyed(ask: Ask, tmp_path: Path) -> None:
    """The same value, marked by another installation, has another hash."""
    hashes = []
    for name in ("config", "elsewhere"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / name))
            assert ask("harmless", "secret.py:3").code == 0
        [recorded] = tomllib.loads((tmp_path / name / "settings.toml").read_text())["workspaces"]
        hashes.append(recorded["harmless"][0]["hash"])
    assert hashes[0] != hashes[1]


def test_answers_are_json_where_a_program_asks(ask: Ask) -> None:
    for arguments in (["harmless", "secret.py:3"], ["allow", ".env"]):
        answer = json.loads(ask(*arguments, "--format", "json").out)
        assert (answer["status"], answer["root"]) == ("ok", "workspace")
        assert answer["changed"] in (answer.get("marks") or answer.get("allowances"))
    refused = json.loads(ask("allow", "use.py", "--format", "json").out)
    assert (refused["status"], refused["refusal"]["reason"]) == ("refused", "not_withheld")


def test_of_several_values_on_a_line_one_is_named_by_its_column(ask: Ask, workspace: Path) -> None:
    line = f'password = "{SECRET}"; token = "{_OTHER}"'
    (workspace / "two.py").write_text(line + "\n")
    several = ask("harmless", "two.py:1")
    assert several.code == 3
    assert f"two.py:1:{line.index(SECRET) + 1}, two.py:1:{line.index(_OTHER) + 1}" in several.err
    assert SECRET not in several.err
    assert ask("harmless", f"two.py:1:{line.index(_OTHER) + 1}").code == 0
    shown = ask("slice", "two.py", "--level", "full").out.decode()
    assert _OTHER in shown
    assert SECRET not in shown


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["harmless"], "usage"),
        (["harmless", "secret.py"], "usage"),
        (["harmless", "secret.py:3", "--list"], "usage"),
        (["harmless", "secret.py:1"], "no_secret_there"),
        (["harmless", "secret.py:9999999"], "no_secret_there"),
        (["harmless", "secret.py:3:1"], "no_secret_there"),
        (["harmless", "missing.py:3"], "not_found"),
        (["harmless", ".env:1"], "deny_rule"),
        (["harmless", "--remove", ""], "not_marked"),
        (["harmless", "--remove", "0123456789ab"], "not_marked"),
        (["allow"], "usage"),
        (["allow", "use.py"], "not_withheld"),
        (["allow", "**/*.pem"], "rule_not_lifted"),
        (["allow", "**/.git/**"], "rule_not_lifted"),
        (["allow", ".git/config"], "deny_rule"),
        (["allow", "../outside", "--root", "."], "outside_sandbox"),
        (["allow", "--remove", ".env"], "not_allowed"),
    ],
)
def test_what_cannot_be_marked_is_refused_and_nothing_is_written(
    ask: Ask, workspace: Path, arguments: list[str], reason: str
) -> None:
    answer = ask(*arguments, "--format", "json")
    assert answer.code != 0
    assert json.loads(answer.out)["refusal"]["reason"] == reason
    assert not (workspace.parent / "config").exists()


def test_a_name_that_holds_a_secret_is_not_listed_as_it_is(ask: Ask, workspace: Path) -> None:
    name = f"token={SECRET}.py"
    (workspace / name).write_text(f'password = "{_OTHER}"\n')
    marked = ask("harmless", f"{name}:1")
    assert marked.code == 0
    for answer in (marked, ask("harmless", "--list"), ask("harmless", "--list", "--format=json")):
        assert SECRET.encode() not in answer.out


def test_a_file_full_of_secrets_cannot_be_marked(ask: Ask, workspace: Path) -> None:
    """Neither is it offered, nor does it work."""
    chance = random.Random(1)
    lines = (f'api_token = "{chance.randbytes(20).hex()}"\n' for _ in range(3_500))
    (workspace / "many.py").write_text("".join(lines))
    refused = ask("build", "many.py")
    assert refused.code == 3
    assert "harmless" not in refused.err
    assert ask("harmless", "many.py:1").code == 2


def test_a_value_that_another_file_tells_is_not_offered_to_be_marked_here(
    ask: Ask, workspace: Path
) -> None:
    """Whoever follows an offer finds the value there: it can be marked where it is told alone."""
    (workspace / "conf.py").write_text(f'limit = 1\npassword = "{SECRET}"\n')
    (workspace / "told.py").write_text(
        f"from conf import limit\n\n\ndef told() -> int:\n    # {SECRET}\n    return limit\n"
    )
    answer = ask("build", "told.py::told")
    assert answer.code == 3
    assert "line 5" in answer.err
    assert "--on-target-secret redact" in answer.err
    assert "sightline harmless" not in answer.err
    assert ask("harmless", "conf.py:2").code == 0
    assert ask("build", "told.py::told").code == 0
