"""The documentation is true: its links lead somewhere, and what it tells people to type exists."""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import sightline
from sightline.cli.arguments import command_parser
from sightline.cli.helping import commands_of
from sightline.lsp import extensions
from sightline.refusals import RefusalKind
from sightline.settings.keys import KEYS
from sightline.workspace.defaults import default_rules

_ROOT = Path(__file__).parent.parent
_PAGES = sorted(
    [
        # What has changed tells of what is gone, too.
        *(each for each in _ROOT.glob("*.md") if each.name != "CHANGELOG.md"),
        *_ROOT.glob("docs/*.md"),
        *_ROOT.glob("editors/*/README.md"),
    ]
)
_LINK = re.compile(r"!?\[[^\]\n]*\]\(([^()\s]+)\)")
_FENCE = re.compile(r"^(`{3,})[^\n]*\n(.*?)^\1\s*$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_TYPED = re.compile(r"(?:^|[|`]|\$ )\s*(sightline [a-z][^|`\n]*)")
_LARGEST_README = 1_200


def _load_reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", _ROOT / "docs" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", _FENCE.sub("", text))


def _anchors(page: Path) -> set[str]:
    headings = _HEADING.findall(_FENCE.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", each.lower()).strip().replace(" ", "-") for each in headings}


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(_ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in _LINK.findall(_without_code(page.read_text("utf-8"))):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        if not place.exists() or (
            anchor and place.suffix == ".md" and anchor not in _anchors(place)
        ):
            broken.append(target)
    assert broken == []


def test_the_reference_is_made_from_the_code() -> None:
    """After a change: python docs/reference.py --write"""
    reference = _load_reference()
    assert (_ROOT / "docs" / "reference.md").read_text("utf-8") == reference.page()


def _typed(page: Path) -> Iterator[str]:
    """Yield each command line that a page tells people to type."""
    text = page.read_text("utf-8")
    lines = [line for fence in _FENCE.finditer(text) for line in fence[2].splitlines()]
    lines += re.findall(r"`(sightline [^`\n]+)`", _FENCE.sub("", text))
    for line in lines:
        for found in _TYPED.findall(re.sub(r"\s#.*", "", line.replace("\\|", "|"))):
            yield found.strip()


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(_ROOT)))
def test_commands_and_options_that_pages_name_exist(page: Path) -> None:
    known = {each.name: each.parser for each in commands_of(command_parser())}
    wrong = []
    for line in _typed(page):
        try:
            words = shlex.split(line.replace("…", ""))[1:]
        except ValueError:
            words = line.split()[1:]
        if not words or not words[0].islower() or words[0] in ("help", "is"):
            continue
        name = next((each for each in (" ".join(words[:2]), words[0]) if each in known), None)
        if name is None:
            groups = {each.partition(" ")[0] for each in known}
            if words[0] not in groups or len(words) > 1:
                wrong.append(line)
            continue
        options = {option for each in known[name]._actions for option in each.option_strings}
        given = {each.partition("=")[0] for each in words if re.fullmatch(r"--[a-z][\w-]*.*", each)}
        if given - options:
            wrong.append(f"{line}: {', '.join(sorted(given - options))}")
    assert wrong == []


def test_every_command_is_told_of() -> None:
    told = (_ROOT / "docs" / "shell.md").read_text("utf-8")
    told += (_ROOT / "docs" / "snapshots.md").read_text("utf-8")
    told += (_ROOT / "docs" / "editors.md").read_text("utf-8")
    told += (_ROOT / "README.md").read_text("utf-8")
    names = {each.name.partition(" ")[0] for each in commands_of(command_parser())}
    assert sorted(name for name in names if f"sightline {name}" not in told) == []


# Everything that a page names exists, and everything that exists is named by a page.


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(_ROOT)))
def test_options_that_pages_name_alone_exist(page: Path) -> None:
    known = {option for each in commands_of(command_parser()) for option in _options(each.parser)}
    known |= set(re.findall(r'"(--[a-z-]+)"', (_ROOT / "tests" / "conftest.py").read_text("utf-8")))
    named = set(re.findall(r"`(--[a-zA-Z][\w-]*)", _FENCE.sub("", page.read_text("utf-8"))))
    assert sorted(named - known - _OPTIONS_OF_OTHERS) == []


_OPTIONS_OF_OTHERS = {"--compress"}
"""Of repomix."""


def _options(parser: argparse.ArgumentParser) -> set[str]:
    return {option for action in parser._actions for option in action.option_strings}


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(_ROOT)))
def test_settings_that_pages_name_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    known = {key.name for key in KEYS}
    sections = "|".join(sorted({name.partition(".")[0] for name in known}))
    written = re.findall(rf"`((?:{sections})\.[a-z]\w+)(?: = [^`]*)?`", text)
    # Clients write the names in camel case.
    named = {re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", each) for each in written}
    for section, body in re.findall(rf"^\[({sections})\]\n((?:.+\n)*)", text, re.MULTILINE):
        # A page on languages has sections of its own file.
        if page.name != "languages.md":
            named |= {f"{section}.{key}" for key in re.findall(r"^(\w+) *=", body, re.MULTILINE)}
    files = {each for each in named if each.endswith((".py", ".toml", ".md"))}
    assert sorted(named - known - files) == []


def test_every_setting_is_told_of() -> None:
    told = (_ROOT / "docs" / "reference.md").read_text("utf-8")
    assert [key.name for key in KEYS if f"| `{key.name}` |" not in told] == []


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(_ROOT)))
def test_rules_that_pages_name_exist(page: Path) -> None:
    known = {rule.pattern for rule in default_rules()}
    named = set(re.findall(r"`(\*\*/[^`\s]+|[^`\s*]+/\*\*)`", page.read_text("utf-8")))
    assert sorted(named - known) == []


def test_every_rule_is_told_of() -> None:
    told = (_ROOT / "docs" / "reference.md").read_text("utf-8")
    missing = [rule.pattern for rule in default_rules() if f"`{rule.pattern}`" not in told]
    assert missing == []


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(_ROOT)))
def test_messages_that_pages_name_exist(page: Path) -> None:
    """The other way round: `tests/lsp/test_protocol_page.py`."""
    known = {
        *extensions.REQUESTS,
        *extensions.NOTIFICATIONS,
        *extensions.TO_CLIENT,
        *extensions.COMMANDS,
    }
    text = page.read_text("utf-8")
    named = set(re.findall(r"`(sightline/[a-z]+[A-Z]\w*)`", text))
    assert sorted(named - known) == []


def test_every_kind_of_refusal_is_told_of() -> None:
    page = (_ROOT / "docs" / "bundles.md").read_text("utf-8")
    refusals = page[page.index("## Refusals") :]
    assert re.findall(r"^\| `([A-Z]\w+)` \|", refusals, re.MULTILINE) == [*RefusalKind]


def test_variables_of_the_environment_are_told_of_and_exist() -> None:
    sources = "".join(each.read_text("utf-8") for each in (_ROOT / "server").rglob("*.py"))
    known = set(re.findall(r'"(SIGHTLINE_[A-Z_]*[A-Z])"', sources))
    named = {
        name
        for page in _PAGES
        for name in re.findall(r"SIGHTLINE_[A-Z_]*[A-Z]", page.read_text("utf-8"))
    }
    settings = {key.variable for key in KEYS}
    assert named - settings == known


def test_the_commands_of_both_editors_are_told_of_and_exist() -> None:
    nvim = _ROOT / "editors" / "nvim"
    plugin = (nvim / "plugin" / "sightline.lua").read_text("utf-8")
    known = set(re.findall(r'^(?:command\(|  )"(BuildAI\w+|Sightline\w+)"', plugin, re.M))
    known |= set(re.findall(r'^command\(\s*"(\w+)"', plugin, re.MULTILINE))
    for page in (nvim / "README.md", nvim / "doc" / "sightline.txt"):
        named = set(re.findall(r":(BuildAI\w+|Sightline\w+)", page.read_text("utf-8")))
        assert (page.name, named) == (page.name, known)
    vscode = _ROOT / "editors" / "vscode"
    manifest = json.loads((vscode / "package.json").read_text("utf-8"))
    titles = {each["title"] for each in manifest["contributes"]["commands"]}
    told = (vscode / "README.md").read_text("utf-8")
    table = told[told.index("| Command |") : told.index("## The server")]
    named = {
        name.strip()
        for row in re.findall(r"^\| ([^|:]+) \|", table, re.MULTILINE)
        for name in row.split(",")
    }
    assert named - {"Command"} == titles


def test_the_settings_of_vs_code_are_told_of_and_exist() -> None:
    vscode = _ROOT / "editors" / "vscode"
    manifest = json.loads((vscode / "package.json").read_text("utf-8"))
    known = {
        name for each in manifest["contributes"]["configuration"] for name in each["properties"]
    }
    page = (vscode / "README.md").read_text("utf-8")
    named = set(re.findall(r"`(sightline\.[\w.]*(?:\w|\*))`", page))
    groups = tuple(name[:-1] for name in named if name.endswith("*"))
    single = {name for name in named if not name.endswith("*")}
    assert single - known == set()
    assert {name for name in known if not name.startswith(groups)} - single == set()


def test_the_readme_is_short() -> None:
    assert len((_ROOT / "README.md").read_text("utf-8").split()) <= _LARGEST_README


def test_the_bundle_in_the_readme_is_what_a_build_prints(tmp_path: Path) -> None:
    """Every line of it, in this order; `…` stands for any lines, or for a part of a line."""
    page = (_ROOT / "README.md").read_text("utf-8")
    shown = re.search(r"^````markdown\n(.*?)^````$", page, re.DOTALL | re.MULTILINE)
    assert shown is not None
    module = "server/sightline/text.py"
    copy = tmp_path / module
    copy.parent.mkdir(parents=True)
    copy.write_bytes((_ROOT / module).read_bytes())
    with sightline.open(tmp_path) as workspace:
        built = workspace.build(f"{module}::Text.fold", max_input_tokens=12_000).rendered
    assert built is not None
    printed = iter(built.splitlines())
    patterns = [re.escape(line).replace("…", ".*") for line in shown[1].splitlines()]
    missing = [
        pattern
        for pattern in patterns
        if pattern != ".*" and not any(re.fullmatch(pattern, line) for line in printed)
    ]
    assert missing == []


def test_every_command_says_what_it_is_for() -> None:
    """`sightline --help` is where people look first."""
    commands = list(commands_of(command_parser()))
    assert commands
    assert [each.name for each in commands if not each.about] == []
    assert command_parser().description
