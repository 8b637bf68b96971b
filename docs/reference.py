"""The reference page, made from the code: commands, settings, rules, models, results.

python docs/reference.py            # say whether the page is out of date
python docs/reference.py --write    # make it anew
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from sightline.budget import MODELS
from sightline.cli.arguments import command_parser
from sightline.cli.helping import Command, commands_of
from sightline.engine.results import RESULTS
from sightline.settings.keys import KEYS, Authority, Key
from sightline.workspace.defaults import default_rules

PAGE = Path(__file__).with_name("reference.md")

_HEAD = """# Reference

<!-- Made by docs/reference.py. Do not edit it by hand. -->
"""

_EXIT_CODES = """
| code | meaning |
|---|---|
| 0 | done |
| 2 | wrong use: the command line, a setting or a request is not valid |
| 3 | refused: the reason is on stderr, and with `--format json` the report is on stdout |
"""


def page() -> str:
    """Return the page as it should be."""
    parts = [
        _HEAD,
        "## Commands\n",
        *(_command(each) for each in commands_of(command_parser())),
        f"## Exit codes\n{_EXIT_CODES}",
        "## Settings\n\nIn your own `settings.toml` (`sightline settings` says where it is) and in "
        "`.sightline.toml` at the root of a workspace.\n",
        _settings(),
        "## Models\n\n`sightline models` lists these and your own.\n",
        _models(),
        "## Default rules\n\nGitignore patterns, matched without regard to case. Soft rules say "
        "nothing about what git tracks.\n",
        _rules(),
        "## JSON forms\n",
        _results(),
    ]
    return "\n".join(parts)


def _command(command: Command) -> str:
    rows = [_option_row(each) for each in command.options]
    about = command.about[:1].upper() + command.about[1:]
    table = ["| argument | meaning |", "|---|---|", *rows] if rows else []
    return "\n".join([f"### sightline {command.name}\n", f"{about}.\n", *table, ""])


def _option_row(action: argparse.Action) -> str:
    value = action.metavar or ("|".join(action.choices) if action.choices else "")
    shown = " ".join(value) if isinstance(value, tuple) else value
    names = ", ".join(action.option_strings)
    spelled = " ".join(each for each in (names, shown) if each) or action.dest
    note = (action.help or "").replace("%%", "%").replace("%(default)s", str(action.default))
    return f"| `{_cell(spelled)}` | {_cell(note)} |"


def _settings() -> str:
    rows = [
        f"| `{key.name}` | {_default(key)} | {_cell(key.description)} {_workspace(key)} |"
        for key in KEYS
    ]
    return _table("setting", "default", "meaning", rows)


def _default(key: Key) -> str:
    value = key.plain(key.default) if key.default is not None else None
    if value in (None, [], {}, ""):
        return ""
    return f"`{_cell(str(value))}`"


def _workspace(key: Key) -> str:
    if key.authority is Authority.NOTHING:
        return "Yours alone."
    if key.authority is Authority.ADD:
        return "A workspace may add to it."
    return f"A workspace may only {_cell(key.tightening)}."


def _models() -> str:
    rows = [
        f"| `{each.model}` | {each.max_input_tokens:,} | {each.max_output_tokens:,} |"
        for each in sorted(MODELS, key=lambda each: (each.provider, each.model))
    ]
    return _table("model", "input tokens", "output tokens", rows)


def _rules() -> str:
    groups: dict[str, list[str]] = {}
    soft: set[str] = set()
    for rule in default_rules():
        groups.setdefault(rule.group, []).append(f"`{_cell(rule.pattern)}`")
        if rule.is_soft:
            soft.add(rule.group)
    rows = [
        f"| {group} | {'soft' if group in soft else 'hard'} | {' '.join(patterns)} |"
        for group, patterns in groups.items()
    ]
    return _table("group", "kind", "patterns", rows)


def _results() -> str:
    rows = [
        f"| [`{name}`](../server/sightline/schemas/{name}.schema.json) | "
        f"{_cell((struct.__doc__ or '').split(chr(10))[0])} |"
        for name, struct in RESULTS.items()
    ]
    return _table("schema", "what", None, rows)


def _table(first: str, second: str, third: str | None, rows: Iterable[str]) -> str:
    heads = [each for each in (first, second, third) if each is not None]
    return "\n".join([f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *rows, ""])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="make the page anew")
    arguments = parser.parse_args()
    made = page()
    if arguments.write:
        PAGE.write_text(made, "utf-8")
        return 0
    if PAGE.read_text("utf-8") == made:
        return 0
    print("docs/reference.md is out of date: python docs/reference.py --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
