"""How much of the source that git tracks is visible, by rule.

    python benchmarks/visibility.py NAME=PATH … [--write docs/visibility.md]

A repository is a checkout or a bare git directory; its paths are those of HEAD. Source files are
those with an extension of a known language. Three policies are compared:

* before: every default rule applies whatever git says, as it once was;
* after: soft rules (dependencies, build outputs, caches, large data) do not apply to tracked files,
  and `packages/**`, `**/bin/**`, `**/obj/**` do;
* allowed: as after, with the one allowance that the server and the shell offer for each rule that
  hides something.

Only default rules are measured: ignore files and the contents of files are not considered.
`--write` replaces the table in a page.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import attrs

from sightline.languages import Registry, load_registry
from sightline.workspace.defaults import DefaultRules
from sightline.workspace.tracking import NOTHING_TRACKED

_BEGIN = "<!-- table: begin -->\n"
_END = "<!-- table: end -->\n"


@attrs.frozen
class Visibility:
    """For one repository: its source files, and how many of them each rule hides."""

    name: str
    language: str
    """The language of most of the source."""
    source: int
    before: Counter[str]
    after: Counter[str]
    allowed: Counter[str]


def measure(name: str, paths: Sequence[str], registry: Registry) -> Visibility:
    extensions = frozenset(
        extension.casefold()
        for language in registry.languages.values()
        for extension in language.files.extensions
    )
    languages: Counter[str] = Counter()
    source: list[str] = []
    for path in paths:
        language = registry.for_path(path, b"")
        if language is not None:
            languages[language.title] += 1
            source.append(path)
    now = _rules((), extensions, paths)
    offered = tuple(each.rule for each in now.tracked().hidden)
    return Visibility(
        name,
        languages.most_common(1)[0][0] if languages else "",
        len(source),
        _hidden(_rules((), extensions, None), source),
        _hidden(now, source),
        _hidden(_rules(offered, extensions, paths), source),
    )


def _rules(
    lifted: tuple[str, ...], extensions: frozenset[str], tracked: Sequence[str] | None
) -> DefaultRules:
    rules = DefaultRules(lifted, {}, extensions)
    known = NOTHING_TRACKED if tracked is None else rules.sort_tracked(tracked)
    rules.tracked = lambda: known
    return rules


def _hidden(rules: DefaultRules, source: Sequence[str]) -> Counter[str]:
    """Return how many files each rule hides: a walk enters no denied directory."""
    hidden: Counter[str] = Counter()
    verdicts: dict[str, str | None] = {"": None}
    for path in source:
        rule = _of_directory(rules, path.rpartition("/")[0], verdicts)
        if rule is None:
            verdict = rules.verdict(path)
            rule = verdict.rule if verdict is not None else None
        if rule is not None:
            hidden[rule] += 1
    return hidden


def _of_directory(rules: DefaultRules, path: str, verdicts: dict[str, str | None]) -> str | None:
    if path not in verdicts:
        above = _of_directory(rules, path.rpartition("/")[0], verdicts)
        verdict = rules.verdict(path + "/") if above is None else None
        verdicts[path] = above or (verdict.rule if verdict is not None else None)
    return verdicts[path]


def tracked_paths(repository: Path) -> list[str]:
    """Return the paths of the files in the tree of HEAD; submodules are left out."""
    listed = subprocess.run(
        ["git", "-C", str(repository), "ls-tree", "-r", "-z", "HEAD"],
        capture_output=True,
        check=True,
    ).stdout.decode("utf-8", "surrogateescape")
    entries = (entry.partition("\t") for entry in listed.split("\0") if entry)
    return [path for about, _, path in entries if not about.startswith("160000")]


def table(measured: Sequence[Visibility]) -> str:
    """Return the table in Markdown."""
    lines = [
        "| repository | language | source files | before | after | allowed "
        "| hidden before, by rule | hidden after |",
        "|---|---|---:|---:|---:|---:|---|---|",
    ]
    for each in sorted(measured, key=lambda one: one.name):
        shares = (_share(each, hidden) for hidden in (each.before, each.after, each.allowed))
        lines.append(
            f"| {each.name} | {each.language} | {each.source} | {' | '.join(shares)} "
            f"| {_by_rule(each.before)} | {_by_rule(each.after)} |"
        )
    return "\n".join(lines) + "\n"


def _share(measured: Visibility, hidden: Counter[str]) -> str:
    return f"{100 * (measured.source - hidden.total()) / max(1, measured.source):.1f} %"


def _by_rule(hidden: Counter[str]) -> str:
    ordered = sorted(hidden.items(), key=lambda each: (-each[1], each[0]))
    return ", ".join(f"`{rule}` {count}" for rule, count in ordered) or "nothing"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("repositories", nargs="+", metavar="NAME=PATH")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    options = parser.parse_args()
    registry = load_registry()
    measured = []
    for each in options.repositories:
        name, _, path = each.rpartition("=")
        place = Path(path)
        measured.append(measure(name or place.name, tracked_paths(place), registry))
    made = table(measured)
    sys.stdout.write(made)
    if options.write is not None:
        page = options.write.read_text("utf-8")
        head, _, rest = page.partition(_BEGIN)
        tail = rest.partition(_END)[2]
        options.write.write_text(f"{head}{_BEGIN}{made}{_END}{tail}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
