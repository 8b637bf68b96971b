"""npm, pnpm, yarn and bun: package.json and the files that list a workspace's folders."""

from __future__ import annotations

import posixpath

from sightline.packs.manifests.packages import (
    ManifestSource,
    Package,
    dependencies_of,
    first_of,
    read_json,
    read_yaml,
    string,
    strings,
    table,
    within,
)
from sightline.packs.model import DependencyType

_GROUPS: tuple[tuple[str, DependencyType], ...] = (
    ("dependencies", "runtime"),
    ("optionalDependencies", "runtime"),
    ("peerDependencies", "peer"),
    ("devDependencies", "dev"),
)
_TESTS = (
    ("vitest", "vitest"),
    ("jest", "jest"),
    ("@jest/core", "jest"),
    ("mocha", "mocha"),
    ("ava", "ava"),
    ("tap", "tap"),
    ("uvu", "uvu"),
    ("jasmine", "jasmine"),
    ("karma", "karma"),
    ("@playwright/test", "playwright"),
    ("cypress", "cypress"),
    ("borp", "borp"),
)
_TEST_WORDS = ("vitest", "jest", "mocha", "ava", "tap", "jasmine", "karma", "playwright", "cypress")
_MANAGERS = (
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lockb", "bun"),
    ("bun.lock", "bun"),
    ("package-lock.json", "npm"),
    ("npm-shrinkwrap.json", "npm"),
)


def read_package_json(path: str, text: str, source: ManifestSource) -> Package | None:
    data = read_json(text)
    if data is None:
        return None
    dependencies = dependencies_of(
        (name, string(version), kind)
        for group, kind in _GROUPS
        for name, version in table(data.get(group)).items()
    )
    scripts = table(data.get("scripts"))
    tests = first_of(_TESTS, (each.name for each in dependencies)) or _script_test(scripts)
    binaries = data.get("bin")
    commands = tuple(table(binaries)) or (
        (string(data.get("name")).rpartition("/")[2],) if binaries else ()
    )
    starts = [*strings(binaries), *map(string, table(binaries).values())]
    starts += [string(data.get(key)) for key in ("main", "module", "source", "browser")]
    starts += _exported(data.get("exports"))
    return Package(
        path=path,
        ecosystem="node",
        name=string(data.get("name")),
        purpose=string(data.get("description")),
        dependencies=dependencies,
        entry_points=tuple(
            dict.fromkeys(found for start in starts if start and (found := within(path, start)))
        ),
        commands=commands,
        build_system=_manager(path, data, source),
        test_framework=tests,
        members=_members(path, data, source),
        is_library=bool(data.get("main") or data.get("exports") or data.get("module")),
    )


def _script_test(scripts: object) -> str:
    words = string(table(scripts).get("test")).replace("/", " ").split()
    if "node" in words and "--test" in words:
        return "node:test"
    return next((word for word in _TEST_WORDS if word in words), "")


def _exported(value: object) -> list[str]:
    """Return the files that `exports` names for the package itself."""
    if isinstance(value, str):
        return [value]
    entry = table(value).get(".", value)
    if isinstance(entry, str):
        return [entry]
    return [string(table(entry).get(key)) for key in ("import", "require", "default")]


def _manager(path: str, data: dict[str, object], source: ManifestSource) -> str:
    """Return the program that installs the package: the one it names, otherwise the one of the
    nearest lock file.
    """
    named = string(data.get("packageManager")).partition("@")[0]
    if named in {"npm", "pnpm", "yarn", "bun"}:
        return named
    present = set(source.paths)
    folder = posixpath.dirname(path)
    while True:
        for lock, manager in _MANAGERS:
            if posixpath.join(folder, lock) in present:
                return manager
        if not folder:
            return "npm"
        folder = posixpath.dirname(folder)


def _members(path: str, data: dict[str, object], source: ManifestSource) -> tuple[str, ...]:
    spaces = data.get("workspaces")
    found = [*strings(spaces), *strings(table(spaces).get("packages"))]
    for name, key in (("pnpm-workspace.yaml", "packages"), ("lerna.json", "packages")):
        text = source.read(posixpath.join(posixpath.dirname(path), name))
        if text is not None:
            listed = read_json(text) if name.endswith(".json") else read_yaml(text)
            found += strings(table(listed).get(key))
    return tuple(dict.fromkeys(found))
