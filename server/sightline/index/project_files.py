"""Find project files: those that say how a project is built or checked."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase, translate
from functools import cached_property

from sightline.index.file_facts import FileState
from sightline.index.model import Confidence, Evidence, Relation, RelationKind, SymbolLocation
from sightline.index.path_names import bytewise
from sightline.languages import Language


class ProjectFiles:
    """The project files among some files, by folder."""

    def __init__(self, files: Mapping[str, FileState], languages: Mapping[str, Language]) -> None:
        self._files = files
        self._languages = languages

    def in_folder(self, folder: str) -> tuple[str, ...]:
        """Return the project files in a folder, in bytewise order."""
        prefix = f"{folder}/" if folder else ""
        return tuple(f"{prefix}{name}" for name in self._by_folder.get(folder, ()))

    def configs(self, path: str) -> list[Relation]:
        """Return the project files that say how a file is built or checked, the nearest first."""
        state = self._files.get(path)
        language = self._languages.get(state.language) if state is not None else None
        patterns = language.files.configs if language else ()
        relations: list[Relation] = []
        folder = posixpath.dirname(path)
        distance = 1
        open_patterns = list(patterns)
        while open_patterns:
            here = self._by_folder.get(folder, ())
            for pattern in list(open_patterns):
                matching = [
                    name
                    for name in here
                    if fnmatchcase(name, pattern) and not self._is_module(folder, name, language)
                ]
                for name in matching:
                    found = f"{folder}/{name}" if folder else name
                    relations.append(
                        Relation(
                            RelationKind.CONFIG,
                            Confidence.RESOLVED,
                            (SymbolLocation(found, "", "file", 1),),
                            Evidence(found, 1, name),
                            distance,
                        )
                    )
                if matching:
                    open_patterns.remove(pattern)
            if not folder:
                break
            folder = posixpath.dirname(folder)
            distance += 1
        return relations

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        """Names of project files by folder, in bytewise order."""
        patterns = sorted(
            {pattern for language in self._languages.values() for pattern in language.files.configs}
        )
        is_config = re.compile("|".join(translate(pattern) for pattern in patterns)).match
        found: dict[str, list[str]] = {}
        for path in self._files:
            folder, _, name = path.rpartition("/")
            if is_config(name):
                found.setdefault(folder, []).append(name)
        for names in found.values():
            names.sort(key=bytewise)
        return found

    def _is_module(self, folder: str, name: str, language: Language | None) -> bool:
        """True if a file with the name of a project file is a module of a package."""
        if language is None or not language.modules.package_file:
            return False
        state = self._files[posixpath.join(folder, name)]
        marker = posixpath.join(folder, language.modules.package_file)
        return state.language == language.name and marker in self._files
