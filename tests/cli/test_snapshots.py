"""`sightline snapshot` in a process of its own, as a person types it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "app.py").write_text("def main():\n    return 1\n")
    (root / "prod.env").write_text("COLOUR=blue\n")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "Begin"]):
        subprocess.run(["git", *arguments], cwd=root, env=_environment(root), check=True)
    return root


def test_a_build_is_recorded_listed_and_proved(root: Path) -> None:
    built = _run(root, "build", "app.py::main", "--snapshot")
    assert built.returncode == 0
    name = built.stderr.split("snapshot ")[1][:36]
    assert f"AI-Context: {name}" in built.stderr
    assert name in _run(root, "snapshot", "list").stdout
    assert _run(root, "snapshot", "cat", name[:13]).stdout == built.stdout
    (root / "app.py").unlink()
    verified = _run(root, "snapshot", "verify", name)
    assert (verified.returncode, verified.stdout) == (
        0,
        "verified: a fresh build from it alone is the same\n",
    )
    shown = json.loads(_run(root, "snapshot", "show", name, "--format", "json").stdout)
    assert shown["object_id"] == name


def test_items_are_recorded_and_the_id_stands_alone(root: Path) -> None:
    made = _run(
        root,
        *("snapshot", "create", "--file", "app.py", "--url", "https://a.example", "--content", "-"),
        *("--summary", "two things", "--by", "agent:coder"),
        given="page",
    )
    assert (made.returncode, made.stderr) == (0, "")
    name = made.stdout.strip()
    assert len(name) == 36
    assert _run(root, "snapshot", "cat", name, "https://a.example").stdout == "page"
    [listed] = json.loads(_run(root, "snapshot", "list", "--format", "json").stdout)
    assert listed["created_by"] == {"kind": "agent", "id": "coder"}
    assert [each["kind"] for each in listed["items"]] == ["file", "url"]
    assert "removed 1 snapshot and" in _run(root, "snapshot", "prune", name).stdout


def test_an_item_is_named_as_a_path_from_here(root: Path) -> None:
    """As with every other command: from a folder below, with `./`, or as an absolute path."""
    below = root / "src/deep"
    below.mkdir(parents=True)
    made = _run(root, "snapshot", "create", "--file", "app.py", "--root", str(root))
    name = made.stdout.strip()
    for place, path in ((below, "../../app.py"), (root, "./app.py"), (root, str(root / "app.py"))):
        assert name in _run(place, "snapshot", "list", "--for", path).stdout
        assert _run(place, "snapshot", "cat", name, path).stdout == (root / "app.py").read_text()
    assert _run(below, "snapshot", "list", "--for", "other.py").stdout == ""


def test_an_exported_file_is_verified_where_its_commit_is(root: Path) -> None:
    """Elsewhere `verify` says which commit is missing."""
    built = _run(root, "build", "app.py::main", "--snapshot")
    name = built.stderr.split("snapshot ")[1][:36]
    file = root.parent / "exported.json"
    _run(root, "snapshot", "export", name, "--output", str(file))
    _run(root, "snapshot", "prune", name)
    assert _run(root, "snapshot", "verify", str(file)).returncode == 0
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    done = _run(elsewhere, "snapshot", "verify", str(file), "--root", str(elsewhere))
    assert (done.returncode, done.stderr.startswith("sightline: missing: commit ")) == (3, True)


def test_a_recorded_bundle_becomes_a_snapshot(root: Path) -> None:
    recorded = root.parent / "bundle.json"
    _run(root, "build", "app.py", "--format", "json", "--output", str(recorded))
    made = _run(root, "snapshot", "create", str(recorded))
    assert made.returncode == 0, made.stderr
    assert _run(root, "snapshot", "verify", made.stdout.strip()).returncode == 0
    (root / "app.py").write_text("def main():\n    return 2\n")
    assert _run(root, "snapshot", "create", str(recorded)).returncode == 3


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (["create"], 2, "give either a bundle's JSON file or items"),
        (["create", "--content", "-"], 2, "has no item before it"),
        (["create", "--url", "https://a.example"], 2, "--url needs --content"),
        (["create", "--file", "app.py", "--by", ""], 2, "the actor is missing"),
        (
            ["create", "--url", "a", "--content", "-", "--url", "b", "--content", "-"],
            2,
            "standard input can be the content of one item only",
        ),
        (["create", "--file", "prod.env"], 3, "withholds"),
        (["show", "ffff"], 2, "there is no such snapshot"),
        (["show", "f" * 5000], 2, "there is no such snapshot"),
        (["import", "app.py"], 2, "not an exported snapshot"),
    ],
)
def test_wrong_use_is_said_in_one_line(
    root: Path, arguments: list[str], code: int, problem: str
) -> None:
    done = _run(root, "snapshot", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert problem in done.stderr
    assert done.stderr.count("\n") == 1


def _run(root: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sightline", *arguments],
        cwd=root,
        env=_environment(root),
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def _environment(root: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(root.parent),
        "LANG": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_NAME": "Ada" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "ada@example.org" for who in ("AUTHOR", "COMMITTER")},
    }
