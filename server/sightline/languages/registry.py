"""All known languages: where they come from, and the language of a file.

Invariant: language folders come from the package or from the user, never from a workspace: a
grammar is code.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path, PurePosixPath

from sightline.languages.loading import BUILTIN, load_language
from sightline.languages.model import Language, LanguageError

LANGUAGE_PATH_VARIABLE = "SIGHTLINE_LANGUAGE_PATH"
"""The variable for further language folders of the user, separated as in `PATH`."""

_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?(\S+)(?:[ \t]+(?:-\S+[ \t]+)*(?:\S*/)?(\S+))?")


class Registry:
    """All known languages, by name and by the names of their files."""

    def __init__(self, languages: Iterable[Language]) -> None:
        self.languages = {
            language.name: language for language in sorted(languages, key=lambda each: each.name)
        }
        self._by_extension: dict[str, list[Language]] = {}
        self._by_file_name: dict[str, Language] = {}
        self._by_interpreter: dict[str, Language] = {}
        for language in self.languages.values():
            for extension in language.files.extensions:
                self._by_extension.setdefault(extension, []).append(language)
            for file_name in language.files.names:
                self._by_file_name[file_name] = language
            for interpreter in language.files.interpreters:
                self._by_interpreter[interpreter] = language

    @cached_property
    def digest(self) -> str:
        """A digest of the rules that assign files to languages."""
        rules = [
            (
                each.name,
                each.files.extensions,
                each.files.names,
                each.files.interpreters,
                each.files.contents.pattern.decode() if each.files.contents else "",
            )
            for each in self.languages.values()
        ]
        return hashlib.sha256(repr(rules).encode()).hexdigest()

    @cached_property
    def source_extensions(self) -> frozenset[str]:
        """The extensions of all languages, case folded, each with its dot."""
        return frozenset(each.casefold() for each in self._by_extension)

    def get(self, name: str) -> Language | None:
        return self.languages.get(name)

    def for_path(self, path: str, data: bytes) -> Language | None:
        """Return the language of a file, by its name, then its extension, then its first line."""
        pure = PurePosixPath(path)
        if pure.name in self._by_file_name:
            return self._by_file_name[pure.name]
        suffix = pure.suffix
        claimants = self._by_extension.get(suffix) or self._by_extension.get(suffix.lower())
        if claimants:
            return _choose(claimants, data)
        if not suffix:
            return self._for_shebang(data)
        return None

    def _for_shebang(self, data: bytes) -> Language | None:
        found = _SHEBANG.match(data[:200])
        if not found:
            return None
        program = found[1].decode("ascii", "replace")
        if program == "env" and found[2]:
            program = found[2].decode("ascii", "replace")
        return self._by_interpreter.get(program) or self._by_interpreter.get(
            program.rstrip("0123456789.")
        )


def load_registry(extra_folders: Iterable[Path] = ()) -> Registry:
    """Return the built-in languages, the user's own (by environment) and those in `extra_folders`.

    A later folder replaces an earlier language of the same name.
    """
    found: dict[str, Language] = {}
    for parent in [BUILTIN, *_user_folders(), *extra_folders]:
        if not parent.is_dir():
            raise LanguageError(f"{parent}: no such folder of languages")
        for file in sorted(parent.glob("*/language.toml")):
            language = load_language(file.parent)
            found[language.name] = language
    return Registry(found.values())


def load_named(name: str, extra_folders: Iterable[Path] = ()) -> Language:
    """Return one language, as `load_registry` would, without loading the others."""
    for parent in reversed([BUILTIN, *_user_folders(), *extra_folders]):
        if (parent / name / "language.toml").is_file():
            return load_language(parent / name)
    raise LanguageError(f"there is no language '{name}'")


def _user_folders() -> list[Path]:
    return [
        Path(each) for each in os.environ.get(LANGUAGE_PATH_VARIABLE, "").split(os.pathsep) if each
    ]


def _choose(claimants: list[Language], data: bytes) -> Language:
    for language in claimants:
        if language.files.contents and language.files.contents.search(data):
            return language
    return next((each for each in claimants if not each.files.contents), claimants[0])
