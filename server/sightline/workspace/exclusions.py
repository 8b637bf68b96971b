"""List what a survey left out, and by which rule.

Invariants:

* No name that a `credentials` rule denies leaves this module: such names are only counted.
* A directory that was not entered is one exclusion: nothing below it is listed.
* Links are left out: their targets are judged where they are, or are outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import attrs

from sightline.workspace.defaults import DefaultRules, PolicyVerdict
from sightline.workspace.jail import Jail
from sightline.workspace.survey import Survey, names_in

_DEFAULT = "default:"
_CREDENTIALS = "credentials"


@attrs.frozen
class Exclusion:
    """A name that rules withhold."""

    folder: str
    """The folder that contains it, with a `/` at its end; empty for the root."""
    path: str | None
    """None if the name itself is withheld. The path of a directory ends in `/`."""
    group: str | None
    """The group of the default rule that withholds it; None if it is another rule."""


def exclusion_lister(jail: Jail, defaults: DefaultRules) -> Callable[[Survey], Iterator[Exclusion]]:
    """Return a function that lists everything that a survey of one workspace left out, in a fixed
    order.
    """

    def listed(survey: Survey) -> Iterator[Exclusion]:
        directories = survey.tree.directories
        for directory in sorted(directories, key=lambda path: path.encode("utf-8", "replace")):
            visible = set(names_in(survey.tree.rows[directories[directory]]))
            hidden = [
                name
                for name in jail.entries(directory.removesuffix("/")).names
                if name not in visible
            ]
            for name in hidden:
                yield _exclusion(directory, name, defaults)

    return listed


def _exclusion(folder: str, name: str, defaults: DefaultRules) -> Exclusion:
    # Rules for credentials come first: another rule must not reveal the name.
    verdict: PolicyVerdict | None = defaults.verdict(folder + name)
    group = None
    if verdict is not None and verdict.source.startswith(_DEFAULT):
        group = verdict.source.removeprefix(_DEFAULT)
    is_named = group != _CREDENTIALS
    return Exclusion(folder, folder + name if is_named else None, group)
