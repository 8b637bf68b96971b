"""The distribution is `sightline-lsp`: on PyPI, `sightline` is somebody else's project."""

from __future__ import annotations

import re
import subprocess
import tomllib

import pytest

from tests.tidy.tree import ROOT

OTHER_PROJECT = re.compile(
    r"""
    \b(?:pip3?|pipx|uv|uvx)\b [^\n]*? \b(?:install|add|inject|run)\b
    (?:\s+ (?:-\S+|\S*[./]\S*))* \s+ ['"]? sightline (?![\w.-])
    | (?<![\w./-]) sightline \[ \w
    """,
    re.VERBOSE,
)


def test_the_distribution_the_command_and_the_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == "sightline-lsp"
    assert list(project["scripts"]) == ["sightline"]
    assert "exact" in project["optional-dependencies"]


def test_nothing_tells_anybody_to_install_the_other_project() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
    ).stdout.decode("utf-8")
    found = []
    for name in filter(None, listed.split("\0")):
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
        found += [f"{name}: {each[0]}" for each in OTHER_PROJECT.finditer(text)]
    assert found == []


@pytest.mark.parametrize(
    "advice",
    [
        "pip install sight" + "line",
        "pipx install 'sight" + "line'",
        "python -m pip install --user --quiet sight" + "line",
        "uv tool install sight" + "line",
        "Install sight" + "line[exact], or use another one.",
    ],
)
def test_advice_that_leads_to_the_other_project_is_found(advice: str) -> None:
    assert OTHER_PROJECT.search(advice)


@pytest.mark.parametrize(
    "advice",
    [
        "pipx install sightline-lsp",
        "pip install 'sightline-lsp[exact]'",
        "pipx install .",
        "pip install ./sightline-0.1.whl && sightline doctor",
        "`sightline` on the PATH (`pipx install .`)",
    ],
)
def test_other_advice_is_not(advice: str) -> None:
    assert not OTHER_PROJECT.search(advice)
