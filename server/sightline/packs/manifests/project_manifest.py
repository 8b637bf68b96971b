"""Find the packages of a project, and make the document's manifest from them.

Every sentence names the file or the counts on which it is based.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from sightline.packs.manifests import javascript, managed, native, python
from sightline.packs.manifests.packages import ManifestSource, Package, dependencies_of
from sightline.packs.manifests.readme import readme_purpose, readme_title
from sightline.packs.model import Dependency, Manifest, ManifestMember

Reader = Callable[[str, str, ManifestSource], Package | None]

_BY_NAME: Mapping[str, Reader] = {
    "package.json": javascript.read_package_json,
    "pyproject.toml": python.read_pyproject,
    "setup.cfg": python.read_setup_cfg,
    "setup.py": python.read_setup_py,
    "Pipfile": python.read_pipfile,
    "Cargo.toml": native.read_cargo,
    "go.mod": native.read_go_mod,
    "go.work": native.read_go_work,
    "pom.xml": managed.read_pom,
    "build.gradle": managed.read_gradle,
    "build.gradle.kts": managed.read_gradle,
    "build.sbt": managed.read_sbt,
    "packages.config": managed.read_packages_config,
    "composer.json": managed.read_composer,
    "Gemfile": managed.read_gemfile,
    "Package.swift": native.read_swift,
    "CMakeLists.txt": native.read_cmake,
    "conanfile.txt": native.read_conan,
    "conanfile.py": native.read_conan,
    "vcpkg.json": native.read_vcpkg,
    "meson.build": native.read_meson,
    "pubspec.yaml": managed.read_pubspec,
    "Makefile": native.read_makefile,
    "GNUmakefile": native.read_makefile,
}
_BY_PATTERN: Sequence[tuple[str, Reader]] = (
    ("*.csproj", managed.read_csproj),
    ("*.fsproj", managed.read_csproj),
    ("*.vbproj", managed.read_csproj),
    ("*.gemspec", managed.read_gemspec),
    ("requirements*.txt", python.read_requirements),
    ("requirements*.in", python.read_requirements),
)
_ASIDE = re.compile(
    r"^(?:[^/]+/){0,2}(?:tests?|testing|examples?|samples?|templates?|docs?|benchmarks?|bench|e2e"
    r"|demos?|playgrounds?|third_party|vendor)/"
    r"|(?:^|/)(?:__tests__|__fixtures__|fixtures?|testdata|test_data|test_package|node_modules)/"
    r"|(?:^|/)[^/]*[._-](?:tests?|benchmarks?|bench)/",
    re.IGNORECASE,
)
_SOURCES: Mapping[str, tuple[str, ...]] = {
    "node": (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".vue", ".svelte", ".mts"),
    "python": (".py", ".pyi", ".pyx"),
    "rust": (".rs",),
    "go": (".go",),
    "java": (".java",),
    "kotlin": (".kt", ".kts"),
    "android": (".kt", ".java"),
    "scala": (".scala", ".sc"),
    ".net": (".cs", ".fs", ".vb", ".razor"),
    "php": (".php",),
    "ruby": (".rb", ".erb"),
    "swift": (".swift",),
    "c/c++": (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh"),
    "dart": (".dart",),
    "flutter": (".dart",),
    "lua": (".lua",),
    "shell": (".sh", ".bash"),
}
_CONVENTIONS = re.compile(
    r"(?:(?:.*/)?__main__\.py|(?:.*/)?manage\.py|(?:src/)?(?:main|app|server|index|cli)\.\w+"
    r"|cmd/[^/]+/main\.go|(?:.*/)?src/main\.rs|(?:.*/)?Program\.cs|artisan|config\.ru"
    r"|bin/[\w.-]+|public/index\.php|lib/main\.dart|(?:.*/)?\w*Application\.(?:java|kt)"
    r"|(?:.*/)?(?:wsgi|asgi)\.py)"
)
_SERVED = r"^(?:app|application)\b[^=\n]{0,100}=|get_[aw]sgi_application"
_BOOTED = r"@SpringBootApplication|\bmain\s*\(|:\s*Application\(\)|extends Application\b"
_STARTS: Mapping[str, str] = {
    "wsgi.py": _SERVED,
    "asgi.py": _SERVED,
    "Application.kt": _BOOTED,
}
"""By the end of a file name that libraries use as well: text that only a program contains."""
_BUILT = re.compile(r"^(.*/)?(?:dist|build|lib|out|es|esm|cjs)/(.+?)(?:\.(?:cjs|mjs|js|d\.ts))?$")
_MOST_ENTRY_POINTS = 20
_MOST_PACKAGES = 300
_MOST_TEST_PROJECTS = 20
_MOST_WORDS = 5


def read_packages(source: ManifestSource) -> tuple[Package, ...]:
    """Return every package of the project except fixtures and examples, the outermost first."""
    found: list[Package] = []
    ordered = sorted(source.paths, key=lambda path: (path.count("/"), path.encode()))
    for path in ordered:
        reader = _reader(posixpath.basename(path))
        if reader is None or _ASIDE.search(path):
            continue
        text = source.read(path)
        package = reader(path, text, source) if text is not None else None
        if package is not None:
            found.append(package)
        if len(found) == _MOST_PACKAGES:
            break
    return tuple(found)


def read_manifest(source: ManifestSource, fallback: str = "project") -> Manifest:
    """Return the document's manifest of a project; `fallback` is the name for a project without
    one.
    """
    packages = read_packages(source)
    sizes = _source_counts(source.paths)
    roots = _roots(packages, sizes, source.paths)
    members = members_of(packages)
    kind = _kind(roots, members, sizes)
    purpose, rests_on = _purpose(source, roots)
    ranked = sorted([*roots, *members], key=lambda each: each.ecosystem != kind)
    return Manifest(
        project_name=next((each.name for each in roots if each.name), "")
        or _name_of(readme_title(source))
        or fallback,
        project_type=kind or "unknown",
        purpose_guess=f"{purpose} ({rests_on})" if purpose else "Nothing in the project says.",
        structure_summary=_structure(source.paths, sizes, members),
        dependencies=_merged(ranked, kind, sizes),
        entry_points=entry_points(source, roots, members),
        build_system=next((each.build_system for each in ranked if each.build_system), None),
        test_framework=_tests(source, ranked, kind),
        members=tuple(
            _member(each) for each in sorted(members, key=lambda each: each.path.encode())
        ),
    )


def _name_of(title: str) -> str:
    """Return the heading of a README if it may be a name, and not a question or a sentence."""
    return title if "?" not in title and len(title.split()) <= _MOST_WORDS else ""


def _member(package: Package) -> ManifestMember:
    return ManifestMember(
        path=package.folder,
        project_name=package.name or posixpath.basename(package.folder),
        project_type=package.ecosystem,
        purpose_guess=(
            f"{package.purpose} (the description in {package.path})" if package.purpose else ""
        ),
        dependencies=package.dependencies,
        entry_points=package.entry_points,
        build_system=package.build_system or None,
        test_framework=package.test_framework or None,
    )


def _kind(roots: Sequence[Package], members: Sequence[Package], sizes: Counter[str]) -> str:
    """Return the ecosystem of the outermost package, unless nearly all source
    belongs to another.
    """
    declared = next((each.ecosystem for each in roots if each.ecosystem), "")
    largest = _largest(sizes)
    own = sum(sizes[name] for name in _related(declared))
    inner = {name for each in members for name in _related(each.ecosystem)}
    if declared and own * 10 < sizes[largest] and largest in inner:
        return largest
    return declared or largest


def members_of(packages: Sequence[Package]) -> tuple[Package, ...]:
    """Return the packages in folders that a workspace lists, or below the outermost package."""
    if not packages:
        return ()
    top = packages[0].folder.count("/") if packages[0].folder else -1
    inner = [each for each in packages if each.folder and each.folder.count("/") > top]
    patterns = [
        (each.ecosystem, posixpath.normpath(posixpath.join(each.folder, pattern)))
        for each in packages
        for pattern in each.members
        if not pattern.startswith("!")
    ]
    listing = {ecosystem for ecosystem, _ in patterns}
    return tuple(
        each
        for each in inner
        if each.ecosystem
        and (
            each.ecosystem not in listing
            or any(kind == each.ecosystem and _is_in(each.folder, one) for kind, one in patterns)
        )
    )


def entry_points(
    source: ManifestSource, roots: Sequence[Package], members: Sequence[Package]
) -> tuple[str, ...]:
    """Return the files where programs start: what packages declare, then what is usual."""
    present = set(source.paths)
    declared = [
        found
        for package in [*roots, *members]
        for path in package.entry_points
        if (found := _as_source(path, present))
    ]
    usual = [
        path
        for path in sorted(source.paths, key=lambda path: (path.count("/"), path.encode()))
        if _CONVENTIONS.fullmatch(path) and not _ASIDE.search(path) and _begins(source, path)
    ]
    others = [] if declared or usual else [*_go_programs(source), *_libraries(roots, present)]
    return tuple(dict.fromkeys([*declared, *usual, *others]))[:_MOST_ENTRY_POINTS]


def _begins(source: ManifestSource, path: str) -> bool:
    """True if a file with the usual name of a program's start looks like one."""
    name = posixpath.basename(path)
    if name.endswith((".rs", ".go")):
        return name.startswith("main.")
    for ending, needed in _STARTS.items():
        if name.endswith(ending):
            return re.search(needed, source.read(path) or "", re.MULTILINE) is not None
    return True


def _libraries(roots: Sequence[Package], present: set[str]) -> list[str]:
    """Return the names under which Python packages are imported."""
    found = []
    for package in roots:
        name = re.sub(r"[-.]", "_", package.name)
        for each in (f"src/{name}/__init__.py", f"{name}/__init__.py"):
            path = posixpath.join(package.folder, each)
            if package.ecosystem == "python" and name and path in present:
                found.append(path)
    return found


def _go_programs(source: ManifestSource) -> list[str]:
    """Return the Go files of the outermost folder that start a program under another name."""
    outer = [path for path in source.paths if "/" not in path and path.endswith(".go")]
    return [
        path
        for path in outer[:50]
        if not path.endswith("_test.go")
        and re.search(r"^func main\(\)", source.read(path) or "", re.M)
    ]


def _reader(name: str) -> Reader | None:
    known = _BY_NAME.get(name)
    if known is not None:
        return known
    return next((reader for pattern, reader in _BY_PATTERN if fnmatchcase(name, pattern)), None)


def _is_in(folder: str, pattern: str) -> bool:
    """True if a workspace's pattern names a folder: `*` is one part, `**` any number."""
    translated = re.escape(pattern).replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
    return re.fullmatch(translated, folder) is not None


def _as_source(path: str, present: set[str]) -> str:
    """Return the visible file that a package names, or its source if it is generated."""
    for candidate in (path, f"{path}.js", f"{path}.ts", f"{path}/index.js"):
        if candidate in present:
            return candidate
    if found := _BUILT.match(path):
        outer, inner = found[1] or "", found[2]
        for folder in ("src/", "lib/", ""):
            for ending in (".ts", ".tsx", ".js", ".mts", ".mjs"):
                if (candidate := f"{outer}{folder}{inner}{ending}") in present:
                    return candidate
    return ""


def _source_counts(paths: Iterable[str]) -> Counter[str]:
    """Return the number of source files of each ecosystem, without examples and tests."""
    by_ending = {
        ending: name for name, endings in reversed(list(_SOURCES.items())) for ending in endings
    }
    counts: Counter[str] = Counter()
    for path in paths:
        name = by_ending.get(posixpath.splitext(path)[1].lower())
        if name is not None and not _ASIDE.search(path):
            counts[name] += 1
    return counts


def _largest(sizes: Counter[str]) -> str:
    return min(sizes, key=lambda name: (-sizes[name], name)) if sizes else ""


def _roots(packages: Sequence[Package], sizes: Counter[str], paths: Sequence[str]) -> list[Package]:
    """Return the packages of the outermost folder with one, the largest ecosystem first.

    Among several such folders, take the one with most source below it.
    """
    named = [each for each in packages if each.ecosystem]
    if not named:
        return list(packages[:1])
    depth = min(each.folder.count("/") + bool(each.folder) for each in named)
    folders = {e.folder for e in named if e.folder.count("/") + bool(e.folder) == depth}
    below = {each: _source_below(each, paths) if len(folders) > 1 else 0 for each in folders}
    folder = min(folders, key=lambda each: (-below[each], each.encode()))
    outer = [each for each in packages if each.folder == folder]
    weight = {name: sum(sizes[n] for n in _related(name)) for name in {e.ecosystem for e in outer}}
    return sorted(
        outer,
        key=lambda each: (-weight[each.ecosystem], not each.name, -_needed(each), each.path),
    )


def _source_below(folder: str, paths: Sequence[str]) -> int:
    prefix = f"{folder}/" if folder else ""
    return sum(_source_counts(each for each in paths if each.startswith(prefix)).values())


def _needed(package: Package) -> int:
    """Return the number of run-time dependencies of a package."""
    return sum(each.type == "runtime" for each in package.dependencies)


def _related(ecosystem: str) -> tuple[str, ...]:
    """Return the names under which files of an ecosystem are counted."""
    return {
        "android": ("android", "kotlin", "java"),
        "kotlin": ("kotlin", "java"),
        "java": ("java", "kotlin"),
        "flutter": ("dart",),
    }.get(ecosystem, (ecosystem,))


def _purpose(source: ManifestSource, roots: Sequence[Package]) -> tuple[str, str]:
    for package in roots:
        if package.purpose:
            words = " ".join(package.purpose.split())
            return words, f"the description in {package.path}"
    return readme_purpose(source)


def _structure(paths: Sequence[str], sizes: Counter[str], members: Sequence[Package]) -> str:
    folders = Counter(path.split("/", 1)[0] for path in paths if "/" in path)
    shown = sorted(folders.items(), key=lambda each: (-each[1], each[0]))[:8]
    kinds = sorted(sizes.items(), key=lambda each: (-each[1], each[0]))[:4]
    sentences = [f"{len(paths):,} files that may be shown, {len(folders):,} folders at the top."]
    if kinds:
        sentences.append(
            "Source files: " + ", ".join(f"{count:,} {name}" for name, count in kinds) + "."
        )
    if shown:
        sentences.append(
            "Largest folders: " + ", ".join(f"{name}/ ({count:,})" for name, count in shown) + "."
        )
    if members:
        listed = ", ".join(each.folder for each in members[:8])
        more = f" and {len(members) - 8} more" if len(members) > 8 else ""
        sentences.append(f"{len(members)} packages inside it: {listed}{more}.")
    return " ".join(sentences)


def _merged(packages: Sequence[Package], kind: str, sizes: Counter[str]) -> tuple[Dependency, ...]:
    """Return what the packages need, without the packages of the workspace itself.

    A package in a language without source here is a tool: a Gemfile beside Swift. A Gemfile beside
    a gem's own description lists development dependencies.
    """
    own = {each.name for each in packages if each.name}
    gems = {each.folder for each in packages if each.path.endswith(".gemspec")}

    def is_tool(package: Package) -> bool:
        if posixpath.basename(package.path) == "Gemfile" and package.folder in gems:
            return True
        is_other = package.ecosystem not in ("", kind)
        return is_other and not any(sizes[name] for name in _related(package.ecosystem))

    return dependencies_of(
        (each.name, each.version or "", "dev" if is_tool(package) else each.type)
        for package in packages
        for each in package.dependencies
        if each.name not in own and each.name.rpartition(":")[2] not in own
    )


def _tests(source: ManifestSource, packages: Sequence[Package], kind: str) -> str | None:
    declared = [each.test_framework for each in packages if each.test_framework]
    if declared:
        return declared[0]
    if beside := _tests_beside(source, kind):
        return beside
    if kind == "python":
        tests = [path for path in source.paths if re.search(r"(?:^|/)test[^/]*\.py$", path)]
        texts = [source.read(path) or "" for path in tests[:10]]
        if any("import pytest" in text for text in texts):
            return "pytest"
        if any("unittest" in text or "TestCase" in text for text in texts):
            return "unittest"
    return None


def _tests_beside(source: ManifestSource, kind: str) -> str | None:
    """Return the test framework of a test project, which is not a package of its own."""
    aside = [
        (path, reader)
        for path in source.paths
        if (reader := _reader(posixpath.basename(path))) is not None and _ASIDE.search(path)
    ]
    for path, reader in aside[:_MOST_TEST_PROJECTS]:
        text = source.read(path)
        package = reader(path, text, source) if text is not None else None
        if package is not None and package.ecosystem == kind and package.test_framework:
            return package.test_framework
    return None
