"""Parse the command line: report wrong use in one line, with a suggestion."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from sightline.cli.helping import subparsers
from sightline.suggesting import did_you_mean

_VALUE = re.compile(r"[^\s'\"=]*[0-9][^\s'\"=]*")
_SHORTEST_VALUE = 12


def options_of(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> list[str]:
    """Return the options of the command that these arguments begin with."""
    for word in arguments:
        known = subparsers(parser)
        if word not in known:
            break
        parser = known[word][1]
    return [option for action in parser._actions for option in action.option_strings]


class WrongUseError(Exception):
    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.advice = advice


class Parser(argparse.ArgumentParser):
    """Raises wrong use as an exception, so that `main` reports it in one line and in the right
    format.
    """

    def __init__(self, **keywords: Any) -> None:
        # Abbreviations would be accepted here and nowhere else.
        super().__init__(**{**keywords, "allow_abbrev": False})

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Reject a word that is not one of the choices, and suggest a similar one."""
        if action.choices is None or value in action.choices:
            return
        choices = [str(each) for each in action.choices]
        named = str(action.metavar or "").lower() or "/".join(action.option_strings) or action.dest
        near = did_you_mean(str(value), choices)
        raise WrongUseError(
            without_values(f"there is no {named} '{str(value)[:40]}'"),
            f"{near or 'choose from: ' + ', '.join(choices)}; see '{self.prog} --help'",
        )

    def error(self, message: str) -> NoReturn:
        raise WrongUseError(without_values(message), f"see '{self.prog} --help'")


def without_values(message: str) -> str:
    """Return a message without words that could be a secret in the wrong place."""
    return _VALUE.sub(lambda found: found[0] if len(found[0]) < _SHORTEST_VALUE else "…", message)
