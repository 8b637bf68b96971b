"""Modules, by the names that the imports of a file give them."""

from __future__ import annotations

from sightline.index.resolve.lookups import Lookups
from sightline.index.resolve.meaning import Module
from sightline.index.resolve.scopes import FileScope


def imported_module(lookups: Lookups, scope: FileScope, name: str) -> Module | None:
    """Return the module that an import calls by a name."""
    rules, modules = scope.rules, lookups.declared.modules
    for each in scope.imported.get(name, ()):
        if rules.scheme == "files" and each.name and each.name != "*":
            inner = f"{each.module}{rules.separator}{each.name}"
            if each.module.endswith(rules.separator) and rules.relative == "dots":
                inner = f"{each.module}{each.name}"
            if modules.files(scope, inner):
                return Module(scope, inner)
            within = Module(scope, each.module)
            if passed_on := lookups.names.module_passed_on(within, each.name):
                return passed_on
            continue
        if rules.scheme == "packages" and each.name and each.name != "*":
            return Module(scope, f"{each.module}.{each.name}")
        if not each.name or each.name == "*":
            module = each.module
            if not each.alias and rules.separator != "/" and name != module:
                # After `import a.b`, `a.…` is resolved part by part.
                last = module.rpartition(rules.separator)[2]
                module = module if name == last else name
            if lookups.namespaces.exists(scope, module) or rules.scheme == "packages":
                return Module(scope, module)
            if each.alias and rules.imports_all:
                # An alias of a namespace.
                return Module(scope, module)
    return None


def package_called(lookups: Lookups, scope: FileScope, name: str) -> Module | None:
    """Return the imported package whose own name differs from the last part of its path."""
    for each in scope.imports:
        folder = None if each.alias else lookups.declared.modules.folder(scope, each.module)
        for path in (
            lookups.namespaces.package_files(scope.rules, folder)[:1] if folder is not None else ()
        ):
            if lookups.declared.scope((path, -1)).package == name:
                return Module(scope, each.module)
    return None
