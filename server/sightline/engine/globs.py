"""Globs as people write them for many tools: `./src/**`, `src\\app.py`, `src/{api,web}/**`.

Each becomes lines of an ignore file. Invariant: a glob never forbids less than any usual reading of
it. A glob without such a reading is an error, because it must not let a file through.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

import attrs

from sightline.workspace.ignore_patterns import IgnorePatterns, PatternError, compile_patterns

_MOST_LINES = 256
"""The most lines that one glob may become, by its braces."""
_BRACES = re.compile(r"\{([^{}]*)\}")
_NUMBERS = re.compile(r"(-?\d{1,4})\.\.(-?\d{1,4})")
_CHOICE = re.compile(r"[@!+?*]\(")
_WILD = re.compile(r"[*?\[]")


@attrs.frozen
class ContractGlobs:
    """The files that the contract of a task allows, and those that it forbids."""

    _allowed: IgnorePatterns | None
    _forbidden: IgnorePatterns
    _forbidden_folded: IgnorePatterns
    """The same without regard to case."""

    def allows(self, path: str) -> bool:
        return self._allowed is not None and self._allowed.deciding(path) is not None

    @property
    def allows_none(self) -> bool:
        return self._allowed is None

    def forbids(self, path: str) -> bool:
        """True if a glob matches a path or a folder above it, in any case of letters."""
        return is_matched(self._forbidden, path) or is_matched(
            self._forbidden_folded, _folded(path)
        )


def contract_globs(allowed: Sequence[str], forbidden: Sequence[str], root: str) -> ContractGlobs:
    """Return the globs of a contract; `root` is the prefix of absolute ones.

    Raises `PatternError`, whose `line` is the number of the glob.
    """
    return ContractGlobs(
        compiled_globs(allowed, root, reaches_below=True) if allowed else None,
        compiled_globs(forbidden, root),
        compiled_globs(map(_folded, forbidden), _folded(root)),
    )


def compiled_globs(
    globs: Iterable[str], root: str, *, reaches_below: bool = False
) -> IgnorePatterns:
    """Return the patterns of globs; `root` is the prefix of absolute ones.

    With `reaches_below`, a glob that names a folder matches the files in it. Raises `PatternError`,
    whose `line` is the number of the glob.
    """
    lines: list[str] = []
    numbers: list[int] = []
    for number, glob in enumerate(globs, 1):
        for line in _lines(glob, root, number):
            lines.append(line)
            if reaches_below and not _WILD.search(line.rstrip("/").rpartition("/")[2]):
                # `src` allows everything in that folder; `src/*` only what is directly in it.
                lines.append(f"{line.rstrip('/')}/**")
            numbers += [number] * (len(lines) - len(numbers))
    try:
        return compile_patterns(lines)
    except PatternError as error:
        raise PatternError(numbers[min(error.line, len(numbers)) - 1]) from error


def _lines(glob: str, root: str, number: int) -> Iterator[str]:
    """Yield the lines of an ignore file for a glob."""
    is_negated = glob.strip().startswith("!") and not glob.strip().startswith("!(")
    written = glob.strip().removeprefix("!") if is_negated else glob.strip()
    if _CHOICE.search(written):
        raise PatternError(number)
    for each in _expanded(written, number):
        # A backslash separates folders, or it escapes the next character.
        for reading in dict.fromkeys([each.replace("\\", "/"), each]):
            line = reading.removeprefix(root.rstrip("/")) if _is_below(reading, root) else reading
            line = line.removeprefix("./") if line.startswith("./") else line
            line = "**" if line in ("", ".") and reading else line
            if line:
                yield f"{'!' if is_negated else ''}{_escaped(line)}"


def _is_below(path: str, root: str) -> bool:
    return len(root) > 1 and (path == root or path.startswith(root.rstrip("/") + "/"))


def _escaped(line: str) -> str:
    return f"\\{line}" if line[0] in "#!" else line


def _expanded(glob: str, number: int) -> list[str]:
    """Return a glob for each choice of its braces."""
    found = [glob]
    for _ in range(_MOST_LINES):
        parts = [(each, _choice(each)) for each in found]
        if all(choice is None for _, choice in parts):
            return found
        found = [
            each if choice is None else each[: choice[0]] + one + each[choice[1] :]
            for each, choice in parts
            for one in ([""] if choice is None else choice[2])
        ]
        if len(found) > _MOST_LINES:
            break
    raise PatternError(number)


def _choice(glob: str) -> tuple[int, int, list[str]] | None:
    """Return where the first innermost braces with a choice are, and the alternatives."""
    for braces in _BRACES.finditer(glob):
        if braces.start() and glob[braces.start() - 1] in "\\$":
            continue
        if (numbers := _NUMBERS.fullmatch(braces[1])) is not None:
            first, last = int(numbers[1]), int(numbers[2])
            step = 1 if first <= last else -1
            choices = [str(each) for each in range(first, last + step, step)]
            return braces.start(), braces.end(), choices
        if "," in braces[1]:
            return braces.start(), braces.end(), braces[1].split(",")
    return None


def is_matched(patterns: IgnorePatterns, path: str) -> bool:
    """True if a pattern matches a path or a folder above it, as in an ignore file."""
    parts = path.rstrip("/").split("/")
    folders: Iterable[str] = ("/".join(parts[:depth]) + "/" for depth in range(1, len(parts)))
    return any(patterns.deciding(each) is not None for each in (*folders, path))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()
