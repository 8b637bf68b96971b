"""Find the conventions of a project: the file that says how to write code in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from sightline.engine.recipe_texts import AnswerTexts, ScannedText
from sightline.workspace.roots import repository_around

_CONVENTIONS = ("CLAUDE.md", "AGENTS.md", "CONTRIBUTING.md", ".github/copilot-instructions.md")
_CURSOR_RULES = ".cursor/rules"
_MOST_RULES = 20


def read_conventions(
    texts: AnswerTexts, given: Path | str | None, files: Sequence[Path], git: object
) -> ScannedText | None:
    """Read the project's conventions: the given file, or the one nearest to some files."""
    if given is not None:
        return texts.read(Path(given), "conventions")
    places = list(dict.fromkeys([*_folders_above(texts, files), root_of(git)]))
    for name in _CONVENTIONS:
        for folder in places:
            # A change may touch thousands of folders.
            if not os.path.lexists(folder / name):
                continue
            found = texts.read(folder / name, name, is_optional=True)
            if found is not None:
                return found
    for folder in places:
        rules = folder / _CURSOR_RULES
        names = _names_in(rules)
        read = [
            found
            for name in names[:_MOST_RULES]
            if (found := texts.read(rules / name, f"{_CURSOR_RULES}/{name}")) is not None
        ]
        if read:
            return texts.take(
                "conventions", "\n".join(each.text.data.decode("utf-8") for each in read)
            )
    texts.warn("there is no file of conventions (CLAUDE.md, AGENTS.md, CONTRIBUTING.md)")
    return None


def _names_in(folder: Path) -> list[str]:
    """Return the names in a folder, sorted. A folder behind a link counts as empty."""
    try:
        is_own = folder.resolve() == folder.parents[1].resolve().joinpath(*folder.parts[-2:])
        return sorted(each.name for each in folder.iterdir()) if is_own else []
    except (OSError, ValueError):
        return []


def _folders_above(texts: AnswerTexts, files: Sequence[Path]) -> list[Path]:
    """Return the folders of files and those above them, the nearest first.

    Folders above a file's root are not included.
    """
    folders: dict[Path, int] = {}
    for file in files:
        absolute = Path(os.path.normpath(Path.cwd() / file))
        root = texts.roots.root_of(absolute)
        for distance, folder in enumerate([absolute, *absolute.parents]):
            if distance:
                folders[folder] = min(distance, folders.get(folder, distance))
            if folder == root:
                break
    return sorted(folders, key=lambda each: (folders[each], str(each)))


def root_of(git: object) -> Path:
    """Return the directory of the caller's git object, otherwise the repository around here."""
    for name in ("root", "cwd", "_cwd", "workdir", "repo_path", "path"):
        value = getattr(git, name, None)
        if isinstance(value, str | Path):
            place = Path(os.path.normpath(Path.cwd() / value))
            return repository_around(place) or place
    here = Path.cwd()
    return repository_around(here) or here
