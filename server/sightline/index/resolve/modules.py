"""Find the files that an import may mean, by the rules of the importing language."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import islice

from sightline.index.resolve.manifests import ModuleManifest
from sightline.index.resolve.scopes import FileScope
from sightline.languages import ModuleRules

_MOST_EXTENDED = 8
_MOST_PATTERNS = 4_000
"""Of one configuration; each import is held against all of them."""
_MOST_PLACES = 64
"""That the aliases of one configuration lead an import to."""


class Modules:
    """Finds modules among the files of one snapshot."""

    def __init__(
        self, files: Mapping[str, object], manifests: Mapping[str, ModuleManifest]
    ) -> None:
        self._files = files
        self._manifests = manifests
        self._known: dict[tuple[str, str, str], tuple[str, ...]] = {}
        self._folders: frozenset[str] | None = None
        self._named: dict[str, list[str]] | None = None
        self._by_file_name: dict[str, list[str]] | None = None
        self._package_roots: dict[str, list[str]] | None = None
        """By name of a package: the folders that contain it and are not packages themselves."""
        self._by_folder: dict[str, list[str]] | None = None

    def files(self, scope: FileScope, module: str) -> tuple[str, ...]:
        """Return the files that a module's name leads to from a file; none for
        an external module.
        """
        key = (scope.folder, module, scope.language.name)
        if scope.rules.relative == "words":
            key = (scope.path, module, scope.language.name)
        if key not in self._known:
            self._known[key] = tuple(dict.fromkeys(self._find(scope, module)))
        return self._known[key]

    def places(self, scope: FileScope, module: str) -> tuple[str, ...]:
        """Return the places where a module would be by its name, if the snapshot has no file for
        it.

        A name that is not relative is looked for only in folders that the snapshot has. The order
        is that of the language.
        """
        if scope.rules.scheme != "files" or self.files(scope, module):
            return ()
        name = module.lstrip(".").partition(scope.rules.separator)[0]
        is_relative = module.startswith(".") or scope.rules.relative == "words"
        if not is_relative and name in scope.rules.brought_along:
            return ()
        looking = _Looking(self._files, self._manifests)
        for _ in looking.files(scope, module):
            pass
        folders = self._all_folders()
        found = (
            posixpath.normpath(pattern.replace("{}", place)).removeprefix("./")
            for place in looking.looked_at
            for pattern in scope.rules.files
        )
        return tuple(
            path
            for path in dict.fromkeys(found)
            if is_relative or posixpath.dirname(path) in folders or "/" not in path
        )

    def folder(self, scope: FileScope, module: str) -> str | None:
        """Return the directory that an import path leads to, by the names in manifests."""
        for path in self._manifest_paths(scope.rules.manifest):
            name = self._manifests[path].name
            if name and (module == name or module.startswith(f"{name}/")):
                inside = module[len(name) + 1 :]
                folder = _joined(posixpath.dirname(path), inside)
                if folder is not None and folder in self._all_folders():
                    return folder
        return None

    def files_in(self, folder: str) -> list[str]:
        """Return the files directly in a directory, in path order."""
        if self._by_folder is None:
            self._by_folder = {}
            for path in sorted(self._files):
                self._by_folder.setdefault(posixpath.dirname(path), []).append(path)
        return self._by_folder.get(folder, [])

    def module_folder(self, rules: ModuleRules, path: str) -> str:
        """Return the directory of the module that a file belongs to by its place; "" if its place
        does not tell.
        """
        parts = path.split("/")
        for position, part in enumerate(parts[:-2]):
            if part in rules.module_folders:
                return "/".join(parts[: position + 2])
        return ""

    def _find(self, scope: FileScope, module: str) -> Iterator[str]:
        rules = scope.rules
        if rules.scheme != "files" or not module:
            return
        if rules.relative == "dots":
            yield from self._by_dots(scope, module)
        elif rules.relative == "words":
            yield from self._by_words(scope, module)
        elif rules.relative == "slashes":
            yield from self._by_slashes(scope, module)
        else:
            yield from self._beside(scope, module)

    def _by_dots(self, scope: FileScope, module: str) -> Iterator[str]:
        rules = scope.rules
        name = module.lstrip(".")
        climbed = len(module) - len(name)
        path = name.replace(rules.separator, "/")
        if climbed:
            folder: str | None = scope.folder
            for _ in range(climbed - 1):
                folder = posixpath.dirname(folder) if folder else None
            if folder is not None:
                yield from self._first_at(rules, _joined(folder, path))
            return
        for root in self._roots(scope):
            found = list(self._first_at(rules, _joined(root, path)))
            if found:
                yield from found
                return
        if name.partition(rules.separator)[0] not in rules.brought_along:
            yield from self._below_any_root(rules, path)

    def _below_any_root(self, rules: ModuleRules, path: str) -> Iterator[str]:
        """Find a module of a package whose root is neither at nor above the importing file.

        Sources and tests may have different roots (`server/package`). Only a package is looked for,
        and every root that contains it is returned.
        """
        if self._package_roots is None:
            self._package_roots = {}
            for marker in self._file_names().get(rules.package_file, ()):
                root, _, package = posixpath.dirname(marker).rpartition("/")
                if posixpath.join(root, rules.package_file) not in self._files:
                    self._package_roots.setdefault(package, []).append(root)
        for root in self._package_roots.get(path.partition("/")[0], ()):
            yield from self._first_at(rules, _joined(root, path))

    def _roots(self, scope: FileScope) -> Iterator[str]:
        """Return the folders in which absolute names may start: the file's own and those above it,
        the nearest first.
        """
        rules = scope.rules
        folder = scope.folder
        while True:
            for root in rules.roots:
                candidate = _joined(folder, root)
                if candidate is None:
                    continue
                marker = f"{candidate}/{rules.package_file}" if candidate else rules.package_file
                if not rules.package_file or marker not in self._files:
                    yield candidate
            if not folder:
                return
            folder = posixpath.dirname(folder)

    def _by_words(self, scope: FileScope, module: str) -> Iterator[str]:
        """Resolve `crate::a::b`, `self::a` and `super::a` as from the top of a file, or a project's
        name.

        An alias in a file is not a module; the caller follows it.
        """
        rules = scope.rules
        words = module.split(rules.separator)
        first = words[0]
        if first in ("self", "super"):
            folder: str | None = self._inner_folder(scope)
            climbed = words.count("super")
            if module == "self":
                yield scope.path
                return
            for _ in range(climbed):
                folder = posixpath.dirname(folder) if folder else None
            inside = words[max(climbed, 1) :]
            if folder is None:
                return
            if inside:
                yield from self._first_at(rules, _joined(folder, "/".join(inside)))
            else:
                yield from list(self._first_at(rules, folder)) or self._starts_in(scope, folder)
            return
        starts = self._starts(scope) if first == "crate" else self._project_starts(rules, first)
        if len(words) == 1:
            yield from starts
            return
        for folder in dict.fromkeys(posixpath.dirname(start) for start in starts):
            yield from self._first_at(rules, _joined(folder, "/".join(words[1:])))

    def _inner_folder(self, scope: FileScope) -> str:
        """Return the folder with the submodules of a file (`a/b.rs`: `a/b`)."""
        name = posixpath.basename(scope.path)
        if name == scope.rules.package_file or scope.path in self._starts(scope):
            return scope.folder
        stem = name.partition(".")[0]
        return f"{scope.folder}/{stem}" if scope.folder else stem

    def _starts(self, scope: FileScope) -> list[str]:
        """Return the files in which the modules of the project around a file start."""
        home = self._home(scope)
        folder = scope.folder
        while True:
            found = self._starts_in(scope, folder)
            if scope.path in found:
                return [scope.path]
            if found or folder == home or not folder:
                return found
            folder = posixpath.dirname(folder)

    def _starts_in(self, scope: FileScope, folder: str) -> list[str]:
        home = self._home(scope)
        prefix = f"{home}/" if home else ""
        manifest = self._manifests.get(f"{prefix}{scope.rules.manifest}")
        patterns = [*(manifest.entries if manifest else ()), *scope.rules.starts]
        return [
            path
            for path in self.files_in(folder)
            if path.startswith(prefix)
            and any(
                pattern.count("/") == path.count("/", len(prefix))
                and fnmatchcase(path[len(prefix) :], pattern)
                for pattern in patterns
            )
        ]

    def _home(self, scope: FileScope) -> str:
        """Return the folder of the project around a file: the nearest with a manifest."""
        home = scope.folder
        while home and f"{home}/{scope.rules.manifest}" not in self._manifests:
            home = posixpath.dirname(home)
        return home

    def _project_starts(self, rules: ModuleRules, name: str) -> list[str]:
        for manifest in self._manifest_paths(rules.manifest):
            if self._manifests[manifest].name == name:
                entries = self._manifests[manifest].entries[:1]
                places = [_joined(posixpath.dirname(manifest), entry) for entry in entries]
                return [path for path in places if path is not None and path in self._files]
        return []

    def _by_slashes(self, scope: FileScope, module: str) -> Iterator[str]:
        rules = scope.rules
        if module.startswith((".", "/")):
            if not module.startswith("/"):
                yield from self._first_at(rules, _joined(scope.folder, module))
            return
        for config in self._configurations(scope.folder):
            for place in islice(self._aliased(config, module), _MOST_PLACES):
                found = list(self._first_at(rules, place))
                if found:
                    yield from found
                    return
        yield from self._in_project(rules, module)

    def _in_project(self, rules: ModuleRules, module: str) -> Iterator[str]:
        """Find another project of the same workspace, by the name in its manifest."""
        for path in self._manifest_paths(rules.manifest):
            manifest = self._manifests[path]
            if not manifest.name:
                continue
            folder = posixpath.dirname(path)
            if module == manifest.name:
                for entry in (*manifest.entries, "src/index", "index", "lib/index", "src", "lib"):
                    found = list(self._first_at(rules, _joined(folder, entry)))
                    # The build output is not in the workspace, but its source is.
                    if not found and entry.startswith(("./dist/", "dist/", "./lib/", "lib/")):
                        inside = entry.removeprefix("./").partition("/")[2]
                        found = list(self._first_at(rules, _joined(folder, f"src/{inside}")))
                    if found:
                        yield from found
                        return
            elif module.startswith(f"{manifest.name}/"):
                inside = module[len(manifest.name) + 1 :]
                for place in (inside, f"src/{inside}"):
                    found = list(self._first_at(rules, _joined(folder, place)))
                    if found:
                        yield from found
                        return

    def _configurations(self, folder: str) -> Iterator[str]:
        """Return the manifests whose aliases apply to a folder, the nearest first."""
        while True:
            for name in ("tsconfig.json", "jsconfig.json", "tsconfig.base.json"):
                path = f"{folder}/{name}" if folder else name
                if path in self._manifests:
                    yield path
            if not folder:
                return
            folder = posixpath.dirname(folder)

    def _aliased(self, path: str, module: str) -> Iterator[str]:
        for _ in range(_MOST_EXTENDED):
            manifest = self._manifests.get(path)
            if manifest is None:
                return
            folder = _joined(posixpath.dirname(path), manifest.base or ".")
            if folder is not None:
                for pattern, targets in manifest.aliases[:_MOST_PATTERNS]:
                    before, star, after = pattern.partition("*")
                    if not star and module == pattern:
                        middle = ""
                    elif star and module.startswith(before) and module.endswith(after):
                        middle = module[len(before) : len(module) - len(after)]
                    else:
                        continue
                    for target in targets:
                        place = _joined(folder, target.replace("*", middle, 1))
                        if place is not None:
                            yield place
                if manifest.base and (place := _joined(folder, module)) is not None:
                    yield place
            if not manifest.extends:
                return
            extended = _joined(posixpath.dirname(path), manifest.extends[0])
            if extended is None:
                return
            path = extended if extended.endswith(".json") else f"{extended}.json"

    def _beside(self, scope: FileScope, module: str) -> Iterator[str]:
        """Resolve a path relative to the file, to a root at or above it, or as the end of some
        path.
        """
        rules = scope.rules
        if rules.run_time_prefix:
            written = rules.run_time_prefix.sub(b"", module.encode())
            module = written.decode("utf-8", "replace").strip("\"'")
        module = module.removeprefix("./")
        path = module.replace(rules.separator, "/") if rules.separator != "/" else module
        for root in (scope.folder, *self._roots(scope)):
            found = list(self._first_at(rules, _joined(root, path)))
            if found:
                yield from found
                return
        if path.startswith("../"):
            return
        for pattern in rules.files:
            ending = pattern.replace("{}", path)
            ends = [
                each
                for each in self._file_names().get(posixpath.basename(ending), ())
                if each.endswith(f"/{ending}")
            ]
            if len(ends) == 1:
                yield ends[0]
                return

    def _first_at(self, rules: ModuleRules, place: str | None) -> Iterator[str]:
        if place is None:
            return
        for pattern in rules.files:
            path = posixpath.normpath(pattern.replace("{}", place)).removeprefix("./")
            if path in self._files:
                yield path
                return
        stem, dot, extension = place.rpartition(".")
        if dot and extension in ("js", "jsx", "mjs", "cjs"):
            # The name has the extension that the file will have after the build.
            for pattern in rules.files:
                path = pattern.replace("{}", stem)
                if path != place and path in self._files:
                    yield path
                    return

    def _manifest_paths(self, name: str) -> list[str]:
        if self._named is None:
            self._named = {}
            # The longest first: a file belongs to the innermost project.
            for path in sorted(self._manifests, key=lambda each: (-each.count("/"), each)):
                self._named.setdefault(posixpath.basename(path), []).append(path)
        return self._named.get(name, [])

    def _all_folders(self) -> frozenset[str]:
        if self._folders is None:
            self._folders = frozenset(posixpath.dirname(path) for path in self._files)
        return self._folders

    def _file_names(self) -> dict[str, list[str]]:
        if self._by_file_name is None:
            self._by_file_name = {}
            for path in self._files:
                self._by_file_name.setdefault(posixpath.basename(path), []).append(path)
        return self._by_file_name


class _Looking(Modules):
    """Records where it looks for modules."""

    def __init__(
        self, files: Mapping[str, object], manifests: Mapping[str, ModuleManifest]
    ) -> None:
        super().__init__(files, manifests)
        self.looked_at: list[str] = []

    def _first_at(self, rules: ModuleRules, place: str | None) -> Iterator[str]:
        if place:
            self.looked_at.append(place)
        return super()._first_at(rules, place)


def _joined(folder: str | None, inside: str) -> str | None:
    """Return a normalised path below a folder; None if it leads out of the workspace."""
    if folder is None or "\0" in inside:
        return None
    path = posixpath.normpath(posixpath.join(folder, inside)) if folder or inside else ""
    if path == ".":
        return ""
    return None if path.startswith(("../", "/")) or path == ".." else path
