"""Find what packages, namespaces and folders call by a name, as seen from a file."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from sightline.index.resolve.declared import Declared
from sightline.index.resolve.expressions import dotted
from sightline.index.resolve.scopes import FileScope, SymbolId
from sightline.languages import ModuleRules

_MOST_PASSING = 8


class Namespaces:
    """The definitions that a file sees without an import or through the name of a package."""

    def __init__(self, declared: Declared) -> None:
        self._declared = declared
        self._modules = declared.modules
        self._visible_names: dict[tuple[str, str], dict[str, list[SymbolId]]] = {}
        self._modules_as_types: dict[tuple[str, str], list[SymbolId]] = {}

    def visible(self, rules: ModuleRules, name: str) -> dict[str, list[SymbolId]]:
        """Return top-level definitions of a name in the workspace, by the namespace around them."""
        key = (rules.family, name)
        if key not in self._visible_names:
            visible: dict[str, list[SymbolId]] = {}
            for target in self._declared.free(rules, name):
                container = self._declared.scope(target).definitions[target[1]].container
                visible.setdefault(container, []).append(target)
            self._visible_names[key] = visible
        return self._visible_names[key]

    def nearest(self, scope: FileScope, found: list[SymbolId]) -> list[SymbolId]:
        """Choose among definitions of a name: those of the own module first, then of imported
        modules.
        """
        own = self._modules.module_folder(scope.rules, scope.path)
        if not own:
            return found
        imported = {each.module for each in scope.imports}
        modules = [self._modules.module_folder(scope.rules, path) for path, _ in found]
        for wanted in ({own}, imported, self._passed_on(scope, own, imported)):
            nearest = [
                target
                for target, module in zip(found, modules, strict=True)
                if module in wanted or module.rpartition("/")[2] in wanted
            ]
            if any(not self._declared.is_extension(target) for target in nearest):
                return nearest
        # Extensions are visible everywhere; other names of other modules are not.
        return [
            target
            for target, module in zip(found, modules, strict=True)
            if not module or self._declared.is_extension(target)
        ]

    def _passed_on(self, scope: FileScope, own: str, imported: set[str]) -> set[str]:
        """Return modules that imported modules re-export, if these contain little else."""
        found: set[str] = set()
        beside = own.rpartition("/")[0]
        around = beside.rpartition("/")[0]
        parents = [f"{around}/{each}".lstrip("/") for each in scope.rules.module_folders]
        for name in sorted(imported):
            for parent in parents:
                paths = self._modules.files_in(f"{parent}/{name}")
                for path in paths if len(paths) <= _MOST_PASSING else ():
                    other = self._declared.scope_of(path)
                    found.update(each.module for each in (other.imports if other else ()))
        return found

    def enclosing(self, scope: FileScope, offset: int) -> Iterator[str]:
        """Return the packages whose names are visible at an offset, the innermost first."""
        inner = [
            scope.full_name(index)
            for index in scope.nesting.chain(offset)
            if scope.definitions[index].kind == "module"
        ]
        yield from inner
        if inner:
            outer = inner[-1]
            while "." in outer:
                outer = outer.rpartition(".")[0]
                yield outer
        yield from scope.packages

    def in_namespace(self, scope: FileScope, module: str, name: str) -> list[SymbolId]:
        """Return what a namespace that is open in a file, or in a file that it includes, calls by a
        name.
        """
        qualified = f"{dotted(module).strip('.')}.{name}"
        declared = self._declared
        seen = {scope.path, *declared.closure(scope)}
        found = [
            target
            for target in declared.called(scope.rules, name)
            if target[0] in seen
            and declared.kind(target) != "constructor"
            and declared.is_called(declared.scope(target), target[1], qualified)
        ]
        return declared.with_linked(found, declared.free(scope.rules, name))

    def in_folder(self, scope: FileScope, folder: str, name: str) -> list[SymbolId]:
        """Return what the package in a folder calls by a name."""
        declared = self._declared
        return [
            target
            for target in declared.called(scope.rules, name)
            if target[0].rpartition("/")[0] == folder
            and not declared.is_member(declared.scope(target), target[1])
            and self._is_seen(scope, folder, target[0])
        ]

    def _is_seen(self, scope: FileScope, folder: str, path: str) -> bool:
        """True if a file in a package's folder belongs to the package, as seen
        from another file.
        """
        other = self._declared.scope_of(path)
        if folder == scope.folder and other is not None and other.package == scope.package:
            return True
        return path in self.package_files(scope.rules, folder)

    def package_files(self, rules: ModuleRules, folder: str) -> list[str]:
        """Return the files of a folder that an import of it brings in."""
        return [
            path
            for path in self._modules.files_in(folder)
            if (scope := self._declared.scope_of(path)) is not None
            and scope.rules.family == rules.family
            and not any(fnmatchcase(path.rpartition("/")[2], each) for each in rules.private_files)
        ]

    def exists(self, scope: FileScope, module: str) -> bool:
        """True if a module's name leads to something in the workspace."""
        if scope.rules.scheme == "folders":
            return self._modules.folder(scope, module) is not None
        return bool(self._modules.files(scope, module))

    def seen_from(self, scope: FileScope, full: str) -> list[SymbolId]:
        """Return the definitions of a full name, only in sources that include the file, if there
        are any.
        """
        found = self._declared.by_full_name(scope.rules, full)
        if len(found) < 2 or scope.rules.scattered_members:
            return found
        root = scope.source_root
        own = [target for target in found if self._declared.scope(target).source_root == root]
        return own or found

    def by_path(self, scope: FileScope, path: str, offset: int) -> list[SymbolId]:
        """Return what a name with its packages means, as a full name or as seen from a package."""
        for prefix in ("", *self.enclosing(scope, offset)):
            found = self.seen_from(scope, f"{prefix}.{path}" if prefix else path)
            if found:
                return found
        return []

    def module_types(self, scope: FileScope, module: str) -> list[SymbolId]:
        """Return the types that the path of an import may end in, and the types that they inherit
        from.
        """
        key = (scope.path, module)
        if key not in self._modules_as_types:
            found = self.by_path(scope, dotted(module), 0)
            self._modules_as_types[key] = self._declared.types_among(found)
        return self._modules_as_types[key]
