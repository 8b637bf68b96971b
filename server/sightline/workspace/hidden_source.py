"""Count the source in folders that a never-send rule hides, if git does not tell.

Git's index tells how many tracked files a rule hides. If git tracks none of them (there is no
repository, nothing was added yet, the folder is a submodule), the folder itself is searched: files
of known languages that would become visible if the rule were allowed are counted.

Invariants: names are listed, and only ignore files are opened; no link is followed. At most so many
names are read for each rule, whatever the folders contain, in a fixed order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from sightline.workspace.defaults import DefaultRules, counted_rules
from sightline.workspace.ignoring import IgnoreRules
from sightline.workspace.jail import Jail
from sightline.workspace.paths import check_form
from sightline.workspace.tracking import HiddenByRule

_MOST_NAMES = 20_000
_NAMES = frozenset(rule.removeprefix("**/").removesuffix("/**") for rule in counted_rules())
"""The names of the folders in such rules. Folders in other spellings are
hidden, but not counted.
"""


class HiddenSource:
    """What never-send rules hide in one workspace, besides what git tracks."""

    def __init__(
        self, jail: Jail, ignores: IgnoreRules, rules: DefaultRules, source: frozenset[str]
    ) -> None:
        """`source` are the extensions of known languages, case folded, each with its dot."""
        self._jail = jail
        self._ignores = ignores
        self._rules = rules
        self._source = source

    @cached_property
    def _without(self) -> DefaultRules:
        """Return the rules as they would be if the counted ones were allowed."""
        return self._rules.lifting(counted_rules())

    def count(self, folders: Sequence[str], told: Collection[str]) -> tuple[HiddenByRule, ...]:
        """Return what rules hide in folders that a walk did not enter; the most files first.

        The paths of folders end in `/`. Rules that git's index answers for are left out.
        """
        by_rule: dict[str, list[str]] = {}
        for folder in folders:
            if folder.rstrip("/").rpartition("/")[2].casefold() not in _NAMES:
                continue
            verdict = self._rules.verdict(folder)
            if verdict is not None and verdict.rule in counted_rules() - {*told}:
                by_rule.setdefault(verdict.rule, []).append(folder)
        counted = (self._in(rule, sorted(below)) for rule, below in sorted(by_rule.items()))
        return tuple(sorted((each for each in counted if each.files), key=_most_first))

    def _in(self, rule: str, folders: list[str]) -> HiddenByRule:
        files = 0
        for names, path in enumerate(self._names_below(folders)):
            if names == _MOST_NAMES:
                return HiddenByRule(rule, files, at_least=True)
            files += self._is_source(path)
        return HiddenByRule(rule, files)

    def _names_below(self, folders: list[str]) -> Iterator[str]:
        """Yield the paths of all files and folders that would be visible if the
        rule were allowed.
        """
        pending = folders[::-1]
        while pending:
            folder = pending.pop()
            if not self._is_open(folder):
                continue
            entries = self._jail.entries(folder.removesuffix("/"))
            clashing = entries.clashing()
            below = []
            for name in sorted(entries.names):
                path = folder + name
                yield path
                if name.endswith("/") and name.removesuffix("/") not in clashing:
                    below.append(path)
            pending += below[::-1]

    def _is_open(self, folder: str) -> bool:
        path = folder.removesuffix("/")
        return (
            check_form(path) is None
            and self._without.verdict(folder) is None
            and self._ignores.directory_verdict(path) is None
        )

    def _is_source(self, path: str) -> bool:
        stem, dot, extension = path.rpartition("/")[2].rpartition(".")
        return (
            bool(stem)
            and (dot + extension).casefold() in self._source
            and check_form(path) is None
            and self._without.verdict(path) is None
            and self._ignores.verdict(path) is None
        )


def _most_first(hidden: HiddenByRule) -> tuple[int, str]:
    return -hidden.files, hidden.rule
