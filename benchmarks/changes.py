"""Changes: the function that a commit is about, and the other lines that it changes.

The target is the function of the parent's tree in which the commit changes the most lines, counting
old and new ones; of two, the first by path and position. A line in several functions counts for the
innermost one.

The lines to find are those of the parent's tree, in source files other than the target's, that the
commit changes or deletes; where it only inserts, the line before the insertion. Lines without a
letter or a digit and lines with only a comment do not count. Lines in the target's file outside of
the target are counted separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import attrs

from histories import Case, ChangedFile, Hunk
from sightline.index import Snapshot, SymbolId
from sightline.languages import Language, Registry
from sightline.symbols import CALLABLE_KINDS
from sightline.text import Text

FEWEST_LINES, MOST_LINES = 3, 150


@attrs.frozen
class Change:
    """A commit with its target and the lines to find."""

    commit: str
    parent: str
    target: SymbolId
    name: str
    """Qualified, with the line of the name: as a request names it."""
    language: str
    query: str
    """The text of the target's declaration."""
    wanted: dict[str, frozenset[int]]
    """By path, the lines to find."""
    own: frozenset[int]
    """Lines of the target's file, outside of the target, that the commit also changes."""

    @property
    def path(self) -> str:
        return self.target[0]

    @property
    def wanted_lines(self) -> int:
        return sum(len(lines) for lines in self.wanted.values())


def change_of(snapshot: Snapshot, registry: Registry, case: Case) -> Change | None:
    """Return what a commit is about; None if no function is changed, or too few
    or too many lines.
    """
    target = _target(snapshot, case.files)
    if target is None:
        return None
    path, index = target
    (file,) = [each for each in case.files if each.path == path]
    scope = snapshot.scope(path)
    assert scope is not None
    definition = scope.definitions[index]
    wanted = {
        each.path: lines
        for each in case.files
        if each.path != path and (lines := _wanted_lines(registry, each))
    }
    if not FEWEST_LINES <= sum(map(len, wanted.values())) <= MOST_LINES:
        return None
    place = snapshot.place(target)
    text = Text(file.data)
    first, last = (
        text.line_of(each) + 1
        for each in (definition.start, max(definition.start, definition.end - 1))
    )
    own = frozenset(each for each in _wanted_lines(registry, file) if not first <= each <= last)
    return Change(
        case.commit,
        case.parent,
        target,
        f"{place.symbol}:{place.line}",
        scope.language.name,
        text.data[definition.start : definition.end].decode("utf-8", "replace"),
        wanted,
        own,
    )


def _target(snapshot: Snapshot, files: Sequence[ChangedFile]) -> SymbolId | None:
    changed: Counter[SymbolId] = Counter()
    for file in files:
        text = Text(file.data)
        for hunk in file.hunks:
            for first, last, count in _touched(hunk, text.last_line_number):
                symbol = _function_around(snapshot, file.path, text, first, last)
                if symbol is not None:
                    changed[symbol] += count
    if not changed:
        return None
    return min(changed, key=lambda each: (-changed[each], each[0].encode("utf-8"), each[1]))


def _touched(hunk: Hunk, last: int) -> Iterator[tuple[int, int, int]]:
    """Yield ranges of the parent's lines with the number of changed lines in each."""
    if not hunk.lines:
        yield max(1, hunk.start), max(1, min(hunk.start + 1, last)), hunk.added
        return
    for line in range(hunk.start, min(hunk.start + hunk.lines, last + 1)):
        yield line, line, 1
    yield hunk.start, hunk.start, hunk.added


def _function_around(
    snapshot: Snapshot, path: str, text: Text, first: int, last: int
) -> SymbolId | None:
    """Return the innermost function around two lines."""
    scope = snapshot.scope(path)
    if scope is None or snapshot.files[path].fault:
        return None
    chains = []
    for line in (first, last):
        if line > text.last_line_number:
            return None
        chains.append(scope.nesting.chain(text.first_character(line - 1)))
    for index in chains[0]:
        if index in chains[1] and scope.definitions[index].kind in CALLABLE_KINDS:
            return path, index
    return None


def _wanted_lines(registry: Registry, file: ChangedFile) -> frozenset[int]:
    language = registry.for_path(file.path, file.data)
    assert language is not None
    lines = file.data.decode("utf-8", "replace").split("\n")
    found = set()
    for hunk in file.hunks:
        for line in range(hunk.start, hunk.start + max(1, hunk.lines)):
            if 1 <= line <= len(lines) and not is_trivial(lines[line - 1], language):
                found.add(line)
    return frozenset(found)


def is_trivial(line: str, language: Language | None) -> bool:
    """Return True for blank lines, brackets and punctuation, and comments."""
    stripped = line.strip()
    if not any(map(str.isalnum, stripped)):
        return True
    if language is None:
        return False
    if language.comments.line == "//":
        return stripped.startswith(("//", "/*", "* ", "*/"))
    return stripped.startswith(language.comments.line)
