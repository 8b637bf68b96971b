"""Cargo, Go modules, SwiftPM, CMake, Conan, vcpkg, Meson and make."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from sightline.packs.manifests.packages import (
    ManifestSource,
    Package,
    Row,
    dependencies_of,
    read_json,
    string,
    strings,
    table,
    within,
)
from sightline.packs.model import DependencyType
from sightline.toml import read_toml

_CARGO_GROUPS: tuple[tuple[str, DependencyType], ...] = (
    ("dependencies", "runtime"),
    ("build-dependencies", "dev"),
    ("dev-dependencies", "dev"),
)
_NO_PROGRAM = re.compile(r"(?:^|[/_.-])(?:tests?|fixtures?|bench(?:marks?)?|mocks?)(?:[_.-]|$)")
"""Part of the name of a program that is only for tests."""
_GO_REQUIRE = re.compile(r"^\s*(?:require\s+)?([^\s()/]+\.[^\s()]+)\s+(v\S+)(.*)$")
_SWIFT_PACKAGE = re.compile(r"\.package\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_SWIFT_URL = re.compile(r'url:\s*"([^"]+)"')
_SWIFT_VERSION = re.compile(r'(?:from|exact|branch|revision):\s*"([^"]+)"|"([\d.]+)"')
_SWIFT_NAME = re.compile(r'Package\s*\(\s*name:\s*"([^"]+)"')
_SWIFT_COMMAND = re.compile(r'\.executable(?:Target)?\s*\(\s*name:\s*"([^"]+)"')
_CMAKE_CALL = re.compile(r"^[ \t]*(\w+)[ \t]*\(([^()#]*)\)", re.MULTILINE)
_CMAKE_COMMENT = re.compile(r"#[^\n]*")
_CONAN_REFERENCE = re.compile(r"^([\w.+-]+)/([\w.+\[\]<>=~ -]+?)(?:@.*)?$")
_CONAN_CALL = re.compile(
    r"""(?:self\.)?(tool_requires|test_requires|requires|build_requires)\(\s*["']([^"']+)["']"""
)
_CONAN_LIST = re.compile(
    r"""^\s+(tool_requires|test_requires|requires|build_requires)\s*=\s*(.+)$""", re.MULTILINE
)
_QUOTED = re.compile(r"""["']([^"'\n]+)["']""")
_MESON_PROJECT = re.compile(r"^project\s*\(\s*'([^']+)'", re.MULTILINE)
_MESON_DEPENDENCY = re.compile(r"\bdependency\s*\(\s*'([^']+)'(?:[^()]*?version\s*:\s*'([^']+)')?")
_CMAKE_TESTS = {
    "gtest": "googletest",
    "googletest": "googletest",
    "catch2": "catch2",
    "doctest": "doctest",
}


def read_cargo(path: str, text: str, source: ManifestSource) -> Package | None:
    try:
        data = read_toml(text)
    except ValueError:
        return None
    package, space = table(data.get("package")), table(data.get("workspace"))
    if not package and not space:
        return None
    rows: list[Row] = list(_cargo_rows(data))
    for target in table(data.get("target")).values():
        rows += _cargo_rows(table(target))
    if space:
        rows += [
            (name, _cargo_version(value), "runtime")
            for name, value in table(space.get("dependencies")).items()
        ]
    folder, present = posixpath.dirname(path), set(source.paths)
    programs = [table(each) for each in _tables(data.get("bin"))]
    programs = [
        each
        for each in programs
        if not _NO_PROGRAM.search(string(each.get("path")) or string(each.get("name")))
    ]
    starts = [within(path, string(each.get("path"))) for each in programs if each.get("path")]
    starts += [posixpath.join(folder, name) for name in ("src/main.rs", "src/lib.rs")]
    starts += sorted(
        each
        for each in present
        if posixpath.dirname(each) == posixpath.join(folder, "src/bin")
        and each.endswith(".rs")
        and not _NO_PROGRAM.search(each)
    )
    commands = [string(each.get("name")) for each in programs]
    if posixpath.join(folder, "src/main.rs") in present and not commands:
        commands.append(string(package.get("name")))
    return Package(
        path=path,
        ecosystem="rust",
        name=string(package.get("name")),
        purpose=" ".join(string(package.get("description")).split()),
        dependencies=dependencies_of(rows),
        entry_points=tuple(dict.fromkeys(each for each in starts if each in present)),
        commands=tuple(each for each in commands if each),
        build_system="cargo",
        test_framework="cargo test",
        members=strings(space.get("members")),
        is_library=posixpath.join(folder, "src/lib.rs") in present or "lib" in data,
    )


def read_go_mod(path: str, text: str, source: ManifestSource) -> Package | None:
    rows: list[Row] = []
    name, block = "", ""
    for line in text.splitlines():
        bare = line.partition("//")[0].strip()
        if bare.startswith("module "):
            name = bare.removeprefix("module ").strip().strip('"')
        elif bare.endswith("("):
            block = bare[:-1].strip()
        elif bare == ")":
            block = ""
        elif block == "require" or bare.startswith("require "):
            found = _GO_REQUIRE.match(line)
            if found and "// indirect" not in found[3]:
                rows.append((found[1], found[2], "runtime"))
    if not name:
        return None
    folder = posixpath.dirname(path)
    prefix = f"{folder}/" if folder else ""
    starts = [
        each
        for each in source.paths
        if each.startswith(prefix) and re.fullmatch(r"(?:cmd/[^/]+/)?main\.go", each[len(prefix) :])
    ]
    dependencies = dependencies_of(rows)
    programs = [posixpath.basename(posixpath.dirname(each) or name) for each in starts]
    tests = "go test"
    if any(each.name == "github.com/onsi/ginkgo/v2" for each in dependencies):
        tests = "ginkgo"
    return Package(
        path=path,
        ecosystem="go",
        name=name,
        dependencies=dependencies,
        entry_points=tuple(starts),
        commands=tuple(programs),
        build_system="go",
        test_framework=tests,
        is_library=not starts,
    )


def read_go_work(path: str, text: str, _source: ManifestSource) -> Package | None:
    uses = re.findall(r"^\s*(?:use\s+)?(\.{1,2}(?:/[^\s()]*)?)\s*$", text, re.MULTILINE)
    return Package(path=path, ecosystem="go", build_system="go", members=tuple(uses))


def read_swift(path: str, text: str, source: ManifestSource) -> Package | None:
    found = _SWIFT_NAME.search(text)
    if found is None:
        return None
    rows: list[Row] = []
    for call in _SWIFT_PACKAGE.findall(text):
        if url := _SWIFT_URL.search(call):
            version = _SWIFT_VERSION.search(call[url.end() :])
            name = posixpath.basename(url[1]).removesuffix(".git")
            rows.append((name, (version[1] or version[2]) if version else "", "runtime"))
    present = set(source.paths)
    commands = tuple(dict.fromkeys(_SWIFT_COMMAND.findall(text)))
    starts = [within(path, f"Sources/{name}/main.swift") for name in commands]
    return Package(
        path=path,
        ecosystem="swift",
        name=found[1],
        dependencies=dependencies_of(rows),
        entry_points=tuple(each for each in starts if each in present),
        commands=commands,
        build_system="swift package manager",
        test_framework="xctest" if ".testTarget" in text else "",
        is_library=".library(" in text,
    )


def read_cmake(path: str, text: str, _source: ManifestSource) -> Package | None:
    rows: list[Row] = []
    commands: list[str] = []
    members: list[str] = []
    name, purpose, is_library = "", "", False
    for function, inside in _CMAKE_CALL.findall(_CMAKE_COMMENT.sub("", text)):
        words = re.findall(r'"[^"]*"|\S+', inside)
        called = function.lower()
        if not words:
            continue
        if called == "project" and not name:
            name = words[0].strip('"')
            if "DESCRIPTION" in words[:-1]:
                purpose = words[words.index("DESCRIPTION") + 1].strip('"')
        elif called == "find_package" and "$" not in words[0]:
            version = words[1] if len(words) > 1 and words[1][0].isdigit() else ""
            rows.append((words[0], version, "runtime"))
        elif called == "fetchcontent_declare":
            tag = words[words.index("GIT_TAG") + 1] if "GIT_TAG" in words[:-1] else ""
            rows.append((words[0], tag, "runtime"))
        elif called == "add_executable" and "$" not in words[0]:
            commands.append(words[0])
        elif called == "add_library":
            is_library = True
        elif called == "add_subdirectory" and "$" not in words[0]:
            # A folder that no build includes is a project of its own, such as a tool.
            members += [words[0].strip('"'), f"{words[0].strip(chr(34))}/**"]
    if not name:
        return None
    names = {row[0].lower() for row in rows}
    tests = next((label for key, label in _CMAKE_TESTS.items() if key in names), "")
    return Package(
        path=path,
        ecosystem="c/c++",
        name=name if "$" not in name else "",
        purpose=purpose,
        dependencies=dependencies_of(
            (name, version, "dev" if name.lower() in _CMAKE_TESTS else kind)
            for name, version, kind in rows
        ),
        commands=tuple(dict.fromkeys(commands)),
        build_system="cmake",
        test_framework=tests or ("ctest" if "enable_testing" in text else ""),
        members=tuple(members),
        is_library=is_library,
    )


def read_conan(path: str, text: str, source: ManifestSource) -> Package | None:
    rows: list[Row] = list(_conan_rows(path, text))
    name = re.search(r"""^\s+name\s*=\s*["']([^"']+)["']""", text, re.MULTILINE)
    purpose = re.search(r"""^\s+description\s*=\s*\(?\s*["']([^"'\n]+)["']""", text, re.MULTILINE)
    return Package(
        path=path,
        ecosystem="c/c++",
        name=name[1] if name else "",
        purpose=purpose[1] if purpose else "",
        dependencies=dependencies_of(rows),
        # A conan package is usually built by CMake beside it.
        build_system="cmake" if within(path, "CMakeLists.txt") in set(source.paths) else "conan",
    )


def read_vcpkg(path: str, text: str, _source: ManifestSource) -> Package | None:
    data = read_json(text)
    if data is None:
        return None
    listed = data.get("dependencies")
    rows: list[Row] = [
        (
            string(each) or string(table(each).get("name")),
            string(table(each).get("version>=")),
            "runtime",
        )
        for each in (listed if isinstance(listed, list) else [])
    ]
    return Package(
        path=path,
        ecosystem="c/c++",
        name=string(data.get("name")),
        purpose=" ".join(strings(data.get("description"))),
        dependencies=dependencies_of(rows),
        build_system="vcpkg",
    )


def read_meson(path: str, text: str, _source: ManifestSource) -> Package | None:
    found = _MESON_PROJECT.search(text)
    if found is None:
        return None
    rows: list[Row] = [
        (name, version, "runtime") for name, version in _MESON_DEPENDENCY.findall(text)
    ]
    return Package(
        path=path,
        ecosystem="c/c++",
        name=found[1],
        dependencies=dependencies_of(rows),
        build_system="meson",
    )


def read_makefile(path: str, _text: str, _source: ManifestSource) -> Package | None:
    return Package(path=path, ecosystem="", build_system="make")


def _cargo_rows(data: object) -> Iterator[Row]:
    for group, kind in _CARGO_GROUPS:
        for name, value in table(table(data).get(group)).items():
            yield name, _cargo_version(value), kind


def _cargo_version(value: object) -> str:
    return string(value) or string(table(value).get("version"))


def _tables(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _conan_rows(path: str, text: str) -> Iterator[Row]:
    if path.endswith(".txt"):
        section = ""
        for line in text.splitlines():
            line = line.partition("#")[0].strip()
            if line.startswith("["):
                section = line.strip("[]")
            elif section in {"requires", "tool_requires", "build_requires", "test_requires"}:
                yield from _conan_reference(line, section)
        return
    for section, reference in _CONAN_CALL.findall(text):
        yield from _conan_reference(reference, section)
    for section, listed in _CONAN_LIST.findall(text):
        for reference in _QUOTED.findall(listed):
            yield from _conan_reference(reference, section)


def _conan_reference(line: str, section: str) -> Iterator[Row]:
    if found := _CONAN_REFERENCE.match(line.strip()):
        yield found[1], found[2].strip("[]"), "runtime" if section == "requires" else "dev"
