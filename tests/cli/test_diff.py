"""`sightline diff`: which input of two builds is another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import SECRET, Ask


def _built(ask: Ask, folder: Path, name: str, *arguments: str) -> str:
    answer = ask("build", *arguments, "--format", "json")
    (folder / name).write_bytes(answer.out)
    return str(folder / name)


def test_the_same_inputs_are_the_same(ask: Ask, tmp_path: Path) -> None:
    first = _built(ask, tmp_path, "a.json", "use.py")
    second = _built(ask, tmp_path, "b.json", "use.py")
    answer = ask("diff", first, second)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == b"the two builds have the same inputs\n"
    assert json.loads(ask("diff", first, second, "--format", "json").out) == {
        "status": "ok",
        "refusal": None,
        "differences": [],
    }


def test_a_changed_file_is_named(ask: Ask, tmp_path: Path, workspace: Path) -> None:
    first = _built(ask, tmp_path, "a.json", "use.py")
    (workspace / "shapes.py").write_text("class Shape: ...\n")
    (workspace / "pyproject.toml").unlink()
    second = _built(ask, tmp_path, "b.json", "use.py")
    answer = ask("diff", first, second)
    lines = answer.out.decode().splitlines()
    assert answer.code == 0
    assert lines[0] == "file  pyproject.toml  is in the first alone"
    assert lines[1].startswith("file  shapes.py  has another content: sha256 ")
    assert lines[2].startswith("fingerprint  project_index_fingerprint  ")
    assert len(lines) == 3


def test_changed_settings_are_named_with_their_values(ask: Ask, tmp_path: Path) -> None:
    first = _built(ask, tmp_path, "a.json", "use.py")
    second = _built(ask, tmp_path, "b.json", "use.py", "--max-input-tokens", "9000")
    third = _built(ask, tmp_path, "c.json", "use.py", "--model", "nobody-1")
    lines = ask("diff", first, second).out.decode().splitlines()
    assert lines[0] == "setting  budget.max_input_tokens  nothing and 9000"
    assert lines[1].startswith("fingerprint  config_fingerprint  ")
    assert len(lines) == 2
    named = ask("diff", first, third).out.decode().splitlines()
    assert named[0] == "setting  model.name  'generic' and 'nobody-1'"


def test_a_changed_request_is_named_without_the_words_of_a_person(ask: Ask, tmp_path: Path) -> None:
    first = _built(ask, tmp_path, "a.json", "use.py::Square", "--intent", "make it fast")
    second = _built(ask, tmp_path, "b.json", "use.py::total", "--intent", "make it small")
    third = _built(ask, tmp_path, "c.json", "use.py::Square", "other.py", "--purpose", "plan")
    lines = ask("diff", first, second).out.decode().splitlines()
    assert lines[:2] == [
        "request  intent.text  is another",
        "request  targets[0].symbol  'Square' and 'total'",
    ]
    assert "make it" not in "".join(lines)
    lines = ask("diff", first, third).out.decode().splitlines()
    assert lines[:3] == [
        "request  intent  is another",
        "request  purpose  'diff' and 'plan'",
        "request  targets  1 entries and 2 entries",
    ]


def test_a_build_and_a_refusal_are_told_apart(ask: Ask, tmp_path: Path, workspace: Path) -> None:
    first = _built(ask, tmp_path, "a.json", "use.py")
    (workspace / "use.py").write_text(f'password = "{SECRET}"\n')
    second = _built(ask, tmp_path, "b.json", "use.py")
    answer = ask("diff", first, second)
    assert answer.code == 0
    assert answer.out == (
        b"status  build  ok and refused\nrefusal  build  none and SecretRisk (secret_in_target)\n"
    )


def test_files_that_are_no_records_are_named(ask: Ask, tmp_path: Path) -> None:
    first = _built(ask, tmp_path, "a.json", "use.py")
    (tmp_path / "b.json").write_text("{}")
    for pair, wrong in (
        ((first, str(tmp_path / "b.json")), "b.json"),
        ((str(tmp_path / "b.json"), first), "b.json"),
        ((first, str(tmp_path / "gone.json")), "gone.json"),
    ):
        answer = ask("diff", *pair, "--format", "json")
        assert answer.code == 2
        assert json.loads(answer.out)["path"] == str(tmp_path / wrong)
        assert answer.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [(), ("a.json",), ("a.json", "b.json", "c.json")])
def test_two_records_are_compared_and_no_other_number(ask: Ask, arguments: tuple[str, ...]) -> None:
    assert ask("diff", *arguments).code == 2
