"""PyPI: pyproject.toml, setup.cfg, setup.py, requirements files, Pipfile, and locks."""

from __future__ import annotations

import ast
import configparser
import posixpath
import re
from collections.abc import Iterator

from sightline.packs.manifests.packages import (
    LARGEST,
    ManifestSource,
    Package,
    Row,
    dependencies_of,
    first_of,
    string,
    strings,
    table,
    within,
)
from sightline.packs.model import DependencyType
from sightline.toml import read_toml

_REQUIREMENT = re.compile(
    r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(?:\(([^)]*)\)|([^;#@]*))"
)
_TESTS = (("pytest", "pytest"), ("nose2", "nose2"), ("nose", "nose"), ("ward", "ward"))
_BACKENDS = (
    ("poetry", "poetry"),
    ("hatchling", "hatch"),
    ("flit", "flit"),
    ("pdm", "pdm"),
    ("maturin", "maturin"),
    ("scikit_build_core", "scikit-build-core"),
    ("mesonpy", "meson-python"),
    ("uv_build", "uv"),
    ("setuptools", "setuptools"),
)
_DEVELOPMENT = re.compile(r"dev|test|doc|lint|typing|mypy|ci|bench", re.IGNORECASE)
_LOCKED = re.compile(r'^name = "([^"\n]+)"\r?\nversion = "([^"\n]+)"', re.MULTILINE)
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock")


def read_pyproject(path: str, text: str, source: ManifestSource) -> Package | None:
    data = _toml(text)
    if data is None:
        return None
    project, tool = table(data.get("project")), table(data.get("tool"))
    poetry = table(tool.get("poetry"))
    if not project and not poetry and not table(data.get("build-system")):
        return None
    rows: list[Row] = [*_project_rows(project), *_poetry_rows(poetry), *_group_rows(data)]
    rows += [
        row
        for group in table(table(tool.get("pdm")).get("dev-dependencies")).values()
        for row in _requirements(strings(group), "dev")
    ]
    rows += list(_requirements(strings(table(tool.get("uv")).get("dev-dependencies")), "dev"))
    locked = _locked_versions(path, source)
    rows = [(name, version or locked.get(_key(name), ""), kind) for name, version, kind in rows]
    dependencies = dependencies_of(rows)
    scripts = {**table(project.get("scripts")), **table(poetry.get("scripts"))}
    tests = first_of(_TESTS, (_key(each.name) for each in dependencies))
    return Package(
        path=path,
        ecosystem="python",
        name=string(project.get("name")) or string(poetry.get("name")),
        purpose=string(project.get("description")) or string(poetry.get("description")),
        dependencies=dependencies,
        entry_points=_module_files(path, scripts, source),
        commands=tuple(scripts),
        build_system=_build_system(data, path, source),
        test_framework=tests or ("pytest" if "pytest" in tool else ""),
        members=strings(table(table(tool.get("uv")).get("workspace")).get("members")),
        is_library=not scripts,
    )


def read_setup_cfg(path: str, text: str, source: ManifestSource) -> Package | None:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError):
        return None
    metadata = dict(parser.items("metadata")) if parser.has_section("metadata") else {}
    options = dict(parser.items("options")) if parser.has_section("options") else {}
    if not metadata and not options:
        return None
    rows: list[Row] = list(
        _requirements(options.get("install_requires", "").splitlines(), "runtime")
    )
    rows += _requirements(options.get("tests_require", "").splitlines(), "dev")
    for section in parser.sections():
        if section == "options.extras_require":
            for extra, listed in parser.items(section):
                rows += _requirements(listed.splitlines(), _extra_kind(extra))
    scripts: dict[str, object] = {}
    if parser.has_section("options.entry_points"):
        scripts = _console_scripts(
            parser.get("options.entry_points", "console_scripts", fallback="")
        )
    dependencies = dependencies_of(rows)
    return Package(
        path=path,
        ecosystem="python",
        name=metadata.get("name", ""),
        purpose=metadata.get("description", ""),
        dependencies=dependencies,
        entry_points=_module_files(path, scripts, source),
        commands=tuple(scripts),
        build_system="setuptools",
        test_framework=first_of(_TESTS, (_key(each.name) for each in dependencies))
        or ("pytest" if parser.has_section("tool:pytest") else ""),
        is_library=not scripts,
    )


def read_setup_py(path: str, text: str, source: ManifestSource) -> Package | None:
    """Read the literals that setup.py passes to `setup`; nothing is run."""
    if len(text) > LARGEST // 8 or "setup" not in text:
        return None
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    values = _setup_arguments(tree)
    if values is None:
        return None
    rows: list[Row] = list(_requirements(_listed(values.get("install_requires")), "runtime"))
    rows += _requirements(_listed(values.get("tests_require")), "dev")
    for extra, listed in table(values.get("extras_require")).items():
        rows += _requirements(_listed(listed), _extra_kind(extra))
    console = _listed(table(values.get("entry_points")).get("console_scripts"))
    scripts = _console_scripts("\n".join(console))
    dependencies = dependencies_of(rows)
    return Package(
        path=path,
        ecosystem="python",
        name=string(values.get("name")),
        purpose=string(values.get("description")),
        dependencies=dependencies,
        entry_points=_module_files(path, scripts, source),
        commands=tuple(scripts),
        build_system="setuptools",
        test_framework=first_of(_TESTS, (_key(each.name) for each in dependencies)),
        is_library=not scripts,
    )


def read_requirements(path: str, text: str, _source: ManifestSource) -> Package | None:
    """Read a requirements file; its name says which group it is."""
    name = posixpath.basename(path)
    rows: list[Row] = list(_requirements(text.splitlines(), _extra_kind(name)))
    dependencies = dependencies_of(rows)
    if not dependencies:
        return None
    return Package(
        path=path,
        ecosystem="python",
        dependencies=dependencies,
        build_system="pip",
        test_framework=first_of(_TESTS, (_key(each.name) for each in dependencies)),
    )


def read_pipfile(path: str, text: str, _source: ManifestSource) -> Package | None:
    data = _toml(text)
    if data is None:
        return None
    groups: tuple[tuple[str, DependencyType], ...]
    groups = (("packages", "runtime"), ("dev-packages", "dev"))
    dependencies = dependencies_of(
        (name, _poetry_version(wanted), kind)
        for group, kind in groups
        for name, wanted in table(data.get(group)).items()
    )
    return Package(
        path=path,
        ecosystem="python",
        dependencies=dependencies,
        build_system="pipenv",
        test_framework=first_of(_TESTS, (_key(each.name) for each in dependencies)),
    )


def _toml(text: str) -> dict[str, object] | None:
    try:
        return read_toml(text)
    except ValueError:
        return None


def _key(name: str) -> str:
    """Return a name in the form that PyPI compares."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _extra_kind(name: str) -> DependencyType:
    return "dev" if _DEVELOPMENT.search(name) else "runtime"


def _requirements(lines: list[str] | tuple[str, ...], kind: DependencyType) -> Iterator[Row]:
    for line in lines:
        if not line.strip() or line.lstrip().startswith(("#", "-", "http:", "https:", "git+", ".")):
            continue
        if found := _REQUIREMENT.match(line):
            yield found[1], (found[2] or found[3] or "").replace(" ", ""), kind


def _project_rows(project: object) -> Iterator[Row]:
    yield from _requirements(strings(table(project).get("dependencies")), "runtime")
    for extra, listed in table(table(project).get("optional-dependencies")).items():
        yield from _requirements(strings(listed), _extra_kind(extra))


def _group_rows(data: dict[str, object]) -> Iterator[Row]:
    for listed in table(data.get("dependency-groups")).values():
        yield from _requirements(strings(listed), "dev")


def _poetry_rows(poetry: object) -> Iterator[Row]:
    groups: list[tuple[DependencyType, object]] = [("runtime", table(poetry).get("dependencies"))]
    groups.append(("dev", table(poetry).get("dev-dependencies")))
    for name, group in table(table(poetry).get("group")).items():
        groups.append(("runtime" if name == "main" else "dev", table(group).get("dependencies")))
    for kind, group in groups:
        for name, wanted in table(group).items():
            if name.lower() != "python":
                yield name, _poetry_version(wanted), kind


def _poetry_version(wanted: object) -> str:
    version = string(wanted) or string(table(wanted).get("version"))
    return "" if version == "*" else version


def _locked_versions(path: str, source: ManifestSource) -> dict[str, str]:
    for lock in _LOCKS:
        text = source.read(posixpath.join(posixpath.dirname(path), lock))
        if text is not None:
            return {_key(name): version for name, version in _LOCKED.findall(text)}
    return {}


def _build_system(data: dict[str, object], path: str, source: ManifestSource) -> str:
    backend = string(table(data.get("build-system")).get("build-backend"))
    for part, label in _BACKENDS:
        if part in backend:
            return label
    present = set(source.paths)
    folder = posixpath.dirname(path)
    if posixpath.join(folder, "uv.lock") in present:
        return "uv"
    if posixpath.join(folder, "poetry.lock") in present:
        return "poetry"
    return "setuptools"


def _module_files(path: str, scripts: object, source: ManifestSource) -> tuple[str, ...]:
    """Return the files of the modules that console scripts call."""
    present = set(source.paths)
    found: list[str] = []
    for wanted in table(scripts).values():
        reference = string(wanted) or string(table(wanted).get("reference"))
        module = reference.partition(":")[0].strip().replace(".", "/")
        for base in ("", "src/", "lib/"):
            for ending in (".py", "/__init__.py", "/__main__.py"):
                candidate = within(path, f"{base}{module}{ending}") if module else ""
                if candidate in present:
                    found.append(candidate)
    return tuple(dict.fromkeys(found))


def _console_scripts(listed: str) -> dict[str, object]:
    pairs = [line.partition("=") for line in listed.splitlines() if "=" in line]
    return {name.strip(): reference.strip() for name, _, reference in pairs}


def _setup_arguments(tree: ast.Module) -> dict[str, object] | None:
    """Return the keyword arguments of `setup(...)` that are literals or plain variables."""
    variables: dict[str, object] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name):
                variables[target.id] = _literal(statement.value, variables)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in {"setup", "setuptools.setup"}:
            return {each.arg: _literal(each.value, variables) for each in node.keywords if each.arg}
    return None


def _called(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Name):
        return function.id
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return f"{function.value.id}.{function.attr}"
    return ""


def _literal(node: ast.expr, variables: dict[str, object]) -> object:
    if isinstance(node, ast.Name):
        return variables.get(node.id)
    if isinstance(node, ast.Dict):
        return {
            key.value: _literal(value, variables)
            for key, value in zip(node.keys, node.values, strict=True)
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        }
    if isinstance(node, ast.List | ast.Tuple):
        return [_literal(each, variables) for each in node.elts]
    return node.value if isinstance(node, ast.Constant) else None


def _listed(value: object) -> tuple[str, ...]:
    return strings(value.splitlines()) if isinstance(value, str) else strings(value)
